"""Random graphs, the replay of their schedules, and random schedules for them.

The rules are those of the header's text about graphs, as in replayer.py.
"""

import copy

from chains import random_bytes, random_chain, random_tier, of_item
from replayer import (ADVANCE, AWAIT, Action, DETERMINISTIC, DROP, FORWARD, FORWARD_TAPE, GRAD, INPUT, IN_PLACE, KEEPS_OUTPUT,
                      LOAD_BEGIN, NEEDS_INPUT, NEEDS_OUTPUT, NO_INPUT_GRADIENT, RECORD, Replayer, STORE_BEGIN, TAPE, TIERS,
                      Tier)

ADDS_GRADIENT = 32

GRAPH_RULES = {
    "forward_order": "runs a layer for the first time before those below it",
    "between_read": "runs several layers with a value between them that another layer reads",
    "advance_reads": "runs a layer with another input in place by ADVANCE",
    "grad_order": "adds to a gradient before a layer above",
    "grad_incomplete": "reads or stores a gradient that is not complete",
}


class GraphReplayer(Replayer):
    def __init__(self, profile):
        super().__init__(profile)
        self.outputs = profile.outputs or (self.n,)
        self.inputs = [inputs for inputs, _ in profile.reads]
        self.needed = [needed for _, needed in profile.reads]
        # All readers of each value, and those that compute its gradient, ascending.
        self.readers = [[i for i in range(self.n) if v in self.inputs[i]] for v in range(self.n + 1)]
        self.adders = [[i for i in readers if not self.layers[i].flags & NO_INPUT_GRADIENT] for readers in self.readers]

    # ---- Rules that an action breaks ----

    def violations(self, action):
        broken = super().violations(action)
        if not self.ended and action.kind == STORE_BEGIN and action.item == GRAD and 0 <= action.first <= self.n:
            if any(not self.ran_backward[i] for i in self.adders[action.first]) and (GRAD, action.first, 0) in self.memory:
                broken = broken | {"grad_incomplete"}
        return broken

    def _bad_turn(self):
        broken = set()
        for value in self.outputs:
            broken |= self._needs((INPUT, value, 0)) | self._makes((GRAD, value, 0))
        return broken

    def _bad_forward(self, action):
        kind, created, broken = action.kind, set(), set()
        for i in range(action.first, action.last):
            layer, follows = self.layers[i], kind in (FORWARD, ADVANCE) and i > action.first
            if follows and (self.readers[i] != [i] or i in self.outputs):
                broken.add("between_read")
            if kind == ADVANCE and tuple(self.inputs[i]) != (i,):
                broken.add("advance_reads")
            for value in self.inputs[i]:
                if value not in created and not (follows and value == i):
                    broken |= self._needs((INPUT, value, 0))
            if not all(self.ran[: action.first]) and not self.ran[i]:
                broken.add("forward_order")
            if self.ran[i] and not layer.flags & DETERMINISTIC:
                broken.add("not_deterministic")
            if self.ran_backward[i] and layer.ambient_bytes > 0:
                broken.add("ambient_behind")
            if kind in (FORWARD_TAPE, RECORD):
                broken |= self._makes((TAPE, i, action.option))
            if kind == FORWARD_TAPE or (kind == RECORD and layer.flags & NEEDS_OUTPUT):
                broken |= self._makes((INPUT, i + 1, 0))
                created.add(i + 1)
        return broken | self._bad_result(action)

    def _bad_backward(self, action):
        broken, created, done = set(), set(), set()

        def needs_grad(value):
            return set() if value in created else self._needs((GRAD, value, 0))

        def pending(value, above):
            return any(not self.ran_backward[k] and k not in done for k in self.adders[value] if k > above)

        for i in range(action.last - 1, action.first - 1, -1):
            flags = self.layers[i].flags
            broken |= needs_grad(i + 1) | self._needs((TAPE, i, action.option))
            if pending(i + 1, i):
                broken.add("grad_incomplete")
            for value in self.needed[i]:
                broken |= self._needs((INPUT, value, 0))
            if flags & NEEDS_OUTPUT:
                broken |= self._needs((INPUT, i + 1, 0))
            for value in () if flags & NO_INPUT_GRADIENT else self.inputs[i]:
                if pending(value, i):
                    broken.add("grad_order")
                if not self._creates(i, value):
                    broken |= needs_grad(value)
                elif value not in created:
                    broken |= self._makes((GRAD, value, 0))
                created.add(value)
            if self.ran_backward[i]:
                broken.add("backward_twice")
            given = self.memory.get((GRAD, i + 1, 0))
            if self._in_place(i) and i + 1 not in created and given is not None and given.copies > 0:
                broken.add("backward_copied")
            done.add(i)
        return broken

    def _creates(self, i, value):
        """Returns whether layer i's backward creates GRAD(value)."""
        return value not in self.outputs and self.adders[value][-1] == i

    def _unfinished(self):
        return not all(self.ran_backward)

    # ---- Effects of an action ----

    def _turn(self):
        for value in self.outputs:
            self._make((GRAD, value, 0))
            self.memory[INPUT, value, 0].stays = bool(self.profile.flags & KEEPS_OUTPUT)

    def _make_gradients(self, i):
        """Creates the gradients that layer i creates; returns the bytes of those that it adds to others."""
        more = 0
        for value in self.inputs[i]:
            if self._creates(i, value):
                self._make((GRAD, value, 0))
            elif not self.layers[i].flags & ADDS_GRADIENT:
                more += self.x_bytes[value]
        self._count(0, more)
        return more


# ---- Random graphs ----


def random_graph(rng, exact):
    """Returns a graph of one to seven layers; a value without a reader is an output."""
    chain = random_chain(rng, exact)._replace(uniform=False)
    layers, reads, n = [], [], len(chain.layers)
    others = rng.choice([0.1, 0.35])  # how often a layer reads another value than that of the layer before it
    for i, layer in enumerate(chain.layers):
        flags = layer.flags & ~(IN_PLACE | NEEDS_INPUT) | (ADDS_GRADIENT if rng.random() < 0.5 else 0)
        inputs = [value for value in range(i + 1) if rng.random() < (1 - others if value == i else others)] or [rng.randrange(i + 1)]
        rng.shuffle(inputs)
        if inputs != [0]:
            flags &= ~NO_INPUT_GRADIENT
        elif rng.random() < 0.2:
            flags |= NO_INPUT_GRADIENT
        needed = [value for value in inputs if rng.random() < 0.5]
        layers.append(layer._replace(flags=flags | (NEEDS_INPUT if needed else 0)))
        reads.append((tuple(inputs), tuple(needed)))
    read = {value for inputs, _ in reads for value in inputs}
    outputs = tuple(value for value in range(1, n + 1) if value not in read or value == n or rng.random() < 0.1)
    for i in range(n):
        alone = sum(i in inputs for inputs, _ in reads) == 1 and i not in outputs
        if reads[i][0] == (i,) and alone and rng.random() < 0.6:
            layers[i] = layers[i]._replace(flags=layers[i].flags | IN_PLACE)
    tiers = (Tier(), *(random_tier(rng, exact) for _ in range(TIERS - 1)))
    return chain._replace(input_bytes=random_bytes(rng), layers=tuple(layers), tiers=tiers, reads=tuple(reads), outputs=outputs,
                          flags=rng.randrange(8) if rng.random() < 0.6 else 0, replayer=GraphReplayer)


# ---- Valid schedules: those of a planner, with groups of actions that leave everything as it was ----


class Padder:
    """Inserts groups of actions into a valid schedule, which remains valid."""

    def __init__(self, rng, profile):
        self.rng, self.profile, self.n = rng, profile, len(profile.layers)

    def padded(self, actions):
        state, result = GraphReplayer(self.profile), []
        for action in actions:
            while self.rng.random() < 0.7:
                group = self.rng.choice([self.run, self.tape, self.advance, self.store])(state)
                trial = copy.deepcopy(state) if group else None
                if group and all(self.applied(trial, each) for each in group):
                    result, state = result + group, trial
            result.append(action)
            state.apply(action)
        return result

    @staticmethod
    def applied(state, action):
        if state.violations(action):
            return False
        state.apply(action)
        return True

    def option(self, *layers):
        return self.rng.randrange(min(len(self.profile.layers[i].options) for i in layers))

    def layers(self):
        first = self.rng.randrange(self.n)
        return first, self.rng.randrange(first, min(self.n, first + 3)) + 1

    def run(self, state):
        first, last = self.layers()
        if not all(state.ran[first:last]):
            return []
        return [Action(FORWARD, first, last, self.option(*range(first, last))), of_item(DROP, (INPUT, last, 0))]

    def tape(self, state):
        i = self.rng.randrange(self.n)
        if not state.ran[i]:
            return []
        kind, option = self.rng.choice([FORWARD_TAPE, RECORD]), self.option(i)
        with_output = kind == FORWARD_TAPE or self.profile.layers[i].flags & NEEDS_OUTPUT
        drops = [of_item(DROP, (TAPE, i, option))] + [of_item(DROP, (INPUT, i + 1, 0))] * bool(with_output)
        return [Action(kind, i, i + 1, option), *drops]

    def advance(self, state):
        first, last = self.layers()
        if first == 0 or not all(state.ran[first - 1 : last]):
            return []
        option = self.option(*range(first - 1, last))
        return [Action(FORWARD, first - 1, first, option), Action(ADVANCE, first, last, option), of_item(DROP, (INPUT, last, 0))]

    def store(self, state):
        item = self.rng.choice(sorted(state.memory) or [None])
        if item is None:
            return []
        place = {"tier": self.rng.randrange(1, TIERS), "slot": self.rng.randrange(4)}
        transfer = self.rng.randrange(8)
        begin, wait = of_item(STORE_BEGIN, item, transfer=transfer, **place), Action(AWAIT, transfer=transfer)
        if self.rng.random() < 0.5:
            return [begin, wait, of_item(DROP, item, **place)]
        # Through the tier: memory is free meanwhile.
        return [begin, of_item(DROP, item), wait, of_item(LOAD_BEGIN, item, transfer=transfer, **place), wait,
                of_item(DROP, item, **place)]
