// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Pipeline} that are one call of the C API. */
abstract class PipelineMethods extends NativeObject {
  PipelineMethods(long address) {
    super(address, Native::ckpt_pipeline_release);
  }

  /**
   * Asks the step that is running to end with {@link Status#CANCELLED}; does not wait. Without one it does nothing. Any thread,
   * also a layer's.
   */
  public void cancel() {
    Native.ckpt_pipeline_cancel(this);
  }

  /** Returns the first layers of the pieces. */
  public long[] begins() {
    return Native.ckpt_pipeline_get_begins(this);
  }

  /**
   * Returns a stage's manager, as a new reference: its policy is asked when a step begins which micro-batches' tapes stay. Its
   * recompute runs the stage's forward with the last step's keys; {@link Status#UNSUPPORTED} for stages of several chunks, and for
   * layers that need targets, have ambient state or are not deterministic.
   */
  public ActivationManager manager(int stage) {
    return ActivationManager.made(out -> Native.ckpt_pipeline_get_manager(this, stage, out));
  }

  /**
   * Returns the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the pipeline can
   * run it.
   */
  public Schedule schedule(int stage) {
    return Schedule.made(out -> Native.ckpt_pipeline_get_schedule(this, stage, out));
  }

  /**
   * Returns the profile that the schedule of {@code Pipeline.schedule} is verified against: the stage's layers for one micro-batch;
   * between two chunks one layer that never runs. A new reference.
   */
  public Profile profile(int stage) {
    return Profile.made(out -> Native.ckpt_pipeline_get_profile(this, stage, out));
  }

  /** Returns what a stage measured since the pipeline was made. */
  public PipelineStats stats(int stage) {
    return PipelineStats.from(struct -> Native.ckpt_pipeline_get_stats(this, stage, struct));
  }

  /**
   * Returns the timeline of the last step that ended well as Chrome's trace events (JSON; chrome://tracing and Perfetto show it).
   * Source: "Trace Event Format".
   */
  public String traceJson() {
    return Native.ckpt_pipeline_get_trace_json(this);
  }

  /**
   * Returns the most micro-batches of a piece (0 .. pieces-1) that are between their forward and the end of their backward. Reads
   * the same options as {@code Pipeline.split}.
   */
  public static int inFlight(PipelineOptions options, int piece) {
    return whole(out -> options.with(optionsStruct -> Native.ckpt_pipeline_get_in_flight(optionsStruct, piece, out)));
  }
}
