# Generated from include/ckpt by tools/api: do not edit.
"""The methods that are one call of C, by the class that derives from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from .. import _native as _n
from .._base import _timeout_ns
from .._root import classes, handle_of, made_by
from . import options as _o, values as _v
from .errors import NotFoundError

if TYPE_CHECKING:
    from .. import (ActivationManager, Chain, Coordinator, FaultHandler, Follower, Layer, MemoryTracker, Optimizer, Profile,
                    Schedule, Storage, Tensor, WorkerPool)
    from .._strategy import StrategyLike


class ActivationManagerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_activation_manager_release)

    def should_checkpoint(self, micro_batch: int, bytes: int = 0) -> bool:
        """Returns True when a store of this many bytes (>= 0) would be kept now, else False. micro_batch: 0 .. micro_batches-1; another
        one: OutOfRangeError. A strategy is asked, and counts the question."""
        return bool(_n.ckpt_activation_manager_should_checkpoint(self._h, micro_batch, bytes))

    def store(self, micro_batch: int, activation: Any) -> bool:
        """Asks the policy, and keeps a copy of the activation if it says so: Returns True or False. An index that is stored already is
        replaced, with its bytes; it is dropped when the new activation is not kept."""
        given = made_by["as_tensor"](activation)
        return bool(_n.ckpt_activation_manager_store(self._h, micro_batch, given._h))

    def get(self, micro_batch: int) -> Optional[Tensor]:
        """Returns a new read-only reference to what is stored, or None when nothing is: that is no error. The memory lives as long as
        the reference, also when the manager drops it."""
        found = _n.ckpt_activation_manager_get_activation(self._h, micro_batch)
        return None if found is None else classes["Tensor"]._of(found)

    def __contains__(self, micro_batch: int) -> bool:
        """Returns True when the activation is stored, else False."""
        return bool(_n.ckpt_activation_manager_has_activation(self._h, micro_batch))

    def recompute(self, input: Any, micro_batch: int) -> Tensor:
        """Runs the stage's forward on input: Returns a new reference. Nothing is stored. InvalidStateError when the manager has no
        forward."""
        given = made_by["as_tensor"](input)
        return classes["Tensor"]._of(_n.ckpt_activation_manager_recompute(self._h, given._h, micro_batch))

    def get_or_compute(self, input: Any, micro_batch: int) -> Tensor:
        """Returns what ActivationManager.get returns, or else what ActivationManager.recompute returns. input is only read in the
        second case, but must be there."""
        given = made_by["as_tensor"](input)
        return classes["Tensor"]._of(_n.ckpt_activation_manager_get_or_compute(self._h, given._h, micro_batch))

    def clear(self) -> None:
        """Drops all that is stored; the tracker's count of this manager is 0 then."""
        _n.ckpt_activation_manager_clear(self._h)

    def metadata(self, micro_batch: int) -> _v.ActivationMetadata:
        """Returns the metadata for a stored activation; NotFoundError when it is not stored."""
        return _v.ActivationMetadata._of(_n.ckpt_activation_manager_get_metadata(self._h, micro_batch))

    def micro_batches(self) -> List[int]:
        """Lists the stored micro-batches, ascending."""
        return list(_n.ckpt_activation_manager_list(self._h))


class AsyncManagerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_async_manager_release)

    def end_step(self, step: int) -> None:
        """Reports that a step has ended: tasks whose gate_step is not after it may begin. Never goes back."""
        _n.ckpt_async_manager_end_step(self._h, step)

    def info(self, id: int) -> _v.CheckpointTaskInfo:
        """Returns what is known of a task now. NotFoundError as AsyncManager.cancel."""
        return _v.CheckpointTaskInfo._of(_n.ckpt_async_manager_get_task(self._h, id))

    def stats(self) -> _v.AsyncManagerStats:
        """Returns the manager's tasks and bytes; a snapshot while they are at work."""
        return _v.AsyncManagerStats._of(_n.ckpt_async_manager_get_stats(self._h))


class BufferPoolMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_buffer_pool_release)

    def __init__(self, tracker: Optional[MemoryTracker] = None, **options: _o.buffer_pool_options) -> None:
        """Creates a pool. tracker (None: none) counts every buffer while a tensor uses it, with exactly the bytes that the tensor has;
        the pool keeps it alive."""
        self._adopt(_n.ckpt_buffer_pool_create(handle_of(tracker), _o.buffer_pool_options(**options)))

    def stats(self) -> _v.BufferPoolStats:
        """Returns the stats. pool None: the default pool."""
        return _v.BufferPoolStats._of(_n.ckpt_buffer_pool_get_stats(self._h))

    def trim(self, keep_bytes: int = 0) -> None:
        """Releases memory to the system, the buffers that were returned first before others, until at most keep_bytes (>= 0) are kept
        for reuse. pool None: the default pool."""
        _n.ckpt_buffer_pool_trim(self._h, keep_bytes)


class ChainMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_chain_release)

    def __len__(self) -> int:
        """Returns the number of layers."""
        return _n.ckpt_chain_get_layer_count(self._h)

    def initialize(self, seed: int) -> None:
        """Sets every parameter to its first value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al., arXiv:1502.01852),
        in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a standard deviation of 0.02,
        that of "out.weight" and "down.weight" divided by sqrt(layer's number + 1), weights of norms 1 (Radford et al., "Language
        models are unsupervised multitask learners", 2019). The same on every machine. Sets gradients to 0."""
        _n.ckpt_chain_initialize(self._h, seed)

    def set_worker_pool(self, pool: Optional[WorkerPool]) -> None:
        """Lets clipping, zeroing of gradients and optimizers of this chain use these threads: the same bits for any number of them.
        pool: kept alive; None (as in a new chain): the calling thread alone."""
        _n.ckpt_chain_set_worker_pool(self._h, handle_of(pool))

    def clip_gradients(self, max_norm: float) -> float:
        """Scales all gradients so that their common 2-norm is at most max_norm (> 0); returns the norm before. OutOfRangeError when
        that is not finite: no gradient is scaled."""
        return _n.ckpt_chain_clip_gradients(self._h, max_norm)


class CheckpointManagerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _name: Any
    _release = staticmethod(_n.ckpt_checkpoint_manager_release)

    @property
    def storage(self) -> Storage:
        """Returns a new reference to the storage that the checkpoint was made with."""
        return classes["Storage"]._of(_n.ckpt_checkpoint_manager_get_storage(self._h))

    @property
    def coordinator(self) -> Coordinator:
        """Returns a new reference to the coordinator that the checkpoint was made with, or to one of a single process when there was
        none."""
        return classes["Coordinator"]._of(_n.ckpt_checkpoint_manager_get_coordinator(self._h))

    @property
    def fault_handler(self) -> FaultHandler:
        """Returns a new reference to the fault handler that the checkpoint uses; its count of retries is the checkpoint's when nothing
        else uses it."""
        return classes["FaultHandler"]._of(_n.ckpt_checkpoint_manager_get_fault_handler(self._h))

    def list(self) -> List[_v.CheckpointInfo]:
        """Lists the checkpoints of the storage, good or not (those set aside as "torn-..." do not count), in the order in which a load
        tries them, abandoned ones last."""
        return [_v.CheckpointInfo._of(one) for one in _n.ckpt_checkpoint_manager_list(self._h)]

    def latest(self) -> Optional[_v.CheckpointInfo]:
        """Returns the checkpoint that a load tries first: the one of the highest step of the current line whose status is 0, of equal
        ones the last that was committed. None when there is none."""
        try:
            return _v.CheckpointInfo._of(_n.ckpt_checkpoint_manager_get_latest(self._h))
        except NotFoundError:
            return None

    def best(self) -> Optional[_v.CheckpointInfo]:
        """Returns the checkpoint that has the best metric, as best_metric of the manager's options says, of equal ones the newest,
        among those of the current line whose status is 0. None when none has a metric."""
        try:
            return _v.CheckpointInfo._of(_n.ckpt_checkpoint_manager_get_best(self._h))
        except NotFoundError:
            return None

    def find_step(self, step: int) -> Optional[_v.CheckpointInfo]:
        """Returns the newest checkpoint of this step (>= 0) whose status is 0; one of the current line takes precedence over abandoned
        ones. None when there is none."""
        try:
            return _v.CheckpointInfo._of(_n.ckpt_checkpoint_manager_find_step(self._h, step))
        except NotFoundError:
            return None

    def remove(self, which: Union[str, int]) -> None:
        """Removes one checkpoint for ever, durably: after a crash it is there whole, or gone for every load. which: the step, or the
        name as in CheckpointInfo, good or damaged. NotFoundError without a directory of that name; InvalidStateError when it is
        pinned or the manager read-only, ForkedError in a forked child. Waits for a save that is under way."""
        _n.ckpt_checkpoint_manager_remove(self._h, self._name(which))

    def pin(self, step: int) -> None:
        """Pins the newest checkpoint of this step (>= 0) whose status is 0, durably: retention of this and later processes does not
        remove it. Earlier versions of the library do not know pins. NotFoundError when there is none; else as
        CheckpointManager.remove."""
        _n.ckpt_checkpoint_manager_pin(self._h, step)

    def unpin(self, step: int) -> None:
        """Takes the pins of all checkpoints of this step (>= 0) back, durably: the next save may remove them. NotFoundError when the
        step has no checkpoint; else as CheckpointManager.remove."""
        _n.ckpt_checkpoint_manager_unpin(self._h, step)

    def prune(self, keep_rules: Optional[str] = None, dry_run: bool = False) -> List[_v.CheckpointInfo]:
        """Removes the checkpoints that a save would now remove, durably. keep_rules: as in CheckpointManagerOptions, in the place of
        all that these say; None or empty: what they say. When dry_run is True, nothing is changed. The one that was committed last
        stays, too. InvalidArgumentError for rules that cannot be read; without a dry run as CheckpointManager.remove, and IoError
        when some could not be removed completely."""
        return [_v.CheckpointInfo._of(one) for one in _n.ckpt_checkpoint_manager_prune(self._h, keep_rules, int(dry_run))]

    def prune_abandoned(self, dry_run: bool = False) -> List[_v.CheckpointInfo]:
        """Durably removes the abandoned checkpoints that are not pinned, and no others, whatever the manager's rules keep. Those with a
        manifest that cannot be read stay. dry_run and errors as in CheckpointManager.prune."""
        return [_v.CheckpointInfo._of(one) for one in _n.ckpt_checkpoint_manager_prune_abandoned(self._h, int(dry_run))]

    def manifest(self, which: Union[str, int]) -> Dict[str, Any]:
        """Returns the manifest of one checkpoint: an object with its step, groups, files, tensors, values and metadata
        (docs/reference/file-format.md). which: the step, or the name as in CheckpointInfo, or ".". NotFoundError without a manifest,
        CorruptError when it is damaged."""
        return json.loads(_n.ckpt_checkpoint_manager_get_manifest(self._h, self._name(which)))

    def rank_values(self, which: Union[str, int], rank: int) -> Dict[str, Any]:
        """Returns the JSON values that one rank saved, as an object. which: the step, or the name as in CheckpointInfo, or ".". rank: 0
        .. world_size - 1 of the checkpoint, else OutOfRangeError. For runs that go on with another number of ranks and have to share
        out anew what was each rank's own. Errors as CheckpointManager.manifest."""
        return json.loads(_n.ckpt_checkpoint_manager_get_rank_values(self._h, self._name(which), rank))


class ClockMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_clock_release)

    def __init__(self, start_ns: int = 0) -> None:
        """Creates a clock that stands still at start_ns (>= 0, nanoseconds) until Clock.advance moves it."""
        self._adopt(_n.ckpt_clock_create_manual(start_ns))

    def advance(self, duration_ns: int) -> None:
        """Moves a manual clock forward by duration_ns (>= 0). InvalidStateError for any other clock, OutOfRangeError past 2**63 - 1."""
        _n.ckpt_clock_advance(self._h, duration_ns)

    def now(self) -> int:
        """Returns the clock's time in nanoseconds; clock None asks the system's monotonic clock."""
        return _n.ckpt_clock_get_now(self._h)


class ControllerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _record: Any
    _release = staticmethod(_n.ckpt_controller_release)

    def now(self) -> float:
        """Returns the time on the controller's clock, for callers that have none of their own."""
        return _n.ckpt_controller_get_now(self._h)

    def info(self) -> _v.ControllerInfo:
        """Returns what the controller knows."""
        return _v.ControllerInfo._of(_n.ckpt_controller_get_info(self._h))

    def tasks(self) -> List[_v.TaskObservation]:
        """Lists the tasks that are remembered, the oldest first."""
        return [_v.TaskObservation._of(one) for one in _n.ckpt_controller_list_tasks(self._h)]

    def json(self) -> str:
        """Returns everything that the controller knows as JSON. Meant for State.set_json with the key "controller", after
        ControllerEventKind.SAVE_BEGAN, so that learning survives the crash that it learns from. Numbers read back to the same bits."""
        return _n.ckpt_controller_get_json(self._h)

    def begin_run(self, now: Optional[float] = None) -> None:
        """A run begins: budgets and windows start again. InvalidStateError during a run."""
        self._record(_v.ControllerEventKind.RUN_BEGAN, now)

    def resume(self, now: Optional[float] = None) -> None:
        """This process continues what Controller.restore loaded. If a run was in progress there, it has failed: half an interval after
        its last event, but not later than now; record its recovery next. Without such a run: as ControllerEventKind.RUN_BEGAN. The
        time may be on another clock than in the process before."""
        self._record(_v.ControllerEventKind.RUN_RESUMED, now)

    def begin(self, now: Optional[float] = None) -> None:
        """A save starts: no other one is asked for until it is committed or aborted. InvalidStateError while one is in flight."""
        self._record(_v.ControllerEventKind.SAVE_BEGAN, now)

    def commit(self, stall_seconds: float, durable_seconds: float, now: Optional[float] = None) -> None:
        """The save in flight is durable. InvalidStateError without a save in flight. stall_seconds: seconds that work stood still for
        the save: the cost of the save. durable_seconds: seconds from the begin of the save until it was durable; used after
        preemption notices."""
        self._record(_v.ControllerEventKind.SAVE_COMMITTED, now, stall_seconds=stall_seconds, durable_seconds=durable_seconds)

    def abort(self, now: Optional[float] = None) -> None:
        """The save in flight failed: nothing is learned from it. InvalidStateError without a save in flight."""
        self._record(_v.ControllerEventKind.SAVE_ABORTED, now)

    def observe_task(self, name: str, duration_seconds: float) -> None:
        """A task is done; as Threshold.observe_task. The mean duration also stands for ControllerOptions.poll_seconds when that is 0.
        name: name of the task: UTF-8, not blank, at most 95 bytes. duration_seconds: duration of the task in seconds: finite, at
        least 0."""
        self._record(_v.ControllerEventKind.TASK_DONE, 0, name=name, duration_seconds=duration_seconds)

    def record_failure(self, now: Optional[float] = None) -> None:
        """The machine failed: what was not saved is lost. The run continues."""
        self._record(_v.ControllerEventKind.FAILURE, now)

    def record_recovery(self, saved_seconds: float, overhead_seconds: float, now: Optional[float] = None) -> None:
        """Work continues after a failure. saved_seconds: seconds of work that the loaded checkpoint makes unnecessary to repeat.
        overhead_seconds: cost of the loaded checkpoint in seconds."""
        self._record(_v.ControllerEventKind.RECOVERY, now, saved_seconds=saved_seconds, overhead_seconds=overhead_seconds)

    def record_clean_exit(self, now: Optional[float] = None) -> None:
        """The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has judged was spent for
        nothing."""
        self._record(_v.ControllerEventKind.CLEAN_EXIT, now)

    def notify_preemption(self, left_seconds: float, now: Optional[float] = None) -> None:
        """The process will be terminated. A save is asked for at once if those before became durable within that time. left_seconds:
        seconds until the process is terminated."""
        self._record(_v.ControllerEventKind.PREEMPTION, now, left_seconds=left_seconds)


class CoordinatorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_coordinator_release)

    def __init__(self) -> None:
        """Creates the coordinator of a single process, rank 0 of 1: every operation returns at once."""
        self._adopt(_n.ckpt_coordinator_create_single())

    @property
    def rank(self) -> int:
        """Returns this process's rank, 0 .. world_size - 1."""
        return _n.ckpt_coordinator_get_rank(self._h)

    @property
    def world_size(self) -> int:
        """Returns the number of processes."""
        return _n.ckpt_coordinator_get_world_size(self._h)

    def barrier(self, timeout: float = 60.0) -> None:
        """Returns when every process has called it. timeout: seconds, >= 0; TimeoutError after that. A custom one's: its status, else
        CallbackError. Wrong arguments of this function and of the next three are detected only by their process: the others wait for
        it until TimeoutError."""
        _n.ckpt_coordinator_barrier(self._h, _timeout_ns(timeout))

    def broadcast(self, data: Any, root: int, timeout: float = 60.0) -> None:
        """Sends the root's bytes to all processes: data is read there and written elsewhere. bytes: >= 0, the same everywhere; data may
        be None only when it is 0. root: 0 .. world_size - 1. Errors as Coordinator.barrier."""
        _n.ckpt_coordinator_broadcast(self._h, data, root, _timeout_ns(timeout))


class CursorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_cursor_release)

    def __init__(self, schedule: Schedule) -> None:
        """Creates a cursor at the schedule's first action. Keeps the schedule alive."""
        self._adopt(_n.ckpt_cursor_create(schedule._h))

    def finalize(self, layer_count: int) -> None:
        """Sets the number of steps of an open-ended schedule to n (n >= the steps that were already returned, n >= 1). Once.
        InvalidStateError when the number is known already."""
        _n.ckpt_cursor_finalize(self._h, layer_count)

    def save(self) -> bytes:
        """Returns the cursor's place as bytes, for Cursor.restore in this or another process."""
        return _n.ckpt_cursor_save(self._h)

    def restore(self, place: Any) -> None:
        """Moves a cursor of an equal schedule to a saved place. CorruptError for bytes that are none; InvalidArgumentError when they
        are of another schedule."""
        _n.ckpt_cursor_restore(self._h, place)


class DriverMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_driver_release)

    def finalize(self, layer_count: int) -> None:
        """Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the steps that were already asked for):
        within a callback, of the step that runs; else of the next one. Each step has a number of its own. InvalidStateError when the
        number is known already, or when the step is behind its TURN."""
        _n.ckpt_driver_finalize(self._h, layer_count)

    def cancel(self) -> None:
        """Ends the step: one that runs ends with CancelledError at its next action, one that is paused at TURN is over when this
        returns, its handles dropped on this thread. Without a step it does nothing. Any thread, also a callback of the driver. Not
        async-signal-safe: a signal handler sets a flag instead, which a callback reads."""
        _n.ckpt_driver_cancel(self._h)


class FaultHandlerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_fault_handler_release)

    @property
    def retry_count(self) -> int:
        """Returns how often an operation was tried again since the handler was made."""
        return _n.ckpt_fault_handler_get_retry_count(self._h)


class FollowerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_follower_release)

    def __init__(self, profile: Profile, strategy: StrategyLike) -> None:
        """Creates a follower of a strategy, which it keeps alive; the profile is copied. Once it has been asked for a schedule, only
        its steps adjust a memory-aware strategy, until it is released. InvalidStateError for a profile without layers, or with a
        layer that has no option."""
        given = made_by["as_strategy"](strategy)
        self._adopt(_n.ckpt_follower_create(profile._h, given._h))


class LayerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_layer_release)

    @classmethod
    def tied_head(cls, name: str, embedding: Layer) -> Layer:
        """Creates a head that shares its weight with an embedding: y = x W^T, for each row, W the embedding's "tokens.weight"
        [VOCABULARY, WIDTH], x: [samples, ..., WIDTH], y: [samples, ..., VOCABULARY]. The weight is the embedding's parameter: it is
        listed, clipped, updated and saved once, and its gradient is the sum of both uses, in any split of the chain. embedding: a
        layer of kind token_embedding, kept alive; it belongs to the same chain, before the head (or to the chain that a pipeline
        splits). Takes memory for a gradient of its own. InvalidArgumentError for a layer of another kind."""
        return cls._of(_n.ckpt_layer_create_tied_head(name, embedding._h))


class MemoryTrackerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_memory_tracker_release)
    _retain = staticmethod(_n.ckpt_memory_tracker_retain)

    def __init__(self, **options: _o.memory_tracker_options) -> None:
        """Creates a tracker that has counted nothing."""
        self._adopt(_n.ckpt_memory_tracker_create(_o.memory_tracker_options(**options)))

    def add_layer(self, name: str) -> int:
        """Returns the number of the layer of this name: 0, 1, 2, ... in the order in which names are first used. A new name becomes a
        new layer."""
        return _n.ckpt_memory_tracker_add_layer(self._h, name)

    def find_layer(self, name: str) -> Optional[int]:
        """Returns the number of the layer of this name. None for a name that was never used."""
        try:
            return _n.ckpt_memory_tracker_find_layer(self._h, name)
        except NotFoundError:
            return None

    def layer_name(self, layer_id: int) -> str:
        """Returns the layer's name, which lives as long as the tracker. NotFoundError for a number that no layer has."""
        return _n.ckpt_memory_tracker_get_layer_name(self._h, layer_id)

    def record_deallocation(self, allocation: int) -> None:
        """Records the end of an allocation. NotFoundError for an id that is not live (unknown, or freed already): nothing changes but
        the count not_found."""
        _n.ckpt_memory_tracker_record_deallocation(self._h, allocation)

    def stats(self) -> _v.MemoryStats:
        """Returns the tracker's totals."""
        return _v.MemoryStats._of(_n.ckpt_memory_tracker_get_stats(self._h))

    def live_allocations(self) -> List[_v.MemoryAllocation]:
        """The live allocations of one moment, oldest first. Holds recording up for as long as copying 40 bytes for each allocation that
        was ever live at the same time takes."""
        return [_v.MemoryAllocation._of(one) for one in _n.ckpt_memory_tracker_list_allocations(self._h)]

    def reset_stats(self) -> None:
        """Restarts the statistics as if the live allocations had just been made: total = peak = live bytes, allocations = live
        allocations, frees = 0, the same per layer; not_found, refused and handler_failures = 0. Open scopes, the limit and sequence
        numbers go on."""
        _n.ckpt_memory_tracker_reset_stats(self._h)

    def set_limit(self, limit_bytes: int, hysteresis_bytes: int = 0) -> None:
        """Sets the limit of the live total: limit_bytes > 0, 0 <= hysteresis_bytes < limit_bytes. Recording goes on above it, with an
        event when the live total rises above it; the next one only after it was below limit_bytes - hysteresis_bytes. With more than
        limit_bytes live the event comes at once. MemoryTracker.try_reserve refuses what would pass it."""
        _n.ckpt_memory_tracker_set_limit(self._h, limit_bytes, hysteresis_bytes)

    def clear_limit(self) -> None:
        """Removes the limit of the live total; a new tracker has none."""
        _n.ckpt_memory_tracker_clear_limit(self._h)

    def enable_events(self, enabled: bool) -> None:
        """Switches all events off (False) or on again (True). A new tracker has them on. Accounting goes on; what happened meanwhile is
        not reported later."""
        _n.ckpt_memory_tracker_enable_events(self._h, int(enabled))

    def set_peak_granularity(self, bytes: int) -> None:
        """Reports a new peak only when it is at least bytes (> 0) above the last one reported; 1 reports every new peak."""
        _n.ckpt_memory_tracker_set_peak_granularity(self._h, bytes)

    def report(self, max_layers: int = 0) -> Dict[str, Any]:
        """Returns a snapshot (docs/reference/memory.md names its members): totals, limit, open scopes, the max_layers layers (0: all)
        that hold the most live bytes, and the sum of the others."""
        return json.loads(_n.ckpt_memory_tracker_get_json(self._h, max_layers))

    def prometheus(self, max_layers: int = 100) -> str:
        """Returns a snapshot in the Prometheus text format 0.0.4: ckpt_memory_current_bytes, ckpt_memory_peak_bytes,
        ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with the label layer for the first max_layers layers
        by number (0: all), so that a layer's series never moves; the others are summed under layer="other". Source:
        prometheus.io/docs/instrumenting/exposition_formats."""
        return _n.ckpt_memory_tracker_get_prometheus(self._h, max_layers)


class OptimizerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_optimizer_release)

    @classmethod
    def sgd(cls, chain: Chain, learning_rate: float, momentum: float = 0.0) -> Optimizer:
        """Creates a stochastic gradient descent optimizer: v = momentum v + g; w = w - learning_rate v. learning_rate > 0, 0 <=
        momentum < 1. State: one tensor a parameter, "<name>.momentum". Keeps the chain alive."""
        return cls._of(_n.ckpt_optimizer_create_sgd(chain._h, learning_rate, momentum))

    @classmethod
    def adamw(cls, chain: Chain, **options: _o.adamw_options) -> Optimizer:
        """Creates an AdamW optimizer. Keeps the chain alive. Source: Loshchilov, Hutter, "Decoupled weight decay regularization",
        arXiv:1711.05101."""
        return cls._of(_n.ckpt_optimizer_create_adamw(chain._h, _o.adamw_options(**options)))

    def step(self) -> None:
        """Updates the parameters once with the gradients as they are."""
        _n.ckpt_optimizer_step(self._h)

    def step_and_zero(self, max_norm: float = float("inf")) -> float:
        """Does what Chain.clip_gradients(max_norm) and Optimizer.step do, to the same bits, and sets all gradients to 0: a step with
        accumulate 1 comes next, which need not set them to 0 itself. Behind their norm the gradients are gone through once, and each
        part is scaled, used and set to 0 while it is in the processor's caches. max_norm: > 0; float("inf") scales nothing. Returns
        the norm before. OutOfRangeError when that is not finite: gradients, parameters and state stay as they are."""
        return _n.ckpt_optimizer_step_and_zero(self._h, max_norm)

    @property
    def learning_rate(self) -> float:
        """Returns the size of the next steps. Sets the size of the next steps, >= 0 and finite. It is not part of the state: set it
        again when a run is resumed."""
        return _n.ckpt_optimizer_get_learning_rate(self._h)

    @learning_rate.setter
    def learning_rate(self, learning_rate: float) -> None:
        _n.ckpt_optimizer_set_learning_rate(self._h, learning_rate)

    @property
    def step_count(self) -> int:
        """Returns the number of updates so far; part of AdamW's state. Sets the number of updates so far (>= 0), when state is
        restored."""
        return _n.ckpt_optimizer_get_step_count(self._h)

    @step_count.setter
    def step_count(self, step_count: int) -> None:
        _n.ckpt_optimizer_set_step_count(self._h, step_count)


class PipelineMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_pipeline_release)

    def cancel(self) -> None:
        """Asks the step that is running to end with CancelledError; does not wait. Without one it does nothing. Any thread, also a
        layer's."""
        _n.ckpt_pipeline_cancel(self._h)

    def begins(self) -> List[int]:
        """Returns the first layers of the pieces."""
        return list(_n.ckpt_pipeline_get_begins(self._h))

    def manager(self, stage: int) -> ActivationManager:
        """Returns a stage's manager, as a new reference: its policy is asked when a step begins which micro-batches' tapes stay. Its
        recompute runs the stage's forward with the last step's keys; UnsupportedError for stages of several chunks, and for layers
        that need targets, have ambient state or are not deterministic."""
        return classes["ActivationManager"]._of(_n.ckpt_pipeline_get_manager(self._h, stage))

    def schedule(self, stage: int) -> Schedule:
        """Returns the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the pipeline
        can run it."""
        return classes["Schedule"]._of(_n.ckpt_pipeline_get_schedule(self._h, stage))

    def profile(self, stage: int) -> Profile:
        """Returns the profile that the schedule of Pipeline.schedule is verified against: the stage's layers for one micro-batch;
        between two chunks one layer that never runs. A new reference."""
        return classes["Profile"]._of(_n.ckpt_pipeline_get_profile(self._h, stage))

    def stats(self, stage: int) -> _v.PipelineStats:
        """Returns what a stage measured since the pipeline was made."""
        return _v.PipelineStats._of(_n.ckpt_pipeline_get_stats(self._h, stage))

    def trace(self) -> Dict[str, Any]:
        """Returns the timeline of the last step that ended well as Chrome's trace events (JSON; chrome://tracing and Perfetto show it).
        Source: "Trace Event Format"."""
        return json.loads(_n.ckpt_pipeline_get_trace_json(self._h))


class ProfileMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_profile_release)

    def __init__(self, input_bytes: int) -> None:
        """Creates an empty profile of a chain whose input x_0 has input_bytes (>= 0)."""
        self._adopt(_n.ckpt_profile_create(input_bytes))

    @classmethod
    def from_json(cls, json: str) -> Profile:
        """Creates the profile that Profile.json wrote. CorruptError for a text that is none: the message says what is wrong, and where."""
        return cls._of(_n.ckpt_profile_create_from_json(json))

    def set_tier(self, tier: int, **tier_profile: _o.tier_profile) -> None:
        """Says what a tier (1 .. 3) can do; until then it is as a new TierProfile says."""
        _n.ckpt_profile_set_tier(self._h, tier, _o.tier_profile(**tier_profile))

    def tier(self, tier: int) -> _v.TierProfile:
        """Returns what is known of a tier (1 .. 3)."""
        return _v.TierProfile._of(_n.ckpt_profile_get_tier(self._h, tier))

    @property
    def flags(self) -> _v.ProfileFlag:
        """Returns what Profile.set_flags set. Sets what holds for the whole chain: a sum of ProfileFlag; 0 until then. Also for a
        uniform chain."""
        return _v._ProfileFlag[_n.ckpt_profile_get_flags(self._h)]

    @flags.setter
    def flags(self, flags: int) -> None:
        _n.ckpt_profile_set_flags(self._h, flags)

    @property
    def layer_count(self) -> int:
        """Returns the number of layers."""
        return _n.ckpt_profile_get_layer_count(self._h)

    @property
    def input_bytes(self) -> int:
        """Returns the bytes of the chain's input x_0."""
        return _n.ckpt_profile_get_input_bytes(self._h)

    def option(self, layer: int, option: int = 0) -> _v.OptionProfile:
        """Returns what was added as option (0 .. option_count-1) of layer."""
        return _v.OptionProfile._of(_n.ckpt_profile_get_option(self._h, layer, option))

    def json(self) -> str:
        """Returns the profile as JSON, as docs/reference/plan.md describes it: seconds read back to the same bits."""
        return _n.ckpt_profile_get_json(self._h)

    def frontier(self, planner: str) -> List[_v.FrontierPoint]:
        """Makes the whole frontier of a planner in one run: returns what its schedules cost, by rising live bytes and falling step
        seconds (where the profile has no seconds at all, falling recomputed forwards). planner: "chain" or "tapes"; NotFoundError
        for another name. A budget takes the fastest point whose reserved bytes fit, a budget of tapes also one of chain's, and the
        smallest budget that works is the least of them. Every call computes anew; the points are placed, one after another, as far
        as they are asked for. Beyond 128 layers there are some points of the frontier, all placed by each call, and a budget may
        find better ones between them."""
        return [_v.FrontierPoint._of(one) for one in _n.ckpt_profile_get_frontier(self._h, planner)]


class ProgramMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_program_release)

    def __init__(self, schedule: Schedule, profile: Profile) -> None:
        """Creates the program of a schedule on a chain's profile; neither is needed afterwards. Offsets are those that the executor of
        the documentation of engine uses: reserved bytes as Schedule.place says them. InvalidScheduleError as Schedule.verify,
        OutOfRangeError past 2^22 operations."""
        self._adopt(_n.ckpt_program_create(schedule._h, profile._h))

    def arena_bytes(self, tier: int = 0) -> int:
        """Returns the size of a tier's arena (0 .. 3); it must begin at a multiple of 64 bytes."""
        return _n.ckpt_program_get_arena_bytes(self._h, tier)

    def buffers(self) -> List[_v.ProgramBuffer]:
        """Returns all buffers."""
        return [_v.ProgramBuffer._of(one) for one in _n.ckpt_program_get_buffers(self._h)]

    def operations(self) -> List[_v.ProgramOperation]:
        """Returns all operations."""
        return [_v.ProgramOperation._of(one) for one in _n.ckpt_program_get_operations(self._h)]

    def json(self) -> str:
        """Returns the program as JSON, as docs/how-to/bring-your-own-framework.md describes it."""
        return _n.ckpt_program_get_json(self._h)


class ReaderMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_reader_release)

    def __len__(self) -> int:
        """Returns the number of tensors."""
        return _n.ckpt_reader_get_tensor_count(self._h)

    def info(self, index: int) -> _v.TensorInfo:
        """Returns the info for the tensor at index, 0 .. count-1: group after group, file after file, in the order of the data; else
        OutOfRangeError."""
        return _v.TensorInfo._of(_n.ckpt_reader_get_tensor(self._h, index))


class ScheduleMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_schedule_release)
    _retain = staticmethod(_n.ckpt_schedule_retain)

    @classmethod
    def segments(cls, profile: Profile, begins: Sequence[int]) -> Schedule:
        """Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: begins_count of them, strictly
        ascending, the first is 0."""
        return cls._of(_n.ckpt_schedule_create_segments(profile._h, list(begins)))

    @classmethod
    def from_strategy(cls, profile: Profile, strategy: StrategyLike) -> Schedule:
        """Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and freezes its answers.
        Meanwhile its callbacks can add nothing to the profile (InvalidStateError). A chosen layer begins a segment (boundary) or is
        recomputed alone while all others record (recompute), as the strategy says. The schedule knows nothing of the strategy
        afterwards: Follower.next asks again. CallbackError when a custom one fails."""
        given = made_by["as_strategy"](strategy)
        return cls._of(_n.ckpt_schedule_create_from_strategy(profile._h, given._h))

    @classmethod
    def open_ended(cls, period: int, flags: int = _v.LayerFlag.NEEDS_INPUT | _v.LayerFlag.DETERMINISTIC) -> Schedule:
        """Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th
        step (period >= 1), or records every step (period 0). All layers have the given LayerFlag flags. Its cursors go on forward
        until Cursor.finalize."""
        return cls._of(_n.ckpt_schedule_create_open_ended(period, flags))

    @property
    def name(self) -> str:
        """Returns the schedule's name for logs and tables: "store-all", "periodic(4)", ...; it lives as long as the schedule."""
        return _n.ckpt_schedule_get_name(self._h)

    @property
    def left_out(self) -> str:
        """Returns what the planner auto, chain or tapes did not look at when it chose this schedule, and why, in one line; "" when
        nothing was left out, and when the schedule was made otherwise. It lives as long as the schedule."""
        return _n.ckpt_schedule_get_left_out(self._h)

    @property
    def fingerprint(self) -> int:
        """Returns a number that equal recipes of the same name share and different ones practically never. The same on machines of the
        same byte order."""
        return _n.ckpt_schedule_get_fingerprint(self._h)

    def verify(self, profile: Profile) -> _v.PlanReport:
        """Replays the schedule against the profile without running anything, and fills report. Bytes of tier 0. x_0 is there at the
        start. A layer that runs forward first makes its output (INPUT or not), then its tape, then what it needs of ambient state,
        then its workspace, and runs; then the workspace goes, and what it ends. So inside FORWARD [first, last) layer k > first
        still has x_k, which is no item, and ends it; FORWARD_TAPE ends nothing. A layer that runs backward first makes GRAD(i), then
        its workspace; then the workspace, the tape and GRAD(i+1) go. Ambient state is made at a layer's first forward and goes
        behind its backward; a second one is there while the layer runs forward again. A buffer that is overwritten in place
        (ADVANCE, LayerFlag.IN_PLACE) counts the larger of both for the layer, with its workspace, and then the new one; a backward
        that makes no gradient of its input overwrites nothing. An item that is dropped, or that BACKWARD ends, while a STORE_BEGIN
        copies it counts until the AWAIT, and once more where it is made again meanwhile. A tier above 0 counts an item from its
        STORE_BEGIN to the DROP. Items. An item is there from what makes it (of a copy into a tier or back: its STORE_BEGIN or
        LOAD_BEGIN) to what ends it; one that is overwritten in place is not there any more when the other one is. Time. Layers run
        one after another, for forward_seconds, record_seconds (RECORD, with has_record) or backward_seconds. Each tier has one queue
        of writes and one of reads: a copy begins when its STORE_BEGIN or LOAD_BEGIN is met and those before it in its queue have
        ended, and takes latency_seconds + bytes / rate; an AWAIT waits for its end. InvalidScheduleError, and the message names the
        action's index, for an action (fields that its kind does not use are not looked at; micro_batch is, in every kind; a DROP of
        a tier above 0 uses tier and slot alone) that - names layers beyond the chain or none, an option that a layer does not have,
        an item, tier or slot (< 0) that cannot be; has another micro_batch than 0 (but for a stage); runs more than one layer by
        RECORD; - needs or drops an item that is not there or is still being loaded; makes one (LOAD_BEGIN does, too) that is there;
        - ends in place (ADVANCE, or BACKWARD of an in-place layer) an item that is being copied; - runs a layer forward again that
        is not deterministic; runs one backward a second time; runs one with ambient state forward behind its backward; turns a
        second time; sends or receives (but for a stage); - begins a transfer under an id that is under way, or awaits one that is
        not; stores into a slot that is taken, or loads from or drops one that is empty; loads from a slot another item than it
        holds, or before its store was awaited; drops one in transfer; holds more in a tier than its capacity; - ends the step before
        layer 0 ran backward, with a transfer under way, a slot taken, or any other item than GRAD(0) left. OutOfRangeError when live
        bytes, or those copied into a tier or back from it, pass 2**63 - 1. Streams: takes memory for what is live, not for the
        schedule's length. Open-ended schedules are replayed with the profile's length."""
        return _v.PlanReport._of(_n.ckpt_schedule_verify(self._h, profile._h))


class ScheduleExecutorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_schedule_executor_release)

    def stats(self) -> _v.ScheduleExecutorStats:
        """Returns what the executor measured since it was made."""
        return _v.ScheduleExecutorStats._of(_n.ckpt_schedule_executor_get_stats(self._h))

    def refine(self, profile: Profile) -> Profile:
        """Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the executor's chain
        and input), in which forward_seconds, record_seconds and backward_seconds of what the schedule runs are the medians over the
        last steps that ended well, up to 32. What it does not run stays as it is. InvalidStateError before the first step,
        InvalidArgumentError for the profile of another chain."""
        return classes["Profile"]._of(_n.ckpt_schedule_executor_refine(self._h, profile._h))


class SimulationMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_simulation_release)

    def results(self) -> Dict[str, Any]:
        """Returns the results: for each policy its efficiency (finished work per wall time) and its extra wall time against Daly's
        interval for the same work, over all failures, the first 10, the first 100, and those after 100; null where there is none.
        "extra_wall_curves" has the extra wall time after 1, 2, ... failures as [failures, share] points for each policy,
        "fixed_intervals" the efficiency of each fixed interval as [seconds, efficiency], "failure_gaps" how many of the times
        between failures lie in each interval, as [from seconds, to seconds, count]."""
        return json.loads(_n.ckpt_simulation_get_json(self._h))


class StateMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_state_release)

    def add_sharded(self, group: str, name: str, dtype: Any, shape: Sequence[int]) -> None:
        """Adds a tensor that is spread over the ranks of a run: each rank adds the same name, dtype and global shape, and then, by
        State.add_block, the blocks that it has: none, one or several. What State.add_tensor adds is replicated: every rank has it
        whole, and it is saved once. group, name: as in State.add_tensor. shape: ndim (0 .. 8) lengths, >= 0; None only when ndim is
        0. Together the blocks of all ranks cover the tensor; ranks may have the same block, else blocks do not overlap: a save fails
        with InvalidArgumentError that names what is missing or covered twice."""
        given = made_by["as_dtype"](dtype)
        _n.ckpt_state_add_sharded_tensor(self._h, group, name, given, list(shape))

    @property
    def tensor_count(self) -> int:
        """Returns the number of tensors in all groups."""
        return _n.ckpt_state_get_tensor_count(self._h)

    def set_json(self, key: str, json: str) -> None:
        """Sets the value of a key, replacing the one it had. key: not blank. json: one JSON value, copied. Integers must fit 64 bits,
        other numbers are IEEE doubles; no key twice in an object; nested at most 48 deep."""
        _n.ckpt_state_set_json(self._h, key, json)

    def __len__(self) -> int:
        """Returns the number of keys that have a value."""
        return _n.ckpt_state_get_key_count(self._h)

    def set_rarely_changes(self, group: str, rarely: bool = True) -> None:
        """Declares that the tensors of a group seldom change (rarely is True) or takes that back (False, as without this call): a save
        with SaveOptions.incremental does not write its file again while none of them has changed since the checkpoint before. The
        group need not be there yet."""
        _n.ckpt_state_set_rarely_changes(self._h, group, int(rarely))

    def load_report(self) -> Dict[str, Any]:
        """Returns what the last successful load into this state found missing, unexpected and unusable:
        {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
        "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
        "by_rank":["data_position"]} missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints
        that it passed over, newest first, with what was wrong, and a damaged commit record ("name" is its path) where only the
        manifest's digest in it shows that the checkpoint was committed; LoadResult.skipped is their number. by_rank: keys whose
        values differed between the ranks that saved, and were not loaded because there are more or fewer ranks now
        (CheckpointManager.rank_values reads them); not there when there are none."""
        return json.loads(_n.ckpt_state_get_load_report(self._h))


class StorageMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_storage_release)

    @classmethod
    def memory(cls) -> Storage:
        """Creates an empty storage in memory: for tests, and for state that need not outlive the process."""
        return cls._of(_n.ckpt_storage_create_memory())

    @classmethod
    def from_uri(cls, uri: str) -> Storage:
        """Creates a storage from a URI. Its scheme (at least two letters, digits, '+', '-' and '.', a letter first; case does not
        matter) says which kind: - "file:PATH" or "file:///PATH": Storage.create_file_system; - "memory:": a storage of its own;
        "memory:NAME": one that all of this process share by that name, as long as one of them lives; - one that
        Storage.register_scheme knows, as plug-ins do with theirs (s3: libckpt-s3). A text without a scheme is a path of the file
        system: "./ab:c" for one with a ':' in its first component. "%" and two hexadecimal digits stand for a byte; a '/' at the end
        says nothing. InvalidArgumentError for components "." and "..", empty ones ("//"), control characters and encoded slashes,
        also encoded ones; the path of a text without a scheme is taken as it is. What follows a '?' or '#' is the scheme's affair;
        file and memory refuse it. UnsupportedError for a scheme that is not known: the message names those that are, and the package
        of one that is missing. InvalidStateError for a URI that is made of itself."""
        return cls._of(_n.ckpt_storage_create_from_uri(uri))

    def retrying(self, handler: FaultHandler) -> Storage:
        """Creates a storage before another one, which is kept alive: operations that fail with IoError, BusyError or TimeoutError are
        tried again as the handler says, with a warning in the log each time. All other errors (NoSpaceError, PermissionDeniedError,
        CorruptError, ...) are reported at once. A handler with a decide function asks that instead. Never tried again: the sync of a
        file or directory, since the system may report success for what it has lost (a save writes the file anew instead), and a
        lock."""
        return classes["Storage"]._of(_n.ckpt_storage_create_retrying(self._h, handler._h))


class StrategyMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_strategy_release)
    _retain = staticmethod(_n.ckpt_strategy_retain)

    def observe_access(self, layer_name: str) -> None:
        """Reports that the layer's activation was used. Smart counts it for layers that it knows; composites notify their children.
        Executors call this; call it when you run your layers yourself."""
        _n.ckpt_strategy_observe_access(self._h, layer_name)

    @property
    def name(self) -> str:
        """Returns the strategy's name: "Interval(2)", "SizeBased(1MB)", "Any(Smart, Interval(8))", ...."""
        return _n.ckpt_strategy_get_name(self._h)

    def reset(self) -> None:
        """Sets the strategy back to its state after creation, counters included; for a composite its children too. What a yes means
        stays as set."""
        _n.ckpt_strategy_reset(self._h)

    @property
    def chosen(self) -> _v.StrategyChosen:
        """Returns what a yes means: StrategyChosen.RECOMPUTE or StrategyChosen.BOUNDARY. Sets what a yes means from now on:
        StrategyChosen.RECOMPUTE, StrategyChosen.BOUNDARY, or StrategyChosen.DEFAULT for what is usual for the kind. Schedules that
        were made before stay as they are."""
        return _v._StrategyChosen[_n.ckpt_strategy_get_chosen(self._h)]

    @chosen.setter
    def chosen(self, chosen: int) -> None:
        _n.ckpt_strategy_set_chosen(self._h, chosen)

    def counters(self) -> _v.StrategyCounters:
        """Returns the counters. A snapshot while other threads ask."""
        return _v.StrategyCounters._of(_n.ckpt_strategy_get_counters(self._h))

    def info(self) -> _v.StrategyInfo:
        """Returns the info."""
        return _v.StrategyInfo._of(_n.ckpt_strategy_get_info(self._h))

    @property
    def text(self) -> str:
        """Returns the text from which Strategy.create makes an equal strategy. The meaning of a yes is not in it. UnsupportedError for
        handles, which the message names: custom strategies, a tracker and a clock. OutOfRangeError beyond 16 MiB, which children
        that are shared can reach."""
        return _n.ckpt_strategy_get_text(self._h)


class TensorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_tensor_release)
    _retain = staticmethod(_n.ckpt_tensor_retain)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return _n.ckpt_tensor_get_bytes(self._h)

    @property
    def size(self) -> int:
        """Number of elements."""
        return _n.ckpt_tensor_get_element_count(self._h)

    @property
    def dtype(self) -> _v.DType:
        """The tensor's element type, a CKPT_DTYPE_ constant."""
        return _v._DType[_n.ckpt_tensor_get_dtype(self._h)]

    @property
    def ndim(self) -> int:
        """Number of dimensions, 0 .. 8."""
        return _n.ckpt_tensor_get_ndim(self._h)

    @property
    def read_only(self) -> bool:
        """True for a tensor that must not be written (its memory is borrowed so, through DLPack), else False. Functions that write to a
        tensor refuse a read-only one with UnsupportedError."""
        return bool(_n.ckpt_tensor_is_read_only(self._h))

    def fill(self, value: float) -> None:
        """Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value that F32 cannot hold is
        OutOfRangeError. F32 and F64 only, else UnsupportedError."""
        _n.ckpt_tensor_fill(self._h, value)

    def scale(self, factor: float) -> None:
        """target = factor * target, in the dtype's own precision. factor: finite (else InvalidArgumentError) and, for F32, within its
        range. F32 and F64 only, else UnsupportedError."""
        _n.ckpt_tensor_scale(self._h, factor)

    def add_scaled(self, factor: float, source: Any) -> None:
        """target = target + factor * source, in the dtype's own precision with two roundings per element (axpy of BLAS, never fused).
        factor: as for Tensor.scale. dtype and shape must be the same, and memory either the same or apart. F32 and F64 only, else
        UnsupportedError."""
        given = made_by["as_tensor"](source)
        _n.ckpt_tensor_add_scaled(self._h, factor, given._h)

    def sum(self) -> float:
        """Returns the sum of all elements, computed in F64 by pairwise summation (Higham, "The accuracy of floating point summation",
        SIAM J. Sci. Comput. 14, 1993); 0 when there are none. F32 and F64 only, else UnsupportedError."""
        return _n.ckpt_tensor_sum(self._h)

    def copy_from(self, source: Any) -> None:
        """Copies the elements of source, which must have the dtype and shape of target. Their memory may overlap."""
        given = made_by["as_tensor"](source)
        _n.ckpt_tensor_copy(self._h, given._h)

    def is_bit_equal(self, other: Any) -> bool:
        """Returns True when dtype, shape and all bytes are the same, else False. So a NaN equals the same NaN, and 0 does not equal -0."""
        given = made_by["as_tensor"](other)
        return bool(_n.ckpt_tensor_is_bit_equal(self._h, given._h))


class ThresholdMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_threshold_release)

    def __init__(self, **options: _o.threshold_options) -> None:
        """Creates a threshold rule."""
        self._adopt(_n.ckpt_threshold_create(_o.threshold_options(**options)))

    def observe_task(self, name: str, duration_seconds: float) -> None:
        """Records that a task took this long. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, at least 0."""
        _n.ckpt_threshold_observe_task(self._h, name, duration_seconds)

    def observe_failure(self, name: str, duration_seconds: float) -> None:
        """Records that a task failed after this long. It is remembered, with failed = 1 in TaskObservation, and is never the longest
        task, for it was not done. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, at least 0. What recovering
        from it saved is recorded with Threshold.adjust_policy."""
        _n.ckpt_threshold_observe_failure(self._h, name, duration_seconds)

    def should_checkpoint(self, name: str, cost_seconds: float) -> bool:
        """Returns True when a slot is left and cost_seconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot;
        else False."""
        return bool(_n.ckpt_threshold_should_checkpoint(self._h, name, cost_seconds))

    def adjust_policy(self, saved_seconds: float, overhead_seconds: float) -> None:
        """Adds -sign(b) * learning_rate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1."""
        _n.ckpt_threshold_adjust_policy(self._h, saved_seconds, overhead_seconds)

    def begin_run(self) -> None:
        """Frees all slots for a new run; threshold and longest task stay."""
        _n.ckpt_threshold_begin_run(self._h)

    def info(self) -> _v.ThresholdInfo:
        """Returns what the rule knows."""
        return _v.ThresholdInfo._of(_n.ckpt_threshold_get_info(self._h))

    def tasks(self) -> List[_v.TaskObservation]:
        """Lists the tasks that are remembered, the oldest first."""
        return [_v.TaskObservation._of(one) for one in _n.ckpt_threshold_list_tasks(self._h)]


class WorkerPoolMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_worker_pool_release)

    @property
    def thread_count(self) -> int:
        """Returns the number of threads of the pool, the caller's included."""
        return _n.ckpt_worker_pool_get_thread_count(self._h)
