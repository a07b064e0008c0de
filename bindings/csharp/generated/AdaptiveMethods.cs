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
            : this(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_controller_create(ControllerOptions.Native(options, memory), out made),
                    native.ckpt_controller_release))
        {
        }

        /// <summary>Returns the time on the controller's clock, for callers that have none of their own.</summary>
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

        /// <summary>Decides whether to save now, and why. Changes nothing, so it may be asked as often as one likes.
        /// <see cref="CkptStatus.InvalidState"/> when no run is going on.</summary>
        public Decision ShouldCheckpoint(double nowSeconds)
        {
            return Decision.Filled(filled => native.ckpt_controller_should_checkpoint(Handle, nowSeconds, filled));
        }

        /// <summary>Decides as <c>Controller.ShouldCheckpoint</c>, with the same answer for all processes, which must all call it:
        /// rank 0 decides and broadcasts. What a save has cost is the longest stall of all ranks, each of which begins and commits
        /// every save in a controller of its own: after a save this call gathers their stalls on rank 0, whose controller notes the
        /// longest before it decides; again until none of them is still in that save. The other ranks' controllers keep their own
        /// stalls. nowSeconds counts on rank 0 only. If rank 0 cannot decide, or the arguments of one rank are wrong, all return
        /// the status and message of that rank. Only a rank whose coordinator is null or another handle returns alone; the others
        /// time out. <see cref="CkptStatus.Timeout"/> and <see cref="CkptStatus.Callback"/> as <c>Coordinator.AllGather</c>,
        /// <c>Coordinator.Gather</c> and <c>Coordinator.Broadcast</c>. <see cref="CkptStatus.Corrupt"/> if they return invalid data
        /// instead of a decision or stalls. timeout: at least 0, for the call as a whole.</summary>
        public Decision DecideAll(Coordinator coordinator, double nowSeconds, TimeSpan timeout)
        {
            return Decision.Filled(filled =>
                native.ckpt_controller_decide_all(Handle, HandleOf(coordinator), nowSeconds, Times.Nanoseconds(timeout),
                    filled));
        }

        /// <summary>Returns what the controller knows.</summary>
        public ControllerInfo GetInfo()
        {
            return ControllerInfo.Filled(filled => native.ckpt_controller_get_info(Handle, filled));
        }

        /// <summary>Lists the tasks that are remembered, the oldest first.</summary>
        public IReadOnlyList<TaskObservation> ListTasks()
        {
            return NativeList.Made(native.ckpt_controller_list_tasks(Handle), at =>
                new TaskObservation(new ckpt_task_observation(at, false)));
        }

        /// <summary>Returns everything that the controller knows as JSON. Meant for <c>State.SetJson</c> with the key "controller",
        /// after <see cref="ControllerEventKind.SaveBegan"/>, so that learning survives the crash that it learns from. Numbers read
        /// back to the same bits.</summary>
        public string ToJson()
        {
            return native.ckpt_controller_get_json(Handle);
        }

        /// <summary>Reads what <c>Controller.Json</c> wrote, also of a controller with other options: these stay. In the same
        /// process the controller goes on where the other one was; after a restart record
        /// <see cref="ControllerEventKind.RunResumed"/>. <see cref="CkptStatus.Corrupt"/> when json is not such a text,
        /// <see cref="CkptStatus.Unsupported"/> when it is of a later version; then nothing changes.</summary>
        public void Restore(string json)
        {
            native.ckpt_controller_restore(Handle, json);
        }

        /// <summary>A run begins: budgets and windows start again. <see cref="CkptStatus.InvalidState"/> during a run.</summary>
        public void BeginRun(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.RunBegan, NowSeconds = nowSeconds });
        }

        /// <summary>This process continues what <c>Controller.Restore</c> loaded. If a run was in progress there, it has failed:
        /// half an interval after its last event, but not later than now; record its recovery next. Without such a run: as
        /// <see cref="ControllerEventKind.RunBegan"/>. The time may be on another clock than in the process before.</summary>
        public void Resume(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.RunResumed, NowSeconds = nowSeconds });
        }

        /// <summary>A save starts: no other one is asked for until it is committed or aborted.
        /// <see cref="CkptStatus.InvalidState"/> while one is in flight.</summary>
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

        /// <summary>The save in flight failed: nothing is learned from it. <see cref="CkptStatus.InvalidState"/> without a save in
        /// flight.</summary>
        public void Abort(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.SaveAborted, NowSeconds = nowSeconds });
        }

        /// <summary>A task is done; as <c>Threshold.ObserveTask</c>. The mean duration also stands for
        /// <c>ControllerOptions.PollSeconds</c> when that is 0.</summary>
        public void ObserveTask(string name, double durationSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.TaskDone, Name = name, DurationSeconds = durationSeconds });
        }

        /// <summary>The machine failed: what was not saved is lost. The run continues.</summary>
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

        /// <summary>The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has judged was
        /// spent for nothing.</summary>
        public void RecordCleanExit(double nowSeconds)
        {
            Record(new ControllerEvent { Kind = ControllerEventKind.CleanExit, NowSeconds = nowSeconds });
        }

        /// <summary>The process will be terminated. A save is asked for at once if those before became durable within that
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
        /// failures: sqrt(2 C M). Both above 0 and finite. Source: Young, "A first order approximation to the optimum checkpoint
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
        /// exponential failures. Both arguments above 0 and finite.</summary>
        public static double ExpectedValue(double costSeconds, double mtbfSeconds)
        {
            double value;
            native.ckpt_interval_expected_value(costSeconds, mtbfSeconds, out value);
            return value;
        }

        /// <summary>Returns sqrt(2 C / h(age)), h(age) = shape/scale (age/scale)^(shape - 1): the hazard of a Weibull law. All
        /// above 0 and finite.</summary>
        public static double Weibull(double costSeconds, double weibullShape, double scaleSeconds, double ageSeconds)
        {
            double value;
            native.ckpt_interval_weibull(costSeconds, weibullShape, scaleSeconds, ageSeconds, out value);
            return value;
        }
    }

    /// <summary>A simulation that is done.</summary>
    public sealed partial class Simulation : NativeObject
    {
        internal Simulation(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Replays failures against each policy, each fixed interval, Daly's interval with the true MTBF and cost, and one
        /// who knows when the next failure comes. Failures hit work, saves and restarts; only finished saves count. options: must
        /// be there, for it has the failures. <see cref="CkptStatus.InvalidArgument"/> names what is wrong, also the line of a
        /// trace. <see cref="CkptStatus.OutOfRange"/> names the argument to change when there would be more than 10^9 polls, gaps
        /// replayed to learn from, or lives of nodes: below that it takes seconds to minutes.</summary>
        public Simulation(SimulationOptions options)
            : this(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_simulation_create(SimulationOptions.Native(Given(options, "options"), memory), out made),
                    native.ckpt_simulation_release))
        {
        }

        /// <summary>Returns the results as JSON: for each policy its efficiency (finished work per wall time) and its extra wall
        /// time against Daly's interval for the same work, over all failures, the first 10, the first 100, and those after 100;
        /// null where there is none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures as [failures, share]
        /// points for each policy, "fixed_intervals" the efficiency of each fixed interval as [seconds, efficiency], "failure_gaps"
        /// how many of the times between failures lie in each interval, as [from seconds, to seconds, count].</summary>
        public string ToJson()
        {
            return native.ckpt_simulation_get_json(Handle);
        }
    }

    /// <summary>Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share
    /// by what recoveries saved. One thread at a time. Weaknesses: it knows neither the time since the last checkpoint nor the
    /// failure rate, its steps depend on the unit of time, one outlier stays the longest task for ever, and slots for a
    /// lifetime run out.</summary>
    public sealed partial class Threshold : NativeObject
    {
        internal Threshold(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a threshold rule. options: null for the defaults.</summary>
        public Threshold([AllowNull] ThresholdOptions options = null)
            : this(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_threshold_create(ThresholdOptions.Native(options, memory), out made),
                    native.ckpt_threshold_release))
        {
        }

        /// <summary>Records that a task took this long. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite, at least
        /// 0.</summary>
        public void ObserveTask(string name, double durationSeconds)
        {
            native.ckpt_threshold_observe_task(Handle, name, durationSeconds);
        }

        /// <summary>Records that a task failed after this long. It is remembered, with failed = 1 in <see cref="TaskObservation"/>,
        /// and is never the longest task, for it was not done. name: UTF-8, not blank, at most 95 bytes. durationSeconds: finite,
        /// at least 0. What recovering from it saved is recorded with <c>Threshold.AdjustPolicy</c>.</summary>
        public void ObserveFailure(string name, double durationSeconds)
        {
            native.ckpt_threshold_observe_failure(Handle, name, durationSeconds);
        }

        /// <summary>Returns 1 when a slot is left and costSeconds / max(longest task, 1e-6) reaches the threshold, which consumes
        /// the slot; else 0.</summary>
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

        /// <summary>Frees all slots for a new run; threshold and longest task stay.</summary>
        public void BeginRun()
        {
            native.ckpt_threshold_begin_run(Handle);
        }

        /// <summary>Returns what the rule knows.</summary>
        public ThresholdInfo GetInfo()
        {
            return ThresholdInfo.Filled(filled => native.ckpt_threshold_get_info(Handle, filled));
        }

        /// <summary>Lists the tasks that are remembered, the oldest first.</summary>
        public IReadOnlyList<TaskObservation> ListTasks()
        {
            return NativeList.Made(native.ckpt_threshold_list_tasks(Handle), at =>
                new TaskObservation(new ckpt_task_observation(at, false)));
        }
    }
}
