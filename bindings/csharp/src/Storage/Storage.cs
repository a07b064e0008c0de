using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The one door to files: a directory of the file system, memory, or an object of yours. Nothing leaves its root.
    /// Several threads may use it at once.</summary>
    public sealed class Storage : NativeObject
    {
        /// <summary>A directory of the file system.</summary>
        /// <param name="root">Its path; the storage stays the same one when the path is renamed.</param>
        /// <param name="mustExist">True: CheckpointNotFoundException when it is missing; false: it is made, durably.</param>
        /// <param name="writePath">How large files are written.</param>
        /// <param name="largeFromBytes">Files of at least so many bytes count as large; 0: 8 MiB.</param>
        /// <param name="bytesPerSecond">Limit of all writes together; 0: none.</param>
        public Storage(string root, bool mustExist = false, WritePath writePath = WritePath.Ring, long largeFromBytes = 0,
                       long bytesPerSecond = 0) : this(Made(root, mustExist, writePath, largeFromBytes, bytesPerSecond))
        {
        }

        internal Storage(NativeHandle handle) : base(handle)
        {
        }

        internal static Storage Owning(IntPtr storage)
        {
            return new Storage(new NativeHandle(storage, native.ckpt_storage_release));
        }

        private static NativeHandle Made(string root, bool mustExist, WritePath writePath, long largeFromBytes, long bytesPerSecond)
        {
            using (var options = new ckpt_file_system_options())
            {
                options.must_exist = mustExist ? 1 : 0;
                options.write_path = (int)writePath;
                options.large_from_bytes = largeFromBytes;
                options.bytes_per_second = bytesPerSecond;
                IntPtr storage;
                native.ckpt_storage_create_file_system(root, options, out storage);
                return new NativeHandle(storage, native.ckpt_storage_release);
            }
        }

        /// <summary>In memory, empty: for tests, and for state that need not outlive the process.</summary>
        /// <returns>The storage.</returns>
        public static Storage InMemory()
        {
            IntPtr storage;
            native.ckpt_storage_create_memory(out storage);
            return Owning(storage);
        }

        /// <summary>One that calls you. It keeps the object alive.</summary>
        /// <param name="storage">Your object.</param>
        /// <param name="name">Where it is, for messages.</param>
        /// <returns>The storage.</returns>
        public static Storage Custom(CustomStorage storage, string name = "custom")
        {
            if (storage == null) throw new ArgumentNullException("storage");
            IntPtr made;
            native.ckpt_storage_create_custom(name, new StorageCalls(storage), out made);
            return Owning(made);
        }

        /// <summary>A storage before this one, which it keeps alive: operations that fail with Io, Busy or Timeout are tried
        /// again.</summary>
        /// <param name="handler">Says how often, and when; kept alive.</param>
        /// <returns>The storage.</returns>
        public Storage Retrying(FaultHandler handler)
        {
            IntPtr storage;
            native.ckpt_storage_create_retrying(Handle, HandleOf(handler), out storage);
            return Owning(storage);
        }
    }
}
