using System;
using System.Collections.Generic;
using Ckpt;

// Commands on the decision when to save.
internal sealed partial class Scenario
{
    private static readonly string[] policyWords = { "auto", "threshold", "expected_value", "young", "daly", "bayes", "weibull",
        "fixed" };
    private static readonly Dictionary<Reason, string> reasonWords = new Dictionary<Reason, string>
    {
        { Reason.NotDue, "NOT_DUE" }, { Reason.Due, "DUE" }, { Reason.FirstSave, "FIRST_SAVE" },
        { Reason.TaskIsLong, "TASK_IS_LONG" }, { Reason.TaskIsShort, "TASK_IS_SHORT" },
        { Reason.SaveInFlight, "SAVE_IN_FLIGHT" }, { Reason.BudgetIsSpent, "BUDGET_IS_SPENT" },
        { Reason.Preemption, "PREEMPTION" }, { Reason.PreemptionShort, "PREEMPTION_SHORT" },
        { Reason.PreemptionSaved, "PREEMPTION_SAVED" },
    };

    private void OnAdaptive()
    {
        On("interval", c =>
        {
            var cost = c.Number(2);
            switch (c.Text(1))
            {
                case "young": return Line(Thousandths(Intervals.Young(cost, c.Number(3))));
                case "daly": return Line(Thousandths(Intervals.Daly(cost, c.Number(3))));
                case "expected_value": return Line(Thousandths(Intervals.ExpectedValue(cost, c.Number(3))));
                case "weibull": return Line(Thousandths(Intervals.Weibull(cost, c.Number(3), c.Number(4), c.Number(5))));
                default: throw new MisuseException("unknown word " + c.Text(1));
            }
        });
        Do("threshold", c => thresholds.Make(c.Text(1), new Threshold(new ThresholdOptions
        {
            Threshold = c.Number("threshold", 0.35), LearningRate = c.Number("rate", 0.1), Budget = c.Integer("budget", 3),
        })));
        Do("controller", c =>
        {
            var options = new ControllerOptions();
            options.Policy = (Policy)IndexOf(policyWords, c.Text("policy", "auto"));
            options.MtbfSeconds = c.Number("mtbf", options.MtbfSeconds);
            options.IntervalSeconds = c.Number("interval", options.IntervalSeconds);
            options.InitialCostSeconds = c.Number("cost", options.InitialCostSeconds);
            options.FirstSeconds = c.Number("first", options.FirstSeconds);
            options.PollSeconds = c.Number("poll", options.PollSeconds);
            options.MinIntervalSeconds = c.Number("min", options.MinIntervalSeconds);
            options.MaxIntervalSeconds = c.Number("max", options.MaxIntervalSeconds);
            options.MaxOverheadShare = c.Number("overhead", options.MaxOverheadShare);
            options.BudgetSaves = c.Integer("saves", options.BudgetSaves);
            options.BudgetWindowSeconds = c.Number("window", options.BudgetWindowSeconds);
            if (c.Has("clock")) options.Clock = clocks[c.Text("clock", "")];
            controllers.Make(c.Text(1), new Controller(options));
        });
        Do("record", Record);
        On("decide", c =>
        {
            var threshold = thresholds.Find(c.Text(1));
            if (threshold != null) return Line(YesNo(threshold.ShouldCheckpoint(c.Text(2), c.Number(3))));
            var controller = controllers[c.Text(1)];
            var n = controller.ShouldCheckpoint(c.Text(2) == "now" ? controller.Now : c.Number(2));
            return Line(YesNo(n.Checkpoint), reasonWords[n.Reason], policyWords[(int)n.Policy], "interval",
                Thousandths(n.IntervalSeconds), "due",
                        Thousandths(n.DueSeconds), "since", Thousandths(n.SinceLastSeconds));
        });
        Do("copy-state", c => controllers[c.Text(2)].Restore(controllers[c.Text(1)].ToJson()));
        Do("restore-json", c => controllers[c.Text(1)].Restore(c.Text(2)));
    }

    private void Record(Command c)
    {
        var what = c.Text(2);
        var threshold = thresholds.Find(c.Text(1));
        if (threshold != null)
        {
            switch (what)
            {
                case "observe": threshold.ObserveTask(c.Text(3), c.Number(4)); return;
                case "adjust": threshold.AdjustPolicy(c.Number(3), c.Number(4)); return;
                case "begin-run": threshold.BeginRun(); return;
                default: throw new MisuseException("unknown word " + what);
            }
        }
        var controller = controllers[c.Text(1)];
        if (what == "observe")
        {
            controller.ObserveTask(c.Text(3), c.Number(4));
            return;
        }
        var now = c.Number(3);
        switch (what)
        {
            case "begin-run": controller.BeginRun(now); break;
            case "resume": controller.Resume(now); break;
            case "begin": controller.Begin(now); break;
            case "commit": controller.Commit(now, c.Number(4), c.Number(5)); break;
            case "abort": controller.Abort(now); break;
            case "failure": controller.RecordFailure(now); break;
            case "recovery": controller.RecordRecovery(now, c.Number(4), c.Number(5)); break;
            case "clean-exit": controller.RecordCleanExit(now); break;
            case "preemption": controller.NotifyPreemption(now, c.Number(4)); break;
            default: throw new MisuseException("unknown word " + what);
        }
    }
}
