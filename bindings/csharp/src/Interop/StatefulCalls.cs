using System;

namespace Ckpt.Interop
{
    internal sealed class StatefulCalls : Stateful
    {
        private readonly IStateful stateful;

        internal StatefulCalls(IStateful stateful)
        {
            this.stateful = stateful;
        }

        public override void list(IntPtr into)
        {
            using (var lent = State.Lent(into)) stateful.List(lent);
        }

        public override void restore(IntPtr loaded)
        {
            using (var lent = State.Lent(loaded)) stateful.Restore(lent);
        }
    }
}
