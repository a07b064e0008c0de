"""Base of the files in generated/: the root of the exceptions, enumerations that accept any number, and handles."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any, Callable, Dict, Optional, Type

from . import _native as _n


class CkptError(Exception):
    """A failed call of the library. status: the C API's number; status_name: its name ("CORRUPT")."""

    status: int = 0

    def __init__(self, message: str = "", status: Optional[int] = None) -> None:
        super().__init__(message)
        if status is not None:
            self.status = status

    @property
    def status_name(self) -> str:
        return _n.ckpt_status_name(self.status)


class OpenEnum(IntEnum):
    """An enumeration in which an unknown number, from a newer library, becomes a member UNKNOWN_<number>."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            return None
        created = int.__new__(cls, value)
        created._name_ = f"UNKNOWN_{int(value)}"
        created._value_ = int(value)
        return created

    def __str__(self) -> str:
        return self._name_

    def __format__(self, how: str) -> str:
        return format(self._name_ if how == "" or how.endswith("s") else int(self), how)


class DTypeBase(OpenEnum):
    """Properties of each DType."""

    @property
    def bits(self) -> int:
        """Bits of one element."""
        return _n.ckpt_dtype_bits(self)

    @property
    def safetensors_name(self) -> str:
        return _n.ckpt_dtype_name(self)

    @classmethod
    def from_name(cls, name: str) -> Any:
        """Returns the type with this name. Raises NotFoundError for an unknown one."""
        return cls(_n.ckpt_dtype_find(name))


class ActionKindBase(OpenEnum):
    """Properties of each ActionKind."""

    @property
    def text(self) -> str:
        return _n.ckpt_action_kind_name(self)


class Members(Dict[int, Any]):
    """The members of an enumeration by number: faster than calling it. A 0 that is not a member gives None."""

    def __init__(self, kind: Type[IntEnum]) -> None:
        super().__init__((int(member), member) for member in kind)
        self.kind = kind

    def __missing__(self, number: int) -> Any:
        return None if number == 0 and not issubclass(self.kind, IntFlag) else self.kind(number)


classes: Dict[str, Any] = {}  # classes of library objects, by name
made_by: Dict[str, Callable[[Any], Any]] = {}  # convert a caller's value to a tensor, a strategy, or a dtype's number


def handle_of(owned: Any) -> Any:
    return None if owned is None else owned._h


def _at(path: str, error: Exception) -> Exception:
    """Prefixes the message of an error with its path, and returns the error."""
    error.args = (f"{path}: {error}", *error.args[1:])
    return error
