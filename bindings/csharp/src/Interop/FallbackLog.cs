using System;

namespace Ckpt.Interop
{
    // Failures that no caller can receive, as long as no log handler was ever set: they go to Console.Error instead of the native
    // library's line on standard error.
    internal static class FallbackLog
    {
        private static readonly object guard = new object();
        private static bool armed;

        // Set with the first handler.
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

        // One line, for what only this layer has done.
        internal static void Report(string message)
        {
            if (!LogWasSet && Environment.GetEnvironmentVariable("CKPT_LOG") != "off") Write(message);
        }

        private static void Write(string message)
        {
            Console.Error.WriteLine("ckpt: " + message);
        }
    }
}
