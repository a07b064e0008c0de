using System;

namespace Ckpt
{
    /// <summary>Derive from this for a layer of your own. Spans are bytes (MemoryMarshal.Cast gives elements), valid during the
    /// call only, aligned to 64 bytes, and empty where there is nothing. Methods run on the thread that runs the executor, one at a
    /// time; what they throw ends the step with CkptCallbackException. The context's Targets and Pool are disposed of behind the
    /// call; Targets may be shared.</summary>
    public abstract partial class CustomLayer
    {
        /// <summary>Dtype and shape of the output for an input; throw to refuse one.</summary>
        /// <param name="input">Dtype and shape.</param>
        /// <returns>Dtype and shape.</returns>
        public abstract TensorSpec Output(TensorSpec input);

        /// <summary>What it needs for one of its options.</summary>
        /// <param name="input">Dtype and shape.</param>
        /// <param name="option">0 .. Options - 1.</param>
        /// <returns>Bytes.</returns>
        public virtual LayerOption Option(TensorSpec input, int option)
        {
            return new LayerOption();
        }

        /// <summary>Fills output, and the tape when there is one. It must give the same bits with and without tape, and
        /// again.</summary>
        /// <param name="context">Where and when.</param>
        /// <param name="input">What goes in.</param>
        /// <param name="output">To be filled.</param>
        /// <param name="tape">To be filled; empty when none is wanted.</param>
        /// <param name="workspace">Anything.</param>
        public abstract void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace);

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

        internal bool HasRecord
        {
            get { return ((Recording)Record).Method.DeclaringType != typeof(CustomLayer); }
        }

        /// <summary>Fills gradInput when it is there, and adds to gradients of parameters of its own.</summary>
        /// <param name="context">Where and when.</param>
        /// <param name="input">Empty unless the flags ask for it.</param>
        /// <param name="output">Empty unless the flags ask for it.</param>
        /// <param name="tape">What forward recorded.</param>
        /// <param name="gradOutput">The gradient of the output.</param>
        /// <param name="gradInput">To be filled.</param>
        /// <param name="workspace">Anything.</param>
        public abstract void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape, ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace);

        /// <summary>Writes AmbientBytes of state.</summary>
        /// <param name="state">To be filled.</param>
        public virtual void SaveAmbient(Span<byte> state)
        {
        }

        /// <summary>Reads them back.</summary>
        /// <param name="state">From SaveAmbient.</param>
        public virtual void RestoreAmbient(ReadOnlySpan<byte> state)
        {
        }
    }
}
