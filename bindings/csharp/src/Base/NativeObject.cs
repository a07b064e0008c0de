using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>An object of the library. Dispose releases it immediately; otherwise the garbage collector releases it. A disposed
    /// object throws ObjectDisposedException; calls that are running in other threads complete as if it still
    /// existed.</summary>
    public abstract class NativeObject : IDisposable
    {
        private readonly NativeHandle handle;

        internal NativeObject(NativeHandle handle) { this.handle = handle; }

        internal NativeHandle Handle
        {
            get
            {
                if (handle.IsClosed) throw NoHandle();
                return handle;
            }
        }

        internal virtual Exception NoHandle() => new ObjectDisposedException(GetType().Name);

        internal virtual bool IsKnownWithoutHandle => false;

        internal delegate void Getter<T>(NativeHandle handle, out T value);

        internal delegate void Maker(out IntPtr created);

        // Returns the result of a getter of the library.
        internal T Get<T>(Getter<T> getter)
        {
            T value;
            getter(Handle, out value);
            return value;
        }

        internal delegate void Answerer(out int answer);

        internal static bool Yes(Answerer ask)
        {
            int answer;
            ask(out answer);
            return answer != 0;
        }

        internal static NativeHandle Created(Maker make, Action<IntPtr> release, bool mayWait = false)
        {
            IntPtr created;
            make(out created);
            return new NativeHandle(created, release, mayWait);
        }

        internal delegate void MakerWith(CallMemory memory, out IntPtr created);

        // Creates an object with arguments that live as long as the call.
        internal static NativeHandle CreatedWith(MakerWith make, Action<IntPtr> release, bool mayWait = false)
        {
            using (var memory = new CallMemory()) return Created((out IntPtr created) => make(memory, out created), release, mayWait);
        }

        // Returns an argument that must not be null.
        internal static T Given<T>(T value, string name) where T : class
            => value ?? throw new ArgumentNullException(name);

        // Returns a cached value, unless this is disposed of.
        internal T Open<T>(T value)
        {
            if (handle.IsClosed && !IsKnownWithoutHandle) throw NoHandle();
            return value;
        }

        internal static NativeHandle HandleOf(NativeObject wrapped) => wrapped == null ? null : wrapped.Handle;

        // Returns one more reference to the handle's object.
        internal static NativeHandle Shared(NativeHandle of, Action<IntPtr> retain, Action<IntPtr> release)
            => new NativeHandle(Taken(of, retain), release);

        // Returns one more reference without a handle, for the library to take over.
        internal static IntPtr Taken(NativeHandle of, Action<IntPtr> retain)
        {
            var counted = false;
            try
            {
                of.DangerousAddRef(ref counted);
                retain(of.DangerousGetHandle());
                return of.DangerousGetHandle();
            }
            finally
            {
                if (counted) of.DangerousRelease();
            }
        }

        /// <summary>True after Dispose.</summary>
        public bool IsDisposed => handle.IsClosed;

        /// <summary>Releases the object. Doing it again does nothing.</summary>
        public void Dispose()
        {
            BeforeDispose();
            handle.Dispose();
            GC.SuppressFinalize(this);
        }

        internal virtual void BeforeDispose() { }
    }
}
