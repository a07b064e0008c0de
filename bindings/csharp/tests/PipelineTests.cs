using System;
using System.Linq;
using System.Threading;
using Ckpt;
using Ckpt.Compat;

internal static class PipelineTests
{
    private static readonly TensorSpec input = new TensorSpec(DType.F32, 16, 8);

    internal static void ManagersStoreAsInTheReference()
    {
        var runs = 0;
        using (var tracker = new MemoryTracker())
        using (var manager = new ActivationManager(new ActivationPolicy { Kind = ActivationPolicyKind.Selective, Interval = 2 },
            (given, microBatch) =>
        {
            ++runs;
            if (microBatch == 7) throw new InvalidOperationException("stage broke");
            var output = new Tensor(DType.F32, 4);
            output.CopyFrom(given);
            output.Scale(microBatch);
            return output;
        }, new ActivationManagerOptions { Name = "stage-1", Tracker = tracker }))
        using (var activation = new Tensor(DType.F32, 4))
        {
            activation.Fill(1);
            manager.BeginStep(8);
            Check.Equal(ActivationPolicyKind.Selective, manager.Policy.Kind, "policy");
            Check.That(manager.ShouldCheckpoint(0) && !manager.ShouldCheckpoint(1) && manager.ShouldCheckpoint(7),
                "first, every second, last");
            Check.That(manager.Store(0, activation) && !manager.Store(1, activation), "stored");
            activation.Fill(5);
            Check.Equal(4.0, manager.GetActivation(0).Sum(), "a copy");
            Check.That(manager.GetActivation(1) == null && !manager.HasActivation(1) && manager.HasActivation(0), "not stored");
            Check.Equal(60.0, manager.GetOrCompute(activation, 3).Sum(), "computed");
            Check.Equal(40.0, manager.Recompute(activation, 2).Sum(), "recomputed");
            Check.Equal(2, runs, "runs");
            Check.Contains("stage broke", Check.Throws<CkptCallbackException>(() => manager.Recompute(activation,
                7), "throws").Message,
                           "text");
            long count;
            Check.Equal(16L, manager.GetMemoryUsage(out count), "bytes");
            Check.Equal(1L, count, "count");
            Check.That(Math.Abs((manager.GetMetadata(0).StoredUtc - DateTime.UtcNow).TotalMinutes) < 1, "stored just now");
            Check.Equal("4", string.Join(",", manager.GetMetadata(0).Shape), "metadata");
            Check.That(manager.GetMetadata(1) == null, "no metadata");
            var given2 = new Tensor(DType.F32, 4);
            Check.That(manager.StoreMoved(2, given2) && given2.IsDisposed, "given up");
            Check.Equal("0,2", string.Join(",", manager.List()), "list");
            Check.Equal(32L, tracker.GetLayerStats("stage-1").CurrentBytes, "tracked");
            Check.Throws<CkptOutOfRangeException>(() => manager.Store(8, activation), "no such micro-batch");
            Check.That(!activation.IsDisposed, "still the caller's");
            manager.Policy = new ActivationPolicy { Kind = ActivationPolicyKind.RecomputeAll };
            Check.That(!manager.Store(4, activation), "changed");
            manager.Clear();
            Check.Equal(0L, tracker.CurrentMemoryUsage, "cleared");
            manager.Policy = new ActivationPolicy { Kind = ActivationPolicyKind.Strategy,
                Strategy = Strategy.Custom(q => q.LayerName == "stage-1") };
            Check.That(manager.Store(4, activation), "by a strategy");
        }
        using (var manager = new ActivationCheckpointManager(CheckpointStrategy.StoreAll))
        {
            manager.StoreActivation(0, new Tensor(DType.F32, 4));
            CheckpointMetadata metadata = manager.GetMetadata(0);
            Check.That(metadata.MicroBatchIndex == 0 && metadata.MemorySize == 16 && metadata.Shape[0] == 4, "metadata");
            Check.That(manager.EstimateMemoryUsage() == 16 && manager.CheckpointCount == 1, "the reference's names");
            Check.Throws<CkptInvalidStateException>(() => manager.RecomputeActivation(new Tensor(DType.F32, 1), 0),
                "no forward");
        }
        Check.Throws<CkptInvalidArgumentException>(() => new ActivationCheckpointManager(CheckpointStrategy.Smart), "layers");
    }

    private static double[] Train(int stages, PipelineOrder order, int chunks)
    {
        using (var chain = EngineTests.Model())
        using (var optimizer = Optimizer.Sgd(chain, 0.1))
        using (var pipeline = new Pipeline(chain, input, new PipelineOptions
        {
            Stages = stages, MicroBatches = 4, Order = order, Chunks = chunks, MeasuredSteps = 0,
                Policy = new ActivationPolicy { Kind = ActivationPolicyKind.RecomputeAll },
        }))
        {
            var losses = new double[3];
            for (var i = 0; i < losses.Length; ++i)
            {
                double[] parts;
                losses[i] = pipeline.Run(EngineTests.Batch(i), TimeSpan.FromMinutes(5), out parts);
                Check.Equal(4, parts.Length, "micro-batches");
                optimizer.Step();
            }
            Check.Equal(stages * chunks, pipeline.GetBegins().Length, "pieces");
            Check.Equal(3L, pipeline.GetStats(0).Steps, "steps");
            return losses;
        }
    }

    internal static void StagesGiveTheSameBits()
    {
        var one = Train(1, PipelineOrder.GPipe, 1);
        Check.That(one.SequenceEqual(Train(3, PipelineOrder.GPipe, 1)), "GPipe");
        Check.That(one.SequenceEqual(Train(2, PipelineOrder.OneForwardOneBackward, 1)), "1F1B");
        Check.That(one.SequenceEqual(Train(2, PipelineOrder.Interleaved, 2)), "interleaved");
    }

    internal static void StagesReportTheirWork()
    {
        var options = new PipelineOptions { Stages = 2, MicroBatches = 4, MeasuredSteps = 0 };
        Check.Equal(2, Pipeline.GetInFlight(options, 0), "in flight");
        using (var chain = EngineTests.Model())
        {
            using (var profile = chain.Profile(new TensorSpec(DType.F32, 4, 8)))
            {
                options.Begins = Pipeline.Split(profile, options);
                Check.Equal(2, options.Begins.Length, "split");
            }
            using (var pipeline = new Pipeline(chain, input, options))
            {
                pipeline.Run(EngineTests.Batch(0));
                TimeSpan length;
                var timeline = pipeline.GetTimeline(out length);
                Check.That(timeline.Count >= 16 && timeline.All(part => part.EndAtNanoseconds <= length.Ticks * 100 + 100),
                    "timeline");
                Check.That(timeline.Any(part => part.Kind == IntervalKind.Backward && part.Stage == 1 && part.MicroBatch == 3),
                    "backward");
                Check.Contains("traceEvents", pipeline.ToTraceJson(), "trace");
                using (var schedule = pipeline.GetSchedule(0))
                using (var profile = pipeline.GetProfile(0))
                    Check.Equal(schedule.Verify(profile).PeakBytes[0], pipeline.GetStats(0).PeakLiveBytes, "the verifier's peak");
                using (var manager = pipeline.GetManager(1))
                    Check.Equal(ActivationPolicyKind.StoreAll, manager.Policy.Kind, "manager");
                pipeline.Cancel();
            }
        }
    }

    // A layer that calls a function in each forward.
    private sealed class Passing : CustomLayer
    {
        internal Action AtForward = () => { };

        public override TensorSpec Output(TensorSpec given)
        {
            return given;
        }

        public override void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace)
        {
            AtForward();
            input.CopyTo(output);
        }

        public override void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape, ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace)
        {
            gradOutput.CopyTo(gradInput);
        }
    }

    internal static void ATokenEndsTheStep()
    {
        var passing = new Passing();
        using (var chain = new Chain(new Layer("one", "linear:8,4"), Layer.Custom("own", passing), new Layer("loss", "softmax_cross_entropy")))
        using (var pipeline = new Pipeline(chain, input, new PipelineOptions { Stages = 2, MicroBatches = 4, MeasuredSteps = 0 }))
        using (var source = new CancellationTokenSource())
        {
            chain.Initialize(1);
            var forwards = 0;
            passing.AtForward = () => ++forwards;
            Check.Throws<OperationCanceledException>(() => pipeline.Run(EngineTests.Batch(0), null, new CancellationToken(true)),
                "before it began");
            Check.Equal(0, forwards, "nothing ran");
            passing.AtForward = () =>
            {
                source.Cancel();
                Thread.Sleep(200);
            };
            Check.Throws<OperationCanceledException>(() => pipeline.Run(EngineTests.Batch(0), null, source.Token), "by a layer");
            passing.AtForward = () => ++forwards;
            Check.That(pipeline.Run(EngineTests.Batch(0), null, CancellationToken.None) > 0, "the next step");
            using (var unused = new CancellationTokenSource())
                Check.That(pipeline.Run(EngineTests.Batch(0), TimeSpan.FromHours(1), unused.Token) > 0, "not cancelled");
            Check.That(forwards >= 8, "both ran whole");
        }
    }
}
