// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How large files are written. Each mode falls back to the next one if the system or the file does not support
    /// it.</summary>
    public enum WritePath
    {
        /// <summary>Large files bypass the page cache (O_DIRECT), with eight chunks of 4 MiB in flight by io_uring; falls back to
        /// <see cref="WritePath.Direct"/> if the system or the file does not support it.</summary>
        Ring = 0,
        /// <summary>Large files bypass the page cache (O_DIRECT), one chunk after the other; falls back to
        /// <see cref="WritePath.Buffered"/> if the system or the file does not support it.</summary>
        Direct = 1,
        /// <summary>Large files are written through the page cache.</summary>
        Buffered = 2,
    }

    /// <summary>Options for creating a storage in the file system.</summary>
    public sealed unsafe partial class FileSystemOptions
    {
        /// <summary>What happens if the directory is missing: false creates it and its parents durably; true:
        /// <see cref="CkptStatus.NotFound"/>.</summary>
        public bool MustExist { get; set; }

        /// <summary>How large files are written: <see cref="WritePath.Ring"/> (the default), <see cref="WritePath.Direct"/> or
        /// <see cref="WritePath.Buffered"/>.</summary>
        public WritePath WritePath { get; set; } = WritePath.Ring;

        /// <summary>Smallest size of a large file in bytes, &gt;= 0; 0 (the default): 8 MiB.</summary>
        public long LargeFromBytes { get; set; }

        /// <summary>Limit of all writes through this storage together, in bytes per second, &gt;= 0; 0: none. After a pause, 4 MiB
        /// may be written at once. Reads of executors from the files of their tiers have a separate limit of the same
        /// value.</summary>
        public long BytesPerSecond { get; set; }

        /// <summary>False: a save that needs more bytes than the file system has free fails with <see cref="CkptStatus.NoSpace"/>
        /// before it creates a file; true: the save is tried anyway. For file systems that compress, where a file may occupy less
        /// space than its size.</summary>
        public bool MayCompress { get; set; }

        /// <summary>Kind of lock that excludes a second writer; all writers of a directory must use the same kind. Null or empty:
        /// "flock", a lock of flock(2) on the file ".lock"; if the file system has no such locks, opening a writer fails with
        /// <see cref="CkptStatus.Unsupported"/>. "fcntl": a record lock (fcntl(2)) on ".lock", which belongs to the open file where
        /// the system has F_OFD_SETLK; elsewhere to the process, which loses it when it closes any descriptor of ".lock". "file": a
        /// file ".lock-..." that records the host, process and start time of the writer, and is removed when the writer is
        /// released. If the recorded process ran on this host and has ended, its file is taken over; any other file means
        /// <see cref="CkptStatus.Busy"/>. "none": no lock, and a warning; a save fails with <see cref="CkptStatus.Busy"/> before it
        /// commits if a second writer has committed. <see cref="CkptStatus.InvalidArgument"/> for other names.</summary>
        [MaybeNull, AllowNull]
        public string LockKind { get; set; }

        internal static ckpt_file_system_options Native(FileSystemOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_file_system_options());
            to.must_exist = from.MustExist ? 1 : 0;
            to.write_path = (int)from.WritePath;
            to.large_from_bytes = from.LargeFromBytes;
            to.bytes_per_second = from.BytesPerSecond;
            to.may_compress = from.MayCompress ? 1 : 0;
            to.lock_kind = memory.Of(from.LockKind);
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("FileSystemOptions", "MustExist", MustExist, "WritePath", WritePath, "LargeFromBytes",
                LargeFromBytes, "BytesPerSecond", BytesPerSecond, "MayCompress", MayCompress, "LockKind", LockKind);
        }
    }

    /// <summary>Options for creating a fault handler: number of attempts and pauses between them.</summary>
    public sealed unsafe partial class FaultHandlerOptions
    {
        /// <summary>Maximum number of attempts of one operation, the first one included, &gt;= 1; default 5.</summary>
        public int MaxAttempts { get; set; } = 5;

        /// <summary>Pause before the second attempt, &gt;= 0; default 10 ms.</summary>
        public TimeSpan FirstDelay { get; set; } = TimeSpan.FromTicks(100000);

        /// <summary>Maximum pause, &gt;= 0; default 10 s.</summary>
        public TimeSpan MaxDelay { get; set; } = TimeSpan.FromTicks(100000000);

        /// <summary>Ratio of each pause to the previous one, &gt;= 1; default 2.</summary>
        public double Factor { get; set; } = 2.0;

        /// <summary>Maximum random change of a pause, as a fraction of it, 0 .. 1; default 0.5.</summary>
        public double Jitter { get; set; } = 0.5;

        /// <summary>Seed of the random numbers for the jitter: Philox4x32-10.</summary>
        public ulong Seed { get; set; }

        internal static ckpt_fault_handler_options Native(FaultHandlerOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_fault_handler_options());
            to.max_attempts = from.MaxAttempts;
            to.first_delay_ns = Times.Nanoseconds(from.FirstDelay);
            to.max_delay_ns = Times.Nanoseconds(from.MaxDelay);
            to.factor = from.Factor;
            to.jitter = from.Jitter;
            to.seed = from.Seed;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("FaultHandlerOptions", "MaxAttempts", MaxAttempts, "FirstDelay", FirstDelay, "MaxDelay", MaxDelay,
                "Factor", Factor, "Jitter", Jitter, "Seed", Seed);
        }
    }
}
