"""Values of any shape as tensors and one string: tree formats 1 and 2 (docs/reference/file-format.md). Nothing is pickled, and
loading imports nothing."""

from __future__ import annotations

import base64
import collections
import dataclasses
import functools
import inspect
import json
import math
import pathlib
import struct
import sys
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Set, Tuple, Union

from . import _native as _n
from ._sharded import Sharded
from ._tensor import _has_dtype, Tensor, as_tensor
from ._tree_arrays import can_be_written, Copied, Given
from .generated.errors import CorruptError, InvalidArgumentError, NotFoundError, UnsupportedError
from .generated.values import DType

__all__ = ["Attributed", "Record"]

TEXT_TENSOR = "__tree__"  # the reserved tensor of a group
MAX_DEPTH = 1000
_PLAIN_INTEGERS = 1 << 63
_LONGEST_NAME = 200
Types = Union[type, Iterable[type], Mapping[str, type]]


class Record:
    """A dataclass or named tuple of a checkpoint without a given class: the class's name and the fields, also as attributes. Saved
    again, it keeps its kind ("dataclass" or "named_tuple")."""

    def __init__(self, class_name: str, fields: Mapping[str, Any], kind: str = "dataclass") -> None:
        self.class_name, self.fields, self.kind = class_name, dict(fields), kind

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(f"a {self.__dict__.get('class_name', 'Record')} has no field {name!r}") from None

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Record):
            return NotImplemented
        return (self.class_name, self.fields) == (other.class_name, other.fields)

    def __repr__(self) -> str:
        return f"{self.class_name}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


class Attributed:
    """A value of a checkpoint with attributes that its Python type cannot hold: another language or another version stored them.
    Saved again, it is unchanged."""

    def __init__(self, value: Any, attributes: Mapping[str, Any]) -> None:
        self.value, self.attributes = value, dict(attributes)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Attributed):
            return NotImplemented
        return (self.value, self.attributes) == (other.value, other.attributes)

    def __repr__(self) -> str:
        return f"Attributed({self.value!r}, {self.attributes!r})"


# ---- Writing ----


class _At(NamedTuple):
    """The position of a value, as a list linked towards the root; formatted only for names and errors."""

    above: Optional["_At"]
    label: str

    def labels(self) -> List[str]:
        labels, at = [], self
        while at.above is not None:
            labels.append(at.label)
            at = at.above
        return labels[::-1]

    def text(self) -> str:
        labels = self.labels()
        if len(labels) > 20:
            labels[10:-10] = ["..."]
        return ".".join(labels) or "the tree"


_CLOSE = object()


def _text_of_bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def _float_node(value: float) -> Any:
    return value if math.isfinite(value) else ["float", _text_of_bits(value)]


def _text_node(value: str) -> Any:
    try:
        value.encode()
        return value
    except UnicodeEncodeError:  # lone surrogates
        return ["surrogates", value.encode("utf-8", "surrogatepass").hex()]


def _path_node(value: pathlib.PurePath) -> Any:
    if isinstance(value, pathlib.Path):
        return ["path", _text_node(str(value))]
    return ["path", _text_node(str(value)), "windows" if isinstance(value, pathlib.PureWindowsPath) else "posix"]


_LEAVES: Dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: None,
    bool: lambda value: value,
    int: lambda value: value if -_PLAIN_INTEGERS <= value < _PLAIN_INTEGERS else ["int", hex(value)],
    float: _float_node,
    complex: lambda value: ["complex", _text_of_bits(value.real), _text_of_bits(value.imag)],
    str: _text_node,
    bytes: lambda value: ["bytes", base64.b64encode(value).decode()],
    bytearray: lambda value: ["bytearray", base64.b64encode(value).decode()],
}
DICTS: Dict[type, str] = {dict: "dict", collections.OrderedDict: "ordered_dict"}  # _given.py adds Loaded
# By the type of a value: attributes that are saved, and attributes that are ignored.
SAVED_ATTRIBUTES: Dict[type, Tuple[str, ...]] = {collections.OrderedDict: ("_metadata",)}  # of a module's state_dict
OTHER_ATTRIBUTES: Dict[type, Tuple[str, ...]] = {Record: ("class_name", "fields", "kind"), Attributed: ("value", "attributes")}
_PATHS = (pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath)
_KEYS = (str, int, float, bool, type(None), bytes, tuple)


def _class_name(of: type) -> str:
    return f"{of.__module__}.{of.__qualname__}"


def _kind_of_record(of: type) -> Optional[str]:
    if issubclass(of, tuple) and hasattr(of, "_fields"):
        return "named_tuple"
    return "dataclass" if dataclasses.is_dataclass(of) else None


def _extra_state(value: Any, names: List[str]) -> Optional[str]:
    """Describes state of a record outside its fields, which would be lost; None if there is none."""
    base = next((base for base in (dict, list, set, str, bytes, int, float, complex, BaseException) if isinstance(value, base)), None)
    if base is not None:
        return f"is also a {base.__name__}"
    cached = (name for name in getattr(value, "__dict__", ()) if name not in names and
              not isinstance(inspect.getattr_static(type(value), name, None), functools.cached_property))
    more = next(cached, None)
    return None if more is None else f"has the attribute '{more}', which is not a field"


def with_attributes_of(value: Any, created: Any) -> Any:
    """Copies the attributes of a value to a new object of its type, and returns the object."""
    if hasattr(value, "__dict__"):
        vars(created).update(vars(value))
    return created


def attributes_of(value: Any, kind: Optional[type] = None) -> Dict[str, Any]:
    """Returns the attributes that are saved with a value. Raises UnsupportedError if it has others. kind: the type in the tables
    above; None: the type of value."""
    kind, has = kind or type(value), getattr(value, "__dict__", None)
    if not has or kind not in DICTS and kind not in OTHER_ATTRIBUTES:
        return {}
    saved = SAVED_ATTRIBUTES.get(kind, ())
    lost = next((name for name in has if name not in saved and name not in OTHER_ATTRIBUTES.get(kind, ())), None)
    if lost is not None:
        raise UnsupportedError(f"a {type(value).__name__} with the attribute '{lost}', which would be lost")
    return {name: has[name] for name in saved if name in has}


def _is_key(value: Any) -> bool:
    return type(value) in _KEYS and (type(value) is not tuple or all(_is_key(part) for part in value))


class _Writer:
    def __init__(self) -> None:
        self.nodes: List[Any] = []
        self.tensors: Dict[str, Tensor] = {}
        self.copied: Dict[str, Copied] = {}
        self.names: Dict[Any, str] = {}  # by the memory of a tensor
        self.open: Set[int] = set()      # containers that enclose the current value
        self.kept: List[Any] = []        # keeps new objects alive that have an id in `open`
        self.version = 1                 # of the format

    def write(self, tree: Any) -> None:
        todo: List[Tuple[Any, Any]] = [(tree, _At(None, ""))]
        depth = 0
        while todo:
            value, at = todo.pop()
            if value is _CLOSE:
                self.open.remove(at)
                depth -= 1
                continue
            children = self._one(value, at)
            if children is None:
                continue
            if id(value) in self.open:
                raise InvalidArgumentError(f"{at.text()}: the {type(value).__name__} contains itself")
            depth += 1
            if depth > MAX_DEPTH:
                raise InvalidArgumentError(f"{at.text()}: deeper than {MAX_DEPTH}")
            self.open.add(id(value))
            todo.append((_CLOSE, id(value)))
            todo += reversed(children)

    def _one(self, value: Any, at: _At) -> Optional[List[Tuple[Any, _At]]]:
        """Adds the node of a value. Returns the children of a container, which follow it."""
        kind = type(value)
        leaf = _LEAVES.get(kind)
        if leaf is not None:
            self.nodes.append(leaf(value))
            return None
        try:
            attributes = attributes_of(value)
        except UnsupportedError as error:
            raise UnsupportedError(f"{at.text()}: {error}") from None
        if attributes:
            bare = collections.OrderedDict(value)
            self.kept.append(bare)
            return self._attributed(bare, attributes, at)
        if kind in DICTS:
            self.nodes.append([DICTS[kind], len(value)])
            return self._items(value, at)
        if kind is list or kind is tuple:
            self.nodes.append([kind.__name__, len(value)])
            return [(part, _At(at, str(i))) for i, part in enumerate(value)]
        if kind is Attributed:
            return self._attributed(value.value, value.attributes, at)
        if kind is Record:
            return self._record(value.kind, value.class_name, value.fields, at)
        record = _kind_of_record(kind)
        if record is not None:
            return self._record(record, _class_name(kind), self._fields(value, record, at), at)
        if kind in _PATHS:
            self.nodes.append(_path_node(value))
            return None
        self._tensor(value, at)
        return None

    def _attributed(self, value: Any, attributes: Mapping[str, Any], at: _At) -> List[Tuple[Any, _At]]:
        if type(value) is Attributed or not attributes or not all(isinstance(name, str) for name in attributes):
            raise InvalidArgumentError(f"{at.text()}: an Attributed needs a value of another type and at least one named attribute")
        self.nodes.append(["attributes"])
        self.version = 2
        attributes = dict(attributes)
        self.kept.append(attributes)
        return [(value, at), (attributes, _At(at, "attributes"))]

    def _items(self, value: Mapping[Any, Any], at: _At) -> List[Tuple[Any, _At]]:
        children = []
        for key, inner in value.items():
            if not _is_key(key):
                raise UnsupportedError(f"{at.text()}: a key of type {type(key).__name__} cannot be stored; expected a string, "
                                       "number, None, bytes or a tuple of these")
            inside = _At(at, str(key))
            children += [(key, inside), (inner, inside)]
        return children

    @staticmethod
    def _fields(value: Any, kind: str, at: _At) -> Dict[str, Any]:
        names = list(value._fields) if kind == "named_tuple" else [field.name for field in dataclasses.fields(value)]
        more = _extra_state(value, names)
        if more is not None:
            raise UnsupportedError(f"{at.text()}: a {_class_name(type(value))} that {more}; a tree stores fields only")
        missing = next((name for name in names if not hasattr(value, name)), None)
        if missing is not None:
            raise InvalidArgumentError(f"{at.text()}: the {_class_name(type(value))} has no value for its field '{missing}'")
        return {name: getattr(value, name) for name in names}

    def _record(self, kind: str, class_name: str, fields: Mapping[str, Any], at: _At) -> List[Tuple[Any, _At]]:
        self.nodes.append([kind, class_name, list(fields)])
        return [(inner, _At(at, name)) for name, inner in fields.items()]

    # ---- Tensors ----

    def _tensor(self, value: Any, at: _At) -> None:
        try:
            memory, convert, form, *attributes = self._given(value)
            name = self.names.get(memory) if memory is not None else None
            if name is None:
                name = self._free_name(at)
                created = convert()
                if isinstance(created, Copied):
                    self.copied[name] = created
                self.tensors[name] = created.tensor if isinstance(created, Copied) else created
                if memory is not None:
                    self.names[memory] = name
        except Exception as error:
            error.args = (f"{at.text()}: {error}", *error.args[1:])
            raise
        if attributes:
            self.nodes.append(["attributes"])
        self.nodes.append(["tensor", name, *form])
        for name, attribute in attributes:
            self.nodes += [["dict", 1], name, attribute]
        if attributes or form[0] == "parameter":
            self.version = 2

    @staticmethod
    def _given(value: Any) -> "Given":
        """Returns a key of the array's memory (None: it cannot be shared), a function that makes a tensor of it, and its form."""
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            return _numpy(numpy, value)
        if torch is not None and isinstance(value, torch.Tensor):
            from ._torch_tensors import _tree_form

            return _tree_form(value)
        if isinstance(value, Tensor):
            return (value.address, value.dtype, value.shape) if value.size else None, lambda: value, ["tensor"]
        if isinstance(value, Sharded):
            raise UnsupportedError("a ckpt.Sharded cannot be stored in a tree, only in a dict of arrays and Sharded values")
        raise _no_place(value)

    def _free_name(self, at: _At) -> str:
        """Returns a name like that in a module's state_dict, with a number appended if it is taken."""
        text = ".".join(at.labels()) or "tensor"
        wanted = text.encode("utf-8", "replace").decode().replace("\0", "?")
        if wanted.isspace() or wanted.startswith("__"):
            wanted = "." + wanted
        if len(wanted) > _LONGEST_NAME:
            wanted = wanted[:_LONGEST_NAME // 2] + "..." + wanted[-_LONGEST_NAME // 2:]
        name, number = wanted, 1
        while name in self.tensors:
            number += 1
            name = f"{wanted}~{number}"
        return name


def _no_place(value: Any) -> UnsupportedError:
    return UnsupportedError(f"a {type(value).__module__}.{type(value).__qualname__} cannot be stored in a tree")


def _numpy(numpy: Any, value: Any) -> Given:
    form = ["array" if isinstance(value, numpy.ndarray) else "scalar"]
    if isinstance(value, numpy.ndarray) and type(value) not in (numpy.ndarray, numpy.memmap):
        raise _no_place(value)
    kind = value.dtype
    wide = kind.newbyteorder("=") == numpy.complex128
    if wide:
        form.append("complex128")
    elif not _has_dtype(kind.newbyteorder("=").name):
        raise UnsupportedError(f"elements of numpy's {kind} cannot be stored in a tree")
    if kind.byteorder == ">" or (kind.byteorder == "=" and sys.byteorder == "big"):
        form.append("big-endian")

    def contiguous() -> Any:
        return numpy.array(value, dtype=kind.newbyteorder("<"), order="C", copy=None if numpy.__version__ >= "2" else False)

    def tensor_of(array: Any) -> Tensor:
        if wide:
            array = array.reshape(array.shape + (1,)).view(numpy.float64)
        if array.dtype.name == "bfloat16":
            return Tensor.borrow(array.view(numpy.uint16), DType.BF16)
        return as_tensor(array)

    def convert() -> Union[Tensor, Copied]:
        array = contiguous()
        if not shared or array.ctypes.data == value.ctypes.data:
            return tensor_of(array)
        write = (lambda: value.__setitem__(..., array)) if can_be_written(value) else None
        return Copied(value, tensor_of(array), lambda: tensor_of(contiguous()), write)

    shared = isinstance(value, numpy.ndarray) and value.size > 0
    return (value.ctypes.data, value.shape, value.strides, kind.str) if shared else None, convert, form


class Written(NamedTuple):
    """A tree's tensors by name, the text with everything else, and the tensors that are copies of arrays."""

    tensors: Dict[str, Tensor]
    text: Tensor
    copied: Dict[str, Copied]


def write_tree(tree: Any) -> Written:
    writer = _Writer()
    writer.write(tree)
    text = json.dumps({"format": "ckpt-tree", "format_version": writer.version, "nodes": writer.nodes}, ensure_ascii=False, allow_nan=False,
                      separators=(",", ":"))
    return Written(writer.tensors, as_tensor(text.encode()), writer.copied)


# ---- Reading text; the library has checked it ----


def _bad(what: str) -> CorruptError:
    return CorruptError(f"the tree's text: {what}")


def _of_bits(text: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


def _of_surrogates(text: str) -> str:
    return bytes.fromhex(text).decode("utf-8", "surrogatepass")


def _path(text: Any, kind: str = "") -> pathlib.PurePath:
    of = {"": pathlib.Path, "posix": pathlib.PurePosixPath, "windows": pathlib.PureWindowsPath}[kind]
    return of(_of_surrogates(text[1]) if isinstance(text, list) else text)


_VALUES: Dict[str, Callable[..., Any]] = {
    "int": lambda text: int(text, 16),
    "float": _of_bits,
    "complex": lambda real, imaginary: complex(_of_bits(real), _of_bits(imaginary)),
    "surrogates": _of_surrogates,
    "bytes": base64.b64decode,
    "bytearray": lambda text: bytearray(base64.b64decode(text)),
    "path": _path,
}
_CONTAINERS = ("list", "tuple", "dict", "ordered_dict", "named_tuple", "dataclass", "attributes")


def _length(node: List[Any]) -> int:
    """Returns the number of values that follow a container's node."""
    if node[0] == "attributes":
        return 2
    return len(node[2]) if node[0] in ("named_tuple", "dataclass") else node[1] * (2 if "dict" in node[0] else 1)


class _Reader:
    def __init__(self, tensor_of: Callable[[str], Tensor], types: Types, arrays: Mapping[str, Any]) -> None:
        self.tensor_of, self.arrays = tensor_of, arrays
        given = types if isinstance(types, Mapping) else dict(enumerate([types] if isinstance(types, type) else types))
        for each in given.values():
            if not isinstance(each, type) or _kind_of_record(each) is None:
                raise InvalidArgumentError(f"types: expected classes of dataclasses or named tuples, found {each!r}")
        self.types = {name if isinstance(types, Mapping) else _class_name(each): each for name, each in given.items()}
        self.read_tensors: Dict[str, Tensor] = {}
        self.created: Dict[Tuple[Any, ...], Any] = {}  # values that several nodes share

    def read(self, nodes: List[Any]) -> Any:
        whole: List[Any] = []  # the tree, when it is complete
        open_nodes: List[Tuple[List[Any], int, List[Any]]] = [(["list", 1], 1, whole)]  # node, number of parts, parts read so far
        for node in nodes:
            if isinstance(node, list) and node[0] in _CONTAINERS:
                open_nodes.append((node, _length(node), []))
            else:
                container, _, parts = open_nodes[-1]
                parts.append(self._value(node, container[0] == "attributes") if isinstance(node, list) else node)
            while len(open_nodes) > 1 and len(open_nodes[-1][2]) == open_nodes[-1][1]:
                container, _, parts = open_nodes.pop()
                open_nodes[-1][2].append(self._close(container, parts))
        return whole[0]

    def _close(self, node: List[Any], parts: List[Any]) -> Any:
        kind = node[0]
        if kind == "attributes":
            return self._attributed(*parts)
        if kind in ("list", "tuple"):
            return parts if kind == "list" else tuple(parts)
        if kind in ("dict", "ordered_dict"):
            return (dict if kind == "dict" else collections.OrderedDict)(zip(parts[::2], parts[1::2]))
        return self._record(node[1], dict(zip(node[2], parts)), kind)

    @staticmethod
    def _attributed(value: Any, attributes: Dict[str, Any]) -> Any:
        if set(attributes) <= set(SAVED_ATTRIBUTES.get(type(value), ())):
            vars(value).update(attributes)
            return value
        if list(attributes) == ["requires_grad"] and type(attributes["requires_grad"]) is bool and _is_torch(value):
            try:
                return value.requires_grad_(attributes["requires_grad"])
            except RuntimeError as error:  # for tensors of integers
                raise _bad(f"requires_grad of a tensor: {error}") from None
        return Attributed(value, attributes)

    def _record(self, name: str, fields: Dict[str, Any], kind: str) -> Any:
        of = self.types.get(name)
        if of is None:
            return Record(name, fields, kind)
        if _kind_of_record(of) != kind:
            kind_name = kind.replace("_", " ")
            raise InvalidArgumentError(f"types: {_class_name(of)} is not a {kind_name}; the checkpoint's '{name}' is one")
        wanted = of._fields if kind == "named_tuple" else [field.name for field in dataclasses.fields(of)]  # type: ignore[attr-defined]
        if set(wanted) != set(fields):
            raise InvalidArgumentError(f"types: {_class_name(of)} has the fields {', '.join(wanted)}; the checkpoint's has "
                                       f"{', '.join(fields)}")
        if kind == "named_tuple":
            return tuple.__new__(of, [fields[field] for field in wanted])  # type: ignore[type-var]
        created = object.__new__(of)
        for field, value in fields.items():
            object.__setattr__(created, field, value)
        return created

    def _value(self, node: List[Any], has_attributes: bool) -> Any:
        kind = node[0]
        if kind != "tensor":
            return _VALUES[kind](*node[1:])
        _, name, form, *more = node
        key = (name, form, has_attributes, *more)  # an attribute belongs to one object
        if key not in self.created or form == "scalar":
            self.created[key] = self._tensor(name, form, more)
        return self.created[key]

    def _tensor(self, name: str, form: str, more: List[str]) -> Any:
        if name in self.arrays:
            return self.arrays[name]
        try:
            if name not in self.read_tensors:
                self.read_tensors[name] = self.tensor_of(name)
            tensor = self.read_tensors[name]
        except NotFoundError as error:
            raise _bad(str(error)) from None
        if form == "tensor":
            return tensor
        if form in ("torch", "parameter"):
            from ._torch_tensors import _from_tree

            try:
                return _from_tree(tensor, form, more)
            except UnsupportedError as error:
                raise UnsupportedError(f"tensor '{name}': {error}") from None
        array = _numpy_of(tensor, more)
        return array if form == "array" else array[()]


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _numpy_of(tensor: Tensor, more: List[str]) -> Any:
    import numpy

    if tensor.dtype == DType.BF16:
        import ml_dtypes

        array = numpy.frombuffer(tensor.raw(), ml_dtypes.bfloat16).reshape(tensor.shape)
    else:
        array = tensor.numpy()
    if "complex128" in more:
        array = array.view(numpy.complex128).reshape(array.shape[:-1])
    return array.astype(array.dtype.newbyteorder(">")) if "big-endian" in more else array


def read_tree(text: Tensor, tensor_of: Callable[[str], Tensor], types: Types = (), arrays: Mapping[str, Any] = {}) -> Any:
    """Returns the tree of a text. tensor_of(name) reads a tensor; arrays: those that exist already."""
    data = bytes(text.raw())
    _n.ckpt_tree_release(_n.ckpt_tree_create_from_text(data))  # raises if it is not a tree
    return _Reader(tensor_of, types, arrays).read(json.loads(data)["nodes"])
