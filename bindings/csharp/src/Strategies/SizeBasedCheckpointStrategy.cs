using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>Checkpoints large activations.</summary>
    public sealed unsafe class SizeBasedCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="minActivationSizeBytes">At least 1.</param>
        /// <param name="excludeLayers">Names or globs that are never chosen.</param>
        public SizeBasedCheckpointStrategy(long minActivationSizeBytes = 1024 * 1024,
                                           [AllowNull] IEnumerable<string> excludeLayers = null)
            : base(Named(null, excludeLayers, (IntPtr* names, long count, IntPtr* excluded, long excludedCount, out IntPtr made) =>
                native.ckpt_strategy_create_size_based(minActivationSizeBytes, excluded, excludedCount, out made)))
        {
            MinActivationSizeBytes = minActivationSizeBytes;
        }

        /// <summary>Activations of at least so many bytes are chosen.</summary>
        public long MinActivationSizeBytes { get; }
    }
}
