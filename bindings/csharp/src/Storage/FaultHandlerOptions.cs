using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a fault handler tries again. New ones have the library's defaults.</summary>
    public sealed class FaultHandlerOptions
    {
        /// <summary>The defaults: 5 attempts, pauses of about 10, 20, 40 and 80 ms.</summary>
        public FaultHandlerOptions()
        {
            using (var defaults = new ckpt_fault_handler_options())
            {
                MaxAttempts = defaults.max_attempts;
                FirstDelay = Times.OfNanoseconds(defaults.first_delay_ns);
                MaxDelay = Times.OfNanoseconds(defaults.max_delay_ns);
                Factor = defaults.factor;
                Jitter = defaults.jitter;
                Seed = defaults.seed;
            }
        }

        /// <summary>At least 1, the first one included.</summary>
        public int MaxAttempts { get; set; }

        /// <summary>Pause before the second attempt.</summary>
        public TimeSpan FirstDelay { get; set; }

        /// <summary>No pause is longer.</summary>
        public TimeSpan MaxDelay { get; set; }

        /// <summary>Each pause over the one before, at least 1.</summary>
        public double Factor { get; set; }

        /// <summary>A pause is made longer or shorter by a random share of it of at most this, 0 .. 1.</summary>
        public double Jitter { get; set; }

        /// <summary>Of the jitter.</summary>
        public ulong Seed { get; set; }

        /// <summary>Called instead of sleeping, on the thread whose operation failed; null: really sleeps.</summary>
        [MaybeNull, AllowNull]
        public Action<TimeSpan> Sleep { get; set; }
    }
}
