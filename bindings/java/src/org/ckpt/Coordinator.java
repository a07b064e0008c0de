package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Connects the processes of one run. As thread-safe as its functions. */
public final class Coordinator extends CoordinatorMethods {
  Coordinator(long address) {
    super(address);
  }

  /** Creates a coordinator with one rank: every operation returns immediately. */
  public Coordinator() {
    this(number(Native::ckpt_coordinator_create_single));
  }

  /**
   * Creates a coordinator with custom operations.
   *
   * @param rank of this process
   * @param worldSize number of processes
   * @param functions pinned as long as the library needs them
   * @return the coordinator
   */
  public static Coordinator custom(long rank, long worldSize, CustomCoordinator functions) {
    return new Coordinator(
        number(out -> Native.ckpt_coordinator_create_custom(rank, worldSize,
            new CustomCoordinatorFunctions(Objects.requireNonNull(functions, "functions")).pinned(),
            overrides(functions, CustomCoordinator.class, "gather") ? 1 : 0, out)));
  }

  /**
   * Copies the root's bytes to all processes.
   *
   * @param data direct, of equal length on every process; the bytes between position and limit
   * @param root a rank
   * @param timeout time after which CkptTimeoutException is thrown
   */
  public void broadcast(ByteBuffer data, long root, Duration timeout) {
    Native.ckpt_coordinator_broadcast(this, NativeBuffers.writable(data, "data"), root, nanoseconds(timeout));
  }

  /**
   * Collects the bytes of each process on all processes.
   *
   * @param sent direct; the bytes between position and limit
   * @param timeout time after which CkptTimeoutException is thrown
   * @return the bytes of all processes, in rank order
   */
  public ByteBuffer allGather(ByteBuffer sent, Duration timeout) {
    ByteBuffer given = NativeBuffers.argument(sent, "sent");
    ByteBuffer received = ByteBuffer.allocateDirect(Math.toIntExact(given.capacity() * worldSize()));
    Native.ckpt_coordinator_all_gather(this, given, nanoseconds(timeout), received);
    return received;
  }

  /**
   * Collects the bytes of each process at the root.
   *
   * @param sent direct; the bytes between position and limit
   * @param root a rank
   * @param timeout time after which CkptTimeoutException is thrown
   * @return the bytes of all processes, in rank order, at the root; empty elsewhere
   */
  public Optional<ByteBuffer> gather(ByteBuffer sent, long root, Duration timeout) {
    ByteBuffer given = NativeBuffers.argument(sent, "sent");
    boolean receives = rank() == root;
    ByteBuffer received = ByteBuffer.allocateDirect(receives ? Math.toIntExact(given.capacity() * worldSize()) : 0);
    Native.ckpt_coordinator_gather(this, given, root, nanoseconds(timeout), received);
    return receives ? Optional.of(received) : Optional.empty();
  }
}
