using System;

namespace Ckpt.Interop
{
    // Time-outs: null and Timeout.InfiniteTimeSpan wait for ever.
    internal static class Times
    {
        internal static long Nanoseconds(TimeSpan? timeout)
        {
            if (timeout == null || timeout.Value == System.Threading.Timeout.InfiniteTimeSpan) return -1;
            var ticks = timeout.Value.Ticks;
            if (ticks < 0) throw new CheckpointInvalidArgumentException("timeout is " + timeout.Value + "; at least 0");
            return ticks > long.MaxValue / 100 ? long.MaxValue : ticks * 100;
        }

        internal static TimeSpan OfNanoseconds(long nanoseconds)
        {
            return TimeSpan.FromTicks(nanoseconds / 100);
        }

        internal static TimeSpan OfSeconds(double seconds)
        {
            return TimeSpan.FromTicks((long)(seconds * TimeSpan.TicksPerSecond));
        }
    }
}
