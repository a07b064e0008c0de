// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class MemoryTracker
    {
        /// <summary>Returns the number of the layer of this name: 0, 1, 2, ... in the order in which names are first used. A new
        /// name becomes a new layer.</summary>
        public int AddLayer(string name)
        {
            int value;
            native.ckpt_memory_tracker_add_layer(Handle, name, out value);
            return value;
        }

        /// <summary>Returns the layer's name, which lives as long as the tracker. <see cref="CkptStatus.NotFound"/> for a number
        /// that no layer has.</summary>
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
        /// <see cref="CkptStatus.OutOfRange"/> when the total of all allocations would pass 2^63 - 1. Allocates memory only when
        /// more allocations are live than ever before. Event handlers run before it returns.</summary>
        public ulong RecordAllocation(int layerId, long bytes)
        {
            ulong value;
            native.ckpt_memory_tracker_record_allocation(Handle, layerId, bytes, out value);
            return value;
        }

        /// <summary>Records the end of an allocation. <see cref="CkptStatus.NotFound"/> for an id that is not live (unknown, or
        /// freed already): nothing changes but the count <c>NotFound</c>.</summary>
        public void RecordDeallocation(ulong allocation)
        {
            native.ckpt_memory_tracker_record_deallocation(Handle, allocation);
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

        /// <summary>The live allocations of one moment, oldest first: count receives how many there are, allocations the first
        /// min(capacity, count). Holds recording up for as long as copying 40 bytes for each allocation that was ever live at the
        /// same time takes.</summary>
        public IReadOnlyList<MemoryAllocation> ListAllocations()
        {
            return NativeList.Made(native.ckpt_memory_tracker_list_allocations(Handle), at =>
                new MemoryAllocation(new ckpt_memory_allocation(at, false)));
        }

        /// <summary>Restarts the statistics as if the live allocations had just been made: total = peak = live bytes, allocations =
        /// live allocations, frees = 0, the same per layer; <c>NotFound</c>, refused and <c>HandlerFailures</c> = 0. Open scopes,
        /// the limit and sequence numbers go on.</summary>
        public void ResetStats()
        {
            native.ckpt_memory_tracker_reset_stats(Handle);
        }

        /// <summary>Removes the limit of the live total; a new tracker has none.</summary>
        public void ClearLimit()
        {
            native.ckpt_memory_tracker_clear_limit(Handle);
        }

        /// <summary>Switches all events off (0) or on again (1). A new tracker has them on. Accounting goes on; what happened
        /// meanwhile is not reported later.</summary>
        public void EnableEvents(bool enabled)
        {
            native.ckpt_memory_tracker_enable_events(Handle, enabled ? 1 : 0);
        }

        /// <summary>Reports a new peak only when it is at least bytes (&gt; 0) above the last one reported; 1 reports every new
        /// peak.</summary>
        public void SetPeakGranularity(long bytes)
        {
            native.ckpt_memory_tracker_set_peak_granularity(Handle, bytes);
        }
    }
}
