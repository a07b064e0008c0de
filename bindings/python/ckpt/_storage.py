"""Storages: the file system, memory, or a custom object."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
import itertools
import os
import re
from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional, Sequence, Tuple, Union
from urllib.parse import unquote

from . import _native as _n
from . import native as _native
from ._base import _callbacks, _lent, _Owned, _release_lent
from .generated import methods as _m, options as _o
from .generated.callbacks import StorageCallbacks
from .generated.errors import InvalidArgumentError, NotFoundError, UnsupportedError

__all__ = ["Storage", "CustomStorage", "CustomObjects", "Fault", "FaultHandler", "register_scheme"]


Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class CustomStorage(StorageCallbacks):
    """Base of custom storages. Paths are relative, with '/' between their components; "" is the root. Files and locks are the
    objects that create, open and lock return. Raise FileNotFoundError for a missing file, FileExistsError for an existing name,
    BlockingIOError for a lock that is held, PermissionError, or OSError with an errno: ENOSPC is distinguished; a fault handler
    retries other OSErrors. Several methods may run at once, but only one per file. read returns fewer bytes than its buffer holds
    only at the end of the file. Keep no view of a buffer."""

    @abstractmethod
    def list(self, path: str) -> Iterable[Tuple[str, bool]]:
        """Returns (name, is_directory) of every entry in a directory."""


def _refused(what: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> NoReturn:
        """Never called: fails."""
        raise UnsupportedError(f"an object store has no {what}")
    return refuse


class CustomObjects(CustomStorage):
    """Base of custom object stores. A file exists completely once its sync has returned, and not before; a new file replaces the
    one with its name. Every write, removal and refusal is visible to the next call of any client. Directories, renames and locks
    are not needed. read_ranges and remove_many are optional: by default the library calls read and remove."""

    @abstractmethod
    def create_stream(self, path: str, expected_bytes: int) -> Any:
        """Creates a file that is written sequentially, then synced once. expected_bytes: approximate size; 0: not known."""

    @abstractmethod
    def put_if_absent(self, path: str, data: memoryview) -> None:
        """Creates a file of these bytes, complete and durable, if none has that name; otherwise raises FileExistsError and leaves
        the existing one unchanged. One of several concurrent callers succeeds. Raises UnsupportedError if the store cannot do that.
        Keep no view of data."""

    @abstractmethod
    def list_from(self, prefix: str, after: str, limit: int) -> Iterable[Tuple[str, int]]:
        """Returns (path, bytes) of at most limit files with paths that begin with prefix and follow after, in ascending order of
        the bytes of the paths."""

    def read_ranges(self, file: Any, ranges: Sequence[Tuple[int, memoryview]]) -> None:
        """Fills the buffer of each (offset, buffer), concurrently where the store supports it. Raises InvalidArgumentError when the
        file ends before a range does. Keep no view of the buffers. By default calls read for one range after the other."""
        for offset, buffer in ranges:
            if self.read(file, offset, buffer) != len(buffer):
                raise InvalidArgumentError(f"range at {offset}: exceeds the end of the file")

    def remove_many(self, paths: List[str]) -> None:
        """Removes files; ignores missing ones. By default calls remove for one after the other."""
        for path in paths:
            try:
                self.remove(path)
            except (FileNotFoundError, NotFoundError):
                pass

    def create(self, path: str) -> Any:
        """Creates a file of unknown size."""
        return self.create_stream(path, 0)

    rename = _refused("rename")
    remove_directory = _refused("remove_directory")
    make_directory = _refused("make_directory")
    sync_directory = _refused("sync_directory")
    list = _refused("list")
    lock = _refused("lock")
    unlock = _refused("unlock")


def _objects_of(storage: CustomObjects, files: Dict[int, Any], number_of: Callable[[Any], int]) -> Dict[str, Callable[..., Any]]:
    def read_ranges(file: int, ranges: Any) -> None:
        lent = [ranges.buffer(i) for i in range(ranges.count())]
        storage.read_ranges(files[file], [(ranges.offset(i), memoryview(bytearray()) if buffer is None else buffer)
                                          for i, buffer in enumerate(lent)])
        _release_lent(*lent)

    def list_from(prefix: str, after: str, limit: int, listing: Any) -> None:
        for path, size in storage.list_from(prefix, after, limit):
            listing.add(path, size)

    return {"create_stream": lambda path, expected_bytes: number_of(storage.create_stream(path, expected_bytes)),
            "put_if_absent": _lent(storage.put_if_absent), "read_ranges": read_ranges, "list_from": list_from,
            "remove_many": lambda paths: storage.remove_many([paths.path(i) for i in range(paths.count())])}


def _functions_of(storage: CustomStorage) -> Dict[str, Callable[..., Any]]:
    """Returns the callbacks of a storage, with numbers for its files and locks."""
    files: Dict[int, Any] = {}
    numbers = itertools.count(1)

    def number_of(file: Any) -> int:
        number = next(numbers)
        files[number] = file
        return number

    def numbered(function: Callable[[str], Any]) -> Callable[[str], int]:
        return lambda path: number_of(function(path))

    def names(path: str, listing: Any) -> None:
        for name, is_directory in storage.list(path):
            listing.add(name, bool(is_directory))

    objects = _objects_of(storage, files, number_of) if isinstance(storage, CustomObjects) else {}
    paths = ("sync_directory", "make_directory", "remove_directory", "remove", "rename", "size")  # passed through unchanged
    return {**{name: getattr(storage, name) for name in paths}, "list": names,
            "read": _lent(lambda file, offset, buffer: storage.read(files[file], offset, buffer)),
            "write": _lent(lambda file, offset, data: storage.write(files[file], offset, data)),
            **{name: numbered(getattr(storage, name)) for name in ("create", "open", "lock")},
            "close": lambda file: storage.close(files.pop(file)), "unlock": lambda lock: storage.unlock(files.pop(lock)),
            "file_size": lambda file: storage.file_size(files[file]), "sync": lambda file: storage.sync(files[file]),
            **objects}


@dataclass
class Fault:
    """An error of a storage, and its handling: change retry and delay_ns, or leave the values of the rule."""

    status: int
    message: str
    attempt: int  # the attempt that failed, from 1
    retry: bool
    delay_ns: int  # before the next attempt


def _decide(function: Callable[[Fault], Any]) -> Callable[..., None]:
    def call(status: int, message: str, attempt: int, retry: bool, delay_ns: int, answer: Any) -> None:
        fault = Fault(status, message, attempt, retry, delay_ns)
        function(fault)
        answer.set(bool(fault.retry), fault.delay_ns)
    return call


class FaultHandler(_m.FaultHandlerMethods, _Owned):
    """Decides which failed operations are retried, and when."""

    def __init__(self, *, sleep: Optional[Callable[[int], Any]] = None, decide: Optional[Callable[[Fault], Any]] = None,
                 **options: _o.fault_handler_options) -> None:
        """sleep(ns) is called instead of sleeping. decide(fault) is called for each error except that of the last attempt, on the
        thread of the failed operation. If it raises, the operation fails with CallbackError."""
        given = _o.fault_handler_options(**options)
        sleeper = None if sleep is None else _callbacks(_native.Sleeper, sleep=sleep)
        decider = None if decide is None else _callbacks(_native.Decider, decide=_decide(decide))
        self._adopt(_n.ckpt_fault_handler_create(given, sleeper, decider))


class Storage(_m.StorageMethods, _Owned):
    """All file access goes through a storage. Storage(path) is a directory of the file system."""

    def __init__(self, root: Path, **options: _o.file_system_options) -> None:
        path = _path_text("root", root)
        _require_folder(root)
        self._adopt(_n.ckpt_storage_create_file_system(path, _o.file_system_options(**options)))

    @classmethod
    def custom(cls, storage: CustomStorage, name: str = "custom") -> "Storage":
        """Returns a storage that calls a custom one; an object store if that is a CustomObjects. name: its location, for
        messages."""
        own = type(storage)
        reads_ranges = getattr(own, "read_ranges", None) is not CustomObjects.read_ranges
        removes_many = getattr(own, "remove_many", None) is not CustomObjects.remove_many
        return cls._of(_n.ckpt_storage_create_custom(name, _callbacks(_native.StorageFunctions, **_functions_of(storage)),
                                                     isinstance(storage, CustomObjects), reads_ranges, removes_many))


def register_scheme(scheme: str, factory: Callable[[str], Storage]) -> None:
    """Makes Storage.from_uri, and everything that takes "scheme://...", create storages for a scheme, on all threads of this
    process. factory(uri) takes the whole URI, checked, still encoded, and returns a new storage. The library takes it over: it is
    closed when the call ends. Raises AlreadyExistsError for a known scheme."""

    def make(uri: str) -> Any:
        created = factory(uri)
        if not isinstance(created, Storage):
            raise TypeError(f"factory of scheme '{scheme}': expected a Storage, returned a {type(created).__name__}")
        handle = created._h
        created._slot = None  # the library owns the reference
        return handle

    _n.ckpt_storage_register_scheme(scheme, _callbacks(_native.StorageFactory, make=make))


# ---- Places: a Storage, a path, or a URI ----

_scheme = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
# The characters that the library refuses in the path of a file URI, literal or encoded.
_refused = re.compile(r"%(?![0-9A-Fa-f]{2})|%2[Ff]|[?#]")
_refused_decoded = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]|(?:^|/)\.\.?(?:/|$)|//")
_blank = re.compile(r"^ *$")
_surrogates = re.compile(r"[\ud800-\udfff]")  # os.fsdecode maps bytes that it cannot decode to lone surrogates


def _uri_scheme(place: Path) -> Optional[str]:
    """Returns the scheme of a URI: a string with "://", or with file: or memory: unless a file has that name. None for a path."""
    found = _scheme.match(place) if isinstance(place, str) else None
    if found is None:
        return None
    scheme = found[1].lower()
    is_own = scheme in ("file", "memory") and not os.path.lexists(place)
    return scheme if is_own or str(place).startswith("//", found.end()) else None


def _file_path(uri: str) -> Optional[str]:
    """Returns the path of a file URI; None for one that the library refuses."""
    rest = uri[len("file:"):]
    is_long = rest.startswith("//")
    path = unquote(rest[2:] if is_long else rest, errors="surrogateescape")
    short = path[:-1] if path.endswith("/") and path != "/" else path
    is_bad = _refused.search(rest) or _refused_decoded.search(path) or _blank.search(short)
    return None if is_bad or (is_long and not path.startswith("/")) else short


def _without_lock(uri: str) -> Tuple[str, Optional[str]]:
    """Splits a file URI into the URI without ?lock=KIND and the kind."""
    before, mark, kind = uri.partition("?lock=")
    return (before, kind) if mark and kind else (uri, None)


def _from_uri(uri: str, scheme: str, must_exist: bool) -> Storage:
    before, kind = _without_lock(uri)
    path = _file_path(before) if scheme == "file" and must_exist else None
    if path is None:
        return Storage.from_uri(uri)
    return Storage._of(_n.ckpt_storage_create_file_system(path, _o.file_system_options(must_exist=True, lock_kind=kind)))


def _path_text(argument: str, path: Path) -> str:
    """Returns the path as a str that can be encoded in UTF-8, as the library expects."""
    try:
        given = os.fspath(path)
    except TypeError:
        raise InvalidArgumentError(f"{argument}: expected a path, found a {type(path).__name__}") from None
    if isinstance(given, str) and _surrogates.search(given) is None:
        return given
    try:
        return os.fsencode(given).decode()
    except UnicodeError:
        raise InvalidArgumentError(f"{argument} {given!r}: expected a path in UTF-8") from None


def _place_key(place: Path) -> str:
    """Returns the same key for all strings that name the same place."""
    scheme = _uri_scheme(place)
    path = _file_path(_without_lock(str(place))[0]) if scheme == "file" else None if scheme else _path_text("place", place)
    return str(place) if path is None else os.path.realpath(path)


def _require_folder(place: Path, argument: str = "path") -> None:
    """Refuses names that were probably not meant as a folder's: those with ~ or a scheme."""
    path = _path_text(argument, place)
    if path == "~" or path.startswith("~/") or os.path.expanduser(path) != path:
        raise InvalidArgumentError(f"'{path}' begins with ~, which Python does not expand: os.path.expanduser does")
    if "://" in path or (not isinstance(place, str) and path.split("/")[0].endswith(":")):  # pathlib turns s3:// into s3:/
        raise UnsupportedError(f"'{path}' is not a folder; Storage.from_uri, save and load take a URI, as a string")


def _storage(place: Union[Storage, Path], must_exist: bool = False) -> Tuple[Storage, bool]:
    """Returns the storage, and whether it was created here."""
    if isinstance(place, Storage):
        return place, False
    if not isinstance(place, (str, bytes, os.PathLike)):
        raise InvalidArgumentError(f"storage: expected a path, a URI or a Storage, found a {type(place).__name__}")
    _path_text("storage", place)
    scheme = _uri_scheme(place)
    return (Storage(place, must_exist=must_exist) if scheme is None else _from_uri(str(place), scheme, must_exist)), True
