"""Helpers for PyTorch, which must be installed: from ckpt import torch as ckpt_torch."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

import torch as _torch

from ._oneline import _save, _state_of, _warn_of_skipped
from ._state import CheckpointManager
from ._storage import Storage
from ._tensor import Tensor, as_tensor as _any_tensor
from .made.values import LoadResult, SaveResult

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
