using System;
using System.Globalization;
using System.Linq;
using Ckpt;

// Commands on activation managers and pipelines.
internal sealed partial class Scenario
{
    private static readonly string[] keptWords = { "", "store-all", "recompute-all", "selective", "memory-based", "strategy",
        "automatic" };
    private static readonly string[] stageOrderWords = { "", "gpipe", "1f1b", "interleaved" };

    // The forward of a stage; README.md describes it.
    private static Func<Tensor, int, Tensor> ForwardOf(string how)
    {
        switch (how)
        {
            case "none": return null;
            case "throws":
                return (input, microBatch) =>
                {
                    throw new InvalidOperationException("no forward of " + microBatch.ToString(CultureInfo.InvariantCulture));
                };
            case "scales":
                return (input, microBatch) =>
                {
                    var output = new Tensor(input.DType, input.Shape);
                    output.CopyFrom(input);
                    output.Scale(microBatch + 2);
                    return output;
                };
            default: throw new MisuseException("unknown forward " + how);
        }
    }

    private ActivationPolicy PolicyOf(Command c, string kind)
    {
        var policy = new ActivationPolicy { Kind = (ActivationPolicyKind)IndexOf(keptWords, kind) };
        policy.Interval = c.Integer("interval", policy.Interval);
        policy.ThresholdBytes = c.Integer("threshold", policy.ThresholdBytes);
        policy.MemoryLimitBytes = c.Integer("memory", policy.MemoryLimitBytes);
        if (c.Has("strategy")) policy.Strategy = strategies[c.Text("strategy", "")];
        return policy;
    }

    private static string Printed(long[] shape)
    {
        return shape.Length == 0 ? "-" : string.Join("x", shape);
    }

    private static string[] KeptLine(Tensor tensor)
    {
        if (tensor == null) return Line("-");
        using (tensor) return Line(Printed(tensor.Shape), "sum", Exact(tensor.Sum()));
    }

    private static string[] ManagerLine(ActivationManager manager)
    {
        var policy = manager.Policy;
        long count;
        var bytes = manager.GetMemoryUsage(out count);
        return Line(keptWords[(int)policy.Kind], "interval", policy.Interval, "threshold", policy.ThresholdBytes, "bytes", bytes,
            "count", count);
    }

    private void OnActivations()
    {
        Do("activations", c =>
        {
            var options = new ActivationManagerOptions { Name = c.Text("name", null) };
            if (c.Has("tracker")) options.Tracker = trackers[c.Text("tracker", "")];
            if (c.Has("clock")) options.Clock = clocks[c.Text("clock", "")];
            activations.Make(c.Text(1), new ActivationManager(PolicyOf(c, c.Text(2)), ForwardOf(c.Text("forward", "scales")),
                options));
        });
        Do("policy", c => activations[c.Text(1)].Policy = PolicyOf(c, c.Text(2)));
        Do("begin-step", c => activations[c.Text(1)].BeginStep((int)c.Integer(2)));
        On("would-store", c => Line(YesNo(activations[c.Text(1)].ShouldCheckpoint((int)c.Integer(2), c.Integer(3)))));
        On("store", c => Line(YesNo(activations[c.Text(1)].Store((int)c.Integer(2), tensors[c.Text(3)]))));
        On("stored", c => KeptLine(activations[c.Text(1)].GetActivation((int)c.Integer(2))));
        On("recompute", c => KeptLine(activations[c.Text(1)].Recompute(tensors[c.Text(3)], (int)c.Integer(2))));
        On("stored-or-computed", c => KeptLine(activations[c.Text(1)].GetOrCompute(tensors[c.Text(3)], (int)c.Integer(2))));
        On("list-stored", c =>
        {
            var all = activations[c.Text(1)].List();
            return Line(all.Count == 0 ? "-" : string.Join(" ", all));
        });
        On("metadata", c =>
        {
            var n = activations[c.Text(1)].GetMetadata((int)c.Integer(2));
            if (n == null) return Line("error NOT_FOUND"); // null is how C# C# returns null instead
            return Line(DTypes.Name(n.DType), Printed(n.Shape), "bytes", n.Bytes, "hits", n.Hits, "at", n.StoredAtNanoseconds);
        });
        Do("clear", c => activations[c.Text(1)].Clear());
    }

    private void OnPipelines()
    {
        Do("pipeline", c =>
        {
            var options = new PipelineOptions
            {
                Order = (PipelineOrder)IndexOf(stageOrderWords, c.Text("order", "1f1b")),
                Stages = (int)c.Integer("stages", 1), Chunks = (int)c.Integer("chunks", 1),
                MicroBatches = (int)c.Integer("micro_batches", 1), MeasuredSteps = 0, BudgetBytes = c.Integer("budget", 0),
                Begins = c.Names("begins").Select(Command.ToInteger).ToArray(),
                Policy = PolicyOf(c, c.Text("policy", "store-all")),
            };
            pipelines.Make(c.Text(1), new Staged(c.Integer(2), c.Integer(3), c.Integer("samples", 8), options));
        });
        On("step", c =>
        {
            var staged = pipelines[c.Text(1)];
            var loss = staged.Run(c.Integer(2));
            return Line("loss", Thousandths(loss), "of", string.Join(" ", staged.Losses.Select(Thousandths)));
        });
        On("same-step", c => Line(YesNo(pipelines[c.Text(1)].SameStep(pipelines[c.Text(2)]))));
        On("stage", c =>
        {
            var n = pipelines[c.Text(1)].Pipeline.GetStats((int)c.Integer(2));
            return Line("first", n.FirstLayer, "layers", n.Layers, "in-flight", n.InFlight, "steps", n.Steps, "forwards",
                n.Forwards, "again", n.RecomputedForwards, "kept", n.KeptMicroBatches, "not", n.RecomputedMicroBatches, "peak",
                n.PeakLiveBytes, "reserved", n.ReservedBytes);
        });
    }
}
