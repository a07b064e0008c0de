using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;

internal static class PlanTests
{
    internal static Profile Uniform(int layers)
    {
        var profile = new Profile(100);
        for (var i = 0; i < layers; ++i)
        {
            profile.AddLayer(new LayerProfile { Name = "layer" + i, OutputBytes = 100, DType = DType.F32,
                Shape = new long[] { 25 } },
                             new OptionProfile { TapeBytes = 100, ForwardSeconds = 1, BackwardSeconds = 2 });
        }
        return profile;
    }

    internal static void ProfilesReturnTheirLayers()
    {
        using (var profile = Uniform(3))
        {
            Check.Equal(3L, profile.LayerCount, "layers");
            Check.Equal(100L, profile.InputBytes, "input");
            var layer = profile.GetLayer(1);
            Check.Equal("layer1", layer.Name, "name");
            Check.Equal((LayerFlag.NeedsInput | LayerFlag.Deterministic), layer.Flags, "flags");
            Check.Equal("25", string.Join(",", layer.Shape), "shape");
            Check.Equal(2.0, profile.GetOption(1).BackwardSeconds, "seconds");
            Check.Throws<CkptOutOfRangeException>(() => profile.GetLayer(3), "no such layer");
            var frontier = profile.GetFrontier("chain");
            Check.Equal(9.0, frontier[frontier.Count - 1].StepSeconds, "seconds of the fastest");
            using (var fitting = Schedule.Create(profile, "chain:" + frontier[0].ReservedBytes))
                Check.That(fitting.ReservedBytes(profile) <= frontier[0].ReservedBytes, "fits");
            Check.Throws<CkptNotFoundException>(() => profile.GetFrontier("periodic"), "no frontier");
        }
    }

    internal static void GraphsArePlanned()
    {
        using (var profile = new Profile(10))
        {
            foreach (var bytes in new[] { new[] { 100, 0 }, new[] { 30, 40 }, new[] { 30, 40 }, new[] { 20, 0 } })
            {
                profile.AddLayer(new LayerProfile { Name = "layer", OutputBytes = bytes[0],
                    Flags = LayerFlag.NeedsInput | LayerFlag.Deterministic | LayerFlag.AddsGradient },
                                 new OptionProfile { TapeBytes = bytes[1], ForwardSeconds = 1, BackwardSeconds = 2 });
            }
            profile.SetInputs(3, new long[] { 3, 1 }, 3);
            profile.SetOutputs(4);
            profile.Flags = ProfileFlag.OwnAllocator;
            Check.That(profile.ToJson().Contains("\"inputs\":[3,1],\"needed_inputs\":[3]"), "json");
            using (var all = Schedule.Create(profile, "store-all"))
            {
                var stored = all.Verify(profile).PeakBytes[0];
                using (var planned = Schedule.Create(profile, "graph:" + (stored - 1)))
                {
                    Check.That(planned.Verify(profile).PeakBytes[0] < stored, "fewer bytes");
                    Check.Equal(1L, planned.Verify(profile).RecomputedForwards, "recomputed");
                }
            }
            Check.Throws<CkptUnsupportedException>(() => Schedule.Create(profile, "sqrt"), "a planner of chains");
            Check.Throws<CkptInvalidArgumentException>(() => profile.SetInputs(2, new long[] { 3 }), "a later value");
        }
    }

    internal static void MemoryAwareAdaptsToTheMemoryOfRealSteps()
    {
        var input = new TensorSpec(DType.F32, 8, 8);
        var layers = Enumerable.Range(0, 16).Select(i => new Layer("layer" + i, "relu")).ToArray();
        using (var chain = new Chain(layers))
        using (var profile = chain.Profile(input))
        using (var tracker = new MemoryTracker())
        using (var x = new Tensor(DType.F32, 8, 8))
        {
            var least = Enumerable.Range(1, 10).Min(n => {
                using (var interval = Strategy.Interval(n))
                {
                    interval.Chosen = StrategyChosen.Boundary;
                    using (var schedule = Schedule.FromStrategy(profile, interval)) return schedule.Verify(profile).PeakBytes[0];
                }
            });
            using (var strategy = Strategy.MemoryAware(1.0, tracker, 2 * least))
            {
                strategy.Chosen = StrategyChosen.Boundary;
                using (var follower = new Follower(profile, strategy))
                {
                    Func<long> step = () => {
                        bool changed;
                        using (var schedule = follower.Next(out changed))
                        using (var executor = new ScheduleExecutor(chain, schedule, input,
                            new ScheduleExecutorOptions { Follower = follower }))
                        {
                            executor.Run(new Step(x) { OutputGradient = x });
                            return executor.GetStats().PeakLiveBytes;
                        }
                    };
                    var relaxed = 0L;
                    for (var i = 0; i < 12; ++i) relaxed = step();
                    Check.That(relaxed > least, "there is room");
                    var other = tracker.RecordAllocation("other", least);
                    Check.Equal(least, step(), "only this fits");
                    Check.Equal(least, step(), "and stays");
                    tracker.RecordDeallocation(other);
                    var again = 0L;
                    for (var i = 0; i < 15; ++i) again = step();
                    Check.Equal(relaxed, again, "there is room again");
                }
            }
        }
    }

    internal static void ProfileFlagsOfFrameworks()
    {
        using (var profile = Uniform(3))
        using (var all = Schedule.Create(profile, "store-all"))
        {
            var before = all.Verify(profile).PeakBytes[0];
            Check.Equal(ProfileFlag.None, profile.Flags, "flags");
            profile.Flags = ProfileFlag.KeepsOutput | ProfileFlag.OwnAllocator;
            Check.Equal(ProfileFlag.KeepsOutput | ProfileFlag.OwnAllocator, profile.Flags, "flags that were set");
            Check.Equal(before + 100, all.Verify(profile).PeakBytes[0], "the output stays");
            Check.Throws<CkptInvalidArgumentException>(() => profile.Flags = (ProfileFlag)8, "unknown bits");
        }
    }

    internal static void ProgramsListBuffersAndOperations()
    {
        using (var profile = Uniform(3))
        using (var schedule = Schedule.Create(profile, "recompute-all"))
        using (var program = new Ckpt.Program(schedule, profile))
        {
            Check.Equal(schedule.ReservedBytes(profile), program.GetArenaBytes(), "arena");
            var buffers = program.GetBuffers();
            var again = 0L;
            foreach (var operation in program.GetOperations())
            {
                if ((operation.Flags & OperationFlag.Again) != 0) ++again;
                if (operation.Kind == ActionKind.Turn) Check.Equal(3L, buffers[operation.Input].Index, "output");
            }
            Check.Equal(3L, again, "forwards again");
            Check.Equal(-1L, buffers[0].First, "x_0");
            Check.That(program.ToJson().StartsWith("{\"format\":\"ckpt-program\""), "json");
            Check.Throws<CkptInvalidArgumentException>(() => program.GetArenaBytes(4), "no such tier");
        }
    }

    internal static void CostsMatchTheVerifier()
    {
        using (var profile = Uniform(8))
        using (var all = Schedule.Create(profile, "store-all"))
        using (var none = Schedule.Create(profile, "recompute-all"))
        using (var periodic = Schedule.Create(profile, "periodic:4"))
        using (var segments = Schedule.Segments(profile, 0, 2, 4, 6))
        {
            Check.Equal("store-all", all.Name, "name");
            Check.Equal(8L, all.LayerCount, "layers");
            var most = all.Verify(profile);
            var least = none.Verify(profile);
            Check.Equal(0L, most.RecomputedForwards, "nothing again");
            Check.Equal(28L, least.RecomputedForwards, "n(n-1)/2");
            Check.That(least.PeakBytes[0] < most.PeakBytes[0], "less memory");
            Check.That(periodic.SequenceEqual(segments), "the same actions");
            using (var again = Schedule.Create(profile, "periodic:4")) Check.Equal(periodic.Fingerprint, again.Fingerprint,
                "the same recipe");
            Check.That(periodic.ReservedBytes(profile) >= periodic.Verify(profile).PeakBytes[0], "reserved");
            using (var fits = Schedule.Create(profile, "auto:" + periodic.ReservedBytes(profile)))
                Check.That(fits.ReservedBytes(profile) <= periodic.ReservedBytes(profile), "fits");
            Check.Throws<CkptOverBudgetException>(() => Schedule.Create(profile, "auto:1"), "one byte");
        }
    }

    internal static void ActionsRoundTrip()
    {
        using (var profile = Uniform(5))
        using (var schedule = Schedule.Create(profile, "periodic:2"))
        {
            var actions = schedule.ToArray();
            Check.Equal(ActionKind.End, actions[actions.Length - 1].Kind, "the last");
            Check.Equal((long)actions.Length, schedule.Verify(profile).Actions, "all");
            using (var copy = Schedule.FromActions(5, actions))
            {
                Check.That(actions.SequenceEqual(copy), "the same");
                Check.Equal(schedule.Verify(profile).PeakBytes[0], copy.Verify(profile).PeakBytes[0], "peak");
            }
            var wrong = actions.Skip(1);
            using (var broken = Schedule.FromActions(5, wrong))
                Check.Contains("0", Check.Throws<CkptInvalidScheduleException>(() => broken.Verify(profile),
                    "a rule").Message, "index");
            Check.Contains("Kind=Forward", actions[0].ToString(), "text");
        }
    }

    internal static void CursorsSaveTheirPosition()
    {
        using (var schedule = Schedule.OpenEnded(2))
        using (var cursor = schedule.GetCursor())
        using (var other = schedule.Share().GetCursor())
        {
            Check.That(schedule.LayerCount == 0, "open-ended");
            for (var i = 0; i < 6; ++i) cursor.Next();
            var place = cursor.Save();
            other.Restore(place);
            cursor.Finalize(9);
            other.Finalize(9);
            Check.That(cursor.NextMany(100000).SequenceEqual(other.NextMany(100000)), "the same rest");
            Check.Equal(ActionKind.End, cursor.Next().Kind, "end again");
            Check.Throws<CkptCorruptException>(() => other.Restore(new byte[3]), "no place");
        }
    }

    internal static void StrategiesBecomeSchedules()
    {
        using (var profile = Uniform(6))
        using (var strategy = Strategy.Custom(question => question.LayerIndex == 2))
        using (var schedule = Schedule.FromStrategy(profile, strategy)) Check.Equal(1L,
            schedule.Verify(profile).RecomputedForwards, "one again");
    }

    internal static void FollowersQueryAgainAndReport()
    {
        var every = 2;
        var used = new List<string>();
        var input = new TensorSpec(DType.F32, 2, 2);
        using (var chain = new Chain())
        using (var strategy = Strategy.Custom(question => question.LayerIndex % every == 0, onAccess: used.Add))
        {
            for (var i = 0; i < 4; ++i) chain.Add(new Layer("layer" + i, "relu"));
            bool changed;
            using (var profile = chain.Profile(input))
            using (var follower = new Follower(profile, strategy))
            using (var first = follower.Next(out changed))
            {
                Check.That(changed, "the first");
                using (var same = follower.Next(out changed))
                    Check.That(!changed && same.Fingerprint == first.Fingerprint, "the same");
                every = 1;
                using (var other = follower.Next(out changed))
                    Check.That(changed && other.Fingerprint != first.Fingerprint, "another");
                using (var x = new Tensor(DType.F32, 2, 2))
                using (var executor = new ScheduleExecutor(chain, first, input,
                    new ScheduleExecutorOptions { Follower = follower }))
                    executor.Run(new Step(x) { OutputGradient = x });
                Check.That(used.Contains("layer0") && used.Contains("layer3"), "what ran");
            }
        }
    }

    internal static void PlannersAreNamed()
    {
        Check.That(Schedule.KnownPlanners.Any(planner => planner.StartsWith("periodic:SEGMENTS - ")), "known");
        using (var profile = Uniform(4))
            Check.Contains("auto:BYTES", Check.Throws<CkptNotFoundException>(() => Schedule.Create(profile, "best"), "unknown")
                .Message, "message");
    }

    internal static void DeepChainsLeaveMemoryFlat()
    {
        const int layers = 20000;
        using (var profile = Uniform(layers))
        using (var schedule = Schedule.Create(profile, "periodic:100"))
        {
            var before = GC.GetTotalMemory(true);
            long count = 0;
            foreach (var action in schedule) ++count;
            Check.That(count > 2 * layers, "actions " + count);
            var grown = GC.GetTotalMemory(true) - before;
            Check.That(grown < 1 << 20, "grown by " + grown);
        }
    }
}
