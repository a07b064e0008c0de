using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>What is simulated. Give a trace or a law.</summary>
    public sealed class SimulationOptions
    {
        /// <summary>The library's defaults.</summary>
        public SimulationOptions()
        {
            using (var defaults = new ckpt_simulation_options())
            {
                Nodes = defaults.nodes;
                Failures = defaults.failures;
                Replicas = defaults.replicas;
                Seed = defaults.seed;
                CostSeconds = defaults.cost_seconds;
                RestartSeconds = defaults.restart_seconds;
                PollSeconds = defaults.poll_seconds;
                RemoteEvery = defaults.remote_every;
                LocalCostSeconds = defaults.local_cost_seconds;
                RemoteShare = defaults.remote_share;
            }
        }

        /// <summary>Seconds between failures, one number a line, # begins a comment.</summary>
        [MaybeNull, AllowNull]
        public string Trace { get; set; }

        /// <summary>"exponential:MTBF" or "weibull:SHAPE:MTBF", of one node, seconds.</summary>
        [MaybeNull, AllowNull]
        public string Law { get; set; }

        /// <summary>With commas: auto, young, fixed:SECONDS, ...; null: all but fixed.</summary>
        [MaybeNull, AllowNull]
        public string Policies { get; set; }

        /// <summary>Of the law: they fail one by one, each stops all.</summary>
        public long Nodes { get; set; }

        /// <summary>To draw in each run.</summary>
        public long Failures { get; set; }

        /// <summary>Runs to draw.</summary>
        public long Replicas { get; set; }

        /// <summary>Of all random draws.</summary>
        public ulong Seed { get; set; }

        /// <summary>Of a save, above 0.</summary>
        public double CostSeconds { get; set; }

        /// <summary>After a failure.</summary>
        public double RestartSeconds { get; set; }

        /// <summary>Between questions, above 0.</summary>
        public double PollSeconds { get; set; }

        /// <summary>Each so many-th save is remote, the others are local; 1: no levels.</summary>
        public long RemoteEvery { get; set; }

        /// <summary>Of a local save.</summary>
        public double LocalCostSeconds { get; set; }

        /// <summary>Of the failures that destroy what is local, 0 .. 1.</summary>
        public double RemoteShare { get; set; }

        internal ckpt_simulation_options Native(TextMemory texts)
        {
            var options = new ckpt_simulation_options();
            options.trace = texts.Of(Trace);
            options.law = texts.Of(Law);
            options.policies = texts.Of(Policies);
            options.nodes = Nodes;
            options.failures = Failures;
            options.replicas = Replicas;
            options.seed = Seed;
            options.cost_seconds = CostSeconds;
            options.restart_seconds = RestartSeconds;
            options.poll_seconds = PollSeconds;
            options.remote_every = RemoteEvery;
            options.local_cost_seconds = LocalCostSeconds;
            options.remote_share = RemoteShare;
            return options;
        }
    }
}
