"""The commands of bindings/conformance/README.md on activation managers and pipelines."""

import struct

import ckpt
from conformance_commands import Commands, exact, index_of, joined, thousandths, yes_no

KINDS = ["", "store-all", "recompute-all", "selective", "memory-based", "strategy", "automatic"]  # by their numbers
ORDERS = ["gpipe", "1f1b", "interleaved"]


def lengths(shape):
    return "x".join(map(str, shape)) or "-"


def described(tensor):
    with tensor:
        return [joined([lengths(tensor.shape), "sum", exact(tensor.sum())])]


def forward_of(how):
    if index_of(["scales", "throws", "none"], how) == 2:
        return None

    def forward(input, micro_batch):
        if how == "throws":
            raise RuntimeError(f"no forward of {micro_batch}")
        output = ckpt.Tensor(input.dtype, input.shape)
        output.copy_from(input)
        output.scale(micro_batch + 2)
        return output

    return forward


def layers_of(count, width):
    for i in range(count):
        yield ckpt.Layer(f"linear{i}", "linear", width, width)
        yield ckpt.Layer(f"gelu{i}", "gelu")
    yield ckpt.Layer("loss", "softmax_cross_entropy")


class Staged:
    """A pipeline with its chain, its batch and the losses of its last step."""

    def __init__(self, layers, width, samples, **options):
        self.chain = ckpt.Chain(layers_of(layers, width))
        self.chain.initialize(1)
        self.pipeline = ckpt.Pipeline(self.chain, (ckpt.DType.F32, (samples, width)), measured_steps=0, **options)
        self.input = ckpt.Tensor(ckpt.DType.F32, (samples, width))
        self.input.raw()[:] = struct.pack(f"={samples * width}f", *(i % 7 / 8 for i in range(samples * width)))
        self.targets = ckpt.Tensor(ckpt.DType.U8, (samples,))
        self.targets.raw()[:] = bytes(i % width for i in range(samples))
        self.losses = ()

    def run(self, step):
        loss, self.losses = self.pipeline.run_losses(self.input, self.targets, step=step)
        return loss

    def is_same_step(self, other):
        ours, theirs = self.chain.parameters(), other.chain.parameters()
        return (self.losses == other.losses and len(ours) == len(theirs)
                and all(a.gradient.is_bit_equal(b.gradient) for a, b in zip(ours, theirs)))

    def close(self):
        self.pipeline.close()
        self.chain.close()


class Stages(Commands):
    """Adds these commands to the others."""

    def policy_of(self, c, kind):
        options = c.given(interval=int)
        for ours, theirs in (("threshold", "threshold_bytes"), ("memory", "memory_limit_bytes")):
            if c.option(ours) is not None:
                options[theirs] = c.option(ours, kind=int)
        if c.option("strategy") is not None:
            options["strategy"] = self.of("strategy", c.option("strategy"))
        return ckpt.ActivationPolicy(ckpt.ActivationPolicyKind(index_of(KINDS, kind)), **options)

    # ---- Activation managers ----

    def show_activations(self, manager):
        policy = manager.policy
        return [KINDS[policy.kind], "interval", policy.interval, "threshold", policy.threshold_bytes, "bytes",
                manager.memory_usage(), "count", len(manager)]

    def do_activations(self, c):
        options = c.given(name=str)
        for kind in ("tracker", "clock"):
            if c.option(kind) is not None:
                options[kind] = self.of(kind, c.option(kind))
        self.make("activations", c.text(1), ckpt.ActivationManager(
            self.policy_of(c, c.text(2)), forward_of(c.option("forward", "scales")), **options))

    def do_policy(self, c):
        self.of("activations", c.text(1)).policy = self.policy_of(c, c.text(2))

    def do_begin_step(self, c):
        self.of("activations", c.text(1)).begin_step(c.integer(2))

    def do_would_store(self, c):
        return [yes_no(self.of("activations", c.text(1)).should_checkpoint(c.integer(2), c.integer(3)))]

    def do_store(self, c):
        return [yes_no(self.of("activations", c.text(1)).store(c.integer(2), self.of("tensor", c.text(3))))]

    def do_stored(self, c):
        found = self.of("activations", c.text(1)).get(c.integer(2))
        return ["-"] if found is None else described(found)

    def do_recompute(self, c):
        return described(self.of("activations", c.text(1)).recompute(self.of("tensor", c.text(3)), c.integer(2)))

    def do_stored_or_computed(self, c):
        return described(self.of("activations", c.text(1)).get_or_compute(self.of("tensor", c.text(3)), c.integer(2)))

    def do_list_stored(self, c):
        return [joined(self.of("activations", c.text(1)).micro_batches()) or "-"]

    def do_metadata(self, c):
        n = self.of("activations", c.text(1)).metadata(c.integer(2))
        return [joined([n.dtype.safetensors_name, lengths(n.shape), "bytes", n.bytes, "hits", n.hits, "at", n.stored_at_ns])]

    def do_clear(self, c):
        self.of("activations", c.text(1)).clear()

    # ---- Pipelines ----

    def do_pipeline(self, c):
        options = c.given(stages=int, chunks=int, micro_batches=int)
        options["order"] = ORDERS[index_of(ORDERS, c.option("order", "1f1b"))]
        options["budget_bytes"] = c.option("budget", 0, int)
        options["begins"] = [int(begin) for begin in c.names("begins")]
        options["policy"] = self.policy_of(c, c.option("policy", "store-all"))
        self.make("pipeline", c.text(1), Staged(c.integer(2), c.integer(3), c.option("samples", 8, int), **options))

    def do_step(self, c):
        staged = self.of("pipeline", c.text(1))
        loss = staged.run(c.integer(2))
        return [joined(["loss", thousandths(loss), "of", *map(thousandths, staged.losses)])]

    def do_same_step(self, c):
        return [yes_no(self.of("pipeline", c.text(1)).is_same_step(self.of("pipeline", c.text(2))))]

    def do_stage(self, c):
        n = self.of("pipeline", c.text(1)).pipeline.stats(c.integer(2))
        return [joined(["first", n.first_layer, "layers", n.layers, "in-flight", n.in_flight, "steps", n.steps,
                        "forwards", n.forwards, "again", n.recomputed_forwards, "kept", n.kept_micro_batches,
                        "not", n.recomputed_micro_batches, "peak", n.peak_live_bytes, "reserved", n.reserved_bytes])]
