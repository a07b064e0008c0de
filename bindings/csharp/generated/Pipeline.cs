// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The rule that selects the micro-batches with activations that are kept from forward to backward. The others are
    /// recomputed.</summary>
    public enum ActivationPolicyKind
    {
        /// <summary>No value.</summary>
        None = 0,
        /// <summary>The activations of all micro-batches are kept from forward to backward: most memory, fastest
        /// backward.</summary>
        StoreAll = 1,
        /// <summary>No activations are kept, all are recomputed: least memory, slowest backward.</summary>
        RecomputeAll = 2,
        /// <summary>The activations of every interval-th micro-batch are kept, and always those of the first and the
        /// last.</summary>
        Selective = 3,
        /// <summary>Activations of at most <c>ThresholdBytes</c> in total are kept: if a store would exceed it, the oldest are
        /// dropped first; those of the first and the last micro-batch are kept regardless of their size, and any other that does
        /// not fit in the rest is not stored.</summary>
        MemoryBased = 4,
        /// <summary>Activations with a yes from a strategy are kept; the question has the stage's name and the micro-batch. A
        /// memory-aware strategy, or a composite that contains one, is <see cref="CkptStatus.InvalidArgument"/>, because under
        /// pressure it answers yes more often; not(memory-aware) is its inverse and allowed, also inside composites.</summary>
        Strategy = 5,
        /// <summary>Selected by memory pressure when a step begins: below 0.5 store-all, below 0.7 selective with an interval of at
        /// least 2, below 0.9 memory-based among those that selective would store, else recompute-all. Pressure is the tracker's
        /// live bytes divided by its limit, if it has one; else the process's resident bytes, without the arenas of a pipeline,
        /// divided by <c>MemoryLimitBytes</c>. In each case an activation is only stored if it fits in the remainder of the limit,
        /// which the stages of a pipeline share equally: higher pressure never stores more. <c>ThresholdBytes</c> of the policy in
        /// force is this bound. Each selection is logged (INFO).</summary>
        Automatic = 6,
    }

    /// <summary>The order in which stages run the forward and backward parts of micro-batches. In each of them gradients are
    /// added in the order of micro-batches.</summary>
    public enum PipelineOrder
    {
        /// <summary>No value.</summary>
        None = 0,
        /// <summary>All forwards, then all backwards. Source: Huang et al., "GPipe", arXiv:1811.06965.</summary>
        GPipe = 1,
        /// <summary>After a warm-up alternately one forward, one backward: stage p of P holds at most P - p micro-batches. Source:
        /// Narayanan et al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503.</summary>
        OneForwardOneBackward = 2,
        /// <summary>1F1B over several chunks per stage; <c>MicroBatches</c> is a multiple of stages. Source: Narayanan et al.,
        /// "Efficient large-scale language model training on GPU clusters using Megatron-LM", arXiv:2104.04473.</summary>
        Interleaved = 3,
    }

    /// <summary>The activity of a stage in an interval of a step.</summary>
    public enum IntervalKind
    {
        /// <summary>No value.</summary>
        None = 0,
        /// <summary>The stage runs a forward part.</summary>
        Forward = 1,
        /// <summary>The stage runs a forward part again.</summary>
        Recompute = 2,
        /// <summary>The stage runs a backward part.</summary>
        Backward = 3,
        /// <summary>The stage sends, or waits for a neighbour.</summary>
        Wait = 4,
    }

    /// <summary>A rule that selects the micro-batches with activations that are kept from forward to backward. The others are
    /// recomputed.</summary>
    public sealed unsafe partial class ActivationPolicy
    {
        /// <summary>Kind of policy: one of <see cref="ActivationPolicyKind"/>; default
        /// <see cref="ActivationPolicyKind.StoreAll"/>.</summary>
        public ActivationPolicyKind Kind { get; set; } = ActivationPolicyKind.StoreAll;

        /// <summary>For selective: n, where every n-th micro-batch is stored, &gt;= 0; 0 stores all, like 1; default 1.</summary>
        public long Interval { get; set; } = 1;

        /// <summary>For memory-based, also if automatic selects it: maximum bytes of stored activations, &gt;= 0; default 1
        /// GiB.</summary>
        public long ThresholdBytes { get; set; } = 1073741824;

        /// <summary>For <see cref="ActivationPolicyKind.Strategy"/>: the strategy that is asked; kept alive; ignored by other
        /// kinds.</summary>
        [MaybeNull, AllowNull]
        public ICheckpointStrategy Strategy { get; set; }

        /// <summary>For automatic: total memory in bytes, &gt;= 0; 0: the memory that this process may use, which is physical
        /// memory or its control group's limit.</summary>
        public long MemoryLimitBytes { get; set; }

        internal static ckpt_activation_policy Native(ActivationPolicy from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_activation_policy());
            to.kind = (int)from.Kind;
            to.interval = from.Interval;
            to.threshold_bytes = from.ThresholdBytes;
            to.strategy = memory.Of(from.Strategy);
            to.memory_limit_bytes = from.MemoryLimitBytes;
            return to;
        }

        internal static ActivationPolicy Filled(Action<ckpt_activation_policy> fill)
        {
            using (var from = new ckpt_activation_policy())
            {
                fill(from);
                return new ActivationPolicy { Kind = (ActivationPolicyKind)from.kind, Interval = from.interval,
                    ThresholdBytes = from.threshold_bytes, MemoryLimitBytes = from.memory_limit_bytes };
            }
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ActivationPolicy", "Kind", Kind, "Interval", Interval, "ThresholdBytes", ThresholdBytes,
                "Strategy", Strategy, "MemoryLimitBytes", MemoryLimitBytes);
        }
    }

    /// <summary>Options for creating an activation manager.</summary>
    public sealed unsafe partial class ActivationManagerOptions
    {
        /// <summary>Name of the stage for strategies and the tracker; null: "stage".</summary>
        [MaybeNull, AllowNull]
        public string Name { get; set; }

        /// <summary>Tracker that counts stored activations; kept alive; null: a new one.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        /// <summary>Clock for the times of stored activations; kept alive; null: the monotonic clock.</summary>
        [MaybeNull, AllowNull]
        public Clock Clock { get; set; }

        internal static ckpt_activation_manager_options Native(ActivationManagerOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_activation_manager_options());
            to.name = memory.Of(from.Name);
            to.tracker = memory.Of(from.Tracker);
            to.clock = memory.Of(from.Clock);
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ActivationManagerOptions", "Name", Name, "Tracker", Tracker, "Clock", Clock);
        }
    }

    /// <summary>Information about one stored activation.</summary>
    public sealed unsafe partial class ActivationMetadata
    {
        internal ActivationMetadata(ckpt_activation_metadata from)
        {
            MicroBatch = from.micro_batch;
            DType = (DType)from.dtype;
            Shape = NativeList.Copied(from.shape, from.ndim);
            Bytes = from.bytes;
            Hits = from.hits;
            StoredAtNanoseconds = from.stored_at_ns;
            StoredUtc = Times.Utc(from.stored_utc_ns);
        }

        internal static ActivationMetadata Filled(Action<ckpt_activation_metadata> fill)
        {
            using (var from = new ckpt_activation_metadata())
            {
                fill(from);
                return new ActivationMetadata(from);
            }
        }

        /// <summary>Number of the micro-batch, from 0.</summary>
        public int MicroBatch { get; }

        /// <summary>Element type of the activation.</summary>
        public DType DType { get; }

        /// <summary>Lengths of the activation's dimensions.</summary>
        public long[] Shape { get; }

        /// <summary>Size of the activation in bytes.</summary>
        public long Bytes { get; }

        /// <summary>Number of reads since it was stored.</summary>
        public long Hits { get; }

        /// <summary>When it was stored, in nanoseconds on the manager's clock.</summary>
        public long StoredAtNanoseconds { get; }

        /// <summary>When it was stored, in UTC by the system's clock.</summary>
        public DateTime StoredUtc { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ActivationMetadata", "MicroBatch", MicroBatch, "DType", DType, "Shape", Shape, "Bytes", Bytes,
                "Hits", Hits, "StoredAtNanoseconds", StoredAtNanoseconds, "StoredUtc", StoredUtc);
        }
    }

    /// <summary>Options for creating a pipeline. The chain is split into pieces = stages * chunks pieces of at least one layer;
    /// piece k is chunk k / stages of stage k % stages.</summary>
    public sealed unsafe partial class PipelineOptions
    {
        /// <summary>Order in which stages run the forward and backward parts of micro-batches: one of <see cref="PipelineOrder"/>;
        /// default <see cref="PipelineOrder.OneForwardOneBackward"/>.</summary>
        public PipelineOrder Order { get; set; } = PipelineOrder.OneForwardOneBackward;

        /// <summary>Number of stages, 1 .. 1024; default 1.</summary>
        public int Stages { get; set; } = 1;

        /// <summary>Number of micro-batches of a step, 1 .. 65536; divides the batch's samples; default 1.</summary>
        public int MicroBatches { get; set; } = 1;

        /// <summary>Number of pieces of each stage; 1 (the default) unless the order is
        /// <see cref="PipelineOrder.Interleaved"/>.</summary>
        public int Chunks { get; set; } = 1;

        /// <summary>Number of threads of each stage's pool, the stage's thread included; 1 .. 1024; default 1.</summary>
        public int ThreadsPerStage { get; set; } = 1;

        /// <summary>Number of runs for measuring the layers' times, for the split and the budget; 0: only bytes are used; default
        /// 3.</summary>
        public int MeasuredSteps { get; set; } = 3;

        /// <summary>First layers of the pieces, ascending from 0; empty: a split into pieces of equal time.</summary>
        public long[] Begins { get; set; } = new long[0];

        /// <summary>Capacity of each queue between neighbours; 0: as much as the schedule needs.</summary>
        public long QueuePlaces { get; set; }

        /// <summary>Limit of the reserved bytes of each stage's whole step, with the kept values of all micro-batches in flight;
        /// each stage uses the fastest plan found within it; 0: no budget.</summary>
        public long BudgetBytes { get; set; }

        /// <summary>Strategy that determines each piece's plan, layer by layer; asked again before each step; kept alive; null: no
        /// strategy.</summary>
        [MaybeNull, AllowNull]
        public ICheckpointStrategy Strategy { get; set; }

        /// <summary>Plan of each piece, as for a separate chain; kept alive; empty: no plans are set.</summary>
        public Schedule[] Schedules { get; set; } = new Schedule[0];

        /// <summary>Policy of every stage's activation manager; null: store-all.</summary>
        [MaybeNull, AllowNull]
        public ActivationPolicy Policy { get; set; }

        /// <summary>Tracker that counts every buffer, those of queues included; kept alive; null: a new one.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        /// <summary>Check of each recomputed forward: one of <see cref="RecomputeCheck"/>; default
        /// <see cref="RecomputeCheck.None"/>.</summary>
        public RecomputeCheck RecomputeCheck { get; set; } = RecomputeCheck.None;

        /// <summary>True: detects writes of layers outside of their buffers; false: no check.</summary>
        public bool CheckWrites { get; set; }

        /// <summary>True: a layer's output of F32 or F64 that is not finite fails the step with
        /// <see cref="CkptStatus.OutOfRange"/>; the message names the layer, the element and the micro-batch: the first such layer
        /// of the stage that detected one first; false: only the losses are checked.</summary>
        public bool CheckFinite { get; set; }

        internal static ckpt_pipeline_options Native(PipelineOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_pipeline_options());
            to.order = (int)from.Order;
            to.stages = from.Stages;
            to.micro_batches = from.MicroBatches;
            to.chunks = from.Chunks;
            to.threads_per_stage = from.ThreadsPerStage;
            to.measured_steps = from.MeasuredSteps;
            to.queue_places = from.QueuePlaces;
            to.budget_bytes = from.BudgetBytes;
            to.strategy = memory.Of(from.Strategy);
            to.tracker = memory.Of(from.Tracker);
            to.recompute_check = (int)from.RecomputeCheck;
            to.check_writes = from.CheckWrites ? 1 : 0;
            to.check_finite = from.CheckFinite ? 1 : 0;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("PipelineOptions", "Order", Order, "Stages", Stages, "MicroBatches", MicroBatches, "Chunks", Chunks,
                "ThreadsPerStage", ThreadsPerStage, "MeasuredSteps", MeasuredSteps, "Begins", Begins, "QueuePlaces",
                QueuePlaces, "BudgetBytes", BudgetBytes, "Strategy", Strategy, "Schedules", Schedules, "Policy", Policy,
                "Tracker", Tracker, "RecomputeCheck", RecomputeCheck, "CheckWrites", CheckWrites, "CheckFinite", CheckFinite);
        }
    }

    /// <summary>Measurements of a stage of a pipeline since the pipeline was created.</summary>
    public sealed unsafe partial class PipelineStats
    {
        internal PipelineStats(ckpt_pipeline_stats from)
        {
            InFlight = from.in_flight;
            FirstLayer = from.first_layer;
            Layers = from.layers;
            Steps = from.steps;
            Forwards = from.forwards;
            RecomputedForwards = from.recomputed_forwards;
            KeptMicroBatches = from.kept_micro_batches;
            RecomputedMicroBatches = from.recomputed_micro_batches;
            PeakLiveBytes = from.peak_live_bytes;
            ReservedBytes = from.reserved_bytes;
            QueueBytes = from.queue_bytes;
            Busy = Times.OfNanoseconds(from.busy_ns);
        }

        internal static PipelineStats Filled(Action<ckpt_pipeline_stats> fill)
        {
            using (var from = new ckpt_pipeline_stats())
            {
                fill(from);
                return new PipelineStats(from);
            }
        }

        /// <summary>Maximum number of micro-batches between forward and backward (of chunk 0).</summary>
        public int InFlight { get; }

        /// <summary>Global number of the stage's first layer (of chunk 0).</summary>
        public long FirstLayer { get; }

        /// <summary>Number of layers of all chunks of the stage.</summary>
        public long Layers { get; }

        /// <summary>Number of successful steps.</summary>
        public long Steps { get; }

        /// <summary>Number of layer forwards, recomputed ones included.</summary>
        public long Forwards { get; }

        /// <summary>Number of layer forwards beyond the first of each layer and micro-batch in a step.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Number of micro-batches with tapes that were kept from forward to backward.</summary>
        public long KeptMicroBatches { get; }

        /// <summary>Number of micro-batches with tapes that were recomputed.</summary>
        public long RecomputedMicroBatches { get; }

        /// <summary>Maximum number of live bytes: equals the verifier's peak of the whole step to the byte.</summary>
        public long PeakLiveBytes { get; }

        /// <summary>Bytes of the stage's arena.</summary>
        public long ReservedBytes { get; }

        /// <summary>Bytes reserved by the queues to and from the next stage, in addition to the arena.</summary>
        public long QueueBytes { get; }

        /// <summary>Time for which the stage computed, without waits, in the last step.</summary>
        public TimeSpan Busy { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("PipelineStats", "InFlight", InFlight, "FirstLayer", FirstLayer, "Layers", Layers, "Steps", Steps,
                "Forwards", Forwards, "RecomputedForwards", RecomputedForwards, "KeptMicroBatches", KeptMicroBatches,
                "RecomputedMicroBatches", RecomputedMicroBatches, "PeakLiveBytes", PeakLiveBytes, "ReservedBytes",
                ReservedBytes, "QueueBytes", QueueBytes, "Busy", Busy);
        }
    }

    /// <summary>The activity of a stage of a pipeline in one interval of a step.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public partial struct PipelineInterval
    {
        private int kind;
        private int stage;
        private int chunk;
        private int micro_batch;
        private long begin_at_ns;
        private long end_at_ns;

        /// <summary>Activity of the stage.</summary>
        public IntervalKind Kind { get { return (IntervalKind)kind; } set { kind = (int)value; } }

        /// <summary>Number of the stage, from 0.</summary>
        public int Stage { get { return stage; } set { stage = value; } }

        /// <summary>Number of the chunk of the stage, from 0.</summary>
        public int Chunk { get { return chunk; } set { chunk = value; } }

        /// <summary>Number of the micro-batch, from 0.</summary>
        public int MicroBatch { get { return micro_batch; } set { micro_batch = value; } }

        /// <summary>Begin of the interval, in nanoseconds since the step began.</summary>
        public long BeginAtNanoseconds { get { return begin_at_ns; } set { begin_at_ns = value; } }

        /// <summary>End of the interval, in nanoseconds since the step began.</summary>
        public long EndAtNanoseconds { get { return end_at_ns; } set { end_at_ns = value; } }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("PipelineInterval", "Kind", Kind, "Stage", Stage, "Chunk", Chunk, "MicroBatch", MicroBatch,
                "BeginAtNanoseconds", BeginAtNanoseconds, "EndAtNanoseconds", EndAtNanoseconds);
        }
    }
}
