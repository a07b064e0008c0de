using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ckpt.Interop
{
    // One reference to an object of the library. A call that is going on keeps it, whoever disposes of it meanwhile.
    internal sealed class NativeHandle : SafeHandle
    {
        private static readonly NativeHandle none = new NativeHandle(IntPtr.Zero, null, false);
        private static readonly object releases = new object();
        private static int waiting;
        private readonly Action<IntPtr> release;
        private readonly bool mayWait;
        private bool disposing;

        // mayWait: the object owns threads, which its release joins. The finalizer's thread has no time for that, and it must have
        // happened before the process ends.
        internal NativeHandle(IntPtr value, Action<IntPtr> release, bool mayWait = false) : base(IntPtr.Zero, true)
        {
            this.release = release;
            this.mayWait = mayWait;
            SetHandle(value);
            if (mayWait) Shutdown.Watch(this);
        }

        // Owned elsewhere, borrowed for one call.
        internal static NativeHandle Lent(IntPtr value)
        {
            return new NativeHandle(value, handle => { });
        }

        internal static NativeHandle OrNone(NativeHandle handle) => handle ?? none;

        // The bare reference, for the library to take over: this is closed, and releases nothing.
        internal IntPtr GivenUp()
        {
            var value = handle;
            SetHandleAsInvalid();
            return value;
        }

        // What is done first when the process ends; it must not refer to the object that owns this. False: the object cannot be
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

        // Until all that was forgotten is released.
        internal static void WaitForReleases()
        {
            lock (releases)
            {
                while (waiting != 0) Monitor.Wait(releases);
            }
        }
    }
}
