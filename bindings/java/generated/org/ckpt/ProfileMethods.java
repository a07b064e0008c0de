// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.util.List;

/** The methods of {@link Profile} that are one call of the C API. */
abstract class ProfileMethods extends NativeObject {
  ProfileMethods(long address) {
    super(address, Native::ckpt_profile_release);
  }

  static Profile created(Into<long[]> create) {
    return new Profile(create);
  }

  /**
   * Creates the profile of a chain of layerCount (&gt;= 1) equal layers with one option: the steps of a time-stepping code. x_0 has
   * the layer's outputBytes, too, and every layer has the name "step". Needs the same small memory for any layerCount; no layers
   * and options can be added to it ({@link Status#INVALID_STATE}).
   */
  public static Profile uniform(long layerCount, LayerProfile layer, OptionProfile option) {
    return Profile.created(out -> layer.with(layerStruct -> option.with(optionStruct ->
        Native.ckpt_profile_create_uniform(layerCount, layerStruct, optionStruct, out))));
  }

  /**
   * Creates a profile from the JSON of {@code Profile.toJson}. {@link Status#CORRUPT} for invalid JSON: the message names the error
   * and its position.
   */
  public static Profile fromJson(String json) {
    return Profile.created(out -> Native.ckpt_profile_create_from_json(json, out));
  }

  /**
   * Creates a profile of the chain with every layer timed within the chain: each option's seconds are the median over measuredSteps
   * (1 .. 32) steps of the whole chain, forward and backward, on the step's input, targets and outputGradient, after one warm-up
   * step.
   */
  public static Profile measured(Chain chain, Step step, int measuredSteps) {
    return measured(chain, step, measuredSteps, null);
  }

  /**
   * Creates a profile of the chain with every layer timed within the chain: each option's seconds are the median over measuredSteps
   * (1 .. 32) steps of the whole chain, forward and backward, on the step's input, targets and outputGradient, after one warm-up
   * step. Also reads step, seed and firstSample of step; input determines the shape. Needs as much memory as storing everything: if
   * that is too much, see {@code ScheduleExecutor.refine}. pool null: a pool of {@code Ckpt.availableThreads}(). Changes no
   * parameter and no gradient, but runs custom layers' callbacks. It creates executors, so no layers can be added to the chain
   * afterwards.
   */
  public static Profile measured(Chain chain, Step step, int measuredSteps, WorkerPool pool) {
    return Profile.created(out -> step.with(stepStruct ->
        Native.ckpt_profile_create_measured(chain, stepStruct, measuredSteps, pool, out)));
  }

  /** Sets the properties of a tier (1 .. 3); the initial ones are those of a new {@link TierProfile}. */
  public Profile setTier(int tier, TierProfile tierProfile) {
    tierProfile.with(tierProfileStruct -> Native.ckpt_profile_set_tier(this, tier, tierProfileStruct));
    return (Profile) this;
  }

  /** Returns the properties of a tier (1 .. 3). */
  public TierProfile tier(int tier) {
    return TierProfile.from(struct -> Native.ckpt_profile_get_tier(this, tier, struct));
  }

  /** Sets the properties of the whole chain: a sum of {@link ProfileFlag}; initially 0. Also for a uniform chain. */
  public Profile setFlags(int flags) {
    Native.ckpt_profile_set_flags(this, flags);
    return (Profile) this;
  }

  /** Returns the flags of {@code Profile.setFlags}. */
  public int flags() {
    return whole(out -> Native.ckpt_profile_get_flags(this, out));
  }

  /** Returns the number of layers. */
  public long layerCount() {
    return number(out -> Native.ckpt_profile_get_layer_count(this, out));
  }

  /** Returns the size of the chain's input x_0 in bytes. */
  public long inputBytes() {
    return number(out -> Native.ckpt_profile_get_input_bytes(this, out));
  }

  /** Returns the profile as JSON, as docs/reference/plan.md describes it. Seconds are restored to the same bits. */
  public String toJson() {
    return Native.ckpt_profile_get_json(this);
  }

  /**
   * Computes the whole frontier of a planner in one run: returns the costs of its schedules, by increasing live bytes and
   * decreasing step seconds (if the profile has no seconds, decreasing recomputed forwards). planner: "chain", "tapes" or "graph";
   * {@link Status#NOT_FOUND} for another name. A budget selects the fastest point with reserved bytes within it (for tapes: also
   * points of chain). The smallest sufficient budget is the minimum of their reserved bytes. Every call computes the frontier
   * again; only the requested points are placed, one after another. Above 128 layers (of a graph: 40) the result has some points of
   * the frontier, all placed by each call, and a budget may find better schedules between them.
   */
  public List<FrontierPoint> frontier(String planner) {
    return values(Native.ckpt_profile_get_frontier(this, planner), FrontierPoint::of, ckpt_frontier_point::close);
  }

  /**
   * Makes the chain a graph: sets the values that a layer (0 .. layerCount-1) reads. inputs: inputs_count (&gt;= 1) different
   * values, each 0 .. layer, that its forward reads, in any order; needed: needed_count (&gt;= 0) of them that its backward reads,
   * which sets or clears the layer's flag NEEDS_INPUT. Layers without a call read as in a chain. {@link Status#OUT_OF_RANGE} for
   * another layer; {@link Status#INVALID_ARGUMENT} for other values, and duplicates; {@link Status#INVALID_STATE} for a uniform
   * chain. Planners check the whole graph. They fail with {@link Status#INVALID_ARGUMENT} if a value has no reader and is not an
   * output, or if a layer with the flag NO_INPUT_GRADIENT reads another value than 0. They also fail if a layer with the flag
   * IN_PLACE reads a value with another reader.
   */
  public Profile setInputs(long layer, long[] inputs, long... needed) {
    Native.ckpt_profile_set_inputs(this, layer, inputs, needed);
    return (Profile) this;
  }

  /**
   * Makes the chain a graph: sets the values (1 .. layerCount, different, values_count &gt;= 1 of them) that TURN passes to the
   * caller. The caller provides their gradients. Initially only the value of the last layer. {@link Status#INVALID_ARGUMENT} for
   * other values, {@link Status#INVALID_STATE} for a uniform chain.
   */
  public Profile setOutputs(long... values) {
    Native.ckpt_profile_set_outputs(this, values);
    return (Profile) this;
  }
}
