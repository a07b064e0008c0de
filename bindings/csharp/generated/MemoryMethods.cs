// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class MemoryTracker
    {
        internal MemoryTracker(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Returns another reference to the same memory tracker, to be disposed of separately.</summary>
        public MemoryTracker Share()
        {
            return new MemoryTracker(Shared(Handle, native.ckpt_memory_tracker_retain, native.ckpt_memory_tracker_release));
        }

        /// <summary>Creates a tracker with all counts 0. options: null for the defaults.</summary>
        public MemoryTracker([AllowNull] MemoryTrackerOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_memory_tracker_create(MemoryTrackerOptions.Native(options, memory), out created),
                    native.ckpt_memory_tracker_release))
        {
        }

        /// <summary>Returns the number of the layer of this name: 0, 1, 2, ... in the order of the first use of names. A new name
        /// creates a layer.</summary>
        public int AddLayer(string name)
        {
            int value;
            native.ckpt_memory_tracker_add_layer(Handle, name, out value);
            return value;
        }

        /// <summary>Returns the number of the layer of this name. Null for a name that was never used.</summary>
        public int? FindLayer(string name)
        {
            try
            {
                int value;
                native.ckpt_memory_tracker_find_layer(Handle, name, out value);
                return value;
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Returns the layer's name. <see cref="CkptStatus.NotFound"/> for a number without a layer.</summary>
        public string GetLayerName(int layerId)
        {
            IntPtr value;
            native.ckpt_memory_tracker_get_layer_name(Handle, layerId, out value);
            var text = Utf8.Text(value);
            GC.KeepAlive(this);
            return text;
        }

        /// <summary>Records an allocation of bytes (&gt; 0) by a layer. allocation identifies it and is never 0. Errors:
        /// <see cref="CkptStatus.InvalidArgument"/> (bytes), <see cref="CkptStatus.NotFound"/> (layer; counted),
        /// <see cref="CkptStatus.OutOfRange"/> when the total of all allocations would exceed 2^63 - 1. Allocates memory only when
        /// the number of live allocations reaches a new maximum. Event handlers run before it returns.</summary>
        public ulong RecordAllocation(int layerId, long bytes)
        {
            ulong value;
            native.ckpt_memory_tracker_record_allocation(Handle, layerId, bytes, out value);
            return value;
        }

        /// <summary>Records an allocation of bytes (&gt; 0) by a layer as <c>MemoryTracker.RecordAllocation</c>, but null when the
        /// live total would rise above the limit. A refused reservation is never counted as live, not even briefly;
        /// <c>MemoryStats.Refused</c> counts refusals. Without a limit no reservation is refused.</summary>
        public ulong? TryReserve(int layerId, long bytes)
        {
            try
            {
                ulong value;
                native.ckpt_memory_tracker_try_reserve(Handle, layerId, bytes, out value);
                return value;
            }
            catch (CkptOverBudgetException)
            {
                return null;
            }
        }

        /// <summary>Records the end of an allocation. <see cref="CkptStatus.NotFound"/> for an id that is not live (unknown, or
        /// freed already): then only the count <c>NotFound</c> changes.</summary>
        public void RecordDeallocation(ulong allocation)
        {
            native.ckpt_memory_tracker_record_deallocation(Handle, allocation);
        }

        /// <summary>Records the end of all live allocations of a layer in one step; returns their number.
        /// <see cref="CkptStatus.NotFound"/>, counted, for an unknown layer and for a layer without live allocations.</summary>
        public long RecordDeallocation(int layerId)
        {
            long value;
            native.ckpt_memory_tracker_record_deallocation_layer(Handle, layerId, out value);
            return value;
        }

        /// <summary>Returns the tracker's totals.</summary>
        public MemoryStats GetStats()
        {
            return MemoryStats.Filled(filled => native.ckpt_memory_tracker_get_stats(Handle, filled));
        }

        /// <summary>Returns a layer's numbers. <see cref="CkptStatus.NotFound"/> for an unknown layer.</summary>
        public MemoryLayerStats GetLayerStats(int layerId)
        {
            return MemoryLayerStats.Filled(filled => native.ckpt_memory_tracker_get_layer_stats(Handle, layerId, filled));
        }

        /// <summary>Lists the live allocations in one consistent snapshot, oldest first: count receives how many there are,
        /// allocations the first min(capacity, count). Blocks recording while it copies 40 bytes per allocation, for the highest
        /// number of allocations that were ever live at the same time.</summary>
        public IReadOnlyList<MemoryAllocation> ListAllocations()
        {
            return NativeList.Created(native.ckpt_memory_tracker_list_allocations(Handle), at =>
                new MemoryAllocation(new ckpt_memory_allocation(at, false)));
        }

        /// <summary>Resets the statistics as if the live allocations had just been recorded: total = peak = live bytes, allocations
        /// = live allocations, frees = 0, the same per layer; <c>NotFound</c>, refused and <c>HandlerFailures</c> = 0. Open scopes,
        /// the limit and sequence numbers are unchanged.</summary>
        public void ResetStats()
        {
            native.ckpt_memory_tracker_reset_stats(Handle);
        }

        /// <summary>Sets the limit of the live total: limitBytes &gt; 0, 0 &lt;= hysteresisBytes &lt; limitBytes. Allocations above
        /// the limit are still recorded. An event is raised when the live total rises above the limit, and again only after it was
        /// below limitBytes - hysteresisBytes. If more than limitBytes are live already, the event is raised at once.
        /// <c>MemoryTracker.TryReserve</c> refuses allocations that would exceed the limit.</summary>
        public void SetLimit(long limitBytes, long hysteresisBytes = 0)
        {
            native.ckpt_memory_tracker_set_limit(Handle, limitBytes, hysteresisBytes);
        }

        /// <summary>Removes the limit of the live total; a new tracker has none.</summary>
        public void ClearLimit()
        {
            native.ckpt_memory_tracker_clear_limit(Handle);
        }

        /// <summary>Disables (false) or enables (true) all events. They are enabled in a new tracker. Accounting continues while
        /// events are disabled; these events are not reported later.</summary>
        public void EnableEvents(bool enabled)
        {
            native.ckpt_memory_tracker_enable_events(Handle, enabled ? 1 : 0);
        }

        /// <summary>Sets the minimum increase, in bytes (&gt; 0), of the peak over the last reported one for an event of a new
        /// peak; 1 reports every new peak.</summary>
        public void SetPeakGranularity(long bytes)
        {
            native.ckpt_memory_tracker_set_peak_granularity(Handle, bytes);
        }

        /// <summary>Returns a snapshot as one JSON object (docs/reference/memory.md names its members): totals, limit, open scopes,
        /// the maxLayers layers (0: all) that hold the most live bytes, and the sum of the others.</summary>
        public string ToJson(long maxLayers = 0)
        {
            return native.ckpt_memory_tracker_get_json(Handle, maxLayers);
        }

        /// <summary>Returns a snapshot in the Prometheus text format 0.0.4: ckpt_memory_current_bytes, ckpt_memory_peak_bytes,
        /// ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with the label layer for the first maxLayers
        /// layers by number (0: all), so that the series of a layer never changes; the others are summed under layer="other".
        /// Source: prometheus.io/docs/instrumenting/exposition_formats.</summary>
        public string ToPrometheus(long maxLayers = 100)
        {
            return native.ckpt_memory_tracker_get_prometheus(Handle, maxLayers);
        }
    }
}
