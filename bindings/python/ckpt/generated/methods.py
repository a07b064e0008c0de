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
        one: OutOfRangeError. Asks the strategy, if there is one, which counts the question."""
        return bool(_n.ckpt_activation_manager_should_checkpoint(self._h, micro_batch, bytes))

    def store(self, micro_batch: int, activation: Any) -> bool:
        """Applies the policy, and stores a copy of the activation if it is to be kept: returns True or False. An activation that is
        stored already for this micro-batch is replaced; it is dropped if the new one is not kept."""
        given = made_by["as_tensor"](activation)
        return bool(_n.ckpt_activation_manager_store(self._h, micro_batch, given._h))

    def get(self, micro_batch: int) -> Optional[Tensor]:
        """Returns a new read-only reference to the stored activation, or None when it is not stored; this is not an error. The memory
        is kept until the reference is released, also if the manager drops the activation."""
        found = _n.ckpt_activation_manager_get_activation(self._h, micro_batch)
        return None if found is None else classes["Tensor"]._of(found)

    def __contains__(self, micro_batch: int) -> bool:
        """Returns True when the activation is stored, else False."""
        return bool(_n.ckpt_activation_manager_has_activation(self._h, micro_batch))

    def recompute(self, input: Any, micro_batch: int) -> Tensor:
        """Runs the stage's forward on input: returns a new reference. Nothing is stored. InvalidStateError when the manager has no
        forward."""
        given = made_by["as_tensor"](input)
        return classes["Tensor"]._of(_n.ckpt_activation_manager_recompute(self._h, given._h, micro_batch))

    def get_or_compute(self, input: Any, micro_batch: int) -> Tensor:
        """Returns the result of ActivationManager.get, or, if nothing is stored, of ActivationManager.recompute. input is only read in
        the second case, but must not be None."""
        given = made_by["as_tensor"](input)
        return classes["Tensor"]._of(_n.ckpt_activation_manager_get_or_compute(self._h, given._h, micro_batch))

    def clear(self) -> None:
        """Drops all stored activations; the tracker's count of this manager is 0 then."""
        _n.ckpt_activation_manager_clear(self._h)

    def metadata(self, micro_batch: int) -> _v.ActivationMetadata:
        """Returns information about a stored activation; NotFoundError when it is not stored."""
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
        """Reports that a step has ended: tasks with a gate_step up to this step may start. A lower step than before has no effect."""
        _n.ckpt_async_manager_end_step(self._h, step)

    def info(self, id: int) -> _v.CheckpointTaskInfo:
        """Returns the current information about a task. NotFoundError as AsyncManager.cancel."""
        return _v.CheckpointTaskInfo._of(_n.ckpt_async_manager_get_task(self._h, id))

    def stats(self) -> _v.AsyncManagerStats:
        """Returns counters of the manager's tasks and bytes: a snapshot while tasks are active."""
        return _v.AsyncManagerStats._of(_n.ckpt_async_manager_get_stats(self._h))


class BufferPoolMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_buffer_pool_release)

    def __init__(self, tracker: Optional[MemoryTracker] = None, **options: _o.buffer_pool_options) -> None:
        """Creates a pool. tracker (None: none) counts every buffer while a tensor uses it, with exactly the bytes of the tensor; the
        pool keeps the tracker alive."""
        self._adopt(_n.ckpt_buffer_pool_create(handle_of(tracker), _o.buffer_pool_options(**options)))

    def stats(self) -> _v.BufferPoolStats:
        """Returns the contents and counters of the pool."""
        return _v.BufferPoolStats._of(_n.ckpt_buffer_pool_get_stats(self._h))

    def trim(self, keep_bytes: int = 0) -> None:
        """Releases retained buffers to the system, oldest first, until at most keep_bytes (>= 0) are kept for reuse."""
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
        """Sets every parameter to its initial value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al.,
        arXiv:1502.01852), in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a standard
        deviation of 0.02, divided by sqrt(layer's number + 1) for "out.weight" and "down.weight". Weights of norms are 1 (Radford et
        al., "Language models are unsupervised multitask learners", 2019). The values are the same on every machine. Sets gradients
        to 0."""
        _n.ckpt_chain_initialize(self._h, seed)

    def set_worker_pool(self, pool: Optional[WorkerPool]) -> None:
        """Sets the threads for clipping, zeroing of gradients and optimizers of this chain: results have the same bits for any number
        of threads. pool: kept alive; None (as in a new chain): only the calling thread."""
        _n.ckpt_chain_set_worker_pool(self._h, handle_of(pool))

    def clip_gradients(self, max_norm: float) -> float:
        """Scales all gradients so that their common 2-norm is at most max_norm (> 0); returns the norm before scaling. OutOfRangeError
        if that is not finite: no gradient is scaled."""
        return _n.ckpt_chain_clip_gradients(self._h, max_norm)


class CheckpointManagerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _name: Any
    _release = staticmethod(_n.ckpt_checkpoint_manager_release)

    @property
    def storage(self) -> Storage:
        """Returns a new reference to the storage of the manager."""
        return classes["Storage"]._of(_n.ckpt_checkpoint_manager_get_storage(self._h))

    @property
    def coordinator(self) -> Coordinator:
        """Returns a new reference to the coordinator of the manager, or to one of a single process if it has none."""
        return classes["Coordinator"]._of(_n.ckpt_checkpoint_manager_get_coordinator(self._h))

    @property
    def fault_handler(self) -> FaultHandler:
        """Returns a new reference to the fault handler of the manager; its count of retries is the manager's if nothing else uses it."""
        return classes["FaultHandler"]._of(_n.ckpt_checkpoint_manager_get_fault_handler(self._h))

    def list(self) -> List[_v.CheckpointInfo]:
        """Lists the checkpoints of the storage, valid or not (except those renamed to "torn-..."), in the order in which a load tries
        them, abandoned ones last."""
        return [_v.CheckpointInfo._of(one) for one in _n.ckpt_checkpoint_manager_list(self._h)]

    def latest(self) -> Optional[_v.CheckpointInfo]:
        """Returns the checkpoint that a load tries first: among those of the current line with status 0, the one with the highest step,
        then the last commit. None when there is none; a warning in the log then names the newest abandoned one."""
        try:
            return _v.CheckpointInfo._of(_n.ckpt_checkpoint_manager_get_latest(self._h))
        except NotFoundError:
            return None

    def best(self) -> Optional[_v.CheckpointInfo]:
        """Returns the checkpoint that has the best metric, as best_metric of the manager's options specifies; of equal ones, with the
        newest. Only those of the current line with status 0 count. None when none has a metric; a warning in the log then names the
        newest abandoned one that has."""
        try:
            return _v.CheckpointInfo._of(_n.ckpt_checkpoint_manager_get_best(self._h))
        except NotFoundError:
            return None

    def find_step(self, step: int) -> Optional[_v.CheckpointInfo]:
        """Returns the newest checkpoint of this step (>= 0) with status 0; one of the current line takes precedence over abandoned
        ones. None when there is none."""
        try:
            return _v.CheckpointInfo._of(_n.ckpt_checkpoint_manager_find_step(self._h, step))
        except NotFoundError:
            return None

    def remove(self, which: Union[str, int]) -> None:
        """Removes one checkpoint permanently, durably and atomically: after a crash it is either complete or invisible to every load.
        which: the step, or the name as in CheckpointInfo, of a valid or damaged checkpoint. NotFoundError without a directory of
        that name; InvalidStateError when it is pinned or the manager is read-only, ForkedError in a forked child. If files remain,
        the storage's first error, with its message; later saves try again. Waits for a save in progress."""
        _n.ckpt_checkpoint_manager_remove(self._h, self._name(which))

    def pin(self, step: int) -> None:
        """Pins the newest checkpoint of this step (>= 0) with status 0, durably: retention of this and later processes does not remove
        it. Earlier versions of the library ignore pins. NotFoundError when there is none; else as CheckpointManager.remove."""
        _n.ckpt_checkpoint_manager_pin(self._h, step)

    def unpin(self, step: int) -> None:
        """Removes the pins of all checkpoints of this step (>= 0), durably: the next save may remove them. NotFoundError when the step
        has no checkpoint; else as CheckpointManager.remove."""
        _n.ckpt_checkpoint_manager_unpin(self._h, step)

    def prune(self, keep_rules: Optional[str] = None, dry_run: bool = False) -> List[_v.CheckpointInfo]:
        """Removes the checkpoints that a save would now remove, durably. keep_rules: as in CheckpointManagerOptions, instead of all
        retention rules of these options; None or empty: the rules of these options. When dry_run is True, nothing is changed. The
        last committed one is always kept. InvalidArgumentError for rules that cannot be parsed; without a dry run errors as
        CheckpointManager.remove."""
        return [_v.CheckpointInfo._of(one) for one in _n.ckpt_checkpoint_manager_prune(self._h, keep_rules, int(dry_run))]

    def prune_abandoned(self, dry_run: bool = False) -> List[_v.CheckpointInfo]:
        """Removes the abandoned checkpoints that are not pinned, and no others, durably and regardless of the manager's rules. Those
        with an unreadable manifest are kept. Reads and verifies the newest checkpoint of the line first, while saves wait; if none
        of the line is valid, the newest valid abandoned one is kept, too. dry_run and errors as in CheckpointManager.prune."""
        return [_v.CheckpointInfo._of(one) for one in _n.ckpt_checkpoint_manager_prune_abandoned(self._h, int(dry_run))]

    def manifest(self, which: Union[str, int]) -> Dict[str, Any]:
        """Returns the manifest of one checkpoint: a JSON object with its step, groups, files, tensors, values and metadata
        (docs/reference/file-format.md). which: the step, or the name as in CheckpointInfo, or ".". NotFoundError without a manifest,
        CorruptError when it is damaged."""
        return json.loads(_n.ckpt_checkpoint_manager_get_manifest(self._h, self._name(which)))

    def rank_values(self, which: Union[str, int], rank: int) -> Dict[str, Any]:
        """Returns the JSON values that one rank saved, as an object. which: the step, or the name as in CheckpointInfo, or ".". rank: 0
        .. world_size - 1 of the checkpoint, else OutOfRangeError. For runs that resume with another number of ranks and redistribute
        the values of each rank. Errors as CheckpointManager.manifest."""
        return json.loads(_n.ckpt_checkpoint_manager_get_rank_values(self._h, self._name(which), rank))


class ClockMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_clock_release)

    def __init__(self, start_ns: int = 0) -> None:
        """Creates a clock that stays at start_ns (>= 0, nanoseconds) until Clock.advance moves it."""
        self._adopt(_n.ckpt_clock_create_manual(start_ns))

    def advance(self, duration_ns: int) -> None:
        """Moves a manual clock forward by duration_ns (>= 0). InvalidStateError for any other clock, OutOfRangeError past 2**63 - 1."""
        _n.ckpt_clock_advance(self._h, duration_ns)

    def now(self) -> int:
        """Returns the clock's time in nanoseconds"""
        return _n.ckpt_clock_get_now(self._h)


class ControllerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _record: Any
    _release = staticmethod(_n.ckpt_controller_release)

    def now(self) -> float:
        """Returns the time on the controller's clock, for callers without a separate clock."""
        return _n.ckpt_controller_get_now(self._h)

    def info(self) -> _v.ControllerInfo:
        """Returns the state of the controller."""
        return _v.ControllerInfo._of(_n.ckpt_controller_get_info(self._h))

    def tasks(self) -> List[_v.TaskObservation]:
        """Lists the stored tasks, the oldest first."""
        return [_v.TaskObservation._of(one) for one in _n.ckpt_controller_list_tasks(self._h)]

    def json(self) -> str:
        """Returns the complete state of the controller as JSON. For State.set_json with the key "controller", after
        ControllerEventKind.SAVE_BEGAN, so that the estimates survive a crash. Numbers are restored to the same bits."""
        return _n.ckpt_controller_get_json(self._h)

    def begin_run(self, now: Optional[float] = None) -> None:
        """A run begins: budgets and windows start again. InvalidStateError during a run."""
        self._record(_v.ControllerEventKind.RUN_BEGAN, now)

    def resume(self, now: Optional[float] = None) -> None:
        """This process continues the run that Controller.restore loaded. A run that was in progress there counts as failed, half an
        interval after its last event, but not later than now; record its recovery next. Without such a run: as
        ControllerEventKind.RUN_BEGAN. The time may be on another clock than in the previous process."""
        self._record(_v.ControllerEventKind.RUN_RESUMED, now)

    def begin(self, now: Optional[float] = None) -> None:
        """A save starts: no other save is requested until it is committed or aborted. InvalidStateError while a save is in flight."""
        self._record(_v.ControllerEventKind.SAVE_BEGAN, now)

    def commit(self, stall_seconds: float, durable_seconds: float, now: Optional[float] = None) -> None:
        """The save in flight is durable. InvalidStateError without a save in flight. stall_seconds: seconds for which work was stopped
        for the save: the cost of the save. durable_seconds: seconds from the begin of the save until it was durable; used after
        preemption notices."""
        self._record(_v.ControllerEventKind.SAVE_COMMITTED, now, stall_seconds=stall_seconds, durable_seconds=durable_seconds)

    def abort(self, now: Optional[float] = None) -> None:
        """The save in flight failed: it is not used as a measurement. InvalidStateError without a save in flight."""
        self._record(_v.ControllerEventKind.SAVE_ABORTED, now)

    def observe_task(self, name: str, duration_seconds: float) -> None:
        """A task is done; as Threshold.observe_task. The mean duration replaces ControllerOptions.poll_seconds if that is 0. name: name
        of the task: UTF-8, not blank, at most 95 bytes. duration_seconds: duration of the task in seconds: finite, >= 0."""
        self._record(_v.ControllerEventKind.TASK_DONE, 0, name=name, duration_seconds=duration_seconds)

    def record_failure(self, now: Optional[float] = None) -> None:
        """The machine failed: unsaved work is lost. The run continues."""
        self._record(_v.ControllerEventKind.FAILURE, now)

    def record_recovery(self, saved_seconds: float, overhead_seconds: float, now: Optional[float] = None) -> None:
        """Work continues after a failure. saved_seconds: seconds of work that need not be repeated because of the loaded checkpoint.
        overhead_seconds: cost of the loaded checkpoint in seconds."""
        self._record(_v.ControllerEventKind.RECOVERY, now, saved_seconds=saved_seconds, overhead_seconds=overhead_seconds)

    def record_clean_exit(self, now: Optional[float] = None) -> None:
        """The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for counts as
        overhead without benefit."""
        self._record(_v.ControllerEventKind.CLEAN_EXIT, now)

    def notify_preemption(self, left_seconds: float, now: Optional[float] = None) -> None:
        """The process will be terminated. A save is requested at once if earlier saves became durable within that time. left_seconds:
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
        """Waits until every process has called it. timeout: seconds, >= 0; TimeoutError after that. A custom coordinator's error is
        returned if it is a status, else as CallbackError. Invalid arguments of this function, Coordinator.broadcast,
        Coordinator.all_gather and Coordinator.gather are detected only by their process: the others wait for it until TimeoutError."""
        _n.ckpt_coordinator_barrier(self._h, _timeout_ns(timeout))

    def broadcast(self, data: Any, root: int, timeout: float = 60.0) -> None:
        """Sends the root's bytes to all processes: data is read on root and written on the others. bytes: >= 0, the same on every
        process; data may be None only when it is 0. root: 0 .. world_size - 1. Errors as Coordinator.barrier."""
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
        """Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the number of steps that were already
        returned). InvalidStateError when the number is known already."""
        _n.ckpt_cursor_finalize(self._h, layer_count)

    def save(self) -> bytes:
        """Returns the cursor's position as bytes, for Cursor.restore in this or another process."""
        return _n.ckpt_cursor_save(self._h)

    def restore(self, place: Any) -> None:
        """Moves a cursor of an equal schedule to a saved position. CorruptError for bytes that are not a position; InvalidArgumentError
        for a position in another schedule."""
        _n.ckpt_cursor_restore(self._h, place)


class DriverMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_driver_release)

    def finalize(self, layer_count: int) -> None:
        """Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the number of steps that were already
        requested): inside a callback for the current step, else for the next one. The number applies to one step only.
        InvalidStateError if the number is known already, or if the step is past its TURN."""
        _n.ckpt_driver_finalize(self._h, layer_count)

    def cancel(self) -> None:
        """Cancels the step: a running step fails with CancelledError at its next action; a step that is paused at TURN has ended when
        this returns, and its handles were dropped on this thread. Without a step it does nothing. May be called on any thread, also
        in a callback of the driver. Not async-signal-safe: in a signal handler set a flag that a callback reads."""
        _n.ckpt_driver_cancel(self._h)


class FaultHandlerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_fault_handler_release)

    @property
    def retry_count(self) -> int:
        """Returns the number of retries since the handler was created."""
        return _n.ckpt_fault_handler_get_retry_count(self._h)


class FollowerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_follower_release)

    def __init__(self, profile: Profile, strategy: StrategyLike) -> None:
        """Creates a follower of a strategy, which it keeps alive; the profile is copied. After its first schedule, only its steps
        adjust a memory-aware strategy, until it is released. InvalidStateError for a profile without layers, or with a layer without
        an option."""
        given = made_by["as_strategy"](strategy)
        self._adopt(_n.ckpt_follower_create(profile._h, given._h))


class LayerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_layer_release)

    @classmethod
    def tied_head(cls, name: str, embedding: Layer) -> Layer:
        """Creates a head that shares its weight with an embedding: y = x W^T, for each row, with W the embedding's "tokens.weight"
        [VOCABULARY, WIDTH], x: [samples, ..., WIDTH], y: [samples, ..., VOCABULARY]. The weight is a parameter of the embedding: it
        is listed, clipped, updated and saved once, and its gradient is the sum of both uses, in any split of the chain. embedding: a
        layer of kind token_embedding, kept alive; it belongs to the same chain, before the head (or to the chain that a pipeline
        splits). Allocates memory for a separate gradient. InvalidArgumentError for a layer of another kind."""
        return cls._of(_n.ckpt_layer_create_tied_head(name, embedding._h))


class MemoryTrackerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_memory_tracker_release)
    _retain = staticmethod(_n.ckpt_memory_tracker_retain)

    def __init__(self, **options: _o.memory_tracker_options) -> None:
        """Creates a tracker with all counts 0."""
        self._adopt(_n.ckpt_memory_tracker_create(_o.memory_tracker_options(**options)))

    def add_layer(self, name: str) -> int:
        """Returns the number of the layer of this name: 0, 1, 2, ... in the order of the first use of names. A new name creates a
        layer."""
        return _n.ckpt_memory_tracker_add_layer(self._h, name)

    def find_layer(self, name: str) -> Optional[int]:
        """Returns the number of the layer of this name. None for a name that was never used."""
        try:
            return _n.ckpt_memory_tracker_find_layer(self._h, name)
        except NotFoundError:
            return None

    def layer_name(self, layer_id: int) -> str:
        """Returns the layer's name. NotFoundError for a number without a layer."""
        return _n.ckpt_memory_tracker_get_layer_name(self._h, layer_id)

    def record_deallocation(self, allocation: int) -> None:
        """Records the end of an allocation. NotFoundError for an id that is not live (unknown, or freed already): then only the count
        not_found changes."""
        _n.ckpt_memory_tracker_record_deallocation(self._h, allocation)

    def stats(self) -> _v.MemoryStats:
        """Returns the tracker's totals."""
        return _v.MemoryStats._of(_n.ckpt_memory_tracker_get_stats(self._h))

    def live_allocations(self) -> List[_v.MemoryAllocation]:
        """Lists the live allocations in one consistent snapshot, oldest first. Blocks recording while it copies 40 bytes per
        allocation, for the highest number of allocations that were ever live at the same time."""
        return [_v.MemoryAllocation._of(one) for one in _n.ckpt_memory_tracker_list_allocations(self._h)]

    def reset_stats(self) -> None:
        """Resets the statistics as if the live allocations had just been recorded: total = peak = live bytes, allocations = live
        allocations, frees = 0, the same per layer; not_found, refused and handler_failures = 0. Open scopes, the limit and sequence
        numbers are unchanged."""
        _n.ckpt_memory_tracker_reset_stats(self._h)

    def set_limit(self, limit_bytes: int, hysteresis_bytes: int = 0) -> None:
        """Sets the limit of the live total: limit_bytes > 0, 0 <= hysteresis_bytes < limit_bytes. Allocations above the limit are still
        recorded. An event is raised when the live total rises above the limit, and again only after it was below limit_bytes -
        hysteresis_bytes. If more than limit_bytes are live already, the event is raised at once. MemoryTracker.try_reserve refuses
        allocations that would exceed the limit."""
        _n.ckpt_memory_tracker_set_limit(self._h, limit_bytes, hysteresis_bytes)

    def clear_limit(self) -> None:
        """Removes the limit of the live total; a new tracker has none."""
        _n.ckpt_memory_tracker_clear_limit(self._h)

    def enable_events(self, enabled: bool) -> None:
        """Disables (False) or enables (True) all events. They are enabled in a new tracker. Accounting continues while events are
        disabled; these events are not reported later."""
        _n.ckpt_memory_tracker_enable_events(self._h, int(enabled))

    def set_peak_granularity(self, bytes: int) -> None:
        """Sets the minimum increase, in bytes (> 0), of the peak over the last reported one for an event of a new peak; 1 reports every
        new peak."""
        _n.ckpt_memory_tracker_set_peak_granularity(self._h, bytes)

    def report(self, max_layers: int = 0) -> Dict[str, Any]:
        """Returns a snapshot (docs/reference/memory.md names its members): totals, limit, open scopes, the max_layers layers (0: all)
        that hold the most live bytes, and the sum of the others."""
        return json.loads(_n.ckpt_memory_tracker_get_json(self._h, max_layers))

    def prometheus(self, max_layers: int = 100) -> str:
        """Returns a snapshot in the Prometheus text format 0.0.4: ckpt_memory_current_bytes, ckpt_memory_peak_bytes,
        ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with the label layer for the first max_layers layers
        by number (0: all), so that the series of a layer never changes; the others are summed under layer="other". Source:
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
        momentum < 1. State: one tensor per parameter, "<name>.momentum". Keeps the chain alive."""
        return cls._of(_n.ckpt_optimizer_create_sgd(chain._h, learning_rate, momentum))

    @classmethod
    def adamw(cls, chain: Chain, **options: _o.adamw_options) -> Optimizer:
        """Creates an AdamW optimizer. Keeps the chain alive. Source: Loshchilov, Hutter, "Decoupled weight decay regularization",
        arXiv:1711.05101."""
        return cls._of(_n.ckpt_optimizer_create_adamw(chain._h, _o.adamw_options(**options)))

    def step(self) -> None:
        """Updates the parameters once with the current gradients."""
        _n.ckpt_optimizer_step(self._h)

    def step_and_zero(self, max_norm: float = float("inf")) -> float:
        """Does Chain.clip_gradients(max_norm) and Optimizer.step, with the same bits, and sets all gradients to 0, so that the next
        step can run with accumulate 1. After the computation of the norm, one pass over the gradients scales, uses and clears each
        part while it is in the processor's caches. max_norm: > 0; float("inf") scales nothing. Returns the norm before scaling.
        OutOfRangeError if that is not finite: gradients, parameters and state are unchanged."""
        return _n.ckpt_optimizer_step_and_zero(self._h, max_norm)

    @property
    def learning_rate(self) -> float:
        """Returns the size of the next steps. Sets the size of the next steps, >= 0 and finite. It is not part of the saved state: set
        it again when a run is resumed."""
        return _n.ckpt_optimizer_get_learning_rate(self._h)

    @learning_rate.setter
    def learning_rate(self, learning_rate: float) -> None:
        _n.ckpt_optimizer_set_learning_rate(self._h, learning_rate)

    @property
    def step_count(self) -> int:
        """Returns the number of updates so far; part of AdamW's state. Sets the number of updates so far (>= 0), for restoring a state."""
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
        """Requests that the running step fails with CancelledError; does not wait. Without a running step it does nothing. May be
        called on any thread, also inside a layer. Not async-signal-safe: in a signal handler set a flag that another thread reads."""
        _n.ckpt_pipeline_cancel(self._h)

    def begins(self) -> List[int]:
        """Lists the first layers of the pieces."""
        return list(_n.ckpt_pipeline_get_begins(self._h))

    def manager(self, stage: int) -> ActivationManager:
        """Returns a stage's manager, as a new reference: its policy determines at the begin of a step the micro-batches with tapes that
        are kept. Its recompute runs the stage's forward with the last step's keys; UnsupportedError for stages of several chunks,
        and for layers that need targets, have ambient state or are not deterministic."""
        return classes["ActivationManager"]._of(_n.ckpt_pipeline_get_manager(self._h, stage))

    def schedule(self, stage: int) -> Schedule:
        """Returns the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the pipeline
        can run it."""
        return classes["Schedule"]._of(_n.ckpt_pipeline_get_schedule(self._h, stage))

    def profile(self, stage: int) -> Profile:
        """Returns the profile that the schedule of Pipeline.schedule is verified against: the stage's layers for one micro-batch;
        between two chunks one layer that is not run. A new reference."""
        return classes["Profile"]._of(_n.ckpt_pipeline_get_profile(self._h, stage))

    def stats(self, stage: int) -> _v.PipelineStats:
        """Returns the measurements of a stage since the pipeline was created."""
        return _v.PipelineStats._of(_n.ckpt_pipeline_get_stats(self._h, stage))

    def trace(self) -> Dict[str, Any]:
        """Returns the timeline of the last successful step as Chrome's trace events (JSON; chrome://tracing and Perfetto show it).
        Source: "Trace Event Format"."""
        return json.loads(_n.ckpt_pipeline_get_trace_json(self._h))


class ProfileMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_profile_release)

    def __init__(self, input_bytes: int) -> None:
        """Creates an empty profile of a chain with an input x_0 of input_bytes (>= 0)."""
        self._adopt(_n.ckpt_profile_create(input_bytes))

    @classmethod
    def from_json(cls, json: str) -> Profile:
        """Creates a profile from the JSON of Profile.json. CorruptError for invalid JSON: the message names the error and its position."""
        return cls._of(_n.ckpt_profile_create_from_json(json))

    def set_tier(self, tier: int, **tier_profile: _o.tier_profile) -> None:
        """Sets the properties of a tier (1 .. 3); the initial ones are those of a new TierProfile."""
        _n.ckpt_profile_set_tier(self._h, tier, _o.tier_profile(**tier_profile))

    def tier(self, tier: int) -> _v.TierProfile:
        """Returns the properties of a tier (1 .. 3)."""
        return _v.TierProfile._of(_n.ckpt_profile_get_tier(self._h, tier))

    @property
    def flags(self) -> _v.ProfileFlag:
        """Returns the flags of Profile.set_flags. Sets the properties of the whole chain: a sum of ProfileFlag; initially 0. Also for a
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
        """Returns the size of the chain's input x_0 in bytes."""
        return _n.ckpt_profile_get_input_bytes(self._h)

    def option(self, layer: int, option: int = 0) -> _v.OptionProfile:
        """Returns the properties of an option (0 .. option_count-1) of a layer."""
        return _v.OptionProfile._of(_n.ckpt_profile_get_option(self._h, layer, option))

    def json(self) -> str:
        """Returns the profile as JSON, as docs/reference/plan.md describes it. Seconds are restored to the same bits."""
        return _n.ckpt_profile_get_json(self._h)

    def frontier(self, planner: str) -> List[_v.FrontierPoint]:
        """Computes the whole frontier of a planner in one run: returns the costs of its schedules, by increasing live bytes and
        decreasing step seconds (if the profile has no seconds, decreasing recomputed forwards). planner: "chain", "tapes" or
        "graph"; NotFoundError for another name. A budget selects the fastest point with reserved bytes within it (for tapes: also
        points of chain). The smallest sufficient budget is the minimum of their reserved bytes. Every call computes the frontier
        again; only the requested points are placed, one after another. Above 128 layers (of a graph: 40) the result has some points
        of the frontier, all placed by each call, and a budget may find better schedules between them."""
        return [_v.FrontierPoint._of(one) for one in _n.ckpt_profile_get_frontier(self._h, planner)]

    def set_inputs(self, layer: int, inputs: Sequence[int], needed: Sequence[int]) -> None:
        """Makes the chain a graph: sets the values that a layer (0 .. layer_count-1) reads. inputs: inputs_count (>= 1) different
        values, each 0 .. layer, that its forward reads, in any order; needed: needed_count (>= 0) of them that its backward reads,
        which sets or clears the layer's flag NEEDS_INPUT. Layers without a call read as in a chain. OutOfRangeError for another
        layer; InvalidArgumentError for other values, and duplicates; InvalidStateError for a uniform chain. Planners check the whole
        graph. They fail with InvalidArgumentError if a value has no reader and is not an output, or if a layer with the flag
        NO_INPUT_GRADIENT reads another value than 0. They also fail if a layer with the flag IN_PLACE reads a value with another
        reader."""
        _n.ckpt_profile_set_inputs(self._h, layer, list(inputs), list(needed))

    def set_outputs(self, values: Sequence[int]) -> None:
        """Makes the chain a graph: sets the values (1 .. layer_count, different, values_count >= 1 of them) that TURN passes to the
        caller. The caller provides their gradients. Initially only the value of the last layer. InvalidArgumentError for other
        values, InvalidStateError for a uniform chain."""
        _n.ckpt_profile_set_outputs(self._h, list(values))


class ProgramMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_program_release)

    def __init__(self, schedule: Schedule, profile: Profile) -> None:
        """Creates the program of a schedule on a chain's profile; neither is needed afterwards. Offsets are the same as in a
        ScheduleExecutor: arenas are as large as Schedule.reserved_bytes reports. InvalidScheduleError as Schedule.verify,
        OutOfRangeError above 2^22 operations."""
        self._adopt(_n.ckpt_program_create(schedule._h, profile._h))

    def arena_bytes(self, tier: int = 0) -> int:
        """Returns the size of a tier's arena (0 .. 3); it must begin at a multiple of 64 bytes."""
        return _n.ckpt_program_get_arena_bytes(self._h, tier)

    def buffers(self) -> List[_v.ProgramBuffer]:
        """Lists the buffers."""
        return [_v.ProgramBuffer._of(one) for one in _n.ckpt_program_get_buffers(self._h)]

    def operations(self) -> List[_v.ProgramOperation]:
        """Lists the operations."""
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
        """Returns information about the tensor at index (0 .. count-1, else OutOfRangeError): group after group, file after file, in
        the order of the data."""
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
        """Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and stores its answers.
        During this, its callbacks cannot add to the profile (InvalidStateError). A chosen layer begins a segment (boundary) or is
        recomputed separately while all others record (recompute), as the strategy specifies. The schedule is independent of the
        strategy afterwards: Follower.next asks again. CallbackError if a custom strategy fails."""
        given = made_by["as_strategy"](strategy)
        return cls._of(_n.ckpt_schedule_create_from_strategy(profile._h, given._h))

    @classmethod
    def open_ended(cls, period: int, flags: int = _v.LayerFlag.NEEDS_INPUT | _v.LayerFlag.DETERMINISTIC) -> Schedule:
        """Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th
        step (period >= 1), or records every step (period 0). All layers have the given LayerFlag flags. Its cursors continue the
        forward part until Cursor.finalize."""
        return cls._of(_n.ckpt_schedule_create_open_ended(period, flags))

    @property
    def name(self) -> str:
        """Returns the schedule's name for logs and tables, for example "store-all" or "periodic(4)"."""
        return _n.ckpt_schedule_get_name(self._h)

    @property
    def left_out(self) -> str:
        """Returns the alternatives that the planner auto, chain or tapes did not consider for this schedule, with the reason, in one
        line; "" when nothing was left out, and for schedules of other planners."""
        return _n.ckpt_schedule_get_left_out(self._h)

    @property
    def fingerprint(self) -> int:
        """Returns a hash of the schedule's name and actions: equal schedules have the same number, different ones almost certainly not.
        The same on machines of the same byte order."""
        return _n.ckpt_schedule_get_fingerprint(self._h)

    def verify(self, profile: Profile) -> _v.PlanReport:
        """Replays the schedule against the profile without running anything, and returns the report. Bytes of tier 0. x_0 exists at the
        start. A layer that runs forward first allocates its output (an INPUT or not), then its tape, then its ambient state, then
        its workspace, and runs; afterwards the workspace and the items that it ends are freed. So inside FORWARD [first, last) layer
        k > first still holds x_k, which is not an item, and ends it; FORWARD_TAPE ends no item. A layer that runs backward first
        allocates GRAD(i), then its workspace; afterwards the workspace, the tape and GRAD(i+1) are freed. Ambient state is allocated
        at a layer's first forward and freed after its backward; a second one exists while the layer runs forward again. A buffer
        that is overwritten in place (ADVANCE, LayerFlag.IN_PLACE) counts the larger of both for the layer, with its workspace, and
        then the new one; a backward without a gradient of its input overwrites no buffer. An item may be dropped, or ended by
        BACKWARD, while a STORE_BEGIN copies it. It then counts until the AWAIT, and once more if it is created again before that. A
        tier above 0 counts an item from its STORE_BEGIN to the DROP. Items. An item exists from the action that creates it (for a
        copy into a tier or back: its STORE_BEGIN or LOAD_BEGIN) to the action that ends it; an item that is overwritten in place
        ends when the other one begins. Time. Layers run one after another, for forward_seconds, record_seconds (RECORD, with
        has_record) or backward_seconds. Each tier has one queue of writes and one of reads: a copy begins when its STORE_BEGIN or
        LOAD_BEGIN is reached and earlier copies in its queue have ended, and takes latency_seconds + bytes / rate; an AWAIT waits
        for its end. InvalidScheduleError, with a message that names the action's index, for an action (fields that its kind does not
        use are ignored, except micro_batch, which is checked in every kind; a DROP of a tier above 0 uses only tier and slot) that -
        names layers beyond the chain or none, an option that a layer does not have, or an invalid item, tier or slot (< 0); has a
        micro_batch other than 0 (except in a pipeline's stage); runs more than one layer by RECORD; - needs or drops an item that
        does not exist or is still being loaded; creates one (LOAD_BEGIN does, too) that exists; - ends in place (ADVANCE, or
        BACKWARD of an in-place layer) an item that is being copied; - runs a layer forward again that is not deterministic; runs one
        backward a second time; runs one with ambient state forward after its backward; has a second TURN; sends or receives (except
        in a pipeline's stage); - begins a transfer with an id that is in use, or awaits one that is not; stores into an occupied
        slot, or loads from or drops an empty one; loads another item from a slot than it holds, or before its store was awaited;
        drops a slot during a transfer; exceeds the capacity of a tier; - ends the step before layer 0 ran backward, with a transfer
        in progress, an occupied slot, or any item other than GRAD(0). OutOfRangeError if live bytes, or those copied into a tier or
        back from it, exceed 2**63 - 1, or the seconds of the step the range of a double. Streaming: memory use depends on the number
        of live items, not on the schedule's length. Open-ended schedules are replayed with the profile's length."""
        return _v.PlanReport._of(_n.ckpt_schedule_verify(self._h, profile._h))

    def reserved_bytes(self, profile: Profile, tier: int = 0) -> int:
        """Returns the bytes to reserve in a tier (0 .. 3). Tier 0, memory: assigns every buffer of the schedule an offset in one arena,
        a multiple of 64, and returns the arena's size. It is at least the peak live bytes; gaps between live buffers count.
        Streaming like the verifier: above some thousands of buffers they are placed in the order of time only, which may need more
        space than a placement by whole lifetimes. Higher tiers: each slot has the size of the longest item that it ever holds,
        rounded up to a multiple of 64. InvalidScheduleError as Schedule.verify, OutOfRangeError if the arena or the sum would exceed
        2**63 - 1."""
        return _n.ckpt_schedule_place(self._h, profile._h, tier)


class ScheduleExecutorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_schedule_executor_release)

    def stats(self) -> _v.ScheduleExecutorStats:
        """Returns the measurements of the executor since it was created."""
        return _v.ScheduleExecutorStats._of(_n.ckpt_schedule_executor_get_stats(self._h))

    def refine(self, profile: Profile) -> Profile:
        """Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the executor's chain
        and input). In it, the forward_seconds, record_seconds and backward_seconds of the options that the schedule runs are the
        medians over the last successful steps, up to 32. Other options are unchanged. InvalidStateError before the first step,
        InvalidArgumentError for the profile of another chain."""
        return classes["Profile"]._of(_n.ckpt_schedule_executor_refine(self._h, profile._h))


class SimulationMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_simulation_release)

    def results(self) -> Dict[str, Any]:
        """Returns the results: for each policy its efficiency (finished work per wall time), and its extra wall time against Daly's
        interval for the same work. The periods are all failures, the first 10, the first 100, and those after 100; null if there are
        none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures, as [failures, share] points for each policy.
        "fixed_intervals" has the efficiency of each fixed interval, as [seconds, efficiency]. "failure_gaps" is a histogram of the
        times between failures, as [from seconds, to seconds, count]."""
        return json.loads(_n.ckpt_simulation_get_json(self._h))


class StateMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_state_release)

    def add_sharded(self, group: str, name: str, dtype: Any, shape: Sequence[int]) -> None:
        """Adds a tensor that is sharded over the ranks of a run: each rank adds the same name, dtype and global shape, and then adds
        its blocks (zero or more) by State.add_block. Tensors of State.add_tensor are replicated: every rank has the whole tensor,
        and it is saved once. group, name: as in State.add_tensor. shape: ndim (0 .. 8) lengths, >= 0; None only when ndim is 0. The
        blocks of all ranks must cover the tensor; several ranks may have the same block, otherwise blocks must not overlap. Else a
        save fails with InvalidArgumentError that names the missing or overlapping part."""
        given = made_by["as_dtype"](dtype)
        _n.ckpt_state_add_sharded_tensor(self._h, group, name, given, list(shape))

    @property
    def tensor_count(self) -> int:
        """Returns the number of tensors in all groups."""
        return _n.ckpt_state_get_tensor_count(self._h)

    def set_json(self, key: str, json: str) -> None:
        """Sets the value of a key, replacing an earlier value. key: not blank. json: one JSON value, copied. Integers must fit in 64
        bits, other numbers are IEEE doubles; no duplicate keys in an object; nesting depth at most 48."""
        _n.ckpt_state_set_json(self._h, key, json)

    def __len__(self) -> int:
        """Returns the number of keys that have a value."""
        return _n.ckpt_state_get_key_count(self._h)

    def set_rarely_changes(self, group: str, rarely: bool = True) -> None:
        """Declares that the tensors of a group rarely change (rarely is True) or revokes that (False, the initial state): a save with
        SaveOptions.incremental does not write the group's file again if none of them has changed since the previous checkpoint. The
        group need not exist yet."""
        _n.ckpt_state_set_rarely_changes(self._h, group, int(rarely))

    def load_report(self) -> Dict[str, Any]:
        """Returns a report of the last successful load into this state (missing, unexpected and skipped items):
        {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
        "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
        "by_rank":["data_position"]} missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints
        that the load skipped, newest first, each with its error. It includes a damaged commit record ("name" is its path) if only
        the manifest's digest in it shows that the checkpoint was committed. LoadResult.skipped is their number. by_rank: keys with
        values that differed between the ranks that saved, and were not loaded because the number of ranks is different now; absent
        if there are none. CheckpointManager.rank_values reads these values."""
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
        """Creates a storage from a URI. The scheme (at least two letters, digits, '+', '-' and '.', a letter first; case-insensitive)
        selects the kind: - "file:PATH" or "file:///PATH": Storage.create_file_system; - "memory:": a new storage; "memory:NAME": the
        storage of that name, shared within this process, which exists as long as one handle does; - a scheme registered by
        Storage.register_scheme, for example by a plug-in (s3: libckpt-s3). A string without a scheme is a path of the file system:
        "./ab:c" for a path with a ':' in its first component. "%" and two hexadecimal digits encode a byte; a '/' at the end is
        ignored. InvalidArgumentError for components "." and "..", empty components ("//"), control characters and encoded slashes,
        encoded or not; the path of a string without a scheme is used unchanged. The scheme interprets the part after a '?' or '#';
        file and memory refuse it. UnsupportedError for an unknown scheme: the message names the known ones, and the package of a
        missing one. InvalidStateError for a URI that creates itself recursively."""
        return cls._of(_n.ckpt_storage_create_from_uri(uri))

    def retrying(self, handler: FaultHandler) -> Storage:
        """Creates a storage that wraps inner, which is kept alive. It retries operations that fail with IoError, BusyError or
        TimeoutError by the rules of the handler, and logs a warning for each retry. All other errors (NoSpaceError,
        PermissionDeniedError, CorruptError, ...) are reported at once. If the handler has a decide function, that function decides
        instead. Never retried are locks, and the sync of a file or directory: after a failed sync the system may report success for
        bytes that it has lost. A save writes the file again instead."""
        return classes["Storage"]._of(_n.ckpt_storage_create_retrying(self._h, handler._h))


class StrategyMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_strategy_release)
    _retain = staticmethod(_n.ckpt_strategy_retain)

    def observe_access(self, layer_name: str) -> None:
        """Reports that the layer's activation was used. Smart counts it for known layers; composites notify their children. Executors
        call this; call it if the program runs layers without an executor."""
        _n.ckpt_strategy_observe_access(self._h, layer_name)

    @property
    def name(self) -> str:
        """Returns the strategy's name, for example "Interval(2)", "SizeBased(1MB)" or "Any(Smart, Interval(8))"."""
        return _n.ckpt_strategy_get_name(self._h)

    def reset(self) -> None:
        """Resets the strategy to its state after creation, counters included; for a composite its children, too. The meaning of a yes
        stays as set."""
        _n.ckpt_strategy_reset(self._h)

    @property
    def chosen(self) -> _v.StrategyChosen:
        """Returns the meaning of a yes: StrategyChosen.RECOMPUTE or StrategyChosen.BOUNDARY. Sets the meaning of a yes:
        StrategyChosen.RECOMPUTE, StrategyChosen.BOUNDARY, or StrategyChosen.DEFAULT for the default of the kind. Existing schedules
        do not change."""
        return _v._StrategyChosen[_n.ckpt_strategy_get_chosen(self._h)]

    @chosen.setter
    def chosen(self, chosen: int) -> None:
        _n.ckpt_strategy_set_chosen(self._h, chosen)

    def counters(self) -> _v.StrategyCounters:
        """Returns the strategy's counters: a snapshot while other threads ask."""
        return _v.StrategyCounters._of(_n.ckpt_strategy_get_counters(self._h))

    def info(self) -> _v.StrategyInfo:
        """Returns the strategy's configuration."""
        return _v.StrategyInfo._of(_n.ckpt_strategy_get_info(self._h))

    @property
    def text(self) -> str:
        """Returns the text from which Strategy.create creates an equal strategy. The text does not contain the meaning of a yes.
        UnsupportedError for objects that text cannot express, which the message names: custom strategies, a tracker and a clock.
        OutOfRangeError above 16 MiB, which is possible with shared children."""
        return _n.ckpt_strategy_get_text(self._h)


class TensorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_tensor_release)
    _retain = staticmethod(_n.ckpt_tensor_retain)

    @property
    def nbytes(self) -> int:
        """Returns the size of all elements in bytes."""
        return _n.ckpt_tensor_get_bytes(self._h)

    @property
    def size(self) -> int:
        """Returns the number of elements."""
        return _n.ckpt_tensor_get_element_count(self._h)

    @property
    def dtype(self) -> _v.DType:
        """Returns the tensor's element type, one of DType."""
        return _v._DType[_n.ckpt_tensor_get_dtype(self._h)]

    @property
    def ndim(self) -> int:
        """Returns the number of dimensions, 0 .. 8."""
        return _n.ckpt_tensor_get_ndim(self._h)

    @property
    def read_only(self) -> bool:
        """Returns True for a tensor that must not be written (its memory was exported read-only through DLPack, or is a mapped file),
        else False. Functions that write to a tensor refuse a read-only one with UnsupportedError."""
        return bool(_n.ckpt_tensor_is_read_only(self._h))

    def fill(self, value: float) -> None:
        """Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value outside the range of F32 is
        OutOfRangeError. F32 and F64 only, else UnsupportedError."""
        _n.ckpt_tensor_fill(self._h, value)

    def scale(self, factor: float) -> None:
        """Computes target = factor * target, in the dtype's precision. factor: finite (else InvalidArgumentError) and, for F32, within
        its range. F32 and F64 only, else UnsupportedError."""
        _n.ckpt_tensor_scale(self._h, factor)

    def add_scaled(self, factor: float, source: Any) -> None:
        """Computes target = target + factor * source, in the dtype's precision with two roundings per element (axpy of BLAS, never
        fused). factor: as for Tensor.scale. dtype and shape must be the same, and the memory either the same or disjoint. F32 and
        F64 only, else UnsupportedError."""
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
        """Returns True when dtype, shape and all bytes are the same, else False. A NaN equals a NaN with the same bits, and 0 does not
        equal -0."""
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
        """Records the duration of a task. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, >= 0."""
        _n.ckpt_threshold_observe_task(self._h, name, duration_seconds)

    def observe_failure(self, name: str, duration_seconds: float) -> None:
        """Records that a task failed after this duration. It is stored, with failed = 1 in TaskObservation, and is never the longest
        task, because it was not completed. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, >= 0. Record the
        savings of the recovery with Threshold.adjust_policy."""
        _n.ckpt_threshold_observe_failure(self._h, name, duration_seconds)

    def should_checkpoint(self, name: str, cost_seconds: float) -> bool:
        """Returns True when a slot is left and cost_seconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot;
        else False."""
        return bool(_n.ckpt_threshold_should_checkpoint(self._h, name, cost_seconds))

    def adjust_policy(self, saved_seconds: float, overhead_seconds: float) -> None:
        """Adds -sign(b) * learning_rate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1."""
        _n.ckpt_threshold_adjust_policy(self._h, saved_seconds, overhead_seconds)

    def begin_run(self) -> None:
        """Frees all slots for a new run; the threshold and the longest task are kept."""
        _n.ckpt_threshold_begin_run(self._h)

    def info(self) -> _v.ThresholdInfo:
        """Returns the state of the rule."""
        return _v.ThresholdInfo._of(_n.ckpt_threshold_get_info(self._h))

    def tasks(self) -> List[_v.TaskObservation]:
        """Lists the stored tasks, the oldest first."""
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
