using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Strategies;

namespace Ckpt
{
    /// <summary>One set of values for every kind of strategy; each kind reads its own.</summary>
    public sealed class CheckpointConfig
    {
        /// <summary>Which kind; Interval by default.</summary>
        public CheckpointStrategy Strategy { get; set; }

        /// <summary>The kind as text where it is none of CheckpointStrategy: "any", "all", "not", "first", or a registered one.
        /// null: Strategy says it.</summary>
        [MaybeNull, AllowNull]
        public string Kind { get; set; }

        /// <summary>What a yes means; Default: what is usual for the kind.</summary>
        public StrategyChosen Chosen { get; set; }

        /// <summary>Interval: at least 1; 2 by default.</summary>
        public long Interval { get; set; } = 2;

        /// <summary>Selective: names or globs.</summary>
        public IReadOnlyList<string> CheckpointLayers { get; set; } = new string[0];

        /// <summary>Selective, SizeBased and Smart: names or globs that are never chosen.</summary>
        public IReadOnlyList<string> ExcludeLayers { get; set; } = new string[0];

        /// <summary>SizeBased: 1 MiB by default.</summary>
        public long MinActivationSizeBytes { get; set; } = 1048576;

        /// <summary>MemoryAware: in (0, 1]; 0.8 by default.</summary>
        public double MaxMemoryPercentage { get; set; } = 0.8;

        /// <summary>MemoryAware: whose live bytes count; null: the executor's, else the process's.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        /// <summary>MemoryAware: 0: what the process may really use.</summary>
        public long TotalSystemMemory { get; set; }

        /// <summary>MemoryAware: null: the monotonic clock.</summary>
        [MaybeNull, AllowNull]
        public Clock Clock { get; set; }

        /// <summary>Smart: so many times the mean is large; 1.5 by default.</summary>
        public double LargeFactor { get; set; } = 1.5;

        /// <summary>Smart: fewer accesses are rare; 2 by default.</summary>
        public long RareAccesses { get; set; } = 2;

        /// <summary>Smart: layers past this share are late; 0.7 by default.</summary>
        public double LateShare { get; set; } = 0.7;

        /// <summary>Composites: their children; for "first" one for each rule, then the fallback.</summary>
        public IReadOnlyList<Strategy> Children { get; set; } = new Strategy[0];

        /// <summary>"first": names, globs, or "#2..7".</summary>
        public IReadOnlyList<string> Rules { get; set; } = new string[0];

        /// <summary>A registered kind: the text behind its name.</summary>
        public string Arguments { get; set; } = "";

        internal string KindText
        {
            get
            {
                if (Kind != null) return Kind;
                switch (Strategy)
                {
                    case CheckpointStrategy.Interval: return "interval";
                    case CheckpointStrategy.Selective: return "selective";
                    case CheckpointStrategy.SizeBased: return "size";
                    case CheckpointStrategy.MemoryAware: return "memory-aware";
                    case CheckpointStrategy.Smart: return "smart";
                    default: throw new CheckpointInvalidArgumentException("config.Strategy is " + (int)Strategy
                        + ", which is no strategy");
                }
            }
        }
    }
}
