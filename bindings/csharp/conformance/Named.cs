using System;
using System.Collections.Generic;
using Ckpt;

// Objects of one type by name.
internal sealed class Named<T> : IDisposable where T : class, IDisposable
{
    private readonly Dictionary<string, T> all = new Dictionary<string, T>();

    internal T this[string name]
    {
        get
        {
            T found;
            if (!all.TryGetValue(name, out found)) throw new MisuseException("nothing is called " + name);
            return found;
        }
    }

    internal T Find(string name)
    {
        T found;
        all.TryGetValue(name, out found);
        return found;
    }

    internal void Make(string name, T made)
    {
        Close(name);
        all[name] = made;
    }

    internal bool Close(string name)
    {
        T found;
        if (!all.TryGetValue(name, out found)) return false;
        all.Remove(name);
        found.Dispose();
        return true;
    }

    public void Dispose()
    {
        foreach (var made in all.Values) made.Dispose();
        all.Clear();
    }
}

// Lines that callbacks leave, on any thread.
internal sealed class Heard
{
    private readonly List<string> lines = new List<string>();

    internal void Add(string line)
    {
        lock (lines) lines.Add(line);
    }

    internal string[] Take()
    {
        lock (lines)
        {
            var taken = lines.ToArray();
            lines.Clear();
            return taken;
        }
    }
}

internal sealed class Listener : IDisposable
{
    internal readonly Heard Heard;
    private readonly MemorySubscription subscription;

    internal Listener(Heard heard, MemorySubscription subscription)
    {
        Heard = heard;
        this.subscription = subscription;
    }

    public void Dispose()
    {
        subscription.Dispose();
    }
}

internal sealed class Background : IDisposable
{
    internal readonly string Checkpoint;
    internal readonly Heard Heard = new Heard();
    internal readonly AsyncManager Manager;

    internal Background(string checkpoint, AsyncManager manager)
    {
        Checkpoint = checkpoint;
        Manager = manager;
    }

    public void Dispose()
    {
        Manager.Dispose();
    }
}

internal sealed class BackgroundTask
{
    internal string Manager;
    internal long Id;
}

// A registered kind of strategies.
internal sealed class Kind : IDisposable
{
    private readonly string name;

    internal Kind(string name)
    {
        this.name = name;
        Strategy.Register(name, arguments => new IntervalCheckpointStrategy(Command.ToInteger(arguments)));
    }

    public void Dispose()
    {
        Strategy.Unregister(name);
    }
}
