using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Ckpt;

// Failures of background saves that cannot be returned to a caller, each in a separate process: standard error, exit status, log.
internal static class UnreceivedTests
{
    private const string Text = "no caller has seen this failure: task 1 (save of step 7) failed: ";
    private static AsyncManager kept;
    private static WeakReference forgotten;

    // Starts a save and removes its directory before a worker begins it.
    private static AsyncManager Lost(string folder)
    {
        using (var checkpoint = new CheckpointManager(folder))
        {
            var manager = new AsyncManager(checkpoint);
            manager.Save(new State().Add<float>("model", "a", new float[4]), new SaveOptions { Step = 7 },
                new CheckpointTaskOptions { GateStep = 1000000 });
            Directory.Delete(folder, true);
            return manager;
        }
    }

    // Uses a thread, so that no stack frame references the manager when this returns.
    private static void Forget(string folder)
    {
        var thread = new Thread(() =>
        {
            var manager = Lost(folder);
            manager.WaitAll(); // tasks that have not ended keep their manager alive
            forgotten = new WeakReference(manager);
        });
        thread.Start();
        thread.Join();
    }

    private static void CollectUntil(Func<bool> over)
    {
        for (var i = 0; i < 600 && !over(); ++i)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(100);
        }
    }

    internal static int Lose(string way, string folder)
    {
        var received = 0;
        switch (way)
        {
            case "dispose":
                using (kept = Lost(folder)) Console.WriteLine("using");
                Console.WriteLine(kept.DisposeError is CkptInvalidStateException ? "kept" : "not kept");
                return 0;
            case "exit":
                kept = Lost(folder);
                return 0;
            case "finalizer":
                Forget(folder);
                CollectUntil(() => !forgotten.IsAlive); // process exit waits for its release
                return 0;
            case "log":
                Library.SetLog((level, component, message) =>
                {
                    Console.WriteLine(level + " " + component + " " + message);
                    if (message.StartsWith("no caller", StringComparison.Ordinal)) Interlocked.Increment(ref received);
                }, LogLevel.Error);
                Forget(folder);
                CollectUntil(() => Volatile.Read(ref received) > 0);
                return 0;
            case "close":
                using (var manager = Lost(folder))
                {
                    try
                    {
                        manager.Close();
                    }
                    catch (CkptInvalidStateException)
                    {
                        Console.WriteLine("caught");
                    }
                }
                return 0;
            case "next":
                Library.SetLog((level, component, message) => { }, LogLevel.Error);
                Lost(folder).Dispose();
                using (var checkpoint = new CheckpointManager(folder))
                using (var state = new State().Add<float>("model", "a", new float[4]))
                {
                    for (var step = 8; step < 10; ++step)
                    {
                        var saved = checkpoint.Save(state, new SaveOptions { Step = step });
                        Console.WriteLine(saved.UnreportedFailures + " " + saved.UnreportedStatus + " " + saved.UnreportedError);
                    }
                }
                return 0;
            default:
                return 3;
        }
    }

    private struct Ended
    {
        internal int Status;
        internal string Out;
        internal string Errors;
    }

    private static Ended Run(string way, string setting = null)
    {
        var folder = Path.Combine(Path.GetTempPath(), "ckpt-unreceived-" + Guid.NewGuid().ToString("N"));
        var machine = Process.GetCurrentProcess().MainModule.FileName;
        var start = new ProcessStartInfo(machine, "\"" + typeof(Children).Assembly.Location + "\" child unreceived " + way + " " + folder)
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.EnvironmentVariables.Remove("CKPT_LOG");
        if (setting != null) start.EnvironmentVariables["CKPT_LOG"] = setting;
        try
        {
            using (var process = Process.Start(start))
            {
                var errors = process.StandardError.ReadToEndAsync();
                var ended = new Ended { Out = process.StandardOutput.ReadToEnd(), Errors = errors.Result };
                process.WaitForExit();
                ended.Status = process.ExitCode;
                Check.Equal(0, ended.Status, way + ": " + ended.Errors);
                return ended;
            }
        }
        finally
        {
            if (Directory.Exists(folder)) Directory.Delete(folder, true);
        }
    }

    // Checks for the line of Console.Error, without the line of the native library.
    private static void ExpectOneLine(string errors)
    {
        Check.That(errors.StartsWith("ckpt: async: " + Text, StringComparison.Ordinal), errors);
        Check.Equal(1, errors.Split('\n').Length - 1, errors);
    }

    internal static void Disposed()
    {
        var ended = Run("dispose");
        ExpectOneLine(ended.Errors);
        Check.Equal("using\nkept\n", ended.Out, "the failure is kept, too");
    }

    internal static void AtExit()
    {
        ExpectOneLine(Run("exit").Errors);
    }

    internal static void Finalized()
    {
        ExpectOneLine(Run("finalizer").Errors);
    }

    internal static void OfEnvironment()
    {
        Check.Equal("", Run("exit", "off").Errors, "off");
        ExpectOneLine(Run("exit", "stderr").Errors);
    }

    internal static void InTheLog()
    {
        var ended = Run("log");
        Check.Equal("", ended.Errors, "nothing is printed");
        Check.Equal(2, ended.Out.Split(new[] { "Error async " + Text }, StringSplitOptions.None).Length, ended.Out);
    }

    internal static void Caught()
    {
        var ended = Run("close");
        Check.Equal("", ended.Errors, "a caller has it");
        Check.Equal("caught\n", ended.Out, "once");
    }

    internal static void NextSaveOfTheStorage()
    {
        var lines = Run("next").Out.Split('\n');
        Check.That(lines[0].StartsWith("1 InvalidState task 1 (save of step 7) failed: ", StringComparison.Ordinal), lines[0]);
        Check.Equal("0 Ok ", lines[1], "once");
    }
}
