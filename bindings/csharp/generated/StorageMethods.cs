// Generated from include/ckpt by tools/api: do not edit.
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
}
