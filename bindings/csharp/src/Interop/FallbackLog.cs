using System;

namespace Ckpt.Interop
{
    // Writes failures that cannot be returned to a caller to Console.Error, instead of the native library's line on standard error,
    // until a log handler is set.
    internal static class FallbackLog
    {
        private static readonly object guard = new object();
        private static bool armed;

        // Set together with the first handler.
        internal static volatile bool LogWasSet;

        internal static void Arm()
        {
            lock (guard)
            {
                if (armed) return;
                armed = true;
                native.ckpt_set_fallback_log(new Log { handler = (level, component, message) => Write(component + ": " + message) });
            }
        }

        // Writes one line about an event of this package, which the native library does not report.
        internal static void Report(string message)
        {
            if (!LogWasSet && Environment.GetEnvironmentVariable("CKPT_LOG") != "off") Write(message);
        }

        private static void Write(string message) => Console.Error.WriteLine("ckpt: " + message);
    }
}
