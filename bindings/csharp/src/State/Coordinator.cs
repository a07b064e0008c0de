using System;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Connects the processes of one run.</summary>
    public sealed unsafe partial class Coordinator : NativeObject
    {
        /// <summary>Creates a coordinator with one rank: every operation returns immediately.</summary>
        public Coordinator() : this(Created(native.ckpt_coordinator_create_single, native.ckpt_coordinator_release)) { }

        internal Coordinator(NativeHandle handle) : base(handle) { }

        /// <summary>Creates a coordinator with custom operations; it keeps the object alive.</summary>
        /// <param name="rank">0 .. worldSize - 1.</param>
        /// <param name="worldSize">At least 1.</param>
        /// <param name="coordinator">The custom coordinator.</param>
        public static Coordinator Custom(long rank, long worldSize, CustomCoordinator coordinator)
        {
            if (coordinator == null) throw new ArgumentNullException("coordinator");
            coordinator.rank = rank;
            coordinator.worldSize = worldSize;
            return new Coordinator(Created((out IntPtr created) => native.ckpt_coordinator_create_custom(rank, worldSize,
                new CoordinatorCalls(coordinator), 1, out created), native.ckpt_coordinator_release));
        }

        /// <summary>Copies the root's bytes to all processes.</summary>
        /// <param name="data">Read at the root and written elsewhere; of equal length on all ranks.</param>
        /// <param name="root">Rank of the root.</param>
        /// <param name="timeout">How long to wait.</param>
        public void Broadcast(Span<byte> data, long root, TimeSpan timeout)
        {
            fixed (byte* bytes = &MemoryMarshal.GetReference(data))
                native.ckpt_coordinator_broadcast(Handle, (IntPtr)bytes, data.Length, root, Times.Nanoseconds(timeout));
        }

        /// <summary>Collects the bytes of all processes on all processes, in rank order.</summary>
        /// <param name="sent">The bytes of this process.</param>
        /// <param name="received">WorldSize times as many bytes.</param>
        /// <param name="timeout">How long to wait.</param>
        public void AllGather(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout)
        {
            fixed (byte* mine = &MemoryMarshal.GetReference(sent))
            fixed (byte* all = &MemoryMarshal.GetReference(received))
                native.ckpt_coordinator_all_gather(Handle, (IntPtr)mine, sent.Length, Times.Nanoseconds(timeout), (IntPtr)all,
                    received.Length);
        }

        /// <summary>Collects the bytes of all processes at the root, in rank order.</summary>
        /// <param name="sent">The bytes of this process.</param>
        /// <param name="received">WorldSize times as many bytes at the root; not used elsewhere.</param>
        /// <param name="root">Rank of the root.</param>
        /// <param name="timeout">How long to wait.</param>
        public void Gather(ReadOnlySpan<byte> sent, Span<byte> received, long root, TimeSpan timeout)
        {
            fixed (byte* mine = &MemoryMarshal.GetReference(sent))
            fixed (byte* all = &MemoryMarshal.GetReference(received))
                native.ckpt_coordinator_gather(Handle, (IntPtr)mine, sent.Length, root, Times.Nanoseconds(timeout), (IntPtr)all,
                    received.Length);
        }
    }

    /// <summary>Base of custom coordinators of a run. Each method throws CkptTimeoutException when not all processes call it in
    /// time. Spans are valid during the call only.</summary>
    public abstract partial class CustomCoordinator
    {
        internal long rank;
        internal long worldSize = 1;

        /// <summary>Collects the bytes of all processes at the root. Without an override AllGather is used, which needs memory for
        /// the bytes of all on every process.</summary>
        /// <param name="sent">The bytes of this process.</param>
        /// <param name="received">At the root: filled with the bytes of all processes, in rank order; empty elsewhere.</param>
        /// <param name="root">Rank of the root.</param>
        /// <param name="timeout">How long to wait.</param>
        public virtual void Gather(ReadOnlySpan<byte> sent, Span<byte> received, long root, TimeSpan timeout)
            => AllGather(sent, rank == root ? received : new byte[checked(sent.Length * worldSize)], timeout);
    }
}
