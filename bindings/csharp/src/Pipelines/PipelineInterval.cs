using System.Runtime.InteropServices;

namespace Ckpt.Pipelines
{
    /// <summary>What a stage did from one moment of a step to another: 32 bytes, the same in every version.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PipelineInterval
    {
        private readonly int kind;
        private readonly int stage;
        private readonly int chunk;
        private readonly int microBatch;
        private readonly long begin;
        private readonly long end;

        /// <summary>What it did.</summary>
        public IntervalKind Kind
        {
            get { return (IntervalKind)kind; }
        }

        /// <summary>Which stage.</summary>
        public int Stage
        {
            get { return stage; }
        }

        /// <summary>Which chunk of the stage.</summary>
        public int Chunk
        {
            get { return chunk; }
        }

        /// <summary>Which micro-batch.</summary>
        public int MicroBatch
        {
            get { return microBatch; }
        }

        /// <summary>Since the step began.</summary>
        public long BeginNanoseconds
        {
            get { return begin; }
        }

        /// <summary>Since the step began.</summary>
        public long EndNanoseconds
        {
            get { return end; }
        }
    }
}
