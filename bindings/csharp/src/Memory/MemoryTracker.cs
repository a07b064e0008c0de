using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Counts the memory of checkpoints: live, peak and total bytes, per layer. It allocates nothing itself: its user
    /// reports allocations and frees. Layers are named by a string, or by the number that AddLayer returns, which is faster.
    /// Several threads may use it at once.</summary>
    public sealed partial class MemoryTracker : NativeObject
    {
        // Numbers of the layers that calls have named.
        private readonly ConcurrentDictionary<string, int> numbers = new ConcurrentDictionary<string, int>();

        // Returns the number of a layer; adds the layer if its name is new.
        private int NumberOf(string layerId)
        {
            int number;
            if (layerId != null && !IsDisposed && numbers.TryGetValue(layerId, out number)) return number;
            number = AddLayer(layerId);
            numbers[layerId] = number;
            if (IsDisposed) numbers.Clear(); // by another thread, which has cleared them already
            return number;
        }

        internal override void BeforeDispose() => numbers.Clear();

        /// <summary>Records an allocation by a layer's name. Handlers of events run before it returns.</summary>
        /// <param name="layerId">The name, not blank; the layer is added if it is new.</param>
        /// <param name="sizeBytes">Above 0.</param>
        /// <returns>The allocation's id, which is never 0.</returns>
        public ulong RecordAllocation(string layerId, long sizeBytes) => RecordAllocation(NumberOf(layerId), sizeBytes);

        /// <summary>Records an allocation unless the live total would exceed the limit.</summary>
        /// <param name="layerId">The layer's name.</param>
        /// <param name="sizeBytes">Above 0.</param>
        /// <returns>The allocation's id, or null when it was refused.</returns>
        public ulong? TryReserve(string layerId, long sizeBytes) => TryReserve(NumberOf(layerId), sizeBytes);

        /// <summary>Frees all live allocations of a layer. Throws CkptNotFoundException when it has none.</summary>
        /// <param name="layerId">The layer's name.</param>
        /// <returns>The number of allocations freed.</returns>
        public long RecordDeallocation(string layerId)
        {
            var layer = FindLayer(layerId);
            if (layer != null) return RecordDeallocation(layer.Value);
            CountUnknown();
            throw new CkptNotFoundException("name is \"" + layerId + "\"; unknown layer");
        }

        // Counts a deallocation of an unknown layer in MemoryStats.NotFound.
        private void CountUnknown()
        {
            try
            {
                RecordDeallocation(-1);
            }
            catch (CkptNotFoundException) { }
        }

        /// <summary>Returns the statistics of one layer.</summary>
        /// <param name="layerId">Its name.</param>
        /// <returns>The statistics, or null for an unknown layer.</returns>
        [return: MaybeNull]
        public MemoryLayerStats GetLayerStats(string layerId)
        {
            var layer = FindLayer(layerId);
            return layer == null ? null : GetLayerStats(layer.Value);
        }

        /// <summary>Returns the totals and all layers at one moment.</summary>
        /// <param name="order">Order of the layers.</param>
        /// <param name="layers">All layers, in that order.</param>
        /// <returns>The totals.</returns>
        public MemoryStats GetSnapshot(MemoryOrder order, out IReadOnlyList<MemoryLayerStats> layers)
        {
            MemoryLayerStats[] found = null;
            var totals = MemoryStats.Filled(stats => found = NativeList.Created(
                native.ckpt_memory_tracker_get_snapshot(Handle, (int)order, stats),
                at => new MemoryLayerStats(new ckpt_memory_layer_stats(at, false))));
            GC.KeepAlive(this); // the layers' names are valid as long as the tracker
            layers = found;
            return totals;
        }

        /// <summary>Returns the bytes saved compared with storing everything, and their share.</summary>
        /// <param name="storeAllBytes">Bytes that storing everything takes.</param>
        /// <param name="fraction">The share; 0 when storeAllBytes is 0.</param>
        /// <returns>The bytes; negative when more is live.</returns>
        public long GetSavings(long storeAllBytes, out double fraction)
        {
            long saved;
            native.ckpt_memory_tracker_get_savings(Handle, storeAllBytes, out saved, out fraction);
            return saved;
        }

        /// <summary>Opens a scope inside the innermost open one: using (var scope = tracker.PushScope("forward")) ...</summary>
        /// <param name="name">Its name, not blank.</param>
        /// <returns>The scope; Dispose closes it.</returns>
        public MemoryScope PushScope(string name)
        {
            ulong scope;
            native.ckpt_memory_tracker_push_scope(Handle, name, out scope);
            return new MemoryScope(this, scope);
        }

        /// <summary>Calls handler for every event of these kinds from now on.</summary>
        /// <param name="kinds">One or several.</param>
        /// <param name="handler">Runs on the thread that caused the event.</param>
        /// <returns>The subscription, which ends it; it need not be stored.</returns>
        public MemorySubscription Subscribe(MemoryEventKind kinds, Action<MemoryEvent> handler)
        {
            if (handler == null) throw new ArgumentNullException("handler");
            long id;
            native.csharp_subscribe(Handle, (int)kinds, new MemoryEvents { handler = handler }, out id);
            return new MemorySubscription(this, id);
        }

        /// <summary>Returns a queue that collects events of these kinds, to be polled.</summary>
        /// <param name="kinds">One or several.</param>
        /// <param name="capacity">The most events to keep, 1 .. 2^24.</param>
        public MemoryEventQueue SubscribeQueue(MemoryEventKind kinds, long capacity)
        {
            long id;
            native.ckpt_memory_tracker_subscribe_queue(Handle, (int)kinds, capacity, out id);
            return new MemoryEventQueue(this, id);
        }

        /// <summary>The limit in bytes, or null when there is none.</summary>
        public long? Limit
        {
            get
            {
                long limit, hysteresis;
                native.ckpt_memory_tracker_get_limit(Handle, out limit, out hysteresis);
                return limit == 0 ? (long?)null : limit;
            }
        }

        /// <summary>The hysteresis of the limit, in bytes; 0 when there is none.</summary>
        public long LimitHysteresis
        {
            get
            {
                long limit, hysteresis;
                native.ckpt_memory_tracker_get_limit(Handle, out limit, out hysteresis);
                return hysteresis;
            }
        }
    }

    /// <summary>A function that is called for a tracker's events until this is disposed of, or the tracker ends. The library keeps
    /// the function alive: this object need not be stored.</summary>
    public class MemorySubscription : IDisposable
    {
        private readonly MemoryTracker tracker;
        private bool ended;

        internal MemorySubscription(MemoryTracker tracker, long id)
        {
            this.tracker = tracker;
            Id = id;
        }

        /// <summary>The number of the subscription.</summary>
        public long Id { get; }

        internal MemoryTracker Tracker => tracker;

        /// <summary>Ends the subscription. Returns when no other thread is inside the function. Doing it again does
        /// nothing.</summary>
        public void Dispose()
        {
            if (ended || tracker.IsDisposed) return;
            ended = true;
            native.ckpt_memory_tracker_unsubscribe(tracker.Handle, Id);
        }
    }

    /// <summary>Events of a tracker that are collected to be polled. An event is dropped and counted when the queue is
    /// full.</summary>
    public sealed class MemoryEventQueue : MemorySubscription
    {
        internal MemoryEventQueue(MemoryTracker tracker, long id) : base(tracker, id) { }

        /// <summary>Removes and returns the oldest event. Never waits.</summary>
        /// <returns>The event, or null when there is none.</returns>
        [return: MaybeNull]
        public MemoryEvent Poll()
        {
            var got = 0;
            var polled = MemoryEvent.Filled(one => native.ckpt_memory_tracker_poll_event(Tracker.Handle, Id, one, out got));
            return got == 0 ? null : polled;
        }

        /// <summary>Number of events that were dropped because the queue was full.</summary>
        public long DroppedEvents
        {
            get
            {
                long dropped;
                native.ckpt_memory_tracker_get_dropped_events(Tracker.Handle, Id, out dropped);
                return dropped;
            }
        }
    }

    /// <summary>An open scope of a tracker; Dispose closes it. Scopes close in reverse order.</summary>
    public sealed class MemoryScope : IDisposable
    {
        private readonly MemoryTracker tracker;
        private MemoryScopeStats last;

        internal MemoryScope(MemoryTracker tracker, ulong id)
        {
            this.tracker = tracker;
            Id = id;
        }

        /// <summary>The number of the scope.</summary>
        public ulong Id { get; }

        /// <summary>Returns the statistics of the scope up to now, or up to its end.</summary>
        /// <returns>The statistics at one moment.</returns>
        public MemoryScopeStats GetStats()
        {
            return last ?? MemoryScopeStats.Filled(stats => native.ckpt_memory_tracker_get_scope_stats(tracker.Handle, Id, stats));
        }

        /// <summary>Closes the scope, which must be the innermost one (otherwise throws CkptInvalidStateException). Throws
        /// CkptNotFoundException when it is closed.</summary>
        /// <returns>The statistics of the scope.</returns>
        public MemoryScopeStats Pop()
            => last = MemoryScopeStats.Filled(stats => native.ckpt_memory_tracker_pop_scope(tracker.Handle, Id, stats));

        /// <summary>Closes the scope unless it is closed. Its statistics remain available.</summary>
        public void Dispose()
        {
            if (last == null && !tracker.IsDisposed) Pop();
        }
    }
}
