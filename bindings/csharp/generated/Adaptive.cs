// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The policy by which a controller decides when to save.</summary>
    public enum Policy
    {
        /// <summary>A weighted combination of estimators of the failure rate; weights follow the cost that each would have had on
        /// every gap so far.</summary>
        Auto = 0,
        /// <summary>The threshold rule, applied to the last observed task; a commit consumes the slot.</summary>
        Threshold = 1,
        /// <summary>The interval at which the expected loss and the cost of a checkpoint are equal, with the estimated failure
        /// rate.</summary>
        ExpectedValue = 2,
        /// <summary>Young's interval with a given mean time between failures and the measured cost.</summary>
        Young = 3,
        /// <summary>Daly's interval with a given mean time between failures and the measured cost.</summary>
        Daly = 4,
        /// <summary>Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h.</summary>
        Bayes = 5,
        /// <summary>The interval for a Weibull distribution fitted to the last 512 gaps, at the age of the current gap.</summary>
        Weibull = 6,
        /// <summary>A fixed, given interval.</summary>
        Fixed = 7,
    }

    /// <summary>The kind of an event for <c>Controller.Record</c>.</summary>
    public enum ControllerEventKind
    {
        /// <summary>A run begins: budgets and windows start again. <see cref="CkptStatus.InvalidState"/> during a run.</summary>
        RunBegan = 0,
        /// <summary>This process continues the run that <c>Controller.Restore</c> loaded. A run that was in progress there counts
        /// as failed, half an interval after its last event, but not later than now; record its recovery next. Without such a run:
        /// as <see cref="ControllerEventKind.RunBegan"/>. The time may be on another clock than in the previous process.</summary>
        RunResumed = 1,
        /// <summary>A save starts: no other save is requested until it is committed or aborted.
        /// <see cref="CkptStatus.InvalidState"/> while a save is in flight.</summary>
        SaveBegan = 2,
        /// <summary>The save in flight is durable: uses <c>StallSeconds</c> and <c>DurableSeconds</c>.
        /// <see cref="CkptStatus.InvalidState"/> without a save in flight.</summary>
        SaveCommitted = 3,
        /// <summary>The save in flight failed: it is not used as a measurement. <see cref="CkptStatus.InvalidState"/> without a
        /// save in flight.</summary>
        SaveAborted = 4,
        /// <summary>A task is done: uses name and <c>DurationSeconds</c>, and not <c>NowSeconds</c>; as
        /// <c>Threshold.ObserveTask</c>. The mean duration replaces <c>ControllerOptions.PollSeconds</c> if that is 0.</summary>
        TaskDone = 5,
        /// <summary>The machine failed: unsaved work is lost. The run continues.</summary>
        Failure = 6,
        /// <summary>Work continues after a failure: uses <c>SavedSeconds</c> and <c>OverheadSeconds</c>.</summary>
        Recovery = 7,
        /// <summary>The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted
        /// for counts as overhead without benefit.</summary>
        CleanExit = 8,
        /// <summary>The process will be terminated: uses <c>LeftSeconds</c>. A save is requested at once if earlier saves became
        /// durable within that time.</summary>
        Preemption = 9,
    }

    /// <summary>The reason for a decision of a controller.</summary>
    public enum Reason
    {
        /// <summary>No: no save is due yet.</summary>
        NotDue = 0,
        /// <summary>Yes: this poll is the nearest to the target.</summary>
        Due = 1,
        /// <summary>Yes: early, to measure the cost of a save.</summary>
        FirstSave = 2,
        /// <summary>Yes, by the threshold rule: the task is long enough.</summary>
        TaskIsLong = 3,
        /// <summary>No, by the threshold rule: the task is too short, or no slot is left.</summary>
        TaskIsShort = 4,
        /// <summary>No: the previous save is not durable yet.</summary>
        SaveInFlight = 5,
        /// <summary>No: the budget of this window is spent.</summary>
        BudgetIsSpent = 6,
        /// <summary>Yes: the process will be terminated.</summary>
        Preemption = 7,
        /// <summary>No: the process will be terminated before a save could be durable.</summary>
        PreemptionShort = 8,
        /// <summary>No: the process will be terminated, and a save after the notice is durable.</summary>
        PreemptionSaved = 9,
    }

    /// <summary>Options for creating a threshold rule.</summary>
    public sealed unsafe partial class ThresholdOptions
    {
        /// <summary>Initial threshold: a share of the longest task, 0.05 .. 1; default 0.35.</summary>
        public double Threshold { get; set; } = 0.35;

        /// <summary>Maximum change of the threshold by one recovery, &gt; 0, &lt;= 1; default 0.1.</summary>
        public double LearningRate { get; set; } = 0.1;

        /// <summary>Number of checkpoints of a run, &gt;= 0; default 3.</summary>
        public long Budget { get; set; } = 3;

        internal static ckpt_threshold_options Native(ThresholdOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_threshold_options());
            to.threshold = from.Threshold;
            to.learning_rate = from.LearningRate;
            to.budget = from.Budget;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ThresholdOptions", "Threshold", Threshold, "LearningRate", LearningRate, "Budget", Budget);
        }
    }

    /// <summary>The state of a threshold rule.</summary>
    public sealed unsafe partial class ThresholdInfo
    {
        internal ThresholdInfo(ckpt_threshold_info from)
        {
            Threshold = from.threshold;
            LongestSeconds = from.longest_seconds;
            Budget = from.budget;
            Used = from.used;
            Tasks = from.tasks;
        }

        internal static ThresholdInfo Filled(Action<ckpt_threshold_info> fill)
        {
            using (var from = new ckpt_threshold_info())
            {
                fill(from);
                return new ThresholdInfo(from);
            }
        }

        /// <summary>Current threshold: a share of the longest task, 0.05 .. 1.</summary>
        public double Threshold { get; }

        /// <summary>Duration of the longest task observed, in seconds.</summary>
        public double LongestSeconds { get; }

        /// <summary>Number of checkpoints of a run.</summary>
        public long Budget { get; }

        /// <summary>Number of checkpoints used in this run.</summary>
        public long Used { get; }

        /// <summary>Number of stored tasks: at most the last 256.</summary>
        public long Tasks { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ThresholdInfo", "Threshold", Threshold, "LongestSeconds", LongestSeconds, "Budget", Budget, "Used",
                Used, "Tasks", Tasks);
        }
    }

    /// <summary>One observed task.</summary>
    public sealed unsafe partial class TaskObservation
    {
        internal TaskObservation(ckpt_task_observation from)
        {
            Checkpointed = from.checkpointed != 0;
            DurationSeconds = from.duration_seconds;
            Failed = from.failed != 0;
            Name = from.name;
        }

        internal static TaskObservation Filled(Action<ckpt_task_observation> fill)
        {
            using (var from = new ckpt_task_observation())
            {
                fill(from);
                return new TaskObservation(from);
            }
        }

        /// <summary>True when a checkpoint followed it, else false.</summary>
        public bool Checkpointed { get; }

        /// <summary>Duration of the task in seconds.</summary>
        public double DurationSeconds { get; }

        /// <summary>True when it failed, or a failure occurred while it was the last task, else false.</summary>
        public bool Failed { get; }

        /// <summary>Name of the task: UTF-8, not blank.</summary>
        public string Name { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("TaskObservation", "Checkpointed", Checkpointed, "DurationSeconds", DurationSeconds, "Failed",
                Failed, "Name", Name);
        }
    }

    /// <summary>Options for creating a controller.</summary>
    public sealed unsafe partial class ControllerOptions
    {
        /// <summary>Policy that decides about saves: one of <see cref="Policy"/>; default <see cref="Policy.Auto"/>.</summary>
        public Policy Policy { get; set; } = Policy.Auto;

        /// <summary>For <see cref="Policy.Young"/> and <see cref="Policy.Daly"/>: mean time between failures in seconds, &gt;
        /// 0.</summary>
        public double MtbfSeconds { get; set; }

        /// <summary>For <see cref="Policy.Fixed"/>: interval between saves in seconds, &gt; 0.</summary>
        public double IntervalSeconds { get; set; }

        /// <summary>For <see cref="Policy.Bayes"/> and <see cref="Policy.ExpectedValue"/>: factor by which each failure discounts
        /// earlier observations, &gt; 0, &lt;= 1; 1 (the default): no discount.</summary>
        public double Keep { get; set; } = 1;

        /// <summary>Cost of a save in seconds until one was measured; 0: unknown.</summary>
        public double InitialCostSeconds { get; set; }

        /// <summary>If the cost of a save is unknown, latest time of the first save in seconds, to measure it; default
        /// 600.</summary>
        public double FirstSeconds { get; set; } = 600;

        /// <summary>Seconds between two polls; 0: the mean duration of observed tasks. A save is requested at the poll nearest to
        /// the target.</summary>
        public double PollSeconds { get; set; }

        /// <summary>Shortest interval between saves in seconds, &gt;= 0.</summary>
        public double MinIntervalSeconds { get; set; }

        /// <summary>Longest interval between saves in seconds; 0: no maximum.</summary>
        public double MaxIntervalSeconds { get; set; }

        /// <summary>Share of the time that saves may take, &gt; 0, &lt;= 1; default 1. Takes precedence over
        /// <see cref="MaxIntervalSeconds"/>.</summary>
        public double MaxOverheadShare { get; set; } = 1;

        /// <summary>Maximum number of saves in each window, &gt;= 0; 0: no limit.</summary>
        public long BudgetSaves { get; set; }

        /// <summary>Length of the consecutive windows in seconds, from the begin of the run; 0: one window for the whole
        /// run.</summary>
        public double BudgetWindowSeconds { get; set; }

        /// <summary>For <see cref="Policy.Threshold"/>: initial threshold, a share of the longest task, 0.05 .. 1; default
        /// 0.35.</summary>
        public double Threshold { get; set; } = 0.35;

        /// <summary>For <see cref="Policy.Threshold"/>: maximum change of the threshold by one recovery, &gt; 0, &lt;= 1; default
        /// 0.1.</summary>
        public double ThresholdLearningRate { get; set; } = 0.1;

        /// <summary>For <see cref="Policy.Threshold"/>: number of checkpoints of a run, &gt;= 0; default 3.</summary>
        public long ThresholdBudget { get; set; } = 3;

        /// <summary>Clock of <c>Controller.Now</c>; kept alive; null: the monotonic clock.</summary>
        [MaybeNull, AllowNull]
        public Clock Clock { get; set; }

        internal static ckpt_controller_options Native(ControllerOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_controller_options());
            to.policy = (int)from.Policy;
            to.mtbf_seconds = from.MtbfSeconds;
            to.interval_seconds = from.IntervalSeconds;
            to.keep = from.Keep;
            to.initial_cost_seconds = from.InitialCostSeconds;
            to.first_seconds = from.FirstSeconds;
            to.poll_seconds = from.PollSeconds;
            to.min_interval_seconds = from.MinIntervalSeconds;
            to.max_interval_seconds = from.MaxIntervalSeconds;
            to.max_overhead_share = from.MaxOverheadShare;
            to.budget_saves = from.BudgetSaves;
            to.budget_window_seconds = from.BudgetWindowSeconds;
            to.threshold = from.Threshold;
            to.threshold_learning_rate = from.ThresholdLearningRate;
            to.threshold_budget = from.ThresholdBudget;
            to.clock = memory.Of(from.Clock);
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ControllerOptions", "Policy", Policy, "MtbfSeconds", MtbfSeconds, "IntervalSeconds",
                IntervalSeconds, "Keep", Keep, "InitialCostSeconds", InitialCostSeconds, "FirstSeconds", FirstSeconds,
                "PollSeconds", PollSeconds, "MinIntervalSeconds", MinIntervalSeconds, "MaxIntervalSeconds", MaxIntervalSeconds,
                "MaxOverheadShare", MaxOverheadShare, "BudgetSaves", BudgetSaves, "BudgetWindowSeconds", BudgetWindowSeconds,
                "Threshold", Threshold, "ThresholdLearningRate", ThresholdLearningRate, "ThresholdBudget", ThresholdBudget,
                "Clock", Clock);
        }
    }

    /// <summary>An event of a run. Each kind uses the fields that its comment names, and <c>NowSeconds</c>.</summary>
    public sealed unsafe partial class ControllerEvent
    {
        /// <summary>Kind of the event.</summary>
        public ControllerEventKind Kind { get; set; } = ControllerEventKind.RunBegan;

        /// <summary>Time of the event in seconds, on the caller's clock.</summary>
        public double NowSeconds { get; set; }

        /// <summary>Name of the task: UTF-8, not blank, at most 95 bytes.</summary>
        [MaybeNull, AllowNull]
        public string Name { get; set; }

        /// <summary>Duration of the task in seconds: finite, &gt;= 0.</summary>
        public double DurationSeconds { get; set; }

        /// <summary>Seconds for which work was stopped for the save: the cost of the save.</summary>
        public double StallSeconds { get; set; }

        /// <summary>Seconds from the begin of the save until it was durable; used after preemption notices.</summary>
        public double DurableSeconds { get; set; }

        /// <summary>Seconds of work that need not be repeated because of the loaded checkpoint.</summary>
        public double SavedSeconds { get; set; }

        /// <summary>Cost of the loaded checkpoint in seconds.</summary>
        public double OverheadSeconds { get; set; }

        /// <summary>Seconds until the process is terminated.</summary>
        public double LeftSeconds { get; set; }

        internal static ckpt_controller_event Native(ControllerEvent from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_controller_event());
            to.kind = (int)from.Kind;
            to.now_seconds = from.NowSeconds;
            to.name = memory.Of(from.Name);
            to.duration_seconds = from.DurationSeconds;
            to.stall_seconds = from.StallSeconds;
            to.durable_seconds = from.DurableSeconds;
            to.saved_seconds = from.SavedSeconds;
            to.overhead_seconds = from.OverheadSeconds;
            to.left_seconds = from.LeftSeconds;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ControllerEvent", "Kind", Kind, "NowSeconds", NowSeconds, "Name", Name, "DurationSeconds",
                DurationSeconds, "StallSeconds", StallSeconds, "DurableSeconds", DurableSeconds, "SavedSeconds", SavedSeconds,
                "OverheadSeconds", OverheadSeconds, "LeftSeconds", LeftSeconds);
        }
    }

    /// <summary>A controller's decision whether to save now.</summary>
    public sealed unsafe partial class Decision
    {
        internal Decision(ckpt_decision from)
        {
            Checkpoint = from.checkpoint != 0;
            Reason = (Reason)from.reason;
            Policy = (Policy)from.policy;
            IntervalSeconds = from.interval_seconds;
            Risk = from.risk;
            CostSeconds = from.cost_seconds;
            SinceLastSeconds = from.since_last_seconds;
            DueSeconds = from.due_seconds;
        }

        internal static Decision Filled(Action<ckpt_decision> fill)
        {
            using (var from = new ckpt_decision())
            {
                fill(from);
                return new Decision(from);
            }
        }

        /// <summary>True: save now; false: do not.</summary>
        public bool Checkpoint { get; }

        /// <summary>Reason for the decision.</summary>
        public Reason Reason { get; }

        /// <summary>The policy that decided.</summary>
        public Policy Policy { get; }

        /// <summary>Current target interval between saves, in seconds; 0 for <see cref="Policy.Threshold"/>.</summary>
        public double IntervalSeconds { get; }

        /// <summary>Probability of a failure within the target interval, 0 .. 1.</summary>
        public double Risk { get; }

        /// <summary>Cost of a save in seconds: measured, set, or assumed (60 s).</summary>
        public double CostSeconds { get; }

        /// <summary>Seconds since the last save, or since work began.</summary>
        public double SinceLastSeconds { get; }

        /// <summary>When the next save is due, in seconds on the caller's clock; 0 for <see cref="Policy.Threshold"/>.</summary>
        public double DueSeconds { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("Decision", "Checkpoint", Checkpoint, "Reason", Reason, "Policy", Policy, "IntervalSeconds",
                IntervalSeconds, "Risk", Risk, "CostSeconds", CostSeconds, "SinceLastSeconds", SinceLastSeconds, "DueSeconds",
                DueSeconds);
        }
    }

    /// <summary>The state of a controller.</summary>
    public sealed unsafe partial class ControllerInfo
    {
        internal ControllerInfo(ckpt_controller_info from)
        {
            Running = from.running != 0;
            SaveInFlight = from.save_in_flight != 0;
            Failures = from.failures;
            Saves = from.saves;
            CostSeconds = from.cost_seconds;
            DurableSeconds = from.durable_seconds;
            UnjudgedOverheadSeconds = from.unjudged_overhead_seconds;
            LastSeenSeconds = from.last_seen_seconds;
            MtbfSeconds = from.mtbf_seconds;
            Threshold = from.threshold;
            ThresholdUsed = from.threshold_used;
            Tasks = from.tasks;
        }

        internal static ControllerInfo Filled(Action<ckpt_controller_info> fill)
        {
            using (var from = new ckpt_controller_info())
            {
                fill(from);
                return new ControllerInfo(from);
            }
        }

        /// <summary>True while a run is in progress, else false.</summary>
        public bool Running { get; }

        /// <summary>True while a save has begun and is neither committed nor aborted, else false.</summary>
        public bool SaveInFlight { get; }

        /// <summary>Number of failures recorded.</summary>
        public long Failures { get; }

        /// <summary>Number of saves committed.</summary>
        public long Saves { get; }

        /// <summary>Mean stall of the last eight saves in seconds; 0 when there was none.</summary>
        public double CostSeconds { get; }

        /// <summary>Mean time in seconds until the last eight saves were durable; 0 when there was none.</summary>
        public double DurableSeconds { get; }

        /// <summary>Cost in seconds of saves that no recovery or clean exit has accounted for yet.</summary>
        public double UnjudgedOverheadSeconds { get; }

        /// <summary>Time of the last recorded event, in seconds on the caller's clock.</summary>
        public double LastSeenSeconds { get; }

        /// <summary>Mean time between failures in seconds at <see cref="LastSeenSeconds"/>, as the policy estimates it: 1 / failure
        /// rate.</summary>
        public double MtbfSeconds { get; }

        /// <summary>Current threshold of the threshold rule: a share of the longest task.</summary>
        public double Threshold { get; }

        /// <summary>Number of slots of this run that the threshold rule has used.</summary>
        public long ThresholdUsed { get; }

        /// <summary>Number of stored tasks.</summary>
        public long Tasks { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ControllerInfo", "Running", Running, "SaveInFlight", SaveInFlight, "Failures", Failures, "Saves",
                Saves, "CostSeconds", CostSeconds, "DurableSeconds", DurableSeconds, "UnjudgedOverheadSeconds",
                UnjudgedOverheadSeconds, "LastSeenSeconds", LastSeenSeconds, "MtbfSeconds", MtbfSeconds, "Threshold", Threshold,
                "ThresholdUsed", ThresholdUsed, "Tasks", Tasks);
        }
    }

    /// <summary>Options of a simulation: failures to replay, and policies.</summary>
    public sealed unsafe partial class SimulationOptions
    {
        /// <summary>Text with the seconds between failures, one number per line, # begins a comment; null: a distribution is
        /// used.</summary>
        [MaybeNull, AllowNull]
        public string Trace { get; set; }

        /// <summary>Distribution of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; null: a trace
        /// is used.</summary>
        [MaybeNull, AllowNull]
        public string Law { get; set; }

        /// <summary>The policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF),
        /// bayes, bayes:KEEP, weibull, fixed:SECONDS; null: all but fixed.</summary>
        [MaybeNull, AllowNull]
        public string Policies { get; set; }

        /// <summary>Number of nodes: they fail independently, and each failure stops all; 1 .. 1000000; default 1.</summary>
        public long Nodes { get; set; } = 1;

        /// <summary>Number of failures to draw in each run, 1 .. 1000000; default 200.</summary>
        public long Failures { get; set; } = 200;

        /// <summary>Number of runs to draw, 1 .. 100000; default 20.</summary>
        public long Replicas { get; set; } = 20;

        /// <summary>Seed of all random draws; default 1.</summary>
        public ulong Seed { get; set; } = 1;

        /// <summary>Cost of a save in seconds, &gt; 0; default 30.</summary>
        public double CostSeconds { get; set; } = 30;

        /// <summary>Duration of a restart after a failure, in seconds, &gt;= 0; default 300.</summary>
        public double RestartSeconds { get; set; } = 300;

        /// <summary>Seconds between polls, &gt; 0; default 30.</summary>
        public double PollSeconds { get; set; } = 30;

        /// <summary>N, where every n-th save is remote and costs <see cref="CostSeconds"/>, and the others are local; &gt;= 1; 1
        /// (the default): all are remote.</summary>
        public long RemoteEvery { get; set; } = 1;

        /// <summary>Cost of a local save in seconds, &gt; 0 if saves are local.</summary>
        public double LocalCostSeconds { get; set; }

        /// <summary>Share of the failures that destroy local saves, 0 .. 1.</summary>
        public double RemoteShare { get; set; }

        internal static ckpt_simulation_options Native(SimulationOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_simulation_options());
            to.trace = memory.Of(from.Trace);
            to.law = memory.Of(from.Law);
            to.policies = memory.Of(from.Policies);
            to.nodes = from.Nodes;
            to.failures = from.Failures;
            to.replicas = from.Replicas;
            to.seed = from.Seed;
            to.cost_seconds = from.CostSeconds;
            to.restart_seconds = from.RestartSeconds;
            to.poll_seconds = from.PollSeconds;
            to.remote_every = from.RemoteEvery;
            to.local_cost_seconds = from.LocalCostSeconds;
            to.remote_share = from.RemoteShare;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("SimulationOptions", "Trace", Trace, "Law", Law, "Policies", Policies, "Nodes", Nodes, "Failures",
                Failures, "Replicas", Replicas, "Seed", Seed, "CostSeconds", CostSeconds, "RestartSeconds", RestartSeconds,
                "PollSeconds", PollSeconds, "RemoteEvery", RemoteEvery, "LocalCostSeconds", LocalCostSeconds, "RemoteShare",
                RemoteShare);
        }
    }
}
