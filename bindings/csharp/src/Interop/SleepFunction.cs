using System;

namespace Ckpt.Interop
{
    internal sealed class SleepFunction : Sleeper
    {
        private readonly Action<TimeSpan> function;

        internal SleepFunction(Action<TimeSpan> function)
        {
            this.function = function;
        }

        public override void sleep(long ns)
        {
            function(Times.OfNanoseconds(ns));
        }
    }
}
