using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How the bytes of a save are taken.</summary>
    public enum StagingMode
    {
        /// <summary>Copied before the call returns: the tensors may change then.</summary>
        Copy = native.CKPT_STAGING_MODE_COPY,
        /// <summary>Never copied as a whole: nobody may write to the tensors until the task is staged, shortly before it
        /// ends.</summary>
        Borrow = native.CKPT_STAGING_MODE_BORROW,
        /// <summary>Copied in the background: nobody may write to the tensors until the task is staged, which is soon.</summary>
        Deferred = native.CKPT_STAGING_MODE_DEFERRED,
    }
}
