package org.ckpt;

import java.util.ArrayList;
import java.util.List;

/** A sequence of layers. Use from one thread at a time. */
public final class Chain extends ChainMethods {
  /** Creates a chain without layers. */
  public Chain() {
    this(0);
  }

  /**
   * Creates a chain that is a piece of a longer one.
   *
   * @param firstLayer the global number of its first layer
   */
  public Chain(long firstLayer) {
    super(number(out -> Native.ckpt_chain_create(firstLayer, out)));
  }

  /**
   * Appends layer i of a graph.
   *
   * @param layer belongs to no other chain; kept alive
   * @param inputs the values that it reads: value 0 is the input of the chain, value k+1 the output of layer k
   * @return this chain
   */
  public Chain add(Layer layer, long... inputs) {
    Native.ckpt_chain_add_with_inputs(this, layer, inputs);
    return this;
  }

  /** {@return the parameters of the built-in layers, in the order of the layers} */
  public List<Parameter> parameters() {
    List<Parameter> created = new ArrayList<>();
    long count = number(out -> Native.ckpt_chain_get_parameter_count(this, out));
    for (long i = 0; i < count; ++i) {
      long index = i;
      long[] value = new long[1];
      long[] gradient = new long[1];
      String name = text(out -> Native.ckpt_chain_get_parameter(this, index, out, value, gradient));
      created.add(new Parameter(name, Tensor.adopt(value[0]), Tensor.adopt(gradient[0])));
    }
    return List.copyOf(created);
  }
}
