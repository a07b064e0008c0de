namespace Ckpt
{
    /// <summary>Results of calls: the numbers of the C API.</summary>
    public enum CkptStatus
    {
        /// <summary>It went well.</summary>
        Ok = 0,
        /// <summary>An argument has a value that is never valid.</summary>
        InvalidArgument = -1,
        /// <summary>The system has no memory left.</summary>
        OutOfMemory = -2,
        /// <summary>An index or size lies outside what the object has or can hold.</summary>
        OutOfRange = -3,
        /// <summary>The call is not allowed now: wrong order, already done, not begun.</summary>
        InvalidState = -4,
        /// <summary>There is no such name, id, file or checkpoint.</summary>
        NotFound = -5,
        /// <summary>The name is taken.</summary>
        AlreadyExists = -6,
        /// <summary>Somebody else holds it.</summary>
        Busy = -7,
        /// <summary>The time-out ran out first.</summary>
        Timeout = -8,
        /// <summary>It was stopped on request.</summary>
        Cancelled = -9,
        /// <summary>A function of yours threw; the message holds its text.</summary>
        Callback = -10,
        /// <summary>The object's threads stayed in the parent of this forked process.</summary>
        Forked = -11,
        /// <summary>A bounded queue has no place.</summary>
        QueueFull = -12,
        /// <summary>The queue or object was closed.</summary>
        Closed = -13,
        /// <summary>The operating system failed to read, write or sync.</summary>
        Io = -14,
        /// <summary>The device or quota is full.</summary>
        NoSpace = -15,
        /// <summary>The operating system denied access.</summary>
        Permission = -16,
        /// <summary>Stored bytes are not what was written, or not of the format.</summary>
        Corrupt = -17,
        /// <summary>It is valid, but not something that this object or build can do.</summary>
        Unsupported = -18,
        /// <summary>It does not fit the memory budget or limit.</summary>
        OverBudget = -19,
        /// <summary>A schedule breaks a rule.</summary>
        InvalidSchedule = -20,
        /// <summary>A defect of the library: please report it.</summary>
        Internal = -21,
    }
}
