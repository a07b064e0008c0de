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
        """All: most memory, fastest backward."""
        return cls()

    @classmethod
    def recompute_all(cls) -> "ActivationPolicy":
        """None: least memory, slowest backward."""
        return cls(ActivationPolicyKind.RECOMPUTE_ALL)

    @classmethod
    def selective(cls, interval: int) -> "ActivationPolicy":
        """Every interval-th, and always the first and the last."""
        return cls(ActivationPolicyKind.SELECTIVE, interval)

    @classmethod
    def memory_based(cls, threshold_bytes: int) -> "ActivationPolicy":
        """What fits threshold_bytes; the oldest go first, the first and the last micro-batch stay."""
        return cls(ActivationPolicyKind.MEMORY_BASED, threshold_bytes=threshold_bytes)

    @classmethod
    def by_strategy(cls, strategy: StrategyLike) -> "ActivationPolicy":
        """What a strategy answers yes to: it is asked with the stage's name and the micro-batch as layer_index."""
        return cls(ActivationPolicyKind.STRATEGY, strategy=_as_strategy(strategy))

    @classmethod
    def automatic(cls) -> "ActivationPolicy":
        """Picked when a step begins, by how short memory is; with _replace(memory_limit_bytes=...) of so much."""
        return cls(ActivationPolicyKind.AUTOMATIC)


def _forward_of(function: Callable[[Tensor, int], Any]) -> Any:
    def forward(input: Any, micro_batch: int) -> Any:
        _n.ckpt_tensor_retain(input)
        with Tensor._of(input) as given:
            made = as_tensor(function(given, micro_batch))
            handle = made._h
            _n.ckpt_tensor_retain(handle)  # the reference that is handed out
        return handle

    return _callbacks(_native.StageForward, forward=forward)


class ActivationManager(_m.ActivationManagerMethods, _Owned):
    """Stores the activations of a stage's micro-batches as a policy says. Any thread may use it."""

    def __init__(self, policy: ActivationPolicy = ActivationPolicy(), forward: Optional[Callable[[Tensor, int], Any]] = None,
                 **options: _o.activation_manager_options) -> None:
        """forward(input, micro_batch): the stage's forward, which returns a Tensor or anything with a buffer; it runs on the thread
        that asks, and what it raises becomes CallbackError. None: nothing can be recomputed."""
        kept, given = _o.activation_policy(*policy), _o.activation_manager_options(**options)
        function = None if forward is None else _forward_of(forward)
        self._adopt(_n.ckpt_activation_manager_create(kept, given, function))

    @property
    def policy(self) -> ActivationPolicy:
        """The one in force, its strategy left out: under automatic() the one that was picked. Setting it counts for what is stored
        from now on."""
        return ActivationPolicy._of(_n.ckpt_activation_manager_get_policy(self._h))

    @policy.setter
    def policy(self, policy: ActivationPolicy) -> None:
        _n.ckpt_activation_manager_set_policy(self._h, _o.activation_policy(*policy))

    def begin_step(self, micro_batches: Optional[int] = None) -> None:
        """Clears, and says how many micro-batches the step has: which one is the last. None: not known."""
        _n.ckpt_activation_manager_begin_step(self._h, micro_batches or 0)

    def store_moved(self, micro_batch: int, activation: Any) -> bool:
        """The same without a copy. No caller may write to the activation any more; a Tensor is closed when this succeeds."""
        shared = as_tensor(activation)
        kept = bool(_n.ckpt_activation_manager_store_moved(self._h, micro_batch, shared._h))
        shared._slot = None  # the manager has the reference
        return kept

    def memory_usage(self) -> int:
        """Exact bytes of what is stored."""
        return _n.ckpt_activation_manager_get_memory_usage(self._h)[0]

    def __len__(self) -> int:
        """Number of activations that are stored."""
        return _n.ckpt_activation_manager_get_memory_usage(self._h)[1]

    def __bool__(self) -> bool:
        return True  # also when nothing is stored


# ---- Pipelines ----


_orders = {"gpipe": PipelineOrder.GPIPE, "1f1b": PipelineOrder.ONE_F_ONE_B, "interleaved": PipelineOrder.INTERLEAVED}


def _options(order: Union[int, str, None], options: Dict[str, Any]) -> Any:
    if isinstance(order, str) and order not in _orders:
        raise ValueError(f"order is '{order}'; one of {', '.join(_orders)}")
    if order is not None:
        options["order"] = _orders[order] if isinstance(order, str) else order
    return _o.pipeline_options(**options)


def pipeline_split(profile: Profile, *, order: Union[int, str, None] = None,
                   **options: _o.pipeline_options) -> List[int]:
    """Where a chain is cut into stages * chunks pieces of equal time: their first layers. profile: of one micro-batch."""
    return list(_n.ckpt_pipeline_split(profile._h, _options(order, options)))


def pipeline_in_flight(piece: int, *, order: Union[int, str, None] = None, **options: _o.pipeline_options) -> int:
    """The most micro-batches of a piece that are between their forward and the end of their backward."""
    return _n.ckpt_pipeline_get_in_flight(_options(order, options), piece)


class Timeline(NamedTuple):
    """The last step that ended well: its intervals by stage, then by time, and how long it took."""

    intervals: List[PipelineInterval]
    step_ns: int


class Pipeline(_m.PipelineMethods, _Owned):
    """Stages that run a chain's steps, each on a thread of its own. Losses and gradients are the same bits as with one stage and
    the same micro-batches. While a step runs, calls of other threads but cancel raise BusyError."""

    def __init__(self, chain: Chain, input: Spec, *, order: Union[int, str, None] = None, begins: Sequence[int] = (),
                 schedules: Sequence[Schedule] = (), policy: Optional[ActivationPolicy] = None,
                 **options: _o.pipeline_options) -> None:
        """input: (dtype, shape) of the whole batch, which micro_batches divides. order: also "gpipe", "1f1b" or "interleaved".
        begins: the pieces' first layers, else pipeline_split's. schedules: the plans of the pieces themselves. policy: of every
        stage's activation manager. OverBudgetError when no plan fits."""
        given = _options(order, options)
        self.stages = given.stages
        self.micro_batches = given.micro_batches
        kept = None if policy is None else _o.activation_policy(*policy)
        self._adopt(_n.ckpt_pipeline_create(chain._h, _spec(input), given, list(begins), [plan._h for plan in schedules], kept))
        _owners_of_threads.add(self)

    def run(self, input: Any, targets: Any = None, *, timeout: Optional[float] = None, **step: _o.step) -> float:
        """One step of the whole batch, with data as for ScheduleExecutor.run. Returns the mean loss of the micro-batches, or NaN
        where the output has more than one element. TimeoutError, CancelledError, or what a stage failed of; the next step works."""
        return self.run_losses(input, targets, timeout=timeout, **step)[0]

    def run_losses(self, input: Any, targets: Any = None, *, timeout: Optional[float] = None,
                   **step: _o.step) -> Tuple[float, Tuple[float, ...]]:
        """Like run, and returns each micro-batch's loss, too."""
        given = _o.step(input=input, targets=targets, **step)
        with _call_of(self):
            losses, loss = _n.ckpt_pipeline_run(self._h, given, _timeout_ns(timeout), self.micro_batches)
        return loss, losses

    def timeline(self) -> Timeline:
        """Who did what when in the last step that ended well."""
        intervals, step_ns = _n.ckpt_pipeline_get_timeline(self._h)
        return Timeline([PipelineInterval._of(interval) for interval in intervals], step_ns)
