using System;

namespace Ckpt.Interop
{
    // A subscription's half on this side. Without a strong way back to the tracker, which can go while this waits for events.
    internal sealed class MemoryEvents : MemoryListener
    {
        private readonly Action<MemoryEventArgs> handler;

        internal MemoryEvents(Action<MemoryEventArgs> handler)
        {
            this.handler = handler;
        }

        public override void on_event(int kind, ulong sequence, ulong allocation, long bytes, long current, long peak, long limit,
            long time,
                                      string layerName, int layer)
        {
            handler(new MemoryEventArgs((MemoryEventKinds)kind, sequence, allocation, bytes, current, peak, limit, time, layerName,
                layer));
        }
    }
}
