package org.ckpt;

import java.util.Arrays;
import java.util.Objects;

/**
 * The type and shape of a tensor.
 *
 * @param dtype of its elements
 * @param shape lengths of its dimensions, at most 8; not to be changed
 */
public record TensorSpec(DType dtype, long... shape) {
  /** {@return the number of elements of such a tensor: the product of the lengths} */
  public long elements() {
    return Arrays.stream(Objects.requireNonNull(shape, "shape")).reduce(1, Math::multiplyExact);
  }

  /** {@return the bytes of all elements of such a tensor} */
  public long bytes() {
    return Math.multiplyExact(elements(), dtype.bits()) / 8;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorSpec spec && spec.dtype == dtype && Arrays.equals(spec.shape, shape);
  }

  @Override
  public int hashCode() {
    return 31 * dtype.hashCode() + Arrays.hashCode(shape);
  }

  @Override
  public String toString() {
    return dtype + Arrays.toString(shape);
  }

  /** Returns the number of the dtype, then the lengths: the form of specs for the native code. */
  long[] numbers() {
    long[] numbers = new long[shape.length + 1];
    numbers[0] = dtype.number();
    System.arraycopy(shape, 0, numbers, 1, shape.length);
    return numbers;
  }

  static TensorSpec of(long[] numbers) {
    return new TensorSpec(DType.of((int) numbers[0]), Arrays.copyOfRange(numbers, 1, numbers.length));
  }

  /** Creates it from a struct, in which the array of lengths may be longer. */
  static TensorSpec of(int dtype, int ndim, long[] lengths) {
    return new TensorSpec(DType.of(dtype), Arrays.copyOf(lengths, ndim));
  }
}
