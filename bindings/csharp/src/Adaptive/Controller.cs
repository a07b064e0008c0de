using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Decides when to save: learns what saves cost and how often the machine fails. Times are seconds on any clock that
    /// does not go backwards, given by the caller; Now asks the controller's own. Several threads may use it at once.</summary>
    public sealed partial class Controller : NativeObject
    {
        private static ControllerEvent At(ControllerEventKind kind, double now)
        {
            return new ControllerEvent { Kind = kind, NowSeconds = now };
        }

        /// <summary>A run begins. CkptInvalidStateException while one is going on.</summary>
        /// <param name="now">Seconds.</param>
        public void BeginRun(double now)
        {
            Record(At(ControllerEventKind.RunBegan, now));
        }

        /// <summary>A process goes on with what Restore took over; a run that was going on there has failed.</summary>
        /// <param name="now">Seconds, on any clock.</param>
        public void Resume(double now)
        {
            Record(At(ControllerEventKind.RunResumed, now));
        }

        /// <summary>A save starts; until it is committed or aborted no other one is asked for.</summary>
        /// <param name="now">Seconds.</param>
        public void Begin(double now)
        {
            Record(At(ControllerEventKind.SaveBegan, now));
        }

        /// <summary>The save that was begun is durable.</summary>
        /// <param name="now">Seconds.</param>
        /// <param name="stallSeconds">How long work stood still for it.</param>
        /// <param name="durableSeconds">From its begin until it was durable.</param>
        public void Commit(double now, double stallSeconds, double durableSeconds)
        {
            var committed = At(ControllerEventKind.SaveCommitted, now);
            committed.StallSeconds = stallSeconds;
            committed.DurableSeconds = durableSeconds;
            Record(committed);
        }

        /// <summary>The save that was begun came to nothing.</summary>
        /// <param name="now">Seconds.</param>
        public void Abort(double now)
        {
            Record(At(ControllerEventKind.SaveAborted, now));
        }

        /// <summary>Begins a save in the background that commits or aborts by itself when it ends. What the controller knows goes
        /// into the state first.</summary>
        /// <param name="now">Seconds.</param>
        /// <param name="manager">Saves.</param>
        /// <param name="state">What is saved.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="how">null: the defaults.</param>
        /// <param name="progress">May be null.</param>
        /// <param name="cancellationToken">Cancels the task.</param>
        /// <param name="source">Reads the tensors instead of the library; may be null.</param>
        /// <returns>The task.</returns>
        public CheckpointTask Save(double now, AsyncManager manager, State state, [AllowNull] SaveOptions options = null,
                                   [AllowNull] CheckpointTaskOptions how = null,
                                   [AllowNull] IProgress<CheckpointProgress> progress = null,
                                   CancellationToken cancellationToken = default(CancellationToken),
                                   [AllowNull] CheckpointSource source = null)
        {
            if (manager == null) throw new ArgumentNullException("manager");
            return manager.Start(CheckpointTaskKind.Save, how, progress, cancellationToken, source,
                (memory, task, listener, reads) =>
            {
                long id;
                native.ckpt_controller_save_async(Handle, now, manager.Handle, HandleOf(state), SaveOptions.Native(options, memory),
                    task, listener, reads, out id);
                return id;
            });
        }

        /// <summary>A task took this long.</summary>
        /// <param name="name">Not blank, at most 95 bytes.</param>
        /// <param name="seconds">At least 0.</param>
        public void ObserveTask(string name, double seconds)
        {
            var done = At(ControllerEventKind.TaskDone, 0);
            done.Name = name;
            done.DurationSeconds = seconds;
            Record(done);
        }

        /// <summary>The machine failed, and what was not saved is lost. The run goes on.</summary>
        /// <param name="now">Seconds.</param>
        public void RecordFailure(double now)
        {
            Record(At(ControllerEventKind.Failure, now));
        }

        /// <summary>Work goes on after a failure.</summary>
        /// <param name="now">Seconds.</param>
        /// <param name="secondsSaved">Work that the loaded checkpoint made it needless to do again.</param>
        /// <param name="overheadSeconds">What that checkpoint had cost.</param>
        public void RecordRecovery(double now, double secondsSaved, double overheadSeconds)
        {
            var recovery = At(ControllerEventKind.Recovery, now);
            recovery.SavedSeconds = secondsSaved;
            recovery.OverheadSeconds = overheadSeconds;
            Record(recovery);
        }

        /// <summary>The run ends without a failure.</summary>
        /// <param name="now">Seconds.</param>
        public void RecordCleanExit(double now)
        {
            Record(At(ControllerEventKind.CleanExit, now));
        }

        /// <summary>The process will be ended.</summary>
        /// <param name="now">Seconds.</param>
        /// <param name="secondsLeft">Until then.</param>
        public void NotifyPreemption(double now, double secondsLeft)
        {
            var notice = At(ControllerEventKind.Preemption, now);
            notice.LeftSeconds = secondsLeft;
            Record(notice);
        }
    }
}
