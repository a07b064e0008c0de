using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How much of what is read is checked.</summary>
    public enum VerifyMode
    {
        /// <summary>Trusts the bytes; sizes, headers and manifest are checked all the same.</summary>
        None = native.CKPT_VERIFY_NONE,
        /// <summary>Checks the checksum of every byte.</summary>
        Full = native.CKPT_VERIFY_FULL,
        /// <summary>Only for readers: checks what is touched, when it is touched first.</summary>
        Lazy = native.CKPT_VERIFY_LAZY,
    }
}
