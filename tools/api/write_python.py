"""The plain data of the API as Python has it: exceptions, enumerations, records (named tuples), and what fills the structs of
options from keywords; in C++ what makes tuples of structs."""

import re
import textwrap

from text import asked_by, bare, camel, directions, groups, is_spare, value_name
from write_c import MADE, has_size

FOLDER = "bindings/python/ckpt/made/"
WIDTH = 132
BUILTINS = {"INVALID_ARGUMENT": "ValueError", "OUT_OF_MEMORY": "MemoryError", "OUT_OF_RANGE": "IndexError",
            "NOT_FOUND": "LookupError", "TIMEOUT": "builtins.TimeoutError", "IO": "OSError", "NO_SPACE": "OSError",
            "PERMISSION": "PermissionError", "UNSUPPORTED": "TypeError"}  # what Python has for the same thing
BEHAVIOUR = {"DType": "DTypeBase", "ActionKind": "ActionKindBase"}  # enumerations with methods, which _root.py has
EXTENDED = ("ActivationPolicy", "CheckpointTaskResult", "Decision")  # records that a class written by hand derives from
NOT_HERE = re.compile(r"[;.]? (valid|Valid) (as long as the \w+|for ever)|; copied\b|\s*Frozen: \d+ bytes in every version\.|"
                      r"\s*Borrowed for the call\.|: one of CKPT_DTYPE_\*(?=,)")  # what matters to C only
WRITTEN = ("ckpt_schedule_action", "ckpt_layer_option")  # structs that are made of tuples, too
CONVERTED = {"ckpt_tensor": "tensor", "ckpt_strategy": "strategy"}  # handles in whose place more is accepted
APART = ("ckpt_tensor_spec", "ckpt_step")  # no records
HEAD = f'# {MADE}\n"""%s"""\n\nfrom __future__ import annotations\n\n%s\n'


def error_name(status):
    return {"PERMISSION": "PermissionDenied"}.get(status, camel(status)) + "Error"  # PermissionError is Python's


class Names:
    """What C's names are called here, also inside comments."""

    def __init__(self, api):
        self.groups = {name: constants for name, constants in groups(api).items() if name != "ckpt_status"}
        self.values = {constant["name"]: constant["value"] for constant in api["constants"]}
        self.statuses = [constant for constant in api["constants"] if constant["name"].startswith("CKPT_E_")]
        self.names = {"CKPT_OK": "0", "CKPT_TIERS-1": str(self.values["CKPT_TIERS"] - 1), "CKPT_E_*": "CkptError"}
        self.names.update({constant["name"]: error_name(constant["name"][7:]) for constant in self.statuses})
        self.names.update({struct["name"]: camel(struct["name"]) for struct in api["structs"]})
        for group, constants in self.groups.items():
            for constant in constants:
                self.names[constant["name"]] = f"{camel(group)}.{self.member(group, constant)}"
        self.handles = [handle["name"] for handle in api["handles"]]
        for function in api["functions"]:
            owner = max((handle for handle in self.handles if function["name"].startswith(handle + "_")), key=len, default=None)
            if owner:
                self.names[function["name"]] = f"{camel(owner)}.{function['name'][len(owner) + 1:].removeprefix('get_')}"
        self.status = re.compile(r"(?<![\w.])(" + "|".join(constant["name"][7:] for constant in self.statuses) + r")\b(?!\.)")

    def member(self, group, constant):
        return value_name(group, constant).replace("1F1B", "ONE_F_ONE_B")  # no name begins with a digit

    def of(self, found):
        """One name of C, or with * behind it the group."""
        name = found.group(0)
        if name in self.names or not name.endswith("*"):
            return self.names.get(name, name)
        return camel(next(group for group in self.groups if (group.upper() + "_").startswith(name[:-1])))

    def text(self, comment):
        """A comment in the words of Python."""
        words = NOT_HERE.sub("", " ".join(comment.split()))
        words = re.sub(r"\bone of (?=CKPT_([AEIOU])?\w+_\*)", lambda found: "an " if found.group(1) else "a ", words)
        words = re.sub(r"\bCKPT_\w+(\*|-1)?|\bckpt_\w+", self.of, words)
        return self.status.sub(lambda found: error_name(found.group(1)), words).replace("Flag flags", "Flag")


class Field:
    """One field of a struct as a keyword or a member of a record; has: the field that says whether it is set."""

    def __init__(self, names, field, has):
        self.name, self.c_type, self.bare, self.has = field["name"], field["type"], bare(field["type"]), has
        self.handle = self.bare in names.handles
        self.group = self.bare if self.bare in names.groups else None
        self.is_shape, self.numbers = self.name == "shape", 0 if self.bare == "char" else field.get("array", [0])[0]
        self.comment = self.words(names, " ".join(field["comment"].split()))
        self.unknown = self.group and "None when" in self.comment  # may hold none of the group's values
        self.has_default = "default" in field
        self.default = self.find_default(names, field.get("default", "0"))

    def words(self, names, comment):
        if self.has:
            comment = re.sub(r"\b0 (when|where) has_\w+ is (0|no)\b", "None when there is none", comment)
            comment = re.sub(r"\s*Read only when has_\w+ is not 0\.?", "", comment).rstrip(".")
        if self.c_type == "ckpt_bool":
            comment = re.sub(r"\b(1|other values)\b", "True", re.sub(r"(?<!set to )\b0\b", "False", comment))
        text = re.sub(r"\b0 (when|where)\b", r"None \1", names.text(comment)) if self.group else names.text(comment)
        return re.sub(r"\bnone(?=:| when)", "()" if self.is_shape else "None", text)

    def annotation(self, given):
        """given: as a keyword, where more is accepted."""
        if self.bare == "char":
            return "Optional[str]" if given else "str"
        if self.numbers or self.is_shape:
            return "Sequence[int]" if given else "Tuple[int, ...]"
        if self.handle or given and self.bare == "ckpt_dtype":
            return f"Optional[{camel(self.bare)}]" if self.handle and self.bare not in CONVERTED else "Any"
        kinds = {"ckpt_bool": "bool", "double": "float", "ckpt_tensor_spec": "Tuple[int, Tuple[int, ...]]"}
        kind = kinds.get(self.bare) or (camel(self.group) if self.group else "int")
        return f"Optional[{kind}]" if self.has or self.unknown and not given else kind

    def find_default(self, names, text):
        if self.numbers or self.is_shape:
            return "()"
        if self.handle or self.bare in ("char", "ckpt_dtype") or self.has and self.has["default"] == "0":
            return "None"
        if self.bare == "ckpt_bool":
            return str(text != "0")
        if self.group and text == "0":
            text = next((constant["name"] for constant in names.groups[self.group] if constant["value"] == 0), text)
        return " | ".join(names.names.get(word, str(names.values.get(word, word))) for word in text.split(" | "))


def fields_of(names, struct, given):
    """The fields that Python sees. Functions, their user_data and arrays are given by the methods."""
    fields = struct["fields"]
    about = {field["name"]: field["comment"] for field in fields}
    asked = {has: name for has, name in asked_by(struct).items() if about[has].startswith("whether") or has in about[name]}
    by_name = {name: field for has, name in asked.items() for field in fields if field["name"] == has}
    left = {"ndim", *asked, *(field["name"] + "_count" for field in fields if given)}
    known = {*names.handles, "char", "ckpt_tensor_spec"}

    def crosses(name, kind):
        return name == "shape" or "*" not in kind and not kind.endswith("_fn") or kind.count("*") == 1 and bare(kind) in known

    return [Field(names, field, by_name.get(field["name"])) for field in fields
            if not is_spare(field) and field["name"] not in left and crosses(field["name"], field["type"])]


def wrapped(first, parts, last, indent):
    """first, the parts with commas between them, and last, in lines that break between parts only."""
    text = first + ", ".join(parts).replace(" ", "\0").replace(",\0", ", ") + last.replace(" ", "\0")
    return [line.replace("\0", " ") for line in textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False,
                                                              break_on_hyphens=False)]


def docstring(text, entries):
    """The text, then a line for each (name, text)."""
    lines = textwrap.wrap(text, WIDTH - 7) + [""] * bool(entries)
    for name, words in entries:
        lines += textwrap.wrap(f"{name}: {words}", WIDTH - 4, subsequent_indent="    ")
    return textwrap.indent('"""' + "\n".join(lines), "    ").rstrip() + ("\n    " if entries else "") + '"""\n'


def errors(names):
    lines = [HEAD % ("A class for each status that a call can fail with.", "import builtins\n\nfrom .._root import CkptError\n"),
             *wrapped("__all__ = [", [f'"{error_name(constant["name"][7:])}"' for constant in names.statuses], "]", 11), ""]
    for constant in names.statuses:
        status, text = constant["name"][7:], names.text(constant["comment"])
        bases = ", ".join(["CkptError", *(BUILTINS[name] for name in (status,) if name in BUILTINS)])
        text = docstring(text[0].upper() + text[1:] + ".", [])
        lines.append(f"\nclass {error_name(status)}({bases}):\n{text}\n    status = {constant['value']}\n")
    return "\n".join(lines)


def enumeration(names, kind):
    name = camel(kind["name"])
    members = [(names.member(kind["name"], constant), constant) for constant in names.groups[kind["name"]]]
    base = "IntFlag" if "sum of" in kind["comment"] else BEHAVIOUR.get(name, "OpenEnum")
    text = docstring(names.text(kind["comment"]), [(member, names.text(constant["comment"])) for member, constant in members])
    body = "".join(f"    {member} = {constant['value']}\n" for member, constant in members)
    return f"\n\nclass {name}({base}):\n{text}\n{body}\n\n_{name}: Members = Members({name})\n"


def record(names, struct, defaults):
    fields = fields_of(names, struct, False)
    text = docstring(names.text(struct["comment"]), [(field.name, field.comment) for field in fields])
    lines = [f"\n\nclass {camel(struct['name'])}(NamedTuple):\n{text}"]
    parts, end = [], 0
    for n, field in enumerate(fields):
        value = f" = {field.default}" if defaults and (field.has_default or n or not field.group) else ""
        lines.append(f"    {field.name}: {field.annotation(False)}{value}")
        if field.group:
            parts += [f"*v[{end}:{n}]"] * (n > end) + [f"_{camel(field.group)}[v[{n}]]"]
            end = n + 1
    parts += [f"*v[{end}:]"] * (end < len(fields))
    made = f"({', '.join(parts)}{',' * (len(parts) == 1)})" if end else "v"
    lines += ["", "    @classmethod", "    def _of(cls, v: Tuple[Any, ...]) -> Any:", f"        return _new(cls, {made})", ""]
    return "\n".join(lines)


def attributes(names, struct):
    """A class with the fields that a table of functions has beside them."""
    fields = fields_of(names, struct, True)
    text = docstring("What a custom layer says beside its functions.", [(field.name, field.comment) for field in fields])
    body = "".join(f"    {field.name}: {field.annotation(False)} = {field.default}\n" for field in fields)
    return f"\n\nclass {camel(struct['name'])}:\n{text}\n{body}"


def values(names, api, filled, read):
    kinds = [kind for kind in api["types"] if kind["name"] in names.groups]
    public = [camel(entry["name"]) for entry in kinds + read if camel(entry["name"]) not in EXTENDED]
    return "".join([
        HEAD % ("Enumerations and records. A number that a newer library has, and this file not, is a member without a name.",
                "from enum import IntFlag\nfrom typing import Any, NamedTuple, Optional, Tuple\n\n"
                "from .._root import ActionKindBase, DTypeBase, Members, OpenEnum\n\n_new: Any = tuple.__new__\n"),
        "\n".join(wrapped("__all__ = [", [f'"{name}"' for name in public], "]", 11)) + "\n",
        *(enumeration(names, kind) for kind in kinds),
        *(record(names, struct, struct in filled or struct["name"] in WRITTEN) for struct in read),
        *(attributes(names, struct) for struct in api["structs"] if struct["name"] == "ckpt_layer_callbacks")])


def assignment(field):
    value = {"ckpt_dtype": f"made_by['dtype']({field.name})", "ckpt_bool": f"int({field.name})"}.get(field.bare, field.name)
    lines = [f"struct.{field.name} = {'handle_of(' + value + ')' if field.handle else value}"]
    if field.is_shape:
        lines = [f"struct.ndim = len({value})", f"struct.shape = list({value})"]
    if field.has:
        lines = [f"if {value} is not None:", "    " + lines[0], f"struct.{field.has['name']} = int({value} is not None)"]
    return lines


def options(names, filled):
    """A function for each struct that callers fill, whose keywords are its fields."""
    classes, parts = set(), []
    for struct in filled:
        fields = fields_of(names, struct, True)
        classes |= {camel(field.bare) for field in fields if field.handle and field.bare not in CONVERTED}
        head = f"def {struct['name'].removeprefix('ckpt_')}("
        keywords = [f"{field.name}: {field.annotation(True)} = {field.default}" for field in fields]
        lines = wrapped(head, keywords, ") -> Any:", len(head))
        lines.append(docstring(names.text(struct["comment"]), [(field.name, field.comment) for field in fields])[:-1])
        given = [field for field in fields if field.bare in CONVERTED]
        lines += [f"    {field.name} = made_by['{CONVERTED[field.bare]}']({field.name})" for field in given]
        lines.append(f"    struct = _native.{struct['name']}()")
        lines += [f"    {line}" for field in fields for line in assignment(field)]
        kept = [field.name for field in fields if field.handle or field.bare == "char"]
        lines += [f"    struct.kept = [{', '.join(kept)}]  # borrowed by the struct"] * bool(kept)
        parts.append("\n\n" + "\n".join(lines + ["    return struct", ""]))
    return HEAD % ("What callers fill: a function for each struct of the C API, whose keywords are its fields.",
                   "from typing import TYPE_CHECKING, Any, Optional, Sequence\n\nfrom .. import native as _native\n"
                   "from .._root import handle_of, made_by\nfrom .values import *\n\nif TYPE_CHECKING:\n    from .. import "
                   + ", ".join(sorted(classes))) + "".join(parts)


# ---- For the extension, in C++ and for SWIG ----


def item(field):
    """One field as a Python object."""
    value = f"v.{field.name}"
    if field.numbers or field.is_shape:
        return f"integer_tuple({value}, {'v.ndim' if field.is_shape else field.numbers})"
    if field.handle:
        return "none()"
    calls = {"char": f"text_object({value})", "ckpt_tensor_spec": f"spec_object(*{value})",
             "ckpt_bool": f"PyBool_FromLong({value})"}
    made = calls.get(field.bare, f"object_of({value})")
    return f"v.{field.has['name']} ? {made} : none()" if field.has else made


def tuples(names, read):
    """C++ that makes a tuple of each record, and structs of tuples of integers."""
    lines = [f"// {MADE}", "// Structs as tuples: what the named tuples of made/values.py are made of.", "#pragma once", "",
             "namespace ckpt_python {", ""]
    for struct in read:
        fields = fields_of(names, struct, False)
        lines.append(f"inline PyObject* tuple_of(const {struct['name']}& v) {{")
        lines += [*wrapped("  return\0packed({", [item(field) for field in fields], "});", 17), "}", ""]
        if struct["name"] in WRITTEN:
            lines += [f"inline bool struct_of(PyObject* object, {struct['name']}* out) {{",
                      f"  std::int64_t list[{len(fields)}] = {{}};", f"  if (!integers(object, list, {len(fields)})) return false;"]
            lines += [f"  out->{field.name} = static_cast<{field.c_type}>(list[{n}]);" for n, field in enumerate(fields)]
            lines += ["  return true;", "}", ""]
    return "\n".join(lines + ["}  // namespace ckpt_python", ""])


def typemaps(api, read):
    """Which out-parameters are tuples; structs that are nothing but read have no proxy."""
    records = {struct["name"] for struct in read if has_size(struct)}
    ways = directions({**api, "callbacks": []})
    given = {(bare(parameter["type"]), parameter["name"]) for entry in api["functions"] + api["callbacks"]
             if not entry["name"].endswith("_init") for parameter in entry["parameters"]}
    lines = [f"CKPT_RECORD({kind}, {name})" for kind, name in sorted(given) if kind in records and "out" in ways.get(kind, ())]
    lines += [f"%ignore {kind};" for kind in sorted(records) if "in" not in ways.get(kind, ())]
    return "\n".join([f"// {MADE}", *lines, ""])


def files(api):
    names, ways = Names(api), directions(api)
    structs = [struct for struct in api["structs"] if not struct["name"].endswith("_callbacks") and struct["name"] != "ckpt_blas"]
    filled = [struct for struct in structs if "in" in ways.get(struct["name"], ()) and has_size(struct)]
    read = [struct for struct in structs if not struct["name"].endswith("_options") and struct["name"] not in APART]
    return {
        FOLDER + "__init__.py": f"# {MADE}\n",
        FOLDER + "errors.py": errors(names),
        FOLDER + "values.py": values(names, api, filled, read),
        FOLDER + "options.py": options(names, filled),
        "bindings/python/made/tuples.hpp": tuples(names, read),
        "bindings/python/made/records.i": typemaps(api, read),
    }
