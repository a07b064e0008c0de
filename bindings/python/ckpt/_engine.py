"""Layers on BLAS, chains, the executor that runs any schedule, optimizers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _call_of, _callbacks, _lent, _Owned, _owners_of_threads, _release_lent
from ._common import WorkerPool
from ._plan import Profile, Schedule
from ._root import handle_of
from ._tensor import DTypeLike, Tensor, _dtype
from .generated import methods as _m, options as _o
from .generated.values import LayerCallbacks, LayerContext, LayerOption

__all__ = ["Layer", "CustomLayer", "Chain", "Parameter", "ScheduleExecutor", "Optimizer", "set_blas"]

Spec = Tuple[DTypeLike, Sequence[int]]


def _spec(given: Spec) -> Tuple[int, Tuple[int, ...]]:
    return (int(_dtype(given[0])), tuple(given[1]))


def set_blas(sgemm: int, dgemm: int, name: Optional[str] = None, concurrent: bool = False) -> None:
    """Uses another BLAS, by the addresses of its cblas_sgemm and cblas_dgemm, which stay valid until the process ends."""
    _n.ckpt_blas_set(sgemm, dgemm, int(concurrent), name)


class CustomLayer(LayerCallbacks, ABC):
    """Base of custom layers. Buffers are memoryviews of bytes, valid during the call (numpy.frombuffer(buffer,
    dtype).reshape(shape) gives arrays); None where no memory is passed. Keep no view of them: a call that leaves one fails."""

    @abstractmethod
    def output(self, input: Tuple[int, Tuple[int, ...]]) -> Spec:
        """Returns (dtype, shape) of the output for an input; raises to refuse one."""

    def option(self, input: Tuple[int, Tuple[int, ...]], option: int) -> LayerOption:
        """Returns the requirements of one of its options."""
        return LayerOption()

    @abstractmethod
    def forward(self, context: LayerContext, input: memoryview, output: memoryview, tape: Optional[memoryview],
                workspace: Optional[memoryview]) -> None:
        """Fills output, and the tape unless it is None."""

    @abstractmethod
    def backward(self, context: LayerContext, input: Optional[memoryview], output: Optional[memoryview], tape: Optional[memoryview],
                 grad_output: memoryview, grad_input: Optional[memoryview], workspace: Optional[memoryview]) -> None:
        """Adds to the parameters' gradients, and fills grad_input unless it is None."""

    def record(self, context: LayerContext, input: memoryview, tape: Optional[memoryview],
               workspace: Optional[memoryview]) -> None:
        """Optional: fills the tape like forward, in forward's workspace, without an output. For a class without this method,
        forward runs when only the tape is needed."""
        raise NotImplementedError

    def save_ambient(self, state: memoryview) -> None:
        """Writes ambient_bytes bytes: the state outside the arguments that forward reads."""

    def restore_ambient(self, state: memoryview) -> None:
        """Restores the state that save_ambient wrote."""


def _functions_of(layer: CustomLayer) -> Dict[str, Callable[..., Any]]:
    def run(function: Callable[..., Any]) -> Callable[..., None]:
        def call(context: Any, *buffers: Any) -> None:
            targets, pool, evaluation = context[-3:]
            given = LayerContext(*context[:-3], Tensor._lent(targets), WorkerPool._lent(pool), evaluation)
            try:
                function(given, *buffers)
            finally:
                if given.targets is not None:
                    given.targets.close()
                if given.pool is not None:
                    given.pool.close()
            _release_lent(*buffers)
        return call

    return {"output": lambda input: _spec(layer.output(input)), "option": lambda input, option: tuple(layer.option(input, option)),
            "forward": run(layer.forward), "record": run(layer.record), "backward": run(layer.backward), "save_ambient": _lent(layer.save_ambient),
            "restore_ambient": _lent(layer.restore_ambient)}


class Layer(_m.LayerMethods, _Owned):
    """One layer, to be added to a chain."""

    def __init__(self, name: str, kind: str, *values: Union[int, float, str]) -> None:
        """Creates a layer from its kind and values: Layer("fc", "linear", 128, 256) or Layer("fc", "linear:128,256");
        `known_layer_kinds` lists them."""
        self._adopt(_n.ckpt_layer_create(name, kind + ":" * bool(values) + ",".join(map(str, values))))

    @classmethod
    def custom(cls, name: str, layer: CustomLayer) -> "Layer":
        """Returns a layer that calls a CustomLayer, on the thread that runs the executor."""
        has_record = getattr(layer.record, "__func__", None) is not CustomLayer.record
        functions = _callbacks(_native.LayerFunctions, **_functions_of(layer))
        return cls._of(_n.ckpt_layer_create_custom(name, layer.flags, layer.options, layer.ambient_bytes, has_record, functions))


class Parameter(NamedTuple):
    """A parameter with its gradient; both share the chain's memory."""

    name: str
    value: Tensor
    gradient: Tensor


class Chain(_m.ChainMethods, _Owned):
    """A sequence of layers. Use from one thread at a time."""

    def __init__(self, layers: Sequence[Layer] = (), first_layer: int = 0) -> None:
        self._adopt(_n.ckpt_chain_create(first_layer))
        for layer in layers:
            self.add(layer)

    def add(self, layer: Layer, inputs: Optional[Sequence[int]] = None) -> "Chain":
        """Appends layer i. inputs: the values that it reads, which makes the chain a graph: value 0 is the input of the chain,
        value k+1 the output of layer k; None: value i."""
        if inputs is None:
            _n.ckpt_chain_add(self._h, layer._h)
        else:
            _n.ckpt_chain_add_with_inputs(self._h, layer._h, list(inputs))
        return self

    def parameters(self) -> List[Parameter]:
        found = (_n.ckpt_chain_get_parameter(self._h, i) for i in range(_n.ckpt_chain_get_parameter_count(self._h)))
        return [Parameter(name, Tensor._of(value), Tensor._of(gradient)) for name, value, gradient in found]

    def profile(self, input: Spec, measured_steps: int = 0, pool: Optional[WorkerPool] = None) -> Profile:
        """Returns the profile for planning, for inputs of this (dtype, shape)."""
        return Profile._of(_n.ckpt_profile_create_from_chain(self._h, _spec(input), measured_steps, handle_of(pool)))

    def measured_profile(self, input: Any, targets: Any = None, measured_steps: int = 5, pool: Optional[WorkerPool] = None,
                         **step: _o.step) -> Profile:
        """Times every layer in steps of the whole chain on these data. Needs the memory of storing everything."""
        given = _o.step(input=input, targets=targets, **step)
        return Profile._of(_n.ckpt_profile_create_measured(self._h, given, measured_steps, handle_of(pool)))


class ScheduleExecutor(_m.ScheduleExecutorMethods, _Owned):
    """Runs one schedule over one chain, step after step. Use from one thread at a time."""

    def __init__(self, chain: Chain, schedule: Schedule, input: Spec, **options: _o.schedule_executor_options) -> None:
        given = _o.schedule_executor_options(**options)
        self._adopt(_n.ckpt_schedule_executor_create(chain._h, schedule._h, _spec(input), given))
        self._layers = len(chain)
        _owners_of_threads.add(self)

    def run(self, input: Any, targets: Any = None, **step: _o.step) -> float:
        """Runs the schedule once: forward, backward. Data are Tensors or anything with a buffer (numpy arrays), used in place.
        Returns the loss, or NaN if the output has more than one element."""
        given = _o.step(input=input, targets=targets, **step)
        with _call_of(self):
            return _n.ckpt_schedule_executor_run(self._h, given)

    def evaluate(self, input: Any, targets: Any = None, layers: Optional[int] = None, **step: _o.step) -> float:
        """Runs the first layers (None: all) forward once, without dropping anything and without gradients. Returns their output, or
        NaN if it has more than one element."""
        given = _o.step(input=input, targets=targets, **step)
        with _call_of(self):
            return _n.ckpt_schedule_executor_evaluate(self._h, given, self._layers if layers is None else layers)


class Optimizer(_m.OptimizerMethods, _Owned):
    """Updates a chain's parameters from their gradients."""

    def tensors(self) -> List[Tuple[str, Tensor]]:
        """Returns the state by name; the tensors share the optimizer's memory."""
        found = (_n.ckpt_optimizer_get_tensor(self._h, i) for i in range(_n.ckpt_optimizer_get_tensor_count(self._h)))
        return [(name, Tensor._of(value)) for name, value in found]
