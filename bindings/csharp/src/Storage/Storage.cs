using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The one door to files: a directory of the file system, memory, or an object of yours. Nothing leaves its root.
    /// Several threads may use it at once.</summary>
    public sealed partial class Storage : NativeObject
    {
        /// <summary>A directory of the file system.</summary>
        /// <param name="root">Its path; the storage stays the same one when the path is renamed.</param>
        /// <param name="options">null: the defaults.</param>
        public Storage(string root, [AllowNull] FileSystemOptions options = null)
            : this(MadeWith((CallMemory memory, out IntPtr made) => native.ckpt_storage_create_file_system(root,
                FileSystemOptions.Native(options, memory), out made), native.ckpt_storage_release)) { }

        internal Storage(NativeHandle handle) : base(handle) { }

        internal static Storage Owned(Maker make) => new Storage(Made(make, native.ckpt_storage_release));

        /// <summary>In memory, empty: for tests, and for state that need not outlive the process.</summary>
        public static Storage InMemory() => Owned(native.ckpt_storage_create_memory);

        /// <summary>One that calls you; an object store, if it is a CustomObjects. It keeps the object alive.</summary>
        /// <param name="storage">Your object.</param>
        /// <param name="name">Where it is, for messages.</param>
        public static Storage Custom(CustomStorage storage, string name = "custom")
        {
            if (storage == null) throw new ArgumentNullException("storage");
            var calls = new StorageCalls(storage);
            return Owned((out IntPtr made) => native.ckpt_storage_create_custom(name, calls, calls.IsObjects, calls.ReadsRanges,
                calls.RemovesMany, out made));
        }

        /// <summary>A storage from a URI: file:///PATH, memory:NAME, s3://BUCKET/PREFIX, or one of a scheme that is registered.
        /// A text without a scheme is a directory of the file system, which is made when it is not there.
        /// CkptUnsupportedException for a scheme that is not known.</summary>
        /// <param name="uri">The text.</param>
        public static Storage FromUri(string uri)
            => Owned((out IntPtr made) => native.ckpt_storage_create_from_uri(uri, out made));

        // Whether a text has "://" behind a scheme; all else is a path.
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

        /// <summary>Lets FromUri make storages for a scheme, on all threads of this process. CkptAlreadyExistsException for one
        /// that is known.</summary>
        /// <param name="scheme">Without ':', at least two of letters, digits, '+', '-' and '.', a letter first; case does not
        /// matter.</param>
        /// <param name="factory">Gets the whole URI, checked, still encoded, on the thread that asks for the storage. The library
        /// takes the storage over that it returns: it is disposed of when the call ends.</param>
        public static void RegisterScheme(string scheme, Func<string, Storage> factory)
        {
            if (factory == null) throw new ArgumentNullException("factory");
            native.ckpt_storage_register_scheme(scheme, new StorageMaker { function = factory });
        }
    }

    /// <summary>An error of a storage, and what becomes of it: set Retry and Delay, or leave what the rule says.</summary>
    public sealed class Fault
    {
        internal Fault(CkptStatus status, string message, int attempt)
        {
            Status = status;
            Message = message;
            Attempt = attempt;
        }

        /// <summary>The error's.</summary>
        public CkptStatus Status { get; }

        /// <summary>The error's, one line.</summary>
        public string Message { get; }

        /// <summary>The attempt that failed, 1 for the first.</summary>
        public int Attempt { get; }

        /// <summary>Whether it is tried again.</summary>
        public bool Retry { get; set; }

        /// <summary>The pause before the next attempt.</summary>
        public TimeSpan Delay { get; set; }
    }

    /// <summary>Decides what is tried again, and when. One may serve several storages and managers, from several threads.</summary>
    public sealed partial class FaultHandler : NativeObject
    {
        /// <summary>A handler.</summary>
        /// <param name="options">null: the defaults.</param>
        /// <param name="sleep">Called instead of sleeping, on the thread whose operation failed; null: really sleeps.</param>
        /// <param name="decide">Asked about each error but the last attempt's, on the thread whose operation failed; what it throws
        /// ends the operation with CkptCallbackException. null: the usual rule decides.</param>
        public FaultHandler([AllowNull] FaultHandlerOptions options = null, [AllowNull] Action<TimeSpan> sleep = null,
                            [AllowNull] Action<Fault> decide = null)
            : this(MadeWith((CallMemory memory, out IntPtr made) => native.ckpt_fault_handler_create(
                FaultHandlerOptions.Native(options, memory), sleep == null ? null : new SleepFunction { function = sleep },
                decide == null ? null : new DecideFunction { function = decide }, out made), native.ckpt_fault_handler_release))
        {
        }

        internal FaultHandler(NativeHandle handle) : base(handle) { }
    }
}
