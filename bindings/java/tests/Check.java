import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;

/** Assertions of tests, and their runner: runs every static method without parameters and with a name that begins with "test". */
final class Check {
  private Check() {}

  interface Body {
    void run() throws Exception;
  }

  static void that(boolean truth, String what) {
    if (!truth) throw new AssertionError(what);
  }

  static void equal(Object expected, Object actual) {
    if (!Objects.deepEquals(expected, actual)) throw new AssertionError("expected " + shown(expected) + ", got " + shown(actual));
  }

  private static String shown(Object value) {
    return value instanceof long[] numbers ? Arrays.toString(numbers) : String.valueOf(value);
  }

  /** Checks that a call throws an exception with a message that contains a text, and returns it. */
  static <E extends Throwable> E raises(Class<E> kind, String text, Body body) {
    try {
      body.run();
    } catch (Throwable thrown) {
      if (!kind.isInstance(thrown)) throw new AssertionError("expected a " + kind.getSimpleName() + ", got " + thrown, thrown);
      that(String.valueOf(thrown.getMessage()).contains(text), "'" + text + "' is not in '" + thrown.getMessage() + "'");
      return kind.cast(thrown);
    }
    throw new AssertionError("expected a " + kind.getSimpleName());
  }

  /** Collects garbage until the condition holds. */
  static void collected(String what, java.util.function.BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 200; ++i) {
      if (condition.getAsBoolean()) return;
      System.gc();
      Thread.sleep(10);
    }
    throw new AssertionError(what);
  }

  static void run(Class<?> tests) {
    int failed = 0;
    int count = 0;
    Method[] methods = tests.getDeclaredMethods();
    Arrays.sort(methods, Comparator.comparing(Method::getName));
    for (Method method : methods) {
      if (!Modifier.isStatic(method.getModifiers()) || !method.getName().startsWith("test") || method.getParameterCount() != 0) {
        continue;
      }
      ++count;
      try {
        method.setAccessible(true);
        method.invoke(null);
        System.out.println("ok " + method.getName());
      } catch (InvocationTargetException failure) {
        ++failed;
        System.out.println("FAILED " + method.getName());
        failure.getCause().printStackTrace(System.out);
      } catch (ReflectiveOperationException impossible) {
        throw new AssertionError(impossible);
      }
    }
    System.out.println(count - failed + " of " + count + " passed");
    if (failed > 0 || count == 0) System.exit(1);
  }
}
