"""Memory tracker: live, peak and total bytes, per layer; scopes, limit, events, export."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _Shared
from .generated import methods as _m
from .generated.errors import NotFoundError, OverBudgetError
from .generated.values import (MemoryEvent, MemoryEventKind, MemoryLayerStats, MemoryOrder, MemoryScopeStats,
                          MemoryStats)

__all__ = ["MemoryTracker", "MemoryScope", "MemorySnapshot", "MemorySubscription", "MemoryQueue"]


class MemorySnapshot(NamedTuple):
    """Totals and layers of the same moment."""

    stats: MemoryStats
    layers: List[MemoryLayerStats]


class MemorySubscription:
    """A callable that is notified of events, until unsubscribe() or the tracker's end. The library keeps it alive: this object need
    not be stored."""

    def __init__(self, tracker: "MemoryTracker", subscription: int) -> None:
        self._tracker = tracker
        self.id = subscription

    def unsubscribe(self) -> None:
        """Ends the subscription. Returns when no other thread is inside the callable."""
        _n.ckpt_memory_tracker_unsubscribe(self._tracker._h, self.id)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.unsubscribe()
        except NotFoundError:
            pass


class MemoryQueue(MemorySubscription):
    """Events that are collected to be polled."""

    def poll(self) -> Optional[MemoryEvent]:
        """Returns the oldest event, or None. Never waits."""
        event, got = _n.ckpt_memory_tracker_poll_event(self._tracker._h, self.id)
        return MemoryEvent._of(event) if got else None

    @property
    def dropped(self) -> int:
        """Number of events that were dropped because the queue was full."""
        return _n.ckpt_memory_tracker_get_dropped_events(self._tracker._h, self.id)


class MemoryScope:
    """An open scope; with-statements close it. stats() covers the time until it was closed, and also works afterwards."""

    def __init__(self, tracker: "MemoryTracker", scope: int) -> None:
        self._tracker = tracker
        self._last: Optional[MemoryScopeStats] = None
        self.id = scope

    def stats(self) -> MemoryScopeStats:
        """Returns the statistics up to now, or up to the end of the scope."""
        if self._last is not None:
            return self._last
        return MemoryScopeStats._of(_n.ckpt_memory_tracker_get_scope_stats(self._tracker._h, self.id))

    def pop(self) -> MemoryScopeStats:
        """Closes the scope, which must be the innermost one."""
        self._last = MemoryScopeStats._of(_n.ckpt_memory_tracker_pop_scope(self._tracker._h, self.id))
        return self._last

    def __enter__(self) -> "MemoryScope":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._last is None:
            self.pop()


class MemoryTracker(_m.MemoryTrackerMethods, _Shared):
    """Counts allocations of checkpoints. Layers are named by a string or by the number that add_layer() returns, which is faster.
    Several threads may use it at once.

    Callables that hold the tracker itself keep it alive: unsubscribe or close it."""

    def _adopt(self, handle: Any) -> None:
        super()._adopt(handle)
        self._numbers: Dict[str, int] = {}  # layers that calls have named

    def close(self) -> None:
        super().close()
        self._numbers = {}

    def _number(self, layer: Union[int, str]) -> int:
        """Returns the number of a layer; adds the layer if its name is new."""
        if not isinstance(layer, str):
            return layer
        number = self._numbers.get(layer)
        if number is None:
            number = self._numbers[layer] = self.add_layer(layer)
            if self.closed:  # by another thread, which has cleared the names already
                self._numbers = {}
        return number

    def _known(self, layer: Union[int, str]) -> int:
        return _n.ckpt_memory_tracker_find_layer(self._h, layer) if isinstance(layer, str) else layer

    def record_allocation(self, layer: Union[int, str], bytes: int) -> int:
        """Records an allocation and returns its id."""
        number = self._numbers.get(layer) if isinstance(layer, str) else layer  # inlined: a hot path
        return _n.ckpt_memory_tracker_record_allocation(self._h, self._number(layer) if number is None else number, bytes)

    def try_reserve(self, layer: Union[int, str], bytes: int) -> Optional[int]:
        """Like record_allocation, but returns None when the live total would exceed the limit."""
        try:
            return _n.ckpt_memory_tracker_try_reserve(self._h, self._number(layer), bytes)
        except OverBudgetError:
            return None

    def free_layer(self, layer: Union[int, str]) -> int:
        """Frees all live allocations of a layer; returns their number."""
        try:
            number = self._known(layer)
        except NotFoundError as unknown:
            try:
                _n.ckpt_memory_tracker_record_deallocation_layer(self._h, -1)  # counted in MemoryStats.not_found
            except NotFoundError:
                pass
            raise unknown
        return _n.ckpt_memory_tracker_record_deallocation_layer(self._h, number)

    def layer_stats(self, layer: Union[int, str]) -> MemoryLayerStats:
        return MemoryLayerStats._of(_n.ckpt_memory_tracker_get_layer_stats(self._h, self._known(layer)))

    def snapshot(self, order: int = MemoryOrder.ID) -> MemorySnapshot:
        """Returns the totals and all layers at one moment."""
        layers, stats = _n.ckpt_memory_tracker_get_snapshot(self._h, order)
        return MemorySnapshot(MemoryStats._of(stats), [MemoryLayerStats._of(layer) for layer in layers])

    def savings(self, store_all_bytes: int) -> Tuple[int, float]:
        """Returns the bytes saved compared with storing everything, and their share."""
        saved, fraction = _n.ckpt_memory_tracker_get_savings(self._h, store_all_bytes)
        return saved, fraction

    def scope(self, name: str) -> MemoryScope:
        """Opens a scope: with tracker.scope("forward") as scope: ..."""
        return MemoryScope(self, _n.ckpt_memory_tracker_push_scope(self._h, name))

    @property
    def limit(self) -> Optional[Tuple[int, int]]:
        """(limit, hysteresis) in bytes, or None."""
        limit, hysteresis = _n.ckpt_memory_tracker_get_limit(self._h)
        return (limit, hysteresis) if limit else None

    def subscribe(self, function: Callable[[MemoryEvent], Any], kinds: int = MemoryEventKind.ALL) -> MemorySubscription:
        """Calls function(event) on the thread that caused the event. Its exceptions go to sys.unraisablehook and are counted
        in handler_failures; callers do not see them."""
        listener = _callbacks(_native.MemoryListener, on_event=lambda event: function(MemoryEvent._of(event)))
        return MemorySubscription(self, _n.ckpt_memory_tracker_subscribe(self._h, kinds, listener))

    def peak_memory_exceeded(self, function: Callable[[MemoryEvent], Any]) -> MemorySubscription:
        """Calls function at every new peak."""
        return self.subscribe(function, MemoryEventKind.NEW_PEAK)

    def memory_limit_exceeded(self, function: Callable[[MemoryEvent], Any]) -> MemorySubscription:
        """Calls function when the live total rises above the limit."""
        return self.subscribe(function, MemoryEventKind.LIMIT_EXCEEDED)

    def subscribe_queue(self, capacity: int, kinds: int = MemoryEventKind.ALL) -> MemoryQueue:
        """Returns a queue that collects at most capacity events, to be polled."""
        return MemoryQueue(self, _n.ckpt_memory_tracker_subscribe_queue(self._h, kinds, capacity))
