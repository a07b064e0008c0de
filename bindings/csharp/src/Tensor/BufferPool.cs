using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Memory for tensors that is used again for the same size. Tensors keep their pool alive. Several threads may
    /// use it at once.</summary>
    public sealed partial class BufferPool : NativeObject
    {
        /// <summary>An empty pool.</summary>
        /// <param name="tracker">Learns of every buffer while a tensor uses it; kept alive. null: none.</param>
        /// <param name="options">null: the defaults.</param>
        public BufferPool([AllowNull] MemoryTracker tracker = null, [AllowNull] BufferPoolOptions options = null)
            : base(Made(tracker, options))
        {
        }

        private static NativeHandle Made(MemoryTracker tracker, BufferPoolOptions options)
        {
            using (var memory = new CallMemory())
                return Made((out IntPtr made) => native.ckpt_buffer_pool_create(HandleOf(tracker),
                    BufferPoolOptions.Native(options, memory), out made), native.ckpt_buffer_pool_release);
        }

        /// <summary>Releases memory to the system.</summary>
        /// <param name="keepBytes">So much may stay for reuse.</param>
        public void Trim(long keepBytes = 0)
        {
            native.ckpt_buffer_pool_trim(Handle, keepBytes);
        }
    }
}
