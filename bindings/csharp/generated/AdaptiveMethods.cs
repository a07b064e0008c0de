// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Controller
    {
        internal Controller(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a controller. options: null for the defaults. <see cref="CkptStatus.InvalidArgument"/> names the option
        /// that is out of range.</summary>
        public Controller([AllowNull] ControllerOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_controller_create(ControllerOptions.Native(options, memory), out created),
                    native.ckpt_controller_release))
        {
        }

        /// <summary>Returns the time on the controller's clock, for callers without a separate clock.</summary>
        public double Now
        {
            get
            {
                double value;
                native.ckpt_controller_get_now(Handle, out value);
                return value;
            }
        }

        /// <summary>Records an event. <see cref="CkptStatus.InvalidArgument"/> for an unknown kind and for a time that is not
        /// finite; <see cref="CkptStatus.InvalidState"/> as the kinds document, and without a run for kinds that need
        /// one.</summary>
        public void Record(ControllerEvent controllerEvent)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_controller_record(Handle, ControllerEvent.Native(controllerEvent, memory));
            }
        }

        /// <summary>Decides whether to save now, and reports the reason. Changes nothing, so it may be called at any rate.
        /// <see cref="CkptStatus.InvalidState"/> when no run is in progress.</summary>
        public Decision ShouldCheckpoint(double nowSeconds)
        {
            return Decision.Filled(filled => native.ckpt_controller_should_checkpoint(Handle, nowSeconds, filled));
        }

        /// <summary>Decides as <c>Controller.ShouldCheckpoint</c>, with the same decision on all processes, which must all call it:
        /// rank 0 decides and broadcasts. Each rank records the begin and commit of every save in its own controller; the cost of a
        /// save is the longest stall of all ranks. After a save this call gathers the stalls on rank 0, and its controller records
        /// the longest before it decides; this is repeated in later calls until no rank is still in that save. The controllers of
        /// other ranks keep their own stalls. nowSeconds is only used on rank 0. If rank 0 cannot decide, or the arguments of one
        /// rank are invalid, all return the status and message of that rank. Only a rank with a coordinator that is null or another
        /// handle fails alone; the others time out. <see cref="CkptStatus.Timeout"/> and <see cref="CkptStatus.Callback"/> as
        /// <c>Coordinator.AllGather</c>, <c>Coordinator.Gather</c> and <c>Coordinator.Broadcast</c>.
        /// <see cref="CkptStatus.Corrupt"/> if they return invalid data instead of a decision or stalls. timeout: &gt;= 0, for the
        /// call as a whole.</summary>
        public Decision DecideAll(Coordinator coordinator, double nowSeconds, TimeSpan timeout)
        {
            return Decision.Filled(filled =>
                native.ckpt_controller_decide_all(Handle, HandleOf(coordinator), nowSeconds, Times.Nanoseconds(timeout),
                    filled));
        }

        /// <summary>Returns the state of the controller.</summary>
        public ControllerInfo GetInfo()
        {
            return ControllerInfo.Filled(filled => native.ckpt_controller_get_info(Handle, filled));
        }

        /// <summary>Lists the stored tasks, the oldest first.</summary>
        public IReadOnlyList<TaskObservation> ListTasks()
        {
            return NativeList.Created(native.ckpt_controller_list_tasks(Handle), at =>
                new TaskObservation(new ckpt_task_observation(at, false)));
        }

        /// <summary>Returns the complete state of the controller as JSON. For <c>State.SetJson</c> with the key "controller", after
        /// <see cref="ControllerEventKind.SaveBegan"/>, so that the estimates survive a crash. Numbers are restored to the same
        /// bits.</summary>
        public string ToJson()
        {
            return native.ckpt_controller_get_json(Handle);
        }

        /// <summary>Restores the state that <c>Controller.Json</c> wrote, also of a controller with other options; the options of
        /// this controller are kept. In the same process the controller continues from the state of the other one; after a restart
        /// record <see cref="ControllerEventKind.RunResumed"/>. <see cref="CkptStatus.Corrupt"/> if json is not the state of a
        /// controller, <see cref="CkptStatus.Unsupported"/> if it is of a later version; then nothing changes.</summary>
        public void Restore(string json)
        {
            native.ckpt_controller_restore(Handle, json);
        }

        /// <summary>A run begins: budgets and windows start again. <see cref="CkptStatus.InvalidState"/> during a run.</summary>
        public void BeginRun(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.RunBegan, NowSeconds = nowSeconds });
        }

        /// <summary>This process continues the run that <c>Controller.Restore</c> loaded. A run that was in progress there counts
        /// as failed, half an interval after its last event, but not later than now; record its recovery next. Without such a run:
        /// as <see cref="ControllerEventKind.RunBegan"/>. The time may be on another clock than in the previous process.</summary>
        public void Resume(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.RunResumed, NowSeconds = nowSeconds });
        }

        /// <summary>A save starts: no other save is requested until it is committed or aborted.
        /// <see cref="CkptStatus.InvalidState"/> while a save is in flight.</summary>
        public void Begin(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.SaveBegan, NowSeconds = nowSeconds });
        }

        /// <summary>The save in flight is durable. <see cref="CkptStatus.InvalidState"/> without a save in flight.</summary>
        public void Commit(double nowSeconds, double stallSeconds, double durableSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.SaveCommitted, NowSeconds = nowSeconds,
                StallSeconds = stallSeconds, DurableSeconds = durableSeconds });
        }

        /// <summary>The save in flight failed: it is not used as a measurement. <see cref="CkptStatus.InvalidState"/> without a
        /// save in flight.</summary>
        public void Abort(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.SaveAborted, NowSeconds = nowSeconds });
        }

        /// <summary>A task is done; as <c>Threshold.ObserveTask</c>. The mean duration replaces
        /// <c>ControllerOptions.PollSeconds</c> if that is 0.</summary>
        public void ObserveTask(string name, double durationSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.TaskDone, Name = name, DurationSeconds = durationSeconds });
        }

        /// <summary>The machine failed: unsaved work is lost. The run continues.</summary>
        public void RecordFailure(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.Failure, NowSeconds = nowSeconds });
        }

        /// <summary>Work continues after a failure.</summary>
        public void RecordRecovery(double nowSeconds, double savedSeconds, double overheadSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.Recovery, NowSeconds = nowSeconds,
                SavedSeconds = savedSeconds, OverheadSeconds = overheadSeconds });
        }

        /// <summary>The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted
        /// for counts as overhead without benefit.</summary>
        public void RecordCleanExit(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.CleanExit, NowSeconds = nowSeconds });
        }

        /// <summary>The process will be terminated. A save is requested at once if earlier saves became durable within that
        /// time.</summary>
        public void NotifyPreemption(double nowSeconds, double leftSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.Preemption, NowSeconds = nowSeconds,
                LeftSeconds = leftSeconds });
        }
    }

    public partial class Intervals
    {
        /// <summary>Returns the work between two checkpoints that cost costSeconds each on a machine with this mean time between
        /// failures: sqrt(2 C M). Both &gt; 0 and finite. Source: Young, "A first order approximation to the optimum checkpoint
        /// interval", CACM 17(9), 1974.</summary>
        public static double Young(double costSeconds, double mtbfSeconds)
        {
            double value;
            native.ckpt_interval_young(costSeconds, mtbfSeconds, out value);
            return value;
        }

        /// <summary>Returns the work between two checkpoints as <c>Intervals.Young</c>, to a higher order: sqrt(2CM) (1 +
        /// sqrt(C/2M)/3 + (C/2M)/9) - C for C &lt; 2M, else M. Source: Daly, "A higher order estimate of the optimum checkpoint
        /// interval for restart dumps", Future Generation Computer Systems 22(3), 2006.</summary>
        public static double Daly(double costSeconds, double mtbfSeconds)
        {
            double value;
            native.ckpt_interval_daly(costSeconds, mtbfSeconds, out value);
            return value;
        }

        /// <summary>Returns the work W at which P(failure before the next checkpoint, another W away) * W = (1 - P) * cost, for
        /// exponential failures. Both arguments &gt; 0 and finite.</summary>
        public static double ExpectedValue(double costSeconds, double mtbfSeconds)
        {
            double value;
            native.ckpt_interval_expected_value(costSeconds, mtbfSeconds, out value);
            return value;
        }

        /// <summary>Returns sqrt(2 C / h(age)), h(age) = shape/scale (age/scale)^(shape - 1): the hazard rate of a Weibull
        /// distribution. All &gt; 0 and finite.</summary>
        public static double Weibull(double costSeconds, double weibullShape, double scaleSeconds, double ageSeconds)
        {
            double value;
            native.ckpt_interval_weibull(costSeconds, weibullShape, scaleSeconds, ageSeconds, out value);
            return value;
        }
    }

    /// <summary>A completed simulation.</summary>
    public sealed partial class Simulation : NativeObject
    {
        internal Simulation(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Replays failures against each policy and each fixed interval. It compares them with Daly's interval (computed
        /// from the true MTBF and cost), and with an oracle that has the time of the next failure. Failures interrupt work, saves
        /// and restarts; only finished saves count. options: not null, because it has the failures.
        /// <see cref="CkptStatus.InvalidArgument"/> names the invalid option, or the line of a trace.
        /// <see cref="CkptStatus.OutOfRange"/> names the argument to change if there would be more than 10^9 polls, gaps for the
        /// estimators, or node lifetimes: up to that limit a simulation takes seconds to minutes.</summary>
        public Simulation(SimulationOptions options)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_simulation_create(SimulationOptions.Native(Given(options, "options"), memory), out created),
                    native.ckpt_simulation_release))
        {
        }

        /// <summary>Returns the results as JSON: for each policy its efficiency (finished work per wall time), and its extra wall
        /// time against Daly's interval for the same work. The periods are all failures, the first 10, the first 100, and those
        /// after 100; null if there are none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures, as [failures,
        /// share] points for each policy. "fixed_intervals" has the efficiency of each fixed interval, as [seconds, efficiency].
        /// "failure_gaps" is a histogram of the times between failures, as [from seconds, to seconds, count].</summary>
        public string ToJson()
        {
            return native.ckpt_simulation_get_json(Handle);
        }
    }

    /// <summary>A rule that checkpoints after tasks with a large enough share of the duration of the longest task, while slots
    /// are left. It adjusts that share by the savings of recoveries. One thread at a time. Weaknesses: it ignores the time
    /// since the last checkpoint and the failure rate, and its steps depend on the unit of time. One outlier stays the longest
    /// task permanently, and the slots of a long run are used up.</summary>
    public sealed partial class Threshold : NativeObject
    {
        internal Threshold(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a threshold rule. options: null for the defaults.</summary>
        public Threshold([AllowNull] ThresholdOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_threshold_create(ThresholdOptions.Native(options, memory), out created),
                    native.ckpt_threshold_release))
        {
        }

        /// <summary>Records the duration of a task. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite, &gt;=
        /// 0.</summary>
        public void ObserveTask(string name, double durationSeconds)
        {
            native.ckpt_threshold_observe_task(Handle, name, durationSeconds);
        }

        /// <summary>Records that a task failed after this duration. It is stored, with failed = 1 in <see cref="TaskObservation"/>,
        /// and is never the longest task, because it was not completed. name: UTF-8, not blank, at most 95 bytes. durationSeconds:
        /// finite, &gt;= 0. Record the savings of the recovery with <c>Threshold.AdjustPolicy</c>.</summary>
        public void ObserveFailure(string name, double durationSeconds)
        {
            native.ckpt_threshold_observe_failure(Handle, name, durationSeconds);
        }

        /// <summary>Returns true when a slot is left and costSeconds / max(longest task, 1e-6) reaches the threshold, which
        /// consumes the slot; else false.</summary>
        public bool ShouldCheckpoint(string name, double costSeconds)
        {
            int value;
            native.ckpt_threshold_should_checkpoint(Handle, name, costSeconds, out value);
            return value != 0;
        }

        /// <summary>Adds -sign(b) * <c>LearningRate</c> * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it
        /// within 0.05 .. 1.</summary>
        public void AdjustPolicy(double savedSeconds, double overheadSeconds)
        {
            native.ckpt_threshold_adjust_policy(Handle, savedSeconds, overheadSeconds);
        }

        /// <summary>Frees all slots for a new run; the threshold and the longest task are kept.</summary>
        public void BeginRun()
        {
            native.ckpt_threshold_begin_run(Handle);
        }

        /// <summary>Returns the state of the rule.</summary>
        public ThresholdInfo GetInfo()
        {
            return ThresholdInfo.Filled(filled => native.ckpt_threshold_get_info(Handle, filled));
        }

        /// <summary>Lists the stored tasks, the oldest first.</summary>
        public IReadOnlyList<TaskObservation> ListTasks()
        {
            return NativeList.Created(native.ckpt_threshold_list_tasks(Handle), at =>
                new TaskObservation(new ckpt_task_observation(at, false)));
        }
    }
}
