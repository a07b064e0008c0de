"""Fills a template in place from a loaded tree."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, List

from ._tensor import Tensor
from ._tree_arrays import can_be_written
from ._trees import _At, _is_torch, Record, SAVED_ATTRIBUTES
from .generated.errors import InvalidArgumentError


class _Filler:
    """Fills a template. Compares everything before it changes anything."""

    def __init__(self) -> None:
        self.changes: List[Callable[[], Any]] = []

    def fill(self, template: Any, value: Any, at: _At) -> Any:
        """Returns the value that replaces the template."""
        if isinstance(template, dict):
            self._require(isinstance(value, dict) and set(template) == set(value), template, value, at)
            self._fill_attributes(template, value, at)
            for key in template:
                self._replace(template, key, value[key], at)
            return template
        if isinstance(template, list):
            self._require(isinstance(value, list) and len(template) == len(value), template, value, at)
            for i in range(len(template)):
                self._replace(template, i, value[i], at)
            return template
        if isinstance(template, tuple):
            parts = list(value.fields.values()) if isinstance(value, Record) else value
            self._require(isinstance(parts, (tuple, list)) and len(template) == len(parts), template, value, at)
            filled = [self.fill(mine, part, _At(at, str(i))) for i, (mine, part) in enumerate(zip(template, parts))]
            return tuple.__new__(type(template), filled)
        if dataclasses.is_dataclass(template) and not isinstance(template, type):
            return self._fields(template, value, at)
        return self._leaf(template, value, at)

    def _fill_attributes(self, template: Any, value: Any, at: _At) -> None:
        """Sets the attributes from the checkpoint, except requires_grad of the template's tensors."""
        names = [name for name in SAVED_ATTRIBUTES.get(type(value), ()) if name in vars(value)]
        can_have = names and hasattr(template, "__dict__")
        self._require(not names or can_have, template, value, at)
        for name in names:
            self.changes.append(lambda name=name: setattr(template, name, getattr(value, name)))

    def _replace(self, holder: Any, key: Any, value: Any, at: _At) -> None:
        filled = self.fill(holder[key], value, _At(at, str(key)))
        if filled is not holder[key]:
            self.changes.append(lambda: holder.__setitem__(key, filled))

    def _fields(self, template: Any, value: Any, at: _At) -> Any:
        names = [field.name for field in dataclasses.fields(template)]
        fields = value.fields if isinstance(value, Record) else getattr(value, "__dict__", None) or {
            name: getattr(value, name) for name in names if hasattr(value, name)}
        self._require(set(names) == set(fields), template, value, at)
        for name in names:
            filled = self.fill(getattr(template, name), fields[name], _At(at, name))
            if filled is not getattr(template, name):
                self.changes.append(lambda name=name, filled=filled: object.__setattr__(template, name, filled))
        return template

    def _leaf(self, template: Any, value: Any, at: _At) -> Any:
        if isinstance(template, Tensor):
            fits = isinstance(value, Tensor) and (template.dtype, template.shape) == (value.dtype, value.shape)
            self._require(fits, template, value, at)
            if template.read_only:
                raise InvalidArgumentError(f"{at.text()}: the template is read-only")
            self.changes.append(lambda: template.copy_from(value))
            return template
        shape, kind = getattr(template, "shape", None), getattr(template, "dtype", None)
        if shape is None or kind is None or not hasattr(template, "__setitem__"):
            same = template is None or value is None or isinstance(value, type(template)) or isinstance(template, type(value))
            self._require(same, template, value, at)
            return value
        self._require(tuple(shape) == tuple(getattr(value, "shape", ())) and kind == getattr(value, "dtype", None), template, value, at)
        is_torch = _is_torch(template)
        if is_torch and template.device.type == "meta":
            raise InvalidArgumentError(f"{at.text()}: the template is on the device 'meta', which has no memory to load into")
        if not can_be_written(template):
            raise InvalidArgumentError(f"{at.text()}: the template repeats elements or is read-only")
        if is_torch:
            from ._torch_tensors import _fill

            self.changes.append(lambda: _fill(template, value))
        else:
            self.changes.append(lambda: template.__setitem__(..., value))
        return template

    @staticmethod
    def _require(fits: bool, template: Any, value: Any, at: _At) -> None:
        if not fits:
            raise InvalidArgumentError(f"{at.text()}: the template has {_shown(template)}, the checkpoint {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, Record):
        return f"a record of {value.class_name} with {', '.join(value.fields)}"
    if isinstance(value, dict):
        return "a dict with the keys " + ", ".join(repr(key) for key in value)
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + (f" of {value.dtype} {list(shape)}" if shape is not None else "")


def fill_tree(template: Any, value: Any) -> Any:
    """Returns the template with the contents of a tree: arrays, dicts, lists and dataclasses are filled in place."""
    filler = _Filler()
    try:
        filled = filler.fill(template, value, _At(None, ""))
    except RecursionError:
        raise InvalidArgumentError("the template contains itself or exceeds Python's recursion limit") from None
    for change in filler.changes:
        change()
    return filled
