"""Offline choice: profiles, schedules, cursors, the verifier, and the choice of a schedule for a byte budget."""

from __future__ import annotations

from enum import IntEnum
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import _native as _n
from . import native as _native
from ._base import _fields, _Owned
from ._strategy import Strategy
from ._tensor import DTypeLike, _dtype

__all__ = ["ActionKind", "Item", "Action", "LayerFlags", "LayerProfile", "OptionProfile", "PlanReport", "Profile", "Schedule",
           "known_planners", "Follower", "Cursor"]


class ActionKind(IntEnum):
    """What an action does."""

    FORWARD = _n.CKPT_ACTION_KIND_FORWARD
    FORWARD_TAPE = _n.CKPT_ACTION_KIND_FORWARD_TAPE
    BACKWARD = _n.CKPT_ACTION_KIND_BACKWARD
    STORE_BEGIN = _n.CKPT_ACTION_KIND_STORE_BEGIN
    LOAD_BEGIN = _n.CKPT_ACTION_KIND_LOAD_BEGIN
    AWAIT = _n.CKPT_ACTION_KIND_AWAIT
    DROP = _n.CKPT_ACTION_KIND_DROP
    SEND = _n.CKPT_ACTION_KIND_SEND
    RECEIVE = _n.CKPT_ACTION_KIND_RECEIVE
    TURN = _n.CKPT_ACTION_KIND_TURN
    END = _n.CKPT_ACTION_KIND_END

    @property
    def text(self) -> str:
        return _n.ckpt_action_kind_name(self)


class Item(IntEnum):
    """What memory holds."""

    NONE = _n.CKPT_ITEM_NONE
    INPUT = _n.CKPT_ITEM_INPUT
    TAPE = _n.CKPT_ITEM_TAPE
    GRAD = _n.CKPT_ITEM_GRAD


class Action(NamedTuple):
    """One action of a schedule."""

    kind: int
    micro_batch: int = 0
    first: int = 0
    last: int = 0
    option: int = 0
    item: int = 0
    tier: int = 0
    slot: int = 0
    transfer: int = 0


class LayerFlags:
    """What a layer's backward reads, and whether it may be run again."""

    NEEDS_INPUT = 1
    NEEDS_OUTPUT = 2
    DETERMINISTIC = 4
    NO_INPUT_GRADIENT = 8
    DEFAULT = NEEDS_INPUT | DETERMINISTIC


class LayerProfile(NamedTuple):
    """One layer of a profile."""

    name: str
    flags: int
    output_bytes: int
    ambient_bytes: int
    dtype: int
    shape: Tuple[int, ...]
    options: int


class OptionProfile(NamedTuple):
    """One way to run a layer: what it records and needs meanwhile."""

    tape_bytes: int = 0
    forward_workspace_bytes: int = 0
    backward_workspace_bytes: int = 0
    forward_seconds: float = 0.0
    backward_seconds: float = 0.0


class PlanReport(NamedTuple):
    """What a schedule costs on a chain, exactly."""

    actions: int
    forwards: int
    recomputed_forwards: int
    seconds: float
    recomputed_seconds: float
    peak_action: int
    peak_bytes: Tuple[int, ...]


class Profile(_Owned):
    """What planning must know of a chain. Chain.profile makes one; or build it layer by layer."""

    _release = staticmethod(_n.ckpt_profile_release)

    def __init__(self, input_bytes: int) -> None:
        self._adopt(_n.ckpt_profile_create(input_bytes))

    def add_layer(self, name: str, output_bytes: int, options: Sequence[OptionProfile] = (OptionProfile(),), *,
                  flags: int = LayerFlags.DEFAULT, ambient_bytes: int = 0, dtype: Optional[DTypeLike] = None,
                  shape: Sequence[int] = ()) -> "Profile":
        """Appends a layer with its options."""
        layer = _native.ckpt_layer_profile()
        layer.flags = flags
        layer.output_bytes = output_bytes
        layer.ambient_bytes = ambient_bytes
        layer.dtype = 0 if dtype is None else _dtype(dtype)
        layer.ndim = len(shape)
        layer.shape = list(shape)
        _n.ckpt_profile_add_layer(self._h, name, layer)
        for given in options:
            option = _native.ckpt_option_profile()
            for field, value in zip(OptionProfile._fields, given):
                setattr(option, field, value)
            _n.ckpt_profile_add_option(self._h, option)
        return self

    @property
    def layers(self) -> int:
        return _n.ckpt_profile_get_layer_count(self._h)

    @property
    def input_bytes(self) -> int:
        return _n.ckpt_profile_get_input_bytes(self._h)

    def layer(self, layer: int) -> LayerProfile:
        struct = _native.ckpt_layer_profile()
        name, options = _n.ckpt_profile_get_layer(self._h, layer, struct)
        return LayerProfile(name, struct.flags, struct.output_bytes, struct.ambient_bytes, struct.dtype, struct.shape[:struct.ndim],
                            options)

    def option(self, layer: int, option: int = 0) -> OptionProfile:
        struct = _native.ckpt_option_profile()
        _n.ckpt_profile_get_option(self._h, layer, option, struct)
        return _fields(OptionProfile, struct)


class Schedule(_Owned):
    """An immutable recipe of actions for one step of training. Iterating gives its actions."""

    _release = staticmethod(_n.ckpt_schedule_release)

    def __init__(self, layers: int, actions: Sequence[Action]) -> None:
        """From a list of actions of your own, the last of which is END."""
        self._adopt(_n.ckpt_schedule_create_list(layers, [tuple(action) for action in actions]))

    @classmethod
    def create(cls, profile: Profile, planner: str) -> "Schedule":
        """By a planner: "store-all", "recompute-all", "periodic:4", "budget:64MiB", ...; `known_planners` lists them. OverBudgetError
        of budget gives the smallest one that works."""
        return cls._of(_n.ckpt_schedule_create(profile._h, planner))

    @classmethod
    def segments(cls, profile: Profile, begins: Sequence[int]) -> "Schedule":
        """Segments that begin at the given layers; the first is 0."""
        return cls._of(_n.ckpt_schedule_create_segments(profile._h, list(begins)))

    @classmethod
    def from_strategy(cls, profile: Profile, strategy: Strategy) -> "Schedule":
        """Asks the strategy once per layer and freezes its answers."""
        return cls._of(_n.ckpt_schedule_create_from_strategy(profile._h, strategy._h))

    @classmethod
    def open_ended(cls, period: int, layer_flags: int = LayerFlags.DEFAULT) -> "Schedule":
        """For a number of steps that is not known yet: see Cursor.finalize."""
        return cls._of(_n.ckpt_schedule_create_open_ended(period, layer_flags))

    @property
    def name(self) -> str:
        """"store-all", "periodic(4)", ..."""
        return _n.ckpt_schedule_get_name(self._h)

    @property
    def left_out(self) -> str:
        """What the planner "budget" did not look at when it chose this schedule, and why; "" when nothing was left out."""
        return _n.ckpt_schedule_get_left_out(self._h)

    @property
    def fingerprint(self) -> int:
        """Equal for equal recipes."""
        return _n.ckpt_schedule_get_fingerprint(self._h)

    @property
    def layers(self) -> Optional[int]:
        """Layers of the chain; None when open-ended."""
        layers = _n.ckpt_schedule_get_layer_count(self._h)
        return None if layers < 0 else layers

    def verify(self, profile: Profile) -> PlanReport:
        """Replays the schedule without running anything. InvalidScheduleError names the action that breaks a rule."""
        struct = _native.ckpt_plan_report()
        _n.ckpt_schedule_verify(self._h, profile._h, struct)
        return _fields(PlanReport, struct)

    def reserved_bytes(self, profile: Profile) -> int:
        """What a machine must have: the arena with an offset for every buffer."""
        return _n.ckpt_schedule_place(self._h, profile._h)

    def cursor(self) -> "Cursor":
        return Cursor(self)

    def __iter__(self) -> Iterator[Action]:
        with Cursor(self) as cursor:
            while True:
                actions = cursor.next_many(1024)
                yield from actions
                if len(actions) < 1024:
                    return

    def share(self) -> "Schedule":
        """Another reference to the same schedule."""
        _n.ckpt_schedule_retain(self._h)
        return Schedule._of(self._h)


def known_planners() -> List[str]:
    """Each planner's form, what it makes, and the ranges of its values: "periodic:SEGMENTS - ...; SEGMENTS: 1 .. layers"."""
    return _n.ckpt_schedule_get_known_planners().split("\n")


class Follower(_Owned):
    """Follows a strategy that changes its mind: asks it again between steps, and lets it learn what executors with this follower
    run. Several threads may use it at once."""

    _release = staticmethod(_n.ckpt_follower_release)

    def __init__(self, profile: Profile, strategy: Strategy) -> None:
        self._adopt(_n.ckpt_follower_create(profile._h, strategy._h))

    def next(self) -> Tuple[Schedule, bool]:
        """The schedule of the next step, and whether it is another than the last one: only then is a new executor needed."""
        schedule, changed = _n.ckpt_follower_next(self._h)
        return Schedule._of(schedule), changed != 0


class Cursor(_Owned):
    """A place in a schedule. One thread at a time."""

    _release = staticmethod(_n.ckpt_cursor_release)

    def __init__(self, schedule: Schedule) -> None:
        self._adopt(_n.ckpt_cursor_create(schedule._h))

    def next(self) -> Action:
        """The next action. After END it is END again."""
        return Action._make(_n.ckpt_cursor_next(self._h)[0])

    def next_many(self, capacity: int) -> List[Action]:
        """Up to capacity next actions; none behind END."""
        return [Action._make(action) for action in _n.ckpt_cursor_next_many(self._h, capacity)]

    def finalize(self, n: int) -> None:
        """Tells an open-ended schedule that there are n steps."""
        _n.ckpt_cursor_finalize(self._h, n)

    def save(self) -> bytes:
        """The place as bytes, for restore in this or another process."""
        return _n.ckpt_cursor_save(self._h)

    def restore(self, place: bytes) -> None:
        """Moves to a saved place of an equal schedule."""
        _n.ckpt_cursor_restore(self._h, place)
