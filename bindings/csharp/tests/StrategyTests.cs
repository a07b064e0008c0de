using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;
using Ckpt.Compat;

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
        Check.Equal(1L << 20, sized.GetInfo().ThresholdBytes, "1 MiB");
        Check.Equal(1L, sized.GetCounters().ChosenLayers, "chosen");
        Check.Equal(2L << 20, sized.GetCounters().ChosenBytes, "bytes");

        Check.That(CheckpointStrategyFactory.CreateSmart().Name.StartsWith("Smart"), "smart");
        Check.Throws<CkptInvalidArgumentException>(() => CheckpointStrategyFactory.CreateMemoryAware(1.5), "share above 1");
    }

    internal static void ConfigsMakeEveryKind()
    {
        var config = new CheckpointConfig();
        foreach (var kind in new[] { CheckpointStrategy.Interval, CheckpointStrategy.Selective, CheckpointStrategy.SizeBased,
            CheckpointStrategy.MemoryAware, CheckpointStrategy.Smart })
        {
            config.Strategy = kind;
            using (var strategy = CheckpointStrategyFactory.CreateStrategy(config)) Check.That(strategy.Name.Length > 4,
                strategy.Name);
        }
        config.Strategy = (CheckpointStrategy)99;
        Check.Throws<CkptInvalidArgumentException>(() => CheckpointStrategyFactory.CreateStrategy(config), "unknown");
        config.Strategy = CheckpointStrategy.StoreAll;
        Check.Throws<CkptInvalidArgumentException>(() => CheckpointStrategyFactory.CreateStrategy(config), "of micro-batches");
    }

    internal static void MemoryAwareFollowsPressure()
    {
        using (var clock = new Clock())
        using (var tracker = new MemoryTracker(new MemoryTrackerOptions { Clock = clock }))
        using (var strategy = Strategy.MemoryAware(0.8, tracker, 1000, clock))
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
            GC.WaitForPendingFinalizers(); // the children's wrappers are collected, the children are not
            Check.That(any.ShouldCheckpoint("x", small, 3), "any");
            Check.That(!all.ShouldCheckpoint("x", small, 3) && all.ShouldCheckpoint("x", small, 6), "all");
            Check.That(!not.ShouldCheckpoint("x", small, 3), "not");
            Check.That(first.ShouldCheckpoint("x", small, 0) && first.ShouldCheckpoint("x", small, 5), "first");
        }
    }

    internal static void CustomStrategies()
    {
        var questions = new List<StrategyQuestion>();
        var resets = 0;
        var accessed = "";
        using (var strategy = Strategy.Custom(question =>
        {
            questions.Add(question);
            if (question.LayerName == "bad") throw new InvalidOperationException("cannot decide");
            return question.Bytes > 100;
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

    internal static void StrategiesReturnTheirParts()
    {
        using (var selective = Strategy.Selective(new[] { "a", "b.*" }, new[] { "b.0" }))
        {
            var info = selective.GetInfo();
            Check.Equal("selective", info.Kind, "kind");
            Check.That(info.NamesCount == 2 && info.ExcludedCount == 1, info.ToString());
            Check.Equal("b.*", selective.GetPattern(StrategyList.Names, 1), "a name");
            Check.Equal("b.0", selective.GetPattern(StrategyList.Excluded, 0), "an excluded one");
            Check.Throws<CkptOutOfRangeException>(() => selective.GetPattern(StrategyList.Rules, 0), "no rules");
            Check.Equal("selective:a,b.*,!b.0", selective.Text, "text");
        }
        using (var any = new Strategy("any(interval:3,size:2MiB)"))
        using (var child = any.GetChild(1))
        {
            Check.That(any.GetInfo().ChildrenCount == 2 && child.GetInfo().ThresholdBytes == 2 << 20, "children");
            using (var again = new Strategy(any.Text)) Check.Equal(any.Name, again.Name, "text: " + any.Text);
            Check.Throws<CkptOutOfRangeException>(() => any.GetChild(2), "two children");
        }
        using (var tracker = new MemoryTracker())
        using (var aware = Strategy.MemoryAware(0.5, tracker, 1000))
        {
            var info = aware.GetInfo();
            Check.That(info.HasTracker && info.HasTotal && !info.HasClock && info.TotalBytes == 1000, info.ToString());
            Check.Contains("tracker", Check.Throws<CkptUnsupportedException>(() => aware.Text.ToString(), "no text").Message,
                "why");
        }
        using (var smart = Strategy.Smart(new[] { "head" }, largeFactor: 3))
            Check.That(smart.GetInfo().LargeFactor == 3 && smart.GetInfo().RareAccesses == 2, "constants");
    }

    private sealed class Odd : ICheckpointStrategy
    {
        internal readonly List<string> Asked = new List<string>();
        internal int Resets;

        public bool ShouldCheckpoint(string layerId, Tensor activation, long layerIndex)
        {
            Asked.Add(layerId + " " + activation.DType + " " + string.Join("x", activation.Shape) + " " + activation.Bytes);
            if (layerId == "reads") activation.AsReadOnlyBytes();
            return layerIndex % 2 == 1;
        }

        public string Name
        {
            get { return "Odd"; }
        }

        public void Reset()
        {
            ++Resets;
        }
    }

    private static string Answers(Strategy strategy)
    {
        return string.Concat(Enumerable.Range(0, 6).Select(i => strategy.ShouldCheckpoint("x", small, i) ? "1" : "0"));
    }

    internal static void AnImplementedInterfaceIsAStrategy()
    {
        var odd = new Odd();
        using (var not = Strategy.Not(odd))
        {
            Check.That(not.ShouldCheckpoint("a", small, 0) && !not.ShouldCheckpoint("b", small, 1), "as a child");
            Check.Equal("a F32 4x8 128", odd.Asked[0], "element type, shape and bytes");
            Check.Contains("element type and a shape", Check.Throws<CkptCallbackException>(() =>
                not.ShouldCheckpoint("reads", small, 0), "no memory").Message, "message");
            not.Reset();
            Check.Equal(1, odd.Resets, "resets");
            Check.Contains("Odd", not.Name, "name");
        }
        using (var profile = PlanTests.Uniform(4))
        using (var schedule = Schedule.FromStrategy(profile, odd))
        using (var follower = new Follower(profile, odd))
        {
            bool changed;
            using (var next = follower.Next(out changed)) Check.Equal(schedule.Fingerprint, next.Fingerprint, "a follower's");
            using (var same = Schedule.FromStrategy(profile, Strategy.Custom(question => question.LayerIndex % 2 == 1, "Odd")))
                Check.Equal(same.Fingerprint, schedule.Fingerprint, "matches its results");
        }
        using (var every = Strategy.Interval(3))
        using (var any = Strategy.AnyOf(new Odd(), every))
        using (var all = Strategy.AllOf(new Odd(), every))
        using (var first = Strategy.FirstOf(new[] { new KeyValuePair<string, Odd>("#0..1", new Odd()) }, every))
        using (var mixed = new Strategy("any($1,all($0,not($1)),interval:4)", new StrategyOptions { Children = new ICheckpointStrategy[] { new Odd(), every } }))
        {
            Check.Equal("110101", Answers(any), "any");
            Check.Equal("000100", Answers(all), "all");
            Check.Equal("010100", Answers(first), "first");
            Check.Equal("110111", Answers(mixed), "text");
        }
        Strategy.Register("odd", arguments => new Odd());
        using (var created = new Strategy("odd")) Check.That(created.ShouldCheckpoint("x", small, 3), "of a registered kind");
        Strategy.Unregister("odd");
        using (var chain = EngineTests.Model())
        {
            odd.Asked.Clear();
            using (new Pipeline(chain, new TensorSpec(DType.F32, 16, 8), new PipelineOptions { MeasuredSteps = 0, Strategy = odd }))
                Check.That(odd.Asked.Count > 0, "a pipeline asks it");
        }
        using (var manager = new ActivationManager(new ActivationPolicy { Kind = ActivationPolicyKind.Strategy, Strategy = odd }))
            Check.That(!manager.ShouldCheckpoint(0) && manager.ShouldCheckpoint(1), "a manager of activations asks it");
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
