// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

/** The type of a tensor of a tree in the writer's program. */
public enum TreeForm {
  /** Array of a numeric library (NumPy), or of the language. */
  ARRAY(0),

  /** Scalar of a numeric library, without dimensions. */
  SCALAR(1),

  /** Tensor of PyTorch. */
  TORCH(2),

  /** Tensor of libckpt. */
  TENSOR(3),

  /** Torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2). */
  PARAMETER(4),

  /** A number of a newer version of the library. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final TreeForm[] KNOWN = values();
  private final int number;

  TreeForm(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, which never changes} */
  public int number() {
    return number;
  }

  static TreeForm of(int number) {
    for (TreeForm one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}
