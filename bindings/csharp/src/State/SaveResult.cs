using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a save made.</summary>
    public sealed class SaveResult
    {
        internal SaveResult(ckpt_save_result from)
        {
            Name = from.name;
            Step = from.step;
            CommitSequence = from.commit_sequence;
            Files = from.files;
            Bytes = from.bytes;
            Linked = from.linked;
        }

        /// <summary>The checkpoint's directory in the storage.</summary>
        public string Name { get; }

        /// <summary>That was saved.</summary>
        public long Step { get; }

        /// <summary>Grows with every save in this storage.</summary>
        public long CommitSequence { get; }

        /// <summary>Of the checkpoint, the manifest not counted.</summary>
        public int Files { get; }

        /// <summary>Of the files.</summary>
        public long Bytes { get; }

        /// <summary>Files of them that were linked or copied because nothing in them had changed.</summary>
        public long Linked { get; }
    }
}
