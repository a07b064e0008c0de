using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What a verification read.</summary>
    public sealed class VerifyResult
    {
        internal VerifyResult(ckpt_verify_result from)
        {
            Name = from.name;
            Files = from.files;
            Tensors = from.tensors;
            Bytes = from.bytes;
        }

        /// <summary>The checkpoint's directory in the storage.</summary>
        public string Name { get; }

        /// <summary>Whose every byte was checked.</summary>
        public int Files { get; }

        /// <summary>In them.</summary>
        public long Tensors { get; }

        /// <summary>Of them.</summary>
        public long Bytes { get; }
    }
}
