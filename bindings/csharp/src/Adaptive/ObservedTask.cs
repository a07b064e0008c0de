using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>A task that was observed.</summary>
    public sealed class ObservedTask
    {
        internal ObservedTask(ckpt_task_observation from)
        {
            Name = from.name;
            Seconds = from.seconds;
            Checkpointed = from.checkpointed != 0;
            Failed = from.failed != 0;
        }

        /// <summary>Its name.</summary>
        public string Name { get; }

        /// <summary>How long it took.</summary>
        public double Seconds { get; }

        /// <summary>Whether a checkpoint was made of it.</summary>
        public bool Checkpointed { get; }

        /// <summary>Whether a failure came while it was the last one.</summary>
        public bool Failed { get; }
    }
}
