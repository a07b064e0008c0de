using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt.Pipelines
{
    /// <summary>Stages that run a chain's steps, each on a thread of its own. Losses and gradients are bit for bit those of one
    /// stage with the same micro-batches. While a step runs, other calls but Cancel throw CheckpointBusyException.</summary>
    public sealed unsafe class Pipeline : NativeObject
    {
        private readonly int microBatches;

        /// <summary>Cuts the chain, plans each stage and starts the threads.</summary>
        /// <param name="chain">Kept alive; nobody else runs it while a step runs.</param>
        /// <param name="input">Dtype and shape of the whole batch.</param>
        /// <param name="options">How.</param>
        public Pipeline(Chain chain, TensorSpec input, PipelineOptions options) : base(Made(chain, input, options))
        {
            microBatches = options.MicroBatches;
        }

        private static NativeHandle Made(Chain chain, TensorSpec input, PipelineOptions from)
        {
            if (input == null) throw new ArgumentNullException("input");
            if (from == null) throw new ArgumentNullException("from");
            var spec = input.Native;
            var schedules = from.Schedules.Select(schedule => HandleOf(schedule).DangerousGetHandle()).ToArray();
            using (var options = from.Native())
            using (var policy = from.Policy == null ? null : from.Policy.Native())
            {
                IntPtr pipeline;
                fixed (long* begins = from.Begins)
                fixed (IntPtr* plans = schedules)
                {
                    native.ckpt_pipeline_create(HandleOf(chain), (IntPtr)(&spec), options, begins, from.Begins.Length, plans,
                        schedules.Length,
                                                policy, out pipeline);
                }
                GC.KeepAlive(from);
                return new NativeHandle(pipeline, native.ckpt_pipeline_release, true);
            }
        }

        /// <summary>Where the library would cut a chain.</summary>
        /// <param name="profile">Of one micro-batch.</param>
        /// <param name="options">Order, Stages, Chunks and MicroBatches are read.</param>
        /// <returns>The pieces' first layers.</returns>
        public static long[] Split(Profile profile, PipelineOptions options)
        {
            if (options == null) throw new ArgumentNullException("options");
            using (var given = options.Native())
            using (var list = new NativeList(native.ckpt_pipeline_split(HandleOf(profile), given))) return list.Integers();
        }

        /// <summary>The most micro-batches of a piece that are between their forward and the end of their backward.</summary>
        /// <param name="options">As for Split.</param>
        /// <param name="piece">0 .. pieces - 1.</param>
        /// <returns>Their number.</returns>
        public static int InFlight(PipelineOptions options, int piece)
        {
            if (options == null) throw new ArgumentNullException("options");
            using (var given = options.Native())
            {
                int inFlight;
                native.ckpt_pipeline_get_in_flight(given, piece, out inFlight);
                return inFlight;
            }
        }

        /// <summary>One step of the whole batch. After an error every buffer is back and the next step works.</summary>
        /// <param name="step">Its tensors have the whole batch's size.</param>
        /// <param name="timeout">How long to wait; null: for ever.</param>
        /// <returns>The mean loss, or NaN where the output is not one number.</returns>
        public double Run(Step step, TimeSpan? timeout = null)
        {
            double[] losses;
            return Run(step, timeout, out losses);
        }

        /// <summary>The same, with each micro-batch's loss.</summary>
        /// <param name="step">Its tensors have the whole batch's size.</param>
        /// <param name="timeout">How long to wait; null: for ever.</param>
        /// <param name="losses">Each micro-batch's.</param>
        /// <returns>The mean loss.</returns>
        public double Run(Step step, TimeSpan? timeout, out double[] losses)
        {
            if (step == null) throw new ArgumentNullException("step");
            using (var given = step.Native())
            {
                double loss;
                using (var list = new NativeList(native.ckpt_pipeline_run(Handle, given, Times.Nanoseconds(timeout), microBatches,
                    out loss)))
                {
                    losses = list.Numbers();
                    GC.KeepAlive(step);
                    return loss;
                }
            }
        }

        /// <summary>Asks the step that is running to end with CheckpointCancelledException. Any thread, also a layer's.</summary>
        public void Cancel()
        {
            native.ckpt_pipeline_cancel(Handle);
        }

        /// <summary>First layers of the pieces.</summary>
        /// <returns>Ascending from 0.</returns>
        public long[] Begins()
        {
            using (var list = new NativeList(native.ckpt_pipeline_get_begins(Handle))) return list.Integers();
        }

        /// <summary>A stage's manager.</summary>
        /// <param name="stage">0 .. stages - 1.</param>
        /// <returns>A new reference.</returns>
        public ActivationCheckpointManager GetManager(int stage)
        {
            IntPtr manager;
            native.ckpt_pipeline_get_manager(Handle, stage, out manager);
            return new ActivationCheckpointManager(new NativeHandle(manager, native.ckpt_activation_manager_release));
        }

        /// <summary>The schedule of a stage's whole step, all micro-batches.</summary>
        /// <param name="stage">0 .. stages - 1.</param>
        /// <returns>A new reference; only the pipeline can run it.</returns>
        public Schedule GetSchedule(int stage)
        {
            IntPtr schedule;
            native.ckpt_pipeline_get_schedule(Handle, stage, out schedule);
            return Schedule.Owning(schedule);
        }

        /// <summary>The profile that this schedule is verified against.</summary>
        /// <param name="stage">0 .. stages - 1.</param>
        /// <returns>The profile.</returns>
        public Profile GetProfile(int stage)
        {
            IntPtr profile;
            native.ckpt_pipeline_get_profile(Handle, stage, out profile);
            return Profile.Owning(profile);
        }

        /// <summary>What a stage measured.</summary>
        /// <param name="stage">0 .. stages - 1.</param>
        /// <returns>The numbers.</returns>
        public PipelineStats GetStats(int stage)
        {
            using (var stats = new ckpt_pipeline_stats())
            {
                native.ckpt_pipeline_get_stats(Handle, stage, stats);
                return new PipelineStats(stats);
            }
        }

        /// <summary>The last step that ended well, by stage, then by time.</summary>
        /// <param name="stepNanoseconds">How long it took.</param>
        /// <returns>What each stage did when.</returns>
        public IReadOnlyList<PipelineInterval> Timeline(out long stepNanoseconds)
        {
            using (var list = new NativeList(native.ckpt_pipeline_get_timeline(Handle, out stepNanoseconds)))
            {
                var intervals = new PipelineInterval[list.Count];
                for (long i = 0; i < intervals.Length; ++i) intervals[i] = *(PipelineInterval*)list.At(i);
                return intervals;
            }
        }

        /// <summary>The same as Chrome's trace events.</summary>
        /// <returns>JSON.</returns>
        public string ToTraceJson()
        {
            return native.ckpt_pipeline_get_trace_json(Handle);
        }
    }
}
