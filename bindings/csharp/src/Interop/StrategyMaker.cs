using System;
using Ckpt.Strategies;

namespace Ckpt.Interop
{
    internal sealed class StrategyMaker : StrategyFactory
    {
        private readonly Func<string, Strategy> function;

        internal StrategyMaker(Func<string, Strategy> function)
        {
            this.function = function;
        }

        public override IntPtr make(string arguments)
        {
            var made = function(arguments);
            if (made == null) throw new InvalidOperationException("the factory returned no strategy");
            return made.Taken(native.ckpt_strategy_retain);
        }
    }
}
