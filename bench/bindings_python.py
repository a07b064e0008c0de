"""What crossing from Python into the library costs, beside an empty Python function and ctypes. PYTHONPATH=build/release/python.

One row each: the least of several rounds, the loop's own time taken off."""

import ctypes
import os
import sys
import time

import ckpt

CALLS, ROUNDS = 500_000, 7


def empty():
    pass


def nanoseconds(function, *arguments):
    called, looped = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            function(*arguments)
        middle = time.perf_counter_ns()
        for _ in range(CALLS):
            pass
        called.append(middle - begin)
        looped.append(time.perf_counter_ns() - middle)
    return (min(called) - min(looped)) / CALLS


def row(name, value):
    print(f"{name:58}{value:10.1f} ns")


def main():
    library = ctypes.PyDLL(os.path.join(os.path.dirname(ckpt.__file__), "libckpt.so.0"))
    row("an empty Python function", nanoseconds(empty))
    row("ctypes, keeping the interpreter's lock: ckpt_version()", nanoseconds(library.ckpt_version))
    row("ckpt.version()", nanoseconds(ckpt.version))
    tensor = ckpt.Tensor("F32", [4])
    row("tensor.nbytes", nanoseconds(lambda: tensor.nbytes))
    row("memoryview(tensor)", nanoseconds(memoryview, tensor))
    tracker = ckpt.MemoryTracker()
    layer = tracker.layer("layer")

    def record():
        tracker.record_deallocation(tracker.record_allocation(layer, 8))

    quiet = nanoseconds(record)
    row("an allocation and its end, recorded", quiet)
    tracker.subscribe(lambda event: None, ckpt.MemoryEvents.ALLOCATED)
    row("an event's callable, beyond that", nanoseconds(record) - quiet)
    strategy = ckpt.Strategy.custom(lambda question: True)
    activation = ("F32", [4])
    row("should_checkpoint of a callable", nanoseconds(strategy.should_checkpoint, "layer", activation, 0))
    with ckpt.ThreadPool(2) as pool:
        begin = time.perf_counter_ns()
        pool.run(CALLS, lambda part: None)
        row("a part on a pool of two threads", (time.perf_counter_ns() - begin) / CALLS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
