"""Tensors that are distributed over the ranks of a run, for use instead of arrays in dicts."""

from __future__ import annotations

import operator
from typing import Any, Callable, Iterable, List, Mapping, Sequence, Tuple, Union

from ._tensor import DTypeLike, Tensor, _dtype

__all__ = ["Sharded"]

Blocks = Union[Mapping[Tuple[int, ...], Any], Iterable[Tuple[Sequence[int], Any]]]


class Sharded:
    """A tensor that is distributed over the ranks of a run, for use instead of an array in a dict of arrays: its global shape, its
    dtype, and this rank's blocks. Every rank specifies the same shape and dtype.

        ckpt.Sharded((1024, 512), "float32", {(256 * rank, 0): rows})    # 256 rows of each of 4 ranks

    blocks: arrays by their offsets in each dimension; there may be several, or none. Arrays are shared, not copied: a save reads
    and a load fills them."""

    def __init__(self, shape: Sequence[int], dtype: DTypeLike, blocks: Blocks = ()) -> None:
        pairs = blocks.items() if isinstance(blocks, Mapping) else blocks
        self.shape: Tuple[int, ...] = tuple(operator.index(length) for length in shape)
        self.dtype = _dtype(dtype)
        self.blocks: List[Tuple[Tuple[int, ...], Any]] = [(tuple(operator.index(offset) for offset in offsets), array)
                                                          for offsets, array in pairs]

    def __repr__(self) -> str:
        return f"Sharded({self.dtype.name}, {list(self.shape)}, blocks at {[list(offsets) for offsets, _ in self.blocks]})"

    def _with(self, convert: Callable[[Any], Tensor]) -> "Sharded":
        """Returns a copy with the blocks converted to Tensors."""
        return Sharded(self.shape, self.dtype, [(offsets, convert(array)) for offsets, array in self.blocks])
