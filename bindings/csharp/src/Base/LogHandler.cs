namespace Ckpt
{
    /// <summary>Receives one log message, on any thread, several at once. It must not call Library.SetLog. What it throws is
    /// dropped.</summary>
    /// <param name="level">How important it is.</param>
    /// <param name="component">The part that it comes from ("state", "engine", ...).</param>
    /// <param name="message">One line.</param>
    public delegate void LogHandler(LogLevel level, string component, string message);
}
