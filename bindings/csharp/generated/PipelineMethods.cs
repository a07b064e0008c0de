// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class ActivationManager
    {
        /// <summary>Gets or sets the policy in force: under AUTOMATIC the selected one. <c>policy.Strategy</c> is set to null: no
        /// reference is returned.</summary>
        public ActivationPolicy Policy
        {
            get
            {
                return ActivationPolicy.Filled(filled => native.ckpt_activation_manager_get_policy(Handle, filled));
            }
            set
            {
                if (value == null) throw new ArgumentNullException("value");
                using (var memory = new CallMemory())
                {
                    native.ckpt_activation_manager_set_policy(Handle, ActivationPolicy.Native(value, memory));
                }
            }
        }

        /// <summary>Clears the manager and sets the number of micro-batches (&gt;= 0) of the step, which determines the last one.
        /// 0: not known; then the newest counts as the last until a newer one is stored, and an activation that was kept only as
        /// the last is dropped then.</summary>
        public void BeginStep(int microBatches = 0)
        {
            native.ckpt_activation_manager_begin_step(Handle, microBatches);
        }

        /// <summary>Returns true when a store of this many bytes (&gt;= 0) would be kept now, else false. microBatch: 0 ..
        /// <c>MicroBatches</c>-1; another one: <see cref="CkptStatus.OutOfRange"/>. Asks the strategy, if there is one, which
        /// counts the question.</summary>
        public bool ShouldCheckpoint(int microBatch, long bytes = 0)
        {
            int value;
            native.ckpt_activation_manager_should_checkpoint(Handle, microBatch, bytes, out value);
            return value != 0;
        }

        /// <summary>Applies the policy, and stores a copy of the activation if it is to be kept: returns true or false. An
        /// activation that is stored already for this micro-batch is replaced; it is dropped if the new one is not kept.</summary>
        public bool Store(int microBatch, Tensor activation)
        {
            int value;
            native.ckpt_activation_manager_store(Handle, microBatch, HandleOf(activation), out value);
            return value != 0;
        }

        /// <summary>Returns true when the activation is stored, else false.</summary>
        public bool HasActivation(int microBatch)
        {
            int value;
            native.ckpt_activation_manager_has_activation(Handle, microBatch, out value);
            return value != 0;
        }

        /// <summary>Runs the stage's forward on input: returns a new reference. Nothing is stored.
        /// <see cref="CkptStatus.InvalidState"/> when the manager has no forward.</summary>
        public Tensor Recompute(Tensor input, int microBatch)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_activation_manager_recompute(Handle, HandleOf(input), microBatch, out created),
                    native.ckpt_tensor_release));
        }

        /// <summary>Returns the result of <c>ActivationManager.Activation</c>, or, if nothing is stored, of
        /// <c>ActivationManager.Recompute</c>. input is only read in the second case, but must not be null.</summary>
        public Tensor GetOrCompute(Tensor input, int microBatch)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_activation_manager_get_or_compute(Handle, HandleOf(input), microBatch, out created),
                    native.ckpt_tensor_release));
        }

        /// <summary>Drops all stored activations; the tracker's count of this manager is 0 then.</summary>
        public void Clear()
        {
            native.ckpt_activation_manager_clear(Handle);
        }
    }

    public partial class Pipeline
    {
        /// <summary>Requests that the running step fails with <see cref="CheckpointTaskState.Cancelled"/>; does not wait. Without a
        /// running step it does nothing. May be called on any thread, also inside a layer. Not async-signal-safe: in a signal
        /// handler set a flag that another thread reads.</summary>
        public void Cancel()
        {
            native.ckpt_pipeline_cancel(Handle);
        }

        /// <summary>Lists the first layers of the pieces.</summary>
        public long[] GetBegins()
        {
            return NativeList.Integers(native.ckpt_pipeline_get_begins(Handle));
        }

        /// <summary>Returns a stage's manager, as a new reference: its policy determines at the begin of a step the micro-batches
        /// with tapes that are kept. Its recompute runs the stage's forward with the last step's keys;
        /// <see cref="CkptStatus.Unsupported"/> for stages of several chunks, and for layers that need targets, have ambient state
        /// or are not deterministic.</summary>
        public ActivationManager GetManager(int stage)
        {
            return new ActivationManager(Created((out IntPtr created) =>
                native.ckpt_pipeline_get_manager(Handle, stage, out created), native.ckpt_activation_manager_release));
        }

        /// <summary>Returns the schedule of a stage's whole step, all micro-batches, with <see cref="ActionKind.Send"/> and
        /// <see cref="ActionKind.Receive"/>: a new reference. Only the pipeline can run it.</summary>
        public Schedule GetSchedule(int stage)
        {
            return new Schedule(Created((out IntPtr created) =>
                native.ckpt_pipeline_get_schedule(Handle, stage, out created), native.ckpt_schedule_release));
        }

        /// <summary>Returns the profile that the schedule of <c>Pipeline.Schedule</c> is verified against: the stage's layers for
        /// one micro-batch; between two chunks one layer that is not run. A new reference.</summary>
        public Profile GetProfile(int stage)
        {
            return new Profile(Created((out IntPtr created) =>
                native.ckpt_pipeline_get_profile(Handle, stage, out created), native.ckpt_profile_release));
        }

        /// <summary>Returns the measurements of a stage since the pipeline was created.</summary>
        public PipelineStats GetStats(int stage)
        {
            return PipelineStats.Filled(filled => native.ckpt_pipeline_get_stats(Handle, stage, filled));
        }

        /// <summary>Returns the timeline of the last successful step as Chrome's trace events (JSON; chrome://tracing and Perfetto
        /// show it). Source: "Trace Event Format".</summary>
        public string ToTraceJson()
        {
            return native.ckpt_pipeline_get_trace_json(Handle);
        }

        /// <summary>Splits a chain into pieces of equal time. Among the splits within 5% of the best time, selects the one with the
        /// most even memory: the bytes that store-all keeps, times the micro-batches in flight. profile: of one micro-batch. Reads
        /// only order, stages, chunks and <c>MicroBatches</c> of options.</summary>
        public static long[] Split(Profile profile, PipelineOptions options)
        {
            using (var memory = new CallMemory())
            {
                return NativeList.Integers(native.ckpt_pipeline_split(HandleOf(profile),
                    PipelineOptions.Native(Given(options, "options"), memory)));
            }
        }

        /// <summary>Returns the maximum number of micro-batches of a piece (0 .. pieces-1) that are between their forward and the
        /// end of their backward. Reads the same options as <c>Pipeline.Split</c>.</summary>
        public static int GetInFlight(PipelineOptions options, int piece)
        {
            using (var memory = new CallMemory())
            {
                int value;
                native.ckpt_pipeline_get_in_flight(PipelineOptions.Native(Given(options, "options"), memory), piece, out value);
                return value;
            }
        }
    }
}
