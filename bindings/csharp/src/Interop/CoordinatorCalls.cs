using System;

namespace Ckpt.Interop
{
    internal sealed class CoordinatorCalls : CoordinatorFunctions
    {
        private readonly CustomCoordinator coordinator;

        internal CoordinatorCalls(CustomCoordinator coordinator)
        {
            this.coordinator = coordinator;
        }

        public override void barrier(long timeout)
        {
            coordinator.Barrier(Times.OfNanoseconds(timeout));
        }

        public override void broadcast(IntPtr data, long root, long timeout)
        {
            coordinator.Broadcast(NativeBytes.Of(data), root, Times.OfNanoseconds(timeout));
        }

        public override void all_gather(IntPtr sent, IntPtr received, long timeout)
        {
            coordinator.AllGather(NativeBytes.Of(sent), NativeBytes.Of(received), Times.OfNanoseconds(timeout));
        }
    }
}
