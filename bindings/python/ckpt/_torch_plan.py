"""Plans the schedule for inputs of given shapes."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch as _torch

from ._drive import Driver
from ._plan import Profile, Schedule
from ._torch_layers import _Layer, _layers_of
from ._torch_measure import _measure
from ._torch_step import _Chain, _Outputs, _Step
from ._torch_values import _is_tensor, _modules_of, _plain, _storages, _unchanged, Values, _values_of
from .generated.errors import OverBudgetError
from .generated.values import ActionKind, Item, OptionProfile, PlanReport, ProfileFlag

_WITH_OPTION = (ActionKind.FORWARD, ActionKind.FORWARD_TAPE, ActionKind.RECORD, ActionKind.BACKWARD)


class _PlanOfInputs:
    """A plan for inputs of given shapes."""

    def __init__(self, kind: Tuple[Any, ...], values: Values, modes: Tuple[Any, ...]) -> None:
        self.kind = kind
        self.batch = max((value.numel() for value in values if _is_tensor(value)), default=0)
        self.modes = modes
        self.devices = sorted({value.device.index for value in values if _is_tensor(value) and value.device.type == "cuda"})
        self.report: Optional[PlanReport] = None
        self.text = ""


class _Plan(_PlanOfInputs):
    """A schedule of a chain, and the measurements it is based on."""

    def __init__(self, entries: Sequence[Sequence[Any]], values: Values, modes: Tuple[Any, ...]) -> None:
        super().__init__(_kind_of(values), values, modes)
        with _unchanged(_modules_of(form for forms in entries for form in forms), self.devices):
            self.first, self.layers, begin = _layers_of(entries, tuple(_plain(values)),
                                                        tuple(_is_tensor(value) and value.requires_grad for value in values))
            if self.layers:
                with _torch.no_grad():
                    _measure(self.layers, self.devices, begin, set(_storages(values)))
        self.leading = entries[:self.first]
        if not self.layers:
            self.text = "no layer has a gradient: every layer runs unchanged"
            return
        inputs = sum(_storages(begin).values())
        self.profile = self._profile(inputs, lambda layer: layer.options)
        # A layer needs different workspace with and without recording: the verifier gets the two as separate options.
        self.exact = self._profile(inputs, lambda layer: [
            option._replace(forward_workspace_bytes=workspace) for option, recording in zip(layer.options, layer.record_workspaces)
            for workspace in (option.forward_workspace_bytes, recording)])
        self.store_all_bytes = self._cost(Schedule.create(self.profile, "store-all")).peak_bytes[0]

    def _profile(self, input_bytes: int, options: Callable[[_Layer], List[OptionProfile]]) -> Profile:
        profile = Profile(input_bytes)
        for layer in self.layers:
            profile.add_layer(layer.name, options(layer), flags=layer.flags, output_bytes=layer.output_bytes,
                              ambient_bytes=layer.ambient_bytes)
        profile.flags = ProfileFlag.KEEPS_INPUT | ProfileFlag.KEEPS_OUTPUT | ProfileFlag.OWN_ALLOCATOR
        return profile

    def _cost(self, schedule: Schedule) -> PlanReport:
        return Schedule(len(self.layers), [
            action._replace(option=2 * action.option + (action.kind != ActionKind.FORWARD))
            if action.kind in _WITH_OPTION or action.item == Item.TAPE else action for action in schedule]).verify(self.exact)

    def _best(self, most: int) -> Tuple[Schedule, PlanReport]:
        """Returns the fastest schedule within most bytes. The planner assumes the larger workspace for all forwards, so it is also
        run with part of the difference added to the budget."""
        spare = max(option.forward_workspace_bytes - recording for layer in self.layers
                    for option, recording in zip(layer.options, layer.record_workspaces))
        found: List[Tuple[Schedule, PlanReport]] = []
        too_little: Optional[OverBudgetError] = None
        for quarter in range(5):
            try:
                schedule = Schedule.create(self.profile, f"chain:{most + spare * quarter // 4}")
            except OverBudgetError as error:
                too_little = error
                continue
            report = self._cost(schedule)
            if report.peak_bytes[0] <= most:
                found.append((schedule, report))
        if found:
            return min(found, key=lambda pair: pair[1].step_seconds)
        least = str(too_little).rpartition("; ")[2] if too_little is not None else "no schedule fits"
        raise OverBudgetError(f"budget is {most} bytes; {least}", None if too_little is None else too_little.status)

    def fits(self, values: Values, modes: Tuple[Any, ...]) -> bool:
        """Returns whether the plan fits the inputs: the same shapes, or those of a smaller batch."""
        if modes != self.modes:
            return False
        kind = _kind_of(values)
        return kind == self.kind or (len(kind) == len(self.kind) and all(map(_is_smaller, kind, self.kind)))

    def choose(self, budget_bytes: int) -> None:
        schedule, report = self._best(budget_bytes)
        self.report = report
        self.peak_bytes = report.peak_bytes[0]
        self.driver = Driver(schedule, _Step((), ()))
        self.text = "\n".join([
            f"budget {budget_bytes} bytes; keeping everything needs {self.store_all_bytes}; chosen {schedule.name}: "
            f"{self.peak_bytes} bytes, {report.recomputed_forwards} layers recomputed, "
            f"{report.recomputed_seconds / (report.step_seconds or 1.0):.1%} of the step",
            *(f"  {layer.name}: output {layer.output_bytes}, tape {[option.tape_bytes for option in layer.options]}, backward "
              f"{[option.backward_peak_bytes for option in layer.options]} bytes, forward "
              f"{[round(option.forward_seconds * 1e3, 3) for option in layer.options]} ms" for layer in self.layers)])

    def run(self, values: Values) -> Any:
        with _torch.no_grad():
            for forms in self.leading:
                values = _values_of(forms[0](*values), "a layer")
        step = _Step(self.layers, self.devices)
        driver = self.driver._again(step)
        parameters: Dict[int, Any] = {}
        for layer in self.layers:
            parameters.update((id(parameter), parameter) for parameter in layer.parameters())
        values_out = _plain(values)
        inputs = [value for value in values if _is_tensor(value)]
        box: List[Any] = []
        stands_for = _Chain.apply(driver, step, box, values_out, *inputs, *parameters.values())
        positions = [at for at, value in enumerate(values_out) if _is_tensor(value)]
        mask = [self.layers[-1].output_mask[at] for at in positions]
        given = _Outputs.apply(box, mask, [_is_tensor(value) for value in values_out], stands_for,
                              *(values_out[at] for at in positions))
        for at, value in zip(positions, given):
            values_out[at] = value
        return values_out[0] if self.layers[-1].gives_tensor else tuple(values_out)


def _kind_of(values: Values) -> Tuple[Any, ...]:
    return tuple((tuple(value.shape), value.dtype, value.device, value.requires_grad) if _is_tensor(value) else type(value)
                 for value in values)


def _is_smaller(kind: Any, of: Any) -> bool:
    if not isinstance(kind, tuple) or not isinstance(of, tuple):
        return kind == of
    shape, larger = kind[0], of[0]
    return kind[1:] == of[1:] and (shape == larger or (len(shape) == len(larger) > 0 and shape[1:] == larger[1:] and
                                                       shape[0] < larger[0]))
