using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A storage of files: a directory of the file system, memory, or a custom object. No path leaves its root.
    /// Several threads may use it at once.</summary>
    public sealed partial class Storage : NativeObject
    {
        /// <summary>Opens a directory of the file system.</summary>
        /// <param name="root">Path of the directory; renaming the directory does not affect the storage.</param>
        /// <param name="options">null: the defaults.</param>
        public Storage(string root, [AllowNull] FileSystemOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) => native.ckpt_storage_create_file_system(root,
                FileSystemOptions.Native(options, memory), out created), native.ckpt_storage_release)) { }

        internal Storage(NativeHandle handle) : base(handle) { }

        internal static Storage Owned(Maker make) => new Storage(Created(make, native.ckpt_storage_release));

        /// <summary>Creates an empty storage in memory: for tests, and for state that need not outlive the process.</summary>
        public static Storage InMemory() => Owned(native.ckpt_storage_create_memory);

        /// <summary>Creates a storage that calls a custom one; an object store, if that is a CustomObjects. It keeps the object
        /// alive.</summary>
        /// <param name="storage">The custom storage.</param>
        /// <param name="name">Its location, for messages.</param>
        public static Storage Custom(CustomStorage storage, string name = "custom")
        {
            if (storage == null) throw new ArgumentNullException("storage");
            var calls = new StorageCalls(storage);
            return Owned((out IntPtr created) => native.ckpt_storage_create_custom(name, calls, calls.IsObjects, calls.ReadsRanges,
                calls.RemovesMany, out created));
        }

        /// <summary>Opens the storage at a URI: file:///PATH, memory:NAME, s3://BUCKET/PREFIX, or one with a registered scheme.
        /// A string without a scheme is a directory of the file system, which is created if missing.
        /// Throws CkptUnsupportedException for an unknown scheme.</summary>
        /// <param name="uri">The URI or path.</param>
        public static Storage FromUri(string uri)
            => Owned((out IntPtr created) => native.ckpt_storage_create_from_uri(uri, out created));

        // Returns whether a string has "://" after a scheme; everything else is a path.
        internal static bool IsUri(string place)
        {
            var end = place == null ? -1 : place.IndexOf("://", StringComparison.Ordinal);
            for (var i = 0; i < end; i++)
            {
                var c = place[i] | 0x20;
                var isLetter = c >= 'a' && c <= 'z';
                if (!isLetter && (i == 0 || "0123456789+-.".IndexOf(place[i]) < 0)) return false;
            }
            return end >= 2;
        }

        /// <summary>Makes FromUri create storages for a scheme, on all threads of this process. Throws CkptAlreadyExistsException
        /// for a known one.</summary>
        /// <param name="scheme">Without ':', at least two of letters, digits, '+', '-' and '.', a letter first; case does not
        /// matter.</param>
        /// <param name="factory">Takes the whole URI, checked, still encoded, on the thread that opens the storage. The library
        /// takes over the storage that it returns: it is disposed of when the call ends.</param>
        public static void RegisterScheme(string scheme, Func<string, Storage> factory)
        {
            if (factory == null) throw new ArgumentNullException("factory");
            native.ckpt_storage_register_scheme(scheme, new StorageMaker { function = factory });
        }
    }

    /// <summary>An error of a storage, and its handling: set Retry and Delay, or leave the values of the rule.</summary>
    public sealed class Fault
    {
        internal Fault(CkptStatus status, string message, int attempt)
        {
            Status = status;
            Message = message;
            Attempt = attempt;
        }

        /// <summary>The status of the error.</summary>
        public CkptStatus Status { get; }

        /// <summary>The message of the error, one line.</summary>
        public string Message { get; }

        /// <summary>The attempt that failed, 1 for the first.</summary>
        public int Attempt { get; }

        /// <summary>Whether the operation is retried.</summary>
        public bool Retry { get; set; }

        /// <summary>The pause before the next attempt.</summary>
        public TimeSpan Delay { get; set; }
    }

    /// <summary>Decides which failed operations are retried, and when. One handler may serve several storages and managers, from
    /// several threads.</summary>
    public sealed partial class FaultHandler : NativeObject
    {
        /// <summary>Creates a handler.</summary>
        /// <param name="options">null: the defaults.</param>
        /// <param name="sleep">Called instead of sleeping, on the thread of the failed operation; null: sleeps.</param>
        /// <param name="decide">Called for each error except that of the last attempt, on the thread of the failed operation; if it
        /// throws, the operation fails with CkptCallbackException. null: the default rule decides.</param>
        public FaultHandler([AllowNull] FaultHandlerOptions options = null, [AllowNull] Action<TimeSpan> sleep = null,
                            [AllowNull] Action<Fault> decide = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) => native.ckpt_fault_handler_create(
                FaultHandlerOptions.Native(options, memory), sleep == null ? null : new SleepFunction { function = sleep },
                decide == null ? null : new DecideFunction { function = decide }, out created), native.ckpt_fault_handler_release))
        {
        }

        internal FaultHandler(NativeHandle handle) : base(handle) { }
    }
}
