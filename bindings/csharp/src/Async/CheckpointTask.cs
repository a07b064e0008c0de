using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A save or load in the background. Awaiting it throws when it failed; Wait returns the result, also of a failed
    /// task.</summary>
    public sealed partial class CheckpointTask
    {
        private readonly AsyncManager manager;
        private readonly TaskCompletionSource<CheckpointTaskResult> completion =
            new TaskCompletionSource<CheckpointTaskResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource<bool> staging =
            new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly object guard = new object();
        private CancellationTokenRegistration cancellation;
        private volatile CheckpointTaskResult result;
        private bool asked;
        private volatile bool seen;
        private int endings;

        internal CheckpointTask(AsyncManager manager, CheckpointTaskKind kind)
        {
            this.manager = manager;
            Kind = kind;
        }

        /// <summary>The task's number, which is never reused.</summary>
        public long Id { get; private set; }

        /// <summary>The kind of task.</summary>
        public CheckpointTaskKind Kind { get; }

        /// <summary>The current state.</summary>
        public CheckpointTaskState State
        {
            get
            {
                if (result != null) return result.State;
                try
                {
                    return manager.GetTask(Id).State;
                }
                catch (CkptNotFoundException)
                {
                    return CheckpointTaskState.Completed; // it has left the history
                }
            }
        }

        /// <summary>The result; null while the task has not ended.</summary>
        [MaybeNull]
        public CheckpointTaskResult Result => result;

        /// <summary>Ends when this task has ended: with the result when it completed, cancelled when it was cancelled, otherwise
        /// with the CkptException of its status. Continuations do not run on the library's threads.</summary>
        public Task<CheckpointTaskResult> CompletionTask
        {
            get
            {
                bool ended;
                lock (guard)
                {
                    asked = true;
                    ended = result != null;
                }
                if (ended) MarkReceived();
                return completion.Task;
            }
        }

        /// <summary>Ends when the tensors of a save may be written to, because they were copied or because the save has
        /// ended.</summary>
        public Task StagedTask => staging.Task;

        /// <summary>Makes this awaitable: var result = await task.</summary>
        /// <returns>The awaiter of CompletionTask.</returns>
        public TaskAwaiter<CheckpointTaskResult> GetAwaiter() => CompletionTask.GetAwaiter();

        /// <summary>Waits until the task has ended. Throws CkptTimeoutException; CkptInvalidStateException inside a handler of the
        /// manager.</summary>
        /// <param name="timeout">How long to wait; null: no limit.</param>
        /// <returns>The result, also of a failed task.</returns>
        public CheckpointTaskResult Wait(TimeSpan? timeout = null)
        {
            var ended = result;
            if (ended != null)
            {
                MarkReceived();
                return ended;
            }
            var waited = manager.Wait(Id, timeout);
            seen = true;
            return waited;
        }

        /// <summary>Waits until the tensors of a save may be written to.</summary>
        /// <param name="timeout">How long to wait; null: no limit.</param>
        public void WaitStaged(TimeSpan? timeout = null)
        {
            if (result == null) manager.WaitStaged(Id, timeout);
        }

        /// <summary>Asks the task to stop. Never waits.</summary>
        /// <returns>True when it ends, or has just ended, cancelled because of this call; then it leaves nothing in the
        /// storage.</returns>
        public bool Cancel() => result == null && manager.Cancel(Id);

        internal bool IsEnding { get; private set; }

        internal void Started(long id, CancellationToken token)
        {
            Id = id;
            if (token.CanBeCanceled && result == null) cancellation = token.Register(CancelQuietly);
            CompleteOnce();
        }

        private void CancelQuietly()
        {
            try
            {
                Cancel();
            }
            catch (Exception error) when (error is CkptException || error is ObjectDisposedException)
            {
                // The task has left the history, or the manager is closed: nothing to stop.
            }
        }

        internal void Stage() => staging.TrySetResult(true);

        // Runs on the library's thread, where calls that wait are refused: the rest is done elsewhere.
        internal void End(CheckpointTaskResult ended)
        {
            IsEnding = true;
            try
            {
                manager.TaskHasEnded(ended);
            }
            finally
            {
                lock (guard) result = ended; // waiting callers are notified after the handlers
                staging.TrySetResult(true);
                ThreadPool.QueueUserWorkItem(_ => CompleteOnce());
            }
        }

        // Called once both the call that started this and the task itself have ended.
        private void CompleteOnce()
        {
            if (Interlocked.Increment(ref endings) < 2) return;
            var ended = result;
            cancellation.Dispose();
            bool wanted;
            lock (guard) wanted = asked;
            if (wanted) MarkReceived();
            if (ended.State == CheckpointTaskState.Completed) completion.TrySetResult(ended);
            else if (ended.State == CheckpointTaskState.Cancelled) completion.TrySetCanceled();
            else if (completion.TrySetException(ended.Exception())) GC.KeepAlive(completion.Task.Exception); // observed
        }

        // Marks a failure as received, so that Close or the next save does not throw it again.
        private void MarkReceived()
        {
            var ended = result;
            if (seen || ended == null || ended.State != CheckpointTaskState.Failed) return;
            try
            {
                manager.Wait(ended.Id, null);
            }
            catch (Exception error) when (error is CkptException || error is ObjectDisposedException)
            {
                // Closed, no longer in the history, or inside a handler.
            }
            seen = true; // only now: another thread that finds it set may save
        }
    }

    /// <summary>The progress of a save.</summary>
    public struct CheckpointProgress
    {
        internal CheckpointProgress(long id, long doneBytes, long totalBytes)
        {
            Id = id;
            DoneBytes = doneBytes;
            TotalBytes = totalBytes;
        }

        /// <summary>The task's number.</summary>
        public long Id { get; }

        /// <summary>Bytes written so far.</summary>
        public long DoneBytes { get; }

        /// <summary>Bytes to write in all.</summary>
        public long TotalBytes { get; }

        /// <summary>DoneBytes over TotalBytes.</summary>
        public double Fraction => TotalBytes == 0 ? 0 : (double)DoneBytes / TotalBytes;

        /// <summary>Returns the values in readable form.</summary>
        /// <returns>One line.</returns>
        public override string ToString()
            => "CheckpointProgress(Id=" + Id + ", DoneBytes=" + DoneBytes + ", TotalBytes=" + TotalBytes + ")";
    }

    /// <summary>Copies bytes of a tensor into buffer, for memory that the library cannot read itself. Called on the saving thread,
    /// or on others, several at once. If it throws, the save fails.</summary>
    /// <param name="group">Group of the tensor.</param>
    /// <param name="name">Name of the tensor.</param>
    /// <param name="data">The tensor's address.</param>
    /// <param name="offset">Offset of the first byte.</param>
    /// <param name="buffer">The buffer to fill; valid during the call only.</param>
    public delegate void CheckpointSource(string group, string name, IntPtr data, long offset, Span<byte> buffer);

    /// <summary>The event that a background task ended.</summary>
    public sealed class CheckpointTaskEventArgs : EventArgs
    {
        internal CheckpointTaskEventArgs(CheckpointTaskResult result) { Result = result; }

        /// <summary>The result.</summary>
        public CheckpointTaskResult Result { get; }
    }

    public sealed unsafe partial class CheckpointTaskResult
    {
        // Returns the exception that awaiting the task throws unless it was cancelled.
        internal CkptException Exception() => CkptException.Of((int)Status, Error);
    }
}
