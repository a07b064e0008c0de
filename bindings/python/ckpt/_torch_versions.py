"""Versions of modules in a state_dict that is saved as tensors by name: its attribute "_metadata" in the text form of a tree."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Dict, Mapping, Optional

from ._root import _at, CkptError
from ._tensor import as_tensor
from ._trees import attributes_of, DICTS, read_tree, write_tree
from .generated.errors import InvalidArgumentError, UnsupportedError

VERSIONS = "_metadata"


def versions_of(states: Any, path: str) -> Optional[str]:
    try:
        # A subclass of dict saves its items, as a dict does.
        kind = next((base for base in (OrderedDict, dict) if isinstance(states, base)), None)
        attributes = attributes_of(states, None if type(states) in DICTS else kind)
        if VERSIONS not in attributes:
            return None
        written = write_tree(attributes[VERSIONS])
        if written.tensors:
            raise UnsupportedError(f"tensors in '{VERSIONS}' can be stored in a tree only")
    except Exception as error:
        raise _at(path, error)
    return bytes(written.text.raw()).decode()


def versions_by_group(states: Mapping[str, Any], group: str = "model") -> Dict[str, str]:
    """Returns the versions by group. group: that of the tensors outside the dicts."""
    parts = [(group, states), *((name, part) for name, part in states.items() if isinstance(part, Mapping))]
    texts = [(name, versions_of(part, name)) for name, part in parts]
    return {name: text for name, text in texts if text is not None}


def require_same_versions(saved: Any, versions: Mapping[str, str]) -> None:
    """Refuses to fill tensors in place from an earlier version of a module: the contents would need a conversion. saved: the
    checkpoint's value VERSIONS; versions: those of the filled tensors, by group."""
    for group, text in versions.items():
        if not isinstance(saved, dict) or not isinstance(saved.get(group), str):
            continue
        before, now = versions_in(saved[group]), versions_in(text)
        for module in before.keys() & now.keys():
            old, new = (of[module].get("version") if isinstance(of[module], Mapping) else None for of in (before, now))
            if old != new:
                raise InvalidArgumentError(f"{group}.{module}: the checkpoint has version {old} of this module, the state_dict version "
                                           f"{new}; the tensors were filled, but not converted: resume or load_state_dict does that")


def versions_in(text: str) -> Any:
    """Parses the value VERSIONS; returns an empty dict if it is not valid."""
    try:
        value = read_tree(as_tensor(text.encode()), {}.__getitem__)
    except (CkptError, KeyError):
        value = None
    return value if isinstance(value, dict) else {}
