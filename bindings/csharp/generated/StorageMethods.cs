// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class FaultHandler
    {
        /// <summary>Returns how often an operation was tried again since the handler was made.</summary>
        public long RetryCount
        {
            get
            {
                long value;
                native.ckpt_fault_handler_get_retry_count(Handle, out value);
                return value;
            }
        }
    }

    public partial class Storage
    {
        /// <summary>Creates a storage before another one, which is kept alive: operations that fail with
        /// <see cref="CkptStatus.Io"/>, <see cref="CkptStatus.Busy"/> or <see cref="CkptStatus.Timeout"/> are tried again as the
        /// handler says, with a warning in the log each time. All other errors (<see cref="CkptStatus.NoSpace"/>,
        /// <see cref="CkptStatus.Permission"/>, <see cref="CkptStatus.Corrupt"/>, ...) are reported at once. A handler with a
        /// decide function asks that instead. Never tried again: the sync of a file or directory, since the system may report
        /// success for what it has lost (a save writes the file anew instead), and a lock.</summary>
        public Storage Retrying(FaultHandler handler)
        {
            return new Storage(Made((out IntPtr made) =>
                native.ckpt_storage_create_retrying(Handle, HandleOf(handler), out made), native.ckpt_storage_release));
        }

        /// <summary>Forgets a registered scheme; storages made by it live on. <see cref="CkptStatus.NotFound"/> for any other.
        /// Synchronised.</summary>
        public static void UnregisterScheme(string scheme)
        {
            native.ckpt_storage_unregister_scheme(scheme);
        }
    }
}
