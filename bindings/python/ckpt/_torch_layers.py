"""Groups the entries of a chain into the layers of its schedule."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import torch as _torch

from ._torch_graph import _Begin, _leaves_of, _Root, _seed
from ._torch_values import (Buffers, _is_tensor, _kept_buffers, _modules_of, _plain, _same_bits, _storage, _storages, Values,
                            _values_of)
from .generated.errors import UnsupportedError
from .generated.values import LayerFlag, OptionProfile

class _Layer:
    """Entries that run as one layer. An entry that writes into its input, or returns a view of it, is merged with the previous
    one."""

    def __init__(self, name: str, entries: Sequence[Sequence[Any]]) -> None:
        count = max(len(forms) for forms in entries)
        self.name = name
        self.forms = [tuple(forms[min(number, len(forms) - 1)] for forms in entries) for number in range(count)]
        self.modules = _modules_of(form for forms in self.forms for form in forms)
        self.has_functions = any(not isinstance(form, _torch.nn.Module) for forms in self.forms for form in forms)
        self.others: List[Any] = []  # leaves that its functions use and its modules do not hold
        self.changed: Buffers = []   # buffers that running it changes
        self.input_mask: Tuple[bool, ...] = ()  # which of its inputs have gradients
        self.output_mask: Tuple[bool, ...] = ()
        self.gives_tensor = True
        self.flags = LayerFlag.DETERMINISTIC
        self.output_bytes = self.ambient_bytes = 0
        self.options: List[OptionProfile] = []
        self.record_workspaces: List[int] = []  # of each option, when it records and returns its output

    def parameters(self) -> List["_torch.Tensor"]:
        found = {id(parameter): parameter for module in self.modules for parameter in module._parameters.values()
                 if parameter is not None and parameter.requires_grad}
        found.update((id(leaf), leaf) for leaf in self.others if leaf.requires_grad)
        return list(found.values())

    def buffers(self) -> Buffers:
        return [(module, name) for module in self.modules for name in module._buffers]

    def run(self, option: int, values: Values) -> Values:
        given: Any = values
        for form in self.forms[option]:
            given = form(*values)
            values = _values_of(given, self.name)
        self.gives_tensor = not isinstance(given, tuple)
        return values


def _name_of(entries: Sequence[Sequence[Any]], first: int) -> str:
    names = [type(forms[0]).__name__ if isinstance(forms[0], _torch.nn.Module) else getattr(forms[0], "__name__", "function")
             for forms in entries]
    return f"{first} {'+'.join(names)}"


def _layers_of(entries: Sequence[Sequence[Any]], values: Values, mask: Tuple[bool, ...]) -> Tuple[int, List[_Layer], Values]:
    """Runs every entry once to find which entries have no gradient yet, which must run as one, and which gradients and buffers
    exist. Returns the number of entries before the first layer, the layers, and the inputs of the first layer."""
    groups: List[List[int]] = []
    facts: List[Tuple[Any, ...]] = []  # of each entry: its inputs, masks and leaves
    joins_next = False  # the next entry joins the first group, which cannot be a layer alone
    for number, forms in enumerate(entries):
        step_layer = _Layer(str(number), [forms])
        before = [value._version if _is_tensor(value) else 0 for value in values]
        sink: List[Any] = []
        with _torch.enable_grad():
            args = values
            if any(mask):
                begun = iter(_Begin.apply(sink, _seed(), *(value for value, has in zip(values, mask) if has)))
                args = tuple(next(begun) if has else value for value, has in zip(values, mask))
            given = step_layer.run(0, args)
            del args
            out_mask = tuple(_is_tensor(value) and value.requires_grad for value in given)
            with_history = [value for value in given if _is_tensor(value) and value.requires_grad]
            leaves = _leaves_of(_Root.apply([], *with_history)) if with_history else []
        del with_history
        wrote = any(_is_tensor(value) and value._version != version for value, version in zip(values, before))
        shared = _storages(values)
        tensors = [value for value in given if _is_tensor(value) and (value.requires_grad or not any(out_mask))]
        is_view = bool(tensors) and all(_storage(value)[0] in shared for value in tensors)
        if wrote and not groups:
            raise UnsupportedError(f"layer {number} writes into the chain's input: recomputing it would give different bits")
        facts.append((values, mask, out_mask, leaves))
        if groups and (wrote or is_view or joins_next):
            groups[-1].append(number)
            joins_next = False
        else:
            groups.append([number])
            joins_next = is_view  # only in the first group
        values, mask = tuple(_plain(given)), out_mask
        del given, tensors
    return _built(entries, groups, facts)


def _built(entries: Sequence[Sequence[Any]], groups: List[List[int]],
           facts: List[Tuple[Any, ...]]) -> Tuple[int, List[_Layer], Values]:
    first = 0  # of the groups after the last one with an output that has no gradient
    for number, group in enumerate(groups):
        if not any(facts[group[-1]][2]):
            first = number + 1
    if first == len(groups):
        return len(entries), [], ()
    layers = []
    for group in groups[first:]:
        layer = _Layer(_name_of([entries[number] for number in group], group[0]), [entries[number] for number in group])
        layer.input_mask, layer.output_mask = facts[group[0]][1], facts[group[-1]][2]
        held = {id(parameter) for parameter in layer.parameters()}
        layer.others = [leaf for number in group for leaf in facts[number][3] if id(leaf) not in held]
        layers.append(layer)
    begin = facts[groups[first][0]][0]
    _find_changed(layers, begin)
    layers[0].flags |= LayerFlag(0) if any(layers[0].input_mask) else LayerFlag.NO_INPUT_GRADIENT
    return groups[first][0], layers, begin


def _find_changed(layers: List[_Layer], values: Values) -> None:
    """Finds the buffers that running each layer changes."""
    with _torch.no_grad():
        for layer in layers:
            before = _kept_buffers(layer.buffers())
            values = tuple(_plain(layer.run(0, values)))
            layer.changed = [(module, name) for module, name, buffer, contents in before
                             if module._buffers[name] is not buffer or (buffer is not None and not _same_bits(buffer, contents))]
