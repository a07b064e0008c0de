using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    // Waiting as .NET programs do it: with a token that ends the waiting (not the task), without a thread, and at the end of an
    // "await using".
    public partial class AsyncManager
#if NET
        : IAsyncDisposable
#endif
    {
        /// <summary>Wait with a token.</summary>
        /// <param name="id">The task's number.</param>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the task.</param>
        /// <returns>How it ended, failures included.</returns>
        public CheckpointTaskResult Wait(long id, TimeSpan? timeout, CancellationToken cancellationToken)
        {
            CheckpointTaskResult result = null;
            Sliced.Wait(timeout, cancellationToken, slice => result = Wait(id, slice));
            return result;
        }

        /// <summary>WaitAll with a token.</summary>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the tasks.</param>
        public void WaitAll(TimeSpan? timeout, CancellationToken cancellationToken)
            => Sliced.Wait(timeout, cancellationToken, slice => WaitAll(slice));

        /// <summary>WaitAllStaged with a token.</summary>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the tasks.</param>
        public void WaitAllStaged(TimeSpan? timeout, CancellationToken cancellationToken)
            => Sliced.Wait(timeout, cancellationToken, slice => WaitAllStaged(slice));

        /// <summary>WaitAll for those who await.</summary>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting, not the tasks.</param>
        /// <returns>Ends when all tasks have ended that had not when this was called.</returns>
        public Task WaitAllAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default(CancellationToken))
            => Task.Run(() => WaitAll(timeout, cancellationToken), cancellationToken);

        /// <summary>Close with a token.</summary>
        /// <param name="mode">What becomes of the tasks.</param>
        /// <param name="timeout">That draining may take; null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the closing.</param>
        public void Close(CloseMode mode, TimeSpan? timeout, CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            CloseAsync(mode, timeout, cancellationToken).GetAwaiter().GetResult();
        }

        /// <summary>Close for those who await.</summary>
        /// <param name="mode">What becomes of the tasks.</param>
        /// <param name="timeout">That draining may take; null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting, not the closing.</param>
        /// <returns>Ends when the threads have ended; throws what Close throws.</returns>
        public async Task CloseAsync(CloseMode mode = CloseMode.Drain, TimeSpan? timeout = null,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            var closing = Task.Run(() => Close(mode, timeout));
            var cancelled = new TaskCompletionSource<bool>();
            using (cancellationToken.Register(() => cancelled.TrySetCanceled()))
                await (await Task.WhenAny(closing, cancelled.Task).ConfigureAwait(false)).ConfigureAwait(false);
        }
#if NET

        /// <summary>Dispose at the end of an "await using": the calling thread is free while tasks end.</summary>
        /// <returns>Ends when this is disposed of.</returns>
        public ValueTask DisposeAsync() => new ValueTask(Task.Run(() => Dispose()));
#endif
    }

    public sealed partial class CheckpointTask
    {
        /// <summary>Wait with a token.</summary>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the task.</param>
        /// <returns>How it ended, failures included.</returns>
        public CheckpointTaskResult Wait(TimeSpan? timeout, CancellationToken cancellationToken)
        {
            CheckpointTaskResult ended = null;
            Sliced.Wait(timeout, cancellationToken, slice => ended = Wait(slice));
            return ended;
        }

        /// <summary>WaitStaged with a token.</summary>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the task.</param>
        public void WaitStaged(TimeSpan? timeout, CancellationToken cancellationToken)
            => Sliced.Wait(timeout, cancellationToken, slice => WaitStaged(slice));
    }

    // A wait of the library knows no token: it is done in slices, between which the token is asked.
    internal static class Sliced
    {
        private static readonly TimeSpan longest = TimeSpan.FromMilliseconds(20);

        internal static void Wait(TimeSpan? timeout, CancellationToken token, Action<TimeSpan?> wait)
        {
            token.ThrowIfCancellationRequested();
            var limit = Times.Nanoseconds(timeout);
            if (!token.CanBeCanceled || limit == 0)
            {
                wait(timeout);
                return;
            }
            var watch = Stopwatch.StartNew();
            while (true)
            {
                var left = limit < 0 ? longest : timeout - watch.Elapsed;
                try
                {
                    wait(left < TimeSpan.Zero ? TimeSpan.Zero : left < longest ? left : longest);
                    return;
                }
                catch (CkptException ended) when (ended is CkptTimeoutException || ended is CkptQueueFullException)
                {
                    token.ThrowIfCancellationRequested();
                    if (limit >= 0 && watch.Elapsed >= timeout) throw;
                }
            }
        }
    }
}
