package org.ckpt;

import java.nio.ByteBuffer;

/** One layer, to be added to a chain. */
public final class Layer extends NativeObject {
  private Layer(Into<long[]> create) {
    super(number(create), Native::ckpt_layer_release);
  }

  /**
   * y = x W + b, with parameters "weight" and "bias".
   *
   * @param name of the layer
   * @param inputs columns of x
   * @param outputs columns of y
   * @param dtype F32 or F64
   * @return the layer
   */
  public static Layer linear(String name, long inputs, long outputs, DType dtype) {
    return new Layer(out -> Native.ckpt_layer_create_linear(name, inputs, outputs, dtype.number(), out));
  }

  /**
   * max(x, 0).
   *
   * @param name of the layer
   * @return the layer
   */
  public static Layer relu(String name) {
    return new Layer(out -> Native.ckpt_layer_create_relu(name, out));
  }

  /**
   * GELU in the tanh form.
   *
   * @param name of the layer
   * @return the layer
   */
  public static Layer gelu(String name) {
    return new Layer(out -> Native.ckpt_layer_create_gelu(name, out));
  }

  /**
   * Looks tokens up in a table and puts a sample's vectors one behind another. A chain's first layer.
   *
   * @param name of the layer
   * @param vocabulary tokens are below it
   * @param context tokens of a sample
   * @param width elements of a token's vector
   * @param dtype F32 or F64
   * @return the layer
   */
  public static Layer embedding(String name, long vocabulary, long context, long width, DType dtype) {
    return new Layer(out -> Native.ckpt_layer_create_embedding(name, vocabulary, context, width, dtype.number(), out));
  }

  /**
   * Sets elements to 0 at random, the same ones whenever a step is computed again.
   *
   * @param name of the layer
   * @param probability 0 .. 1, 1 itself excluded
   * @return the layer
   */
  public static Layer dropout(String name, double probability) {
    return new Layer(out -> Native.ckpt_layer_create_dropout(name, probability, out));
  }

  /**
   * The mean over the samples of -log softmax(x)[target].
   *
   * @param name of the layer
   * @return the layer
   */
  public static Layer softmaxCrossEntropy(String name) {
    return new Layer(out -> Native.ckpt_layer_create_softmax_cross_entropy(name, out));
  }

  /**
   * A layer that calls you.
   *
   * @param name of the layer
   * @param layer pinned as long as the library needs it
   * @return the layer
   */
  public static Layer custom(String name, CustomLayer layer) {
    return new Layer(
        out -> Native.ckpt_layer_create_custom(
            name, layer.flags(), layer.options(), layer.ambientBytes(), new Functions(layer).pinned(), out));
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
      layer.forward(LayerContext.of(new NumberReader(context)), input, output, tape, workspace);
    }

    @Override
    public void backward(
        long[] context, ByteBuffer input, ByteBuffer output, ByteBuffer tape, ByteBuffer grad_output, ByteBuffer grad_input,
        ByteBuffer workspace) {
      layer.backward(LayerContext.of(new NumberReader(context)), input, output, tape, grad_output, grad_input, workspace);
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
