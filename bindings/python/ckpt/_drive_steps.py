"""What a driver does for a schedule, made ready: one step for each call, and one for what it does by itself."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from ._plan import Cursor
from .generated.values import ActionKind, DriveCall, DriveFlag, Item, ScheduleAction

_CHUNK = 1024
_TIERS = 4

# What a ready step begins with.
FORWARD = 0
RECORD = 1
BACKWARD = 2
DROP = 3
STORE = 4
LOAD = 5
AWAIT = 6
HOLD = 7
TURN = 8
END = 9
REFUSE = 10

Step = Tuple[Any, ...]
Key = Tuple[int, ...]  # (item, index, option) in memory; (0, tier, slot) of a slot; (-1, number) of what a transfer holds


def text_of(key: Key) -> str:
    if key[0] == 0:
        return f"slot {key[2]} of tier {key[1]}"
    kind, index, option = key[-3:]
    return f"TAPE({index}, option {option})" if kind == 2 else f"{'INPUT' if kind == 1 else 'GRAD'}({index})"


class Refused(NamedTuple):
    """The action that breaks a rule."""

    action: int
    kind: ActionKind


class _Source:
    """An item that copies are made of: which ones are under way, and what it was dropped as."""

    def __init__(self) -> None:
        self.transfers: Set[int] = set()
        self.held: Optional[Key] = None
        self.drop: Optional[DriveCall] = None


class Reader:
    """Makes ready steps of actions. Knows everything that follows from the actions alone: what ran before, which copies are under
    way, what is in the slots. What is live in memory is known where the steps run: whether RECORD gives an output, its callback
    decides."""

    def __init__(self, layers: Optional[int], cursor: Cursor) -> None:
        self.layers = layers  # None: not known yet
        self.cursor = cursor
        self.reached = 0  # layers below ran at least once
        self.sources: Dict[Key, _Source] = {}  # of items in memory that are being copied
        self.slots: Dict[Key, Tuple[Key, Set[int]]] = {}  # what each holds, and the transfers that it takes part in
        self.under_way: Dict[int, Tuple[Any, ...]] = {}  # by transfer
        self.turned = False

    def steps(self) -> Iterator[Step]:
        ahead: List[ScheduleAction] = []
        at = index = 0
        while True:
            if at == len(ahead):
                # While the number of steps is not known, what was asked for counts as run.
                ahead, at = self.cursor.next_many(_CHUNK if self.layers is not None else 1), 0
                if not ahead:
                    return
            action = ahead[at]
            at += 1
            dropped = 0
            taken: List[int] = []
            if action.kind in _USES and self.layers is not None:
                # The run of DROPs behind it: what they end is given away at its last use.
                while True:
                    if at + dropped == len(ahead):
                        more = self.cursor.next_many(_CHUNK)
                        if not more:
                            break
                        ahead, at = ahead[at:] + more, 0
                    behind = ahead[at + dropped]
                    if behind.kind != ActionKind.DROP or behind.tier != 0:
                        break
                    dropped += 1
                wanted = self.takes(action)
                for number in range(dropped):
                    behind = ahead[at + number]
                    if behind.item == Item.INPUT and behind.first in wanted and behind.first not in taken:
                        taken.append(behind.first)
            try:
                yield from self.ready(action, index, taken)
            except _Rule as rule:
                yield REFUSE, Refused(index, action.kind), str(rule)
                return
            index += 1
            left = list(taken)
            for number in range(dropped):
                behind = ahead[at + number]
                if behind.item == Item.INPUT and behind.first in left:
                    left.remove(behind.first)
                else:
                    yield from self.ready(behind, index, ())
                index += 1
            at += dropped
            if action.kind == ActionKind.END:
                return

    def takes(self, action: ScheduleAction) -> Set[int]:
        """Of which INPUTs a use by this action could be the last one."""
        if action.kind in (ActionKind.FORWARD, ActionKind.RECORD):
            candidates = {action.first}
        elif action.kind == ActionKind.FORWARD_TAPE:
            candidates = {action.last - 1}
        else:
            candidates = {action.first, action.first + 1}
        return {index for index in candidates if (1, index, 0) not in self.sources}

    def call(self, kind: ActionKind, index: int, flags: DriveFlag = DriveFlag(0), first: int = 0, last: int = 0, option: int = 0,
             item: Item = Item.NONE, tier: int = 0, slot: int = 0, transfer: int = 0) -> DriveCall:
        return DriveCall(kind, flags, first, last, option, 0, item, tier, slot, transfer, index, self.layers or 0)

    def ready(self, action: ScheduleAction, index: int, taken: Iterable[int]) -> Iterator[Step]:
        kind = action.kind
        if action.micro_batch != 0:
            raise _Rule(f"micro_batch is {action.micro_batch}; 0")
        if kind in _OF_LAYERS:
            if not 0 <= action.first < action.last or (self.layers is not None and action.last > self.layers):
                raise _Rule(f"layers [{action.first}, {action.last}) are not in the chain")
            if action.option < 0:
                raise _Rule(f"option is {action.option}; at least 0")
        if kind in (ActionKind.FORWARD, ActionKind.ADVANCE):
            yield from self.forward(action, index, taken)
        elif kind in (ActionKind.RECORD, ActionKind.FORWARD_TAPE):
            yield from self.record(action, index, taken)
        elif kind == ActionKind.BACKWARD:
            yield from self.backward(action, index, taken)
        elif kind == ActionKind.DROP:
            yield from self.drop(action, index)
        elif kind == ActionKind.STORE_BEGIN:
            yield self.store(action, index)
        elif kind == ActionKind.LOAD_BEGIN:
            yield self.load(action, index)
        elif kind == ActionKind.AWAIT:
            if action.transfer not in self.under_way:
                raise _Rule(f"transfer {action.transfer} is not under way")
            yield from self.wait(action.transfer, index)
            del self.under_way[action.transfer]
        elif kind == ActionKind.TURN:
            if self.turned:
                raise _Rule("turns a second time")
            self.turned = True
            yield TURN, self.call(kind, index)
        elif kind == ActionKind.END:
            if self.under_way:
                raise _Rule(f"transfer {min(self.under_way)} was not awaited")
            if self.slots:
                raise _Rule(f"{text_of(next(iter(self.slots)))} still holds {text_of(next(iter(self.slots.values()))[0])}")
            yield END, Refused(index, kind)
        else:
            raise _Rule("a schedule of a chain of its own has no such action")

    def forward(self, action: ScheduleAction, index: int, taken: Iterable[int]) -> Iterator[Step]:
        first, last = action.first, action.last
        advance = action.kind == ActionKind.ADVANCE
        if advance and (1, first, 0) in self.sources:
            raise _Rule(f"INPUT({first}) would be overwritten while it is copied: AWAIT comes first")
        parts = [first, self.reached, last] if first < self.reached < last else [first, last]
        for begin, end in zip(parts, parts[1:]):
            take = begin != first or advance or first in taken
            flags = DriveFlag.AGAIN * (end <= self.reached) | DriveFlag.TAKE_INPUT * take
            call = self.call(ActionKind.FORWARD, index, flags=DriveFlag(flags), first=begin, last=end, option=action.option,
                             slot=action.slot)
            # What is between two parts of one action is no item: another one may have its name.
            between_before, between_behind = (begin != first) * (-1, -1), (end != last) * (-1, -1)
            yield FORWARD, call, (*between_before, 1, begin, 0), (*between_behind, 1, end, 0), take
        self.reached = max(self.reached, last)

    def record(self, action: ScheduleAction, index: int, taken: Iterable[int]) -> Iterator[Step]:
        asked = action.kind == ActionKind.FORWARD_TAPE
        if not asked and action.last != action.first + 1:
            raise _Rule(f"layers [{action.first}, {action.last}) are not one layer")
        for layer in range(action.first, action.last):
            take = layer + 1 == action.last and layer in taken
            flags = DriveFlag.AGAIN * (layer < self.reached) | DriveFlag.NO_OUTPUT * (not asked) | DriveFlag.TAKE_INPUT * take
            call = self.call(ActionKind.RECORD, index, flags=DriveFlag(flags), first=layer, last=layer + 1, option=action.option)
            self.reached = max(self.reached, layer + 1)
            yield RECORD, call, (1, layer, 0), (1, layer + 1, 0), take, (2, layer, action.option), asked

    def backward(self, action: ScheduleAction, index: int, taken: Iterable[int]) -> Iterator[Step]:
        for layer in range(action.last - 1, action.first - 1, -1):
            is_last = layer == action.first
            takes_input, takes_output = is_last and layer in taken, is_last and layer + 1 in taken
            flags = DriveFlag.TAKE_INPUT * takes_input | DriveFlag.TAKE_OUTPUT * takes_output
            tape_key, grad_key = (2, layer, action.option), (3, layer + 1, 0)
            for key in (grad_key, tape_key):  # the callback will own it: it cannot wait for the copies
                while key in self.sources:
                    yield from self.wait(max(self.sources[key].transfers), index)
            yield (BACKWARD, self.call(ActionKind.BACKWARD, index, flags=DriveFlag(flags), first=layer, last=layer + 1,
                                        option=action.option),
                   (1, layer, 0), (1, layer + 1, 0), takes_input, takes_output, tape_key, grad_key, (3, layer, 0))

    def drop(self, action: ScheduleAction, index: int) -> Iterator[Step]:
        if action.tier != 0:
            slot = self.slot_of(action)
            if slot not in self.slots:
                raise _Rule(f"{text_of(slot)} is empty")
            if self.slots[slot][1]:
                raise _Rule(f"{text_of(slot)} is in transfer")
            kind, first, option = self.slots.pop(slot)[0]
            yield DROP, self.call(action.kind, index, first=first, option=option, item=Item(kind), tier=action.tier,
                                   slot=action.slot), slot
            return
        key = self.key_of(action)
        call = self.call(action.kind, index, first=action.first, option=key[2], item=action.item)
        source = self.sources.pop(key, None)
        if source is None:
            yield DROP, call, key
        else:
            source.held, source.drop = (-1, min(source.transfers), *key), call
            yield HOLD, call, key, source.held

    def store(self, action: ScheduleAction, index: int) -> Step:
        key, slot = self.key_of(action), self.slot_of(action)
        if slot in self.slots:
            raise _Rule(f"{text_of(slot)} is taken")
        call, wait = self.begin(action, index, key)
        source = self.sources.setdefault(key, _Source())
        source.transfers.add(action.transfer)
        self.slots[slot] = (key, {action.transfer})
        self.under_way[action.transfer] = (wait, key, slot, source)
        return STORE, call, key, slot, wait

    def load(self, action: ScheduleAction, index: int) -> Step:
        key, slot = self.key_of(action), self.slot_of(action)
        if slot not in self.slots:
            raise _Rule(f"{text_of(slot)} is empty")
        held, transfers = self.slots[slot]
        if held != key:
            raise _Rule(f"{text_of(slot)} holds {text_of(held)}")
        if any(self.under_way[transfer][3] is not None for transfer in transfers):
            raise _Rule(f"{text_of(slot)} is being stored: AWAIT comes first")
        if any(other and other[3] is None and other[1] == key for other in self.under_way.values()):
            raise _Rule(f"{text_of(key)} is being loaded already")
        call, wait = self.begin(action, index, key)
        transfers.add(action.transfer)
        self.under_way[action.transfer] = (wait, key, slot, None)
        return LOAD, call, key, (-1, action.transfer, *key), wait

    def begin(self, action: ScheduleAction, index: int, key: Key) -> Tuple[DriveCall, DriveCall]:
        if action.transfer in self.under_way:
            raise _Rule(f"transfer {action.transfer} is under way already")
        call = self.call(action.kind, index, first=action.first, option=key[2], item=action.item, tier=action.tier,
                         slot=action.slot, transfer=action.transfer)
        return call, call._replace(kind=ActionKind.AWAIT)

    def wait(self, transfer: int, index: int) -> Iterator[Step]:
        """Once for each transfer: a backward may have waited before."""
        under_way = self.under_way[transfer]
        if not under_way:
            return
        wait, key, slot, source = under_way
        self.under_way[transfer] = ()
        if slot in self.slots:
            self.slots[slot][1].discard(transfer)
        loading = None if source is not None else (-1, transfer, *key)
        yield AWAIT, wait._replace(action=index), key, loading
        if source is None:
            return
        source.transfers.discard(transfer)
        if not source.transfers:
            if source.held is not None:
                yield DROP, source.drop._replace(action=index), source.held
            elif self.sources.get(key) is source:
                del self.sources[key]

    def key_of(self, action: ScheduleAction) -> Key:
        if action.item not in (Item.INPUT, Item.TAPE, Item.GRAD):
            raise _Rule(f"item is {int(action.item)}; no such item")
        return int(action.item), action.first, action.option if action.item == Item.TAPE else 0

    def slot_of(self, action: ScheduleAction) -> Key:
        if not 1 <= action.tier < _TIERS:
            raise _Rule(f"tier is {action.tier}; 1 .. {_TIERS - 1}")
        if action.slot < 0:
            raise _Rule(f"slot is {action.slot}; at least 0")
        return 0, action.tier, action.slot


class _Rule(Exception):
    """An action breaks a rule of schedules."""


_OF_LAYERS = (ActionKind.FORWARD, ActionKind.ADVANCE, ActionKind.RECORD, ActionKind.FORWARD_TAPE, ActionKind.BACKWARD)
_USES = (ActionKind.FORWARD, ActionKind.RECORD, ActionKind.FORWARD_TAPE, ActionKind.BACKWARD)
