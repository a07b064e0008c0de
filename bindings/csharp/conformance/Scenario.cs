using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Ckpt;

// The objects of one scenario by name, and the commands on objects of any type.
internal sealed partial class Scenario : IDisposable
{
    private static readonly string[] nothing = new string[0];
    private static readonly string[] chosenWords = { "default", "recompute", "boundary" };
    private static readonly string[] taskWords = { "queued", "running", "completed", "failed", "cancelled", "rejected" };

    private readonly string directory;
    private readonly Dictionary<string, Func<Command, IEnumerable<string>>> table = new Dictionary<string, Func<Command,
        IEnumerable<string>>>();
    private readonly Named<Clock> clocks = new Named<Clock>();
    private readonly Named<Kind> kinds = new Named<Kind>();
    private readonly Named<Strategy> strategies = new Named<Strategy>();
    private readonly Named<MemoryTracker> trackers = new Named<MemoryTracker>();
    private readonly Dictionary<string, ulong> allocations = new Dictionary<string, ulong>();
    private readonly Named<MemoryScope> scopes = new Named<MemoryScope>();
    private readonly Named<Listener> listeners = new Named<Listener>();
    private readonly Named<Profile> profiles = new Named<Profile>();
    private readonly Named<Schedule> schedules = new Named<Schedule>();
    private readonly Named<Cursor> cursors = new Named<Cursor>();
    private readonly Dictionary<string, byte[]> places = new Dictionary<string, byte[]>();
    private readonly Named<Tensor> tensors = new Named<Tensor>();
    private readonly Named<State> states = new Named<State>();
    private readonly Named<CheckpointManager> checkpoints = new Named<CheckpointManager>();
    private readonly Named<Threshold> thresholds = new Named<Threshold>();
    private readonly Named<Controller> controllers = new Named<Controller>();
    private readonly Named<ActivationManager> activations = new Named<ActivationManager>();
    private readonly Named<Staged> pipelines = new Named<Staged>();
    private readonly Dictionary<string, BackgroundTask> tasks = new Dictionary<string, BackgroundTask>();
    private readonly Dictionary<string, long> ids = new Dictionary<string, long>(); // of tasks
    private readonly Named<Background> managers = new Named<Background>();

    internal Scenario(string directory)
    {
        this.directory = directory;
        OnAny();
        OnStrategies();
        OnSchedules();
        OnTrackers();
        OnTensors();
        OnCheckpoints();
        OnBackground();
        OnCompat();
        OnAdaptive();
        OnActivations();
        OnPipelines();
    }

    // Managers first: their tasks may use everything else.
    public void Dispose()
    {
        managers.Dispose();
        pipelines.Dispose();
        activations.Dispose();
        controllers.Dispose();
        thresholds.Dispose();
        checkpoints.Dispose();
        states.Dispose();
        tensors.Dispose();
        cursors.Dispose();
        schedules.Dispose();
        profiles.Dispose();
        listeners.Dispose();
        trackers.Dispose();
        strategies.Dispose();
        kinds.Dispose();
        clocks.Dispose();
    }

    internal IEnumerable<string> Run(Command command)
    {
        Func<Command, IEnumerable<string>> run;
        if (!table.TryGetValue(command.Name, out run)) throw new MisuseException("unknown command " + command.Name);
        return run(command).ToArray();
    }

    private void On(string name, Func<Command, IEnumerable<string>> run)
    {
        table[name] = run;
    }

    private void Do(string name, Action<Command> run)
    {
        table[name] = command =>
        {
            run(command);
            return nothing;
        };
    }

    private static string[] Line(params object[] words)
    {
        return new[] { string.Join(" ", words.Select(word => Convert.ToString(word, CultureInfo.InvariantCulture))) };
    }

    private static string YesNo(bool yes)
    {
        return yes ? "yes" : "no";
    }

    private static int IndexOf(string[] words, string word)
    {
        var index = Array.IndexOf(words, word);
        if (index < 0) throw new MisuseException("unknown word " + word);
        return index;
    }

    private static string Exact(double value)
    {
        var bits = BitConverter.DoubleToInt64Bits(value);
        if (value == Math.Floor(value) && Math.Abs(value) < 9007199254740992.0
            && !(value == 0 && bits != 0)) return ((long)value).ToString(CultureInfo.InvariantCulture);
        return "0x" + bits.ToString("x16", CultureInfo.InvariantCulture);
    }

    private static string Thousandths(double value)
    {
        return ((long)Math.Floor(value * 1000 + 0.5)).ToString(CultureInfo.InvariantCulture);
    }

    private static TValue Known<TValue>(Dictionary<string, TValue> all, string name)
    {
        TValue found;
        if (!all.TryGetValue(name, out found)) throw new MisuseException("unknown name " + name);
        return found;
    }

    private void OnAny()
    {
        On("philox", c =>
        {
            var words = Enumerable.Range(1, 6).Select(i => (uint)c.Integer(i)).ToArray();
            return Line(Library.Philox(words.Take(4).ToArray(), words.Skip(4).ToArray()).Cast<object>().ToArray());
        });
        Do("clock", c => clocks.Make(c.Text(1), new Clock(c.Integer(2))));
        Do("advance", c => clocks[c.Text(1)].Advance(c.Integer(2)));
        On("show", c => Show(c.Text(1)));
        Do("reset", c =>
        {
            var strategy = strategies.Find(c.Text(1));
            if (strategy != null) strategy.Reset();
            else trackers[c.Text(1)].ResetStats();
        });
        On("same", c =>
        {
            var tensor = tensors.Find(c.Text(1));
            if (tensor != null) return Line(YesNo(tensor.BitEqual(tensors[c.Text(2)])));
            return Line(YesNo(schedules[c.Text(1)].Fingerprint == schedules[c.Text(2)].Fingerprint));
        });
        Do("close", c =>
        {
            var name = c.Text(1);
            if (!clocks.Close(name) && !kinds.Close(name) && !strategies.Close(name) && !trackers.Close(name)
                && !listeners.Close(name) &&
                !profiles.Close(name) && !schedules.Close(name) && !cursors.Close(name) && !tensors.Close(name)
                    && !states.Close(name) &&
                !checkpoints.Close(name) && !thresholds.Close(name) && !controllers.Close(name)
                && !activations.Close(name) && !pipelines.Close(name) && !managers.Close(name))
            {
                throw new MisuseException("unknown name " + name);
            }
        });
    }

    private IEnumerable<string> Show(string name)
    {
        var clock = clocks.Find(name);
        if (clock != null) return Line(clock.Now);
        var strategy = strategies.Find(name);
        if (strategy != null)
        {
            var n = strategy.GetCounters();
            return Line(strategy.Name, "asked", n.AskedLayers, "chosen", n.ChosenLayers, "bytes", n.ChosenBytes,
                chosenWords[(int)strategy.Chosen]);
        }
        var tracker = trackers.Find(name);
        if (tracker != null)
        {
            var n = tracker.GetStats();
            return Line("current", n.CurrentBytes, "peak", n.PeakBytes, "allocated", n.TotalAllocatedBytes, "freed",
                n.TotalFreedBytes, "live", n.LiveAllocations, "allocations", n.Allocations, "frees", n.Frees, "average", n.AverageBytes, "not_found",
                n.NotFound, "refused", n.Refused, "failures", n.HandlerFailures);
        }
        var scope = scopes.Find(name);
        if (scope != null) return ScopeLine(scope.GetStats());
        var profile = profiles.Find(name);
        if (profile != null) return Line("layers", profile.LayerCount, "input", profile.InputBytes);
        var schedule = schedules.Find(name);
        if (schedule != null) return Line(schedule.Name, "layers", schedule.LayerCount == 0 ? "open"
            : (object)schedule.LayerCount);
        var tensor = tensors.Find(name);
        if (tensor != null)
        {
            var bytes = tensor.AsReadOnlyBytes();
            long checksum = 0;
            for (var i = 0; i < bytes.Length; ++i) checksum += (i + 1L) * bytes[i];
            var shape = string.Join("x", tensor.Shape);
            return Line(DTypes.Name(tensor.DType), shape == "" ? "-" : shape, "elements", tensor.ElementCount, "bytes",
                tensor.Bytes, "checksum", checksum);
        }
        var state = states.Find(name);
        if (state != null) return Line("tensors", state.TensorCount);
        var threshold = thresholds.Find(name);
        if (threshold != null)
        {
            var n = threshold.GetInfo();
            return Line("threshold", Thousandths(n.Threshold), "longest", Thousandths(n.LongestSeconds), "used", n.Used, "of",
                n.Budget, "tasks", n.Tasks);
        }
        var controller = controllers.Find(name);
        if (controller != null)
        {
            var n = controller.GetInfo();
            return Line("running", YesNo(n.Running), "in_flight", YesNo(n.SaveInFlight), "failures", n.Failures, "saves",
                n.Saves, "cost",
                        Thousandths(n.CostSeconds), "last", Thousandths(n.LastSeenSeconds), "mtbf", Thousandths(n.MtbfSeconds),
                            "tasks", n.Tasks);
        }
        var activation = activations.Find(name);
        if (activation != null) return ManagerLine(activation);
        BackgroundTask task;
        if (tasks.TryGetValue(name, out task))
        {
            var n = managers[task.Manager].Manager.GetTask(task.Id);
            return Line(n.Kind == CheckpointTaskKind.Save ? "save" : "load", taskWords[(int)n.State], "step", n.Step);
        }
        var stats = managers[name].Manager.GetStats();
        return Line("live", stats.LiveTasks, "completed", stats.CompletedTasks, "failed", stats.FailedTasks, "cancelled",
            stats.CancelledTasks, "rejected", stats.RejectedTasks);
    }
}
