"""Replays the effect of a schedule on memory and time, following the text of include/ckpt/plan.h alone.

It shares no code with the library, and was written without reading the library's verifier: if the two agree, the header is precise
enough. An action is checked (violations) before it is run (apply), so that all the rules that it breaks are known.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

INT64_MAX = 2**63 - 1
TIERS = 4

INPUT, TAPE, GRAD = 1, 2, 3
KINDS = range(1, 14)
(FORWARD, FORWARD_TAPE, BACKWARD, STORE_BEGIN, LOAD_BEGIN, AWAIT, DROP, SEND, RECEIVE, TURN, END, RECORD, ADVANCE) = KINDS
KIND_NAMES = dict(zip(KINDS, ("FORWARD", "FORWARD_TAPE", "BACKWARD", "STORE_BEGIN", "LOAD_BEGIN", "AWAIT", "DROP", "SEND",
                              "RECEIVE", "TURN", "END", "RECORD", "ADVANCE")))
FORWARDS = {FORWARD, FORWARD_TAPE, RECORD, ADVANCE}  # kinds that run layers forward
RUNS = FORWARDS | {BACKWARD}
TRANSFERS = {STORE_BEGIN, LOAD_BEGIN}

KEEPS_INPUT, KEEPS_OUTPUT, OWN_ALLOCATOR = 1, 2, 4  # flags of a profile; the last one only matters to planners
NEEDS_INPUT, NEEDS_OUTPUT, DETERMINISTIC, NO_INPUT_GRADIENT, IN_PLACE = 1, 2, 4, 8, 16


class Action(NamedTuple):
    kind: int
    first: int = 0
    last: int = 0
    option: int = 0
    item: int = 0
    tier: int = 0
    slot: int = 0
    transfer: int = 0
    micro_batch: int = 0


class Option(NamedTuple):
    tape_bytes: int = 0
    forward_workspace_bytes: int = 0
    backward_workspace_bytes: int = 0
    forward_seconds: float = 0.0
    backward_seconds: float = 0.0
    record_workspace_bytes: int = 0
    record_seconds: float = 0.0
    has_record: int = 0
    backward_peak_bytes: int = 0


class Layer(NamedTuple):
    flags: int
    output_bytes: int
    ambient_bytes: int
    options: tuple


class Tier(NamedTuple):
    capacity_bytes: int = 0
    write_bytes_per_second: float = 0.0
    read_bytes_per_second: float = 0.0
    latency_seconds: float = 0.0


class Profile(NamedTuple):
    input_bytes: int
    layers: tuple
    tiers: tuple = (Tier(),) * TIERS  # tier 0 is not used
    uniform: bool = False
    flags: int = 0
    reads: tuple = ()  # of a graph: (inputs, needed inputs) of each layer
    outputs: tuple = ()  # of a graph: values that TURN passes to the caller
    replayer: type = None  # of a graph: replays its schedules


class Refused(Exception):
    """Raised if the action at index breaks rules: a set of their names."""

    def __init__(self, index, rules):
        super().__init__(f"action {index}: {', '.join(sorted(rules))}")
        self.index, self.rules = index, rules


class OutOfRange(Exception):
    """Raised if live bytes, or those copied into a tier or back from it, exceed INT64_MAX."""

    def __init__(self, index):
        super().__init__(f"action {index}")
        self.index = index


# The rules in the header's list, one name for each violation that an action can commit.
RULES = {
    "layers": "names layers beyond the chain or none",
    "option": "names an option that a layer does not have",
    "item": "names an item that cannot be",
    "tier": "names a tier that cannot be",
    "slot": "names a slot that cannot be",
    "micro_batch": "names another micro_batch than 0",
    "record_layers": "names more than one layer for RECORD",
    "needs_absent": "needs a missing item",
    "needs_loading": "needs an item that is still being loaded",
    "makes_there": "computes an existing item",
    "drops_absent": "drops a missing item",
    "drops_loading": "drops an item that is still being loaded",
    "advance_copied": "ends in place by ADVANCE an item that is being copied",
    "backward_copied": "ends in place by BACKWARD an item that is being copied",
    "not_deterministic": "runs a layer forward again that is not deterministic",
    "backward_twice": "runs a layer backward a second time",
    "ambient_behind": "runs a layer with ambient state forward after its backward",
    "turns_twice": "turns a second time",
    "sends": "sends or receives",
    "transfer_taken": "begins a transfer under an id that is under way",
    "transfer_unknown": "awaits a transfer that is not under way",
    "slot_taken": "stores into a slot that is taken",
    "load_empty": "loads from a slot that is empty",
    "drop_empty": "drops a slot that is empty",
    "load_other": "loads from a slot another item than it holds",
    "load_early": "loads from a slot before its store was awaited",
    "drop_transfer": "drops a slot that is in transfer",
    "capacity": "holds more in a tier than its capacity",
    "end_early": "ends the step before layer 0 ran backward",
    "end_transfer": "ends the step with a transfer under way",
    "end_slot": "ends the step with a slot taken",
    "end_item": "ends the step with another item than GRAD(0) left",
    "behind_end": "is after END",
}


@dataclass(slots=True)
class Buffer:
    """An item's buffer in memory."""

    bytes: int
    is_input: bool
    loading: bool = False
    copies: int = 0  # stores in progress
    stays: bool = False  # the caller keeps it to the end of the step
    ended: bool = False  # the item is dropped, but its bytes count until its copies have ended


@dataclass(slots=True)
class Slot:
    """The contents of a slot of a tier above 0."""

    item: tuple
    bytes: int
    storing: bool = True
    loading: bool = False


@dataclass(slots=True)
class Transfer:
    end: float
    buffer: Buffer
    slot: Slot
    is_store: bool


@dataclass
class Report:
    """As ckpt_plan_report."""

    actions: int = 0
    forwards: int = 0
    recomputed_forwards: int = 0
    step_seconds: float = 0.0
    recomputed_seconds: float = 0.0
    peak_action: int = 0
    peak_bytes: list = field(default_factory=lambda: [0] * TIERS)
    wait_seconds: float = 0.0
    peak_items: list = field(default_factory=lambda: [0] * TIERS)
    peak_inputs: list = field(default_factory=lambda: [0] * TIERS)
    stored_bytes: list = field(default_factory=lambda: [0] * TIERS)
    loaded_bytes: list = field(default_factory=lambda: [0] * TIERS)
    tier_bytes: list = field(default_factory=lambda: [0] * TIERS)  # as ckpt_schedule_place; not for tier 0


class Replayer:
    def __init__(self, profile):
        self.profile = profile
        self.layers = profile.layers
        self.n = len(profile.layers)
        self.x_bytes = [profile.input_bytes] + [layer.output_bytes for layer in profile.layers]
        self.ran = [False] * self.n
        self.ran_backward = [False] * self.n
        self.turned = False
        self.ended = False
        self.memory = {}  # (kind, index, option) to Buffer; option is 0 except for a TAPE
        self.slots = {}  # (tier, slot) to Slot
        self.transfers = {}  # id to Transfer
        self.longest = [{} for _ in range(TIERS)]  # slot to the bytes of its longest item so far
        self.now = 0.0
        self.writes_end = [0.0] * TIERS
        self.reads_end = [0.0] * TIERS
        self.live_bytes = [0] * TIERS
        self.live_items = [0] * TIERS
        self.live_inputs = [0] * TIERS
        self.report = Report()
        self.peaks_count = True
        self._make((INPUT, 0, 0)).stays = bool(profile.flags & KEEPS_INPUT)

    # ---- Rules that an action breaks ----

    def violations(self, action):
        """Returns the names of the rules that the action would break now; empty if it may run."""
        if self.ended:
            return {"behind_end"}
        broken = set()
        if action.micro_batch != 0:
            broken.add("micro_batch")
        kind = action.kind
        if kind in RUNS:
            named = self._bad_layers(action)
            broken |= named or (self._bad_backward(action) if kind == BACKWARD else self._bad_forward(action))
        elif kind in TRANSFERS:
            named = self._bad_item(action) | self._bad_place(action)
            broken |= named or (self._bad_store(action) if kind == STORE_BEGIN else self._bad_load(action))
        elif kind == DROP:
            broken |= self._bad_drop(action)
        elif kind == AWAIT:
            if action.transfer not in self.transfers:
                broken.add("transfer_unknown")
        elif kind == TURN:
            broken |= self._bad_turn()
            if self.turned:
                broken.add("turns_twice")
        elif kind == END:
            broken |= self._bad_end()
        else:
            broken.add("sends")
        return broken

    def _needs(self, item):
        buffer = self.memory.get(item)
        if buffer is None:
            return {"needs_absent"}
        return {"needs_loading"} if buffer.loading else set()

    def _makes(self, item):
        return {"makes_there"} if item in self.memory else set()

    def _bad_layers(self, action):
        broken = set()
        if action.slot < 0 and action.kind in (FORWARD, ADVANCE):
            broken.add("slot")
        if not 0 <= action.first < action.last <= self.n:
            return broken | {"layers"}
        if any(not 0 <= action.option < len(layer.options) for layer in self.layers[action.first : action.last]):
            broken.add("option")
        if action.kind == RECORD and action.last != action.first + 1:
            broken.add("record_layers")
        return broken

    def _bad_forward(self, action):
        first, last, kind = action.first, action.last, action.kind
        broken = self._needs((INPUT, first, 0))
        for i in range(first, last):
            layer = self.layers[i]
            if self.ran[i] and not layer.flags & DETERMINISTIC:
                broken.add("not_deterministic")
            if self.ran_backward[i] and layer.ambient_bytes > 0:
                broken.add("ambient_behind")
            if kind in (FORWARD_TAPE, RECORD):
                broken |= self._makes((TAPE, i, action.option))
            if kind == FORWARD_TAPE or (kind == RECORD and layer.flags & NEEDS_OUTPUT):
                broken |= self._makes((INPUT, i + 1, 0))
        return broken | self._bad_result(action)

    def _bad_result(self, action):
        """Returns the rules that the result of a FORWARD or an ADVANCE breaks."""
        broken = self._makes((INPUT, action.last, 0)) if action.kind in (FORWARD, ADVANCE) else set()
        given = self.memory.get((INPUT, action.first, 0))
        return broken | ({"advance_copied"} if action.kind == ADVANCE and given is not None and given.copies > 0 else set())

    def _bad_backward(self, action):
        broken = self._needs((GRAD, action.last, 0))
        for i in range(action.first, action.last):
            flags = self.layers[i].flags
            broken |= self._needs((TAPE, i, action.option))
            if flags & NEEDS_INPUT:
                broken |= self._needs((INPUT, i, 0))
            if flags & NEEDS_OUTPUT:
                broken |= self._needs((INPUT, i + 1, 0))
            if not flags & NO_INPUT_GRADIENT:
                broken |= self._makes((GRAD, i, 0))
            if self.ran_backward[i]:
                broken.add("backward_twice")
        # The gradients between two of its layers are new: nothing copies them.
        given = self.memory.get((GRAD, action.last, 0))
        if self._in_place(action.last - 1) and given is not None and given.copies > 0:
            broken.add("backward_copied")
        return broken

    def _in_place(self, i):
        """Returns whether layer i's backward computes GRAD(i) in the buffer of GRAD(i+1)."""
        flags = self.layers[i].flags
        return bool(flags & IN_PLACE) and not flags & NO_INPUT_GRADIENT

    def _bad_item(self, action):
        index = action.first
        if action.item in (INPUT, GRAD):
            return set() if 0 <= index <= self.n else {"item"}
        if action.item != TAPE or not 0 <= index < self.n:
            return {"item"}
        return set() if 0 <= action.option < len(self.layers[index].options) else {"option"}

    def _bad_place(self, action, lowest_tier=1):
        return ({"tier"} if not lowest_tier <= action.tier < TIERS else set()) | ({"slot"} if action.slot < 0 else set())

    def _bad_store(self, action):
        item = item_of(action)
        broken = self._needs(item)
        if action.transfer in self.transfers:
            broken.add("transfer_taken")
        if (action.tier, action.slot) in self.slots:
            broken.add("slot_taken")
        capacity = self.profile.tiers[action.tier].capacity_bytes
        if 0 < capacity < self.live_bytes[action.tier] + self._bytes(item):
            broken.add("capacity")
        return broken

    def _bad_load(self, action):
        item = item_of(action)
        broken = self._makes(item)
        if action.transfer in self.transfers:
            broken.add("transfer_taken")
        slot = self.slots.get((action.tier, action.slot))
        if slot is None:
            return broken | {"load_empty"}
        if slot.item != item:
            broken.add("load_other")
        if slot.storing:
            broken.add("load_early")
        return broken

    def _bad_drop(self, action):
        named = self._bad_place(action, lowest_tier=0)
        if named:
            return named
        if action.tier > 0:
            slot = self.slots.get((action.tier, action.slot))
            if slot is None:
                return {"drop_empty"}
            return {"drop_transfer"} if slot.storing or slot.loading else set()
        named = self._bad_item(action)
        if named:
            return named
        buffer = self.memory.get(item_of(action))
        if buffer is None:
            return {"drops_absent"}
        return {"drops_loading"} if buffer.loading else set()

    def _bad_turn(self):
        return self._needs((INPUT, self.n, 0)) | self._makes((GRAD, self.n, 0))

    def _unfinished(self):
        """Returns whether a backward is missing."""
        return not self.ran_backward[0]

    def _bad_end(self):
        broken = set()
        if self._unfinished():
            broken.add("end_early")
        if self.transfers:
            broken.add("end_transfer")
        if self.slots:
            broken.add("end_slot")
        if any(item != (GRAD, 0, 0) for item in self.memory):
            broken.add("end_item")
        return broken

    # ---- Effects of an action ----

    def apply(self, action):
        """Runs a valid action."""
        kind = action.kind
        if kind in FORWARDS:
            for i in range(action.first, action.last):
                self._run_forward(action, i)
        elif kind == BACKWARD:
            for i in range(action.last - 1, action.first - 1, -1):
                self._run_backward(action, i)
        elif kind == STORE_BEGIN:
            self._store(action)
        elif kind == LOAD_BEGIN:
            self._load(action)
        elif kind == AWAIT:
            self._await(self.transfers.pop(action.transfer))
        elif kind == DROP and action.tier == 0:
            self._end(item_of(action))
        elif kind == DROP:
            slot = self.slots.pop((action.tier, action.slot))
            self._count(action.tier, -slot.bytes, -1, -int(slot.item[0] == INPUT))
        elif kind == TURN:
            self.turned = True
            self._turn()
        elif kind == END:
            self.ended = True
        self.report.actions += 1

    def _turn(self):
        self._make((GRAD, self.n, 0))
        self.memory[INPUT, self.n, 0].stays = bool(self.profile.flags & KEEPS_OUTPUT)

    def _make_gradients(self, i):
        """Creates the gradient of layer i's input; returns the bytes that count only while the layer runs."""
        self._make((GRAD, i, 0))
        return 0

    def _bytes(self, item):
        kind, index, option = item
        return self.layers[index].options[option].tape_bytes if kind == TAPE else self.x_bytes[index]

    def _count(self, tier, more_bytes, more_items=0, more_inputs=0):
        """Changes live bytes and items of a tier, and its peaks."""
        report = self.report
        live = self.live_bytes[tier] = self.live_bytes[tier] + more_bytes
        if live > INT64_MAX and self.peaks_count:
            raise OutOfRange(report.actions)
        if self.peaks_count and live > report.peak_bytes[tier]:
            report.peak_bytes[tier] = live
            if tier == 0:
                report.peak_action = report.actions
        items = self.live_items[tier] = self.live_items[tier] + more_items
        inputs = self.live_inputs[tier] = self.live_inputs[tier] + more_inputs
        report.peak_items[tier] = max(report.peak_items[tier], items)
        report.peak_inputs[tier] = max(report.peak_inputs[tier], inputs)

    def _make(self, item):
        buffer = self.memory[item] = Buffer(self._bytes(item), item[0] == INPUT)
        self._count(0, buffer.bytes, 1, int(buffer.is_input))
        return buffer

    def _end(self, item):
        buffer = self.memory.pop(item)
        buffer.ended = True
        self._count(0, 0, -1, -int(buffer.is_input))
        self._free_if_ended(buffer)

    def _free_if_ended(self, buffer):
        if buffer.ended and buffer.copies == 0 and not buffer.stays:
            self._count(0, -buffer.bytes)

    def _overwrite(self, old, new):
        """Turns an item into another one in the same buffer, which must hold the larger of both meanwhile. Returns the excess
        bytes of the larger one, which the caller must free."""
        old_bytes = self.memory.pop(old).bytes
        new_bytes = self._bytes(new)
        self.memory[new] = Buffer(new_bytes, new[0] == INPUT)
        self._count(0, max(new_bytes - old_bytes, 0))
        return max(old_bytes - new_bytes, 0)

    def _run_forward(self, action, i):
        layer, kind = self.layers[i], action.kind
        option = layer.options[action.option]
        x_in, x_out = self.x_bytes[i], self.x_bytes[i + 1]
        is_first, is_last = i == action.first, i + 1 == action.last
        workspace, seconds = option.forward_workspace_bytes, option.forward_seconds
        behind = 0  # bytes freed after the layer

        if kind == RECORD:
            if option.has_record:
                workspace, seconds = option.record_workspace_bytes, option.record_seconds
            if layer.flags & NEEDS_OUTPUT:
                self._make((INPUT, i + 1, 0))
            elif not option.has_record:
                workspace += x_out
        elif kind == FORWARD_TAPE:
            self._make((INPUT, i + 1, 0))
        elif kind == ADVANCE or (layer.flags & IN_PLACE and not is_first):
            # One buffer from x_i to x_{i+1}. During the action it is not an item; with ADVANCE it is one throughout.
            self._count(0, max(x_out - x_in, 0))
            behind += max(x_in - x_out, 0)
            if kind == ADVANCE and is_first:
                if self.memory.pop((INPUT, i, 0)).stays:  # the caller's buffer is not overwritten: a separate one
                    self._count(0, x_out - max(x_out - x_in, 0))
                    behind = 0
            if is_last:
                self.memory[INPUT, i + 1, 0] = Buffer(x_out, True)
                if kind == FORWARD:
                    self._count(0, 0, 1, 1)
        else:
            self._count(0, x_out, int(is_last), int(is_last))
            if is_last:
                self.memory[INPUT, i + 1, 0] = Buffer(x_out, True)
            if not is_first:
                behind += x_in
        if kind in (FORWARD_TAPE, RECORD):
            self._make((TAPE, i, action.option))

        self._count(0, layer.ambient_bytes + workspace)
        behind += workspace + (layer.ambient_bytes if self.ran[i] else 0)
        self.now += seconds
        self.report.forwards += 1
        if self.ran[i]:
            self.report.recomputed_forwards += 1
            self.report.recomputed_seconds += seconds
        self.ran[i] = True
        self._count(0, -behind)

    def _run_backward(self, action, i):
        layer = self.layers[i]
        option = layer.options[action.option]
        behind = option.backward_workspace_bytes + layer.ambient_bytes
        if option.backward_peak_bytes > 0:
            self._run_backward_of_known_peak(action, i)
        elif self._in_place(i):
            behind += self._overwrite((GRAD, i + 1, 0), (GRAD, i, 0))
        elif not layer.flags & NO_INPUT_GRADIENT:
            behind += self._make_gradients(i)
        self.now += option.backward_seconds
        self.ran_backward[i] = True
        if option.backward_peak_bytes > 0:
            self._count(0, -layer.ambient_bytes)
            return
        self._count(0, option.backward_workspace_bytes)
        self._count(0, -behind)
        self._end((TAPE, i, action.option))
        if not self._in_place(i):
            self._end((GRAD, i + 1, 0))

    def _run_backward_of_known_peak(self, action, i):
        """Three moments: before the run everything counts as it is; during the run the peak replaces the bytes of its inputs and
        outputs; after it, with its ambient state still allocated, the rest counts as it is."""
        layer = self.layers[i]
        option = layer.options[action.option]
        read = option.tape_bytes + self.x_bytes[i + 1] + (self.x_bytes[i + 1] if layer.flags & NEEDS_OUTPUT else 0)
        self._count(0, option.backward_peak_bytes - read)
        self._count(0, read - option.backward_peak_bytes)
        self.peaks_count = False
        if self._in_place(i):
            self._count(0, -self._overwrite((GRAD, i + 1, 0), (GRAD, i, 0)))
        elif not layer.flags & NO_INPUT_GRADIENT:
            self._count(0, -self._make_gradients(i))
        self._end((TAPE, i, action.option))
        if not self._in_place(i):
            self._end((GRAD, i + 1, 0))
        self.peaks_count = True
        self._count(0, 0)

    def _copied(self, sums, tier, bytes_):
        sums[tier] += bytes_
        if sums[tier] > INT64_MAX:
            raise OutOfRange(self.report.actions)

    def _queue(self, ends, tier, bytes_, rate):
        """Returns the end of a copy that is started now, after those before it."""
        seconds = self.profile.tiers[tier].latency_seconds + (bytes_ / rate if rate > 0 else 0.0)
        ends[tier] = max(self.now, ends[tier]) + seconds
        return ends[tier]

    def _store(self, action):
        item, tier = item_of(action), action.tier
        buffer = self.memory[item]
        buffer.copies += 1
        slot = self.slots[tier, action.slot] = Slot(item, buffer.bytes)
        self.longest[tier][action.slot] = max(self.longest[tier].get(action.slot, 0), slot.bytes)
        self._count(tier, slot.bytes, 1, int(buffer.is_input))
        self._copied(self.report.stored_bytes, tier, slot.bytes)
        end = self._queue(self.writes_end, tier, slot.bytes, self.profile.tiers[tier].write_bytes_per_second)
        self.transfers[action.transfer] = Transfer(end, buffer, slot, True)

    def _load(self, action):
        item, tier = item_of(action), action.tier
        slot = self.slots[tier, action.slot]
        slot.loading = True
        buffer = self._make(item)
        buffer.loading = True
        self._copied(self.report.loaded_bytes, tier, slot.bytes)
        end = self._queue(self.reads_end, tier, slot.bytes, self.profile.tiers[tier].read_bytes_per_second)
        self.transfers[action.transfer] = Transfer(end, buffer, slot, False)

    def _await(self, transfer):
        wait = transfer.end - self.now
        if wait > 0:
            self.report.wait_seconds += wait
            self.now = transfer.end
        if transfer.is_store:
            transfer.slot.storing = False
            transfer.buffer.copies -= 1
            self._free_if_ended(transfer.buffer)
        else:
            transfer.slot.loading = False
            transfer.buffer.loading = False


def item_of(action):
    return action.item, action.first, action.option if action.item == TAPE else 0


def replay(profile, actions):
    """Returns the report of the schedule on the profile; raises Refused or OutOfRange."""
    replayer = (profile.replayer or Replayer)(profile)
    for index, action in enumerate(actions):
        broken = replayer.violations(action)
        if broken:
            raise Refused(index, broken)
        replayer.apply(action)
    replayer.report.step_seconds = replayer.now
    replayer.report.tier_bytes = [sum(-(-bytes_ // 64) * 64 for bytes_ in slots.values()) for slots in replayer.longest]
    return replayer.report
