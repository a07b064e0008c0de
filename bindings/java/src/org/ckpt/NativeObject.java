package org.ckpt;

import java.lang.ref.Cleaner;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An object of the library. {@link #close} releases it immediately; otherwise it is released some time after it became unreachable.
 * A closed object throws {@link CkptInvalidStateException}. Objects keep their dependencies alive, so they may be closed in any
 * order; but do not close one while another thread is inside one of its calls.
 */
public abstract class NativeObject implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  /** Read by the native code, which also keeps this object reachable during its calls. 0: closed. */
  private volatile long address;

  private final OwnedReference remains;
  private final Cleaner.Cleanable cleanable;

  /** Wraps an object that the library owns: nothing is released. */
  NativeObject(long address) {
    this.address = address;
    this.remains = null;
    this.cleanable = null;
  }

  /** Wraps one reference, which `release` ends. */
  NativeObject(long address, Consumer<NativeObject> release) {
    this.address = address;
    this.remains = new OwnedReference(address, release);
    this.cleanable = CLEANER.register(this, remains);
  }

  /** A reference; true after its release, or after the library has taken it over. */
  private static final class OwnedReference extends AtomicBoolean implements Runnable {
    private final long address;
    private final Consumer<NativeObject> release;

    OwnedReference(long address, Consumer<NativeObject> release) {
      this.address = address;
      this.release = release;
    }

    @Override
    public void run() {
      if (!getAndSet(true)) release.accept(new LentObject(address));
    }
  }

  /** Hands the reference over to the library and closes this object. */
  final LentObject handOver() {
    LentObject reference = new LentObject(address());
    if (remains.getAndSet(true)) throw closed(this);
    close();
    return reference;
  }

  /** Releases a reference when the owner becomes unreachable. */
  static void releaseWithOwner(Object owner, long address, Consumer<NativeObject> release) {
    CLEANER.register(owner, new OwnedReference(address, release));
  }

  /** Releases the object. Closing again does nothing. */
  @Override
  public void close() {
    address = 0;
    if (cleanable != null) cleanable.clean();
  }

  /** {@return whether {@link #close} was called} */
  public final boolean isClosed() {
    return address == 0;
  }

  final long address() {
    if (address == 0) throw closed(this);
    return address;
  }

  /** Called by the native code when it gets a closed object. */
  static CkptException closed(NativeObject object) {
    return new CkptInvalidStateException("the " + object.getClass().getSimpleName() + " is closed");
  }

  // ---- Calls with out-parameters ----

  interface Into<T> {
    void call(T out);
  }

  static long number(Into<long[]> call) {
    long[] out = new long[1];
    call.call(out);
    return out[0];
  }

  static int whole(Into<int[]> call) {
    int[] out = new int[1];
    call.call(out);
    return out[0];
  }

  static double real(Into<double[]> call) {
    double[] out = new double[1];
    call.call(out);
    return out[0];
  }

  static boolean truth(Into<int[]> call) {
    return whole(call) != 0;
  }

  static String text(Into<String[]> call) {
    String[] out = new String[1];
    call.call(out);
    return out[0];
  }

  /** Converts structs to values and closes them. */
  static <S, R> List<R> values(S[] structs, Function<S, R> of, Consumer<S> close) {
    List<R> created = Arrays.stream(structs).map(of).toList();
    for (S struct : structs) close.accept(struct);
    return created;
  }

  /** Returns whether the class of an object overrides a default method of an interface. */
  static boolean overrides(Object object, Class<?> type, String name) {
    try {
      for (Method method : type.getMethods()) {
        if (!method.getName().equals(name)) continue;
        Method own = object.getClass().getMethod(name, method.getParameterTypes());
        return own.getDeclaringClass() != method.getDeclaringClass();
      }
    } catch (NoSuchMethodException hidden) { // renamed by an obfuscator
      return false;
    }
    return false;
  }

  static Instant instant(long utcNs) {
    return Instant.ofEpochSecond(0, utcNs);
  }

  static Optional<Instant> instantIfAny(long utcNs) {
    return utcNs == 0 ? Optional.empty() : Optional.of(instant(utcNs));
  }

  /** Converts a timeout to nanoseconds; null waits indefinitely. */
  static long nanoseconds(Duration timeout) {
    if (timeout == null) return -1;
    if (timeout.isNegative()) throw new CkptInvalidArgumentException("timeout " + timeout + ": expected at least 0");
    try {
      return timeout.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }
}
