"""Strategies: which layers to checkpoint, decided layer by layer."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _nothing, _Shared
from ._common import Clock
from ._memory import MemoryTracker
from ._root import made_by
from ._tensor import DTypeLike, Tensor, _dtype
from .generated import methods as _m, options as _o
from .generated.values import StrategyList, StrategyQuestion, _DType

__all__ = ["Strategy", "CustomStrategy", "register_strategy"]


class _NameOfClass:
    """An attribute with the class's name as its default; classes and objects may override it."""

    def __get__(self, instance: Any, owner: type) -> str:
        return owner.__name__


class CustomStrategy(ABC):
    """Base of custom strategies, which are accepted wherever a Strategy is. Infos, schedules and the log show its name: that of its
    class, unless name is defined."""

    name: str = _NameOfClass()  # type: ignore[assignment]  # read once, when the library receives the strategy

    @abstractmethod
    def should_checkpoint(self, question: StrategyQuestion) -> bool:
        """Returns True to keep the activation."""

    def reset(self) -> None:
        """Called when the strategy is reset."""

    def observe_access(self, layer_name: str) -> None:
        """Called when the layer's activation was used."""


class Strategy(_m.StrategyMethods, _Shared):
    """Decides layer by layer whether to checkpoint. Several threads may use it at once."""

    def __init__(self, text: str = "interval:2", children: Sequence[StrategyLike] = (), **options: _o.strategy_options) -> None:
        """Creates a strategy from text: "interval:2", "any(size:1MiB,$0)", ... children: the strategies $0, $1, ... in it."""
        created = [_as_strategy(child) for child in children]
        self._adopt(_n.ckpt_strategy_create_with_options(text, _o.strategy_options(**options), [child._h for child in created]))

    @classmethod
    def interval(cls, interval: int = 2) -> "Strategy":
        """Checkpoints every n-th layer, beginning with layer 0."""
        return cls(f"interval:{interval}")

    @classmethod
    def selective(cls, names: Sequence[str], excluded: Sequence[str] = ()) -> "Strategy":
        """Checkpoints layers in names and not in excluded (names or globs)."""
        return cls(_listed("selective", [_quoted(name) for name in names], excluded))

    @classmethod
    def size_based(cls, threshold_bytes: int = 1 << 20, excluded: Sequence[str] = ()) -> "Strategy":
        """Checkpoints activations of at least threshold_bytes."""
        return cls(_listed("size", [str(threshold_bytes)], excluded))

    @classmethod
    def memory_aware(cls, max_share: float = 0.8, tracker: Optional[MemoryTracker] = None, total_bytes: int = 0,
                     clock: Optional[Clock] = None) -> "Strategy":
        """Checkpoints every n-th layer; n decreases while memory is short."""
        return cls(f"memory-aware:{max_share}", tracker=tracker, total_bytes=total_bytes, clock=clock)

    @classmethod
    def smart(cls, excluded: Sequence[str] = (), large_factor: float = 1.5, rare_accesses: int = 2,
              late_share: float = 0.7) -> "Strategy":
        """Checkpoints large, rarely used and late layers, after observing the first ones."""
        return cls(_listed("smart", [str(large_factor), str(rare_accesses), str(late_share)], excluded))

    @classmethod
    def any_of(cls, children: Sequence[StrategyLike]) -> "Strategy":
        """Checkpoints a layer when at least one child does."""
        return cls("any" + _numbered([""] * len(children)), children)

    @classmethod
    def all_of(cls, children: Sequence[StrategyLike]) -> "Strategy":
        """Checkpoints a layer when all children do."""
        return cls("all" + _numbered([""] * len(children)), children)

    @classmethod
    def not_of(cls, child: StrategyLike) -> "Strategy":
        """Checkpoints a layer when the child does not."""
        return cls("not($0)", [child])

    @classmethod
    def first_of(cls, rules: Sequence[Tuple[str, StrategyLike]], fallback: StrategyLike) -> "Strategy":
        """Uses the child of the first rule (a name, a glob, or "#2..7") that matches the layer."""
        return cls("first" + _numbered([_quoted(rule) + "=" for rule, _ in rules] + [""]), [child for _, child in rules] + [fallback])

    @classmethod
    def custom(cls, decide: Union[Callable[[StrategyQuestion], Any], CustomStrategy], name: Optional[str] = None,
               on_reset: Optional[Callable[[], Any]] = None, on_access: Optional[Callable[[str], Any]] = None) -> "Strategy":
        """Creates a strategy that calls decide(question), or a CustomStrategy. It runs on the thread that queries the strategy; if
        it raises, the query fails with CallbackError. name: by default that of the CustomStrategy, of the function, or of the
        callable's class; a lambda is "Custom"."""
        if name is None:
            name = _name_of(decide)
        if isinstance(decide, CustomStrategy):
            decide, on_reset, on_access = decide.should_checkpoint, decide.reset, decide.observe_access
        function = decide

        def answer(layer_name: str, dtype: int, shape: Tuple[int, ...], bytes: int, layer_index: int) -> bool:
            return bool(function(StrategyQuestion(_DType[dtype], layer_name, shape, bytes, layer_index)))

        functions = _callbacks(_native.StrategyFunctions, decide=answer, reset=on_reset or _nothing, access=on_access or _nothing)
        return cls._of(_n.ckpt_strategy_create_custom(name, functions))

    def should_checkpoint(self, layer_name: str, activation: Union[Tensor, Tuple[DTypeLike, Sequence[int]], Any],
                          layer_index: int) -> bool:
        """Returns whether to checkpoint one layer. activation: a Tensor, anything with dtype and shape (a numpy array), or (dtype,
        shape)."""
        if isinstance(activation, Tensor):
            return bool(_n.ckpt_strategy_should_checkpoint(self._h, layer_name, activation._h, layer_index))
        dtype, shape = activation if isinstance(activation, tuple) else (activation.dtype, activation.shape)
        return bool(_n.ckpt_strategy_should_checkpoint_shape(self._h, layer_name, _dtype(dtype), list(shape), layer_index))

    # ---- Parts ----

    def patterns(self, which: int) -> List[str]:
        """Returns the names, globs or rules that it was created with. which: a StrategyList."""
        info = self.info()
        count = {StrategyList.NAMES: info.names_count, StrategyList.EXCLUDED: info.excluded_count,
                 StrategyList.RULES: info.rules_count}
        return [_n.ckpt_strategy_get_pattern(self._h, which, index) for index in range(count.get(StrategyList(which), 1))]

    def children(self) -> List["Strategy"]:
        """Returns new references to its children; of first_of the fallback is the last."""
        return [Strategy._of(_n.ckpt_strategy_get_child(self._h, index)) for index in range(self.info().children_count)]


def _quoted(name: str) -> str:
    """Quotes a name or glob as one argument of a strategy text, so that it may contain any character."""
    return '"' + re.sub(r'(\\.)|(")', lambda found: found[1] or '\\"', name, flags=re.DOTALL) + '"'


def _listed(kind: str, arguments: List[str], excluded: Sequence[str]) -> str:
    arguments = arguments + ["!" + _quoted(name) for name in excluded]
    return kind + (":" if arguments else "") + ",".join(arguments)


def _numbered(before: Sequence[str]) -> str:
    """(a=$0,$1)"""
    return "(" + ",".join(f"{rule}${number}" for number, rule in enumerate(before)) + ")"


def _name_of(decide: Any) -> str:
    if isinstance(decide, CustomStrategy):
        return str(decide.name)
    name = str(getattr(decide, "__name__", type(decide).__name__))
    return "Custom" if name == "<lambda>" else name


StrategyLike = Union[Strategy, CustomStrategy, Callable[[StrategyQuestion], Any], str]


def _as_strategy(given: StrategyLike) -> Strategy:
    """Returns a given Strategy, or a new one of a CustomStrategy, a callable or a string."""
    if isinstance(given, Strategy):
        return given
    if not isinstance(given, (str, CustomStrategy)) and not callable(given):
        raise TypeError(f"strategy: expected a Strategy, a CustomStrategy, a callable or a string, found a {type(given).__name__}")
    return Strategy(given) if isinstance(given, str) else Strategy.custom(given)


made_by["as_strategy"] = _as_strategy
made_by["strategy"] = lambda given: None if given is None else _as_strategy(given)


def register_strategy(name: str, factory: Callable[[str], StrategyLike]) -> None:
    """Registers a kind for the text form of strategies. factory takes the text after the kind's name."""

    def make(arguments: str) -> Any:
        created = _as_strategy(factory(arguments)).share()
        handle, created._slot = created._slot, None  # the reference that the library gets
        return handle

    _n.ckpt_strategy_register(name, _callbacks(_native.StrategyFactory, make=make))
