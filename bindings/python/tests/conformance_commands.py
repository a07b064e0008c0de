"""The commands of bindings/conformance/README.md: each gives the lines that it prints."""

import json
import math
import struct

import ckpt

CHOSEN = ["default", "recompute", "boundary"]
STATES = ["queued", "running", "completed", "failed", "cancelled", "rejected"]
FORMULAS = {"young": ckpt.young_interval, "daly": ckpt.daly_interval, "expected_value": ckpt.expected_value_interval,
            "weibull": ckpt.weibull_interval}
EVENTS = {"allocated": ckpt.MemoryEvents.ALLOCATED, "freed": ckpt.MemoryEvents.FREED, "peak": ckpt.MemoryEvents.NEW_PEAK,
          "limit": ckpt.MemoryEvents.LIMIT_EXCEEDED}


class Misuse(Exception):
    """A mistake in the data file, not in the library."""


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


def printed_name(name):
    """Without the random digits at its end."""
    return name.rpartition("-")[0] if name else "-"


def full_name(checkpoint, printed):
    return next((info.name for info in checkpoint.list() if printed_name(info.name) == printed), printed)


class Heard(list):
    """Lines that callables leave, on any thread."""

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
        self.heard = Heard()
        self.throws = throws
        self.subscription = tracker.subscribe(self.hear, kinds)

    def hear(self, event):
        if self.throws:
            raise RuntimeError("a listener that throws")
        kind = next(name for name, number in EVENTS.items() if number == event.kind)
        self.heard.append(joined([kind, event.layer_name or "-", "bytes", event.bytes, "current", event.current_bytes, "peak",
                                  event.peak_bytes, "limit", event.limit_bytes]))

    def close(self):
        self.subscription.unsubscribe()


class Background:
    def __init__(self, checkpoint, **options):
        self.heard = Heard()
        self.checkpoint = checkpoint
        self.manager = ckpt.AsyncManager(checkpoint, on_ended=self.hear, **options)

    def hear(self, result):
        self.heard.append(joined([result.kind.name.lower(), "step", result.step, STATES[result.state]]))

    def close(self):
        self.manager.close()


def source_of(how):
    index_of(["sevens", "throws"], how)

    def read(group, name, address, offset, buffer):
        if how == "throws":
            raise RuntimeError(f"cannot read {name}")
        buffer[:] = bytes([7]) * len(buffer)

    return read


# The types in the order in which a name is looked for; closed are those that have close, and from the end.
TYPES = ["clock", "kind", "strategy", "tracker", "allocation", "scope", "listener", "profile", "schedule", "cursor", "place", "tensor",
         "state", "checkpoint", "threshold", "controller", "task", "background"]


class Scenario:
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

    def make(self, kind, name, made):
        before = self.objects[kind].get(name)
        self.objects[kind][name] = made
        if hasattr(before, "close"):
            before.close()

    def find(self, name, kinds=TYPES):
        """(type, object) of the first type that has the name."""
        for kind in kinds:
            if name in self.objects[kind]:
                return kind, self.objects[kind][name]
        raise Misuse(f"nothing is called {name}")

    def close(self):
        for kind in reversed(TYPES):
            for made in self.objects[kind].values():
                if hasattr(made, "close") and kind != "listener":  # a tracker's end is theirs
                    try:
                        made.close()
                    except ckpt.CkptError:  # a save that failed, and that the scenario did not ask for
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
        return [yes_no(first.bit_equal(second) if kind == "tensor" else first.fingerprint == second.fingerprint)]

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
        return [strategy.name, "asked", n.asked, "chosen", n.chosen, "bytes", n.chosen_bytes, CHOSEN[strategy.chosen]]

    def do_strategy(self, c):
        self.make("strategy", c.text(1), ckpt.Strategy(c.text(2)))

    def do_config(self, c):
        options = c.given(interval=int)
        for ours, theirs, kind in (("threshold", "threshold_bytes", int), ("share", "max_share", float), ("total", "total_bytes", int),
                                   ("large", "large_factor", float), ("rare", "rare_accesses", int), ("late", "late_share", float)):
            if c.option(ours) is not None:
                options[theirs] = c.option(ours, kind=kind)
        for kind in ("tracker", "clock"):
            if c.option(kind) is not None:
                options[kind] = self.of(kind, c.option(kind))
        options.update(chosen=index_of(CHOSEN, c.option("chosen", "default")), names=c.names("names"), excluded=c.names("excluded"),
                       rules=c.names("rules"), children=[self.of("strategy", name) for name in c.names("children")])
        self.make("strategy", c.text(1), ckpt.Strategy.from_config(c.text(2), **options))

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
        return ["current", n.current_bytes, "peak", n.peak_bytes, "allocated", n.total_allocated_bytes, "freed", n.total_freed_bytes,
                "live", n.live_allocations, "allocations", n.allocations, "frees", n.frees, "average", n.average_bytes, "not_found",
                n.not_found, "refused", n.refused, "failures", n.handler_failures]

    def do_tracker(self, c):
        clock = c.option("clock")
        self.make("tracker", c.text(1), ckpt.MemoryTracker(None if clock is None else self.of("clock", clock)))

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
        return ["depth", n.depth, "start", n.start_bytes, "peak", n.peak_bytes, "net", n.net_bytes, "allocated", n.total_allocated_bytes]

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

    def do_heard(self, c):
        return self.find(c.text(1), ["listener", "background"])[1].heard.take()

    def do_prometheus(self, c):
        return [text for text in self.of("tracker", c.text(1)).prometheus().split("\n") if text.startswith(c.text(2))]

    # ---- Schedules ----

    def show_profile(self, profile):
        return ["layers", profile.layers, "input", profile.input_bytes]

    def show_schedule(self, schedule):
        return [schedule.name, "layers", "open" if schedule.layers is None else schedule.layers]

    def do_profile(self, c):
        self.make("profile", c.text(1), ckpt.Profile(c.integer(2)))

    def do_layer(self, c):
        count = c.option("count", kind=int)
        option = ckpt.OptionProfile(tape_bytes=c.integer(4), forward_seconds=c.number(5), backward_seconds=c.number(6))
        for name in [c.text(2)] if count is None else [f"{c.text(2)}{i}" for i in range(count)]:
            self.of("profile", c.text(1)).add_layer(name, c.integer(3), [option], **c.given(flags=int))

    def do_schedule(self, c):
        kind, argument = c.text(2), c.text(4) if len(c) > 3 else ""
        if kind == "open":
            return self.make("schedule", c.text(1), ckpt.Schedule.open_ended(int(argument)))
        make = {"store-all": lambda p: ckpt.Schedule.store_all(p), "recompute-all": lambda p: ckpt.Schedule.recompute_all(p),
                "periodic": lambda p: ckpt.Schedule.periodic(p, int(argument)),
                "segments": lambda p: ckpt.Schedule.segments(p, [int(begin) for begin in argument.split(",")]),
                "strategy": lambda p: ckpt.Schedule.from_strategy(p, self.of("strategy", argument)),
                "budget": lambda p: ckpt.Schedule.for_budget(p, int(argument))}
        if kind not in make:
            raise Misuse(f"unknown kind of schedule {kind}")
        return self.make("schedule", c.text(1), make[kind](self.of("profile", c.text(3))))

    def do_verify(self, c):
        schedule, profile = self.of("schedule", c.text(1)), self.of("profile", c.text(2))
        n = schedule.verify(profile)
        return [joined(["actions", n.actions, "forwards", n.forwards, "recomputed", n.recomputed_forwards, "peak", n.peak_bytes[0], "at",
                        n.peak_action, "seconds", exact(n.seconds), "again", exact(n.recomputed_seconds), "reserved",
                        schedule.reserved_bytes(profile)])]

    def do_cursor(self, c):
        self.make("cursor", c.text(1), self.of("schedule", c.text(2)).cursor())

    def do_next(self, c):
        return [joined([ckpt.ActionKind(a.kind).text, a.first, a.last, a.option, a.item, a.tier, a.slot])
                for a in self.of("cursor", c.text(1)).next_many(c.integer(2))]

    def do_finalize(self, c):
        self.of("cursor", c.text(1)).finalize(c.integer(2))

    def do_mark(self, c):
        self.make("place", c.text(2), self.of("cursor", c.text(1)).save())

    def do_restore(self, c):
        self.of("cursor", c.text(1)).restore(self.of("place", c.text(2)))

    # ---- Tensors ----

    def show_tensor(self, tensor):
        return [tensor.dtype.safetensors_name, "x".join(map(str, tensor.shape)) or "-", "elements", tensor.size, "bytes", tensor.nbytes,
                "checksum", sum((i + 1) * byte for i, byte in enumerate(tensor.raw()))]

    def do_tensor(self, c):
        self.make("tensor", c.text(1), make_tensor(ckpt.DType.from_name(c.text(2)), shape_of(c.text(3)), c.integer(4) if len(c) > 3 else 0))

    def do_fill(self, c):
        self.of("tensor", c.text(1)).fill(c.number(2))

    def do_add_scaled(self, c):
        self.of("tensor", c.text(1)).add_scaled(c.number(2), self.of("tensor", c.text(3)))

    def do_sum(self, c):
        return [exact(self.of("tensor", c.text(1)).sum())]

    # ---- Checkpoints ----

    def show_state(self, state):
        return ["tensors", len(state)]

    def do_state(self, c):
        self.make("state", c.text(1), ckpt.State())

    def do_add(self, c):
        self.of("state", c.text(1)).add(c.text(2), c.text(3), self.of("tensor", c.text(4)))

    def do_value(self, c):
        state = self.of("state", c.text(1))
        if len(c) > 2:
            return state.set_json(c.text(2), c.text(3))
        return [json.dumps(state[c.text(2)], separators=(",", ":"), ensure_ascii=False)]

    def do_checkpoint(self, c):
        options = c.given(keep_last=int, keep_every=int, keep_best=int)
        self.make("checkpoint", c.text(1), ckpt.Checkpoint(
            f"{self.folder}-{c.text(2)}", best_is_largest=c.option("larger") == "1", read_only=c.option("read_only") == "1", **options))

    def do_save(self, c):
        n = self.of("checkpoint", c.text(1)).save(self.of("state", c.text(2)),
                                                  **c.given(step=int, seed=int, prefix=str, metric=float))
        return [joined([printed_name(n.name), "step", n.step, "files", n.files])]

    def do_load(self, c):
        checkpoint = self.of("checkpoint", c.text(1))
        name = c.option("name")
        n = checkpoint.load(self.of("state", c.text(2)), name=None if name is None else full_name(checkpoint, name),
                            partial=c.option("partial") == "1")
        return [joined([printed_name(n.name), "step", n.step, "seed", n.seed, "skipped", n.skipped, "missing", n.missing, "unexpected",
                        n.unexpected])]

    def do_list(self, c):
        return [joined([printed_name(n.name), "step", n.step, ckpt.CkptError(status=n.status).status_name, "metric",
                        "-" if n.metric is None else exact(n.metric)]) for n in self.of("checkpoint", c.text(1)).list()]

    def do_check(self, c):
        checkpoint = self.of("checkpoint", c.text(1))
        n = checkpoint.verify(full_name(checkpoint, c.text(2)) if len(c) > 1 else None)
        return [joined([printed_name(n.name), "files", n.files, "tensors", n.tensors])]

    def do_read(self, c):
        with self.of("checkpoint", c.text(1)).reader() as reader:
            index = reader.find(c.text(3), c.text(2))
            begin, length = c.option("begin", 0, int), c.option("length", kind=int)
            self.make("tensor", c.text(4), reader.read(index) if length is None else reader.read_slice(index, begin, length))

    def do_damage(self, c):
        name = full_name(self.of("checkpoint", c.text(2)), c.text(3))
        with open(f"{self.folder}-{c.text(1)}/{name}/{c.text(4)}", "r+b") as file:
            file.seek(c.integer(5))
            byte = file.read(1)[0]
            file.seek(c.integer(5))
            file.write(bytes([byte ^ 1]))

    # ---- Saves and loads in the background ----

    def show_background(self, background):
        n = background.manager.stats()
        return ["live", n.live, "completed", n.completed, "failed", n.failed, "cancelled", n.cancelled, "rejected", n.rejected]

    def show_task(self, task):
        return [task.kind.name.lower(), STATES[task.state], "step", task.info().step]

    def do_async(self, c):
        self.make("background", c.text(1), Background(self.of("checkpoint", c.text(2)), **c.given(capacity=int, history=int)))

    def do_start(self, c):
        background, state = self.of("background", c.text(2)), self.of("state", c.text(4))
        options = c.given(priority=int)
        options.update(gate_step=c.option("gate", kind=int), when_full=index_of(["refuse", "wait", "drop_oldest"], c.option("full", "refuse")))
        if c.text(3) == "load":
            name = c.option("name")
            options["name"] = None if name is None else full_name(background.checkpoint, name)
            return self.make("task", c.text(1), background.manager.load(state, **options))
        if c.option("source") is not None:
            options["source"] = source_of(c.option("source"))
        options["mode"] = index_of(["copy", "borrow", "deferred"], c.option("mode", "copy"))
        return self.make("task", c.text(1), background.manager.save(state, c.option("step", 0, int), **options))

    def do_cancel(self, c):
        return [yes_no(self.of("task", c.text(1)).cancel())]

    def do_wait(self, c):
        n = self.of("task", c.text(1)).wait()
        return [joined([STATES[n.state], "step", n.step, ckpt.CkptError(status=n.status).status_name, printed_name(n.name)])]

    def do_end_step(self, c):
        self.of("background", c.text(1)).manager.end_step(c.integer(2))

    def do_finish(self, c):
        self.of("background", c.text(1)).manager.close(cancel=index_of(["drain", "cancel"], c.text(2)) == 1)

    # ---- When to save ----

    def show_threshold(self, threshold):
        n = threshold.info()
        return ["threshold", thousandths(n.threshold), "longest", thousandths(n.longest_seconds), "used", n.used, "of", n.budget, "tasks",
                n.tasks]

    def show_controller(self, controller):
        n = controller.info()
        return ["running", yes_no(n.running), "in_flight", yes_no(n.save_in_flight), "failures", n.failures, "saves", n.saves, "cost",
                thousandths(n.cost_seconds), "last", thousandths(n.last_seen_seconds), "mtbf", thousandths(n.mtbf_seconds), "tasks",
                n.tasks]

    def do_interval(self, c):
        index_of(list(FORMULAS), c.text(1))
        return [thousandths(FORMULAS[c.text(1)](*(c.number(i) for i in range(2, len(c) + 1))))]

    def do_threshold(self, c):
        rate = {} if c.option("rate") is None else {"learning_rate": c.option("rate", kind=float)}
        self.make("threshold", c.text(1), ckpt.Threshold(**c.given(threshold=float, budget=int), **rate))

    def do_controller(self, c):
        options = {}
        for ours, theirs, kind in (("mtbf", "mtbf_seconds", float), ("interval", "interval_seconds", float),
                                   ("cost", "initial_cost_seconds", float), ("first", "first_seconds", float),
                                   ("poll", "poll_seconds", float), ("min", "min_interval_seconds", float),
                                   ("max", "max_interval_seconds", float), ("overhead", "max_overhead_share", float),
                                   ("saves", "budget_saves", int), ("window", "budget_window_seconds", float)):
            if c.option(ours) is not None:
                options[theirs] = c.option(ours, kind=kind)
        if c.option("clock") is not None:
            options["clock"] = self.of("clock", c.option("clock"))
        self.make("controller", c.text(1), ckpt.Controller(ckpt.Policy[c.option("policy", "auto").upper()], **options))

    def do_tell(self, c):
        kind, told = self.find(c.text(1), ["threshold", "controller"])
        event = c.text(2)
        if event == "observe":
            return told.observe_task(c.text(3), c.number(4))
        numbers = [c.number(i) for i in range(3, len(c) + 1)]
        if kind == "threshold":
            {"adjust": told.adjust_policy, "begin-run": told.begin_run}[event](*numbers)
            return None
        events = {"begin-run": told.begin_run, "resume": told.resume, "begin": told.begin, "commit": told.commit, "abort": told.abort,
                  "failure": told.record_failure, "recovery": told.record_recovery, "clean-exit": told.record_clean_exit,
                  "preemption": told.preemption_notice}
        events[event](*numbers[1:], now=numbers[0])
        return None

    def do_decide(self, c):
        kind, asked = self.find(c.text(1), ["threshold", "controller"])
        if kind == "threshold":
            return [yes_no(asked.should_checkpoint(c.text(2), c.number(3)))]
        n = asked.should_checkpoint(None if c.text(2) == "now" else c.number(2))
        return [joined([yes_no(n), n.reason.name, n.policy.name.lower(), "interval", thousandths(n.interval_seconds), "due",
                        thousandths(n.due_seconds), "since", thousandths(n.since_last_seconds)])]

    def do_carry(self, c):
        self.of("controller", c.text(2)).from_json(self.of("controller", c.text(1)).json())

    def do_recall(self, c):
        self.of("controller", c.text(1)).from_json(c.text(2))
