using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ckpt.Interop
{
    // One reference to an object of the library. A running call keeps it alive, even if another thread disposes of it.
    internal sealed class NativeHandle : SafeHandle
    {
        private static readonly NativeHandle none = new NativeHandle(IntPtr.Zero, null, false);
        private static readonly object releases = new object();
        private static int waiting;
        private readonly Action<IntPtr> release;
        private readonly bool mayWait;
        private bool disposing;

        // mayWait: the object owns threads, which its release joins. That must not block the finalizer's thread, and must happen
        // before the process exits.
        internal NativeHandle(IntPtr value, Action<IntPtr> release, bool mayWait = false) : base(IntPtr.Zero, true)
        {
            this.release = release;
            this.mayWait = mayWait;
            SetHandle(value);
            if (mayWait) Shutdown.Watch(this);
        }

        // Wraps an object that is borrowed for one call.
        internal static NativeHandle Lent(IntPtr value)
        {
            return new NativeHandle(value, handle => { });
        }

        internal static NativeHandle OrNone(NativeHandle handle) => handle ?? none;

        // Returns the reference for the library to take over, and closes this without a release.
        internal IntPtr Detach()
        {
            var value = handle;
            SetHandleAsInvalid();
            return value;
        }

        // Runs first at process exit; it must not refer to the object that owns this. Returns false if the object cannot be
        // released any more.
        internal Func<NativeHandle, bool> AtExit { get; set; }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override void Dispose(bool disposing)
        {
            this.disposing |= disposing;
            base.Dispose(disposing);
        }

        protected override bool ReleaseHandle()
        {
            if (!mayWait || disposing)
            {
                release(handle);
                return true;
            }
            var value = handle;
            lock (releases) ++waiting;
            ThreadPool.QueueUserWorkItem(_ =>
            {
                release(value);
                lock (releases)
                {
                    --waiting;
                    Monitor.PulseAll(releases);
                }
            });
            return true;
        }

        // Waits until all unreachable objects are released.
        internal static void WaitForReleases()
        {
            lock (releases)
            {
                while (waiting != 0) Monitor.Wait(releases);
            }
        }
    }
}
