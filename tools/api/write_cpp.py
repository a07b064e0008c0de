"""The plain data of C++: enums, options and results as values, and their conversions to and from the structs of C."""

import re

from text import GENERATED, Words, camel, listing, wrapped

FORMS = {  # by kind: type, and first value
    "truth": ("bool", "{truth}"), "enum": ("{type}", "{initial}"), "number": ("{number}", "{default}"),
    "duration": ("std::chrono::nanoseconds", "std::chrono::nanoseconds({default})"),
    "reading": ("std::chrono::nanoseconds", "std::chrono::nanoseconds({default})"),
    "instant": ("std::chrono::system_clock::time_point", "{{}}"), "instant or none": ("std::chrono::system_clock::time_point", "{{}}"),
    "text": ("std::string{view}", "{{}}"), "chars": ("std::string", "{{}}"), "shape": ("{shape}", "{{}}"),
    "numbers": ("std::array<{number}, {length}>", "{{}}"), "handle": ("detail::Borrowed<{bare}>", "{{}}"),
    "struct": ("{type}", "{{}}"), "list": ("std::vector<{number}>", "{{}}"),
}
KEYWORDS = {"auto", "bool", "default"}
NUMBERS = {"double": "double", **{name: "std::" + name for name in ("int32_t", "int64_t", "uint32_t", "uint64_t")}}

NAMES = {  # names in C++ that differ from C
    "ckpt_blas_set_kernels": "set_blas_kernels",
    "ckpt_dtype_find": "find_dtype",
    "ckpt_interval_daly": "daly_interval",
    "ckpt_interval_expected_value": "expected_value_interval",
    "ckpt_interval_weibull": "weibull_interval",
    "ckpt_interval_young": "young_interval",
    "ckpt_layer_get_known_kinds": "known_layer_kinds",
    "ckpt_memory_probe": "probe_memory",
    "ckpt_memory_tracker_record_deallocation_layer": "free_layer",
    "ckpt_safetensors_write": "write_safetensors",
    "ckpt_schedule_get_known_planners": "known_planners",
    "ckpt_schedule_place": "reserved_bytes",
    "ckpt_state_add_sharded_tensor": "add_sharded",
    "ckpt_state_add_tensor": "add",
    "ckpt_strategy_get_known_kinds": "known_strategy_kinds",
    "ckpt_strategy_should_checkpoint_shape": "should_checkpoint",
    "ckpt_tensor_copy": "copy_from",
    "ckpt_tensor_create_from_dlpack_versioned": "from_dlpack",
    "ckpt_tensor_export_dlpack": "to_dlpack",
    "ckpt_tensor_export_dlpack_versioned": "to_dlpack_versioned",
    "ckpt_tensor_is_bit_equal": "bit_equal",
    "ckpt_tensor_is_read_only": "read_only",
}


def enumerator(constant):
    low = constant.short.lower().replace("1f1b", "one_f_one_b")
    return low + "_" if low in KEYWORDS else low


def named(constant):
    return f"{camel(constant.group.name)}::{enumerator(constant)}"


class CppWords(Words):
    absent, borrows, struct = "std::nullopt", True, "struct"
    null, nulls = "nullptr", {"text": "empty", "list": "empty", "shape": "empty"}
    constant = staticmethod(named)

    def function(self, name, owner, method):
        is_free = owner not in self.model.handles
        method = NAMES.get(name) or (name.removeprefix("ckpt_") if is_free else method.removeprefix("create_"))
        return method if is_free else f"{camel(owner)}::{method}"

    def field(self, name, struct):
        return name.removesuffix("_ns")


def init(struct):
    return struct.name.upper() + "_INIT" if struct.has_size else "{}"


class Member:
    """A value as a member of a struct."""

    def __init__(self, struct, value):
        self.value, self.name = value, value.name if value.kind == "numbers" else value.name.removesuffix("_ns")
        shape = "Shape" if value.length or not struct.called else "std::vector<std::int64_t>"
        names = {"number": NUMBERS.get(value.bare), "shape": shape, "view": "_view" if struct.shown else "",
                 "truth": "false" if value.default == "0" else "true",
                 "initial": value.group and (" | ".join(map(named, value.initial())) or f"{camel(value.bare)}{{{value.default}}}")}
        self.type, self.first = (value.filled(form, **names) for form in FORMS.get(value.kind, FORMS["number"]))
        if value.has:
            self.type, self.first = f"std::optional<{self.type}>", "std::nullopt" if value.initially_absent else self.first

    def fields(self, struct):
        """Returns the fields of C's struct for the value."""
        value = self.value
        if value.kind == "struct":
            return f"from_c(*{struct}.{value.name})"
        more = {"shape": "ndim", "list": value.name + "_count"}.get(value.kind, value.has)
        return ", ".join(f"{struct}.{field}" for field in (value.name, more) if field)


class Writer:
    def __init__(self, model):
        self.model, self.words = model, CppWords(model)

    def comment(self, text, indent=""):
        return wrapped(text, indent + "// ", width=129 - len(indent))

    def enum(self, group):
        name = camel(group.name)
        lines = self.comment(self.words.text(group.comment)) + [f"enum class {name} : {NUMBERS[group.type]} {{"]
        for constant in group.constants:
            lines += self.comment(self.words.text(constant.comment), "  ") + [f"  {enumerator(constant)} = {constant.name},"]
        return "\n".join(lines + ["};"] + ["template <>", f"struct IsFlags<{name}> : std::true_type {{}};"] * group.is_sum)

    def members(self, struct):
        """Returns the members. Structs with a size and lists of objects are omitted: calls take them as separate arguments."""
        sized = {other.name for other in self.model.structs if other.has_size}
        held = [value for value in struct.values if value.bare not in sized and (value.kind != "list" or value.bare in NUMBERS)]
        return [Member(struct, value) for value in held]

    def struct(self, struct):
        lines, members, name = [], self.members(struct), camel(struct.name)
        for member in members:
            lines += self.comment(self.words.of(member.value), "  ") + [f"  {member.type} {member.name} = {member.first};"]
        text = "\n".join([*self.comment(self.words.text(struct.comment)), f"struct {name} {{", *lines, "};"])
        puts = [f"  put(from.{member.name}, {member.fields('to')});" for member in members]
        takes = [f"  take(to.{member.name}, {member.fields('from')});" for member in members if member.value.kind != "handle" or not struct.called]
        functions = [[f"inline {struct.name} to_c(const {name}& from) {{", f"  {struct.name} to = {init(struct)};", *puts]] * struct.given
        functions += [[f"inline {name} from_c(const {struct.name}& from) {{", f"  {name} to;", *takes]] * struct.filled
        lines = [line for function in functions for line in [*function, "  return to;", "}"]]
        return "\n".join([text, "namespace detail {", *lines, "}  // namespace detail"] if lines else [text])

    def structs(self):
        return [struct for struct in self.model.structs if not struct.is_table]

    def file(self, header):
        texts = [self.enum(group) for group in self.model.groups.values() if group.header == header]
        texts += [self.struct(struct) for struct in self.structs() if struct.header == header]
        part, body = header.removesuffix(".h"), "\n\n".join(texts)
        return "\n".join([
            f"// {GENERATED}", f"// {part}.hpp - the values of {part}.h in C++: its enums, options and results.", "// clang-format off",
            f"#ifndef CKPT_VALUES_{part.upper()}_HPP", f"#define CKPT_VALUES_{part.upper()}_HPP", "", f"#include <ckpt/{part}.h>",
            "#include <ckpt/values/value.hpp>", *self.includes(part, body), "", "namespace ckpt {", "", body, "", "}  // namespace ckpt",
            "", "#endif", ""])

    def includes(self, part, body):
        """Returns the includes for values of other parts that are used here."""
        code = re.sub(r"//.*", "", body)
        used = [group for group in self.model.groups.values() if re.search(rf"\b{camel(group.name)}\b", code)]
        others = {group.header.removesuffix(".h") for group in used} - {part}
        return [f"#include <ckpt/values/{other}.hpp>" for other in sorted(others)]


def files(model):
    writer = Writer(model)
    given = [f"VALUE({camel(struct.name)}, {struct.name}, {init(struct)})" for struct in writer.structs() if struct.given]
    used = {group.header for group in model.groups.values()} | {struct.header for struct in writer.structs()}
    return {"tests/capi/given_values.inc": listing(given),  # for the test that compares their defaults with C
            **{f"include/ckpt/values/{header}pp": writer.file(header) for header in model.headers if header in used}}
