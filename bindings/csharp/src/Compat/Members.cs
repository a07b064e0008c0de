// Names of the reference API that differ from those of the library, as aliases and small subclasses. In the namespace Ckpt, because
// most are members of its classes.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A bounded queue is full. Every CkptQueueFullException is thrown as this class.</summary>
    public sealed class CheckpointQueueFullException : CkptQueueFullException
    {
        /// <summary>Creates an error with this message.</summary>
        /// <param name="message">One line that states the argument and the value.</param>
        public CheckpointQueueFullException(string message) : base(message)
        {
        }
    }

    public sealed partial class MemoryTracker
    {
        private readonly MemoryEventSource<MemoryEventArgs> allocated =
            new MemoryEventSource<MemoryEventArgs>(MemoryEventKind.Allocated, one => new MemoryEventArgs(one));
        private readonly MemoryEventSource<MemoryEventArgs> freed =
            new MemoryEventSource<MemoryEventArgs>(MemoryEventKind.Freed, one => new MemoryEventArgs(one));
        private readonly MemoryEventSource<MemoryEventArgs> newPeak =
            new MemoryEventSource<MemoryEventArgs>(MemoryEventKind.NewPeak, one => new MemoryEventArgs(one));
        private readonly MemoryEventSource<MemoryLimitExceededEventArgs> limitExceeded =
            new MemoryEventSource<MemoryLimitExceededEventArgs>(MemoryEventKind.LimitExceeded,
                                                                one => new MemoryLimitExceededEventArgs(one));

        /// <summary>Raised for every allocation, on the thread that records it. Exceptions of a handler are counted in
        /// MemoryStats.HandlerFailures. Handlers may call the tracker; their own calls raise no events. This holds
        /// for the other events too.</summary>
        public event EventHandler<MemoryEventArgs> MemoryAllocated
        {
            add { allocated.Add(this, value); }
            remove { allocated.Remove(this, value); }
        }

        /// <summary>Raised for every allocation that ends.</summary>
        public event EventHandler<MemoryEventArgs> MemoryDeallocated
        {
            add { freed.Add(this, value); }
            remove { freed.Remove(this, value); }
        }

        /// <summary>Raised at every new peak (see SetPeakGranularity).</summary>
        public event EventHandler<MemoryEventArgs> PeakMemoryExceeded
        {
            add { newPeak.Add(this, value); }
            remove { newPeak.Remove(this, value); }
        }

        /// <summary>Raised when the live total exceeds the limit.</summary>
        public event EventHandler<MemoryLimitExceededEventArgs> MemoryLimitExceeded
        {
            add { limitExceeded.Add(this, value); }
            remove { limitExceeded.Remove(this, value); }
        }

        /// <summary>MemoryStats.CurrentBytes.</summary>
        public long CurrentMemoryUsage
        {
            get { return GetStats().CurrentBytes; }
        }

        /// <summary>MemoryStats.PeakBytes.</summary>
        public long PeakMemoryUsage
        {
            get { return GetStats().PeakBytes; }
        }

        /// <summary>MemoryStats.TotalAllocatedBytes.</summary>
        public long TotalMemoryAllocated
        {
            get { return GetStats().TotalAllocatedBytes; }
        }

        /// <summary>MemoryStats.TotalFreedBytes.</summary>
        public long TotalMemoryDeallocated
        {
            get { return GetStats().TotalFreedBytes; }
        }

        /// <summary>MemoryStats.LiveAllocations.</summary>
        public long ActiveAllocationCount
        {
            get { return GetStats().LiveAllocations; }
        }

        /// <summary>Limit.</summary>
        public long? MemoryLimit
        {
            get { return Limit; }
        }

        /// <summary>SetLimit.</summary>
        /// <param name="limitBytes">Above 0.</param>
        public void SetMemoryLimit(long limitBytes)
        {
            SetLimit(limitBytes);
        }
    }

    /// <summary>A MemoryEvent as the argument of an event.</summary>
    public sealed class MemoryEventArgs : EventArgs
    {
        internal MemoryEventArgs(MemoryEvent from)
        {
            Event = from;
        }

        /// <summary>The event.</summary>
        public MemoryEvent Event { get; }

        /// <summary>The layer's name.</summary>
        public string LayerId
        {
            get { return Event.LayerName; }
        }

        /// <summary>Bytes of the allocation.</summary>
        public long SizeBytes
        {
            get { return Event.Bytes; }
        }

        /// <summary>Live bytes.</summary>
        public long CurrentMemoryUsage
        {
            get { return Event.CurrentBytes; }
        }

        /// <summary>The peak of live bytes.</summary>
        public long PeakMemoryUsage
        {
            get { return Event.PeakBytes; }
        }

        /// <summary>In UTC.</summary>
        public DateTime Timestamp
        {
            get { return Event.OccurredUtc; }
        }
    }

    /// <summary>The event that the live total of a tracker exceeded its limit.</summary>
    public sealed class MemoryLimitExceededEventArgs : EventArgs
    {
        internal MemoryLimitExceededEventArgs(MemoryEvent from)
        {
            CurrentMemoryUsage = from.CurrentBytes;
            MemoryLimit = from.LimitBytes;
            Timestamp = from.OccurredUtc;
        }

        /// <summary>Live bytes.</summary>
        public long CurrentMemoryUsage { get; }

        /// <summary>The limit in bytes.</summary>
        public long MemoryLimit { get; }

        /// <summary>In UTC.</summary>
        public DateTime Timestamp { get; }
    }

    public sealed unsafe partial class MemoryStats
    {
        /// <summary>CurrentBytes.</summary>
        public long CurrentMemoryUsed
        {
            get { return CurrentBytes; }
        }

        /// <summary>PeakBytes.</summary>
        public long PeakMemoryUsed
        {
            get { return PeakBytes; }
        }

        /// <summary>LiveAllocations.</summary>
        public long CheckpointCount
        {
            get { return LiveAllocations; }
        }

        /// <summary>AverageBytes.</summary>
        public long AverageMemoryPerCheckpoint
        {
            get { return AverageBytes; }
        }

        /// <summary>TotalAllocatedBytes.</summary>
        public long TotalMemoryAllocated
        {
            get { return TotalAllocatedBytes; }
        }

        /// <summary>TotalFreedBytes.</summary>
        public long TotalMemoryDeallocated
        {
            get { return TotalFreedBytes; }
        }

        /// <summary>Allocations.</summary>
        public long AllocationCount
        {
            get { return Allocations; }
        }

        /// <summary>Frees.</summary>
        public long DeallocationCount
        {
            get { return Frees; }
        }

        /// <summary>TakenUtc.</summary>
        public DateTime Timestamp
        {
            get { return TakenUtc; }
        }

        /// <summary>Returns the bytes saved compared with storing everything; negative when more is live.</summary>
        /// <param name="totalActivationSize">Bytes of all activations.</param>
        /// <returns>The difference.</returns>
        public long CalculateMemorySavings(long totalActivationSize)
        {
            return totalActivationSize - CurrentBytes;
        }

        /// <summary>Returns the savings as a share of all bytes; 0 when there are none.</summary>
        /// <param name="totalActivationSize">Bytes of all activations.</param>
        /// <returns>At most 1.</returns>
        public float CalculateMemoryReductionPercentage(long totalActivationSize)
        {
            if (totalActivationSize == 0) return 0;
            return (float)((double)CalculateMemorySavings(totalActivationSize) / totalActivationSize);
        }
    }

    /// <summary>CheckpointTaskKind.</summary>
    public enum CheckpointTaskType
    {
        /// <summary>Saves a state.</summary>
        Save,
        /// <summary>Loads a state.</summary>
        Load,
    }

    /// <summary>CheckpointTaskState.</summary>
    public enum CheckpointTaskStatus
    {
        /// <summary>Waits for a worker.</summary>
        Queued,
        /// <summary>A worker has begun.</summary>
        Running,
        /// <summary>A save is durable; a load has filled the state.</summary>
        Completed,
        /// <summary>An error stopped it.</summary>
        Failed,
        /// <summary>Stopped on request.</summary>
        Cancelled,
        /// <summary>The queue was full, or a newer task replaced it.</summary>
        Rejected,
    }

    public sealed partial class CheckpointTask
    {
        /// <summary>Kind.</summary>
        public CheckpointTaskType Type
        {
            get { return (CheckpointTaskType)Kind; }
        }

        /// <summary>State.</summary>
        public CheckpointTaskStatus Status
        {
            get { return (CheckpointTaskStatus)State; }
        }
    }

    public sealed unsafe partial class CheckpointTaskInfo
    {
        /// <summary>Kind.</summary>
        public CheckpointTaskType Type
        {
            get { return (CheckpointTaskType)Kind; }
        }

        /// <summary>State.</summary>
        public CheckpointTaskStatus Status
        {
            get { return (CheckpointTaskStatus)State; }
        }

        /// <summary>QueuedUtc.</summary>
        public DateTime QueuedAt
        {
            get { return QueuedUtc; }
        }

        /// <summary>StartedUtc.</summary>
        public DateTime? StartedAt
        {
            get { return StartedUtc; }
        }

        /// <summary>EndedUtc.</summary>
        public DateTime? CompletedAt
        {
            get { return EndedUtc; }
        }

        /// <summary>Time from its start to its end, on the monotonic clock; null unless it has started and ended.</summary>
        public TimeSpan? Duration
        {
            get
            {
                if (StartedAtNanoseconds == 0 || EndedAtNanoseconds == 0) return null;
                return Times.OfNanoseconds(EndedAtNanoseconds - StartedAtNanoseconds);
            }
        }
    }

    public sealed unsafe partial class CheckpointTaskResult
    {
        /// <summary>Whether it completed.</summary>
        public bool Success
        {
            get { return State == CheckpointTaskState.Completed; }
        }

        /// <summary>Name; null unless completed.</summary>
        [MaybeNull]
        public string CheckpointPath
        {
            get { return Name.Length == 0 ? null : Name; }
        }

        /// <summary>Bytes.</summary>
        public long BytesWritten
        {
            get { return Bytes; }
        }
    }

    public sealed unsafe partial class SaveOptions
    {
        /// <summary>Prefix.</summary>
        [MaybeNull, AllowNull]
        public string CheckpointPrefix
        {
            get { return Prefix; }
            set { Prefix = value; }
        }
    }

    // One event of a tracker, subscribed while it has handlers. The native object keeps this alive, and this does not keep the
    // tracker alive.
    internal sealed class MemoryEventSource<TArguments> where TArguments : EventArgs
    {
        private readonly MemoryEventKind kind;
        private readonly Func<MemoryEvent, TArguments> convert;
        private readonly object guard = new object();
        private volatile EventHandler<TArguments> handlers;
        private WeakReference sender;
        private long id;

        internal MemoryEventSource(MemoryEventKind kind, Func<MemoryEvent, TArguments> convert)
        {
            this.kind = kind;
            this.convert = convert;
        }

        internal void Add(MemoryTracker tracker, EventHandler<TArguments> handler)
        {
            lock (guard)
            {
                sender = new WeakReference(tracker);
                handlers += handler;
                if (id != 0 || handlers == null) return;
                native.csharp_subscribe(tracker.Handle, (int)kind, new MemoryEvents { handler = Raise }, out id);
            }
        }

        internal void Remove(MemoryTracker tracker, EventHandler<TArguments> handler)
        {
            long ended;
            lock (guard)
            {
                handlers -= handler;
                if (handlers != null || id == 0) return;
                ended = id;
                id = 0;
            }
            if (tracker.IsDisposed) return;
            try
            {
                native.ckpt_memory_tracker_unsubscribe(tracker.Handle, ended); // may wait for handlers: no lock is held here
            }
            catch (CkptInvalidStateException)
            {
                // Handlers of two threads would wait for each other: the subscription stays, without a handler.
            }
        }

        private void Raise(MemoryEvent arguments)
        {
            var called = handlers;
            if (called != null) called(sender.Target, convert(arguments));
        }
    }
}
