package org.ckpt;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The end of the virtual machine. Objects with threads that call back are closed, each as it was configured. The native code calls
 * no Java any more once the process itself ends (java_support.hpp).
 */
final class Exit {
  /** A callback that never ends would be waited for in vain. */
  private static final long LONGEST_MILLIS = 60_000;

  private static final Set<AutoCloseable> OWNERS = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private Exit() {}

  static void prepare() {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Exit::run, "ckpt-exit"));
    } catch (IllegalStateException goingDown) {
      // First used by another shutdown hook.
    }
  }

  /** The object is closed when the machine goes down. */
  static void closes(AutoCloseable owner) {
    OWNERS.add(owner);
  }

  private static void run() {
    if (calledInsideCallback()) return;
    Thread closing = new Thread(Exit::closeAll, "ckpt-exit-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(LONGEST_MILLIS);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Whether a callback called System.exit: its thread waits for this one, so that waiting for it would never end. What it was
   * inside is left as it is, as by a crash.
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
