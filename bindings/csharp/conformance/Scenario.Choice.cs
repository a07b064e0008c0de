using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;

// Commands on strategies and schedules.
internal sealed partial class Scenario
{
    private void OnStrategies()
    {
        Do("strategy", c => strategies.Make(c.Text(1), new Strategy(c.Text(2))));
        Do("config", c =>
        {
            var created = Configured(c);
            var chosen = (StrategyChosen)IndexOf(chosenWords, c.Text("chosen", "default"));
            if (chosen != StrategyChosen.Default) created.Chosen = chosen;
            strategies.Make(c.Text(1), created);
        });
        Do("custom", c =>
        {
            var how = c.Text(2);
            IndexOf(new[] { "odd", "large", "throws" }, how);
            strategies.Make(c.Text(1), Strategy.Custom(question =>
            {
                if (how == "throws") throw new InvalidOperationException("no answer for " + question.LayerName);
                return how == "odd" ? question.LayerIndex % 2 == 1 : question.Bytes >= 1000;
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

    private Strategy Configured(Command c)
    {
        string[] names = c.Names("names"), excluded = c.Names("excluded"), rules = c.Names("rules");
        var children = c.Names("children").Select(child => strategies[child]).ToArray();
        switch (c.Text(2))
        {
            case "interval": return Strategy.Interval(c.Integer("interval", 2));
            case "selective": return Strategy.Selective(names, excluded);
            case "size": return Strategy.SizeBased(c.Integer("threshold", 1048576), excluded);
            case "memory-aware":
                return Strategy.MemoryAware(c.Number("share", 0.8), c.Has("tracker") ? trackers[c.Text("tracker", "")] : null,
                    c.Integer("total", 0), c.Has("clock") ? clocks[c.Text("clock", "")] : null);
            case "smart":
                return Strategy.Smart(excluded, c.Number("large", 1.5), c.Integer("rare", 2), c.Number("late", 0.7));
            case "any": return Strategy.AnyOf(children);
            case "all": return Strategy.AllOf(children);
            case "not":
                if (children.Length != 1) throw new CkptInvalidArgumentException("not has " + children.Length + " children; one");
                return Strategy.Not(children[0]);
            case "first":
                var pairs = rules.Select((rule, i) => new KeyValuePair<string, Strategy>(rule, children[i]));
                return Strategy.FirstOf(pairs, children[rules.Length]);
            default: return new Strategy(c.Text(2));
        }
    }

    private static TensorSpec Spec(Command c, int dtype)
    {
        return new TensorSpec(DTypes.Find(c.Text(dtype)), Command.ToShape(c.Text(dtype + 1)));
    }

    private void OnSchedules()
    {
        Do("profile", c => profiles.Make(c.Text(1), new Profile(c.Integer(2))));
        Do("layer", c =>
        {
            var flags = (LayerFlag)c.Integer("flags", (long)(LayerFlag.NeedsInput | LayerFlag.Deterministic));
            var count = c.Integer("count", -1);
            for (long i = 0; i < (count < 0 ? 1 : count); ++i)
            {
                profiles[c.Text(1)].AddLayer(
                    new LayerProfile { Name = count < 0 ? c.Text(2) : c.Text(2) + i, Flags = flags, OutputBytes = c.Integer(3) },
                    new OptionProfile { TapeBytes = c.Integer(4), ForwardSeconds = c.Number(5), BackwardSeconds = c.Number(6) });
            }
        });
        Do("schedule", c => schedules.Make(c.Text(1), Created(c)));
        On("verify", c =>
        {
            var profile = profiles[c.Text(2)];
            var n = schedules[c.Text(1)].Verify(profile);
            return Line("actions", n.Actions, "forwards", n.Forwards, "recomputed", n.RecomputedForwards, "peak", n.PeakBytes[0],
                "at", n.PeakAction,
                        "seconds", Exact(n.StepSeconds), "again", Exact(n.RecomputedSeconds), "reserved",
                            schedules[c.Text(1)].ReservedBytes(profile));
        });
        Do("cursor", c => cursors.Make(c.Text(1), new Cursor(schedules[c.Text(2)])));
        On("next", c => cursors[c.Text(1)].NextMany((int)c.Integer(2)).SelectMany(action => Line(
            action.KindName, action.First, action.Last, action.Option, (int)action.Item, action.Tier, action.Slot)).ToArray());
        Do("finalize", c => cursors[c.Text(1)].Finalize(c.Integer(2)));
        Do("mark", c => places[c.Text(2)] = cursors[c.Text(1)].Save());
        Do("restore", c => cursors[c.Text(1)].Restore(Known(places, c.Text(2))));
    }

    private Schedule Created(Command c)
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
