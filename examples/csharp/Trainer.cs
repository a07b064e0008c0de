// Trains a small network with saves in the background: progress is reported, one save is cancelled, the process "crashes" half-way,
// and a second run resumes. At the end every parameter has the same bits as in a run that was never interrupted.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Ckpt;

internal sealed class Trainer : IDisposable
{
    private const int Samples = 64, Inputs = 16, Width = 256, Classes = 4, Steps = 40, SaveEvery = 10;
    private static readonly TensorSpec batchSpec = new TensorSpec(DType.F32, Samples, Inputs);

    private readonly Chain chain;
    private readonly Optimizer optimizer;
    private readonly ScheduleExecutor executor;
    private readonly State state;
    private readonly Tensor x = new Tensor(DType.F32, Samples, Inputs);
    private readonly Tensor y = new Tensor(DType.I32, Samples);

    internal Trainer()
    {
        chain = new Chain(new Layer("in", "linear", Inputs, Width));
        for (var i = 0; i < 4; ++i)
        {
            chain.Add(new Layer("gelu" + i, "gelu")).Add(new Layer("dropout" + i, "dropout:0.1"));
            chain.Add(new Layer("linear" + i, "linear", Width, i < 3 ? Width : Classes));
        }
        chain.Add(new Layer("loss", "softmax_cross_entropy"));
        chain.Initialize(1);
        optimizer = Optimizer.AdamW(chain, new AdamWOptions { LearningRate = 0.002 });
        using (var profile = chain.Profile(batchSpec))
        using (var everything = Schedule.Create(profile, "store-all"))
        using (var schedule = Schedule.Create(profile, "auto:" + everything.ReservedBytes(profile) * 6 / 10)) // 60 %
            executor = new ScheduleExecutor(chain, schedule, batchSpec);
        state = State.Of(chain, optimizer);
    }

    // Returns the samples of a step; the class is the quadrant of the first two inputs.
    private double Step(long number)
    {
        var random = new Random((int)number);
        var inputs = x.AsSpan<float>();
        var targets = y.AsSpan<int>();
        for (var i = 0; i < inputs.Length; ++i) inputs[i] = (float)(random.NextDouble() * 2 - 1);
        for (var i = 0; i < targets.Length; ++i) targets[i] = (inputs[i * Inputs] > 0 ? 2 : 0)
            + (inputs[i * Inputs + 1] > 0 ? 1 : 0);
        var loss = executor.Run(new Step(x, y) { Number = number, Seed = 7 });
        optimizer.Step();
        return loss;
    }

    // Trains from the latest checkpoint up to `until`. Does not wait for saves: training continues while they are written.
    internal void Run(string folder, long until)
    {
        using (var checkpoints = new CheckpointManager(folder, new CheckpointManagerOptions { KeepLast = 2 }))
        using (var manager = new AsyncManager(checkpoints))
        {
            var loaded = checkpoints.LoadIfAny(state);
            var first = loaded == null ? 0 : loaded.Step;
            if (loaded != null) optimizer.StepCount = first;
            Console.WriteLine(loaded == null ? "a new run" : "resumed after step " + first);
            manager.TaskEnded += (sender, e) =>
            {
                if (e.Result.State == CheckpointTaskState.Completed)
                    Console.WriteLine("  step {0} is durable; training stood still for {1:F1} ms", e.Result.Step,
                        e.Result.Stall.TotalMilliseconds);
            };
            for (var step = first; step < until; ++step)
            {
                var loss = Step(step);
                if ((step + 1) % SaveEvery != 0) continue;
                Console.WriteLine("step {0}: loss {1:F4}", step + 1, loss);
                manager.Save(state, new SaveOptions { Step = step + 1, Metric = loss }, null, new Bar());
            }
            if (until < Steps) CancelOne(manager, until);
            manager.Close(); // waits for queued saves, and throws the error of a failed one
        }
    }

    // Cancels a save that is no longer needed. The save waits for its gate, so the cancellation always wins.
    private void CancelOne(AsyncManager manager, long step)
    {
        using (var stop = new CancellationTokenSource())
        {
            var task = manager.Save(state, new SaveOptions { Step = step }, new CheckpointTaskOptions { GateStep = Steps }, null,
                stop.Token);
            stop.Cancel();
            Console.WriteLine("the save of step {0} was {1}", step, task.Wait().State.ToString().ToLowerInvariant());
        }
    }

    // Reports the progress of a save, on a library thread.
    private sealed class Bar : IProgress<CheckpointProgress>
    {
        public void Report(CheckpointProgress value)
        {
            if (value.DoneBytes == value.TotalBytes) Console.WriteLine("  {0} of {1} bytes are written", value.DoneBytes,
                value.TotalBytes);
        }
    }

    private float[] Parameters()
    {
        return chain.Parameters().SelectMany(parameter => parameter.Value.ToArray<float>()).ToArray();
    }

    public void Dispose()
    {
        state.Dispose();
        executor.Dispose();
        optimizer.Dispose();
        chain.Dispose();
        x.Dispose();
        y.Dispose();
    }

    private static float[] Train(string folder, params long[] stops)
    {
        float[] parameters = null;
        foreach (var stop in stops)
        {
            using (var trainer = new Trainer()) // a new process after each "crash": only the checkpoints remain
            {
                trainer.Run(folder, stop);
                parameters = trainer.Parameters();
            }
        }
        return parameters;
    }

    internal static int Main(string[] arguments)
    {
        var root = arguments.Length > 0 ? arguments[0] : Path.Combine(Path.GetTempPath(),
            "ckpt-trainer-" + Guid.NewGuid().ToString("N"));
        if (Directory.Exists(root)) Directory.Delete(root, true);
        var whole = Train(Path.Combine(root, "whole"), Steps);
        var interrupted = Train(Path.Combine(root, "interrupted"), 25, Steps);
        var same = whole.SequenceEqual(interrupted);
        Console.WriteLine("{0} parameters: {1}", whole.Length, same ? "the same bits with and without the crash"
            : "DIFFERENT after the crash");
        Directory.Delete(root, true);
        return same ? 0 : 1;
    }
}
