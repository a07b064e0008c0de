using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>Checkpoints the layers that are named and not excluded. A name may be a glob: block.*.attn.</summary>
    public sealed unsafe class SelectiveCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="checkpointLayers">Names or globs.</param>
        /// <param name="excludeLayers">Names or globs; a plain name that is in both is refused.</param>
        public SelectiveCheckpointStrategy([AllowNull] IEnumerable<string> checkpointLayers = null,
                                           [AllowNull] IEnumerable<string> excludeLayers = null)
            : base(Named(checkpointLayers, excludeLayers, (IntPtr* names, long count, IntPtr* excluded, long excludedCount,
                out IntPtr made) =>
                native.ckpt_strategy_create_selective(names, count, excluded, excludedCount, out made)))
        {
        }
    }
}
