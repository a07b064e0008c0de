"""examples/python/torch_ranks.py on real processes: 4 train to the end; 4 others, one of which is killed, and 2 that continue, end
with the same bits."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from needs_torch import need_gloo

need_gloo()

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "examples", "python", "torch_ranks.py")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def train(ranks, *arguments):
    """Runs like torchrun: a process for each rank. Returns their exit codes and rank 0's output. Ends processes that wait for a
    dead one, like the launcher."""
    port = free_port()
    processes = []
    for rank in range(ranks):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                           GLOO_SOCKET_IFNAME="lo")
        processes.append(subprocess.Popen([sys.executable, EXAMPLE, *arguments], env=environment, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, text=True))
    try:
        waiting = list(processes)
        while waiting:
            waiting = [process for process in waiting if process.poll() is None]
            if any(process.returncode not in (None, 0) for process in processes):
                break
            if waiting:
                try:
                    waiting[0].wait(0.05)
                except subprocess.TimeoutExpired:
                    pass
    finally:
        for process in processes:
            process.kill()
    texts = [process.communicate() for process in processes]
    return [process.returncode for process in processes], texts[0][0], "".join(err for _, err in texts)


class TorchRanks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def place(self, name):
        return os.path.join(self.folder.name, name)

    def test_the_same_bits_after_a_kill_on_another_number_of_ranks(self):
        codes, whole, errors = train(4, self.place("whole"))
        self.assertEqual(codes, [0] * 4, errors)
        self.assertRegex(whole, r"^weights [0-9a-f]{16} after step 30\n$")
        codes, cut, errors = train(4, self.place("cut"), "12")
        self.assertEqual(codes[1], -signal.SIGKILL, errors)
        self.assertNotIn("weights", cut)
        codes, rest, errors = train(2, self.place("cut"))
        self.assertEqual(codes, [0] * 2, errors)
        self.assertEqual(rest.splitlines()[0], "resuming after step 10 of 4 ranks, on 2")
        self.assertEqual(rest.splitlines()[1], whole.strip())
        codes, alone, errors = train(1, self.place("alone"))
        self.assertEqual(codes, [0], errors)
        self.assertEqual(alone, whole)


if __name__ == "__main__":
    unittest.main()
