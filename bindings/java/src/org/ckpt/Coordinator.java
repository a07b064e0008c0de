package org.ckpt;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** How the processes of one run find one another. As synchronised as its functions. */
public final class Coordinator extends CoordinatorMethods {
  Coordinator(long address) {
    super(address);
  }

  /** Rank 0 of 1: every operation returns at once. */
  public Coordinator() {
    this(number(Native::ckpt_coordinator_create_single));
  }

  /**
   * One whose operations are yours.
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
   * Gives all processes the root's bytes.
   *
   * @param data direct, as long on every process; all between position and limit
   * @param root a rank
   * @param timeout CkptTimeoutException after that
   */
  public void broadcast(ByteBuffer data, long root, Duration timeout) {
    Native.ckpt_coordinator_broadcast(this, NativeBuffers.writable(data, "data"), root, nanoseconds(timeout));
  }

  /**
   * Gives all processes the bytes of each.
   *
   * @param sent direct; all between position and limit
   * @param timeout CkptTimeoutException after that
   * @return those of all processes, in the order of ranks
   */
  public ByteBuffer allGather(ByteBuffer sent, Duration timeout) {
    ByteBuffer given = NativeBuffers.argument(sent, "sent");
    ByteBuffer received = ByteBuffer.allocateDirect(Math.toIntExact(given.capacity() * worldSize()));
    Native.ckpt_coordinator_all_gather(this, given, nanoseconds(timeout), received);
    return received;
  }

  /**
   * Gives the root the bytes of each.
   *
   * @param sent direct; all between position and limit
   * @param root a rank
   * @param timeout CkptTimeoutException after that
   * @return those of all processes, in the order of ranks, at the root; empty elsewhere
   */
  public Optional<ByteBuffer> gather(ByteBuffer sent, long root, Duration timeout) {
    ByteBuffer given = NativeBuffers.argument(sent, "sent");
    boolean receives = rank() == root;
    ByteBuffer received = ByteBuffer.allocateDirect(receives ? Math.toIntExact(given.capacity() * worldSize()) : 0);
    Native.ckpt_coordinator_gather(this, given, root, nanoseconds(timeout), received);
    return receives ? Optional.of(received) : Optional.empty();
  }
}
