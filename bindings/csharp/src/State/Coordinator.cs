using System;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How the processes of one run find one another.</summary>
    public sealed unsafe class Coordinator : NativeObject
    {
        /// <summary>Rank 0 of 1: every operation returns at once.</summary>
        public Coordinator() : this(Made())
        {
        }

        internal Coordinator(NativeHandle handle) : base(handle)
        {
        }

        private static NativeHandle Made()
        {
            IntPtr coordinator;
            native.ckpt_coordinator_create_single(out coordinator);
            return new NativeHandle(coordinator, native.ckpt_coordinator_release);
        }

        /// <summary>One whose operations are yours; it keeps the object alive.</summary>
        /// <param name="rank">0 .. worldSize - 1.</param>
        /// <param name="worldSize">At least 1.</param>
        /// <param name="coordinator">Your object.</param>
        /// <returns>The coordinator.</returns>
        public static Coordinator Custom(long rank, long worldSize, CustomCoordinator coordinator)
        {
            if (coordinator == null) throw new ArgumentNullException("coordinator");
            IntPtr made;
            native.ckpt_coordinator_create_custom(rank, worldSize, new CoordinatorCalls(coordinator), out made);
            return new Coordinator(new NativeHandle(made, native.ckpt_coordinator_release));
        }

        /// <summary>This process's number.</summary>
        public long Rank
        {
            get
            {
                long rank;
                native.ckpt_coordinator_get_rank(Handle, out rank);
                return rank;
            }
        }

        /// <summary>Number of processes.</summary>
        public long WorldSize
        {
            get
            {
                long size;
                native.ckpt_coordinator_get_world_size(Handle, out size);
                return size;
            }
        }

        /// <summary>Returns when every process has called it. CheckpointTimeoutException when not all came in time.</summary>
        /// <param name="timeout">How long to wait.</param>
        public void Barrier(TimeSpan timeout)
        {
            native.ckpt_coordinator_barrier(Handle, Times.Nanoseconds(timeout));
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
                native.ckpt_coordinator_all_gather(Handle, (IntPtr)mine, sent.Length, (IntPtr)all, received.Length,
                    Times.Nanoseconds(timeout));
        }
    }
}
