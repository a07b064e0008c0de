"""The coordinator over torch.distributed. All operations transfer bytes and have a timeout. The protocol is that of libckpt-mpi: a
first message of fixed size contains the number of bytes, the rest follows in pieces, and a sender waits until the receiver has
them."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from datetime import timedelta
import os
import struct
import threading
import time
from typing import Any, Callable, Iterator, List, Optional

import torch as _torch
import torch.distributed as _dist

from ._base import _timeout_ns
from ._coordinator import Coordinator, CustomCoordinator
from .generated.errors import ForkedError, InvalidArgumentError, InvalidStateError, IoError, TimeoutError, UnsupportedError

_MAX_BYTES = 16 << 20  # most memory of an operation at a time
_OPENING_BYTES = 256
_COUNT = struct.Struct("<q")
_FIRST_BYTES = _OPENING_BYTES - _COUNT.size  # part of the first message
_RESULT = struct.Struct("<qqq")  # a rank that passed another number of bytes than the root (-1: none), its number, the root's
_MAX_SECONDS = 1e8  # torch's milliseconds have fewer than 64 bits

_unfinished: List[Any] = []  # memory of failed operations, which torch may still access: never freed
# Memory of the last operation. A thread of torch may release it shortly after the operation's end. If that were the last reference,
# the thread would need the interpreter, and abort the process if the interpreter is exiting.
_last_tensors: List[Any] = []


def coordinator(group: Any = None, timeout: float = 1800.0) -> Coordinator:
    """Returns a coordinator of the processes of torch.distributed; call init_process_group first. Every process creates
    it, and calls its operations in the same order, from one thread at a time.

    group: None creates a separate group of all processes, with the backend gloo, independent of the other groups of the run; raises
    TimeoutError when not all processes join within timeout seconds. Or a group of torch.distributed with the backend gloo: the
    coordinator uses its ranks, and the program's own operations on it must also run in the same order on all processes. timeout
    also limits each operation of a group created here, whatever timeout the operation has; a given group has its own limit.

    The caller's bytes are read and written during the call only: torch accesses memory of the coordinator. After a TimeoutError (a
    process was late), an IoError (of torch, such as a connection closed by a process that ended) and after processes have passed
    different numbers of bytes, every call raises InvalidStateError: the processes may be in different operations, and torch still
    runs one. A normal exit of Python would wait for it until the late process arrives or ends. So exit: save what is needed without
    the other processes, and call os._exit(code); the launcher (torchrun) ends the others. In a forked child every call raises
    ForkedError."""
    if not _dist.is_available():
        raise UnsupportedError("this torch has no torch.distributed")
    if not _dist.is_initialized():
        raise InvalidStateError("torch.distributed is not initialized: call init_process_group first")
    _timeout_ns(timeout)
    if group is None:
        group = _group_of_all(timeout)
    rank = _dist.get_rank(group)
    if rank < 0:
        raise InvalidArgumentError("group: does not contain this process")
    backend = str(_dist.get_backend(group))
    if backend != "gloo":
        raise UnsupportedError(f"group: expected the backend 'gloo', or no group to create one; found '{backend}'")
    world_size = _dist.get_world_size(group)
    return Coordinator.custom(rank, world_size, _Ranks(group, rank, world_size))


def _is_late(error: Exception) -> bool:
    text = str(error).lower()
    return "timed out" in text or "timeout" in text


def _one_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


def _duration(seconds: float) -> timedelta:
    return timedelta(seconds=min(max(seconds, 0.001), _MAX_SECONDS))  # 0 would mean no limit


def _group_of_all(timeout: float) -> Any:
    try:
        return _dist.new_group(backend="gloo", timeout=_duration(timeout))
    except RuntimeError as error:
        if _is_late(error):
            raise TimeoutError(f"not all {_dist.get_world_size()} processes joined within {timeout} s") from error
        raise IoError(_one_line(error)) from error


class _Ranks(CustomCoordinator):
    def __init__(self, group: Any, rank: int, world_size: int) -> None:
        self._group, self._rank, self._world_size = group, rank, world_size
        self._global_ranks = [_dist.get_global_rank(group, number) for number in range(world_size)]
        self._process = os.getpid()
        self._in_a_call = threading.Lock()
        self._broken = ""  # why the coordinator cannot be used any more

    # ---- One call ----

    @contextmanager
    def _call(self, operation: str, timeout_ns: int) -> Iterator["_Call"]:
        if os.getpid() != self._process:
            raise ForkedError("the coordinator belongs to the parent process")
        if not self._in_a_call.acquire(blocking=False):
            raise InvalidStateError("another thread is in a call of this coordinator")
        try:
            if self._broken:
                raise InvalidStateError(f"this coordinator cannot be used any more: {self._broken}")
            if not _dist.is_initialized():
                raise InvalidStateError("destroy_process_group has been called")
            yield _Call(self, operation, timeout_ns)
        finally:
            self._in_a_call.release()

    # ---- The operations ----

    def barrier(self, timeout_ns: int) -> None:
        with self._call("barrier", timeout_ns) as call:
            call.run(lambda: _dist.barrier(self._group, async_op=True))

    def broadcast(self, data: memoryview, root: int, timeout_ns: int) -> None:
        sends = self._rank == root
        with self._call("broadcast", timeout_ns) as call:
            memory = _Memory(max(_OPENING_BYTES, min(len(data) - _FIRST_BYTES, _MAX_BYTES)))
            first = min(len(data), _FIRST_BYTES)
            _open(memory, data, first if sends else 0)
            call.from_root(memory, _OPENING_BYTES, root)
            call.compare(root, _COUNT.unpack_from(memory.bytes)[0], len(data))
            if not sends:
                data[:first] = memory.bytes[_COUNT.size:_COUNT.size + first]
            for at in range(first, len(data), _MAX_BYTES):
                count = min(_MAX_BYTES, len(data) - at)
                if sends:
                    memory.bytes[:count] = data[at:at + count]
                call.from_root(memory, count, root)
                if not sends:
                    data[at:at + count] = memory.bytes[:count]

    def all_gather(self, sent: memoryview, received: memoryview, timeout_ns: int) -> None:
        with self._call("all_gather", timeout_ns) as call:
            most = max(1, _MAX_BYTES // self._world_size)
            memory = _Memory(max(_OPENING_BYTES, min(len(sent) - _FIRST_BYTES, most)))
            gathered = _Memory(len(memory.bytes) * self._world_size)
            first = min(len(sent), _FIRST_BYTES)
            _open(memory, sent, first)
            call.to_all(memory, gathered, _OPENING_BYTES)
            for rank in range(self._world_size):
                call.compare(rank, _COUNT.unpack_from(gathered.bytes, rank * _OPENING_BYTES)[0], len(sent))
            self._copy_gathered(received, gathered, _OPENING_BYTES, _COUNT.size, len(sent), 0, first)
            for at in range(first, len(sent), most):
                count = min(most, len(sent) - at)
                memory.bytes[:count] = sent[at:at + count]
                call.to_all(memory, gathered, count)
                self._copy_gathered(received, gathered, count, 0, len(sent), at, count)

    def gather(self, sent: memoryview, received: memoryview, root: int, timeout_ns: int) -> None:
        """After each piece the root acknowledges it to the other processes, so that all of them detect a late one, and none runs
        ahead."""
        receives = self._rank == root
        with self._call("gather", timeout_ns) as call:
            most = max(1, _MAX_BYTES // self._world_size)
            memory = _Memory(max(_OPENING_BYTES, min(len(sent) - _FIRST_BYTES, most)))
            gathered = _Memory(len(memory.bytes) * self._world_size) if receives else None
            first = min(len(sent), _FIRST_BYTES)
            _open(memory, sent, first)
            call.to_root(memory, gathered, _OPENING_BYTES, root)
            self._check_counts(call, memory, gathered, len(sent), root)
            if gathered is not None:
                self._copy_gathered(received, gathered, _OPENING_BYTES, _COUNT.size, len(sent), 0, first)
            for at in range(first, len(sent), most):
                count = min(most, len(sent) - at)
                memory.bytes[:count] = sent[at:at + count]
                call.to_root(memory, gathered, count, root)
                if gathered is not None:
                    self._copy_gathered(received, gathered, count, 0, len(sent), at, count)
                call.from_root(memory, 1, root)  # acknowledgement

    def _copy_gathered(self, received: memoryview, gathered: "_Memory", distance: int, begin: int, each: int, at: int,
                       count: int) -> None:
        """Copies the bytes of all ranks, distance bytes apart in gathered, to their positions in received."""
        for rank in range(self._world_size):
            there = rank * distance + begin
            received[rank * each + at:rank * each + at + count] = gathered.bytes[there:there + count]

    def _check_counts(self, call: "_Call", memory: "_Memory", gathered: Optional["_Memory"], count: int, root: int) -> None:
        """The root checks that all ranks passed the same number of bytes, and broadcasts the result."""
        result = (-1, 0, count)
        if gathered is not None:
            counts = [_COUNT.unpack_from(gathered.bytes, rank * _OPENING_BYTES)[0] for rank in range(self._world_size)]
            result = next(((rank, theirs, count) for rank, theirs in enumerate(counts) if theirs != count), result)
        _RESULT.pack_into(memory.bytes, 0, *result)
        call.from_root(memory, _RESULT.size, root)
        other, theirs, roots = _RESULT.unpack_from(memory.bytes)
        if other >= 0:
            call.fail_counts(f"rank {other} passed {theirs} bytes, rank {root} passed {roots}")


class _Memory:
    """Memory that torch owns, as bytes and as tensors. It frees no Python object, so that any thread can release it."""

    def __init__(self, count: int) -> None:
        self._all = _torch.empty(count, dtype=_torch.uint8)
        self.bytes = memoryview((ctypes.c_ubyte * count).from_address(self._all.data_ptr())).cast("B")

    def first(self, count: int) -> "_torch.Tensor":
        return self._all[:count]

    def rows(self, count: int, each: int) -> List["_torch.Tensor"]:
        return list(self._all[:count * each].view(count, each).unbind(0))


def _open(memory: _Memory, data: memoryview, first: int) -> None:
    _COUNT.pack_into(memory.bytes, 0, len(data))
    memory.bytes[_COUNT.size:_COUNT.size + first] = data[:first]


class _Call:
    """One call of a coordinator: its operations of torch share one timeout."""

    def __init__(self, ranks: _Ranks, operation: str, timeout_ns: int) -> None:
        self._ranks, self._operation = ranks, operation
        self._deadline = time.monotonic() + timeout_ns * 1e-9

    def run(self, start: Callable[[], Any], *memory: "_torch.Tensor") -> None:
        ranks = self._ranks
        work = None
        try:
            work = start()
            work.wait(_duration(self._deadline - time.monotonic()))
            _last_tensors[:] = memory
        except BaseException as error:
            _unfinished.append((work, memory))
            if not isinstance(error, RuntimeError):
                ranks._broken = f"its {self._operation} was interrupted"
                raise
            if _is_late(error):
                ranks._broken = f"its {self._operation} has timed out"
                raise TimeoutError(f"not all {ranks._world_size} processes called it in time") from error
            ranks._broken = f"its {self._operation} has failed: {_one_line(error)}"
            raise IoError(_one_line(error)) from error

    def from_root(self, memory: _Memory, count: int, root: int) -> None:
        ranks, tensor = self._ranks, memory.first(count)
        self.run(lambda: _dist.broadcast(tensor, ranks._global_ranks[root], ranks._group, async_op=True), tensor)

    def to_all(self, memory: _Memory, gathered: _Memory, count: int) -> None:
        ranks, tensor = self._ranks, memory.first(count)
        rows = gathered.rows(ranks._world_size, count)
        self.run(lambda: _dist.all_gather(rows, tensor, ranks._group, async_op=True), tensor, *rows)

    def to_root(self, memory: _Memory, gathered: Optional[_Memory], count: int, root: int) -> None:
        ranks, tensor = self._ranks, memory.first(count)
        rows = None if gathered is None else gathered.rows(ranks._world_size, count)
        self.run(lambda: _dist.gather(tensor, rows, ranks._global_ranks[root], ranks._group, async_op=True), tensor, *(rows or ()))

    def compare(self, rank: int, theirs: int, ours: int) -> None:
        if theirs != ours:
            self.fail_counts(f"rank {rank} passed {theirs} bytes, rank {self._ranks._rank} passed {ours}")

    def fail_counts(self, text: str) -> None:
        self._ranks._broken = f"processes disagreed in its {self._operation}"
        raise InvalidStateError(text)
