"""Saves and loads of one state (512 MiB in 128 tensors) by torch and by ckpt, interleaved in one run: medians, and ratios to torch.
Each load is measured in a new process, from the page cache, as at the start of a program.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/compare/torch_python.py [MiB] [ROUNDS]
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import ckpt

try:
    import torch
    from ckpt import torch as ckpt_torch
except ImportError:
    print("torch_python: skipped: python3-torch is not installed")
    raise SystemExit(0)

MEBIBYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 512
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
TENSORS = 128
state = {f"layer.{i}": torch.arange((MEBIBYTES << 20) // TENSORS // 4, dtype=torch.float32) + i for i in range(TENSORS)}


class Module:
    """The module that ckpt.torch saves."""

    def state_dict(self):
        return state


# Arguments: the kind of load, the file of torch.save, the folder of ckpt. Prints seconds.
LOADING = """
import sys, time
import torch
import ckpt
from ckpt import torch as ckpt_torch


class Module:
    def load_state_dict(self, given):
        assert len(given) == 128


kind, file, run = sys.argv[1:]
if kind in ("state", "in place"):
    manager = ckpt.CheckpointManager(run, read_only=True)
    with manager.reader() as reader:
        state = ckpt.State({info.name: reader.read(number) for number, info in enumerate(reader)})
begin = time.monotonic()
if kind in ("state", "in place"):
    manager.load(state, in_place=kind == "in place")
elif kind == "torch":
    torch.load(file)
elif kind == "resume":
    assert ckpt_torch.resume(run, model=Module())
else:
    ckpt.load(run)
print(time.monotonic() - begin)
"""


def torch_save(path, durable):
    with open(path, "wb") as file:
        torch.save(state, file)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if durable:
        descriptor = os.open(os.path.dirname(path), os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def seconds(call):
    begin = time.monotonic()
    call()
    return time.monotonic() - begin


def in_the_background(manager, step, stalls):
    begin = time.monotonic()
    task = ckpt_torch.save(manager, step, model=Module())
    stalls.append(time.monotonic() - begin)
    task.wait()


def loading(kind, file, run):
    for folder, _, names in os.walk(os.path.dirname(file)):  # ckpt's writes bypass the page cache
        for name in names:
            with open(os.path.join(folder, name), "rb") as stream:
                while stream.read(1 << 24):
                    pass
    return float(subprocess.run([sys.executable, "-c", LOADING, kind, file, run], check=True, capture_output=True, text=True).stdout)


rows = {}
stalls = []
with tempfile.TemporaryDirectory(prefix="ckpt-bench-") as folder:
    file, run = os.path.join(folder, "state.pt"), os.path.join(folder, "run")
    background = ckpt.AsyncManager(os.path.join(folder, "background"), keep_last=1)
    saved = ckpt.CheckpointManager(run, keep_last=1)
    for number in range(ROUNDS):
        def row(name, call):
            rows.setdefault(name, []).append(seconds(call))

        row("torch.save, fsync'd", lambda: torch_save(file, True))
        row("ckpt.torch.save, durable and checksummed", lambda: ckpt_torch.save(saved, number, model=Module()))
        row("ckpt.torch.save in the background, until durable", lambda: in_the_background(background, number, stalls))
        os.remove(file)
        row("torch.save, not fsync'd", lambda: torch_save(file, False))
        rows.setdefault("torch.load", []).append(loading("torch", file, run))
        rows.setdefault("ckpt.torch.resume, verified", []).append(loading("resume", file, run))
        rows.setdefault("ckpt.load, verified", []).append(loading("load", file, run))
        rows.setdefault("load into an existing State", []).append(loading("state", file, run))
        rows.setdefault("the same load, in place", []).append(loading("in place", file, run))
        os.remove(file)
    background.close()
    saved.close()
rows["ckpt.torch.save in the background, the stall"] = stalls
print(f"{MEBIBYTES} MiB in {TENSORS} tensors, torch {torch.__version__}, {os.cpu_count()} processors, {ROUNDS} rounds")
for name, times in rows.items():
    baseline = "torch.load" if "load" in name or "resume" in name else "torch.save, fsync'd"
    ratio = statistics.median(times) / statistics.median(rows[baseline])
    print(f"{name:52s} {statistics.median(times):8.3f} s   {ratio:5.2f} of {baseline}")
