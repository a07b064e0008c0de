"""Random chains and random schedules for them: valid ones, and ones that break some rules.

Valid schedules are built with separate bookkeeping (Maker), not by calling the replayer: if the two disagree, one is wrong.
"""

from replayer import (ADVANCE, AWAIT, Action, BACKWARD, DETERMINISTIC, DROP, END, FORWARD, FORWARD_TAPE, GRAD, INPUT, IN_PLACE,
                      KINDS, LOAD_BEGIN, Layer, NEEDS_INPUT, NEEDS_OUTPUT, NO_INPUT_GRADIENT, Option, Profile, RECEIVE, RECORD,
                      RUNS, Replayer, SEND, STORE_BEGIN, TAPE, TIERS, TRANSFERS, TURN, Tier)

PRIMES = [2, 3, 5, 7, 11, 13, 17, 31, 61, 97, 127, 257, 509, 1021, 4093, 65521]


# ---- Chains ----


def random_bytes(rng):
    return rng.choice([0, 1, rng.choice(PRIMES), rng.choice(PRIMES), rng.randrange(1000), rng.randrange(1000000)])


def random_seconds(rng, exact):
    """Returns seconds; exact: sums of them are exact in double precision, in any order."""
    if rng.random() < 0.1:
        return 0.0
    return rng.randrange(1, 4096) / 1024 if exact else rng.random() * 10.0 ** rng.randrange(-6, 2)


def random_flags(rng, index):
    flags = DETERMINISTIC if rng.random() < 0.88 else 0
    flags |= NEEDS_INPUT if rng.random() < 0.6 else 0
    flags |= NEEDS_OUTPUT if rng.random() < 0.3 else 0
    flags |= IN_PLACE if rng.random() < 0.35 else 0
    flags |= NO_INPUT_GRADIENT if index == 0 and rng.random() < 0.3 else 0
    return flags


def random_option(rng, exact):
    has_record = int(rng.random() < 0.5)
    return Option(random_bytes(rng), random_bytes(rng), random_bytes(rng), random_seconds(rng, exact), random_seconds(rng, exact),
                  has_record * random_bytes(rng), has_record * random_seconds(rng, exact), has_record,
                  random_bytes(rng) if rng.random() < 0.3 else 0)


def random_layer(rng, index, exact):
    ambient = random_bytes(rng) if rng.random() < 0.3 else 0
    options = tuple(random_option(rng, exact) for _ in range(rng.choice([1, 1, 1, 2, 3])))
    return Layer(random_flags(rng, index), random_bytes(rng), ambient, options)


def random_tier(rng, exact):
    if rng.random() < 0.2:
        return Tier()

    def rate():
        if rng.random() < 0.2:
            return 0.0
        return 2.0 ** rng.randrange(0, 10) if exact else rng.random() * 1e5 + 1.0

    capacity = 0 if rng.random() < 0.5 else rng.randrange(1, 3000)
    return Tier(capacity, rate(), rate(), random_seconds(rng, exact))


def random_profile(rng, exact):
    """Returns a chain. exact: its seconds add up exactly, so that the order of sums does not matter."""
    profile = random_chain(rng, exact)
    tiers = [random_tier(rng, exact) for _ in range(TIERS - 1)]
    for number, tier in enumerate(tiers):
        if tier.capacity_bytes > 0 and rng.random() < 0.5:  # some items fit exactly
            items = [layer.output_bytes for layer in profile.layers] + [layer.options[0].tape_bytes for layer in profile.layers]
            tiers[number] = tier._replace(capacity_bytes=sum(rng.sample(items, rng.randrange(1, 4) if len(items) > 2 else 1)))
    return profile._replace(tiers=(Tier(), *tiers), flags=rng.randrange(8) if rng.random() < 0.6 else 0)


def random_chain(rng, exact):
    n = rng.randrange(1, 8)
    if rng.random() < 0.15:
        layer = random_layer(rng, 1, exact)._replace(options=(random_option(rng, exact),))
        return Profile(layer.output_bytes, (layer,) * n, uniform=True)
    return Profile(random_bytes(rng), tuple(random_layer(rng, i, exact) for i in range(n)))


def huge_profile(rng):
    """Returns a chain with some bytes near the maximum of int64."""
    profile = random_profile(rng, True)._replace(uniform=False)
    layers = list(profile.layers)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(layers))
        layer, huge = layers[at], rng.choice([2**63 - 1, 2**62, 2**61])
        option = layer.options[0]._replace(**{rng.choice([name for name in Option._fields if name.endswith("_bytes")]): huge})
        layers[at] = rng.choice([layer._replace(output_bytes=huge), layer._replace(options=(option,) + layer.options[1:])])
    return profile._replace(layers=tuple(layers))


# ---- Valid schedules ----


def of_item(kind, item, **fields):
    return Action(kind, first=item[1], option=item[2], item=item[0], **fields)


class Maker:
    """Generates one step's actions randomly, and tracks every item so that none breaks a rule and the step can always be
    completed."""

    def __init__(self, rng, profile):
        self.rng, self.layers, self.n = rng, profile.layers, len(profile.layers)
        self.tiers = profile.tiers
        self.x_bytes = [profile.input_bytes] + [layer.output_bytes for layer in profile.layers]
        self.actions = []
        self.memory = {(INPUT, 0, 0)}  # items, including those being loaded
        self.loading = {}  # item to transfer
        self.storing = {}  # transfer to item, or to None if that item is dropped
        self.slots = {}  # (tier, slot) to item
        self.moving = {}  # transfer to (tier, slot)
        self.ran, self.done = set(), set()
        self.turned = False
        # Properties of this schedule: how often it makes unnecessary actions, and of which kinds.
        self.restless = rng.choice([0.0, 0.1, 0.3, 0.5, 0.7])
        self.uses_tiers = rng.random() < 0.75

    def emit(self, kind, **fields):
        self.actions.append(Action(kind, **fields))

    # ---- Checks that the step can be completed ----

    def reruns(self, i):
        """Returns whether layer i may run forward now."""
        if i in self.done and self.layers[i].ambient_bytes > 0:
            return False
        return i not in self.ran or bool(self.layers[i].flags & DETERMINISTIC)

    def reachable(self, index, without):
        """Returns whether INPUT(index) can be recovered without an item in memory and a slot."""
        while True:
            item = (INPUT, index, 0)
            if (item in self.memory and item != without) or any(held == item for key, held in self.slots.items() if key != without):
                return True
            if index == 0 or not self.reruns(index - 1):
                return False
            index -= 1

    def kept(self, item, without):
        return (item in self.memory and item != without) or any(held == item for key, held in self.slots.items() if key != without)

    def can_end(self, without=None):
        """Returns whether the step can be completed without an item (kind, index, option) in memory, or a slot (tier, slot)."""
        left = [i for i in range(self.n) if i not in self.done]
        if not left:
            return True
        if self.turned:
            if not self.kept((GRAD, left[-1] + 1, 0), without):
                return False
        elif not self.reachable(self.n, without):
            return False
        for i in left:
            layer = self.layers[i]
            taped = any(self.kept((TAPE, i, option), without) for option in range(len(layer.options)))
            if not taped and not (self.reruns(i) and self.reachable(i, without)):
                return False
            if layer.flags & NEEDS_INPUT and not self.reachable(i, without):
                return False
            if layer.flags & NEEDS_OUTPUT and not self.reachable(i + 1, without):
                return False
        return True

    # ---- Single actions ----

    def new_transfer(self):
        while True:
            transfer = self.rng.choice([self.rng.randrange(8), self.rng.randrange(-(2**63), 2**63)])
            if transfer not in self.moving:
                return transfer

    def wait(self, transfer):
        self.emit(AWAIT, transfer=transfer)
        del self.moving[transfer]
        self.storing.pop(transfer, None)
        for item in [item for item, id_ in self.loading.items() if id_ == transfer]:
            del self.loading[item]

    def usable(self, item):
        """Waits for an item in memory that is being loaded."""
        if item in self.loading:
            self.wait(self.loading[item])

    def not_copied(self, item):
        """Waits for the stores of an item."""
        for transfer in [transfer for transfer, held in self.storing.items() if held == item]:
            self.wait(transfer)

    def drop(self, item):
        self.usable(item)
        self.actions.append(of_item(DROP, item, slot=self.rng.choice([0, 0, 3])))
        self.forget(item)

    def forget(self, item):
        self.memory.discard(item)
        for transfer, held in self.storing.items():
            if held == item:
                self.storing[transfer] = None

    def still(self, key):
        """Waits for the transfer of a slot."""
        for transfer in [transfer for transfer, place in self.moving.items() if place == key]:
            self.wait(transfer)

    def drop_slot(self, key):
        self.still(key)
        self.actions.append(of_item(DROP, self.slots.pop(key), tier=key[0], slot=key[1]))

    def bytes_of(self, item):
        kind, index, option = item
        return self.layers[index].options[option].tape_bytes if kind == TAPE else self.x_bytes[index]

    def store(self, item):
        """Starts to store an item in a free slot; returns False if there is none."""
        tier, slot = self.rng.randrange(1, TIERS), self.rng.choice([0, 1, 2, 3, 1000000])
        held = sum(self.bytes_of(other) for key, other in self.slots.items() if key[0] == tier)
        if (tier, slot) in self.slots or 0 < self.tiers[tier].capacity_bytes < held + self.bytes_of(item):
            return False
        self.usable(item)
        transfer = self.new_transfer()
        self.actions.append(of_item(STORE_BEGIN, item, tier=tier, slot=slot, transfer=transfer))
        self.slots[tier, slot] = item
        self.moving[transfer] = (tier, slot)
        self.storing[transfer] = item
        return True

    def load(self, key):
        self.still(key)
        item = self.slots[key]
        transfer = self.new_transfer()
        self.actions.append(of_item(LOAD_BEGIN, item, tier=key[0], slot=key[1], transfer=transfer))
        self.memory.add(item)
        self.moving[transfer] = key
        self.loading[item] = transfer

    def fetch(self, item):
        """Brings an item that is stored somewhere into memory."""
        if item not in self.memory:
            self.load(self.rng.choice([key for key, held in self.slots.items() if held == item]))
        self.usable(item)

    # ---- Layers ----

    def common_option(self, first, last):
        return self.rng.randrange(min(len(layer.options) for layer in self.layers[first:last]))

    def must_tape(self, i):
        """Returns whether layer i runs only now, so that its tape must be recorded."""
        return not self.layers[i].flags & DETERMINISTIC and i not in self.done

    def run(self, first, last):
        """Computes INPUT(last) from INPUT(first); the layers in between may run, and no INPUT in between is in memory."""
        self.usable((INPUT, first, 0))
        if any(self.must_tape(i) for i in range(first, last)) or self.rng.random() < 0.3:
            option = self.common_option(first, last)
            items = {(TAPE, i, option) for i in range(first, last)} | {(INPUT, i + 1, 0) for i in range(first, last)}
            if items & self.memory:
                return False
            if last == first + 1 and self.layers[first].flags & NEEDS_OUTPUT and self.rng.random() < 0.5:
                self.emit(RECORD, first=first, last=last, option=option)
            else:
                self.emit(FORWARD_TAPE, first=first, last=last, option=option)
            self.memory |= items
        else:
            option = self.common_option(first, last)
            slot = self.rng.choice([0, 0, 5])
            if self.rng.random() < 0.4 and self.can_end_after_advance(first, last):
                self.not_copied((INPUT, first, 0))
                self.emit(ADVANCE, first=first, last=last, option=option, slot=slot)
                self.memory.discard((INPUT, first, 0))
            else:
                self.emit(FORWARD, first=first, last=last, option=option, slot=slot)
            self.memory.add((INPUT, last, 0))
        self.ran |= set(range(first, last))
        return True

    def can_end_after_advance(self, first, last):
        ran, added = self.ran, (INPUT, last, 0)
        self.ran = ran | set(range(first, last))
        self.memory.add(added)
        possible = self.can_end((INPUT, first, 0))
        self.memory.discard(added)
        self.ran = ran
        return possible

    def have_input(self, index):
        """Makes INPUT(index) usable in memory."""
        item = (INPUT, index, 0)
        if self.kept(item, None) and not (item not in self.memory and self.reruns_from(index) and self.rng.random() < 0.3):
            self.fetch(item)
            return
        # From an existing input: by one layer at a time, or by several at once if they may run.
        first = index - 1
        while first > 0 and not self.kept((INPUT, first, 0), None):
            first -= 1
        if first > 0 and self.rng.random() < 0.1 and self.reruns_from(first) and (INPUT, first, 0) not in self.memory:
            first -= 1
        self.have_input(first)
        while first < index:
            last = self.rng.randrange(first + 1, index + 1)
            if (INPUT, last, 0) in self.memory or not self.run(first, last):
                last = first + 1
                if (INPUT, last, 0) in self.memory:
                    self.usable((INPUT, last, 0))
                elif not self.run(first, last):
                    for option in range(len(self.layers[first].options)):  # its tapes exist, so it runs without a tape
                        if (TAPE, first, option) in self.memory:
                            self.drop((TAPE, first, option))
                    self.run(first, last)
            first = last
        self.fetch(item)

    def reruns_from(self, index):
        return index > 0 and self.reruns(index - 1) and self.reachable(index - 1, None)

    def have_tape(self, i):
        """Makes a tape of layer i usable in memory; returns its option."""
        layer = self.layers[i]
        options = [option for option in range(len(layer.options)) if self.kept((TAPE, i, option), None)]
        if options:
            option = self.rng.choice(options)
            self.fetch((TAPE, i, option))
            return option
        self.have_input(i)
        options = [option for option in range(len(layer.options)) if (TAPE, i, option) in self.memory]
        if options:  # it was recorded on the way
            self.usable((TAPE, i, options[0]))
            return options[0]
        option = self.rng.randrange(len(layer.options))
        output = (INPUT, i + 1, 0)
        with_output = self.must_tape(i) and i not in self.ran and not self.turned  # no other action would compute it
        kind = FORWARD_TAPE if with_output else self.rng.choice([FORWARD_TAPE, RECORD])
        if kind == FORWARD_TAPE or layer.flags & NEEDS_OUTPUT:
            if output in self.memory:
                self.drop(output)
            self.memory.add(output)
        self.emit(kind, first=i, last=i + 1, option=option)
        self.memory.add((TAPE, i, option))
        self.ran.add(i)
        return option

    def backward(self, i):
        """Runs layer i backward, and sometimes also lower layers that can run at once. Returns the next layer."""
        layer = self.layers[i]
        for _ in range(20):  # unnecessary actions may remove the first items again
            option = self.have_tape(i)
            if layer.flags & NEEDS_OUTPUT:
                self.have_input(i + 1)
            if layer.flags & NEEDS_INPUT:
                self.have_input(i)
            self.fetch((GRAD, i + 1, 0))
            if self.ready(i, option):
                break
        if layer.flags & IN_PLACE:
            self.not_copied((GRAD, i + 1, 0))
        first = i
        while first > 0 and self.rng.random() < 0.5 and self.ready(first - 1, option):
            first -= 1
        self.emit(BACKWARD, first=first, last=i + 1, option=option)
        for k in range(i, first - 1, -1):
            self.forget((GRAD, k + 1, 0))
            self.forget((TAPE, k, option))
            if not self.layers[k].flags & NO_INPUT_GRADIENT:
                self.memory.add((GRAD, k, 0))
            self.done.add(k)
        return first - 1

    def ready(self, i, option):
        layer = self.layers[i]
        needs = [(TAPE, i, option)]
        needs += [(INPUT, i, 0)] if layer.flags & NEEDS_INPUT else []
        needs += [(INPUT, i + 1, 0)] if layer.flags & NEEDS_OUTPUT else []
        return option < len(layer.options) and all(item in self.memory and item not in self.loading for item in needs)

    # ---- Unnecessary actions ----

    def play(self):
        """Makes some unnecessary actions."""
        while self.rng.random() < self.restless:
            self.rng.choice([self.play_drop, self.play_store, self.play_store, self.play_load, self.play_load, self.play_wait,
                             self.play_drop_slot, self.play_run])()

    def play_drop(self):
        items = [item for item in sorted(self.memory) if self.can_end(item)]
        if items:
            self.drop(self.rng.choice(items))

    def play_store(self):
        if self.uses_tiers and self.memory:
            item = self.rng.choice(sorted(self.memory))
            if self.store(item) and self.rng.random() < 0.6:
                self.drop(item)

    def play_load(self):
        keys = [key for key in sorted(self.slots) if self.slots[key] not in self.memory]
        if keys:
            self.load(self.rng.choice(keys))

    def play_wait(self):
        if self.moving:
            self.wait(self.rng.choice(sorted(self.moving)))

    def play_drop_slot(self):
        keys = [key for key in sorted(self.slots) if self.can_end(key)]
        if keys:
            self.drop_slot(self.rng.choice(keys))

    def play_run(self):
        """Recomputes layers from an existing input."""
        inputs = [item[1] for item in sorted(self.memory) if item[0] == INPUT and item[1] < self.n]
        if not inputs:
            return
        first = self.rng.choice(inputs)
        last = self.rng.randrange(first + 1, self.n + 1)
        if all(self.reruns(i) and (i in self.ran or not self.must_tape(i)) for i in range(first, last)):
            if (INPUT, last, 0) not in self.memory:
                self.run(first, last)
            elif last == first + 1 and not self.layers[first].flags & NEEDS_OUTPUT:
                option = self.rng.randrange(len(self.layers[first].options))
                if (TAPE, first, option) not in self.memory:
                    self.usable((INPUT, first, 0))
                    self.emit(RECORD, first=first, last=last, option=option)
                    self.memory.add((TAPE, first, option))
                    self.ran.add(first)

    # ---- The step ----

    def step(self):
        at = 0
        while at < self.n:
            self.play()
            at = self.rng.randrange(at + 1, self.n + 1)
            if self.reachable(at, None):
                self.have_input(at)
        self.have_input(self.n)
        self.emit(TURN)
        self.turned = True
        self.memory.add((GRAD, self.n, 0))
        i = self.n - 1
        while i >= 0:
            self.play()
            i = self.backward(i)
        self.play()
        for transfer in self.shuffled(self.moving):
            self.wait(transfer)
        for key in self.shuffled(self.slots):
            self.drop_slot(key)
        for item in self.shuffled(self.memory):
            if item != (GRAD, 0, 0) or self.rng.random() < 0.2:
                self.drop(item)
        self.emit(END)
        return self.actions

    def shuffled(self, things):
        return self.rng.sample(sorted(things), len(things))


def keeping(rng, profile):
    """Returns a valid schedule."""
    return Maker(rng, profile).step()


# ---- Schedules that may break a rule ----


def random_action(rng, state, like):
    """Returns an action that could come next in a schedule; state: the step so far; like: actions to copy values from."""
    if rng.random() < 0.2:
        return changed(rng, state.n, rng.choice(like))
    kind = rng.choice(KINDS)
    if kind in RUNS:
        first = rng.randrange(state.n)
        one = rng.random() < (0.9 if kind == RECORD else 0.6)
        return Action(kind, first, first + 1 if one else rng.randrange(first + 1, state.n + 1), rng.choice([0, 0, 0, 1, 2]))
    if kind == AWAIT:
        return Action(kind, transfer=rng.choice([rng.randrange(8), *state.transfers]))
    if kind not in ITEM_KINDS:
        return Action(kind)
    places = list(state.slots)
    items = list(state.memory) + [held.item for held in state.slots.values()] + [(INPUT, index, 0) for index in range(state.n + 1)]
    if kind == LOAD_BEGIN:  # an item in memory cannot be loaded
        places = [key for key in places if state.slots[key].item not in state.memory] or places
        items = [item for item in items if item not in state.memory] or items
    tier, slot = rng.choice([(rng.randrange(1, TIERS), rng.randrange(4)), *places])
    if kind in (DROP, SEND, RECEIVE) and rng.random() < 0.6:
        tier, slot = 0, 0
    item = rng.choice(items)
    if (tier, slot) in state.slots and rng.random() < 0.5:
        item = state.slots[tier, slot].item
    transfer = rng.choice([rng.randrange(8), *state.transfers]) if kind in TRANSFERS else 0
    return of_item(kind, item, tier=tier, slot=slot, transfer=transfer)


ITEM_KINDS = TRANSFERS | {DROP, SEND, RECEIVE}

# The fields used by each kind; all others are ignored.
USED = {kind: ["first", "last", "option"] for kind in RUNS}
USED[FORWARD] = USED[ADVANCE] = ["first", "last", "option", "slot"]
USED |= {kind: ["first", "option", "item", "tier", "slot", "transfer"] for kind in TRANSFERS}
USED |= {AWAIT: ["transfer"], TURN: [], END: [], SEND: [], RECEIVE: []}


def used_fields(action):
    if action.kind == DROP:
        fields = ["tier", "slot"] if action.tier > 0 else ["first", "option", "item", "tier", "slot"]
    else:
        fields = USED[action.kind]
    if "item" in fields and action.item != TAPE:
        fields = [name for name in fields if name != "option"]
    return fields


def changed(rng, n, action):
    """Returns the action with one of its used fields changed."""
    name = rng.choice(used_fields(action) * 4 + ["micro_batch"])
    near = {
        "first": [action.first - 1, action.first + 1, -1, n, n + 1, 2**63 - 1, -(2**63), rng.randrange(n)],
        "last": [action.last - 1, action.last + 1, action.last + 1, 0, n + 1, -1, 2**63 - 1, action.first, rng.randrange(n) + 1],
        "option": [0, 1, 2, 3, -1, 2**31 - 1],
        "item": [INPUT, TAPE, GRAD, 0, 4, -1],
        "tier": [0, 1, 2, 3, 4, -1, 2**31 - 1],
        "slot": [0, 1, 2, -1, -(2**31), action.slot + 1],
        "transfer": [0, 1, 2, 3, -1, 2**63 - 1],
        "micro_batch": [1, -1, 2**31 - 1],
    }
    values = [value for value in near[name] if value != getattr(action, name) and -(2**63) <= value < 2**63]
    result = action._replace(**{name: rng.choice(values)})
    if name == "item" and result.item != TAPE:  # a field that it no longer uses
        result = result._replace(option=0)
    return result


class Breaker:
    """Changes valid schedules, most so that they break a rule; seen counts the broken rules."""

    def __init__(self, rng, seen):
        self.rng, self.seen = rng, seen

    def changed(self, profile, actions):
        rng = self.rng
        actions = list(actions)
        way = rng.choice([self.drop, self.double, self.swap, self.alter, self.move, self.legal, self.legal, self.sharp, self.sharp,
                          self.sharp, self.sharp, self.stop, self.again, self.copy, self.unused])
        way(profile, actions)
        if actions[-1].kind != END:
            actions.append(Action(END))
        return actions

    def at(self, actions):
        return self.rng.randrange(len(actions))

    def drop(self, _, actions):
        del actions[self.at(actions)]

    def double(self, _, actions):
        at = self.at(actions)
        actions.insert(at, actions[at])

    def swap(self, _, actions):
        a, b = self.at(actions), self.at(actions)
        actions[a], actions[b] = actions[b], actions[a]

    def move(self, _, actions):
        action = actions.pop(self.at(actions))
        actions.insert(self.rng.randrange(len(actions) + 1), action)

    def alter(self, profile, actions):
        at = self.at(actions)
        actions[at] = changed(self.rng, len(profile.layers), actions[at])

    def unused(self, _, actions):
        """Changes a field that its action does not use, which must have no effect."""
        at = self.at(actions)
        names = [name for name in Action._fields if name not in ("kind", "micro_batch", *used_fields(actions[at]))]
        actions[at] = actions[at]._replace(**{self.rng.choice(names): self.rng.choice([1, 7, -1, 2**31 - 1])})

    def place(self, actions):
        """Returns an index for an insertion, preferably during a transfer, which is rare."""
        places = [at + 1 for at, action in enumerate(actions) if action.kind in TRANSFERS]
        return self.rng.choice(places if places and self.rng.random() < 0.6 else range(len(actions) + 1))

    def state(self, profile, actions, at):
        """Returns the step before action at."""
        state = (profile.replayer or Replayer)(profile)
        for action in actions[:at]:
            state.apply(action)
        return state

    def legal(self, profile, actions):
        """Inserts an action that breaks no rule itself, but may cause other actions to break one."""
        at = self.place(actions)
        state = self.state(profile, actions, at)
        for _ in range(20):
            action = random_action(self.rng, state, actions)
            if action.kind != END and not state.violations(action):
                actions.insert(at, action)
                return

    def sharp(self, profile, actions):
        """Inserts an action that breaks exactly one rule; of the candidates, the rule that was broken least often so far."""
        at = self.place(actions)
        state = self.state(profile, actions, at)
        found = []
        for _ in range(30):
            action = random_action(self.rng, state, actions)
            broken = state.violations(action)
            if len(broken) == 1:
                found.append((self.seen[next(iter(broken))], action))
        if found:
            actions.insert(at, min(found, key=lambda pair: pair[0])[1])

    def stop(self, profile, actions):
        """Ends the step early or at its end, with a remaining item where there must be none, or with none remaining."""
        state = self.state(profile, actions, self.at(actions))
        del actions[state.report.actions :]
        ends = [[Action(AWAIT, transfer=transfer) for transfer in state.transfers],
                [of_item(DROP, held.item, tier=tier, slot=slot) for (tier, slot), held in state.slots.items()],
                [of_item(DROP, item) for item in state.memory]]
        some = [group for group in ends if group]
        if some and self.rng.random() < 0.6:
            group = self.rng.choice(some)
            del group[self.at(group)]
        actions += [action for group in ends for action in group] + [Action(END)]

    def copy(self, _, actions):
        """Starts to store an item that the next action ends, in place or not."""
        places = [at for at, action in enumerate(actions) if action.kind in (ADVANCE, BACKWARD)]
        at = self.rng.choice(places)
        action = actions[at]
        item = (GRAD, action.last, 0) if action.kind == BACKWARD else (INPUT, action.first, 0)
        place = {"tier": self.rng.randrange(1, TIERS), "slot": 100}
        behind = self.rng.randrange(at + 1, len(actions))
        actions[behind:behind] = [Action(AWAIT, transfer=100), of_item(DROP, item, **place)]
        actions.insert(at, of_item(STORE_BEGIN, item, transfer=100, **place))

    def again(self, profile, actions):
        """Runs a layer backward again, with everything that the first run ended loaded from a tier."""
        places = [at for at, action in enumerate(actions) if action.kind == BACKWARD]
        if not places:
            return
        at = self.rng.choice(places)
        action = actions[at]
        ended = [(GRAD, action.last, 0)] + [(TAPE, i, action.option) for i in range(action.first, action.last)]
        created = [] if profile.layers[action.first].flags & NO_INPUT_GRADIENT else [(GRAD, action.first, 0)]
        before, behind = [], []
        for number, item in enumerate(ended):
            copy = of_item(STORE_BEGIN, item, tier=3, slot=100 + number, transfer=100 + number)
            before += [copy, Action(AWAIT, transfer=copy.transfer)]
            behind += [copy._replace(kind=LOAD_BEGIN), Action(AWAIT, transfer=copy.transfer)]
        drops = [of_item(DROP, item) for item in created]
        actions[at : at + 1] = before + [action] + drops + behind + [action]
