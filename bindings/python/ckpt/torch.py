"""Helpers for PyTorch, which must be installed: from ckpt import torch as ckpt_torch."""

from __future__ import annotations

import os
from typing import Any, Callable, List, Mapping, Optional, Tuple, Union

import torch as _torch

from ._oneline import _save, _state_of, _warn_of_skipped
from ._state import CheckpointManager
from ._storage import Storage
from ._tensor import Tensor, as_tensor as _any_tensor
from .made.errors import UnsupportedError
from .made.values import DType, LoadResult, SaveResult

__all__ = ["as_tensor", "to_torch", "save", "load_into"]


def as_tensor(tensor: "_torch.Tensor") -> Tensor:
    """A Tensor over the memory of a contiguous torch tensor on the CPU; gradients are not followed."""
    return Tensor.from_dlpack(tensor.detach())


def to_torch(tensor: Tensor) -> "_torch.Tensor":
    """A torch tensor over the memory of a Tensor."""
    return _torch.from_dlpack(tensor)


def _convert(value: Any) -> Tensor:
    return as_tensor(value) if isinstance(value, _torch.Tensor) else _any_tensor(value)


def save(place: Union[Storage, str, "os.PathLike[str]"], state_dict: Mapping[str, Any], step: int = 0, *, keep_last: int = 0,
         allow_empty: bool = False, **options: CheckpointManager.save) -> SaveResult:
    """Saves the tensors of a module's state_dict as a new checkpoint; a dict of several such dicts: each is a group. What would be
    dropped or renamed is an error that names its path, as for ckpt.save: of an optimizer's state_dict, which has numbers and dicts
    in dicts, save the tensors under names of your own and the rest as values of a ckpt.State."""
    with _state_of(state_dict, "model", None, allow_empty, _convert) as state:
        return _save(place, state, step, keep_last, **options)


def load_into(place: Union[Storage, str, "os.PathLike[str]"], state_dict: Mapping[str, Any],
              name: Optional[str] = None) -> LoadResult:
    """Fills the tensors of a state_dict in place from the newest valid checkpoint. What could not be filled is an error that names
    its path. When newer checkpoints were skipped there is a SkippedWarning, and the result's `skipped` counts them."""
    with _state_of(state_dict, "model", None, False, _convert) as state, CheckpointManager(place, read_only=True) as checkpoints:
        result = checkpoints.load(state, name=name)
    if result.skipped > 0:
        _warn_of_skipped(f"{result.skipped} newer checkpoint(s) were skipped for the older '{result.name}'; the log says why")
    return result


# ---- Tensors of a tree (State.add_tree) ----


def _tree_form(value: "_torch.Tensor") -> Tuple[Any, Callable[[], Tensor], List[str]]:
    if value.device.type == "meta":
        raise UnsupportedError("a tensor on the device 'meta' has no contents")
    if value.layout is not _torch.strided or value.is_quantized:
        raise UnsupportedError(f"a {value.layout} tensor has no place in a tree")

    def convert() -> Tensor:
        plain = value.detach().cpu().contiguous()
        if plain.dtype is _torch.bool:
            return Tensor.borrow(plain.view(_torch.uint8).numpy(), DType.BOOL)
        if plain.dtype is _torch.bfloat16:
            return Tensor.borrow(plain.view(_torch.int16).numpy(), DType.BF16)
        if plain.dtype is _torch.complex128:
            return as_tensor(_torch.view_as_real(plain).contiguous())
        return as_tensor(plain)

    form = ["torch"] + (["complex128"] if value.dtype is _torch.complex128 else [])
    shared = (value.device, value.data_ptr(), tuple(value.shape), value.stride(), value.dtype) if value.numel() else None
    return shared, convert, form


def _from_tree(tensor: Tensor, more: List[str]) -> "_torch.Tensor":
    if tensor.size == 0:
        made = _torch.empty(tensor.shape, dtype=_dtype_of(tensor.dtype))
    elif tensor.dtype is DType.BOOL or tensor.dtype is DType.BF16:
        made = _torch.frombuffer(tensor.raw(), dtype=_dtype_of(tensor.dtype)).reshape(tensor.shape)
    else:
        made = to_torch(tensor)
    return _torch.view_as_complex(made) if "complex128" in more else made


def _dtype_of(dtype: DType) -> "_torch.dtype":
    return getattr(_torch, {"BOOL": "bool", "BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": "float64", "U8": "uint8",
                            "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "C64": "complex64"}[dtype.name])
