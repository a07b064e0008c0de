using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;
using Ckpt.Strategies;

// Commands on strategies and schedules.
internal sealed partial class Scenario
{
    private void OnStrategies()
    {
        Do("strategy", c => strategies.Make(c.Text(1), new Strategy(c.Text(2))));
        Do("config", c =>
        {
            var config = new CheckpointConfig();
            config.Kind = c.Text(2);
            config.Chosen = (StrategyChosen)IndexOf(chosenWords, c.Text("chosen", "default"));
            config.Interval = c.Integer("interval", config.Interval);
            config.CheckpointLayers = c.Names("names");
            config.ExcludeLayers = c.Names("excluded");
            config.MinActivationSizeBytes = c.Integer("threshold", config.MinActivationSizeBytes);
            config.MaxMemoryPercentage = c.Number("share", config.MaxMemoryPercentage);
            config.TotalSystemMemory = c.Integer("total", 0);
            config.LargeFactor = c.Number("large", config.LargeFactor);
            config.RareAccesses = c.Integer("rare", config.RareAccesses);
            config.LateShare = c.Number("late", config.LateShare);
            if (c.Has("tracker")) config.Tracker = trackers[c.Text("tracker", "")];
            if (c.Has("clock")) config.Clock = clocks[c.Text("clock", "")];
            config.Rules = c.Names("rules");
            config.Children = c.Names("children").Select(child => strategies[child]).ToArray();
            strategies.Make(c.Text(1), CheckpointStrategyFactory.CreateStrategy(config));
        });
        Do("custom", c =>
        {
            var how = c.Text(2);
            IndexOf(new[] { "odd", "large", "throws" }, how);
            strategies.Make(c.Text(1), Strategy.Custom(question =>
            {
                if (how == "throws") throw new InvalidOperationException("no answer for " + question.LayerId);
                return how == "odd" ? question.LayerIndex % 2 == 1 : question.SizeBytes >= 1000;
            }, how));
        });
        Do("register", c =>
        {
            var kind = new Kind(c.Text(1));
            kinds.Make(c.Text(1), kind);
        });
        On("ask", c => Line(YesNo(strategies[c.Text(1)].ShouldCheckpoint(c.Text(2), Spec(c, 3), c.Integer(5)))));
        On("layers", c =>
        {
            var strategy = strategies[c.Text(1)];
            var spec = Spec(c, 3);
            var answers = "";
            for (long i = 0; i < c.Integer(2); ++i) answers += strategy.ShouldCheckpoint("layer" + i, spec, i) ? 'y' : 'n';
            return Line(answers);
        });
        Do("access", c => strategies[c.Text(1)].ObserveAccess(c.Text(2)));
    }

    private static TensorSpec Spec(Command c, int dtype)
    {
        return new TensorSpec(DTypes.FromName(c.Text(dtype)), Command.ToShape(c.Text(dtype + 1)));
    }

    private void OnSchedules()
    {
        Do("profile", c => profiles.Make(c.Text(1), new Profile(c.Integer(2))));
        Do("layer", c =>
        {
            var flags = (LayerFlags)c.Integer("flags", (long)LayerFlags.Default);
            var count = c.Integer("count", -1);
            for (long i = 0; i < (count < 0 ? 1 : count); ++i)
            {
                profiles[c.Text(1)].AddLayer(
                    new LayerProfile { Name = count < 0 ? c.Text(2) : c.Text(2) + i, Flags = flags, OutputBytes = c.Integer(3) },
                    new OptionProfile { TapeBytes = c.Integer(4), ForwardSeconds = c.Number(5), BackwardSeconds = c.Number(6) });
            }
        });
        Do("schedule", c => schedules.Make(c.Text(1), Made(c)));
        On("verify", c =>
        {
            var profile = profiles[c.Text(2)];
            var n = schedules[c.Text(1)].Verify(profile);
            return Line("actions", n.Actions, "forwards", n.Forwards, "recomputed", n.RecomputedForwards, "peak", n.PeakBytes,
                "at", n.PeakAction,
                        "seconds", Exact(n.Seconds), "again", Exact(n.RecomputedSeconds), "reserved",
                            schedules[c.Text(1)].ReservedBytes(profile));
        });
        Do("cursor", c => cursors.Make(c.Text(1), new Cursor(schedules[c.Text(2)])));
        On("next", c => cursors[c.Text(1)].NextMany((int)c.Integer(2)).SelectMany(action => Line(
            action.KindName, action.First, action.Last, action.Option, (int)action.Item, action.Tier, action.Slot)).ToArray());
        Do("finalize", c => cursors[c.Text(1)].Finalize(c.Integer(2)));
        Do("mark", c => places[c.Text(2)] = cursors[c.Text(1)].Save());
        Do("restore", c => cursors[c.Text(1)].Restore(Known(places, c.Text(2))));
    }

    private Schedule Made(Command c)
    {
        var argument = c.Count > 3 ? c.Text(4) : "";
        if (c.Text(2) == "open") return Schedule.OpenEnded(Command.ToInteger(argument));
        var profile = profiles[c.Text(3)];
        switch (c.Text(2))
        {
            case "segments": return Schedule.Segments(profile, argument.Split(',').Select(Command.ToInteger).ToArray());
            case "strategy": return Schedule.FromStrategy(profile, strategies[argument]);
            default: return Schedule.Create(profile, argument.Length == 0 ? c.Text(2) : c.Text(2) + ":" + argument);
        }
    }
}
