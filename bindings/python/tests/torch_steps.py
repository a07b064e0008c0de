"""Helpers shared by the tests of budgets: they measure and compare steps."""

from contextlib import contextmanager

import ckpt
import needs_torch  # noqa: F401 (exits where torch is missing)

import torch
from ckpt import _torch_graph_step, _torch_measure, _torch_step, _torch_values, torch as ckpt_torch


def same_bits(left, right):
    if left is None or right is None:
        return left is right
    return left.dtype == right.dtype and left.shape == right.shape and (
        left.detach().contiguous().numpy().tobytes() == right.detach().contiguous().numpy().tobytes())


def smallest(callables, sample, **options):
    """Returns the smallest budget, as the message states it."""
    try:
        ckpt_torch.budget(callables, sample, 1, **options)
    except ckpt.OverBudgetError as error:
        return int(str(error).partition("the smallest that works for this ")[2].split()[2])
    raise AssertionError("one byte is enough")


@contextmanager
def kept_gradients():
    """Returns the gradients of parameters that steps keep meanwhile."""
    kept, kinds = [], (_torch_step._Step, _torch_graph_step._GraphStep)
    before = [kind.keep for kind in kinds]

    def patched(keep):
        return lambda step, parameter, gradient: kept.append(gradient) or keep(step, parameter, gradient)

    for kind, keep in zip(kinds, before):
        kind.keep = patched(keep)
    try:
        yield kept
    finally:
        for kind, keep in zip(kinds, before):
            kind.keep = keep


def measured(run, sample, parameters):
    """Returns the peak of live bytes of a step with its inputs, without the gradients of parameters and of their single uses."""
    values = sample if isinstance(sample, tuple) else (sample,)
    meter, gradients = _torch_measure._Meter(), []
    with kept_gradients() as kept:
        most, _ = meter.during(
            lambda: gradients.extend(torch.autograd.grad(run(*values), parameters, allow_unused=True)),
            lambda: [_torch_values._storage(gradient)[0] for gradient in [*kept, *gradients] if gradient is not None])
    return most + sum(value.numel() * value.element_size() for value in values)
