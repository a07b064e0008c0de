using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A bounded first-in first-out queue of 64-bit words.</summary>
    public sealed partial class WordQueue : NativeObject
    {
        /// <summary>An empty queue; all its memory is allocated here.</summary>
        /// <param name="capacity">Words, 1 .. 2^24.</param>
        /// <param name="kind">How many threads may use it.</param>
        public WordQueue(long capacity, WordQueueKind kind = WordQueueKind.Mpmc) : base(Made(
            (out IntPtr made) => native.ckpt_word_queue_create((int)kind, capacity, out made), native.ckpt_word_queue_release))
        {
        }

        /// <summary>Appends a word. CkptQueueFullException when there was no place in time, CkptClosedException after
        /// Close.</summary>
        /// <param name="word">The word.</param>
        /// <param name="timeout">How long to wait for a place; null: for ever.</param>
        public void Push(ulong word, TimeSpan? timeout = null)
        {
            native.ckpt_word_queue_push(Handle, word, Times.Nanoseconds(timeout));
        }

        /// <summary>Takes the oldest word. CkptTimeoutException when there was none in time, CkptClosedException when the queue is
        /// closed and empty.</summary>
        /// <param name="timeout">How long to wait for one; null: for ever.</param>
        /// <returns>The word.</returns>
        public ulong Pop(TimeSpan? timeout = null)
        {
            ulong word;
            native.ckpt_word_queue_pop(Handle, Times.Nanoseconds(timeout), out word);
            return word;
        }

        /// <summary>Lets nothing more in and wakes every waiting thread; what is inside can still be popped.</summary>
        public void Close()
        {
            native.ckpt_word_queue_close(Handle);
        }

        /// <summary>Words inside now.</summary>
        public long WordCount
        {
            get { return Get<long>(native.ckpt_word_queue_get_word_count); }
        }
    }
}
