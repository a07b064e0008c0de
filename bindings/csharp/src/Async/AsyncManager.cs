using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Saves and loads in the background: training continues once its state is copied, or sooner. Dispose lets queued
    /// tasks end, within DrainTimeout. Close throws the error of a failed save that no caller received. Dispose, which ends a using
    /// and must not hide the exception of its block, stores that error in DisposeError and reports it to the log (Error) or, when
    /// no log handler was ever set, to Console.Error. Any thread may use it. Handlers run on its threads; inside them calls that
    /// wait throw CkptInvalidStateException.</summary>
    public partial class AsyncManager : NativeObject
    {
        private readonly ConcurrentDictionary<long, CheckpointTask> live = new ConcurrentDictionary<long, CheckpointTask>();
        private readonly TimeSpan drainTimeout;
        private volatile CkptException disposeError;

        /// <summary>Creates a manager and starts its threads.</summary>
        /// <param name="checkpoints">Where to save; kept alive.</param>
        /// <param name="options">null: the defaults.</param>
        public AsyncManager(CheckpointManager checkpoints, [AllowNull] AsyncManagerOptions options = null)
            : base(Created(checkpoints, options ?? new AsyncManagerOptions()))
        {
            drainTimeout = (options ?? new AsyncManagerOptions()).DrainTimeout;
        }

        private static NativeHandle Created(CheckpointManager checkpoints, AsyncManagerOptions options)
        {
            using (var memory = new CallMemory())
            {
                var created = Created((out IntPtr manager) => native.ckpt_async_manager_create(HandleOf(checkpoints),
                    AsyncManagerOptions.Native(options, memory), null, out manager), native.ckpt_async_manager_release, true);
                var cancel = options.CancelAtExit;
                var timeout = options.DrainTimeout;
                FallbackLog.Arm();
                created.AtExit = handle => AsyncShutdown.Close(handle, cancel, timeout);
                return created;
            }
        }

        /// <summary>The error of a failed save that no caller had received at Dispose, or the error that not all tasks ended within
        /// DrainTimeout; null when there was nothing to report.</summary>
        [MaybeNull]
        public CkptException DisposeError => disposeError;

        internal override void BeforeDispose()
        {
            if (IsDisposed || IsInsideHandler()) return; // the library's threads finish, and its log reports failures
            try
            {
                Close(CloseMode.DrainUnreported, drainTimeout);
            }
            catch (ObjectDisposedException)
            {
                // Disposed of by another thread meanwhile.
            }
            catch (CkptException error)
            {
                disposeError = error; // the release reports it
            }
        }

        private bool IsInsideHandler()
        {
            try
            {
                WaitAll(TimeSpan.Zero);
            }
            catch (CkptInvalidStateException)
            {
                return true;
            }
            catch (Exception error) when (error is CkptTimeoutException || error is ObjectDisposedException)
            {
                // Tasks are still running, or another thread disposed of this meanwhile.
            }
            return false;
        }

        /// <summary>Raised when a task has ended, on the library's threads, before callers that wait for the task are
        /// notified.</summary>
        public event EventHandler<CheckpointTaskEventArgs> TaskEnded;

        /// <summary>Saves a state in the background. With StagingMode.Copy it returns when the tensors are copied; values and the
        /// list of tensors are always copied. Throws CkptQueueFullException as the options specify. Throws the error of an earlier
        /// save that no caller has received; nothing is saved then.</summary>
        /// <param name="state">The state to save.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <param name="how">null: the defaults.</param>
        /// <param name="progress">Notified about every 4 MiB, on the library's threads; may be null.</param>
        /// <param name="cancellationToken">Cancels the task, as Cancel does.</param>
        /// <param name="source">Reads the tensors instead of the library, for memory that it cannot read; null: they are in memory.
        /// Not with StagingMode.Borrow.</param>
        public CheckpointTask Save(State state, [AllowNull] SaveOptions options = null,
                                   [AllowNull] CheckpointTaskOptions how = null,
                                   [AllowNull] IProgress<CheckpointProgress> progress = null,
                                   CancellationToken cancellationToken = default(CancellationToken),
                                   [AllowNull] CheckpointSource source = null)
        {
            return Start(CheckpointTaskKind.Save, how, progress, cancellationToken, source, memory =>
            {
                var saved = HandleOf(state);
                var given = SaveOptions.Native(options, memory);
                return (task, listener, reads) =>
                {
                    long id;
                    native.ckpt_async_manager_save(Handle, saved, given, task, listener, reads, out id);
                    return id;
                };
            }, RefuseSave);
        }

        // Makes the call that starts a save with invalid arguments.
        internal void RefuseSave()
        {
            long id;
            native.ckpt_async_manager_save(Handle, null, null, null, null, null, out id);
        }

        private void RefuseLoad()
        {
            long id;
            native.ckpt_async_manager_load(Handle, null, null, null, null, null, out id);
        }

        /// <summary>Saves a state in the background and returns a task to await.</summary>
        /// <param name="state">The state to save.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <param name="progress">Notified about every 4 MiB; may be null.</param>
        /// <param name="cancellationToken">Cancels the task.</param>
        /// <returns>Ends when the save is durable; throws when it failed.</returns>
        public Task<CheckpointTaskResult> SaveAsync(State state, [AllowNull] SaveOptions options = null,
                                                    [AllowNull] IProgress<CheckpointProgress> progress = null,
                                                    CancellationToken cancellationToken = default(CancellationToken))
            => Save(state, options, null, progress, cancellationToken).CompletionTask;

        /// <summary>Loads into a state in the background, including the Restore of stateful objects; other uses of the
        /// state fail until the task has ended.</summary>
        /// <param name="state">The state to fill.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="how">null: the defaults; its Mode is not used.</param>
        /// <param name="cancellationToken">Cancels the task.</param>
        /// <param name="rename">As for CheckpointManager.Load, on a thread of the manager.</param>
        /// <param name="progress">As for Save.</param>
        public CheckpointTask Load(State state, [AllowNull] LoadOptions options = null,
                                   [AllowNull] CheckpointTaskOptions how = null,
                                   CancellationToken cancellationToken = default(CancellationToken),
                                   [AllowNull] Func<string, string> rename = null,
                                   [AllowNull] IProgress<CheckpointProgress> progress = null)
        {
            return Start(CheckpointTaskKind.Load, how, progress, cancellationToken, null, memory =>
            {
                var filled = HandleOf(state);
                var given = LoadOptions.Native(options, memory);
                return (task, listener, reads) =>
                {
                    long id;
                    native.ckpt_async_manager_load(Handle, filled, given, task, listener, RenameFunction.Of(rename), out id);
                    return id;
                };
            }, RefuseLoad);
        }

        internal delegate long StartTask(ckpt_checkpoint_task_options task, AsyncListener listener, AsyncSource source);

        // convert: converts the arguments and returns the call that starts the task.
        internal CheckpointTask Start(CheckpointTaskKind kind, CheckpointTaskOptions how, IProgress<CheckpointProgress> progress,
                                      CancellationToken cancellationToken, CheckpointSource source,
                                      Func<CallMemory, StartTask> convert, Action refuse)
        {
            var task = new CheckpointTask(this, kind);
            using (var memory = new CallMemory())
            {
                StartTask start = null;
                ckpt_checkpoint_task_options given = null;
                Collective.Prepare(() =>
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    start = convert(memory);
                    given = CheckpointTaskOptions.Native(how, memory);
                }, refuse);
                var id = start(given, new TaskListener(task, progress),
                    source == null ? null : new SourceFunction { function = source });
                live[id] = task;
                Thread.MemoryBarrier(); // it may have ended already: the second of the two threads sees what the first one wrote
                if (task.IsEnding) Forget(id);
                task.Started(id, cancellationToken);
                return task;
            }
        }

        private void Forget(long id)
        {
            CheckpointTask ignored;
            live.TryRemove(id, out ignored);
        }

        internal void TaskHasEnded(CheckpointTaskResult result)
        {
            Forget(result.Id);
            var handlers = TaskEnded;
            if (handlers != null) handlers(this, new CheckpointTaskEventArgs(result));
        }

        /// <summary>Waits for a task. Throws the error of a failed task, OperationCanceledException when it was cancelled,
        /// CkptTimeoutException when it has not ended after the timeout, CkptNotFoundException for an unknown number.</summary>
        /// <param name="id">The task's number.</param>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting, not the task.</param>
        public async Task<CheckpointTaskResult> WaitAsync(long id, TimeSpan? timeout = null,
                                                          CancellationToken cancellationToken = default(CancellationToken))
        {
            CheckpointTask task;
            if (!live.TryGetValue(id, out task)) return EndedResult(id);
            var completion = task.CompletionTask;
            using (var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            {
                var limit = Task.Delay(timeout ?? Timeout.InfiniteTimeSpan, stop.Token);
                if (await Task.WhenAny(completion, limit).ConfigureAwait(false) != completion)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    throw new CkptTimeoutException("task " + id + " has not ended after " + timeout);
                }
                stop.Cancel();
            }
            return await completion.ConfigureAwait(false);
        }

        // Returns the result of a task that has ended.
        private CheckpointTaskResult EndedResult(long id)
        {
            var result = Wait(id);
            if (result.State == CheckpointTaskState.Completed) return result;
            if (result.State == CheckpointTaskState.Cancelled) throw new TaskCanceledException("task " + id + " was cancelled");
            throw result.Exception();
        }

        /// <summary>Asks a task to stop. Never waits. Throws CkptNotFoundException for a number that is unknown or no longer in the
        /// history.</summary>
        /// <param name="id">The task's number.</param>
        /// <returns>True when it ends, or has just ended, cancelled because of this call.</returns>
        public bool Cancel(long id)
            => Yes((out int answer) => native.ckpt_async_manager_cancel(Handle, id, out answer));

        /// <summary>Returns the numbers of tasks.</summary>
        /// <param name="which">Tasks that have not ended, or ended ones that the history still holds.</param>
        /// <returns>The numbers, in the order of the list.</returns>
        public IReadOnlyList<long> List(CheckpointTaskList which = CheckpointTaskList.Live)
            => NativeList.Integers(native.ckpt_async_manager_list(Handle, (int)which));

        /// <summary>Returns information on the tasks of a list, without those that leave the history meanwhile.</summary>
        /// <param name="which">As for List.</param>
        /// <returns>The tasks, in the order of the list.</returns>
        public IReadOnlyList<CheckpointTaskInfo> GetTasks(CheckpointTaskList which = CheckpointTaskList.Live)
        {
            var found = new List<CheckpointTaskInfo>();
            foreach (var id in List(which))
            {
                try
                {
                    found.Add(GetTask(id));
                }
                catch (CkptNotFoundException)
                {
                    // The task has left the history meanwhile.
                }
            }
            return found;
        }

        /// <summary>Waits until a task has ended. Throws CkptTimeoutException; CkptNotFoundException for an unknown
        /// number.</summary>
        /// <param name="id">The task's number.</param>
        /// <param name="timeout">null: no limit.</param>
        /// <returns>The result, also of a failed task.</returns>
        public CheckpointTaskResult Wait(long id, TimeSpan? timeout = null)
        {
            return CheckpointTaskResult.Filled(result =>
                native.ckpt_async_manager_wait(Handle, id, Times.Nanoseconds(timeout), result));
        }

        internal void WaitStaged(long id, TimeSpan? timeout)
            => native.ckpt_async_manager_wait_staged(Handle, id, Times.Nanoseconds(timeout));

        /// <summary>Waits until all tasks that have not ended now have ended, successfully or not.
        /// Throws CkptTimeoutException.</summary>
        /// <param name="timeout">null: no limit.</param>
        public void WaitAll(TimeSpan? timeout = null)
        {
            native.ckpt_async_manager_wait(Handle, native.CKPT_CHECKPOINT_TASK_ALL, Times.Nanoseconds(timeout), null);
        }

        /// <summary>Waits until the tensors of all saves may be written to. Throws CkptTimeoutException.</summary>
        /// <param name="timeout">null: no limit.</param>
        public void WaitAllStaged(TimeSpan? timeout = null)
        {
            native.ckpt_async_manager_wait_staged(Handle, native.CKPT_CHECKPOINT_TASK_ALL, Times.Nanoseconds(timeout));
        }
    }

    public sealed unsafe partial class AsyncManagerOptions
    {
        /// <summary>At process exit: true cancels tasks that are not committed, false lets them end within DrainTimeout.</summary>
        public bool CancelAtExit { get; set; }
    }

    // Closes a manager at process exit. .NET runs this on a separate thread, for which a handler that called Environment.Exit
    // waits; closing would wait for that handler in turn. So this waits for the tasks first, one second at a time, and leaves a
    // manager unchanged if its handlers do not return.
    internal static class AsyncShutdown
    {
        private static readonly TimeSpan slice = TimeSpan.FromSeconds(1);

        // Returns false if the manager must not be used any more.
        internal static bool Close(NativeHandle manager, bool cancel, TimeSpan timeout)
        {
            var begin = DateTime.UtcNow;
            var mayWait = timeout < TimeSpan.Zero ? TimeSpan.MaxValue : timeout;
            if (cancel) CancelAll(manager);
            while (!AllEnd(manager, cancel || mayWait > slice ? slice : mayWait))
            {
                if (Live(manager).Count == 0 && !AllEnd(manager, slice)) return false;
                if (DateTime.UtcNow - begin < mayWait) continue;
                FallbackLog.Report("async: not all tasks ended within " + timeout + "; the others are cancelled");
                CancelAll(manager);
                if (!AllEnd(manager, slice)) return false;
            }
            return true; // the release reports unreturned failures
        }

        // Waits until all tasks and their handlers have ended.
        private static bool AllEnd(NativeHandle manager, TimeSpan time)
        {
            try
            {
                native.ckpt_async_manager_wait(manager, native.CKPT_CHECKPOINT_TASK_ALL, Times.Nanoseconds(time), null);
                return true;
            }
            catch (CkptTimeoutException)
            {
                return false;
            }
        }

        private static void CancelAll(NativeHandle manager)
        {
            foreach (var id in Live(manager))
            {
                try
                {
                    int won;
                    native.ckpt_async_manager_cancel(manager, id, out won);
                }
                catch (CkptNotFoundException)
                {
                    // The task has left the history meanwhile.
                }
            }
        }

        private static IReadOnlyCollection<long> Live(NativeHandle manager)
            => NativeList.Integers(native.ckpt_async_manager_list(manager, native.CKPT_CHECKPOINT_TASK_LIST_LIVE));
    }
}
