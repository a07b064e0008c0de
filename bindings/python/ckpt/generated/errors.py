# Generated from include/ckpt by tools/api: do not edit.
"""A class for each status that a call can fail with."""

from __future__ import annotations

import builtins

from .._root import CkptError

__all__ = ["InvalidArgumentError", "OutOfMemoryError", "OutOfRangeError", "InvalidStateError", "NotFoundError",
           "AlreadyExistsError", "BusyError", "TimeoutError", "CancelledError", "CallbackError", "ForkedError", "QueueFullError",
           "ClosedError", "IoError", "NoSpaceError", "PermissionDeniedError", "CorruptError", "UnsupportedError", "OverBudgetError",
           "InvalidScheduleError", "InternalError"]


class InvalidArgumentError(CkptError, ValueError):
    """An argument is missing, of the wrong kind, or has a value that is never valid."""

    status = -1


class OutOfMemoryError(CkptError, MemoryError):
    """The system has no memory left."""

    status = -2


class OutOfRangeError(CkptError, IndexError):
    """An index or size is outside the range of the object."""

    status = -3


class InvalidStateError(CkptError):
    """The call is not allowed now: wrong order, already done, or not begun."""

    status = -4


class NotFoundError(CkptError, LookupError):
    """The name, id, file or checkpoint does not exist."""

    status = -5


class AlreadyExistsError(CkptError):
    """The name is taken."""

    status = -6


class BusyError(CkptError):
    """Another process, thread or object holds the resource."""

    status = -7


class TimeoutError(CkptError, builtins.TimeoutError):
    """The time-out expired."""

    status = -8


class CancelledError(CkptError):
    """Stopped on request."""

    status = -9


class CallbackError(CkptError):
    """A callback of the caller failed."""

    status = -10


class ForkedError(CkptError):
    """The process was forked, and the object's threads exist only in the parent."""

    status = -11


class QueueFullError(CkptError):
    """A bounded queue is full."""

    status = -12


class ClosedError(CkptError):
    """The queue or object was closed."""

    status = -13


class IoError(CkptError, OSError):
    """The operating system failed to read, write or sync."""

    status = -14


class NoSpaceError(CkptError, OSError):
    """The device or quota is full."""

    status = -15


class PermissionDeniedError(CkptError, PermissionError):
    """The operating system denied access."""

    status = -16


class CorruptError(CkptError):
    """Stored bytes differ from the written ones or violate the format."""

    status = -17


class UnsupportedError(CkptError, TypeError):
    """Valid, but not supported by this object or build."""

    status = -18


class OverBudgetError(CkptError):
    """Does not fit the memory budget or limit."""

    status = -19


class InvalidScheduleError(CkptError):
    """A schedule breaks one of its rules."""

    status = -20


class InternalError(CkptError):
    """A defect of the library: please report it."""

    status = -21
