// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Schedule} that are one call of the C API. */
abstract class ScheduleMethods extends NativeObject {
  ScheduleMethods(long address) {
    super(address, Native::ckpt_schedule_release);
  }

  static Schedule made(Into<long[]> create) {
    return new Schedule(number(create));
  }

  /** Returns another reference to the same schedule, to be closed by itself. */
  public Schedule share() {
    Native.ckpt_schedule_retain(this);
    return new Schedule(address());
  }

  /**
   * Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: beginsCount of them, strictly
   * ascending, the first is 0.
   */
  public static Schedule segments(Profile profile, long... begins) {
    return Schedule.made(out -> Native.ckpt_schedule_create_segments(profile, begins, out));
  }

  /**
   * Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and freezes its answers.
   * Meanwhile its callbacks can add nothing to the profile ({@link Status#INVALID_STATE}). A chosen layer begins a segment
   * (boundary) or is recomputed alone while all others record (recompute), as the strategy says. The schedule knows nothing of the
   * strategy afterwards: {@code Follower.next} asks again. {@link Status#CALLBACK} when a custom one fails.
   */
  public static Schedule fromStrategy(Profile profile, CheckpointStrategy strategy) {
    return Schedule.made(out -> Native.ckpt_schedule_create_from_strategy(profile, Strategy.of(strategy), out));
  }

  /**
   * Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th
   * step (period &gt;= 1), or records every step (period 0). All layers have the given {@link LayerFlag} flags. Its cursors go on
   * forward until {@code Cursor.finalize}.
   */
  public static Schedule openEnded(long period, int flags) {
    return Schedule.made(out -> Native.ckpt_schedule_create_open_ended(period, flags, out));
  }

  /** Returns the schedule's name for logs and tables: "store-all", "periodic(4)", ...; it lives as long as the schedule. */
  public String name() {
    return text(out -> Native.ckpt_schedule_get_name(this, out));
  }

  /**
   * Returns what the planner auto, chain or tapes did not look at when it chose this schedule, and why, in one line; "" when
   * nothing was left out, and when the schedule was made otherwise. It lives as long as the schedule.
   */
  public String leftOut() {
    return text(out -> Native.ckpt_schedule_get_left_out(this, out));
  }

  /**
   * Returns a number that equal recipes of the same name share and different ones practically never. The same on machines of the
   * same byte order.
   */
  public long fingerprint() {
    return number(out -> Native.ckpt_schedule_get_fingerprint(this, out));
  }

  /**
   * Replays the schedule against the profile without running anything, and fills report. Bytes of tier 0. x_0 is there at the
   * start. A layer that runs forward first makes its output (INPUT or not), then its tape, then what it needs of ambient state,
   * then its workspace, and runs; then the workspace goes, and what it ends. So inside FORWARD [first, last) layer k &gt; first
   * still has x_k, which is no item, and ends it; FORWARD_TAPE ends nothing. A layer that runs backward first makes GRAD(i), then
   * its workspace; then the workspace, the tape and GRAD(i+1) go. Ambient state is made at a layer's first forward and goes behind
   * its backward; a second one is there while the layer runs forward again. A buffer that is overwritten in place (ADVANCE, {@link
   * LayerFlag#IN_PLACE}) counts the larger of both for the layer, with its workspace, and then the new one; a backward that makes
   * no gradient of its input overwrites nothing. An item that is dropped, or that BACKWARD ends, while a STORE_BEGIN copies it
   * counts until the AWAIT, and once more where it is made again meanwhile. A tier above 0 counts an item from its STORE_BEGIN to
   * the DROP. Items. An item is there from what makes it (of a copy into a tier or back: its STORE_BEGIN or LOAD_BEGIN) to what
   * ends it; one that is overwritten in place is not there any more when the other one is. Time. Layers run one after another, for
   * forwardSeconds, recordSeconds (RECORD, with hasRecord) or backwardSeconds. Each tier has one queue of writes and one of reads:
   * a copy begins when its STORE_BEGIN or LOAD_BEGIN is met and those before it in its queue have ended, and takes latencySeconds +
   * bytes / rate; an AWAIT waits for its end. {@link Status#INVALID_SCHEDULE}, and the message names the action's index, for an
   * action (fields that its kind does not use are not looked at; microBatch is, in every kind; a DROP of a tier above 0 uses tier
   * and slot alone) that - names layers beyond the chain or none, an option that a layer does not have, an item, tier or slot (&lt;
   * 0) that cannot be; has another microBatch than 0 (but for a stage); runs more than one layer by RECORD; - needs or drops an
   * item that is not there or is still being loaded; makes one (LOAD_BEGIN does, too) that is there; - ends in place (ADVANCE, or
   * BACKWARD of an in-place layer) an item that is being copied; - runs a layer forward again that is not deterministic; runs one
   * backward a second time; runs one with ambient state forward behind its backward; turns a second time; sends or receives (but
   * for a stage); - begins a transfer under an id that is under way, or awaits one that is not; stores into a slot that is taken,
   * or loads from or drops one that is empty; loads from a slot another item than it holds, or before its store was awaited; drops
   * one in transfer; holds more in a tier than its capacity; - ends the step before layer 0 ran backward, with a transfer under
   * way, a slot taken, or any other item than GRAD(0) left. {@link Status#OUT_OF_RANGE} when live bytes, or those copied into a
   * tier or back from it, pass 2^63 - 1. Streams: takes memory for what is live, not for the schedule's length. Open-ended
   * schedules are replayed with the profile's length.
   */
  public PlanReport verify(Profile profile) {
    return PlanReport.from(struct -> Native.ckpt_schedule_verify(this, profile, struct));
  }

  /**
   * Assigns every buffer of the schedule an offset in one arena; returns the arena's size: the reserved bytes that a machine must
   * have, at least the peak live bytes (offsets are multiples of 64; gaps between live buffers count). Streams like the verifier:
   * past some thousands of buffers they are placed in the order of time alone, which may need more room than looking at whole
   * lives. {@link Status#INVALID_SCHEDULE} as {@code Schedule.verify}, {@link Status#OUT_OF_RANGE} when the arena would pass 2^63 -
   * 1.
   */
  public long reservedBytes(Profile profile) {
    return number(out -> Native.ckpt_schedule_place(this, profile, out));
  }

  /**
   * Returns what a tier (1 .. 3) must have: each of the tier's slots is as long as the longest item that it ever holds, rounded up
   * to 64. {@link Status#INVALID_SCHEDULE} as {@code Schedule.verify}, {@link Status#OUT_OF_RANGE} when the sum would pass 2^63 -
   * 1.
   */
  public long reservedBytes(Profile profile, int tier) {
    return number(out -> Native.ckpt_schedule_place_tier(this, profile, tier, out));
  }
}
