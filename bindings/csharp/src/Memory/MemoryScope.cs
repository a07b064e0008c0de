using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>An open scope of a tracker; Dispose closes it. Scopes close in the opposite order of their opening.</summary>
    public sealed class MemoryScope : IDisposable
    {
        private readonly MemoryTracker tracker;
        private MemoryScopeStats last;

        internal MemoryScope(MemoryTracker tracker, ulong id)
        {
            this.tracker = tracker;
            Id = id;
        }

        /// <summary>Its number.</summary>
        public ulong Id { get; }

        /// <summary>What has happened in it up to now, or up to its end.</summary>
        /// <returns>The numbers of one moment.</returns>
        public MemoryScopeStats GetStats()
        {
            if (last != null) return last;
            using (var stats = new ckpt_memory_scope_stats())
            {
                native.ckpt_memory_tracker_get_scope_stats(tracker.Handle, Id, stats);
                return new MemoryScopeStats(stats);
            }
        }

        /// <summary>Closes it; it must be the innermost one (CheckpointInvalidStateException). CheckpointNotFoundException when it
        /// is closed.</summary>
        /// <returns>What happened in it.</returns>
        public MemoryScopeStats Pop()
        {
            using (var stats = new ckpt_memory_scope_stats())
            {
                native.ckpt_memory_tracker_pop_scope(tracker.Handle, Id, stats);
                return last = new MemoryScopeStats(stats);
            }
        }

        /// <summary>Closes it unless it is closed. Its numbers can still be asked for.</summary>
        public void Dispose()
        {
            if (last == null && !tracker.IsDisposed) Pop();
        }
    }
}
