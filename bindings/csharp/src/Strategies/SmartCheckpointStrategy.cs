using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>Checkpoints large, rarely used and late layers, after it has watched the first.</summary>
    public sealed unsafe class SmartCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="excludeLayers">Names or globs that are never chosen.</param>
        public SmartCheckpointStrategy([AllowNull] IEnumerable<string> excludeLayers = null)
            : base(Named(null, excludeLayers, (IntPtr* names, long count, IntPtr* excluded, long excludedCount, out IntPtr made) =>
                native.ckpt_strategy_create_smart(excluded, excludedCount, out made)))
        {
        }
    }
}
