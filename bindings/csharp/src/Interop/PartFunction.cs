using System;

namespace Ckpt.Interop
{
    internal sealed class PartFunction : PartWork
    {
        private readonly Action<long> function;

        internal PartFunction(Action<long> function)
        {
            this.function = function;
        }

        public override void run(long part)
        {
            function(part);
        }
    }
}
