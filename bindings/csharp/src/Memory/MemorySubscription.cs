using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A function that hears of a tracker's events until this is disposed of, or the tracker ends. The library keeps the
    /// function: this object need not be kept.</summary>
    public class MemorySubscription : IDisposable
    {
        private readonly MemoryTracker tracker;
        private bool ended;

        internal MemorySubscription(MemoryTracker tracker, long id)
        {
            this.tracker = tracker;
            Id = id;
        }

        /// <summary>Its number.</summary>
        public long Id { get; }

        internal MemoryTracker Tracker
        {
            get { return tracker; }
        }

        /// <summary>Ends it. Returns when no other thread is inside the function. Doing it again does nothing.</summary>
        public void Dispose()
        {
            if (ended || tracker.IsDisposed) return;
            ended = true;
            native.ckpt_memory_tracker_unsubscribe(tracker.Handle, Id);
        }
    }
}
