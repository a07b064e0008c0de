// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The check of recomputed forwards in a step. Each level includes the checks of the lower ones.</summary>
    public enum RecomputeCheck
    {
        /// <summary>No check.</summary>
        None = 0,
        /// <summary>The layer is asked again for element type and shape of its output, and for the bytes that its option needs;
        /// they must be as when the executor was created.</summary>
        Metadata = 1,
        /// <summary>The output must have the hash (XXH3-128) of the first run's output; needs 16 bytes for each output that is
        /// recomputed.</summary>
        Hash = 2,
        /// <summary>The output must have the bits of the first run's output; needs memory outside of the arena for all outputs that
        /// are recomputed.</summary>
        Bitwise = 3,
    }

    /// <summary>The decay of a learning rate after its warm-up.</summary>
    public enum LearningRateKind
    {
        /// <summary>Stays at its peak.</summary>
        Constant = 0,
        /// <summary>Decays linearly.</summary>
        Linear = 1,
        /// <summary>Decays along half a cosine. Source: Loshchilov, Hutter, "SGDR", arXiv:1608.03983.</summary>
        Cosine = 2,
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeTensorSpec
    {
        internal int dtype;
        internal int ndim;
        internal fixed long shape[8];
    }

    /// <summary>Element type and shape of one activation.</summary>
    public sealed unsafe partial class TensorSpec
    {
        internal TensorSpec(NativeTensorSpec from)
        {
            DType = (DType)from.dtype;
            Shape = NativeList.Copied(from.shape, from.ndim);
        }

        /// <summary>Element type.</summary>
        public DType DType { get; }

        /// <summary>Lengths of the dimensions, each &gt;= 0.</summary>
        public long[] Shape { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("TensorSpec", "DType", DType, "Shape", Shape);
        }
    }

    /// <summary>Memory that a custom layer needs for one of its options.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public partial struct LayerOption
    {
        private long tape_bytes;
        private long forward_workspace_bytes;
        private long backward_workspace_bytes;

        /// <summary>Bytes that the layer records for its backward, &gt;= 0.</summary>
        public long TapeBytes { get { return tape_bytes; } set { tape_bytes = value; } }

        /// <summary>Bytes that the layer needs while forward runs, &gt;= 0.</summary>
        public long ForwardWorkspaceBytes { get { return forward_workspace_bytes; } set { forward_workspace_bytes = value; } }

        /// <summary>Bytes that the layer needs while backward runs, &gt;= 0.</summary>
        public long BackwardWorkspaceBytes { get { return backward_workspace_bytes; } set { backward_workspace_bytes = value; } }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("LayerOption", "TapeBytes", TapeBytes, "ForwardWorkspaceBytes", ForwardWorkspaceBytes,
                "BackwardWorkspaceBytes", BackwardWorkspaceBytes);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeLayerContext
    {
        internal uint struct_size;
        internal int option;
        internal int micro_batch;
        internal int recomputation;
        internal long layer;
        internal long step;
        internal ulong seed;
        internal long first_sample;
        internal NativeTensorSpec* input;
        internal NativeTensorSpec* output;
        internal int* targets;
        internal int* pool;
        internal int evaluation;
        internal int reserved;
    }

    /// <summary>The context of one run of a layer.</summary>
    public sealed unsafe partial class LayerContext
    {
        internal LayerContext(NativeLayerContext from)
        {
            Option = from.option;
            MicroBatch = from.micro_batch;
            Recomputation = from.recomputation != 0;
            Layer = from.layer;
            Step = from.step;
            Seed = from.seed;
            FirstSample = from.first_sample;
            Input = new TensorSpec(*from.input);
            Output = new TensorSpec(*from.output);
            Targets = Tensor.Lent((IntPtr)from.targets);
            Pool = WorkerPool.Lent((IntPtr)from.pool);
            Evaluation = from.evaluation != 0;
        }

        /// <summary>Option of the layer that is run, from 0.</summary>
        public int Option { get; }

        /// <summary>Number of the micro-batch, from 0.</summary>
        public int MicroBatch { get; }

        /// <summary>True when this forward is a recomputation in the step, else false.</summary>
        public bool Recomputation { get; }

        /// <summary>Global number of the layer: the same in every split of the chain.</summary>
        public long Layer { get; }

        /// <summary>Number of the step, &gt;= 0.</summary>
        public long Step { get; }

        /// <summary>Seed of the step's random numbers.</summary>
        public ulong Seed { get; }

        /// <summary>Global number of the batch's first sample within the step, &gt;= 0.</summary>
        public long FirstSample { get; }

        /// <summary>Element type and shape of the layer's input.</summary>
        public TensorSpec Input { get; }

        /// <summary>Element type and shape of the layer's output.</summary>
        public TensorSpec Output { get; }

        /// <summary>Targets of the step, of the micro-batch's samples; null when the step has none.</summary>
        [MaybeNull]
        public Tensor Targets { get; }

        /// <summary>Threads that the step's layers share; null when only the running thread is used.</summary>
        [MaybeNull]
        public WorkerPool Pool { get; }

        /// <summary>True in <c>ScheduleExecutor.Evaluate</c>, without dropout; false in a step.</summary>
        public bool Evaluation { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("LayerContext", "Option", Option, "MicroBatch", MicroBatch, "Recomputation", Recomputation, "Layer",
                Layer, "Step", Step, "Seed", Seed, "FirstSample", FirstSample, "Input", Input, "Output", Output, "Targets",
                Targets, "Pool", Pool, "Evaluation", Evaluation);
        }
    }

    public abstract partial class CustomLayer
    {
        /// <summary>Sum of <see cref="LayerFlag"/>; default <see cref="LayerFlag.NeedsInput"/> |
        /// <see cref="LayerFlag.Deterministic"/>.</summary>
        public virtual LayerFlag Flags { get { return LayerFlag.NeedsInput | LayerFlag.Deterministic; } }
        /// <summary>Number of options (ways to run the layer), 1 .. 64; default 1.</summary>
        public virtual int Options { get { return 1; } }
        /// <summary>Bytes of state outside the arguments that forward reads (a random generator); 0: none.</summary>
        public virtual long AmbientBytes { get { return default(long); } }
    }

    /// <summary>Options for creating an executor.</summary>
    public sealed unsafe partial class ScheduleExecutorOptions
    {
        /// <summary>A schedule that reserves more bytes is refused with <see cref="CkptStatus.OverBudget"/>; 0: no
        /// budget.</summary>
        public long BudgetBytes { get; set; }

        /// <summary>Threads that the executor uses; kept alive; null: a new pool with as many threads as the process may
        /// use.</summary>
        [MaybeNull, AllowNull]
        public WorkerPool Pool { get; set; }

        /// <summary>Tracker that counts every buffer under its layer's name; kept alive; null: a new one.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        /// <summary>Follower with a strategy that is notified of layers that run and of live bytes; null: none.</summary>
        [MaybeNull, AllowNull]
        public Follower Follower { get; set; }

        /// <summary>Check of recomputed forwards: one of <see cref="RecomputeCheck"/>; default <see cref="RecomputeCheck.None"/>. A
        /// difference fails the step with <see cref="CkptStatus.Corrupt"/>; the message names the layer and the micro-batch. A
        /// <see cref="ActionKind.Record"/> without output is not checked.</summary>
        public RecomputeCheck RecomputeCheck { get; set; } = RecomputeCheck.None;

        /// <summary>True: after every run of a layer all bytes of the arena that it must not write are compared with their state
        /// before, and a change fails the step with <see cref="CkptStatus.Corrupt"/>; the message names the layer; each run of a
        /// layer takes longer; false: no check.</summary>
        public bool CheckWrites { get; set; }

        /// <summary>Storage for the items of tier 1: a file that only this executor can access, or memory, written while layers
        /// run; kept alive; null: memory of the executor, each item copied synchronously.</summary>
        [MaybeNull, AllowNull]
        public Storage Tier1Storage { get; set; }

        /// <summary>Storage for the items of tier 2; kept alive; null: memory, each item copied synchronously.</summary>
        [MaybeNull, AllowNull]
        public Storage Tier2Storage { get; set; }

        /// <summary>Storage for the items of tier 3; kept alive; null: memory, each item copied synchronously.</summary>
        [MaybeNull, AllowNull]
        public Storage Tier3Storage { get; set; }

        /// <summary>True: a layer's output of F32 or F64 that is not finite fails the step with
        /// <see cref="CkptStatus.OutOfRange"/>; the message names the first such layer, the element and its value; each forward
        /// reads its output once more; false: only the loss is checked.</summary>
        public bool CheckFinite { get; set; }

        internal static ckpt_schedule_executor_options Native(ScheduleExecutorOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_schedule_executor_options());
            to.budget_bytes = from.BudgetBytes;
            to.pool = memory.Of(from.Pool);
            to.tracker = memory.Of(from.Tracker);
            to.follower = memory.Of(from.Follower);
            to.recompute_check = (int)from.RecomputeCheck;
            to.check_writes = from.CheckWrites ? 1 : 0;
            to.tier1_storage = memory.Of(from.Tier1Storage);
            to.tier2_storage = memory.Of(from.Tier2Storage);
            to.tier3_storage = memory.Of(from.Tier3Storage);
            to.check_finite = from.CheckFinite ? 1 : 0;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ScheduleExecutorOptions", "BudgetBytes", BudgetBytes, "Pool", Pool, "Tracker", Tracker, "Follower",
                Follower, "RecomputeCheck", RecomputeCheck, "CheckWrites", CheckWrites, "Tier1Storage", Tier1Storage,
                "Tier2Storage", Tier2Storage, "Tier3Storage", Tier3Storage, "CheckFinite", CheckFinite);
        }
    }

    /// <summary>Data of one step of training. Tensors are borrowed for the call.</summary>
    public sealed unsafe partial class Step
    {
        /// <summary>Number of the step, &gt;= 0: a key of dropout's random numbers.</summary>
        public long Number { get; set; }

        /// <summary>Seed of the step's random numbers: a key of dropout.</summary>
        public ulong Seed { get; set; }

        /// <summary>Global number of the batch's first sample within the step, &gt;= 0.</summary>
        public long FirstSample { get; set; }

        /// <summary>Input of the chain, of the executor's input element type and shape.</summary>
        [MaybeNull, AllowNull]
        public Tensor Input { get; set; }

        /// <summary>Targets of a loss layer; null when no layer needs them.</summary>
        [MaybeNull, AllowNull]
        public Tensor Targets { get; set; }

        /// <summary>Gradient of the chain's output; null: 1, only for a chain with an output of one element.</summary>
        [MaybeNull, AllowNull]
        public Tensor OutputGradient { get; set; }

        /// <summary>Receives the chain's output; null: it is not wanted.</summary>
        [MaybeNull, AllowNull]
        public Tensor Output { get; set; }

        /// <summary>Receives the gradient of the chain's input; null: it is not wanted. Refused if the first layer computes
        /// none.</summary>
        [MaybeNull, AllowNull]
        public Tensor InputGradient { get; set; }

        /// <summary>False: gradients are set to 0 first; true: this step adds to them.</summary>
        public bool Accumulate { get; set; }

        internal static ckpt_step Native(Step from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_step());
            to.step = from.Number;
            to.seed = from.Seed;
            to.first_sample = from.FirstSample;
            to.input = memory.Of(from.Input);
            to.targets = memory.Of(from.Targets);
            to.output_gradient = memory.Of(from.OutputGradient);
            to.output = memory.Of(from.Output);
            to.input_gradient = memory.Of(from.InputGradient);
            to.accumulate = from.Accumulate ? 1 : 0;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("Step", "Number", Number, "Seed", Seed, "FirstSample", FirstSample, "Input", Input, "Targets",
                Targets, "OutputGradient", OutputGradient, "Output", Output, "InputGradient", InputGradient, "Accumulate",
                Accumulate);
        }
    }

    /// <summary>Measurements of an executor since it was created.</summary>
    public sealed unsafe partial class ScheduleExecutorStats
    {
        internal ScheduleExecutorStats(ckpt_schedule_executor_stats from)
        {
            Steps = from.steps;
            Forwards = from.forwards;
            RecomputedForwards = from.recomputed_forwards;
            LiveBytes = from.live_bytes;
            PeakLiveBytes = from.peak_live_bytes;
            ReservedBytes = from.reserved_bytes;
            Run = Times.OfNanoseconds(from.run_ns);
            TransferWait = Times.OfNanoseconds(from.transfer_wait_ns);
            StoredBytes = NativeList.Copied(from.stored_bytes, 4);
            LoadedBytes = NativeList.Copied(from.loaded_bytes, 4);
        }

        internal static ScheduleExecutorStats Filled(Action<ckpt_schedule_executor_stats> fill)
        {
            using (var from = new ckpt_schedule_executor_stats())
            {
                fill(from);
                return new ScheduleExecutorStats(from);
            }
        }

        /// <summary>Number of successful steps.</summary>
        public long Steps { get; }

        /// <summary>Number of layer forwards, recomputed ones included.</summary>
        public long Forwards { get; }

        /// <summary>Number of layer forwards beyond the first of each layer in a step.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Bytes that are live now; 0 between steps.</summary>
        public long LiveBytes { get; }

        /// <summary>Maximum number of live bytes: equals the verifier's peak of tier 0 to the byte.</summary>
        public long PeakLiveBytes { get; }

        /// <summary>Bytes of the arena that the executor reserved when it was created.</summary>
        public long ReservedBytes { get; }

        /// <summary>Duration of all steps.</summary>
        public TimeSpan Run { get; }

        /// <summary>Duration that steps waited for copies through the storages of tiers; part of <see cref="Run"/>.</summary>
        public TimeSpan TransferWait { get; }

        /// <summary>Bytes that were copied into each tier; 0 for tier 0.</summary>
        public long[] StoredBytes { get; }

        /// <summary>Bytes that were copied back from each tier; 0 for tier 0.</summary>
        public long[] LoadedBytes { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ScheduleExecutorStats", "Steps", Steps, "Forwards", Forwards, "RecomputedForwards",
                RecomputedForwards, "LiveBytes", LiveBytes, "PeakLiveBytes", PeakLiveBytes, "ReservedBytes", ReservedBytes,
                "Run", Run, "TransferWait", TransferWait, "StoredBytes", StoredBytes, "LoadedBytes", LoadedBytes);
        }
    }

    /// <summary>Options for creating an AdamW optimizer. Its state: "&lt;name&gt;.m" and "&lt;name&gt;.v" for every parameter,
    /// and the number of steps. Source: Loshchilov, Hutter, "Decoupled weight decay regularization",
    /// arXiv:1711.05101.</summary>
    public sealed unsafe partial class AdamWOptions
    {
        /// <summary>Size of a step, &gt; 0; default 1e-3.</summary>
        public double LearningRate { get; set; } = 1e-3;

        /// <summary>Decay of the mean of gradients, 0 &lt;= beta1 &lt; 1; default 0.9.</summary>
        public double Beta1 { get; set; } = 0.9;

        /// <summary>Decay of the mean of squared gradients, 0 &lt;= beta2 &lt; 1; default 0.999.</summary>
        public double Beta2 { get; set; } = 0.999;

        /// <summary>Added to the root of the mean of squared gradients, &gt; 0; default 1e-8.</summary>
        public double Epsilon { get; set; } = 1e-8;

        /// <summary>Decoupled weight decay, &gt;= 0: each step subtracts <see cref="LearningRate"/> * <see cref="WeightDecay"/>
        /// times a weight from it; default 0.01.</summary>
        public double WeightDecay { get; set; } = 0.01;

        /// <summary>True: only parameters of two dimensions or more decay, biases and norms do not; false: all decay.</summary>
        public bool DecayMatricesOnly { get; set; }

        internal static ckpt_adamw_options Native(AdamWOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_adamw_options());
            to.learning_rate = from.LearningRate;
            to.beta1 = from.Beta1;
            to.beta2 = from.Beta2;
            to.epsilon = from.Epsilon;
            to.weight_decay = from.WeightDecay;
            to.decay_matrices_only = from.DecayMatricesOnly ? 1 : 0;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("AdamWOptions", "LearningRate", LearningRate, "Beta1", Beta1, "Beta2", Beta2, "Epsilon", Epsilon,
                "WeightDecay", WeightDecay, "DecayMatricesOnly", DecayMatricesOnly);
        }
    }

    /// <summary>A learning rate for each step: increases linearly over <c>WarmUpSteps</c>, then decays to <c>LastRate</c> at
    /// <c>StepCount</c>.</summary>
    public sealed unsafe partial class LearningRateSchedule
    {
        /// <summary>Kind of decay: one of <see cref="LearningRateKind"/>; default
        /// <see cref="LearningRateKind.Constant"/>.</summary>
        public LearningRateKind Kind { get; set; } = LearningRateKind.Constant;

        /// <summary>The highest rate, &gt;= 0: of the first step after the warm-up; default 1e-3.</summary>
        public double PeakRate { get; set; } = 1e-3;

        /// <summary>The rate at <see cref="StepCount"/> and later, 0 .. <see cref="PeakRate"/>; not read when the kind is
        /// constant.</summary>
        public double LastRate { get; set; }

        /// <summary>Number of steps before the peak, &gt;= 0: step i of them has <see cref="PeakRate"/> (i + 1) / (steps +
        /// 1).</summary>
        public long WarmUpSteps { get; set; }

        /// <summary>Number of steps of the run, &gt;= <see cref="WarmUpSteps"/>; not read when the kind is constant.</summary>
        public long StepCount { get; set; }

        internal static ckpt_learning_rate_schedule Native(LearningRateSchedule from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_learning_rate_schedule());
            to.kind = (int)from.Kind;
            to.peak_rate = from.PeakRate;
            to.last_rate = from.LastRate;
            to.warm_up_steps = from.WarmUpSteps;
            to.step_count = from.StepCount;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("LearningRateSchedule", "Kind", Kind, "PeakRate", PeakRate, "LastRate", LastRate, "WarmUpSteps",
                WarmUpSteps, "StepCount", StepCount);
        }
    }
}
