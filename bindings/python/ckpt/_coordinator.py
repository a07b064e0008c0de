"""Coordinators connect the processes of one run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, Optional

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _lent, _Owned, _timeout_ns
from .generated import methods as _m

__all__ = ["Coordinator", "CustomCoordinator"]


class CustomCoordinator(ABC):
    """Base of custom coordinators of a run. Each method raises TimeoutError if not all processes call it within timeout_ns."""

    @abstractmethod
    def barrier(self, timeout_ns: int) -> None:
        """Returns when every process has called it."""

    @abstractmethod
    def broadcast(self, data: memoryview, root: int, timeout_ns: int) -> None:
        """Copies the root's data to all ranks: reads data at the root, writes it elsewhere."""

    @abstractmethod
    def all_gather(self, sent: memoryview, received: memoryview, timeout_ns: int) -> None:
        """Fills received with the bytes of all ranks in rank order."""

    def gather(self, sent: memoryview, received: memoryview, root: int, timeout_ns: int) -> None:
        """Fills received with the bytes of all ranks in rank order at the root; received is empty elsewhere. Without this method
        the library uses all_gather, and every rank then holds the bytes of all."""
        raise NotImplementedError("gather")


def _gathers(coordinator: CustomCoordinator) -> bool:
    return getattr(type(coordinator), "gather", CustomCoordinator.gather) is not CustomCoordinator.gather


def _functions_of(coordinator: CustomCoordinator) -> Dict[str, Callable[..., Any]]:
    lent = {name: _lent(getattr(coordinator, name)) for name in ("broadcast", "all_gather", "gather") if hasattr(coordinator, name)}
    return {"barrier": coordinator.barrier, **lent}


class Coordinator(_m.CoordinatorMethods, _Owned):
    """Connects the processes of one run. Coordinator() is a single process. Timeouts in seconds."""

    @classmethod
    def custom(cls, rank: int, world_size: int, coordinator: CustomCoordinator) -> "Coordinator":
        functions = _callbacks(_native.CoordinatorFunctions, **_functions_of(coordinator))
        return cls._of(_n.ckpt_coordinator_create_custom(rank, world_size, functions, _gathers(coordinator)))

    @property
    def _loaded(self) -> Dict[Any, str]:
        """The checkpoint that the ranks have loaded last in one line, by place, until they save."""
        return self.__dict__.setdefault("_loaded_names", {})

    def all_gather(self, sent: Any, timeout: float = 60.0) -> bytes:
        """Returns the bytes of all ranks in rank order."""
        received = bytearray(memoryview(sent).nbytes * self.world_size)
        _n.ckpt_coordinator_all_gather(self._h, sent, _timeout_ns(timeout), received)
        return bytes(received)

    def gather(self, sent: Any, root: int, timeout: float = 60.0) -> Optional[bytes]:
        """Returns the bytes of all ranks in rank order at the root; None elsewhere."""
        received = bytearray(memoryview(sent).nbytes * self.world_size if self.rank == root else 0)
        _n.ckpt_coordinator_gather(self._h, sent, root, _timeout_ns(timeout), received)
        return bytes(received) if self.rank == root else None
