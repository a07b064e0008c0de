"""Weights in GPT-2's published layout: a chain filled from them has the loss of GPT-2 written out in numpy; a file that does not
match is refused with the name of the tensor, and changes nothing."""

import json
import os
import struct
import sys
import tempfile
import unittest

import ckpt
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples", "python"))
from gpt2_names import gpt2_name, is_mask, make_chain, read_weights  # noqa: E402

VOCABULARY, CONTEXT, WIDTH, BLOCKS, HEADS = 19, 8, 16, 2, 4
SAMPLES, TOKENS = 3, 7


def gpt2_arrays():
    """Returns weights so large that each of them affects the loss."""
    generator = np.random.default_rng(5)

    def drawn(*shape, middle=0.0):
        return (middle + 0.3 * generator.standard_normal(shape)).astype(np.float32)

    arrays = {"wte.weight": drawn(VOCABULARY, WIDTH), "wpe.weight": drawn(CONTEXT, WIDTH)}
    norms = ["ln_f"]
    for number in range(BLOCKS):
        block = f"h.{number}"
        norms += [f"{block}.ln_1", f"{block}.ln_2"]
        for name, inputs, outputs in (("attn.c_attn", WIDTH, 3 * WIDTH), ("attn.c_proj", WIDTH, WIDTH),
                                      ("mlp.c_fc", WIDTH, 4 * WIDTH), ("mlp.c_proj", 4 * WIDTH, WIDTH)):
            arrays[f"{block}.{name}.weight"], arrays[f"{block}.{name}.bias"] = drawn(inputs, outputs), drawn(outputs)
        arrays[f"{block}.attn.bias"] = np.tril(np.ones((1, 1, CONTEXT, CONTEXT), np.float32))
    for name in norms:
        arrays[f"{name}.weight"], arrays[f"{name}.bias"] = drawn(WIDTH, middle=1.0), drawn(WIDTH)
    return arrays


def write_file(path, arrays):
    """Writes the format by hand, like another program."""
    header, begin = {"__metadata__": {"format": "pt"}}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [begin, begin + array.nbytes]}
        begin += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays.values()))


def misfits(arrays):
    """Yields arrays that do not match the chain, and the tensor that the error must name, by GPT-2's name or the chain's."""
    without = {name: array for name, array in arrays.items() if name != "h.1.mlp.c_fc.bias"}
    more = {**arrays, "h.1.ln_3.weight": np.ones(WIDTH, np.float32)}
    turned = {**arrays, "h.0.attn.c_attn.weight": np.ascontiguousarray(arrays["h.0.attn.c_attn.weight"].T)}
    wide = {**arrays, "ln_f.weight": np.ones(WIDTH + 1, np.float32)}
    return ((without, r"'(h\.1\.mlp\.c_fc|blocks\.1\.mlp\.up)\.bias'"), (more, r"'h\.1\.ln_3\.weight'"),
            (turned, r"'h\.0\.attn\.c_attn\.weight'.*48.*16.*16.*48|'h\.0\.attn\.c_attn\.weight'.*16.*48.*48.*16"),
            (wide, r"'ln_f\.weight'.*\b17\b"))


def gpt2_loss(arrays, tokens, targets):
    """Computes GPT-2 like its published code, in 64 bits."""
    weights = {name: array.astype(np.float64) for name, array in arrays.items()}

    def norm(x, name):
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / np.sqrt((centered ** 2).mean(-1, keepdims=True) + 1e-5)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def product(x, name):
        return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def softmax(x):
        x = np.exp(x - x.max(-1, keepdims=True))
        return x / x.sum(-1, keepdims=True)

    def attention(x, block):
        parts = np.split(product(x, f"{block}.attn.c_attn"), 3, axis=-1)
        q, k, v = (part.reshape(*x.shape[:2], HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3) for part in parts)
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS)
        scores = np.where(weights[f"{block}.attn.bias"][..., :x.shape[1], :x.shape[1]] > 0, scores, -np.inf)
        return product((softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(x.shape), f"{block}.attn.c_proj")

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))

    x = weights["wte.weight"][tokens] + weights["wpe.weight"][:tokens.shape[1]]
    for number in range(BLOCKS):
        block = f"h.{number}"
        x = x + attention(norm(x, f"{block}.ln_1"), block)
        x = x + product(gelu(product(norm(x, f"{block}.ln_2"), f"{block}.mlp.c_fc")), f"{block}.mlp.c_proj")
    probabilities = softmax(norm(x, "ln_f") @ weights["wte.weight"].T)
    return -np.log(np.take_along_axis(probabilities, targets[..., None], -1)).mean()


class Weights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "model.safetensors")
        self.arrays = gpt2_arrays()
        self.chain = make_chain(VOCABULARY, CONTEXT, WIDTH, BLOCKS, HEADS)
        self.chain.initialize(seed=3)

    def current(self):
        return {parameter.name: parameter.value.numpy().tobytes() for parameter in self.chain.parameters()}

    def check_loss(self):
        generator = np.random.default_rng(6)
        tokens, targets = (generator.integers(0, VOCABULARY, (SAMPLES, TOKENS), np.int32) for _ in range(2))
        spec = (np.int32, tokens.shape)
        schedule = ckpt.Schedule.create(self.chain.profile(spec), "store-all")
        with ckpt.ScheduleExecutor(self.chain, schedule, spec) as executor:
            loss = executor.run(tokens, targets)
        expected = gpt2_loss(self.arrays, tokens, targets)
        self.assertLess(abs(loss - expected), 1e-5 * expected)


class Files(Weights):
    def test_names(self):
        self.assertEqual({gpt2_name(parameter.name) for parameter in self.chain.parameters()},
                         {name for name in self.arrays if not is_mask(name)})
        self.assertEqual(sum(is_mask(name) for name in self.arrays), BLOCKS)

    def test_the_loss_of_gpt2(self):
        write_file(self.path, self.arrays)
        read_weights(self.path, self.chain)
        for parameter in self.chain.parameters():
            self.assertEqual(parameter.value.numpy().tobytes(), self.arrays[gpt2_name(parameter.name)].tobytes(), parameter.name)
        self.check_loss()

    def test_misfits_are_refused(self):
        before = self.current()
        for arrays, text in misfits(self.arrays):
            with self.subTest(text):
                write_file(self.path, arrays)
                with self.assertRaisesRegex(ValueError, text):
                    read_weights(self.path, self.chain)
                self.assertEqual(self.current(), before)

    def test_a_file_that_ends_too_early(self):
        write_file(self.path, self.arrays)
        os.truncate(self.path, os.path.getsize(self.path) - 4)
        before = self.current()
        with self.assertRaises(ckpt.CkptError):
            read_weights(self.path, self.chain)
        self.assertEqual(self.current(), before)

    def test_written_and_read_again(self):
        written = os.path.join(self.folder, "chain.safetensors")
        ckpt.save_file(written, {parameter.name: parameter.value for parameter in self.chain.parameters()})
        again = ckpt.load_file(written)
        self.assertEqual({name: array.tobytes() for name, array in again.items()}, self.current())


class Checkpoints(Weights):
    """The same arrays from a checkpoint, by the rename of a load, which does its own checks."""

    def load(self, arrays):
        folder = tempfile.mkdtemp(dir=self.folder)
        ckpt.save(folder, {name: array for name, array in arrays.items() if not is_mask(name)})
        state = ckpt.State({parameter.name: parameter.value for parameter in self.chain.parameters()})
        names = {gpt2_name(parameter.name): parameter.name for parameter in self.chain.parameters()}
        with ckpt.CheckpointManager(folder, read_only=True) as checkpoints:
            checkpoints.load(state, rename=names.get)

    def test_the_loss_of_gpt2_from_a_checkpoint(self):
        self.load(self.arrays)
        self.check_loss()

    def test_misfits_of_a_checkpoint(self):
        before = self.current()
        for arrays, text in misfits(self.arrays):
            with self.subTest(text):
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, text):
                    self.load(arrays)
                self.assertEqual(self.current(), before)


if __name__ == "__main__":
    unittest.main()
