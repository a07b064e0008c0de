using System;
using System.Collections.Generic;

namespace Ckpt.Interop
{
    // Process exit: stops owners of threads while callbacks can still run, then disables all callbacks.
    internal static class Shutdown
    {
        private static readonly object guard = new object();
        private static readonly List<WeakReference> owners = new List<WeakReference>();
        private static bool armed;

        internal static void Arm()
        {
            lock (guard)
            {
                if (armed) return;
                armed = true;
                AppDomain.CurrentDomain.ProcessExit += (sender, arguments) => Run();
            }
        }

        // Keeps track of handles until they are finalized, because no finalizer runs at process exit.
        internal static void Watch(NativeHandle owner)
        {
            Arm();
            lock (guard)
            {
                owners.RemoveAll(known => !known.IsAlive);
                owners.Add(new WeakReference(owner, true));
            }
        }

        private static void Run()
        {
            List<WeakReference> left;
            lock (guard) left = new List<WeakReference>(owners);
            foreach (var known in left)
            {
                var owner = known.Target as NativeHandle;
                if (owner == null || owner.IsClosed) continue;
                try
                {
                    if (owner.AtExit != null && !owner.AtExit(owner)) continue;
                }
                catch (CkptException error)
                {
                    FallbackLog.Report("at exit: " + error.Message);
                }
                owner.Dispose();
            }
            NativeHandle.WaitForReleases();
            try
            {
                native.ckpt_set_log(native.CKPT_LOG_LEVEL_DEBUG, null);
                native.ckpt_set_fallback_log(null);
            }
            catch (CkptException)
            {
                // The process exits inside a log callback.
            }
            native.ckpt_csharp_close_machine();
        }
    }
}
