"""Pipelines of stages that work on several micro-batches at once, and the managers that keep or recompute their activations."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _call_of, _callbacks, _Owned, _owners_of_threads, _timeout_ns
from ._engine import Chain, Spec, _spec
from ._plan import Profile, Schedule
from ._strategy import StrategyLike, _as_strategy
from ._tensor import Tensor, as_tensor
from .generated import methods as _m, options as _o, values as _v
from .generated.values import ActivationPolicyKind, PipelineInterval, PipelineOrder

__all__ = ["ActivationPolicy", "ActivationManager", "Pipeline", "Timeline", "pipeline_split", "pipeline_in_flight"]


# ---- Activation checkpoint manager ----


class ActivationPolicy(_v.ActivationPolicy):
    __doc__ = _v.ActivationPolicy.__doc__
    __slots__ = ()

    @classmethod
    def store_all(cls) -> "ActivationPolicy":
        """Stores all activations: most memory, fastest backward."""
        return cls()

    @classmethod
    def recompute_all(cls) -> "ActivationPolicy":
        """Stores no activations: least memory, slowest backward."""
        return cls(ActivationPolicyKind.RECOMPUTE_ALL)

    @classmethod
    def selective(cls, interval: int) -> "ActivationPolicy":
        """Stores every interval-th micro-batch, and always the first and the last."""
        return cls(ActivationPolicyKind.SELECTIVE, interval)

    @classmethod
    def memory_based(cls, threshold_bytes: int) -> "ActivationPolicy":
        """Stores at most threshold_bytes; drops the oldest first, except the first and the last micro-batch."""
        return cls(ActivationPolicyKind.MEMORY_BASED, threshold_bytes=threshold_bytes)

    @classmethod
    def by_strategy(cls, strategy: StrategyLike) -> "ActivationPolicy":
        """Stores the micro-batches that a strategy selects: it gets the stage's name, and the micro-batch as layer_index."""
        return cls(ActivationPolicyKind.STRATEGY, strategy=_as_strategy(strategy))

    @classmethod
    def automatic(cls) -> "ActivationPolicy":
        """Chosen when a step begins, by the available memory; _replace(memory_limit_bytes=...) sets that amount."""
        return cls(ActivationPolicyKind.AUTOMATIC)


def _forward_of(function: Callable[[Tensor, int], Any]) -> Any:
    def forward(input: Any, micro_batch: int) -> Any:
        _n.ckpt_tensor_retain(input)
        with Tensor._of(input) as given:
            created = as_tensor(function(given, micro_batch))
            handle = created._h
            _n.ckpt_tensor_retain(handle)  # the reference that the caller gets
        return handle

    return _callbacks(_native.StageForward, forward=forward)


class ActivationManager(_m.ActivationManagerMethods, _Owned):
    """Stores the activations of a stage's micro-batches by a policy. Any thread may use it."""

    def __init__(self, policy: ActivationPolicy = ActivationPolicy(), forward: Optional[Callable[[Tensor, int], Any]] = None,
                 **options: _o.activation_manager_options) -> None:
        """forward(input, micro_batch): the stage's forward, which returns a Tensor or anything with a buffer. It runs on the thread
        that requests the activation, and its exceptions become CallbackError. None: nothing can be recomputed."""
        kept, given = _o.activation_policy(*policy), _o.activation_manager_options(**options)
        function = None if forward is None else _forward_of(forward)
        self._adopt(_n.ckpt_activation_manager_create(kept, given, function))

    @property
    def policy(self) -> ActivationPolicy:
        """The policy in force, without its strategy; under automatic() the chosen one. A new policy applies to activations that are
        stored from then on."""
        return ActivationPolicy._of(_n.ckpt_activation_manager_get_policy(self._h))

    @policy.setter
    def policy(self, policy: ActivationPolicy) -> None:
        _n.ckpt_activation_manager_set_policy(self._h, _o.activation_policy(*policy))

    def begin_step(self, micro_batches: Optional[int] = None) -> None:
        """Removes all activations and sets the step's number of micro-batches, which determines the last one. None: not known."""
        _n.ckpt_activation_manager_begin_step(self._h, micro_batches or 0)

    def store_moved(self, micro_batch: int, activation: Any) -> bool:
        """Like store, without a copy. The activation must not be written to any more; a Tensor is closed on success."""
        shared = as_tensor(activation)
        kept = bool(_n.ckpt_activation_manager_store_moved(self._h, micro_batch, shared._h))
        shared._slot = None  # the manager owns the reference
        return kept

    def memory_usage(self) -> int:
        """Exact bytes of the stored activations."""
        return _n.ckpt_activation_manager_get_memory_usage(self._h)[0]

    def __len__(self) -> int:
        """Returns the number of stored activations."""
        return _n.ckpt_activation_manager_get_memory_usage(self._h)[1]

    def __bool__(self) -> bool:
        return True  # also when empty


# ---- Pipelines ----


_orders = {"gpipe": PipelineOrder.GPIPE, "1f1b": PipelineOrder.ONE_F_ONE_B, "interleaved": PipelineOrder.INTERLEAVED}


def _options(order: Union[int, str, None], options: Dict[str, Any]) -> Any:
    if isinstance(order, str) and order not in _orders:
        raise ValueError(f"order '{order}': expected one of {', '.join(_orders)}")
    if order is not None:
        options["order"] = _orders[order] if isinstance(order, str) else order
    return _o.pipeline_options(**options)


def pipeline_split(profile: Profile, *, order: Union[int, str, None] = None,
                   **options: _o.pipeline_options) -> List[int]:
    """Divides a chain into stages * chunks pieces of equal time; returns their first layers. profile: of one micro-batch."""
    return list(_n.ckpt_pipeline_split(profile._h, _options(order, options)))


def pipeline_in_flight(piece: int, *, order: Union[int, str, None] = None, **options: _o.pipeline_options) -> int:
    """Returns the most micro-batches of a piece that are between their forward and the end of their backward at once."""
    return _n.ckpt_pipeline_get_in_flight(_options(order, options), piece)


class Timeline(NamedTuple):
    """The last step that succeeded: its intervals by stage, then by time, and its duration."""

    intervals: List[PipelineInterval]
    step_ns: int


class Pipeline(_m.PipelineMethods, _Owned):
    """Stages that run a chain's steps, each on its own thread. Losses and gradients have the same bits as with one stage and the
    same micro-batches. While a step runs, calls of other threads except cancel raise BusyError."""

    def __init__(self, chain: Chain, input: Spec, *, order: Union[int, str, None] = None, begins: Sequence[int] = (),
                 schedules: Sequence[Schedule] = (), policy: Optional[ActivationPolicy] = None,
                 **options: _o.pipeline_options) -> None:
        """input: (dtype, shape) of the whole batch, which micro_batches divides. order: also "gpipe", "1f1b" or "interleaved".
        begins: the first layers of the pieces, by default those of pipeline_split. schedules: the plans of the pieces. policy: of
        every stage's activation manager. Raises OverBudgetError when no plan fits."""
        given = _options(order, options)
        self.stages = given.stages
        self.micro_batches = given.micro_batches
        kept = None if policy is None else _o.activation_policy(*policy)
        self._adopt(_n.ckpt_pipeline_create(chain._h, _spec(input), given, list(begins), [plan._h for plan in schedules], kept))
        _owners_of_threads.add(self)

    def run(self, input: Any, targets: Any = None, *, timeout: Optional[float] = None, **step: _o.step) -> float:
        """Runs one step of the whole batch, with data as for ScheduleExecutor.run. Returns the mean loss of the micro-batches, or
        NaN if the output has more than one element. Raises TimeoutError, CancelledError, or the error of a stage; the next step
        works."""
        return self.run_losses(input, targets, timeout=timeout, **step)[0]

    def run_losses(self, input: Any, targets: Any = None, *, timeout: Optional[float] = None,
                   **step: _o.step) -> Tuple[float, Tuple[float, ...]]:
        """Like run, and also returns each micro-batch's loss."""
        given = _o.step(input=input, targets=targets, **step)
        with _call_of(self):
            losses, loss = _n.ckpt_pipeline_run(self._h, given, _timeout_ns(timeout), self.micro_batches)
        return loss, losses

    def timeline(self) -> Timeline:
        """Returns which stage ran which action, and when, in the last step that succeeded."""
        intervals, step_ns = _n.ckpt_pipeline_get_timeline(self._h)
        return Timeline([PipelineInterval._of(interval) for interval in intervals], step_ns)
