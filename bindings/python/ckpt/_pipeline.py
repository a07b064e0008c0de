"""Pipelines of stages that work on several micro-batches at once, and the managers that keep or recompute their activations."""

from __future__ import annotations

from enum import IntEnum
import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _call_of, _fields, _hand_over, _handle, _Owned, _owners_of_threads, _timeout_ns
from ._common import Clock
from ._engine import Chain, Spec, _spec, _step
from ._memory import MemoryTracker
from ._plan import Profile, Schedule
from ._strategy import Strategy
from ._tensor import DType, Tensor, as_tensor

__all__ = [
    "ActivationPolicy", "ActivationPolicyKind", "ActivationManager", "ActivationMetadata", "Pipeline", "PipelineKind",
    "PipelineStats", "Interval", "IntervalKind", "Timeline", "pipeline_split", "pipeline_in_flight",
]


# ---- Activation checkpoint manager ----


class ActivationPolicyKind(IntEnum):
    """Which micro-batches' activations stay from forward to backward."""

    STORE_ALL = _n.CKPT_ACTIVATION_POLICY_KIND_STORE_ALL
    RECOMPUTE_ALL = _n.CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL
    SELECTIVE = _n.CKPT_ACTIVATION_POLICY_KIND_SELECTIVE
    MEMORY_BASED = _n.CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED
    STRATEGY = _n.CKPT_ACTIVATION_POLICY_KIND_STRATEGY
    AUTOMATIC = _n.CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC


class ActivationPolicy(NamedTuple):
    """Which activations stay; made by the functions below. Of one that a manager gives the strategy is None."""

    kind: ActivationPolicyKind = ActivationPolicyKind.STORE_ALL
    interval: int = 1
    threshold_bytes: int = 1 << 30
    strategy: Optional[Strategy] = None

    @classmethod
    def store_all(cls) -> "ActivationPolicy":
        """All: most memory, fastest backward."""
        return cls()

    @classmethod
    def recompute_all(cls) -> "ActivationPolicy":
        """None: least memory, slowest backward."""
        return cls(ActivationPolicyKind.RECOMPUTE_ALL)

    @classmethod
    def selective(cls, interval: int = 1) -> "ActivationPolicy":
        """Every interval-th, and always the first and the last."""
        return cls(ActivationPolicyKind.SELECTIVE, interval)

    @classmethod
    def memory_based(cls, threshold_bytes: int = 1 << 30) -> "ActivationPolicy":
        """What fits threshold_bytes; the oldest go first, the first and the last micro-batch stay."""
        return cls(ActivationPolicyKind.MEMORY_BASED, threshold_bytes=threshold_bytes)

    @classmethod
    def by_strategy(cls, strategy: Union[Strategy, Callable[[Any], Any]]) -> "ActivationPolicy":
        """What a Strategy, or a callable as for Strategy.custom, answers yes to: it is asked with the stage's name and the
        micro-batch as layer_index."""
        given = strategy if isinstance(strategy, Strategy) else Strategy.custom(strategy)
        return cls(ActivationPolicyKind.STRATEGY, strategy=given)

    @classmethod
    def automatic(cls) -> "ActivationPolicy":
        """Picked when a step begins, by how short the tracker's memory is."""
        return cls(ActivationPolicyKind.AUTOMATIC)


def _policy_struct(policy: ActivationPolicy) -> Any:
    """Borrows the policy's strategy."""
    struct = _native.ckpt_activation_policy()
    struct.kind = policy.kind
    struct.interval = policy.interval
    struct.threshold_bytes = policy.threshold_bytes
    struct.strategy = _handle(policy.strategy)
    return struct


class ActivationMetadata(NamedTuple):
    """What is known of a stored activation. stored_ns: on the manager's clock; hits: times it was read since."""

    micro_batch: int
    bytes: int
    shape: Tuple[int, ...]
    dtype: DType
    stored_ns: int
    hits: int


class _Forward(_native.StageForward):
    def __init__(self, function: Callable[[Tensor, int], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, input: Any, micro_batch: int) -> Any:
        _n.ckpt_tensor_retain(input)
        with Tensor._of(input) as given:
            made = as_tensor(self.function(given, micro_batch))
            handle = made._h
            _n.ckpt_tensor_retain(handle)  # the reference that is handed out
        return handle


class ActivationManager(_Owned):
    """Stores the activations of a stage's micro-batches as a policy says. Any thread may use it."""

    _release = staticmethod(_n.ckpt_activation_manager_release)

    def __init__(self, policy: ActivationPolicy = ActivationPolicy(), forward: Optional[Callable[[Tensor, int], Any]] = None, *,
                 name: str = "stage", tracker: Optional[MemoryTracker] = None, clock: Optional[Clock] = None) -> None:
        """forward(input, micro_batch): the stage's forward, which gives a Tensor or anything with a buffer; it runs on the thread
        that asks, and what it raises becomes CallbackError. None: nothing can be recomputed. name: of the stage, for strategies and
        the tracker."""
        options = _native.ckpt_activation_manager_options()
        options.name = name
        options.tracker = _handle(tracker)
        options.clock = _handle(clock)
        function = None if forward is None else _hand_over(_Forward(forward))
        self._adopt(_n.ckpt_activation_manager_create(_policy_struct(policy), options, function))

    @property
    def policy(self) -> ActivationPolicy:
        """The one in force: under automatic() the one that was picked. Setting it counts for what is stored from now on."""
        struct = _native.ckpt_activation_policy()
        _n.ckpt_activation_manager_get_policy(self._h, struct)
        return ActivationPolicy(ActivationPolicyKind(struct.kind), struct.interval, struct.threshold_bytes)

    @policy.setter
    def policy(self, policy: ActivationPolicy) -> None:
        _n.ckpt_activation_manager_set_policy(self._h, _policy_struct(policy))

    def begin_step(self, micro_batches: Optional[int] = None) -> None:
        """Clears, and says how many micro-batches the step has: which one is the last. None: not known."""
        _n.ckpt_activation_manager_begin_step(self._h, -1 if micro_batches is None else micro_batches)

    def should_checkpoint(self, micro_batch: int, bytes: int = 0) -> bool:
        """Whether a store of this many bytes would be kept now."""
        return bool(_n.ckpt_activation_manager_should_checkpoint(self._h, micro_batch, bytes))

    def store(self, micro_batch: int, activation: Any) -> bool:
        """Keeps a copy of the activation (a Tensor, or anything with a buffer) if the policy says so; whether it was kept."""
        shared = as_tensor(activation)
        return bool(_n.ckpt_activation_manager_store(self._h, micro_batch, shared._h))

    def store_given_up(self, micro_batch: int, activation: Any) -> bool:
        """The same without a copy. Nobody may write to the activation any more; a Tensor is closed when this succeeds."""
        shared = as_tensor(activation)
        kept = bool(_n.ckpt_activation_manager_store_moved(self._h, micro_batch, shared._h))
        shared._slot = None  # the manager has the reference
        return kept

    def get(self, micro_batch: int) -> Optional[Tensor]:
        """A read-only tensor over what is stored, or None. Its memory lives as long as it, also when the manager lets go of it."""
        found = _n.ckpt_activation_manager_get_activation(self._h, micro_batch)
        return None if found is None else Tensor._of(found)

    def __contains__(self, micro_batch: int) -> bool:
        """Whether the activation is stored."""
        return bool(_n.ckpt_activation_manager_has_activation(self._h, micro_batch))

    def recompute(self, input: Any, micro_batch: int) -> Tensor:
        """Runs the stage's forward. Nothing is stored. InvalidStateError without a forward."""
        shared = as_tensor(input)
        return Tensor._of(_n.ckpt_activation_manager_recompute(self._h, shared._h, micro_batch))

    def get_or_compute(self, input: Any, micro_batch: int) -> Tensor:
        """What is stored, or else what recompute gives."""
        shared = as_tensor(input)
        return Tensor._of(_n.ckpt_activation_manager_get_or_compute(self._h, shared._h, micro_batch))

    def clear(self) -> None:
        """Lets go of all that is stored."""
        _n.ckpt_activation_manager_clear(self._h)

    def memory_usage(self) -> int:
        """Exact bytes of what is stored."""
        return _n.ckpt_activation_manager_get_memory_usage(self._h)[0]

    def __len__(self) -> int:
        """Number of activations that are stored."""
        return _n.ckpt_activation_manager_get_memory_usage(self._h)[1]

    def __bool__(self) -> bool:
        return True  # also when nothing is stored

    def metadata(self, micro_batch: int) -> ActivationMetadata:
        """What is known of a stored activation; NotFoundError when it is not stored."""
        struct = _native.ckpt_activation_metadata()
        _n.ckpt_activation_manager_get_metadata(self._h, micro_batch, struct)
        return ActivationMetadata(struct.micro_batch, struct.bytes, struct.shape[:struct.ndim], DType(struct.dtype),
                                  struct.stored_ns, struct.hits)

    def micro_batches(self) -> List[int]:
        """Those that are stored, ascending."""
        return list(_n.ckpt_activation_manager_list(self._h))


# ---- Pipelines ----


class PipelineKind(IntEnum):
    """In which order stages run the micro-batches' forwards and backwards. GPIPE: all forwards, then all backwards. ONE_F_ONE_B: in
    turn after a warm-up. INTERLEAVED: the same over several chunks a stage."""

    GPIPE = _n.CKPT_PIPELINE_ORDER_GPIPE
    ONE_F_ONE_B = _n.CKPT_PIPELINE_ORDER_1F1B
    INTERLEAVED = _n.CKPT_PIPELINE_ORDER_INTERLEAVED


_kinds = {"gpipe": PipelineKind.GPIPE, "1f1b": PipelineKind.ONE_F_ONE_B, "interleaved": PipelineKind.INTERLEAVED}


def _options(kind: Union[int, str], stages: int, micro_batches: int, chunks: int) -> Any:
    struct = _native.ckpt_pipeline_options()
    if isinstance(kind, str) and kind not in _kinds:
        raise ValueError(f"schedule is '{kind}'; one of {', '.join(_kinds)}")
    struct.schedule = _kinds[kind] if isinstance(kind, str) else kind
    struct.stages = stages
    struct.micro_batches = micro_batches
    struct.chunks = chunks
    return struct


def pipeline_split(profile: Profile, stages: int, micro_batches: int = 1, *, schedule: Union[int, str] = PipelineKind.ONE_F_ONE_B,
                   chunks: int = 1) -> List[int]:
    """Where a chain is cut into stages * chunks pieces of equal time: their first layers. profile: of one micro-batch."""
    return list(_n.ckpt_pipeline_split(profile._h, _options(schedule, stages, micro_batches, chunks)))


def pipeline_in_flight(piece: int, stages: int, micro_batches: int, *, schedule: Union[int, str] = PipelineKind.ONE_F_ONE_B,
                       chunks: int = 1) -> int:
    """The most micro-batches of a piece that are between their forward and the end of their backward."""
    return _n.ckpt_pipeline_get_in_flight(_options(schedule, stages, micro_batches, chunks), piece)


class PipelineStats(NamedTuple):
    """What a stage measured since the pipeline was made. busy_ns: of the last step."""

    in_flight: int
    first_layer: int
    layers: int
    steps: int
    forwards: int
    recomputed_forwards: int
    kept: int
    recomputed: int
    peak_live_bytes: int
    reserved_bytes: int
    queue_bytes: int
    busy_ns: int


class IntervalKind(IntEnum):
    """What a stage does in an interval. WAIT: sends, or waits for a neighbour."""

    FORWARD = _n.CKPT_INTERVAL_KIND_FORWARD
    RECOMPUTE = _n.CKPT_INTERVAL_KIND_RECOMPUTE
    BACKWARD = _n.CKPT_INTERVAL_KIND_BACKWARD
    WAIT = _n.CKPT_INTERVAL_KIND_WAIT


class Interval(NamedTuple):
    """What one stage did for a while; nanoseconds since the step began."""

    kind: IntervalKind
    stage: int
    chunk: int
    micro_batch: int
    begin_ns: int
    end_ns: int


class Timeline(NamedTuple):
    """The last step that ended well: its intervals by stage, then by time, and how long it took."""

    intervals: List[Interval]
    step_ns: int


class Pipeline(_Owned):
    """Stages that run a chain's steps, each on a thread of its own. Losses and gradients are the same bits as with one stage and
    the same micro-batches. While a step runs, calls of other threads but cancel raise BusyError."""

    _release = staticmethod(_n.ckpt_pipeline_release)

    def __init__(self, chain: Chain, input: Spec, stages: int, micro_batches: int = 1, *,
                 schedule: Union[int, str] = PipelineKind.ONE_F_ONE_B, chunks: int = 1, threads_per_stage: int = 1,
                 measured_steps: int = 3, begins: Sequence[int] = (), queue_places: int = 0, budget_bytes: int = 0,
                 strategy: Optional[Strategy] = None, schedules: Sequence[Schedule] = (), policy: Optional[ActivationPolicy] = None,
                 tracker: Optional[MemoryTracker] = None) -> None:
        """input: (dtype, shape) of the whole batch, which micro_batches divides. schedule: a PipelineKind, or "gpipe", "1f1b",
        "interleaved" (with chunks a stage). begins: the pieces' first layers, else pipeline_split's. budget_bytes: each stage takes
        the fastest plan that fits. strategy chooses each piece's plan, or schedules are the plans themselves. policy: of every
        stage's activation manager. The rest as in ckpt_pipeline_options (pipeline.h). OverBudgetError when no plan fits."""
        options = _options(schedule, stages, micro_batches, chunks)
        options.threads_per_stage = threads_per_stage
        options.measured_steps = measured_steps
        options.queue_places = queue_places
        options.budget_bytes = budget_bytes
        options.strategy = _handle(strategy)
        options.tracker = _handle(tracker)
        self.stages = stages
        self.micro_batches = micro_batches
        self._adopt(_n.ckpt_pipeline_create(chain._h, _spec(input), options, list(begins), [plan._h for plan in schedules],
                                            None if policy is None else _policy_struct(policy)))
        _owners_of_threads.add(self)

    def run(self, input: Any, targets: Any = None, *, step: int = 0, seed: int = 0, first_sample: int = 0, output: Any = None,
            output_gradient: Any = None, input_gradient: Any = None, accumulate: bool = False,
            timeout: Optional[float] = None) -> float:
        """One step of the whole batch, with data as for Executor.run. Gives the mean loss of the micro-batches, or NaN where the
        output has more than one element. TimeoutError, CancelledError, or what a stage failed of; the next step works."""
        return self.run_losses(input, targets, step=step, seed=seed, first_sample=first_sample, output=output,
                               output_gradient=output_gradient, input_gradient=input_gradient, accumulate=accumulate,
                               timeout=timeout)[0]

    def run_losses(self, input: Any, targets: Any = None, *, step: int = 0, seed: int = 0, first_sample: int = 0,
                   output: Any = None, output_gradient: Any = None, input_gradient: Any = None, accumulate: bool = False,
                   timeout: Optional[float] = None) -> Tuple[float, Tuple[float, ...]]:
        """Like run, and gives each micro-batch's loss, too."""
        struct, _tensors = _step(input, targets, step, seed, first_sample, output, output_gradient, input_gradient, accumulate)
        with _call_of(self):
            losses, loss = _n.ckpt_pipeline_run(self._h, struct, _timeout_ns(timeout), self.micro_batches)
        return loss, losses

    def cancel(self) -> None:
        """Asks the step that is running to end with CancelledError; does not wait. Any thread, also a layer's."""
        _n.ckpt_pipeline_cancel(self._h)

    def begins(self) -> List[int]:
        """First layers of the pieces."""
        return list(_n.ckpt_pipeline_get_begins(self._h))

    def manager(self, stage: int) -> ActivationManager:
        """A stage's activation manager. Its policy is asked when a step begins which micro-batches' tapes stay."""
        return ActivationManager._of(_n.ckpt_pipeline_get_manager(self._h, stage))

    def schedule(self, stage: int) -> Schedule:
        """A stage's whole step, with SEND and RECEIVE."""
        return Schedule._of(_n.ckpt_pipeline_get_schedule(self._h, stage))

    def profile(self, stage: int) -> Profile:
        """What that schedule is verified against."""
        return Profile._of(_n.ckpt_pipeline_get_profile(self._h, stage))

    def stats(self, stage: int) -> PipelineStats:
        """What a stage measured."""
        struct = _native.ckpt_pipeline_stats()
        _n.ckpt_pipeline_get_stats(self._h, stage, struct)
        return _fields(PipelineStats, struct)

    def timeline(self) -> Timeline:
        """Who did what when in the last step that ended well."""
        intervals, step_ns = _n.ckpt_pipeline_get_timeline(self._h)
        return Timeline([Interval(IntervalKind(values[0]), *values[1:]) for values in intervals], step_ns)

    def trace(self) -> Dict[str, Any]:
        """The same as Chrome's trace events: json.dump it for chrome://tracing or Perfetto."""
        return json.loads(_n.ckpt_pipeline_get_trace_json(self._h))
