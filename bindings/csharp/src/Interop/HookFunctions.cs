using System;

namespace Ckpt.Interop
{
    internal sealed class HookFunctions : ThreadHooks
    {
        private readonly Action<string> onStart;
        private readonly Action<string> onStop;

        internal HookFunctions(Action<string> onStart, Action<string> onStop)
        {
            this.onStart = onStart;
            this.onStop = onStop;
        }

        public override void start(string name)
        {
            if (onStart != null) onStart(name);
        }

        public override void stop(string name)
        {
            if (onStop != null) onStop(name);
        }
    }
}
