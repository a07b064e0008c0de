using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a state is saved. Texts of JSON may be anything; null: null.</summary>
    public sealed class SaveOptions
    {
        /// <summary>The library's defaults.</summary>
        public SaveOptions()
        {
            using (var defaults = new ckpt_save_options())
            {
                Step = defaults.step;
                Seed = defaults.seed;
                Incremental = defaults.incremental != 0;
            }
        }

        /// <summary>At least 0; a load takes the highest.</summary>
        public long Step { get; set; }

        /// <summary>Of the run's random numbers.</summary>
        public ulong Seed { get; set; }

        /// <summary>For people and tools: a JSON value.</summary>
        [MaybeNull, AllowNull]
        public string MetadataJson { get; set; }

        /// <summary>What the results' last bits depend on: a JSON value.</summary>
        [MaybeNull, AllowNull]
        public string EnvironmentJson { get; set; }

        /// <summary>Begins the checkpoint's name: 1 .. 24 of a-z, 0-9 and '_'. null or "": none.</summary>
        [MaybeNull, AllowNull]
        public string CheckpointPrefix { get; set; }

        /// <summary>What KeepBest compares; null: none.</summary>
        public double? Metric { get; set; }

        /// <summary>Whether an unchanged file of a group that rarely changes is linked to; true by default.</summary>
        public bool Incremental { get; set; }

        // texts: keeps what the struct borrows.
        internal ckpt_save_options Native(TextMemory texts)
        {
            var options = new ckpt_save_options();
            options.step = Step;
            options.seed = Seed;
            options.metadata_json = texts.Of(MetadataJson);
            options.environment_json = texts.Of(EnvironmentJson);
            options.prefix = texts.Of(CheckpointPrefix);
            options.metric = Metric ?? 0;
            options.has_metric = Metric == null ? 0 : 1;
            options.incremental = Incremental ? 1 : 0;
            return options;
        }
    }
}
