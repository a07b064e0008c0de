using System;
using System.Collections.Generic;
using System.Linq;
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
            if (!all.TryGetValue(name, out found)) throw new MisuseException("unknown name " + name);
            return found;
        }
    }

    internal T Find(string name)
    {
        T found;
        all.TryGetValue(name, out found);
        return found;
    }

    internal void Make(string name, T created)
    {
        Close(name);
        all[name] = created;
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
        foreach (var created in all.Values) created.Dispose();
        all.Clear();
    }
}

// Lines that callbacks add, on any thread.
internal sealed class EventLog
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
    internal readonly EventLog EventLog;
    private readonly MemorySubscription subscription;

    internal Listener(EventLog events, MemorySubscription subscription)
    {
        EventLog = events;
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
    internal readonly EventLog EventLog = new EventLog();
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

// A pipeline with its chain and its batch.
internal sealed class Staged : IDisposable
{
    internal readonly Pipeline Pipeline;
    internal double[] Losses = new double[0]; // of the last step
    private readonly Chain chain = new Chain();
    private readonly Tensor input;
    private readonly Tensor targets;

    internal Staged(long layers, long width, long samples, PipelineOptions options)
    {
        try
        {
            for (long i = 0; i < layers; ++i) chain.Add(new Layer("linear" + i, "linear", width, width)).Add(new Layer("gelu" + i, "gelu"));
            chain.Add(new Layer("loss", "softmax_cross_entropy")).Initialize(1);
            Pipeline = new Pipeline(chain, new TensorSpec(DType.F32, samples, width), options);
            input = new Tensor(DType.F32, samples, width);
            var numbers = input.AsSpan<float>();
            for (var i = 0; i < numbers.Length; ++i) numbers[i] = i % 7 / 8f;
            targets = new Tensor(DType.U8, samples);
            var classes = targets.AsSpan<byte>();
            for (var i = 0; i < classes.Length; ++i) classes[i] = (byte)(i % width);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal double Run(long step)
    {
        return Pipeline.Run(new Step(input, targets) { Number = step }, null, out Losses);
    }

    internal bool SameStep(Staged other)
    {
        var mine = chain.Parameters();
        var others = other.chain.Parameters();
        return Losses.SequenceEqual(other.Losses) && mine.Count == others.Count
            && mine.Zip(others, (a, b) => a.Gradient.BitEqual(b.Gradient)).All(same => same);
    }

    public void Dispose()
    {
        foreach (var created in new IDisposable[] { Pipeline, chain, input, targets })
            if (created != null) created.Dispose();
    }
}

// A registered kind of strategies.
internal sealed class Kind : IDisposable
{
    private readonly string name;

    internal Kind(string name)
    {
        this.name = name;
        Strategy.Register(name, arguments => Strategy.Interval(Command.ToInteger(arguments)));
    }

    public void Dispose()
    {
        Strategy.Unregister(name);
    }
}
