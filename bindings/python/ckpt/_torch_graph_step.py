"""One step of a traced module: the callbacks of a driver."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

import torch as _torch

from ._torch_calls import _has_gaps, _has_storage, _leaves, _rebuilt
from ._torch_graph import _Begin, _rooted, _seed, _without_hooks, _without_saving
from ._torch_operations import _Network, _Operation
from ._torch_values import (_autocast_state, _generators, _is_tensor, _kept_buffers, _plain, _repeating, _storage, _storage_object,
                            _without_cached_casts, Ambient, Values)
from .generated.errors import UnsupportedError
from .generated.values import DriveFlag

_AGAIN: int = int(DriveFlag.AGAIN)
_NO_OUTPUT = int(DriveFlag.NO_OUTPUT)
_NO_AMBIENT: Ambient = (None, [])


class _Saved:
    """A tensor that autograd keeps for a backward. If its memory is that of an input or the output, it keeps only the place: the
    driver passes both to the backward."""

    def __init__(self, tensor: "_torch.Tensor") -> None:
        self.tensor: Optional["_torch.Tensor"] = tensor
        self.version = tensor._version
        self.base: Optional[List[Any]] = None  # the value that is passed to the backward; filled before it
        self.place: Any = None

    def refer(self, base: List[Any], leaf: int) -> None:
        tensor = self.tensor
        assert tensor is not None
        self.base, self.place = base, (leaf, tensor.dtype, tuple(tensor.size()), tensor.stride(), tensor.storage_offset())
        self.tensor = None

    def unpack(self) -> "_torch.Tensor":
        if self.base is None:
            assert self.tensor is not None
            if self.tensor._version != self.version:
                raise RuntimeError("a tensor that the backward needs was written to")
            return self.tensor
        leaf, dtype, size, stride, offset = self.place
        of = self.base[leaf]
        return _torch.empty(0, dtype=dtype, device=of.device).set_(_storage_object(of), offset, size, stride)


class _Tape:
    """The record of an operation for its backward."""

    def __init__(self) -> None:
        self.roots: List[Tuple[Any, List[Any], int]] = []              # of the value's leaves: root, box of its gradient, leaf
        self.sums: List[Tuple[Any, List[Any], Tuple[int, int]]] = []   # of inputs with an earlier sum: and the input's place
        self.shared: List[Tuple[Any, List[Any], Any]] = []             # of parameters that several operations use
        self.sink: List[Any] = []                                      # receives the gradients of the inputs
        self.inputs: List[List[Any]] = []                              # receives the inputs before the backward
        self.output: List[Any] = []                                    # and the output
        self.needed: Set[int] = set()                                  # the inputs that the backward reads
        self.needs_output = False


def _unique(parameters: Iterable[Any]) -> List[Any]:
    return list({id(each): each for each in parameters}.values())


class _GraphStep:
    """The callbacks of one step. A value is a list of the leaves of its operation's results."""

    def __init__(self, network: _Network, devices: Sequence[int]) -> None:
        self.network = network
        self.devices = devices
        self.autocast = _autocast_state()
        self.results: Dict[Any, Any] = {}              # of calls that ran before all operations, and plain results, by node
        self.ambient: Dict[int, Ambient] = {}  # by operation: the state in which its first run began
        self.gradients: Dict[int, Any] = {}            # by id of a parameter
        self.again = 0                                 # number of runs of operations that repeat an earlier one
        self.parameters = [_unique(each for call in operation.calls for each in network.parameters_of(call))
                           for operation in network.operations]
        counts = Counter(id(parameter) for parameters in self.parameters for parameter in parameters)
        self.shared = {key for key, count in counts.items() if count > 1}

    def begin(self, values: Values) -> None:
        """Runs the calls that need no gradient and read only inputs."""
        self.results.update(self.network.bound(values))
        with _torch.no_grad():
            for call in self.network.start:
                args, kwargs = self.network.arguments(call.node, self.results)
                given = self.network.traced.call(call.node, args, kwargs)
                if call.node not in self.network.first:
                    self.results[call.node] = given

    # ---- Callbacks ----

    def forward_n(self, call: Any, inputs: List[Any]) -> List[Any]:
        operation = self.network.operations[call.first]
        with _torch.enable_grad(), _without_saving():
            env, _ = self.bind(operation, inputs, [])
            return _plain(self.run(operation, call.flags & _AGAIN, env))

    def record_n(self, call: Any, inputs: List[Any]) -> Tuple[Optional[List[Any]], Any]:
        operation = self.network.operations[call.first]
        tape = _Tape()
        # By address, so these inputs stay alive until the end: other tensors would reuse their memory.
        held = {(at, number): leaf for at in operation.needed for number, leaf in enumerate(inputs[at]) if _has_storage(leaf)}
        memory = {_storage(leaf)[0]: place for place, leaf in held.items()}
        tape.inputs = bases = [[] for _ in inputs]
        needed = tape.needed
        packed: List[_Saved] = []

        def pack(tensor: "_torch.Tensor") -> _Saved:  # autograd keeps it as long as the graph: it must not refer to the tape
            saved = _Saved(tensor)
            place = memory.get(_storage(tensor)[0]) if _has_storage(tensor) and _storage(tensor)[1] else None
            if place is not None:
                saved.refer(bases[place[0]], place[1])
                needed.add(place[0])
            packed.append(saved)
            return saved

        with _torch.enable_grad(), _torch.autograd.graph.saved_tensors_hooks(pack, _Saved.unpack):
            env, begun = self.bind(operation, inputs, tape.sink)
            summed = [(tensor, place) for tensor, place in zip(begun, operation.gradient_places) if place[0] in operation.adds]
            del begun
            leaves = self.run(operation, call.flags & _AGAIN, env)
            for tensor, place in summed:  # after the run, so that its sum so far is the first term
                tape.sums.append(_rooted(tensor) + (place,))
            del summed
            for number, leaf in enumerate(leaves):
                if _is_tensor(leaf) and leaf.requires_grad:
                    if not operation.mask[number]:
                        raise UnsupportedError(f"operation {operation.name} gives gradients to other results than when it was measured")
                    tape.roots.append(_rooted(leaf) + (number,))
            for parameter in self.parameters[operation.number]:
                if id(parameter) in self.shared:
                    tape.shared.append(_rooted(parameter) + (parameter,))
        held.clear()
        output = _plain(leaves)
        del leaves
        if operation.needs_output is not False:
            self.refer_to_output(packed, output, tape)
        packed.clear()
        return output if operation.needs_output or not call.flags & _NO_OUTPUT else None, tape

    def refer_to_output(self, packed: List[_Saved], output: List[Any], tape: _Tape) -> None:
        memory = {_storage(leaf)[0]: number for number, leaf in enumerate(output) if _has_storage(leaf) and _storage(leaf)[1]}
        for saved in packed:
            tensor = saved.tensor
            if tensor is not None and _has_storage(tensor) and tensor._version == saved.version and _storage(tensor)[0] in memory:
                saved.refer(tape.output, memory[_storage(tensor)[0]])
                tape.needs_output = True

    def backward_n(self, call: Any, inputs: List[Any], output: Optional[List[Any]], tape: Any, grad_output: Optional[List[Any]],
                   sums: List[Any]) -> List[Any]:
        operation = self.network.operations[call.first]
        self.ambient.pop(call.first, None)
        for item, refers in zip(inputs, tape.inputs):
            refers.extend(item or ())
        inputs.clear()
        tape.output.extend(output or ())
        gradients = [total if total is not None else [None] * self.leaf_count(value)
                     for value, total in zip(operation.reads, sums)]
        sums.clear()
        roots = []
        for root, box, number in tape.roots:
            if grad_output is not None and grad_output[number] is not None:
                box.append((grad_output[number],))
                roots.append(root)
        if grad_output is not None:
            grad_output.clear()
        if roots:
            self.run_backward(operation, tape, roots, gradients)
        return gradients

    def run_backward(self, operation: _Operation, tape: _Tape, roots: List[Any], gradients: List[Any]) -> None:
        """Adds to gradients, as autograd does: the sum so far comes first, then the operation's terms from its last call to its
        first one."""
        for root, box, (at, leaf) in tape.sums:
            if gradients[at][leaf] is not None:
                box.append((gradients[at][leaf],))
                gradients[at][leaf] = None
                roots.append(root)
        for root, box, parameter in tape.shared:
            total = self.gradients.pop(id(parameter), None)
            if total is not None:
                box.append((total,))
                roots.append(root)
                del total
        parameters = self.parameters[operation.number]
        places = operation.gradient_places
        wanted = ([_seed()] if places else []) + parameters
        with _without_hooks(parameters):
            created = _torch.autograd.grad(roots, wanted, [root.detach() for root in roots], allow_unused=True) if wanted else ()
        for parameter, gradient in zip(parameters, created[len(created) - len(parameters):]):
            if gradient is not None:
                self.keep(parameter, gradient)
        for number, (at, leaf) in enumerate(places if tape.sink else ()):
            gradient, tape.sink[number] = tape.sink[number], None
            if gradient is not None and _has_gaps(gradient) and self.may_copy(operation, (at, leaf)):
                gradient = gradient.clone()  # its memory would live as long as all gradients in it
            gradients[at][leaf] = gradient

    def may_copy(self, operation: _Operation, place: Tuple[int, int]) -> bool:
        """Returns whether a copy without gaps has no effect on bits: if another term is added, or the backward of the value gives
        the same."""
        value = operation.reads[place[0]]
        return place in operation.continues or (value > 0 and self.network.operations[value - 1].takes_dense)

    def keep(self, parameter: Any, gradient: Any) -> None:
        self.gradients[id(parameter)] = gradient

    # ---- Runs ----

    def leaf_count(self, value: int) -> int:
        return len(self.network.operations[value - 1].mask) if value else self.network.input_count

    def bind(self, operation: _Operation, inputs: List[Any], sink: List[Any]) -> Tuple[Dict[Any, Any], Sequence[Any]]:
        """Takes over the inputs. Returns what the operation reads, by node; and the inputs with a gradient, which get a separate
        history. sink receives their gradients."""
        network = self.network
        tensors = [inputs[at][leaf] for at, leaf in operation.gradient_places]
        begun = _Begin.apply(sink, _seed(), *tensors) if tensors else ()
        with_history = dict(zip(operation.gradient_places, begun))
        env = {node: self.results[node] for node in operation.start}
        for at, (item, nodes) in enumerate(zip(inputs, operation.parts)):
            for node in nodes:
                first, count = network.place_of[node]
                leaves = [with_history.get((at, leaf), item[leaf]) for leaf in range(first, first + count)]
                env[node] = _rebuilt(network.like_of(node), iter(leaves))
        inputs.clear()
        return env, begun

    def run(self, operation: _Operation, again: int, env: Dict[Any, Any]) -> List[Any]:
        """Runs an operation, a repeated one with the ambient state of its first run."""
        number = operation.number
        if again:
            self.again += 1
            with _repeating(self.ambient.get(number, _NO_AMBIENT), operation.changed, self.devices, self.autocast):
                return self.run_calls(operation, env)
        if number not in self.ambient and (operation.is_random or operation.changed):
            self.ambient[number] = (_generators(self.devices) if operation.is_random else None, _kept_buffers(operation.changed))
        return self.run_calls(operation, env)

    def run_calls(self, operation: _Operation, env: Dict[Any, Any]) -> List[Any]:
        with _without_cached_casts(self.autocast):
            for call in operation.calls:
                if call.is_plain and call.node in self.results:
                    env[call.node] = self.results[call.node]
                    continue
                args, kwargs = self.network.arguments(call.node, env)
                given = self.network.traced.call(call.node, args, kwargs)
                del args, kwargs
                if call.is_plain:
                    self.results[call.node] = given
                if call.node not in self.network.first:
                    env[call.node] = given
                del given
                for node in operation.last_reads.get(call.node, ()):
                    env.pop(node, None)
            return [leaf for node in operation.results for leaf in _leaves(env[node])]
