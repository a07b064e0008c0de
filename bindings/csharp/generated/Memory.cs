// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The order of layers in a snapshot.</summary>
    public enum MemoryOrder
    {
        /// <summary>Layers in the order of their numbers, the lowest first.</summary>
        Id = 0,
        /// <summary>Layers in the order of their live bytes, the most first.</summary>
        Current = 1,
        /// <summary>Layers in the order of their peaks, the highest first.</summary>
        Peak = 2,
    }

    /// <summary>Kind of an event of a memory tracker. A subscription is for a sum of kinds.</summary>
    [Flags]
    public enum MemoryEventKind
    {
        /// <summary>None of the flags.</summary>
        None = 0,
        /// <summary>An allocation of a layer was recorded.</summary>
        Allocated = 1,
        /// <summary>An allocation was freed.</summary>
        Freed = 2,
        /// <summary>The live total reached a new peak.</summary>
        NewPeak = 4,
        /// <summary>The live total rose above the limit, or a limit was set below it.</summary>
        LimitExceeded = 8,
        /// <summary>The sum of all kinds of events.</summary>
        All = 15,
    }

    /// <summary>Options for creating a memory tracker.</summary>
    public sealed unsafe partial class MemoryTrackerOptions
    {
        /// <summary>Clock for the times of allocations and frees; null: the system's coarse monotonic clock. The tracker keeps it
        /// alive.</summary>
        [MaybeNull, AllowNull]
        public Clock Clock { get; set; }

        /// <summary>Minimum increase, in bytes, of the peak over the last reported one for an event of a new peak, &gt; 0; default
        /// 1.</summary>
        public long PeakGranularityBytes { get; set; } = 1;

        internal static ckpt_memory_tracker_options Native(MemoryTrackerOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_memory_tracker_options());
            to.clock = memory.Of(from.Clock);
            to.peak_granularity_bytes = from.PeakGranularityBytes;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemoryTrackerOptions", "Clock", Clock, "PeakGranularityBytes", PeakGranularityBytes);
        }
    }

    /// <summary>The totals of a memory tracker at one moment.</summary>
    public sealed unsafe partial class MemoryStats
    {
        internal MemoryStats(ckpt_memory_stats from)
        {
            LayerCount = from.layer_count;
            CurrentBytes = from.current_bytes;
            PeakBytes = from.peak_bytes;
            TotalAllocatedBytes = from.total_allocated_bytes;
            TotalFreedBytes = from.total_freed_bytes;
            LiveAllocations = from.live_allocations;
            Allocations = from.allocations;
            Frees = from.frees;
            AverageBytes = from.average_bytes;
            NotFound = from.not_found;
            Refused = from.refused;
            HandlerFailures = from.handler_failures;
            TakenAtNanoseconds = from.taken_at_ns;
            Sequence = from.sequence;
            TakenUtc = Times.Utc(from.taken_utc_ns);
        }

        internal static MemoryStats Filled(Action<ckpt_memory_stats> fill)
        {
            using (var from = new ckpt_memory_stats())
            {
                fill(from);
                return new MemoryStats(from);
            }
        }

        /// <summary>Number of layers.</summary>
        public long LayerCount { get; }

        /// <summary>Bytes live now.</summary>
        public long CurrentBytes { get; }

        /// <summary>Highest live total, in bytes, since creation or reset of the statistics.</summary>
        public long PeakBytes { get; }

        /// <summary>Bytes of all allocations since creation or reset of the statistics.</summary>
        public long TotalAllocatedBytes { get; }

        /// <summary>Bytes freed since creation or reset of the statistics: <see cref="TotalAllocatedBytes"/> -
        /// <see cref="CurrentBytes"/>.</summary>
        public long TotalFreedBytes { get; }

        /// <summary>Number of allocations live now.</summary>
        public long LiveAllocations { get; }

        /// <summary>Number of allocations since creation or reset of the statistics.</summary>
        public long Allocations { get; }

        /// <summary>Allocations - <see cref="LiveAllocations"/>: a free by layer counts each allocation that it frees.</summary>
        public long Frees { get; }

        /// <summary><see cref="CurrentBytes"/> / <see cref="LiveAllocations"/>, rounded down; 0 when none is live.</summary>
        public long AverageBytes { get; }

        /// <summary>Recording calls refused for an unknown layer or allocation, double frees included.</summary>
        public long NotFound { get; }

        /// <summary>Reservations refused by the limit.</summary>
        public long Refused { get; }

        /// <summary>Event handlers that failed.</summary>
        public long HandlerFailures { get; }

        /// <summary>Time of the snapshot, in nanoseconds on the tracker's clock.</summary>
        public long TakenAtNanoseconds { get; }

        /// <summary>Number of allocations and frees since the tracker was created; a reset does not change it.</summary>
        public ulong Sequence { get; }

        /// <summary>Time of the snapshot, in UTC.</summary>
        public DateTime TakenUtc { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemoryStats", "LayerCount", LayerCount, "CurrentBytes", CurrentBytes, "PeakBytes", PeakBytes,
                "TotalAllocatedBytes", TotalAllocatedBytes, "TotalFreedBytes", TotalFreedBytes, "LiveAllocations",
                LiveAllocations, "Allocations", Allocations, "Frees", Frees, "AverageBytes", AverageBytes, "NotFound", NotFound,
                "Refused", Refused, "HandlerFailures", HandlerFailures, "TakenAtNanoseconds", TakenAtNanoseconds, "Sequence",
                Sequence, "TakenUtc", TakenUtc);
        }
    }

    /// <summary>The counts of one layer in a memory tracker.</summary>
    public sealed unsafe partial class MemoryLayerStats
    {
        internal MemoryLayerStats(ckpt_memory_layer_stats from)
        {
            LayerId = from.layer_id;
            Name = Utf8.Text(from.name) ?? "";
            CurrentBytes = from.current_bytes;
            PeakBytes = from.peak_bytes;
            TotalAllocatedBytes = from.total_allocated_bytes;
            TotalFreedBytes = from.total_freed_bytes;
            LiveAllocations = from.live_allocations;
            Allocations = from.allocations;
            Frees = from.frees;
            LargestBytes = from.largest_bytes;
            AverageBytes = from.average_bytes;
            LastAllocatedAtNanoseconds = from.last_allocated_at_ns;
            LastFreedAtNanoseconds = from.last_freed_at_ns;
            LastAllocatedUtc = from.last_allocated_utc_ns == 0 ? (DateTime?)null : Times.Utc(from.last_allocated_utc_ns);
            LastFreedUtc = from.last_freed_utc_ns == 0 ? (DateTime?)null : Times.Utc(from.last_freed_utc_ns);
        }

        internal static MemoryLayerStats Filled(Action<ckpt_memory_layer_stats> fill)
        {
            using (var from = new ckpt_memory_layer_stats())
            {
                fill(from);
                return new MemoryLayerStats(from);
            }
        }

        /// <summary>Number of the layer, 0 or more.</summary>
        public int LayerId { get; }

        /// <summary>Name of the layer.</summary>
        public string Name { get; }

        /// <summary>Bytes of the layer that are live now.</summary>
        public long CurrentBytes { get; }

        /// <summary>Highest number of live bytes of this layer alone, since creation or reset of the statistics.</summary>
        public long PeakBytes { get; }

        /// <summary>Bytes of all allocations of the layer since creation or reset of the statistics.</summary>
        public long TotalAllocatedBytes { get; }

        /// <summary>Bytes of the layer freed since creation or reset of the statistics.</summary>
        public long TotalFreedBytes { get; }

        /// <summary>Number of allocations of the layer that are live now.</summary>
        public long LiveAllocations { get; }

        /// <summary>Number of allocations of the layer since creation or reset of the statistics.</summary>
        public long Allocations { get; }

        /// <summary>Number of allocations of the layer freed since creation or reset of the statistics.</summary>
        public long Frees { get; }

        /// <summary>Bytes of the layer's largest single allocation since creation or reset of the statistics.</summary>
        public long LargestBytes { get; }

        /// <summary><see cref="TotalAllocatedBytes"/> / allocations, rounded down; 0 when there was none.</summary>
        public long AverageBytes { get; }

        /// <summary>When the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but a custom
        /// clock can also return 0.</summary>
        public long LastAllocatedAtNanoseconds { get; }

        /// <summary>When the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but a custom clock can
        /// also return 0.</summary>
        public long LastFreedAtNanoseconds { get; }

        /// <summary>When the layer last allocated, in UTC; null: never.</summary>
        public DateTime? LastAllocatedUtc { get; }

        /// <summary>When the layer last freed, in UTC; null: never.</summary>
        public DateTime? LastFreedUtc { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemoryLayerStats", "LayerId", LayerId, "Name", Name, "CurrentBytes", CurrentBytes, "PeakBytes",
                PeakBytes, "TotalAllocatedBytes", TotalAllocatedBytes, "TotalFreedBytes", TotalFreedBytes, "LiveAllocations",
                LiveAllocations, "Allocations", Allocations, "Frees", Frees, "LargestBytes", LargestBytes, "AverageBytes",
                AverageBytes, "LastAllocatedAtNanoseconds", LastAllocatedAtNanoseconds, "LastFreedAtNanoseconds",
                LastFreedAtNanoseconds, "LastAllocatedUtc", LastAllocatedUtc, "LastFreedUtc", LastFreedUtc);
        }
    }

    /// <summary>One live allocation of a memory tracker.</summary>
    public sealed unsafe partial class MemoryAllocation
    {
        internal MemoryAllocation(ckpt_memory_allocation from)
        {
            LayerId = from.layer_id;
            Allocation = from.allocation;
            Bytes = from.bytes;
            Age = Times.OfNanoseconds(from.age_ns);
            Sequence = from.sequence;
        }

        internal static MemoryAllocation Filled(Action<ckpt_memory_allocation> fill)
        {
            using (var from = new ckpt_memory_allocation())
            {
                fill(from);
                return new MemoryAllocation(from);
            }
        }

        /// <summary>Number of the layer of the allocation.</summary>
        public int LayerId { get; }

        /// <summary>Id of the allocation, never 0.</summary>
        public ulong Allocation { get; }

        /// <summary>Size of the allocation in bytes.</summary>
        public long Bytes { get; }

        /// <summary>Time since the allocation was recorded, with the resolution of the tracker's clock.</summary>
        public TimeSpan Age { get; }

        /// <summary>Position of its recording in the order of all allocations and frees: lower is older.</summary>
        public ulong Sequence { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemoryAllocation", "LayerId", LayerId, "Allocation", Allocation, "Bytes", Bytes, "Age", Age,
                "Sequence", Sequence);
        }
    }

    /// <summary>The counts of a scope of a memory tracker since it was pushed, for all layers and threads.</summary>
    public sealed unsafe partial class MemoryScopeStats
    {
        internal MemoryScopeStats(ckpt_memory_scope_stats from)
        {
            Depth = from.depth;
            Scope = from.scope;
            StartBytes = from.start_bytes;
            PeakBytes = from.peak_bytes;
            NetBytes = from.net_bytes;
            TotalAllocatedBytes = from.total_allocated_bytes;
            PushedAtNanoseconds = from.pushed_at_ns;
            PushedUtc = Times.Utc(from.pushed_utc_ns);
        }

        internal static MemoryScopeStats Filled(Action<ckpt_memory_scope_stats> fill)
        {
            using (var from = new ckpt_memory_scope_stats())
            {
                fill(from);
                return new MemoryScopeStats(from);
            }
        }

        /// <summary>Number of open scopes around it.</summary>
        public int Depth { get; }

        /// <summary>Id of the scope.</summary>
        public ulong Scope { get; }

        /// <summary>Bytes that were live when the scope was pushed.</summary>
        public long StartBytes { get; }

        /// <summary>Highest live total in bytes since the scope was pushed; the increase within the scope is
        /// <see cref="PeakBytes"/> - <see cref="StartBytes"/>.</summary>
        public long PeakBytes { get; }

        /// <summary>Bytes live now - <see cref="StartBytes"/>; may be negative.</summary>
        public long NetBytes { get; }

        /// <summary>Bytes allocated since the scope was pushed, unaffected by resets of the statistics; at most 2^63 - 1.</summary>
        public long TotalAllocatedBytes { get; }

        /// <summary>When the scope was pushed, in nanoseconds on the tracker's clock.</summary>
        public long PushedAtNanoseconds { get; }

        /// <summary>When the scope was pushed, in UTC.</summary>
        public DateTime PushedUtc { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemoryScopeStats", "Depth", Depth, "Scope", Scope, "StartBytes", StartBytes, "PeakBytes",
                PeakBytes, "NetBytes", NetBytes, "TotalAllocatedBytes", TotalAllocatedBytes, "PushedAtNanoseconds",
                PushedAtNanoseconds, "PushedUtc", PushedUtc);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeMemoryEvent
    {
        internal uint struct_size;
        internal int kind;
        internal ulong sequence;
        internal ulong allocation;
        internal long bytes;
        internal long current_bytes;
        internal long peak_bytes;
        internal long limit_bytes;
        internal long occurred_at_ns;
        internal IntPtr layer_name;
        internal int layer_id;
        internal int has_layer;
        internal long occurred_utc_ns;
    }

    /// <summary>One event of a memory tracker, with the values right after it.</summary>
    public sealed unsafe partial class MemoryEvent
    {
        internal MemoryEvent(NativeMemoryEvent from)
        {
            Kind = (MemoryEventKind)from.kind;
            Sequence = from.sequence;
            Allocation = from.allocation;
            Bytes = from.bytes;
            CurrentBytes = from.current_bytes;
            PeakBytes = from.peak_bytes;
            LimitBytes = from.limit_bytes;
            OccurredAtNanoseconds = from.occurred_at_ns;
            LayerName = Utf8.Text(from.layer_name) ?? "";
            LayerId = from.has_layer != 0 ? from.layer_id : (int?)null;
            OccurredUtc = Times.Utc(from.occurred_utc_ns);
        }

        internal static MemoryEvent Filled(Action<ckpt_memory_event> fill)
        {
            using (var from = new ckpt_memory_event())
            {
                fill(from);
                return new MemoryEvent(*(NativeMemoryEvent*)ckpt_memory_event.getCPtr(from).Handle);
            }
        }

        /// <summary>Kind of the event.</summary>
        public MemoryEventKind Kind { get; }

        /// <summary>Position in the order of all allocations and frees; events of the same allocation or free share it and are
        /// delivered in the order of their kinds.</summary>
        public ulong Sequence { get; }

        /// <summary>Id of the allocation; 0 when a limit was set below the live total.</summary>
        public ulong Allocation { get; }

        /// <summary>Size of the allocation in bytes.</summary>
        public long Bytes { get; }

        /// <summary>Bytes live right after the event.</summary>
        public long CurrentBytes { get; }

        /// <summary>Highest live total in bytes right after the event.</summary>
        public long PeakBytes { get; }

        /// <summary>Limit of the live total in bytes; 0: no limit.</summary>
        public long LimitBytes { get; }

        /// <summary>When it happened, in nanoseconds on the tracker's clock.</summary>
        public long OccurredAtNanoseconds { get; }

        /// <summary>Name of the layer; empty when a limit was set below the live total.</summary>
        public string LayerName { get; }

        /// <summary>Id of the layer; null when a limit was set below the live total.</summary>
        public int? LayerId { get; }

        /// <summary>When it was delivered to the subscriptions, in UTC.</summary>
        public DateTime OccurredUtc { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemoryEvent", "Kind", Kind, "Sequence", Sequence, "Allocation", Allocation, "Bytes", Bytes,
                "CurrentBytes", CurrentBytes, "PeakBytes", PeakBytes, "LimitBytes", LimitBytes, "OccurredAtNanoseconds",
                OccurredAtNanoseconds, "LayerName", LayerName, "LayerId", LayerId, "OccurredUtc", OccurredUtc);
        }
    }

    /// <summary>Physical memory available to this process.</summary>
    public sealed unsafe partial class MemorySystem
    {
        internal MemorySystem(ckpt_memory_system from)
        {
            TotalBytes = from.total_bytes;
            AvailableBytes = from.available_bytes;
            MachineBytes = from.machine_bytes;
            LimitBytes = from.limit_bytes;
        }

        internal static MemorySystem Filled(Action<ckpt_memory_system> fill)
        {
            using (var from = new ckpt_memory_system())
            {
                fill(from);
                return new MemorySystem(from);
            }
        }

        /// <summary>Physical memory of the machine in bytes, at most the limit of the process's control group.</summary>
        public long TotalBytes { get; }

        /// <summary>Bytes that can be allocated now without swapping, also within the control group's limit.</summary>
        public long AvailableBytes { get; }

        /// <summary>Physical memory of the machine in bytes.</summary>
        public long MachineBytes { get; }

        /// <summary>Smallest control group limit in bytes that applies to this process; 0: none.</summary>
        public long LimitBytes { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("MemorySystem", "TotalBytes", TotalBytes, "AvailableBytes", AvailableBytes, "MachineBytes",
                MachineBytes, "LimitBytes", LimitBytes);
        }
    }
}
