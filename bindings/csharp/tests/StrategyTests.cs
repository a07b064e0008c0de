using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;
using Ckpt.Strategies;

internal static class StrategyTests
{
    private static readonly TensorSpec small = new TensorSpec(DType.F32, 4, 8);
    private static readonly TensorSpec large = new TensorSpec(DType.F32, 512, 1024);

    internal static void ReferenceNamesAndAnswers()
    {
        ICheckpointStrategy strategy = CheckpointStrategyFactory.CreateInterval();
        Check.Equal("Interval(2)", strategy.Name, "name");
        using (var activation = new Tensor(DType.F32, 4))
        {
            var answers = Enumerable.Range(0, 5).Select(i => strategy.ShouldCheckpoint("layer" + i, activation, i) ? 'y' : 'n');
            Check.Equal("ynyny", new string(answers.ToArray()), "answers");
        }
        strategy.Reset();
        Check.Equal(3L, new IntervalCheckpointStrategy(3).Interval, "interval");
        Check.Throws<CkptInvalidArgumentException>(() => new IntervalCheckpointStrategy(0), "interval 0");

        var selective = CheckpointStrategyFactory.CreateSelective(new[] { "a", "block.*" }, new[] { "block.0" });
        Check.That(selective.ShouldCheckpoint("a", small, 0), "named");
        Check.That(selective.ShouldCheckpoint("block.1", small, 1), "by a glob");
        Check.That(!selective.ShouldCheckpoint("block.0", small, 2), "excluded");
        var overlap = Check.Throws<CkptInvalidArgumentException>(() => new SelectiveCheckpointStrategy(new[] { "a" },
            new[] { "a" }), "both");
        Check.Contains("a", overlap.Message, "message");

        var sized = CheckpointStrategyFactory.CreateSizeBased();
        Check.That(sized.ShouldCheckpoint("x", large, 0) && !sized.ShouldCheckpoint("y", small, 1), "by size");
        Check.Equal(1L << 20, sized.MinActivationSizeBytes, "1 MiB");
        Check.Equal(1L, sized.GetCounters().Chosen, "chosen");
        Check.Equal(2L << 20, sized.GetCounters().ChosenBytes, "bytes");

        Check.That(CheckpointStrategyFactory.CreateSmart().Name.StartsWith("Smart"), "smart");
        Check.Throws<CkptInvalidArgumentException>(() => CheckpointStrategyFactory.CreateMemoryAware(1.5), "share above 1");
    }

    internal static void ConfigsMakeEveryKind()
    {
        var config = new CheckpointConfig();
        foreach (CheckpointStrategy kind in Enum.GetValues(typeof(CheckpointStrategy)))
        {
            config.Strategy = kind;
            using (var strategy = CheckpointStrategyFactory.CreateStrategy(config)) Check.That(strategy.Name.Length > 4,
                strategy.Name);
        }
        config.Strategy = (CheckpointStrategy)99;
        Check.Throws<CkptInvalidArgumentException>(() => CheckpointStrategyFactory.CreateStrategy(config), "unknown");
        config.Kind = "any";
        config.Children = new[] { new Strategy("interval:3"), new Strategy("size:1MiB") };
        using (var any = Strategy.FromConfig(config)) Check.Equal("Any(Interval(3), SizeBased(1MB))", any.Name, "children");
        config.Kind = "no-such";
        Check.Contains("interval", Check.Throws<CkptNotFoundException>(() => Strategy.FromConfig(config), "kind").Message,
            "known kinds");
    }

    internal static void MemoryAwareFollowsPressure()
    {
        using (var clock = new Clock())
        using (var tracker = new MemoryTracker(clock))
        using (var strategy = new MemoryAwareCheckpointStrategy(0.8, tracker, 1000, clock))
        {
            Check.That(!strategy.ShouldCheckpoint("a", small, 1), "every second");
            tracker.RecordAllocation("a", 900);
            clock.Advance(11000000000);
            Check.That(strategy.ShouldCheckpoint("a", small, 1), "every one");
        }
    }

    internal static void CompositesAskTheirChildren()
    {
        using (var any = Strategy.AnyOf(new Strategy("interval:2"), new Strategy("interval:3")))
        using (var all = Strategy.AllOf(new Strategy("interval:2"), new Strategy("interval:3")))
        using (var not = Strategy.Not(any))
        using (var first = Strategy.FirstOf(new[] { new KeyValuePair<string, Strategy>("#0..1", all) }, not))
        {
            GC.Collect();
            GC.WaitForPendingFinalizers(); // the children's wrappers are gone, the children are not
            Check.That(any.ShouldCheckpoint("x", small, 3), "any");
            Check.That(!all.ShouldCheckpoint("x", small, 3) && all.ShouldCheckpoint("x", small, 6), "all");
            Check.That(!not.ShouldCheckpoint("x", small, 3), "not");
            Check.That(first.ShouldCheckpoint("x", small, 0) && first.ShouldCheckpoint("x", small, 5), "first");
        }
    }

    internal static void YourOwnStrategy()
    {
        var questions = new List<StrategyQuestion>();
        var resets = 0;
        var accessed = "";
        using (var strategy = Strategy.Custom(question =>
        {
            questions.Add(question);
            if (question.LayerId == "bad") throw new InvalidOperationException("cannot decide");
            return question.SizeBytes > 100;
        }, "Mine", () => ++resets, layer => accessed = layer))
        {
            Check.Equal("Mine", strategy.Name, "name");
            Check.That(strategy.ShouldCheckpoint("a", small, 7), "answer");
            Check.Equal(7L, questions[0].LayerIndex, "index");
            Check.Equal("4,8", string.Join(",", questions[0].Shape), "shape");
            Check.Equal(DType.F32, questions[0].DType, "dtype");
            strategy.Reset();
            strategy.ObserveAccess("b");
            Check.Equal(1, resets, "resets");
            Check.Equal("b", accessed, "access");
            var error = Check.Throws<CkptCallbackException>(() => strategy.ShouldCheckpoint("bad", small, 0), "throws");
            Check.Contains("cannot decide", error.Message, "text");
            strategy.Chosen = StrategyChosen.Boundary;
            Check.Equal(StrategyChosen.Boundary, strategy.Share().Chosen, "chosen");
        }
    }

    internal static void RegisteredKinds()
    {
        Strategy.Register("every", arguments => new Strategy("interval:" + arguments));
        Check.That(Strategy.KnownKinds.Contains("every"), "known");
        using (var strategy = new Strategy("every:4")) Check.Equal("Interval(4)", strategy.Name, "made");
        Strategy.Unregister("every");
        Check.Throws<CkptNotFoundException>(() => new Strategy("every:4"), "forgotten");
        Strategy.Register("broken", arguments =>
        {
            if (arguments == "") throw new InvalidOperationException("no such luck");
            return null;
        });
        Check.Contains("no such luck", Check.Throws<CkptCallbackException>(() => new Strategy("broken"), "throws").Message,
            "text");
        Strategy.Unregister("broken");
    }
}
