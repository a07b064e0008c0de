"""Files for C and the library: the table for dlopen, and lists that hand-written files expand by their macros."""

import re

from model import has_size, is_reserved
from text import listing, text_of

HEADER = "include/ckpt/api.h"


def signature(function, name):
    """Returns the declaration of a function under another name."""
    parameters = ", ".join(parameter["declaration"] for parameter in function["parameters"]) or "void"
    return f"{function['result']} {name}({parameters})"


def api_header(api):
    """Returns the header with generated members; the rest of it is hand-written."""
    members = "".join(f"  {signature(function, '(*' + function['name'] + ')')};\n" for function in api["functions"])
    return re.sub(r"(^  .*\(\*ckpt_\w+\)\(.*\n)+", members, text_of(HEADER), flags=re.MULTILINE)


def is_plain(field):
    """Whether it is a number, an enum, a truth value or a string. Objects, functions and arrays are copied by hand."""
    plain = "*" not in field["type"] and not field["type"].endswith("_fn") and "array" not in field
    return (plain or field["type"] in ("const char*", "char")) and not is_reserved(field)


def copied_fields(struct):
    names = [field["name"] for field in struct.fields if is_plain(field)]
    fields = " ".join(f"CKPT_FIELD({name})" for name in names)
    return [f"CKPT_FIELDS({struct.name}, {fields})"] if names and not struct.name.endswith("_callbacks") else []


def files(model):
    api = model.api
    sized = list(filter(has_size, api["structs"]))
    firsts = ["CKPT_FIRST_SIZE({name}, {first[last]}, {first[size]})".format(**struct) for struct in sized]
    names = [struct["name"] for struct in sized if "default" in struct["fields"][0]]
    defaults = [f"CKPT_DEFAULTS({name}, {name.upper()}_INIT)" for name in names]
    return {
        HEADER: api_header(api),
        "capi/generated/functions.inc": listing(f"CKPT_FUNCTION({n}, {function['name']})" for n, function in enumerate(api["functions"])),
        "capi/generated/structs.inc": listing(firsts + defaults),
        "capi/generated/fields.inc": listing(line for struct in model.structs for line in copied_fields(struct)),
    }
