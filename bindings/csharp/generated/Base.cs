// Generated from include/ckpt by tools/api: do not edit.

namespace Ckpt
{
    /// <summary>The result of every function that can fail: <see cref="CkptStatus.Ok"/> or one of <see cref="CkptStatus"/>.
    /// Values never change; later versions only append new ones.</summary>
    public enum CkptStatus
    {
        /// <summary>The operation succeeded.</summary>
        Ok = 0,
        /// <summary>An argument is missing, of the wrong kind, or has a value that is never valid.</summary>
        InvalidArgument = -1,
        /// <summary>The system has no memory left.</summary>
        OutOfMemory = -2,
        /// <summary>An index or size is outside the range of the object.</summary>
        OutOfRange = -3,
        /// <summary>The call is not allowed now: wrong order, already done, or not begun.</summary>
        InvalidState = -4,
        /// <summary>The name, id, file or checkpoint does not exist.</summary>
        NotFound = -5,
        /// <summary>The name is taken.</summary>
        AlreadyExists = -6,
        /// <summary>Another process, thread or object holds the resource.</summary>
        Busy = -7,
        /// <summary>The time-out expired.</summary>
        Timeout = -8,
        /// <summary>Stopped on request.</summary>
        Cancelled = -9,
        /// <summary>A callback of the caller failed.</summary>
        Callback = -10,
        /// <summary>The process was forked, and the object's threads exist only in the parent.</summary>
        Forked = -11,
        /// <summary>A bounded queue is full.</summary>
        QueueFull = -12,
        /// <summary>The queue or object was closed.</summary>
        Closed = -13,
        /// <summary>The operating system failed to read, write or sync.</summary>
        Io = -14,
        /// <summary>The device or quota is full.</summary>
        NoSpace = -15,
        /// <summary>The operating system denied access.</summary>
        Permission = -16,
        /// <summary>Stored bytes differ from the written ones or violate the format.</summary>
        Corrupt = -17,
        /// <summary>Valid, but not supported by this object or build.</summary>
        Unsupported = -18,
        /// <summary>Does not fit the memory budget or limit.</summary>
        OverBudget = -19,
        /// <summary>A schedule breaks one of its rules.</summary>
        InvalidSchedule = -20,
        /// <summary>A defect of the library: please report it.</summary>
        Internal = -21,
    }

    /// <summary>The severity of a log message.</summary>
    public enum LogLevel
    {
        /// <summary>Details for the development of the library.</summary>
        Debug = 0,
        /// <summary>Actions and decisions of the library.</summary>
        Info = 1,
        /// <summary>Something went wrong, and the library continues.</summary>
        Warning = 2,
        /// <summary>Something failed.</summary>
        Error = 3,
    }

    public partial class CkptException
    {
        private static CkptException Created(int status, string message)
        {
            switch (status)
            {
                case -1: return new CkptInvalidArgumentException(message);
                case -2: return new CkptOutOfMemoryException(message);
                case -3: return new CkptOutOfRangeException(message);
                case -4: return new CkptInvalidStateException(message);
                case -5: return new CkptNotFoundException(message);
                case -6: return new CkptAlreadyExistsException(message);
                case -7: return new CkptBusyException(message);
                case -8: return new CkptTimeoutException(message);
                case -9: return new CkptCancelledException(message);
                case -10: return new CkptCallbackException(message);
                case -11: return new CkptForkedException(message);
                case -12: return new CkptQueueFullException(message);
                case -13: return new CkptClosedException(message);
                case -14: return new CkptIoException(message);
                case -15: return new CkptNoSpaceException(message);
                case -16: return new CkptPermissionException(message);
                case -17: return new CkptCorruptException(message);
                case -18: return new CkptUnsupportedException(message);
                case -19: return new CkptOverBudgetException(message);
                case -20: return new CkptInvalidScheduleException(message);
                case -21: return new CkptInternalException(message);
                default: return new CkptException((CkptStatus)status, message);
            }
        }
    }

    /// <summary>An argument is missing, of the wrong kind, or has a value that is never valid.</summary>
    public partial class CkptInvalidArgumentException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptInvalidArgumentException(string message) : base(CkptStatus.InvalidArgument, message)
        {
        }
    }

    /// <summary>The system has no memory left.</summary>
    public partial class CkptOutOfMemoryException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptOutOfMemoryException(string message) : base(CkptStatus.OutOfMemory, message)
        {
        }
    }

    /// <summary>An index or size is outside the range of the object.</summary>
    public partial class CkptOutOfRangeException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptOutOfRangeException(string message) : base(CkptStatus.OutOfRange, message)
        {
        }
    }

    /// <summary>The call is not allowed now: wrong order, already done, or not begun.</summary>
    public partial class CkptInvalidStateException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptInvalidStateException(string message) : base(CkptStatus.InvalidState, message)
        {
        }
    }

    /// <summary>The name, id, file or checkpoint does not exist.</summary>
    public partial class CkptNotFoundException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptNotFoundException(string message) : base(CkptStatus.NotFound, message)
        {
        }
    }

    /// <summary>The name is taken.</summary>
    public partial class CkptAlreadyExistsException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptAlreadyExistsException(string message) : base(CkptStatus.AlreadyExists, message)
        {
        }
    }

    /// <summary>Another process, thread or object holds the resource.</summary>
    public partial class CkptBusyException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptBusyException(string message) : base(CkptStatus.Busy, message)
        {
        }
    }

    /// <summary>The time-out expired.</summary>
    public partial class CkptTimeoutException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptTimeoutException(string message) : base(CkptStatus.Timeout, message)
        {
        }
    }

    /// <summary>Stopped on request.</summary>
    public partial class CkptCancelledException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptCancelledException(string message) : base(CkptStatus.Cancelled, message)
        {
        }
    }

    /// <summary>A callback of the caller failed.</summary>
    public partial class CkptCallbackException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptCallbackException(string message) : base(CkptStatus.Callback, message)
        {
        }
    }

    /// <summary>The process was forked, and the object's threads exist only in the parent.</summary>
    public partial class CkptForkedException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptForkedException(string message) : base(CkptStatus.Forked, message)
        {
        }
    }

    /// <summary>A bounded queue is full.</summary>
    public partial class CkptQueueFullException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptQueueFullException(string message) : base(CkptStatus.QueueFull, message)
        {
        }
    }

    /// <summary>The queue or object was closed.</summary>
    public partial class CkptClosedException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptClosedException(string message) : base(CkptStatus.Closed, message)
        {
        }
    }

    /// <summary>The operating system failed to read, write or sync.</summary>
    public partial class CkptIoException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptIoException(string message) : base(CkptStatus.Io, message)
        {
        }
    }

    /// <summary>The device or quota is full.</summary>
    public partial class CkptNoSpaceException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptNoSpaceException(string message) : base(CkptStatus.NoSpace, message)
        {
        }
    }

    /// <summary>The operating system denied access.</summary>
    public partial class CkptPermissionException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptPermissionException(string message) : base(CkptStatus.Permission, message)
        {
        }
    }

    /// <summary>Stored bytes differ from the written ones or violate the format.</summary>
    public partial class CkptCorruptException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptCorruptException(string message) : base(CkptStatus.Corrupt, message)
        {
        }
    }

    /// <summary>Valid, but not supported by this object or build.</summary>
    public partial class CkptUnsupportedException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptUnsupportedException(string message) : base(CkptStatus.Unsupported, message)
        {
        }
    }

    /// <summary>Does not fit the memory budget or limit.</summary>
    public partial class CkptOverBudgetException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptOverBudgetException(string message) : base(CkptStatus.OverBudget, message)
        {
        }
    }

    /// <summary>A schedule breaks one of its rules.</summary>
    public partial class CkptInvalidScheduleException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptInvalidScheduleException(string message) : base(CkptStatus.InvalidSchedule, message)
        {
        }
    }

    /// <summary>A defect of the library: please report it.</summary>
    public partial class CkptInternalException : CkptException
    {
        /// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CkptInternalException(string message) : base(CkptStatus.Internal, message)
        {
        }
    }
}
