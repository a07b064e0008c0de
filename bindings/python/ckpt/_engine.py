"""Layers on BLAS, chains, the executor that runs any schedule, optimizers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from . import _native as _n
from . import native as _native
from ._base import _call_of, _fields, _hand_over, _handle, _Owned, _owners_of_threads, _take_back
from ._common import ThreadPool
from ._memory import MemoryTracker
from ._plan import Follower, LayerFlags, Profile, Schedule
from ._tensor import DType, DTypeLike, Tensor, _dtype, as_tensor

__all__ = ["Layer", "CustomLayer", "LayerContext", "Chain", "Parameter", "Executor", "ExecutorStats", "Optimizer", "blas_info",
           "set_blas"]

Spec = Tuple[DTypeLike, Sequence[int]]


def _spec(given: Spec) -> Tuple[int, Tuple[int, ...]]:
    return (int(_dtype(given[0])), tuple(given[1]))


def blas_info() -> str:
    """Loads the BLAS now and gives its name, version and core."""
    return _n.ckpt_blas_get_info()


def set_blas(sgemm: int, dgemm: int, name: Optional[str] = None, concurrent: bool = False) -> None:
    """Uses another BLAS: the addresses of its cblas_sgemm and cblas_dgemm, valid for the process's life."""
    _n.ckpt_blas_set(sgemm, dgemm, int(concurrent), name)


class LayerContext(NamedTuple):
    """Where and when a custom layer runs. input and output are (dtype, shape)."""

    option: int
    micro_batch: int
    recomputation: int
    layer: int
    step: int
    seed: int
    first_sample: int
    input: Tuple[int, Tuple[int, ...]]
    output: Tuple[int, Tuple[int, ...]]


class CustomLayer(ABC):
    """Derive from this for a layer of your own. Buffers are memoryviews of bytes for the time of the call (numpy.frombuffer(buffer,
    dtype).reshape(shape) gives arrays); None where there is nothing. Keep no view of them: a call after which one is left fails."""

    flags: int = LayerFlags.DEFAULT
    options: int = 1
    ambient_bytes: int = 0

    @abstractmethod
    def output(self, input: Tuple[int, Tuple[int, ...]]) -> Spec:
        """(dtype, shape) of the output for an input; raise to refuse one."""

    def option(self, input: Tuple[int, Tuple[int, ...]], option: int) -> Tuple[int, int, int]:
        """Bytes of tape, forward workspace and backward workspace."""
        return (0, 0, 0)

    @abstractmethod
    def forward(self, context: LayerContext, input: memoryview, output: memoryview, tape: Optional[memoryview],
                workspace: Optional[memoryview]) -> None:
        """Fills output, and the tape when there is one."""

    @abstractmethod
    def backward(self, context: LayerContext, input: Optional[memoryview], output: Optional[memoryview], tape: Optional[memoryview],
                 grad_output: memoryview, grad_input: Optional[memoryview], workspace: Optional[memoryview]) -> None:
        """Adds to the parameters' gradients, and fills grad_input when it is there."""

    def save_ambient(self, state: memoryview) -> None:
        """Writes ambient_bytes: state outside the arguments that forward reads."""

    def restore_ambient(self, state: memoryview) -> None:
        """Reads them back."""


class _Functions(_native.LayerFunctions):
    def __init__(self, layer: CustomLayer) -> None:
        super().__init__()
        self.layer = layer

    def output(self, input: Any) -> Any:
        dtype, shape = self.layer.output(input)
        return (int(_dtype(dtype)), tuple(shape))

    def option(self, input: Any, option: int) -> Any:
        return tuple(self.layer.option(input, option))

    def forward(self, context: Any, *buffers: Any) -> None:
        self.layer.forward(LayerContext._make(context), *buffers)
        _take_back(*buffers)

    def backward(self, context: Any, *buffers: Any) -> None:
        self.layer.backward(LayerContext._make(context), *buffers)
        _take_back(*buffers)

    def save_ambient(self, state: Any) -> None:
        self.layer.save_ambient(state)
        _take_back(state)

    def restore_ambient(self, state: Any) -> None:
        self.layer.restore_ambient(state)
        _take_back(state)


class Layer(_Owned):
    """One layer, to be added to a chain."""

    _release = staticmethod(_n.ckpt_layer_release)

    @classmethod
    def linear(cls, name: str, inputs: int, outputs: int, dtype: DTypeLike = DType.F32) -> "Layer":
        return cls._of(_n.ckpt_layer_create_linear(name, inputs, outputs, _dtype(dtype)))

    @classmethod
    def relu(cls, name: str) -> "Layer":
        return cls._of(_n.ckpt_layer_create_relu(name))

    @classmethod
    def gelu(cls, name: str) -> "Layer":
        return cls._of(_n.ckpt_layer_create_gelu(name))

    @classmethod
    def embedding(cls, name: str, vocabulary: int, context: int, width: int, dtype: DTypeLike = DType.F32) -> "Layer":
        return cls._of(_n.ckpt_layer_create_embedding(name, vocabulary, context, width, _dtype(dtype)))

    @classmethod
    def dropout(cls, name: str, probability: float) -> "Layer":
        return cls._of(_n.ckpt_layer_create_dropout(name, probability))

    @classmethod
    def softmax_cross_entropy(cls, name: str) -> "Layer":
        return cls._of(_n.ckpt_layer_create_softmax_cross_entropy(name))

    @classmethod
    def custom(cls, name: str, layer: CustomLayer) -> "Layer":
        """A layer that calls you, on the thread that runs the executor."""
        return cls._of(_n.ckpt_layer_create_custom(name, layer.flags, layer.options, layer.ambient_bytes,
                                                   _hand_over(_Functions(layer))))


class Parameter(NamedTuple):
    """A parameter with its gradient; both share the chain's memory."""

    name: str
    value: Tensor
    gradient: Tensor


class Chain(_Owned):
    """Layers one behind another. One thread at a time."""

    _release = staticmethod(_n.ckpt_chain_release)

    def __init__(self, layers: Sequence[Layer] = (), first_layer: int = 0) -> None:
        self._adopt(_n.ckpt_chain_create(first_layer))
        for layer in layers:
            self.add(layer)

    def add(self, layer: Layer) -> "Chain":
        _n.ckpt_chain_add(self._h, layer._h)
        return self

    def __len__(self) -> int:
        return _n.ckpt_chain_get_layer_count(self._h)

    def initialize(self, seed: int) -> None:
        """Gives every parameter its first value from the seed."""
        _n.ckpt_chain_initialize(self._h, seed)

    def parameters(self) -> List[Parameter]:
        made = []
        for i in range(_n.ckpt_chain_get_parameter_count(self._h)):
            name, value, gradient = _n.ckpt_chain_get_parameter(self._h, i)
            made.append(Parameter(name, Tensor._of(value), Tensor._of(gradient)))
        return made

    def clip_gradients(self, max_norm: float) -> float:
        """Scales all gradients so that their common 2-norm is at most max_norm; gives the norm before."""
        return _n.ckpt_chain_clip_gradients(self._h, max_norm)

    def profile(self, input: Spec, measured_steps: int = 0, pool: Optional[ThreadPool] = None) -> Profile:
        """What planning must know, for inputs of this (dtype, shape)."""
        return Profile._of(_n.ckpt_profile_create_from_chain(self._h, _spec(input), measured_steps, _handle(pool)))


def _step(input: Any, targets: Any, step: int, seed: int, first_sample: int, output: Any, output_gradient: Any, input_gradient: Any,
          accumulate: bool) -> Any:
    """The struct, and the tensors that it borrows: to be kept until the call is over."""
    struct = _native.ckpt_step()
    struct.step = step
    struct.seed = seed
    struct.first_sample = first_sample
    struct.accumulate = int(accumulate)
    tensors = []
    for field, data in (("input", input), ("targets", targets), ("output", output), ("output_gradient", output_gradient),
                        ("input_gradient", input_gradient)):
        if data is not None:
            tensors.append(as_tensor(data))
            setattr(struct, field, tensors[-1]._h)
    return struct, tensors


class ExecutorStats(NamedTuple):
    """What an executor measured since it was made."""

    steps: int
    forwards: int
    recomputed_forwards: int
    live_bytes: int
    peak_live_bytes: int
    reserved_bytes: int
    seconds: float


class Executor(_Owned):
    """Runs one schedule over one chain, step after step. One thread at a time."""

    _release = staticmethod(_n.ckpt_schedule_executor_release)

    def __init__(self, chain: Chain, schedule: Schedule, input: Spec, budget_bytes: int = 0, pool: Optional[ThreadPool] = None,
                 tracker: Optional[MemoryTracker] = None, follower: Optional[Follower] = None) -> None:
        """follower: its strategy learns which layers run, and of the live bytes."""
        options = _native.ckpt_schedule_executor_options()
        options.budget_bytes = budget_bytes
        options.pool = _handle(pool)
        options.tracker = _handle(tracker)
        options.follower = _handle(follower)
        self._adopt(_n.ckpt_schedule_executor_create(chain._h, schedule._h, _spec(input), options))
        _owners_of_threads.add(self)

    def run(self, input: Any, targets: Any = None, *, step: int = 0, seed: int = 0, first_sample: int = 0, output: Any = None,
            output_gradient: Any = None, input_gradient: Any = None, accumulate: bool = False) -> float:
        """Runs the schedule once: forward, backward. Data are Tensors or anything with a buffer (numpy arrays), used in place.
        Gives the loss, or NaN where the output has more than one element."""
        struct, _tensors = _step(input, targets, step, seed, first_sample, output, output_gradient, input_gradient, accumulate)
        with _call_of(self):
            return _n.ckpt_schedule_executor_run(self._h, struct)

    def stats(self) -> ExecutorStats:
        struct = _native.ckpt_schedule_executor_stats()
        _n.ckpt_schedule_executor_get_stats(self._h, struct)
        return _fields(ExecutorStats, struct)


class Optimizer(_Owned):
    """Updates a chain's parameters from their gradients."""

    _release = staticmethod(_n.ckpt_optimizer_release)

    @classmethod
    def sgd(cls, chain: Chain, learning_rate: float, momentum: float = 0.0) -> "Optimizer":
        return cls._of(_n.ckpt_optimizer_create_sgd(chain._h, learning_rate, momentum))

    @classmethod
    def adamw(cls, chain: Chain, learning_rate: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
              weight_decay: float = 0.01) -> "Optimizer":
        options = _native.ckpt_adamw_options()
        options.learning_rate = learning_rate
        options.beta1 = beta1
        options.beta2 = beta2
        options.epsilon = epsilon
        options.weight_decay = weight_decay
        return cls._of(_n.ckpt_optimizer_create_adamw(chain._h, options))

    def step(self) -> None:
        """One update with the gradients as they are."""
        _n.ckpt_optimizer_step(self._h)

    @property
    def steps(self) -> int:
        """Number of updates so far."""
        return _n.ckpt_optimizer_get_step_count(self._h)

    @steps.setter
    def steps(self, steps: int) -> None:
        _n.ckpt_optimizer_set_step_count(self._h, steps)

    def tensors(self) -> List[Tuple[str, Tensor]]:
        """The state, by name; shares the optimizer's memory."""
        made = []
        for i in range(_n.ckpt_optimizer_get_tensor_count(self._h)):
            name, value = _n.ckpt_optimizer_get_tensor(self._h, i)
            made.append((name, Tensor._of(value)))
        return made
