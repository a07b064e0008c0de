// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class FaultHandler
    {
        /// <summary>Returns the number of retries since the handler was created.</summary>
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
        /// <summary>Creates a storage that wraps inner, which is kept alive. It retries operations that fail with
        /// <see cref="CkptStatus.Io"/>, <see cref="CkptStatus.Busy"/> or <see cref="CkptStatus.Timeout"/> by the rules of the
        /// handler, and logs a warning for each retry. All other errors (<see cref="CkptStatus.NoSpace"/>,
        /// <see cref="CkptStatus.Permission"/>, <see cref="CkptStatus.Corrupt"/>, ...) are reported at once. If the handler has a
        /// decide function, that function decides instead. Never retried are locks, and the sync of a file or directory: after a
        /// failed sync the system may report success for bytes that it has lost. A save writes the file again instead.</summary>
        public Storage Retrying(FaultHandler handler)
        {
            return new Storage(Created((out IntPtr created) =>
                native.ckpt_storage_create_retrying(Handle, HandleOf(handler), out created), native.ckpt_storage_release));
        }

        /// <summary>Unregisters a scheme; storages created with it stay valid. <see cref="CkptStatus.NotFound"/> for any other.
        /// Synchronized.</summary>
        public static void UnregisterScheme(string scheme)
        {
            native.ckpt_storage_unregister_scheme(scheme);
        }
    }
}
