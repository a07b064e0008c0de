"""Checkpoints in a storage: save, load, list, verify, read one tensor."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _Owned, _timeout_ns
from ._coordinator import Coordinator
from ._given import _state_to_save
from ._progress import _Meter, _with_progress, Progress
from ._root import _at, CkptError, handle_of
from ._state import _as_json, _as_state, _NoValueError, PathLike, StateLike
from ._storage import _path_text, _require_folder, _storage, Storage
from ._tensor import _numpy_or_tensor, as_tensor, BufferPool, Tensor
from ._tree_filling import fill_tree
from ._trees import read_tree, TEXT_TENSOR, Types
from .generated import methods as _m, options as _o
from .generated.errors import NotFoundError
from .generated.values import CheckpointInfo, LoadResult, SaveResult, TensorInfo, Verify, VerifyResult

__all__ = ["CheckpointManager", "Reader"]

Rename = Callable[[str], Optional[str]]


def _renamer(rename: Optional[Rename]) -> Any:
    return None if rename is None else _callbacks(_native.Renamer, rename=lambda name, answer: answer.set(rename(name)))


@contextmanager
def _refused_on_all_ranks(refuse: Optional[Callable[[], Any]]) -> Iterator[None]:
    """Encloses the preparation of a collective call. If that raises, refuse makes the call with an invalid argument, so that the
    other ranks fail at once instead of waiting for this one. refuse: None without a coordinator."""
    try:
        yield
    except Exception:
        if refuse is not None:
            with suppress(Exception):
                refuse()
        raise


def _refused_manager(coordinator: Optional[Coordinator], timeout: Any) -> Optional[Callable[[], Any]]:
    """Returns the `refuse` of a collective creation of a manager."""
    if coordinator is None:
        return None

    def refuse() -> None:
        given = _o.checkpoint_manager_options(coordinator=coordinator)
        with suppress(Exception):
            given.timeout_ns = _timeout_ns(timeout)
        _n.ckpt_checkpoint_manager_create(None, given, None)

    return refuse


class CheckpointManager(_m.CheckpointManagerMethods, _Owned):
    """The checkpoints in one storage, or below a path. A manager that writes holds the storage's lock until it is closed."""

    _make_async_manager: Any  # set by _async.py, which imports this module

    def __init__(self, storage: Union[Storage, PathLike], *, keep: Optional[Callable[[CheckpointInfo], Any]] = None,
                 timeout: Optional[float] = None, **options: _o.checkpoint_manager_options) -> None:
        """keep(info) is called for each checkpoint that no retention rule keeps; the checkpoint is kept if it returns true. When it
        raises, nothing is removed. timeout: in seconds, instead of timeout_ns. With a coordinator of several ranks, creating a
        manager, save and load are collective: every rank calls them, in the same order."""
        coordinator = options.get("coordinator")
        self._is_collective = coordinator is not None
        with _refused_on_all_ranks(_refused_manager(coordinator, timeout)):
            if timeout is not None:
                options["timeout_ns"] = _timeout_ns(timeout)
            given = _o.checkpoint_manager_options(**options)
            created, mine = _storage(storage, must_exist=given.read_only != 0)
            keeper = None if keep is None else _callbacks(_native.Keeper, keep=lambda info: keep(CheckpointInfo._of(info)))
        try:
            self._adopt(_n.ckpt_checkpoint_manager_create(created._h, given, keeper))
        finally:
            if mine:
                created.close()

    def save(self, state: Any, step: int = 0, *, metadata: Any = None, environment: Any = None, group: str = "model",
             values: Optional[Mapping[str, Any]] = None, allow_empty: bool = False, progress: Progress = None,
             **options: _o.save_options) -> SaveResult:
        """Returns when the checkpoint is durable. state: a State; or a model, or (model, optimizer), each a Stateful; or a value of
        any shape, as for ckpt.save, with group, values and allow_empty. metadata and environment: anything that JSON can represent,
        instead of metadata_json and environment_json. progress(done_bytes, total_bytes), or a bar such as tqdm's:
        docs/reference/python.md."""
        with self._refused_save():
            given = _o.save_options(step=step, **_as_json({"metadata": metadata, "environment": environment, **options}))
            saved = _state_to_save(state, group, values, allow_empty)
        return SaveResult._of(_with_progress(progress, _n.ckpt_checkpoint_manager_save, self._h, saved._h, given))

    def load(self, state: StateLike, *, environment: Any = None, rename: Optional[Rename] = None, progress: Progress = None,
             **options: _o.load_options) -> LoadResult:
        """Fills the state from the newest valid checkpoint, or from that of a step or of a name. Raises NotFoundError when none
        exists. state, environment and progress: as for save. rename(name): returns the state's name of a tensor with this name in
        the checkpoint; None: the same (rename={"old": "new"}.get)."""
        with self._refused_load():
            given = _o.load_options(**_as_json({"environment": environment, **options}))
            loaded, renamer = _as_state(state), _renamer(rename)
        result = LoadResult._of(_with_progress(progress, _n.ckpt_checkpoint_manager_load, self._h, loaded._h, given, renamer))
        loaded._after_load()
        return result

    def _refused_save(self) -> Any:
        return self._refused_on_all_ranks(_n.ckpt_checkpoint_manager_save)

    def _refused_load(self) -> Any:
        return self._refused_on_all_ranks(_n.ckpt_checkpoint_manager_load, None)

    def _refused_on_all_ranks(self, function: Callable[..., Any], *more: Any) -> Any:
        """Encloses the preparation of a collective call. function: saves or loads; more: its arguments after the options."""
        handle = self._slot
        return _refused_on_all_ranks((lambda: function(handle, None, None, *more)) if self._is_collective else None)

    def load_if_any(self, state: StateLike, **options: load) -> Optional[LoadResult]:
        """Like load, but returns None when no checkpoint exists."""
        try:
            return self.load(state, **options)
        except NotFoundError:
            return None

    # ---- Single checkpoints, by name or by the number of the step ----

    def _name(self, which: Union[str, int, None]) -> Optional[str]:
        if which is None or isinstance(which, str):
            return which
        return CheckpointInfo._of(_n.ckpt_checkpoint_manager_find_step(self._h, which)).name

    def verify(self, which: Union[str, int, None] = None, *, progress: Progress = None) -> VerifyResult:
        """Reads a whole checkpoint, or the newest, and checks everything. Raises CorruptError with the first bad file and
        tensor."""
        return VerifyResult._of(_with_progress(progress, _n.ckpt_checkpoint_manager_verify, self._h, self._name(which)))

    def reader(self, which: Union[str, int, None] = None, verify: int = Verify.LAZY, *, progress: Progress = None) -> "Reader":
        """Opens one checkpoint, or the newest, to read tensors one by one. progress: of Verify.FULL."""
        return Reader._of(_with_progress(progress, _n.ckpt_reader_create_from_checkpoint, self._h, self._name(which), verify))

    def create_async_manager(self, **options: AsyncManager.__init__) -> Any:
        """Returns an AsyncManager of these checkpoints, which it keeps alive."""
        return self._make_async_manager(self, **options)


class Reader(_m.ReaderMethods, _Owned):
    """The tensors of one checkpoint (CheckpointManager.reader), or of any safetensors file or folder with an index (Reader(path)).
    Iterating yields TensorInfo. Returned tensors stay valid after it is closed."""

    def __init__(self, path: PathLike) -> None:
        _require_folder(path)
        self._adopt(_n.ckpt_reader_create(_path_text("path", path)))

    def __iter__(self) -> Iterator[TensorInfo]:
        return (self.info(i) for i in range(len(self)))

    def _shown(self) -> str:
        return f"{len(self)} tensors"

    def find(self, name: str, group: Optional[str] = None) -> int:
        """Returns the index of a tensor."""
        return _n.ckpt_reader_find(self._h, group, name)

    # ---- As a mapping: dict(reader), "w" in reader, reader["w"], reader["w", 10:20] ----

    def keys(self) -> List[str]:
        """Returns the names of the tensors; with several groups "group/name"."""
        infos = list(self)
        several = len({info.group for info in infos}) > 1
        return [f"{info.group}/{info.name}" if several else info.name for info in infos]

    def items(self) -> Iterator[Tuple[str, Any]]:
        """Yields names and arrays, each read when it is reached."""
        return ((key, self[key]) for key in self.keys())

    def values(self) -> Iterator[Any]:
        """Yields the arrays, each read when it is reached."""
        return (self[key] for key in self.keys())

    def get(self, key: str, default: Any = None) -> Any:
        """Returns reader[key], or default when the tensor does not exist."""
        return self[key] if key in self else default

    def _key(self, key: str) -> int:
        if not isinstance(key, str):
            raise TypeError(f"tensor name: expected a string, found {type(key).__name__}")
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
        """reader["w"] reads the tensor into a new numpy array (a Tensor for types that numpy lacks). reader["w", 10:20, 0] returns
        numpy's w[10:20, 0] and reads only the rows 10 to 19."""
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
        """Strings by key, as in safetensors files of other programs."""
        return dict(_n.ckpt_reader_get_metadata(self._h, i) for i in range(_n.ckpt_reader_get_metadata_count(self._h)))

    def _index(self, which: Union[int, str]) -> int:
        return self.find(which) if isinstance(which, str) else which

    def read(self, which: Union[int, str], into: Any = None, pool: Optional[BufferPool] = None, *, progress: Progress = None) -> Tensor:
        """Reads a tensor, by index or name, into a new one or into the caller's memory."""
        index = self._index(which)
        if into is None:
            return Tensor._of(_with_progress(progress, _n.ckpt_reader_read_new, self._h, index, handle_of(pool)))
        tensor = as_tensor(into)
        _with_progress(progress, _n.ckpt_reader_read, self._h, index, tensor._h)
        return tensor

    def has_tree(self, group: str) -> bool:
        """Returns whether the group is a tree that `State.add_tree` saved."""
        try:
            self.find(TEXT_TENSOR, group)
        except NotFoundError:
            return False
        return True

    def tree(self, group: str = "tree", *, types: Types = (), into: Any = None, progress: Progress = None) -> Any:
        """Returns the tree that `State.add_tree` saved as this group, with new arrays. types: the classes from which dataclasses
        and named tuples are created, as a list or as a dict by name; other ones become a `Record`. into: a template of the same
        shape, which is filled in place (arrays, dicts, lists and dataclasses) and returned; on a mismatch, the error
        contains the path and nothing has changed."""
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
        """Reads rows along the first dimension. progress includes the bytes that must be checked for them."""
        return Tensor._of(_with_progress(progress, _n.ckpt_reader_read_slice, self._h, self._index(which), begin, length,
                                         handle_of(pool)))

    def map(self, which: Union[int, str], *, progress: Progress = None) -> Tensor:
        """Returns a read-only tensor over the file itself. progress: of the bytes that must be checked for it."""
        return Tensor._of(_with_progress(progress, _n.ckpt_reader_map, self._h, self._index(which)))
