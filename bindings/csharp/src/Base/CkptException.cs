using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A failed call of the library. Each status has a separate subclass.</summary>
    public partial class CkptException : Exception
    {
        /// <summary>Creates an error with a status that has no subclass here, from a later version of the library.</summary>
        /// <param name="status">The C API's number.</param>
        /// <param name="message">One line that states the argument and the value.</param>
        public CkptException(CkptStatus status, string message) : base(message)
        {
            Status = status;
        }

        /// <summary>The status of the error.</summary>
        public CkptStatus Status { get; }

        /// <summary>The status's name in the C API, for example "CORRUPT".</summary>
        public string StatusName => Library.StatusName(Status);

        internal static CkptException Of(int status, string message)
            => status == native.CKPT_E_QUEUE_FULL ? new CheckpointQueueFullException(message) : Created(status, message);
    }
}
