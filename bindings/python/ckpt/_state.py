"""The state of a training: tensors in groups, values and trees by name, and stateful objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
import json
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _Owned
from ._root import _at
from ._sharded import Sharded
from ._storage import Path
from ._tensor import Tensor, as_tensor
from ._torch_versions import require_same_versions, VERSIONS, versions_by_group
from ._tree_arrays import Copied
from ._tree_filling import fill_tree
from ._trees import TEXT_TENSOR, Types, read_tree, write_tree
from .generated import methods as _m
from .generated.errors import InvalidArgumentError, NotFoundError
from .generated.values import TreeKind

__all__ = ["State", "Stateful", "DATA_POSITION", "CONTROLLER"]

DATA_POSITION = _n.CKPT_STATE_DATA_POSITION
CONTROLLER = _n.CKPT_STATE_CONTROLLER
PathLike = Path


class Stateful(ABC):
    """Base of objects that list their tensors and values for every save and load."""

    @abstractmethod
    def list(self, into: "State") -> None:
        """Adds tensors and values to an empty state that is valid during the call only."""

    def restore(self, loaded: "State") -> None:
        """Called after a load has filled the tensors; loaded holds the values and is valid during the call only."""


def _lend(function: Callable[[State], Any]) -> Callable[[Any], None]:
    def call(handle: Any) -> None:
        state = State._of(handle)
        try:
            function(state)
        finally:
            state._slot = None
    return call


class _Copies(Stateful):
    """The arrays of a state's trees with memory that cannot be shared. Being a stateful object makes it run at the right times:
    list runs before a save or load reads tensors, on the calling thread; restore runs after a load has filled them."""

    def __init__(self) -> None:
        self.by_group: Dict[str, Dict[str, Copied]] = {}

    def list(self, into: "State") -> None:
        for copied in self._all():
            copied.refresh()

    def restore(self, loaded: "State") -> None:
        for copied in self._all():
            copied.write_back()

    def _all(self) -> Iterator[Copied]:
        return (copied for group in self.by_group.values() for copied in group.values())


_COPIES = "__copies__"  # name of the object in a state; it has no tensors and values, so no checkpoint contains it


class _Listed:
    """The callbacks of a stateful object; they also fill the arrays that its list copied."""

    def __init__(self, stateful: Stateful) -> None:
        self.stateful, self.copies = stateful, _Copies()
        self.versions: Optional[Dict[str, str]] = None

    def list(self, into: "State") -> None:
        into._copies = self.copies = _Copies()
        self.stateful.list(into)
        self.versions = into._versions

    def restore(self, loaded: "State") -> None:
        self.copies.restore(loaded)
        self.stateful.restore(loaded)
        if self.versions:
            require_same_versions(loaded.get(VERSIONS), self.versions)


class _NoValueError(NotFoundError, KeyError):
    __str__ = Exception.__str__


# ---- Contents of a state ----

Entry = Tuple[str, str, Union[Tensor, Sharded]]  # group, name, tensor


def _name_in(path: str, name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{path}{name!r}: expected a string as the name, found {type(name).__name__}")
    return name


def _entry(group: str, name: str, path: str, tensor: Any, convert: Callable[[Any], Tensor]) -> Entry:
    try:
        return group, name, tensor._with(convert) if isinstance(tensor, Sharded) else convert(tensor)
    except Exception as error:
        raise _at(path, error)


def _group_entries(group: str, tensors: Mapping[str, Any], convert: Callable[[Any], Tensor]) -> List[Entry]:
    if not tensors:
        raise InvalidArgumentError(f"{group}: an empty dict: nothing would be saved")
    entries = []
    for name, value in tensors.items():
        path = f"{group}.{_name_in(group + '.', name)}"
        if isinstance(value, Mapping):
            raise InvalidArgumentError(f"{path}: a dict inside the dict '{group}'; groups of a state hold tensors only")
        entries.append(_entry(group, name, path, value, convert))
    return entries


def _entries(tensors: Mapping[str, Any], group: str, convert: Callable[[Any], Tensor] = as_tensor) -> List[Entry]:
    """Returns all tensors of a dict. Raises an error with the first path that a state cannot hold as it is: nothing is dropped or
    renamed."""
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors: expected a dict of tensors by name, found a {type(tensors).__name__}")
    entries: List[Entry] = []
    for name, value in tensors.items():
        if isinstance(value, Mapping):
            entries += _group_entries(_name_in("", name), value, convert)
        else:
            entries.append(_entry(group, _name_in("", name), name, value, convert))
    taken = set()
    for in_group, name, _ in entries:
        if (in_group, name) in taken:
            raise InvalidArgumentError(f"{in_group}.{name}: given twice: in the dict, and as '{name}' outside of it")
        taken.add((in_group, name))
    return entries


def _require_string_keys(path: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path}.{key!r}: expected a string as a key of JSON, found {type(key).__name__}")
            _require_string_keys(f"{path}.{key}", inner)
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            _require_string_keys(f"{path}[{i}]", inner)


def _json_text(path: str, value: Any) -> str:
    """Returns the JSON of a value. Raises an error with the path of a part that JSON cannot represent."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise _at(path, error)
    _require_string_keys(path, value)  # json converts numbers to strings
    return text


class _Tree(_Owned):
    _release = staticmethod(_n.ckpt_tree_release)


class State(_m.StateMethods, _Owned):
    """The data to save and restore: groups of named tensors, and JSON values by key (state["epoch"] = 3). Tensors are shared, not
    copied: a save reads and a load writes their memory, so numpy arrays are filled in place."""

    _copies: Optional[_Copies] = None
    _versions: Optional[Dict[str, str]] = None  # of the modules in the state_dicts that update has added, by group

    def __init__(self, tensors: Optional[Mapping[str, Any]] = None, group: str = "model") -> None:
        self._adopt(_n.ckpt_state_create())
        if tensors is not None:
            self.update(tensors, group)

    def add(self, group: str, name: str, tensor: Any) -> None:
        """Adds a Tensor, anything with a buffer or __dlpack__ (numpy, torch), or a Sharded."""
        self._add([_entry(group, name, f"{group}.{name}", tensor, as_tensor)])  # alive until the state holds a reference

    def update(self, tensors: Mapping[str, Any], group: str = "model") -> None:
        """Adds a dict of tensors. An entry that is itself a dict becomes a separate group. Contents that a state cannot hold raise
        an error with their path, and nothing is added: a dict inside such a dict, an empty dict, a value that is not a tensor, a
        name that is not a string, an attribute of a dict. The versions of modules in a state_dict become the value "_metadata".
        Loading a checkpoint with another version of a module raises InvalidArgumentError, because a load fills tensors and converts
        nothing."""
        entries, versions = _entries(tensors, group), versions_by_group(tensors, group)
        self._add(entries)
        if versions:
            self._versions = {**(self._versions or {}), **versions}
            self._set_versions()

    def _set_versions(self) -> None:
        others = self.get(VERSIONS)
        self[VERSIONS] = {**(others if isinstance(others, dict) else {}), **(self._versions or {})}

    def _after_load(self) -> None:
        """Checks the versions in the checkpoint, then sets those of the modules again, which the next save stores."""
        if self._versions and self._slot is not None:  # not closed by a background load
            saved = self.get(VERSIONS)
            self._set_versions()
            require_same_versions(saved, self._versions)

    def _add(self, entries: List[Entry]) -> None:
        sharded = [(group, name, tensor) for group, name, tensor in entries if isinstance(tensor, Sharded)]
        if sharded:
            with State() as alone:  # checks all blocks before anything is added
                for group, name, spread in sharded:
                    alone._add_all_of(group, name, spread)
        for group, name, tensor in entries:
            if isinstance(tensor, Sharded):
                self._add_all_of(group, name, tensor)
            else:
                _n.ckpt_state_add_tensor(self._h, group, name, tensor._h)

    def _add_all_of(self, group: str, name: str, tensor: Sharded) -> None:
        self.add_sharded(group, name, tensor.dtype, tensor.shape)
        for offsets, block in tensor.blocks:
            self.add_block(group, name, offsets, block)

    def add_block(self, group: str, name: str, offsets: Sequence[int], array: Any) -> None:
        """Adds one block of this rank to a tensor of add_sharded: a Tensor, or anything with a buffer or __dlpack__, which is
        shared. offsets: where it begins in each dimension. Raises OutOfRangeError when it exceeds the tensor."""
        block = as_tensor(array)
        _n.ckpt_state_add_block(self._h, group, name, offsets, block._h)

    def add_tree(self, group: str, tree: Any) -> None:
        """Adds a value of any shape as a group: nested dicts, lists, tuples, dataclasses, numbers, strings, bytes, paths, arrays
        and tensors (docs/reference/python.md has a table). Tensors are shared. Arrays with memory that cannot be shared (strided,
        of the other byte order, on a device) are read again at the start of each save, and filled at the end of each load.
        Everything else is written as it is now. A value that cannot be saved raises an error with its path and type, and nothing is
        added. Read it with `tree` after a load into this state, which requires tensors of the same names, dtypes and shapes; read
        any tree of a checkpoint with `Reader.tree`."""
        self._add_tree(group, tree)

    def _add_tree(self, group: str, tree: Any, once: bool = False) -> None:
        """Adds a tree. once: the state is for a single save, which reads the arrays as they are now."""
        tensors, text, copied = write_tree(tree)
        for name, tensor in tensors.items():
            _n.ckpt_state_add_tensor(self._h, group, name, tensor._h)
        _n.ckpt_state_add_tensor(self._h, group, TEXT_TENSOR, text._h)
        if copied and not once:
            if self._copies is None:
                copies = _Copies()
                self._add_functions(_COPIES, copies)
                self._copies = copies
            self._copies.by_group[group] = copied

    def tree(self, group: str = "tree", *, types: Types = (), into: Any = None) -> Any:
        """Returns the value that `add_tree` added as this group, or by which a load replaced it. Its arrays share the state's
        memory; arrays with memory that could not be shared are the added objects themselves. types and into: as for `Reader.tree`.
        Raises NotFoundError when the group is not a tree."""
        with _Tree._of(_n.ckpt_tree_create_from_state(self._h, group)) as tree:
            count = _n.ckpt_tree_get_node(tree._h, 0)[2]
            at = [i for i in range(count) if _n.ckpt_tree_get_node(tree._h, i)[0] == TreeKind.TENSOR]
            tensors = {_n.ckpt_tree_get_bytes(tree._h, i).decode(): Tensor._of(_n.ckpt_tree_get_tensor(tree._h, i)) for i in at}
            text = as_tensor(_n.ckpt_tree_get_text(tree._h).encode())
        copied = {} if self._copies is None else self._copies.by_group.get(group, {})
        value = read_tree(text, tensors.__getitem__, types, {name: each.array for name, each in copied.items()})
        return value if into is None else fill_tree(into, value)

    def add_stateful(self, name: str, stateful: Stateful) -> None:
        """Adds a stateful object, which is kept alive."""
        self._add_functions(name, _Listed(stateful))

    def _add_functions(self, name: str, of: Union[_Copies, _Listed]) -> None:
        _n.ckpt_state_add_stateful(self._h, name, _callbacks(_native.Stateful, list=_lend(of.list), restore=_lend(of.restore)))

    def _shown(self) -> str:
        return f"{self.tensor_count} tensors"

    def __contains__(self, key: object) -> bool:
        """Returns whether the JSON value of a key is set."""
        try:
            return isinstance(key, str) and self.json(key) is not None
        except KeyError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> List[str]:
        """Returns the keys that have a value."""
        return [_n.ckpt_state_get_key(self._h, index) for index in range(len(self))]

    def items(self) -> List[Tuple[str, Any]]:
        return [(key, self[key]) for key in self.keys()]

    def values(self) -> List[Any]:
        return [self[key] for key in self.keys()]

    def json(self, key: str) -> str:
        """Returns the JSON of a value. Raises NotFoundError, here also a KeyError, when the key has no value."""
        try:
            return _n.ckpt_state_get_json(self._h, key)
        except NotFoundError as error:
            raise _NoValueError(str(error)) from None

    def __setitem__(self, key: str, value: Any) -> None:
        self.set_json(key, _json_text(_name_in("", key), value))

    def __getitem__(self, key: str) -> Any:
        return json.loads(self.json(key))

    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default


StateLike = Union[State, Stateful, Tuple[Stateful, Stateful]]


def _as_state(given: StateLike) -> State:
    """Returns a given State, or a new one of a model or of (model, optimizer)."""
    if isinstance(given, State):
        return given
    parts = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(parts) <= 2 or not all(isinstance(part, Stateful) for part in parts):
        raise TypeError(f"state: expected a State, a Stateful or (model, optimizer), found a {type(given).__name__}")
    state = State()
    for name, part in zip(("model", "optimizer"), parts):
        state.add_stateful(name, part)
    return state


def _as_json(options: Dict[str, Any]) -> Dict[str, Any]:
    """Converts metadata and environment to JSON, and a metric of numpy or torch to a number."""
    if isinstance(options.get("metric"), (str, bytes)):
        raise TypeError(f"metric: expected a number, found a {type(options['metric']).__name__}")
    if options.get("metric") is not None:
        try:
            options = {**options, "metric": float(options["metric"])}
        except (TypeError, ValueError, OverflowError) as error:
            raise _at("metric", error)
    return {key + "_json" if key in ("metadata", "environment") else key:
            _json_text(key, value) if key in ("metadata", "environment") and value is not None else value
            for key, value in options.items()}
