using System;
using System.Linq;
using System.Threading;
using Ckpt;

// Custom coordinators: the ranks are threads of this process.
internal static class CoordinatorsTests
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    // A group of ranks. Holds the bytes that each rank sends until all ranks have read them.
    internal sealed class RankGroup
    {
        internal readonly Barrier Barrier;
        internal readonly byte[][] Sent;
        internal int AllGathers, Gathers;

        internal RankGroup(int ranks)
        {
            Barrier = new Barrier(ranks);
            Sent = new byte[ranks][];
        }

        internal void Wait(TimeSpan timeout)
        {
            if (!Barrier.SignalAndWait(timeout)) throw new CkptTimeoutException("a rank did not come");
        }
    }

    internal class Rank : CustomCoordinator
    {
        protected readonly RankGroup rankGroup;
        protected readonly int number;

        internal Rank(RankGroup where, int place)
        {
            rankGroup = where;
            number = place;
        }

        protected void Exchange(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout)
        {
            rankGroup.Sent[number] = sent.ToArray();
            rankGroup.Wait(timeout);
            for (var i = 0; i < rankGroup.Sent.Length && received.Length > 0; ++i)
                rankGroup.Sent[i].CopyTo(received.Slice(i * sent.Length));
            rankGroup.Wait(timeout);
        }

        public override void Barrier(TimeSpan timeout)
        {
            rankGroup.Wait(timeout);
        }

        public override void Broadcast(Span<byte> data, long root, TimeSpan timeout)
        {
            rankGroup.Sent[number] = data.ToArray();
            rankGroup.Wait(timeout);
            rankGroup.Sent[root].CopyTo(data);
            rankGroup.Wait(timeout);
        }

        public override void AllGather(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout)
        {
            Interlocked.Increment(ref rankGroup.AllGathers);
            Exchange(sent, received, timeout);
        }
    }

    internal sealed class GatheringRank : Rank
    {
        internal GatheringRank(RankGroup where, int place) : base(where, place)
        {
        }

        public override void Gather(ReadOnlySpan<byte> sent, Span<byte> received, long root, TimeSpan timeout)
        {
            Interlocked.Increment(ref rankGroup.Gathers);
            Check.Equal(number == root ? sent.Length * rankGroup.Sent.Length : 0, received.Length, "room");
            Exchange(sent, received, timeout);
        }
    }

    // Returns two bytes that only this rank sends.
    private static byte[] Own(int rank)
    {
        return new[] { (byte)rank, (byte)(rank + 100) };
    }

    private static void CheckAll(byte[] received, int ranks)
    {
        Check.That(received.SequenceEqual(Enumerable.Range(0, ranks).SelectMany(Own)), "everyone's bytes in the order of ranks");
    }

    private static void Collectives(Coordinator coordinator, int rank, int ranks)
    {
        Check.That(coordinator.Rank == rank && coordinator.WorldSize == ranks, "place");
        coordinator.Barrier(Minute);
        var all = new byte[2 * ranks];
        coordinator.AllGather(Own(rank), all, Minute);
        CheckAll(all, ranks);
        for (var root = 0; root < ranks; ++root)
        {
            var data = Own(rank);
            coordinator.Broadcast(data, root, Minute);
            Check.Equal((byte)root, data[0], "broadcast");
            var gathered = new byte[2 * ranks];
            coordinator.Gather(Own(rank), rank == root ? gathered : null, root, Minute);
            if (rank == root) CheckAll(gathered, ranks);
        }
        Check.Throws<CkptInvalidArgumentException>(() => coordinator.Gather(Own(rank), all, ranks, Minute), "no such root");
        if (rank == 0)
            Check.Throws<CkptInvalidArgumentException>(() => coordinator.Gather(Own(rank), new byte[3], 0, Minute), "room");
    }

    // Each rank was stalled for a different time: the longest is the cost of the save.
    private static void Decide(Coordinator coordinator, int rank, int ranks)
    {
        using (var controller = new Controller(new ControllerOptions { Policy = Policy.Fixed, IntervalSeconds = 100 }))
        {
            controller.BeginRun(0);
            controller.Begin(100);
            controller.Commit(110, 1 + rank, 9);
            Check.Equal(ranks, controller.DecideAll(coordinator, 120, Minute).CostSeconds, "cost");
            Check.Equal(rank == 0 ? ranks : 1 + rank, controller.GetInfo().CostSeconds, "noted");
        }
    }

    private static void Work(RankGroup rankGroup, int rank, int ranks, bool gathers)
    {
        CustomCoordinator functions = gathers ? new GatheringRank(rankGroup, rank) : new Rank(rankGroup, rank);
        using (var coordinator = Coordinator.Custom(rank, ranks, functions))
        {
            Collectives(coordinator, rank, ranks);
            Decide(coordinator, rank, ranks);
            if (rank > 0) // rank 0 does not call it
                Check.Throws<CkptTimeoutException>(() => coordinator.Gather(Own(rank), null, 0, TimeSpan.FromMilliseconds(1)), "late");
        }
    }

    private static void RunRanks(int ranks, bool gathers)
    {
        var rankGroup = new RankGroup(ranks);
        var failures = new Exception[ranks];
        var threads = Enumerable.Range(0, ranks).Select(rank => new Thread(() =>
        {
            try
            {
                Work(rankGroup, rank, ranks, gathers);
            }
            catch (Exception error)
            {
                failures[rank] = error;
            }
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        Check.Equal("", string.Join("\n", failures.Where(error => error != null)), "no rank failed");
        var calls = ranks * (ranks + 1) + ranks - 1; // for each root, of the decision, and the one without rank 0
        Check.Equal(gathers ? calls : 0, rankGroup.Gathers, "gathers");
        Check.Equal(2 * ranks + (gathers ? 0 : calls), rankGroup.AllGathers, "all-gathers"); // of the test and of the decision
    }

    internal static void ThreadsAsRanksWithACustomGather()
    {
        for (var ranks = 2; ranks <= 4; ++ranks) RunRanks(ranks, true);
    }

    internal static void ThreadsAsRanksWithoutAGather()
    {
        for (var ranks = 2; ranks <= 4; ++ranks) RunRanks(ranks, false);
    }

    internal static void GatherOfOneRank()
    {
        using (var alone = new Coordinator())
        {
            var received = new byte[2];
            alone.Gather(Own(0), received, 0, TimeSpan.Zero);
            CheckAll(received, 1);
        }
    }
}
