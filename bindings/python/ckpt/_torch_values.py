"""Inputs and outputs of torch layers, and the ambient state that determines their bits: generators, buffers, autocast."""

from __future__ import annotations

from contextlib import contextmanager, ExitStack, nullcontext
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

import torch as _torch

from .generated.errors import UnsupportedError

_HAS_UNTYPED_STORAGE = hasattr(_torch.Tensor, "untyped_storage")
Values = Tuple[Any, ...]  # inputs and outputs of a layer: tensors and other objects


def _values_of(given: Any, who: str) -> Values:
    values = given if isinstance(given, tuple) else (given,)
    for value in values:
        if isinstance(value, (list, dict, tuple)):
            raise UnsupportedError(
                f"{who}: expected a tensor or a tuple of tensors and plain objects, found a {type(value).__name__}")
    return tuple(values)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, _torch.Tensor)


def _plain(values: Iterable[Any]) -> List[Any]:
    """Returns an item: the tensors without history."""
    return [value.detach() if isinstance(value, _torch.Tensor) else value for value in values]


def _storage(tensor: "_torch.Tensor") -> Tuple[int, int]:
    """Returns address and bytes of a tensor's memory."""
    storage = _storage_object(tensor)
    return storage.data_ptr(), storage.nbytes()


def _storage_object(tensor: "_torch.Tensor") -> Any:
    return tensor.untyped_storage() if _HAS_UNTYPED_STORAGE else tensor._storage()  # torch 1


def _storages(values: Iterable[Any]) -> Dict[int, int]:
    return dict(_storage(value) for value in values if _is_tensor(value))


def _modules_of(forms: Iterable[Any]) -> List["_torch.nn.Module"]:
    found: Dict[int, Any] = {}
    for form in forms:
        owner = form if isinstance(form, _torch.nn.Module) else getattr(form, "__self__", None)
        if isinstance(owner, _torch.nn.Module):
            found.update((id(module), module) for module in owner.modules())
    return list(found.values())


def _modes_of(entries: Sequence[Sequence[Any]]) -> Tuple[Any, ...]:
    """Returns the modes that a plan depends on in addition to the inputs."""
    modules = _modules_of(form for forms in entries for form in forms)
    return (tuple(module.training for module in modules),
            tuple(parameter.requires_grad for module in modules for parameter in module._parameters.values()
                  if parameter is not None),
            _autocast_state())


def _autocast_state() -> Tuple[Any, ...]:
    """Returns whether autocast is on, and its dtype, on CUDA and on the CPU; and whether it caches."""
    if hasattr(_torch, "get_autocast_dtype"):  # torch 2.4
        return (_torch.is_autocast_enabled("cuda"), _torch.get_autocast_dtype("cuda"), _torch.is_autocast_enabled("cpu"),
                _torch.get_autocast_dtype("cpu"), _torch.is_autocast_cache_enabled())
    return (_torch.is_autocast_enabled(), _torch.get_autocast_gpu_dtype(), _torch.is_autocast_cpu_enabled(),
            _torch.get_autocast_cpu_dtype(), _torch.is_autocast_cache_enabled())


def _under_autocast(state: Tuple[Any, ...]) -> Any:
    """Returns a context with the autocast state of the first run."""
    now = _autocast_state()
    if state == now:
        return nullcontext()
    stack = ExitStack()
    if state[0] or now[0]:
        stack.enter_context(_torch.autocast("cuda", enabled=state[0], dtype=state[1], cache_enabled=state[4]))
    if state[2] or now[2]:
        stack.enter_context(_torch.autocast("cpu", enabled=state[2], dtype=state[3], cache_enabled=state[4]))
    return stack


def _generators(devices: Sequence[int]) -> List["_torch.Tensor"]:
    return [_torch.get_rng_state(), *(_torch.cuda.get_rng_state(device) for device in devices)]


def _set_generators(states: Sequence["_torch.Tensor"], devices: Sequence[int]) -> None:
    _torch.set_rng_state(states[0])
    for device, state in zip(devices, states[1:]):
        _torch.cuda.set_rng_state(state, device)


Buffers = List[Tuple[Any, str]]  # module and name


def _kept_buffers(buffers: Buffers) -> List[Tuple[Any, str, Any, Any]]:
    kept = []
    for module, name in buffers:
        buffer = module._buffers[name]
        kept.append((module, name, buffer, None if buffer is None else buffer.detach().clone()))
    return kept


def _restore_buffers(kept: List[Tuple[Any, str, Any, Any]]) -> None:
    """Restores buffers without a new version, so that graphs that saved them stay valid."""
    for module, name, buffer, contents in kept:
        module._buffers[name] = buffer
        if buffer is not None:
            buffer.data.copy_(contents)


@contextmanager
def _unchanged(modules: Iterable[Any], devices: Sequence[int]) -> Iterator[None]:
    """Restores generators and buffers at its end."""
    generators = _generators(devices)
    buffers = _kept_buffers([(module, name) for module in modules for name in module._buffers])
    try:
        yield
    finally:
        _set_generators(generators, devices)
        _restore_buffers(buffers)


Ambient = Tuple[Any, Any]  # generators, or None if they have no effect; and contents of buffers


@contextmanager
def _repeating(ambient: Ambient, changed: Buffers, devices: Sequence[int], autocast: Tuple[Any, ...]) -> Iterator[None]:
    """A second run with the ambient state of the first one; restores the current state at its end."""
    generators, buffers = ambient
    now_generators = None if generators is None else _generators(devices)
    now_buffers = _kept_buffers(changed)
    if generators is not None:
        _set_generators(generators, devices)
    _restore_buffers(buffers)
    try:
        with _under_autocast(autocast):
            yield
    finally:
        if now_generators is not None:
            _set_generators(now_generators, devices)
        _restore_buffers(now_buffers)


@contextmanager
def _without_cached_casts(autocast: Tuple[Any, ...]) -> Iterator[None]:
    """Empties autocast's cache before and after: casts of other runs belong to another graph, or to none."""
    is_on = autocast[0] or autocast[2]
    if is_on:
        _torch.clear_autocast_cache()
    try:
        yield
    finally:
        if is_on:
            _torch.clear_autocast_cache()


def _like(value: Any) -> Any:
    return value.detach().clone() if _is_tensor(value) else value


def _same_bits(left: "_torch.Tensor", right: "_torch.Tensor") -> bool:
    return left.shape == right.shape and bool(_torch.equal(left, right) or _torch.equal(_torch.isnan(left), _torch.isnan(right))
                                              and _torch.equal(left.nan_to_num(), right.nan_to_num()))
