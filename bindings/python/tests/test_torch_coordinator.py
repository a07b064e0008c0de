"""ckpt.torch.coordinator on real processes over torch.distributed (gloo, loopback). Each case is a function of a rank, which runs
in a separate process: test_torch_coordinator.py CASE RANK WORLD FOLDER."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from datetime import timedelta

import ckpt
from needs_torch import need_gloo

import torch
import torch.distributed as dist
from ckpt import torch as ckpt_torch

need_gloo()

PIECE = 16 << 20
LONG = 400.0  # no test waits as long unless it fails


# ---- Cases ----

class Rank:
    """One process of a case."""

    def __init__(self, rank, world, folder):
        self.rank, self.world, self.folder = rank, world, folder

    def reports(self, word):
        with open(os.path.join(self.folder, f"{word}.{self.rank}"), "w"):
            pass

    def waits_for(self, *names):
        """Waits for files that other ranks write."""
        self.waits_until(lambda: all(os.path.exists(os.path.join(self.folder, name)) for name in names), names)

    @staticmethod
    def waits_until(holds, what):
        end = time.monotonic() + LONG
        while not holds():
            assert time.monotonic() < end, f"timed out waiting for {what}"
            time.sleep(0.01)

    def leaves(self):
        """Exits as documented, because torch waits for unfinished operations."""
        self.reports("fine")
        sys.stdout.flush()
        os._exit(0)


def content(rank, count):
    return bytes((rank * 7 + 1 + at * 31) % 251 for at in range(min(count, 1009))) * (count // 1009 + 1)


def own(rank, count):
    return content(rank, count)[:count]


def fails(kind, text, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert text in str(error), f"'{text}' is not in '{error}'"
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def check_operations(coordinator, rank, world, sizes):
    assert (coordinator.rank, coordinator.world_size) == (rank, world)
    coordinator.barrier(LONG)
    for size in sizes:
        everyones = b"".join(own(number, size) for number in range(world))
        for root in range(world):
            data = bytearray(own(rank, size))
            coordinator.broadcast(data, root, LONG)
            assert data == own(root, size), (size, root)
            gathered = coordinator.gather(own(rank, size), root, LONG)
            assert gathered == (everyones if rank == root else None), (size, root)
        assert coordinator.all_gather(own(rank, size), LONG) == everyones, size


def works(self):
    with ckpt_torch.coordinator(timeout=LONG) as coordinator:
        check_operations(coordinator, self.rank, self.world, (0, 1, 247, 248, 249, 5000, PIECE + 248, PIECE + 249, 20000003))
        tensor = torch.tensor([self.rank])
        dist.all_reduce(tensor)  # of the program itself
        assert tensor.item() == sum(range(self.world))
        fails(ckpt.InvalidArgumentError, f"root is {self.world}", coordinator.gather, b"", self.world)
        controller = ckpt.Controller(ckpt.Policy.FIXED, interval_seconds=100)
        controller.begin_run(0)
        controller.begin(100)
        controller.commit(1 + self.rank, 9, now=110)
        assert controller.decide_all(coordinator, 120, LONG).cost_seconds == self.world  # the longest stall
        in_a_child(coordinator)
        coordinator.barrier(LONG)
    dist.destroy_process_group()
    self.reports("fine")


def in_a_child(coordinator):
    child = os.fork()
    if child == 0:
        try:
            fails(ckpt.ForkedError, "parent process", coordinator.barrier)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def part(self):
    """A group of some of the processes, with a first rank that is not the world's."""
    group = dist.new_group([1, 2], timeout=timedelta(seconds=LONG))
    if self.rank == 0:
        fails(ckpt.InvalidArgumentError, "does not contain this process", ckpt_torch.coordinator, group)
    else:
        check_operations(ckpt_torch.coordinator(group), self.rank - 1, 2, (1, 249, 5000))
    with unittest.mock.patch.object(dist, "get_backend", lambda group: "nccl"):
        fails(ckpt.UnsupportedError, "found 'nccl'", ckpt_torch.coordinator, dist.group.WORLD)
    fails(ckpt.InvalidArgumentError, "-1", ckpt_torch.coordinator, timeout=-1)
    dist.destroy_process_group()
    self.reports("fine")


def no_more_use(coordinator, why):
    for call in (coordinator.barrier, lambda: coordinator.broadcast(bytearray(1), 0), lambda: coordinator.all_gather(b"a"),
                 lambda: coordinator.gather(b"a", 0)):
        fails(ckpt.InvalidStateError, why, call)


def ends_under_way():
    """An interrupted operation ends when the late process finally arrives."""
    from ckpt import _torch_coordinator
    (work, memory), = _torch_coordinator._unfinished
    Rank.waits_until(work.is_completed, "the operation that is under way")
    return memory


def late(self):
    """Rank 0 calls its broadcast after the others have timed out: its bytes are not written to their buffers."""
    coordinator = ckpt_torch.coordinator(timeout=LONG)
    coordinator.barrier(LONG)
    if self.rank == 0:
        self.waits_for(*[f"gave_up.{rank}" for rank in range(1, self.world)])
        try:
            coordinator.broadcast(bytearray(own(0, 5000)), 0, 0.5)
        except (ckpt.TimeoutError, ckpt.IoError):  # the others may have exited by then
            pass
        self.waits_for(*[f"fine.{rank}" for rank in range(1, self.world)])
    else:
        data = bytearray(5000)
        fails(ckpt.TimeoutError, f"not all {self.world} processes called it in time", coordinator.broadcast, data, 0, 0.2)
        data[:] = b"\xab" * 5000
        self.reports("gave_up")
        memory = ends_under_way()
        assert bytes(memory[0].numpy()[8:]) == own(0, 248)  # it arrived, in the coordinator's memory
        assert data == b"\xab" * 5000
        no_more_use(coordinator, "its broadcast has timed out")
    self.leaves()


def late_gather(self):
    """The last rank calls a gather after all others have timed out, and all of them report it."""
    coordinator = ckpt_torch.coordinator(timeout=LONG)
    coordinator.barrier(LONG)
    if self.rank == self.world - 1:
        self.waits_for(*[f"gave_up.{rank}" for rank in range(self.world - 1)])
        fails(ckpt.TimeoutError, "called it in time", coordinator.gather, own(self.rank, 100), 0, 0.5)  # no acknowledgement
        self.reports("came")
        self.waits_for(*[f"fine.{rank}" for rank in range(self.world - 1)])
    else:
        fails(ckpt.TimeoutError, "called it in time", coordinator.gather, own(self.rank, 100), 0, 0.2)
        self.reports("gave_up")
        self.waits_for(f"came.{self.world - 1}")
        if self.rank == 0:
            ends_under_way()
        no_more_use(coordinator, "its gather has timed out")
    self.leaves()


def killed(self):
    coordinator = ckpt_torch.coordinator(timeout=LONG)
    coordinator.barrier(LONG)
    if self.rank == self.world - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        coordinator.gather(b"abc", 0, 5)
    except (ckpt.TimeoutError, ckpt.IoError):
        no_more_use(coordinator, "its gather has")
        self.leaves()


def absent(self):
    """The last rank never creates its coordinator."""
    if self.rank < self.world - 1:
        fails(ckpt.TimeoutError, f"not all {self.world} processes joined within 1", ckpt_torch.coordinator, timeout=1)
    self.leaves()


def different(self):
    to_one, to_all, from_one = (ckpt_torch.coordinator(timeout=LONG) for _ in range(3))
    mine = bytes(8 if self.rank == 1 else 4)
    text = "rank 0 passed 4 bytes, rank 1 passed 8" if self.world == 2 else "rank 1 passed 8 bytes, rank 2 passed 4"  # the last is the root
    fails(ckpt.InvalidStateError, text, to_one.gather, mine, self.world - 1, LONG)
    no_more_use(to_one, "processes disagreed in its gather")
    fails(ckpt.InvalidStateError, "rank 0 passed 4 bytes" if self.rank == 1 else "rank 1 passed 8 bytes", to_all.all_gather, mine, LONG)
    no_more_use(to_all, "processes disagreed in its all_gather")
    if self.rank == 1:
        from_one.broadcast(bytearray(8), 1, LONG)
    else:
        fails(ckpt.InvalidStateError, "rank 1 passed 8 bytes", from_one.broadcast, bytearray(4), 1, LONG)
    dist.destroy_process_group()
    self.reports("fine")


CASES = {case.__name__: case for case in (works, part, late, late_gather, killed, absent, different)}


def run_rank(case, rank, world, folder):
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "store"), rank=rank, world_size=world,
                            timeout=timedelta(seconds=LONG))
    CASES[case](Rank(rank, world, folder))


# ---- The processes ----

class Processes(unittest.TestCase):
    def run_case(self, case, world, fine=None):
        """fine: number of ranks that must report success."""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
            ranks = [subprocess.Popen([sys.executable, __file__, case, str(rank), str(world), folder], env=environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in range(world)]
            try:
                texts = [rank.communicate(timeout=2 * LONG)[0] for rank in ranks]
            finally:
                for rank in ranks:
                    rank.kill()
            written = sorted(name for name in os.listdir(folder) if name.startswith("fine."))
            self.assertEqual(len(written), world if fine is None else fine, "\n".join(texts))
            codes = sorted(rank.returncode for rank in ranks)
            self.assertEqual(codes, [0] * world if fine is None else [-signal.SIGKILL] * (world - fine) + [0] * fine,
                             "\n".join(texts))

    def test_works_on_2(self):
        self.run_case("works", 2)

    def test_works_on_3(self):
        self.run_case("works", 3)

    def test_works_on_1(self):
        self.run_case("works", 1)

    def test_group_of_a_part(self):
        self.run_case("part", 3)

    def test_late_process(self):
        for world in (2, 3):
            self.run_case("late", world)

    def test_late_process_of_a_gather(self):
        for world in (2, 3):
            self.run_case("late_gather", world)

    def test_killed_process(self):
        self.run_case("killed", 3, fine=2)

    def test_process_that_never_comes(self):
        self.run_case("absent", 3)

    def test_different_numbers_of_bytes(self):
        for world in (2, 3):
            self.run_case("different", world)


class Alone(unittest.TestCase):
    def test_needs_a_process_group(self):
        with self.assertRaisesRegex(ckpt.InvalidStateError, "init_process_group"):
            ckpt_torch.coordinator()

    def test_one_thread_at_a_time_and_no_call_after_the_group(self):
        from ckpt import _torch_coordinator
        with tempfile.TemporaryDirectory() as folder:
            dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
            ranks = _torch_coordinator._Ranks(dist.group.WORLD, 0, 1)
            coordinator = ckpt.Coordinator.custom(0, 1, ranks)
            inside, may_go, failures = threading.Event(), threading.Event(), []

            def stays(*arguments, **options):
                inside.set()
                may_go.wait()
                raise KeyboardInterrupt

            def first():
                try:
                    ranks.barrier(10**9)
                except KeyboardInterrupt as error:
                    failures.append(error)

            with unittest.mock.patch.object(dist, "barrier", stays):
                thread = threading.Thread(target=first)
                thread.start()
                inside.wait()
                with self.assertRaisesRegex(ckpt.InvalidStateError, "another thread"):
                    coordinator.barrier()
                may_go.set()
                thread.join()
            self.assertEqual(len(failures), 1)
            with self.assertRaisesRegex(ckpt.InvalidStateError, "its barrier was interrupted"):  # the other ranks may be anywhere
                coordinator.barrier()
            other = ckpt_torch.coordinator(dist.group.WORLD)
            other.barrier()
            dist.destroy_process_group()
            with self.assertRaisesRegex(ckpt.InvalidStateError, "destroy_process_group"):
                other.barrier()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in CASES:
        run_rank(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        unittest.main()
