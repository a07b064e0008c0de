package org.ckpt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

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

  static <T> List<T> list(long[] numbers, Function<NumberReader, T> of) {
    NumberReader in = new NumberReader(numbers);
    List<T> created = new ArrayList<>();
    while (in.more()) created.add(of.apply(in));
    return List.copyOf(created);
  }

  long next() {
    return numbers[at++];
  }

  /** Reads the number of values, then those of {@link TensorSpec#of(long[])}. */
  TensorSpec spec() {
    int count = (int) next();
    at += count;
    return TensorSpec.of(Arrays.copyOfRange(numbers, at - count, at));
  }
}
