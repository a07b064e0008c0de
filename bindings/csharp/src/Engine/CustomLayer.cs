using System;

namespace Ckpt
{
    /// <summary>Base of custom layers. Spans are bytes (MemoryMarshal.Cast gives elements), valid during the call only, aligned to
    /// 64 bytes, and empty where no memory is passed. Methods run on the thread that runs the executor, one at a time; if one
    /// throws, the step fails with CkptCallbackException. The context's Targets and Pool are disposed of after the call; Targets
    /// may be shared.</summary>
    public abstract partial class CustomLayer
    {
        /// <summary>Returns the requirements of one of its options.</summary>
        /// <param name="input">Dtype and shape.</param>
        /// <param name="option">0 .. Options - 1.</param>
        /// <returns>The bytes that the option needs.</returns>
        public virtual LayerOption Option(TensorSpec input, int option) => new LayerOption();

        /// <summary>Fills the tape like Forward, in Forward's workspace, without an output. For a class without this method,
        /// Forward runs when only the tape is needed.</summary>
        /// <param name="context">The context of the call.</param>
        /// <param name="input">The input.</param>
        /// <param name="tape">The tape to fill.</param>
        /// <param name="workspace">Scratch memory.</param>
        public virtual void Record(LayerContext context, ReadOnlySpan<byte> input, Span<byte> tape, Span<byte> workspace)
        {
            throw new NotSupportedException("Record");
        }

        private delegate void Recording(LayerContext context, ReadOnlySpan<byte> input, Span<byte> tape, Span<byte> workspace);

        internal bool HasRecord => ((Recording)Record).Method.DeclaringType != typeof(CustomLayer);

        /// <summary>Saves the ambient state.</summary>
        /// <param name="state">Buffer of AmbientBytes bytes to fill.</param>
        public virtual void SaveAmbient(Span<byte> state) { }

        /// <summary>Restores the ambient state.</summary>
        /// <param name="state">The bytes from SaveAmbient.</param>
        public virtual void RestoreAmbient(ReadOnlySpan<byte> state) { }
    }
}
