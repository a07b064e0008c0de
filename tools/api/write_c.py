"""What C and the library are given of the description: the table for dlopen, initialisers, first sizes; headers of any description."""

import re

from model import MADE, has_size, is_spare

TABLE_HEADER = """\
/* api.h - the whole C API as a table of function pointers, for programs that load libckpt with dlopen:
 *
 *   const struct ckpt_api *(*get_api)(uint32_t) = (const struct ckpt_api *(*)(uint32_t))dlsym(library, "ckpt_get_api");
 *   const struct ckpt_api *api = get_api(CKPT_API_VERSION);
 *
 * Members are only ever appended; each has the name and meaning of the function it points to. A table whose size is smaller than a
 * member's end comes from an older library that lacks it. %(made)s */
#ifndef CKPT_API_H
#define CKPT_API_H

%(includes)s

#ifdef __cplusplus
extern "C" {
#endif

#define CKPT_API_VERSION 0U

typedef struct ckpt_api {
  uint64_t size; /* bytes of this table in the library that is loaded */
%(members)s
} ckpt_api;

#ifdef __cplusplus
}
#endif

#endif /* CKPT_API_H */
"""

TABLE_SOURCE = """\
// %(made)s
#include <cstddef>

#include <ckpt/api.h>

%(locks)s

const ckpt_api* ckpt_get_api(uint32_t version) {
  static const ckpt_api table = {
      sizeof(ckpt_api),
%(entries)s
  };
  return version == CKPT_API_VERSION ? &table : nullptr;
}
"""

STRUCTS_HEADER = """\
// The structs that begin with struct_size: how large the first version of each was, which callers may still have, and what its
// fields are unless they are set. %(made)s
#pragma once

#include <cstddef>

%(includes)s

namespace ckpt::capi {

template <class T>
struct StructOf;

#define CKPT_FIRST_SIZE(type, last) (offsetof(type, last) + sizeof(type::last))
%(structs)s
#undef CKPT_FIRST_SIZE

}  // namespace ckpt::capi
"""

INIT_SOURCE = """\
// %(made)s
#include "../structs.h"

using ckpt::capi::init_struct;

%(functions)s
"""


def signature(function, name):
    """The declaration of a function under another name."""
    parameters = ", ".join(parameter["declaration"] for parameter in function["parameters"]) or "void"
    return f"{function['result']} {name}({parameters})"


def includes(api):
    return "\n".join(f"#include <ckpt/{header['name']}>" for header in api["headers"])


def api_header(api):
    members = "\n".join(f"  {signature(function, '(*' + function['name'] + ')')};" for function in api["functions"])
    return TABLE_HEADER % {"made": MADE, "includes": includes(api), "members": members}


def table_source(api):
    names = [function["name"] for function in api["functions"]]
    locks = "\n".join(f"static_assert(offsetof(ckpt_api, {name}) == 8 + {n} * sizeof(void (*)()));" for n, name in enumerate(names))
    return TABLE_SOURCE % {"made": MADE, "locks": locks, "entries": "\n".join(f"      {name}," for name in names)}


def structs_header(api):
    parts = []
    for struct in filter(has_size, api["structs"]):
        name, first = struct["name"], struct["first"]
        lines = ["", "template <>", f"struct StructOf<{name}> {{",
                 f"  static constexpr std::size_t first_size = CKPT_FIRST_SIZE({name}, {first['last']});"]
        if "default" in struct["fields"][0]:
            lines.append(f"  static constexpr {name} defaults = {name.upper()}_INIT;")
        lines += ["};", f"static_assert(sizeof(void*) != 8 || StructOf<{name}>::first_size == {first['size']});"]
        parts.append("\n".join(lines))
    return STRUCTS_HEADER % {"made": MADE, "includes": includes(api), "structs": "\n".join(parts)}


def init_source(api):
    known = {function["name"] for function in api["functions"]}
    names = [struct["name"] for struct in api["structs"] if struct["name"] + "_init" in known]
    functions = "\n".join(f"void {name}_init({name}* out, uint32_t size) {{ init_struct(out, size); }}" for name in names)
    return INIT_SOURCE % {"made": MADE, "functions": functions}


# ---- Headers of a description: of an older version, or one whose structs have grown ----


def literal(value):
    if isinstance(value, str):
        return '"' + value + '"'
    if isinstance(value, int) and not -(2**31) < value < 2**31:
        return "INT64_MIN" if value == -(2**63) else "(" + str(value) + ("ULL)" if value >= 2**63 else "LL)")
    return f"({value})"


def macro(struct):
    values = ", ".join(field["default"] for field in struct["fields"])
    return f"#define {struct['name'].upper()}_INIT {{ {values} }}"


def struct_text(struct):
    fields = "\n".join(f"  {field['declaration']};" for field in struct["fields"])
    text = f"typedef struct {struct['name']} {struct['name']};\nstruct {struct['name']} {{\n{fields}\n}};"
    return text + ("\n" + macro(struct) if "default" in struct["fields"][0] else "")


def callback_text(callback):
    return "typedef " + signature(callback, f"(*{callback['name']})") + ";"


def in_order(api):
    """Types before those that use them: handles and plain names, then structs and callbacks as the headers have them."""
    waiting = api["structs"] + api["callbacks"]
    names = {entry["name"] for entry in waiting}
    done, out = set(), []
    while waiting:
        later = []
        for entry in waiting:
            text = struct_text(entry) if "fields" in entry else callback_text(entry)
            needed = set(re.findall(r"ckpt_[a-z0-9_]+", text)) & names - {entry["name"]}
            by_pointer = {name for name in needed if re.search(r"\b" + name + r"\s*\*", text)}
            if needed - done - {name for name in by_pointer if not name.endswith("_fn")}:
                later.append(entry)
            else:
                out.append(text)
                done.add(entry["name"])
        if len(later) == len(waiting):
            raise ValueError("types that need each other: " + ", ".join(entry["name"] for entry in later))
        waiting = later
    return out


def grown(api):
    """The description in which every struct with a size has one more field."""
    extra = {"name": "grown_by", "type": "int64_t", "declaration": "int64_t grown_by", "default": "0", "comment": "", "size": 8}
    return {**api, "structs": [{**struct, "fields": struct["fields"] + [extra]} if has_size(struct) else struct for struct in api["structs"]]}


def plain_header(api):
    """All of a description in one header, without comments."""
    lines = ["/* " + MADE + " */", "#ifndef CKPT_ALL_H", "#define CKPT_ALL_H", "#include <stdint.h>",
             '#define CKPT_API __attribute__((visibility("default")))', "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"#define {entry['text']}" for entry in api["macros"]]
    lines += [f"#define {constant['name']} {literal(constant['value'])}" for constant in api["constants"]]
    lines += [f"typedef {kind['type']} {kind['name']};" for kind in api["types"]]
    lines += [f"typedef struct {handle['name']} {handle['name']};" for handle in api["handles"]]
    lines += [f"typedef struct {struct['name']} {struct['name']};" for struct in api["structs"]]
    lines += [f"struct {struct['name']};" for struct in api["foreign"]]
    lines += ["struct ckpt_api;"] + [text.split("\n", 1)[1] if text.startswith("typedef struct") else text for text in in_order(api)]
    lines += [f"CKPT_API {signature(function, function['name'])};" for function in api["functions"]]
    return "\n".join(lines + ["#ifdef __cplusplus", "}", "#endif", "#endif", ""])


# ---- Copies between the structs of C and those of the core, whose fields have the same names ----

COPIES_HEADER = """\
// clang-format off
// By struct of C: its fields that are plain values, copied to and from a struct of the core whose fields have the same names.
// %(made)s
#pragma once

%(includes)s

#include "../copy.h"

namespace ckpt::capi {

%(structs)s

}  // namespace ckpt::capi
"""


def is_plain(field):
    """A number, an enum, a truth value or a text: what is copied as it is. Objects, functions and arrays are not."""
    if is_spare(field):
        return False
    return "*" not in field["type"] and not field["type"].endswith("_fn") and "array" not in field or field["type"] in ("const char*", "char")


def copies_header(api):
    texts = []
    for struct in api["structs"]:
        names = [field["name"] for field in struct["fields"] if is_plain(field)]
        if names and not struct["name"].endswith("_callbacks"):
            fields = "\n".join(f"    field(CKPT_FIELD({name}));" for name in names)
            texts.append(f"template <>\nstruct Fields<{struct['name']}> {{\n  template <class Each>\n  static constexpr void each(Each&& field) {{\n{fields}\n  }}\n}};")
    return COPIES_HEADER % {"made": MADE, "includes": includes(api), "structs": "\n".join(texts)}
