// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Pipeline} that are one call of the C API. */
abstract class PipelineMethods extends NativeObject {
  PipelineMethods(long address) {
    super(address, Native::ckpt_pipeline_release);
  }

  /**
   * Requests that the running step fails with {@link Status#CANCELLED}; does not wait. Without a running step it does nothing. May
   * be called on any thread, also inside a layer. Not async-signal-safe: in a signal handler set a flag that another thread reads.
   */
  public void cancel() {
    Native.ckpt_pipeline_cancel(this);
  }

  /** Lists the first layers of the pieces. */
  public long[] begins() {
    return Native.ckpt_pipeline_get_begins(this);
  }

  /**
   * Returns a stage's manager, as a new reference: its policy determines at the begin of a step the micro-batches with tapes that
   * are kept. Its recompute runs the stage's forward with the last step's keys; {@link Status#UNSUPPORTED} for stages of several
   * chunks, and for layers that need targets, have ambient state or are not deterministic.
   */
  public ActivationManager manager(int stage) {
    return ActivationManager.created(out -> Native.ckpt_pipeline_get_manager(this, stage, out));
  }

  /**
   * Returns the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the pipeline can
   * run it.
   */
  public Schedule schedule(int stage) {
    return Schedule.created(out -> Native.ckpt_pipeline_get_schedule(this, stage, out));
  }

  /**
   * Returns the profile that the schedule of {@code Pipeline.schedule} is verified against: the stage's layers for one micro-batch;
   * between two chunks one layer that is not run. A new reference.
   */
  public Profile profile(int stage) {
    return Profile.created(out -> Native.ckpt_pipeline_get_profile(this, stage, out));
  }

  /** Returns the measurements of a stage since the pipeline was created. */
  public PipelineStats stats(int stage) {
    return PipelineStats.from(struct -> Native.ckpt_pipeline_get_stats(this, stage, struct));
  }

  /**
   * Returns the timeline of the last successful step as Chrome's trace events (JSON; chrome://tracing and Perfetto show it).
   * Source: "Trace Event Format".
   */
  public String traceJson() {
    return Native.ckpt_pipeline_get_trace_json(this);
  }

  /**
   * Returns the maximum number of micro-batches of a piece (0 .. pieces-1) that are between their forward and the end of their
   * backward. Reads the same options as {@code Pipeline.split}.
   */
  public static int inFlight(PipelineOptions options, int piece) {
    return whole(out -> options.with(optionsStruct -> Native.ckpt_pipeline_get_in_flight(optionsStruct, piece, out)));
  }
}
