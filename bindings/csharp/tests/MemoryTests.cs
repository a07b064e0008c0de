using System;
using System.Collections.Generic;
using System.Threading;
using Ckpt;
using Ckpt.Compat;

internal static class MemoryTests
{
    internal static void CountsMatchTheReference()
    {
        using (var tracker = new MemoryTracker())
        {
            tracker.RecordAllocation("layer1", 1024);
            tracker.RecordAllocation("layer2", 2048);
            tracker.RecordDeallocation("layer1");
            Check.Equal(2048L, tracker.CurrentMemoryUsage, "current");
            Check.Equal(3072L, tracker.PeakMemoryUsage, "peak");
            Check.Equal(3072L, tracker.TotalMemoryAllocated, "allocated");
            Check.Equal(1024L, tracker.TotalMemoryDeallocated, "freed");
            Check.Equal(1L, tracker.ActiveAllocationCount, "live");
            var stats = tracker.GetStats();
            Check.Equal(2048L, stats.AverageMemoryPerCheckpoint, "average");
            Check.Equal(2L, stats.AllocationCount, "allocations");
            Check.Equal(1L, stats.DeallocationCount, "frees");
            Check.Equal(8192L, stats.CalculateMemorySavings(10240), "savings");
            Check.Equal(0.8f, stats.CalculateMemoryReductionPercentage(10240), "share");
            Check.Equal(0f, stats.CalculateMemoryReductionPercentage(0), "share of nothing");
            LayerMemoryStats layer = tracker.GetLayerStats("layer1");
            Check.Equal(1024L, layer.MaxAllocationSize, "largest");
            Check.That(!layer.IsCurrentlyAllocated, "freed");
            Check.That(tracker.GetLayerStats("no such") == null, "unknown layer");
            tracker.ResetStats();
            Check.Equal(2048L, tracker.PeakMemoryUsage, "peak after reset");
        }
    }

    // Times are between two readings of the system's clock.
    internal static void MomentsAreInUtc()
    {
        var before = DateTime.UtcNow.AddSeconds(-1);
        using (var tracker = new MemoryTracker())
        {
            MemoryEvent seen = null;
            tracker.Subscribe(MemoryEventKind.Allocated | MemoryEventKind.LimitExceeded, e => seen = e);
            tracker.RecordAllocation("a", 10);
            var after = DateTime.UtcNow.AddSeconds(1);
            Func<DateTime?, bool> now = time => time.Value.Kind == DateTimeKind.Utc && before < time && time < after;
            Check.That(now(seen.OccurredUtc) && seen.LayerId == 0, "an event: " + seen);
            var layer = tracker.GetLayerStats("a");
            Check.That(now(layer.LastAllocatedUtc) && layer.LastFreedUtc == null, "a layer: " + layer);
            Check.That(now(tracker.GetStats().TakenUtc) && now(tracker.GetStats().Timestamp), "totals");
            using (var scope = tracker.PushScope("s")) Check.That(now(scope.GetStats().PushedUtc), "a scope");
            tracker.SetLimit(5);
            Check.That(seen.Kind == MemoryEventKind.LimitExceeded && seen.LayerId == null && seen.LayerName == "",
                "no layer: " + seen);
            Check.Contains("LayerId=null", seen.ToString(), "shown");
        }
    }

    internal static void EventsReportEachTransition()
    {
        using (var tracker = new MemoryTracker())
        {
            var received = new List<string>();
            EventHandler<MemoryEventArgs> peak = (sender, e) =>
            {
                Check.That(ReferenceEquals(sender, tracker), "sender");
                received.Add("peak " + e.LayerId + " " + e.PeakMemoryUsage);
            };
            tracker.MemoryAllocated += (sender, e) => received.Add("allocated " + e.LayerId + " " + e.SizeBytes);
            tracker.MemoryDeallocated += (sender, e) => received.Add("freed " + e.LayerId + " " + e.CurrentMemoryUsage);
            tracker.PeakMemoryExceeded += peak;
            tracker.MemoryLimitExceeded += (sender, e) => received.Add("limit " + e.CurrentMemoryUsage + "/" + e.MemoryLimit);
            tracker.SetMemoryLimit(150);
            tracker.RecordAllocation("a", 100);
            tracker.RecordAllocation("b", 100);
            tracker.PeakMemoryExceeded -= peak;
            tracker.RecordDeallocation("a");
            tracker.RecordAllocation("c", 500);
            Check.Equal("allocated a 100;peak a 100;allocated b 100;peak b 200;limit 200/150;freed a 100;allocated c 500;limit 600/150",
                        string.Join(";", received), "events in order");
            Check.Equal(150L, tracker.MemoryLimit, "limit");
            tracker.ClearLimit();
            Check.That(tracker.MemoryLimit == null, "no limit");
        }
    }

    internal static void HandlersThatThrowAreCounted()
    {
        using (var tracker = new MemoryTracker())
        {
            tracker.MemoryAllocated += (sender, e) => throw new InvalidOperationException("handler");
            tracker.RecordAllocation("a", 1);
            Check.Equal(1L, tracker.GetStats().HandlerFailures, "failures");
            Check.Equal(1L, tracker.CurrentMemoryUsage, "the booking stands");
        }
    }

    internal static void NumbersHave64Bits()
    {
        using (var tracker = new MemoryTracker())
        {
            const long large = 3L << 40;
            MemoryEvent seen = null;
            tracker.Subscribe(MemoryEventKind.Allocated, e => seen = e);
            var allocation = tracker.RecordAllocation("a", large);
            Check.Equal(large, tracker.CurrentMemoryUsage, "current");
            Check.Equal(large, seen.Bytes, "event");
            Check.Equal(large, tracker.ListAllocations()[0].Bytes, "list");
            IReadOnlyList<MemoryLayerStats> layers;
            Check.Equal(large, tracker.GetSnapshot(MemoryOrder.Id, out layers).CurrentBytes, "snapshot");
            Check.Equal(large, layers[0].CurrentBytes, "its layers");
            Check.Equal(large, tracker.GetLayerStats("a").TotalAllocatedBytes, "layer");
            tracker.RecordDeallocation(allocation);
            Check.Equal(0L, tracker.CurrentMemoryUsage, "freed");
        }
    }

    internal static void ScopesLimitsQueuesAndExports()
    {
        using (var clock = new Clock(10))
        using (var tracker = new MemoryTracker(new MemoryTrackerOptions { Clock = clock }))
        {
            using (var queue = tracker.SubscribeQueue(MemoryEventKind.All, 2))
            {
                MemoryScopeStats inside;
                using (var scope = tracker.PushScope("forward"))
                {
                    tracker.RecordAllocation(tracker.AddLayer("a"), 10);
                    tracker.RecordDeallocation(tracker.AddLayer("a"));
                    inside = scope.GetStats();
                }
                Check.Equal(10L, inside.PeakBytes, "scope's peak");
                Check.Equal(0L, inside.NetBytes, "scope's rest");
                Check.Equal(MemoryEventKind.Allocated, queue.Poll().Kind, "first event");
                Check.Equal(MemoryEventKind.NewPeak, queue.Poll().Kind, "second event");
                Check.That(queue.Poll() == null, "empty");
                Check.Equal(1L, queue.DroppedEvents, "dropped");
            }
            tracker.SetLimit(100, 10);
            Check.Equal(10L, tracker.LimitHysteresis, "hysteresis");
            Check.That(tracker.TryReserve("b", 100) != null, "fits");
            Check.That(tracker.TryReserve("b", 1) == null, "refused");
            Check.That(tracker.TryReserve(tracker.AddLayer("b"), 1) == null, "refused by number");
            double share;
            Check.Equal(900L, tracker.GetSavings(1000, out share), "savings");
            Check.Equal(0.9, share, "share");
            Check.Contains("\"b\"", tracker.ToJson(), "json");
            Check.Contains("ckpt_memory_current_bytes", tracker.ToPrometheus(), "prometheus");
            Check.That(tracker.FindLayer("no such") == null && tracker.FindLayer("b") == 1, "find");
            var error = Check.Throws<CkptNotFoundException>(() => tracker.RecordDeallocation(77UL), "unknown allocation");
            Check.Contains("77", error.Message, "message");
            using (var shared = tracker.Share())
            {
                tracker.Dispose();
                Check.Equal(100L, shared.CurrentMemoryUsage, "shared");
            }
        }
        Check.That(Library.ProbeMemory().TotalBytes > 0, "probe");
    }

    internal static void FourThreadsRecordByName()
    {
        using (var tracker = new MemoryTracker())
        {
            var threads = new List<Thread>();
            for (var t = 0; t < 4; ++t)
            {
                threads.Add(new Thread(() =>
                {
                    for (var i = 0; i < 10000; ++i) tracker.RecordAllocation("layer" + i, 8);
                }));
            }
            threads.ForEach(thread => thread.Start());
            threads.ForEach(thread => thread.Join());
            Check.Equal(10000L, tracker.GetStats().LayerCount, "layers");
            Check.Equal(40000L, tracker.GetStats().AllocationCount, "allocations");
            Check.Equal(32L, tracker.GetLayerStats("layer9999").CurrentBytes, "bytes of a layer");
        }
    }

    // Uses the tracker on threads that end: Mono takes every old value on a stack for a reference.
    internal static void AClosedTrackerRefersToNoNames()
    {
        var tracker = new MemoryTracker();
        var names = new WeakReference[100];
        RunAndEnd(() =>
        {
            for (var i = 0; i < names.Length; ++i)
            {
                var name = "layer" + i;
                tracker.RecordAllocation(name, 8);
                names[i] = new WeakReference(name);
            }
        });
        GC.Collect();
        Check.Equal(names.Length, Alive(names), "names that recording by name keeps");
        RunAndEnd(tracker.Dispose);
        for (var i = 0; i < 100 && Alive(names) > 0; ++i) GC.Collect();
        Check.That(Alive(names) <= 3, "a closed tracker refers to " + Alive(names) + " names"); // the stack may hold some
        GC.KeepAlive(tracker);
    }

    private static void RunAndEnd(ThreadStart work)
    {
        var thread = new Thread(work);
        thread.Start();
        thread.Join();
    }

    private static int Alive(WeakReference[] names)
    {
        var alive = 0;
        foreach (var name in names) alive += name.IsAlive ? 1 : 0;
        return alive;
    }

    internal static void ManyThreadsAgree()
    {
        using (var tracker = new MemoryTracker())
        {
            long events = 0;
            tracker.MemoryAllocated += (sender, e) => Interlocked.Increment(ref events);
            var threads = new List<Thread>();
            for (var t = 0; t < 4; ++t)
            {
                var name = "layer" + t;
                threads.Add(new Thread(() =>
                {
                    for (var i = 0; i < 2000; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(name, 8));
                }));
            }
            threads.ForEach(thread => thread.Start());
            threads.ForEach(thread => thread.Join());
            Check.Equal(0L, tracker.CurrentMemoryUsage, "current");
            Check.Equal(8000L, tracker.GetStats().AllocationCount, "allocations");
            Check.Equal(8000L, Interlocked.Read(ref events), "events");
        }
    }
}
