"""Recomputes the outputs of cheap functions inside a layer (norms, activations) instead of keeping them."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch as _torch

from ._torch_values import _autocast_state, _is_tensor, _storage, _under_autocast, Values
from .generated.errors import InvalidStateError

__all__ = ["recomputing"]


class _Recomputation:
    """Recomputes a tensor."""

    def __init__(self, function: Callable[..., Any], values: Values, created: "_torch.Tensor") -> None:
        self.function = function
        self.values = tuple(value.detach() if _is_tensor(value) else value for value in values)
        self.versions = self._versions()
        self.autocast = _autocast_state()
        self.created = weakref.ref(created)  # once it is freed, another tensor may use its address
        self.made_version = created._version

    def _versions(self) -> List[int]:
        return [value._version for value in self.values if _is_tensor(value)]

    def is_current(self) -> bool:
        created = self.created()
        return created is not None and created._version == self.made_version

    def run(self) -> "_torch.Tensor":
        if self._versions() != self.versions:
            raise RuntimeError("an input of a recomputed function was written to before its backward")
        with _torch.no_grad(), _under_autocast(self.autocast):
            return self.function(*self.values)


class _Place(NamedTuple):
    """A view of the result of a recomputation."""

    recomputation: _Recomputation
    size: Tuple[int, ...]
    stride: Tuple[int, ...]
    offset: int


class recomputing:
    """with recomputing() as again: inside, again(function, *values) returns function(*values). Where autograd would keep that
    tensor for a backward, it keeps the values and runs the function again. function: returns one new tensor, with the same bits
    each time: a norm, an activation, no dropout. This saves the tensor's bytes if the values are kept anyway. Without autograd the
    function just runs. Intended for a form of a layer (`Forms`): same parameters, same bits, less memory, slightly more time."""

    def __init__(self) -> None:
        self._recomputations: Dict[int, _Recomputation] = {}  # by address
        self._hooks: Optional[Any] = None

    def __enter__(self) -> "recomputing":
        if self._hooks is not None:
            raise InvalidStateError("recomputing can be entered only once: create another one")
        self._hooks = _torch.autograd.graph.saved_tensors_hooks(self._pack, _unpack)
        self._hooks.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        assert self._hooks is not None
        self._hooks.__exit__(*error)
        self._recomputations.clear()

    def __call__(self, function: Callable[..., Any], *values: Any) -> Any:
        created = function(*values)
        if _is_tensor(created) and created.requires_grad:
            address = _storage(created)[0]
            if all(_storage(value)[0] != address for value in values if _is_tensor(value)):
                self._recomputations[address] = _Recomputation(function, values, created)
        return created

    def _pack(self, tensor: "_torch.Tensor") -> Any:
        recomputation = self._recomputations.get(_storage(tensor)[0])
        if recomputation is None or not recomputation.is_current():
            return tensor
        return _Place(recomputation, tuple(tensor.size()), tensor.stride(), tensor.storage_offset())


def _unpack(packed: Any) -> "_torch.Tensor":
    if not isinstance(packed, _Place):
        return packed
    return packed.recomputation.run().as_strided(packed.size, packed.stride, packed.offset)
