using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using Ckpt;

// Programs that a test runs as separate processes, to check how they exit.
internal static class Children
{
    internal static int Run(string[] arguments)
    {
        switch (arguments[1])
        {
            case "events": return Events();
            case "exit": return AsyncTests.ExitDuringASave(arguments[2], arguments[3]);
            case "exit-inside": return TrapsTests.ExitInside(arguments[2]);
            case "kernels": return EngineTests.SetKernels();
            case "unreceived": return UnreceivedTests.Lose(arguments[2], arguments[3]);
            case "s3": return StorageTests.AtS3(arguments[2]);
            default: return 3;
        }
    }

    // Returns the process's exit code and output.
    internal static int Start(string arguments, out string output)
    {
        var program = typeof(Children).Assembly.Location;
        var machine = Process.GetCurrentProcess().MainModule.FileName;
        var start = new ProcessStartInfo(machine, "\"" + program + "\" child " + arguments)
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using (var process = Process.Start(start))
        {
            var errors = process.StandardError.ReadToEndAsync();
            output = process.StandardOutput.ReadToEnd() + errors.Result;
            process.WaitForExit();
            return process.ExitCode;
        }
    }

    // Registers a handler, drops all references, collects, and makes the library raise a thousand events.
    private static int Events()
    {
        long seen = 0;
        var tracker = Registered(() => ++seen);
        for (var i = 0; i < 5; ++i)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        for (var i = 0; i < 1000; ++i) tracker.RecordAllocation("layer", 1);
        Console.WriteLine("seen " + seen);
        return seen == 1000 ? 0 : 4;
    }

    private static MemoryTracker Registered(Action act)
    {
        var tracker = new MemoryTracker();
        tracker.Subscribe(MemoryEventKind.Allocated, arguments => act());
        return tracker;
    }
}
