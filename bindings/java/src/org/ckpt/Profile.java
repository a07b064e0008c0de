package org.ckpt;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** The costs of a chain, for planning. Create it with {@link #of}, or layer by layer. */
public final class Profile extends ProfileMethods {
  Profile(Into<long[]> create) {
    super(number(create));
  }

  /**
   * Creates a profile without layers.
   *
   * @param inputBytes bytes of the chain's input
   */
  public Profile(long inputBytes) {
    this(out -> Native.ckpt_profile_create(inputBytes, out));
  }

  /**
   * Returns the profile of a chain.
   *
   * @param chain not changed
   * @param input type and shape of the chain's input
   * @param measuredSteps number of runs that time the layers; 0: bytes only
   * @param pool null: a pool of Ckpt.availableThreads()
   * @return the profile
   */
  public static Profile of(Chain chain, TensorSpec input, int measuredSteps, WorkerPool pool) {
    return created(out -> Native.ckpt_profile_create_from_chain(chain, input.numbers(), measuredSteps, pool, out));
  }

  /**
   * Appends a layer.
   *
   * @param name not blank
   * @param layer the layer's properties
   * @param options the ways to run the layer, at least one
   * @return this
   */
  public Profile addLayer(String name, LayerProfile layer, OptionProfile... options) {
    layer.with(struct -> Native.ckpt_profile_add_layer(this, name, struct));
    for (OptionProfile option : Objects.requireNonNull(options, "options")) option.with(struct -> Native.ckpt_profile_add_option(this, struct));
    return this;
  }

  /**
   * Returns one layer.
   *
   * @param layer 0 .. layerCount-1
   * @return the layer's properties
   */
  public LayerProfile layer(long layer) {
    return LayerProfile.from(struct -> Native.ckpt_profile_get_layer(this, layer, struct, null, null));
  }

  /**
   * Returns the name of a layer.
   *
   * @param layer 0 .. layerCount-1
   * @return the name, not blank
   */
  public String layerName(long layer) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      return text(out -> Native.ckpt_profile_get_layer(this, layer, struct, out, null));
    }
  }

  /**
   * Returns the ways to run a layer.
   *
   * @param layer 0 .. layerCount-1
   * @return the options, at least one
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
