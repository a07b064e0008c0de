using System;
using System.Collections.Generic;
using System.Threading;
using Ckpt;

internal static class BaseTests
{
    internal static void VersionIsTheLibrarys()
    {
        Check.That(Library.Version >= 0, "a version");
        var parts = Library.VersionString.Split('.');
        Check.Equal(int.Parse(parts[0]) * 1000000 + int.Parse(parts[1]) * 1000 + int.Parse(parts[2]), Library.Version, "version");
        Check.That(Library.BuildInfo.Length > 3, "build info");
        Check.That(Library.Feature("safetensors"), "safetensors");
        Check.That(!Library.Feature("no such"), "no such feature");
        Check.That(Library.AvailableThreads >= 1, "threads");
        Check.That(Library.MonotonicNanoseconds > 0, "clock");
    }

    internal static void ErrorsStateArgumentAndValue()
    {
        var error = Check.Throws<CkptInvalidArgumentException>(() => new WorkerPool(-1), "threads -1");
        Check.Equal(CkptStatus.InvalidArgument, error.Status, "status");
        Check.Equal("INVALID_ARGUMENT", error.StatusName, "name");
        Check.Contains("thread_count", error.Message, "message");
        Check.Contains("-1", error.Message, "message");
        Check.That(error is CkptException, "one tree");
    }

    internal static void EveryStatusHasItsException()
    {
        var kinds = new HashSet<CkptStatus>();
        foreach (var type in typeof(CkptException).Assembly.GetExportedTypes())
        {
            if (type.BaseType != typeof(CkptException)) continue;
            var error = (CkptException)Activator.CreateInstance(type, "text");
            Check.That(kinds.Add(error.Status), type.Name + " is alone with its status");
            Check.That(error.StatusName != "UNKNOWN", type.Name);
        }
        Check.Equal(Enum.GetValues(typeof(CkptStatus)).Length - 1, kinds.Count, "statuses");
    }

    internal static void DisposedObjectsThrow()
    {
        var clock = new Clock(4);
        clock.Dispose();
        clock.Dispose();
        Check.That(clock.IsDisposed, "disposed");
        Check.Throws<ObjectDisposedException>(() => clock.Advance(1), "advance");
    }

    internal static void ManualAndCustomClocks()
    {
        using (var clock = new Clock(5))
        {
            clock.Advance(3000000000000);
            Check.Equal(3000000000005, clock.Now, "64-bit time");
            Check.Throws<CkptInvalidArgumentException>(() => clock.Advance(-1), "backwards");
        }
        var time = 7L;
        using (var clock = Clock.Custom(() =>
        {
            if (time == 9) throw new InvalidOperationException("no time");
            return time;
        }))
        {
            Check.Equal(7L, clock.Now, "asked");
            time = 9;
            Check.Equal(7L, clock.Now, "one that throws gives what it gave last");
        }
    }

    internal static void PhiloxIsTheSameEverywhere()
    {
        var words = Library.Philox(new uint[4], new uint[2]);
        Check.Equal(0x6627e8d5u, words[0], "word 0");
        Check.Equal(0xe169c58du, words[1], "word 1");
        Check.Equal(0xbc57ac4cu, words[2], "word 2");
        Check.Equal(0x9b00dbd8u, words[3], "word 3");
        Check.Throws<CkptInvalidArgumentException>(() => Library.Philox(new uint[3], new uint[2]), "three words");
    }

    internal static void PoolRunsAllParts()
    {
        using (var pool = new WorkerPool(3))
        {
            Check.Equal(3, pool.ThreadCount, "threads");
            long sum = 0;
            var threads = new HashSet<int>();
            pool.Run(1000, part =>
            {
                Interlocked.Add(ref sum, part);
                lock (threads) threads.Add(Thread.CurrentThread.ManagedThreadId);
            });
            Check.Equal(499500L, sum, "sum of parts");
            var error = Check.Throws<CkptCallbackException>(() => pool.Run(10, part =>
            {
                if (part == 3) throw new InvalidOperationException("part three broke");
            }), "a part that throws");
            Check.Contains("part three broke", error.Message, "text");
        }
    }

    internal static void ThreadHooksRunOnForeignThreads()
    {
        var started = 0;
        var stopped = 0;
        using (new NativeThreadHooks(name => Interlocked.Increment(ref started), name => Interlocked.Increment(ref stopped)))
        {
            using (var pool = new WorkerPool(3)) pool.Run(3, part => { });
        }
        Check.Equal(2, started, "started");
        Check.Equal(2, stopped, "stopped");
    }

    internal static void StringsAreConvertedToUtf8()
    {
        using (var tracker = new MemoryTracker())
        {
            const string name = "Schicht-äöü-日本-\U0001F600";
            Check.Equal(name, tracker.GetLayerName(tracker.AddLayer(name)), "name");
            Check.Throws<CkptInvalidArgumentException>(() => tracker.AddLayer("a\0b"), "NUL");
            Check.Throws<CkptInvalidArgumentException>(() => tracker.AddLayer("\ud800"), "half a pair");
            Check.Throws<CkptInvalidArgumentException>(() => tracker.AddLayer(null), "null");
        }
    }
}
