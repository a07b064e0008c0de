using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A source of time that never goes backwards, for tests that need no real time. Several threads may use it at
    /// once.</summary>
    public sealed class Clock : NativeObject
    {
        /// <summary>A clock that stands still until Advance moves it.</summary>
        /// <param name="startNanoseconds">Its first time, at least 0.</param>
        public Clock(long startNanoseconds = 0) : base(Made(startNanoseconds))
        {
        }

        private Clock(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>A clock that asks a function. One that throws gives the time that it gave last.</summary>
        /// <param name="now">Gives nanoseconds, on any thread.</param>
        /// <returns>The clock.</returns>
        public static Clock Custom(Func<long> now)
        {
            if (now == null) throw new ArgumentNullException("now");
            IntPtr clock;
            native.ckpt_clock_create_custom(new ClockFunction(now), out clock);
            return new Clock(new NativeHandle(clock, native.ckpt_clock_release));
        }

        private static NativeHandle Made(long startNanoseconds)
        {
            IntPtr clock;
            native.ckpt_clock_create_manual(startNanoseconds, out clock);
            return new NativeHandle(clock, native.ckpt_clock_release);
        }

        /// <summary>The time in nanoseconds.</summary>
        public long Now
        {
            get
            {
                long now;
                native.ckpt_clock_get_now(Handle, out now);
                return now;
            }
        }

        /// <summary>Moves a clock that stands still forward.</summary>
        /// <param name="nanoseconds">At least 0.</param>
        public void Advance(long nanoseconds)
        {
            native.ckpt_clock_advance(Handle, nanoseconds);
        }
    }
}
