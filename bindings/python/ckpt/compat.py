"""The names of the reference API, where they differ from those of this package: from ckpt import compat. New programs
do not need them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from . import (ActivationManager, ActivationMetadata, ActivationPolicy, AsyncManager, CheckpointManager, CheckpointTaskKind,
               CheckpointTaskState, CustomStrategy, MemoryAllocation, MemoryEvent, MemoryLayerStats, MemoryTracker, NotFoundError,
               QueueFullError, Stateful, Storage, Strategy, Tensor, Threshold, WhenFull)

ICheckpointStrategy = CustomStrategy
CheckpointMetadata = ActivationMetadata
LayerMemoryStats = MemoryLayerStats
AllocationEntry = MemoryAllocation
MemoryEventArgs = MemoryLimitExceededEventArgs = MemoryEvent
CheckpointTaskType = CheckpointTaskKind
CheckpointTaskStatus = CheckpointTaskState
CheckpointQueueFullException = QueueFullError
IStateful = Stateful


# ---- Strategies ----


class CheckpointStrategy(Enum):
    """How activations are chosen: by layer, or by micro-batch (the last four)."""

    INTERVAL = "interval"
    SIZE_BASED = "size"
    MEMORY_AWARE = "memory-aware"
    SMART = "smart"
    STORE_ALL = "store-all"
    RECOMPUTE_ALL = "recompute-all"
    SELECTIVE = "selective"
    MEMORY_BASED = "memory-based"


class CheckpointConfig(NamedTuple):
    """A strategy by layer, and its parameters."""

    strategy: CheckpointStrategy = CheckpointStrategy.INTERVAL
    interval: int = 2
    checkpoint_layers: Sequence[str] = ()
    exclude_layers: Sequence[str] = ()
    min_activation_size_bytes: int = 1 << 20
    max_memory_percentage: float = 0.8


class CheckpointStrategyFactory:
    """Creates the common strategies by name."""

    create_interval = staticmethod(Strategy.interval)

    @staticmethod
    def create_selective(checkpoint_layers: Sequence[str] = (), exclude_layers: Sequence[str] = ()) -> Strategy:
        return Strategy.selective(checkpoint_layers, exclude_layers)

    @staticmethod
    def create_size_based(min_activation_size_bytes: int = 1 << 20, exclude_layers: Sequence[str] = ()) -> Strategy:
        return Strategy.size_based(min_activation_size_bytes, exclude_layers)

    @staticmethod
    def create_memory_aware(max_memory_percentage: float = 0.8, memory_tracker: Optional[MemoryTracker] = None) -> Strategy:
        return Strategy.memory_aware(max_memory_percentage, memory_tracker)

    @staticmethod
    def create_smart(exclude_layers: Sequence[str] = ()) -> Strategy:
        return Strategy.smart(exclude_layers)

    @classmethod
    def create_strategy(cls, config: CheckpointConfig) -> Strategy:
        """Creates a strategy. Raises ValueError for one that chooses by micro-batch."""
        makers = {
            CheckpointStrategy.INTERVAL: lambda: cls.create_interval(config.interval),
            CheckpointStrategy.SELECTIVE: lambda: cls.create_selective(config.checkpoint_layers, config.exclude_layers),
            CheckpointStrategy.SIZE_BASED: lambda: cls.create_size_based(config.min_activation_size_bytes, config.exclude_layers),
            CheckpointStrategy.MEMORY_AWARE: lambda: cls.create_memory_aware(config.max_memory_percentage),
            CheckpointStrategy.SMART: lambda: cls.create_smart(config.exclude_layers),
        }
        if config.strategy not in makers:
            raise ValueError(f"strategy {config.strategy}: expected one that chooses by layer")
        return makers[config.strategy]()


# ---- Activations ----


class ActivationCheckpointManager(ActivationManager):
    """An ActivationManager with a CheckpointStrategy by micro-batch as its policy."""

    def __init__(self, strategy: CheckpointStrategy, forward: Optional[Callable[[Tensor, int], Any]] = None,
                 checkpoint_interval: int = 1, memory_threshold: int = 1 << 30) -> None:
        policies = {CheckpointStrategy.STORE_ALL: ActivationPolicy.store_all(),
                    CheckpointStrategy.RECOMPUTE_ALL: ActivationPolicy.recompute_all(),
                    CheckpointStrategy.SELECTIVE: ActivationPolicy.selective(checkpoint_interval),
                    CheckpointStrategy.MEMORY_BASED: ActivationPolicy.memory_based(memory_threshold)}
        if strategy not in policies:
            raise ValueError(f"strategy {strategy}: expected one that chooses by micro-batch")
        super().__init__(policies[strategy], forward)

    store_activation = ActivationManager.store
    get_activation = ActivationManager.get
    has_activation = ActivationManager.__contains__
    recompute_activation = ActivationManager.recompute
    get_or_compute_activation = ActivationManager.get_or_compute
    estimate_memory_usage = ActivationManager.memory_usage

    @property
    def checkpoint_count(self) -> int:
        return len(self)


# ---- In the background ----


class CheckpointTaskResult(NamedTuple):
    """How a task ended.

    id: id of the task
    status: COMPLETED, FAILED, CANCELLED or REJECTED
    success: whether it completed
    checkpoint_path: name of the checkpoint, which is its directory in the storage; None unless completed
    error: why it did not complete; None when completed
    duration: from the start of the task on a worker to its end; 0 when it did not start
    bytes_written: bytes of the files that are durable; 0 unless completed
    """

    id: int
    status: CheckpointTaskState
    success: bool
    checkpoint_path: Optional[str]
    error: Optional[str]
    duration: timedelta
    bytes_written: int


class CheckpointTaskInfo(NamedTuple):
    """The state and the times of one task; times are in UTC.

    id: id of the task
    type: SAVE or LOAD
    status: the state of the task
    queued_at: when it was queued
    started_at: when a worker began it; None when it has not begun
    completed_at: when it ended; None when it has not ended
    duration: from its start to its end, by the monotonic clock; None until it has started and ended
    """

    id: int
    type: CheckpointTaskKind
    status: CheckpointTaskState
    queued_at: datetime
    started_at: Optional[datetime]
    completed_at: Optional[datetime]
    duration: Optional[timedelta]


def _utc(ns: int) -> datetime:
    return datetime.fromtimestamp(ns // 10**9, timezone.utc) + timedelta(microseconds=ns % 10**9 // 1000)


def _lasting(ns: int) -> timedelta:
    return timedelta(microseconds=ns // 1000)


class AsyncCheckpointManager(AsyncManager):
    """An AsyncManager that identifies tasks by their ids."""

    def __init__(self, checkpoint: Union[CheckpointManager, Storage, str], max_queue_size: int = 10,
                 **options: AsyncManager.__init__) -> None:
        """max_queue_size: the most tasks that have not ended; others are refused."""
        super().__init__(checkpoint, capacity=max_queue_size, **options)

    def queue_save_async(self, model: Stateful, optimizer: Optional[Stateful] = None, step: int = 0,
                         **options: AsyncManager.save) -> int:
        """Returns the id of the task. optimizer: None if there is none. Raises CheckpointQueueFullException at once when the queue
        is full."""
        options.setdefault("when_full", WhenFull.REFUSE)
        return self.save((model,) if optimizer is None else (model, optimizer), step, **options).id

    def get_task_status(self, id: int) -> Optional[CheckpointTaskState]:
        """Returns the state of a task; None for an id that is unknown, or no longer in the history."""
        try:
            return self.info(id).state
        except NotFoundError:
            return None

    def wait_for_completion(self, id: int, timeout: Optional[float] = None) -> CheckpointTaskResult:
        """Waits until a task has ended, successfully or not, and returns its result with any failure. Raises TimeoutError after the
        timeout, NotFoundError for an unknown id."""
        ended = self._wait_for(id, timeout)
        return CheckpointTaskResult(id, ended.state, ended.success, ended.name if ended.success else None,
                                    None if ended.success else ended.error, _lasting(ended.duration_ns), ended.bytes)

    def cancel_checkpoint(self, id: int) -> bool:
        """Returns True when the task ends cancelled because of this call; False also for an unknown id."""
        return self._cancel(id)

    def get_active_tasks(self) -> List[CheckpointTaskInfo]:
        """Returns the tasks that have not ended, the oldest first."""
        return [CheckpointTaskInfo(task.id, task.kind, task.state, _utc(task.queued_utc_ns),
                                   _utc(task.started_utc_ns) if task.started_utc_ns else None,
                                   _utc(task.ended_utc_ns) if task.ended_utc_ns else None,
                                   _lasting(task.ended_at_ns - task.started_at_ns) if task.started_at_ns and task.ended_at_ns else None)
                for task in self.active_tasks()]


# ---- When to save ----


class AdaptiveController(Threshold):
    """The threshold rule with the names of the reference API."""

    def observe_task(self, name: str, elapsed: float) -> None:
        super().observe_task(name, elapsed)

    def should_checkpoint(self, name: str, estimated_cost: float) -> bool:
        return super().should_checkpoint(name, estimated_cost)

    def adjust_policy(self, recovery_time_saved: float, checkpoint_overhead: float) -> None:
        super().adjust_policy(recovery_time_saved, checkpoint_overhead)
