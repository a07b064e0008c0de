"""Measures a layer: bytes at the allocator, and seconds."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

import torch as _torch

from ._torch_layers import _Layer
from ._torch_step import _Step
from ._torch_values import _generators, _kept_buffers, _like, _storage, _storages, Values
from .generated.values import LayerFlag, OptionProfile

_MIN_SECONDS, _MAX_RUNS, _MIN_RUNS = 0.05, 20, 3  # limits of the measurement of one layer


class _Trace:
    """Records the allocator's events in order: (address, bytes), with negative bytes for freed memory."""

    def __enter__(self) -> "_Trace":
        profiler = _torch.autograd
        config = profiler.ProfilerConfig(profiler.ProfilerState.KINETO, False, True, False, False, False,
                                         _torch._C._profiler._ExperimentalConfig())
        activities = {profiler.ProfilerActivity.CPU}
        profiler._prepare_profiler(config, activities)
        profiler._enable_profiler(config, activities)
        return self

    def __exit__(self, *error: Any) -> None:
        events: List[Tuple[int, int, int]] = []
        nodes = list(_torch.autograd._disable_profiler().experimental_event_tree())
        while nodes:
            node = nodes.pop()
            fields = node.extra_fields
            if hasattr(fields, "alloc_size"):
                events.append((node.start_time_ns, fields.ptr, fields.alloc_size))
            nodes.extend(node.children)
        events.sort(key=lambda event: event[0])
        self.events = [event[1:] for event in events]


class _Meter:
    """Counts live bytes over several traces, without memory that existed before them."""

    def __init__(self) -> None:
        self.live: Dict[int, int] = {}

    @property
    def bytes(self) -> int:
        return sum(self.live.values())

    def during(self, work: Callable[[], Any], uncounted: Callable[[], Iterable[int]] = tuple) -> Tuple[int, Any]:
        """Runs work; returns its peak of live bytes and its result. uncounted: addresses of resulting memory to leave out."""
        with _Trace() as trace:
            given = work()
        left_out = set(uncounted())
        skipped = set()
        for at in range(len(trace.events) - 1, -1, -1):
            address, size = trace.events[at]
            if size > 0 and address in left_out:
                skipped.add(at)
                left_out.discard(address)
        now = most = self.bytes
        for at, (address, size) in enumerate(trace.events):
            if size > 0 and at not in skipped:
                self.live[address] = size
                now += size
                most = max(most, now)
            elif size < 0:
                now -= self.live.pop(address, 0)
        return most, given


def _begin_sums(meter: _Meter, step: Any, parameters: Iterable[Any], later: Iterable[Iterable[Any]]) -> None:
    """Fills step.gradients with sums as a backward finds them: those of the parameters that later layers use too. The gradient that
    the backward adds to such a sum is temporary memory, unlike a first gradient, which remains; the sum is not counted."""
    shared = [parameter for parameter in parameters if id(parameter) in step.shared]
    if not shared:
        return
    used_later = {id(parameter) for layer in later for parameter in layer}
    meter.during(lambda: step.gradients.update((id(each), _torch.zeros_like(each)) for each in shared if id(each) in used_later),
                 lambda: [_storage(total)[0] for total in step.gradients.values()])


class _Call(NamedTuple):
    """The fields of a DriveCall that a step's callbacks read."""

    first: int
    last: int
    option: int
    flags: int


def _measure(layers: Sequence[_Layer], devices: Sequence[int], values: Values, held: Set[int]) -> None:
    """Fills the layers' bytes and seconds. held: addresses of memory that the caller keeps anyway."""
    for number, layer in enumerate(layers):
        given = _Step(layers, devices).forward(_Call(number, number + 1, 0, 0), list(values))
        through = _storages(values)
        layer.output_bytes = sum(size for address, size in _storages(given).items() if address not in held)
        layer.ambient_bytes = (sum(state.nbytes if hasattr(state, "nbytes") else state.numel() for state in _generators(devices)) +
                               sum(contents.numel() * contents.element_size() for *_, contents in _kept_buffers(layer.changed)
                                   if contents is not None))
        layer.options = [_measure_option(layers, devices, number, option, values, through) for option in range(len(layer.forms))]
        values = tuple(given)


def _measure_option(layers: Sequence[_Layer], devices: Sequence[int], number: int, option: int, values: Values,
                    through: Dict[int, int]) -> OptionProfile:
    layer = layers[number]
    call = _Call(number, number + 1, option, 0)
    step = _Step(layers, devices)
    # The first run of a layer may allocate permanent memory (of threads, packed weights), which is not counted.
    step.ambient[number] = ambient = (_generators(devices), _kept_buffers(layer.changed))  # released after the last trace
    item = list(values)
    step.forward(call, item)

    meter = _Meter()
    most, given = meter.during(lambda: step.forward(call, item))
    output_bytes = meter.bytes
    forward_workspace = most - output_bytes
    given = None

    # Forward with a tape, over a copy of the input: memory that is freed with the output or the input is not held by the tape.
    meter = _Meter()
    inputs = sum(_storages(values).values())
    _, copy = meter.during(lambda: [_like(value) for value in values])
    inputs = meter.bytes
    most, (output, tape) = meter.during(lambda: step.record(call, copy))
    with_output = meter.bytes
    output_like = [_like(value) for value in output]
    meter.during(output.clear)
    needs_output = with_output - meter.bytes < output_bytes
    read = output_bytes if needs_output else 0
    tape_bytes = with_output - inputs - output_bytes
    before = meter.bytes
    meter.during(copy.clear)
    needs_input = before - meter.bytes < inputs
    record_workspace = most - inputs - tape_bytes - read
    record_in_row = most - with_output  # of FORWARD_TAPE, which keeps the output
    pinned = meter.bytes - tape_bytes - read

    grads: List[Any] = []

    def make_gradients() -> None:
        grads.append([_torch.ones_like(value) if has else None for value, has in zip(output_like, layer.output_mask)])

    before = meter.bytes
    meter.during(make_gradients)
    gradients = [meter.bytes - before, sum(_storages(value for value, has in zip(values, layer.input_mask) if has).values())]
    del output_like
    gradient = grads.pop()
    _begin_sums(meter, step, layer.parameters(), (later.parameters() for later in layers[number + 1:]))
    most, gradient = meter.during(lambda: step.backward(_Call(number, number + 1, option, 0), None, None, tape, gradient),
                                  lambda: [_storage(created)[0] for created in step.gradients.values()])
    backward_peak = most - pinned
    del gradient, ambient
    layer.flags |= LayerFlag.NEEDS_INPUT * needs_input | LayerFlag.NEEDS_OUTPUT * needs_output
    forward_seconds, backward_seconds = _seconds(layers, devices, call, values)
    layer.record_workspaces.append(max(record_in_row, 0))
    return OptionProfile(tape_bytes=max(tape_bytes, 0), forward_workspace_bytes=max(forward_workspace, record_in_row, 0),
                         backward_workspace_bytes=max(backward_peak - tape_bytes - read - sum(gradients), 0),
                         forward_seconds=forward_seconds, backward_seconds=backward_seconds,
                         record_workspace_bytes=max(record_workspace, 0), record_seconds=forward_seconds, has_record=True,
                         backward_peak_bytes=max(backward_peak, 1))


def _seconds(layers: Sequence[_Layer], devices: Sequence[int], call: _Call, values: Values) -> Tuple[float, float]:
    """Returns the median seconds of a forward and a backward."""
    step = _Step(layers, devices)

    def backward(output: List[Any], tape: List[Any], gradient: List[Any]) -> None:
        step.backward(call, None, None, tape, gradient)
        step.gradients.clear()

    return _median_seconds(lambda: step.record(call, list(values)), backward, layers[call.first].output_mask, devices, _MIN_SECONDS)


def _median_seconds(record: Callable[[], Tuple[Any, Any]], backward: Callable[[Any, Any, List[Any]], Any], mask: Sequence[bool],
                    devices: Sequence[int], limit: float) -> Tuple[float, float]:
    """Runs record and backward until limit seconds have passed; returns the medians. mask: which outputs have a gradient."""
    forwards: List[float] = []
    backwards: List[float] = []
    begin = time.perf_counter()
    while len(forwards) < _MIN_RUNS or (time.perf_counter() - begin < limit and len(forwards) < _MAX_RUNS):
        at = [_now(devices)]
        output, tape = record()
        at.append(_now(devices))
        gradient = [_torch.ones_like(value) if has else None for value, has in zip(output, mask)]
        at.append(_now(devices))
        backward(output, tape, gradient)
        at.append(_now(devices))
        forwards.append(at[1] - at[0])
        backwards.append(at[3] - at[2])
    return sorted(forwards)[len(forwards) // 2], sorted(backwards)[len(backwards) // 2]


def _now(devices: Sequence[int]) -> float:
    for device in devices:
        _torch.cuda.synchronize(device)
    return time.perf_counter()
