using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Saves and loads in the background: training goes on as soon as its state was copied, or sooner. Dispose lets what
    /// is queued end, within DrainTimeout. Close throws what a save failed of that nobody asked for; Dispose, which ends a using and
    /// must not hide what its block threw, writes it to standard error and keeps it in DisposeError. Any thread may use it. Handlers
    /// run on its threads; inside them what waits throws CheckpointInvalidStateException.</summary>
    public sealed partial class AsyncCheckpointManager : NativeObject
    {
        private readonly ConcurrentDictionary<long, CheckpointTask> live = new ConcurrentDictionary<long, CheckpointTask>();
        private readonly TimeSpan drainTimeout;
        private volatile CkptException disposeError;

        /// <summary>A manager with its threads.</summary>
        /// <param name="checkpoint">Where to; kept alive.</param>
        /// <param name="options">null: the defaults.</param>
        public AsyncCheckpointManager(Checkpoint checkpoint, [AllowNull] AsyncCheckpointOptions options = null)
            : base(Made(checkpoint, options ?? new AsyncCheckpointOptions()))
        {
            drainTimeout = (options ?? new AsyncCheckpointOptions()).DrainTimeout;
        }

        /// <summary>A manager whose queue holds so many tasks.</summary>
        /// <param name="checkpoint">Where to; kept alive.</param>
        /// <param name="maxQueueSize">Tasks that have not ended, at most.</param>
        public AsyncCheckpointManager(Checkpoint checkpoint, int maxQueueSize)
            : this(checkpoint, new AsyncCheckpointOptions { MaxQueueSize = maxQueueSize })
        {
        }

        private static NativeHandle Made(Checkpoint checkpoint, AsyncCheckpointOptions from)
        {
            using (var options = from.Native())
            {
                IntPtr manager;
                native.ckpt_async_manager_create(HandleOf(checkpoint), options, null, out manager);
                var cancel = from.CancelAtExit;
                var timeout = from.DrainTimeout;
                return new NativeHandle(manager, native.ckpt_async_manager_release, true)
                {
                    AtExit = handle => AsyncEnd.Close(handle, cancel, timeout),
                };
            }
        }

        /// <summary>What a save had failed of that nobody had asked for when this was disposed of, or that not all tasks ended within
        /// DrainTimeout; null when there was nothing to tell.</summary>
        [MaybeNull]
        public CkptException DisposeError
        {
            get { return disposeError; }
        }

        internal override void BeforeDispose()
        {
            if (IsDisposed || IsInsideHandler()) return; // then the library's own threads do the rest, and its log tells what failed
            try
            {
                Close(false, drainTimeout);
            }
            catch (ObjectDisposedException)
            {
                // By another thread, meanwhile.
            }
            catch (CkptException error)
            {
                disposeError = error;
                Console.Error.WriteLine("ckpt: a manager of background saves was disposed of: " + error.Message);
            }
        }

        private bool IsInsideHandler()
        {
            try
            {
                WaitAll(TimeSpan.Zero);
            }
            catch (CheckpointInvalidStateException)
            {
                return true;
            }
            catch (CheckpointTimeoutException)
            {
                // Tasks go on.
            }
            catch (ObjectDisposedException)
            {
                // By another thread, meanwhile.
            }
            return false;
        }

        /// <summary>Raised when a task has ended, on the library's threads, before anybody who waits for it is told.</summary>
        public event EventHandler<CheckpointTaskEventArgs> TaskEnded;

        /// <summary>Saves a state in the background. With StagingMode.Copy it returns when the tensors are copied; values and the
        /// list of tensors always are. CheckpointQueueFullException as options say. Throws what an earlier save failed of when
        /// nobody was told; nothing is saved then.</summary>
        /// <param name="state">What is saved.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <param name="how">null: the defaults.</param>
        /// <param name="progress">Told about every 4 MiB, on the library's threads; may be null.</param>
        /// <param name="cancellationToken">Cancels the task, as Cancel does.</param>
        /// <returns>The task.</returns>
        public CheckpointTask Save(State state, [AllowNull] SaveOptions options = null,
            [AllowNull] CheckpointTaskOptions how = null,
                                   [AllowNull] IProgress<CheckpointProgress> progress = null,
                                   CancellationToken cancellationToken = default(CancellationToken))
        {
            using (var texts = new TextMemory())
            using (var given = (options ?? new SaveOptions()).Native(texts))
            {
                return Start(CheckpointTaskType.Save, how, progress, cancellationToken, (listener, source, task) =>
                {
                    long id;
                    native.ckpt_async_manager_save(Handle, HandleOf(state), given, task, listener, source, out id);
                    return id;
                });
            }
        }

        /// <summary>The same for those who await at once.</summary>
        /// <param name="state">What is saved.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <param name="progress">Told about every 4 MiB; may be null.</param>
        /// <param name="cancellationToken">Cancels the task.</param>
        /// <returns>Ends when the save is durable; throws when it failed.</returns>
        public Task<CheckpointTaskResult> SaveAsync(State state, [AllowNull] SaveOptions options = null,
                                                    [AllowNull] IProgress<CheckpointProgress> progress = null,
                                                    CancellationToken cancellationToken = default(CancellationToken))
        {
            return Save(state, options, null, progress, cancellationToken).CompletionTask;
        }

        /// <summary>Loads into a state in the background, restore methods of stateful objects included; nobody else may use the
        /// state until the task has ended.</summary>
        /// <param name="state">What is filled.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="how">null: the defaults; its Mode and Source are not used.</param>
        /// <param name="cancellationToken">Cancels the task.</param>
        /// <returns>The task.</returns>
        public CheckpointTask Load(State state, [AllowNull] LoadOptions options = null,
            [AllowNull] CheckpointTaskOptions how = null,
                                   CancellationToken cancellationToken = default(CancellationToken))
        {
            using (var texts = new TextMemory())
            using (var given = (options ?? new LoadOptions()).Native(texts))
            {
                return Start(CheckpointTaskType.Load, how, null, cancellationToken, (listener, source, task) =>
                {
                    long id;
                    native.ckpt_async_manager_load(Handle, HandleOf(state), given, task, listener, out id);
                    return id;
                });
            }
        }

        /// <summary>Saves two objects that list themselves, as groups "model" and "optimizer", and gives the task's
        /// number.</summary>
        /// <param name="model">Lists the model.</param>
        /// <param name="optimizer">Lists the optimizer.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <returns>For WaitForCompletionAsync, GetTaskStatus and CancelCheckpoint.</returns>
        public long QueueSaveAsync(IStateful model, IStateful optimizer, [AllowNull] SaveOptions options = null)
        {
            using (var state = new State()) return Save(state.Add("model", model).Add("optimizer", optimizer), options).Id;
        }

        internal delegate long StartTask(AsyncListener listener, AsyncSource source, ckpt_checkpoint_task_options task);

        internal CheckpointTask Start(CheckpointTaskType type, CheckpointTaskOptions how, IProgress<CheckpointProgress> progress,
                                      CancellationToken cancellationToken, StartTask start)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var task = new CheckpointTask(this, type);
            var given = how ?? new CheckpointTaskOptions();
            using (var options = given.Native())
            {
                var source = given.Source == null || type == CheckpointTaskType.Load ? null : new SourceFunction(given.Source);
                var id = start(new TaskListener(task, progress), source, options);
                live[id] = task;
                Thread.MemoryBarrier(); // it may have ended already: whoever comes second finds what the first one wrote
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

        /// <summary>How a task stands; null when it is unknown or no longer in the history.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>The status or null.</returns>
        public CheckpointTaskStatus? GetTaskStatus(long checkpointId)
        {
            try
            {
                return GetTaskInfo(checkpointId).Status;
            }
            catch (CheckpointNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Waits for a task. Throws what it failed of, OperationCanceledException when it was cancelled,
        /// CheckpointTimeoutException when it has not ended in time, CheckpointNotFoundException for an unknown number.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting, not the task.</param>
        /// <returns>The result.</returns>
        public async Task<CheckpointTaskResult> WaitForCompletionAsync(long checkpointId, TimeSpan? timeout = null,
                                                                       CancellationToken cancellationToken = default(CancellationToken))
        {
            CheckpointTask task;
            if (!live.TryGetValue(checkpointId, out task)) return Known(checkpointId);
            var completion = task.CompletionTask;
            using (var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            {
                var limit = Task.Delay(timeout ?? Timeout.InfiniteTimeSpan, stop.Token);
                if (await Task.WhenAny(completion, limit).ConfigureAwait(false) != completion)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    throw new CheckpointTimeoutException("task " + checkpointId + " has not ended after " + timeout);
                }
                stop.Cancel();
            }
            return await completion.ConfigureAwait(false);
        }

        // Of a task that has ended.
        private CheckpointTaskResult Known(long id)
        {
            var result = Wait(id, null);
            if (result.Success) return result;
            if (result.Status == CheckpointTaskStatus.Cancelled) throw new TaskCanceledException("task " + id + " was cancelled");
            throw result.Exception();
        }

        /// <summary>Asks a task to stop. Never waits. CheckpointNotFoundException for a number that is unknown or no longer in the
        /// history.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>True when it ends, or has just ended, cancelled because of this call.</returns>
        public bool CancelCheckpoint(long checkpointId)
        {
            int won;
            native.ckpt_async_manager_cancel(Handle, checkpointId, out won);
            return won != 0;
        }
    }
}
