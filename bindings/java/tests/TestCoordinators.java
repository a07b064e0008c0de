import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.ckpt.*;

/** Custom coordinators: the ranks are threads of this process. */
final class TestCoordinators {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** A group of ranks. Holds the bytes that each rank sends until all ranks have read them. */
  static final class RankGroup {
    final CyclicBarrier barrier;
    final byte[][] sent;
    final AtomicInteger allGathers = new AtomicInteger();
    final AtomicInteger gathers = new AtomicInteger();

    RankGroup(int ranks) {
      barrier = new CyclicBarrier(ranks);
      sent = new byte[ranks][];
    }

    void await(Duration timeout) {
      try {
        barrier.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | BrokenBarrierException late) {
        throw new CkptTimeoutException("a rank did not come");
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }
  }

  static class Rank implements CustomCoordinator {
    final RankGroup rankGroup;
    final int rank;

    Rank(RankGroup rankGroup, int rank) {
      this.rankGroup = rankGroup;
      this.rank = rank;
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return bytes;
    }

    void exchange(ByteBuffer sent, ByteBuffer received, Duration timeout) {
      rankGroup.sent[rank] = bytesOf(sent);
      rankGroup.await(timeout);
      if (received != null) {
        for (byte[] bytes : rankGroup.sent) received.put(bytes);
      }
      rankGroup.await(timeout);
    }

    @Override
    public void barrier(Duration timeout) {
      rankGroup.await(timeout);
    }

    @Override
    public void broadcast(ByteBuffer data, long root, Duration timeout) {
      rankGroup.sent[rank] = bytesOf(data);
      rankGroup.await(timeout);
      data.put(rankGroup.sent[(int) root]);
      rankGroup.await(timeout);
    }

    @Override
    public void allGather(ByteBuffer sent, ByteBuffer received, Duration timeout) {
      rankGroup.allGathers.incrementAndGet();
      exchange(sent, received, timeout);
    }
  }

  static final class GatheringRank extends Rank {
    GatheringRank(RankGroup rankGroup, int rank) {
      super(rankGroup, rank);
    }

    @Override
    public void gather(ByteBuffer sent, ByteBuffer received, long root, Duration timeout) {
      rankGroup.gathers.incrementAndGet();
      Check.equal(rank == root ? sent.remaining() * rankGroup.sent.length : 0, received.remaining());
      exchange(sent, rank == root ? received : null, timeout);
    }
  }

  /** Returns two bytes that only this rank sends. */
  private static ByteBuffer own(int rank) {
    return ByteBuffer.allocateDirect(2).put(new byte[] {(byte) rank, (byte) (rank + 100)}).flip();
  }

  private static void checkAll(ByteBuffer received, int ranks) {
    Check.equal(2 * ranks, received.capacity());
    for (int rank = 0; rank < ranks; ++rank) {
      Check.equal((byte) rank, received.get(2 * rank));
      Check.equal((byte) (rank + 100), received.get(2 * rank + 1));
    }
  }

  private static void collectives(Coordinator coordinator, int rank, int ranks) {
    Check.equal((long) rank, coordinator.rank());
    Check.equal((long) ranks, coordinator.worldSize());
    coordinator.barrier(MINUTE);
    checkAll(coordinator.allGather(own(rank), MINUTE), ranks);
    for (int root = 0; root < ranks; ++root) {
      ByteBuffer data = own(rank);
      coordinator.broadcast(data, root, MINUTE);
      Check.equal((byte) root, data.get(0));
      Optional<ByteBuffer> gathered = coordinator.gather(own(rank), root, MINUTE);
      Check.equal(rank == root, gathered.isPresent());
      gathered.ifPresent(all -> checkAll(all, ranks));
    }
    Check.raises(CkptInvalidArgumentException.class, "root is " + ranks, () -> coordinator.gather(own(rank), ranks, MINUTE));
  }

  /** Each rank was stalled for a different time: the longest is the cost of the save. */
  private static void decide(Coordinator coordinator, int rank, int ranks) {
    try (Controller controller = new Controller(new ControllerOptions().policy(Policy.FIXED).intervalSeconds(100))) {
      controller.beginRun(0);
      controller.begin(100);
      controller.commit(110, 1 + rank, 9);
      Check.equal((double) ranks, controller.decideAll(coordinator, 120, MINUTE).costSeconds());
      Check.equal(rank == 0 ? (double) ranks : 1.0 + rank, controller.info().costSeconds());
    }
  }

  private static Void work(RankGroup rankGroup, int rank, int ranks, boolean gathers) {
    CustomCoordinator functions = gathers ? new GatheringRank(rankGroup, rank) : new Rank(rankGroup, rank);
    try (Coordinator coordinator = Coordinator.custom(rank, ranks, functions)) {
      collectives(coordinator, rank, ranks);
      decide(coordinator, rank, ranks);
      if (rank > 0) { // rank 0 does not call it
        Duration soon = Duration.ofMillis(1);
        Check.raises(CkptTimeoutException.class, "a rank did not come", () -> coordinator.gather(own(rank), 0, soon));
      }
    }
    return null;
  }

  private static void testRanks(int ranks, boolean gathers) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(ranks);
    try {
      RankGroup rankGroup = new RankGroup(ranks);
      List<Callable<Void>> bodies = new ArrayList<>();
      for (int rank = 0; rank < ranks; ++rank) {
        int number = rank;
        bodies.add(() -> work(rankGroup, number, ranks, gathers));
      }
      for (Future<Void> end : threads.invokeAll(bodies)) end.get();
      int calls = ranks * (ranks + 1) + ranks - 1; // for each root, of the decision, and the one without rank 0
      Check.equal(gathers ? calls : 0, rankGroup.gathers.get());
      Check.equal(2 * ranks + (gathers ? 0 : calls), rankGroup.allGathers.get()); // of the test and of the decision
    } finally {
      threads.shutdownNow();
    }
  }

  static void testThreadsAsRanksWithACustomGather() throws Exception {
    for (int ranks = 2; ranks <= 4; ++ranks) testRanks(ranks, true);
  }

  static void testThreadsAsRanksWithoutAGather() throws Exception {
    for (int ranks = 2; ranks <= 4; ++ranks) testRanks(ranks, false);
  }

  static void testGatherOfOneRank() {
    try (Coordinator single = new Coordinator()) {
      checkAll(single.gather(own(0), 0, MINUTE).get(), 1);
      Check.raises(CkptInvalidArgumentException.class, "heap", () -> single.gather(ByteBuffer.allocate(2), 0, MINUTE));
    }
  }

  public static void main(String[] arguments) {
    Check.run(TestCoordinators.class);
  }
}
