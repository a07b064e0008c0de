"""Memory tracker: live, peak and total bytes, per layer; scopes, limit, events, export."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import NotFoundError, OverBudgetError, _fields, _hand_over, _handle, _Owned
from ._common import Clock

__all__ = [
    "MemoryTracker", "MemoryStats", "LayerStats", "MemoryAllocation", "MemoryEvent", "MemoryEvents", "MemoryOrder", "MemoryScope",
    "ScopeStats", "MemorySnapshot", "MemorySubscription", "MemoryQueue", "MemorySystem", "probe_memory",
]


class MemoryStats(NamedTuple):
    """The totals of a tracker at one moment."""

    layer_count: int
    current_bytes: int
    peak_bytes: int
    total_allocated_bytes: int
    total_freed_bytes: int
    live_allocations: int
    allocations: int
    frees: int
    average_bytes: int
    not_found: int
    refused: int
    handler_failures: int
    time_ns: int
    sequence: int


class LayerStats(NamedTuple):
    """What one layer holds."""

    layer: int
    name: str
    current_bytes: int
    peak_bytes: int
    total_allocated_bytes: int
    total_freed_bytes: int
    live_allocations: int
    allocations: int
    frees: int
    largest_bytes: int
    average_bytes: int
    last_allocated_ns: int
    last_freed_ns: int


class MemoryAllocation(NamedTuple):
    """One live allocation."""

    layer: int
    allocation: int
    bytes: int
    age_ns: int
    sequence: int


class ScopeStats(NamedTuple):
    """What happened in a scope."""

    depth: int
    scope: int
    start_bytes: int
    peak_bytes: int
    net_bytes: int
    total_allocated_bytes: int
    pushed_ns: int


class MemoryEvent(NamedTuple):
    """One transition, with the values that held right after it."""

    kind: int
    sequence: int
    allocation: int
    bytes: int
    current_bytes: int
    peak_bytes: int
    limit_bytes: int
    time_ns: int
    layer_name: str
    layer: int


class MemorySnapshot(NamedTuple):
    """Totals and layers of the same moment."""

    stats: MemoryStats
    layers: List[LayerStats]


class MemorySystem(NamedTuple):
    """Physical memory that this process can have."""

    total_bytes: int
    available_bytes: int
    machine_bytes: int
    limit_bytes: int


class MemoryEvents:
    """Kinds of events; a subscription names a sum of them."""

    ALLOCATED = _n.CKPT_MEMORY_EVENT_KIND_ALLOCATED
    FREED = _n.CKPT_MEMORY_EVENT_KIND_FREED
    NEW_PEAK = _n.CKPT_MEMORY_EVENT_KIND_NEW_PEAK
    LIMIT_EXCEEDED = _n.CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED
    ALL = _n.CKPT_MEMORY_EVENT_KIND_ALL


class MemoryOrder:
    """Orders of the layers in a snapshot."""

    ID = _n.CKPT_MEMORY_ORDER_ID
    CURRENT = _n.CKPT_MEMORY_ORDER_CURRENT
    PEAK = _n.CKPT_MEMORY_ORDER_PEAK


class _Listener(_native.MemoryListener):
    def __init__(self, function: Callable[[MemoryEvent], Any]) -> None:
        super().__init__()
        self.function = function

    def on_event(self, *values: Any) -> None:
        self.function(MemoryEvent._make(values))


class MemorySubscription:
    """A callable that hears of events, until unsubscribe() or the tracker's end. The library keeps it alive: this object need not
    be kept."""

    def __init__(self, tracker: "MemoryTracker", subscription: int) -> None:
        self._tracker = tracker
        self.id = subscription

    def unsubscribe(self) -> None:
        """Ends it. Returns when no other thread is inside the callable."""
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
        """The oldest event, or None. Never waits."""
        event = _native.ckpt_memory_event()
        if not _n.ckpt_memory_tracker_poll_event(self._tracker._h, self.id, event):
            return None
        return _fields(MemoryEvent, event)

    @property
    def dropped(self) -> int:
        """How many events found the queue full."""
        return _n.ckpt_memory_tracker_get_dropped_events(self._tracker._h, self.id)


class MemoryScope:
    """An open scope; with-statements close it. stats() tells what has happened in it, also after it was closed."""

    def __init__(self, tracker: "MemoryTracker", scope: int) -> None:
        self._tracker = tracker
        self._last: Optional[ScopeStats] = None
        self.id = scope

    def stats(self) -> ScopeStats:
        """Up to now, or up to its end."""
        if self._last is not None:
            return self._last
        struct = _native.ckpt_memory_scope_stats()
        _n.ckpt_memory_tracker_get_scope_stats(self._tracker._h, self.id, struct)
        return _fields(ScopeStats, struct)

    def pop(self) -> ScopeStats:
        """Closes the scope, which must be the innermost one."""
        struct = _native.ckpt_memory_scope_stats()
        _n.ckpt_memory_tracker_pop_scope(self._tracker._h, self.id, struct)
        self._last = _fields(ScopeStats, struct)
        return self._last

    def __enter__(self) -> "MemoryScope":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._last is None:
            self.pop()


class MemoryTracker(_Owned):
    """Counts allocations of checkpoints. Layers are named by a text or by the number that layer() gives, which is faster. Several
    threads may use it at once.

    Callables that hold the tracker itself keep it alive: unsubscribe or close it."""

    _release = staticmethod(_n.ckpt_memory_tracker_release)

    def __init__(self, clock: Optional[Clock] = None, peak_granularity_bytes: int = 1) -> None:
        options = _native.ckpt_memory_tracker_options()
        options.clock = _handle(clock)
        options.peak_granularity_bytes = peak_granularity_bytes
        self._adopt(_n.ckpt_memory_tracker_create(options))

    def share(self) -> "MemoryTracker":
        """Another reference to the same tracker."""
        _n.ckpt_memory_tracker_retain(self._h)
        return MemoryTracker._of(self._h)

    def layer(self, name: str) -> int:
        """The number of the layer of this name, which need not have been given before."""
        return _n.ckpt_memory_tracker_add_layer(self._h, name)

    def find_layer(self, name: str) -> Optional[int]:
        """The number of the layer, or None."""
        try:
            return _n.ckpt_memory_tracker_find_layer(self._h, name)
        except NotFoundError:
            return None

    def layer_name(self, layer: int) -> str:
        return _n.ckpt_memory_tracker_get_layer_name(self._h, layer)

    def record_allocation(self, layer: Union[int, str], bytes: int) -> int:
        """Books an allocation and gives its id."""
        if isinstance(layer, str):
            return _n.ckpt_memory_tracker_record_allocation_named(self._h, layer, bytes)
        return _n.ckpt_memory_tracker_record_allocation(self._h, layer, bytes)

    def try_reserve(self, layer: Union[int, str], bytes: int) -> Optional[int]:
        """Like record_allocation, but None when the live total would rise above the limit."""
        try:
            if isinstance(layer, str):
                return _n.ckpt_memory_tracker_try_reserve_named(self._h, layer, bytes)
            return _n.ckpt_memory_tracker_try_reserve(self._h, layer, bytes)
        except OverBudgetError:
            return None

    def record_deallocation(self, allocation: int) -> None:
        """Books the end of an allocation."""
        _n.ckpt_memory_tracker_record_deallocation(self._h, allocation)

    def free_layer(self, layer: Union[int, str]) -> int:
        """Frees all live allocations of a layer; gives their number."""
        if isinstance(layer, str):
            return _n.ckpt_memory_tracker_record_deallocation_named(self._h, layer)
        return _n.ckpt_memory_tracker_record_deallocation_layer(self._h, layer)

    def stats(self) -> MemoryStats:
        struct = _native.ckpt_memory_stats()
        _n.ckpt_memory_tracker_get_stats(self._h, struct)
        return _fields(MemoryStats, struct)

    def layer_stats(self, layer: Union[int, str]) -> LayerStats:
        struct = _native.ckpt_memory_layer_stats()
        if isinstance(layer, str):
            _n.ckpt_memory_tracker_get_layer_stats_named(self._h, layer, struct)
        else:
            _n.ckpt_memory_tracker_get_layer_stats(self._h, layer, struct)
        return _fields(LayerStats, struct)

    def snapshot(self, order: int = MemoryOrder.ID) -> MemorySnapshot:
        """Totals and all layers of one moment."""
        struct = _native.ckpt_memory_stats()
        layers = _n.ckpt_memory_tracker_get_snapshot(self._h, order, struct)
        return MemorySnapshot(_fields(MemoryStats, struct), [_fields(LayerStats, layer) for layer in layers])

    def live_allocations(self) -> List[MemoryAllocation]:
        """The live allocations of one moment, oldest first."""
        return [_fields(MemoryAllocation, a) for a in _n.ckpt_memory_tracker_list_allocations(self._h)]

    def savings(self, store_all_bytes: int) -> Tuple[int, float]:
        """Bytes, and their share, that are saved against storing everything."""
        saved, fraction = _n.ckpt_memory_tracker_get_savings(self._h, store_all_bytes)
        return saved, fraction

    def reset_stats(self) -> None:
        _n.ckpt_memory_tracker_reset_stats(self._h)

    def scope(self, name: str) -> MemoryScope:
        """Opens a scope: with tracker.scope("forward") as scope: ..."""
        return MemoryScope(self, _n.ckpt_memory_tracker_push_scope(self._h, name))

    def set_limit(self, limit_bytes: int, hysteresis_bytes: int = 0) -> None:
        _n.ckpt_memory_tracker_set_limit(self._h, limit_bytes, hysteresis_bytes)

    def clear_limit(self) -> None:
        _n.ckpt_memory_tracker_clear_limit(self._h)

    @property
    def limit(self) -> Optional[Tuple[int, int]]:
        """(limit, hysteresis) in bytes, or None."""
        limit, hysteresis = _n.ckpt_memory_tracker_get_limit(self._h)
        return (limit, hysteresis) if limit else None

    def subscribe(self, function: Callable[[MemoryEvent], Any], kinds: int = MemoryEvents.ALL) -> MemorySubscription:
        """Calls function(event) on the thread whose call caused the event. What it raises goes to sys.unraisablehook and is counted
        in handler_failures; nobody else sees it."""
        return MemorySubscription(self, _n.ckpt_memory_tracker_subscribe(self._h, kinds, _hand_over(_Listener(function))))

    def peak_memory_exceeded(self, function: Callable[[MemoryEvent], Any]) -> MemorySubscription:
        """Calls function at every new peak."""
        return self.subscribe(function, MemoryEvents.NEW_PEAK)

    def memory_limit_exceeded(self, function: Callable[[MemoryEvent], Any]) -> MemorySubscription:
        """Calls function when the live total rises above the limit."""
        return self.subscribe(function, MemoryEvents.LIMIT_EXCEEDED)

    def subscribe_queue(self, capacity: int, kinds: int = MemoryEvents.ALL) -> MemoryQueue:
        """Collects at most capacity events, to be polled."""
        return MemoryQueue(self, _n.ckpt_memory_tracker_subscribe_queue(self._h, kinds, capacity))

    def enable_events(self, enabled: bool) -> None:
        _n.ckpt_memory_tracker_enable_events(self._h, int(enabled))

    def set_peak_granularity(self, bytes: int) -> None:
        _n.ckpt_memory_tracker_set_peak_granularity(self._h, bytes)

    def report(self, max_layers: int = -1) -> Dict[str, Any]:
        """A snapshot as the members that docs/memory.md names."""
        return json.loads(_n.ckpt_memory_tracker_get_json(self._h, max_layers))

    def prometheus(self, max_layers: int = 100) -> str:
        """A snapshot in the Prometheus text format."""
        return _n.ckpt_memory_tracker_get_prometheus(self._h, max_layers)


def probe_memory() -> MemorySystem:
    """Asks the system, control groups included."""
    struct = _native.ckpt_memory_system()
    _n.ckpt_memory_probe(struct)
    return _fields(MemorySystem, struct)
