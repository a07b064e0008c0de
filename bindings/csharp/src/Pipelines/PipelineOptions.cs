using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>How a chain is cut into stages, and how these run.</summary>
    public sealed class PipelineOptions
    {
        /// <summary>The library's defaults: one stage.</summary>
        public PipelineOptions()
        {
            using (var defaults = new ckpt_pipeline_options())
            {
                Order = (PipelineOrder)defaults.schedule;
                Stages = defaults.stages;
                MicroBatches = defaults.micro_batches;
                Chunks = defaults.chunks;
                ThreadsPerStage = defaults.threads_per_stage;
                MeasuredSteps = defaults.measured_steps;
            }
            Begins = new long[0];
            Schedules = new Schedule[0];
        }

        /// <summary>Of the micro-batches.</summary>
        public PipelineOrder Order { get; set; }

        /// <summary>1 .. 1024.</summary>
        public int Stages { get; set; }

        /// <summary>Divides the batch's samples.</summary>
        public int MicroBatches { get; set; }

        /// <summary>Of each stage; 1 unless interleaved.</summary>
        public int Chunks { get; set; }

        /// <summary>Of each stage's pool, its own thread included.</summary>
        public int ThreadsPerStage { get; set; }

        /// <summary>Runs that time the layers, for the split and the budget; 0: bytes only.</summary>
        public int MeasuredSteps { get; set; }

        /// <summary>The pieces' first layers, ascending from 0; empty: the library's split.</summary>
        public long[] Begins { get; set; }

        /// <summary>Of each queue between neighbours; 0: as many as needed.</summary>
        public long QueuePlaces { get; set; }

        /// <summary>Each stage takes the fastest plan with which its whole step reserves no more; 0: none.</summary>
        public long BudgetBytes { get; set; }

        /// <summary>Chooses each piece's plan, layer by layer; kept alive. null: none.</summary>
        [MaybeNull, AllowNull]
        public Strategies.Strategy Strategy { get; set; }

        /// <summary>Each piece's plan, kept alive; empty: none.</summary>
        public IReadOnlyList<Schedule> Schedules { get; set; }

        /// <summary>Of every stage's manager; null: store-all.</summary>
        [MaybeNull, AllowNull]
        public ActivationPolicy Policy { get; set; }

        /// <summary>Learns of every buffer, kept alive; null: one of its own.</summary>
        [MaybeNull, AllowNull]
        public MemoryTracker Tracker { get; set; }

        internal ckpt_pipeline_options Native()
        {
            var options = new ckpt_pipeline_options();
            options.schedule = (int)Order;
            options.stages = Stages;
            options.micro_batches = MicroBatches;
            options.chunks = Chunks;
            options.threads_per_stage = ThreadsPerStage;
            options.measured_steps = MeasuredSteps;
            options.queue_places = QueuePlaces;
            options.budget_bytes = BudgetBytes;
            options.strategy = NativeObject.HandleOf(Strategy);
            options.tracker = NativeObject.HandleOf(Tracker);
            return options;
        }
    }
}
