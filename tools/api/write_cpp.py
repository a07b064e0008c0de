"""The plain data of the C++ face: enums, options and results as values, and how they become the structs of C and come from them."""

import re
import textwrap

from text import bare, camel, directions, groups, is_spare, asked_by, value_name
from write_c import MADE, has_size

KEYWORDS = {"auto", "bool", "default", "1f1b"}
STATUS = r"CKPT_(E_|(?=OK$))"
NUMBERS = {"int32_t": "std::int32_t", "int64_t": "std::int64_t", "uint32_t": "std::uint32_t", "uint64_t": "std::uint64_t", "double": "double"}
HEADER = """\
// {part}.hpp - the values of {part}.h in C++: its enums, options and results. {made}
// clang-format off
#ifndef CKPT_VALUES_{upper}_HPP
#define CKPT_VALUES_{upper}_HPP

#include <ckpt/{part}.h>
#include <ckpt/values/value.hpp>
{includes}
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ckpt {{

{body}
}}  // namespace ckpt

#endif  // CKPT_VALUES_{upper}_HPP
"""


def enumerator(group, constant):
    low = re.sub(STATUS, "", constant["name"]).lower() if group == "ckpt_status" else value_name(group, constant).lower()
    if low == "1f1b":
        return "one_f_one_b"
    return low + "_" if low in KEYWORDS else low


class Values:
    def __init__(self, api):
        self.api, self.directions = api, directions(api)
        self.groups = {"ckpt_status": [constant for constant in api["constants"] if re.match(STATUS, constant["name"])], **groups(api)}
        functions = {bare(parameter["type"]) for function in api["functions"] if not function["name"].endswith("_init") for parameter in function["parameters"]}
        self.lent = set(self.directions) - functions  # what only callbacks see: borrowed for the call
        self.shown = {bare(parameter["type"]) for callback in api["callbacks"] for parameter in callback["parameters"]}
        self.handles = {handle["name"] for handle in api["handles"]}
        self.structs = {struct["name"] for struct in api["structs"]}
        self.constants = {constant["name"]: (group, constant) for group, all_of in self.groups.items() for constant in all_of}

    # ---- Words ----

    def comment(self, text, indent=""):
        def named(match):
            word = match.group(0)
            if word in self.constants:
                group, constant = self.constants[word]
                return f"{camel(group)}::{enumerator(group, constant)}"
            return camel(word) if word in self.structs or word in self.groups or word in self.handles else word

        text = text.replace("CKPT_E_*", "the errors")
        text = re.sub(r"CKPT_([A-Z0-9_]+)_\*", lambda m: camel("ckpt_" + m.group(1).lower()), text)
        text = re.sub(r"\b(?:CKPT|ckpt)_[A-Za-z0-9_]+\b", named, text.replace("\n", " "))
        return "\n".join(textwrap.wrap(text, 132 - len(indent) - 3, initial_indent=indent + "// ", subsequent_indent=indent + "// ",
                                       break_long_words=False, break_on_hyphens=False))

    def value(self, default):
        """A default as C++ writes it."""
        return re.sub(r"\bCKPT_[A-Z0-9_]+\b", lambda m: self.named(m.group(0)), default)

    def named(self, name):
        if name not in self.constants:
            return name
        group, constant = self.constants[name]
        return f"{camel(group)}::{enumerator(group, constant)}"

    def of_number(self, group, number):
        found = next((constant for constant in self.groups[group] if str(constant["value"]) == number), None)
        return f"{camel(group)}::{enumerator(group, found)}" if found else f"{camel(group)}{{{number}}}"

    # ---- Enums ----

    def enum(self, group):
        kind = next(kind for kind in self.api["types"] if kind["name"] == group)
        name = camel(group)
        lines = [self.comment(kind["comment"]), f"enum class {name} : {NUMBERS[kind['type']]} {{"]
        for constant in self.groups[group]:
            lines += [self.comment(constant["comment"], "  "), f"  {enumerator(group, constant)} = {constant['name']},"]
        lines.append("};")
        if "sum of" in kind["comment"]:
            lines.append(f"CKPT_FLAGS({name})")
        return "\n".join(lines)

    # ---- Fields: (C++ type, C++ name, default, statements to C, expression from C), or None for what a value does not hold ----

    def field(self, struct, field):
        name, kind = field["name"], field["type"]
        names = {other["name"] for other in struct["fields"]}
        default = field.get("default", "0")
        if kind in self.groups:
            base = next(entry["type"] for entry in self.api["types"] if entry["name"] == kind)
            first = self.value(default) if "CKPT_" in default else self.of_number(kind, default)
            return camel(kind), name, first, f"to.{name} = static_cast<{base}>({{}});", f"static_cast<{camel(kind)}>(from.{name})"
        if kind == "ckpt_bool":
            return "bool", name, "true" if default == "1" else "false", f"to.{name} = {{}} ? 1 : 0;", f"from.{name} != 0"
        if kind == "int64_t" and name.endswith("_utc_ns"):
            return "std::chrono::system_clock::time_point", name[:-3], "", None, f"detail::instant(from.{name})"
        if kind == "int64_t" and name.endswith("_ns") and "array" not in field:
            given = "" if default == "0" else f"std::chrono::nanoseconds({default.replace(' ', '')})"
            return "std::chrono::nanoseconds", name[:-3], given or "std::chrono::nanoseconds::zero()", f"to.{name} = {{}}.count();", f"std::chrono::nanoseconds(from.{name})"
        if kind == "const char*" or kind == "char":
            held = "std::string_view" if struct["name"] in (self.shown if kind == "const char*" else self.lent) else "std::string"
            return held, name, "", f"to.{name} = detail::text_or_null({{}});", f"detail::text({'from.' + name})"
        if name == "shape":
            held = "Shape" if "array" in field or struct["name"] in self.lent else "std::vector<std::int64_t>"
            return held, name, "", f"{{}}.put(to.{name}, to.ndim);", f"{held}(from.{name}, from.{name} + from.ndim)"
        if "array" in field:
            length = field["array"][0]
            return f"std::array<{NUMBERS[kind]}, {length}>", name, "{}", None, f"detail::elements<{length}>(from.{name})"
        if bare(kind) in self.structs and kind.endswith("*"):
            held = next(entry for entry in self.api["structs"] if entry["name"] == bare(kind))
            return None if has_size(held) else (camel(held["name"]), name, "", None, f"from_c(*from.{name})")
        if kind.endswith("*") and name + "_count" in names and bare(kind) in NUMBERS:
            to = f"to.{name} = {{0}}.empty() ? nullptr : {{0}}.data();\n  to.{name}_count = static_cast<std::int64_t>({{0}}.size());"
            return f"std::vector<{NUMBERS[bare(kind)]}>", name, "", to, None
        if kind.endswith("*") and bare(kind) in self.handles and not kind.endswith("**") and "* const*" not in kind:
            return f"detail::Borrowed<{bare(kind)}>", name, "", f"to.{name} = {{}};", None
        if kind in NUMBERS:
            first = "0" if default in ("0", "0.0", "0 .0") else self.value(default)
            return NUMBERS[kind], name, first.replace("- 1", "-1"), f"to.{name} = {{}};", f"from.{name}"
        return None

    def fields(self, struct):
        asked = asked_by(struct)
        arrays = {field["name"] + "_count" for field in struct["fields"] if field["type"].endswith("*")}
        for field in struct["fields"]:
            if is_spare(field) or field["name"] in asked or field["name"] in arrays:
                continue
            if field["name"] == "ndim" and any(other["name"] == "shape" for other in struct["fields"]):
                continue
            made = self.field(struct, field)
            if made is None:
                continue
            asks = next((has for has, other in asked.items() if other == field["name"]), None)
            yield field, made, asks

    # ---- Structs ----

    def struct(self, struct):
        name, lines, to_c, from_c = camel(struct["name"]), [], [], []
        set_by_default = {field["name"]: field.get("default", "0") for field in struct["fields"]}
        for field, (kind, called, first, to, back), asks in self.fields(struct):
            if asks:
                first = first if set_by_default[asks] != "0" else "std::nullopt"
                kind = f"std::optional<{kind}>"
                to = f"to.{asks} = value.{called} ? 1 : 0;\n  if (value.{called}) {to.format('*value.' + called)}"
                back = f"from.{asks} != 0 ? std::optional({back}) : std::nullopt"
            elif to:
                to = to.format("value." + called)
            lines += [self.comment(field["comment"], "  "), f"  {kind} {called} = {first or '{}'};"]
            to_c += [f"  {to}"] if to else []
            from_c += [f"  value.{called} = {back};"] if back else []
        if not lines:
            return ""
        text = "\n".join([self.comment(struct["comment"]), f"struct {name} {{", *lines, "};"])
        ways = self.directions.get(struct["name"], set())
        functions = []
        if "in" in ways:
            functions.append(f"// Borrows from value: texts and arrays.\ninline {struct['name']} to_c(const {name}& value) {{\n"
                             f"  {struct['name']} to = {struct['name'].upper() + '_INIT' if has_size(struct) else '{}'};\n" + "\n".join(to_c) + "\n  return to;\n}")
        if "out" in ways:
            functions.append(f"inline {name} from_c(const {struct['name']}& from) {{\n  {name} value;\n" + "\n".join(from_c) + "\n  return value;\n}")
        return text + ("\n\nnamespace detail {\n\n" + "\n\n".join(functions) + "\n\n}  // namespace detail" if functions else "")

    def is_value(self, struct):
        """Tables of functions are none."""
        return not struct["name"].endswith("_callbacks") and struct["name"] != "ckpt_blas"

    def file(self, header):
        part = header["name"].removesuffix(".h")
        enums = [self.enum(group) for group in self.groups if self.header_of(group) == header["name"]]
        structs = [self.struct(struct) for struct in self.api["structs"] if struct["header"] == header["name"] and self.is_value(struct)]
        body = "\n\n".join(text for text in enums + structs if text)
        return HEADER.format(part=part, upper=part.upper(), made=MADE, body=body + "\n", includes=self.includes(part, body)) if body else ""

    def header_of(self, group):
        return next(kind["header"] for kind in self.api["types"] if kind["name"] == group)

    def includes(self, part, body):
        """Of the values of other parts that are used here."""
        others = set()
        for group in self.groups:
            if re.search(rf"\b{camel(group)}\b", re.sub(r"//.*", "", body)):
                others.add(self.header_of(group).removesuffix(".h"))
        return "".join(f"#include <ckpt/values/{other}.hpp>\n" for other in sorted(others - {part}))


def list_of_given(values):
    """Of the values that are given to the library, for the test that their defaults are those of C."""
    given = [struct for struct in values.api["structs"] if values.is_value(struct) and values.struct(struct) and "in" in values.directions.get(struct["name"], set())]
    lines = [f"VALUE({camel(struct['name'])}, {struct['name']}, {struct['name'].upper() + '_INIT' if has_size(struct) else '{}'})" for struct in given]
    return f"// Values that are given to the library, the structs they become, and those structs' defaults. {MADE}\n// clang-format off\n" + "\n".join(lines) + "\n"


def files(api):
    values = Values(api)
    texts = {f"include/ckpt/values/{header['name']}pp": values.file(header) for header in api["headers"]}
    return {"tests/capi/given_values.inc": list_of_given(values), **{name: text for name, text in texts.items() if text}}
