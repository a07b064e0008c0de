// The log of the library as a program with Microsoft.Extensions.Logging sees it.
using System;
using System.Collections.Concurrent;
using System.Linq;
using Ckpt;
using Ckpt.Extensions.Logging;
using Microsoft.Extensions.Logging;

internal static class LoggingTests
{
    private sealed class Sink : ILogger, ILoggerFactory
    {
        private readonly string category;
        private readonly ConcurrentQueue<(string Category, Microsoft.Extensions.Logging.LogLevel Level, string Text)> seen;

        internal Sink() : this("", new())
        {
        }

        private Sink(string category, ConcurrentQueue<(string, Microsoft.Extensions.Logging.LogLevel, string)> seen)
        {
            this.category = category;
            this.seen = seen;
        }

        internal (string Category, Microsoft.Extensions.Logging.LogLevel Level, string Text)[] Seen => seen.ToArray();

        public ILogger CreateLogger(string categoryName) => new Sink(categoryName, seen);

        public void Log<TState>(Microsoft.Extensions.Logging.LogLevel logLevel, EventId eventId, TState state, Exception exception,
                                Func<TState, Exception, string> formatter)
        {
            seen.Enqueue((category, logLevel, formatter(state, exception)));
        }

        public bool IsEnabled(Microsoft.Extensions.Logging.LogLevel logLevel) => true;

        public IDisposable BeginScope<TState>(TState state) => null;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }

    private static void Save(bool fails)
    {
        using var checkpoints = new CheckpointManager(Storage.InMemory());
        using var manager = new AsyncManager(checkpoints);
        using var state = new State().Add<float>("{group}", "t", new float[4]);
        var task = fails
            ? manager.Save(state, source: (group, name, data, offset, buffer) => throw new InvalidOperationException("the {source} broke"))
            : manager.Save(state);
        task.Wait();
    }

    private static void Check(bool holds, string what, Sink sink)
    {
        if (holds) return;
        foreach (var line in sink.Seen) Console.Error.WriteLine(line);
        throw new InvalidOperationException(what);
    }

    private static int Main()
    {
        var factory = new Sink();
        ((ILoggerFactory)factory).UseCkpt();
        Save(fails: false);
        Save(fails: true);
        Check(factory.Seen.Any(line => line.Category == "Ckpt.async" && line.Text.Contains("completed")
            && line.Level == Microsoft.Extensions.Logging.LogLevel.Information), "a save that completed", factory);
        Check(factory.Seen.Any(line => line.Category == "Ckpt.async" && line.Text.Contains("the {source} broke")
            && line.Level == Microsoft.Extensions.Logging.LogLevel.Error), "a save that failed, in its words", factory);

        var one = new Sink();
        var before = factory.Seen.Length;
        ((ILogger)one).UseCkpt(Ckpt.LogLevel.Error);
        Save(fails: false);
        Check(one.Seen.Length == 0 && factory.Seen.Length == before, "information is dropped, and the other one is not called", one);
        Save(fails: true);
        Check(one.Seen.Length > 0 && one.Seen.All(line => line.Category == "" && line.Text.Contains(": ")), "the part in front", one);

        Library.SetLog(null);
        before = one.Seen.Length;
        Save(fails: true);
        Check(one.Seen.Length == before, "ended", one);
        try
        {
            ((ILogger)null).UseCkpt();
            return 1;
        }
        catch (ArgumentNullException)
        {
            Console.WriteLine("the log of libckpt " + Library.VersionString + " reaches ILogger");
            return 0;
        }
    }
}
