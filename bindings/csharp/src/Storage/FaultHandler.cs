using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Decides what is tried again, and when. One may serve several storages and checkpoints, from several
    /// threads.</summary>
    public sealed class FaultHandler : NativeObject
    {
        /// <summary>A handler.</summary>
        /// <param name="options">null: the defaults.</param>
        public FaultHandler([AllowNull] FaultHandlerOptions options = null) : this(Made(options ?? new FaultHandlerOptions()))
        {
        }

        internal FaultHandler(NativeHandle handle) : base(handle)
        {
        }

        private static NativeHandle Made(FaultHandlerOptions from)
        {
            using (var options = new ckpt_fault_handler_options())
            {
                options.max_attempts = from.MaxAttempts;
                options.first_delay_ns = Times.Nanoseconds(from.FirstDelay);
                options.max_delay_ns = Times.Nanoseconds(from.MaxDelay);
                options.factor = from.Factor;
                options.jitter = from.Jitter;
                options.seed = from.Seed;
                IntPtr handler;
                native.ckpt_fault_handler_create(options, from.Sleep == null ? null : new SleepFunction(from.Sleep), out handler);
                return new NativeHandle(handler, native.ckpt_fault_handler_release);
            }
        }

        /// <summary>How often something was tried again.</summary>
        public long Retries
        {
            get
            {
                long retries;
                native.ckpt_fault_handler_get_retry_count(Handle, out retries);
                return retries;
            }
        }
    }
}
