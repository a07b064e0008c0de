package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Connects the processes of one run, for {@link Coordinator#custom}. Methods throw {@link CkptTimeoutException} when not all
 * processes call them in time. Buffers are direct and valid during the call only.
 */
public interface CustomCoordinator extends CustomCoordinatorMethods {
  /**
   * Collects the bytes of each process at the root. By default the library uses {@link #allGather}, which needs memory for the
   * bytes of all on every process.
   *
   * @param sent of this process
   * @param received at the root: filled with the bytes of all processes, in rank order; elsewhere empty
   * @param root a rank
   * @param timeout time limit
   */
  default void gather(ByteBuffer sent, ByteBuffer received, long root, Duration timeout) {
    throw new UnsupportedOperationException("gather");
  }
}
