using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>What a stage measured since the pipeline was made.</summary>
    public sealed class PipelineStats
    {
        internal PipelineStats(ckpt_pipeline_stats from)
        {
            InFlight = from.in_flight;
            FirstLayer = from.first_layer;
            Layers = from.layers;
            Steps = from.steps;
            Forwards = from.forwards;
            RecomputedForwards = from.recomputed_forwards;
            Kept = from.kept;
            Recomputed = from.recomputed;
            PeakLiveBytes = from.peak_live_bytes;
            ReservedBytes = from.reserved_bytes;
            QueueBytes = from.queue_bytes;
            BusyNanoseconds = from.busy_ns;
        }

        /// <summary>Micro-batches between forward and backward at most.</summary>
        public int InFlight { get; }

        /// <summary>Global number.</summary>
        public long FirstLayer { get; }

        /// <summary>Of all chunks.</summary>
        public long Layers { get; }

        /// <summary>That ended well.</summary>
        public long Steps { get; }

        /// <summary>Layer forwards, recomputed ones included.</summary>
        public long Forwards { get; }

        /// <summary>Layer forwards beyond the first.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Micro-batches whose tapes stayed from forward to backward.</summary>
        public long Kept { get; }

        /// <summary>Micro-batches whose tapes did not.</summary>
        public long Recomputed { get; }

        /// <summary>The verifier's peak of the whole step, to the byte.</summary>
        public long PeakLiveBytes { get; }

        /// <summary>The arena.</summary>
        public long ReservedBytes { get; }

        /// <summary>Reserved by the queues to and from the next stage.</summary>
        public long QueueBytes { get; }

        /// <summary>Of the last step: computing, not waiting.</summary>
        public long BusyNanoseconds { get; }
    }
}
