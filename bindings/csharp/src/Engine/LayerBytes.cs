using System.Runtime.InteropServices;

namespace Ckpt
{
    /// <summary>What a custom layer needs for one of its options.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct LayerBytes
    {
        /// <summary>All three, in bytes.</summary>
        /// <param name="tape">Recorded for backward.</param>
        /// <param name="forwardWorkspace">While forward runs.</param>
        /// <param name="backwardWorkspace">While backward runs.</param>
        public LayerBytes(long tape, long forwardWorkspace, long backwardWorkspace)
        {
            Tape = tape;
            ForwardWorkspace = forwardWorkspace;
            BackwardWorkspace = backwardWorkspace;
        }

        /// <summary>Recorded for backward.</summary>
        public long Tape { get; }

        /// <summary>While forward runs.</summary>
        public long ForwardWorkspace { get; }

        /// <summary>While backward runs.</summary>
        public long BackwardWorkspace { get; }
    }
}
