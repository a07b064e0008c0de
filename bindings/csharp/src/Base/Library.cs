using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Receives one log message, on any thread, several at once. It must not call Library.SetLog. Its exceptions are
    /// dropped.</summary>
    /// <param name="level">The severity.</param>
    /// <param name="component">The component that sent it ("state", "engine", ...).</param>
    /// <param name="message">One line.</param>
    public delegate void LogHandler(LogLevel level, string component, string message);

    /// <summary>The loaded native library: its version, its log, and functions without an object.</summary>
    public static unsafe partial class Library
    {
        /// <summary>major * 1000000 + minor * 1000 + patch.</summary>
        public static int Version => nativePINVOKE.ckpt_version();

        /// <summary>The system's monotonic clock in nanoseconds, the default clock of all objects.</summary>
        public static long MonotonicNanoseconds
        {
            get
            {
                long now;
                native.ckpt_clock_get_now(null, out now);
                return now;
            }
        }

        /// <summary>Returns a status's name in the C API, for example "CORRUPT".</summary>
        /// <param name="status">The status.</param>
        /// <returns>The name; "UNKNOWN" for an invalid status.</returns>
        public static string StatusName(CkptStatus status) => native.ckpt_status_name((int)status);

        /// <summary>Sends messages of at least minLevel to handler; null: no messages, the default. Returns when the handler that
        /// was set before is no longer running.</summary>
        /// <param name="handler">Called on any thread; kept until another one is set.</param>
        /// <param name="minLevel">Less important messages are dropped.</param>
        public static void SetLog([AllowNull] LogHandler handler, LogLevel minLevel = LogLevel.Warning)
        {
            native.ckpt_set_log((int)minLevel, handler == null ? null : new Log { handler = handler });
            if (handler != null) FallbackLog.LogWasSet = true;
        }

        /// <summary>Reports the saves, loads, verifications and reads that this thread makes from now on.</summary>
        /// <param name="progress">Its Report runs inside those calls, which fail with its exception; the Id is 0. Null:
        /// none.</param>
        public static void SetProgress([AllowNull] IProgress<CheckpointProgress> progress)
        {
            native.ckpt_set_progress(progress == null ? null : new Report { progress = progress });
        }

        /// <summary>Returns the physical memory, including limits of control groups, at this moment.</summary>
        public static MemorySystem ProbeMemory() => MemorySystem.Filled(native.ckpt_memory_probe);

        /// <summary>Returns one block of Philox4x32-10: the same four random words on every machine.</summary>
        /// <param name="counter">Four words.</param>
        /// <param name="key">Two words.</param>
        /// <returns>Four words.</returns>
        public static uint[] Philox(uint[] counter, uint[] key)
        {
            if (counter == null || counter.Length != 4) throw new CkptInvalidArgumentException("counter: expected four words");
            if (key == null || key.Length != 2) throw new CkptInvalidArgumentException("key: expected two words");
            var words = new uint[4];
            fixed (uint* counterWords = counter)
            fixed (uint* keyWords = key)
            fixed (uint* result = words)
            {
                native.ckpt_random_philox(counterWords, keyWords, result);
            }
            return words;
        }
    }
}
