// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;

/** The functions of {@link CustomCoordinator}. */
interface CustomCoordinatorMethods {
  /** Waits until every process has called it. {@link Status#TIMEOUT} if not all have called it within timeout. */
  void barrier(Duration timeout);

  /**
   * Sends root's bytes to all processes: data is read on root and written on the others. {@link Status#TIMEOUT} if not all have
   * called it within timeout.
   */
  void broadcast(ByteBuffer data, long root, Duration timeout);

  /**
   * Sends the bytes of every process to all: received holds worldSize * bytes bytes, in the order of ranks. {@link Status#TIMEOUT}
   * if not all have called it within timeout.
   */
  void allGather(ByteBuffer sent, ByteBuffer received, Duration timeout);
}
