"""Groups the calls of a traced module into the operations of a graph."""

from __future__ import annotations

import heapq
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

import torch as _torch
from torch.fx.node import map_arg as _map_arg

from ._torch_graph import _Begin, _leaves_of, _Root, _seed
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
    """What one run of a call has shown. The sample's shapes decide which results are views."""

    def __init__(self, number: int, node: Any) -> None:
        self.number = number
        self.node = node
        self.reads: List[Any] = []  # nodes whose results it reads
        self.is_start = False   # needs no gradient and reads only inputs: runs once, before all operations
        self.is_plain = False   # its result has no tensor: kept for the whole step
        self.is_random = False
        self.joins: List[Any] = []  # nodes that must be in the same operation
        self.changed: Buffers = []
        self.others: List[Any] = []  # leaves that its function uses and no module holds
        self.mask: List[bool] = []   # of its result: which leaves have a gradient
        self.like: Any = None        # its result without the tensors
        self.takes_dense = True      # a gradient with gaps and a copy without gaps give the same bits and layouts
        self.passes_gaps: Set[Any] = set()  # nodes whose gradients have gaps if its own has

    @property
    def has_effects(self) -> bool:
        return self.is_random or bool(self.changed)


class _Operation:
    """Calls that run together. Reads values, the results of other operations, and makes one."""

    def __init__(self, number: int, calls: Sequence[_Call]) -> None:
        self.number = number
        self.calls = list(calls)
        self.results: List[Any] = []     # nodes whose results are read elsewhere: their leaves are the operation's value
        self.mask: List[bool] = []       # of the value's leaves: which ones have a gradient
        self.reads: List[int] = []       # values, ascending; 0 is the input of the graph
        self.parts: List[List[Any]] = []  # for each of them: the nodes that are read
        self.start: List[Any] = []       # nodes that ran before all operations
        self.last_reads: Dict[Any, List[Any]] = {}  # by node of a call: the nodes that no later call of the operation reads
        self.changed: Buffers = []
        self.others: List[Any] = []
        self.gradient_places: List[Tuple[int, int]] = []  # (read, leaf) of the inputs with a gradient
        self.adds: Set[int] = set()      # reads to whose gradient a later operation adds first
        self.continues: Set[int] = set()  # reads to whose gradient an earlier operation adds afterwards
        self.takes_dense = True  # whether a gradient with gaps may be copied before the backward
        self.needed: Set[int] = set()    # reads that the backward needs; all before the measurement
        self.needs_output: Optional[bool] = None  # whether the backward needs the value; None before the measurement

    @property
    def is_random(self) -> bool:
        return any(call.is_random for call in self.calls)

    @property
    def has_no_input_gradient(self) -> bool:
        return self.reads == [0] and not self.parts[0]

    @property
    def name(self) -> str:
        names = [call.node.name for call in self.calls] or ["output"]
        return f"{self.number} {names[0]}" + (f"..{names[-1]}" if len(names) > 1 else "")


class _Network:
    """A module as operations in the order in which they run."""

    def __init__(self, traced: _Traced, values: Values) -> None:
        self.traced = traced
        self.placeholders = [node for node in traced.nodes if node.op == "placeholder"]
        self.output = next(node for node in traced.nodes if node.op == "output")
        self.calls: Dict[Any, _Call] = {}
        self.first: Dict[Any, Any] = {}  # by node with the same tensor as an earlier node (in-place calls, identity): that node
        self.memory: Dict[Any, Any] = {}  # by node with a view: the node that made the memory
        self.gaps: Dict[Any, List[_Call]] = {}  # by node: the calls whose backward gives a gradient that is part of larger memory
        self.input_masks = {node: _is_tensor(value) and value.requires_grad for node, value in self.bound(values).items()}
        _FirstRun(self, values)
        self.start = [call for call in self.calls.values() if call.is_start]
        self.operations = _Grouping(self).operations
        self.input_count = len(values)
        self.place_of: Dict[Any, Tuple[int, int]] = {node: (at, 1) for node, at in zip(self.placeholders, traced.positions)
                                                     if at is not None}  # first leaf in its value, and number of leaves
        for operation in self.operations:
            count = 0
            for node in operation.results:
                if node in self.calls and node in {call.node for call in operation.calls}:
                    self.place_of[node] = (count, len(self.calls[node].mask))
                count += len(self.mask_of(node))
        self.find_gradient_places()

    def find_gradient_places(self) -> None:
        last_readers = {value: operation.number for operation in self.operations for value in operation.reads
                        if not operation.has_no_input_gradient}
        first_readers = {value: operation.number for operation in reversed(self.operations) for value in operation.reads
                         if not operation.has_no_input_gradient}
        for operation in self.operations:
            operation.continues = {at for at, value in enumerate(operation.reads) if first_readers.get(value) != operation.number}
            operation.needed = set(range(len(operation.reads)))
            operation.adds = {at for at, value in enumerate(operation.reads) if last_readers.get(value) != operation.number}
            for at, nodes in enumerate(operation.parts):
                for node in nodes:
                    first, _ = self.place_of[node]
                    operation.gradient_places += [(at, first + leaf) for leaf, has in enumerate(self.mask_of(node)) if has]

    def like_of(self, node: Any) -> Any:
        return self.calls[node].like if node in self.calls else None

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
        return list(self.traced.root.get_submodule(node.target).modules()) if node.op == "call_module" else []

    def parameters_of(self, call: _Call) -> List[Any]:
        found = [parameter for module in self.modules_in(call.node) for parameter in module._parameters.values()]
        found += [self.traced.attribute(node.target) for node in call.reads if node.op == "get_attr"]
        unique = {id(each): each for each in [*found, *call.others] if _is_tensor(each) and each.requires_grad}
        return list(unique.values())

    def mask_of(self, node: Any) -> List[bool]:
        """Returns which leaves of a result have a gradient."""
        return self.calls[node].mask if node in self.calls else [self.input_masks.get(node, False)]


# ---- The first run ----

class _FirstRun:
    """Runs every call once, and keeps its result until its last reader has run."""

    def __init__(self, network: _Network, values: Values) -> None:
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
        written = self.find_joins(call, watched, leaves)
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
        """Gives the leaves with a gradient a history of their own. Returns the results, and these leaves by node and number."""
        flat = {node: _leaves(value) for node, value in read.items()}
        places = [(node, number) for node in flat for number, has in enumerate(self.network.mask_of(node)) if has]
        begun = _Begin.apply([], _seed(), *(flat[node][number] for node, number in places)) if places else ()
        for (node, number), leaf in zip(places, begun):
            flat[node][number] = leaf
        return {node: _rebuilt(read[node], iter(leaves)) for node, leaves in flat.items()}, dict(zip(places, begun))

    def find_gaps(self, call: _Call, history: List[Any], inputs: Dict[Tuple[Any, int], Any]) -> None:
        """Runs the call backward, to see the layouts of its gradients."""
        wanted = [*inputs.values(), *self.network.parameters_of(call)]

        def gradients(of: List[Any]) -> List[Any]:
            return list(_torch.autograd.grad(history, wanted, of, retain_graph=True, allow_unused=True))

        dense = [_torch.randn(leaf.shape, generator=self.noise).to(leaf) for leaf in history] if wanted else []
        given = gradients(dense) if wanted else []
        for (node, _), gradient in zip(inputs, given):
            if gradient is not None and _has_gaps(gradient):
                self.network.gaps.setdefault(node, []).append(call)
        for dim in sorted({1, -1}) if wanted and all(leaf.dim() > 1 and leaf.numel() for leaf in history) else ():
            apart = gradients([_torch.cat([leaf, leaf], dim).narrow(dim, 0, leaf.shape[dim]) for leaf in dense])
            call.takes_dense &= all(_is_same_layout(left, right) for left, right in zip(given, apart))
            call.passes_gaps |= {node for (node, _), gradient in zip(inputs, apart) if gradient is not None and _has_gaps(gradient)}

    def is_start(self, node: Any) -> bool:
        return node not in self.network.calls or self.network.calls[node].is_start

    def take_from_start(self, written: Set[Any]) -> None:
        """Makes calls parts of operations whose memory an operation writes, and those that read their results."""
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

    def find_joins(self, call: _Call, watched: List[Tuple[Any, Any, int]], leaves: List[Any]) -> Set[Any]:
        """Finds the nodes that must run in the same operation: those whose memory the result shares, or into which the call writes.
        Returns the nodes whose memory it writes."""
        network = self.network
        written: Set[Any] = set()
        own = {_storage(leaf)[0] for leaf in leaves if _has_storage(leaf) and _storage(leaf)[1]}
        for each, leaf, version in watched:
            memory = network.memory.get(each, each)
            wrote = leaf._version != version
            if wrote or (_has_storage(leaf) and _storage(leaf)[0] in own) or _is_part(call.node, each):
                network.memory.setdefault(call.node, memory)
                call.joins.append(each)
            if not wrote:
                continue
            written.add(memory)
            if memory.op == "placeholder":
                raise UnsupportedError(f"{_place(call.node)}: writes into an input of the module: recomputing it would give different "
                                       "bits")
            if memory.op == "get_attr":
                module, name = self.traced.owner(memory.target)
                if name not in module._buffers:
                    raise UnsupportedError(f"{_place(call.node)}: writes into {memory.target}, which is no buffer")
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


def _is_same_layout(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    return left.stride() == right.stride() and _same_bits(left, right)


def _is_part(node: Any, of: Any) -> bool:
    """Returns whether a call takes a part of another result: x[0], x.values."""
    name = getattr(node.target, "__name__", node.target)
    return name in ("getitem", "getattr") and bool(node.args) and node.args[0] is of


def _place(node: Any) -> str:
    """Returns the line of a call in the user's program, if the trace knows it, or its name."""
    lines = [line.strip() for line in (node.stack_trace or "").splitlines() if line.strip().startswith("File ")]
    return f"{node.name} ({lines[-1]})" if lines else str(node.name)


# ---- Grouping ----

class _Grouping:
    """Joins calls until the operations form a graph without cycles, in which every sum of gradients has the order of plain
    training."""

    def __init__(self, network: _Network) -> None:
        self.network = network
        self.calls = [call for call in network.calls.values() if not call.is_start]
        self.parent = {call.node: call.node for call in self.calls}
        self.returned = [node for node in network.reads(network.output) if node in self.parent or network.input_masks.get(node)]
        self.operations: List[_Operation] = []
        if not any(any(network.mask_of(node)) for node in self.returned):
            return
        for call in self.calls:
            for node in call.joins:
                self.join(call.node, node)
        self.find_users()
        self.join_gaps()
        while True:
            groups = self.groups()
            if not (self.join_cycles() or self.remove_unused(groups) or self.join_unread(groups) or self.join_random(groups)
                    or self.join_sums(groups)):
                break
        self.build(groups)

    # ---- A union-find over the nodes of calls ----

    def find(self, node: Any) -> Any:
        while self.parent[node] is not node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, one: Any, other: Any) -> bool:
        if one not in self.parent or other not in self.parent:
            return False
        one, other = self.find(one), self.find(other)
        self.parent[one] = other
        return one is not other

    def join_all(self, nodes: Iterable[Any]) -> bool:
        nodes = list(nodes)
        return any([self.join(nodes[0], node) for node in nodes[1:]])

    # ---- Groups ----

    def find_users(self) -> None:
        self.users: Dict[Any, List[_Call]] = {}
        for call in self.calls:
            for node in call.reads:
                self.users.setdefault(node, []).append(call)

    def roots_read(self, calls: Sequence[_Call]) -> Set[Any]:
        return {self.find(node) for call in calls for node in call.reads if node in self.parent}

    def groups(self) -> List[List[_Call]]:
        """Returns the groups in an order in which they can run: that of their first calls where possible. Groups in cycles stay in
        self.in_cycles."""
        members: Dict[Any, List[_Call]] = {}
        for call in self.calls:
            members.setdefault(self.find(call.node), []).append(call)
        reads = {root: self.roots_read(calls) - {root} for root, calls in members.items()}
        readers: Dict[Any, List[Any]] = {root: [] for root in members}
        for root, each in reads.items():
            for one in each:
                readers[one].append(root)
        missing = {root: len(each) for root, each in reads.items()}
        ready = [(members[root][0].number, root) for root in members if not missing[root]]
        heapq.heapify(ready)
        order = []
        while ready:
            _, root = heapq.heappop(ready)
            order.append(members.pop(root))
            for reader in readers[root]:
                missing[reader] -= 1
                if not missing[reader]:
                    heapq.heappush(ready, (members[reader][0].number, reader))
        self.in_cycles = members
        return order

    def join_cycles(self) -> bool:
        """Joins the groups of one cycle. Each group left over has a predecessor among them, so following those ends in a cycle."""
        if not self.in_cycles:
            return False
        path = [next(iter(self.in_cycles))]
        while True:
            before = next(root for root in self.roots_read(self.in_cycles[path[-1]]) - {path[-1]} if root in self.in_cycles)
            if before in path:
                return self.join_all(path[path.index(before):])
            path.append(before)

    def remove_unused(self, groups: List[List[_Call]]) -> bool:
        """Removes groups that the output does not depend on; one with side effects joins a neighbor."""
        needed = {self.find(node) for node in self.returned if node in self.parent}
        for group in reversed(groups):
            if self.find(group[0].node) in needed:
                needed |= self.roots_read(group)
        unused = [number for number, group in enumerate(groups) if self.find(group[0].node) not in needed]
        for number in unused if len(groups) > 1 else ():
            if any(call.has_effects for call in groups[number]):
                return self.join(groups[number][0].node, groups[number - 1 if number else 1][0].node)
        for number in unused:
            for call in groups[number]:
                del self.parent[call.node]
        self.calls = [call for call in self.calls if call.node in self.parent]
        self.find_users()
        return bool(unused)

    def join_unread(self, groups: List[List[_Call]]) -> bool:
        """Joins a group of which only plain results are read to a reader."""
        for group in groups:
            root = self.find(group[0].node)
            readers = [(call, user) for call in group for user in self.users.get(call.node, ()) if self.find(user.node) is not root]
            is_returned = any(call.node in self.returned and not call.is_plain for call in group)
            if not is_returned and all(call.is_plain for call, _ in readers) and readers:
                return self.join(root, readers[0][1].node)
        return False

    def join_random(self, groups: List[List[_Call]]) -> bool:
        """Joins groups that would draw random numbers in another order than the module."""
        last = -1
        for number, group in enumerate(groups):
            for call in group:
                if call.is_random and call.number < last:
                    return self.join_all([call.node] + [each.node for before in groups[:number] for each in before
                                                        if each.is_random and each.number > call.number])
                last = call.number if call.is_random else last
        return False

    def join_gaps(self) -> None:
        """Joins a call to the one that gives it a gradient with gaps, if it cannot take a copy. In an operation, gradients stay as
        they are; between operations they are copied, because the larger memory would live as long as the gradient."""
        gaps = {node: list(calls) for node, calls in self.network.gaps.items()}
        for call in reversed(self.calls):
            readers = [user for user in self.users.get(call.node, ()) if any(user.mask)]
            if len(readers) != 1 or call.takes_dense:  # a sum of several gradients has no gaps
                continue
            for giver in gaps.get(call.node, ()):
                self.join(call.node, giver.node)
                for node in call.passes_gaps:
                    gaps.setdefault(node, []).append(call)

    def join_sums(self, groups: List[List[_Call]]) -> bool:
        """Joins the readers of a tensor whose gradients would be added in another order than autograd's: that of the readers, from
        the last one to the first one. The first term decides the layout of the sum, and with it the kernels that read it; so the order
        of two terms matters, too."""
        position = {call.node: number for number, group in enumerate(groups) for call in group}
        for source, readers in self.sources():
            at = position.get(source, -1)
            mine = sorted(readers, key=lambda call: (position[call.node] == at, -position[call.node], -call.number))
            if mine != sorted(readers, key=lambda call: -call.number):
                return self.join_all([call.node for call in readers] + ([source] if at >= 0 else []))
        return False

    def sources(self) -> Iterator[Tuple[Any, List[_Call]]]:
        """Yields the tensors with gradients that several calls read: results, inputs and parameters."""
        readers: Dict[Any, List[_Call]] = {}
        for call in self.calls:
            if any(call.mask):
                for node in call.reads:
                    if any(self.network.mask_of(node)):
                        readers.setdefault(node, []).append(call)
                for parameter in self.network.parameters_of(call):
                    readers.setdefault(id(parameter), []).append(call)
        yield from ((source, calls) for source, calls in readers.items() if len(calls) > 1)

    # ---- Operations ----

    def build(self, groups: List[List[_Call]]) -> None:
        self.operations = [_Operation(number, group) for number, group in enumerate(groups)]
        self.number_of = {call.node: number for number, group in enumerate(groups) for call in group}
        if {self.number_of.get(node) for node in self.returned} != {len(groups) - 1}:
            last = _Operation(len(groups), [])
            last.results = [node for node in self.returned if node not in self.network.calls or not self.network.calls[node].is_plain]
            self.operations.append(last)
        for operation in self.operations:
            inside = {call.node for call in operation.calls}
            operation.results += [call.node for call in operation.calls if not call.is_plain and (
                call.node in self.returned or any(user.node not in inside for user in self.users.get(call.node, ())))]
            read = [node for call in operation.calls for node in call.reads] if operation.calls else operation.results
            self.read(operation, [node for node in dict.fromkeys(read) if node not in inside])
            operation.mask = [has for node in operation.results for has in self.network.mask_of(node)]
            operation.last_reads = _last_reads(operation)
            operation.takes_dense = all(self.network.calls[node].takes_dense for node in operation.results if node in inside)
            operation.others = [leaf for call in operation.calls for leaf in call.others]
        self.find_changed()

    def read(self, operation: _Operation, nodes: List[Any]) -> None:
        by_value: Dict[int, List[Any]] = {}
        for node in nodes:
            if self.network.input_masks.get(node):
                by_value.setdefault(0, []).append(node)
            elif node in self.number_of and not self.network.calls[node].is_plain:
                by_value.setdefault(self.number_of[node] + 1, []).append(node)
            elif node.op != "get_attr":
                operation.start.append(node)
        if not by_value:
            by_value[0] = []
        operation.reads = sorted(by_value)
        operation.parts = [by_value[value] for value in operation.reads]

    def find_changed(self) -> None:
        """Gives each operation the buffers that it uses and that any operation changes."""
        network = self.network
        changed = {(id(module), name) for call in network.calls.values() for module, name in call.changed}
        for operation in self.operations:
            used = [(module, name) for call in operation.calls for module in network.modules_in(call.node) for name in module._buffers]
            read = [network.memory.get(node, node) for call in operation.calls for node in call.reads]
            used += [network.traced.owner(node.target) for node in read
                     if node.op == "get_attr" and node.target not in network.traced.constants]
            unique = {(id(module), name): (module, name) for module, name in used}
            operation.changed = [each for key, each in unique.items() if key in changed]


def _last_reads(operation: _Operation) -> Dict[Any, List[Any]]:
    last: Dict[Any, Any] = {}
    for call in operation.calls:
        last.update((node, call.node) for node in [call.node, *call.reads])
    by_call: Dict[Any, List[Any]] = {}
    for node, reader in last.items():
        if node not in operation.results:
            by_call.setdefault(reader, []).append(node)
    return by_call
