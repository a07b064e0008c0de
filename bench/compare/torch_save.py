"""torch.save + fsync of the tensors that bench_state's Async rows save (512 MiB in 128): seconds and rate, durable.

If torch is not installed, it prints a line and succeeds.
"""
import os
import tempfile
import time

try:
    import torch
except ImportError:
    print("torch_save: skipped: python3-torch is not installed")
    raise SystemExit(0)

TENSORS, BYTES, ROUNDS = 128, 512 << 20, 5
state = {"layer.%d" % i: torch.arange(BYTES // TENSORS // 4, dtype=torch.float32) + i for i in range(TENSORS)}
best = []
with tempfile.TemporaryDirectory(prefix="ckpt-bench-") as folder:
    for round_number in range(ROUNDS):
        path = os.path.join(folder, "state%d.pt" % round_number)
        begin = time.monotonic()
        with open(path, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        best.append(time.monotonic() - begin)
        os.remove(path)
best.sort()
median = best[len(best) // 2]
print("torch_save: torch %s, 512 MiB in 128 tensors, durable: median %.1f ms, %.0f MB/s (%d rounds, %.1f .. %.1f ms)"
      % (torch.__version__, median * 1e3, BYTES / median / 1e6, ROUNDS, best[0] * 1e3, best[-1] * 1e3))
