using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    // Idiomatic waits: with a token that ends the waiting (not the task), without blocking a thread, and at the end of an
    // "await using".
    public partial class AsyncManager
#if NET
        : IAsyncDisposable
#endif
    {
        /// <summary>Waits like Wait, with a token.</summary>
        /// <param name="id">The task's number.</param>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the task.</param>
        /// <returns>The result, also of a failed task.</returns>
        public CheckpointTaskResult Wait(long id, TimeSpan? timeout, CancellationToken cancellationToken)
        {
            CheckpointTaskResult result = null;
            Sliced.Wait(timeout, cancellationToken, slice => result = Wait(id, slice));
            return result;
        }

        /// <summary>Waits like WaitAll, with a token.</summary>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the tasks.</param>
        public void WaitAll(TimeSpan? timeout, CancellationToken cancellationToken)
            => Sliced.Wait(timeout, cancellationToken, slice => WaitAll(slice));

        /// <summary>Waits like WaitAllStaged, with a token.</summary>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the tasks.</param>
        public void WaitAllStaged(TimeSpan? timeout, CancellationToken cancellationToken)
            => Sliced.Wait(timeout, cancellationToken, slice => WaitAllStaged(slice));

        /// <summary>Waits like WaitAll, asynchronously.</summary>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting, not the tasks.</param>
        /// <returns>Ends when all tasks have ended that were active at the call.</returns>
        public Task WaitAllAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default(CancellationToken))
            => Task.Run(() => WaitAll(timeout, cancellationToken), cancellationToken);

        /// <summary>Closes like Close, with a token.</summary>
        /// <param name="mode">Whether tasks are drained or cancelled.</param>
        /// <param name="timeout">Limit for draining; null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the closing.</param>
        public void Close(CloseMode mode, TimeSpan? timeout, CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            CloseAsync(mode, timeout, cancellationToken).GetAwaiter().GetResult();
        }

        /// <summary>Closes like Close, asynchronously.</summary>
        /// <param name="mode">Whether tasks are drained or cancelled.</param>
        /// <param name="timeout">Limit for draining; null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting, not the closing.</param>
        /// <returns>Ends when the threads have ended; throws like Close.</returns>
        public async Task CloseAsync(CloseMode mode = CloseMode.Drain, TimeSpan? timeout = null,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            var closing = Task.Run(() => Close(mode, timeout));
            var cancelled = new TaskCompletionSource<bool>();
            using (cancellationToken.Register(() => cancelled.TrySetCanceled()))
                await (await Task.WhenAny(closing, cancelled.Task).ConfigureAwait(false)).ConfigureAwait(false);
        }
#if NET

        /// <summary>Disposes of this at the end of an "await using", without blocking the calling thread while tasks end.</summary>
        /// <returns>Ends when this is disposed of.</returns>
        public ValueTask DisposeAsync() => new ValueTask(Task.Run(() => Dispose()));
#endif
    }

    public sealed partial class CheckpointTask
    {
        /// <summary>Waits like Wait, with a token.</summary>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the task.</param>
        /// <returns>The result, also of a failed task.</returns>
        public CheckpointTaskResult Wait(TimeSpan? timeout, CancellationToken cancellationToken)
        {
            CheckpointTaskResult ended = null;
            Sliced.Wait(timeout, cancellationToken, slice => ended = Wait(slice));
            return ended;
        }

        /// <summary>Waits like WaitStaged, with a token.</summary>
        /// <param name="timeout">null: no limit.</param>
        /// <param name="cancellationToken">Ends the waiting with OperationCanceledException, not the task.</param>
        public void WaitStaged(TimeSpan? timeout, CancellationToken cancellationToken)
            => Sliced.Wait(timeout, cancellationToken, slice => WaitStaged(slice));
    }

    // Waits with a token, which the library does not support: waits in slices and checks the token between them.
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
