"""Common parts: version, log, thread hooks, clocks, random numbers, queues, pools of threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _call_of, _callbacks, _director, _nothing, _Owned, _owners_of_threads
from ._root import CkptError
from .generated import methods as _m
from .generated.values import LogLevel

if TYPE_CHECKING:
    import logging

__all__ = ["version", "version_string", "build_info", "set_log", "philox", "available_threads", "Clock",
           "WorkerPool", "ThreadHooks", "monotonic_ns"]


# ---- Version ----

version: Callable[[], int] = _n.ckpt_version  # the extension's own functions, without a wrapper
version_string: Callable[[], str] = _n.ckpt_version_string
build_info: Callable[[], str] = _n.ckpt_build_info
available_threads: Callable[[], int] = _n.ckpt_available_threads


# ---- Log ----


def _to_logger(logger: Any) -> Callable[[int, str, str], Any]:
    """Sends each component to a child of a logging.Logger: with the logger "app", messages of the state go to "app.state"."""
    import logging

    if not hasattr(logger, "getChild"):
        raise TypeError(f"function: expected a callable, a logging.Logger or None, found a {type(logger).__name__}")
    levels = {LogLevel.DEBUG: logging.DEBUG, LogLevel.INFO: logging.INFO, LogLevel.WARNING: logging.WARNING, LogLevel.ERROR: logging.ERROR}
    return lambda level, component, message: logger.getChild(component).log(levels.get(LogLevel(level), logging.INFO), "%s", message)


def set_log(function: Union[Callable[[int, str, str], Any], "logging.Logger", None], min_level: Optional[int] = None) -> None:
    """Sends messages of at least min_level to function(level, component, message), on any thread, or to a logging.Logger's child
    for the component. function None: no messages, the default. min_level None: LogLevel.WARNING for a function; for a logger, the
    levels of the loggers alone decide, including later changes."""
    global _log, _log_was_set
    is_logger = function is not None and not callable(function)
    if is_logger:
        function = _to_logger(function)
    if min_level is None:
        min_level = LogLevel.DEBUG if is_logger else LogLevel.WARNING
    _n.ckpt_set_log(min_level, None if function is None else _callbacks(_native.LogListener, message=function))
    _log = None if function is None or min_level > LogLevel.WARNING else function  # type: ignore[assignment]
    _log_was_set = _log_was_set or function is not None


_log_was_set = False
_log: Optional[Callable[[int, str, str], Any]] = None  # receives warnings


class _Unraisable:
    """Raises in __del__ to pass an exception to sys.unraisablehook, which Python code cannot call itself."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error


def _report(component: str, text: str) -> None:
    """Passes a failure that cannot be returned to a caller to sys.unraisablehook."""
    _Unraisable(CkptError(f"{component}: {text}"))


# Replaces the library's line on standard error until a log is set.
_n.ckpt_set_fallback_log(_callbacks(_native.LogListener, message=lambda level, component, text: _report(component, text)))


def _warn(component: str, text: str) -> None:
    """Logs a warning of this package. As with the library's messages, an exception in the log function is not propagated."""
    if _log is None:
        return
    try:
        _log(LogLevel.WARNING, component, text)
    except Exception as error:
        _Unraisable(error)


# ---- Thread hooks ----


class ThreadHooks(_Owned):
    """Calls start(name) and stop(name) on every thread that the library creates, while this is open. close() waits for threads that
    ran start, so close the owners of threads first. Python itself needs no hooks: the package has its own."""

    _release = staticmethod(_n.ckpt_remove_thread_hooks)

    def __init__(self, start: Optional[Callable[[str], Any]] = None, stop: Optional[Callable[[str], Any]] = None) -> None:
        hooks = _callbacks(_native.ThreadHooks, start=start or _nothing, stop=stop or _nothing)
        self._adopt(_n.ckpt_add_thread_hooks(hooks))


# ---- Clock ----


class Clock(_m.ClockMethods, _Owned):
    """A source of time in nanoseconds. Clock() changes only by advance; Clock.custom calls a callable."""

    @classmethod
    def custom(cls, now: Callable[[], int]) -> "Clock":
        """Returns a clock that calls now(), which returns nanoseconds and never goes backwards. If it raises, the last time is
        used."""
        return cls._of(_n.ckpt_clock_create_custom(_callbacks(_native.ClockSource, now=now)))


def monotonic_ns() -> int:
    """Returns the system's monotonic clock, the default clock of all objects."""
    return _n.ckpt_clock_get_now(None)


# ---- Random ----


def philox(counter: Sequence[int], key: Sequence[int]) -> Tuple[int, int, int, int]:
    """Returns one block of Philox4x32-10: four words from a counter of four words and a key of two."""
    return _n.ckpt_random_philox(list(counter), list(key))


# ---- Threads ----


class WorkerPool(_m.WorkerPoolMethods, _Owned):
    """A fixed set of threads that run numbered parts. thread_count 0: as many threads as the process may use."""

    def __init__(self, thread_count: int = 0) -> None:
        self._adopt(_n.ckpt_worker_pool_create(thread_count))
        _owners_of_threads.add(self)

    _is_lent = False

    @classmethod
    def _lent(cls, handle: Any) -> Optional["WorkerPool"]:
        """Wraps a pool that a callback borrows."""
        if handle is None:
            return None
        created = cls._of(handle)
        created._is_lent = True
        return created

    def close(self) -> None:
        """Ends the threads. For a pool borrowed by a callback, releases only this object."""
        if self._is_lent:
            self._slot = None
        else:
            super().close()

    def run(self, parts: int, function: Callable[[int], Any]) -> None:
        """Calls function(part) for every part 0 .. parts-1, on several threads. Raises CallbackError when one raised."""
        work = _director(_native.PartWork, run=function)
        with _call_of(self):
            _n.ckpt_worker_pool_run(self._h, parts, work)
