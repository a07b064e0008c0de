"""Groups the calls of a traced module into the operations of a graph."""

from __future__ import annotations

import heapq
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ._torch_calls import _Call, _Calls
from ._torch_trace import _Traced
from ._torch_values import Buffers, Values


class _Operation:
    """Calls that run together. Reads values, the results of other operations, and makes one."""

    def __init__(self, number: int, calls: Sequence[_Call]) -> None:
        self.number = number
        self.calls = list(calls)
        self.results: List[Any] = []      # nodes that other operations read: the leaves of their results are the value
        self.mask: List[bool] = []        # of the value's leaves: which ones have a gradient
        self.reads: List[int] = []        # values, ascending; 0 is the input of the graph
        self.parts: List[List[Any]] = []  # for each of them: the nodes that are read
        self.start: List[Any] = []        # nodes that ran before all operations
        self.last_reads: Dict[Any, List[Any]] = {}  # by node of a call: the nodes that no later call of the operation reads
        self.changed: Buffers = []        # buffers that it uses and that any operation changes
        self.gradient_places: List[Tuple[int, int]] = []  # (read, leaf) of the inputs with a gradient
        self.adds: Set[int] = set()       # reads with a gradient that a later operation creates
        self.continues: Set[Tuple[int, int]] = set()  # those with a gradient that an earlier operation adds to
        self.takes_dense = True           # whether a gradient with gaps may be copied before the backward
        self.needed: Set[int] = set()     # reads that the backward needs; all before the measurement
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


class _Network(_Calls):
    """A module as operations in the order in which they run."""

    def __init__(self, traced: _Traced, values: Values) -> None:
        super().__init__(traced, values)
        self.start = [call for call in self.calls.values() if call.is_start]
        self.operations = _Grouping(self).operations
        self.input_count = len(values)
        self.place_of: Dict[Any, Tuple[int, int]] = {node: (at, 1) for node, at in zip(self.placeholders, traced.positions)
                                                     if at is not None}  # first leaf in its value, and number of leaves
        for operation in self.operations:
            count = 0
            for node in operation.results if operation.calls else ():  # without calls, it only passes values on
                self.place_of[node] = (count, len(self.mask_of(node)))
                count += len(self.mask_of(node))
        self.find_gradient_places()

    def find_gradient_places(self) -> None:
        last_readers = {value: operation.number for operation in self.operations for value in operation.reads
                        if not operation.has_no_input_gradient}
        given: Set[Tuple[int, int]] = set()  # (value, leaf) with a gradient from an earlier operation
        for operation in self.operations:
            gives = set().union(*(call.gives for call in operation.calls)) if operation.calls else set(operation.results)
            operation.needed = set(range(len(operation.reads)))
            operation.adds = {at for at, value in enumerate(operation.reads) if last_readers.get(value) != operation.number}
            for at, nodes in enumerate(operation.parts):
                for node in nodes:
                    first, _ = self.place_of[node]
                    places = [(at, first + leaf) for leaf, has in enumerate(self.mask_of(node)) if has]
                    operation.gradient_places += places
                    if node in gives:
                        operation.continues |= {place for place in places if (operation.reads[at], place[1]) in given}
                        given |= {(operation.reads[at], leaf) for _, leaf in places}

    def like_of(self, node: Any) -> Any:
        return self.calls[node].like if node in self.calls else None


class _Grouping:
    """Joins calls until the operations form a graph without cycles, in which every sum of gradients has the order of plain
    training."""

    def __init__(self, network: _Calls) -> None:
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
        while True:
            groups = self.groups()
            if not (self.join_cycles() or self.remove_unused(groups) or self.join_gaps() or self.join_unread(groups)
                    or self.join_random(groups) or self.join_sums(groups)):
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

    def join_gaps(self) -> bool:
        """Joins a call to the one that gives it a gradient with gaps, if it cannot take a copy. In an operation, gradients stay as
        they are; between operations they are copied, because the larger memory would live as long as the gradient."""
        gaps = {node: list(calls) for node, calls in self.network.gaps.items()}
        joined = False
        for call in reversed(self.calls):
            givers = [user for user in self.users.get(call.node, ()) if call.node in user.gives]
            is_sum = len(givers) + (call.node in self.returned) > 1  # without gaps
            if is_sum or call.takes_dense:
                continue
            for giver in gaps.get(call.node, ()):
                joined |= self.join(call.node, giver.node)
                for node in call.passes_gaps:
                    gaps.setdefault(node, []).append(call)
        return joined

    def join_sums(self, groups: List[List[_Call]]) -> bool:
        """Joins the readers of a tensor if their gradients would be added in another order than autograd's: that of the readers, from
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
                    if node in call.gives:
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
