using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>One checkpoint of a storage.</summary>
    public sealed class CheckpointInfo
    {
        internal CheckpointInfo(ckpt_checkpoint_info from)
        {
            Name = from.name;
            Status = (CkptStatus)from.status;
            Step = from.step;
            CommitSequence = from.commit_sequence;
            Bytes = from.bytes;
            Metric = from.has_metric != 0 ? from.metric : (double?)null;
        }

        /// <summary>The directory in the storage.</summary>
        public string Name { get; }

        /// <summary>Ok: manifest and file sizes are right; NotFound: no manifest; Corrupt: damaged; others: why it could not be
        /// read.</summary>
        public CkptStatus Status { get; }

        /// <summary>That was saved.</summary>
        public long Step { get; }

        /// <summary>-1 unless Ok.</summary>
        public long CommitSequence { get; }

        /// <summary>Of the files; 0 unless Ok.</summary>
        public long Bytes { get; }

        /// <summary>That the save gave, or null.</summary>
        public double? Metric { get; }
    }
}
