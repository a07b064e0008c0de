# Generated from include/ckpt by tools/api: do not edit.
"""The methods that are one call of C, by the class that derives from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from .. import _native as _n
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

    def store(self, micro_batch: int, activation: Any) -> bool:
        """Asks the policy, and keeps a copy of the activation if it says so: Returns True or False. An index that is stored already is
        replaced, with its bytes; it is dropped when the new activation is not kept."""
        given = made_by["as_tensor"](activation)
        return bool(_n.ckpt_activation_manager_store(self._h, micro_batch, given._h))

    def recompute(self, input: Any, micro_batch: int) -> Tensor:
        """Runs the stage's forward on input: Returns a new reference. Nothing is stored. InvalidStateError when the manager has no
        forward."""
        given = made_by["as_tensor"](input)
        return classes["Tensor"]._of(_n.ckpt_activation_manager_recompute(self._h, given._h, micro_batch))

    def get_or_compute(self, input: Any, micro_batch: int) -> Tensor:
        """Returns what ActivationManager.activation returns, or else what ActivationManager.recompute returns. input is only read in
        the second case, but must be there."""
        given = made_by["as_tensor"](input)
        return classes["Tensor"]._of(_n.ckpt_activation_manager_get_or_compute(self._h, given._h, micro_batch))

    def clear(self) -> None:
        """Drops all that is stored; the tracker's count of this manager is 0 then."""
        _n.ckpt_activation_manager_clear(self._h)

    def metadata(self, micro_batch: int) -> _v.ActivationMetadata:
        """Returns the metadata for a stored activation; NotFoundError when it is not stored."""
        return _v.ActivationMetadata._of(_n.ckpt_activation_manager_get_metadata(self._h, micro_batch))


class AsyncManagerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_async_manager_release)

    def end_step(self, step: int) -> None:
        """Reports that a step has ended: tasks whose gate_step is not after it may begin. Never goes back."""
        _n.ckpt_async_manager_end_step(self._h, step)

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


class ChainMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_chain_release)

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

    def pin(self, step: int) -> None:
        """Pins the newest checkpoint of this step (>= 0) whose status is 0, durably: retention of this and later processes does not
        remove it. Earlier versions of the library do not know pins. NotFoundError when there is none; else as
        CheckpointManager.remove."""
        _n.ckpt_checkpoint_manager_pin(self._h, step)

    def unpin(self, step: int) -> None:
        """Takes the pins of all checkpoints of this step (>= 0) back, durably: the next save may remove them. NotFoundError when the
        step has no checkpoint; else as CheckpointManager.remove."""
        _n.ckpt_checkpoint_manager_unpin(self._h, step)


class ClockMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_clock_release)

    def advance(self, duration_ns: int) -> None:
        """Moves a manual clock forward by duration_ns (>= 0). InvalidStateError for any other clock, OutOfRangeError past 2**63 - 1."""
        _n.ckpt_clock_advance(self._h, duration_ns)


class ControllerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_controller_release)

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


class CoordinatorMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_coordinator_release)

    @property
    def rank(self) -> int:
        """Returns this process's rank, 0 .. world_size - 1."""
        return _n.ckpt_coordinator_get_rank(self._h)

    @property
    def world_size(self) -> int:
        """Returns the number of processes."""
        return _n.ckpt_coordinator_get_world_size(self._h)


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

    def clear_limit(self) -> None:
        """Removes the limit of the live total; a new tracker has none."""
        _n.ckpt_memory_tracker_clear_limit(self._h)

    def enable_events(self, enabled: bool) -> None:
        """Switches all events off (0) or on again (1). A new tracker has them on. Accounting goes on; what happened meanwhile is not
        reported later."""
        _n.ckpt_memory_tracker_enable_events(self._h, int(enabled))

    def set_peak_granularity(self, bytes: int) -> None:
        """Reports a new peak only when it is at least bytes (> 0) above the last one reported; 1 reports every new peak."""
        _n.ckpt_memory_tracker_set_peak_granularity(self._h, bytes)


class OptimizerMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_optimizer_release)

    @classmethod
    def adamw(cls, chain: Chain, **options: _o.adamw_options) -> Optimizer:
        """Creates an AdamW optimizer. Keeps the chain alive. Source: Loshchilov, Hutter, "Decoupled weight decay regularization",
        arXiv:1711.05101."""
        return cls._of(_n.ckpt_optimizer_create_adamw(chain._h, _o.adamw_options(**options)))

    def step(self) -> None:
        """Updates the parameters once with the gradients as they are."""
        _n.ckpt_optimizer_step(self._h)

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

    def json(self) -> str:
        """Returns the profile as JSON, as docs/plan.md describes it: seconds read back to the same bits."""
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

    def json(self) -> str:
        """Returns the program as JSON, as docs/guests.md describes it."""
        return _n.ckpt_program_get_json(self._h)


class ReaderMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_reader_release)


class ScheduleMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_schedule_release)
    _retain = staticmethod(_n.ckpt_schedule_retain)

    @classmethod
    def from_strategy(cls, profile: Profile, strategy: StrategyLike) -> Schedule:
        """Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and freezes its answers.
        Meanwhile its callbacks can add nothing to the profile (InvalidStateError). A chosen layer begins a segment (boundary) or is
        recomputed alone while all others record (recompute), as the strategy says. The schedule knows nothing of the strategy
        afterwards: Follower.next asks again. CallbackError when a custom one fails."""
        given = made_by["as_strategy"](strategy)
        return cls._of(_n.ckpt_schedule_create_from_strategy(profile._h, given._h))

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


class StateMethods:
    _h: Any
    _adopt: Any
    _of: Any
    _release = staticmethod(_n.ckpt_state_release)

    @property
    def tensor_count(self) -> int:
        """Returns the number of tensors in all groups."""
        return _n.ckpt_state_get_tensor_count(self._h)

    def set_json(self, key: str, json: str) -> None:
        """Sets the value of a key, replacing the one it had. key: not blank. json: one JSON value, copied. Integers must fit 64 bits,
        other numbers are IEEE doubles; no key twice in an object; nested at most 48 deep."""
        _n.ckpt_state_set_json(self._h, key, json)


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

    def sum(self) -> float:
        """Returns the sum of all elements, computed in F64 by pairwise summation (Higham, "The accuracy of floating point summation",
        SIAM J. Sci. Comput. 14, 1993); 0 when there are none. F32 and F64 only, else UnsupportedError."""
        return _n.ckpt_tensor_sum(self._h)


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
