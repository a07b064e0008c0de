using System;

namespace Ckpt
{
    /// <summary>A call of the library failed. Each status has a subclass of its own.</summary>
    public class CkptException : Exception
    {
        /// <summary>An error of a status that has no subclass here: of a later version of the library.</summary>
        /// <param name="status">The C API's number.</param>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptException(CkptStatus status, string message) : base(message)
        {
            Status = status;
        }

        /// <summary>Which error it is.</summary>
        public CkptStatus Status { get; }

        /// <summary>The status's name in the C API, for example "CORRUPT".</summary>
        public string StatusName
        {
            get { return Library.StatusName(Status); }
        }

        internal static CkptException Of(int status, string message)
        {
            switch ((CkptStatus)status)
            {
                case CkptStatus.InvalidArgument: return new CheckpointInvalidArgumentException(message);
                case CkptStatus.OutOfMemory: return new CheckpointOutOfMemoryException(message);
                case CkptStatus.OutOfRange: return new CheckpointOutOfRangeException(message);
                case CkptStatus.InvalidState: return new CheckpointInvalidStateException(message);
                case CkptStatus.NotFound: return new CheckpointNotFoundException(message);
                case CkptStatus.AlreadyExists: return new CheckpointAlreadyExistsException(message);
                case CkptStatus.Busy: return new CheckpointBusyException(message);
                case CkptStatus.Timeout: return new CheckpointTimeoutException(message);
                case CkptStatus.Cancelled: return new CheckpointCancelledException(message);
                case CkptStatus.Callback: return new CheckpointCallbackException(message);
                case CkptStatus.Forked: return new CheckpointForkedException(message);
                case CkptStatus.QueueFull: return new CheckpointQueueFullException(message);
                case CkptStatus.Closed: return new CheckpointClosedException(message);
                case CkptStatus.Io: return new CheckpointIoException(message);
                case CkptStatus.NoSpace: return new CheckpointNoSpaceException(message);
                case CkptStatus.Permission: return new CheckpointPermissionException(message);
                case CkptStatus.Corrupt: return new CheckpointCorruptException(message);
                case CkptStatus.Unsupported: return new CheckpointUnsupportedException(message);
                case CkptStatus.OverBudget: return new CheckpointOverBudgetException(message);
                case CkptStatus.InvalidSchedule: return new CheckpointInvalidScheduleException(message);
                case CkptStatus.Internal: return new CheckpointInternalException(message);
                default: return new CkptException((CkptStatus)status, message);
            }
        }
    }
}
