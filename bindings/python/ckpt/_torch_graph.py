"""The inputs and outputs of a layer's autograd graph, which keep neither input nor output memory alive."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Sequence, Set, Tuple

import torch as _torch

from .generated.errors import UnsupportedError


def _function(rules: Any) -> Any:
    """Makes a class with forward and backward an autograd function; type checkers do not need torch."""
    return type(rules.__name__, (rules, _torch.autograd.Function), {})


@_function
class _Begin:
    """Replaces a layer's inputs in its graph. With leaves instead, the graph would keep the inputs alive."""

    @staticmethod
    def forward(ctx: Any, sink: List[Any], seed: Any, *inputs: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.sink = sink
        return tuple(value.detach() for value in inputs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        ctx.sink.extend(grads)
        return (None, None, *(None for _ in grads))


@_function
class _Root:
    """Replaces a layer's outputs by one empty tensor. Its backward takes their gradients from a box."""

    @staticmethod
    def forward(ctx: Any, box: List[Any], *outputs: Any) -> Any:
        ctx.box = box
        return outputs[0].new_empty(0)

    @staticmethod
    def backward(ctx: Any, empty: Any) -> Any:
        return (None, *ctx.box.pop())


@contextmanager
def _without_hooks(parameters: Sequence[Any]) -> Iterator[None]:
    """Disables the hooks of parameters: they are for the whole gradient, which autograd passes to them later."""
    hooked = [(parameter, parameter._backward_hooks) for parameter in parameters if parameter._backward_hooks]
    for parameter, _ in hooked:
        parameter._backward_hooks = None
    try:
        yield
    finally:
        for parameter, hooks in hooked:
            parameter._backward_hooks = hooks


def _rooted(tensor: "_torch.Tensor") -> Tuple[Any, List[Any]]:
    """Returns an empty tensor that replaces another one in its graph, and the box of the gradient for its backward."""
    box: List[Any] = []
    return _Root.apply(box, tensor), box


def _without_saving() -> Any:
    """Returns a context in which autograd records nothing for a backward. Layers run as with autograd: without it, some choose
    another kernel with other bits."""
    return _torch.autograd.graph.saved_tensors_hooks(lambda tensor: None, _refuse_backward)


def _refuse_backward(packed: Any) -> Any:
    raise UnsupportedError("a layer runs a backward inside its forward")


_seeds: Dict[Any, Any] = {}


def _seed() -> "_torch.Tensor":
    if "seed" not in _seeds:
        with _torch.enable_grad():
            _seeds["seed"] = _torch.empty(0, requires_grad=True)
    return _seeds["seed"]


def _leaves_of(root: "_torch.Tensor") -> List["_torch.Tensor"]:
    """Returns the leaves of a graph, which receive gradients."""
    seen: Set[Any] = set()
    found: List[Any] = []
    open_nodes = [root.grad_fn]
    while open_nodes:
        node = open_nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None and variable is not _seed():
            found.append(variable)
        open_nodes.extend(next_node for next_node, _ in node.next_functions)
    return found
