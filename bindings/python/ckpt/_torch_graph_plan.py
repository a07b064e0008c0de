"""Measures the operations of a traced module, and plans the schedule for inputs of given shapes."""

from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, List, Sequence, Tuple

import torch as _torch

from ._drive import Driver
from ._plan import Profile, Schedule
from ._torch_calls import _has_gaps, _has_storage, _leaves, _rebuilt
from ._torch_graph_step import _AGAIN, _GraphStep, _NO_AMBIENT
from ._torch_measure import _begin_sums, _Call, _median_seconds, _Meter
from ._torch_operations import _Network, _Operation
from ._torch_plan import _is_smaller, _PlanOfInputs
from ._torch_step import _Chain, _Outputs
from ._torch_trace import _trace
from ._torch_values import _is_tensor, _plain, _same_bits, _storage, _storage_object, _storages, _unchanged, Values
from .generated.errors import OverBudgetError, UnsupportedError
from .generated.values import LayerFlag, OptionProfile, ProfileFlag

_MAX_SECONDS, _ALL_SECONDS = 0.05, 2.0  # of the time measurements of one operation, and of all


class _GraphPlan(_PlanOfInputs):
    """A schedule of a traced module, and the measurements it is based on."""

    def __init__(self, module: Callable[..., Any], values: Values, modes: Tuple[Any, ...]) -> None:
        super().__init__(_kind_of(values), values, modes)
        modules = list(module.modules()) if isinstance(module, _torch.nn.Module) else []
        with _unchanged(modules, self.devices):
            self.network = _Network(_trace(module, values), tuple(map(_like_given, values)))
        self.layers = self.network.operations
        if not self.layers:
            self.text = "no operation has a gradient: the module runs unchanged"
            return
        with _unchanged(modules, self.devices):
            self._measure(values)

    # ---- Measurement ----

    def _measure(self, values: Values) -> None:
        meter = _Meter()
        step = _GraphStep(self.network, self.devices)
        workspace, _ = meter.during(lambda: step.begin(_plain(values)))
        self.begin_peak = workspace + sum(_storages(values).values())
        inputs = _storages([*values, *(leaf for result in step.results.values() for leaf in _leaves(result))])
        self.profile = Profile(sum(inputs.values()))
        held = {*inputs, *_storages(parameter for parameters in step.parameters for parameter in parameters)}
        items: Dict[int, List[Any]] = {0: _plain(values)}
        measurements: List[_Measurement] = []
        last = {value: operation.number for operation in self.layers for value in operation.reads}
        seconds = min(_MAX_SECONDS, _ALL_SECONDS / len(self.layers))
        for operation in self.layers:
            given = [items[value] for value in operation.reads]
            measurements.append(_Measurement(self, step, operation, given, held, seconds))
            items[operation.number + 1] = measurements[-1].output
            measurements[-1].release()
            for value in operation.reads:
                if last[value] == operation.number:
                    del items[value]
        value_bytes = [0] + [measurement.bytes for measurement in measurements]
        for measurement in measurements:
            for value, size in measurement.gaps.items():
                value_bytes[value] = max(value_bytes[value], size)
        for measurement, size in zip(measurements, value_bytes[1:]):
            self.profile.add_layer(measurement.operation.name, [measurement.profile], flags=measurement.flags, output_bytes=size,
                                   ambient_bytes=measurement.ambient_bytes)
        for operation in self.layers:
            self.profile.set_inputs(operation.number, operation.reads, [operation.reads[at] for at in sorted(operation.needed)])
        self.profile.flags = ProfileFlag.KEEPS_INPUT | ProfileFlag.KEEPS_OUTPUT | ProfileFlag.OWN_ALLOCATOR
        self.store_all_bytes = Schedule.create(self.profile, "store-all").verify(self.profile).peak_bytes[0]

    def fits(self, values: Values, modes: Tuple[Any, ...]) -> bool:
        """Returns whether the plan fits the inputs: the same shapes and plain arguments, or a smaller batch."""
        kind = _kind_of(values)
        if modes != self.modes or len(kind) != len(self.kind):
            return False
        return kind == self.kind or (not self.network.traced.has_fixed_shapes and all(map(_is_same_or_smaller, kind, self.kind)))

    def choose(self, budget_bytes: int) -> None:
        try:
            schedule = Schedule.create(self.profile, f"graph:{max(budget_bytes, self.begin_peak)}")
        except OverBudgetError as error:
            raise OverBudgetError(f"budget is {budget_bytes} bytes; {str(error).rpartition('; ')[2]}", error.status) from None
        if budget_bytes < self.begin_peak:
            raise OverBudgetError(f"budget is {budget_bytes} bytes; the smallest that works for this graph is {self.begin_peak}")
        self.report = report = schedule.verify(self.profile)
        self.peak_bytes = report.peak_bytes[0]
        self.driver = Driver(schedule, _GraphStep(self.network, ()))
        names = [operation.name for operation in self.layers]
        options = [self.profile.option(number, 0) for number in range(len(names))]
        self.text = "\n".join([
            f"budget {budget_bytes} bytes; keeping everything needs {self.store_all_bytes}; chosen {schedule.name}: "
            f"{self.peak_bytes} bytes, {report.recomputed_forwards} operations recomputed, "
            f"{report.recomputed_seconds / (report.step_seconds or 1.0):.1%} of the step",
            *(f"  {operation.name}: reads {operation.reads}, output {self.profile.layer(operation.number).output_bytes}, tape "
              f"{option.tape_bytes}, backward {option.backward_peak_bytes} bytes, forward {option.forward_seconds * 1e3:.3f} ms"
              for operation, option in zip(self.layers, options))])

    # ---- Steps ----

    def run(self, values: Values) -> Any:
        step = _GraphStep(self.network, self.devices)
        step.begin(values)
        driver = self.driver._again(step)
        parameters: Dict[int, Any] = {}
        for each in step.parameters:
            parameters.update((id(parameter), parameter) for parameter in each)
        leaves = _plain(values)
        box: List[Any] = []
        stands_for = _Chain.apply(driver, step, box, leaves, *(value for value in values if _is_tensor(value)), *parameters.values())
        last = self.layers[-1]
        positions = [at for at, leaf in enumerate(leaves) if _is_tensor(leaf)]
        given = _Outputs.apply(box, [last.mask[at] for at in positions], [_is_tensor(leaf) for leaf in leaves], stands_for,
                               *(leaves[at] for at in positions))
        for at, leaf in zip(positions, given):
            leaves[at] = leaf
        results, first = dict(step.results), 0
        for node in last.results:
            count = len(self.network.mask_of(node))
            results[node] = _rebuilt(self.network.like_of(node), iter(leaves[first:first + count]))
            first += count
        return _mutable(self.network.traced.result(self.network.arguments(self.network.output, results)[0][0]))


class _Measurement:
    """The bytes and seconds of one operation."""

    def __init__(self, plan: _GraphPlan, step: _GraphStep, operation: _Operation, inputs: List[List[Any]], held: Any,
                 seconds: float) -> None:
        self.step, self.operation, self.inputs, self.devices = step, operation, inputs, plan.devices
        number = operation.number
        # The first run may allocate permanent memory (of threads, packed weights), which is not counted. Later runs repeat it.
        output = step.forward_n(_Call(number, number + 1, 0, 0), list(inputs))
        self.call = _Call(number, number + 1, 0, _AGAIN)
        self.ambient = step.ambient.get(number, _NO_AMBIENT)
        generators, buffers = self.ambient
        self.ambient_bytes = (sum(state.numel() for state in generators or ()) +
                              sum(contents.numel() * contents.element_size() for *_, contents in buffers if contents is not None))
        meter = _Meter()
        most, self.output = meter.during(lambda: step.forward_n(self.call, list(inputs)))
        forward_workspace = most - meter.bytes
        self.flags = LayerFlag.ADDS_GRADIENT
        if all(map(_is_same, output, self.output)):
            self.flags |= LayerFlag.DETERMINISTIC
        del output
        own = sum(size for address, size in _storages(filter(_has_storage, self.output)).items() if address not in held)
        gradient = sum(leaf.numel() * leaf.element_size() for leaf, has in zip(self.output, operation.mask) if has)
        self.bytes = max(own, gradient)
        tape_bytes, record_most, record_in_row = self.record_bytes()
        record_workspace = record_most - tape_bytes - (own if operation.needs_output else 0)
        self.gaps: Dict[int, int] = {}  # by value: bytes of the memory that its gradient keeps alive
        backward_peak = self.backward_peak()
        forward_seconds, backward_seconds = self.seconds(seconds)
        step.ambient.pop(number, None)
        if operation.needs_output:
            self.flags |= LayerFlag.NEEDS_OUTPUT
        if operation.has_no_input_gradient:
            self.flags |= LayerFlag.NO_INPUT_GRADIENT
        self.profile = OptionProfile(
            tape_bytes=tape_bytes, forward_workspace_bytes=max(forward_workspace, record_in_row, 0), forward_seconds=forward_seconds,
            backward_seconds=backward_seconds, record_workspace_bytes=max(record_workspace, 0), record_seconds=forward_seconds,
            has_record=True, backward_peak_bytes=max(backward_peak, 1))

    def release(self) -> None:
        """Releases the tensors."""
        self.inputs, self.output, self.ambient = [], [], _NO_AMBIENT

    def record(self, inputs: Sequence[List[Any]]) -> Tuple[Any, Any]:
        self.step.ambient[self.operation.number] = self.ambient
        return self.step.record_n(self.call, list(inputs))

    def backward(self, output: Any, tape: Any, grad_output: List[Any], sums: List[Any]) -> List[Any]:
        operation = self.operation
        needed = [item if at in operation.needed else None for at, item in enumerate(self.inputs)]
        return self.step.backward_n(self.call, needed, output if operation.needs_output else None, tape, grad_output, sums)

    def grad_output(self) -> List[Any]:
        return [_torch.ones_like(leaf) if has else None for leaf, has in zip(self.output, self.operation.mask)]

    def record_bytes(self) -> Tuple[int, int, int]:
        """Returns the bytes of the tape, the peak, and the part of the peak that is neither tape nor output; all without the inputs.
        Runs over a copy of the inputs: their bytes count as tape if the tape keeps them alive."""
        operation, meter = self.operation, _Meter()
        _, copies = meter.during(lambda: _copies(self.inputs))
        inputs = meter.bytes
        most, (output, tape) = meter.during(lambda: self.record(copies))
        operation.needed, operation.needs_output = tape.needed, tape.needs_output
        with_output = meter.bytes
        meter.during(lambda: [item.clear() for item in copies] and None)
        meter.during(output.clear)
        return meter.bytes, most - inputs, most - with_output

    def backward_peak(self) -> int:
        """Returns the peak of a backward: tape, gradients of the value and of the inputs for which it creates one, the value if it is
        read, and workspace."""
        operation, step, meter = self.operation, self.step, _Meter()
        _, (output, tape) = meter.during(lambda: self.record(self.inputs))
        if not operation.needs_output:
            meter.during(output.clear)
        places = set(operation.gradient_places)
        sums: List[Any] = []
        before = meter.bytes
        meter.during(lambda: sums.extend(
            [_torch.ones_like(leaf) if (at, number) in places else None for number, leaf in enumerate(item)]
            if at in operation.adds else None for at, item in enumerate(self.inputs)))
        earlier = meter.bytes - before
        _, grad_output = meter.during(self.grad_output)
        _begin_sums(meter, step, step.parameters[operation.number], step.parameters[operation.number + 1:])
        most, gradients = meter.during(lambda: self.backward(output, tape, grad_output, sums),
                                       lambda: [_storage(gradient)[0] for gradient in step.gradients.values()])
        step.gradients.clear()
        for value, item in zip(operation.reads, gradients):
            if any(leaf is not None and _has_gaps(leaf) for leaf in item):
                self.gaps[value] = sum(_storages(filter(_has_storage, item)).values())
        return most - earlier

    def seconds(self, limit: float) -> Tuple[float, float]:
        """Returns the median seconds of a forward and a backward."""

        def backward(output: Any, tape: Any, grad_output: List[Any]) -> None:
            self.backward(output, tape, grad_output, [None] * len(self.inputs))
            self.step.gradients.clear()

        return _median_seconds(lambda: self.record(self.inputs), backward, self.operation.mask, self.devices, limit)


def _mutable(result: Any) -> Any:
    """Returns a result with plain lists and dicts, as the module does; those of torch.fx cannot be changed."""
    if isinstance(result, dict):
        return {key: _mutable(part) for key, part in result.items()}
    if isinstance(result, list):
        return [_mutable(part) for part in result]
    if isinstance(result, tuple) and not isinstance(result, _torch.Size):
        parts = [_mutable(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _like_given(value: Any) -> Any:
    """Returns a tensor's alias with the same flag, for the first run."""
    return value.detach().requires_grad_(value.requires_grad) if _is_tensor(value) else value


def _copies(items: Sequence[List[Any]]) -> List[List[Any]]:
    """Copies values, with one copy of each memory that several leaves share."""
    copied: Dict[int, Any] = {}

    def copy(leaf: Any) -> Any:
        if not _is_tensor(leaf):
            return leaf
        if not _has_storage(leaf) or not _storage(leaf)[1]:
            return leaf.detach().clone()
        address = _storage(leaf)[0]
        if address not in copied:
            copied[address] = _storage_object(leaf).clone()
        return _torch.empty(0, dtype=leaf.dtype, device=leaf.device).set_(copied[address], leaf.storage_offset(), leaf.size(),
                                                                       leaf.stride())

    return [[copy(leaf) for leaf in item] for item in items]


def _is_same(left: Any, right: Any) -> bool:
    return _same_bits(left, right) if _is_tensor(left) and _is_tensor(right) else bool(left == right)


def _kind_of(values: Values) -> Tuple[Any, ...]:
    for at, value in enumerate(values):
        if not _is_tensor(value) and not isinstance(value, Hashable):
            raise UnsupportedError(f"argument {at}: expected a tensor or a constant, found a {type(value).__name__}")
    return tuple((tuple(value.shape), value.dtype, value.device, value.requires_grad) if _is_tensor(value) else (type(value), value)
                 for value in values)


def _is_same_or_smaller(kind: Any, of: Any) -> bool:
    return bool(kind == of) or (len(kind) == 4 and len(of) == 4 and _is_smaller(kind, of))
