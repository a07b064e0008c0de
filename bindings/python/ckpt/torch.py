"""Helpers for PyTorch, which must be installed: from ckpt import torch as ckpt_torch."""

from __future__ import annotations

from collections import Counter, OrderedDict
from contextlib import nullcontext, suppress
from dataclasses import fields, is_dataclass
import importlib
import random
import sys
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, TYPE_CHECKING, Tuple, Union

import torch as _torch

from . import _native as _n
from ._async import AsyncManager
from ._checkpoints import _refused_manager, _refused_on_all_ranks, CheckpointManager, Reader
from ._given import _new_state, _state_of
from ._oneline import _newest, _NoCheckpointError, _note_loaded, _report_skipped, _save, _warn_of_skipped, _write_file
from ._progress import Progress, _Meter
from ._root import CkptError
from ._state import PathLike, State
from ._storage import Storage
from ._task import CheckpointTask
from ._tensor import Tensor, as_tensor as _any_tensor
from ._torch_tensors import _convert, as_tensor, to_torch
from ._torch_versions import require_same_versions, VERSIONS, versions_by_group, versions_in
from ._trees import Attributed, Record, Types, with_attributes_of
from .generated.errors import InvalidArgumentError, NotFoundError, UnsupportedError
from .generated.values import LoadResult, SaveResult, Verify

if TYPE_CHECKING:
    from ._torch_budget import budget, Budgeted, Forms
    from ._torch_coordinator import coordinator
    from ._torch_recompute import recomputing

__all__ = ["as_tensor", "to_torch", "save", "resume", "Resumed", "load_into", "save_file", "load_file", "budget", "Budgeted",
           "Forms", "recomputing", "coordinator"]


_LATER = {"budget": "_torch_budget", "Budgeted": "_torch_budget", "Forms": "_torch_budget", "recomputing": "_torch_recompute",
          "coordinator": "_torch_coordinator"}


def __getattr__(name: str) -> Any:
    """Imports training and distributed parts at their first use, so that programs that only save and load start faster."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("." + _LATER[name], __package__), name)


def _shared(value: Any) -> Tensor:
    return as_tensor(value) if isinstance(value, _torch.Tensor) else _any_tensor(value)


Place = Union[Storage, PathLike]


def save(where: Union[CheckpointManager, AsyncManager, Place], what: Union[int, Mapping[str, Any]] = 0, step: int = 0, *,
         model: Any = None, optimizer: Any = None, scheduler: Any = None, rng: bool = False, extra: Any = None, keep_last: int = 0,
         allow_empty: bool = False, **options: Any) -> Union[SaveResult, CheckpointTask]:
    """Saves a training run, so that `resume` continues it exactly: save(manager, step, model=model, optimizer=optimizer,
    scheduler=scheduler, rng=True, extra={"epoch": epoch}). model, optimizer and scheduler: anything with a state_dict, or a dict of
    several by name. rng: the states of the global generators of torch (also CUDA), Python and numpy. extra: a tree. where: a
    CheckpointManager, and save returns when the checkpoint is durable; an AsyncManager, which saves in the background, and save
    returns the task; or a path, a URI or a Storage. options: as for the save of that object.

    With a state_dict instead of the step, save(place, model.state_dict(), step), its tensors become one group, and a dict of
    several such dicts a group each; any other content is an error with its path."""
    is_manager = isinstance(where, (CheckpointManager, AsyncManager))
    with where._refused_save() if is_manager else _refused_on_all_ranks(
            _refused_manager(options.get("coordinator"), options.get("timeout"))):
        if isinstance(what, Mapping):
            versions = versions_by_group(what)
            created = _state_of(what, "model", {VERSIONS: versions} if versions else None, allow_empty, _convert)
        else:
            step, created = what, _state_of_run(model, optimizer, scheduler, rng, extra, allow_empty)
    with created as state:
        return where.save(state, step, **options) if is_manager else _save(where, state, step, keep_last, **options)


def _state_of_run(model: Any, optimizer: Any, scheduler: Any, rng: bool, extra: Any, allow_empty: bool) -> State:
    parts = {"model": _state_dict(model), "optimizer": _state_dict(optimizer), "scheduler": _without_functions(_state_dict(scheduler)),
             "rng": _generators() if rng else None, "extra": extra}
    if all(tree is None for tree in parts.values()) and not allow_empty:
        raise InvalidArgumentError("model, optimizer, scheduler, rng and extra are all missing: nothing would be saved")

    def add(state: State) -> None:
        for group, tree in parts.items():
            if tree is not None:
                state._add_tree(group, tree, once=True)

    return _new_state(add, None)


def _state_dict(of: Any) -> Any:
    if of is None:
        return None
    return {name: part.state_dict() for name, part in of.items()} if isinstance(of, Mapping) else of.state_dict()


def _without_functions(states: Any) -> Any:
    """Removes functions from the states of schedulers: the constructor of the new one sets them again. Converts Counters
    to dicts."""
    if type(states) is OrderedDict:
        return with_attributes_of(states, OrderedDict(_without_functions(dict(states))))
    if type(states) in (dict, Counter):
        return {key: _without_functions(value) for key, value in states.items() if not callable(value)}
    return [_without_functions(value) for value in states] if type(states) is list else states


def _with_functions(states: Any, now: Any) -> Any:
    """Adds the functions of a new scheduler to the loaded states."""
    if isinstance(now, Counter) and isinstance(states, dict):
        return Counter(states)
    if type(now) is dict and isinstance(states, dict):
        rest = {key: value for key, value in now.items() if callable(value) and key not in states}
        return {**{key: _with_functions(value, now.get(key)) for key, value in states.items()}, **rest}
    if type(now) is list and isinstance(states, list) and len(now) == len(states):
        return [_with_functions(mine, other) for mine, other in zip(states, now)]
    return states


def _generators() -> Any:
    states = {"torch": _torch.get_rng_state(), "python": random.getstate()}
    if _torch.cuda.is_available() and _torch.cuda.is_initialized():
        states["cuda"] = _torch.cuda.get_rng_state_all()
    if "numpy" in sys.modules:
        states["numpy"] = sys.modules["numpy"].random.get_state()
    return states


class Resumed(NamedTuple):
    """The point where a run continues: the step of the checkpoint, the value saved as extra, and the checkpoint's name."""

    step: int
    extra: Any
    name: str


def resume(where: Union[CheckpointManager, AsyncManager, Place], *, model: Any = None, optimizer: Any = None, scheduler: Any = None,
           rng: bool = False, types: Types = (), device: Any = "cpu", progress: Progress = None) -> Optional[Resumed]:
    """Loads the newest valid checkpoint of `save` into model, optimizer and scheduler, which stay on their devices, and sets the
    generators if rng is true. Returns None when no checkpoint exists. types: classes of dataclasses and named tuples in extra.
    Tensors in extra are moved to device. Reads and verifies everything before it changes anything. Raises UnsupportedError, with
    the path, for tensors on the device 'meta'. Skips a newer checkpoint that is damaged, with a SkippedWarning. With a manager that
    has a coordinator, every rank calls it, and an error on one rank is an error on all. progress: as for CheckpointManager.save."""
    wanted = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    groups = [group for group, part in wanted.items() if part is not None] + ["rng"] * rng

    def read(reader: Reader) -> Any:
        meter.expect(reader, [*groups, "extra"])
        trees = {group: reader.tree(group) for group in groups}
        for group, part in wanted.items():
            for name in part if isinstance(part, Mapping) else ():
                if not isinstance(trees[group], Mapping) or name not in trees[group]:
                    raise NotFoundError(f"{group}.{name} is not in the checkpoint", _n.CKPT_E_NOT_FOUND)
        return trees, _on(device, reader.tree("extra", types=types)) if reader.has_tree("extra") else None

    try:
        with where._refused_load() if isinstance(where, (CheckpointManager, AsyncManager)) else nullcontext():
            _require_memory(wanted, device)
            with _Meter(progress) as meter:
                name, step, errors, (trees, extra) = _newest_of(where, read)
            if scheduler is not None:
                trees["scheduler"] = _with_functions(trees["scheduler"], _state_dict(scheduler))
            _load_all({group: part for group, part in wanted.items() if part is not None}, trees)
    except _NoCheckpointError:
        return None
    _report_skipped(errors, name)
    _continue_after_resume(where, name)
    return Resumed(step, extra, name)


def _continue_after_resume(where: Any, name: str) -> None:
    """Makes the next save continue from the checkpoint that a reader has read. Fails if several ranks have read different ones."""
    if not isinstance(where, (CheckpointManager, AsyncManager)):
        return _note_loaded(where, name)
    with nullcontext() if where._is_collective else suppress(CkptError), State() as nothing:
        loaded = where.load(nothing, name=name, partial=True, verify=Verify.NONE)
        if isinstance(where, AsyncManager):
            loaded.wait()


def _require_memory(wanted: Mapping[str, Any], device: Any) -> None:
    """Refuses tensors on 'meta': a load into one copies nothing, and torch reports no error."""
    if _torch.device(device).type == "meta":
        raise InvalidArgumentError("device is 'meta', where tensors have no contents")
    for group, part in wanted.items():
        for name, of in part.items() if isinstance(part, Mapping) else [(None, part)]:
            where = group if name is None else f"{group}.{name}"
            states = {} if of is None else of.state_dict()
            groups = getattr(of, "param_groups", ())
            targets = [*_tensors_in(states, where), *_tensors_in([each["params"] for each in groups], where + ".param_groups")]
            path = next((path for path, tensor in targets if tensor.device.type == "meta"), None)
            if path is not None:
                raise UnsupportedError(f"{path}: a tensor on the device 'meta' has no memory to load into; call "
                                       "module.to_empty(device=...) before creating the optimizer")


def _tensors_in(value: Any, path: str) -> Iterator[Tuple[str, "_torch.Tensor"]]:
    """Yields the tensors of a state_dict by path; optimizers of torch share theirs."""
    if isinstance(value, _torch.Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _tensors_in(inner, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            yield from _tensors_in(inner, f"{path}.{i}")


def _newest_of(where: Any, read: Callable[[Reader], Any]) -> Tuple[str, int, Any, Any]:
    if isinstance(where, AsyncManager):
        where = where._place
    if isinstance(where, CheckpointManager):
        return _newest(where, "this manager's storage", read)
    try:
        checkpoints = CheckpointManager(where, read_only=True)
    except NotFoundError as error:
        raise _NoCheckpointError(f"no checkpoint in {where}", error.status) from None
    with checkpoints:
        return _newest(checkpoints, where, read)


def _load_all(parts: Mapping[str, Any], trees: Mapping[str, Any]) -> None:
    """Loads every part, or leaves all unchanged. Loading a module with the checkpoint's layout cannot fail, and a copy of it would
    need its memory again: it is loaded last, without a copy."""
    loads = [(of, states) for group, part in parts.items() for of, states in _pairs(part, trees[group])]
    done: List[Tuple[Callable[[Any], Any], Any]] = []
    try:
        if "rng" in trees:
            done.append((_set_generators, _generators()))
            _set_generators(trees["rng"])
        for of, states in sorted(loads, key=lambda load: _is_safe(*load)):
            if not _is_safe(of, states):
                done.append((of.load_state_dict, _kept(of)))
            of.load_state_dict(states)
    except BaseException:
        for load, before in reversed(done):
            load(before)
        raise


def _pairs(part: Any, states: Any) -> List[Tuple[Any, Any]]:
    return [(of, states[name]) for name, of in part.items()] if isinstance(part, Mapping) else [(part, states)]


def _is_safe(of: Any, states: Any) -> bool:
    if not isinstance(of, _torch.nn.Module) or not isinstance(states, Mapping):
        return False
    shapes = lambda layout: {name: getattr(value, "shape", None) for name, value in layout.items()}
    return shapes(of.state_dict()) == shapes(states)


def _kept(of: Any) -> Any:
    """Returns a copy of the state that a later load does not change. Optimizers and schedulers replace their objects themselves."""
    now = of.state_dict()
    if not isinstance(of, _torch.nn.Module):
        return now
    return with_attributes_of(now, type(now)((name, value.clone() if isinstance(value, _torch.Tensor) else value)
                                             for name, value in now.items()))


def _set_generators(states: Mapping[str, Any]) -> None:
    _torch.set_rng_state(states["torch"])
    random.setstate(states["python"])
    if "cuda" in states and _torch.cuda.is_available():
        _torch.cuda.set_rng_state_all(states["cuda"])
    if "numpy" in states and "numpy" in sys.modules:
        sys.modules["numpy"].random.set_state(states["numpy"])


def _on(device: Any, tree: Any) -> Any:
    """Returns the tree with its tensors on a device."""
    if isinstance(tree, _torch.Tensor):
        moved = tree.detach().to(device)
        if moved.device == tree.device:
            return tree
        is_parameter = type(tree) is _torch.nn.Parameter
        return _torch.nn.Parameter(moved, tree.requires_grad) if is_parameter else moved.requires_grad_(tree.requires_grad)
    if isinstance(tree, dict):
        return with_attributes_of(tree, type(tree)((key, _on(device, value)) for key, value in tree.items()))
    if isinstance(tree, Attributed):
        return Attributed(_on(device, tree.value), tree.attributes)
    if isinstance(tree, Record):
        return Record(tree.class_name, _on(device, tree.fields), tree.kind)
    if is_dataclass(tree) and not isinstance(tree, type):  # just created by the reader
        for field in fields(tree):
            object.__setattr__(tree, field.name, _on(device, getattr(tree, field.name)))
        return tree
    if isinstance(tree, (list, tuple)):
        parts = [_on(device, value) for value in tree]
        return parts if isinstance(tree, list) else tuple.__new__(type(tree), parts)
    return tree


def save_file(path: PathLike, tensors: Mapping[str, "_torch.Tensor"],
              metadata: Optional[Mapping[str, str]] = None, *, progress: Progress = None) -> None:
    """Writes a dict of torch tensors as a plain safetensors file, durably. The versions of modules in a state_dict become the entry
    "_metadata" of the file's metadata. progress: as for CheckpointManager.save."""
    _write_file(path, tensors, metadata, progress, _convert)


def load_file(path: PathLike, device: Any = "cpu", *, progress: Progress = None) -> Dict[str, "_torch.Tensor"]:
    """Returns the tensors of a safetensors file, or of a folder with an index, as new torch tensors on a device. The result is a
    dict; an OrderedDict with the attribute "_metadata" if the file contains the versions of a state_dict."""
    _require_memory({}, device)
    with Reader(path) as reader, _Meter(progress) as meter:
        meter.expect(reader)
        tensors = {info.name: to_torch(reader.read(index)).to(device) for index, info in enumerate(reader)}
        versions = versions_in(reader.metadata().get(VERSIONS, ""))
    if versions:
        tensors = OrderedDict(tensors)
        tensors._metadata = versions  # type: ignore[attr-defined]
    return tensors


def load_into(place: Place, state_dict: Mapping[str, Any], name: Optional[str] = None,
              **options: CheckpointManager.load) -> LoadResult:
    """Fills the tensors of a state_dict in place from the newest valid checkpoint. A tensor that cannot be filled is an error with
    its path, and so is a module of another version. options: strip_prefix="module.", rename, convert, progress and the others of
    CheckpointManager.load. If newer checkpoints were skipped, issues a SkippedWarning, and the result's `skipped` counts them."""
    with _state_of(state_dict, "model", None, False, _shared) as state, CheckpointManager(place, read_only=True) as checkpoints:
        result = checkpoints.load(state, name=name, **options)
        require_same_versions(state.get(VERSIONS), versions_by_group(state_dict))
    _note_loaded(place, result.name)
    if result.skipped > 0:
        _warn_of_skipped(f"{result.skipped} newer checkpoint(s) or commit record(s) were skipped; loaded '{result.name}'; see the "
                         "log")
    return result
