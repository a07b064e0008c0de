using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share by
    /// what recoveries saved. One thread at a time.</summary>
    public sealed partial class Threshold : NativeObject
    {
        /// <summary>A rule.</summary>
        /// <param name="options">null: the defaults.</param>
        public Threshold([AllowNull] ThresholdOptions options = null) : base(Made(options))
        {
        }

        private static NativeHandle Made(ThresholdOptions options)
        {
            using (var memory = new CallMemory())
                return Made((out IntPtr made) => native.ckpt_threshold_create(ThresholdOptions.Native(options, memory), out made),
                    native.ckpt_threshold_release);
        }

    }
}
