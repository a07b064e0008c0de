package org.ckpt;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** Converts direct buffers for the library and its callbacks. */
final class NativeBuffers {
  private NativeBuffers() {}

  /** Returns a callback's buffer in native order; null when the library passes none. */
  static ByteBuffer lent(ByteBuffer buffer) {
    return buffer == null ? null : buffer.order(ByteOrder.nativeOrder());
  }

  /** Returns a callback's buffer, an empty one when the library passes none. */
  static ByteBuffer orEmpty(ByteBuffer buffer) {
    return buffer == null ? ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder()) : buffer;
  }

  static <B extends Buffer> B direct(B buffer, String what) {
    if (!Objects.requireNonNull(buffer, what).isDirect()) {
      throw new CkptInvalidArgumentException(
          what + " is a heap buffer: the library needs a direct one (ByteBuffer.allocateDirect), or ask for a copy");
    }
    return buffer;
  }

  /** Returns the bytes between position and limit as a buffer: the native code uses whole buffers. */
  static ByteBuffer argument(ByteBuffer buffer, String what) {
    return direct(buffer, what).slice();
  }

  static ByteBuffer writable(ByteBuffer buffer, String what) {
    if (direct(buffer, what).isReadOnly()) {
      throw new CkptInvalidArgumentException(what + ": expected a writable buffer, found a read-only one");
    }
    return argument(buffer, what);
  }
}
