using System;
using System.Text;

namespace Ckpt.Interop
{
    // Texts on their way to and from the library, which speaks UTF-8 with a NUL at the end.
    internal static unsafe class Utf8
    {
        private static readonly UTF8Encoding strict = new UTF8Encoding(false, true);

        internal static byte[] Bytes(string text)
        {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) throw new CheckpointInvalidArgumentException("a text has a NUL inside: \""
                + text.Replace("\0", "\\0") + "\"");
            try
            {
                var bytes = new byte[strict.GetByteCount(text) + 1];
                strict.GetBytes(text, 0, text.Length, bytes, 0);
                return bytes;
            }
            catch (EncoderFallbackException)
            {
                throw new CheckpointInvalidArgumentException("a text is no UTF-16: it has half of a surrogate pair");
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
}
