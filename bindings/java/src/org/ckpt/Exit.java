package org.ckpt;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Shutdown of the virtual machine. Objects with threads that call back are closed, each as it was configured. The native code calls
 * no Java once the process itself exits (java_support.hpp).
 */
final class Exit {
  /** Limits the wait for a callback that never ends. */
  private static final long MAX_WAIT_MILLIS = 60_000;

  private static final Set<AutoCloseable> OWNERS = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private Exit() {}

  static void prepare() {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Exit::run, "ckpt-exit"));
    } catch (IllegalStateException goingDown) {
      // First used by another shutdown hook.
    }
  }

  /** Closes the object when the virtual machine shuts down. */
  static void closeAtShutdown(AutoCloseable owner) {
    OWNERS.add(owner);
  }

  private static void run() {
    if (calledInsideCallback()) return;
    Thread closing = new Thread(Exit::closeAll, "ckpt-exit-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(MAX_WAIT_MILLIS);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns whether a callback called System.exit. Its thread waits for the shutdown hooks, so waiting for it would deadlock. Its
   * call is left incomplete, as after a crash.
   */
  private static boolean calledInsideCallback() {
    for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
      boolean exits = false;
      for (StackTraceElement frame : stack) {
        exits |= frame.getClassName().equals("java.lang.Runtime") && frame.getMethodName().equals("exit");
        boolean callback = frame.getClassName().equals(NativeJNI.class.getName())
            && frame.getMethodName().startsWith("SwigDirector_");
        if (exits && callback) return true;
      }
    }
    return false;
  }

  private static void closeAll() {
    AutoCloseable[] owners;
    synchronized (OWNERS) {
      owners = OWNERS.toArray(new AutoCloseable[0]);
    }
    for (AutoCloseable owner : owners) {
      try {
        if (owner instanceof AsyncManager manager) {
          manager.closeAtExit();
        } else {
          owner.close();
        }
      } catch (Exception error) {
        System.getLogger("org.ckpt").log(System.Logger.Level.ERROR, "closing at exit", error);
      }
    }
  }
}
