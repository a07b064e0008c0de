"""Runs the calls of a traced module once, to see what they read, write, share and draw."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Set, Tuple

import torch as _torch
from torch.fx.node import map_arg as _map_arg

from ._torch_graph import _Begin, _leaves_of, _Root, _seed, _without_hooks
from ._torch_trace import _Traced
from ._torch_values import Buffers, _generators, _is_tensor, _kept_buffers, _same_bits, _storage, Values
from .generated.errors import UnsupportedError

_CALLS = ("call_function", "call_method", "call_module")


# ---- Results of calls: tensors inside tuples, lists and dicts ----

def _leaves(value: Any) -> List[Any]:
    """Returns the tensors and plain objects of a result, in order."""
    if isinstance(value, _torch.Size) or not isinstance(value, (tuple, list, dict)):
        return [value]
    return [leaf for part in (value.values() if isinstance(value, dict) else value) for leaf in _leaves(part)]


def _rebuilt(like: Any, leaves: Iterator[Any]) -> Any:
    """Returns a result of the same structure from its leaves."""
    if isinstance(like, _torch.Size) or not isinstance(like, (tuple, list, dict)):
        return next(leaves)
    if isinstance(like, dict):
        return type(like)((key, _rebuilt(part, leaves)) for key, part in like.items())
    parts = [_rebuilt(part, leaves) for part in like]
    return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)


def _structure(value: Any) -> Any:
    """Returns a result without its tensors: a structure to rebuild it."""
    return _rebuilt(value, iter([None] * len(_leaves(value))))


class _Call:
    """One call, and the facts that its first run has shown. The sample's shapes decide which results are views."""

    def __init__(self, number: int, node: Any) -> None:
        self.number = number
        self.node = node
        self.reads: List[Any] = []  # nodes that give its arguments
        self.is_start = False   # needs no gradient and reads only inputs: runs once, before all operations
        self.is_plain = False   # its result has no tensor: kept for the whole step
        self.is_random = False
        self.joins: List[Any] = []  # nodes that must be in the same operation
        self.changed: Buffers = []
        self.others: List[Any] = []  # leaves that its function uses and no module holds
        self.mask: List[bool] = []   # of its result: which leaves have a gradient
        self.like: Any = None        # its result without the tensors
        self.gives: Set[Any] = set()  # nodes that get a gradient from it
        self.takes_dense = True      # a gradient with gaps and a copy without gaps give the same bits and layouts
        self.passes_gaps: Set[Any] = set()  # nodes that get a gradient with gaps if it gets one

    @property
    def has_effects(self) -> bool:
        return self.is_random or bool(self.changed)


class _Calls:
    """The calls of a traced module."""

    def __init__(self, traced: _Traced, values: Values) -> None:
        self.traced = traced
        self.placeholders = [node for node in traced.nodes if node.op == "placeholder"]
        self.output = next(node for node in traced.nodes if node.op == "output")
        self.calls: Dict[Any, _Call] = {}  # by node
        self.first: Dict[Any, Any] = {}    # by node with the tensor of an earlier one (writes in place, identities): that node
        self.memory: Dict[Any, Any] = {}   # by node with a view: the node that made the memory
        self.gaps: Dict[Any, List[_Call]] = {}  # by node: the calls with a backward that gives it a part of larger memory
        self.input_masks = {node: _is_tensor(value) and value.requires_grad for node, value in self.bound(values).items()}
        _FirstRun(self, values)

    def bound(self, values: Values) -> Dict[Any, Any]:
        """Returns the inputs by placeholder."""
        return {node: values[at] if at is not None else node.args[0] for node, at in zip(self.placeholders, self.traced.positions)}

    def arguments(self, node: Any, results: Dict[Any, Any]) -> Tuple[Any, Any]:
        def of(each: Any) -> Any:
            return self.traced.attribute(each.target) if each.op == "get_attr" else results[self.first.get(each, each)]

        return _map_arg(node.args, of), _map_arg(node.kwargs, of)

    def reads(self, node: Any) -> List[Any]:
        """Returns the nodes that a node reads."""
        return list(dict.fromkeys(self.first.get(each, each) for each in node.all_input_nodes))

    def modules_in(self, node: Any) -> List[Any]:
        return list(self.traced.modules[node.target].modules()) if node.op == "call_module" else []

    def parameters_of(self, call: _Call) -> List[Any]:
        found = [parameter for module in self.modules_in(call.node) for parameter in module._parameters.values()]
        found += [self.traced.attribute(node.target) for node in call.reads if node.op == "get_attr"]
        unique = {id(each): each for each in [*found, *call.others] if _is_tensor(each) and each.requires_grad}
        return list(unique.values())

    def mask_of(self, node: Any) -> List[bool]:
        """Returns which leaves of a result have a gradient."""
        return self.calls[node].mask if node in self.calls else [self.input_masks.get(node, False)]


class _FirstRun:
    """Runs every call, and keeps its result until its last reader has run."""

    def __init__(self, network: _Calls, values: Values) -> None:
        self.network, self.traced = network, network.traced
        self.results = network.bound(values)
        self.devices = sorted({value.device.index for value in values if _is_tensor(value) and value.device.type == "cuda"})
        self.noise = _torch.Generator().manual_seed(1)  # leaves the global generator as it is
        self.effects_before = False  # of a call of an operation
        self.read_by_operations: Set[Any] = set()  # memory
        self.written_by_operations: Set[Any] = set()
        last_reader = {each: node for node in self.traced.nodes for each in network.reads(node)}
        for node in self.traced.nodes:
            if node.op in _CALLS:
                call = _Call(len(network.calls), node)
                result = self.run(call)
                network.calls[node] = call
                if node not in network.first:
                    self.results[node] = result
                else:  # its readers read the earlier node
                    last_reader = {each: reader for reader in self.traced.nodes for each in network.reads(reader)}
            for each in network.reads(node):
                if last_reader.get(each) is node:
                    self.results.pop(each, None)

    def run(self, call: _Call) -> Any:
        network, node = self.network, call.node
        call.reads = network.reads(node)
        read = {each: self.results[each] for each in call.reads if each.op != "get_attr"}
        attributes = {each: self.traced.attribute(each.target) for each in call.reads if each.op == "get_attr"}
        modules = network.modules_in(node)
        buffers = _kept_buffers([(module, name) for module in modules for name in module._buffers])
        watched = [(each, leaf, leaf._version) for each, value in [*read.items(), *attributes.items()] for leaf in _leaves(value)
                   if _is_tensor(leaf)]
        contents = {each: value.detach().clone() for each, value in attributes.items() if _is_tensor(value) and not value.requires_grad}
        generators = _generators(self.devices)
        with _torch.enable_grad():
            begun, inputs = self.begun(read)
            args, kwargs = network.arguments(node, begun)
            given = self.traced.call(node, args, kwargs)
            leaves = _leaves(given)
            call.mask = [_is_tensor(leaf) and leaf.requires_grad for leaf in leaves]
            history = [leaf for leaf in leaves if _is_tensor(leaf) and leaf.requires_grad]
            if history:
                known = {id(each) for each in network.parameters_of(call)}
                call.others = [leaf for leaf in _leaves_of(_Root.apply([], *history)) if id(leaf) not in known]
        call.like = _structure(given)
        call.is_plain = not any(map(_is_tensor, leaves))
        call.is_random = not all(map(_torch.equal, generators, _generators(self.devices)))
        call.changed = [(module, name) for module, name, buffer, contents in buffers
                        if module._buffers[name] is not buffer or (buffer is not None and not _same_bits(buffer, contents))]
        if history:
            self.find_gaps(call, history, inputs)
        wrote = {each for each, leaf, version in watched if leaf._version != version}
        wrote |= {each for each, before in contents.items() if not _same_bits(attributes[each], before)}  # batch_norm: no new version
        written = self.find_joins(call, watched, wrote, leaves)
        call.is_start = (not any(call.mask) and all(self.is_start(each) for each in call.reads)
                         and not (call.has_effects and self.effects_before)
                         and self.read_by_operations.isdisjoint(map(self.memory_of, written))
                         and self.written_by_operations.isdisjoint(map(self.memory_of, call.reads)))
        if not call.is_start:
            self.written_by_operations.update(map(self.memory_of, written))
            self.take_from_start(written)
            self.note_operation(call)
        same = next((each for each, value in begun.items() if _is_tensor(given) and value is given), None)
        if same is not None:
            network.first[node] = same
            if same in network.calls and written:  # the result has the history of the write
                network.calls[same].mask, network.calls[same].takes_dense = call.mask, call.takes_dense
        return _rebuilt(given, iter([leaf.detach() if _is_tensor(leaf) else leaf for leaf in leaves]))

    def begun(self, read: Dict[Any, Any]) -> Tuple[Dict[Any, Any], Dict[Tuple[Any, int], Any]]:
        """Gives the leaves with a gradient a separate history. Returns the results, and these leaves by node and number."""
        flat = {node: _leaves(value) for node, value in read.items()}
        places = [(node, number) for node in flat for number, has in enumerate(self.network.mask_of(node)) if has]
        begun = _Begin.apply([], _seed(), *(flat[node][number] for node, number in places)) if places else ()
        for (node, number), leaf in zip(places, begun):
            flat[node][number] = leaf
        return {node: _rebuilt(read[node], iter(leaves)) for node, leaves in flat.items()}, dict(zip(places, begun))

    def find_gaps(self, call: _Call, history: List[Any], inputs: Dict[Tuple[Any, int], Any]) -> None:
        """Runs the call backward, to see the layouts of its gradients."""
        parameters = self.network.parameters_of(call)
        wanted = [*inputs.values(), *parameters]

        def gradients(of: List[Any]) -> List[Any]:
            with _without_hooks(parameters):
                return list(_torch.autograd.grad(history, wanted, of, retain_graph=True, allow_unused=True))

        dense = [_torch.randn(leaf.shape, generator=self.noise).to(leaf) for leaf in history] if wanted else []
        given = gradients(dense) if wanted else []
        for (node, _), gradient in zip(inputs, given):
            if gradient is not None:
                call.gives.add(node)
                if _has_gaps(gradient):
                    self.network.gaps.setdefault(node, []).append(call)
        # Some kernels give other bits in each run, by the alignment of memory, for example: then only layouts are compared.
        again = gradients(dense) if wanted else []
        is_same = _is_same_layout if all(map(_is_same_layout, given, again)) else _has_same_strides
        for dim in (1, -1) if wanted and all(leaf.dim() > 1 and leaf.numel() for leaf in history) else ():
            apart = gradients([_torch.cat([leaf, leaf], dim).narrow(dim, 0, leaf.shape[dim]) for leaf in dense])
            call.takes_dense &= all(map(is_same, again, apart))
            call.passes_gaps |= {node for (node, _), gradient in zip(inputs, apart) if gradient is not None and _has_gaps(gradient)}

    def is_start(self, node: Any) -> bool:
        return node not in self.network.calls or self.network.calls[node].is_start

    def take_from_start(self, written: Set[Any]) -> None:
        """Makes calls parts of operations if an operation writes into their memory, or if they read results of such calls."""
        taken = {node for node in written if node in self.network.calls}
        for call in self.network.calls.values():
            if call.is_start and (call.node in taken or taken.intersection(call.reads)):
                taken.add(call.node)
                call.is_start = False
                self.note_operation(call)

    def memory_of(self, node: Any) -> Any:
        """Returns a key of the memory of a result: its maker, or the path of an attribute."""
        memory = self.network.memory.get(node, node)
        return memory.target if memory.op == "get_attr" else memory

    def note_operation(self, call: _Call) -> None:
        """Notes a call that is part of an operation. A plain result belongs to the last of the results that it depends on."""
        calls = self.network.calls
        self.effects_before |= call.has_effects
        self.read_by_operations.update(map(self.memory_of, call.reads))
        read = [each for each in call.reads if each in calls and not calls[each].is_start]
        if call.is_plain and read:
            call.joins.append(max(read, key=lambda each: calls[each].number))

    def find_joins(self, call: _Call, watched: List[Tuple[Any, Any, int]], wrote: Set[Any], leaves: List[Any]) -> Set[Any]:
        """Finds the nodes that must run in the same operation: the result shares their memory, or the call writes into it. Returns
        the nodes with the memory that it writes."""
        network = self.network
        written: Set[Any] = set()
        own = {_storage(leaf)[0] for leaf in leaves if _has_storage(leaf) and _storage(leaf)[1]}
        for each, leaf, _ in watched:
            memory = network.memory.get(each, each)
            if each in wrote or (_has_storage(leaf) and _storage(leaf)[0] in own) or _is_part(call.node, each):
                network.memory.setdefault(call.node, memory)
                call.joins.append(each)
            if each not in wrote:
                continue
            written.add(memory)
            if memory.op == "placeholder":
                raise UnsupportedError(f"{_place(call.node)}: writes into an input of the module: recomputing it would give different "
                                       "bits")
            if memory.op == "get_attr":
                module, name = self.traced.owner(memory.target)
                if name not in module._buffers:
                    raise UnsupportedError(f"{_place(call.node)}: writes into {memory.target}, which is not a buffer")
                call.changed.append((module, name))
            # The readers of what it writes join it, so that they run in their order.
            readers = self.traced.nodes if memory.op == "get_attr" else network.calls
            call.joins += [node for node in readers if node.op in _CALLS and any(
                network.memory.get(one, one) is memory or (one.op == memory.op == "get_attr" and one.target == memory.target)
                for one in network.reads(node))]
        return written


def _has_storage(leaf: Any) -> bool:
    return _is_tensor(leaf) and leaf.layout == _torch.strided


def _has_gaps(gradient: "_torch.Tensor") -> bool:
    """Returns whether a gradient is part of larger memory, as that of an input of torch.cat is."""
    return _has_storage(gradient) and _storage(gradient)[1] > gradient.numel() * gradient.element_size()


def _has_same_strides(left: Any, right: Any) -> bool:
    return left is right if left is None or right is None else bool(left.stride() == right.stride())


def _is_same_layout(left: Any, right: Any) -> bool:
    return _has_same_strides(left, right) and (left is None or _same_bits(left, right))


def _is_part(node: Any, of: Any) -> bool:
    """Returns whether a call takes a part of another result: x[0], x.values."""
    name = getattr(node.target, "__name__", node.target)
    return name in ("getitem", "getattr") and bool(node.args) and node.args[0] is of


def _place(node: Any) -> str:
    """Returns the line of a call in the user's program, if the trace knows it, or its name."""
    lines = [line.strip() for line in (node.stack_trace or "").splitlines() if line.strip().startswith("File ")]
    return f"{node.name} ({lines[-1]})" if lines else str(node.name)
