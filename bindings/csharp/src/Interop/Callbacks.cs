using System;
using System.Collections.Concurrent;
using System.IO;
using System.Runtime.InteropServices;

namespace Ckpt.Interop
{
    // Lifetime and exceptions of directors.
    internal static class Callbacks
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void BeforeDelete(IntPtr director);

        private static readonly ConcurrentDictionary<IntPtr, object> pinned = new ConcurrentDictionary<IntPtr, object>();
        private static readonly BeforeDelete unpin = Unpin;

        static Callbacks()
        {
            native.ckpt_csharp_tell_before_delete(Marshal.GetFunctionPointerForDelegate(unpin));
            Shutdown.Arm();
        }

        internal static int PinnedCount => pinned.Count;

        // Hands a director over to the library. The managed object is kept alive until the library releases the native one.
        internal static HandleRef HandOver(IHandedOver director, IntPtr key)
        {
            if (director == null) return new HandleRef(null, IntPtr.Zero);
            pinned[key] = director;
            director.NoLongerOwned();
            return new HandleRef(director, key);
        }

        private static void Unpin(IntPtr director)
        {
            object ignored;
            pinned.TryRemove(director, out ignored);
        }

        internal static T Guard<T>(Func<T> call)
        {
            try
            {
                return call();
            }
            catch (Exception error)
            {
                Failed(error);
                return default(T);
            }
        }

        // Stores an exception, which must not unwind through native code, for the caller, which reports it as the callback's
        // failure.
        internal static void Failed(Exception error)
        {
            try
            {
                var text = error is CkptException ? error.Message : error.GetType().Name + ": " + error.Message;
                native.ckpt_csharp_leave_failure(StatusOf(error), text.Replace("\0", "\\0"));
            }
            catch (Exception)
            {
                native.ckpt_csharp_leave_failure(1, error.GetType().Name);
            }
        }

        // Storages and coordinators distinguish errors; 1 for all others.
        private static int StatusOf(Exception error)
        {
            var known = error as CkptException;
            if (known != null) return (int)known.Status;
            if (error is FileNotFoundException || error is DirectoryNotFoundException) return native.CKPT_E_NOT_FOUND;
            if (error is UnauthorizedAccessException) return native.CKPT_E_PERMISSION;
            if (error is TimeoutException) return native.CKPT_E_TIMEOUT;
            if (error is IOException) return native.CKPT_E_IO;
            return 1;
        }
    }
}
