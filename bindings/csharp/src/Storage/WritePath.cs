using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How large files are written. Each falls back to the next where the system or the file cannot have it.</summary>
    public enum WritePath
    {
        /// <summary>Past the page cache, several chunks under way by io_uring.</summary>
        Ring = native.CKPT_WRITE_PATH_RING,
        /// <summary>Past the page cache, one chunk after the other.</summary>
        Direct = native.CKPT_WRITE_PATH_DIRECT,
        /// <summary>Through the page cache.</summary>
        Buffered = native.CKPT_WRITE_PATH_BUFFERED,
    }
}
