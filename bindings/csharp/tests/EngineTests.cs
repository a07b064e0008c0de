using System;
using System.Globalization;
using System.Linq;
using System.Runtime.InteropServices;
using Ckpt;

internal static class EngineTests
{
    private static readonly TensorSpec input = new TensorSpec(DType.F32, 16, 8);

    // A probability is a number of the library, not of the host's culture.
    internal static void ValuesHaveNoCulture()
    {
        var before = CultureInfo.CurrentCulture;
        var comma = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        comma.NumberFormat.NumberDecimalSeparator = ",";
        CultureInfo.CurrentCulture = comma;
        try
        {
            Check.Equal("0,5", 0.5.ToString(), "the culture has a comma");
            new Layer("drop", "dropout", 0.5).Dispose();
            Check.Throws<CkptInvalidArgumentException>(() => new Layer("drop", "dropout", 1.5), "dropout:1.5");
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    internal static Chain Model()
    {
        var chain = new Chain(new Layer("one", "linear:8,32"), new Layer("gelu", "gelu"), new Layer("drop", "dropout:0.1"),
            new Layer("two", "linear:32,16"),
                              new Layer("relu", "relu"), new Layer("three", "linear:16,4"), new Layer("loss", "softmax_cross_entropy"));
        chain.Initialize(7);
        return chain;
    }

    internal static Step Batch(long number)
    {
        var x = new Tensor(DType.F32, 16, 8);
        var y = new Tensor(DType.I32, 16);
        var elements = x.AsSpan<float>();
        var targets = y.AsSpan<int>();
        for (var i = 0; i < elements.Length; ++i) elements[i] = (float)Math.Sin(number * 31 + i);
        for (var i = 0; i < targets.Length; ++i) targets[i] = (int)((number + i) % 4);
        return new Step(x, y) { Number = number, Seed = 3 };
    }

    private static double[] Train(string planner, int steps)
    {
        using (var chain = Model())
        using (var profile = chain.Profile(input))
        using (var schedule = Schedule.Create(profile, planner))
        using (var executor = new ScheduleExecutor(chain, schedule, input))
        using (var optimizer = Optimizer.AdamW(chain))
        {
            var losses = new double[steps];
            for (var i = 0; i < steps; ++i)
            {
                losses[i] = executor.Run(Batch(i));
                optimizer.Step();
            }
            Check.Equal((long)steps, executor.GetStats().Steps, "steps");
            Check.Equal(schedule.Verify(profile).PeakBytes[0], executor.GetStats().PeakLiveBytes, "the verifier's peak");
            return losses;
        }
    }

    internal static void ProfilesAreMeasuredRefinedAndWritten()
    {
        var options = new ScheduleExecutorOptions { RecomputeCheck = RecomputeCheck.Bitwise, CheckWrites = true };
        using (var chain = Model())
        using (var measured = chain.MeasuredProfile(Batch(0), 2))
        using (var schedule = Schedule.Create(measured, "recompute-all"))
        using (var executor = new ScheduleExecutor(chain, schedule, input, options))
        {
            Check.That(measured.GetOption(0).ForwardSeconds > 0, "seconds");
            Check.Throws<CkptInvalidStateException>(() => executor.Refine(measured), "no step yet");
            executor.Run(Batch(0));
            using (var refined = executor.Refine(measured))
            using (var again = Profile.FromJson(refined.ToJson()))
            {
                Check.Equal(refined.ToJson(), again.ToJson(), "JSON");
                Check.Equal(refined.GetOption(1).BackwardSeconds, again.GetOption(1).BackwardSeconds, "seconds");
            }
        }
        Check.Throws<CkptCorruptException>(() => Profile.FromJson("{}"), "no profile");
    }

    internal static void EveryScheduleGivesTheSameBits()
    {
        Check.That(Blas.Info().Length > 3, "a BLAS");
        var expected = Train("store-all", 5);
        Check.That(expected[4] < expected[0] * 2 && expected[0] > 0, "losses");
        Check.That(expected.SequenceEqual(Train("recompute-all", 5)), "recompute-all");
        Check.That(expected.SequenceEqual(Train("periodic:3", 5)), "periodic");
    }

    internal static void ChainsAndOptimizersShowTheirTensors()
    {
        using (var chain = Model())
        using (var optimizer = Optimizer.Sgd(chain, 0.1, 0.9))
        {
            Check.Equal(7L, chain.LayerCount, "layers");
            var parameters = chain.Parameters();
            Check.Equal("one.weight", parameters[0].Name, "name");
            Check.Equal("8,32", string.Join(",", parameters[0].Value.Shape), "shape");
            parameters[0].Gradient.Fill(3);
            Check.That(chain.ClipGradients(1) > 1, "norm before");
            optimizer.Step();
            Check.Equal(1L, optimizer.StepCount, "steps");
            optimizer.StepCount = 5;
            Check.Equal(5L, optimizer.StepCount, "set");
            Check.Equal("one.weight.momentum", optimizer.Tensors()[0].Key, "state");
            Check.Throws<CkptAlreadyExistsException>(() => chain.Add(new Layer("relu", "relu")), "name taken");
            Check.That(Layer.KnownKinds.Any(kind => kind.StartsWith("linear:INPUTS,OUTPUTS[,DTYPE] - ")), "kinds");
            Check.Throws<CkptNotFoundException>(() => new Layer("a", "linea", 4, 4), "unknown kind");
            Check.Throws<CkptOverBudgetException>(() => new ScheduleExecutor(chain,
                Schedule.Create(chain.Profile(input), "store-all"), input, new ScheduleExecutorOptions { BudgetBytes = 100 }), "budget");
        }
    }

    // y = 2x, and a switch that makes it fail.
    private sealed class Twice : CustomLayer
    {
        internal bool Broken;
        internal int Forwards;
        internal LayerContext Last;

        public override TensorSpec Output(TensorSpec given)
        {
            if (given.DType != DType.F32) throw new ArgumentException("only F32");
            return given;
        }

        public override LayerOption Option(TensorSpec given, int option)
        {
            return new LayerOption { TapeBytes = 64, ForwardWorkspaceBytes = 128 };
        }

        public override void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace)
        {
            if (Broken) throw new InvalidOperationException("twice is broken");
            ++Forwards;
            Last = context;
            Check.That(tape.Length == 0 || tape.Length == 64, "tape");
            Check.Equal(128, workspace.Length, "workspace");
            var x = MemoryMarshal.Cast<byte, float>(input);
            var y = MemoryMarshal.Cast<byte, float>(output);
            for (var i = 0; i < x.Length; ++i) y[i] = 2 * x[i];
        }

        public override void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape,
                                      ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace)
        {
            Check.Equal(0, output.Length, "the output was not asked for");
            var dy = MemoryMarshal.Cast<byte, float>(gradOutput);
            var dx = MemoryMarshal.Cast<byte, float>(gradInput);
            for (var i = 0; i < dy.Length; ++i) dx[i] = 2 * dy[i];
        }
    }

    internal static void YourOwnLayer()
    {
        var twice = new Twice();
        using (var chain = new Chain(Layer.Custom("twice", twice), new Layer("one", "linear:8,4"), new Layer("loss", "softmax_cross_entropy")))
        {
            chain.Initialize(1);
            using (var executor = new ScheduleExecutor(chain, Schedule.Create(chain.Profile(input), "recompute-all"), input))
            {
                var loss = executor.Run(Batch(1));
                Check.That(loss > 0, "loss");
                Check.That(twice.Forwards >= 2, "recomputed");
                Check.Equal("16,8", string.Join(",", twice.Last.Input.Shape), "context");
                twice.Broken = true;
                var error = Check.Throws<CkptCallbackException>(() => executor.Run(Batch(1)), "broken");
                Check.Contains("twice is broken", error.Message, "text");
                twice.Broken = false;
                Check.Equal(loss, executor.Run(Batch(1)), "the next step works");
            }
            var refused = Check.Throws<CkptCallbackException>(() => chain.Profile(new TensorSpec(DType.F64, 16, 8)),
                "refused");
            Check.Contains("only F32", refused.Message, "text");
        }
    }

    internal static void StepsTakeAndGiveTensors()
    {
        using (var chain = new Chain(new Layer("one", "linear:8,4")))
        {
            chain.Initialize(1);
            using (var executor = new ScheduleExecutor(chain, Schedule.Create(chain.Profile(input), "store-all"), input))
            {
                var step = Batch(0);
                step.Targets = null;
                step.Output = new Tensor(DType.F32, 16, 4);
                step.InputGradient = new Tensor(DType.F32, 16, 8);
                step.OutputGradient = new Tensor(DType.F32, 16, 4);
                step.OutputGradient.Fill(1);
                Check.That(double.IsNaN(executor.Run(step)), "no loss");
                var once = chain.Parameters()[1].Gradient.Sum();
                step.Accumulate = true;
                executor.Run(step);
                Check.Equal(2 * once, chain.Parameters()[1].Gradient.Sum(), "accumulated");
                Check.That(step.InputGradient.Sum() != 0 && step.Output.Sum() != 0, "filled");
                Check.Throws<ObjectDisposedException>(() =>
                {
                    step.Output.Dispose();
                    executor.Run(step);
                }, "a disposed tensor");
            }
        }
    }
}
