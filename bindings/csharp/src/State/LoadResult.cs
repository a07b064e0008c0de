using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a load found.</summary>
    public sealed class LoadResult
    {
        internal LoadResult(ckpt_load_result from)
        {
            Name = from.name;
            Step = from.step;
            CommitSequence = from.commit_sequence;
            Seed = from.seed;
            Bytes = from.bytes;
            Skipped = from.skipped;
            Missing = from.missing;
            Unexpected = from.unexpected;
            EnvironmentDiffers = from.environment_differs != 0;
        }

        /// <summary>The checkpoint's directory in the storage.</summary>
        public string Name { get; }

        /// <summary>That was loaded.</summary>
        public long Step { get; }

        /// <summary>Of the checkpoint.</summary>
        public long CommitSequence { get; }

        /// <summary>Of the run's random numbers.</summary>
        public ulong Seed { get; }

        /// <summary>Of the files, the manifest not counted.</summary>
        public long Bytes { get; }

        /// <summary>Newer checkpoints, torn or corrupt, that were passed over.</summary>
        public long Skipped { get; }

        /// <summary>Tensors of the state that the checkpoint lacks; 0 unless partial.</summary>
        public long Missing { get; }

        /// <summary>Tensors of the checkpoint that the state lacks; 0 unless partial.</summary>
        public long Unexpected { get; }

        /// <summary>Whether the environment was given and is not the checkpoint's.</summary>
        public bool EnvironmentDiffers { get; }
    }
}
