using System;
using Ckpt;

internal static class Resume
{
    private static void Main()
    {
        var weights = new float[1000];
        using (var run = new CheckpointManager("run", new CheckpointManagerOptions { KeepLast = 2 }))
        using (var saves = new AsyncManager(run))
        using (var state = new State().Add<float>("model", "weights", weights)) // shares the array: a load fills it in place
        {
            var last = run.LoadIfAny(state); // the newest valid checkpoint, every byte verified
            var first = last == null ? 0 : last.Step;
            for (var step = first + 1; step <= first + 100; ++step)
            {
                weights[0] += 1; // train
                if (step % 10 == 0) saves.Save(state, new SaveOptions { Step = step }); // in the background
            }
            Console.WriteLine($"step {first + 100}: {weights[0]}");
        }
    }
}
