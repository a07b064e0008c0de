"""Planning: profiles, schedules, cursors, the verifier, and the choice of a schedule for a byte budget."""

from __future__ import annotations

from typing import Iterator, List, Optional, Sequence, Tuple

from . import _native as _n
from ._base import _Owned, _Shared
from .generated import methods as _m, options as _o
from .generated.values import LayerProfile, OptionProfile, ScheduleAction

__all__ = ["Profile", "Schedule", "Follower", "Cursor", "Program"]


class Profile(_m.ProfileMethods, _Owned):
    """The costs of a chain, for planning. Create it with Chain.profile, or layer by layer."""

    @classmethod
    def uniform(cls, layer_count: int, option: OptionProfile = OptionProfile(), **layer: _o.layer_profile) -> "Profile":
        """Returns the profile of a chain of equal layers, such as time steps; 10**9 layers need no more memory than one."""
        return cls._of(_n.ckpt_profile_create_uniform(layer_count, _o.layer_profile(**layer), _o.option_profile(*option)))

    def add_layer(self, name: str, option_profiles: Sequence[OptionProfile] = (OptionProfile(),),
                  **layer: _o.layer_profile) -> "Profile":
        """Appends a layer with its options."""
        _n.ckpt_profile_add_layer(self._h, name, _o.layer_profile(**layer))
        for option in option_profiles:
            _n.ckpt_profile_add_option(self._h, _o.option_profile(*option))
        return self

    def layer(self, layer: int) -> LayerProfile:
        return LayerProfile._of(_n.ckpt_profile_get_layer(self._h, layer)[0])

    def layer_name(self, layer: int) -> str:
        return _n.ckpt_profile_get_layer(self._h, layer)[1]

    def option_count(self, layer: int) -> int:
        """Returns the number of ways in which the layer can run."""
        return _n.ckpt_profile_get_layer(self._h, layer)[2]


class Schedule(_m.ScheduleMethods, _Shared):
    """An immutable list of actions for one step of training. Iterating yields its actions."""

    def __init__(self, layer_count: int, actions: Sequence[ScheduleAction]) -> None:
        """Creates a schedule from a list of actions that ends with END."""
        self._adopt(_n.ckpt_schedule_create_list(layer_count, [tuple(action) for action in actions]))

    @classmethod
    def create(cls, profile: Profile, planner: str) -> "Schedule":
        """Creates a schedule with a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB", ...; `known_planners` lists
        them. OverBudgetError of budget reports the smallest budget that works."""
        return cls._of(_n.ckpt_schedule_create(profile._h, planner))

    @property
    def layer_count(self) -> Optional[int]:
        """Layers of the chain; None when open-ended."""
        return _n.ckpt_schedule_get_layer_count(self._h) or None

    def cursor(self) -> "Cursor":
        return Cursor(self)

    def __iter__(self) -> Iterator[ScheduleAction]:
        with Cursor(self) as cursor:
            while True:
                actions = cursor.next_many(1024)
                yield from actions
                if len(actions) < 1024:
                    return


class Follower(_m.FollowerMethods, _Owned):
    """Follows a strategy that adapts: queries it again between steps, and passes on the measurements of executors that use this
    follower. Several threads may use it at once."""

    def next(self) -> Tuple[Schedule, bool]:
        """Returns the schedule of the next step, and whether it differs from the last one; only then a new executor is needed."""
        schedule, changed = _n.ckpt_follower_next(self._h)
        return Schedule._of(schedule), changed != 0


class Cursor(_m.CursorMethods, _Owned):
    """A position in a schedule. Use from one thread at a time."""

    def next(self) -> ScheduleAction:
        """Returns the next action. After END it returns END again."""
        return ScheduleAction._of(_n.ckpt_cursor_next(self._h)[0])

    def next_many(self, capacity: int) -> List[ScheduleAction]:
        """Returns up to capacity next actions; none after END."""
        return [ScheduleAction._of(action) for action in _n.ckpt_cursor_next_many(self._h, capacity)]


class Program(_m.ProgramMethods, _Owned):
    """A placed schedule: every buffer with its offset in one arena, all operations in order. For programs that run schedules in
    their own memory; see docs/how-to/bring-your-own-framework.md. Immutable."""
