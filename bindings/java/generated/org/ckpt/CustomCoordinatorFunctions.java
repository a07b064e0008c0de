// Generated from include/ckpt by tools/api: do not edit.
package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Forwards the library's calls to a {@link CustomCoordinator}. */
final class CustomCoordinatorFunctions extends NativeCoordinatorFunctions {
  private final CustomCoordinator functions;

  CustomCoordinatorFunctions(CustomCoordinator functions) {
    this.functions = functions;
  }

  @Override
  public void barrier(long timeout) {
    functions.barrier(Duration.ofNanos(timeout));
  }

  @Override
  public void broadcast(ByteBuffer data, long root, long timeout) {
    functions.broadcast(NativeBuffers.orEmpty(data), root, Duration.ofNanos(timeout));
  }

  @Override
  public void all_gather(ByteBuffer sent, ByteBuffer received, long timeout) {
    functions.allGather(NativeBuffers.orEmpty(sent), NativeBuffers.orEmpty(received), Duration.ofNanos(timeout));
  }

  @Override
  public void gather(ByteBuffer sent, ByteBuffer received, long root, long timeout) {
    functions.gather(NativeBuffers.orEmpty(sent), NativeBuffers.orEmpty(received), root, Duration.ofNanos(timeout));
  }
}
