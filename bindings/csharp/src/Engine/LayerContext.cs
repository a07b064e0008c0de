using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Where and when a custom layer runs.</summary>
    public sealed class LayerContext
    {
        internal unsafe LayerContext(NativeLayerContext* from)
        {
            Option = from->Option;
            MicroBatch = from->MicroBatch;
            IsRecomputation = from->Recomputation != 0;
            Layer = from->Layer;
            Step = from->Step;
            Seed = from->Seed;
            FirstSample = from->FirstSample;
            Input = new TensorSpec(from->Input);
            Output = new TensorSpec(from->Output);
        }

        /// <summary>Which of the layer's options.</summary>
        public int Option { get; }

        /// <summary>0 for a step of one batch.</summary>
        public int MicroBatch { get; }

        /// <summary>Whether this forward ran before in the step.</summary>
        public bool IsRecomputation { get; }

        /// <summary>Global number of the layer.</summary>
        public long Layer { get; }

        /// <summary>Of training.</summary>
        public long Step { get; }

        /// <summary>Keys what is random.</summary>
        public ulong Seed { get; }

        /// <summary>Global number of the batch's first sample within the step.</summary>
        public long FirstSample { get; }

        /// <summary>Dtype and shape of what goes in.</summary>
        public TensorSpec Input { get; }

        /// <summary>Dtype and shape of what comes out.</summary>
        public TensorSpec Output { get; }
    }
}
