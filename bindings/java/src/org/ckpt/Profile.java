package org.ckpt;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** What planning must know of a chain. {@link #of} makes one; or build it layer by layer. */
public final class Profile extends ProfileMethods {
  private Profile(Into<long[]> create) {
    super(number(create), Native::ckpt_profile_release);
  }

  static Profile made(Into<long[]> create) {
    return new Profile(create);
  }

  /**
   * A profile without layers.
   *
   * @param inputBytes of the chain's input
   */
  public Profile(long inputBytes) {
    this(out -> Native.ckpt_profile_create(inputBytes, out));
  }

  /**
   * A chain of like layers, the steps of a time-stepping code: as little memory for 10^9 as for one.
   *
   * @param layerCount at least 1
   * @param layer what is known of each
   * @param option the one way to run it
   * @return the profile
   */
  public static Profile uniform(long layerCount, LayerProfile layer, OptionProfile option) {
    return made(out -> layer.with(like -> option.with(way -> Native.ckpt_profile_create_uniform(layerCount, like, way, out))));
  }

  /**
   * Of a chain.
   *
   * @param chain is not changed
   * @param input type and shape of what goes in
   * @param measuredSteps runs that time the layers; 0: bytes only
   * @param pool null: a pool of Ckpt.availableThreads()
   * @return the profile
   */
  public static Profile of(Chain chain, TensorSpec input, int measuredSteps, WorkerPool pool) {
    return made(out -> Native.ckpt_profile_create_from_chain(chain, input.numbers(), measuredSteps, pool, out));
  }

  /**
   * Of a chain whose layers are timed where they run, in steps of the whole chain. Takes the memory of storing everything.
   *
   * @param chain takes no further layers
   * @param step its data
   * @param measuredSteps 1 .. 32
   * @param pool null: a pool of Ckpt.availableThreads()
   * @return the profile
   */
  public static Profile measured(Chain chain, Step step, int measuredSteps, WorkerPool pool) {
    return made(out -> step.with(struct -> Native.ckpt_profile_create_measured(chain, struct, measuredSteps, pool, out)));
  }

  /**
   * What {@link #toJson} wrote.
   *
   * @param json CorruptException for another text
   * @return the profile
   */
  public static Profile fromJson(String json) {
    return made(out -> Native.ckpt_profile_create_from_json(json, out));
  }

  /**
   * The profile as docs/plan.md describes it.
   *
   * @return JSON, whose seconds read back to the same bits
   */
  public String toJson() {
    return Native.ckpt_profile_get_json(this);
  }

  /**
   * Appends a layer.
   *
   * @param name not blank
   * @param layer what is known of it
   * @param options ways to run it, at least one
   * @return this
   */
  public Profile addLayer(String name, LayerProfile layer, OptionProfile... options) {
    layer.with(struct -> Native.ckpt_profile_add_layer(this, name, struct));
    for (OptionProfile option : Objects.requireNonNull(options, "options")) option.with(struct -> Native.ckpt_profile_add_option(this, struct));
    return this;
  }

  /**
   * Says what a tier, a place that is slower than memory, can do.
   *
   * @param tier 1 .. 3
   * @param profile what it can do
   * @return this
   */
  public Profile setTier(int tier, TierProfile profile) {
    profile.with(struct -> Native.ckpt_profile_set_tier(this, tier, struct));
    return this;
  }

  /**
   * Says what holds for the whole chain.
   *
   * @param flags a sum of {@link ProfileFlag}
   * @return this
   */
  public Profile setFlags(int flags) {
    Native.ckpt_profile_set_flags(this, flags);
    return this;
  }

  /**
   * One layer.
   *
   * @param layer 0 .. layerCount-1
   * @return what is known of it
   */
  public LayerProfile layer(long layer) {
    return LayerProfile.from(struct -> Native.ckpt_profile_get_layer(this, layer, struct, null, null));
  }

  /**
   * The name of a layer.
   *
   * @param layer 0 .. layerCount-1
   * @return not blank
   */
  public String layerName(long layer) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      return text(out -> Native.ckpt_profile_get_layer(this, layer, struct, out, null));
    }
  }

  /**
   * The ways to run a layer.
   *
   * @param layer 0 .. layerCount-1
   * @return at least one
   */
  public List<OptionProfile> options(long layer) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      int count = whole(out -> Native.ckpt_profile_get_layer(this, layer, struct, null, out));
      return IntStream.range(0, count).mapToObj(option -> option(layer, option)).toList();
    }
  }

  private OptionProfile option(long layer, int option) {
    return OptionProfile.from(struct -> Native.ckpt_profile_get_option(this, layer, option, struct));
  }
}
