using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Events of a tracker that are collected to be polled. One that finds the queue full is dropped and
    /// counted.</summary>
    public sealed class MemoryEventQueue : MemorySubscription
    {
        internal MemoryEventQueue(MemoryTracker tracker, long id) : base(tracker, id)
        {
        }

        /// <summary>Takes the oldest event. Never waits.</summary>
        /// <returns>The event, or null when there is none.</returns>
        [return: MaybeNull]
        public MemoryEventArgs Poll()
        {
            using (var polled = new ckpt_memory_event())
            {
                int got;
                native.ckpt_memory_tracker_poll_event(Tracker.Handle, Id, polled, out got);
                if (got == 0) return null;
                return new MemoryEventArgs((MemoryEventKinds)polled.kind, polled.sequence, polled.allocation, polled.bytes,
                                           polled.current_bytes, polled.peak_bytes, polled.limit_bytes, polled.time_ns,
                                           Utf8.Text(polled.layer_name), polled.layer);
            }
        }

        /// <summary>Events that found the queue full.</summary>
        public long Dropped
        {
            get
            {
                long dropped;
                native.ckpt_memory_tracker_get_dropped_events(Tracker.Handle, Id, out dropped);
                return dropped;
            }
        }
    }
}
