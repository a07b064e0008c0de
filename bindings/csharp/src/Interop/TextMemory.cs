using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // Texts and arrays of texts for structs that only borrow them: alive until this is disposed of, after the call.
    internal sealed class TextMemory : IDisposable
    {
        private readonly List<IntPtr> kept = new List<IntPtr>();

        internal IntPtr Of(string text)
        {
            if (text == null) return IntPtr.Zero;
            var bytes = Utf8.Bytes(text);
            var place = Keep(bytes.Length);
            Marshal.Copy(bytes, 0, place, bytes.Length);
            return place;
        }

        internal unsafe IntPtr* Of(string[] texts)
        {
            var places = (IntPtr*)Keep((texts.Length + 1) * sizeof(IntPtr));
            for (var i = 0; i < texts.Length; ++i)
            {
                if (texts[i] == null) throw new CheckpointInvalidArgumentException("text " + i + " of a list is null");
                places[i] = Of(texts[i]);
            }
            return places;
        }

        private IntPtr Keep(int bytes)
        {
            var place = Marshal.AllocHGlobal(bytes);
            kept.Add(place);
            return place;
        }

        public void Dispose()
        {
            foreach (var place in kept) Marshal.FreeHGlobal(place);
            kept.Clear();
        }
    }
}
