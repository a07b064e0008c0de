package org.ckpt;

import java.util.Arrays;

/** Reads values that the native code passes as an array of numbers. */
final class NumberReader {
  private final long[] numbers;
  private int at;

  NumberReader(long[] numbers) {
    this.numbers = numbers;
  }

  boolean more() {
    return at < numbers.length;
  }

  long next() {
    return numbers[at++];
  }

  /** How many numbers, then those that {@link TensorSpec#of(long[])} takes. */
  TensorSpec spec() {
    int count = (int) next();
    at += count;
    return TensorSpec.of(Arrays.copyOfRange(numbers, at - count, at));
  }
}
