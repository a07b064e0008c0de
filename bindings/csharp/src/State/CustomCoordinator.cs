using System;

namespace Ckpt
{
    /// <summary>Derive from this to join the processes of one run. Each method throws CheckpointTimeoutException when not all
    /// processes came in time. Spans are valid during the call only.</summary>
    public abstract class CustomCoordinator
    {
        /// <summary>Returns when every process has called it.</summary>
        /// <param name="timeout">How long to wait.</param>
        public abstract void Barrier(TimeSpan timeout);

        /// <summary>Gives all processes the root's bytes.</summary>
        /// <param name="data">Read at the root and written elsewhere.</param>
        /// <param name="root">Its rank.</param>
        /// <param name="timeout">How long to wait.</param>
        public abstract void Broadcast(Span<byte> data, long root, TimeSpan timeout);

        /// <summary>Gives all processes everyone's bytes.</summary>
        /// <param name="sent">This process's.</param>
        /// <param name="received">Everyone's, in the order of ranks.</param>
        /// <param name="timeout">How long to wait.</param>
        public abstract void AllGather(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout);
    }
}
