// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The meaning of a strategy's yes for the layer.</summary>
    public enum StrategyChosen
    {
        /// <summary>The default of the kind of strategy: <see cref="StrategyChosen.Boundary"/> for interval,
        /// <see cref="StrategyChosen.Recompute"/> for all others.</summary>
        Default = 0,
        /// <summary>A chosen layer keeps only its input and runs again in backward; all others are stored.</summary>
        Recompute = 1,
        /// <summary>Inputs of chosen layers are kept, and the layers between them are recomputed as one segment.</summary>
        Boundary = 2,
    }

    /// <summary>A list of names, globs or rules of a strategy.</summary>
    public enum StrategyList
    {
        /// <summary>The names and globs of chosen layers.</summary>
        Names = 0,
        /// <summary>The names and globs of excluded layers.</summary>
        Excluded = 1,
        /// <summary>The rules of first.</summary>
        Rules = 2,
    }

    /// <summary>Objects and values that a text refers to. Every one that is set must be used by the text.</summary>
    public sealed unsafe partial class StrategyOptions
    {
        /// <summary>For memory-aware: tracker of the live bytes, in a step in addition to those of the executors; kept alive. Null:
        /// live bytes of the executors, or outside of steps the resident bytes of the process.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        /// <summary>For memory-aware: clock for its adjustments; kept alive; null: the monotonic clock.</summary>
        [MaybeNull, AllowNull]
        public Clock Clock { get; set; }

        /// <summary>For memory-aware: total memory in bytes, &gt;= 0, if the text does not specify it; 0: the memory that the
        /// process may use.</summary>
        public long TotalBytes { get; set; }

        /// <summary>The strategies that the text names $0, $1, ...; kept alive.</summary>
        public ICheckpointStrategy[] Children { get; set; } = new ICheckpointStrategy[0];

        internal static ckpt_strategy_options Native(StrategyOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_strategy_options());
            to.tracker = memory.Of(from.Tracker);
            to.clock = memory.Of(from.Clock);
            to.total_bytes = from.TotalBytes;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("StrategyOptions", "Tracker", Tracker, "Clock", Clock, "TotalBytes", TotalBytes, "Children",
                Children);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeStrategyQuestion
    {
        internal uint struct_size;
        internal int dtype;
        internal IntPtr layer_name;
        internal long* shape;
        internal int ndim;
        internal int reserved;
        internal long bytes;
        internal long layer_index;
    }

    /// <summary>A question to a strategy about one layer.</summary>
    public sealed unsafe partial class StrategyQuestion
    {
        internal StrategyQuestion(NativeStrategyQuestion from)
        {
            DType = (DType)from.dtype;
            LayerName = Utf8.Text(from.layer_name) ?? "";
            Shape = NativeList.Copied(from.shape, from.ndim);
            Bytes = from.bytes;
            LayerIndex = from.layer_index;
        }

        /// <summary>Element type of the layer's activation.</summary>
        public DType DType { get; }

        /// <summary>Name of the layer: UTF-8, not empty.</summary>
        public string LayerName { get; }

        /// <summary>Lengths of the activation's dimensions.</summary>
        public long[] Shape { get; }

        /// <summary>Size of the activation in bytes.</summary>
        public long Bytes { get; }

        /// <summary>Index of the layer in its chain, from 0.</summary>
        public long LayerIndex { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("StrategyQuestion", "DType", DType, "LayerName", LayerName, "Shape", Shape, "Bytes", Bytes,
                "LayerIndex", LayerIndex);
        }
    }

    /// <summary>Counters of a strategy since it was created or reset. Failed questions are not counted.</summary>
    public sealed unsafe partial class StrategyCounters
    {
        internal StrategyCounters(ckpt_strategy_counters from)
        {
            AskedLayers = from.asked_layers;
            ChosenLayers = from.chosen_layers;
            ChosenBytes = from.chosen_bytes;
        }

        internal static StrategyCounters Filled(Action<ckpt_strategy_counters> fill)
        {
            using (var from = new ckpt_strategy_counters())
            {
                fill(from);
                return new StrategyCounters(from);
            }
        }

        /// <summary>Number of layers about which it was asked.</summary>
        public long AskedLayers { get; }

        /// <summary>Number of layers that were answered with yes.</summary>
        public long ChosenLayers { get; }

        /// <summary>Bytes of the activations of these layers; at most 2^63 - 1.</summary>
        public long ChosenBytes { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("StrategyCounters", "AskedLayers", AskedLayers, "ChosenLayers", ChosenLayers, "ChosenBytes",
                ChosenBytes);
        }
    }

    /// <summary>The configuration of a strategy. Numbers that do not apply to its kind are 0.</summary>
    public sealed unsafe partial class StrategyInfo
    {
        internal StrategyInfo(ckpt_strategy_info from)
        {
            HasTracker = from.has_tracker != 0;
            Kind = Utf8.Text(from.kind) ?? "";
            Interval = from.interval;
            ThresholdBytes = from.threshold_bytes;
            MaxShare = from.max_share;
            TotalBytes = from.total_bytes;
            LargeFactor = from.large_factor;
            RareAccesses = from.rare_accesses;
            LateShare = from.late_share;
            NamesCount = from.names_count;
            ExcludedCount = from.excluded_count;
            RulesCount = from.rules_count;
            ChildrenCount = from.children_count;
            HasClock = from.has_clock != 0;
            HasTotal = from.has_total != 0;
        }

        internal static StrategyInfo Filled(Action<ckpt_strategy_info> fill)
        {
            using (var from = new ckpt_strategy_info())
            {
                fill(from);
                return new StrategyInfo(from);
            }
        }

        /// <summary>For memory-aware: true when it was created with a tracker, else false.</summary>
        public bool HasTracker { get; }

        /// <summary>Kind of strategy: "interval", "selective", ..., "custom". A strategy of a registered kind has the kind of the
        /// strategy that its factory created.</summary>
        public string Kind { get; }

        /// <summary>For interval: n, where every n-th layer is chosen; for memory-aware: the current n.</summary>
        public long Interval { get; }

        /// <summary>For size: activations of at least this many bytes are chosen.</summary>
        public long ThresholdBytes { get; }

        /// <summary>For memory-aware: share of total memory above which more layers are chosen.</summary>
        public double MaxShare { get; }

        /// <summary>For memory-aware: total memory in bytes, as set, or the memory that the process may use.</summary>
        public long TotalBytes { get; }

        /// <summary>For smart: a layer with more than this many times the mean bytes is chosen.</summary>
        public double LargeFactor { get; }

        /// <summary>For smart: a layer accessed fewer times than this is chosen.</summary>
        public long RareAccesses { get; }

        /// <summary>For smart: a layer with an index above this share of the number of known layers is chosen.</summary>
        public double LateShare { get; }

        /// <summary>For selective: number of names and globs of chosen layers.</summary>
        public long NamesCount { get; }

        /// <summary>For selective, size and smart: number of names and globs of excluded layers.</summary>
        public long ExcludedCount { get; }

        /// <summary>For first: number of rules.</summary>
        public long RulesCount { get; }

        /// <summary>For any, all, not and first: number of children.</summary>
        public long ChildrenCount { get; }

        /// <summary>For memory-aware: true when it was created with a clock, else false.</summary>
        public bool HasClock { get; }

        /// <summary>For memory-aware: true when <see cref="TotalBytes"/> was set, false when it was determined from the
        /// system.</summary>
        public bool HasTotal { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("StrategyInfo", "HasTracker", HasTracker, "Kind", Kind, "Interval", Interval, "ThresholdBytes",
                ThresholdBytes, "MaxShare", MaxShare, "TotalBytes", TotalBytes, "LargeFactor", LargeFactor, "RareAccesses",
                RareAccesses, "LateShare", LateShare, "NamesCount", NamesCount, "ExcludedCount", ExcludedCount, "RulesCount",
                RulesCount, "ChildrenCount", ChildrenCount, "HasClock", HasClock, "HasTotal", HasTotal);
        }
    }
}
