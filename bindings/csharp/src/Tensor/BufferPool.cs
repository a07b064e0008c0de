using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Memory for tensors that is given out again for the same size. Tensors keep their pool alive. Several threads may
    /// use it at once.</summary>
    public sealed class BufferPool : NativeObject
    {
        /// <summary>Keeps every buffer that came back.</summary>
        public const long NoLimit = native.CKPT_BUFFER_POOL_NO_LIMIT;

        /// <summary>Bytes that are kept for reuse unless another limit is given.</summary>
        public const long DefaultRetainBytes = native.CKPT_BUFFER_POOL_DEFAULT_RETAIN_BYTES;

        /// <summary>An empty pool.</summary>
        /// <param name="tracker">Learns of every buffer while a tensor uses it; kept alive. null: none.</param>
        /// <param name="layerName">The tracker counts the buffers under this name.</param>
        /// <param name="retainLimitBytes">Kept for reuse at most; 0: none.</param>
        public BufferPool([AllowNull] MemoryTracker tracker = null, string layerName = "tensor",
            long retainLimitBytes = DefaultRetainBytes)
            : base(Made(tracker, layerName, retainLimitBytes))
        {
        }

        private static NativeHandle Made(MemoryTracker tracker, string layerName, long retainLimitBytes)
        {
            using (var texts = new TextMemory())
            using (var options = new ckpt_buffer_pool_options())
            {
                options.layer_name = texts.Of(layerName);
                options.retain_limit_bytes = retainLimitBytes;
                IntPtr pool;
                native.ckpt_buffer_pool_create(HandleOf(tracker), options, out pool);
                return new NativeHandle(pool, native.ckpt_buffer_pool_release);
            }
        }

        /// <summary>What it holds now.</summary>
        /// <returns>The numbers of one moment.</returns>
        public BufferPoolStats GetStats()
        {
            using (var stats = new ckpt_buffer_pool_stats())
            {
                native.ckpt_buffer_pool_get_stats(Handle, stats);
                return new BufferPoolStats(stats);
            }
        }

        /// <summary>Gives memory back to the system.</summary>
        /// <param name="keepBytes">So much may stay for reuse.</param>
        public void Trim(long keepBytes = 0)
        {
            native.ckpt_buffer_pool_trim(Handle, keepBytes);
        }
    }
}
