"""With the real PyTorch: compares a transformer of torch.nn with a chain of token_embedding, attention, mlp, norm and tied head
with the same weights: loss, every gradient, and the parameters after steps of AdamW."""

import math
import unittest

import ckpt
import needs_torch  # noqa: F401 (exits where torch is missing)
import numpy as np

import torch
import torch.nn.functional as F
from torch import nn


class RootMeanSquare(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


def norm_of(kind, width):
    return nn.LayerNorm(width) if kind == "layer_norm" else RootMeanSquare(width)


def turned(x, base):
    """Elements 2i and 2i+1 of [samples, heads, tokens, D], as a complex number, turned by token base^(-2i/D) radians."""
    tokens, width = x.shape[-2:]
    speeds = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(tokens, dtype=torch.float64)[:, None] * speeds
    cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.heads, self.rotary = model.heads, model.rotary_base
        self.key_heads, self.width = model.key_heads or model.heads, model.width // model.heads
        self.norm = norm_of(model.norm, model.width)
        self.qkv = nn.Linear(model.width, model.width + 2 * self.key_heads * self.width)
        self.out = nn.Linear(model.width, model.width)

    def forward(self, x):
        samples, tokens, width = x.shape
        parts = self.qkv(self.norm(x)).split([width, self.key_heads * self.width, self.key_heads * self.width], -1)
        q, k, v = (part.view(samples, tokens, -1, self.width).transpose(1, 2) for part in parts)
        if self.rotary:
            q, k = turned(q, self.rotary), turned(k, self.rotary)
        if self.key_heads < self.heads:
            k, v = (each.repeat_interleave(self.heads // self.key_heads, dim=1) for each in (k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.width)
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(later, -math.inf), -1)
        return x + self.out((weights @ v).transpose(1, 2).reshape(samples, tokens, width))


class Mlp(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.gated = model.activation == "swiglu"
        self.norm = norm_of(model.norm, model.width)
        self.up = nn.Linear(model.width, model.hidden * (2 if self.gated else 1))
        self.down = nn.Linear(model.hidden, model.width)

    def forward(self, x):
        up = self.up(self.norm(x))
        if self.gated:
            gate, value = up.chunk(2, -1)
            return x + self.down(F.silu(gate) * value)
        return x + self.down(F.gelu(up, approximate="tanh"))


class Model:
    """The dimensions of both models."""

    def __init__(self, vocabulary=23, context=12, width=32, heads=4, blocks=2, hidden=None, key_heads=0, rotary_base=0,
                 norm="layer_norm", activation="gelu", positions="learned"):
        self.vocabulary, self.context, self.width, self.heads, self.blocks = vocabulary, context, width, heads, blocks
        self.hidden, self.key_heads, self.rotary_base = hidden or 4 * width, key_heads, rotary_base
        self.norm, self.activation, self.positions = norm, activation, positions

    def chain(self, dtype="F32"):
        embedding = ckpt.Layer("embedding", "token_embedding", self.vocabulary, self.context, self.width, self.positions, dtype)
        chain = ckpt.Chain([embedding])
        for number in range(self.blocks):
            chain.add(ckpt.Layer(f"blocks.{number}.attn", "attention", self.width, self.heads, self.key_heads, self.norm,
                                 f"rotary_base={self.rotary_base}", f"dtype={dtype}"))
            chain.add(ckpt.Layer(f"blocks.{number}.mlp", "mlp", self.width, self.hidden, self.activation, self.norm, f"dtype={dtype}"))
        chain.add(ckpt.Layer("norm", self.norm, self.width, f"dtype={dtype}"))
        chain.add(ckpt.Layer.tied_head("head", embedding))
        return chain.add(ckpt.Layer("loss", "softmax_cross_entropy"))


class Twin(nn.Module):
    """The chain's model in PyTorch; parameters have the chain's names, and matrices of linear layers are [outputs, inputs]."""

    def __init__(self, model):
        super().__init__()
        self.embedding = nn.ModuleDict({"tokens": nn.Embedding(model.vocabulary, model.width)})
        if model.positions == "learned":
            self.embedding["positions"] = nn.Embedding(model.context, model.width)
        self.blocks = nn.ModuleList([nn.ModuleDict({"attn": Attention(model), "mlp": Mlp(model)}) for _ in range(model.blocks)])
        self.norm = norm_of(model.norm, model.width)

    def forward(self, tokens, targets):
        x = self.embedding["tokens"](tokens)
        if "positions" in self.embedding:
            x = x + self.embedding["positions"].weight[:tokens.shape[1]]
        for block in self.blocks:
            x = block["mlp"](block["attn"](x))
        logits = self.norm(x) @ self.embedding["tokens"].weight.t()
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def as_in_chain(name, tensor):
    """Returns a parameter of the twin or its gradient, in the chain's layout."""
    array = tensor.detach().numpy()
    return array.T if array.ndim == 2 and not name.startswith("embedding.") else array


def copy_weights(chain, twin):
    """Copies the chain's parameters to the twin; the names must be the same."""
    weights = {parameter.name: parameter.value.numpy() for parameter in chain.parameters()}
    theirs = dict(twin.named_parameters())
    if set(weights) != set(theirs):
        raise AssertionError(f"only one of both has {sorted(set(weights) ^ set(theirs))}")
    with torch.no_grad():
        for name, parameter in theirs.items():
            as_in_chain(name, parameter)[...] = weights[name]


VARIANTS = {
    "gpt2": {},
    "grouped heads": {"key_heads": 2},
    "one key head": {"key_heads": 1},
    "rotary": {"rotary_base": 10000, "positions": "none"},
    "rms_norm": {"norm": "rms_norm"},
    "swiglu": {"activation": "swiglu", "hidden": 48},
    "all": {"key_heads": 2, "rotary_base": 500, "positions": "none", "norm": "rms_norm", "activation": "swiglu", "hidden": 40},
}
SAMPLES, TOKENS = 3, 9  # fewer tokens than the context has


def random_pair(model, dtype):
    """Returns chain and twin with weights so large that each of them affects the loss, including biases and norms."""
    chain, twin = model.chain(dtype), Twin(model)
    if dtype == "F64":
        twin = twin.double()
    generator = np.random.default_rng(7)
    for parameter in chain.parameters():
        value = parameter.value.numpy()
        value[...] = 0.2 * generator.standard_normal(value.shape) + (1.0 if parameter.name.endswith("norm.weight") else 0.0)
    copy_weights(chain, twin)
    return chain, twin


def batch(step, vocabulary):
    generator = np.random.default_rng(100 + step)
    return [generator.integers(0, vocabulary, (SAMPLES, TOKENS), np.int32) for _ in range(2)]


def executor_of(chain, planner="store-all"):
    spec = (np.int32, (SAMPLES, TOKENS))
    return ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(chain.profile(spec), planner), spec)


def twin_step(twin, tokens, targets):
    twin.zero_grad(set_to_none=True)
    loss = twin(torch.from_numpy(tokens).long(), torch.from_numpy(targets).long())
    loss.backward()
    return loss.item()


def difference(ours, theirs):
    """Returns the difference as a share of the norm."""
    return np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)


class Transformer(unittest.TestCase):
    def compare(self, model, dtype, planner, loss_tolerance, gradient_tolerance):
        chain, twin = random_pair(model, dtype)
        tokens, targets = batch(0, model.vocabulary)
        with executor_of(chain, planner) as executor:
            loss = executor.run(tokens, targets)
        expected = twin_step(twin, tokens, targets)
        self.assertLess(abs(loss - expected), loss_tolerance * expected)
        theirs = {name: as_in_chain(name, parameter.grad) for name, parameter in twin.named_parameters()}
        for parameter in chain.parameters():
            self.assertLess(difference(parameter.gradient.numpy(), theirs[parameter.name]), gradient_tolerance, parameter.name)

    def test_loss_and_gradients(self):
        for name, changes in VARIANTS.items():
            for planner in ("store-all", "recompute-all"):
                with self.subTest(name, planner=planner):
                    self.compare(Model(**changes), "F32", planner, 1e-5, 1e-4)

    def test_loss_and_gradients_in_64_bits(self):
        """In 64 bits rounding hides no error."""
        for name, changes in VARIANTS.items():
            with self.subTest(name):
                self.compare(Model(**changes), "F64", "store-all", 1e-10, 1e-8)

    def test_adamw(self):
        model = Model(blocks=1)
        chain, twin = random_pair(model, "F32")
        # Large compared with the rounding of gradients that are zero, such as those of the keys' biases: otherwise AdamW would make
        # full steps of it.
        epsilon, decay, rates = 1e-4, 0.1, (0.01, 0.01, 0.005, 0.002, 0.001)
        ours = ckpt.Optimizer.adamw(chain, learning_rate=rates[0], beta2=0.99, epsilon=epsilon, weight_decay=decay,
                                    decay_matrices_only=True)
        parameters = list(twin.parameters())
        theirs = torch.optim.AdamW([{"params": [each for each in parameters if each.ndim >= 2], "weight_decay": decay},
                                    {"params": [each for each in parameters if each.ndim < 2], "weight_decay": 0.0}],
                                   lr=rates[0], betas=(0.9, 0.99), eps=epsilon)
        before = {parameter.name: parameter.value.numpy().copy() for parameter in chain.parameters()}
        with executor_of(chain) as executor:
            for step, rate in enumerate(rates):
                tokens, targets = batch(step, model.vocabulary)
                ours.learning_rate = rate
                for group in theirs.param_groups:
                    group["lr"] = rate
                loss = executor.run(tokens, targets, step=step)
                expected = twin_step(twin, tokens, targets)
                self.assertLess(abs(loss - expected), 1e-4 * expected)
                ours.step()
                theirs.step()
        expected = {name: as_in_chain(name, parameter) for name, parameter in twin.named_parameters()}
        for parameter in chain.parameters():
            value = parameter.value.numpy()
            self.assertLess(difference(value, expected[parameter.name]), 1e-4, parameter.name)
            self.assertGreater(difference(value, before[parameter.name]), 1e-3, parameter.name)


if __name__ == "__main__":
    unittest.main()
