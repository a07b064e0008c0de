"""Loads weights in the layout of the published GPT-2 into a chain: gpt2_names.py [model.safetensors]. Without a file it first
writes a small one in that layout. It checks every name, shape and element type before it changes the first weight."""

import os
import sys
import tempfile

import ckpt
import numpy as np

HEAD_WIDTH = 64  # in every published size of GPT-2
OUTER = {"embedding.tokens": "wte", "embedding.positions": "wpe", "norm": "ln_f"}
OF_A_BLOCK = {"attn.norm": "ln_1", "attn.qkv": "attn.c_attn", "attn.out": "attn.c_proj", "mlp.norm": "ln_2", "mlp.up": "mlp.c_fc",
              "mlp.down": "mlp.c_proj"}


def gpt2_name(name):
    """Returns GPT-2's name of a chain's parameter. Both store weights as [inputs, outputs], and queries, keys and values side by
    side."""
    module, _, kind = name.rpartition(".")
    if module in OUTER:
        return f"{OUTER[module]}.{kind}"
    _, number, part = module.split(".", 2)
    return f"h.{number}.{OF_A_BLOCK[part]}.{kind}"


def is_mask(name):
    """Tests for the causal mask, a constant that GPT-2's files store next to the weights. The layer computes it."""
    return name.startswith("h.") and name.endswith((".attn.bias", ".attn.masked_bias"))


def make_chain(vocabulary, context, width, blocks, heads):
    embedding = ckpt.Layer("embedding", "token_embedding", vocabulary, context, width)
    chain = ckpt.Chain([embedding])
    for number in range(blocks):
        chain.add(ckpt.Layer(f"blocks.{number}.attn", "attention", width, heads))
        chain.add(ckpt.Layer(f"blocks.{number}.mlp", "mlp", width, 4 * width))
    chain.add(ckpt.Layer("norm", "layer_norm", width))
    chain.add(ckpt.Layer.tied_head("head", embedding))
    return chain.add(ckpt.Layer("loss", "softmax_cross_entropy"))


def read_weights(path, chain):
    """Fills the chain's parameters from a file. Raises ValueError, naming the first tensor that does not fit; then nothing has
    changed."""
    parameters = {gpt2_name(parameter.name): parameter.value for parameter in chain.parameters()}
    with ckpt.Reader(path) as reader:
        there = {info.name: info for info in reader if not is_mask(info.name)}
        for name in there:
            if name not in parameters:
                raise ValueError(f"{path}: the chain has no parameter for tensor '{name}'")
        for name, value in parameters.items():
            if name not in there:
                raise ValueError(f"{path}: tensor '{name}' is missing")
            if (there[name].dtype, there[name].shape) != (value.dtype, value.shape):
                raise ValueError(f"{path}: tensor '{name}' is {there[name].dtype.name} {there[name].shape}; the chain's is "
                                 f"{value.dtype.name} {value.shape}")
        arrays = {name: reader[name] for name in parameters}  # read all first: the file may be truncated
    for name, value in parameters.items():
        value.numpy()[...] = arrays[name]


def make_file(path, vocabulary=64, context=16, width=128, blocks=2):
    """Writes a small file in GPT-2's layout from the chain's initial values."""
    chain = make_chain(vocabulary, context, width, blocks, width // HEAD_WIDTH)
    chain.initialize(seed=1)
    arrays = {gpt2_name(parameter.name): parameter.value.numpy() for parameter in chain.parameters()}
    for number in range(blocks):
        arrays[f"h.{number}.attn.bias"] = np.tril(np.ones((1, 1, context, context), np.float32))
    ckpt.save_file(path, arrays)


def loss_of(chain, vocabulary):
    """Returns the loss on tokens that are each followed by their successor."""
    tokens = np.arange(16, dtype=np.int32).reshape(1, 16) % vocabulary
    spec = (np.int32, tokens.shape)
    schedule = ckpt.Schedule.create(chain.profile(spec), "store-all")
    with ckpt.ScheduleExecutor(chain, schedule, spec) as executor:
        return executor.run(tokens, (tokens + 1) % vocabulary)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "model.safetensors")
        if len(sys.argv) < 2:
            make_file(path)
        with ckpt.Reader(path) as reader:
            shapes = {info.name: info.shape for info in reader}
        (vocabulary, width), (context, _) = shapes["wte.weight"], shapes["wpe.weight"]
        blocks = sum(name.endswith(".ln_1.weight") for name in shapes)
        chain = make_chain(vocabulary, context, width, blocks, width // HEAD_WIDTH)
        read_weights(path, chain)
        print(f"{blocks} blocks of width {width}: loss {loss_of(chain, vocabulary):.6f}")

        written = os.path.join(folder, "chain.safetensors")  # with the chain's names
        ckpt.save_file(written, {parameter.name: parameter.value for parameter in chain.parameters()})
        again = ckpt.load_file(written)
        same = all(again[parameter.name].tobytes() == parameter.value.numpy().tobytes() for parameter in chain.parameters())
        print(f"{len(again)} parameters, written and read again: {'the same bytes' if same else 'they differ'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
