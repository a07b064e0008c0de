using System;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How the processes of one run find one another.</summary>
    public sealed unsafe partial class Coordinator : NativeObject
    {
        /// <summary>Rank 0 of 1: every operation returns at once.</summary>
        public Coordinator() : this(Made(native.ckpt_coordinator_create_single, native.ckpt_coordinator_release)) { }

        internal Coordinator(NativeHandle handle) : base(handle) { }

        /// <summary>One whose operations are yours; it keeps the object alive.</summary>
        /// <param name="rank">0 .. worldSize - 1.</param>
        /// <param name="worldSize">At least 1.</param>
        /// <param name="coordinator">Your object.</param>
        public static Coordinator Custom(long rank, long worldSize, CustomCoordinator coordinator)
        {
            if (coordinator == null) throw new ArgumentNullException("coordinator");
            coordinator.rank = rank;
            coordinator.worldSize = worldSize;
            return new Coordinator(Made((out IntPtr made) => native.ckpt_coordinator_create_custom(rank, worldSize,
                new CoordinatorCalls(coordinator), 1, out made), native.ckpt_coordinator_release));
        }

        /// <summary>Gives all processes the root's bytes.</summary>
        /// <param name="data">Read at the root and written elsewhere; as long everywhere.</param>
        /// <param name="root">Its rank.</param>
        /// <param name="timeout">How long to wait.</param>
        public void Broadcast(Span<byte> data, long root, TimeSpan timeout)
        {
            fixed (byte* bytes = &MemoryMarshal.GetReference(data))
                native.ckpt_coordinator_broadcast(Handle, (IntPtr)bytes, data.Length, root, Times.Nanoseconds(timeout));
        }

        /// <summary>Gives all processes everyone's bytes in the order of ranks.</summary>
        /// <param name="sent">This process's.</param>
        /// <param name="received">WorldSize times as many.</param>
        /// <param name="timeout">How long to wait.</param>
        public void AllGather(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout)
        {
            fixed (byte* mine = &MemoryMarshal.GetReference(sent))
            fixed (byte* all = &MemoryMarshal.GetReference(received))
                native.ckpt_coordinator_all_gather(Handle, (IntPtr)mine, sent.Length, Times.Nanoseconds(timeout), (IntPtr)all,
                    received.Length);
        }

        /// <summary>Gives the root everyone's bytes in the order of ranks.</summary>
        /// <param name="sent">This process's.</param>
        /// <param name="received">WorldSize times as many at the root; not used elsewhere.</param>
        /// <param name="root">Its rank.</param>
        /// <param name="timeout">How long to wait.</param>
        public void Gather(ReadOnlySpan<byte> sent, Span<byte> received, long root, TimeSpan timeout)
        {
            fixed (byte* mine = &MemoryMarshal.GetReference(sent))
            fixed (byte* all = &MemoryMarshal.GetReference(received))
                native.ckpt_coordinator_gather(Handle, (IntPtr)mine, sent.Length, root, Times.Nanoseconds(timeout), (IntPtr)all,
                    received.Length);
        }
    }

    /// <summary>Derive from this to join the processes of one run. Each method throws CkptTimeoutException when not all
    /// processes came in time. Spans are valid during the call only.</summary>
    public abstract partial class CustomCoordinator
    {
        internal long rank;
        internal long worldSize = 1;

        /// <summary>Gives one process everyone's bytes. Without an override AllGather does, with the bytes of all in memory
        /// everywhere.</summary>
        /// <param name="sent">This process's.</param>
        /// <param name="received">At the root everyone's, in the order of ranks; empty elsewhere.</param>
        /// <param name="root">Its rank.</param>
        /// <param name="timeout">How long to wait.</param>
        public virtual void Gather(ReadOnlySpan<byte> sent, Span<byte> received, long root, TimeSpan timeout)
            => AllGather(sent, rank == root ? received : new byte[checked(sent.Length * worldSize)], timeout);
    }
}
