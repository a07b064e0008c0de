"""Trains a network with a layer written in numpy: storing all activations, then within 60 % of their memory; then once more with
background saves, a "crash" after half of the steps, and a resume. Losses and parameters have the same bits every time."""

import os
import sys
import tempfile

import ckpt
import numpy as np

SAMPLES, INPUTS, WIDTH, CLASSES, BLOCKS, STEPS = 64, 16, 64, 4, 6, 30
BUDGET = 0.6  # fraction of the memory of storing everything


class Swish(ckpt.CustomLayer):
    """y = x / (1 + exp(-x)), in numpy. Its backward reads x, so the library keeps or recomputes x."""

    def output(self, input):
        return input

    def forward(self, context, input, output, tape, workspace):
        x = np.frombuffer(input, np.float32)
        np.frombuffer(output, np.float32)[:] = x / (1 + np.exp(-x))

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        x = np.frombuffer(input, np.float32)
        gate = 1 / (1 + np.exp(-x))
        np.frombuffer(grad_input, np.float32)[:] = np.frombuffer(grad_output, np.float32) * gate * (1 + x * (1 - gate))


def make_chain():
    chain = ckpt.Chain([ckpt.Layer("in", "linear", INPUTS, WIDTH)])
    for i in range(BLOCKS):
        chain.add(ckpt.Layer.custom(f"swish{i}", Swish()))
        chain.add(ckpt.Layer(f"dropout{i}", "dropout:0.1"))
        chain.add(ckpt.Layer(f"linear{i}", "linear", WIDTH, WIDTH if i + 1 < BLOCKS else CLASSES))
    chain.add(ckpt.Layer("loss", "softmax_cross_entropy"))
    chain.initialize(seed=1)
    return chain


def batch(step):
    """Returns the step's samples; the class is the quadrant of the first two inputs."""
    x = np.random.default_rng(step).standard_normal((SAMPLES, INPUTS)).astype(np.float32)
    return x, ((x[:, 0] > 0) * 2 + (x[:, 1] > 0)).astype(np.int32)


class Run:
    """One training run: its chain, its optimizer and its checkpoint directory."""

    def __init__(self, share, folder=None):
        self.chain = make_chain()
        self.optimizer = ckpt.Optimizer.adamw(self.chain, learning_rate=0.01)
        spec = (np.float32, (SAMPLES, INPUTS))
        profile = self.chain.profile(spec)
        everything = ckpt.Schedule.create(profile, "store-all").reserved_bytes(profile)
        self.schedule = ckpt.Schedule.create(profile, f"auto:{int(everything * share)}")
        self.executor = ckpt.ScheduleExecutor(self.chain, self.schedule, spec, budget_bytes=int(everything * share))
        self.checkpoints = None if folder is None else ckpt.CheckpointManager(folder, keep_last=2)
        self.saves = None if folder is None else ckpt.AsyncManager(self.checkpoints)

    def state(self):
        """Returns the state that a resume needs: parameters, the optimizer's tensors and its step count. Arrays are shared, not
        copied."""
        state = ckpt.State({"model": {p.name: p.value for p in self.chain.parameters()},
                            "optimizer": dict(self.optimizer.tensors())})
        state["optimizer_steps"] = self.optimizer.step_count
        return state

    def resume(self):
        """Returns the first step to run."""
        state = self.state()
        loaded = self.checkpoints.load_if_any(state)
        if loaded is None:
            return 0
        self.optimizer.step_count = state["optimizer_steps"]
        return loaded.step + 1

    def train(self, steps):
        first, loss = (self.resume() if self.checkpoints else 0), 0.0
        for step in range(first, steps):
            x, targets = batch(step)
            loss = self.executor.run(x, targets, step=step, seed=7)
            self.optimizer.step()
            if self.saves and step % 5 == 4:  # copies the arrays; writing continues while the next steps run
                self.saves.save(self.state(), step, metric=loss)
        return first, loss

    def parameters(self):
        return np.concatenate([p.value.numpy().ravel() for p in self.chain.parameters()])

    def close(self):
        for owned in (self.executor, self.saves, self.checkpoints):  # waits for saves, and raises the error of a failed one
            if owned is not None:
                owned.close()


def report(title, run, first, loss):
    stats = run.executor.stats()
    print(f"{title:14}{run.schedule.name:14}{stats.reserved_bytes:9d} bytes  {stats.recomputed_forwards:4d} recomputed  "
          f"from step {first:2d}  loss {loss:.6f}")


def main():
    results = []
    for title, share in (("store all", 1.0), ("60 %", BUDGET)):
        run = Run(share)
        first, loss = run.train(STEPS)
        report(title, run, first, loss)
        results.append(run.parameters().copy())
        run.close()

    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "run")
        crashed = Run(BUDGET, place)
        crashed.train(STEPS // 2 + 2)  # two steps after the last checkpoint: they are lost
        crashed.saves.wait()
        stats = crashed.saves.stats()
        print(f"{stats.completed_tasks} saves in the background wrote {stats.written_bytes} bytes and held training up for "
              f"{stats.stall_ns / 1e6:.1f} ms")
        crashed.close()
        resumed = Run(BUDGET, place)
        first, loss = resumed.train(STEPS)
        report("resumed", resumed, first, loss)
        results.append(resumed.parameters().copy())
        resumed.close()
        arrays = ckpt.load(place, group="model")
        print(f"the newest checkpoint holds {len(arrays)} arrays of the model, {sum(a.nbytes for a in arrays.values())} bytes")

    if not all(np.array_equal(results[0], other) for other in results[1:]):
        print("the runs differ")
        return 1
    print("all three runs ended with the same bits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
