"""Durable checkpoints of training state: save, load, list, verify, read one tensor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
import json
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _Owned, _take_back, _timeout_ns
from ._progress import Progress, _Meter, _told
from ._root import CkptError, handle_of
from ._sharded import Sharded
from ._storage import FaultHandler, Path, Storage, _path_text, _require_folder, _storage
from ._tensor import BufferPool, DTypeLike, Tensor, _dtype, as_tensor
from ._tree_filling import fill_tree
from ._trees import Copied, TEXT_TENSOR, Types, read_tree, write_tree
from .generated import methods as _m, options as _o
from .generated.errors import InvalidArgumentError, NotFoundError
from .generated.values import CheckpointInfo, LoadResult, SaveResult, TensorInfo, TreeKind, Verify, VerifyResult

__all__ = ["State", "Stateful", "Coordinator", "CustomCoordinator", "CheckpointManager", "Reader", "DATA_POSITION", "CONTROLLER"]

DATA_POSITION = _n.CKPT_STATE_DATA_POSITION
CONTROLLER = _n.CKPT_STATE_CONTROLLER
PathLike = Path


class Stateful(ABC):
    """Derive from this for an object that lists what is saved of it, anew for every save and load."""

    @abstractmethod
    def list(self, into: "State") -> None:
        """Adds tensors and values to an empty state, which is valid during the call only."""

    def restore(self, loaded: "State") -> None:
        """The tensors have their new contents; loaded gives the values, during the call only."""


def _lend(function: Callable[[State], Any]) -> Callable[[Any], None]:
    def call(handle: Any) -> None:
        state = State._of(handle)
        try:
            function(state)
        finally:
            state._slot = None
    return call


class _Copies(Stateful):
    """The arrays of a state's trees whose memory cannot be shared. As a stateful object it runs at the right times: list before a
    save or load reads tensors, on the thread that calls it; restore after a load has filled them."""

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


_COPIES = "__copies__"  # name of the object in a state; it lists no tensors and no values, so no checkpoint contains it


class _Listed:
    """The functions of a stateful object; they also fill the arrays that its list copied."""

    def __init__(self, stateful: Stateful) -> None:
        self.stateful, self.copies = stateful, _Copies()
        self.versions: Optional[Dict[str, str]] = None

    def list(self, into: "State") -> None:
        into._copies = self.copies = _Copies()
        self.stateful.list(into)
        self.versions = into._versions

    def restore(self, loaded: "State") -> None:
        from ._torch_versions import require_same_versions, VERSIONS

        self.copies.restore(loaded)
        self.stateful.restore(loaded)
        if self.versions:
            require_same_versions(loaded.get(VERSIONS), self.versions)


class _NoValueError(NotFoundError, KeyError):
    __str__ = Exception.__str__


# ---- What a state can hold ----

Entry = Tuple[str, str, Union[Tensor, Sharded]]  # group, name, tensor


def _at(path: str, error: Exception) -> Exception:
    """The same error, whose text begins with where it was found."""
    error.args = (f"{path}: {error}", *error.args[1:])
    return error


def _name_in(path: str, name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{path}{name!r}: a name is a text, not {type(name).__name__}")
    return name


def _entry(group: str, name: str, path: str, tensor: Any, convert: Callable[[Any], Tensor]) -> Entry:
    try:
        return group, name, tensor._with(convert) if isinstance(tensor, Sharded) else convert(tensor)
    except Exception as error:
        raise _at(path, error)


def _group_entries(group: str, tensors: Mapping[str, Any], convert: Callable[[Any], Tensor]) -> List[Entry]:
    if not tensors:
        raise InvalidArgumentError(f"{group}: an empty dict, of which nothing would be saved")
    entries = []
    for name, value in tensors.items():
        path = f"{group}.{_name_in(group + '.', name)}"
        if isinstance(value, Mapping):
            raise InvalidArgumentError(f"{path}: a dict inside the dict '{group}'; a state has groups of tensors and nothing deeper")
        entries.append(_entry(group, name, path, value, convert))
    return entries


def _entries(tensors: Mapping[str, Any], group: str, convert: Callable[[Any], Tensor] = as_tensor) -> List[Entry]:
    """All tensors of a dict, or an error that names the first path which a state cannot hold as it is: nothing is dropped, nothing
    gets another name."""
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors is a {type(tensors).__name__}; a dict of tensors by name")
    entries: List[Entry] = []
    for name, value in tensors.items():
        if isinstance(value, Mapping):
            entries += _group_entries(_name_in("", name), value, convert)
        else:
            entries.append(_entry(group, _name_in("", name), name, value, convert))
    taken = set()
    for in_group, name, _ in entries:
        if (in_group, name) in taken:
            raise InvalidArgumentError(f"{in_group}.{name}: twice, once as '{name}' outside a dict, which goes to the group '{group}'")
        taken.add((in_group, name))
    return entries


def _require_texts_as_keys(path: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path}.{key!r}: a key in JSON is a text, not {type(key).__name__}")
            _require_texts_as_keys(f"{path}.{key}", inner)
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            _require_texts_as_keys(f"{path}[{i}]", inner)


def _json_text(path: str, value: Any) -> str:
    """Its JSON; an error that names the path where JSON has nothing for it."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise _at(path, error)
    _require_texts_as_keys(path, value)  # json made texts of numbers
    return text


class _Tree(_Owned):
    _release = staticmethod(_n.ckpt_tree_release)


class State(_m.StateMethods, _Owned):
    """What is saved and restored: groups of named tensors, and JSON values by key (state["epoch"] = 3). Tensors are shared, not
    copied: a save reads and a load writes their memory, so numpy arrays are filled in place."""

    _release = staticmethod(_n.ckpt_state_release)
    _copies: Optional[_Copies] = None
    _versions: Optional[Dict[str, str]] = None  # of the modules that update has added, by group

    def __init__(self, tensors: Optional[Mapping[str, Any]] = None, group: str = "model") -> None:
        self._adopt(_n.ckpt_state_create())
        if tensors is not None:
            self.update(tensors, group)

    def add(self, group: str, name: str, tensor: Any) -> None:
        """Adds a Tensor, anything with a buffer or __dlpack__ (numpy, torch), or a Sharded."""
        self._add([_entry(group, name, f"{group}.{name}", tensor, as_tensor)])  # which lives until the state has its own reference

    def update(self, tensors: Mapping[str, Any], group: str = "model") -> None:
        """Adds a dict of tensors. An entry that is itself a dict is a group of its own. What a state cannot hold is an error that
        names its path, and nothing is added: a dict inside such a dict, an empty one, what is no tensor, a name that is no text, an
        attribute of a dict. The versions of modules in a state_dict are the value "_metadata"; a load of a checkpoint with another
        version of a module raises InvalidArgumentError, because it fills tensors and converts nothing."""
        from ._torch_versions import versions_by_group

        entries, versions = _entries(tensors, group), versions_by_group(tensors, group)
        self._add(entries)
        if versions:
            self._versions = {**(self._versions or {}), **versions}
            self._set_versions()

    def _set_versions(self) -> None:
        from ._torch_versions import VERSIONS

        others = self.get(VERSIONS)
        self[VERSIONS] = {**(others if isinstance(others, dict) else {}), **(self._versions or {})}

    def _after_load(self) -> None:
        """Compares the versions of the checkpoint, and sets those of the modules again, which the next save stores."""
        from ._torch_versions import require_same_versions, VERSIONS

        if self._versions and self._slot is not None:  # not closed during a load in the background
            saved = self.get(VERSIONS)
            self._set_versions()
            require_same_versions(saved, self._versions)

    def _add(self, entries: List[Entry]) -> None:
        sharded = [(group, name, tensor) for group, name, tensor in entries if isinstance(tensor, Sharded)]
        if sharded:
            with State() as alone:  # where a block that does not fit is found before anything is added
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

    def add_sharded(self, group: str, name: str, dtype: DTypeLike, shape: Sequence[int]) -> None:
        """Adds a tensor that is spread over the ranks of a run: each rank adds it with the same dtype and global shape, and then,
        by add_block, those of its blocks that it has."""
        _n.ckpt_state_add_sharded_tensor(self._h, group, name, _dtype(dtype), shape)

    def add_block(self, group: str, name: str, offsets: Sequence[int], array: Any) -> None:
        """Adds one block of this rank to a tensor of add_sharded: a Tensor, or anything with a buffer or __dlpack__, which is
        shared. offsets: where it begins in each dimension; OutOfRangeError when it passes the tensor."""
        block = as_tensor(array)
        _n.ckpt_state_add_block(self._h, group, name, offsets, block._h)

    def add_tree(self, group: str, tree: Any) -> None:
        """Adds a value of any shape as a group: dicts, lists, tuples, dataclasses, numbers, texts, bytes, paths, arrays and tensors,
        one in the other (docs/python.md has the table). Tensors are shared; arrays whose memory cannot be shared (strided, of the
        other byte order, on a device) are read again at the start of each save, and filled at the end of each load. All else is
        written as it is now. What cannot be saved is an error that names its path and type, and nothing is added. Read it with
        `tree` after a load into this state, which wants tensors of the same names, dtypes and shapes; any tree of a checkpoint
        with `Reader.tree`."""
        self._add_tree(group, tree)

    def _add_tree(self, group: str, tree: Any, once: bool = False) -> None:
        """once: the state is for a single save, which takes the arrays as they are now."""
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
        """The value that `add_tree` added as this group, or that a load replaced it by. Its arrays share the state's memory; arrays
        whose memory could not be shared are the objects that were added. types and into: as for `Reader.tree`. NotFoundError when
        the group is not a tree."""
        with _Tree._of(_n.ckpt_tree_create_from_state(self._h, group)) as tree:
            count = _n.ckpt_tree_get_node(tree._h, 0)[2]
            at = [i for i in range(count) if _n.ckpt_tree_get_node(tree._h, i)[0] == TreeKind.TENSOR]
            tensors = {_n.ckpt_tree_get_bytes(tree._h, i).decode(): Tensor._of(_n.ckpt_tree_get_tensor(tree._h, i)) for i in at}
            text = as_tensor(_n.ckpt_tree_get_text(tree._h).encode())
        copied = {} if self._copies is None else self._copies.by_group.get(group, {})
        value = read_tree(text, tensors.__getitem__, types, {name: each.array for name, each in copied.items()})
        return value if into is None else fill_tree(into, value)

    def add_stateful(self, name: str, stateful: Stateful) -> None:
        """Adds an object that lists itself; it is kept alive."""
        self._add_functions(name, _Listed(stateful))

    def _add_functions(self, name: str, of: Union[_Copies, _Listed]) -> None:
        _n.ckpt_state_add_stateful(self._h, name, _callbacks(_native.Stateful, list=_lend(of.list), restore=_lend(of.restore)))

    def _shown(self) -> str:
        return f"{self.tensor_count} tensors"

    def __contains__(self, key: object) -> bool:
        """Whether the JSON value of a key is set."""
        try:
            return isinstance(key, str) and self.json(key) is not None
        except KeyError:
            return False

    def __len__(self) -> int:
        """Number of values."""
        return _n.ckpt_state_get_key_count(self._h)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> List[str]:
        """Those that have a value."""
        return [_n.ckpt_state_get_key(self._h, index) for index in range(len(self))]

    def items(self) -> List[Tuple[str, Any]]:
        return [(key, self[key]) for key in self.keys()]

    def values(self) -> List[Any]:
        return [self[key] for key in self.keys()]

    def set_json(self, key: str, text: str) -> None:
        """Sets a value from its JSON."""
        _n.ckpt_state_set_json(self._h, key, text)

    def json(self, key: str) -> str:
        """The JSON of a value; NotFoundError, which is a KeyError here, when there is none."""
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

    def set_rarely_changes(self, group: str, rarely: bool = True) -> None:
        """A save does not write this group's file again while nothing in it changed."""
        _n.ckpt_state_set_rarely_changes(self._h, group, int(rarely))

    def load_report(self) -> Dict[str, Any]:
        """What the last load found missing, unexpected and unusable, and whose values it left to each rank."""
        return json.loads(_n.ckpt_state_get_load_report(self._h))


StateLike = Union[State, Stateful, Tuple[Stateful, Stateful]]


def _as_state(given: StateLike) -> State:
    """A State itself; one of a model, or of (model, optimizer)."""
    if isinstance(given, State):
        return given
    parts = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(parts) <= 2 or not all(isinstance(part, Stateful) for part in parts):
        raise TypeError(f"state is a {type(given).__name__}; a State, a Stateful, or (model, optimizer)")
    state = State()
    for name, part in zip(("model", "optimizer"), parts):
        state.add_stateful(name, part)
    return state


def _as_json(options: Dict[str, Any]) -> Dict[str, Any]:
    """metadata and environment as the JSON that the library takes; a metric of numpy or torch as a number."""
    if isinstance(options.get("metric"), (str, bytes)):
        raise TypeError(f"metric is a {type(options['metric']).__name__}; a number")
    if options.get("metric") is not None:
        try:
            options = {**options, "metric": float(options["metric"])}
        except (TypeError, ValueError, OverflowError) as error:
            raise _at("metric", error)
    return {key + "_json" if key in ("metadata", "environment") else key:
            _json_text(key, value) if key in ("metadata", "environment") and value is not None else value
            for key, value in options.items()}


# ---- Coordinators: how the processes of one run find one another ----


class CustomCoordinator(ABC):
    """Derive from this to join the processes of one run. Each method raises TimeoutError when not all came within timeout_ns."""

    @abstractmethod
    def barrier(self, timeout_ns: int) -> None:
        """Returns when every process has called it."""

    @abstractmethod
    def broadcast(self, data: memoryview, root: int, timeout_ns: int) -> None:
        """data is read at the root and written elsewhere."""

    @abstractmethod
    def all_gather(self, sent: memoryview, received: memoryview, timeout_ns: int) -> None:
        """received holds everyone's bytes in the order of ranks."""

    def gather(self, sent: memoryview, received: memoryview, root: int, timeout_ns: int) -> None:
        """received holds everyone's bytes in the order of ranks at the root, and is empty elsewhere. Without one of its own a
        coordinator takes all_gather, with the bytes of all in memory everywhere."""
        raise NotImplementedError("gather")


def _gathers(coordinator: CustomCoordinator) -> bool:
    return getattr(type(coordinator), "gather", CustomCoordinator.gather) is not CustomCoordinator.gather


def _functions_of(coordinator: CustomCoordinator) -> Dict[str, Callable[..., Any]]:
    def broadcast(data: Optional[memoryview], root: int, timeout_ns: int) -> None:
        coordinator.broadcast(memoryview(bytearray()) if data is None else data, root, timeout_ns)
        _take_back(data)

    def all_gather(sent: Optional[memoryview], received: Optional[memoryview], timeout_ns: int) -> None:
        coordinator.all_gather(memoryview(b"") if sent is None else sent, memoryview(bytearray()) if received is None else received,
                               timeout_ns)
        _take_back(sent, received)

    def gather(sent: Optional[memoryview], received: Optional[memoryview], root: int, timeout_ns: int) -> None:
        coordinator.gather(memoryview(b"") if sent is None else sent, memoryview(bytearray()) if received is None else received,
                           root, timeout_ns)
        _take_back(sent, received)

    return {"barrier": coordinator.barrier, "broadcast": broadcast, "all_gather": all_gather, "gather": gather}


class Coordinator(_m.CoordinatorMethods, _Owned):
    """How the processes of one run find one another. Coordinator() is a single process. Timeouts in seconds."""

    _release = staticmethod(_n.ckpt_coordinator_release)

    def __init__(self) -> None:
        self._adopt(_n.ckpt_coordinator_create_single())

    @classmethod
    def custom(cls, rank: int, world_size: int, coordinator: CustomCoordinator) -> "Coordinator":
        functions = _callbacks(_native.CoordinatorFunctions, **_functions_of(coordinator))
        return cls._of(_n.ckpt_coordinator_create_custom(rank, world_size, functions, _gathers(coordinator)))

    def barrier(self, timeout: float = 60.0) -> None:
        _n.ckpt_coordinator_barrier(self._h, _timeout_ns(timeout))

    def broadcast(self, data: Any, root: int, timeout: float = 60.0) -> None:
        """data: a writable buffer, as long on every process."""
        _n.ckpt_coordinator_broadcast(self._h, data, root, _timeout_ns(timeout))

    def all_gather(self, sent: Any, timeout: float = 60.0) -> bytes:
        """Everyone's bytes, in the order of ranks."""
        received = bytearray(memoryview(sent).nbytes * self.world_size)
        _n.ckpt_coordinator_all_gather(self._h, sent, _timeout_ns(timeout), received)
        return bytes(received)

    def gather(self, sent: Any, root: int, timeout: float = 60.0) -> Optional[bytes]:
        """Everyone's bytes, in the order of ranks, at the root; None elsewhere."""
        received = bytearray(memoryview(sent).nbytes * self.world_size if self.rank == root else 0)
        _n.ckpt_coordinator_gather(self._h, sent, root, _timeout_ns(timeout), received)
        return bytes(received) if self.rank == root else None


# ---- Checkpoints ----

Rename = Callable[[str], Optional[str]]


def _renamer(rename: Optional[Rename]) -> Any:
    return None if rename is None else _callbacks(_native.Renamer, rename=lambda name, answer: answer.set(rename(name)))


@contextmanager
def _refused_on_all_ranks(refuse: Optional[Callable[[], Any]]) -> Iterator[None]:
    """Encloses the preparation of a collective call. If that raises, refuse makes the call with an invalid argument, so that the other
    ranks fail at once instead of waiting for this one. refuse: None without a coordinator."""
    try:
        yield
    except Exception:
        if refuse is not None:
            with suppress(Exception):
                refuse()
        raise


def _refused_manager(coordinator: Optional[Coordinator], timeout: Any) -> Optional[Callable[[], Any]]:
    """Returns the refusal of a collective creation of a manager."""
    if coordinator is None:
        return None

    def refuse() -> None:
        given = _o.checkpoint_manager_options(coordinator=coordinator)
        with suppress(Exception):
            given.timeout_ns = _timeout_ns(timeout)
        _n.ckpt_checkpoint_manager_create(None, given, None)

    return refuse


class CheckpointManager(_m.CheckpointManagerMethods, _Owned):
    """The checkpoints in one storage, or below a path. A writer holds the storage's lock until it is closed."""

    _release = staticmethod(_n.ckpt_checkpoint_manager_release)

    def __init__(self, storage: Union[Storage, PathLike], *, keep: Optional[Callable[[CheckpointInfo], Any]] = None,
                 timeout: Optional[float] = None, **options: _o.checkpoint_manager_options) -> None:
        """keep(info) is asked about each checkpoint that no rule keeps, and stays when that is true. When it raises, nothing is
        removed. timeout: in place of timeout_ns, in seconds. With a coordinator of several ranks making a manager, save and load
        are collective: every rank calls them, in the same order."""
        coordinator = options.get("coordinator")
        self._is_collective = coordinator is not None
        with _refused_on_all_ranks(_refused_manager(coordinator, timeout)):
            if timeout is not None:
                options["timeout_ns"] = _timeout_ns(timeout)
            given = _o.checkpoint_manager_options(**options)
            made, mine = _storage(storage, must_exist=given.read_only != 0)
            keeper = None if keep is None else _callbacks(_native.Keeper, keep=lambda info: keep(CheckpointInfo._of(info)))
        try:
            self._adopt(_n.ckpt_checkpoint_manager_create(made._h, given, keeper))
        finally:
            if mine:
                made.close()

    def save(self, state: Any, step: int = 0, *, metadata: Any = None, environment: Any = None, group: str = "model",
             values: Optional[Mapping[str, Any]] = None, allow_empty: bool = False, progress: Progress = None,
             **options: _o.save_options) -> SaveResult:
        """Returns when the checkpoint is durable. state: a State; or a model, or (model, optimizer), each a Stateful; or a value of
        any shape, as for ckpt.save, with group, values and allow_empty. metadata and environment: anything that JSON can hold, in
        place of metadata_json and environment_json. progress(done_bytes, total_bytes), or a bar such as tqdm's: docs/python.md."""
        from ._oneline import _state_to_save

        with self._refused_save():
            given = _o.save_options(step=step, **_as_json({"metadata": metadata, "environment": environment, **options}))
            saved = _state_to_save(state, group, values, allow_empty)
        return SaveResult._of(_told(progress, _n.ckpt_checkpoint_manager_save, self._h, saved._h, given))

    def load(self, state: StateLike, *, environment: Any = None, rename: Optional[Rename] = None, progress: Progress = None,
             **options: _o.load_options) -> LoadResult:
        """Fills the state from the newest valid checkpoint, or that of a step or of a name. NotFoundError when there is none. state,
        environment and progress: as for save. rename(name): the state's name of a tensor that has this name in the checkpoint;
        None: the same (rename={"old": "new"}.get)."""
        with self._refused_on_all_ranks(_n.ckpt_checkpoint_manager_load, None):
            given = _o.load_options(**_as_json({"environment": environment, **options}))
            loaded, renamer = _as_state(state), _renamer(rename)
        result = LoadResult._of(_told(progress, _n.ckpt_checkpoint_manager_load, self._h, loaded._h, given, renamer))
        loaded._after_load()
        return result

    def _refused_save(self) -> Any:
        return self._refused_on_all_ranks(_n.ckpt_checkpoint_manager_save)

    def _refused_on_all_ranks(self, function: Callable[..., Any], *more: Any) -> Any:
        """function: saves or loads; more: its arguments after the options."""
        handle = self._slot
        return _refused_on_all_ranks((lambda: function(handle, None, None, *more)) if self._is_collective else None)

    def load_if_any(self, state: StateLike, **options: load) -> Optional[LoadResult]:
        """Like load, but None when there is no checkpoint yet."""
        try:
            return self.load(state, **options)
        except NotFoundError:
            return None

    # ---- Which there are: a checkpoint is named by its name, or by the number of its step ----

    def latest(self) -> Optional[CheckpointInfo]:
        """The good one of the highest step, which a load tries first; None when there is none."""
        return self._one(_n.ckpt_checkpoint_manager_get_latest, self._h)

    def best(self) -> Optional[CheckpointInfo]:
        """The good one with the best metric; None when none has a metric."""
        return self._one(_n.ckpt_checkpoint_manager_get_best, self._h)

    def find_step(self, step: int) -> Optional[CheckpointInfo]:
        """The good one of this step, of several the newest; None when there is none."""
        return self._one(_n.ckpt_checkpoint_manager_find_step, self._h, step)

    def _one(self, ask: Callable[..., Any], *arguments: Any) -> Optional[CheckpointInfo]:
        try:
            return CheckpointInfo._of(ask(*arguments))
        except NotFoundError:
            return None

    def _name(self, which: Union[str, int, None]) -> Optional[str]:
        if which is None or isinstance(which, str):
            return which
        return CheckpointInfo._of(_n.ckpt_checkpoint_manager_find_step(self._h, which)).name

    def remove(self, which: Union[str, int]) -> None:
        """Removes a checkpoint. NotFoundError when it is not there."""
        _n.ckpt_checkpoint_manager_remove(self._h, self._name(which))

    def prune(self, keep_rules: Optional[str] = None, dry_run: bool = False) -> List[CheckpointInfo]:
        """Removes what rules (None: those of the manager) do not keep, or only says what that is."""
        return [CheckpointInfo._of(info) for info in _n.ckpt_checkpoint_manager_prune(self._h, keep_rules, int(dry_run))]

    def prune_abandoned(self, dry_run: bool = False) -> List[CheckpointInfo]:
        """Removes the abandoned checkpoints that are not pinned, or only returns them."""
        return [CheckpointInfo._of(info) for info in _n.ckpt_checkpoint_manager_prune_abandoned(self._h, int(dry_run))]

    def manifest(self, which: Union[str, int]) -> Dict[str, Any]:
        """The manifest of one checkpoint (docs/format.md)."""
        return json.loads(_n.ckpt_checkpoint_manager_get_manifest(self._h, self._name(which)))

    def rank_values(self, which: Union[str, int], rank: int) -> Dict[str, Any]:
        """The values that one rank saved, for a run that goes on with another number of ranks. OutOfRangeError when the checkpoint
        has no such rank."""
        return json.loads(_n.ckpt_checkpoint_manager_get_rank_values(self._h, self._name(which), rank))

    def verify(self, which: Union[str, int, None] = None, *, progress: Progress = None) -> VerifyResult:
        """Reads a whole checkpoint, or the newest, and checks everything. CorruptError names the first bad file and tensor."""
        return VerifyResult._of(_told(progress, _n.ckpt_checkpoint_manager_verify, self._h, self._name(which)))

    def reader(self, which: Union[str, int, None] = None, verify: int = Verify.LAZY, *, progress: Progress = None) -> "Reader":
        """Opens one checkpoint, or the newest, to read tensors one by one. progress is of Verify.FULL."""
        return Reader._of(_told(progress, _n.ckpt_reader_create_from_checkpoint, self._h, self._name(which), verify))

    def create_async_manager(self, **options: AsyncManager.__init__) -> Any:
        """An AsyncManager of these checkpoints, which it keeps alive."""
        from ._async import AsyncManager

        return AsyncManager(self, **options)

    @property
    def storage(self) -> Storage:
        """A new reference to the storage."""
        return Storage._of(_n.ckpt_checkpoint_manager_get_storage(self._h))

    @property
    def coordinator(self) -> Coordinator:
        """A new reference to the coordinator."""
        return Coordinator._of(_n.ckpt_checkpoint_manager_get_coordinator(self._h))

    @property
    def fault_handler(self) -> FaultHandler:
        """A new reference to the fault handler."""
        return FaultHandler._of(_n.ckpt_checkpoint_manager_get_fault_handler(self._h))


class Reader(_Owned):
    """The tensors of one checkpoint (CheckpointManager.reader), or of any safetensors file or folder with an index (Reader(path)).
    Iterating gives TensorInfo. The tensors it gives are independent of it."""

    _release = staticmethod(_n.ckpt_reader_release)

    def __init__(self, path: PathLike) -> None:
        _require_folder(path)
        self._adopt(_n.ckpt_reader_create(_path_text("path", path)))

    def __len__(self) -> int:
        return _n.ckpt_reader_get_tensor_count(self._h)

    def info(self, index: int) -> TensorInfo:
        return TensorInfo._of(_n.ckpt_reader_get_tensor(self._h, index))

    def __iter__(self) -> Iterator[TensorInfo]:
        return (self.info(i) for i in range(len(self)))

    def _shown(self) -> str:
        return f"{len(self)} tensors"

    def find(self, name: str, group: Optional[str] = None) -> int:
        """The index of a tensor."""
        return _n.ckpt_reader_find(self._h, group, name)

    # ---- As a mapping: dict(reader), "w" in reader, reader["w"], reader["w", 10:20] ----

    def keys(self) -> List[str]:
        """The names of the tensors; with several groups "group/name"."""
        infos = list(self)
        several = len({info.group for info in infos}) > 1
        return [f"{info.group}/{info.name}" if several else info.name for info in infos]

    def items(self) -> Iterator[Tuple[str, Any]]:
        """Names and arrays, each read when it is reached."""
        return ((key, self[key]) for key in self.keys())

    def values(self) -> Iterator[Any]:
        """The arrays, each read when it is reached."""
        return (self[key] for key in self.keys())

    def get(self, key: str, default: Any = None) -> Any:
        """reader[key], or default when there is no such tensor."""
        return self[key] if key in self else default

    def _key(self, key: str) -> int:
        if not isinstance(key, str):
            raise TypeError(f"a tensor's name is a text, not {type(key).__name__}")
        group, slash, name = key.partition("/")
        try:
            return self.find(key)
        except NotFoundError as error:
            if slash:
                try:
                    return self.find(name, group)
                except NotFoundError:
                    pass
            raise _NoValueError(str(error)) from None

    def __contains__(self, key: object) -> bool:
        try:
            return isinstance(key, str) and self._key(key) >= 0
        except KeyError:
            return False

    def __getitem__(self, key: Union[str, Tuple[Any, ...]]) -> Any:
        """reader["w"]: the tensor as a new numpy array (a Tensor for types that numpy lacks). reader["w", 10:20, 0]: what
        numpy's w[10:20, 0] is, of which only the rows 10 to 19 are read."""
        from ._oneline import _numpy_or_tensor

        if isinstance(key, str):
            return _numpy_or_tensor(self.read(self._key(key)))
        name, *where = key if isinstance(key, tuple) else (key,)
        index = self._key(name)
        rows = where[0] if where else slice(None)
        length = self.info(index).shape[0] if self.info(index).shape else 0
        if not isinstance(rows, slice) or rows.step not in (None, 1) or not length:
            return self[name][tuple(where)]
        begin, end, _ = rows.indices(length)
        some = _numpy_or_tensor(self.read_slice(index, begin, max(end - begin, 0)))
        return some[(slice(None), *where[1:])] if where[1:] else some

    def metadata(self) -> Dict[str, str]:
        """Texts by key, of files of other programs."""
        return dict(_n.ckpt_reader_get_metadata(self._h, i) for i in range(_n.ckpt_reader_get_metadata_count(self._h)))

    def _index(self, which: Union[int, str]) -> int:
        return self.find(which) if isinstance(which, str) else which

    def read(self, which: Union[int, str], into: Any = None, pool: Optional[BufferPool] = None, *, progress: Progress = None) -> Tensor:
        """Reads a tensor, by index or name, into a new one or into memory of yours."""
        index = self._index(which)
        if into is None:
            return Tensor._of(_told(progress, _n.ckpt_reader_read_new, self._h, index, handle_of(pool)))
        tensor = as_tensor(into)
        _told(progress, _n.ckpt_reader_read, self._h, index, tensor._h)
        return tensor

    def has_tree(self, group: str) -> bool:
        """Whether the group is a tree that `State.add_tree` saved."""
        try:
            self.find(TEXT_TENSOR, group)
        except NotFoundError:
            return False
        return True

    def tree(self, group: str = "tree", *, types: Types = (), into: Any = None, progress: Progress = None) -> Any:
        """What `State.add_tree` saved as this group, with new arrays. Dataclasses and named tuples are made of types, a list of
        classes or a dict of classes by name; others come as a `Record`. into: a template of the same shape, whose arrays, dicts,
        lists and dataclasses are filled in place and which is returned; where one does not fit, an error names its path and nothing
        has changed."""
        def tensor_of(name: str) -> Tensor:
            return self.read(self.find(name, group))

        try:
            with _Meter(progress) as meter:
                meter.expect(self, [group])
                value = read_tree(tensor_of(TEXT_TENSOR), tensor_of, types)
        except CkptError as error:
            raise _at(f"group '{group}'", error)
        return value if into is None else fill_tree(into, value)

    def read_slice(self, which: Union[int, str], begin: int, length: int, pool: Optional[BufferPool] = None, *, progress: Progress = None) -> Tensor:
        """Reads rows along the first dimension. progress is also of what has to be checked for them."""
        return Tensor._of(_told(progress, _n.ckpt_reader_read_slice, self._h, self._index(which), begin, length, handle_of(pool)))

    def map(self, which: Union[int, str], *, progress: Progress = None) -> Tensor:
        """A read-only tensor over the file itself. progress is of what has to be checked for it."""
        return Tensor._of(_told(progress, _n.ckpt_reader_map, self._h, self._index(which)))
