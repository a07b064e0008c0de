using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Levels of log messages.</summary>
    public enum LogLevel
    {
        /// <summary>For those who look for a defect.</summary>
        Debug = native.CKPT_LOG_LEVEL_DEBUG,
        /// <summary>What happens.</summary>
        Info = native.CKPT_LOG_LEVEL_INFO,
        /// <summary>Something is not as it should be, but work goes on.</summary>
        Warning = native.CKPT_LOG_LEVEL_WARNING,
        /// <summary>Something failed that nobody else tells of.</summary>
        Error = native.CKPT_LOG_LEVEL_ERROR,
    }
}
