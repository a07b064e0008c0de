"""One step: the callbacks of a driver, and the whole step as one autograd function."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch as _torch

from ._drive import Driver
from ._torch_graph import _Begin, _function, _leaves_of, _Root, _rooted, _seed, _without_hooks, _without_saving
from ._torch_layers import _Layer
from ._torch_values import (_autocast_state, _generators, _is_tensor, _kept_buffers, _plain, _repeating, _without_cached_casts,
                            Ambient, Values)
from .generated.errors import UnsupportedError
from .generated.values import DriveFlag, LayerFlag

_AGAIN, _NO_OUTPUT, _TAKE_INPUT, _TAKE_OUTPUT = (int(flag) for flag in (DriveFlag.AGAIN, DriveFlag.NO_OUTPUT, DriveFlag.TAKE_INPUT,
                                                                        DriveFlag.TAKE_OUTPUT))


class _Step:
    """The callbacks of one step. Items are lists of tensors: a callback that takes one over empties it, whatever else refers to the
    list."""

    def __init__(self, layers: Sequence[_Layer], devices: Sequence[int]) -> None:
        self.layers = layers
        self.devices = devices
        self.autocast = _autocast_state()
        self.ambient: Dict[int, Ambient] = {}  # by layer: the state in which its first run began
        self.gradients: Dict[int, Any] = {}  # by id of a parameter
        self.again = 0  # number of layer runs that repeat an earlier one
        counts = Counter(id(parameter) for layer in layers for parameter in layer.parameters())
        self.shared = {key for key, count in counts.items() if count > 1}  # ids of parameters that several layers use

    def forward(self, call: Any, item: List[Any]) -> List[Any]:
        values = tuple(item)
        if call.flags & _TAKE_INPUT:
            item.clear()
        for number in range(call.first, call.last):
            with _torch.enable_grad(), _without_saving():
                values = self.with_history(self.layers[number], [], values)
                values = tuple(_plain(self.run(number, call.option, call.flags & _AGAIN, values)))
        return list(values)

    def record(self, call: Any, item: List[Any]) -> Tuple[Optional[List[Any]], List[Any]]:
        values = tuple(item)
        if call.flags & _TAKE_INPUT:
            item.clear()
        layer = self.layers[call.first]
        with _torch.enable_grad():
            sink: Optional[List[Any]] = [] if any(layer.input_mask) else None
            values = self.with_history(layer, sink, values)
            values = self.run(call.first, call.option, call.flags & _AGAIN, values)
            positions = [at for at, value in enumerate(values) if _is_tensor(value) and value.requires_grad]
            box: List[Any] = []
            root = _Root.apply(box, *(values[at] for at in positions)) if positions else None
            shared = [(*_rooted(parameter), parameter) for parameter in layer.parameters() if id(parameter) in self.shared]
        if layer.output_mask and any(not layer.output_mask[at] for at in positions):
            raise UnsupportedError(f"layer {layer.name} gives gradients to other outputs than when it was measured")
        if root is not None and layer.has_functions:
            known = {id(parameter) for parameter in layer.parameters()}
            for leaf in _leaves_of(root):
                if id(leaf) not in known:
                    raise UnsupportedError(f"layer {layer.name} uses a parameter that it did not use when it was measured")
        asked = not call.flags & _NO_OUTPUT or layer.flags & LayerFlag.NEEDS_OUTPUT
        return _plain(values) if asked else None, [root, sink, box, positions, shared]

    def backward(self, call: Any, item: Any, output: Any, tape: List[Any], grad_output: Optional[List[Any]]) -> Optional[List[Any]]:
        if call.flags & _TAKE_INPUT:
            item.clear()
        if call.flags & _TAKE_OUTPUT:
            output.clear()
        layer = self.layers[call.first]
        self.ambient.pop(call.first, None)
        root, sink, box, positions, shared = tape
        tape.clear()
        if grad_output is None or root is None:
            return None
        box.append(tuple(grad_output[at] for at in positions))
        grad_output.clear()
        roots = [root]
        for summed, total_box, parameter in shared:  # the sum so far is the first term, as in autograd's own sum
            total = self.gradients.pop(id(parameter), None)
            if total is not None:
                total_box.append((total,))
                roots.append(summed)
                del total
        parameters = layer.parameters()
        wanted = ([_seed()] if sink is not None else []) + parameters
        with _without_hooks(parameters):
            created = _torch.autograd.grad(roots, wanted, [each.detach() for each in roots], allow_unused=True)
        for parameter, gradient in zip(reversed(parameters), reversed(created)):
            if gradient is not None:
                self.keep(parameter, gradient)
        if not sink:
            return None
        given = iter(sink)
        return [next(given) if has else None for has in layer.input_mask]

    def with_history(self, layer: _Layer, sink: Any, values: Values) -> Values:
        """Returns a layer's inputs with a separate history. sink receives their gradients."""
        if not any(layer.input_mask):
            return values
        begun = iter(_Begin.apply(sink, _seed(), *(value for value, has in zip(values, layer.input_mask) if has)))
        return tuple(next(begun) if has else value for value, has in zip(values, layer.input_mask))

    def keep(self, parameter: Any, gradient: Any) -> None:
        self.gradients[id(parameter)] = gradient

    def run(self, number: int, option: int, again: int, values: Values) -> Values:
        """Runs one layer, a repeated one with the ambient state of its first run."""
        layer = self.layers[number]
        if again:
            self.again += 1
            with _repeating(self.ambient[number], layer.changed, self.devices, self.autocast), _without_cached_casts(self.autocast):
                return layer.run(option, values)
        if number not in self.ambient:
            self.ambient[number] = (_generators(self.devices), _kept_buffers(layer.changed))
        with _without_cached_casts(self.autocast):
            return layer.run(option, values)


@_function
class _Chain:
    """A whole step as one function of the inputs and the parameters. Its result is a placeholder for the outputs of _Outputs."""

    @staticmethod
    def forward(ctx: Any, driver: Driver, step: _Step, box: List[Any], begin: List[Any], *tensors: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.inputs = [_is_tensor(value) for value in begin]
        ctx.read = tensors
        ctx.versions = [tensor._version for tensor in tensors]
        output = driver.forward(list(begin))
        begin[:] = _plain(output)  # passes the outputs to the caller
        ctx.driver, ctx.step, ctx.box = driver, step, box
        return _torch.empty(0)

    @staticmethod
    def backward(ctx: Any, stands_for: Any) -> Any:
        driver, step, read, box = ctx.driver, ctx.step, ctx.read, ctx.box
        ctx.driver = ctx.step = None
        ctx.read = ()
        if driver is None:
            raise UnsupportedError("second backward through a budget: run the forward again first")
        for tensor, version in zip(read, ctx.versions):
            if tensor._version != version:
                raise RuntimeError(f"a parameter or input of shape {tuple(tensor.shape)} was written to between forward and "
                                   "backward: recomputing a layer would give different bits")
        first = driver.backward(box.pop()) or [None] * len(ctx.inputs)
        gradients = [grad for grad, is_tensor in zip(first, ctx.inputs) if is_tensor]
        return (None, None, None, None, *gradients,
                *(step.gradients.pop(id(parameter), None) for parameter in read[len(gradients):]))


@_function
class _Outputs:
    """The outputs. Autograd keeps the gradients that a backward gets until it returns: this one moves them to a box, for a layer to
    take."""

    @staticmethod
    def forward(ctx: Any, box: List[Any], mask: Sequence[bool], tensors: Sequence[bool], stands_for: Any, *outputs: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.box, ctx.tensors = box, tensors
        given = tuple(value.detach() for value in outputs)
        ctx.mark_non_differentiable(*(value for value, has in zip(given, mask) if not has))
        return given

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if _torch.is_grad_enabled():
            raise UnsupportedError("a budget has no gradient of gradients (create_graph)")
        given = iter(grads)
        ctx.box[:] = [[next(given) if is_tensor else None for is_tensor in ctx.tensors]]
        del given
        return (None, None, None, _torch.empty(0), *(None for _ in grads))
