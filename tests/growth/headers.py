"""Writes a description of the API as C headers: those of an older version, or of one with grown structs.

    python3 tests/growth/headers.py FILE OUT [--grow]   into the folder OUT; with --grow, each struct with a size has one more field
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "api"))
sys.dont_write_bytecode = True

from model import has_size  # noqa: E402
from text import GENERATED  # noqa: E402
from write_c import api_header, signature  # noqa: E402


def literal(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) or -(2**31) < value < 2**31:
        return f"({value})"
    return "INT64_MIN" if value == -(2**63) else f"({value}{'ULL' if value >= 2**63 else 'LL'})"


def struct_text(struct):
    fields = "\n".join(f"  {field['declaration']};" for field in struct["fields"])
    text = f"struct {struct['name']} {{\n{fields}\n}};"
    if "default" not in struct["fields"][0]:
        return text
    values = ", ".join(field["default"] for field in struct["fields"])
    return f"{text}\n#define {struct['name'].upper()}_INIT {{ {values} }}"


def callback_text(callback):
    return "typedef " + signature(callback, f"(*{callback['name']})") + ";"


def grown(api):
    """Returns the description with one more field in every struct that has a size."""
    extra = {"name": "grown_by", "type": "int64_t", "declaration": "int64_t grown_by", "default": "0", "comment": "", "size": 8}
    return {**api, "structs": [{**struct, "fields": struct["fields"] + [extra] * has_size(struct)} for struct in api["structs"]]}


def plain_header(api):
    """Returns all of a description as one header without comments: functions and callbacks pass structs by pointer only."""
    lines = [f"/* {GENERATED} */", "#ifndef CKPT_ALL_H", "#define CKPT_ALL_H", "#include <stdint.h>",
             '#define CKPT_API __attribute__((visibility("default")))', "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"#define {entry['text']}" for entry in api["macros"]]
    lines += [f"#define {constant['name']} {literal(constant['value'])}" for constant in api["constants"]]
    lines += [f"typedef {kind['type']} {kind['name']};" for kind in api["types"]]
    lines += [f"typedef struct {struct['name']} {struct['name']};" for struct in api["handles"] + api["structs"]]
    lines += [f"struct {struct['name']};" for struct in api["foreign"]] + ["struct ckpt_api;"]
    lines += [callback_text(callback) for callback in api["callbacks"]] + [struct_text(struct) for struct in api["structs"]]
    lines += [f"CKPT_API {signature(function, function['name'])};" for function in api["functions"]]
    return "\n".join(lines + ["#ifdef __cplusplus", "}", "#endif", "#endif", ""])


def main(description, out, *options):
    with open(description, encoding="utf-8") as file:
        api = json.load(file)
    os.makedirs(os.path.join(out, "ckpt"), exist_ok=True)
    texts = {"all.h": plain_header(grown(api) if "--grow" in options else api), "api.h": api_header(api)}
    for name in [header["name"] for header in api["headers"]] + ["ckpt.h"]:
        texts[name] = "#include <ckpt/all.h>\n"
    for name, text in texts.items():
        with open(os.path.join(out, "ckpt", name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
