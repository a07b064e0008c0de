package org.ckpt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Objects of a custom storage by the numbers that the library uses for them, and calls that may throw an IOException. */
final class Items<T> {
  private final Map<Long, T> items = new ConcurrentHashMap<>();
  private final AtomicLong last = new AtomicLong();

  interface Call<R> {
    R run() throws IOException;
  }

  interface Action {
    void run() throws IOException;
  }

  static <R> R asked(Call<R> call) {
    try {
      return call.run();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  static void done(Action action) {
    asked(() -> {
          action.run();
          return null;
        });
  }

  long put(Call<T> make) {
    T created = Objects.requireNonNull(asked(make));
    long number = last.incrementAndGet();
    items.put(number, created);
    return number;
  }

  T get(long number) {
    return items.get(number);
  }

  T take(long number) {
    return items.remove(number);
  }
}
