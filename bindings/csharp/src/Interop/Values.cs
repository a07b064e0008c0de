using System;
using System.Collections;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Ckpt.Interop
{
    // Converts statuses of failed calls to exceptions with the library's message.
    internal static class Errors
    {
        internal static void Check(int status)
        {
            if (status != native.CKPT_OK) throw CkptException.Of(status, native.ckpt_last_error());
        }

        internal static void CheckFetched() => Check(native.ckpt_csharp_fetched_status());
    }

    // Converts timeouts: null and Timeout.InfiniteTimeSpan wait indefinitely.
    internal static class Times
    {
        private static readonly DateTime epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        internal static long Nanoseconds(TimeSpan? time)
        {
            if (time == null || time.Value == System.Threading.Timeout.InfiniteTimeSpan) return -1;
            var ticks = time.Value.Ticks;
            if (ticks < 0) throw new CkptInvalidArgumentException("time " + time.Value + ": expected at least 0");
            return ticks > long.MaxValue / 100 ? long.MaxValue : ticks * 100;
        }

        internal static TimeSpan OfNanoseconds(long nanoseconds)
            => nanoseconds == -1 ? System.Threading.Timeout.InfiniteTimeSpan : TimeSpan.FromTicks(nanoseconds / 100);

        internal static DateTime Utc(long nanoseconds) => epoch.AddTicks(nanoseconds / 100);
    }

    // Converts strings to and from the library's UTF-8 with a terminating NUL.
    internal static unsafe class Utf8
    {
        private static readonly UTF8Encoding strict = new UTF8Encoding(false, true);

        internal static byte[] Bytes(string text)
        {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0)
                throw new CkptInvalidArgumentException("string contains a NUL: \"" + text.Replace("\0", "\\0") + "\"");
            try
            {
                var bytes = new byte[strict.GetByteCount(text) + 1];
                strict.GetBytes(text, 0, text.Length, bytes, 0);
                return bytes;
            }
            catch (EncoderFallbackException)
            {
                throw new CkptInvalidArgumentException("string: expected valid UTF-16, found a lone surrogate");
            }
        }

        internal static string Text(IntPtr text)
        {
            if (text == IntPtr.Zero) return null;
            var bytes = (byte*)text;
            var length = 0;
            while (bytes[length] != 0) ++length;
            return length == 0 ? "" : Encoding.UTF8.GetString(bytes, length);
        }
    }

    // Formats objects with many values, the same under every culture.
    internal static class Shown
    {
        internal static string Of(string name, params object[] values)
        {
            var pairs = Enumerable.Range(0, values.Length / 2).Select(i => values[2 * i] + "=" + One(values[2 * i + 1]));
            return name + "(" + string.Join(", ", pairs) + ")";
        }

        private static string One(object value)
        {
            if (value == null) return "null";
            var text = value as string;
            if (text != null) return "\"" + text + "\"";
            if (value is bool) return (bool)value ? "true" : "false";
            if (value is DateTime) return ((DateTime)value).ToString("o", CultureInfo.InvariantCulture);
            var list = value as Array;
            if (list != null) return "[" + string.Join(", ", ((IEnumerable)list).Cast<object>().Select(One)) + "]";
            return Convert.ToString(value, CultureInfo.InvariantCulture);
        }
    }
}
