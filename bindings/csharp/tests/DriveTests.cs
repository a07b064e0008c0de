using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;

// A framework written in C#, driven by schedules of every kind.
internal static class DriveTests
{
    // y = sin(x) + x / 2, element by element; the tape is the slope. Counts live items.
    private class Waves : Framework<double[]>
    {
        internal int Alive;
        internal int Forwards;
        internal string Broken = "";
        internal Driver<double[]> Driver;
        internal readonly Dictionary<Tuple<int, int>, double[]> Slots = new Dictionary<Tuple<int, int>, double[]>();

        internal double[] Created(params double[] item)
        {
            ++Alive;
            return item;
        }

        private void Enter(string call)
        {
            if (call == Broken) throw new InvalidOperationException("no " + call);
        }

        private void Taken(DriveCall call, DriveFlag flag)
        {
            if ((call.Flags & flag) != 0) --Alive;
        }

        private static double[] Wave(double[] x)
        {
            return x.Select(value => Math.Sin(value) + value / 2).ToArray();
        }

        public override double[] Forward(DriveCall call, double[] input)
        {
            Taken(call, DriveFlag.TakeInput);
            Enter("Forward");
            for (var layer = call.First; layer < call.Last; ++layer, ++Forwards) input = Wave(input);
            return Created(input);
        }

        public override void Record(DriveCall call, double[] input, out double[] output, out double[] tape)
        {
            Taken(call, DriveFlag.TakeInput);
            Enter("Record");
            ++Forwards;
            tape = Created(input.Select(value => Math.Cos(value) + 0.5).ToArray());
            output = (call.Flags & DriveFlag.NoOutput) != 0 ? null : Created(Wave(input));
        }

        public override double[] Backward(DriveCall call, double[] input, double[] output, double[] tape, double[] gradOutput)
        {
            Alive -= 2;
            Taken(call, DriveFlag.TakeInput);
            Taken(call, DriveFlag.TakeOutput);
            Enter("Backward");
            return Created(tape.Zip(gradOutput, (slope, grad) => slope * grad).ToArray());
        }

        public override double[] Turn(DriveCall call, double[] output)
        {
            Enter("Turn");
            return Created(output.Select(value => 1.0).ToArray());
        }

        public override void Store(DriveCall call, double[] item)
        {
            Slots[Tuple.Create(call.Tier, call.Slot)] = (double[])item.Clone();
        }

        public override double[] Load(DriveCall call)
        {
            return Created((double[])Slots[Tuple.Create(call.Tier, call.Slot)].Clone());
        }

        public override void Await(DriveCall call)
        {
        }

        public override void Drop(DriveCall call, double[] item)
        {
            if (call.Tier > 0)
                Check.That(item == null && Slots.Remove(Tuple.Create(call.Tier, call.Slot)), "a slot that holds something");
            else
                --Alive;
        }

        internal double[] Gradient()
        {
            var grad = Driver.Run(Created(0.1, 0.2, 0.3));
            --Alive;
            Check.Equal(0, Alive, "everything ended");
            Check.Equal(0, Slots.Count, "slots");
            return grad;
        }
    }

    private sealed class OpenEnded : Waves
    {
        internal readonly List<long> Lengths = new List<long>();

        public override double[] Forward(DriveCall call, double[] input)
        {
            if (call.First == 6) Driver.Finalize(8);
            if (call.First == 4 && Broken == "cancel") Driver.Cancel();
            Lengths.Add(call.Layers);
            return base.Forward(call, input);
        }
    }

    private sealed class ReturnsNull : Waves
    {
        public override double[] Forward(DriveCall call, double[] input)
        {
            return null;
        }
    }

    private static Profile Like(long layers)
    {
        return Profile.Uniform(layers, new LayerProfile { Flags = LayerFlag.Deterministic, OutputBytes = 24 },
            new OptionProfile { TapeBytes = 24, ForwardSeconds = 1, BackwardSeconds = 1, HasRecord = true });
    }

    private static T Driven<T>(Schedule schedule) where T : Waves, new()
    {
        var waves = new T();
        waves.Driver = new Driver<double[]>(schedule, waves);
        return waves;
    }

    // Layer i of a graph computes the sine of its first input plus the others.
    private sealed class Sums : Waves
    {
        internal bool ReturnsTooFew;

        public override double[] ForwardN(DriveCall call, IReadOnlyList<FrameworkInput<double[]>> inputs)
        {
            ++Forwards;
            var sum = Math.Sin(inputs[0].Item[0]) + inputs.Skip(1).Sum(other => other.Item[0]);
            Alive -= inputs.Count(input => input.IsLast);
            return Created(sum);
        }

        public override void RecordN(DriveCall call, IReadOnlyList<FrameworkInput<double[]>> inputs, out double[] output,
            out double[] tape)
        {
            tape = Created(Math.Cos(inputs[0].Item[0]));
            output = ForwardN(call, inputs);
        }

        public override double[][] BackwardN(DriveCall call, IReadOnlyList<FrameworkInput<double[]>> inputs, double[] output,
            double[] tape, double[] gradOutput, double[][] sums)
        {
            for (var i = 0; i < sums.Length; ++i)
            {
                var part = gradOutput[0] * (i == 0 ? tape[0] : 1);
                if (sums[i] == null) sums[i] = Created(part);
                else sums[i][0] += part;
            }
            Alive -= 2 + inputs.Count(input => input.IsLast) + ((call.Flags & DriveFlag.TakeOutput) != 0 ? 1 : 0);
            return ReturnsTooFew ? sums.Skip(1).ToArray() : sums;
        }
    }

    internal static void AGraphGivesTheSameGradientWithinABudget()
    {
        using (var profile = new Profile(64))
        {
            for (var i = 0; i < 12; ++i)
            {
                profile.AddLayer(new LayerProfile { Name = "layer" + i, OutputBytes = 64, Flags = LayerFlag.Deterministic },
                    new OptionProfile { TapeBytes = 640, ForwardSeconds = 1, BackwardSeconds = 1 });
            }
            for (var i = 2; i < 12; ++i) profile.SetInputs(i, new long[] { i, i - 2 });
            using (var all = Schedule.Create(profile, "store-all"))
            using (var less = Schedule.Create(profile, "graph:" + all.ReservedBytes(profile) * 6 / 10))
            {
                var plain = new Sums();
                var recomputing = new Sums();
                using (var one = new Driver<double[]>(all, plain))
                using (var two = new Driver<double[]>(less, recomputing))
                {
                    Check.Equal(one.Run(plain.Created(0.5))[0], two.Run(recomputing.Created(0.5))[0], "gradient");
                    Check.Equal(12, plain.Forwards, "forwards");
                    Check.That(recomputing.Forwards > 12, "it recomputes");
                    Check.Equal(1, plain.Alive, "items");
                    Check.Equal(1, recomputing.Alive, "items");
                    plain.ReturnsTooFew = true;
                    var error = Check.Throws<CkptCallbackException>(() => one.Run(new[] { 0.5 }), "too few");
                    Check.Contains("returned 1 gradients; expected 2", error.Message, "text");
                }
                using (var driver = new Driver<double[]>(all, new Waves()))
                {
                    var error = Check.Throws<CkptCallbackException>(() => driver.Run(new[] { 0.5 }), "no functions of graphs");
                    Check.Contains("RecordN is not implemented", error.Message, "text");
                }
            }
        }
    }

    internal static void AllSchedulesGiveTheSameGradient()
    {
        double[] expected = null;
        using (var profile = Like(20))
            foreach (var planner in new[] { "store-all", "recompute-all", "sqrt", "revolve:3", "mixed:3", "two-level:2,2" })
                using (var schedule = Schedule.Create(profile, planner))
                {
                    var waves = Driven<Waves>(schedule);
                    var grad = waves.Gradient();
                    expected = expected ?? grad;
                    Check.That(expected.SequenceEqual(grad), planner);
                    Check.Equal(schedule.Verify(profile).Forwards, (long)waves.Forwards, "forwards");
                    Check.Equal(3, waves.Driver.Forward(waves.Created(0.1, 0.2, 0.3)).Length, "output");
                    Check.Throws<CkptInvalidStateException>(() => waves.Driver.Run(new double[1]), "paused");
                    Check.That(expected.SequenceEqual(waves.Driver.Backward(waves.Created(1, 1, 1))), planner);
                    --waves.Alive;
                    waves.Driver.Forward(waves.Created(0.1)); // its backward is never called
                    waves.Driver.Dispose();
                    Check.Equal(0, waves.Alive, "released");
                }
    }

    internal static void ExceptionsOfTheFrameworkEndTheStep()
    {
        using (var profile = Like(9))
        using (var schedule = Schedule.Create(profile, "sqrt"))
        {
            var waves = Driven<Waves>(schedule);
            var expected = waves.Gradient();
            Check.That(waves.Driver.Failure == null, "none yet");
            foreach (var call in new[] { "Forward", "Record", "Backward", "Turn" })
            {
                waves.Broken = call;
                Check.Contains("no " + call, Check.Throws<CkptCallbackException>(() => waves.Driver.Run(waves.Created(0.1)), call)
                    .Message, "text");
                Check.Equal(call, waves.Driver.Failure.Value.Kind.ToString(), "which");
                Check.Equal(0, waves.Alive, "everything ended");
                waves.Broken = "";
                Check.That(expected.SequenceEqual(waves.Gradient()), "the next step");
            }
            waves.Driver.Dispose();
            var invalid = Driven<ReturnsNull>(schedule);
            Check.Contains("returned no handle for INPUT(", Check.Throws<CkptCallbackException>(() => invalid.Driver.Run(invalid.Created(0.1)), "null")
                .Message, "text");
            Check.Equal(0, invalid.Alive, "everything ended");
            invalid.Driver.Dispose();
            Check.Throws<ArgumentNullException>(() => new Driver<double[]>(schedule, null), "no framework");
        }
    }

    internal static void CancelledAndOpenEnded()
    {
        using (var schedule = Schedule.OpenEnded(2, LayerFlag.Deterministic))
        {
            var waves = Driven<OpenEnded>(schedule);
            waves.Gradient();
            Check.That(waves.Lengths.Contains(0) && waves.Lengths.Contains(8), "known from then on");
            waves.Broken = "cancel";
            Check.Throws<CkptCancelledException>(() => waves.Driver.Run(waves.Created(0.1)), "cancelled");
            Check.Equal(0, waves.Alive, "everything ended");
            waves.Broken = "";
            waves.Driver.Finalize(5);
            waves.Gradient();
            waves.Driver.Dispose();
        }
    }
}
