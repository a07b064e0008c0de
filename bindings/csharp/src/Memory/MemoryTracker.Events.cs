using System;
using Ckpt.Interop;

namespace Ckpt
{
    // The limit, and what tells of transitions.
    public sealed partial class MemoryTracker
    {
        private readonly MemoryEventSource<MemoryEventArgs> allocated =
            new MemoryEventSource<MemoryEventArgs>(MemoryEventKinds.Allocated, arguments => arguments);
        private readonly MemoryEventSource<MemoryEventArgs> freed =
            new MemoryEventSource<MemoryEventArgs>(MemoryEventKinds.Freed, arguments => arguments);
        private readonly MemoryEventSource<MemoryEventArgs> newPeak =
            new MemoryEventSource<MemoryEventArgs>(MemoryEventKinds.NewPeak, arguments => arguments);
        private readonly MemoryEventSource<MemoryLimitExceededEventArgs> limitExceeded =
            new MemoryEventSource<MemoryLimitExceededEventArgs>(MemoryEventKinds.LimitExceeded,
                                                                arguments => new MemoryLimitExceededEventArgs(arguments));

        /// <summary>Raised for every allocation, on the thread that records it. What a handler throws is counted in
        /// MemoryStats.HandlerFailures; nobody else sees it. Handlers may call the tracker; they are not called for what they do
        /// themselves. This holds for the other events too.</summary>
        public event EventHandler<MemoryEventArgs> MemoryAllocated
        {
            add { allocated.Add(this, value); }
            remove { allocated.Remove(this, value); }
        }

        /// <summary>Raised for every allocation that ends.</summary>
        public event EventHandler<MemoryEventArgs> MemoryDeallocated
        {
            add { freed.Add(this, value); }
            remove { freed.Remove(this, value); }
        }

        /// <summary>Raised at every new peak (see SetPeakGranularity).</summary>
        public event EventHandler<MemoryEventArgs> PeakMemoryExceeded
        {
            add { newPeak.Add(this, value); }
            remove { newPeak.Remove(this, value); }
        }

        /// <summary>Raised when the live total rises above the limit.</summary>
        public event EventHandler<MemoryLimitExceededEventArgs> MemoryLimitExceeded
        {
            add { limitExceeded.Add(this, value); }
            remove { limitExceeded.Remove(this, value); }
        }

        /// <summary>Calls handler for every event of these kinds from now on.</summary>
        /// <param name="kinds">One or several.</param>
        /// <param name="handler">Runs on the thread whose call caused the event.</param>
        /// <returns>What ends it; it need not be kept.</returns>
        public MemorySubscription Subscribe(MemoryEventKinds kinds, Action<MemoryEventArgs> handler)
        {
            if (handler == null) throw new ArgumentNullException("handler");
            long id;
            native.ckpt_memory_tracker_subscribe(Handle, (uint)kinds, new MemoryEvents(handler), out id);
            return new MemorySubscription(this, id);
        }

        /// <summary>Collects events of these kinds, to be polled.</summary>
        /// <param name="kinds">One or several.</param>
        /// <param name="capacity">Events that are kept at most, 1 .. 2^24.</param>
        /// <returns>The queue.</returns>
        public MemoryEventQueue SubscribeQueue(MemoryEventKinds kinds, long capacity)
        {
            long id;
            native.ckpt_memory_tracker_subscribe_queue(Handle, (uint)kinds, capacity, out id);
            return new MemoryEventQueue(this, id);
        }

        /// <summary>Switches all events off or on again. Accounting goes on; what happened meanwhile is not told later.</summary>
        /// <param name="enabled">True: on, the default.</param>
        public void EnableEvents(bool enabled)
        {
            native.ckpt_memory_tracker_enable_events(Handle, enabled ? 1 : 0);
        }

        /// <summary>Tells of a new peak only when it is at least so much above the one told last.</summary>
        /// <param name="bytes">Above 0; 1, the default, tells every new peak.</param>
        public void SetPeakGranularity(long bytes)
        {
            native.ckpt_memory_tracker_set_peak_granularity(Handle, bytes);
        }

        /// <summary>Sets the limit of the live total. Recording goes on above it, with an event; TryReserve refuses what would pass
        /// it.</summary>
        /// <param name="limitBytes">Above 0.</param>
        /// <param name="hysteresisBytes">The next event comes only after the total was so much below the limit.</param>
        public void SetMemoryLimit(long limitBytes, long hysteresisBytes = 0)
        {
            native.ckpt_memory_tracker_set_limit(Handle, limitBytes, hysteresisBytes);
        }

        /// <summary>Back to no limit, the default.</summary>
        public void ClearMemoryLimit()
        {
            native.ckpt_memory_tracker_clear_limit(Handle);
        }

        /// <summary>The limit in bytes, or null when there is none.</summary>
        public long? MemoryLimit
        {
            get
            {
                long limit, hysteresis;
                native.ckpt_memory_tracker_get_limit(Handle, out limit, out hysteresis);
                return limit == 0 ? (long?)null : limit;
            }
        }

        /// <summary>What was set with the limit, in bytes; 0 when there is none.</summary>
        public long MemoryLimitHysteresis
        {
            get
            {
                long limit, hysteresis;
                native.ckpt_memory_tracker_get_limit(Handle, out limit, out hysteresis);
                return hysteresis;
            }
        }
    }
}
