using System;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ckpt.Extensions.Logging
{
    /// <summary>Sends the log of the library to Microsoft.Extensions.Logging.</summary>
    public static class CkptLogging
    {
        /// <summary>Sends messages to a logger for each component: "Ckpt.state", "Ckpt.async", ... Replaces the handler of
        /// Library.SetLog; Library.SetLog(null) ends it.</summary>
        /// <param name="factory">Creates the loggers, which filter messages themselves.</param>
        /// <param name="minLevel">Less important messages are dropped before they reach a logger.</param>
        public static void UseCkpt(this ILoggerFactory factory, Ckpt.LogLevel minLevel = Ckpt.LogLevel.Info)
        {
            if (factory == null) throw new ArgumentNullException(nameof(factory));
            var loggers = new ConcurrentDictionary<string, ILogger>();
            Library.SetLog((level, component, message) =>
                Log(loggers.GetOrAdd(component, name => factory.CreateLogger("Ckpt." + name)), level, message), minLevel);
        }

        /// <summary>Sends all messages to one logger, each prefixed with its component.</summary>
        /// <param name="logger">The logger, which filters messages itself.</param>
        /// <param name="minLevel">Less important messages are dropped before they reach the logger.</param>
        public static void UseCkpt(this ILogger logger, Ckpt.LogLevel minLevel = Ckpt.LogLevel.Info)
        {
            if (logger == null) throw new ArgumentNullException(nameof(logger));
            Library.SetLog((level, component, message) => Log(logger, level, component + ": " + message), minLevel);
        }

        private static void Log(ILogger logger, Ckpt.LogLevel level, string message)
        {
            // Passed as state, so that braces in a message are not parsed as a template.
            logger.Log(LevelOf(level), default(EventId), message, null, (text, error) => text);
        }

        private static Microsoft.Extensions.Logging.LogLevel LevelOf(Ckpt.LogLevel level)
        {
            switch (level)
            {
                case Ckpt.LogLevel.Debug: return Microsoft.Extensions.Logging.LogLevel.Debug;
                case Ckpt.LogLevel.Info: return Microsoft.Extensions.Logging.LogLevel.Information;
                case Ckpt.LogLevel.Warning: return Microsoft.Extensions.Logging.LogLevel.Warning;
                default: return Microsoft.Extensions.Logging.LogLevel.Error;
            }
        }
    }
}
