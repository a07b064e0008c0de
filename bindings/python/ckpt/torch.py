"""Helpers for PyTorch, which must be installed: from ckpt import torch as ckpt_torch."""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional, Union

import torch as _torch

from ._state import Checkpoint, LoadResult, SaveResult, State
from ._storage import Storage
from ._tensor import Tensor

__all__ = ["as_tensor", "to_torch", "save", "load_into"]


def as_tensor(tensor: "_torch.Tensor") -> Tensor:
    """A Tensor over the memory of a contiguous torch tensor on the CPU; gradients are not followed."""
    return Tensor.from_dlpack(tensor.detach())


def to_torch(tensor: Tensor) -> "_torch.Tensor":
    """A torch tensor over the memory of a Tensor."""
    return _torch.from_dlpack(tensor)


def _tensors(state_dict: Mapping[str, Any]) -> Dict[str, Tensor]:
    return {name: as_tensor(value) for name, value in state_dict.items() if isinstance(value, _torch.Tensor)}


def save(place: Union[Storage, str, "os.PathLike[str]"], state_dict: Mapping[str, Any], step: int = 0,
         **options: Any) -> SaveResult:
    """Saves the tensors of a module's state_dict as a new checkpoint."""
    with State(_tensors(state_dict)) as state, Checkpoint(place) as checkpoint:
        return checkpoint.save(state, step, **options)


def load_into(place: Union[Storage, str, "os.PathLike[str]"], state_dict: Mapping[str, Any],
              name: Optional[str] = None) -> LoadResult:
    """Fills the tensors of a state_dict in place from the newest valid checkpoint."""
    with State(_tensors(state_dict)) as state, Checkpoint(place, read_only=True) as checkpoint:
        return checkpoint.load(state, name=name)
