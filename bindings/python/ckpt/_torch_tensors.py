"""Converts torch tensors to Tensors and back: element types, contents, and their representation in trees."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple, Union

import torch as _torch

from ._tensor import _seen_as, Tensor, as_tensor as _any_tensor
from ._tree_arrays import can_be_written, Copied, Given
from .generated.errors import UnsupportedError
from .generated.values import DType


class _Kind(NamedTuple):
    """An element type and its name in torch. Where DLPack, or its implementation in some version of torch, lacks the type: the type
    of the same size under which its bytes are exchanged."""

    name: str
    dtype: DType
    passes: Optional[Tuple[str, DType]] = None


_KINDS = (
    _Kind("bool", DType.BOOL, ("uint8", DType.U8)),
    _Kind("uint8", DType.U8),
    _Kind("int8", DType.I8),
    _Kind("float8_e5m2", DType.F8_E5M2, ("uint8", DType.U8)),
    _Kind("float8_e4m3fn", DType.F8_E4M3, ("uint8", DType.U8)),
    _Kind("float8_e8m0fnu", DType.F8_E8M0, ("uint8", DType.U8)),
    _Kind("float8_e4m3fnuz", DType.F8_E4M3FNUZ, ("uint8", DType.U8)),
    _Kind("float8_e5m2fnuz", DType.F8_E5M2FNUZ, ("uint8", DType.U8)),
    _Kind("int16", DType.I16),
    _Kind("uint16", DType.U16, ("int16", DType.I16)),
    _Kind("float16", DType.F16),
    _Kind("bfloat16", DType.BF16, ("int16", DType.I16)),
    _Kind("int32", DType.I32),
    _Kind("uint32", DType.U32, ("int32", DType.I32)),
    _Kind("float32", DType.F32),
    _Kind("int64", DType.I64),
    _Kind("uint64", DType.U64, ("int64", DType.I64)),
    _Kind("float64", DType.F64),
    _Kind("complex64", DType.C64),
)
_by_dtype = {kind.dtype: kind for kind in _KINDS}
_by_torch = {getattr(_torch, kind.name): kind for kind in _KINDS if hasattr(_torch, kind.name)}  # older versions lack some


def as_tensor(tensor: "_torch.Tensor") -> Tensor:
    """Returns a Tensor over the memory of a contiguous torch tensor on the CPU, without its autograd history."""
    if tensor.device.type == "meta":
        raise UnsupportedError("a tensor on the device 'meta' has no memory")
    plain = tensor.detach()
    kind = _by_torch.get(plain.dtype)
    if kind is None or kind.passes is None or plain.is_neg():  # this also refuses types missing from the table
        return Tensor.from_dlpack(plain)
    if plain.numel() == 0:
        return Tensor(kind.dtype, plain.shape)
    return _seen_as(Tensor.from_dlpack(plain.view(getattr(_torch, kind.passes[0]))), kind.dtype)


def to_torch(tensor: Tensor) -> "_torch.Tensor":
    """Returns a torch tensor over the memory of a Tensor. Raises UnsupportedError for element types that this version of torch
    lacks."""
    kind = _by_dtype.get(tensor.dtype)
    dtype = None if kind is None else getattr(_torch, kind.name, None)
    if kind is None or dtype is None:
        missing = "type for such elements" if kind is None else kind.name
        raise UnsupportedError(f"a tensor of dtype {tensor.dtype.name}: torch {_torch.__version__} has no {missing}")
    if tensor.size == 0:
        return _torch.empty(tensor.shape, dtype=dtype)
    if kind.passes is None:
        return _torch.from_dlpack(tensor)
    return _torch.from_dlpack(_seen_as(tensor, kind.passes[1])).view(dtype)


def _convert(value: Any) -> Tensor:
    """Returns the contents for a save, also of strided tensors and those on other devices."""
    if not isinstance(value, _torch.Tensor):
        return _any_tensor(value)
    _require_contents(value)
    return as_tensor(_plain(value))


def _plain(value: "_torch.Tensor") -> "_torch.Tensor":
    return value.detach().cpu().resolve_conj().resolve_neg().contiguous()


# ---- In a tree (State.add_tree) ----


def _require_contents(value: "_torch.Tensor") -> None:
    if type(value) not in (_torch.Tensor, _torch.nn.Parameter):
        raise UnsupportedError(f"a {type(value).__module__}.{type(value).__qualname__}, a subclass of torch.Tensor, cannot be stored "
                               "in a checkpoint")
    if value.device.type == "meta":
        raise UnsupportedError("a tensor on the device 'meta' has no contents")
    if value.layout is not _torch.strided or value.is_quantized or getattr(value, "is_nested", False):
        kind = "quantized" if value.is_quantized else "nested" if getattr(value, "is_nested", False) else value.layout
        raise UnsupportedError(f"a {kind} tensor cannot be stored in a checkpoint")
    if value.has_names():
        raise UnsupportedError("a tensor with named dimensions, which would be lost; rename(None) removes them")


def _tree_form(value: "_torch.Tensor") -> Given:
    _require_contents(value)
    if vars(value):
        raise UnsupportedError(f"a {type(value).__name__} with the attribute '{next(iter(vars(value)))}', which would be lost")

    def tensor_of(plain: "_torch.Tensor") -> Tensor:
        return as_tensor(_torch.view_as_real(plain) if plain.dtype is _torch.complex128 else plain)

    def convert() -> Union[Tensor, Copied]:
        plain = _plain(value)
        if value.numel() == 0 or (plain.data_ptr() == value.data_ptr() and plain.device == value.device):
            return tensor_of(plain)
        write = (lambda: _fill(value, plain)) if can_be_written(value) else None
        return Copied(value, tensor_of(plain), lambda: tensor_of(_plain(value)), write)

    is_parameter = type(value) is _torch.nn.Parameter
    form = ["parameter" if is_parameter else "torch"] + (["complex128"] if value.dtype is _torch.complex128 else [])
    requires_grad = value.is_leaf and value.requires_grad  # computed tensors are saved without their history
    attribute = [("requires_grad", requires_grad)] if requires_grad is not is_parameter else []
    shared = (value.device, value.data_ptr(), tuple(value.shape), value.stride(), value.dtype, value.is_conj(),
              value.is_neg()) if value.numel() else None
    return (shared, convert, form, *attribute)


def _fill(target: "_torch.Tensor", source: "_torch.Tensor") -> None:
    """Copies the elements, on any device, outside autograd. Inference tensors can be written in inference mode only."""
    with _torch.inference_mode() if target.is_inference() else _torch.no_grad():
        target.detach().copy_(source)


def _from_tree(tensor: Tensor, form: str, more: List[str]) -> "_torch.Tensor":
    created = to_torch(tensor)
    if "complex128" in more:
        created = _torch.view_as_complex(created)
    return _torch.nn.Parameter(created, created.is_floating_point() or created.is_complex()) if form == "parameter" else created
