"""Which layers to checkpoint, asked one layer at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _fields, _hand_over, _handle, _Owned
from ._common import Clock
from ._memory import MemoryTracker
from ._tensor import DType, DTypeLike, Tensor, _by_number, _dtype

__all__ = [
    "Strategy", "CheckpointStrategy", "CheckpointStrategyFactory", "StrategyQuestion", "StrategyCounters", "StrategyChosen",
    "register_strategy", "unregister_strategy", "known_strategies",
]


class StrategyChosen:
    """What a yes means."""

    DEFAULT = _n.CKPT_STRATEGY_CHOSEN_DEFAULT
    RECOMPUTE = _n.CKPT_STRATEGY_CHOSEN_RECOMPUTE
    BOUNDARY = _n.CKPT_STRATEGY_CHOSEN_BOUNDARY


class StrategyCounters(NamedTuple):
    """What a strategy did since it was made or reset."""

    asked: int
    chosen: int
    chosen_bytes: int


class StrategyQuestion(NamedTuple):
    """What a callable of yours is asked."""

    layer_name: str
    dtype: DType
    shape: Tuple[int, ...]
    bytes: int
    layer_index: int


class CheckpointStrategy(ABC):
    """Derive from this for a strategy of your own, and hand it to Strategy.custom."""

    @abstractmethod
    def should_checkpoint(self, question: StrategyQuestion) -> bool:
        """True to keep the activation."""

    def reset(self) -> None:
        """The strategy is reset."""

    def observe_access(self, layer_name: str) -> None:
        """The layer's activation was used."""


class _Functions(_native.StrategyFunctions):
    def __init__(self, decide: Callable[[StrategyQuestion], Any], on_reset: Optional[Callable[[], Any]],
                 on_access: Optional[Callable[[str], Any]]) -> None:
        super().__init__()
        self.decide_function = decide
        self.on_reset = on_reset
        self.on_access = on_access

    def decide(self, layer_name: str, dtype: int, shape: Tuple[int, ...], bytes: int, layer_index: int) -> bool:
        return bool(self.decide_function(StrategyQuestion(layer_name, _by_number[dtype], shape, bytes, layer_index)))

    def reset(self) -> None:
        if self.on_reset is not None:
            self.on_reset()

    def access(self, layer_name: str) -> None:
        if self.on_access is not None:
            self.on_access(layer_name)


class Strategy(_Owned):
    """Answers for one layer after the other whether to checkpoint it. Several threads may ask at once."""

    _release = staticmethod(_n.ckpt_strategy_release)

    def __init__(self, text: str = "interval:2") -> None:
        """From the text form: "interval:2", "any(size:1MiB,interval:8)", ..."""
        self._adopt(_n.ckpt_strategy_create(text))

    @classmethod
    def interval(cls, interval: int = 2) -> "Strategy":
        """Every n-th layer, beginning with layer 0."""
        return cls._of(_n.ckpt_strategy_create_interval(interval))

    @classmethod
    def selective(cls, names: Sequence[str], excluded: Sequence[str] = ()) -> "Strategy":
        """Layers in names and not in excluded (names or globs)."""
        return cls._of(_n.ckpt_strategy_create_selective(list(names), list(excluded)))

    @classmethod
    def size_based(cls, threshold_bytes: int = 1 << 20, excluded: Sequence[str] = ()) -> "Strategy":
        """Activations of at least threshold_bytes."""
        return cls._of(_n.ckpt_strategy_create_size_based(threshold_bytes, list(excluded)))

    @classmethod
    def memory_aware(cls, max_share: float = 0.8, tracker: Optional[MemoryTracker] = None, total_bytes: int = 0,
                     clock: Optional[Clock] = None) -> "Strategy":
        """Every n-th layer; n shrinks while memory is short."""
        return cls._of(_n.ckpt_strategy_create_memory_aware(max_share, _handle(tracker), total_bytes, _handle(clock)))

    @classmethod
    def smart(cls, excluded: Sequence[str] = ()) -> "Strategy":
        """Large, rarely used and late layers, after watching the first."""
        return cls._of(_n.ckpt_strategy_create_smart(list(excluded)))

    @classmethod
    def any_of(cls, children: Sequence["Strategy"]) -> "Strategy":
        return cls._of(_n.ckpt_strategy_create_any([child._h for child in children]))

    @classmethod
    def all_of(cls, children: Sequence["Strategy"]) -> "Strategy":
        return cls._of(_n.ckpt_strategy_create_all([child._h for child in children]))

    @classmethod
    def not_of(cls, child: "Strategy") -> "Strategy":
        return cls._of(_n.ckpt_strategy_create_not(child._h))

    @classmethod
    def first_of(cls, rules: Sequence[Tuple[str, "Strategy"]], fallback: "Strategy") -> "Strategy":
        """Asks the child of the first rule (a name, a glob, or "#2..7") that matches the layer."""
        return cls._of(_n.ckpt_strategy_create_first([rule for rule, _ in rules], [child._h for _, child in rules], fallback._h))

    @classmethod
    def custom(cls, decide: Union[Callable[[StrategyQuestion], Any], CheckpointStrategy], name: str = "Custom",
               on_reset: Optional[Callable[[], Any]] = None, on_access: Optional[Callable[[str], Any]] = None) -> "Strategy":
        """A strategy that asks decide(question), or a CheckpointStrategy. It runs on the thread that asks; what it raises makes the
        question fail with CallbackError."""
        if isinstance(decide, CheckpointStrategy):
            functions = _Functions(decide.should_checkpoint, decide.reset, decide.observe_access)
        else:
            functions = _Functions(decide, on_reset, on_access)
        return cls._of(_n.ckpt_strategy_create_custom(name, _hand_over(functions)))

    @classmethod
    def from_config(cls, kind: str = "interval", *, chosen: int = StrategyChosen.DEFAULT, interval: int = 2,
                    names: Sequence[str] = (), excluded: Sequence[str] = (), threshold_bytes: int = 1 << 20, max_share: float = 0.8,
                    tracker: Optional[MemoryTracker] = None, total_bytes: int = 0, clock: Optional[Clock] = None,
                    large_factor: float = 1.5, rare_accesses: int = 2, late_share: float = 0.7,
                    children: Sequence["Strategy"] = (), rules: Sequence[str] = (), arguments: str = "") -> "Strategy":
        """Any kind from one set of fields, of which each kind reads its own."""
        return cls._of(_n.ckpt_strategy_create_from_config(kind, chosen, interval, list(names), list(excluded), threshold_bytes, max_share,
                                               _handle(tracker), total_bytes, _handle(clock), large_factor, rare_accesses,
                                               late_share, [child._h for child in children], list(rules), arguments))

    def should_checkpoint(self, layer_name: str, activation: Union[Tensor, Tuple[DTypeLike, Sequence[int]], Any],
                          layer_index: int) -> bool:
        """Asks about one layer. activation: a Tensor, anything with dtype and shape (a numpy array), or (dtype, shape)."""
        if isinstance(activation, Tensor):
            return bool(_n.ckpt_strategy_should_checkpoint(self._h, layer_name, activation._h, layer_index))
        dtype, shape = activation if isinstance(activation, tuple) else (activation.dtype, activation.shape)
        return bool(_n.ckpt_strategy_should_checkpoint_shape(self._h, layer_name, _dtype(dtype), list(shape), layer_index))

    def observe_access(self, layer_name: str) -> None:
        """Tells that the layer's activation was used."""
        _n.ckpt_strategy_observe_access(self._h, layer_name)

    def reset(self) -> None:
        """Back to the state after creation."""
        _n.ckpt_strategy_reset(self._h)

    @property
    def name(self) -> str:
        """"Interval(2)", "SizeBased(1MB)", ..."""
        return _n.ckpt_strategy_get_name(self._h)

    @property
    def chosen(self) -> int:
        """What a yes means: StrategyChosen.RECOMPUTE or BOUNDARY."""
        return _n.ckpt_strategy_get_chosen(self._h)

    @chosen.setter
    def chosen(self, chosen: int) -> None:
        _n.ckpt_strategy_set_chosen(self._h, chosen)

    def counters(self) -> StrategyCounters:
        struct = _native.ckpt_strategy_counters()
        _n.ckpt_strategy_get_counters(self._h, struct)
        return _fields(StrategyCounters, struct)

    def share(self) -> "Strategy":
        """Another reference to the same strategy."""
        _n.ckpt_strategy_retain(self._h)
        return Strategy._of(self._h)


class _Factory(_native.StrategyFactory):
    def __init__(self, function: Callable[[str], Strategy]) -> None:
        super().__init__()
        self.function = function

    def make(self, arguments: str) -> Any:
        return self.function(arguments).share()._give_up()


def _give_up(self: Strategy) -> Any:
    handle, self._slot = self._slot, None
    return handle


Strategy._give_up = _give_up  # type: ignore[attr-defined]


def register_strategy(name: str, factory: Callable[[str], Strategy]) -> None:
    """Makes a kind known to text and config: factory gets the text behind the kind's name."""
    _n.ckpt_strategy_register(name, _hand_over(_Factory(factory)))


def unregister_strategy(name: str) -> None:
    """Forgets a registered kind; strategies made by it live on."""
    _n.ckpt_strategy_unregister(name)


def known_strategies() -> List[str]:
    """The kinds that text can name."""
    return _n.ckpt_strategy_get_known_kinds().split(", ")


class CheckpointStrategyFactory:
    """The usual strategies by name."""

    create_interval = Strategy.interval
    create_selective = Strategy.selective
    create_size_based = Strategy.size_based
    create_memory_aware = Strategy.memory_aware
    create_smart = Strategy.smart
    create_strategy = Strategy.from_config
