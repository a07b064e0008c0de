namespace Ckpt.Strategies
{
    /// <summary>What a strategy of yours is asked about one layer.</summary>
    public sealed class StrategyQuestion
    {
        internal StrategyQuestion(string layerId, DType dtype, long[] shape, long sizeBytes, long layerIndex)
        {
            LayerId = layerId;
            DType = dtype;
            Shape = shape;
            SizeBytes = sizeBytes;
            LayerIndex = layerIndex;
        }

        /// <summary>The layer's name.</summary>
        public string LayerId { get; }

        /// <summary>Of the activation.</summary>
        public DType DType { get; }

        /// <summary>Of the activation.</summary>
        public long[] Shape { get; }

        /// <summary>Of the activation.</summary>
        public long SizeBytes { get; }

        /// <summary>The layer's place in the network.</summary>
        public long LayerIndex { get; }
    }
}
