// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Chain
    {
        /// <summary>Returns the number of layers.</summary>
        public long LayerCount
        {
            get
            {
                long value;
                native.ckpt_chain_get_layer_count(Handle, out value);
                return value;
            }
        }

        /// <summary>Sets every parameter to its first value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al.,
        /// arXiv:1502.01852), in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a
        /// standard deviation of 0.02, that of "out.weight" and "down.weight" divided by sqrt(layer's number + 1), weights of norms
        /// 1 (Radford et al., "Language models are unsupervised multitask learners", 2019). The same on every machine. Sets
        /// gradients to 0.</summary>
        public void Initialize(ulong seed)
        {
            native.ckpt_chain_initialize(Handle, seed);
        }

        /// <summary>Scales all gradients so that their common 2-norm is at most maxNorm (&gt; 0); returns the norm before.
        /// <see cref="CkptStatus.OutOfRange"/> when that is not finite: no gradient is scaled.</summary>
        public double ClipGradients(double maxNorm)
        {
            double value;
            native.ckpt_chain_clip_gradients(Handle, maxNorm, out value);
            return value;
        }
    }

    public partial class Optimizer
    {
        /// <summary>Updates the parameters once with the gradients as they are.</summary>
        public void Step()
        {
            native.ckpt_optimizer_step(Handle);
        }
    }

    public partial class ScheduleExecutor
    {
        /// <summary>Runs the schedule once: forward, backward, gradients added to the layers' parameters. Returns x_n where it has
        /// one element, else NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0.
        /// <see cref="CkptStatus.OutOfRange"/> for a loss that is not finite, before any layer runs backward: see
        /// <c>CheckFinite</c> for where it began. A copy through a tier's storage that fails ends the step, once no other copy is
        /// under way, and the message names tier and slot: <see cref="CkptStatus.NoSpace"/> when the tier's file finds no room,
        /// <see cref="CkptStatus.Io"/> also when the file has become shorter than what was stored. A storage made by
        /// <c>Storage.CreateRetrying</c> has tried it again by then. <see cref="CkptStatus.Forked"/> in a forked child when a tier
        /// has a storage.</summary>
        public double Run(Step step)
        {
            using (var memory = new CallMemory())
            {
                double value;
                native.ckpt_schedule_executor_run(Handle, Step.Native(step, memory), out value);
                return value;
            }
        }

        /// <summary>Runs the first layerCount layers forward once, and nothing backward: no tape is kept, nothing is dropped at
        /// random, no gradient and no parameter changes. 1 &lt;= layerCount &lt;= the chain's. Of step also step, seed,
        /// <c>FirstSample</c> and input are read, targets when one of the layers needs them, and output, which receives the last of
        /// these layers' output; its other fields are ignored. Returns that output where it has one element, else NaN. Uses memory
        /// of the executor's own beside its arena, made by the first call: two of the largest activations and the largest
        /// workspace. Does not count as a step.</summary>
        public double Evaluate(Step step, long layerCount)
        {
            using (var memory = new CallMemory())
            {
                double value;
                native.ckpt_schedule_executor_evaluate(Handle, Step.Native(step, memory), layerCount, out value);
                return value;
            }
        }

        /// <summary>Returns what the executor measured since it was made.</summary>
        public ScheduleExecutorStats GetStats()
        {
            return ScheduleExecutorStats.Filled(filled => native.ckpt_schedule_executor_get_stats(Handle, filled));
        }

        /// <summary>Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the
        /// executor's chain and input), in which <c>ForwardSeconds</c>, <c>RecordSeconds</c> and <c>BackwardSeconds</c> of what the
        /// schedule runs are the medians over the last steps that ended well, up to 32. What it does not run stays as it is.
        /// <see cref="CkptStatus.InvalidState"/> before the first step, <see cref="CkptStatus.InvalidArgument"/> for the profile of
        /// another chain.</summary>
        public Profile Refine(Profile profile)
        {
            return new Profile(Made((out IntPtr made) =>
                native.ckpt_schedule_executor_refine(Handle, HandleOf(profile), out made), native.ckpt_profile_release));
        }
    }
}
