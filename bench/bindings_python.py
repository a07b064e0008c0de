"""Measures calls from Python into the library, compared with an empty Python function and with ctypes; and the stall of a
background save of a dict of 100 numpy arrays, compared with the same save from C. PYTHONPATH=build/release/python; needs 1.2 GB of
memory.

Calls: one row each, the minimum over several rounds, without the loop's own time. Saves: alternating, minimum, median and mean."""

import ctypes
import pathlib
import statistics
import sys
import tempfile
import time

import ckpt
from ckpt import native

CALLS, ROUNDS = 500_000, 7
LIBRARY = next(str(path) for path in pathlib.Path(ckpt.__file__).parent.glob("libckpt.so.*"))  # the name contains the version
ARRAYS, ARRAY_BYTES, SAVES = 100, 5 << 20, 25


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


def saves():
    """Compares the stall of saves. From Python it covers everything that a program does: converting the dict to a state, creating a
    task and its listener. From C it covers ckpt_async_manager_save alone, through ctypes with an existing state. Both copy into the
    same memory; nothing is written, because a gate blocks the worker until the task is cancelled."""
    import numpy

    arrays = {f"layer.{i}": numpy.full(ARRAY_BYTES // 4, i, numpy.float32) for i in range(ARRAYS)}
    library = ctypes.CDLL(LIBRARY)
    address = ctypes.c_void_p
    options, task = native.ckpt_save_options(), native.ckpt_checkpoint_task_options()
    options.step = 1
    task.gate_step, task.has_gate_step = 1, 1
    python, c = [], []
    with tempfile.TemporaryDirectory() as folder, ckpt.State(arrays) as state, ckpt.AsyncManager(
            folder, prepare_bytes=ARRAYS * (ARRAY_BYTES + 4096)) as manager:
        id = ctypes.c_int64()
        handles = (manager._slot, state._slot, options.this, task.this)
        arguments = [address(int(handle)) for handle in handles] + [ctypes.byref(id)]

        def from_python():
            begin = time.perf_counter()
            task = manager.save(arrays, 1, gate_step=1)
            python.append(time.perf_counter() - begin)
            assert task.cancel()

        def from_c():
            begin = time.perf_counter()
            status = library.ckpt_async_manager_save(*arguments)
            c.append(time.perf_counter() - begin)
            assert status == 0 and library.ckpt_async_manager_cancel(arguments[0], id, None) == 0

        for _ in range(SAVES):
            from_python()
            from_c()
            from_c()
            from_python()
    for name, seconds in (("Python", python), ("C", c)):
        print(f"{f'stall of a save of {ARRAYS} arrays of {ARRAY_BYTES >> 20} MiB from {name}':58}{min(seconds) * 1e3:10.2f} ms, "
              f"median {statistics.median(seconds) * 1e3:.2f}, mean {statistics.mean(seconds) * 1e3:.2f}")
    more = [100 * (function(python) / function(c) - 1) for function in (min, statistics.median, statistics.mean)]
    print(f"{'from Python more than from C':58}{more[0]:10.1f} %,  median {more[1]:.1f}, mean {more[2]:.1f}")


def drive():
    """Drives a framework that does nothing; excludes the first step, which reads the schedule."""
    profile = ckpt.Profile.uniform(1000, ckpt.OptionProfile(tape_bytes=3000, forward_seconds=1, backward_seconds=2, has_record=True),
                                   flags=ckpt.LayerFlag.DETERMINISTIC, output_bytes=1000)
    schedule = ckpt.Schedule.create(profile, "sqrt")
    driver = ckpt.Driver(schedule, forward=lambda call, item: object(), record=lambda call, item: (object(), object()),
                         backward=lambda call, item, output, tape, gradient: object(), turn=lambda call, output: object())
    best = float("inf")
    for _ in range(10):
        begin = time.perf_counter_ns()
        driver.run(object())
        best = min(best, time.perf_counter_ns() - begin)
    row("an action of a driver, over a framework that does nothing", best / schedule.verify(profile).actions)


def main():
    library = ctypes.PyDLL(LIBRARY)
    row("an empty Python function", nanoseconds(empty))
    row("ctypes, keeping the interpreter's lock: ckpt_version()", nanoseconds(library.ckpt_version))
    row("ckpt.version()", nanoseconds(ckpt.version))
    tensor = ckpt.Tensor("F32", [4])
    row("tensor.nbytes", nanoseconds(lambda: tensor.nbytes))
    row("memoryview(tensor)", nanoseconds(memoryview, tensor))
    tracker = ckpt.MemoryTracker()
    layer = tracker.add_layer("layer")

    def record():
        tracker.record_deallocation(tracker.record_allocation(layer, 8))

    quiet = nanoseconds(record)
    row("an allocation and its end, recorded", quiet)
    tracker.subscribe(lambda event: None, ckpt.MemoryEventKind.ALLOCATED)
    row("an event's callable, beyond that", nanoseconds(record) - quiet)
    drive()
    strategy = ckpt.Strategy.custom(lambda question: True)
    activation = ("F32", [4])
    asked = nanoseconds(ckpt.Strategy.interval(2).should_checkpoint, "layer", activation, 0)
    row("should_checkpoint of Interval(2)", asked)
    row("the callable of a custom strategy, beyond that", nanoseconds(strategy.should_checkpoint, "layer", activation, 0) - asked)
    with ckpt.WorkerPool(2) as pool:
        begin = time.perf_counter_ns()
        pool.run(CALLS, lambda part: None)
        row("a part on a pool of two threads", (time.perf_counter_ns() - begin) / CALLS)
    saves()
    return 0


if __name__ == "__main__":
    sys.exit(main())
