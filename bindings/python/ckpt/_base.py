"""Errors, handles, and the exit of the interpreter."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
import weakref
from typing import Any, Callable, Dict, Iterator, Optional, TypeVar

from . import _native as _n
from ._root import classes, CkptError
from .generated.errors import *

__all__ = ["CkptError", "SkippedWarning"]


class SkippedWarning(UserWarning):
    """A load used an older checkpoint, because newer ones are damaged or cannot be read."""


_by_status = {kind.status: kind for kind in CkptError.__subclasses__()}


def _make_error(status: int, text: str) -> CkptError:
    """Returns the exception of a failed call; the extension calls it. An exception that a conversion set takes precedence."""
    return _by_status.get(status, CkptError)(text, status)


_n.set_error_factory(_make_error)


# ---- Handles ----

_owners_of_threads: "weakref.WeakSet[Any]" = weakref.WeakSet()
_inside: Dict[int, int] = {}  # by id of an owner of threads: number of calls that are running
_inside_guard = threading.Lock()


@contextlib.contextmanager
def _call_of(owner: Any) -> Iterator[None]:
    """Encloses a call during which the interpreter's exit must not close the owner: a daemon thread may be inside."""
    with _inside_guard:
        _inside[id(owner)] = _inside.get(id(owner), 0) + 1
    try:
        yield
    finally:
        with _inside_guard:
            _inside[id(owner)] -= 1
            if _inside[id(owner)] == 0:
                del _inside[id(owner)]


_Me = TypeVar("_Me", bound="_Owned")


class _Owned:
    """An object of the library. close() releases it at once; otherwise that happens when Python frees it. A closed object
    raises InvalidStateError. Do not close an object while another thread is inside one of its calls."""

    _release: Callable[[Any], None]
    _slot: Any = None
    _exiting = False

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        classes.setdefault(cls.__name__, cls)

    def _adopt(self, handle: Any) -> None:
        self._slot = handle

    @classmethod
    def _of(cls, handle: Any) -> Any:
        created = cls.__new__(cls)
        _Owned._adopt(created, handle)
        return created

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
        """Releases the object. Closing again does nothing."""
        handle, self._slot = self._slot, None
        if handle is not None:
            type(self)._release(handle)

    def __enter__(self: _Me) -> _Me:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _shown(self) -> str:
        """Returns the part of repr that describes an open object."""
        return ""

    def __repr__(self) -> str:
        name = f"ckpt.{type(self).__name__}"
        if self._slot is None:
            return f"<{name}, closed>"
        shown = self._shown()
        return f"<{name}: {shown}>" if shown else f"<{name}>"

    def __del__(self) -> None:
        if _Owned._exiting:  # the process is exiting; waiting for a thread that sleeps now could take forever
            return
        self.close()


_Same = TypeVar("_Same", bound="_Shared")


class _Shared(_Owned):
    """An object that several references can share."""

    _retain: Callable[[Any], None]

    def share(self: _Same) -> _Same:
        """Returns another reference to the same object."""
        type(self)._retain(self._h)
        return type(self)._of(self._h)


def _nothing(*_: Any) -> None:
    pass


def _is_inside(owner: Any) -> bool:
    with _inside_guard:
        return id(owner) in _inside


def _close_all() -> None:
    owners = list(_owners_of_threads)
    for owner in owners:  # dependents first
        if hasattr(owner, "_end_at_exit"):
            owner._end_at_exit()
    for owner in owners:
        if not _is_inside(owner):
            owner.close()
    try:
        _n.ckpt_set_log(0, None)
        _n.ckpt_set_fallback_log(None)
    except CkptError:
        pass
    _Owned._exiting = True
    _n.close_machine()


atexit.register(_close_all)


def _timeout_ns(timeout: Optional[float]) -> int:
    """Converts seconds to nanoseconds; None waits indefinitely."""
    if timeout is None:
        return -1
    if not timeout >= 0:
        raise InvalidArgumentError(f"timeout {timeout}: expected at least 0")
    return min(int(timeout * 1e9), 2**63 - 1)


_TURN_NS = 100_000_000


def _wait_interruptibly(owner: Any, timeout: Optional[float], wait: Callable[[Any, int], Any]) -> Any:
    """Calls wait(handle, ns) repeatedly with short timeouts until it no longer raises TimeoutError, so that Ctrl-C takes effect in
    between."""
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


_directors: Dict[Any, Any] = {}


def _director(kind: Any, **methods: Any) -> Any:
    """Returns an object of one of SWIG's callback classes with these functions as its methods."""
    if kind not in _directors:
        _directors[kind] = type(kind.__name__, (kind,), {})  # SWIG creates directors for subclasses only
    created = _directors[kind]()
    for name, method in methods.items():
        setattr(created, name, method)
    return created


def _callbacks(kind: Any, **methods: Any) -> Any:
    """Like _director, but keeps the object alive until the library releases it: the C destroy hook frees it."""
    created = _director(kind, **methods)
    created.__disown__()
    return created


def _lent(function: Callable[..., Any], empty: Optional[Callable[[], Any]] = lambda: memoryview(bytearray())) -> Callable[..., Any]:
    """Wraps a callback with arguments over memory that is valid during the call only: raises BufferError when a view of it remains.
    empty: creates the argument for memory of no bytes; None: the argument is None."""

    def call(*arguments: Any) -> Any:
        created = function(*(empty() if empty and one is None else one for one in arguments))
        _release_lent(*arguments)
        return created

    return call


def _release_lent(*arguments: Any) -> None:
    """Releases the buffers lent to a callback. Raises BufferError when a view of one remains."""
    for buffer in arguments:
        if isinstance(buffer, memoryview):
            lender = buffer.obj
            try:
                buffer.release()
            finally:
                lender.end()
