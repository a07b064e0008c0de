using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One way to run a layer: what it records and needs meanwhile.</summary>
    public sealed class OptionProfile
    {
        /// <summary>All 0, to be filled.</summary>
        public OptionProfile()
        {
        }

        internal OptionProfile(ckpt_option_profile from)
        {
            TapeBytes = from.tape_bytes;
            ForwardWorkspaceBytes = from.forward_workspace_bytes;
            BackwardWorkspaceBytes = from.backward_workspace_bytes;
            ForwardSeconds = from.forward_seconds;
            BackwardSeconds = from.backward_seconds;
        }

        /// <summary>Recorded for backward.</summary>
        public long TapeBytes { get; set; }

        /// <summary>While forward runs.</summary>
        public long ForwardWorkspaceBytes { get; set; }

        /// <summary>While backward runs.</summary>
        public long BackwardWorkspaceBytes { get; set; }

        /// <summary>Time of forward.</summary>
        public double ForwardSeconds { get; set; }

        /// <summary>Time of backward.</summary>
        public double BackwardSeconds { get; set; }
    }
}
