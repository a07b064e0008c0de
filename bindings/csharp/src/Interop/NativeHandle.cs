using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ckpt.Interop
{
    // One reference to an object of the library. A call that is going on keeps it, whoever disposes of it meanwhile.
    internal sealed class NativeHandle : SafeHandle
    {
        private static readonly NativeHandle none = new NativeHandle(IntPtr.Zero, null, false);
        private readonly Action<IntPtr> release;
        private readonly bool mayWait;
        private bool disposing;

        // mayWait: giving the object back joins threads, which the finalizer's thread has no time for.
        internal NativeHandle(IntPtr value, Action<IntPtr> release, bool mayWait = false) : base(IntPtr.Zero, true)
        {
            this.release = release;
            this.mayWait = mayWait;
            SetHandle(value);
        }

        internal static NativeHandle OrNone(NativeHandle handle)
        {
            return handle ?? none;
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        protected override void Dispose(bool disposing)
        {
            this.disposing |= disposing;
            base.Dispose(disposing);
        }

        protected override bool ReleaseHandle()
        {
            if (mayWait && !disposing)
            {
                var value = handle;
                System.Threading.ThreadPool.QueueUserWorkItem(_ => release(value));
            }
            else
            {
                release(handle);
            }
            return true;
        }
    }
}
