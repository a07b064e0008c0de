using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A bounded first-in first-out queue of 64-bit words. Any number of threads may use it at once, unless it was made
    /// for one pushing and one popping thread.</summary>
    public sealed class Queue : NativeObject
    {
        /// <summary>An empty queue; all its memory is allocated here.</summary>
        /// <param name="capacity">Words, 1 .. 2^24.</param>
        /// <param name="oneProducerOneConsumer">True: faster, for one pushing and one popping thread at a time.</param>
        public Queue(long capacity, bool oneProducerOneConsumer = false) : base(Made(capacity, oneProducerOneConsumer))
        {
        }

        private static NativeHandle Made(long capacity, bool single)
        {
            IntPtr queue;
            native.ckpt_word_queue_create(single ? native.CKPT_WORD_QUEUE_KIND_SPSC : native.CKPT_WORD_QUEUE_KIND_MPMC, capacity, out queue);
            return new NativeHandle(queue, native.ckpt_word_queue_release);
        }

        /// <summary>Appends a word. CheckpointQueueFullException when there was no place in time, CheckpointClosedException after
        /// Close.</summary>
        /// <param name="value">The word.</param>
        /// <param name="timeout">How long to wait for a place; null: for ever.</param>
        public void Push(ulong value, TimeSpan? timeout = null)
        {
            native.ckpt_word_queue_push(Handle, value, Times.Nanoseconds(timeout));
        }

        /// <summary>Takes the oldest word. CheckpointTimeoutException when there was none in time, CheckpointClosedException when
        /// the queue is closed and empty.</summary>
        /// <param name="timeout">How long to wait for one; null: for ever.</param>
        /// <returns>The word.</returns>
        public ulong Pop(TimeSpan? timeout = null)
        {
            ulong value;
            native.ckpt_word_queue_pop(Handle, out value, Times.Nanoseconds(timeout));
            return value;
        }

        /// <summary>Lets nothing more in and wakes every waiting thread; what is inside can still be popped.</summary>
        public void Close()
        {
            native.ckpt_word_queue_close(Handle);
        }

        /// <summary>Words inside now.</summary>
        public long Count
        {
            get
            {
                long size;
                native.ckpt_word_queue_get_size(Handle, out size);
                return size;
            }
        }
    }
}
