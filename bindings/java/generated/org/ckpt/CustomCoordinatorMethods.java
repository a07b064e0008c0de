// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;

/** The functions of {@link CustomCoordinator}. */
interface CustomCoordinatorMethods {
  /** Returns when every process has called it; {@link Status#TIMEOUT} when not all came within timeout. */
  void barrier(Duration timeout);

  /**
   * Sends root's bytes to all processes: data is read there and written elsewhere. {@link Status#TIMEOUT} when not all came within
   * timeout.
   */
  void broadcast(ByteBuffer data, long root, Duration timeout);

  /**
   * Sends bytes of every process to all: received holds worldSize times as many, in the order of ranks. {@link Status#TIMEOUT} when
   * not all came within timeout.
   */
  void allGather(ByteBuffer sent, ByteBuffer received, Duration timeout);
}
