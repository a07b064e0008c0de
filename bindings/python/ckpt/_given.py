"""Builds the State that a save writes from a State, from models, or from a value of any shape."""

from __future__ import annotations

import array
import sys
from typing import Any, Callable, Dict, Iterable, Mapping, Optional

from ._root import CkptError
from ._sharded import Sharded
from ._state import _as_state, _entries, State, Stateful
from ._tensor import _has_dtype, as_tensor, Tensor
from ._trees import DICTS, OTHER_ATTRIBUTES
from .generated.errors import InvalidArgumentError

__all__ = ["Loaded"]


class Loaded(Dict[str, Any]):
    """A dict of arrays by name, or of such dicts by group. name and step: the checkpoint that they come from. skipped: how many
    newer ones could not be read. errors: the reasons by the name of each, the newest first."""

    name: str = ""
    step: int = 0
    skipped: int = 0
    errors: Mapping[str, CkptError] = {}


DICTS[Loaded] = "dict"
OTHER_ATTRIBUTES[Loaded] = ("name", "step", "skipped", "errors")  # of the checkpoint, not of the value


def _require_same_shape_again(tensors: Mapping[str, Any], group: str) -> None:
    """Refuses dicts that load would return in another shape: it returns a dict of tensors, or of groups when there are several."""
    groups = [name for name, value in tensors.items() if isinstance(value, Mapping)]
    single = [name for name, value in tensors.items() if not isinstance(value, Mapping)]
    if groups and single:
        raise InvalidArgumentError(f"{single[0]}: a tensor next to the dict '{groups[0]}' would be loaded as {group}.{single[0]}; "
                                   "put it into a dict too")
    if len(groups) == 1:
        raise InvalidArgumentError(f"{groups[0]}: the only dict would be loaded without this name; save its contents, optionally "
                                   f"with group='{groups[0]}'")


def _new_state(add: Callable[[State], Any], values: Optional[Mapping[str, Any]]) -> State:
    """Returns a State with the tensors that add adds to it, and these values."""
    state = State()
    try:
        add(state)
        for key, value in (values or {}).items():
            state[key] = value
    except BaseException:
        state.close()
        raise
    return state


def _state_of(tensors: Mapping[str, Any], group: str, values: Optional[Mapping[str, Any]], allow_empty: bool,
              convert: Callable[[Any], Tensor] = as_tensor) -> State:
    entries = _entries(tensors, group, convert)
    _require_same_shape_again(tensors, group)
    if not entries and not values and not allow_empty:
        raise InvalidArgumentError("tensors and values are empty: nothing would be saved; allow_empty=True saves it")
    return _new_state(lambda state: state._add(entries), values)


def _state_of_any(tree: Any, group: str, values: Optional[Mapping[str, Any]], allow_empty: bool) -> State:
    """Returns a State with groups of named tensors if the value is a dict of only these, else with one tree."""
    if _is_groups(tree) or _is_tensors(tree):
        return _state_of(tree, group, values, allow_empty)
    return _new_state(lambda state: state._add_tree("tree", tree, once=True), values)


def _state_to_save(given: Any, group: str, values: Optional[Mapping[str, Any]], allow_empty: bool) -> State:
    """Returns a given State, or a new one of a model, of (model, optimizer), or of a value of any shape."""
    pair = type(given) is tuple and any(isinstance(part, Stateful) for part in given)
    if not pair and not isinstance(given, (State, Stateful)):
        return _state_of_any(given, group, values, allow_empty)
    state = _as_state(given)
    for key, value in (values or {}).items():
        state[key] = value
    return state


_MAX_GROUPS = 16  # a group is a file, and each file is synced
_MAX_GROUP_BYTES = 64  # bytes


def _is_groups(tree: Any) -> bool:
    """Returns whether groups of tensors can represent this without change."""
    if type(tree) not in (dict, Loaded) or not 1 < len(tree) <= _MAX_GROUPS:
        return False
    fit = all(_is_name(name) and len(name.encode()) <= _MAX_GROUP_BYTES and _is_tensors(part) and part
              for name, part in tree.items())
    return fit and not _share_memory([value for part in tree.values() for value in part.values()])


def _is_tensors(tree: Any) -> bool:
    """Returns whether a group of tensors can represent this without change."""
    if type(tree) not in (dict, Loaded) or not all(_is_name(name) and _is_tensor(value) for name, value in tree.items()):
        return False
    return not _share_memory(tree.values())


def _share_memory(values: Iterable[Any]) -> bool:
    memory = [value.ctypes.data for value in values if hasattr(value, "ctypes") and value.size > 0]
    return len(set(memory)) < len(memory)


def _is_name(name: Any) -> bool:
    """Returns whether it can be the name of a tensor or group without change."""
    return type(name) is str and name.isprintable() and bool(name.strip()) and not name.startswith("__") and len(name) <= 200


def _is_tensor(value: Any) -> bool:
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if isinstance(value, Sharded):
        return True
    if torch is not None and isinstance(value, torch.Tensor):
        return False  # a tree restores it as torch's
    if numpy is None or not isinstance(value, (numpy.ndarray, numpy.generic)):
        return isinstance(value, (Tensor, array.array, memoryview)) or hasattr(value, "__dlpack__")
    if type(value) not in (numpy.ndarray, numpy.memmap):
        return False
    return bool(value.flags.c_contiguous) and bool(value.dtype.isnative) and _has_dtype(value.dtype.name)
