"""Training steps of one transformer by torch and by ckpt, from the same weights, interleaved in one run: medians of wall clock, and
their ratio. A step zeroes gradients, runs forward and backward, and ends with AdamW. Both keep all activations and use no dropout.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/compare/torch_transformer.py [default|large] [ROUNDS] [THREADS]

Without THREADS it runs with one thread and with two, in a new process each: BLAS reads its number of threads once.
"""
import os
import statistics
import subprocess
import sys
import time

SIZES = {  # samples, and the dimensions of the model
    "default": (16, dict(vocabulary=256, context=128, width=128, heads=4, blocks=4)),
    "large": (8, dict(vocabulary=256, context=256, width=384, heads=6, blocks=6)),
}
SIZE = sys.argv[1] if len(sys.argv) > 1 else "default"
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
if SIZE not in SIZES:
    sys.exit(f"size '{SIZE}': expected default or large")
if len(sys.argv) < 4:
    for threads in ("1", "2"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        subprocess.run([sys.executable, os.path.abspath(__file__), SIZE, str(ROUNDS), threads], env=environment, check=True)
    raise SystemExit(0)
THREADS = int(sys.argv[3])

import ckpt  # noqa: E402
import numpy as np  # noqa: E402

try:
    import torch
except ImportError:
    print("torch_transformer: skipped: python3-torch is not installed")
    raise SystemExit(0)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "python", "tests"))
from test_torch_transformer import Model, Twin, copy_weights  # noqa: E402

RATE, DECAY = 1e-3, 0.01


def blas_of_torch():
    """Returns the BLAS libraries that the process has mapped: torch and ckpt may share one."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return ", ".join(sorted({os.path.basename(line.split()[-1]) for line in maps if "blas" in line and "/" in line})) or "its own"


def torch_step(twin, tokens, targets):
    matrices = [parameter for parameter in twin.parameters() if parameter.ndim >= 2]
    others = [parameter for parameter in twin.parameters() if parameter.ndim < 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}], lr=RATE)
    tokens, targets = torch.from_numpy(tokens).long(), torch.from_numpy(targets).long()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = twin(tokens, targets)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def ckpt_step(chain, tokens, targets):
    pool = ckpt.WorkerPool(THREADS)
    chain.set_worker_pool(pool)
    spec = (np.int32, tokens.shape)
    executor = ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(chain.profile(spec), "store-all"), spec, pool=pool)
    optimizer = ckpt.Optimizer.adamw(chain, learning_rate=RATE, weight_decay=DECAY, decay_matrices_only=True)

    def step():
        loss = executor.run(tokens, targets)
        optimizer.step()
        return loss

    return step


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


torch.set_num_threads(THREADS)
samples, sizes = SIZES[SIZE]
model = Model(**sizes)
chain, twin = model.chain(), Twin(model)
chain.initialize(seed=1)
copy_weights(chain, twin)
generator = np.random.default_rng(1)
data = [generator.integers(0, model.vocabulary, (samples, model.context), np.int32) for _ in range(2)]
steps = {"torch": torch_step(twin, *data), "ckpt": ckpt_step(chain, *data)}
losses = {name: step() for name, step in steps.items()}
if abs(losses["ckpt"] - losses["torch"]) > 1e-4 * losses["torch"]:
    sys.exit(f"not the same model: losses {losses}")
taken = {name: [] for name in steps}
for _ in range(ROUNDS):
    for name, step in steps.items():
        step()  # warm-up after the other library
        taken[name].append(seconds(step))
medians = {name: statistics.median(times) for name, times in taken.items()}
print(f"{SIZE}: {model.blocks} blocks, width {model.width}, {model.heads} heads, context {model.context}, {samples} samples; "
      f"{THREADS} thread(s), {ROUNDS} rounds; torch {torch.__version__} with {blas_of_torch()}; {ckpt.blas_info()}")
for name, median in medians.items():
    print(f"{name:8s} {median * 1e3:9.1f} ms a step ({min(taken[name]) * 1e3:.1f} .. {max(taken[name]) * 1e3:.1f})   "
          f"{median / medians['torch']:5.2f} of torch's", flush=True)
