using System;

namespace Ckpt
{
    /// <summary>Derive from this for a layer of your own. Spans are bytes (MemoryMarshal.Cast gives elements), valid during the
    /// call only, aligned to 64 bytes, and empty where there is nothing. Methods run on the thread that runs the executor, one at a
    /// time; what they throw ends the step with CkptCallbackException. The context's Targets and Pool are disposed of behind the
    /// call; Targets may be shared.</summary>
    public abstract partial class CustomLayer
    {
        /// <summary>What it needs for one of its options.</summary>
        /// <param name="input">Dtype and shape.</param>
        /// <param name="option">0 .. Options - 1.</param>
        /// <returns>Bytes.</returns>
        public virtual LayerOption Option(TensorSpec input, int option) => new LayerOption();

        /// <summary>Fills the tape as Forward does, in Forward's workspace, and makes no output. A class without one of its own runs
        /// Forward where only the tape is wanted.</summary>
        /// <param name="context">Where and when.</param>
        /// <param name="input">What goes in.</param>
        /// <param name="tape">To be filled.</param>
        /// <param name="workspace">Anything.</param>
        public virtual void Record(LayerContext context, ReadOnlySpan<byte> input, Span<byte> tape, Span<byte> workspace)
        {
            throw new NotSupportedException("Record");
        }

        private delegate void Recording(LayerContext context, ReadOnlySpan<byte> input, Span<byte> tape, Span<byte> workspace);

        internal bool HasRecord => ((Recording)Record).Method.DeclaringType != typeof(CustomLayer);

        /// <summary>Writes AmbientBytes of state.</summary>
        /// <param name="state">To be filled.</param>
        public virtual void SaveAmbient(Span<byte> state) { }

        /// <summary>Reads them back.</summary>
        /// <param name="state">From SaveAmbient.</param>
        public virtual void RestoreAmbient(ReadOnlySpan<byte> state) { }
    }
}
