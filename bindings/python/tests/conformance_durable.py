"""The commands of bindings/conformance/README.md on checkpoints, background tasks and controllers."""

import json

import ckpt
from ckpt import compat
from conformance_commands import EventLog, exact, index_of, joined, shape_of, thousandths, yes_no
from conformance_stages import Stages

STATES = ["queued", "running", "completed", "failed", "cancelled", "rejected"]
FORMULAS = {"young": ckpt.young_interval, "daly": ckpt.daly_interval, "expected_value": ckpt.expected_value_interval,
            "weibull": ckpt.weibull_interval}


def printed_name(name):
    """Returns the name without the random digits at its end."""
    return name.rpartition("-")[0] if name else "-"


def compact(value):
    """Returns JSON without white space."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def full_name(checkpoint, printed):
    return next((info.name for info in checkpoint.list() if printed_name(info.name) == printed), printed)


class Background:
    def __init__(self, checkpoint, kind=ckpt.AsyncManager, **options):
        self.events = EventLog()
        self.checkpoint = checkpoint
        self.manager = kind(checkpoint, on_ended=self.hear, **options)

    def hear(self, result):
        self.events.append(joined([result.kind.name.lower(), "step", result.step, STATES[result.state]]))

    def close(self):
        self.manager.close()


class Part(ckpt.Stateful):
    """A model of one tensor."""

    def __init__(self):
        self.tensor = ckpt.Tensor("F32", [4])

    def list(self, into):
        into.add("part", "w", self.tensor)


def source_of(how):
    index_of(["sevens", "throws"], how)

    def read(group, name, address, offset, buffer):
        if how == "throws":
            raise RuntimeError(f"cannot read {name}")
        buffer[:] = bytes([7]) * len(buffer)

    return read


class Scenario(Stages):
    """Adds these commands to the others."""

    # ---- Checkpoints ----

    def show_state(self, state):
        return ["tensors", state.tensor_count]

    def do_state(self, c):
        self.make("state", c.text(1), ckpt.State())

    def do_add(self, c):
        self.of("state", c.text(1)).add(c.text(2), c.text(3), self.of("tensor", c.text(4)))

    def do_sharded(self, c):
        self.of("state", c.text(1)).add_sharded(c.text(2), c.text(3), ckpt.DType.from_name(c.text(4)), shape_of(c.text(5)))

    def do_block(self, c):
        self.of("state", c.text(1)).add_block(c.text(2), c.text(3), shape_of(c.text(4)), self.of("tensor", c.text(5)))

    def do_value(self, c):
        state = self.of("state", c.text(1))
        if len(c) > 2:
            return state.set_json(c.text(2), c.text(3))
        return [compact(state[c.text(2)])]

    def do_checkpoint(self, c):
        options = c.given(keep_last=int, keep_every=int, keep_best=int)
        self.make("checkpoint", c.text(1), ckpt.CheckpointManager(
            f"{self.folder}-{c.text(2)}",
            best_metric=ckpt.BestMetric(c.option("larger") == "1"), read_only=c.option("read_only") == "1", **options))

    def do_save(self, c):
        n = self.of("checkpoint", c.text(1)).save(self.of("state", c.text(2)),
                                                  **c.given(step=int, seed=int, prefix=str, metric=float))
        return [joined([printed_name(n.name), "step", n.step, "files", n.files])]

    def do_load(self, c):
        checkpoint = self.of("checkpoint", c.text(1))
        name, names = c.option("name"), c.option("rename")
        n = checkpoint.load(self.of("state", c.text(2)), name=None if name is None else full_name(checkpoint, name),
                            partial=c.option("partial") == "1", rename=None if names is None else dict([names.split(":")]).get)
        return [joined([printed_name(n.name), "step", n.step, "seed", n.seed, "skipped", n.skipped, "missing", n.missing,
                        "unexpected", n.unexpected])]

    def do_list(self, c):
        return [joined([printed_name(n.name), "step", n.step, ckpt.CkptError(status=n.status).status_name, "metric",
                        "-" if n.metric is None else exact(n.metric)]) for n in self.of("checkpoint", c.text(1)).list()]

    def do_rank_values(self, c):
        checkpoint = self.of("checkpoint", c.text(1))
        return [compact(checkpoint.rank_values(full_name(checkpoint, c.text(2)), c.integer(3)))]

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
        return ["live", n.live_tasks, "completed", n.completed_tasks, "failed", n.failed_tasks, "cancelled", n.cancelled_tasks,
                "rejected", n.rejected_tasks]

    def show_task(self, task):
        return [task.kind.name.lower(), STATES[task.state], "step", task.info().step]

    def do_async(self, c):
        self.make("background", c.text(1), Background(self.of("checkpoint", c.text(2)), **c.given(capacity=int, history=int)))

    def do_start(self, c):
        background, state = self.of("background", c.text(2)), self.of("state", c.text(4))
        options = c.given(priority=int)
        when_full = index_of(["refuse", "wait", "drop_oldest"], c.option("full", "refuse"))
        options.update(gate_step=c.option("gate", kind=int), when_full=when_full)
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

    # ---- The same with the names of the reference API ----

    def do_compat(self, c):
        options = {} if c.option("capacity") is None else {"max_queue_size": c.option("capacity", kind=int)}
        self.make("background", c.text(1), Background(self.of("checkpoint", c.text(2)), compat.AsyncCheckpointManager, **options))

    def do_queue(self, c):
        manager = self.of("background", c.text(2)).manager
        optimizer = None if c.option("optimizer") == "none" else Part()
        self.make("id", c.text(1), manager.queue_save_async(Part(), optimizer, c.option("step", 0, int)))

    def id_of(self, name):
        if name == "unknown":
            return 987654321
        if name == "all":
            return 0
        return self.objects["id"][name] if name in self.objects["id"] else self.of("task", name).id

    def do_status(self, c):
        status = self.of("background", c.text(1)).manager.get_task_status(self.id_of(c.text(2)))
        return ["none" if status is None else STATES[status]]

    def do_await(self, c):
        n = self.of("background", c.text(1)).manager.wait_for_completion(self.id_of(c.text(2)))
        return [joined([STATES[n.status], yes_no(n.success), printed_name(n.checkpoint_path),
                        "no-path" if n.checkpoint_path is None else "path", "error", "none" if n.error is None else "some"])]

    def do_cancel_id(self, c):
        return [yes_no(self.of("background", c.text(1)).manager.cancel_checkpoint(self.id_of(c.text(2))))]

    def do_active(self, c):
        return [joined([n.type.name.lower(), STATES[n.status], "not-begun" if n.started_at is None else "begun"])
                for n in self.of("background", c.text(1)).manager.get_active_tasks()]

    # ---- When to save ----

    def show_threshold(self, threshold):
        n = threshold.info()
        return ["threshold", thousandths(n.threshold), "longest", thousandths(n.longest_seconds), "used", n.used, "of", n.budget,
                "tasks", n.tasks]

    def show_controller(self, controller):
        n = controller.info()
        return ["running", yes_no(n.running), "in_flight", yes_no(n.save_in_flight), "failures", n.failures, "saves", n.saves,
                "cost", thousandths(n.cost_seconds), "last", thousandths(n.last_seen_seconds), "mtbf",
                thousandths(n.mtbf_seconds), "tasks", n.tasks]

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

    def do_record(self, c):
        kind, target = self.find(c.text(1), ["threshold", "controller"])
        event = c.text(2)
        if event == "observe":
            return target.observe_task(c.text(3), c.number(4))
        numbers = [c.number(i) for i in range(3, len(c) + 1)]
        if kind == "threshold":
            {"adjust": target.adjust_policy, "begin-run": target.begin_run}[event](*numbers)
            return None
        events = {"begin-run": target.begin_run, "resume": target.resume, "begin": target.begin, "commit": target.commit,
                  "abort": target.abort, "failure": target.record_failure, "recovery": target.record_recovery,
                  "clean-exit": target.record_clean_exit, "preemption": target.notify_preemption}
        events[event](*numbers[1:], now=numbers[0])
        return None

    def do_decide(self, c):
        kind, asked = self.find(c.text(1), ["threshold", "controller"])
        if kind == "threshold":
            return [yes_no(asked.should_checkpoint(c.text(2), c.number(3)))]
        n = asked.should_checkpoint(None if c.text(2) == "now" else c.number(2))
        return [joined([yes_no(n), n.reason.name, n.policy.name.lower(), "interval", thousandths(n.interval_seconds), "due",
                        thousandths(n.due_seconds), "since", thousandths(n.since_last_seconds)])]

    def do_copy_state(self, c):
        self.of("controller", c.text(2)).restore(self.of("controller", c.text(1)).json())

    def do_restore_json(self, c):
        self.of("controller", c.text(1)).restore(c.text(2))
