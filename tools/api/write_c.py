"""What C and the library are given of the description: the table for dlopen, initialisers, first sizes, copies, SWIG's lists."""

import re

from model import has_size, is_spare
from text import MADE, Frames

frame = Frames("c")


def signature(function, name):
    """The declaration of a function under another name."""
    parameters = ", ".join(parameter["declaration"] for parameter in function["parameters"]) or "void"
    return f"{function['result']} {name}({parameters})"


def includes(api):
    return "\n".join(f"#include <ckpt/{header['name']}>" for header in api["headers"])


def api_header(api):
    members = "\n".join(f"  {signature(function, '(*' + function['name'] + ')')};" for function in api["functions"])
    return frame("table header", includes=includes(api), members=members)


def table_source(api):
    names = [function["name"] for function in api["functions"]]
    locks = "\n".join(f"static_assert(offsetof(ckpt_api, {name}) == 8 + {n} * sizeof(void (*)()));" for n, name in enumerate(names))
    return frame("table source", locks=locks, entries="\n".join(f"      {name}," for name in names))


def structs_header(api):
    parts = []
    for struct in filter(has_size, api["structs"]):
        name = struct["name"]
        defaults = f"\n  static constexpr {name} defaults = {name.upper()}_INIT;" if "default" in struct["fields"][0] else ""
        parts.append(frame("struct", name=name, defaults=defaults, **struct["first"]))
    return frame("structs header", includes=includes(api), structs="\n".join(parts))


def init_source(api):
    known = {function["name"] for function in api["functions"]}
    names = [struct["name"] for struct in api["structs"] if struct["name"] + "_init" in known]
    functions = "\n".join(f"void {name}_init({name}* out, uint32_t size) {{ init_struct(out, size); }}" for name in names)
    return frame("init source", functions=functions)


# ---- Copies between the structs of C and those of the core, whose fields have the same names ----



def copies_header(model):
    """Of numbers, enums, truth values and texts. Objects, functions and arrays are copied where they are used."""
    texts = []
    for struct in model.structs:
        names = [field["name"] for field in struct.fields if not is_spare(field) and is_plain(field)]
        if names and not struct.name.endswith("_callbacks"):
            fields = "\n".join(f"    field(CKPT_FIELD({name}));" for name in names)
            texts.append(frame("copies", name=struct.name, fields=fields))
    return frame("copies header", includes=includes(model.api), structs="\n".join(texts))


def is_plain(field):
    plain = "*" not in field["type"] and not field["type"].endswith("_fn") and "array" not in field
    return plain or field["type"] in ("const char*", "char")


# ---- SWIG ----


def struct_list(model):
    """Which structs other languages make and read, and which only C sees."""
    lines = [f"// {MADE}"]
    for struct in model.structs:
        if struct.has_size and struct.crosses:
            spare = [field["name"] for field in struct.fields if is_spare(field) and field["name"] != "struct_size"]
            lines += [f"CKPT_STRUCT({struct.name})", *(f"%ignore {struct.name}::{name};" for name in spare)]
        elif struct.has_size:
            lines += [f"%ignore {struct.name};", f"%ignore {struct.name}_init;"]
    return "\n".join(lines) + "\n"


def files(model):
    api = model.api
    return {
        "include/ckpt/api.h": api_header(api),
        "capi/made/table.cpp": table_source(api),
        "capi/made/structs.h": structs_header(api),
        "capi/made/init.cpp": init_source(api),
        "capi/made/copies.h": copies_header(model),
        "bindings/swig/made.i": struct_list(model),
    }
