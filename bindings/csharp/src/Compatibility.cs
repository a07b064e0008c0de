// Names of the reference texts that differ from those of the library: aliases and small subclasses, and nothing else has them.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A bounded queue has no place left: what CkptQueueFullException is thrown as.</summary>
    public sealed class CheckpointQueueFullException : CkptQueueFullException
    {
        /// <summary>An error with this text.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointQueueFullException(string message) : base(message)
        {
        }
    }

    /// <summary>Kinds of strategies that choose layers, and of policies that choose micro-batches (ActivationPolicyKind).</summary>
    public enum CheckpointStrategy
    {
        /// <summary>Every n-th layer.</summary>
        Interval,
        /// <summary>Layers that are named; every n-th micro-batch.</summary>
        Selective,
        /// <summary>Large activations.</summary>
        SizeBased,
        /// <summary>Every n-th layer; n shrinks while memory is short.</summary>
        MemoryAware,
        /// <summary>Large, rarely used and late layers.</summary>
        Smart,
        /// <summary>All micro-batches.</summary>
        StoreAll,
        /// <summary>No micro-batch.</summary>
        RecomputeAll,
        /// <summary>The micro-batches that fit a threshold.</summary>
        MemoryBased,
    }

    /// <summary>Strategy.Interval.</summary>
    public sealed class IntervalCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="interval">At least 1.</param>
        public IntervalCheckpointStrategy(long interval = 2) : base(IntervalHandle(interval))
        {
        }

        /// <summary>Layers from one checkpoint to the next.</summary>
        public new long Interval
        {
            get { return GetInfo().Interval; }
        }
    }

    /// <summary>Strategy.Selective.</summary>
    public sealed class SelectiveCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="checkpointLayers">Names or globs.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        public SelectiveCheckpointStrategy([AllowNull] IEnumerable<string> checkpointLayers = null,
                                           [AllowNull] IEnumerable<string> excludeLayers = null)
            : base(SelectiveHandle(checkpointLayers, excludeLayers))
        {
        }
    }

    /// <summary>Strategy.SizeBased.</summary>
    public sealed class SizeBasedCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="minActivationSizeBytes">At least 1.</param>
        /// <param name="excludeLayers">Names or globs that are never chosen.</param>
        public SizeBasedCheckpointStrategy(long minActivationSizeBytes = 1024 * 1024,
                                           [AllowNull] IEnumerable<string> excludeLayers = null)
            : base(SizeBasedHandle(minActivationSizeBytes, excludeLayers))
        {
        }
    }

    /// <summary>Strategy.MemoryAware.</summary>
    public sealed class MemoryAwareCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="maxMemoryPercentage">A share in (0, 1].</param>
        /// <param name="memoryTracker">Whose live bytes count; null: the executor's, else the process's.</param>
        /// <param name="totalSystemMemory">null: what the process may really use.</param>
        public MemoryAwareCheckpointStrategy(double maxMemoryPercentage = 0.8, [AllowNull] MemoryTracker memoryTracker = null,
                                             long? totalSystemMemory = null)
            : base(MemoryAwareHandle(maxMemoryPercentage, memoryTracker, totalSystemMemory ?? 0, null))
        {
        }
    }

    /// <summary>Strategy.Smart.</summary>
    public sealed class SmartCheckpointStrategy : Strategy
    {
        /// <summary>Makes the strategy.</summary>
        /// <param name="excludeLayers">Names or globs that are never chosen.</param>
        public SmartCheckpointStrategy([AllowNull] IEnumerable<string> excludeLayers = null)
            : base(SmartHandle(null, excludeLayers))
        {
        }
    }

    /// <summary>One set of values for the usual kinds of strategies; each kind reads its own.</summary>
    public sealed class CheckpointConfig
    {
        /// <summary>Which kind.</summary>
        public CheckpointStrategy Strategy { get; set; }

        /// <summary>Of Interval.</summary>
        public long Interval { get; set; } = 2;

        /// <summary>Of Selective: names or globs.</summary>
        public IReadOnlyList<string> CheckpointLayers { get; set; } = new string[0];

        /// <summary>Of Selective, SizeBased and Smart: names or globs that are never chosen.</summary>
        public IReadOnlyList<string> ExcludeLayers { get; set; } = new string[0];

        /// <summary>Of SizeBased.</summary>
        public long MinActivationSizeBytes { get; set; } = 1048576;

        /// <summary>Of MemoryAware.</summary>
        public double MaxMemoryPercentage { get; set; } = 0.8;
    }

    /// <summary>Makes the usual strategies.</summary>
    public static class CheckpointStrategyFactory
    {
        /// <summary>From a config.</summary>
        /// <param name="config">Says which.</param>
        /// <returns>The strategy.</returns>
        public static Strategy CreateStrategy(CheckpointConfig config)
        {
            if (config == null) throw new ArgumentNullException("config");
            switch (config.Strategy)
            {
                case CheckpointStrategy.Interval: return CreateInterval(config.Interval);
                case CheckpointStrategy.Selective: return CreateSelective(config.CheckpointLayers, config.ExcludeLayers);
                case CheckpointStrategy.SizeBased: return CreateSizeBased(config.MinActivationSizeBytes, config.ExcludeLayers);
                case CheckpointStrategy.MemoryAware: return CreateMemoryAware(config.MaxMemoryPercentage);
                case CheckpointStrategy.Smart: return CreateSmart(config.ExcludeLayers);
                default: throw new CkptInvalidArgumentException("config.Strategy is " + config.Strategy
                    + ", which chooses no layers");
            }
        }

        /// <summary>Every n-th layer.</summary>
        /// <param name="interval">At least 1.</param>
        /// <returns>The strategy.</returns>
        public static IntervalCheckpointStrategy CreateInterval(long interval = 2)
        {
            return new IntervalCheckpointStrategy(interval);
        }

        /// <summary>Layers that are named and not excluded.</summary>
        /// <param name="checkpointLayers">Names or globs.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SelectiveCheckpointStrategy CreateSelective([AllowNull] IEnumerable<string> checkpointLayers = null,
                                                                  [AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SelectiveCheckpointStrategy(checkpointLayers, excludeLayers);
        }

        /// <summary>Large activations.</summary>
        /// <param name="minActivationSizeBytes">At least 1.</param>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SizeBasedCheckpointStrategy CreateSizeBased(long minActivationSizeBytes = 1024 * 1024,
                                                                  [AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SizeBasedCheckpointStrategy(minActivationSizeBytes, excludeLayers);
        }

        /// <summary>Every n-th layer; n shrinks while memory is short.</summary>
        /// <param name="maxMemoryPercentage">A share in (0, 1].</param>
        /// <param name="memoryTracker">Whose live bytes count; null: the executor's, else the process's.</param>
        /// <returns>The strategy.</returns>
        public static MemoryAwareCheckpointStrategy CreateMemoryAware(double maxMemoryPercentage = 0.8,
                                                                      [AllowNull] MemoryTracker memoryTracker = null)
        {
            return new MemoryAwareCheckpointStrategy(maxMemoryPercentage, memoryTracker);
        }

        /// <summary>Large, rarely used and late layers.</summary>
        /// <param name="excludeLayers">Names or globs.</param>
        /// <returns>The strategy.</returns>
        public static SmartCheckpointStrategy CreateSmart([AllowNull] IEnumerable<string> excludeLayers = null)
        {
            return new SmartCheckpointStrategy(excludeLayers);
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

        /// <summary>Raised for every allocation, on the thread that records it. What a handler throws is counted in
        /// MemoryStats.HandlerFailures. Handlers may call the tracker; they are not called for what they do themselves. This holds
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

        /// <summary>Raised when the live total rises above the limit.</summary>
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

        /// <summary>All that is known of it.</summary>
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

        /// <summary>Bytes that are live.</summary>
        public long CurrentMemoryUsage
        {
            get { return Event.CurrentBytes; }
        }

        /// <summary>The most bytes that were live at once.</summary>
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

    /// <summary>The live total of a tracker rose above its limit.</summary>
    public sealed class MemoryLimitExceededEventArgs : EventArgs
    {
        internal MemoryLimitExceededEventArgs(MemoryEvent from)
        {
            CurrentMemoryUsage = from.CurrentBytes;
            MemoryLimit = from.LimitBytes;
            Timestamp = from.OccurredUtc;
        }

        /// <summary>Bytes that are live.</summary>
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

        /// <summary>Bytes that are saved against storing everything; negative when more is live.</summary>
        /// <param name="totalActivationSize">Bytes of all activations.</param>
        /// <returns>The difference.</returns>
        public long CalculateMemorySavings(long totalActivationSize)
        {
            return totalActivationSize - CurrentBytes;
        }

        /// <summary>The same as a share of all bytes; 0 when there are none.</summary>
        /// <param name="totalActivationSize">Bytes of all activations.</param>
        /// <returns>At most 1.</returns>
        public float CalculateMemoryReductionPercentage(long totalActivationSize)
        {
            if (totalActivationSize == 0) return 0;
            return (float)((double)CalculateMemorySavings(totalActivationSize) / totalActivationSize);
        }
    }

    /// <summary>MemoryLayerStats, which converts to it.</summary>
    public sealed class LayerMemoryStats
    {
        private LayerMemoryStats(MemoryLayerStats from)
        {
            LayerId = from.Name;
            AllocationCount = from.Allocations;
            DeallocationCount = from.Frees;
            TotalBytesAllocated = from.TotalAllocatedBytes;
            TotalBytesDeallocated = from.TotalFreedBytes;
            MaxAllocationSize = from.LargestBytes;
            AverageAllocationSize = from.AverageBytes;
            LastAllocatedAt = from.LastAllocatedUtc ?? default(DateTime);
            LastDeallocatedAt = from.LastFreedUtc ?? default(DateTime);
            IsCurrentlyAllocated = from.LiveAllocations > 0;
        }

        /// <summary>The same values under these names.</summary>
        /// <param name="from">What MemoryTracker.GetLayerStats gives.</param>
        public static implicit operator LayerMemoryStats([AllowNull] MemoryLayerStats from)
        {
            return from == null ? null : new LayerMemoryStats(from);
        }

        /// <summary>The layer's name.</summary>
        public string LayerId { get; }

        /// <summary>Allocations.</summary>
        public long AllocationCount { get; }

        /// <summary>Frees.</summary>
        public long DeallocationCount { get; }

        /// <summary>TotalAllocatedBytes.</summary>
        public long TotalBytesAllocated { get; }

        /// <summary>TotalFreedBytes.</summary>
        public long TotalBytesDeallocated { get; }

        /// <summary>LargestBytes.</summary>
        public long MaxAllocationSize { get; }

        /// <summary>AverageBytes.</summary>
        public long AverageAllocationSize { get; }

        /// <summary>LastAllocatedUtc; the default when it never was.</summary>
        public DateTime LastAllocatedAt { get; }

        /// <summary>LastFreedUtc; the default when it never was.</summary>
        public DateTime LastDeallocatedAt { get; }

        /// <summary>Whether anything of it is live.</summary>
        public bool IsCurrentlyAllocated { get; }
    }

    /// <summary>ActivationManager.</summary>
    public sealed class ActivationCheckpointManager : ActivationManager
    {
        /// <summary>A manager of a stage.</summary>
        /// <param name="strategy">StoreAll, RecomputeAll, Selective or MemoryBased.</param>
        /// <param name="forward">The stage's forward; null: nothing can be recomputed.</param>
        /// <param name="checkpointInterval">Selective: every so many-th; 0 stores all, like 1.</param>
        /// <param name="memoryThreshold">MemoryBased: bytes.</param>
        public ActivationCheckpointManager(CheckpointStrategy strategy, [AllowNull] Func<Tensor, int, Tensor> forward = null,
                                           long checkpointInterval = 1, long memoryThreshold = 1024 * 1024 * 1024)
            : base(new ActivationPolicy
            {
                Kind = KindOf(strategy), Interval = checkpointInterval, ThresholdBytes = memoryThreshold,
            }, forward)
        {
            Strategy = strategy;
        }

        private static ActivationPolicyKind KindOf(CheckpointStrategy strategy)
        {
            switch (strategy)
            {
                case CheckpointStrategy.StoreAll: return ActivationPolicyKind.StoreAll;
                case CheckpointStrategy.RecomputeAll: return ActivationPolicyKind.RecomputeAll;
                case CheckpointStrategy.Selective: return ActivationPolicyKind.Selective;
                case CheckpointStrategy.MemoryBased: return ActivationPolicyKind.MemoryBased;
                default: throw new CkptInvalidArgumentException("strategy is " + strategy + ", which chooses no micro-batches");
            }
        }

        /// <summary>As it was given.</summary>
        public CheckpointStrategy Strategy { get; }

        /// <summary>Store.</summary>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <param name="activation">Stays the caller's.</param>
        /// <returns>True: kept.</returns>
        public bool StoreActivation(int microBatchIndex, Tensor activation)
        {
            return Store(microBatchIndex, activation);
        }

        /// <summary>Recompute.</summary>
        /// <param name="input">Of the stage.</param>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>What the stage's forward gave.</returns>
        public Tensor RecomputeActivation(Tensor input, int microBatchIndex)
        {
            return Recompute(input, microBatchIndex);
        }

        /// <summary>GetOrCompute.</summary>
        /// <param name="input">Of the stage.</param>
        /// <param name="microBatchIndex">From 0 on.</param>
        /// <returns>The activation.</returns>
        public Tensor GetOrComputeActivation(Tensor input, int microBatchIndex)
        {
            return GetOrCompute(input, microBatchIndex);
        }

        /// <summary>GetMemoryUsage.</summary>
        /// <returns>The bytes.</returns>
        public long EstimateMemoryUsage()
        {
            long count;
            return GetMemoryUsage(out count);
        }

        /// <summary>Activations that are stored.</summary>
        public long CheckpointCount
        {
            get
            {
                long count;
                GetMemoryUsage(out count);
                return count;
            }
        }
    }

    /// <summary>ActivationMetadata, which converts to it.</summary>
    public sealed class CheckpointMetadata
    {
        private CheckpointMetadata(ActivationMetadata from)
        {
            MicroBatchIndex = from.MicroBatch;
            MemorySize = from.Bytes;
            Timestamp = from.StoredUtc;
            Shape = from.Shape;
        }

        /// <summary>The same values under these names.</summary>
        /// <param name="from">What ActivationManager.GetMetadata gives.</param>
        public static implicit operator CheckpointMetadata([AllowNull] ActivationMetadata from)
        {
            return from == null ? null : new CheckpointMetadata(from);
        }

        /// <summary>MicroBatch.</summary>
        public int MicroBatchIndex { get; }

        /// <summary>Bytes.</summary>
        public long MemorySize { get; }

        /// <summary>StoredUtc.</summary>
        public DateTime Timestamp { get; }

        /// <summary>Its shape.</summary>
        public long[] Shape { get; }
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
        /// <summary>It waits.</summary>
        Queued,
        /// <summary>A worker has begun.</summary>
        Running,
        /// <summary>A save is durable; a load has filled the state.</summary>
        Completed,
        /// <summary>An error stopped it.</summary>
        Failed,
        /// <summary>Stopped on request.</summary>
        Cancelled,
        /// <summary>The queue was full, or a newer one took its place.</summary>
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

        /// <summary>From its begin to its end, on the monotonic clock; null unless both are there.</summary>
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

    /// <summary>AsyncManager.</summary>
    public sealed class AsyncCheckpointManager : AsyncManager
    {
        /// <summary>A manager whose queue holds so many tasks, and refuses others.</summary>
        /// <param name="checkpoint">Where to; kept alive.</param>
        /// <param name="maxQueueSize">Tasks that have not ended, at most.</param>
        public AsyncCheckpointManager(CheckpointManager checkpoint, int maxQueueSize = 10)
            : base(checkpoint, new AsyncManagerOptions { Capacity = maxQueueSize })
        {
        }

        /// <summary>Saves a model and its optimizer. CheckpointQueueFullException at once when the queue is full.</summary>
        /// <param name="model">Lists the model.</param>
        /// <param name="optimizer">Lists the optimizer.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <returns>The task's number.</returns>
        public long QueueSaveAsync(IStateful model, IStateful optimizer, [AllowNull] SaveOptions options = null)
        {
            using (var state = State.Of(model, optimizer))
                return Save(state, options, new CheckpointTaskOptions { WhenFull = WhenFull.Refuse }).Id;
        }

        /// <summary>How a task stands; null when it is unknown or no longer in the history.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>The status or null.</returns>
        public CheckpointTaskStatus? GetTaskStatus(long checkpointId)
        {
            try
            {
                return GetTask(checkpointId).Status;
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Waits for a task. Throws what it failed of, OperationCanceledException when it was cancelled,
        /// CkptTimeoutException when it has not ended in time, CkptNotFoundException for an unknown number.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <param name="timeout">null: for ever.</param>
        /// <param name="cancellationToken">Ends the waiting, not the task.</param>
        /// <returns>The result.</returns>
        public Task<CheckpointTaskResult> WaitForCompletionAsync(long checkpointId, TimeSpan? timeout = null,
                                                                 CancellationToken cancellationToken = default(CancellationToken))
        {
            return WaitAsync(checkpointId, timeout, cancellationToken);
        }

        /// <summary>Cancel.</summary>
        /// <param name="checkpointId">The task's number.</param>
        /// <returns>True when it ends cancelled because of this call.</returns>
        public bool CancelCheckpoint(long checkpointId)
        {
            return Cancel(checkpointId);
        }

        /// <summary>GetTasks of those that have not ended.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<CheckpointTaskInfo> GetActiveTasks()
        {
            return GetTasks();
        }
    }

    /// <summary>Managers of background tasks from checkpoints.</summary>
    public static class AsyncCheckpointExtension
    {
        /// <summary>A manager for these checkpoints.</summary>
        /// <param name="checkpoint">Kept alive.</param>
        /// <param name="maxQueueSize">Tasks that have not ended, at most.</param>
        /// <returns>The manager; dispose of it.</returns>
        public static AsyncCheckpointManager CreateAsyncManager(this CheckpointManager checkpoint, int maxQueueSize = 10)
        {
            return new AsyncCheckpointManager(checkpoint, maxQueueSize);
        }
    }

    // One event of a tracker: subscribed while it has handlers. The native half keeps this alive, and this does not keep the
    // tracker.
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
                // Handlers of two threads wait for each other: the subscription stays, without a handler.
            }
        }

        private void Raise(MemoryEvent arguments)
        {
            var called = handlers;
            if (called != null) called(sender.Target, convert(arguments));
        }
    }
}
