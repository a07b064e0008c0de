"""Errors, handles, and what belongs to no other part: version, log, clocks, queues, thread pools, random numbers."""

from __future__ import annotations

import atexit
import contextlib
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

from . import _native as _n
from . import native as _native

__all__ = [
    "CkptError", "InvalidArgumentError", "OutOfMemoryError", "OutOfRangeError", "InvalidStateError", "NotFoundError",
    "AlreadyExistsError", "BusyError", "TimeoutError", "CancelledError", "CallbackError", "ForkedError", "QueueFullError",
    "ClosedError", "IoError", "NoSpaceError", "PermissionDeniedError", "CorruptError", "UnsupportedError", "OverBudgetError",
    "InvalidScheduleError", "InternalError",
    "version", "version_string", "build_info", "feature", "set_log", "LogLevel", "philox", "available_threads",
    "Clock", "Queue", "ThreadPool", "ThreadHooks", "monotonic_ns",
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
    """The system gave no memory."""

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
    end = None if left < 0 else monotonic_ns() + left
    with _call_of(owner):
        while True:
            turn = _TURN_NS if end is None else max(0, min(_TURN_NS, end - monotonic_ns()))
            try:
                return wait(owner._h, turn)
            except TimeoutError:
                if end is not None and monotonic_ns() >= end:
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


# ---- Version ----

version: Callable[[], int] = _n.ckpt_version  # the extension's own functions: nothing between them and the caller
version_string: Callable[[], str] = _n.ckpt_version_string
build_info: Callable[[], str] = _n.ckpt_build_info
available_threads: Callable[[], int] = _n.ckpt_available_threads


def feature(name: str) -> bool:
    """Whether this build has the named feature ("dlpack", "safetensors", ...)."""
    return bool(_n.ckpt_feature(name))


# ---- Log ----


class LogLevel:
    """Levels of log messages."""

    DEBUG = _n.CKPT_LOG_DEBUG
    INFO = _n.CKPT_LOG_INFO
    WARNING = _n.CKPT_LOG_WARNING
    ERROR = _n.CKPT_LOG_ERROR


class _Log(_native.LogListener):
    def __init__(self, function: Callable[[int, str, str], Any]) -> None:
        super().__init__()
        self.function = function

    def message(self, level: int, component: str, text: str) -> None:
        self.function(level, component, text)


def set_log(function: Optional[Callable[[int, str, str], Any]], min_level: int = LogLevel.WARNING) -> None:
    """Sends messages of at least min_level to function(level, component, message), on any thread. None: silence, the default."""
    _n.ckpt_set_log(min_level, None if function is None else _hand_over(_Log(function)))


# ---- Thread hooks ----


class _Hooks(_native.ThreadHooks):
    def __init__(self, on_start: Optional[Callable[[str], Any]], on_stop: Optional[Callable[[str], Any]]) -> None:
        super().__init__()
        self.on_start = on_start
        self.on_stop = on_stop

    def start(self, name: str) -> None:
        if self.on_start is not None:
            self.on_start(name)

    def stop(self, name: str) -> None:
        if self.on_stop is not None:
            self.on_stop(name)


class ThreadHooks(_Owned):
    """Calls start(name) and stop(name) on every thread that the library makes, while this is open. close() waits for threads that
    ran start, so close what owns them first. Python itself needs no hooks: the package has its own."""

    _release = staticmethod(_n.ckpt_remove_thread_hooks)

    def __init__(self, start: Optional[Callable[[str], Any]] = None, stop: Optional[Callable[[str], Any]] = None) -> None:
        self._adopt(_n.ckpt_add_thread_hooks(_hand_over(_Hooks(start, stop))))


# ---- Clock ----


class _Source(_native.ClockSource):
    def __init__(self, function: Callable[[], int]) -> None:
        super().__init__()
        self.function = function

    def now(self) -> int:
        return self.function()


class Clock(_Owned):
    """A source of time in nanoseconds. Clock() stands still until advance; Clock.custom asks a callable."""

    _release = staticmethod(_n.ckpt_clock_release)

    def __init__(self, start_ns: int = 0) -> None:
        self._adopt(_n.ckpt_clock_create_manual(start_ns))

    @classmethod
    def custom(cls, now: Callable[[], int]) -> "Clock":
        """A clock that calls now(), which gives nanoseconds and never goes backwards. One that raises gives the time before."""
        return cls._of(_n.ckpt_clock_create_custom(_hand_over(_Source(now))))

    def advance(self, ns: int) -> None:
        """Moves a manual clock forward."""
        _n.ckpt_clock_advance(self._h, ns)

    def now(self) -> int:
        """The time in nanoseconds."""
        return _n.ckpt_clock_now(self._h)


def monotonic_ns() -> int:
    """The system's monotonic clock, which all objects without a clock of their own use."""
    return _n.ckpt_clock_now(None)


# ---- Random ----


def philox(counter: Sequence[int], key: Sequence[int]) -> Tuple[int, int, int, int]:
    """One block of Philox4x32-10: four words from a counter of four words and a key of two."""
    return _n.ckpt_random_philox(list(counter), list(key))


# ---- Queue ----


class Queue(_Owned):
    """A bounded first-in first-out queue of integers 0 .. 2**64 - 1. Several threads may use it at once unless spsc is set."""

    _release = staticmethod(_n.ckpt_queue_release)

    def __init__(self, capacity: int, spsc: bool = False) -> None:
        self._adopt(_n.ckpt_queue_create(_n.CKPT_QUEUE_SPSC if spsc else _n.CKPT_QUEUE_MPMC, capacity))

    def push(self, value: int, timeout: Optional[float] = 0) -> None:
        """Appends a value, waiting at most timeout seconds (None: for ever). QueueFullError, ClosedError."""
        _n.ckpt_queue_push(self._h, value, _timeout_ns(timeout))

    def pop(self, timeout: Optional[float] = 0) -> int:
        """Takes the oldest value. TimeoutError when there was none in time, ClosedError when closed and empty."""
        return _n.ckpt_queue_pop(self._h, _timeout_ns(timeout))

    def shut(self) -> None:
        """Lets nothing more in and wakes every waiting thread; what is inside can still be popped."""
        _n.ckpt_queue_close(self._h)

    def __len__(self) -> int:
        return _n.ckpt_queue_size(self._h)


# ---- Threads ----


class _Work(_native.PartWork):
    def __init__(self, function: Callable[[int], Any]) -> None:
        super().__init__()
        self.function = function

    def run(self, part: int) -> None:
        self.function(part)


class ThreadPool(_Owned):
    """A fixed set of threads that work through numbered parts. threads 0: as many as the process may use."""

    _release = staticmethod(_n.ckpt_thread_pool_release)

    def __init__(self, threads: int = 0) -> None:
        self._adopt(_n.ckpt_thread_pool_create(threads))
        _owners_of_threads.add(self)

    def run(self, parts: int, function: Callable[[int], Any]) -> None:
        """Calls function(part) for every part 0 .. parts-1, on several threads. CallbackError when one raised."""
        work = _Work(function)
        with _call_of(self):
            _n.ckpt_thread_pool_run(self._h, parts, work)

    @property
    def threads(self) -> int:
        """Threads of the pool, the caller's included."""
        return _n.ckpt_thread_pool_threads(self._h)
