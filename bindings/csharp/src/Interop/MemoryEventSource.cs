using System;

namespace Ckpt.Interop
{
    // One event of a tracker: subscribed while it has handlers. The native half keeps this alive, and this does not keep the
    // tracker.
    internal sealed class MemoryEventSource<TArguments> where TArguments : EventArgs
    {
        private readonly MemoryEventKinds kind;
        private readonly Func<MemoryEventArgs, TArguments> convert;
        private readonly object guard = new object();
        private volatile EventHandler<TArguments> handlers;
        private WeakReference sender;
        private long id;

        internal MemoryEventSource(MemoryEventKinds kind, Func<MemoryEventArgs, TArguments> convert)
        {
            this.kind = kind;
            this.convert = convert;
        }

        internal void Add(MemoryTracker tracker, EventHandler<TArguments> handler)
        {
            lock (guard)
            {
                sender = new WeakReference(tracker);
                handlers += handler;
                if (id != 0 || handlers == null) return;
                native.ckpt_memory_tracker_subscribe(tracker.Handle, (uint)kind, new MemoryEvents(Raise), out id);
            }
        }

        internal void Remove(MemoryTracker tracker, EventHandler<TArguments> handler)
        {
            long ended;
            lock (guard)
            {
                handlers -= handler;
                if (handlers != null || id == 0) return;
                ended = id;
                id = 0;
            }
            if (tracker.IsDisposed) return;
            try
            {
                native.ckpt_memory_tracker_unsubscribe(tracker.Handle, ended); // may wait for handlers: no lock is held here
            }
            catch (CheckpointInvalidStateException)
            {
                // Handlers of two threads wait for each other: the subscription stays, and has nobody to tell.
            }
        }

        private void Raise(MemoryEventArgs arguments)
        {
            var told = handlers;
            if (told != null) told(sender.Target, convert(arguments));
        }
    }
}
