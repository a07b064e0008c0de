"""The plain data of Python: exceptions, enumerations, named tuples, and options from keywords; in C++ tuples of structs."""

import re
import textwrap

from callbacks import SWIG, tables
from text import GENERATED, Words, bare, block, camel, capital, listing, wrapped

FOLDER = "bindings/python/ckpt/generated/"
BUILTINS = {"INVALID_ARGUMENT": "ValueError", "OUT_OF_MEMORY": "MemoryError", "OUT_OF_RANGE": "IndexError",
            "NOT_FOUND": "LookupError", "TIMEOUT": "builtins.TimeoutError", "IO": "OSError", "NO_SPACE": "OSError",
            "PERMISSION": "PermissionError", "UNSUPPORTED": "TypeError"}  # Python's exceptions for the same errors
BEHAVIOUR = {"DType": "DTypeBase", "ActionKind": "ActionKindBase"}  # enumerations with methods, in _root.py
EXTENDED = ("ActivationPolicy", "CheckpointTaskResult", "Decision")  # records that are bases of hand-written classes
WRITTEN = ("ckpt_schedule_action", "ckpt_layer_option")  # structs that are also created from tuples
CONVERTED = {"ckpt_tensor": "tensor", "ckpt_strategy": "strategy", "ckpt_dtype": "dtype"}  # classes that accept other types, too
NAMES = {  # names that do not follow from the header, by verb or function
    "get_bytes": "nbytes", "get_element_count": "size", "is_read_only": "read_only",  # as in numpy
    "list_allocations": "live_allocations", "list_tasks": "tasks", "get_or_compute": "get_or_compute", "create_retrying": "retrying",
    "add_sharded_tensor": "add_sharded", "get_activation": "get", "has_activation": "__contains__", "get_key_count": "__len__",
    "ckpt_tensor_copy": "copy_from", "ckpt_reader_get_tensor_count": "__len__", "ckpt_chain_get_layer_count": "__len__",
    "ckpt_reader_get_tensor": "info", "ckpt_activation_manager_list": "micro_batches", "ckpt_async_manager_get_task": "info",
    "ckpt_clock_create_manual": "__init__", "ckpt_coordinator_create_single": "__init__", "ckpt_interval_young": "young_interval",
    "ckpt_interval_daly": "daly_interval", "ckpt_interval_expected_value": "expected_value_interval",
    "ckpt_interval_weibull": "weibull_interval", "ckpt_blas_set": "set_blas", "ckpt_blas_set_kernels": "set_blas_kernels", "ckpt_memory_probe": "probe_memory",
    "ckpt_storage_unregister_scheme": "unregister_scheme", "ckpt_strategy_unregister": "unregister_strategy",
    "ckpt_strategy_get_known_kinds": "known_strategies", "ckpt_schedule_get_known_planners": "known_planners",
    "ckpt_layer_get_known_kinds": "known_layer_kinds", "ckpt_schedule_place": "reserved_bytes",
}
NO_RECORDS = ("ckpt_tensor_spec", "ckpt_step")  # no records
FORMS = {  # by kind: type in a record, type of a keyword, default, and the expression that creates the object in C++
    "truth": ("bool", "bool", "{truth}", "PyBool_FromLong(v.{c})"),
    "enum": ("{type}", "{type}", "{initial}", "object_of(v.{c})"),
    "dtype": ("{type}", "Any", "None", "object_of(v.{c})"),
    "number": ("int", "int", "{default}", "object_of(v.{c})"),
    "real": ("float", "float", "{default}", "object_of(v.{c})"),
    "text": ("str", "Optional[str]", "None", "text_object(v.{c})"),
    "chars": ("str", "Optional[str]", "None", "text_object(v.{c})"),
    "shape": ("Tuple[int, ...]", "Sequence[int]", "()", "integer_tuple(v.{c}, v.ndim)"),
    "numbers": ("Tuple[int, ...]", "Sequence[int]", "()", "integer_tuple(v.{c}, {length})"),
    "handle": ("Optional[{type}]", "Optional[{type}]", "None", "none()"),
    "converted": ("Any", "Any", "None", "none()"),
    "struct": ("Tuple[int, Tuple[int, ...]]", "Any", "None", "spec_object(*v.{c})"),
}


def error_name(constant):
    return {"PERMISSION": "PermissionDenied"}.get(constant.short, camel(constant.short)) + "Error"  # PermissionError is Python's


def constant_name(constant):
    return constant.short.replace("1F1B", "ONE_F_ONE_B")  # no name begins with a digit


def named(constant):
    if constant.group.name == "ckpt_status":
        return error_name(constant) if constant.value else "0"
    return f"{camel(constant.group.name)}.{constant_name(constant)}"


class PythonWords(Words):
    no, yes, null, absent, has_times, power = "False", "True", "None", "None", False, "2**{}"
    nulls = {"shape": "()"}
    constant = staticmethod(named)

    def type(self, name):
        return "CkptError" if name == "ckpt_status" else camel(name)

    def function(self, name, owner, method):
        if owner not in self.model.handles:
            return NAMES.get(name) or name.removeprefix("ckpt_").replace("_get_", "_")
        known = NAMES.get(name) or NAMES.get(name[len(owner) + 1:]) or method
        return f"{camel(owner)}.{method if known.startswith('__') else known}"


class Member:
    """A value as a keyword, or as a member of a record."""

    def __init__(self, words, value):
        self.value, self.name, self.bare, self.comment = value, value.name, value.bare, words.of(value)
        kind = "converted" if value.kind == "handle" and value.bare in CONVERTED else value.kind
        self.group = value.bare if kind == "enum" and value.bare != "ckpt_status" else None
        if self.group:
            self.comment = re.sub(r"\b0 (when|where)\b", r"None \1", self.comment)
        kind = "dtype" if value.bare == "ckpt_dtype" else kind if kind != "enum" or self.group else "number"
        initial = " | ".join(map(named, value.initial())) if self.group else ""
        names = {"truth": str(value.default != "0"), "initial": initial or value.default}
        record, keyword, self.default, self.item = (value.filled(form, **names) for form in FORMS.get(kind, FORMS["number"]))
        self.types = {"record": record, "keyword": keyword}
        if value.has:
            self.types = {use: f"Optional[{kind}]" for use, kind in self.types.items()}
            self.default, self.item = "None" if value.initially_absent else self.default, f"v.{value.has} ? {self.item} : none()"
        elif self.group and "None when" in self.comment:
            self.types["record"] = f"Optional[{record}]"

    def assignments(self):
        """The statements that set it in a struct."""
        name, value = self.name, self.value
        if value.kind == "shape":
            return [f"struct.ndim = len({name})", f"struct.shape = list({name})"]
        created = [f"{name} = made_by['{CONVERTED[self.bare]}']({name})"] if self.bare in CONVERTED else []
        given = {"truth": f"int({name})", "handle": f"handle_of({name})"}.get(value.kind, name)
        if value.has:
            return [f"if {name} is not None:", f"    struct.{name} = {given}", f"struct.{value.has} = int({name} is not None)"]
        return created + [f"struct.{name} = {given}"]


def docstring(text, members=()):
    """Returns a docstring: the text, then a line for each (name, text)."""
    lines = wrapped(text, width=125) + [""] * bool(members)
    for name, words in members:
        lines += wrapped(f"{name}: {words}", "", "    ", 128)
    return textwrap.indent('"""' + "\n".join(lines), "    ").rstrip() + ("\n    " if members else "") + '"""\n'


def listed(first, parts, last):
    """Returns the parts separated by commas, in lines that break only between parts."""
    return wrapped(", ".join(part.replace(" ", "\0") for part in parts) + last, first, " " * len(first))


def module(about, imports, names, *parts):
    """Returns a file that exports these names, with two blank lines between its parts."""
    head = [f"# {GENERATED}", f'"""{about}"""', "", "from __future__ import annotations", "", *imports]
    head += ["", *listed("__all__ = [", [f'"{name}"' for name in names], "]")] if names else []
    return "\n\n\n".join(["\n".join(head), *(part.rstrip() for part in parts)]) + "\n"


class Writer:
    def __init__(self, model):
        self.model, self.words = model, PythonWords(model)
        self.groups = [group for group in model.groups.values() if group.name != "ckpt_status"]
        structs = [struct for struct in model.structs if not struct.is_table]
        self.given = [struct for struct in structs if struct.given and struct.has_size]
        self.read = [struct for struct in structs if not struct.is_options and struct.name not in NO_RECORDS]

    def documented(self, entry, members=()):
        return docstring(self.words.text(entry.comment), [(member.name, member.comment) for member in members])

    def members(self, struct):
        return [Member(self.words, value) for value in struct.own_values]

    def errors(self):
        classes = []
        for constant in self.model.errors:
            bases = "CkptError" + (f", {BUILTINS[constant.short]}" if constant.short in BUILTINS else "")
            text = docstring(capital(self.words.text(constant.comment)) + ".")
            classes.append(f"class {error_name(constant)}({bases}):\n{text}\n    status = {constant.value}")
        imports, names = ["import builtins", "", "from .._root import CkptError"], [error_name(constant) for constant in self.model.errors]
        return module("A class for each status that a call can fail with.", imports, names, *classes)

    def enumeration(self, group):
        name = camel(group.name)
        about = [(constant_name(constant), self.words.text(constant.comment)) for constant in group.constants]
        base = "IntFlag" if group.is_sum else BEHAVIOUR.get(name, "OpenEnum")
        body = "".join(f"    {constant_name(constant)} = {constant.value}\n" for constant in group.constants)
        text = docstring(self.words.text(group.comment), about)
        return f"class {name}({base}):\n{text}\n{body}\n\n_{name}: Members = Members({name})"

    def record(self, struct):
        members = self.members(struct)
        lines = [f"class {camel(struct.name)}(NamedTuple):\n{self.documented(struct, members)}"]
        defaults = struct in self.given or struct.name in WRITTEN
        for n, member in enumerate(members):
            first_of_frozen = n == 0 and member.group and not struct.has_size
            default = f" = {member.default}" if defaults and not first_of_frozen else ""
            kind = member.types["record"]
            kind = f"Optional[{kind}]" if default == " = None" and kind == "str" else kind
            lines.append(f"    {member.name}: {kind}{default}")
        lines += ["", "    @classmethod", "    def _of(cls, v: Tuple[Any, ...]) -> Any:"]
        return "\n".join(lines + [f"        return _new(cls, {self.parts(members)})"])

    def parts(self, members):
        """Returns the members of a record from the tuple v; numbers of groups become members of the enumerations."""
        parts, end = [], 0
        for n, member in enumerate(members):
            if member.group:
                parts += [f"*v[{end}:{n}]"] * (n > end) + [f"_{camel(member.group)}[v[{n}]]"]
                end = n + 1
        parts += [f"*v[{end}:]"] * (end < len(members))
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})" if end else "v"

    def attributes(self, struct):
        """Returns a class with the fields of a table of functions, apart from the functions."""
        members = self.members(struct)
        text = docstring("The properties of a custom layer, apart from its functions.", [(member.name, member.comment) for member in members])
        body = "".join(f"    {member.name}: {member.types['keyword']} = {member.default}\n" for member in members)
        return f"class {camel(struct.name)}:\n{text}\n{body}"

    def callbacks(self):
        """Returns an abstract class for each table of callbacks. Optional callbacks and lists are left to the hand-written
        class."""
        classes = []
        for name in SWIG:
            noun = name.removeprefix("ckpt_").removesuffix("_callbacks").replace("_", " ")
            lines = [f"class {camel(name)}(ABC):", docstring(f"The methods of a custom {noun} that have one form only.")]
            lines += [self.abstract(one) for one in tables(self.model)[name].functions
                      if one.is_required and not one.lists and not one.listing]
            classes.append("\n".join(lines))
        about = "Classes of callbacks, from which the hand-written ones derive."
        return module(about, ["from abc import ABC, abstractmethod", "from typing import Any"], (), *classes)

    def abstract(self, callback):
        types = {"bytes": "memoryview", "item": "Any", "text": "str"}
        names = {"from": "from_path", "to": "to_path"}  # the first is a keyword
        given = [f"{names.get(one.name, one.name)}: {types.get(one.kind, 'int')}" for one in callback.given]
        result = {"none": "None", "item": "Any"}.get(callback.result, "int")
        text = docstring(self.words.text(capital(callback.about)) + ".")
        return f"    @abstractmethod\n    def {callback.name}({', '.join(['self', *given])}) -> {result}:\n" + textwrap.indent(text, "    ")

    def values(self):
        public = [camel(entry.name) for entry in self.groups + self.read if camel(entry.name) not in EXTENDED]
        texts = [self.enumeration(group) for group in self.groups] + [self.record(struct) for struct in self.read]
        texts += [self.attributes(struct) for struct in self.model.structs if struct.name == "ckpt_layer_callbacks"]
        about = "Enumerations and records. A number that a newer library has, and this file not, is a member without a name."
        imports = ["from enum import IntFlag", "from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Tuple", "",
                   "from .._root import ActionKindBase, DTypeBase, Members, OpenEnum", "", *self.classes(self.read), "",
                   "_new: Any = tuple.__new__"]
        return module(about, imports, public, *texts)

    def classes(self, structs):
        """Returns the imports of classes with objects that are values."""
        handles = {value.bare for struct in structs for value in struct.own_values if value.kind == "handle"}
        return ["if TYPE_CHECKING:", "    from .. import " + ", ".join(sorted(map(camel, handles - {*CONVERTED})))]

    def option(self, struct):
        """Returns a function with the values of a struct as keywords."""
        members = self.members(struct)
        keywords = [f"{member.name}: {member.types['keyword']} = {member.default}" for member in members]
        lines = listed(f"def {struct.name.removeprefix('ckpt_')}(", keywords, ")\0->\0Any:")
        lines += [self.documented(struct, members)[:-1], f"    struct = _native.{struct.name}()"]
        lines += [f"    {line}" for member in members for line in member.assignments()]
        kept = [member.name for member in members if member.value.kind in ("handle", "text")]
        lines += [f"    struct.kept = [{', '.join(kept)}]  # borrowed by the struct"] * bool(kept)
        return "\n".join(lines + ["    return struct"])

    def options(self):
        """Returns a function for each struct that callers fill."""
        about = "Functions that make options: their keywords are the values of the options."
        imports = ["from typing import TYPE_CHECKING, Any, Optional, Sequence", "", "from .. import native as _native",
                   "from .._root import handle_of, made_by", "from .values import *", "", *self.classes(self.given)]
        return module(about, imports, (), *map(self.option, self.given))

    def tuples(self):
        """Returns C++ that creates a tuple of each record, and structs of tuples of integers."""
        lines = []
        for struct in self.read:
            members, count = self.members(struct), len(self.members(struct))
            lent = {member: f"lent(v.{member.name})" for member in members if member.value.kind == "handle" and not struct.called}
            items = listed("return packed({", [lent.get(member, member.item) for member in members], "});")
            lines += ["", *block(f"inline PyObject* tuple_of(const {struct.name}& v)", *items)]
            if struct.name in WRITTEN:
                sets = [f"out->{member.name} = static_cast<{member.value.type}>(list[{n}]);" for n, member in enumerate(members)]
                read = [f"std::int64_t list[{count}] = {{}};", f"if (!integers(object, list, {count})) return false;"]
                lines += ["", *block(f"inline bool struct_of(PyObject* object, {struct.name}* out)", *read, *sets, "return true;")]
        return listing(["// clang-format off", "#pragma once", "", "namespace ckpt_python {", *lines, "", "}  // namespace ckpt_python"])

    def typemaps(self):
        """Returns the out-parameters that are tuples; structs that are only results have no proxy."""
        records = {struct.name: struct for struct in self.read if struct.has_size}
        entries = self.model.api["functions"] + self.model.api["callbacks"]
        given = {(bare(parameter["type"]), parameter["name"]) for entry in entries for parameter in entry["parameters"]}
        lines = [f"CKPT_RECORD({kind}, {name}, {records[kind].initializer})" for kind, name in sorted(given)
                 if kind in records and "out" in records[kind].directions]
        lines += [f"%ignore {kind};" for kind in sorted(records) if "in" not in records[kind].directions]
        return listing(lines)


def files(model):
    writer = Writer(model)
    return {
        FOLDER + "__init__.py": f"# {GENERATED}\n",
        FOLDER + "errors.py": writer.errors(),
        FOLDER + "values.py": writer.values(),
        FOLDER + "options.py": writer.options(),
        FOLDER + "callbacks.py": writer.callbacks(),
        "bindings/python/generated/tuples.hpp": writer.tuples(),
        "bindings/python/generated/records.i": writer.typemaps(),
    }
