"""One-line saves and loads."""

from __future__ import annotations

from contextlib import suppress
import os
import sys
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Tuple, Union
import warnings

from . import _native as _n
from ._base import SkippedWarning
from ._checkpoints import CheckpointManager, Reader, _refused_manager, _refused_on_all_ranks
from ._common import _warn
from ._coordinator import Coordinator
from ._given import Loaded, _is_groups, _is_tensors, _state_of, _state_of_any
from ._progress import Progress, _Meter, _with_progress
from ._root import CkptError
from ._sharded import Sharded
from ._state import PathLike, State, _json_text
from ._storage import Storage, _path_text, _place_key, _require_folder
from ._tensor import _numpy_or_tensor, as_tensor, Tensor
from ._torch_versions import VERSIONS, versions_of
from ._tree_filling import fill_tree
from ._trees import TEXT_TENSOR, Types
from .generated.errors import CorruptError, InvalidArgumentError, NotFoundError
from .generated.values import CheckpointInfo, LoadResult, SaveResult, Verify

__all__ = ["save", "load", "save_file", "load_file"]


def save(place: Union[Storage, PathLike], tree: Any, step: int = 0, *, values: Optional[Mapping[str, Any]] = None,
         group: str = "model", keep_last: int = 0, allow_empty: bool = False, coordinator: Optional[Coordinator] = None,
         timeout: Optional[float] = None, **options: CheckpointManager.save) -> SaveResult:
    """Saves a value of any shape durably, as a new checkpoint below a path or at a URI ("file:///run"), so that ckpt.load returns
    it: ckpt.save("run", {"w": w, "epoch": 3, "history": [...]}, 7). A dict of arrays or tensors is saved under their names, a dict
    of several such dicts as a group each, and every other value as one tree (docs/reference/python.md has a table). A value that
    cannot be saved raises an error with its path and type, and nothing is written. An empty dict without values is an error unless
    allow_empty is true. values: JSON values by key, stored next to the tree. coordinator: all ranks of a run save one checkpoint,
    each its blocks of every `Sharded`. timeout: in seconds, as for CheckpointManager. progress: as for CheckpointManager.save."""
    with _refused_on_all_ranks(_refused_manager(coordinator, timeout)):
        created = _state_of_any(tree, group, values, allow_empty)
    with created as state:
        return _save(place, state, step, keep_last, coordinator, timeout, **options)


def _save(place: Union[Storage, PathLike], state: State, step: int, keep_last: int, coordinator: Optional[Coordinator] = None,
          timeout: Optional[float] = None, **options: Any) -> SaveResult:
    shared = _shared.get(_key(place)) if coordinator is None else None
    if shared is not None:  # save_async holds the storage's lock
        return shared[1].save(state, step, **options)
    with CheckpointManager(place, keep_last=keep_last, coordinator=coordinator, timeout=timeout) as checkpoints:
        _continue_at(place, checkpoints, coordinator)
        return checkpoints.save(state, step, **options)


def _key(place: Union[Storage, PathLike]) -> Any:
    return _place_key(place) if isinstance(place, (str, bytes, os.PathLike)) else id(place)


_shared: Dict[Any, Any] = {}  # by _key: (place, their CheckpointManager, the AsyncManager) of save_async
_loaded: Dict[Any, str] = {}  # by _key of a path: the checkpoint that the last load filled something from, until the next save


def _continue_from(checkpoints: CheckpointManager, name: str) -> None:
    """Makes the next save continue from a checkpoint that another manager or a reader has read, as after a load: it does not begin
    a new run if the checkpoint precedes it."""
    with suppress(CkptError):  # removed meanwhile: nothing to continue from
        _load_nothing(checkpoints, name)


def _load_nothing(checkpoints: CheckpointManager, name: str) -> LoadResult:
    with State() as nothing:
        return checkpoints.load(nothing, name=name, partial=True, verify=Verify.NONE)


def _note_loaded(place: Union[Storage, PathLike], name: str, coordinator: Optional[Coordinator] = None) -> None:
    shared = _shared.get(_key(place)) if coordinator is None else None
    if shared is not None:
        _continue_from(shared[1], name)
    elif isinstance(place, (str, bytes, os.PathLike)):
        _loaded_by(coordinator)[_key(place)] = name


def _loaded_by(coordinator: Optional[Coordinator]) -> Dict[Any, str]:
    """The names that a save with this coordinator continues from. Ranks note what all of them have loaded, so that all continue."""
    return _loaded if coordinator is None else coordinator._loaded


def _continue_at(place: Union[Storage, PathLike], checkpoints: CheckpointManager, coordinator: Optional[Coordinator] = None) -> None:
    name = _loaded_by(coordinator).pop(_key(place), None)
    if name is not None:
        _continue_from(checkpoints, name)


def _warn_of_skipped(text: str) -> None:
    """Issues a SkippedWarning at the calling line outside this package."""
    here = os.path.dirname(__file__)
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, SkippedWarning, stacklevel=level)


def _damaged_record(name: str) -> CorruptError:
    return CorruptError(f"the commit record of '{name}' is damaged and was skipped", _n.CKPT_E_CORRUPT)


def _report_skipped(errors: Mapping[str, CkptError], name: str) -> None:
    """errors: of `_newest`, which found the checkpoint name."""
    for bad, error in errors.items():
        text = str(error) if bad == name else f"checkpoint '{bad}' was skipped for the older '{name}': {error}"
        _warn("state", text)
        _warn_of_skipped(text)


def load(place: Union[Storage, PathLike], name: Optional[str] = None, *, group: Optional[str] = None, types: Types = (),
         into: Any = None, coordinator: Optional[Coordinator] = None, timeout: Optional[float] = None,
         progress: Progress = None) -> Any:
    """Returns the value that ckpt.save saved in the newest valid checkpoint, with every byte verified: state = ckpt.load("run").
    Tensors become new numpy arrays (Tensors for types that numpy lacks) in a dict by name, or in a dict of such dicts if there are
    several groups; group selects one. A tree becomes the same tree: dataclasses and named tuples are created from types, others
    become a `Record`. into: a template, which is filled in place (arrays, dicts, lists and dataclasses) and returned. A
    dict becomes a `Loaded`, with the checkpoint's name and step. A newer checkpoint that is damaged or cannot be read, or a
    damaged commit record of the loaded one, is skipped with a SkippedWarning and a log message; state.skipped and state.errors
    report it. Every other error is raised, as is any error of a checkpoint given by name. coordinator: all ranks of a run load the
    same checkpoint, each the tensors of into, and its blocks of every `Sharded`; timeout: in seconds, as for CheckpointManager.
    progress: as for CheckpointManager.save."""
    if coordinator is not None or _has_sharded(into):
        return _load_into(place, name, group, types, into, coordinator, timeout, progress)
    with CheckpointManager(place, read_only=True) as checkpoints, _Meter(progress) as meter:
        if name is None:
            name, step, errors, value = _newest(checkpoints, place, lambda reader: _by_group(reader, group, types, meter))
        else:
            value = _read(checkpoints, name, lambda reader: _by_group(reader, group, types, meter))
            found = _load_nothing(checkpoints, name)
            step, errors = found.step, {name: _damaged_record(name)} if found.skipped else {}
    if type(value) is dict:
        value = Loaded(value)
        value.name, value.step, value.skipped, value.errors = name, step, len(errors), errors
    _report_skipped(errors, name)
    _note_loaded(place, name)
    return value if into is None else fill_tree(into, value)


def _has_sharded(into: Any) -> bool:
    parts = list(into.values()) if isinstance(into, dict) else []
    return any(isinstance(part, Sharded) or (isinstance(part, dict) and _has_sharded(part)) for part in parts)


def _load_into(place: Union[Storage, PathLike], name: Optional[str], group: Optional[str], types: Types, into: Any,
               coordinator: Optional[Coordinator], timeout: Optional[float], progress: Progress) -> Any:
    """Loads through a state, so that only the blocks of a sharded tensor are read."""
    with _refused_on_all_ranks(_refused_manager(coordinator, timeout)):
        if into is None:
            raise InvalidArgumentError("into is None: expected a template of this rank's tensors, as there is a coordinator")
        tree = not (_is_groups(into) or _is_tensors(into))
        created = _state_of_any(into, group or "model", None, True)
    with created as state, CheckpointManager(place, read_only=True, coordinator=coordinator, timeout=timeout) as checkpoints:
        found = checkpoints.load(state, name=name, progress=progress)
        for bad in state.load_report()["skipped"]:
            _warn_of_skipped(f"'{bad['name']}' was skipped; '{found.name}' was loaded: {bad['problem']}")
        _note_loaded(place, found.name, coordinator)
        return state.tree("tree", types=types, into=into) if tree else into


_SKIPPED_STATUSES = (_n.CKPT_E_CORRUPT, _n.CKPT_E_IO, _n.CKPT_E_PERMISSION, _n.CKPT_E_UNSUPPORTED)  # try an older one
_most_scans = 100


class _NoCheckpointError(NotFoundError):
    """No checkpoint exists, without any other error: a run may begin."""


def _newest(checkpoints: CheckpointManager, place: Union[Storage, PathLike],
            read: Callable[[Reader], Any]) -> Tuple[str, int, Dict[str, CkptError], Any]:
    """Returns name and step of the newest checkpoint that read can read, the errors of newer ones and of its commit record by the
    checkpoint's name, and what read returned."""
    for _ in range(_most_scans):
        errors: Dict[str, CkptError] = {}
        found = [info for info in checkpoints.list() if info.status != _n.CKPT_E_NOT_FOUND]  # no manifest: not (yet) a checkpoint
        for info in found:
            if info.abandoned:  # never instead of one of the current line
                continue
            try:
                value = _read(checkpoints, info.name, read)
                if info.record_damaged:
                    errors[info.name] = _damaged_record(info.name)
                return info.name, info.step, errors, value
            except CkptError as error:
                if _was_removed(checkpoints, info):
                    break
                if info.status == 0 and error.status not in _SKIPPED_STATUSES:
                    raise
                errors[info.name] = error
        else:
            hint = _abandoned_hint(found)
            if errors:
                first = next(iter(errors.values()))
                raise type(first)(f"{first}{hint}", first.status) from first
            if hint:
                raise NotFoundError(f"no checkpoint in {place} is on the current line{hint}", _n.CKPT_E_NOT_FOUND)
            raise _NoCheckpointError(f"no checkpoint in {place}", _n.CKPT_E_NOT_FOUND)
    raise NotFoundError(f"every checkpoint in {place} was removed while it was read", _n.CKPT_E_NOT_FOUND)


def _abandoned_hint(found: Iterable[CheckpointInfo]) -> str:
    newest = next((info for info in found if info.abandoned and info.status == 0), None)
    return "" if newest is None else f"; the newest abandoned one is '{newest.name}' (step {newest.step}), which can be loaded by name"


def _was_removed(checkpoints: CheckpointManager, before: CheckpointInfo) -> bool:
    """Returns whether a writer's retention has removed it since."""
    return before.status == 0 and not any(now.name == before.name and now.status == 0 for now in checkpoints.list())


def _read(checkpoints: CheckpointManager, name: str, read: Callable[[Reader], Any]) -> Any:
    with checkpoints.reader(name) as reader:  # checks what it reads
        return read(reader)


def _by_group(reader: Reader, group: Optional[str], types: Types, meter: _Meter) -> Any:
    names: Dict[str, Dict[str, int]] = {}
    for index, info in enumerate(reader):
        if group is None or info.group == group:
            names.setdefault(info.group, {})[info.name] = index
    if group is not None and group not in names:
        raise NotFoundError(f"group '{group}' is not in the checkpoint", _n.CKPT_E_NOT_FOUND)
    meter.expect(reader, names)
    groups = {each: reader.tree(each, types=types) if TEXT_TENSOR in inside else
              {name: _numpy_or_tensor(reader.read(index)) for name, index in inside.items()} for each, inside in names.items()}
    return next(iter(groups.values())) if len(groups) == 1 else groups


def save_file(path: PathLike, tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]] = None, *, progress: Progress = None) -> None:
    """Writes a dict of tensors as a plain safetensors file, durably. An empty dict and nested dicts are errors. The versions of
    modules in a state_dict become the entry "_metadata" of the file's metadata; any other attribute of the dict is an error."""
    _write_file(path, tensors, metadata, progress)


def _write_file(path: PathLike, tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]], progress: Progress,
                convert: Callable[[Any], Tensor] = as_tensor) -> None:
    _require_folder(path)
    versions = versions_of(tensors, "tensors")
    if versions is not None:
        metadata = {VERSIONS: versions, **(metadata or {})}
    for name, value in tensors.items():
        if isinstance(value, Mapping):
            raise InvalidArgumentError(f"{name}: expected a tensor, found a dict; a safetensors file has no groups")
    if not tensors:
        raise InvalidArgumentError("tensors is empty: nothing would be saved")
    with _state_of(tensors, "tensors", None, False, convert) as state:
        text = None if metadata is None else _json_text("metadata", dict(metadata))
        _with_progress(progress, _n.ckpt_safetensors_write, _path_text("path", path), state._h, "tensors", text)


def load_file(path: PathLike, *, progress: Progress = None) -> Dict[str, Any]:
    """Returns the tensors of a safetensors file, or of a folder with an index, as new numpy arrays by name."""
    with Reader(path) as reader, _Meter(progress) as meter:
        meter.expect(reader)
        return {info.name: _numpy_or_tensor(reader.read(index)) for index, info in enumerate(reader)}
