"""Where files live: the file system, memory, or an object of yours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
import itertools
import os
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _Owned, _take_back
from .made import options as _o
from .made.errors import InvalidArgumentError, UnsupportedError

__all__ = ["Storage", "CustomStorage", "Fault", "FaultHandler"]


class CustomStorage(ABC):
    """Derive from this for a storage of your own. Paths are relative, with '/' between their components; "" is the root. Files and
    locks are whatever objects create, open and lock give. Raise FileNotFoundError for what is not there, FileExistsError for a
    taken name, BlockingIOError for a lock that is held, PermissionError, or OSError with an errno: ENOSPC is distinguished, other
    OSErrors are what a fault handler tries again. Several methods may run at once, but only one with the same file."""

    @abstractmethod
    def create(self, path: str) -> Any:
        """Makes a new, empty file."""

    @abstractmethod
    def open(self, path: str) -> Any:
        """Opens a file for reading."""

    @abstractmethod
    def close(self, file: Any) -> None:
        """The file is not used any more."""

    @abstractmethod
    def file_size(self, file: Any) -> int:
        """Bytes of an open file."""

    @abstractmethod
    def read(self, file: Any, offset: int, buffer: memoryview) -> int:
        """Fills buffer and gives the number of bytes read, fewer only at the file's end. Keep no view of buffer."""

    @abstractmethod
    def write(self, file: Any, offset: int, data: memoryview) -> None:
        """All of data at offset."""

    @abstractmethod
    def sync(self, file: Any) -> None:
        """Returns when all that was written is durable."""

    @abstractmethod
    def rename(self, from_path: str, to_path: str) -> None:
        """Atomic; replaces a file of that name."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Of a file."""

    @abstractmethod
    def remove_directory(self, path: str) -> None:
        """FileExistsError when it is not empty."""

    @abstractmethod
    def make_directory(self, path: str) -> None:
        """One level; FileExistsError when the name is taken."""

    @abstractmethod
    def sync_directory(self, path: str) -> None:
        """Returns when names made, renamed and removed in it are durable."""

    @abstractmethod
    def list(self, path: str) -> Iterable[Tuple[str, bool]]:
        """(name, is_directory) of everything in a directory."""

    @abstractmethod
    def size(self, path: str) -> int:
        """Bytes of a file."""

    @abstractmethod
    def lock(self, path: str) -> Any:
        """An exclusive lock; BlockingIOError at once when another has it."""

    @abstractmethod
    def unlock(self, lock: Any) -> None:
        """The lock is not held any more."""


def _functions_of(storage: CustomStorage) -> Dict[str, Callable[..., Any]]:
    """Files and locks are numbers for the library."""
    files: Dict[int, Any] = {}
    numbers = itertools.count(1)

    def numbered(function: Callable[[str], Any]) -> Callable[[str], int]:
        def call(path: str) -> int:
            file, number = function(path), next(numbers)
            files[number] = file
            return number
        return call

    def read(file: int, offset: int, buffer: Optional[memoryview]) -> int:
        count = storage.read(files[file], offset, memoryview(bytearray()) if buffer is None else buffer)
        _take_back(buffer)
        return count

    def write(file: int, offset: int, data: Optional[memoryview]) -> None:
        storage.write(files[file], offset, memoryview(b"") if data is None else data)
        _take_back(data)

    def names(path: str, listing: Any) -> None:
        for name, is_directory in storage.list(path):
            listing.add(name, bool(is_directory))

    paths = ("sync_directory", "make_directory", "remove_directory", "remove", "rename", "size")  # which pass as they are
    return {**{name: getattr(storage, name) for name in paths}, "read": read, "write": write, "list": names,
            **{name: numbered(getattr(storage, name)) for name in ("create", "open", "lock")},
            "close": lambda file: storage.close(files.pop(file)), "unlock": lambda lock: storage.unlock(files.pop(lock)),
            "file_size": lambda file: storage.file_size(files[file]), "sync": lambda file: storage.sync(files[file])}


@dataclass
class Fault:
    """An error of a storage, and what becomes of it: change retry and delay_ns, or leave what the rule says."""

    status: int
    message: str
    attempt: int  # that failed, 1 for the first
    retry: bool
    delay_ns: int  # before the next attempt


def _decide(function: Callable[[Fault], Any]) -> Callable[..., None]:
    def call(status: int, message: str, attempt: int, retry: bool, delay_ns: int, answer: Any) -> None:
        fault = Fault(status, message, attempt, retry, delay_ns)
        function(fault)
        answer.set(bool(fault.retry), fault.delay_ns)
    return call


class FaultHandler(_Owned):
    """Decides what is tried again, and when."""

    _release = staticmethod(_n.ckpt_fault_handler_release)

    def __init__(self, *, sleep: Optional[Callable[[int], Any]] = None, decide: Optional[Callable[[Fault], Any]] = None,
                 **options: _o.fault_handler_options) -> None:
        """sleep(ns) is called instead of sleeping. decide(fault) is asked about each error but the last attempt's, on the thread
        whose operation failed; what it raises ends the operation with CallbackError."""
        given = _o.fault_handler_options(**options)
        sleeper = None if sleep is None else _callbacks(_native.Sleeper, sleep=sleep)
        decider = None if decide is None else _callbacks(_native.Decider, decide=_decide(decide))
        self._adopt(_n.ckpt_fault_handler_create(given, sleeper, decider))

    @property
    def retry_count(self) -> int:
        """How often something was tried again."""
        return _n.ckpt_fault_handler_get_retry_count(self._h)


class Storage(_Owned):
    """The one door to files. Storage(path) is a directory of the file system."""

    _release = staticmethod(_n.ckpt_storage_release)

    def __init__(self, root: Union[str, "os.PathLike[str]"], **options: _o.file_system_options) -> None:
        _require_folder(root)
        self._adopt(_n.ckpt_storage_create_file_system(os.fspath(root), _o.file_system_options(**options)))

    @classmethod
    def memory(cls) -> "Storage":
        """In memory, empty."""
        return cls._of(_n.ckpt_storage_create_memory())

    @classmethod
    def custom(cls, storage: CustomStorage, name: str = "custom") -> "Storage":
        """One that calls you. name: where it is, for messages."""
        return cls._of(_n.ckpt_storage_create_custom(name, _callbacks(_native.StorageFunctions, **_functions_of(storage))))

    def retrying(self, handler: FaultHandler) -> "Storage":
        """A storage before this one that tries failed operations again."""
        return Storage._of(_n.ckpt_storage_create_retrying(self._h, handler._h))


def _require_folder(place: Union[str, "os.PathLike[str]"]) -> None:
    """What people mean as something else than a folder of this name never becomes one."""
    path = os.fspath(place)
    if path == "~" or path.startswith("~/") or os.path.expanduser(path) != path:
        raise InvalidArgumentError(f"'{path}' begins with ~, which Python does not expand: os.path.expanduser does")
    scheme = path.split("://")[0] if "://" in path else None
    if not isinstance(place, str) and path.split("/")[0].endswith(":"):
        scheme = path.split(":")[0]  # pathlib makes s3:/bucket of s3://bucket
    if scheme is not None:
        raise UnsupportedError(f"'{path}' is the name of no folder, and this library has no storage for '{scheme}'")


def _storage(place: Union[Storage, str, "os.PathLike[str]"], must_exist: bool = False) -> Tuple[Storage, bool]:
    """The storage, and whether it was made here."""
    if isinstance(place, Storage):
        return place, False
    if isinstance(place, (str, os.PathLike)):
        return Storage(place, must_exist=must_exist), True
    raise InvalidArgumentError(f"storage is a {type(place).__name__}; a path or a Storage")
