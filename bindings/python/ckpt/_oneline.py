"""Saving and loading in one line."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Union

from . import _native as _n
from ._base import CkptError, NotFoundError
from ._state import Checkpoint, PathLike, Reader, SaveResult, State, Verify
from ._storage import Storage
from ._tensor import Tensor

__all__ = ["save", "load", "save_file", "load_file"]


def save(place: Union[Storage, PathLike], tensors: Mapping[str, Any], step: int = 0, *, values: Optional[Mapping[str, Any]] = None,
         group: str = "model", keep_last: int = 0, **options: Any) -> SaveResult:
    """Saves a dict of numpy arrays, torch tensors or Tensors durably, as a new checkpoint below a path: ckpt.save("run", {"w": w},
    7). An entry that is itself a dict is a group of its own. values: JSON values by key. options: as for Checkpoint.save."""
    with _state_of(tensors, group, values) as state:
        shared = _shared_checkpoint(place)
        if shared is not None:  # save_async holds the storage's lock
            return shared.save(state, step, **options)
        with Checkpoint(place, keep_last=keep_last) as checkpoint:
            return checkpoint.save(state, step, **options)


def _state_of(tensors: Mapping[str, Any], group: str, values: Optional[Mapping[str, Any]]) -> State:
    state = State(tensors, group)
    for key, value in (values or {}).items():
        state[key] = value
    return state


def _key(place: Union[Storage, PathLike]) -> Any:
    return os.path.realpath(place) if isinstance(place, (str, os.PathLike)) else id(place)


_shared: Dict[Any, Any] = {}  # by _key: (place, checkpoint, manager) of save_async


def _shared_checkpoint(place: Union[Storage, PathLike]) -> Optional[Checkpoint]:
    entry = _shared.get(_key(place))
    return None if entry is None else entry[1]


def load(place: Union[Storage, PathLike], name: Optional[str] = None, *, group: Optional[str] = None) -> Dict[str, Any]:
    """The tensors of the newest valid checkpoint, every byte verified, as new numpy arrays (Tensors for types that numpy lacks) by
    name: arrays = ckpt.load("run"). With several groups it is a dict of such dicts; group picks one."""
    with Checkpoint(place, read_only=True) as checkpoint:
        candidates = [name] if name is not None else [info.name for info in checkpoint.list() if info.status == 0]
        if not candidates:
            raise NotFoundError(f"no checkpoint in {place}", _n.CKPT_E_NOT_FOUND)
        failure: Optional[CkptError] = None
        for candidate in candidates:
            try:
                with checkpoint.reader(candidate, Verify.FULL) as reader:
                    return _by_group(reader, group)
            except CkptError as error:
                failure = failure or error
        assert failure is not None
        raise failure


def _array(tensor: Tensor) -> Any:
    """A numpy view, which keeps the tensor's memory; the Tensor where numpy is not there or lacks the type."""
    try:
        return tensor.numpy()
    except (ImportError, BufferError, ValueError):
        return tensor


def _numpy_or_tensor(tensor: Tensor) -> Any:
    try:
        memoryview(tensor).release()
    except BufferError:
        return tensor
    return _array(tensor)


def _by_group(reader: Reader, group: Optional[str]) -> Dict[str, Any]:
    groups: Dict[str, Dict[str, Any]] = {}
    for info in reader:
        if group is None or info.group == group:
            groups.setdefault(info.group, {})[info.name] = _numpy_or_tensor(reader.read(info.index))
    if group is not None and group not in groups:
        raise NotFoundError(f"group '{group}' is not in the checkpoint", _n.CKPT_E_NOT_FOUND)
    return next(iter(groups.values())) if len(groups) == 1 else groups


def save_file(path: PathLike, tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]] = None) -> None:
    """Writes a dict of tensors as a plain safetensors file, durably."""
    with State(tensors, "tensors") as state:
        text = None if metadata is None else json.dumps(dict(metadata))
        _n.ckpt_safetensors_write(os.fspath(path), state._h, "tensors", text)


def load_file(path: PathLike) -> Dict[str, Any]:
    """The tensors of a safetensors file, or of a folder with an index, as new numpy arrays by name."""
    with Reader(path) as reader:
        return {info.name: _numpy_or_tensor(reader.read(info.index)) for info in reader}
