"""Common parts of the tree forms of numpy arrays and torch tensors."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

from ._tensor import _seen_as, Tensor


class Copied:
    """A contiguous copy of an array with memory that cannot be shared: strided, of the other byte order, or on a device. read()
    returns the array's current elements; write() fills the array from `elements`, and is None if it cannot be written."""

    def __init__(self, array: Any, elements: Tensor, read: Callable[[], Tensor], write: Optional[Callable[[], Any]]) -> None:
        self.array, self.elements, self._read, self._write = array, elements, read, write
        self.tensor = elements if write is not None else _seen_as(elements, elements.dtype, read_only=True)  # refused by a load

    def refresh(self) -> None:
        """Reads the array again. Equal elements are not written: a save in the background may be reading them."""
        now = self._read()
        if not self.elements.is_bit_equal(now):
            self.elements.copy_from(now)

    def write_back(self) -> None:
        if self._write is not None:
            self._write()


def can_be_written(array: Any) -> bool:
    """Returns whether an array of numpy or torch is writable and repeats no element (stride 0)."""
    strides = array.stride() if callable(getattr(array, "stride", None)) else getattr(array, "strides", ())
    repeats = any(stride == 0 and length > 1 for stride, length in zip(strides, array.shape))
    return not repeats and bool(getattr(getattr(array, "flags", None), "writeable", True))


# A key of the memory (None: it cannot be shared), a function that returns a Tensor or a copy, the rest of the tensor's node, and at
# most one attribute as name and value.
Given = Tuple[Any, ...]
