using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ckpt;
using Ckpt.Compat;
using CheckpointTaskResult = Ckpt.CheckpointTaskResult;

internal static class AsyncTests
{
    private sealed class Listed : IStateful
    {
        internal readonly float[] Values = new float[100];

        public void List(State into)
        {
            into.Add<float>("values", "v", Values);
        }

        public void Restore(State loaded)
        {
        }
    }

    // A storage with writes that wait until they are released, or fail.
    private sealed class Gate : IDisposable
    {
        internal readonly ManualResetEventSlim Open = new ManualResetEventSlim(false);
        internal readonly SemaphoreSlim Reached = new SemaphoreSlim(0);
        internal volatile bool Fails;

        internal CheckpointSource Source(float[] from)
        {
            return (group, name, data, offset, buffer) =>
            {
                Reached.Release();
                Open.Wait();
                if (Fails) throw new InvalidOperationException("the source broke");
                System.Runtime.InteropServices.MemoryMarshal.AsBytes(new Span<float>(from)).Slice((int)offset,
                    buffer.Length).CopyTo(buffer);
            };
        }

        public void Dispose()
        {
            Open.Set();
        }
    }

    internal static void TokensEndTheWaitingNotTheTask()
    {
        using (var checkpoints = new CheckpointManager(Storage.InMemory()))
        using (var manager = checkpoints.CreateAsyncManager())
        using (var gate = new Gate())
        {
            var values = new float[8];
            var task = manager.Save(new State().Add<float>("g", "t", values), null, new CheckpointTaskOptions { Mode = StagingMode.Deferred },
                source: gate.Source(values));
            gate.Reached.Wait();
            var waits = new Action<CancellationToken>[]
            {
                token => task.Wait(null, token), token => task.WaitStaged(Timeout.InfiniteTimeSpan, token),
                token => manager.Wait(task.Id, null, token), token => manager.WaitAll(TimeSpan.FromHours(1), token),
                token => manager.WaitAllStaged(null, token), token => manager.WaitAllAsync(null, token).GetAwaiter().GetResult(),
            };
            foreach (var wait in waits)
            {
                using (var soon = new CancellationTokenSource(TimeSpan.FromMilliseconds(30)))
                    Check.That(Caught(() => wait(soon.Token)) is OperationCanceledException, "ended by its token");
                Check.That(Caught(() => wait(new CancellationToken(true))) is OperationCanceledException, "before it began");
            }
            using (var never = new CancellationTokenSource())
            {
                Check.Throws<CkptTimeoutException>(() => task.Wait(TimeSpan.FromMilliseconds(50), never.Token), "in time");
                Check.Throws<CkptTimeoutException>(() => task.Wait(TimeSpan.Zero, never.Token), "not yet");
                Check.Throws<CkptInvalidArgumentException>(() => task.Wait(TimeSpan.FromSeconds(-5), never.Token), "no time");
                Check.Equal(CheckpointTaskState.Running, task.State, "the task continues");
                gate.Open.Set();
                Check.That(task.Wait(TimeSpan.FromHours(1), never.Token).Success, "waited for");
                manager.WaitAll(null, never.Token);
            }
        }
    }

    private static Exception Caught(Action run)
    {
        try
        {
            run();
            return null;
        }
        catch (Exception error)
        {
            return error;
        }
    }

    internal static void CloseAsyncBlocksNoThread()
    {
        Closed().GetAwaiter().GetResult();
    }

    // The wait may end before the closing or after it; no other exception may be thrown.
    private static async Task Cancelled(Task closing)
    {
        try
        {
            await closing;
        }
        catch (OperationCanceledException)
        {
        }
    }

    private static async Task Closed()
    {
        using (var checkpoints = new CheckpointManager(Storage.InMemory()))
        {
            var state = new State().Add<float>("g", "t", new float[8]);
            var manager = checkpoints.CreateAsyncManager();
            var task = manager.Save(state, new SaveOptions { Step = 1 });
            var ended = new CancellationTokenSource();
            ended.Cancel();
            Check.That(Caught(() => manager.Close(CloseMode.Drain, null, ended.Token)) is OperationCanceledException, "not begun");
            Check.That(!manager.IsDisposed, "still open");
            await Cancelled(manager.CloseAsync(CloseMode.Drain, null, ended.Token));
            manager.Close(CloseMode.Drain, TimeSpan.FromHours(1), CancellationToken.None);
            await manager.CloseAsync(CloseMode.Drain, null, new CancellationTokenSource().Token);
            Check.That(task.Wait().Success, "drained");
            Check.Throws<CkptClosedException>(() => manager.Save(state), "closed");
            manager.Dispose();
#if NET
            if (typeof(IAsyncDisposable).IsAssignableFrom(typeof(AsyncManager))) await AwaitUsing(checkpoints, state);
#endif
        }
    }

#if NET
    // A separate method: the library for netstandard2.0, with which this program also runs, lacks the methods that it calls.
    private static async Task AwaitUsing(CheckpointManager checkpoints, State state)
    {
        AsyncManager manager;
        CheckpointTask last;
        await using (manager = checkpoints.CreateAsyncManager()) last = manager.Save(state, new SaveOptions { Step = 2 });
        Check.That(manager.IsDisposed && last.Result.Success, "disposed of, and its save exists");
        Check.Equal(2L, checkpoints.Latest.Step, "durable");
    }
#endif

    // The usage examples of the reference for asynchronous checkpoints.
    internal static void ReferenceExamples()
    {
        Reference().GetAwaiter().GetResult();
    }

    private static async Task Reference()
    {
        var model = new Listed();
        var optimizer = new Listed();
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var asyncManager = checkpoint.CreateAsyncManager(maxQueueSize: 5))
        {
            var checkpointId = asyncManager.QueueSaveAsync(model, optimizer, new SaveOptions { CheckpointPrefix = "async_model" });
            var result = await asyncManager.WaitForCompletionAsync(checkpointId);
            Check.That(result.Success && result.CheckpointPath.StartsWith("async_model"), result.CheckpointPath);
            Check.That(result.BytesWritten >= 800 && result.Error == null, "bytes");

            result = await asyncManager.WaitForCompletionAsync(checkpointId, timeout: TimeSpan.FromMinutes(10));
            Check.Equal(checkpointId, result.Id, "again");

            Check.Equal(CheckpointTaskStatus.Completed, asyncManager.GetTaskStatus(checkpointId), "status");
            Check.That(asyncManager.GetTaskStatus(12345) == null, "unknown");
            await Throws<CkptNotFoundException>(() => asyncManager.WaitAsync(12345));

            Check.That(!asyncManager.CancelCheckpoint(12345), "cancelling an unknown one");

            var gated = asyncManager.Save(new State().Add("model", model), null, new CheckpointTaskOptions { GateStep = 9 });
            Check.Equal(gated.Id, asyncManager.GetActiveTasks().Single().Id, "active");
            Check.Equal(CheckpointTaskStatus.Queued, gated.Status, "waits for its gate");
            Check.That(gated.Cancel() && !gated.Cancel(), "cancelled once");
            Check.Equal(CheckpointTaskState.Cancelled, gated.Wait().State, "wait gives the result");
            await Throws<TaskCanceledException>(() => gated.CompletionTask);
            Check.Equal(0, asyncManager.GetTasks().Count, "none active");
            var info = asyncManager.GetTasks(CheckpointTaskList.Ended)[0];
            Check.That(info.Id == checkpointId && info.Duration >= TimeSpan.Zero && info.QueuedAt <= DateTime.UtcNow, "ended");
        }
    }

    private static async Task Throws<TException>(Func<Task> act) where TException : Exception
    {
        try
        {
            await act();
        }
        catch (TException)
        {
            Check.That(true, "thrown");
            return;
        }
        Check.That(false, typeof(TException).Name + " was not thrown");
    }

    internal static void SavesAndLoadsInTheBackground()
    {
        var values = new float[3 << 20];
        for (var i = 0; i < values.Length; ++i) values[i] = i;
        using (var state = new State().Add<float>("model", "a", values))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint))
        {
            var received = new List<CheckpointTaskResult>();
            manager.TaskEnded += (sender, e) =>
            {
                lock (received) received.Add(e.Result);
                Check.That(ReferenceEquals(sender, manager), "sender");
            };
            var progress = new Reports();
            var task = manager.Save(state, new SaveOptions { Step = 4 }, null, progress);
            Array.Clear(values, 0, values.Length); // the state was copied
            Check.That(task.StagedTask.Wait(TimeSpan.FromSeconds(60)), "staged");
            task.WaitStaged();
            var result = task.CompletionTask.Result;
            Check.That(ReferenceEquals(result, task.Result), "the same");
            Check.Equal(4L, result.Step, "step");
            Check.Equal(12L << 20, progress.Total, "total");
            Check.Equal(12L << 20, progress.Last, "done");
            Check.Equal(4L, manager.GetSaveResult(task.Id).Step, "save result");
            Check.Equal(4L, manager.Load(state).CompletionTask.Result.Step, "loaded");
            Check.Equal((float)(values.Length - 1), values[values.Length - 1], "filled");
            manager.WaitAll();
            manager.WaitAllStaged();
            Check.Equal(2L, manager.GetStats().CompletedTasks, "completed");
            Check.Equal(2, received.Count, "received");
            Check.Equal(4L, manager.GetLoadResult(received[1].Id).Step, "load result");
            Check.Throws<CkptInvalidStateException>(() => manager.GetLoadResult(task.Id), "a save is not a load");
            manager.Close();
            Check.Throws<CkptClosedException>(() => manager.Save(state), "closed");
        }
    }

    private sealed class Reports : IProgress<CheckpointProgress>
    {
        internal long Last;
        internal long Total;

        public void Report(CheckpointProgress value)
        {
            Check.That(value.DoneBytes >= Last && value.Fraction <= 1, "goes forward");
            Last = value.DoneBytes;
            Total = value.TotalBytes;
        }
    }

    internal static void FullQueuesRefuse()
    {
        using (var state = new State().Add<float>("model", "a", new float[10]))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint, new AsyncManagerOptions { Capacity = 1 }))
        {
            var gated = new CheckpointTaskOptions { GateStep = 5 };
            var first = manager.Save(state, null, gated);
            Check.Throws<CheckpointQueueFullException>(() => manager.Save(state, null,
                new CheckpointTaskOptions { WhenFull = WhenFull.Refuse }), "full");
            Check.Throws<CheckpointQueueFullException>(() => manager.Save(state, null, new CheckpointTaskOptions
            {
                WhenFull = WhenFull.Wait, Timeout = TimeSpan.FromMilliseconds(1),
            }), "still full");
            var second = manager.Save(state, null, new CheckpointTaskOptions { WhenFull = WhenFull.DropOldest, GateStep = 5 });
            Check.Equal(CheckpointTaskState.Rejected, first.Wait().State, "dropped");
            var error = Check.Throws<AggregateException>(() => first.CompletionTask.Wait(), "awaited");
            Check.That(error.InnerException is CkptQueueFullException, "rejected");
            manager.EndStep(5);
            Check.That(second.Wait().Success, "the gate is open");
            Check.Equal(3L, manager.GetStats().RejectedTasks, "rejected");
        }
    }

    internal static void TasksHaveDefaultsTimesAndKinds()
    {
        var defaults = new CheckpointTaskOptions();
        Check.That(defaults.WhenFull == WhenFull.Wait && defaults.Timeout == TimeSpan.FromSeconds(60) && defaults.GateStep == null,
            "a full queue waits: " + defaults);
        using (var state = new State().Add<float>("model", "a", new float[10]))
        using (var checkpoints = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoints))
        {
            var before = DateTime.UtcNow.AddSeconds(-1);
            var gated = manager.Save(state, new SaveOptions { Step = 3 }, new CheckpointTaskOptions { GateStep = 5 });
            var waiting = manager.GetTask(gated.Id);
            Check.That(waiting.QueuedUtc > before && waiting.QueuedUtc.Kind == DateTimeKind.Utc && waiting.StartedUtc == null
                && waiting.EndedUtc == null && waiting.Step == 3 && waiting.Duration == null, "waits: " + waiting);
            Check.Equal(gated.Id, manager.List().Single(), "live");
            manager.EndStep(5);
            var result = gated.Wait();
            Check.That(result.Duration > TimeSpan.Zero && result.Durable >= result.Duration && result.Error == "", "ended: " + result);
            var ended = manager.GetTask(gated.Id);
            Check.That(ended.StartedUtc >= ended.QueuedUtc && ended.EndedUtc >= ended.StartedUtc && ended.EndedUtc < DateTime.UtcNow
                .AddSeconds(1) && ended.Kind == CheckpointTaskKind.Save && ended.Staged, "times: " + ended);
            Check.That(manager.List().Count == 0 && manager.List(CheckpointTaskList.Ended).Single() == gated.Id, "ended");
            var last = manager.Save(state, null, new CheckpointTaskOptions { GateStep = 50 });
            manager.Close(CloseMode.Cancel);
            Check.Equal(CheckpointTaskState.Cancelled, last.Result.State, "closing cancels");
        }
    }

    internal static void TokensCancelTasksAndWaits()
    {
        using (var state = new State().Add<float>("model", "a", new float[10]))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint))
        using (var stop = new CancellationTokenSource())
        {
            var task = manager.Save(state, null, new CheckpointTaskOptions { GateStep = 5 }, null, stop.Token);
            using (var impatient = new CancellationTokenSource())
            {
                impatient.Cancel();
                Check.That(Thrown(() => manager.WaitAsync(task.Id, null,
                    impatient.Token)) is OperationCanceledException, "waiting ends");
            }
            Check.That(Thrown(() => manager.WaitAsync(task.Id,
                TimeSpan.FromMilliseconds(1))) is CkptTimeoutException, "in time");
            Check.Throws<CkptTimeoutException>(() => task.Wait(TimeSpan.Zero), "not yet");
            Check.Equal(CheckpointTaskState.Queued, task.State, "the task continues");
            stop.Cancel();
            Check.Equal(CheckpointTaskState.Cancelled, task.Wait().State, "cancelled");
            Check.That(Thrown(() => manager.WaitAsync(task.Id)) is OperationCanceledException, "awaited");
            Check.Throws<OperationCanceledException>(() => manager.Save(state, null, null, null, stop.Token), "cancelled before");
            Check.Equal(0, checkpoint.List().Count, "nothing of it stays");
        }
    }

    private static Exception Thrown(Func<Task> act)
    {
        try
        {
            act().GetAwaiter().GetResult();
        }
        catch (Exception error)
        {
            return error;
        }
        return null;
    }

    internal static void FailuresAreReportedOnce()
    {
        var values = new float[10];
        using (var gate = new Gate { Fails = true })
        using (var state = new State().Add<float>("model", "a", values))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint))
        {
            gate.Open.Set();
            var how = new CheckpointTaskOptions { Mode = StagingMode.Deferred };
            var source = gate.Source(values);
            var seen = manager.Save(state, null, how, source: source);
            Check.Contains("the source broke", Thrown(() => seen.CompletionTask).Message, "awaited");
            Check.Equal(CkptStatus.Callback, seen.Wait().Status, "wait gives the result");
            gate.Fails = false;
            Check.That(manager.Save(state, null, how, source: source).Wait().Success, "not reported again");
            gate.Fails = true;
            var unseen = manager.Save(state, null, how, source: source);
            manager.WaitAll();
            Check.Equal(CheckpointTaskState.Failed, manager.GetTask(unseen.Id).State, "failed");
            Check.Contains("the source broke", Check.Throws<CkptCallbackException>(() => manager.Save(state),
                "the next save reports it").Message, "text");
            Check.That(manager.Save(state).Wait().Success, "once");
        }
    }

    // using disposes, and the exception of the block must propagate.
    internal static void DisposeStoresAnUnreceivedFailure()
    {
        var values = new float[10];
        var before = Console.Error;
        var received = new StringWriter();
        AsyncManager manager = null;
        using (var gate = new Gate { Fails = true })
        using (var state = new State().Add<float>("model", "a", values))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        {
            gate.Open.Set();
            var how = new CheckpointTaskOptions { Mode = StagingMode.Deferred };
            var source = gate.Source(values);
            Console.SetError(received);
            try
            {
                var thrown = Check.Throws<FormatException>(() =>
                {
                    using (manager = new AsyncManager(checkpoint))
                    {
                        manager.Save(state, null, how, source: source);
                        throw new FormatException("of the block");
                    }
                }, "the block's own");
                Check.Equal("of the block", thrown.Message, "not replaced");
                Check.That(manager.DisposeError is CkptCallbackException, "the failure is kept");
                Check.Contains("the source broke", manager.DisposeError.Message, "with its reason");
                manager.Dispose();
                Check.That(manager.DisposeError != null, "still");

                using (manager = new AsyncManager(checkpoint)) manager.Save(state, null, how, source: source);
                Check.That(manager.DisposeError is CkptCallbackException, "without a throw too");
                received.GetStringBuilder().Clear();
                using (manager = new AsyncManager(checkpoint))
                {
                    Check.That(manager.DisposeError == null, "not yet");
                    manager.Save(state, null, how, source: source);
                    Check.Throws<CkptCallbackException>(() => manager.Close(), "closing reports it");
                }
                Check.That(manager.DisposeError == null, "once");
                gate.Fails = false;
                using (manager = new AsyncManager(checkpoint)) manager.Save(state, null, how, source: source);
                Check.That(manager.DisposeError == null, "no failure");
                Check.Equal("", received.ToString(), "nothing to report");
            }
            finally
            {
                Console.SetError(before);
            }
        }
    }

    internal static void SourcesReadForTheLibrary()
    {
        var values = Enumerable.Range(0, 1000).Select(i => (float)i).ToArray();
        var dummy = new float[1000];
        using (var gate = new Gate())
        using (var state = new State().Add<float>("model", "a", dummy))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint))
        {
            var task = manager.Save(state, null, new CheckpointTaskOptions { Mode = StagingMode.Deferred },
                source: gate.Source(values));
            gate.Reached.Wait();
            Check.That(!task.StagedTask.IsCompleted && task.Result == null, "not staged");
            gate.Open.Set();
            Check.That(task.Wait().Success, "saved");
            checkpoint.Load(state);
            Check.Equal(999f, dummy[999], "what the source gave");
        }
    }

    internal static void HandlersMayQueryButNotWait()
    {
        using (var state = new State().Add<float>("model", "a", new float[10]))
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint))
        {
            Exception refused = null;
            var asked = CheckpointTaskState.Queued;
            manager.TaskEnded += (sender, e) =>
            {
                asked = manager.GetTask(e.Result.Id).State;
                try
                {
                    manager.Close();
                }
                catch (CkptException error)
                {
                    refused = error;
                }
                throw new InvalidOperationException("a handler that throws");
            };
            Check.That(manager.Save(state).Wait().Success, "the task continues");
            Check.Equal(CheckpointTaskState.Completed, asked, "asked");
            Check.That(refused is CkptInvalidStateException, "refused: " + refused);
        }
    }

    internal static void ManyThreadsQueueAndAwait()
    {
        using (var checkpoint = new CheckpointManager(Storage.InMemory(), new CheckpointManagerOptions { KeepLast = 2 }))
        using (var manager = new AsyncManager(checkpoint, new AsyncManagerOptions { Capacity = 64 }))
        {
            var saves = Enumerable.Range(0, 32).Select(i => Task.Run(async () =>
            {
                using (var state = new State().Add<float>("model", "a", new float[1000]))
                    return await manager.SaveAsync(state, new SaveOptions { Step = i });
            })).ToArray();
            Check.That(Task.WhenAll(saves).Result.All(result => result.Success), "all");
            Check.Equal(32L, manager.GetStats().CompletedTasks, "completed");
        }
    }

    internal static void UnreferencedTasksAndManagersEnd()
    {
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        {
            var thread = new Thread(() =>
            {
                var manager = new AsyncManager(checkpoint);
                manager.Save(new State().Add<float>("model", "a", new float[1 << 20]));
            });
            thread.Start();
            thread.Join();
            for (var i = 0; i < 3; ++i)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            Check.That(true, "no crash");
        }
    }

    // Twenty processes that exit during a save, by returning from Main, by Environment.Exit, and with a cancelling manager.
    internal static void ExitsAreClean()
    {
        foreach (var how in new[] { "return", "exit", "cancel", "forget", "dispose" })
        {
            for (var run = 0; run < 4; ++run)
            {
                var folder = StateTests.Folder();
                try
                {
                    string output;
                    var code = Children.Start("exit " + how + " \"" + folder + "\"", out output);
                    Check.Equal(0, code, how + ": " + output);
                    Check.Contains("saving", output, "output");
                    using (var checkpoint = new CheckpointManager(folder))
                    {
                        var good = checkpoint.List().Count(info => info.Status == CkptStatus.Ok);
                        if (how == "cancel") Check.Equal(0, checkpoint.List().Count, "nothing stays");
                        else Check.Equal(1, good, how + " waits for the save");
                    }
                }
                finally
                {
                    Directory.Delete(folder, true);
                }
            }
        }
    }

    internal static int ExitDuringASave(string how, string folder)
    {
        var checkpoint = new CheckpointManager(folder);
        var manager = new AsyncManager(checkpoint, new AsyncManagerOptions
        {
            CancelAtExit = how == "cancel", BytesPerSecond = how == "cancel" ? 1 << 20 : 64 << 20,
        });
        manager.TaskEnded += (sender, e) => { };
        manager.Save(new State().Add<float>("model", "a", new float[4 << 20]), null, null, new Reports());
        Console.WriteLine("saving");
        switch (how)
        {
            case "exit": Environment.Exit(0); break;
            case "dispose": manager.Dispose(); break;
            case "forget":
                manager = null;
                checkpoint = null;
                GC.Collect();
                break;
        }
        GC.KeepAlive(how == "forget" ? null : manager);
        return 0;
    }
}
