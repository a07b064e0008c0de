"""Checkpoints of several ranks, compared with PyTorch's distributed checkpoints (torch.distributed._shard.checkpoint), both over
gloo, on the same tensors: 8 sharded by rows, 256 MiB together, and a replicated one of 32 MiB, saved by 4 ranks twice, loaded by 4,
3 and 2.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/compare/torch_ranks.py [FOLDER]

For each it prints: seconds of the saves (median over the rounds, of the slowest rank; both make files durable), calls of
torch.distributed by a save, bytes of the files, bytes per shard that are not tensor data, and for each load the bytes that rank 0
and the worst rank read for each byte that they need, as the system counts them (rchar), and the seconds: with the files in the page
cache, and without (torch's save leaves them in it, ckpt's does not). If torch is not installed, it prints a line and succeeds."""

import dataclasses
import os
import shutil
import statistics
import sys
import tempfile
import time

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing
except ImportError:
    print("torch_ranks: skipped: python3-torch is not installed")
    raise SystemExit(0)


def checkpoint_module():
    """Adds a hash to torch 1.13's dataclass defaults, which Python 3.11 otherwise rejects as mutable."""
    plain = dataclasses.dataclass

    def hashable(cls=None, **options):
        if cls is not None and "__hash__" not in vars(cls) and not options.get("frozen"):
            options["unsafe_hash"] = True
        return plain(**options) if cls is None else plain(**options)(cls)

    dataclasses.dataclass = hashable
    try:
        import torch.distributed._shard.checkpoint as module
    finally:
        dataclasses.dataclass = plain
    return module


TENSORS, ROWS, COLUMNS, REPLICATED, SAVERS, ROUNDS = 8, 12 * 1024, 682, 8 << 20, 4, 3
ROW_BYTES = COLUMNS * 4
COUNTED = ("broadcast", "gather", "all_gather", "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
           "scatter", "barrier", "all_reduce", "reduce")


class Operations:
    """Counts calls of torch.distributed; nested calls are not counted again."""

    def __init__(self):
        self.count, self.depth = 0, 0
        for name in COUNTED:
            setattr(dist, name, self.counting(getattr(dist, name)))

    def counting(self, function):
        def call(*arguments, **options):
            self.count += self.depth == 0
            self.depth += 1
            try:
                return function(*arguments, **options)
            finally:
                self.depth -= 1
        return call


def read_bytes():
    with open("/proc/self/io") as facts:
        return int(facts.read().split("rchar: ")[1].split()[0])


def all_files(folder):
    return [os.path.join(at, file) for at, _, files in os.walk(folder) for file in files]


def set_cached(folder, cached):
    """Loads the files into the page cache, or evicts them."""
    for path in all_files(folder):
        with open(path, "rb", buffering=0) as file:
            if cached:
                while file.read(16 << 20):
                    pass
            else:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def rows_of(rank, ranks):
    return ROWS * rank // ranks, ROWS * (rank + 1) // ranks


def numbers(begin, end):
    return torch.arange(begin * COLUMNS, end * COLUMNS, dtype=torch.float32).view(-1, COLUMNS)


class Theirs:
    name = "torch"

    def __init__(self, rank, ranks, folder, fill):
        self.module = checkpoint_module()
        from torch.distributed._shard import sharded_tensor
        from torch.distributed._shard.sharding_spec import ChunkShardingSpec
        spec = ChunkShardingSpec(dim=0, placements=[f"rank:{each}/cpu" for each in range(ranks)])
        self.state = {f"w{i}": sharded_tensor.zeros(spec, ROWS, COLUMNS) for i in range(TENSORS)}
        self.replicated = torch.zeros(REPLICATED)
        self.own = {name: each.local_shards()[0].tensor for name, each in self.state.items()}
        self.state["replicated"] = self.replicated
        self.folder = folder
        fill(self)

    def save(self, number):
        self.module.save_state_dict(self.state, self.module.FileSystemWriter(os.path.join(self.folder, f"save{number}"),
                                                                             single_file_per_rank=True))

    def load(self, number):
        self.module.load_state_dict(self.state, self.module.FileSystemReader(os.path.join(self.folder, f"save{number}")))

    def close(self):
        pass


class Ours:
    name = "ckpt"

    def __init__(self, rank, ranks, folder, fill):
        import ckpt
        import ckpt.torch
        begin, end = rows_of(rank, ranks)
        self.own = {f"w{i}": torch.zeros(end - begin, COLUMNS) for i in range(TENSORS)}
        self.replicated = torch.zeros(REPLICATED)
        tensors = {name: ckpt.Sharded((ROWS, COLUMNS), "float32", {(begin, 0): each}) for name, each in self.own.items()}
        self.state = ckpt.State({"model": {**tensors, "replicated": self.replicated}})
        self.manager = ckpt.CheckpointManager(folder, coordinator=ckpt.torch.coordinator())
        fill(self)

    def save(self, number):
        self.manager.save(self.state, number)

    def load(self, number):
        self.manager.load(self.state, step=number, in_place=True)  # as torch's loads do

    def close(self):
        self.manager.close()


def work(rank, ranks, kind, folder, what, results):
    os.environ.update(MASTER_ADDR="127.0.0.1", GLOO_SOCKET_IFNAME="lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks, init_method=f"file://{folder}.{what}{ranks}.meeting")
    operations = Operations()
    begin, end = rows_of(rank, ranks)
    if kind is Theirs:  # its chunks have one length, except the last
        length = -(-ROWS // ranks)
        begin, end = min(ROWS, rank * length), min(ROWS, (rank + 1) * length)

    def fill(side):
        if what == "save":
            side.replicated.copy_(torch.arange(REPLICATED, dtype=torch.float32))
            for own in side.own.values():
                own.copy_(numbers(begin, end))

    side = kind(rank, ranks, folder, fill)
    out = []
    for number in range(1, ROUNDS + 1):
        if what != "save" and rank == 0:
            set_cached(folder, what == "cached")
        dist.barrier()
        before, counted, start = read_bytes(), operations.count, time.monotonic()
        side.save(number) if what == "save" else side.load(number)
        out.append((time.monotonic() - start, operations.count - counted, read_bytes() - before))
    if what != "save":
        assert side.replicated.equal(torch.arange(REPLICATED, dtype=torch.float32))
        for own in side.own.values():
            assert own.equal(numbers(begin, end))
    side.close()
    results.put((rank, out, sum(own.numel() * 4 for own in side.own.values()) + REPLICATED * 4))
    dist.barrier()
    dist.destroy_process_group()


def on_ranks(ranks, kind, folder, what):
    """Returns by rank: for each round its seconds, operations and bytes read; and the bytes of the rank's tensors."""
    context = torch.multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    running = torch.multiprocessing.spawn(work, (ranks, kind, folder, what, results), nprocs=ranks, join=False)
    found = sorted(results.get() for _ in range(ranks))
    running.join()
    return found


def file_bytes(folder):
    return sum(os.path.getsize(path) for path in all_files(folder))


def report(kind, folder):
    saved = on_ranks(SAVERS, kind, folder, "save")
    seconds = [max(rank[1][number][0] for rank in saved) for number in range(ROUNDS)]
    operations = [max(rank[1][number][1] for rank in saved) for number in range(ROUNDS)]
    tensors = TENSORS * ROWS * ROW_BYTES + REPLICATED * 4
    one = file_bytes(folder) / ROUNDS
    shards = SAVERS * TENSORS
    print(f"{kind.name}: saves of {SAVERS} ranks: {statistics.median(seconds):.2f} s; operations {operations}; "
          f"{one / tensors:.4f} bytes for each tensor byte, {(one - tensors) / shards:.0f} bytes of overhead per shard", flush=True)
    for ranks in (4, 3, 2):
        median = {}
        for how in ("cached", "uncached"):
            loaded = on_ranks(ranks, kind, folder, how)
            median[how] = statistics.median(max(rank[1][number][0] for rank in loaded) for number in range(ROUNDS))
        ratios = [rank[1][-1][2] / rank[2] for rank in loaded]
        print(f"{kind.name}: loads of {SAVERS} ranks' by {ranks}: rank 0 reads {ratios[0]:.2f} of the bytes that it needs, the worst "
              f"{max(ratios):.2f}, all {sum(rank[1][-1][2] for rank in loaded) / tensors:.2f} of the checkpoint; "
              f"{median['cached']:.2f} s from the page cache, {median['uncached']:.2f} s from the disk", flush=True)


def main():
    place = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="ckpt-bench-")
    try:
        for kind in (Theirs, Ours):
            folder = os.path.join(place, kind.name)
            os.makedirs(folder)
            report(kind, folder)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
