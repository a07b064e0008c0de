// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The methods of {@link Schedule} that are one call of the C API. */
abstract class ScheduleMethods extends NativeObject {
  ScheduleMethods(long address) {
    super(address, Native::ckpt_schedule_release);
  }

  static Schedule created(Into<long[]> create) {
    return new Schedule(number(create));
  }

  /** Returns another reference to the same schedule, to be closed separately. */
  public Schedule share() {
    Native.ckpt_schedule_retain(this);
    return new Schedule(address());
  }

  /**
   * Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: beginsCount of them, strictly
   * ascending, the first is 0.
   */
  public static Schedule segments(Profile profile, long... begins) {
    return Schedule.created(out -> Native.ckpt_schedule_create_segments(profile, begins, out));
  }

  /**
   * Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and stores its answers. During
   * this, its callbacks cannot add to the profile ({@link Status#INVALID_STATE}). A chosen layer begins a segment (boundary) or is
   * recomputed separately while all others record (recompute), as the strategy specifies. The schedule is independent of the
   * strategy afterwards: {@code Follower.next} asks again. {@link Status#CALLBACK} if a custom strategy fails.
   */
  public static Schedule fromStrategy(Profile profile, CheckpointStrategy strategy) {
    return Schedule.created(out -> Native.ckpt_schedule_create_from_strategy(profile, Strategy.of(strategy), out));
  }

  /**
   * Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th
   * step (period &gt;= 1), or records every step (period 0). All layers have the given {@link LayerFlag} flags. Its cursors
   * continue the forward part until {@code Cursor.finalize}.
   */
  public static Schedule openEnded(long period, int flags) {
    return Schedule.created(out -> Native.ckpt_schedule_create_open_ended(period, flags, out));
  }

  /** Returns the schedule's name for logs and tables, for example "store-all" or "periodic(4)". */
  public String name() {
    return text(out -> Native.ckpt_schedule_get_name(this, out));
  }

  /**
   * Returns the alternatives that the planner auto, chain or tapes did not consider for this schedule, with the reason, in one
   * line; "" when nothing was left out, and for schedules of other planners.
   */
  public String leftOut() {
    return text(out -> Native.ckpt_schedule_get_left_out(this, out));
  }

  /**
   * Returns a hash of the schedule's name and actions: equal schedules have the same number, different ones almost certainly not.
   * The same on machines of the same byte order.
   */
  public long fingerprint() {
    return number(out -> Native.ckpt_schedule_get_fingerprint(this, out));
  }

  /**
   * Replays the schedule against the profile without running anything, and returns the report. Bytes of tier 0. x_0 exists at the
   * start. A layer that runs forward first allocates its output (an INPUT or not), then its tape, then its ambient state, then its
   * workspace, and runs; afterwards the workspace and the items that it ends are freed. So inside FORWARD [first, last) layer k
   * &gt; first still holds x_k, which is not an item, and ends it; FORWARD_TAPE ends no item. A layer that runs backward first
   * allocates GRAD(i), then its workspace; afterwards the workspace, the tape and GRAD(i+1) are freed. Ambient state is allocated
   * at a layer's first forward and freed after its backward; a second one exists while the layer runs forward again. A buffer that
   * is overwritten in place (ADVANCE, {@link LayerFlag#IN_PLACE}) counts the larger of both for the layer, with its workspace, and
   * then the new one; a backward without a gradient of its input overwrites no buffer. An item may be dropped, or ended by
   * BACKWARD, while a STORE_BEGIN copies it. It then counts until the AWAIT, and once more if it is created again before that. A
   * tier above 0 counts an item from its STORE_BEGIN to the DROP. Items. An item exists from the action that creates it (for a copy
   * into a tier or back: its STORE_BEGIN or LOAD_BEGIN) to the action that ends it; an item that is overwritten in place ends when
   * the other one begins. Time. Layers run one after another, for forwardSeconds, recordSeconds (RECORD, with hasRecord) or
   * backwardSeconds. Each tier has one queue of writes and one of reads: a copy begins when its STORE_BEGIN or LOAD_BEGIN is
   * reached and earlier copies in its queue have ended, and takes latencySeconds + bytes / rate; an AWAIT waits for its end. {@link
   * Status#INVALID_SCHEDULE}, with a message that names the action's index, for an action (fields that its kind does not use are
   * ignored, except microBatch, which is checked in every kind; a DROP of a tier above 0 uses only tier and slot) that - names
   * layers beyond the chain or none, an option that a layer does not have, or an invalid item, tier or slot (&lt; 0); has a
   * microBatch other than 0 (except in a pipeline's stage); runs more than one layer by RECORD; - needs or drops an item that does
   * not exist or is still being loaded; creates one (LOAD_BEGIN does, too) that exists; - ends in place (ADVANCE, or BACKWARD of an
   * in-place layer) an item that is being copied; - runs a layer forward again that is not deterministic; runs one backward a
   * second time; runs one with ambient state forward after its backward; has a second TURN; sends or receives (except in a
   * pipeline's stage); - begins a transfer with an id that is in use, or awaits one that is not; stores into an occupied slot, or
   * loads from or drops an empty one; loads another item from a slot than it holds, or before its store was awaited; drops a slot
   * during a transfer; exceeds the capacity of a tier; - ends the step before layer 0 ran backward, with a transfer in progress, an
   * occupied slot, or any item other than GRAD(0). {@link Status#OUT_OF_RANGE} if live bytes, or those copied into a tier or back
   * from it, exceed 2^63 - 1, or the seconds of the step the range of a double. Streaming: memory use depends on the number of live
   * items, not on the schedule's length. Open-ended schedules are replayed with the profile's length.
   */
  public PlanReport verify(Profile profile) {
    return PlanReport.from(struct -> Native.ckpt_schedule_verify(this, profile, struct));
  }

  /**
   * Returns the bytes to reserve in a tier (0 .. 3). Tier 0, memory: assigns every buffer of the schedule an offset in one arena, a
   * multiple of 64, and returns the arena's size. It is at least the peak live bytes; gaps between live buffers count. Streaming
   * like the verifier: above some thousands of buffers they are placed in the order of time only, which may need more space than a
   * placement by whole lifetimes. Higher tiers: each slot has the size of the longest item that it ever holds, rounded up to a
   * multiple of 64. {@link Status#INVALID_SCHEDULE} as {@code Schedule.verify}, {@link Status#OUT_OF_RANGE} if the arena or the sum
   * would exceed 2^63 - 1.
   */
  public long reservedBytes(Profile profile, int tier) {
    return number(out -> Native.ckpt_schedule_place(this, profile, tier, out));
  }
}
