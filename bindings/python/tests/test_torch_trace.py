"""With the real PyTorch: traced modules under a byte budget have the bits of plain training, within the planned bytes. Bytes are
counted by the allocator over the whole step; parameters and their gradients are not counted."""

import copy
import gc
import os
import pickle
import random
import sys
import unittest
import weakref

import ckpt

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
    from ckpt import _torch_graph_step, _torch_measure, _torch_values, torch as ckpt_torch
except ImportError:
    if os.environ.get("CKPT_REQUIRE_SERVICES"):
        raise
    print(f"SKIP tests with the real torch: it is not installed for {sys.executable}", file=sys.stderr)
    sys.exit(77)


def double(before, after):
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(inplace=True),
                         nn.Conv2d(after, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(inplace=True))


class UNet(nn.Module):
    """Four levels with skip connections."""

    def __init__(self, width=8, levels=4):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.down = nn.ModuleList([double(before, after) for before, after in zip([3, *widths], widths)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(after, before, 2, 2) for before, after in zip(widths, widths[1:])])
        self.joined = nn.ModuleList([double(2 * width, width) for width in widths[:-1]])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        skips = []
        for level, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if level else x)
            skips.append(x)
        for level in reversed(range(len(self.up))):
            x = self.joined[level](torch.cat([skips[level], self.up[level](x)], 1))
        return self.head(x)


class DenseBlock(nn.Module):
    """Every layer reads the outputs of all layers before it."""

    def __init__(self, width=16, growth=8, count=8):
        super().__init__()
        self.norms = nn.ModuleList([nn.BatchNorm2d(width + growth * number) for number in range(count)])
        self.convs = nn.ModuleList([nn.Conv2d(width + growth * number, growth, 3, padding=1) for number in range(count)])

    def forward(self, x):
        found = [x]
        for norm, conv in zip(self.norms, self.convs):
            found.append(conv(F.relu(norm(torch.cat(found, 1)))))
        return torch.cat(found, 1)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.kv, self.out = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)

    def forward(self, x, memory):
        batch, length, width = x.shape
        q = self.q(x).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        k, v = self.kv(memory).view(batch, memory.shape[1], self.heads, 2 * width // self.heads).transpose(1, 2).chunk(2, -1)
        weights = F.dropout(torch.softmax(q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5, -1), 0.1, self.training)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Part(nn.Module):
    """A layer of an encoder, or of a decoder that attends to all outputs of an encoder."""

    def __init__(self, width, is_decoder):
        super().__init__()
        self.own = Attention(width, 4)
        self.other = Attention(width, 4) if is_decoder else None
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, memory=None):
        y = self.norms[0](x)
        x = x + self.own(y, y)
        if self.other is not None:
            x = x + self.other(self.norms[1](x), memory)
        return x + F.dropout(self.down(F.gelu(self.up(self.norms[2](x)))), 0.1, self.training)


class Translator(nn.Module):
    def __init__(self, width=32, count=3):
        super().__init__()
        self.embedding = nn.Embedding(50, width)
        self.encoder = nn.ModuleList([Part(width, False) for _ in range(count)])
        self.decoder = nn.ModuleList([Part(width, True) for _ in range(count)])

    def forward(self, source, target):
        memory, x = self.embedding(source), self.embedding(target)
        for layer in self.encoder:
            memory = layer(memory)
        for layer in self.decoder:
            x = layer(x, memory)
        return x @ self.embedding.weight.t()  # shared with the embedding


def unet():
    return UNet(), (torch.randn(8, 3, 64, 64),)


def dense_block():
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), DenseBlock()), (torch.randn(4, 3, 32, 32),)


def translator():
    return Translator(), (torch.randint(0, 50, (4, 24)), torch.randint(0, 50, (4, 16)))


MODELS = {"unet": unet, "dense block": dense_block, "translator": translator}


def same_bits(left, right):
    if left is None or right is None:
        return left is right
    return left.dtype == right.dtype and left.shape == right.shape and (
        left.detach().contiguous().numpy().tobytes() == right.detach().contiguous().numpy().tobytes())


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for part in parts for tensor in tensors_in(part)]


def loss_of(result):
    return sum(tensor.square().mean() for tensor in tensors_in(result) if tensor.requires_grad)


def smallest(module, sample):
    """Returns the smallest budget of this module."""
    try:
        ckpt_torch.budget(module, sample, 1, trace=True)
    except ckpt.OverBudgetError as error:
        return int(str(error).split("the smallest that works for this graph is ")[1].split()[0])
    raise AssertionError("one byte is enough")


class WithLoss(nn.Module):
    """Computes the loss as part of the graph, so that the bytes of the whole step are planned."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *values):
        return self.inner(*values).square().mean()


def measured(run, sample, parameters):
    """Returns the peak of live bytes of a step with its inputs, without the gradients of parameters."""
    pieces, before = [], _torch_graph_step._GraphStep.keep

    def keep(step, parameter, gradient):
        pieces.append(gradient)
        before(step, parameter, gradient)

    meter, gradients = _torch_measure._Meter(), []
    _torch_graph_step._GraphStep.keep = keep
    try:
        most, _ = meter.during(lambda: gradients.extend(torch.autograd.grad(run(*sample), parameters, allow_unused=True)),
                               lambda: [_torch_values._storage(gradient)[0] for gradient in [*pieces, *gradients] if gradient is not None])
    finally:
        _torch_graph_step._GraphStep.keep = before
    return most + sum(tensor.numel() * tensor.element_size() for tensor in sample)


class Bits(unittest.TestCase):
    def check(self, module, sample, budget, steps=3, plans=1):
        plain = copy.deepcopy(module)
        run = ckpt_torch.budget(module, sample, budget, trace=True)
        optimizers = [torch.optim.SGD(of.parameters(), lr=1e-3, momentum=0.9) for of in (module, plain)]
        inputs = [tuple(value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value
                        for value in sample) for _ in range(2)]
        for step in range(steps):
            ends = []
            for function, values, optimizer in zip((run, plain), inputs, optimizers):
                torch.manual_seed(step)
                optimizer.zero_grad(set_to_none=step % 2 == 0)
                result = function(*values)
                torch.rand(3)  # between forward and backward
                loss_of(result).backward()
                ends.append((result, torch.get_rng_state()))
            self.assertEqual(type(ends[0][0]), type(ends[1][0]))
            for left, right in zip(tensors_in(ends[0][0]), tensors_in(ends[1][0])):
                self.assertEqual(left.requires_grad, right.requires_grad)
                self.assertTrue(same_bits(left, right), "result")
            self.assertTrue(same_bits(ends[0][1], ends[1][1]), "generator")
            for (name, left), right in zip(module.named_parameters(), plain.parameters()):
                self.assertTrue(same_bits(left.grad, right.grad), f"gradient of {name} in step {step}")
            for left, right in zip(*inputs):
                if isinstance(left, torch.Tensor):
                    self.assertTrue(same_bits(left.grad, right.grad), "gradient of an input")
            for left, right in zip(module.buffers(), plain.buffers()):
                self.assertTrue(same_bits(left, right), "buffer")
            for optimizer in optimizers:
                optimizer.step()
        self.assertEqual(len(run.reports), plans)
        return run

    def check_smallest(self, module, sample):
        """Checks at the smallest budget, where as much as possible is recomputed, and at that of store-all."""
        self.check(copy.deepcopy(module), sample, 1.0)
        return self.check(module, sample, smallest(module, sample))

    def test_every_model(self):
        for name, make in MODELS.items():
            torch.manual_seed(1)
            module, sample = make()
            for budget in ("80%", "60%", "50%", smallest(module, sample)):
                with self.subTest(name, budget=budget):
                    run = self.check(copy.deepcopy(module), sample, budget)
                    self.assertGreater(run.reports[0].recomputed_forwards, 0)

    def test_bytes(self):
        for name, make in MODELS.items():
            torch.manual_seed(1)
            module, sample = make()
            module = WithLoss(module)
            for budget in ("100%", "80%", "60%", "50%", smallest(module, sample)):
                run = ckpt_torch.budget(module, sample, budget, trace=True)
                predicted = run.reports[0].peak_bytes[0]
                found = measured(run, sample, list(module.parameters()))
                print(name, budget, run.bytes, predicted, found, run.reports[0].recomputed_forwards, run.reports[0].recomputed_seconds/run.reports[0].step_seconds)
                with self.subTest(name, budget=run.bytes, predicted=predicted, found=found):
                    self.assertLessEqual(found, run.bytes * 1.01)


if __name__ == "__main__":
    unittest.main()
