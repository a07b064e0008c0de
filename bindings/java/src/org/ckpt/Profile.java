package org.ckpt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What planning must know of a chain. {@link Chain#profile} makes one; or build it layer by layer. */
public final class Profile extends NativeObject {
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
   * Appends a layer.
   *
   * @param layer with its options
   * @return this
   */
  public Profile add(LayerProfile layer) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      struct.setFlags(layer.flags());
      struct.setOutput_bytes(layer.outputBytes());
      struct.setAmbient_bytes(layer.ambientBytes());
      if (layer.output() != null) {
        struct.setDtype(layer.output().dtype().number());
        struct.setNdim(layer.output().shape().length);
        struct.setShape(layer.output().shape());
      }
      Native.ckpt_profile_add_layer(this, layer.name(), struct);
    }
    for (OptionProfile option : layer.options()) {
      try (ckpt_option_profile struct = new ckpt_option_profile()) {
        struct.setTape_bytes(option.tapeBytes());
        struct.setForward_workspace_bytes(option.forwardWorkspaceBytes());
        struct.setBackward_workspace_bytes(option.backwardWorkspaceBytes());
        struct.setForward_seconds(option.forwardSeconds());
        struct.setBackward_seconds(option.backwardSeconds());
        Native.ckpt_profile_add_option(this, struct);
      }
    }
    return this;
  }

  /**
   * The number of layers.
   *
   * @return at least 0
   */
  public long layers() {
    return number(out -> Native.ckpt_profile_get_layer_count(this, out));
  }

  /**
   * Bytes of the chain's input.
   *
   * @return at least 0
   */
  public long inputBytes() {
    return number(out -> Native.ckpt_profile_get_input_bytes(this, out));
  }

  /**
   * One layer.
   *
   * @param index 0 .. layers-1
   * @return with all its options
   */
  public LayerProfile layer(long index) {
    try (ckpt_layer_profile struct = new ckpt_layer_profile()) {
      int[] options = new int[1];
      String name = text(out -> Native.ckpt_profile_get_layer(this, index, struct, out, options));
      long[] shape = Arrays.copyOf(struct.getShape(), struct.getNdim());
      TensorSpec output = struct.getDtype() == 0 ? null : new TensorSpec(DType.of(struct.getDtype()), shape);
      List<OptionProfile> profiles = new ArrayList<>();
      for (int option = 0; option < options[0]; ++option) profiles.add(option(index, option));
      return new LayerProfile(
          name, struct.getFlags(), struct.getOutput_bytes(), struct.getAmbient_bytes(), output, List.copyOf(profiles));
    }
  }

  private OptionProfile option(long layer, int option) {
    try (ckpt_option_profile struct = new ckpt_option_profile()) {
      Native.ckpt_profile_get_option(this, layer, option, struct);
      return OptionProfile.of(struct);
    }
  }
}
