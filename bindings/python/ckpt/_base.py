"""Errors, handles, and the end of the interpreter."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
import weakref
from typing import Any, Callable, Dict, Iterator, Optional

from . import _native as _n

__all__ = [
    "CkptError", "InvalidArgumentError", "OutOfMemoryError", "OutOfRangeError", "InvalidStateError", "NotFoundError",
    "AlreadyExistsError", "BusyError", "TimeoutError", "CancelledError", "CallbackError", "ForkedError", "QueueFullError",
    "ClosedError", "IoError", "NoSpaceError", "PermissionDeniedError", "CorruptError", "UnsupportedError", "OverBudgetError",
    "InvalidScheduleError", "InternalError", "SkippedWarning",
]

_BuiltinTimeoutError = TimeoutError


class CkptError(Exception):
    """A call of the library failed. status is the C API's number, status_name its name ("CORRUPT")."""

    status: int = 0

    def __init__(self, message: str = "", status: Optional[int] = None) -> None:
        super().__init__(message)
        if status is not None:
            self.status = status

    @property
    def status_name(self) -> str:
        return _n.ckpt_status_name(self.status)


class InvalidArgumentError(CkptError, ValueError):
    """An argument has a value that is never valid."""

    status = _n.CKPT_E_INVALID_ARGUMENT


class OutOfMemoryError(CkptError, MemoryError):
    """The system has no memory left."""

    status = _n.CKPT_E_OUT_OF_MEMORY


class OutOfRangeError(CkptError, IndexError):
    """An index or size lies outside what the object has or can hold."""

    status = _n.CKPT_E_OUT_OF_RANGE


class InvalidStateError(CkptError):
    """The call is not allowed now: wrong order, already done, closed."""

    status = _n.CKPT_E_INVALID_STATE


class NotFoundError(CkptError, LookupError):
    """No such name, id, file or checkpoint."""

    status = _n.CKPT_E_NOT_FOUND


class AlreadyExistsError(CkptError):
    """The name is taken."""

    status = _n.CKPT_E_ALREADY_EXISTS


class BusyError(CkptError):
    """Somebody else holds it."""

    status = _n.CKPT_E_BUSY


class TimeoutError(CkptError, _BuiltinTimeoutError):
    """The time-out ran out first. Also a built-in TimeoutError."""

    status = _n.CKPT_E_TIMEOUT


class CancelledError(CkptError):
    """Stopped on request."""

    status = _n.CKPT_E_CANCELLED


class CallbackError(CkptError):
    """A callable of yours raised; the message holds its text."""

    status = _n.CKPT_E_CALLBACK


class ForkedError(CkptError):
    """The object's threads stayed in the parent of this forked process."""

    status = _n.CKPT_E_FORKED


class QueueFullError(CkptError):
    """A bounded queue has no place."""

    status = _n.CKPT_E_QUEUE_FULL


class ClosedError(CkptError):
    """The queue or object was closed."""

    status = _n.CKPT_E_CLOSED


class IoError(CkptError, OSError):
    """The operating system failed to read, write or sync."""

    status = _n.CKPT_E_IO


class NoSpaceError(CkptError, OSError):
    """The device or quota is full."""

    status = _n.CKPT_E_NO_SPACE


class PermissionDeniedError(CkptError, PermissionError):
    """The operating system denied access."""

    status = _n.CKPT_E_PERMISSION


class CorruptError(CkptError):
    """Stored bytes are not what was written, or not of the format."""

    status = _n.CKPT_E_CORRUPT


class UnsupportedError(CkptError, TypeError):
    """Valid, but not something that this object or build can do."""

    status = _n.CKPT_E_UNSUPPORTED


class OverBudgetError(CkptError):
    """Does not fit the memory budget or limit."""

    status = _n.CKPT_E_OVER_BUDGET


class InvalidScheduleError(CkptError):
    """A schedule breaks a rule."""

    status = _n.CKPT_E_INVALID_SCHEDULE


class InternalError(CkptError):
    """A defect of the library: please report it."""

    status = _n.CKPT_E_INTERNAL


class SkippedWarning(UserWarning):
    """A load took an older checkpoint, because newer ones are damaged or cannot be read."""


_by_status = {kind.status: kind for kind in CkptError.__subclasses__()}


def _make_error(status: int, text: str) -> CkptError:
    """Called by the extension for every failed call. A TypeError or the like that a conversion set comes first."""
    return _by_status.get(status, CkptError)(text, status)


_n.set_error_factory(_make_error)


# ---- Handles ----

_owners_of_threads: "weakref.WeakSet[Any]" = weakref.WeakSet()
_inside: Dict[int, int] = {}  # by id of an owner of threads: how many calls of it are going on
_inside_guard = threading.Lock()


@contextlib.contextmanager
def _call_of(owner: Any) -> Iterator[None]:
    """A call during which the interpreter's exit must not close the owner: a daemon thread may be inside."""
    with _inside_guard:
        _inside[id(owner)] = _inside.get(id(owner), 0) + 1
    try:
        yield
    finally:
        with _inside_guard:
            _inside[id(owner)] -= 1
            if _inside[id(owner)] == 0:
                del _inside[id(owner)]


class _Owned:
    """An object of the library. close() gives it back at once; otherwise that happens when Python lets it go. A closed object
    raises InvalidStateError. Do not close an object while another thread is inside one of its calls."""

    _release: Callable[[Any], None]
    _slot: Any = None
    _exiting = False

    def _adopt(self, handle: Any) -> None:
        self._slot = handle

    @classmethod
    def _of(cls, handle: Any) -> Any:
        made = cls.__new__(cls)
        _Owned._adopt(made, handle)
        return made

    @property
    def _h(self) -> Any:
        handle = self._slot
        if handle is None:
            raise InvalidStateError(f"the {type(self).__name__} is closed")
        return handle

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._slot is None

    def close(self) -> None:
        """Gives the object back. Closing again does nothing."""
        handle, self._slot = self._slot, None
        if handle is not None:
            type(self)._release(handle)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if _Owned._exiting:  # the process is about to give everything back; a thread that sleeps now could be waited for
            return
        self.close()


def _handle(owned: Optional[_Owned]) -> Any:
    return None if owned is None else owned._h


def _is_inside(owner: Any) -> bool:
    with _inside_guard:
        return id(owner) in _inside


def _close_all() -> None:
    owners = list(_owners_of_threads)
    for owner in owners:  # first what may still need the others
        if hasattr(owner, "_end_at_exit"):
            owner._end_at_exit()
    for owner in owners:
        if not _is_inside(owner):
            owner.close()
    try:
        _n.ckpt_set_log(0, None)
    except CkptError:
        pass
    _Owned._exiting = True
    _n.close_machine()


atexit.register(_close_all)


def _fields(kind: Any, struct: Any) -> Any:
    """A named tuple from the struct members of the same names."""
    return kind(*[getattr(struct, name) for name in kind._fields])


def _timeout_ns(timeout: Optional[float]) -> int:
    """Seconds; None waits for ever."""
    if timeout is None:
        return -1
    if not timeout >= 0:
        raise InvalidArgumentError(f"timeout is {timeout}; at least 0")
    return min(int(timeout * 1e9), 2**63 - 1)


_TURN_NS = 100_000_000


def _wait_in_turns(owner: Any, timeout: Optional[float], wait: Callable[[Any, int], Any]) -> Any:
    """Calls wait(handle, ns) until it raises no TimeoutError, for short times, so that Ctrl-C is obeyed between them."""
    left = _timeout_ns(timeout)
    end = None if left < 0 else time.monotonic_ns() + left
    with _call_of(owner):
        while True:
            turn = _TURN_NS if end is None else max(0, min(_TURN_NS, end - time.monotonic_ns()))
            try:
                return wait(owner._h, turn)
            except TimeoutError:
                if end is not None and time.monotonic_ns() >= end:
                    raise


def _hand_over(director: Any) -> Any:
    """Pins the object until the library lets it go: the C destroy hook frees it."""
    director.__disown__()
    return director


def _take_back(*buffers: Optional[memoryview]) -> None:
    """Ends what was lent for a callback; BufferError when somebody still looks at it."""
    for buffer in buffers:
        if buffer is not None:
            lender = buffer.obj
            try:
                buffer.release()
            finally:
                lender.end()
