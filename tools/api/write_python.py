"""The plain data of the API as Python has it: exceptions, enumerations, records (named tuples), and what fills the structs of options
from keywords; in C++ what makes tuples of structs."""

import re
import textwrap

from write_c import MADE, has_size

FOLDER = "bindings/python/ckpt/made/"
WIDTH = 132
BUILTINS = {"INVALID_ARGUMENT": "ValueError", "OUT_OF_MEMORY": "MemoryError", "OUT_OF_RANGE": "IndexError", "NOT_FOUND": "LookupError",
            "TIMEOUT": "builtins.TimeoutError", "IO": "OSError", "NO_SPACE": "OSError", "PERMISSION": "PermissionError",
            "UNSUPPORTED": "TypeError"}  # what Python has for the same thing
ERROR_NAMES = {"PERMISSION": "PermissionDeniedError"}  # PermissionError is Python's
BEHAVIOUR = {"DType": "DTypeBase", "ActionKind": "ActionKindBase"}  # enumerations with methods, which _root.py has
EXTENDED = ("ActivationPolicy", "CheckpointTaskResult", "Decision")  # records that a class written by hand derives from
NOT_HERE = re.compile(r"[;.]? (valid|Valid) (as long as the \w+|for ever)|; copied\b|\s*Frozen: \d+ bytes in every version\.|"
                      r"\s*Borrowed for the call\.|: one of CKPT_DTYPE_\*(?=,)")  # what matters to C only
WORDS = {"dtype": "DType", "adamw": "AdamW"}
MEMBERS = {"1F1B": "ONE_F_ONE_B"}  # names that Python does not let begin with a digit
WRITTEN = ("ckpt_schedule_action", "ckpt_layer_option")  # structs that are made of tuples, too
CONVERTED = {"ckpt_tensor": "tensor", "ckpt_strategy": "strategy"}  # handles in whose place more is accepted

HEAD = f'# {MADE}\n"""%s"""\n\nfrom __future__ import annotations\n\n%s\n'


def class_name(c_name):
    return "".join(WORDS.get(word, word.capitalize()) for word in c_name.removeprefix("ckpt_").split("_"))


def error_name(status):
    return ERROR_NAMES.get(status, "".join(word.capitalize() for word in status.split("_")) + "Error")


class Names:
    """What C's names are called here, also inside comments."""

    def __init__(self, api):
        self.groups = {kind["name"]: [] for kind in api["types"] if kind["name"] not in ("ckpt_bool", "ckpt_status")}
        self.handles = sorted((handle["name"] for handle in api["handles"]), key=len, reverse=True)
        self.structs = {struct["name"] for struct in api["structs"]}
        self.places, self.values, self.statuses = {}, {}, []
        prefixes = sorted(self.groups, key=len, reverse=True)
        for constant in api["constants"]:
            name = constant["name"]
            self.values[name] = constant["value"]
            if name.startswith("CKPT_E_"):
                self.statuses.append((name.removeprefix("CKPT_E_"), constant))
                continue
            group = next((prefix for prefix in prefixes if name.startswith(prefix.upper() + "_")), None)
            if group:
                member = name[len(group) + 1:]
                self.groups[group].append((MEMBERS.get(member, member), constant))
                self.places[name] = f"{class_name(group)}.{MEMBERS.get(member, member)}"
        self.status_pattern = re.compile(r"(?<![\w.])(" + "|".join(status for status, _ in self.statuses) + r")\b(?!\.)")

    def of(self, found):
        """One name of C, or with * behind it the group."""
        name = found.group(0)
        if name.endswith("-1"):
            return str(self.values[name[:-2]] - 1)
        if name in self.places:
            return self.places[name]
        if name == "CKPT_OK" or name.startswith("CKPT_E_") and name.endswith("*"):
            return "0" if name == "CKPT_OK" else "CkptError"
        if name.startswith("CKPT_E_"):
            return error_name(name.removeprefix("CKPT_E_"))
        if name.endswith("*"):
            return class_name(next(group for group in self.groups if (group.upper() + "_").startswith(name[:-1])))
        if name in self.structs:
            return class_name(name)
        if name in self.values:
            return str(self.values[name])
        handle = next(handle for handle in self.handles if name.startswith(handle))
        return f"{class_name(handle)}.{name[len(handle) + 1:].removeprefix('get_')}".rstrip(".")

    def text(self, comment):
        """A comment in the words of Python."""
        words = NOT_HERE.sub("", " ".join(comment.split()))
        words = re.sub(r"\bone of (CKPT_\w+_\*)", lambda found: ("an " if found.group(1)[5] in "AEIOU" else "a ") + found.group(1), words)
        words = re.sub(r"\bCKPT_\w+(\*|-1)?|\bckpt_\w+", self.of, words)
        return self.status_pattern.sub(lambda found: error_name(found.group(1)), words).replace("Flag flags", "Flag")


class Field:
    """One field of a struct as a keyword or a member of a record."""

    def __init__(self, names, struct, field):
        self.name, self.c_type, self.array = field["name"], field["type"], field.get("array")
        self.default_text = field.get("default")
        self.bare = self.c_type.replace("const ", "").rstrip("*").strip()
        self.pointer = self.c_type.endswith("*") and self.bare != "char"
        self.handle = self.pointer and self.bare in names.handles
        self.group = self.bare if self.bare in names.groups and not self.pointer else None
        self.has = self.find_has(struct["fields"], field)
        self.comment = self.words(names, field["comment"])

    def find_has(self, fields, field):
        """The field that says whether this one is set."""
        for has in fields:
            what = has["name"].removeprefix("has_")
            if has["name"] != what and field["name"] in (what, what + "_bytes", what + "_id"):
                if has["comment"].startswith("whether") or has["name"] in field["comment"]:
                    return has["name"]
        return None

    def words(self, names, comment):
        comment = " ".join(comment.split())
        if self.has:
            comment = re.sub(r"\b0 (when|where) has_\w+ is (0|no)\b", "None when there is none", comment)
            comment = re.sub(r"\s*Read only when has_\w+ is not 0\.?", "", comment).rstrip(".")
        if self.c_type == "ckpt_bool":
            for number, word in ((r"(?<!set to )\b0\b", "False"), (r"\b(1|other values)\b", "True")):
                comment = re.sub(number, word, comment)
        text = names.text(comment)
        if self.group:
            text = re.sub(r"\b0 (when|where)\b", r"None \1", text)
        return re.sub(r"\bnone(?=:| when)", "()" if self.is_shape else "None", text)

    @property
    def is_shape(self):
        return self.name == "shape"

    @property
    def unknown(self):
        """An enumeration's field that may hold none of its values."""
        return self.group is not None and "None when" in self.comment

    def annotation(self, given):
        """given: as a keyword, where more is accepted."""
        if self.array and self.c_type == "char" or self.bare == "char":
            return "Optional[str]" if given else "str"
        if self.array or self.is_shape:
            return "Sequence[int]" if given else "Tuple[int, ...]"
        if self.handle:
            return "Any" if self.bare in CONVERTED else f"Optional[{class_name(self.bare)}]"
        if self.pointer:  # a ckpt_tensor_spec
            return "Tuple[int, Tuple[int, ...]]"
        if self.bare == "ckpt_dtype":
            return "Any" if given else "Optional[DType]" if self.unknown else "DType"
        plain = {"ckpt_bool": "bool", "double": "float"}.get(self.bare) or (class_name(self.group) if self.group else "int")
        return f"Optional[{plain}]" if self.has else plain

    def default(self, names, has_default):
        text = self.default_text or "0"
        if self.array or self.is_shape:
            return "()"
        if self.handle or self.bare in ("char", "ckpt_dtype") or self.has and has_default == "0":
            return "None"
        if self.bare == "ckpt_bool":
            return str(text != "0")
        if self.group:
            return " | ".join(names.places[word] for word in text.split(" | ")) if "CKPT" in text else next(
                f"{class_name(self.group)}.{member}" for member, constant in names.groups[self.group] if constant["value"] == int(text))
        return str(names.values.get(text, text))


def crosses(names, field):
    """Functions, their user_data and arrays are given by the methods."""
    kind = field["type"]
    bare = kind.replace("const ", "").rstrip("*").strip()
    if field["name"] in ("struct_size", "ndim") or re.fullmatch(r"reserved\d*", field["name"]) or kind.endswith("_fn") or bare == "void":
        return False
    return not kind.endswith("*") or kind.count("*") == 1 and (bare in names.handles or bare in ("char", "ckpt_tensor_spec") or
                                                               field["name"] == "shape")


def fields_of(names, struct, given):
    """The fields that Python sees; of keywords not those that count an array."""
    counts = {field["name"] + "_count" for field in struct["fields"]} if given else set()
    fields = [Field(names, struct, field) for field in struct["fields"] if crosses(names, field) and field["name"] not in counts]
    absent = {field.has for field in fields}
    return [field for field in fields if field.name not in absent]


def wrapped(first, parts, last, indent):
    """first, the parts with commas between them, and last, in lines that break between parts only."""
    text = first + ", ".join(parts).replace(" ", "\0").replace(",\0", ", ") + last.replace(" ", "\0")
    return [line.replace("\0", " ") for line in textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False,
                                                              break_on_hyphens=False)]


def docstring(indent, text, entries):
    """The text, then a line for each (name, text)."""
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3) if text else []
    for name, words in entries:
        lines += ([""] if lines and (name, words) == entries[0] else []) + textwrap.wrap(
            f"{name}: {words}", WIDTH - len(indent), subsequent_indent="    ")
    body = ("\n" + indent).join(lines).replace(indent + "\n", "\n")
    return f'{indent}"""{body}\n{indent}"""\n' if entries else f'{indent}"""{body}"""\n'


def sentence(text):
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


# ---- Which structs are what ----


def sort_structs(api):
    """Names of the structs that callers fill, and of those that they read."""
    filled, read = set(), set()
    for entry in api["functions"] + api["callbacks"]:
        for parameter in entry["parameters"] if not entry["name"].endswith("_init") else ():
            bare = parameter["type"].replace("const ", "").rstrip("*").strip()
            backwards = entry in api["callbacks"]
            is_const = parameter["type"].startswith("const ")
            (filled if is_const != backwards else read).add(bare)
    apart = ("ckpt_blas", "ckpt_tensor_spec")
    structs = [struct for struct in api["structs"] if struct["name"] not in apart and not struct["name"].endswith("_callbacks")]
    return ([struct for struct in structs if struct["name"] in filled and has_size(struct)],
            [struct for struct in structs if not struct["name"].endswith("_options") and struct["name"] != "ckpt_step"])


# ---- Files ----


def errors(names):
    lines = [HEAD % ("A class for each status that a call can fail with.", "import builtins\n\nfrom .._root import CkptError\n"),
             *wrapped("__all__ = [", [f'"{error_name(status)}"' for status, _ in names.statuses], "]", 11), ""]
    for status, constant in names.statuses:
        bases = ", ".join(["CkptError"] + ([BUILTINS[status]] if status in BUILTINS else []))
        lines.append(f"\nclass {error_name(status)}({bases}):\n{docstring('    ', sentence(names.text(constant['comment'])), [])}\n"
                     f"    status = {constant['value']}\n")
    return "\n".join(lines)


def enumeration(names, kind):
    name = class_name(kind["name"])
    members = names.groups[kind["name"]]
    base = "IntFlag" if "sum of" in kind["comment"] else BEHAVIOUR.get(name, "OpenEnum")
    text = docstring("    ", names.text(kind["comment"]), [(member, names.text(constant["comment"])) for member, constant in members])
    body = "".join(f"    {member} = {constant['value']}\n" for member, constant in members)
    return f"\n\nclass {name}({base}):\n{text}\n{body}\n\n_{name}: Members = Members({name})\n"


def attributes(names, struct):
    """A class with the fields that a table of functions has beside them."""
    fields = fields_of(names, struct, True)
    text = docstring("    ", sentence(names.text("What a custom layer says beside its functions")), [(f.name, f.comment) for f in fields])
    body = "".join(f"    {f.name}: {f.annotation(False)} = {f.default(names, None)}\n" for f in fields)
    return f"\n\nclass {class_name(struct['name'])}:\n{text}\n{body}"


def record(names, struct, defaults):
    name = class_name(struct["name"])
    fields = fields_of(names, struct, False)
    lines = [f"\n\nclass {name}(NamedTuple):\n" + docstring("    ", names.text(struct["comment"]), [(f.name, f.comment) for f in fields])]
    has = {field["name"]: field.get("default") for field in struct["fields"]}
    for n, field in enumerate(fields):
        value = f" = {field.default(names, has.get(field.has))}" if defaults and (field.default_text or not field.group or n) else ""
        lines.append(f"    {field.name}: {field.annotation(False)}{value}")
    places = [(n, field) for n, field in enumerate(fields) if field.group]
    parts, end = [], 0
    for n, field in places:
        parts += ([f"*v[{end}:{n}]"] if n > end else []) + [f"_{class_name(field.group)}[v[{n}]]"]
        end = n + 1
    parts += [f"*v[{end}:]"] if end < len(fields) else []
    made = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})" if places else "v"
    lines += ["", "    @classmethod", f"    def _of(cls, v: Tuple[Any, ...]) -> Any:\n        return cls._make({made})\n"]
    return "\n".join(lines)


def values(names, api, filled, read):
    kinds = [kind for kind in api["types"] if kind["name"] in names.groups]
    public = [class_name(kind["name"]) for kind in kinds] + [class_name(s["name"]) for s in read if class_name(s["name"]) not in EXTENDED]
    text = HEAD % ("Enumerations and records. A number that a newer library has, and this file not, is a member without a name.",
                   "from enum import IntFlag\nfrom typing import Any, NamedTuple, Optional, Tuple\n\n"
                   "from .._root import ActionKindBase, DTypeBase, Members, OpenEnum\n")
    text += "\n".join(wrapped("__all__ = [", [f'"{name}"' for name in public], "]", 11)) + "\n"
    both = {struct["name"] for struct in filled}
    return text + "".join(enumeration(names, kind) for kind in kinds) + "".join(
        record(names, struct, struct["name"] in both or struct["name"] in WRITTEN) for struct in read) + "".join(
        attributes(names, struct) for struct in api["structs"] if struct["name"] == "ckpt_layer_callbacks")


def assignment(field):
    target, value = f"struct.{field.name}", field.name
    if field.is_shape:
        return [f"struct.ndim = len({value})", f"{target} = list({value})"]
    if field.bare == "ckpt_dtype":
        value = f"made_by['dtype']({value})"
    elif field.handle:
        value = f"handle_of({value})"
    elif field.bare == "ckpt_bool":
        value = f"int({value})"
    if field.has:
        return [f"if {field.name} is not None:", f"    {target} = {value}", f"struct.{field.has} = int({field.name} is not None)"]
    return [f"{target} = {value}"]


def options(names, filled):
    """A function for each struct that callers fill, whose keywords are its fields."""
    classes = sorted({class_name(f.bare) for s in filled for f in fields_of(names, s, True) if f.handle and f.bare not in CONVERTED})
    text = HEAD % ("What callers fill: a function for each struct of the C API, whose keywords have its fields' names and defaults.",
                   "from typing import Any, Optional, Sequence\n\nfrom .. import native as _native\n"
                   "from .._root import handle_of, made_by\nfrom .values import *\n")
    for struct in filled:
        fields = fields_of(names, struct, True)
        has = {field["name"]: field.get("default") for field in struct["fields"]}
        given = [f"{field.name}: {field.annotation(True)} = {field.default(names, has.get(field.has))}" for field in fields]
        head = f"def {struct['name'].removeprefix('ckpt_')}("
        lines = ["\n"] + wrapped(head, given, ") -> Any:", len(head))
        lines.append(docstring("    ", names.text(struct["comment"]), [(field.name, field.comment) for field in fields]).rstrip("\n"))
        lines += [f"    {field.name} = made_by['{CONVERTED[field.bare]}']({field.name})" for field in fields if field.bare in CONVERTED]
        lines.append(f"    struct = _native.{struct['name']}()")
        lines += [f"    {line}" for field in fields for line in assignment(field)]
        kept = [field.name for field in fields if field.handle or field.bare == "char"]
        lines += [f"    struct.kept = [{', '.join(kept)}]  # borrowed by the struct"] if kept else []
        text += "\n".join(lines + ["    return struct", ""])
    return text.replace("from .values import *\n", "from .values import *\n\nif TYPE_CHECKING:\n    from .. import " + ", ".join(classes) + "\n"
                        ).replace("import Any, Optional", "import TYPE_CHECKING, Any, Optional")


def tuple_item(field):
    """The format and the value of one field for Py_BuildValue."""
    value = f"v.{field.name}"
    if field.is_shape:
        return "N", f"integer_tuple({value}, v.ndim)"
    if field.array and field.c_type != "char":
        return "N", f"integer_tuple({value}, {field.array[0]})"
    if field.bare == "char":
        return "N", f"text_object({value})"
    if field.handle:
        return "O", "Py_None"
    if field.pointer:
        return "N", f"spec_object(*{value})"
    if field.bare == "ckpt_bool":
        return "N", f"PyBool_FromLong({value})"
    form, kind = {"int64_t": ("L", "long long"), "uint64_t": ("K", "unsigned long long"), "double": ("d", "double"),
                  "uint32_t": ("I", "unsigned")}.get(field.bare, ("i", "int"))
    if field.has:
        return "N", f"v.{field.has} ? Py_BuildValue(\"{form}\", static_cast<{kind}>({value})) : Py_BuildValue(\"\")"
    return form, f"static_cast<{kind}>({value})"


def tuples(names, read):
    """C++ that makes a tuple of each record, and structs of tuples of integers."""
    parts = [f"// {MADE}\n// Structs as tuples: what the named tuples of made/values.py are made of.\n"
             "#pragma once\n\nnamespace ckpt_python {\n"]
    for struct in read:
        items = [tuple_item(field) for field in fields_of(names, struct, False)]
        head = f"  return\0Py_BuildValue(\"({''.join(form for form, _ in items)})\", "
        lines = [f"inline PyObject* tuple_of(const {struct['name']}& v) {{", *wrapped(head, [value for _, value in items], ");", 23)]
        parts.append("\n".join(lines + ["}", ""]))
        if struct["name"] in WRITTEN:
            fields = fields_of(names, struct, True)
            count = len(fields)
            lines = [f"inline bool struct_of(PyObject* object, {struct['name']}* out) {{", f"  std::int64_t list[{count}] = {{}};",
                     f"  if (!integers(object, list, {count})) return false;"]
            lines += [f"  out->{field.name} = static_cast<{field.c_type}>(list[{n}]);" for n, field in enumerate(fields)]
            parts.append("\n".join(lines + ["  return true;", "}", ""]))
    return "\n".join([*parts, "}  // namespace ckpt_python", ""])


def typemaps(api, read):
    """Which out-parameters are tuples; structs that are nothing but read have no proxy."""
    given = set()
    lines = [f"// {MADE}"]
    records = {struct["name"] for struct in read if has_size(struct)}
    for function in api["functions"] + api["callbacks"]:
        for parameter in function["parameters"] if not function["name"].endswith("_init") else ():
            bare = parameter["type"].replace("const ", "").rstrip("*").strip()
            if bare in records:
                given.add((bare, parameter["name"], parameter["type"].startswith("const ")))
    lines += [f"CKPT_RECORD({kind}, {name})" for kind, name, is_const in sorted(given) if not is_const]
    only_read = records - {kind for kind, _, is_const in given if is_const} | {"ckpt_checkpoint_task_result", "ckpt_memory_event"}
    lines += [f"%ignore {kind};" for kind in sorted(only_read)]
    return "\n".join(lines) + "\n"


def files(api):
    names = Names(api)
    filled, read = sort_structs(api)
    return {
        FOLDER + "__init__.py": f"# {MADE}\n",
        FOLDER + "errors.py": errors(names),
        FOLDER + "values.py": values(names, api, filled, read),
        FOLDER + "options.py": options(names, filled),
        "bindings/python/made/tuples.hpp": tuples(names, read),
        "bindings/python/made/records.i": typemaps(api, read),
    }
