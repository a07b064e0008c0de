package org.ckpt;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** Direct buffers on their way to and from the library. */
final class NativeBuffers {
  private NativeBuffers() {}

  /** What a callback gets; null where there is nothing. */
  static ByteBuffer lent(ByteBuffer buffer) {
    return buffer == null ? null : buffer.order(ByteOrder.nativeOrder());
  }

  /** What a callback gets where it need not look for null. */
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

  /** The bytes between position and limit, for the native code, which looks at the whole buffer it gets. */
  static ByteBuffer argument(ByteBuffer buffer, String what) {
    return direct(buffer, what).slice();
  }

  static ByteBuffer writable(ByteBuffer buffer, String what) {
    if (direct(buffer, what).isReadOnly()) throw new CkptInvalidArgumentException(what + " is a read-only buffer, and would be written");
    return argument(buffer, what);
  }
}
