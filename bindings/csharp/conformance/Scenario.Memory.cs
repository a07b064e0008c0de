using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;

// Commands on memory trackers and tensors.
internal sealed partial class Scenario
{
    private static readonly string[] orderWords = { "id", "current", "peak" };
    private static readonly string[] eventWords = { "allocated", "freed", "peak", "limit" };

    private static string[] ScopeLine(MemoryScopeStats n)
    {
        return Line("depth", n.Depth, "start", n.StartBytes, "peak", n.PeakBytes, "net", n.NetBytes, "allocated",
            n.TotalAllocatedBytes);
    }

    private void OnTrackers()
    {
        Do("tracker", c => trackers.Make(c.Text(1), new MemoryTracker(new MemoryTrackerOptions
        {
            Clock = c.Has("clock") ? clocks[c.Text("clock", "")] : null,
        })));
        Do("allocate", c => allocations[c.Text(4)] = trackers[c.Text(1)].RecordAllocation(c.Text(2), c.Integer(3)));
        On("reserve", c =>
        {
            var id = trackers[c.Text(1)].TryReserve(c.Text(2), c.Integer(3));
            if (id != null) allocations[c.Text(4)] = id.Value;
            return Line(YesNo(id != null));
        });
        Do("free", c => trackers[c.Text(1)].RecordDeallocation(Known(allocations, c.Text(2))));
        On("free-layer", c => Line(trackers[c.Text(1)].RecordDeallocation(c.Text(2))));
        On("by-layer", c =>
        {
            IReadOnlyList<MemoryLayerStats> layers;
            trackers[c.Text(1)].GetSnapshot((MemoryOrder)IndexOf(orderWords, c.Text(2)), out layers);
            return layers.SelectMany(n => Line(n.Name, "current", n.CurrentBytes, "peak", n.PeakBytes, "allocated",
                n.TotalAllocatedBytes, "freed", n.TotalFreedBytes, "live", n.LiveAllocations, "largest", n.LargestBytes)).ToArray();
        });
        On("savings", c =>
        {
            double fraction;
            var saved = trackers[c.Text(1)].GetSavings(c.Integer(2), out fraction);
            return Line(saved, Exact(fraction));
        });
        Do("scope", c => scopes.Make(c.Text(3), trackers[c.Text(1)].PushScope(c.Text(2))));
        On("pop", c => ScopeLine(scopes[c.Text(1)].Pop()));
        Do("limit", c =>
        {
            var tracker = trackers[c.Text(1)];
            if (c.Text(2) == "none") tracker.ClearLimit();
            else tracker.SetLimit(c.Integer(2), c.Count > 2 ? c.Integer(3) : 0);
        });
        Do("listen", c =>
        {
            var kinds = MemoryEventKind.None;
            foreach (var word in c.Text(3).Split(',')) kinds |= (MemoryEventKind)(1 << IndexOf(eventWords, word));
            var events = new EventLog();
            var throws = c.Count > 3 && c.Text(4) == "throws";
            listeners.Make(c.Text(1), new Listener(events, trackers[c.Text(2)].Subscribe(kinds, e =>
            {
                if (throws) throw new InvalidOperationException("a listener that throws");
                var word = eventWords[(int)Math.Log((int)e.Kind, 2)];
                events.Add(Line(word, e.LayerId == null ? "-" : e.LayerName, "bytes", e.Bytes, "current", e.CurrentBytes, "peak",
                    e.PeakBytes, "limit", e.LimitBytes)[0]);
            })));
        });
        On("events", c =>
        {
            var listener = listeners.Find(c.Text(1));
            return listener != null ? listener.EventLog.Take() : managers[c.Text(1)].EventLog.Take();
        });
        On("prometheus", c => trackers[c.Text(1)].ToPrometheus().Split('\n').Where(line => line.StartsWith(c.Text(2),
            StringComparison.Ordinal)).ToArray());
    }

    private void OnTensors()
    {
        Do("tensor", c => tensors.Make(c.Text(1), MadeTensor(c.Text(2), Command.ToShape(c.Text(3)), c.Count > 3 ? c.Integer(4)
            : 0)));
        Do("fill", c => tensors[c.Text(1)].Fill(c.Number(2)));
        Do("add-scaled", c => tensors[c.Text(1)].AddScaled(c.Number(2), tensors[c.Text(3)]));
        On("sum", c => Line(Exact(tensors[c.Text(1)].Sum())));
    }

    internal static Tensor MadeTensor(string dtype, long[] shape, long seed)
    {
        var tensor = new Tensor(DTypes.Find(dtype), shape);
        var bytes = tensor.AsBytes();
        for (var i = 0; i < bytes.Length; ++i)
        {
            var value = (17 * seed + 31L * i + 5) % 256;
            bytes[i] = (byte)(tensor.DType == DType.Bool ? value % 2 : value);
        }
        return tensor;
    }
}
