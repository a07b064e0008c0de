"""Where files live: the file system, memory, or an object of yours."""

from __future__ import annotations

from abc import ABC, abstractmethod
import os
import threading
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _hand_over, _Owned, _take_back
from .made import options as _o
from .made.errors import InvalidArgumentError

__all__ = ["Storage", "CustomStorage", "FaultHandler"]


class CustomStorage(ABC):
    """Derive from this for a storage of your own. Paths are relative, with '/' between their components; "" is the root. Files and
    locks are whatever objects create, open and lock give. Raise FileNotFoundError for what is not there, FileExistsError for a
    taken name, BlockingIOError for a lock that is held, PermissionError, or OSError with an errno: ENOSPC is told apart, other
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


class _Functions(_native.StorageFunctions):
    def __init__(self, storage: CustomStorage) -> None:
        super().__init__()
        self.storage = storage
        self.files: Dict[int, Any] = {}
        self.last = 0
        self.guard = threading.Lock()
        for name in ("sync_directory", "make_directory", "remove_directory", "remove", "rename", "size"):
            setattr(self, name, getattr(storage, name))  # paths pass as they are

    def number(self, file: Any) -> int:
        with self.guard:
            self.last += 1
            self.files[self.last] = file
            return self.last

    def create(self, path: str) -> int:
        return self.number(self.storage.create(path))

    def open(self, path: str) -> int:
        return self.number(self.storage.open(path))

    def lock(self, path: str) -> int:
        return self.number(self.storage.lock(path))

    def close(self, file: int) -> None:
        self.storage.close(self.files.pop(file))

    def unlock(self, lock: int) -> None:
        self.storage.unlock(self.files.pop(lock))

    def file_size(self, file: int) -> int:
        return self.storage.file_size(self.files[file])

    def read(self, file: int, offset: int, buffer: Optional[memoryview]) -> int:
        lent = memoryview(bytearray()) if buffer is None else buffer
        count = self.storage.read(self.files[file], offset, lent)
        _take_back(buffer)
        return count

    def write(self, file: int, offset: int, data: Optional[memoryview]) -> None:
        lent = memoryview(b"") if data is None else data
        self.storage.write(self.files[file], offset, lent)
        _take_back(data)

    def sync(self, file: int) -> None:
        self.storage.sync(self.files[file])

    def list(self, path: str, listing: Any) -> None:
        for name, is_directory in self.storage.list(path):
            listing.add(name, bool(is_directory))


class _Sleeper(_native.Sleeper):
    def __init__(self, function: Callable[[int], Any]) -> None:
        super().__init__()
        self.function = function

    def sleep(self, ns: int) -> None:
        self.function(ns)


class FaultHandler(_Owned):
    """Decides what is tried again, and when."""

    _release = staticmethod(_n.ckpt_fault_handler_release)

    def __init__(self, *, sleep: Optional[Callable[[int], Any]] = None, **options: _o.fault_handler_options) -> None:
        """sleep(ns) is called instead of sleeping."""
        given = _o.fault_handler_options(**options)
        sleeper = None if sleep is None else _hand_over(_Sleeper(sleep))
        self._adopt(_n.ckpt_fault_handler_create(given, sleeper))

    @property
    def retry_count(self) -> int:
        """How often something was tried again."""
        return _n.ckpt_fault_handler_get_retry_count(self._h)


class Storage(_Owned):
    """The one door to files. Storage(path) is a directory of the file system."""

    _release = staticmethod(_n.ckpt_storage_release)

    def __init__(self, root: Union[str, "os.PathLike[str]"], **options: _o.file_system_options) -> None:
        self._adopt(_n.ckpt_storage_create_file_system(os.fspath(root), _o.file_system_options(**options)))

    @classmethod
    def memory(cls) -> "Storage":
        """In memory, empty."""
        return cls._of(_n.ckpt_storage_create_memory())

    @classmethod
    def custom(cls, storage: CustomStorage, name: str = "custom") -> "Storage":
        """One that calls you. name: where it is, for messages."""
        return cls._of(_n.ckpt_storage_create_custom(name, _hand_over(_Functions(storage))))

    def retrying(self, handler: FaultHandler) -> "Storage":
        """A storage before this one that tries failed operations again."""
        return Storage._of(_n.ckpt_storage_create_retrying(self._h, handler._h))


def _storage(place: Union[Storage, str, "os.PathLike[str]"], must_exist: bool = False) -> Tuple[Storage, bool]:
    """The storage, and whether it was made here."""
    if isinstance(place, Storage):
        return place, False
    if isinstance(place, (str, os.PathLike)):
        return Storage(place, must_exist=must_exist), True
    raise InvalidArgumentError(f"storage is a {type(place).__name__}; a path or a Storage")
