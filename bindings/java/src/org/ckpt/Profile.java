package org.ckpt;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** What planning must know of a chain. {@link #of} makes one; or build it layer by layer. */
public final class Profile extends ProfileMethods {
  Profile(Into<long[]> create) {
    super(number(create));
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
