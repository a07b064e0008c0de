"""Where files live: the file system, memory, or an object of yours."""

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
from ._base import _callbacks, _lent, _Owned, _take_back
from .generated import methods as _m, options as _o
from .generated.callbacks import StorageCallbacks
from .generated.errors import InvalidArgumentError, NotFoundError, UnsupportedError

__all__ = ["Storage", "CustomStorage", "CustomObjects", "Fault", "FaultHandler", "register_scheme"]


Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class CustomStorage(StorageCallbacks):
    """Derive from this for a storage of your own. Paths are relative, with '/' between their components; "" is the root. Files and
    locks are whatever objects create, open and lock give. Raise FileNotFoundError for what is not there, FileExistsError for a
    taken name, BlockingIOError for a lock that is held, PermissionError, or OSError with an errno: ENOSPC is distinguished, other
    OSErrors are what a fault handler tries again. Several methods may run at once, but only one with the same file. read returns
    fewer bytes than its buffer has only at the file's end. Keep no view of a buffer."""

    @abstractmethod
    def list(self, path: str) -> Iterable[Tuple[str, bool]]:
        """(name, is_directory) of everything in a directory."""


def _refused(what: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> NoReturn:
        """Not asked for."""
        raise UnsupportedError(f"an object store has no {what}")
    return refuse


class CustomObjects(CustomStorage):
    """Derive from this for an object store of your own. A file is there whole when its sync has returned, and not before; a new one
    replaces that of its name. What was written, removed or refused is seen by the next call of anyone. There are no directories,
    renames and locks. read_ranges and remove_many need not be there: the library asks read and remove then."""

    @abstractmethod
    def create_stream(self, path: str, expected_bytes: int) -> Any:
        """Makes a file that is written from front to back, then synced once. expected_bytes: about how many will come; 0: not
        known."""

    @abstractmethod
    def put_if_absent(self, path: str, data: memoryview) -> None:
        """A file of these bytes, whole and durable, if there is none of that name; FileExistsError when there is one, which stays as
        it was. Of several callers at once one succeeds. UnsupportedError where the place cannot do that. Keep no view of data."""

    @abstractmethod
    def list_from(self, prefix: str, after: str, limit: int) -> Iterable[Tuple[str, int]]:
        """(path, bytes) of files whose paths begin with prefix and come behind after, in ascending order of their bytes, limit of
        them at most."""

    def read_ranges(self, file: Any, ranges: Sequence[Tuple[int, memoryview]]) -> None:
        """Fills the buffer of each (offset, buffer), at the same time where the place can; InvalidArgumentError when the file ends
        before one does. Keep no view of the buffers. This one asks read, one piece after the other."""
        for offset, buffer in ranges:
            if self.read(file, offset, buffer) != len(buffer):
                raise InvalidArgumentError(f"the file ends before the range at {offset} does")

    def remove_many(self, paths: List[str]) -> None:
        """Those that are not there are no error. This one asks remove, one after the other."""
        for path in paths:
            try:
                self.remove(path)
            except (FileNotFoundError, NotFoundError):
                pass

    def create(self, path: str) -> Any:
        """Makes a file of which nothing is known."""
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
        _take_back(*lent)

    def list_from(prefix: str, after: str, limit: int, listing: Any) -> None:
        for path, size in storage.list_from(prefix, after, limit):
            listing.add(path, size)

    return {"create_stream": lambda path, expected_bytes: number_of(storage.create_stream(path, expected_bytes)),
            "put_if_absent": _lent(storage.put_if_absent), "read_ranges": read_ranges, "list_from": list_from,
            "remove_many": lambda paths: storage.remove_many([paths.path(i) for i in range(paths.count())])}


def _functions_of(storage: CustomStorage) -> Dict[str, Callable[..., Any]]:
    """Files and locks are numbers for the library."""
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
    paths = ("sync_directory", "make_directory", "remove_directory", "remove", "rename", "size")  # which pass as they are
    return {**{name: getattr(storage, name) for name in paths}, "list": names,
            "read": _lent(lambda file, offset, buffer: storage.read(files[file], offset, buffer)),
            "write": _lent(lambda file, offset, data: storage.write(files[file], offset, data)),
            **{name: numbered(getattr(storage, name)) for name in ("create", "open", "lock")},
            "close": lambda file: storage.close(files.pop(file)), "unlock": lambda lock: storage.unlock(files.pop(lock)),
            "file_size": lambda file: storage.file_size(files[file]), "sync": lambda file: storage.sync(files[file]),
            **objects}


@dataclass
class Fault:
    """An error of a storage, and what becomes of it: change retry and delay_ns, or leave what the rule says."""

    status: int
    message: str
    attempt: int  # that failed, 1 for the first
    retry: bool
    delay_ns: int  # before the next attempt


def _decide(function: Callable[[Fault], Any]) -> Callable[..., None]:
    def call(status: int, message: str, attempt: int, retry: bool, delay_ns: int, answer: Any) -> None:
        fault = Fault(status, message, attempt, retry, delay_ns)
        function(fault)
        answer.set(bool(fault.retry), fault.delay_ns)
    return call


class FaultHandler(_m.FaultHandlerMethods, _Owned):
    """Decides what is tried again, and when."""

    def __init__(self, *, sleep: Optional[Callable[[int], Any]] = None, decide: Optional[Callable[[Fault], Any]] = None,
                 **options: _o.fault_handler_options) -> None:
        """sleep(ns) is called instead of sleeping. decide(fault) is asked about each error but the last attempt's, on the thread
        whose operation failed; what it raises ends the operation with CallbackError."""
        given = _o.fault_handler_options(**options)
        sleeper = None if sleep is None else _callbacks(_native.Sleeper, sleep=sleep)
        decider = None if decide is None else _callbacks(_native.Decider, decide=_decide(decide))
        self._adopt(_n.ckpt_fault_handler_create(given, sleeper, decider))


class Storage(_m.StorageMethods, _Owned):
    """The one door to files. Storage(path) is a directory of the file system."""

    def __init__(self, root: Path, **options: _o.file_system_options) -> None:
        path = _path_text("root", root)
        _require_folder(root)
        self._adopt(_n.ckpt_storage_create_file_system(path, _o.file_system_options(**options)))

    @classmethod
    def custom(cls, storage: CustomStorage, name: str = "custom") -> "Storage":
        """One that calls you; an object store, if it is a CustomObjects. name: where it is, for messages."""
        own = type(storage)
        reads_ranges = getattr(own, "read_ranges", None) is not CustomObjects.read_ranges
        removes_many = getattr(own, "remove_many", None) is not CustomObjects.remove_many
        return cls._of(_n.ckpt_storage_create_custom(name, _callbacks(_native.StorageFunctions, **_functions_of(storage)),
                                                     isinstance(storage, CustomObjects), reads_ranges, removes_many))


def register_scheme(scheme: str, factory: Callable[[str], Storage]) -> None:
    """Lets Storage.from_uri make storages for a scheme, and whatever takes "scheme://...", on all threads of this process.
    factory(uri) gets the whole URI, checked, still encoded, and gives a new storage, which the library takes over: it is closed when
    the call ends. AlreadyExistsError for a scheme that is known."""

    def make(uri: str) -> Any:
        made = factory(uri)
        if not isinstance(made, Storage):
            raise TypeError(f"the factory of scheme '{scheme}' returned a {type(made).__name__}, no Storage")
        handle = made._h
        made._slot = None  # the reference that is handed over
        return handle

    _n.ckpt_storage_register_scheme(scheme, _callbacks(_native.StorageFactory, make=make))


# ---- Places: a Storage, a path, or a URI ----

_scheme = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
# What the library refuses in the path of a file URI, as it stands there and decoded.
_refused = re.compile(r"%(?![0-9A-Fa-f]{2})|%2[Ff]|[?#]")
_refused_decoded = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]|(?:^|/)\.\.?(?:/|$)|//")
_blank = re.compile(r"^ *$")
_surrogates = re.compile(r"[\ud800-\udfff]")  # os.fsdecode maps bytes that it cannot decode to lone surrogates


def _uri_scheme(place: Path) -> Optional[str]:
    """The scheme of a text that is a URI: with "://", or file: or memory: that is not the name of something here."""
    found = _scheme.match(place) if isinstance(place, str) else None
    if found is None:
        return None
    scheme = found[1].lower()
    is_own = scheme in ("file", "memory") and not os.path.lexists(place)
    return scheme if is_own or str(place).startswith("//", found.end()) else None


def _file_path(uri: str) -> Optional[str]:
    """The path of a file URI; None for one that the library refuses."""
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
        raise InvalidArgumentError(f"{argument} is a {type(path).__name__}; a path") from None
    if isinstance(given, str) and _surrogates.search(given) is None:
        return given
    try:
        return os.fsencode(given).decode()
    except UnicodeError:
        raise InvalidArgumentError(f"{argument} is {given!r}: expected a path in UTF-8") from None


def _place_key(place: Path) -> str:
    """The same text for texts that name the same place."""
    scheme = _uri_scheme(place)
    path = _file_path(_without_lock(str(place))[0]) if scheme == "file" else None if scheme else _path_text("place", place)
    return str(place) if path is None else os.path.realpath(path)


def _require_folder(place: Path, argument: str = "path") -> None:
    """What people mean as something else than a folder of this name never becomes one."""
    path = _path_text(argument, place)
    if path == "~" or path.startswith("~/") or os.path.expanduser(path) != path:
        raise InvalidArgumentError(f"'{path}' begins with ~, which Python does not expand: os.path.expanduser does")
    if "://" in path or (not isinstance(place, str) and path.split("/")[0].endswith(":")):  # pathlib makes s3:/bucket of s3://bucket
        raise UnsupportedError(f"'{path}' is the name of no folder; Storage.from_uri, save and load take a URI, as a text")


def _storage(place: Union[Storage, Path], must_exist: bool = False) -> Tuple[Storage, bool]:
    """The storage, and whether it was made here."""
    if isinstance(place, Storage):
        return place, False
    if not isinstance(place, (str, bytes, os.PathLike)):
        raise InvalidArgumentError(f"storage is a {type(place).__name__}; a path, a URI or a Storage")
    _path_text("storage", place)
    scheme = _uri_scheme(place)
    return (Storage(place, must_exist=must_exist) if scheme is None else _from_uri(str(place), scheme, must_exist)), True
