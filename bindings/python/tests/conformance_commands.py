"""The commands of bindings/conformance/README.md on objects in memory: each returns the lines that it prints."""

import math
import struct

import ckpt

CHOSEN = ["default", "recompute", "boundary"]
EVENTS = {"allocated": ckpt.MemoryEventKind.ALLOCATED, "freed": ckpt.MemoryEventKind.FREED, "peak": ckpt.MemoryEventKind.NEW_PEAK,
          "limit": ckpt.MemoryEventKind.LIMIT_EXCEEDED}
BY_KIND = {"threshold": ("threshold_bytes", int), "share": ("max_share", float), "total": ("total_bytes", int),
           "large": ("large_factor", float), "rare": ("rare_accesses", int), "late": ("late_share", float)}


class Misuse(Exception):
    """An error in the scenario file, not in the library."""


def joined(words):
    return " ".join(str(word) for word in words)


def yes_no(yes):
    return "yes" if yes else "no"


def index_of(words, word):
    if word not in words:
        raise Misuse(f"unknown word {word}")
    return words.index(word)


def exact(value):
    if value == math.floor(value) and abs(value) < 2**53 and not (value == 0 and math.copysign(1, value) < 0):
        return str(int(value))
    return "0x" + struct.pack(">d", value).hex()


def thousandths(value):
    return str(math.floor(value * 1000 + 0.5))


def shape_of(text):
    return [int(length) for length in text.split("x")] if text else []


def make_tensor(dtype, shape, seed):
    tensor = ckpt.Tensor(dtype, shape)
    modulo = 2 if tensor.dtype == ckpt.DType.BOOL else 256
    tensor.raw()[:] = bytes((17 * seed + 31 * i + 5) % 256 % modulo for i in range(tensor.nbytes))
    return tensor


class EventLog(list):
    """Lines that callables add, on any thread."""

    def take(self):
        lines = self[:]
        del self[:len(lines)]
        return lines


class Kind:
    """A registered kind of strategy."""

    def __init__(self, name):
        ckpt.register_strategy(name, lambda arguments: ckpt.Strategy.interval(int(arguments)))
        self.name = name

    def close(self):
        ckpt.unregister_strategy(self.name)


class Listener:
    def __init__(self, tracker, kinds, throws):
        self.events = EventLog()
        self.throws = throws
        self.subscription = tracker.subscribe(self.hear, kinds)

    def hear(self, event):
        if self.throws:
            raise RuntimeError("a listener that throws")
        kind = next(name for name, number in EVENTS.items() if number == event.kind)
        self.events.append(joined([kind, event.layer_name or "-", "bytes", event.bytes, "current", event.current_bytes, "peak",
                                  event.peak_bytes, "limit", event.limit_bytes]))

    def close(self):
        self.subscription.unsubscribe()


# The types in the order in which names are searched. Objects with close are closed in reverse order.
TYPES = ["clock", "kind", "strategy", "tracker", "allocation", "scope", "listener", "profile", "schedule", "cursor", "place",
         "activations", "pipeline", "tensor", "state", "checkpoint", "threshold", "controller", "id", "task", "background"]


class Commands:
    """The objects of one scenario by type and name."""

    def __init__(self, folder):
        self.folder = folder
        self.objects = {kind: {} for kind in TYPES}

    def run(self, c):
        method = getattr(self, "do_" + c.name.replace("-", "_"), None)
        if method is None:
            raise Misuse(f"unknown command {c.name}")
        return method(c)

    def of(self, kind, name):
        if name not in self.objects[kind]:
            raise Misuse(f"no {kind} is called {name}")
        return self.objects[kind][name]

    def make(self, kind, name, created):
        before = self.objects[kind].get(name)
        self.objects[kind][name] = created
        if hasattr(before, "close"):
            before.close()

    def find(self, name, kinds=TYPES):
        """Returns (type, object) of the first type that has the name."""
        for kind in kinds:
            if name in self.objects[kind]:
                return kind, self.objects[kind][name]
        raise Misuse(f"unknown name {name}")

    def close(self):
        for kind in reversed(TYPES):
            for created in self.objects[kind].values():
                if hasattr(created, "close") and kind != "listener":  # ends with its tracker
                    try:
                        created.close()
                    except ckpt.CkptError:  # a failed save that the scenario did not retrieve
                        pass

    # ---- Any object ----

    def do_show(self, c):
        kind, shown = self.find(c.text(1))
        return [joined(getattr(self, "show_" + kind)(shown))]

    def do_reset(self, c):
        kind, found = self.find(c.text(1), ["strategy", "tracker"])
        found.reset() if kind == "strategy" else found.reset_stats()

    def do_same(self, c):
        kind, first = self.find(c.text(1), ["tensor", "schedule"])
        second = self.of(kind, c.text(2))
        return [yes_no(first.is_bit_equal(second) if kind == "tensor" else first.fingerprint == second.fingerprint)]

    def do_close(self, c):
        kind, found = self.find(c.text(1))
        found.close()
        del self.objects[kind][c.text(1)]

    def do_philox(self, c):
        return [joined(ckpt.philox([c.integer(i) for i in (1, 2, 3, 4)], [c.integer(5), c.integer(6)]))]

    def do_clock(self, c):
        self.make("clock", c.text(1), ckpt.Clock(c.integer(2)))

    def do_advance(self, c):
        self.of("clock", c.text(1)).advance(c.integer(2))

    def show_clock(self, clock):
        return [clock.now()]

    # ---- Strategies ----

    def show_strategy(self, strategy):
        n = strategy.counters()
        return [strategy.name, "asked", n.asked_layers, "chosen", n.chosen_layers, "bytes", n.chosen_bytes, CHOSEN[strategy.chosen]]

    def do_strategy(self, c):
        self.make("strategy", c.text(1), ckpt.Strategy(c.text(2)))

    def do_config(self, c):
        options = c.given(interval=int)
        for ours, (theirs, kind) in BY_KIND.items():
            if c.option(ours) is not None:
                options[theirs] = c.option(ours, kind=kind)
        for kind in ("tracker", "clock"):
            if c.option(kind) is not None:
                options[kind] = self.of(kind, c.option(kind))
        chosen = index_of(CHOSEN, c.option("chosen", "default"))
        created = self.made_of(c.text(2), c, options)
        if chosen != ckpt.StrategyChosen.DEFAULT:
            created.chosen = chosen
        self.make("strategy", c.text(1), created)

    def made_of(self, kind, c, options):
        names, excluded, rules = c.names("names"), c.names("excluded"), c.names("rules")
        children = [self.of("strategy", name) for name in c.names("children")]
        if kind == "first":
            return ckpt.Strategy.first_of(list(zip(rules, children)), *children[len(rules):])
        if kind == "not":
            if len(children) != 1:
                raise ckpt.InvalidArgumentError(f"not has {len(children)} children")
            return ckpt.Strategy.not_of(*children)
        if kind in ("any", "all"):
            return (ckpt.Strategy.any_of if kind == "any" else ckpt.Strategy.all_of)(children)
        makers = {"interval": ckpt.Strategy.interval, "selective": lambda **o: ckpt.Strategy.selective(names, excluded, **o),
                  "size": lambda **o: ckpt.Strategy.size_based(excluded=excluded, **o), "memory-aware": ckpt.Strategy.memory_aware,
                  "smart": lambda **o: ckpt.Strategy.smart(excluded, **o)}
        return makers[kind](**options)

    def do_custom(self, c):
        how = c.text(2)
        index_of(["odd", "large", "throws"], how)

        def decide(question):
            if how == "throws":
                raise RuntimeError(f"no answer for {question.layer_name}")
            return question.layer_index % 2 == 1 if how == "odd" else question.bytes >= 1000

        self.make("strategy", c.text(1), ckpt.Strategy.custom(decide, how))

    def do_register(self, c):
        self.make("kind", c.text(1), Kind(c.text(1)))

    def do_ask(self, c):
        activation = (ckpt.DType.from_name(c.text(3)), shape_of(c.text(4)))
        return [yes_no(self.of("strategy", c.text(1)).should_checkpoint(c.text(2), activation, c.integer(5)))]

    def do_layers(self, c):
        activation = (ckpt.DType.from_name(c.text(3)), shape_of(c.text(4)))
        ask = self.of("strategy", c.text(1)).should_checkpoint
        return ["".join("y" if ask(f"layer{i}", activation, i) else "n" for i in range(c.integer(2)))]

    def do_access(self, c):
        self.of("strategy", c.text(1)).observe_access(c.text(2))

    # ---- Memory trackers ----

    def show_tracker(self, tracker):
        n = tracker.stats()
        return ["current", n.current_bytes, "peak", n.peak_bytes, "allocated", n.total_allocated_bytes, "freed",
                n.total_freed_bytes, "live", n.live_allocations, "allocations", n.allocations, "frees", n.frees, "average",
                n.average_bytes, "not_found", n.not_found, "refused", n.refused, "failures", n.handler_failures]

    def do_tracker(self, c):
        clock = c.option("clock")
        self.make("tracker", c.text(1), ckpt.MemoryTracker(clock=None if clock is None else self.of("clock", clock)))

    def do_allocate(self, c):
        self.make("allocation", c.text(4), self.of("tracker", c.text(1)).record_allocation(c.text(2), c.integer(3)))

    def do_reserve(self, c):
        id = self.of("tracker", c.text(1)).try_reserve(c.text(2), c.integer(3))
        if id is not None:
            self.make("allocation", c.text(4), id)
        return [yes_no(id is not None)]

    def do_free(self, c):
        self.of("tracker", c.text(1)).record_deallocation(self.of("allocation", c.text(2)))

    def do_free_layer(self, c):
        return [str(self.of("tracker", c.text(1)).free_layer(c.text(2)))]

    def do_by_layer(self, c):
        order = index_of(["id", "current", "peak"], c.text(2))
        return [joined([n.name, "current", n.current_bytes, "peak", n.peak_bytes, "allocated", n.total_allocated_bytes, "freed",
                        n.total_freed_bytes, "live", n.live_allocations, "largest", n.largest_bytes])
                for n in self.of("tracker", c.text(1)).snapshot(order).layers]

    def do_savings(self, c):
        saved, fraction = self.of("tracker", c.text(1)).savings(c.integer(2))
        return [joined([saved, exact(fraction)])]

    def do_scope(self, c):
        self.make("scope", c.text(3), self.of("tracker", c.text(1)).scope(c.text(2)))

    def show_stats_of_scope(self, n):
        return ["depth", n.depth, "start", n.start_bytes, "peak", n.peak_bytes, "net", n.net_bytes, "allocated",
                n.total_allocated_bytes]

    def show_scope(self, scope):
        return self.show_stats_of_scope(scope.stats())

    def do_pop(self, c):
        return [joined(self.show_stats_of_scope(self.of("scope", c.text(1)).pop()))]

    def do_limit(self, c):
        tracker = self.of("tracker", c.text(1))
        if c.text(2) == "none":
            tracker.clear_limit()
        else:
            tracker.set_limit(c.integer(2), c.integer(3) if len(c) > 2 else 0)

    def do_listen(self, c):
        kinds = sum(EVENTS[word] for word in c.text(3).split(","))
        self.make("listener", c.text(1), Listener(self.of("tracker", c.text(2)), kinds, len(c) > 3 and c.text(4) == "throws"))

    def do_events(self, c):
        return self.find(c.text(1), ["listener", "background"])[1].events.take()

    def do_prometheus(self, c):
        return [text for text in self.of("tracker", c.text(1)).prometheus().split("\n") if text.startswith(c.text(2))]

    # ---- Schedules ----

    def show_profile(self, profile):
        return ["layers", profile.layer_count, "input", profile.input_bytes]

    def show_schedule(self, schedule):
        return [schedule.name, "layers", "open" if schedule.layer_count is None else schedule.layer_count]

    def do_profile(self, c):
        self.make("profile", c.text(1), ckpt.Profile(c.integer(2)))

    def do_layer(self, c):
        count = c.option("count", kind=int)
        option = ckpt.OptionProfile(tape_bytes=c.integer(4), forward_seconds=c.number(5), backward_seconds=c.number(6))
        for name in [c.text(2)] if count is None else [f"{c.text(2)}{i}" for i in range(count)]:
            self.of("profile", c.text(1)).add_layer(name, [option], output_bytes=c.integer(3), **c.given(flags=int))

    def do_schedule(self, c):
        kind, argument = c.text(2), c.text(4) if len(c) > 3 else ""
        if kind == "open":
            return self.make("schedule", c.text(1), ckpt.Schedule.open_ended(int(argument)))
        profile = self.of("profile", c.text(3))
        if kind == "segments":
            created = ckpt.Schedule.segments(profile, [int(begin) for begin in argument.split(",")])
        elif kind == "strategy":
            created = ckpt.Schedule.from_strategy(profile, self.of("strategy", argument))
        else:
            created = ckpt.Schedule.create(profile, f"{kind}:{argument}" if argument else kind)
        return self.make("schedule", c.text(1), created)

    def do_verify(self, c):
        schedule, profile = self.of("schedule", c.text(1)), self.of("profile", c.text(2))
        n = schedule.verify(profile)
        return [joined(["actions", n.actions, "forwards", n.forwards, "recomputed", n.recomputed_forwards, "peak", n.peak_bytes[0],
                        "at", n.peak_action, "seconds", exact(n.step_seconds), "again", exact(n.recomputed_seconds), "reserved",
                        schedule.reserved_bytes(profile)])]

    def do_cursor(self, c):
        self.make("cursor", c.text(1), self.of("schedule", c.text(2)).cursor())

    def do_next(self, c):
        return [joined([a.kind.text, a.first, a.last, a.option, int(a.item), a.tier, a.slot])
                for a in self.of("cursor", c.text(1)).next_many(c.integer(2))]

    def do_finalize(self, c):
        self.of("cursor", c.text(1)).finalize(c.integer(2))

    def do_mark(self, c):
        self.make("place", c.text(2), self.of("cursor", c.text(1)).save())

    def do_restore(self, c):
        self.of("cursor", c.text(1)).restore(self.of("place", c.text(2)))

    # ---- Tensors ----

    def show_tensor(self, tensor):
        return [tensor.dtype.safetensors_name, "x".join(map(str, tensor.shape)) or "-", "elements", tensor.size, "bytes",
                tensor.nbytes, "checksum", sum((i + 1) * byte for i, byte in enumerate(tensor.raw()))]

    def do_tensor(self, c):
        seed = c.integer(4) if len(c) > 3 else 0
        self.make("tensor", c.text(1), make_tensor(ckpt.DType.from_name(c.text(2)), shape_of(c.text(3)), seed))

    def do_fill(self, c):
        self.of("tensor", c.text(1)).fill(c.number(2))

    def do_add_scaled(self, c):
        self.of("tensor", c.text(1)).add_scaled(c.number(2), self.of("tensor", c.text(3)))

    def do_sum(self, c):
        return [exact(self.of("tensor", c.text(1)).sum())]
