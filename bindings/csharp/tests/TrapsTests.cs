using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Ckpt;
using Ckpt.Compat;
using Ckpt.Interop;

internal static class TrapsTests
{
    internal static void UnreferencedHandlersStayAlive()
    {
        string output;
        var code = Children.Start("events", out output);
        Check.Equal(0, code, output);
        Check.Contains("seen 1000", output, "output");
    }

    internal static void HandlersEndWithTheirTracker()
    {
        var before = Callbacks.PinnedCount;
        var tracker = new MemoryTracker();
        var subscription = tracker.Subscribe(MemoryEventKind.All, e => { });
        tracker.MemoryAllocated += (sender, e) => { };
        Check.Equal(before + 2, Callbacks.PinnedCount, "pinned");
        subscription.Dispose();
        Check.Equal(before + 1, Callbacks.PinnedCount, "one unsubscribed");
        tracker.Dispose();
        Check.Equal(before, Callbacks.PinnedCount, "all gone");
    }

    internal static void UnreferencedTrackersAreCollected()
    {
        var before = Callbacks.PinnedCount;
        Forget();
        for (var i = 0; i < 20 && Callbacks.PinnedCount > before; ++i)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        // A conservative collector (Mono) may keep one longer.
        Check.That(Callbacks.PinnedCount <= before + 2, "pinned: " + (Callbacks.PinnedCount - before));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget()
    {
        for (var i = 0; i < 50; ++i) new MemoryTracker().MemoryAllocated += (sender, e) => { };
    }

    internal static void RejectedHandlersAreReleased()
    {
        using (var tracker = new MemoryTracker())
        {
            var before = Callbacks.PinnedCount;
            Check.Throws<CkptInvalidArgumentException>(() => tracker.Subscribe(0, e => { }), "no kinds");
            Check.Equal(before, Callbacks.PinnedCount, "pinned");
        }
    }

    internal static void AMillionCallbacksLeaveMemoryFlat()
    {
        using (var tracker = new MemoryTracker())
        {
            var seen = 0;
            tracker.MemoryAllocated += (sender, e) => ++seen;
            var layer = tracker.AddLayer("a");
            for (var i = 0; i < 1000; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(layer, 1));
            var before = GC.GetTotalMemory(true);
            for (var i = 0; i < 1000000; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(layer, 1));
            var grown = GC.GetTotalMemory(true) - before;
            Check.Equal(1001000, seen, "events");
            Check.That(grown < 1 << 20, "grown by " + grown + " bytes");
        }
    }

    // y = x, thousands of times.
    private sealed class Same : CustomLayer
    {
        internal int Calls;

        public override TensorSpec Output(TensorSpec given)
        {
            return given;
        }

        public override void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
                                     Span<byte> workspace)
        {
            ++Calls;
            input.CopyTo(output);
        }

        public override void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output, ReadOnlySpan<byte> tape,
                                      ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace)
        {
            ++Calls;
            gradOutput.CopyTo(gradInput);
        }
    }

    internal static void DeepChainsOfCustomLayersLeaveMemoryFlat()
    {
        const int layers = 1000;
        var before = Callbacks.PinnedCount;
        var same = new Same();
        var spec = new TensorSpec(DType.F32, 2, 2);
        using (var chain = new Chain())
        {
            for (var i = 0; i < layers; ++i)
                using (var layer = Layer.Custom("same" + i, same)) chain.Add(layer);
            Check.Equal(before + layers, Callbacks.PinnedCount, "pinned");
            using (var profile = chain.Profile(spec))
            using (var executor = new ScheduleExecutor(chain, Schedule.Create(profile, "periodic:30"), spec))
            using (var x = new Tensor(DType.F32, 2, 2))
            using (var gradient = new Tensor(DType.F32, 2, 2))
            {
                x.Fill(1);
                gradient.Fill(1);
                var step = new Step(x) { OutputGradient = gradient };
                executor.Run(step);
                var managed = GC.GetTotalMemory(true);
                var calls = same.Calls;
                for (var i = 0; i < 20; ++i) executor.Run(step);
                Check.That(same.Calls >= calls + 20 * 2 * layers, "calls: " + same.Calls);
                var grown = GC.GetTotalMemory(true) - managed;
                Check.That(grown < 1 << 20, "grown by " + grown + " bytes");
            }
        }
        Check.Equal(before, Callbacks.PinnedCount, "all let go");
    }

    internal static void CallbacksRunOnForeignThreads()
    {
        var threads = new HashSet<int>();
        using (var hooks = new NativeThreadHooks(name => { }, null))
        using (var tracker = new MemoryTracker())
        {
            tracker.MemoryAllocated += (sender, e) =>
            {
                lock (threads) threads.Add(Thread.CurrentThread.ManagedThreadId);
                GC.Collect(0);
            };
            using (var met = new Barrier(3))
            using (var pool = new WorkerPool(3))
            {
                pool.Run(3, part =>
                {
                    met.SignalAndWait(); // so that each has a separate thread
                    tracker.RecordAllocation("layer", 1);
                });
            }
        }
        Check.Equal(3, threads.Count, "threads");
    }

    // A collection stops every thread that runs managed code. .NET and Mono interrupt a loop without calls by a signal, which
    // threads of the library must not block.
    internal static void CollectionsStopLoopsOnForeignThreads()
    {
        const int wanted = 20;
        const long enough = 5000000000; // some seconds
        var collections = 0;
        var interrupted = 0;
        using (var met = new Barrier(3))
        using (var pool = new WorkerPool(2))
        {
            var collector = new Thread(() =>
            {
                met.SignalAndWait();
                for (var i = 0; i < wanted; ++i)
                {
                    GC.Collect();
                    Interlocked.Increment(ref collections);
                }
            });
            collector.Start();
            pool.Run(2, part =>
            {
                met.SignalAndWait();
                var turns = 0L;
                while (Volatile.Read(ref collections) < wanted && turns < enough) ++turns;
                if (turns < enough) Interlocked.Increment(ref interrupted);
            });
            collector.Join();
            Check.Equal(2, interrupted, "loops that collections interrupted");
        }
    }

    // Saves and their events on the library's threads, while another thread collects continuously.
    internal static void CallbacksRunAmongCollections()
    {
        var ends = false;
        var collections = 0;
        var events = 0;
        var collector = new Thread(() =>
        {
            for (; !Volatile.Read(ref ends); ++collections)
            {
                GC.Collect();
                Thread.Sleep(1); // .NET runs no other thread between two collections in direct succession
            }
        });
        collector.Start();
        try
        {
            using (var checkpoint = new CheckpointManager(Storage.InMemory()))
            using (var manager = checkpoint.CreateAsyncManager())
            using (var state = new State().Add<float>("model", "a", new float[1000]))
            {
                manager.TaskEnded += (sender, e) =>
                {
                    var garbage = new List<byte[]>();
                    for (var i = 0; i < 100; ++i) garbage.Add(new byte[1000]);
                    Interlocked.Add(ref events, garbage.Count);
                };
                for (var i = 1; i <= 50; ++i) Check.That(manager.Save(state, new SaveOptions { Step = i }).Wait().Success, "saved");
            }
        }
        finally
        {
            Volatile.Write(ref ends, true);
            collector.Join();
        }
        Check.Equal(50 * 100, events, "events");
        Check.That(collections > 5, "collections: " + collections);
    }

    // Exceptions that cannot be returned to a caller have no effect.
    internal static void ThrowingCallablesOfEveryKind()
    {
        Library.SetLog((level, component, message) => Fail("log"), LogLevel.Debug);
        using (new NativeThreadHooks(name => Fail("start"), name => Fail("stop")))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = checkpoint.CreateAsyncManager())
        using (var state = new State().Add<float>("model", "a", new float[100000]))
        {
            manager.TaskEnded += (sender, e) => Fail("ended");
            Check.That(manager.Save(state, null, null, new Broken()).Wait().Success, "saved");
            Check.Throws<CkptCallbackException>(() => manager.Save(new State().Add("x", new BrokenState())), "list");
        }
        Library.SetLog(null);
        using (var pool = new WorkerPool(2))
        {
            for (var i = 0; i < 100; ++i)
                Check.Throws<CkptCallbackException>(() => pool.Run(4, part => Fail("part")), "part");
            pool.Run(4, part => { });
        }
    }

    private static void Fail(string what)
    {
        throw new InvalidOperationException(what);
    }

    private sealed class Broken : IProgress<CheckpointProgress>
    {
        public void Report(CheckpointProgress value)
        {
            throw new InvalidOperationException("progress");
        }
    }

    private sealed class BrokenState : IStateful
    {
        public void List(State into)
        {
            throw new InvalidOperationException("list");
        }

        public void Restore(State loaded)
        {
        }
    }

    internal static void ExitsInsideCallbacksAreClean()
    {
        foreach (var where in new[] { "part", "event", "background", "ended" })
        {
            if (where != "event" && Type.GetType("Mono.Runtime") != null)
            {
                Console.WriteLine("SKIP exit, " + where + ": Mono's own shutdown waits for threads that run parts, often indefinitely");
                continue;
            }
            for (var run = 0; run < 3; ++run)
            {
                string output;
                Check.Equal(7, Children.Start("exit-inside " + where, out output), where + ": " + output);
            }
        }
    }

    internal static int ExitInside(string where)
    {
        switch (where)
        {
            case "part":
                var caller = Thread.CurrentThread.ManagedThreadId;
                new WorkerPool(2).Run(long.MaxValue, part =>
                {
                    if (Thread.CurrentThread.ManagedThreadId == caller) Environment.Exit(7);
                });
                break;
            case "event":
                var tracker = new MemoryTracker();
                tracker.MemoryAllocated += (sender, e) => Environment.Exit(7);
                tracker.RecordAllocation("a", 1);
                break;
            case "ended":
                var state = new State().Add<float>("model", "w", new float[10]);
                var manager = new CheckpointManager(Storage.InMemory()).CreateAsyncManager();
                manager.TaskEnded += (sender, e) => Environment.Exit(7);
                manager.Save(state);
                Thread.Sleep(Timeout.Infinite);
                break;
            case "background":
                var running = new ManualResetEventSlim();
                var worker = new Thread(() => new WorkerPool(2).Run(long.MaxValue, part => running.Set())) { IsBackground = true };
                worker.Start();
                running.Wait();
                Environment.Exit(7);
                break;
        }
        return 1;
    }
}
