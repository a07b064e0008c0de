package org.ckpt;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One layer, to be added to a chain. */
public final class Layer extends NativeObject {
  private Layer(Into<long[]> create) {
    super(number(create), Native::ckpt_layer_release);
  }

  /**
   * Creates a layer from its kind and values: {@code new Layer("fc", "linear", 128, 256)} or {@code new Layer("fc",
   * "linear:128,256")}.
   *
   * @param name of the layer
   * @param kind one of those that {@link #knownKinds()} lists
   * @param values numbers or strings
   */
  public Layer(String name, String kind, Object... values) {
    this(out -> Native.ckpt_layer_create(name, kind + joined(Objects.requireNonNull(values, "values")), out));
  }

  private static String joined(Object... values) {
    return Stream.of(values).map(String::valueOf).collect(Collectors.joining(",", values.length == 0 ? "" : ":", ""));
  }

  /** {@return the kinds of layers: the form of each, what it does, and the range of each whole number} */
  public static List<String> knownKinds() {
    return List.of(Native.ckpt_layer_get_known_kinds().split("\n"));
  }

  /**
   * Creates a head that shares the weight of an embedding.
   *
   * @param name of the layer
   * @param embedding of kind token_embedding, before the head in the chain
   * @return the layer
   */
  public static Layer tiedHead(String name, Layer embedding) {
    return new Layer(out -> Native.ckpt_layer_create_tied_head(name, embedding, out));
  }

  /**
   * Creates a layer that calls a custom one.
   *
   * @param name of the layer
   * @param layer pinned as long as the library needs it
   * @return the layer
   */
  public static Layer custom(String name, CustomLayer layer) {
    return new Layer(
        out -> Native.ckpt_layer_create_custom(
            name, layer.flags(), layer.options(), layer.ambientBytes(), overrides(layer, CustomLayer.class, "record"),
            new Functions(layer).pinned(), out));
  }

  private static final class Functions extends NativeLayerFunctions {
    private final CustomLayer layer;

    Functions(CustomLayer layer) {
      this.layer = layer;
    }

    @Override
    public long[] output(long[] input) {
      return layer.output(TensorSpec.of(input)).numbers();
    }

    @Override
    public long[] option(long[] input, int option) {
      return layer.option(TensorSpec.of(input), option).numbers();
    }

    @Override
    public void forward(long[] context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer workspace) {
      with(context, given -> layer.forward(given, input, output, tape, workspace));
    }

    @Override
    public void record(long[] context, ByteBuffer input, ByteBuffer tape, ByteBuffer workspace) {
      with(context, given -> layer.record(given, input, tape, workspace));
    }

    @Override
    public void backward(
        long[] context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer grad_output, ByteBuffer grad_input,
        ByteBuffer workspace) {
      with(context, given -> layer.backward(given, input, output, tape, grad_output, grad_input, workspace));
    }

    /** Runs a call with a context that is valid during it. */
    private static void with(long[] context, Consumer<LayerContext> call) {
      LayerContext given = LayerContext.of(new NumberReader(context));
      try {
        call.accept(given);
      } finally {
        if (given.targets() != null) given.targets().close();
        if (given.pool() != null) given.pool().close();
      }
    }

    @Override
    public void save_ambient(ByteBuffer state) {
      layer.saveAmbient(state);
    }

    @Override
    public void restore_ambient(ByteBuffer state) {
      layer.restoreAmbient(state);
    }
  }
}
