using System;
using System.Runtime.CompilerServices;
using Ckpt;
using Ckpt.Interop;

internal static class TrapsTests
{
    internal static void ForgottenHandlersAreKept()
    {
        string output;
        var code = Children.Start("events", out output);
        Check.Equal(0, code, output);
        Check.Contains("seen 1000", output, "output");
    }

    internal static void HandlersGoWithTheirTracker()
    {
        var before = Callbacks.PinnedCount;
        var tracker = new MemoryTracker();
        var subscription = tracker.Subscribe(MemoryEventKinds.All, e => { });
        tracker.MemoryAllocated += (sender, e) => { };
        Check.Equal(before + 2, Callbacks.PinnedCount, "pinned");
        subscription.Dispose();
        Check.Equal(before + 1, Callbacks.PinnedCount, "one unsubscribed");
        tracker.Dispose();
        Check.Equal(before, Callbacks.PinnedCount, "all gone");
    }

    internal static void ForgottenTrackersAreCollected()
    {
        var before = Callbacks.PinnedCount;
        Forget();
        for (var i = 0; i < 20 && Callbacks.PinnedCount > before; ++i)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        // A conservative collector (Mono) may keep one for longer.
        Check.That(Callbacks.PinnedCount <= before + 2, "pinned: " + (Callbacks.PinnedCount - before));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget()
    {
        for (var i = 0; i < 50; ++i) new MemoryTracker().MemoryAllocated += (sender, e) => { };
    }

    internal static void RefusedHandlersAreLetGo()
    {
        using (var tracker = new MemoryTracker())
        {
            var before = Callbacks.PinnedCount;
            Check.Throws<CheckpointInvalidArgumentException>(() => tracker.Subscribe(0, e => { }), "no kinds");
            Check.Equal(before, Callbacks.PinnedCount, "pinned");
        }
    }

    internal static void AMillionCallbacksLeaveMemoryFlat()
    {
        using (var tracker = new MemoryTracker())
        {
            var seen = 0;
            tracker.MemoryAllocated += (sender, e) => ++seen;
            var layer = tracker.Layer("a");
            for (var i = 0; i < 1000; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(layer, 1));
            var before = GC.GetTotalMemory(true);
            for (var i = 0; i < 1000000; ++i) tracker.RecordDeallocation(tracker.RecordAllocation(layer, 1));
            var grown = GC.GetTotalMemory(true) - before;
            Check.Equal(1001000, seen, "events");
            Check.That(grown < 1 << 20, "grown by " + grown + " bytes");
        }
    }
}
