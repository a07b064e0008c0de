// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The state of a task, or how it ended. A task changes from <see cref="CheckpointTaskState.Queued"/> to
    /// <see cref="CheckpointTaskState.Running"/> to one of the final states, or from <see cref="CheckpointTaskState.Queued"/>
    /// directly to a final state; a final state never changes.</summary>
    public enum CheckpointTaskState
    {
        /// <summary>Admitted; being copied, or waiting for a worker or its gate.</summary>
        Queued = 0,
        /// <summary>A worker has begun.</summary>
        Running = 1,
        /// <summary>A save is durable; a load has filled the state.</summary>
        Completed = 2,
        /// <summary>An error stopped it.</summary>
        Failed = 3,
        /// <summary>Stopped on request.</summary>
        Cancelled = 4,
        /// <summary>Refused because the queue was full, or dropped for a newer one.</summary>
        Rejected = 5,
    }

    /// <summary>The operation of a task.</summary>
    public enum CheckpointTaskKind
    {
        /// <summary>Saves a state.</summary>
        Save = 0,
        /// <summary>Loads a state.</summary>
        Load = 1,
    }

    /// <summary>The treatment of unfinished tasks when a manager is closed.</summary>
    public enum CloseMode
    {
        /// <summary>Queued tasks are completed first.</summary>
        Drain = 0,
        /// <summary>Queued and uncommitted tasks are cancelled.</summary>
        Cancel = 1,
        /// <summary>Queued tasks are completed first; a failure that the call returns does not count as reported, so the release of
        /// the manager reports it again. For the end of a scope that cannot raise an error.</summary>
        DrainUnreported = 2,
    }

    /// <summary>How the bytes of a save are staged.</summary>
    public enum StagingMode
    {
        /// <summary>The tensors of a save are copied, by several threads, before the call returns: the save is then
        /// staged.</summary>
        Copy = 0,
        /// <summary>The tensors of a save are never copied as a whole: no caller may write to them until the save is staged,
        /// shortly before it ends. If a write is detected, the save fails with <see cref="CkptStatus.InvalidState"/>; in any case
        /// the checksums of a checkpoint match its bytes.</summary>
        Borrow = 1,
        /// <summary>The tensors of a save are copied in the background: no caller may write to them until the save is staged, after
        /// the copy.</summary>
        Deferred = 2,
    }

    /// <summary>The treatment of a new task when the queue is full.</summary>
    public enum WhenFull
    {
        /// <summary>Fails with <see cref="CkptStatus.QueueFull"/> at once.</summary>
        Refuse = 0,
        /// <summary>Waits for a place until the time-out expires, then fails with <see cref="CkptStatus.QueueFull"/>; waiting
        /// without a time-out opens all gates.</summary>
        Wait = 1,
        /// <summary>Drops the oldest task that no worker has started, which ends <see cref="CheckpointTaskState.Rejected"/>; fails
        /// with <see cref="CkptStatus.QueueFull"/> if there is none.</summary>
        DropOldest = 2,
    }

    /// <summary>The order in which tasks start.</summary>
    public enum Priority
    {
        /// <summary>Starts after all tasks of a higher priority.</summary>
        Low = -1,
        /// <summary>Starts after tasks of high priority and before tasks of low priority.</summary>
        Normal = 0,
        /// <summary>Starts before all tasks of a lower priority.</summary>
        High = 1,
    }

    /// <summary>A list of tasks.</summary>
    public enum CheckpointTaskList
    {
        /// <summary>The tasks that have not ended, the oldest first.</summary>
        Live = 0,
        /// <summary>The tasks that have ended and are in the history, in the order in which they ended.</summary>
        Ended = 1,
    }

    /// <summary>How a background task ended.</summary>
    public sealed unsafe partial class CheckpointTaskResult
    {
        internal CheckpointTaskResult(ckpt_checkpoint_task_result from)
        {
            State = (CheckpointTaskState)from.state;
            Status = (CkptStatus)from.status;
            Kind = (CheckpointTaskKind)from.kind;
            Id = from.id;
            Step = from.step;
            Bytes = from.bytes;
            Retries = from.retries;
            Duration = Times.OfNanoseconds(from.duration_ns);
            Stall = Times.OfNanoseconds(from.stall_ns);
            Durable = Times.OfNanoseconds(from.durable_ns);
            Name = from.name;
            Error = from.error;
            Generation = from.generation;
            RolledBack = from.rolled_back != 0;
            MetricIgnored = from.metric_ignored != 0;
            UnreportedFailures = from.unreported_failures;
            UnreportedStatus = (CkptStatus)from.unreported_status;
            UnreportedError = from.unreported_error;
        }

        internal static CheckpointTaskResult Filled(Action<ckpt_checkpoint_task_result> fill)
        {
            using (var from = new ckpt_checkpoint_task_result())
            {
                fill(from);
                return new CheckpointTaskResult(from);
            }
        }

        /// <summary>Final state of the task: <see cref="CheckpointTaskState.Completed"/>, <see cref="CheckpointTaskState.Failed"/>,
        /// <see cref="CheckpointTaskState.Cancelled"/> or <see cref="CheckpointTaskState.Rejected"/>.</summary>
        public CheckpointTaskState State { get; }

        /// <summary><see cref="CkptStatus.Ok"/> when completed, <see cref="CkptStatus.Cancelled"/> when cancelled,
        /// <see cref="CkptStatus.QueueFull"/> when rejected, else the error.</summary>
        public CkptStatus Status { get; }

        /// <summary>Kind of task: <see cref="CheckpointTaskKind.Save"/> or <see cref="CheckpointTaskKind.Load"/>.</summary>
        public CheckpointTaskKind Kind { get; }

        /// <summary>Id of the task.</summary>
        public long Id { get; }

        /// <summary>Number of the step: of a save, in any final state; of the checkpoint that a load loaded, 0 unless
        /// completed.</summary>
        public long Step { get; }

        /// <summary>Bytes of the files that are durable, or that were loaded; 0 unless completed.</summary>
        public long Bytes { get; }

        /// <summary>Number of operations that the manager's fault handler retried, and of files that were written again.</summary>
        public long Retries { get; }

        /// <summary>Time from the start of the task by a worker to its end; 0 when none started it.</summary>
        public TimeSpan Duration { get; }

        /// <summary>Time for which the call that created the task blocked its caller: admission and staging.</summary>
        public TimeSpan Stall { get; }

        /// <summary>Time from the call that created the task until it was durable (loaded); 0 unless completed.</summary>
        public TimeSpan Durable { get; }

        /// <summary>Name of the checkpoint: its directory in the storage; empty unless completed.</summary>
        public string Name { get; }

        /// <summary>Reason why the task did not complete: one line of UTF-8, truncated at a character boundary; empty when
        /// completed.</summary>
        public string Error { get; }

        /// <summary>Generation of a save's line, which increases with each roll-back; 0 in a storage without roll-backs, and when
        /// rejected.</summary>
        public long Generation { get; }

        /// <summary>True when the generation began with this save, which was accepted although its step does not exceed the newest
        /// step, else false.</summary>
        public bool RolledBack { get; }

        /// <summary>True when the metric of a save was not finite, so that the checkpoint has none, else false.</summary>
        public bool MetricIgnored { get; }

        /// <summary>Number of failures of earlier background tasks of the storage that no caller has received (see
        /// <see cref="SaveResult"/>); of a save that completed, else 0.</summary>
        public long UnreportedFailures { get; }

        /// <summary>Status of the oldest of the unreported failures; <see cref="CkptStatus.Ok"/> when there are none.</summary>
        public CkptStatus UnreportedStatus { get; }

        /// <summary>The oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there
        /// are none.</summary>
        public string UnreportedError { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("CheckpointTaskResult", "State", State, "Status", Status, "Kind", Kind, "Id", Id, "Step", Step,
                "Bytes", Bytes, "Retries", Retries, "Duration", Duration, "Stall", Stall, "Durable", Durable, "Name", Name,
                "Error", Error, "Generation", Generation, "RolledBack", RolledBack, "MetricIgnored", MetricIgnored,
                "UnreportedFailures", UnreportedFailures, "UnreportedStatus", UnreportedStatus, "UnreportedError",
                UnreportedError);
        }
    }

    /// <summary>Options for creating a manager of background tasks.</summary>
    public sealed unsafe partial class AsyncManagerOptions
    {
        /// <summary>Number of worker threads that write and load, 1 .. 16; default 1. Each uses another thread for checksums. Saves
        /// of one checkpoint manager wait for one another, so more than 1 speeds up only loads.</summary>
        public int Workers { get; set; } = 1;

        /// <summary>Maximum number of tasks that have not ended, 1 .. 65536; default 10.</summary>
        public long Capacity { get; set; } = 10;

        /// <summary>Number of ended tasks that can still be queried, 1 .. 1048576; default 100.</summary>
        public long History { get; set; } = 100;

        /// <summary>Maximum bytes of memory for copies, &gt;= 65536; default 1 GiB. Allocated on first use, then kept. A larger
        /// state is copied in waves: the save returns when the last wave is copied.</summary>
        public long StagingBytes { get; set; } = 1073741824;

        /// <summary>Bytes of memory for copies that are allocated and touched when the manager is created, so that the first saves
        /// are as fast as later ones; 0 .. <see cref="StagingBytes"/>.</summary>
        public long PrepareBytes { get; set; }

        /// <summary>Limit of the write rate, in bytes per second; 0: none.</summary>
        public long BytesPerSecond { get; set; }

        /// <summary>Time for which the release of the manager waits for tasks; Timeout.InfiniteTimeSpan: forever; default 30
        /// s.</summary>
        public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromTicks(300000000);

        /// <summary>Number of threads that copy, the calling one included, 1 .. 1024; 0 (the default): the threads that this
        /// process may use, at most 4.</summary>
        public int StagingThreads { get; set; }

        /// <summary>Niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least
        /// favourable.</summary>
        public int Nice { get; set; }

        /// <summary>Tracker that counts the memory for copies, as allocations of the layer "checkpoint staging" with the lifetime
        /// of the manager; kept alive; null: none.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        internal static ckpt_async_manager_options Native(AsyncManagerOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_async_manager_options());
            to.workers = from.Workers;
            to.capacity = from.Capacity;
            to.history = from.History;
            to.staging_bytes = from.StagingBytes;
            to.prepare_bytes = from.PrepareBytes;
            to.bytes_per_second = from.BytesPerSecond;
            to.drain_timeout_ns = Times.Nanoseconds(from.DrainTimeout);
            to.staging_threads = from.StagingThreads;
            to.nice = from.Nice;
            to.tracker = memory.Of(from.Tracker);
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("AsyncManagerOptions", "Workers", Workers, "Capacity", Capacity, "History", History, "StagingBytes",
                StagingBytes, "PrepareBytes", PrepareBytes, "BytesPerSecond", BytesPerSecond, "DrainTimeout", DrainTimeout,
                "StagingThreads", StagingThreads, "Nice", Nice, "Tracker", Tracker);
        }
    }

    /// <summary>Options of one background task.</summary>
    public sealed unsafe partial class CheckpointTaskOptions
    {
        /// <summary>How the bytes of a save are staged: <see cref="StagingMode.Copy"/>, <see cref="StagingMode.Borrow"/> or
        /// <see cref="StagingMode.Deferred"/>; ignored by loads; default <see cref="StagingMode.Copy"/>.</summary>
        public StagingMode Mode { get; set; } = StagingMode.Copy;

        /// <summary>What happens when the queue is full: <see cref="WhenFull.Refuse"/>, <see cref="WhenFull.Wait"/> (the default)
        /// or <see cref="WhenFull.DropOldest"/>.</summary>
        public WhenFull WhenFull { get; set; } = WhenFull.Wait;

        /// <summary>One of <see cref="Priority"/>: tasks of higher priority start first, of equal priority the older ones; default
        /// <see cref="Priority.Normal"/>.</summary>
        public Priority Priority { get; set; } = Priority.Normal;

        /// <summary>How long <see cref="WhenFull.Wait"/> waits for a place; Timeout.InfiniteTimeSpan: forever; default 60
        /// s.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromTicks(600000000);

        /// <summary>The task starts only after <c>AsyncManager.EndStep</c> was called with this step or a later one. Waiting for
        /// the task, closing, a save that needs its memory, or a call that waits for a place without a time-out opens the gate. A
        /// task at a closed gate does not block a worker: other tasks start before it; null: the task waits for no step.</summary>
        public long? GateStep { get; set; }

        internal static ckpt_checkpoint_task_options Native(CheckpointTaskOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_checkpoint_task_options());
            to.mode = (int)from.Mode;
            to.when_full = (int)from.WhenFull;
            to.priority = (int)from.Priority;
            to.timeout_ns = Times.Nanoseconds(from.Timeout);
            to.has_gate_step = from.GateStep == null ? 0 : 1;
            to.gate_step = from.GateStep ?? 0;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("CheckpointTaskOptions", "Mode", Mode, "WhenFull", WhenFull, "Priority", Priority, "Timeout",
                Timeout, "GateStep", GateStep);
        }
    }

    /// <summary>Information about one background task.</summary>
    public sealed unsafe partial class CheckpointTaskInfo
    {
        internal CheckpointTaskInfo(ckpt_checkpoint_task_info from)
        {
            Kind = (CheckpointTaskKind)from.kind;
            State = (CheckpointTaskState)from.state;
            Staged = from.staged != 0;
            Id = from.id;
            Step = from.step;
            DoneBytes = from.done_bytes;
            TotalBytes = from.total_bytes;
            QueuedAtNanoseconds = from.queued_at_ns;
            StartedAtNanoseconds = from.started_at_ns;
            EndedAtNanoseconds = from.ended_at_ns;
            QueuedUtc = Times.Utc(from.queued_utc_ns);
            StartedUtc = from.started_utc_ns == 0 ? (DateTime?)null : Times.Utc(from.started_utc_ns);
            EndedUtc = from.ended_utc_ns == 0 ? (DateTime?)null : Times.Utc(from.ended_utc_ns);
        }

        internal static CheckpointTaskInfo Filled(Action<ckpt_checkpoint_task_info> fill)
        {
            using (var from = new ckpt_checkpoint_task_info())
            {
                fill(from);
                return new CheckpointTaskInfo(from);
            }
        }

        /// <summary>Kind of task: <see cref="CheckpointTaskKind.Save"/> or <see cref="CheckpointTaskKind.Load"/>.</summary>
        public CheckpointTaskKind Kind { get; }

        /// <summary>State of the task: <see cref="CheckpointTaskState.Queued"/>, <see cref="CheckpointTaskState.Running"/> or its
        /// final state.</summary>
        public CheckpointTaskState State { get; }

        /// <summary>True when the tensors of a save may be written, else false.</summary>
        public bool Staged { get; }

        /// <summary>Id of the task.</summary>
        public long Id { get; }

        /// <summary>Number of the step to be saved; 0 for a load.</summary>
        public long Step { get; }

        /// <summary>Bytes written (by a load: read) so far.</summary>
        public long DoneBytes { get; }

        /// <summary>Total bytes of tensors and headers to be written or read; 0 until a load has determined it.</summary>
        public long TotalBytes { get; }

        /// <summary>When it was queued, in nanoseconds on the system's monotonic clock.</summary>
        public long QueuedAtNanoseconds { get; }

        /// <summary>When a worker started it, in nanoseconds on the system's monotonic clock; 0 when none has.</summary>
        public long StartedAtNanoseconds { get; }

        /// <summary>When it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended.</summary>
        public long EndedAtNanoseconds { get; }

        /// <summary>When it was queued, in UTC by the system's clock, for display; that clock may be set at any time, so compute
        /// differences from the monotonic times.</summary>
        public DateTime QueuedUtc { get; }

        /// <summary>When a worker started it, in UTC by the system's clock, for display; null when none has.</summary>
        public DateTime? StartedUtc { get; }

        /// <summary>When it ended, in UTC by the system's clock, for display; null when it has not ended.</summary>
        public DateTime? EndedUtc { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("CheckpointTaskInfo", "Kind", Kind, "State", State, "Staged", Staged, "Id", Id, "Step", Step,
                "DoneBytes", DoneBytes, "TotalBytes", TotalBytes, "QueuedAtNanoseconds", QueuedAtNanoseconds,
                "StartedAtNanoseconds", StartedAtNanoseconds, "EndedAtNanoseconds", EndedAtNanoseconds, "QueuedUtc", QueuedUtc,
                "StartedUtc", StartedUtc, "EndedUtc", EndedUtc);
        }
    }

    /// <summary>Counters and current state of a manager of background tasks.</summary>
    public sealed unsafe partial class AsyncManagerStats
    {
        internal AsyncManagerStats(ckpt_async_manager_stats from)
        {
            LiveTasks = from.live_tasks;
            RunningTasks = from.running_tasks;
            CompletedTasks = from.completed_tasks;
            FailedTasks = from.failed_tasks;
            CancelledTasks = from.cancelled_tasks;
            RejectedTasks = from.rejected_tasks;
            InFlightBytes = from.in_flight_bytes;
            WrittenBytes = from.written_bytes;
            StagingBytes = from.staging_bytes;
            Stall = Times.OfNanoseconds(from.stall_ns);
            LastStall = Times.OfNanoseconds(from.last_stall_ns);
            UnreportedFailures = from.unreported_failures;
            UnreportedStatus = (CkptStatus)from.unreported_status;
            UnreportedError = from.unreported_error;
        }

        internal static AsyncManagerStats Filled(Action<ckpt_async_manager_stats> fill)
        {
            using (var from = new ckpt_async_manager_stats())
            {
                fill(from);
                return new AsyncManagerStats(from);
            }
        }

        /// <summary>Number of tasks that have not ended.</summary>
        public long LiveTasks { get; }

        /// <summary>Number of tasks that a worker has started and that have not ended.</summary>
        public long RunningTasks { get; }

        /// <summary>Number of tasks that completed since the manager was created.</summary>
        public long CompletedTasks { get; }

        /// <summary>Number of tasks that failed since the manager was created.</summary>
        public long FailedTasks { get; }

        /// <summary>Number of tasks that were cancelled since the manager was created.</summary>
        public long CancelledTasks { get; }

        /// <summary>Number of tasks that were rejected since the manager was created.</summary>
        public long RejectedTasks { get; }

        /// <summary>Bytes of saves that have not ended and are not written yet.</summary>
        public long InFlightBytes { get; }

        /// <summary>Bytes written by all tasks.</summary>
        public long WrittenBytes { get; }

        /// <summary>Bytes of memory that was allocated for copies.</summary>
        public long StagingBytes { get; }

        /// <summary>Time for which callers were blocked, in total.</summary>
        public TimeSpan Stall { get; }

        /// <summary>Time for which the last staged save blocked its caller.</summary>
        public TimeSpan LastStall { get; }

        /// <summary>Number of failed tasks that no caller has seen and that were not reported.</summary>
        public long UnreportedFailures { get; }

        /// <summary>Status of the oldest of the unreported failures; <see cref="CkptStatus.Ok"/> when there are none.</summary>
        public CkptStatus UnreportedStatus { get; }

        /// <summary>The oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there
        /// are none.</summary>
        public string UnreportedError { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("AsyncManagerStats", "LiveTasks", LiveTasks, "RunningTasks", RunningTasks, "CompletedTasks",
                CompletedTasks, "FailedTasks", FailedTasks, "CancelledTasks", CancelledTasks, "RejectedTasks", RejectedTasks,
                "InFlightBytes", InFlightBytes, "WrittenBytes", WrittenBytes, "StagingBytes", StagingBytes, "Stall", Stall,
                "LastStall", LastStall, "UnreportedFailures", UnreportedFailures, "UnreportedStatus", UnreportedStatus,
                "UnreportedError", UnreportedError);
        }
    }
}
