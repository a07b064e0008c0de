package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Joins the processes of one run, for {@link Coordinator#custom}. Methods throw {@link CkptTimeoutException} when not all processes
 * came in time. Buffers are direct and valid during the call only.
 */
public interface CustomCoordinator extends CustomCoordinatorMethods {
  /**
   * Gives one process the bytes of each. Without one of its own a coordinator takes {@link #allGather}, with the bytes of all in
   * memory everywhere.
   *
   * @param sent of this process
   * @param received at the root those of all processes, in the order of ranks; elsewhere empty
   * @param root a rank
   * @param timeout at most so long
   */
  default void gather(ByteBuffer sent, ByteBuffer received, long root, Duration timeout) {
    throw new UnsupportedOperationException("gather");
  }
}
