using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Counts what checkpoints hold: live, peak and total bytes, per layer. It owns no memory of its user: it is told of
    /// allocations and frees. Layers are named by a text, or by the number that Layer gives, which is faster. Several threads may
    /// use it at once.</summary>
    public sealed partial class MemoryTracker : NativeObject
    {
        /// <summary>A tracker that has counted nothing.</summary>
        /// <param name="clock">Dates what is recorded; null: the system's monotonic clock.</param>
        /// <param name="peakGranularityBytes">A new peak is told only when it is so much above the one told last.</param>
        public MemoryTracker([AllowNull] Clock clock = null, long peakGranularityBytes = 1)
            : this(Made(clock, peakGranularityBytes))
        {
        }

        internal MemoryTracker(NativeHandle handle) : base(handle)
        {
        }

        private static NativeHandle Made(Clock clock, long peakGranularityBytes)
        {
            using (var options = new ckpt_memory_tracker_options())
            {
                options.clock = HandleOf(clock);
                options.peak_granularity_bytes = peakGranularityBytes;
                IntPtr tracker;
                native.ckpt_memory_tracker_create(options, out tracker);
                GC.KeepAlive(clock);
                return new NativeHandle(tracker, native.ckpt_memory_tracker_release);
            }
        }

        /// <summary>Another reference to the same tracker, with events of its own.</summary>
        /// <returns>The reference.</returns>
        public MemoryTracker Share()
        {
            return new MemoryTracker(Shared(Handle, native.ckpt_memory_tracker_retain, native.ckpt_memory_tracker_release));
        }

        /// <summary>The number of the layer of this name, which need not have been given before: 0, 1, 2, ...</summary>
        /// <param name="layerId">Its name, not blank.</param>
        /// <returns>The number.</returns>
        public int Layer(string layerId)
        {
            int layer;
            native.ckpt_memory_tracker_add_layer(Handle, layerId, out layer);
            return layer;
        }

        /// <summary>The number of a layer, or null for a name that was never given.</summary>
        /// <param name="layerId">Its name.</param>
        /// <returns>The number or null.</returns>
        public int? FindLayer(string layerId)
        {
            try
            {
                int layer;
                native.ckpt_memory_tracker_find_layer(Handle, layerId, out layer);
                return layer;
            }
            catch (CheckpointNotFoundException)
            {
                return null;
            }
        }

        /// <summary>The name of a layer. CheckpointNotFoundException for a number that was never given.</summary>
        /// <param name="layer">Its number.</param>
        /// <returns>The name.</returns>
        public string LayerName(int layer)
        {
            IntPtr name;
            native.ckpt_memory_tracker_get_layer_name(Handle, layer, out name);
            return Utf8.Text(name);
        }

        /// <summary>Books an allocation by a layer's name. Handlers of events run before it returns.</summary>
        /// <param name="layerId">The name, not blank; it need not have been given before.</param>
        /// <param name="sizeBytes">Above 0.</param>
        /// <returns>The allocation's id, which is never 0.</returns>
        public ulong RecordAllocation(string layerId, long sizeBytes)
        {
            ulong allocation;
            native.ckpt_memory_tracker_record_allocation_named(Handle, layerId, sizeBytes, out allocation);
            return allocation;
        }

        /// <summary>Books an allocation by a layer's number.</summary>
        /// <param name="layer">From Layer.</param>
        /// <param name="sizeBytes">Above 0.</param>
        /// <returns>The allocation's id, which is never 0.</returns>
        public ulong RecordAllocation(int layer, long sizeBytes)
        {
            ulong allocation;
            native.ckpt_memory_tracker_record_allocation(Handle, layer, sizeBytes, out allocation);
            return allocation;
        }

        /// <summary>Books an allocation unless the live total would rise above the limit.</summary>
        /// <param name="layerId">The layer's name.</param>
        /// <param name="sizeBytes">Above 0.</param>
        /// <returns>The allocation's id, or null when it was refused.</returns>
        public ulong? TryReserve(string layerId, long sizeBytes)
        {
            try
            {
                ulong allocation;
                native.ckpt_memory_tracker_try_reserve_named(Handle, layerId, sizeBytes, out allocation);
                return allocation;
            }
            catch (CheckpointOverBudgetException)
            {
                return null;
            }
        }

        /// <summary>Books an allocation unless the live total would rise above the limit.</summary>
        /// <param name="layer">The layer's number.</param>
        /// <param name="sizeBytes">Above 0.</param>
        /// <returns>The allocation's id, or null when it was refused.</returns>
        public ulong? TryReserve(int layer, long sizeBytes)
        {
            try
            {
                ulong allocation;
                native.ckpt_memory_tracker_try_reserve(Handle, layer, sizeBytes, out allocation);
                return allocation;
            }
            catch (CheckpointOverBudgetException)
            {
                return null;
            }
        }

        /// <summary>Books the end of an allocation. CheckpointNotFoundException when it is not live.</summary>
        /// <param name="allocation">Its id.</param>
        public void RecordDeallocation(ulong allocation)
        {
            native.ckpt_memory_tracker_record_deallocation(Handle, allocation);
        }

        /// <summary>Frees all live allocations of a layer. CheckpointNotFoundException when it has none.</summary>
        /// <param name="layerId">The layer's name.</param>
        /// <returns>How many there were.</returns>
        public long RecordDeallocation(string layerId)
        {
            long freed;
            native.ckpt_memory_tracker_record_deallocation_named(Handle, layerId, out freed);
            return freed;
        }

        /// <summary>Frees all live allocations of a layer. CheckpointNotFoundException when it has none.</summary>
        /// <param name="layer">The layer's number.</param>
        /// <returns>How many there were.</returns>
        public long RecordDeallocation(int layer)
        {
            long freed;
            native.ckpt_memory_tracker_record_deallocation_layer(Handle, layer, out freed);
            return freed;
        }

        /// <summary>Bytes that are live.</summary>
        public long CurrentMemoryUsage
        {
            get { return GetStats().CurrentMemoryUsed; }
        }

        /// <summary>The most bytes that were live at once.</summary>
        public long PeakMemoryUsage
        {
            get { return GetStats().PeakMemoryUsed; }
        }

        /// <summary>Bytes of all allocations.</summary>
        public long TotalMemoryAllocated
        {
            get { return GetStats().TotalMemoryAllocated; }
        }

        /// <summary>Bytes of all that was freed.</summary>
        public long TotalMemoryDeallocated
        {
            get { return GetStats().TotalMemoryDeallocated; }
        }

        /// <summary>Allocations that are live.</summary>
        public long ActiveAllocationCount
        {
            get { return GetStats().CheckpointCount; }
        }

        /// <summary>The totals of one moment.</summary>
        /// <returns>The totals.</returns>
        public MemoryStats GetStats()
        {
            using (var stats = new ckpt_memory_stats())
            {
                native.ckpt_memory_tracker_get_stats(Handle, stats);
                return new MemoryStats(stats);
            }
        }

        /// <summary>What one layer holds.</summary>
        /// <param name="layerId">Its name.</param>
        /// <returns>Its numbers, or null for an unknown layer.</returns>
        [return: MaybeNull]
        public LayerMemoryStats GetLayerStats(string layerId)
        {
            using (var stats = new ckpt_memory_layer_stats())
            {
                try
                {
                    native.ckpt_memory_tracker_get_layer_stats_named(Handle, layerId, stats);
                }
                catch (CheckpointNotFoundException)
                {
                    return null;
                }
                return new LayerMemoryStats(stats);
            }
        }

        /// <summary>What one layer holds.</summary>
        /// <param name="layer">Its number.</param>
        /// <returns>Its numbers, or null for an unknown layer.</returns>
        [return: MaybeNull]
        public LayerMemoryStats GetLayerStats(int layer)
        {
            using (var stats = new ckpt_memory_layer_stats())
            {
                try
                {
                    native.ckpt_memory_tracker_get_layer_stats(Handle, layer, stats);
                }
                catch (CheckpointNotFoundException)
                {
                    return null;
                }
                return new LayerMemoryStats(stats);
            }
        }

        /// <summary>Totals and all layers of one moment.</summary>
        /// <param name="order">Of the layers.</param>
        /// <returns>Both.</returns>
        public MemorySnapshot Snapshot(MemoryOrder order = MemoryOrder.Id)
        {
            using (var stats = new ckpt_memory_stats())
            using (var list = new NativeList(native.ckpt_memory_tracker_get_snapshot(Handle, (int)order, stats)))
            {
                var layers = new List<LayerMemoryStats>();
                for (long i = 0; i < list.Count; ++i) layers.Add(new LayerMemoryStats(new ckpt_memory_layer_stats(list.At(i),
                    false)));
                GC.KeepAlive(this); // their names live as long as the tracker
                return new MemorySnapshot(new MemoryStats(stats), layers);
            }
        }

        /// <summary>The live allocations of one moment, oldest first.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<MemoryAllocation> LiveAllocations()
        {
            using (var list = new NativeList(native.ckpt_memory_tracker_list_allocations(Handle)))
            {
                var live = new List<MemoryAllocation>();
                for (long i = 0; i < list.Count; ++i) live.Add(new MemoryAllocation(new ckpt_memory_allocation(list.At(i), false)));
                return live;
            }
        }

        /// <summary>Bytes, and their share, that are saved against storing everything.</summary>
        /// <param name="storeAllBytes">What storing everything would take.</param>
        /// <param name="fraction">The share; 0 when storeAllBytes is 0.</param>
        /// <returns>The bytes; negative when more is live.</returns>
        public long Savings(long storeAllBytes, out double fraction)
        {
            long saved;
            native.ckpt_memory_tracker_get_savings(Handle, storeAllBytes, out saved, out fraction);
            return saved;
        }

        /// <summary>Counts from now on as if the live allocations had just been made.</summary>
        public void ResetStats()
        {
            native.ckpt_memory_tracker_reset_stats(Handle);
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

        /// <summary>A snapshot as one JSON object; docs/memory.md names its members.</summary>
        /// <param name="maxLayers">Layers to list, those with the most live bytes; -1: all.</param>
        /// <returns>The text.</returns>
        public string ToJson(long maxLayers = -1)
        {
            return native.ckpt_memory_tracker_get_json(Handle, maxLayers);
        }

        /// <summary>A snapshot in the Prometheus text format.</summary>
        /// <param name="maxLayers">Layers to list, by number; -1: all.</param>
        /// <returns>The text.</returns>
        public string ToPrometheus(long maxLayers = 100)
        {
            return native.ckpt_memory_tracker_get_prometheus(Handle, maxLayers);
        }
    }
}
