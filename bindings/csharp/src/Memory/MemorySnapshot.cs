using System.Collections.Generic;

namespace Ckpt
{
    /// <summary>Totals and layers of the same moment.</summary>
    public sealed class MemorySnapshot
    {
        internal MemorySnapshot(MemoryStats stats, IReadOnlyList<LayerMemoryStats> layers)
        {
            Stats = stats;
            Layers = layers;
        }

        /// <summary>The totals.</summary>
        public MemoryStats Stats { get; }

        /// <summary>All layers, in the order that was asked for.</summary>
        public IReadOnlyList<LayerMemoryStats> Layers { get; }
    }
}
