namespace Ckpt
{
    /// <summary>How far a save is.</summary>
    public struct CheckpointProgress
    {
        internal CheckpointProgress(long id, long doneBytes, long totalBytes)
        {
            Id = id;
            DoneBytes = doneBytes;
            TotalBytes = totalBytes;
        }

        /// <summary>Of the task.</summary>
        public long Id { get; }

        /// <summary>Written so far.</summary>
        public long DoneBytes { get; }

        /// <summary>To be written.</summary>
        public long TotalBytes { get; }

        /// <summary>DoneBytes over TotalBytes.</summary>
        public double Fraction
        {
            get { return TotalBytes == 0 ? 0 : (double)DoneBytes / TotalBytes; }
        }
    }
}
