// Measures the C# binding: nanoseconds of calls, of a callback and of a view, the minimum over some rounds. With "short" each runs
// briefly, to check that it works. It is not a test: no time makes it fail.
using System;
using System.Diagnostics;
using Ckpt;

internal static class Bench
{
    private static int rounds = 7;
    private static int scale = 1;
    private static long sink;

    private static void Measure(string what, int count, Action<int> run)
    {
        count = Math.Max(count / scale, 10);
        run(count); // JIT warm-up
        run(count);
        var best = double.MaxValue;
        for (var round = 0; round < rounds; ++round)
        {
            var watch = Stopwatch.StartNew();
            run(count);
            best = Math.Min(best, watch.Elapsed.TotalMilliseconds * 1e6 / count);
        }
        Console.WriteLine("{0,-58} {1,10:F1} ns", what, best);
    }

    // Items are boxes; no computation.
    private sealed class Boxes : Framework<object>
    {
        public override object Forward(DriveCall call, object input) => new object();

        public override void Record(DriveCall call, object input, out object output, out object tape)
        {
            output = (call.Flags & DriveFlag.NoOutput) != 0 ? null : new object();
            tape = new object();
        }

        public override object Backward(DriveCall call, object input, object output, object tape, object gradOutput) => new object();

        public override object Turn(DriveCall call, object output) => new object();
    }

    private static void Drive()
    {
        var layer = new LayerProfile { Flags = LayerFlag.Deterministic, OutputBytes = 1000 };
        var option = new OptionProfile { TapeBytes = 3000, ForwardSeconds = 1, BackwardSeconds = 2, HasRecord = true };
        using (var profile = Profile.Uniform(1000, layer, option))
        using (var schedule = Schedule.Create(profile, "sqrt"))
        using (var driver = new Driver<object>(schedule, new Boxes()))
        {
            var actions = (int)schedule.Verify(profile).Actions;
            Measure("an action of a driver, over a framework that does nothing", 20 * actions, count =>
            {
                for (var step = 0; step < (count + actions - 1) / actions; ++step) sink += driver.Run(new object()) == null ? 0 : 1;
            });
        }
    }

    internal static int Main(string[] arguments)
    {
        if (arguments.Length > 0 && arguments[0] == "short")
        {
            rounds = 1;
            scale = 1000;
        }
        Console.WriteLine("libckpt {0}, {1}, {2} processors", Library.VersionString, Environment.Version,
            Environment.ProcessorCount);
        Measure("Library.Version: a call", 10000000, count =>
        {
            for (var i = 0; i < count; ++i) sink += Library.Version;
        });
        using (var tracker = new MemoryTracker())
        using (var tensor = new Tensor(DType.F32, 1024))
        {
            var layer = tracker.AddLayer("layer");
            Measure("tensor.ElementCount: a call with a handle", 3000000, count =>
            {
                for (var i = 0; i < count; ++i) sink += tensor.ElementCount;
            });
            Measure("tensor.AsSpan<float>(): a view", 3000000, count =>
            {
                for (var i = 0; i < count; ++i) sink += tensor.AsSpan<float>().Length;
            });
            Measure("RecordAllocation + RecordDeallocation by number", 1000000, count =>
            {
                for (var i = 0; i < count; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(layer, 1));
            });
            Measure("the same by name", 1000000, count =>
            {
                for (var i = 0; i < count; ++i) tracker.RecordDeallocation(tracker.RecordAllocation("layer", 1));
            });
            var seen = 0;
            tracker.MemoryAllocated += (sender, e) => ++seen;
            Measure("the same by number, with one event handler", 1000000, count =>
            {
                for (var i = 0; i < count; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(layer, 1));
            });
        }
        using (var pool = new WorkerPool(1))
        {
            Measure("WorkerPool.Run: a callback without arguments to convert", 3000000, count => pool.Run(count, part => ++sink));
        }
        using (var strategy = Strategy.Custom(question => true))
        {
            var spec = new TensorSpec(DType.F32, 8, 8);
            Measure("a query to a custom strategy", 1000000, count =>
            {
                for (var i = 0; i < count; ++i) sink += strategy.ShouldCheckpoint("layer", spec, i) ? 1 : 0;
            });
        }
        Drive();
        return sink == 0 ? 1 : 0;
    }
}
