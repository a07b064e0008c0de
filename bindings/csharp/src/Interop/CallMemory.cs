using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // Arguments of one call: strings, arrays, structs, and the owners of handles in structs. They are valid until this is
    // disposed of, after the call.
    internal sealed unsafe class CallMemory : IDisposable
    {
        private readonly List<IDisposable> owned = new List<IDisposable>();
        private readonly List<object> lent = new List<object>(); // kept alive for the call
        private readonly List<IntPtr> places = new List<IntPtr>();

        // Adds an object to dispose of with this.
        internal T Add<T>(T used) where T : IDisposable
        {
            owned.Add(used);
            return used;
        }

        internal IntPtr Of(string text)
        {
            if (text == null) return IntPtr.Zero;
            var bytes = Utf8.Bytes(text);
            var place = Place(bytes.Length);
            Marshal.Copy(bytes, 0, place, bytes.Length);
            return place;
        }

        internal NativeHandle Of(NativeObject used) => used == null ? null : Lent(used).Handle;

        // Returns the handle of a strategy. A custom one is wrapped for the call; the library keeps a separate reference.
        internal NativeHandle Of(ICheckpointStrategy strategy)
        {
            if (strategy == null) return null;
            var own = strategy as Strategy;
            return own != null ? Lent(own).Handle : Add(Strategy.Wrapping(strategy)).Handle;
        }

        internal IntPtr* Of(string[] texts)
        {
            if (texts.Contains(null))
                throw new CkptInvalidArgumentException("string " + Array.IndexOf(texts, null) + " of a list is null");
            return Addresses(texts.Select(Of).ToArray());
        }

        internal IntPtr* Of(IEnumerable<NativeHandle> handles)
        {
            return Addresses(handles.Select(handle =>
            {
                if (handle == null) throw new CkptInvalidArgumentException("an object of a list is null");
                return handle.DangerousGetHandle();
            }).ToArray());
        }

        internal IntPtr Of(TensorSpec spec)
        {
            var place = Place(sizeof(NativeTensorSpec));
            *(NativeTensorSpec*)place = spec.Native;
            return place;
        }

        internal long* Of(long[] numbers)
        {
            var place = Place((numbers.Length + 1) * sizeof(long));
            Marshal.Copy(numbers, 0, place, numbers.Length);
            return (long*)place;
        }

        private IntPtr* Addresses(IntPtr[] values)
        {
            var list = (IntPtr*)Place((values.Length + 1) * sizeof(IntPtr));
            for (var i = 0; i < values.Length; ++i) list[i] = values[i];
            return list;
        }

        private NativeObject Lent(NativeObject used)
        {
            lent.Add(used);
            return used;
        }

        private IntPtr Place(int bytes)
        {
            var place = Marshal.AllocHGlobal(bytes);
            places.Add(place);
            return place;
        }

        public void Dispose()
        {
            foreach (var used in owned) used.Dispose();
            owned.Clear();
            lent.Clear();
            foreach (var place in places) Marshal.FreeHGlobal(place);
            places.Clear();
        }
    }
}
