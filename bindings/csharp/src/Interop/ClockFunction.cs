using System;

namespace Ckpt.Interop
{
    internal sealed class ClockFunction : ClockSource
    {
        private readonly Func<long> function;

        internal ClockFunction(Func<long> function)
        {
            this.function = function;
        }

        public override long now()
        {
            return function();
        }
    }
}
