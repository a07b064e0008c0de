# Generated from include/ckpt by tools/api: do not edit.
"""Classes of callbacks, from which the hand-written ones derive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class StorageCallbacks(ABC):
    """The methods of a custom storage that have one form only."""

    @abstractmethod
    def create(self, path: str) -> Any:
        """Creates a new, empty file and opens it for writing; AlreadyExistsError if the name exists."""

    @abstractmethod
    def open(self, path: str) -> Any:
        """Opens an existing file for reading."""

    @abstractmethod
    def close(self, file: Any) -> None:
        """Closes a file; bytes that were not synced may be lost."""

    @abstractmethod
    def file_size(self, file: Any) -> int:
        """Reports the length of an open file in bytes."""

    @abstractmethod
    def read(self, file: Any, offset: int, buffer: memoryview) -> int:
        """Reads bytes of an open file."""

    @abstractmethod
    def write(self, file: Any, offset: int, buffer: memoryview) -> None:
        """Writes bytes to a file that was opened by create."""

    @abstractmethod
    def sync(self, file: Any) -> None:
        """Makes all bytes written to a file durable."""

    @abstractmethod
    def rename(self, from_path: str, to_path: str) -> None:
        """Renames a file or directory atomically; replaces an existing file of the new name."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Removes a file."""

    @abstractmethod
    def remove_directory(self, path: str) -> None:
        """Removes an empty directory; AlreadyExistsError if it is not empty."""

    @abstractmethod
    def make_directory(self, path: str) -> None:
        """Creates one directory; its parent exists."""

    @abstractmethod
    def sync_directory(self, path: str) -> None:
        """Makes created, renamed and removed names in a directory durable."""

    @abstractmethod
    def size(self, path: str) -> int:
        """Reports the length in bytes of a regular file that is not open; InvalidArgumentError for anything else."""

    @abstractmethod
    def lock(self, path: str) -> Any:
        """Takes an exclusive lock on a path; BusyError at once if another process or storage holds it."""

    @abstractmethod
    def unlock(self, file: Any) -> None:
        """Releases a lock. Not called in a forked child: the lock remains with the parent."""
