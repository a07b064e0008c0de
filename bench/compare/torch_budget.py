"""Steps within a share of the memory by ckpt.torch.budget, compared with torch.utils.checkpoint.checkpoint_sequential at its best
number of segments: its smallest peak, and ckpt within the same bytes and within others. Bytes are the allocator's, without
parameters and their gradients; seconds are CPU seconds of one thread, medians over interleaved rounds in one run. "lean" offers
each block in a second form that recomputes its norms and GELU in its backward.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/compare/torch_budget.py [ROUNDS] [BLOCKS]
"""
import os
import statistics
import sys
import time

import ckpt

try:
    import torch
    from ckpt import _torch_measure, _torch_values, torch as ckpt_torch
    from torch.utils.checkpoint import checkpoint_sequential
except ImportError:
    print("torch_budget: skipped: python3-torch is not installed")
    raise SystemExit(0)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "python", "tests"))
from test_torch_budget import Block, square, vgg  # noqa: E402
from test_torch_trace import smallest, unet, WithLoss  # noqa: E402
from torch_steps import kept_gradients  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
BLOCKS = int(sys.argv[2]) if len(sys.argv) > 2 else 12


def peak_of(run, sample, parameters):
    """Returns the peak of live bytes of a step, by the allocator, without the gradients of parameters."""
    for parameter in parameters:
        parameter.grad = None
    with kept_gradients() as kept:
        return _torch_measure._Meter().during(lambda: run(sample).backward(), lambda: [
            _torch_values._storage(gradient)[0] for gradient in [*kept, *(parameter.grad for parameter in parameters)]])[0]


def seconds_of(runs, sample, parameters):
    """Returns the medians of all, measured alternately."""
    times = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            for parameter in parameters:
                parameter.grad = None
            begin = time.process_time()
            run(sample).backward()
            times[name].append(time.process_time() - begin)
    return {name: statistics.median(taken) for name, taken in times.items()}


def compare(title, layers, forms, sample, shares):
    body = torch.nn.Sequential(*layers)
    sample.requires_grad_()  # checkpoint_sequential needs it
    parameters = list(body.parameters())
    plain = lambda x: square(body(x))
    whole = peak_of(plain, sample, parameters)
    runs, peaks = {"plain": plain}, {"plain": whole}
    for segments in range(2, len(layers) + 1):
        run = lambda x, segments=segments: square(checkpoint_sequential(body, segments, x))
        try:
            peak = peak_of(run, sample, parameters)
        except RuntimeError:  # a segment that begins with an in-place layer
            continue
        if "checkpoint_sequential" not in peaks or peak < peaks["checkpoint_sequential"]:
            runs["checkpoint_sequential"], peaks["checkpoint_sequential"], best = run, peak, segments
    whole_input = sample.numel() * sample.element_size()  # allocated before the step
    budgets = {"equal peak": peaks["checkpoint_sequential"] + whole_input,
               **{f"{share}%": whole * share // 100 + whole_input for share in shares}}
    for name, budget in budgets.items():
        for kind, chain in (("", layers), (", lean", forms)):
            if chain is None:
                continue
            try:
                run = ckpt_torch.budget([*chain, square], sample, budget)
            except ckpt.OverBudgetError as error:
                print(f"{title}: {name}{kind}: {error}")
                continue
            runs[f"ckpt {name}{kind}"], peaks[f"ckpt {name}{kind}"] = run, peak_of(run, sample, parameters)
    taken = seconds_of(runs, sample, parameters)
    extra = taken["checkpoint_sequential"] - taken["plain"]
    print(f"{title}, torch {torch.__version__}, {torch.get_num_threads()} thread(s), {ROUNDS} rounds; "
          f"checkpoint_sequential at {best} segments")
    for name, seconds in taken.items():
        more = seconds - taken["plain"]
        print(f"{name:28s} {seconds * 1e3:9.1f} ms {peaks[name] / whole:6.1%} of plain's peak   extra time {more / taken['plain']:6.1%} of "
              f"plain's   {more / extra:5.2f} of checkpoint_sequential's", flush=True)


def compare_traced(title, module, sample):
    """Traced, with the loss as part of the graph. torch.utils.checkpoint would need segments chosen by hand."""
    parameters = list(module.parameters())
    plain = lambda x: module(x).square().mean()
    runs, peaks = {"plain": plain}, {"plain": peak_of(plain, sample, parameters)}
    whole = peaks["plain"] + sample.numel() * sample.element_size()
    traced = WithLoss(module)
    for budget in ("100%", "80%", "60%", "50%", smallest(traced, (sample,))):
        run = ckpt_torch.budget(traced, sample, budget, trace=True)
        name = f"budget {run.bytes / whole:.0%}"
        runs[name], peaks[name] = run, peak_of(run, sample, parameters)
    print(f"{title}, {len(run._plans[0].layers)} operations")
    for name, seconds in seconds_of(runs, sample, parameters).items():
        peak = peaks[name] + sample.numel() * sample.element_size()
        print(f"{name:28s} {seconds * 1e3:9.1f} ms {peak / whole:6.1%} of plain's peak", flush=True)


torch.manual_seed(0)
torch.set_num_threads(1)
blocks = [Block(128, 4) for _ in range(BLOCKS)]
compare(f"{BLOCKS} transformer blocks", blocks, [ckpt_torch.Forms(block, block.lean) for block in blocks], torch.randn(8, 64, 128),
        (20, 25, 40, 60))
layers, sample = vgg()
compare("convolutions with batch norm", [*layers[:-1]], None, sample.repeat(4, 1, 1, 1), (60, 70, 75, 80))
module, (sample,) = unet()
compare_traced("U-Net, 64 x 64 pixels, batch 8", module, sample)
