using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A source of time that never goes backwards, for tests that need no real time. Several threads may use it at
    /// once.</summary>
    public sealed partial class Clock : NativeObject
    {
        /// <summary>Creates a clock that changes only by Advance.</summary>
        /// <param name="startNanoseconds">Its first time, at least 0.</param>
        public Clock(long startNanoseconds = 0) : base(Created(
            (out IntPtr created) => native.ckpt_clock_create_manual(startNanoseconds, out created), native.ckpt_clock_release))
        {
        }

        private Clock(NativeHandle handle) : base(handle) { }

        /// <summary>Creates a clock that calls a function. When the function throws, the last time is used.</summary>
        /// <param name="now">Returns nanoseconds; called on any thread.</param>
        public static Clock Custom(Func<long> now)
        {
            if (now == null) throw new ArgumentNullException("now");
            return new Clock(Created((out IntPtr created) => native.ckpt_clock_create_custom(new ClockFunction { function = now },
                out created),
                native.ckpt_clock_release));
        }

        /// <summary>The time in nanoseconds.</summary>
        public long Now => Get<long>(native.ckpt_clock_get_now);

    }
}
