"""Tensors: memory with a dtype and a shape, shared with numpy and other libraries without a copy."""

from __future__ import annotations

import sys
from typing import Any, Optional, Sequence, Tuple, Union

from . import _native as _n
from ._base import _Owned, _Shared
from ._root import handle_of, made_by
from .generated import methods as _m
from .generated.errors import UnsupportedError
from .generated.values import DType

__all__ = ["Tensor", "BufferPool", "as_tensor"]


_from_numpy = {
    "bool": DType.BOOL, "uint8": DType.U8, "int8": DType.I8, "int16": DType.I16, "uint16": DType.U16, "float16": DType.F16,
    "bfloat16": DType.BF16, "int32": DType.I32, "uint32": DType.U32, "float32": DType.F32, "int64": DType.I64, "uint64": DType.U64,
    "float64": DType.F64, "complex64": DType.C64,
}
_by_name = {**_from_numpy, **{dtype.safetensors_name: dtype for dtype in DType}}
DTypeLike = Union[DType, str, int, Any]


def _has_dtype(numpy_name: str) -> bool:
    return numpy_name in _from_numpy


def _dtype(kind: DTypeLike) -> DType:
    """Returns the DType of a DType, its name, a numpy dtype or the name of one."""
    if isinstance(kind, DType):
        return kind
    if isinstance(kind, int):
        return DType(kind)
    if isinstance(kind, str):
        return _by_name[kind] if kind in _by_name else DType.from_name(kind)
    if isinstance(kind, type) and kind.__module__ == "builtins" and kind in (float, int, bool):
        return {float: DType.F64, int: DType.I64, bool: DType.BOOL}[kind]
    name = getattr(kind, "name", None) or getattr(kind, "__name__", None)
    if name in _from_numpy:
        return _from_numpy[name]
    raise UnsupportedError(f"{kind!r}: expected a dtype of tensors")


class BufferPool(_m.BufferPoolMethods, _Owned):
    """Reuses the memory of tensors for others of the same size."""


class Tensor(_m.TensorMethods, _n.TensorBuffer, _Shared):
    """A row-major, contiguous tensor. Tensor(dtype, shape) has undefined contents.

    numpy.asarray(tensor) and memoryview(tensor) are views of the same memory and keep it alive, also after close(). Types without a
    buffer format (BF16, F8_...) provide their bytes by raw()."""

    def __init__(self, dtype: DTypeLike, shape: Sequence[int], pool: Optional[BufferPool] = None) -> None:
        self._adopt(_n.ckpt_tensor_create(_dtype(dtype), list(shape), handle_of(pool)))

    @classmethod
    def _lent(cls, handle: Any) -> Optional["Tensor"]:
        """Returns a new reference to a tensor that a callback borrows."""
        if handle is None:
            return None
        _n.ckpt_tensor_retain(handle)
        return cls._of(handle)

    @classmethod
    def borrow(cls, buffer: Any, dtype: Optional[DTypeLike] = None) -> "Tensor":
        """Returns a tensor over the memory of an object with a buffer (numpy array, bytearray, array.array, memoryview, bytes),
        which is kept alive; read-only when the buffer is. dtype: for elements that Python has no format for, such as BF16 in a
        uint16 array. Raises TypeError for elements without a dtype and for memory that is not C-contiguous."""
        return cls._of(_n.ckpt_tensor_create_borrowed(buffer, 0 if dtype is None else _dtype(dtype)))

    @classmethod
    def from_dlpack(cls, source: Any) -> "Tensor":
        """Returns a tensor over the memory of a DLPack capsule, or of an object with __dlpack__ (torch, jax, numpy), which is asked
        not to copy it."""
        capsule = _dlpack_capsule(source) if hasattr(source, "__dlpack__") else source
        if '"dltensor_versioned"' in repr(capsule):
            return cls._of(_n.ckpt_tensor_create_from_dlpack_versioned(capsule))
        return cls._of(_n.ckpt_tensor_create_from_dlpack(capsule))

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None, dl_device: Any = None,
                   copy: Optional[bool] = None) -> Any:
        if copy:
            raise BufferError("copy: expected None or False; tensors are exported without a copy only")
        if dl_device is not None and tuple(dl_device) != (1, 0):
            raise BufferError("device: expected the CPU, where all tensors are")
        if max_version is not None and max_version[0] >= 1:
            return _n.ckpt_tensor_export_dlpack_versioned(self._h)
        return _n.ckpt_tensor_export_dlpack(self._h)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    @property
    def shape(self) -> Tuple[int, ...]:
        return _n.ckpt_tensor_get_shape(self._h)

    @property
    def address(self) -> int:
        """Address of the first element, for reading; 0 without elements. Valid as long as the tensor."""
        return _n.ckpt_tensor_get_const_data(self._h)

    @property
    def writable_address(self) -> int:
        """Address of the first element, for writing; 0 without elements and for a read-only tensor."""
        return _n.ckpt_tensor_get_data(self._h)

    def numpy(self) -> Any:
        """Returns a numpy view of the same memory."""
        import numpy

        return numpy.asarray(memoryview(self))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        """Called by numpy when the buffer was refused: raises the reason. Otherwise numpy would create an array of one object."""
        return self.numpy()

    def raw(self) -> memoryview:
        """Returns the bytes, of any dtype, as a flat memoryview that keeps the tensor alive."""
        raw = _n.RawBuffer()
        raw._slot = self._h
        return memoryview(raw)

    def dot(self, other: "Tensor") -> float:
        return _n.ckpt_tensor_dot(self._h, other._h)

    def __repr__(self) -> str:
        if self.closed:
            return "Tensor(closed)"
        return f"Tensor({self.dtype.name}, {list(self.shape)}{', read-only' if self.read_only else ''})"


def _dlpack_capsule(source: Any) -> Any:
    """Returns a capsule of the newest protocol of the object. Only a versioned one may hold a copy, which is therefore
    forbidden."""
    if callable(getattr(source, "is_neg", None)) and source.is_neg():  # torch exports it as if the bit were not set
        raise UnsupportedError("a torch tensor with the negative bit: its memory has the opposite signs (resolve_neg() copies it)")
    for options in ({"max_version": (1, 1), "copy": False}, {"max_version": (1, 1)}):
        try:
            return source.__dlpack__(**options)
        except TypeError:
            pass
    return source.__dlpack__()


def as_tensor(source: Any) -> Tensor:
    """Returns source if it is a Tensor, else a tensor over its memory, by its buffer or by __dlpack__."""
    if isinstance(source, Tensor):
        return source
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(source, numpy.ma.MaskedArray):
        raise UnsupportedError("a numpy MaskedArray: its mask would be lost (array.data holds the elements alone)")
    try:
        memoryview(source).release()
    except (TypeError, BufferError, ValueError):
        if hasattr(source, "__dlpack__"):
            return Tensor.from_dlpack(source)
        raise TypeError(f"a {type(source).__name__} has neither a buffer nor __dlpack__") from None
    return Tensor.borrow(source)


_formats = {1: "B", 2: "H", 4: "I", 8: "Q"}  # format characters of memoryview, by bytes of an element


def _seen_as(tensor: Tensor, dtype: DType, read_only: bool = False) -> Tensor:
    """Returns a tensor over the same memory with another dtype of the same size in whole bytes. Needs at least one element."""
    elements = tensor.raw().toreadonly() if read_only else tensor.raw()
    return Tensor.borrow(elements.cast(_formats[dtype.bits // 8], tensor.shape), dtype)


made_by["as_tensor"] = as_tensor
made_by["as_dtype"] = _dtype
made_by["tensor"] = lambda source: None if source is None else as_tensor(source)
made_by["dtype"] = lambda kind: 0 if kind is None else _dtype(kind)


def _numpy_or_tensor(tensor: Tensor) -> Any:
    """Returns a numpy view that shares the tensor's memory; the Tensor itself when numpy is missing or lacks the type."""
    try:
        return tensor.numpy()
    except (ImportError, BufferError, ValueError):
        return tensor
