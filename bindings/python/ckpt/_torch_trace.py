"""Traces a module into a graph of single calls."""

from __future__ import annotations

import dis
import os
import random
import sys
import traceback
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

import torch as _torch
from torch import fx as _fx
from torch.nn.utils import parametrize

from ._torch_values import _is_tensor, Values
from .generated.errors import InvalidArgumentError, UnsupportedError

# Files of torch and of this package: a line of the user's program is in none of them.
_INSIDE = (os.path.dirname(_torch.__file__) + os.sep, os.path.dirname(os.path.abspath(__file__)) + os.sep)


class _Traced(NamedTuple):
    """A module as a list of calls. node.args refers to the results of earlier nodes."""

    root: Any
    nodes: List[Any]
    positions: List[Optional[int]]  # of each placeholder: the index of its argument; None for its default
    constants: Dict[str, Any]       # tensors that the forward made from no input, by the target of their node
    modules: Dict[str, Any]         # by the target of the nodes that call them
    has_fixed_shapes: bool = False  # the calls are those for the shapes of the trace

    def attribute(self, target: str) -> Any:
        """Returns the current value of an attribute of the module, by its path."""
        if target in self.constants:
            return self.constants[target]
        value = self.root
        for name in target.split("."):
            value = getattr(value, name)
        return value

    def owner(self, target: str) -> Tuple[Any, str]:
        """Returns the module that holds an attribute, and the attribute's name in it."""
        path, _, name = target.rpartition(".")
        return self.root.get_submodule(path), name

    def result(self, output: Any) -> Any:
        """Returns what the module returns, from the argument of the output node."""
        return self.root.graph.process_outputs(output) if isinstance(self.root, _fx.GraphModule) else output

    def call(self, node: Any, args: Any, kwargs: Any) -> Any:
        if node.op == "call_module":
            return self.modules[node.target](*args, **kwargs)
        if node.op == "call_method":
            return getattr(args[0], node.target)(*args[1:], **kwargs)
        return node.target(*args, **kwargs)


def _trace(module: Callable[..., Any], values: Values) -> _Traced:
    """Traces a module or a function for arguments of these types. Tensors become inputs; other arguments are constants."""
    if isinstance(module, _fx.GraphModule):
        return _Traced(module, list(module.graph.nodes), _placeholders(module, values), {}, _called(module, module.graph))
    opaque: Set[type] = set()
    while True:
        tracer = _Tracer(values, opaque)
        try:
            return _traced_by(tracer, module)
        except UnsupportedError:
            raise
        except Exception as error:
            if tracer.container is None or tracer.container in opaque:
                return _exported(module, values, error)
            opaque.add(tracer.container)  # runs as one call


def _exported(module: Callable[..., Any], values: Values, error: Exception) -> _Traced:
    """Traces with torch.export, which also takes branches and loops that depend on shapes; its calls fit these shapes only."""
    export: Any = getattr(_torch, "export", None)
    export = getattr(export, "export_for_training", None) or getattr(export, "export", None)
    if export is None or not isinstance(module, _torch.nn.Module):
        raise _untraceable(error) from error
    before = _state_outside(module)
    try:
        graph: Any = export(module, tuple(values), strict=False).module()
    except Exception:
        raise _untraceable(error) from error
    _require_unchanged(module, before)
    return _Traced(graph, list(graph.graph.nodes), _placeholders(graph, values), {}, _called(graph, graph.graph), True)


def _traced_by(tracer: "_Tracer", module: Callable[..., Any]) -> _Traced:
    root: Any = module if isinstance(module, (_torch.nn.Module, type(_trace))) else _bound(module)
    owned = set(root.__dict__) if isinstance(root, _torch.nn.Module) else set()
    before = _state_outside(root)
    try:
        graph = tracer.trace(root)
    finally:
        constants = {name: tracer.root.__dict__[name] for name in set(tracer.root.__dict__) - owned
                     if name.startswith("_tensor_constant")}
        for name in constants:
            delattr(tracer.root, name)
    _require_unchanged(root, before)
    positions = [at for at, value in enumerate(tracer.values) if _is_tensor(value)]
    return _Traced(tracer.root, list(graph.nodes), [*positions], constants, _called(tracer.root, graph))


def _bound(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a plain function for any callable: only those can be traced."""
    if not callable(function):
        raise InvalidArgumentError(f"callables: expected a module or a function to trace, found {function!r}")

    def forward(*values: Any) -> Any:
        return function(*values)

    return forward


class _Proxy(_fx.Proxy):  # type: ignore[misc]
    def __iter__(self) -> Any:
        return self.tracer.iter(self)


class _Tracer(_fx.Tracer):  # type: ignore[misc]
    """Traces for given arguments. Modules of torch are single calls; those that hold others are traced, unless in opaque."""

    proxy_buffer_attributes = True  # a write into a buffer is then a call, too

    def __init__(self, values: Values, opaque: Set[type]) -> None:
        super().__init__()
        self.values, self.opaque = values, opaque
        self.container: Any = None  # innermost module of torch that was being traced, and holds others

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> Any:
        given = [self.create_proxy("placeholder", f"input_{at}", (), {}) if _is_tensor(value) else value
                 for at, value in enumerate(self.values)]
        return root_fn, [self.root, *given] if is_module else given

    def proxy(self, node: Any) -> Any:
        return _Proxy(node, self)

    def iter(self, obj: Any) -> Any:
        """Lets a program unpack a result: batch, length = x.shape."""
        frame: Any = sys._getframe()
        while frame.f_code.co_filename.startswith(_INSIDE):
            frame = frame.f_back
        at = next((each for each in dis.get_instructions(frame.f_code) if each.offset == frame.f_lasti), None)
        if at is None or at.opname != "UNPACK_SEQUENCE":
            return super().iter(obj)
        return (obj[index] for index in range(at.arg or 0))

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        if not super().is_leaf_module(m, module_qualified_name):
            return False
        return type(m) in self.opaque or not any(True for _ in m.children()) or parametrize.is_parametrized(m)

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        before = self.container
        if _fx.Tracer.is_leaf_module(self, m, ""):
            self.container = type(m)
        given = super().call_module(m, forward, args, kwargs)
        self.container = before
        return given


def _called(root: Any, graph: Any) -> Dict[str, Any]:
    return {node.target: root.get_submodule(node.target) for node in graph.nodes if node.op == "call_module"}


def _placeholders(module: Any, values: Values) -> List[Optional[int]]:
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    if len(module.graph.process_inputs(*values)) != len(values):
        raise UnsupportedError("sample: expected tensors and plain objects for a graph")
    required = sum(not node.args for node in placeholders)
    if not required <= len(values) <= len(placeholders):
        raise InvalidArgumentError(f"sample: expected {required} .. {len(placeholders)} values for the graph's inputs, found "
                                   f"{len(values)}")
    return [at if at < len(values) else None for at in range(len(placeholders))]


def _untraceable(error: BaseException) -> UnsupportedError:
    """Names the line of the module at which tracing failed."""
    if isinstance(error, UnsupportedError):
        return error
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_INSIDE)]
    place = f"{frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}: " if frames else ""
    return UnsupportedError(f"the module cannot be traced: {place}{error}")


def _state_outside(root: Any) -> Tuple[List[Any], Dict[str, Any]]:
    """Returns the state that a trace must not change, because its calls would not change it again."""
    return _python_generators(), _attributes(root)


def _require_unchanged(root: Any, before: Tuple[List[Any], Dict[str, Any]]) -> None:
    generators, attributes = _state_outside(root)
    if not _same_generators(generators, before[0]):
        raise UnsupportedError("the forward draws random numbers that do not depend on its inputs: a traced module would use the same "
                               "ones in every step. Expected calls such as torch.randn_like(x)")
    changed = [name for name, state in attributes.items() if before[1].get(name) != state]
    if changed:
        raise UnsupportedError(f"the forward changes {changed[0]}, which is not a buffer: a traced module would not do so in each step")


def _python_generators() -> List[Any]:
    numpy = sys.modules.get("numpy")
    return [_torch.get_rng_state(), random.getstate(), numpy.random.get_state() if numpy is not None else None]


def _same_generators(left: List[Any], right: List[Any]) -> bool:
    return (bool(_torch.equal(left[0], right[0])) and left[1] == right[1]
            and (left[2] is None or right[2] is None or (bytes(left[2][1]), left[2][2:]) == (bytes(right[2][1]), right[2][2:])))


def _attributes(root: Any) -> Dict[str, Any]:
    """Returns the state of the plain attributes of a module and its submodules, by path: identity and version."""
    if not isinstance(root, _torch.nn.Module):
        return {}
    return {f"{path}.{name}" if path else name: (id(value), value._version if _is_tensor(value) else 0)
            for path, module in root.named_modules() for name, value in vars(module).items() if not isinstance(value, dict)}
