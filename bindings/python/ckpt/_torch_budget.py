"""Training a chain of torch layers under a byte budget: a schedule decides what is kept and what is recomputed."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

import torch as _torch

from ._torch_plan import _Plan
from ._torch_values import _modes_of, Values, _values_of
from .generated.errors import InvalidArgumentError, OverBudgetError, UnsupportedError
from .generated.values import PlanReport

__all__ = ["budget", "Budgeted", "Forms"]
Budget = Union[int, float, str]


class Forms:
    """One layer in several forms, for `budget`: callables over the same parameters with bit-identical results that differ in time
    and in what they keep for their backward. Without gradients the first one runs."""

    def __init__(self, *forms: Callable[..., Any]) -> None:
        if not forms or not all(callable(form) for form in forms):
            raise InvalidArgumentError("forms: expected one or more callables")
        self.forms = forms


def budget(callables: Union[Callable[..., Any], Iterable[Union[Callable[..., Any], Forms]]], sample: Any, budget: Budget, *,
           verbose: bool = False, trace: bool = False) -> "Budgeted":
    """Returns a callable that runs a chain of layers within a byte budget, bit-identical to plain training: loss, gradients,
    buffers and generators. callables: an nn.Sequential, or modules, functions and `Forms`, each called with the result of the
    previous one; a tuple is passed as several arguments. sample: a tensor or a tuple of tensors like those of a training step; the
    layers are measured with it, and their state is left unchanged. budget: bytes (also "64MiB"), or a share of the bytes that
    keeping everything needs for this sample (0.4 or "40%"). The budget covers a step's memory without parameters and their
    gradients. verbose prints the chosen plan. OverBudgetError reports the smallest budget that works.

    trace: callables is one module, or a torch.fx.GraphModule. Its calls become the operations of a graph: for U-Nets and other
    modules with skip connections. UnsupportedError names the line that cannot be traced."""
    return Budgeted(callables, sample, budget, verbose=verbose, trace=trace)


class Budgeted:
    """The callable that `budget` returns. Not a Module: a model that holds one has the same state_dict as without it. Can be copied
    and pickled if its layers can; a copy measures its layers again."""

    def __init__(self, callables: Union[Callable[..., Any], Iterable[Union[Callable[..., Any], Forms]]], sample: Any, budget: Budget,
                 *, verbose: bool = False, trace: bool = False) -> None:
        self._traced = trace
        self._entries = [(callables,)] if trace else _entries_of(callables)
        for number, forms in enumerate(self._entries):
            for form in forms:
                _require_fit(number, form)
        self._share, self._bytes = _amount(budget)
        self._verbose = verbose
        self._plans: List[Any] = []  # a _Plan, or a _GraphPlan of a traced module, for each kind of inputs
        with _torch.enable_grad():
            self._plan_of(_values_of(sample if isinstance(sample, tuple) else (sample,), "the sample"))

    def __call__(self, *inputs: Any) -> Any:
        if not _torch.is_grad_enabled():
            return self._plainly(inputs)
        _require_plain_torch()
        plan = self._plan_of(inputs)
        return plan.run(inputs) if plan.layers else self._plainly(inputs)

    def _plainly(self, values: Values) -> Any:
        if self._traced:
            return self._entries[0][0](*values)
        given: Any = values
        for number, forms in enumerate(self._entries):
            given = forms[0](*values)
            values = _values_of(given, f"layer {number}")
        return given

    @property
    def bytes(self) -> Optional[int]:
        """The budget in bytes; None as long as the budget is a share and nothing with a gradient has run."""
        return self._bytes

    @property
    def reports(self) -> List[PlanReport]:
        """The cost of each plan, in order of creation."""
        return [plan.report for plan in self._plans if plan.report is not None]

    def explain(self) -> str:
        """Returns a readable description of the measurements and plans."""
        return "\n\n".join(plan.text for plan in self._plans)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_plans": []}

    def _plan_of(self, values: Values) -> Any:
        modes = _modes_of(self._entries)
        fitting = [plan for plan in self._plans if plan.fits(values, modes)]
        if fitting:
            return min(fitting, key=lambda plan: plan.batch)
        plan = self._measured(values, modes)
        if plan.layers:
            if self._bytes is None:
                assert self._share is not None
                self._bytes = int(self._share * plan.store_all_bytes)
            try:
                plan.choose(self._bytes)
            except OverBudgetError as error:
                if not self._traced and len(plan.layers) == 1:
                    error = _with_hint(error)
                if self._share is not None and not self._plans:  # later, the share of the first plan is a budget in bytes
                    error = _in_percent(error, self._share, self._bytes, plan.store_all_bytes)
                raise error from None
        self._plans.append(plan)
        if self._verbose:
            print(plan.text)
        return plan

    def _measured(self, values: Values, modes: Tuple[Any, ...]) -> Any:
        if not self._traced:
            return _Plan(self._entries, values, modes)
        from ._torch_graph_plan import _GraphPlan
        return _GraphPlan(self._entries[0][0], values, modes)


def _entries_of(callables: Any) -> List[Tuple[Any, ...]]:
    if not isinstance(callables, Iterable):
        raise InvalidArgumentError(f"callables: expected an nn.Sequential or several layers, found a {type(callables).__name__}; "
                                   "trace=True takes one module")
    entries = [entry.forms if isinstance(entry, Forms) else (entry,) for entry in callables]
    if not entries:
        raise InvalidArgumentError("callables is empty")
    return entries


def _with_hint(error: OverBudgetError) -> OverBudgetError:
    return OverBudgetError(f"{error}; one layer leaves nothing to choose: trace=True plans the calls inside a module", error.status)


def _in_percent(error: OverBudgetError, share: float, bytes_: int, store_all_bytes: int) -> OverBudgetError:
    """Adds percentages to the error of a budget that was specified as a share."""

    def with_share(found: "re.Match[str]") -> str:
        tenths = math.ceil(int(found[2]) * 1000 / store_all_bytes)  # rounded up, so that this share is large enough
        return f"{found[1]}{found[2]} ({tenths / 10:.1f}%)"

    text = re.sub(r"(the smallest that works for .*? is )(\d+)", with_share, str(error))
    return OverBudgetError(f"budget {share * 100:g}% is {bytes_} bytes of the {store_all_bytes} that keeping everything needs: {text}")


def _amount(budget: Budget) -> Tuple[Optional[float], Optional[int]]:
    """Parses a budget: returns a share or bytes."""
    if isinstance(budget, str):
        text = budget.strip()
        try:
            if text.endswith("%"):
                return _amount(float(text[:-1]) / 100.0)
            number = text.rstrip("BbKkMmGgTtPpIi ")
            return None, int(float(number) * _UNITS[text[len(number):].strip().lower()])
        except (ValueError, KeyError):
            raise InvalidArgumentError(f"budget {budget!r}: expected bytes (\"64MiB\") or a share (\"40%\")") from None
    if isinstance(budget, bool) or not isinstance(budget, (int, float)):
        raise InvalidArgumentError(f"budget {budget!r}: expected bytes or a share")
    if isinstance(budget, float) and 0.0 < budget <= 1.0:
        return budget, None
    if budget != budget or budget < 1 or budget != int(budget):
        raise InvalidArgumentError(f"budget {budget}: expected whole bytes, or a share in 0 .. 1")
    return None, int(budget)


_UNITS = {"": 1, "b": 1, **{f"{unit}ib": 1024**(power + 1) for power, unit in enumerate("kmgtp")}}


def _require_fit(number: int, form: Any) -> None:
    if not callable(form):
        raise InvalidArgumentError(f"layer {number}: expected a callable, found {form!r}")
    for module in form.modules() if isinstance(form, _torch.nn.Module) else ():
        name = type(module).__name__
        if name in ("DistributedDataParallel", "FullyShardedDataParallel", "FSDPModule", "DataParallel"):
            raise UnsupportedError(f"layer {number}: contains a {name}, which must wrap the model instead")


def _require_plain_torch() -> None:
    dynamo = getattr(_torch, "_dynamo", None)
    if dynamo is not None and dynamo.is_compiling():
        raise UnsupportedError("torch.compile cannot wrap a budget: compile the layers inside")
    if _torch.cuda.is_available() and _torch.cuda.is_current_stream_capturing():
        raise UnsupportedError("a CUDA graph cannot capture a budget: its steps differ")
