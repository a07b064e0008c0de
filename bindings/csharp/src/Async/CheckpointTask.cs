using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A save or load in the background. Awaiting it throws when it failed; Wait gives the result, however it
    /// ended.</summary>
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
        private bool seen;
        private int endings;

        internal CheckpointTask(AsyncManager manager, CheckpointTaskKind kind)
        {
            this.manager = manager;
            Kind = kind;
        }

        /// <summary>Its number, which is never given again.</summary>
        public long Id { get; private set; }

        /// <summary>What it does.</summary>
        public CheckpointTaskKind Kind { get; }

        /// <summary>How it stands now.</summary>
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

        /// <summary>How it ended; null while it has not.</summary>
        [MaybeNull]
        public CheckpointTaskResult Result => result;

        /// <summary>Ends when this has ended: with the result when it completed, cancelled when it was cancelled, else with the
        /// CkptException of its status. Continuations do not run on the library's threads.</summary>
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
                if (ended) See();
                return completion.Task;
            }
        }

        /// <summary>Ends when the tensors of a save may be written to, because they were copied or because it has ended.</summary>
        public Task StagedTask => staging.Task;

        /// <summary>Makes this awaitable: var result = await task.</summary>
        /// <returns>Of CompletionTask.</returns>
        public TaskAwaiter<CheckpointTaskResult> GetAwaiter() => CompletionTask.GetAwaiter();

        /// <summary>Waits until it has ended. CkptTimeoutException; CkptInvalidStateException inside a handler of the
        /// manager.</summary>
        /// <param name="timeout">How long to wait; null: for ever.</param>
        /// <returns>How it ended, failures included.</returns>
        public CheckpointTaskResult Wait(TimeSpan? timeout = null)
        {
            var ended = result;
            if (ended != null)
            {
                See();
                return ended;
            }
            var waited = manager.Wait(Id, timeout);
            seen = true;
            return waited;
        }

        /// <summary>Waits until the tensors of a save may be written to.</summary>
        /// <param name="timeout">How long to wait; null: for ever.</param>
        public void WaitStaged(TimeSpan? timeout = null)
        {
            if (result == null) manager.WaitStaged(Id, timeout);
        }

        /// <summary>Asks it to stop. Never waits.</summary>
        /// <returns>True when it ends, or has just ended, cancelled because of this call: then nothing of it stays.</returns>
        public bool Cancel() => result == null && manager.Cancel(Id);

        internal bool IsEnding { get; private set; }

        internal void Started(long id, CancellationToken token)
        {
            Id = id;
            if (token.CanBeCanceled && result == null) cancellation = token.Register(CancelQuietly);
            Settle();
        }

        private void CancelQuietly()
        {
            try
            {
                Cancel();
            }
            catch (Exception error) when (error is CkptException || error is ObjectDisposedException)
            {
                // It has left the history, or the manager is closed: there is nothing to stop.
            }
        }

        internal void Stage() => staging.TrySetResult(true);

        // On the library's thread: the rest is done elsewhere, since a call that waits is refused here.
        internal void End(CheckpointTaskResult ended)
        {
            IsEnding = true;
            try
            {
                manager.TaskHasEnded(ended);
            }
            finally
            {
                lock (guard) result = ended; // after the handlers: no caller that waits is notified before them
                staging.TrySetResult(true);
                ThreadPool.QueueUserWorkItem(_ => Settle());
            }
        }

        // Once both the call that started this and the task itself are over.
        private void Settle()
        {
            if (Interlocked.Increment(ref endings) < 2) return;
            var ended = result;
            cancellation.Dispose();
            bool wanted;
            lock (guard) wanted = asked;
            if (wanted) See();
            if (ended.State == CheckpointTaskState.Completed) completion.TrySetResult(ended);
            else if (ended.State == CheckpointTaskState.Cancelled) completion.TrySetCanceled();
            else if (completion.TrySetException(ended.Exception())) GC.KeepAlive(completion.Task.Exception); // observed
        }

        // Shows the manager that a caller knows of a failure: else Close or the next save would throw it once more.
        private void See()
        {
            var ended = result;
            if (seen || ended == null || ended.State != CheckpointTaskState.Failed) return;
            seen = true;
            try
            {
                manager.Wait(ended.Id, null);
            }
            catch (Exception error) when (error is CkptException || error is ObjectDisposedException)
            {
                // Closed, no longer in the history, or inside a handler.
            }
        }
    }

    /// <summary>How far a save is.</summary>
    public struct CheckpointProgress
    {
        internal CheckpointProgress(long id, long doneBytes, long totalBytes)
        {
            Id = id;
            DoneBytes = doneBytes;
            TotalBytes = totalBytes;
        }

        /// <summary>Of the task.</summary>
        public long Id { get; }

        /// <summary>Written so far.</summary>
        public long DoneBytes { get; }

        /// <summary>To be written.</summary>
        public long TotalBytes { get; }

        /// <summary>DoneBytes over TotalBytes.</summary>
        public double Fraction => TotalBytes == 0 ? 0 : (double)DoneBytes / TotalBytes;

        /// <summary>The values, for people.</summary>
        /// <returns>One line.</returns>
        public override string ToString()
            => "CheckpointProgress(Id=" + Id + ", DoneBytes=" + DoneBytes + ", TotalBytes=" + TotalBytes + ")";
    }

    /// <summary>Copies bytes of a tensor into buffer, for memory that the library cannot read itself. Called on the saving thread,
    /// or on others, several at once. What it throws fails the save.</summary>
    /// <param name="group">Of the tensor.</param>
    /// <param name="name">Of the tensor.</param>
    /// <param name="data">The tensor's address.</param>
    /// <param name="offset">Of the first byte.</param>
    /// <param name="buffer">To be filled; valid during the call only.</param>
    public delegate void CheckpointSource(string group, string name, IntPtr data, long offset, Span<byte> buffer);

    /// <summary>A background task ended.</summary>
    public sealed class CheckpointTaskEventArgs : EventArgs
    {
        internal CheckpointTaskEventArgs(CheckpointTaskResult result) { Result = result; }

        /// <summary>How.</summary>
        public CheckpointTaskResult Result { get; }
    }

    public sealed unsafe partial class CheckpointTaskResult
    {
        // What awaiting the task throws unless it was cancelled.
        internal CkptException Exception() => CkptException.Of((int)Status, Error);
    }
}
