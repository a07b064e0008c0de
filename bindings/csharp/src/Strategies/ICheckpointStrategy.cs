using System.Diagnostics.CodeAnalysis;

namespace Ckpt.Strategies
{
    /// <summary>Determines which layers to checkpoint, asked one layer at a time.</summary>
    public interface ICheckpointStrategy
    {
        /// <summary>Asks about one layer.</summary>
        /// <param name="layerId">Its name, not blank.</param>
        /// <param name="activation">Only its dtype and shape are read.</param>
        /// <param name="layerIndex">Its place in the network, at least 0.</param>
        /// <returns>True: checkpoint it.</returns>
        bool ShouldCheckpoint(string layerId, Tensor activation, long layerIndex);

        /// <summary>"Interval(2)", "SizeBased(1MB)", ...</summary>
        string Name { get; }

        /// <summary>Back to the state after creation.</summary>
        void Reset();
    }
}
