using System;
using System.Linq;
using Ckpt;
using Ckpt.Compat;

internal static class AdaptiveTests
{
    internal static void FormulasGiveKnownNumbers()
    {
        Check.Equal(Math.Sqrt(2 * 30 * 3600.0), Intervals.Young(30, 3600), "Young");
        Check.That(Intervals.Daly(30, 3600) < Intervals.Young(30, 3600), "Daly");
        Check.That(Intervals.ExpectedValue(30, 3600) > 0, "expected value");
        Check.That(Math.Abs(Intervals.Weibull(30, 1, 3600, 5) - Intervals.Young(30, 3600)) < 1e-6, "shape 1 is exponential");
        double scale;
        var shape = Intervals.FitWeibull(new double[] { 100, 200, 300, 400, 150 }, null, out scale);
        Check.That(shape > 1 && scale > 100, "fit");
        Check.That(Intervals.FitWeibull(new double[] { 100, 200, 300 }, new[] { true, true, false }, out scale) > 0, "censored");
        Check.Throws<CkptInvalidArgumentException>(() => Intervals.FitWeibull(new double[] { 1, 2 }, new[] { true },
            out scale), "flags");
        Check.Throws<CkptInvalidArgumentException>(() => Intervals.Young(-1, 1), "negative");
    }

    internal static void TheThresholdRule()
    {
        using (var policy = new Threshold(new ThresholdOptions { Budget = 2 }))
        {
            policy.ObserveTask("train_epoch_0", 15.3);
            Check.That(policy.ShouldCheckpoint("train_epoch_0", 15.3), "long");
            Check.That(!policy.ShouldCheckpoint("short", 1), "short");
            policy.AdjustPolicy(10, 1);
            Check.That(policy.GetInfo().Threshold < 0.35 && policy.GetInfo().Used == 1, "learned");
            Check.Equal("train_epoch_0", policy.ListTasks()[0].Name, "task");
            Check.That(policy.ListTasks()[0].Checkpointed, "checkpointed");
            policy.ShouldCheckpoint("train_epoch_0", 15.3);
            Check.That(!policy.ShouldCheckpoint("train_epoch_0", 15.3), "no slot left");
            policy.ObserveFailure("evaluate", 3);
            var failed = policy.ListTasks().Last();
            Check.That(failed.Name == "evaluate" && failed.Failed && failed.DurationSeconds == 3,
                "a failure is observed: " + failed);
            policy.BeginRun();
            Check.That(policy.ShouldCheckpoint("train_epoch_0", 15.3), "a new run");
        }
    }

    internal static void ControllersMeasureAndSurviveRestarts()
    {
        using (var clock = new Clock(5000000000))
        using (var controller = new Controller(new ControllerOptions { FirstSeconds = 100, PollSeconds = 10,
            Clock = clock }))
        using (var coordinator = new Coordinator())
        {
            Check.Equal(5.0, controller.Now, "now");
            Check.Throws<CkptInvalidStateException>(() => controller.ShouldCheckpoint(0), "no run");
            controller.BeginRun(0);
            Check.Equal(Reason.NotDue, controller.ShouldCheckpoint(10).Reason, "early");
            controller.ObserveTask("step", 1);
            var first = controller.DecideAll(coordinator, 200, TimeSpan.FromSeconds(1));
            Check.That(first.Checkpoint && first.Reason == Reason.FirstSave, "first");
            controller.Begin(200);
            Check.Equal(Reason.SaveInFlight, controller.ShouldCheckpoint(201).Reason, "in flight");
            controller.Commit(202, 0.5, 2);
            controller.Begin(210);
            controller.Abort(211);
            controller.RecordFailure(300);
            controller.RecordRecovery(310, 98, 0.5);
            controller.NotifyPreemption(320, 60);
            Check.Equal(Reason.Preemption, controller.ShouldCheckpoint(320).Reason, "preemption");
            var info = controller.GetInfo();
            Check.That(info.Saves == 1 && info.Failures == 1 && info.CostSeconds == 0.5 && info.Running, "info");
            Check.Equal("step", controller.ListTasks()[0].Name, "task");
            using (var next = new Controller())
            {
                next.Restore(controller.ToJson());
                next.Resume(1000);
                Check.Equal(2L, next.GetInfo().Failures, "the running run has failed");
                next.RecordCleanExit(2000);
                Check.Throws<CkptCorruptException>(() => next.Restore("{}"), "no such text");
            }
        }
    }

    internal static void ControllersSaveInTheBackground()
    {
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = checkpoint.CreateAsyncManager())
        using (var controller = new Controller())
        using (var state = new State().Add<float>("model", "a", new float[10]))
        {
            controller.BeginRun(0);
            var task = controller.Save(5, manager, state, new SaveOptions { Step = 1 });
            Check.That(task.CompletionTask.Result.Success, "saved");
            manager.WaitAll();
            Check.Equal(1L, controller.GetInfo().Saves, "committed by itself");
            Check.That(state[State.Controller].Length > 10, "what it knows is in the state");
        }
    }

    internal static void SimulationsReportTheCostOfPolicies()
    {
        using (var simulation = new Simulation(new SimulationOptions
        {
            Law = "exponential:3600", Policies = "daly,fixed:600", Replicas = 2, Failures = 20,
        }))
        {
            Check.Contains("daly", simulation.ToJson(), "json");
            Check.Contains("extra_wall_curves", simulation.ToJson(), "curves");
        }
        Check.Contains("law", Check.Throws<CkptInvalidArgumentException>(() =>
            new Simulation(new SimulationOptions { Law = "odd" }), "law").Message,
                       "message");
    }
}
