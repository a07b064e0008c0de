using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How the checkpoints of a storage are kept.</summary>
    public sealed class CheckpointOptions
    {
        /// <summary>The library's defaults.</summary>
        public CheckpointOptions()
        {
            using (var defaults = new ckpt_checkpoint_manager_options())
            {
                ReadOnly = defaults.read_only != 0;
                KeepLast = defaults.keep_last;
                KeepEvery = defaults.keep_every;
                KeepBest = defaults.keep_best;
                BestIsLargest = defaults.best_is == native.CKPT_BEST_METRIC_LARGEST;
            }
        }

        /// <summary>True: no lock, nothing is ever changed, saves fail.</summary>
        public bool ReadOnly { get; set; }

        /// <summary>After every save older complete checkpoints go, except this many; 0: all stay.</summary>
        public long KeepLast { get; set; }

        /// <summary>Those whose step is a multiple of this stay too; 0: none.</summary>
        public long KeepEvery { get; set; }

        /// <summary>This many with the best metric stay too; 0: none.</summary>
        public long KeepBest { get; set; }

        /// <summary>Whether the largest metric is the best; false by default.</summary>
        public bool BestIsLargest { get; set; }

        /// <summary>Kept alive; null: a single process.</summary>
        [MaybeNull, AllowNull]
        public Coordinator Coordinator { get; set; }

        /// <summary>Says which of the storage's errors are tried again; kept alive. null: one with its defaults.</summary>
        [MaybeNull, AllowNull]
        public FaultHandler FaultHandler { get; set; }

        // texts: keeps what the struct borrows.
        internal ckpt_checkpoint_manager_options Native(TextMemory texts)
        {
            var options = new ckpt_checkpoint_manager_options();
            options.read_only = ReadOnly ? 1 : 0;
            options.keep_last = KeepLast;
            options.keep_every = KeepEvery;
            options.keep_best = KeepBest;
            options.best_is = BestIsLargest ? native.CKPT_BEST_METRIC_LARGEST : native.CKPT_BEST_METRIC_SMALLEST;
            options.coordinator = NativeObject.HandleOf(Coordinator);
            options.fault_handler = NativeObject.HandleOf(FaultHandler);
            return options;
        }
    }
}
