using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Ckpt;

internal static class EngineTests
{
    private static readonly TensorSpec input = new TensorSpec(DType.F32, 16, 8);

    // Numbers are formatted independently of the culture.
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

    internal static void KernelsAreSetOnce()
    {
        if (RuntimeInformation.ProcessArchitecture != Architecture.X64)
        {
            Check.Throws<CkptUnsupportedException>(() => Blas.SetKernels("best"), "another processor");
            return;
        }
        string output;
        var code = Children.Start("kernels", out output);
        Check.Equal(0, code, output);
    }

    // In a separate process: a BLAS is loaded once.
    internal static int SetKernels()
    {
        var unknown = Check.Throws<CkptInvalidArgumentException>(() => Blas.SetKernels("Skylake"), "an unknown name");
        Check.Contains("expected best, ", unknown.Message, "message");
        Blas.SetKernels("Prescott");
        Check.Contains("its kernels are Prescott (SSE3)", Blas.Info(), "information");
        var late = Check.Throws<CkptInvalidStateException>(() => Blas.SetKernels("best"), "a second time");
        Check.Contains("its Prescott kernels", late.Message, "message");
        return 0;
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

    internal static void CustomLayers()
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

    // y = x; records for each forward whether it is an evaluation.
    private sealed class Watching : CustomLayer
    {
        internal readonly List<bool> Evaluations = new List<bool>();

        public override TensorSpec Output(TensorSpec given)
        {
            return given;
        }

        public override void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace)
        {
            Evaluations.Add(context.Evaluation);
            input.CopyTo(output);
        }

        public override void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape, ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace)
        {
            gradOutput.CopyTo(gradInput);
        }
    }

    internal static void AGraphGivesTheSameLossWithinABudget()
    {
        using (var chain = new Chain())
        {
            chain.Add(new Layer("in", "linear:8,16")).Add(new Layer("hidden", "linear:16,16")).Add(new Layer("gelu", "gelu"));
            chain.Add(new Layer("skip", "add"), 3, 1).Add(new Layer("both", "concatenate"), 1, 4).Add(new Layer("out", "linear:32,4"));
            Check.Throws<CkptInvalidArgumentException>(() => chain.Add(new Layer("late", "relu"), 7), "a later value");
            Check.Equal(6L, chain.LayerCount, "layers");
            chain.Add(new Layer("loss", "softmax_cross_entropy")).Initialize(1);
            using (var profile = chain.Profile(input))
            using (var all = Schedule.Create(profile, "store-all"))
            using (var less = Schedule.Create(profile, "graph:" + all.ReservedBytes(profile) * 9 / 10))
            using (var plain = new ScheduleExecutor(chain, all, input))
            using (var executor = new ScheduleExecutor(chain, less, input))
            {
                Check.Equal(plain.Run(Batch(1)), executor.Run(Batch(1)), "loss");
                Check.That(executor.GetStats().RecomputedForwards > 0, "it recomputes");
                Check.That(executor.GetStats().ReservedBytes < plain.GetStats().ReservedBytes, "it needs fewer bytes");
            }
        }
    }

    internal static void ATiedHeadLearnsAndIsEvaluated()
    {
        var watching = new Watching();
        var spec = new TensorSpec(DType.U8, 6, 4);
        using (var pool = new WorkerPool(2))
        using (var tokens = new Tensor(DType.U8, 6, 4))
        using (var embedding = new Layer("embedding", "token_embedding:16,4,8"))
        using (var chain = new Chain(embedding, new Layer("dropout", "dropout", 0.5), Layer.Custom("watching", watching),
            Layer.TiedHead("head", embedding), new Layer("loss", "softmax_cross_entropy")))
        {
            chain.Initialize(3);
            chain.SetWorkerPool(pool);
            var elements = tokens.AsSpan<byte>();
            for (var i = 0; i < elements.Length; ++i) elements[i] = (byte)(i * 5 % 16);
            var step = new Step(tokens, tokens);
            using (var executor = new ScheduleExecutor(chain, Schedule.Create(chain.Profile(spec), "store-all"), spec,
                new ScheduleExecutorOptions { CheckFinite = true }))
            using (var optimizer = Optimizer.Sgd(chain, 0.5))
            {
                optimizer.LearningRate = 1;
                Check.Equal(1.0, optimizer.LearningRate, "rate");
                var before = executor.Evaluate(step, 5);
                Check.That(watching.Evaluations.SequenceEqual(new[] { true }), "evaluations");
                var gradient = chain.Parameters()[0].Gradient;
                for (step.Number = 0; step.Number < 20; ++step.Number)
                {
                    executor.Run(step);
                    optimizer.Step();
                    if (step.Number != 10) continue;
                    optimizer.LearningRate = 0;
                    var norm = optimizer.StepAndZero();
                    Check.That(norm > 0 && gradient.AsReadOnlySpan<float>().ToArray().All(x => x == 0), "one pass");
                    Check.Equal(0.0, optimizer.StepAndZero(1), "norm of nothing");
                    Check.Throws<CkptInvalidArgumentException>(() => optimizer.StepAndZero(-1), "max_norm");
                    optimizer.LearningRate = 1;
                }
                Check.That(!watching.Evaluations.Last(), "a step is not an evaluation");
                var kept = gradient.AsReadOnlySpan<float>().ToArray();
                var after = executor.Evaluate(step, 5);
                Check.That(after < before, "it learns");
                step.Number = 1;
                Check.Equal(after, executor.Evaluate(step, 5), "nothing is dropped");
                Check.That(kept.SequenceEqual(gradient.AsReadOnlySpan<float>().ToArray()), "gradients stay");
                optimizer.LearningRate = 0;
                optimizer.Step();
                Check.Equal(after, executor.Evaluate(step, 5), "no parameter moves");
                var error = Check.Throws<CkptInvalidArgumentException>(() => optimizer.LearningRate = -1, "rate");
                Check.Contains("learning_rate is -1", error.Message, "text");
                Check.Throws<CkptInvalidArgumentException>(() => executor.Evaluate(step, 6), "layers");
            }
            chain.SetWorkerPool(null);
            var refused = Check.Throws<CkptInvalidArgumentException>(() => Layer.TiedHead("head", new Layer("relu", "relu")), "head");
            Check.Contains("embedding", refused.Message, "text");
        }
    }

    internal static void RatesFollowAScheduleAndBiasesNeedNotDecay()
    {
        var schedule = new LearningRateSchedule { Kind = LearningRateKind.Cosine, PeakRate = 1, LastRate = 0.25, WarmUpSteps = 3,
            StepCount = 11 };
        Check.Equal(0.25, Optimizer.LearningRateAt(schedule, 0), "warm-up");
        Check.Equal(1.0, Optimizer.LearningRateAt(schedule, 3), "peak");
        Check.That(Math.Abs(Optimizer.LearningRateAt(schedule, 7) - 0.625) < 1e-12, "half way down");
        Check.Equal(0.25, Optimizer.LearningRateAt(schedule, 11), "end");
        Check.Throws<CkptInvalidArgumentException>(() => Optimizer.LearningRateAt(null, 0), "no schedule");
        using (var chain = new Chain(new Layer("linear", "linear", 2, 2)))
        {
            chain.Initialize(1);
            foreach (var parameter in chain.Parameters()) parameter.Value.Fill(1);
            using (var optimizer = Optimizer.AdamW(chain, new AdamWOptions { DecayMatricesOnly = true })) optimizer.Step();
            Check.That(chain.Parameters()[0].Value.AsReadOnlySpan<float>()[0] < 1, "the weight decays");
            Check.Equal(1f, chain.Parameters()[1].Value.AsReadOnlySpan<float>()[0], "the bias does not");
        }
    }

    // The loss: the mean over the samples of -x[target]. Exact in 32 bits for the numbers of its test.
    private sealed class Pick : CustomLayer
    {
        internal readonly List<LayerContext> Contexts = new List<LayerContext>();
        internal readonly List<Tensor> Kept = new List<Tensor>();
        internal int Asked;
        internal int Threads;
        internal long Parts;

        public override TensorSpec Output(TensorSpec given)
        {
            return new TensorSpec(DType.F32, 1);
        }

        public override LayerOption Option(TensorSpec given, int option)
        {
            ++Asked;
            return new LayerOption { TapeBytes = 4, ForwardWorkspaceBytes = 8, BackwardWorkspaceBytes = 12 };
        }

        private int[] Targets(LayerContext context)
        {
            Contexts.Add(context);
            Kept.Add(context.Targets.Share());
            Threads = context.Pool.ThreadCount;
            context.Pool.Run(3, part => Interlocked.Add(ref Parts, 1 + part));
            context.Pool.Dispose(); // has no effect
            return context.Targets.AsReadOnlySpan<int>().ToArray();
        }

        public override void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace)
        {
            Check.That(workspace.Length == 8 && (tape.Length == 0 || tape.Length == 4), "lengths");
            var targets = Targets(context);
            var x = MemoryMarshal.Cast<byte, float>(input);
            float sum = 0;
            for (var i = 0; i < targets.Length; ++i) sum -= x[i * 4 + targets[i]];
            var loss = MemoryMarshal.Cast<byte, float>(output); // a variable: mcs rejects an assignment to an element of a call's result
            loss[0] = sum / targets.Length;
        }

        public override void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape, ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace)
        {
            Check.Equal(12, workspace.Length, "workspace");
            var targets = Targets(context);
            var dx = MemoryMarshal.Cast<byte, float>(gradInput);
            dx.Clear();
            var scale = MemoryMarshal.Cast<byte, float>(gradOutput)[0] / targets.Length;
            for (var i = 0; i < targets.Length; ++i) dx[i * 4 + targets[i]] = -scale;
        }
    }

    internal static void TargetsAndPoolInAChainAndInAPipeline()
    {
        var spec = new TensorSpec(DType.F32, 8, 4);
        var x = new float[32];
        var gradient = new float[32];
        var targets = new int[8];
        float loss = 0;
        for (var i = 0; i < 8; ++i)
        {
            targets[i] = i * 7 % 4;
            for (var k = 0; k < 4; ++k) x[i * 4 + k] = ((i * 4 + k) * 5 % 17 - 8) / 4f;
            loss -= x[i * 4 + targets[i]] / 8;
            gradient[i * 4 + targets[i]] = -1 / 8f;
        }
        foreach (var microBatches in new[] { 1, 4 })
        {
            var pick = new Pick();
            int asked;
            using (var chain = new Chain(new Layer("body", "dropout:0"), Layer.Custom("pick", pick)))
            using (var pool = new WorkerPool(2))
            using (var given = Tensor.From(x, 8, 4))
            using (var labels = Tensor.From(targets, 8))
            using (var got = new Tensor(DType.F32, 8, 4))
            {
                var step = new Step(given, labels) { FirstSample = 40, InputGradient = got };
                if (microBatches == 1)
                {
                    using (var executor = new ScheduleExecutor(chain, Schedule.Create(chain.Profile(spec), "store-all"), spec,
                        new ScheduleExecutorOptions { Pool = pool }))
                    {
                        asked = pick.Asked;
                        for (var i = 0; i < 3; ++i) Check.Equal((double)loss, executor.Run(step), "loss");
                    }
                    Check.Equal(2, pick.Threads, "the executor's pool");
                    Check.Equal(2, pool.ThreadCount, "the pool continues");
                }
                else
                {
                    using (var pipeline = new Pipeline(chain, spec, new PipelineOptions { Stages = 2, MicroBatches = 4, MeasuredSteps = 0 }))
                    {
                        asked = pick.Asked;
                        for (var i = 0; i < 3; ++i) Check.Equal((double)loss, pipeline.Run(step), "loss");
                    }
                }
                Check.That(got.AsReadOnlySpan<float>().SequenceEqual(gradient), "gradient");
            }
            Check.That(asked > 0 && asked == pick.Asked, "asked when executor or pipeline are made");
            Check.Equal(3L * 2 * microBatches * 6, pick.Parts, "parts");
            var samples = 8 / microBatches;
            for (var i = 0; i < pick.Contexts.Count; ++i)
            {
                var context = pick.Contexts[i];
                var begin = context.MicroBatch * samples;
                Check.Equal(40L + begin, context.FirstSample, "first sample");
                Check.That(context.Targets.IsDisposed && context.Pool.IsDisposed, "lent for the call only");
                Check.Throws<ObjectDisposedException>(() => context.Pool.Run(1, part => { }), "the pool after the call");
                using (var kept = pick.Kept[i]) // those of the step are disposed of
                    Check.That(kept.AsReadOnlySpan<int>().SequenceEqual(targets.AsSpan(begin, samples)), "targets");
            }
            Check.Equal(3 * 2 * microBatches, pick.Contexts.Count, "runs");
        }
    }

    // y = x^2, with x as the tape.
    private class Square : CustomLayer
    {
        internal readonly List<string> Calls = new List<string>();

        public override LayerFlag Flags { get { return LayerFlag.Deterministic; } }

        public override TensorSpec Output(TensorSpec given)
        {
            return given;
        }

        public override LayerOption Option(TensorSpec given, int option)
        {
            return new LayerOption { TapeBytes = 24, ForwardWorkspaceBytes = 8 };
        }

        public override void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace)
        {
            Check.That(context.Targets == null && context.Pool != null, "a step without targets");
            Calls.Add("forward");
            var x = MemoryMarshal.Cast<byte, float>(input);
            var y = MemoryMarshal.Cast<byte, float>(output);
            for (var i = 0; i < x.Length; ++i) y[i] = x[i] * x[i];
            if (tape.Length > 0) input.CopyTo(tape);
        }

        public override void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape, ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace)
        {
            var x = MemoryMarshal.Cast<byte, float>(tape);
            var dy = MemoryMarshal.Cast<byte, float>(gradOutput);
            var dx = MemoryMarshal.Cast<byte, float>(gradInput);
            for (var i = 0; i < x.Length; ++i) dx[i] = 2 * x[i] * dy[i];
        }
    }

    private class SquareApart : Square
    {
        internal bool Failing;

        public override void Record(LayerContext context, ReadOnlySpan<byte> input, Span<byte> tape, Span<byte> workspace)
        {
            if (Failing) throw new InvalidOperationException("no ink");
            Check.That(context.Recomputation && workspace.Length == 8 && tape.Length == 24, "record");
            Calls.Add("record");
            input.CopyTo(tape);
        }
    }

    private sealed class SquareBelow : SquareApart
    {
    }

    private static ScheduleAction Act(ActionKind kind, long first, Item item = Item.None)
    {
        return new ScheduleAction { Kind = kind, First = first, Last = item == Item.None ? first + 1 : 0, Item = item };
    }

    internal static void RecordIsAForwardWithoutOutput()
    {
        var spec = new TensorSpec(DType.F32, 2, 3);
        var options = new ScheduleExecutorOptions { RecomputeCheck = RecomputeCheck.Bitwise, CheckWrites = true };
        float[] first = null;
        using (var x = Tensor.From(new[] { 1, 2 / 3f, 3, 4 / 3f, 5, 6 }, 2, 3))
        using (var schedule = Schedule.FromActions(2, new[]
        {
            Act(ActionKind.Forward, 0), Act(ActionKind.ForwardTape, 1), Act(ActionKind.Drop, 1, Item.Input), Act(ActionKind.Turn, 0),
            Act(ActionKind.Drop, 2, Item.Input), Act(ActionKind.Backward, 1), Act(ActionKind.Record, 0),
            Act(ActionKind.Drop, 0, Item.Input), Act(ActionKind.Backward, 0), Act(ActionKind.End, 0),
        }))
        {
            foreach (var square in new[] { new Square(), new SquareApart(), new SquareBelow() })
            {
                var records = square is SquareApart;
                using (var chain = new Chain(Layer.Custom("one", square), Layer.Custom("two", new Square())))
                using (var profile = chain.Profile(spec))
                using (var executor = new ScheduleExecutor(chain, schedule, spec, options))
                using (var gradient = new Tensor(DType.F32, 2, 3))
                {
                    Check.Equal(records, profile.GetOption(0).HasRecord, "has record");
                    Check.Equal(records ? 8L : 0L, profile.GetOption(0).RecordWorkspaceBytes, "workspace");
                    executor.Run(new Step(x) { OutputGradient = x, InputGradient = gradient });
                    Check.Equal(records ? "forward,record" : "forward,forward", string.Join(",", square.Calls), "calls");
                    var got = gradient.AsReadOnlySpan<float>().ToArray();
                    Check.That(got[5] > 0 && (first == null || first.SequenceEqual(got)), "the same bits");
                    first = got;
                    var apart = square as SquareApart;
                    if (apart == null) continue;
                    apart.Failing = true;
                    var error = Check.Throws<CkptCallbackException>(() => executor.Run(new Step(x) { OutputGradient = x }), "no ink");
                    Check.Contains("record", error.Message, "callback");
                    Check.Contains("no ink", error.Message, "text");
                }
            }
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
