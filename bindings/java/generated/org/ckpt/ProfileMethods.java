// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;

/** The methods of {@link Profile} that are one call of the C API. */
abstract class ProfileMethods extends NativeObject {
  ProfileMethods(long address) {
    super(address, Native::ckpt_profile_release);
  }

  static Profile made(Into<long[]> create) {
    return new Profile(create);
  }

  /**
   * Creates the profile of a chain of layerCount (&gt;= 1) like layers with one option: the steps of a time-stepping code. x_0 has
   * the layer's outputBytes too, and every layer is called "step". Takes the same little memory for any layerCount; what was
   * created so takes no further layers and options ({@link Status#INVALID_STATE}).
   */
  public static Profile uniform(long layerCount, LayerProfile layer, OptionProfile option) {
    return Profile.made(out -> layer.with(layerStruct -> option.with(optionStruct ->
        Native.ckpt_profile_create_uniform(layerCount, layerStruct, optionStruct, out))));
  }

  /**
   * Creates the profile that {@code Profile.toJson} wrote. {@link Status#CORRUPT} for a text that is none: the message says what is
   * wrong, and where.
   */
  public static Profile fromJson(String json) {
    return Profile.made(out -> Native.ckpt_profile_create_from_json(json, out));
  }

  /**
   * Creates a profile of the chain with every layer timed in its place: each option's seconds are the median over measuredSteps (1
   * .
   */
  public static Profile measured(Chain chain, Step step, int measuredSteps) {
    return measured(chain, step, measuredSteps, null);
  }

  /**
   * Creates a profile of the chain with every layer timed in its place: each option's seconds are the median over measuredSteps (1
   * .. 32) steps of the whole chain, forward and backward, on the step's input, targets and outputGradient, behind one step that
   * warms up. Of step also step, seed and firstSample are read; input says the shape. Takes as much memory as storing everything:
   * where that is too much, see {@code ScheduleExecutor.refine}. pool null: a pool of {@code Ckpt.availableThreads}(). Changes no
   * parameter and no gradient, but runs custom layers' callbacks. Executors are made for it: the chain takes no further layers.
   */
  public static Profile measured(Chain chain, Step step, int measuredSteps, WorkerPool pool) {
    return Profile.made(out -> step.with(stepStruct ->
        Native.ckpt_profile_create_measured(chain, stepStruct, measuredSteps, pool, out)));
  }

  /** Says what a tier (1 .. 3) can do; until then it is as a new {@link TierProfile} says. */
  public Profile setTier(int tier, TierProfile tierProfile) {
    tierProfile.with(tierProfileStruct -> Native.ckpt_profile_set_tier(this, tier, tierProfileStruct));
    return (Profile) this;
  }

  /** Returns what is known of a tier (1 .. 3). */
  public TierProfile tier(int tier) {
    return TierProfile.from(struct -> Native.ckpt_profile_get_tier(this, tier, struct));
  }

  /** Sets what holds for the whole chain: a sum of {@link ProfileFlag}; 0 until then. Also for a uniform chain. */
  public Profile setFlags(int flags) {
    Native.ckpt_profile_set_flags(this, flags);
    return (Profile) this;
  }

  /** Returns what {@code Profile.setFlags} set. */
  public int flags() {
    return whole(out -> Native.ckpt_profile_get_flags(this, out));
  }

  /** Returns the number of layers. */
  public long layerCount() {
    return number(out -> Native.ckpt_profile_get_layer_count(this, out));
  }

  /** Returns the bytes of the chain's input x_0. */
  public long inputBytes() {
    return number(out -> Native.ckpt_profile_get_input_bytes(this, out));
  }

  /** Returns the profile as JSON, as docs/reference/plan.md describes it: seconds read back to the same bits. */
  public String toJson() {
    return Native.ckpt_profile_get_json(this);
  }

  /**
   * Makes the whole frontier of a planner in one run: returns what its schedules cost, by rising live bytes and falling step
   * seconds (where the profile has no seconds at all, falling recomputed forwards). planner: "chain" or "tapes"; {@link
   * Status#NOT_FOUND} for another name. A budget takes the fastest point whose reserved bytes fit, a budget of tapes also one of
   * chain's, and the smallest budget that works is the least of them. Every call computes anew; the points are placed, one after
   * another, as far as they are asked for. Beyond 128 layers there are some points of the frontier, all placed by each call, and a
   * budget may find better ones between them.
   */
  public List<FrontierPoint> frontier(String planner) {
    return values(Native.ckpt_profile_get_frontier(this, planner), FrontierPoint::of, ckpt_frontier_point::close);
  }
}
