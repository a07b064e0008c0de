"""How the processes of one run find one another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Optional

from . import _native as _n
from . import native as _native
from ._base import _hand_over, _Owned, _take_back, _timeout_ns

__all__ = ["Coordinator", "CustomCoordinator"]


class CustomCoordinator(ABC):
    """Derive from this to join the processes of one run. Each method raises TimeoutError when not all came within timeout_ns."""

    @abstractmethod
    def barrier(self, timeout_ns: int) -> None:
        """Returns when every process has called it."""

    @abstractmethod
    def broadcast(self, data: memoryview, root: int, timeout_ns: int) -> None:
        """data is read at the root and written elsewhere."""

    @abstractmethod
    def all_gather(self, sent: memoryview, received: memoryview, timeout_ns: int) -> None:
        """received holds everyone's bytes in the order of ranks."""


class _Functions(_native.CoordinatorFunctions):
    def __init__(self, coordinator: CustomCoordinator) -> None:
        super().__init__()
        self.coordinator = coordinator

    def barrier(self, timeout_ns: int) -> None:
        self.coordinator.barrier(timeout_ns)

    def broadcast(self, data: Optional[memoryview], root: int, timeout_ns: int) -> None:
        lent = memoryview(bytearray()) if data is None else data
        self.coordinator.broadcast(lent, root, timeout_ns)
        _take_back(data)

    def all_gather(self, sent: Optional[memoryview], received: Optional[memoryview], timeout_ns: int) -> None:
        lent = memoryview(b"") if sent is None else sent
        into = memoryview(bytearray()) if received is None else received
        self.coordinator.all_gather(lent, into, timeout_ns)
        _take_back(sent, received)


class Coordinator(_Owned):
    """How the processes of one run find one another. Coordinator() is a single process. Timeouts in seconds."""

    _release = staticmethod(_n.ckpt_coordinator_release)

    def __init__(self) -> None:
        self._adopt(_n.ckpt_coordinator_create_single())

    @classmethod
    def custom(cls, rank: int, world_size: int, coordinator: CustomCoordinator) -> "Coordinator":
        return cls._of(_n.ckpt_coordinator_create_custom(rank, world_size, _hand_over(_Functions(coordinator))))

    @property
    def rank(self) -> int:
        return _n.ckpt_coordinator_get_rank(self._h)

    @property
    def world_size(self) -> int:
        return _n.ckpt_coordinator_get_world_size(self._h)

    def barrier(self, timeout: float = 60.0) -> None:
        _n.ckpt_coordinator_barrier(self._h, _timeout_ns(timeout))

    def broadcast(self, data: Any, root: int, timeout: float = 60.0) -> None:
        """data: a writable buffer, as long on every process."""
        _n.ckpt_coordinator_broadcast(self._h, data, root, _timeout_ns(timeout))

    def all_gather(self, sent: Any, timeout: float = 60.0) -> bytes:
        """Everyone's bytes, in the order of ranks."""
        received = bytearray(memoryview(sent).nbytes * self.world_size)
        _n.ckpt_coordinator_all_gather(self._h, sent, _timeout_ns(timeout), received)
        return bytes(received)
