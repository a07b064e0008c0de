"""The plain data of C++: enums, options and results as values, and how they become the structs of C and come from them."""

import re

from text import Frames, Words, camel, wrapped

frame = Frames("cpp")
FORMS = {  # by kind: type, first value, the statement that puts it into C's struct, and the expression that takes it out
    "truth": ("bool", "{truth}", "to.{c} = {given} ? 1 : 0;", "from.{c} != 0"),
    "enum": ("{type}", "{initial}", "to.{c} = static_cast<{in_c}>({given});", "static_cast<{type}>(from.{c})"),
    "number": ("{number}", "{default}", "to.{c} = {given};", "from.{c}"),
    "duration": ("std::chrono::nanoseconds", "std::chrono::nanoseconds({default})", "to.{c} = {given}.count();",
                 "std::chrono::nanoseconds(from.{c})"),
    "instant": ("std::chrono::system_clock::time_point", "{{}}", "", "detail::instant(from.{c})"),
    "text": ("std::string{view}", "{{}}", "to.{c} = detail::text_or_null({given});", "detail::text(from.{c})"),
    "chars": ("std::string", "{{}}", "", "detail::text(from.{c})"),
    "shape": ("{shape}", "{{}}", "{given}.put(to.{c}, to.ndim);", "{shape}(from.{c}, from.{c} + from.ndim)"),
    "numbers": ("std::array<{number}, {length}>", "{{}}", "", "detail::elements<{length}>(from.{c})"),
    "handle": ("detail::Borrowed<{bare}>", "{{}}", "to.{c} = {given};", ""),
    "struct": ("{type}", "{{}}", "", "from_c(*from.{c})"),
    "list": ("std::vector<{number}>", "{{}}", "to.{c} = {given}.empty() ? nullptr : {given}.data();\n"
             "  to.{c}_count = static_cast<std::int64_t>({given}.size());", ""),
}
FORMS.update({"reading": FORMS["duration"], "instant or none": FORMS["instant"]})
KEYWORDS = {"auto", "bool", "default"}
NUMBERS = {"double": "double", **{name: "std::" + name for name in ("int32_t", "int64_t", "uint32_t", "uint64_t")}}


def enumerator(constant):
    low = constant.short.lower().replace("1f1b", "one_f_one_b")
    return low + "_" if low in KEYWORDS else low


def named(constant):
    return f"{camel(constant.group.name)}::{enumerator(constant)}"


class CppWords(Words):
    absent, borrows = "std::nullopt", True
    constant = staticmethod(named)


def init(struct):
    return struct.name.upper() + "_INIT" if struct.has_size else "{}"


class Member:
    """A value as a member of a struct."""

    def __init__(self, struct, value):
        self.value, self.name = value, value.name if value.kind == "numbers" else value.name.removesuffix("_ns")
        shape = "Shape" if value.length or not struct.called else "std::vector<std::int64_t>"
        kind, first, to_c, from_c = FORMS.get(value.kind, FORMS["number"])
        names = {"number": NUMBERS.get(value.bare), "shape": shape, "view": "_view" if struct.shown else "",
                 "in_c": value.group and value.group.type, "truth": "false" if value.default == "0" else "true",
                 "initial": value.group and (" | ".join(map(named, value.initial())) or f"{camel(value.bare)}{{{value.default}}}")}
        self.type, self.first, self.from_c = (value.filled(form, **names) for form in (kind, first, from_c))
        self.to_c = value.filled(to_c, given="value." + self.name, **names)
        if value.has:
            inner = value.filled(to_c, given="*value." + self.name, **names)
            self.to_c = f"to.{value.has} = value.{self.name} ? 1 : 0;\n  if (value.{self.name}) {inner}"
            self.from_c = f"from.{value.has} != 0 ? std::optional({self.from_c}) : std::nullopt"
            self.type, self.first = f"std::optional<{self.type}>", "std::nullopt" if value.begins_absent else self.first


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
        """Structs with a size and lists of objects stay in C: calls take them beside the value."""
        sized = {other.name for other in self.model.structs if other.has_size}
        held = [value for value in struct.values if value.bare not in sized and (value.kind != "list" or value.bare in NUMBERS)]
        return [Member(struct, value) for value in held]

    def struct(self, struct):
        lines, members = [], self.members(struct)
        names = {"c": struct.name, "name": camel(struct.name), "init": init(struct)}
        for member in members:
            lines += self.comment(self.words.of(member.value), "  ") + [f"  {member.type} {member.name} = {member.first};"]
        text = "\n".join([*self.comment(self.words.text(struct.comment)), f"struct {names['name']} {{", *lines, "};"])
        functions = []
        if struct.given:
            statements = "\n".join(f"  {member.to_c}" for member in members if member.to_c)
            functions.append(frame("to c", **names, statements=statements))
        if struct.filled:
            statements = "\n".join(f"  value.{member.name} = {member.from_c};" for member in members if member.from_c)
            functions.append(frame("from c", **names, statements=statements))
        return text + ("\n\nnamespace detail {\n\n" + "\n\n".join(functions) + "\n\n}  // namespace detail" if functions else "")

    def structs(self):
        return [struct for struct in self.model.structs if not struct.is_table]

    def file(self, header):
        texts = [self.enum(group) for group in self.model.groups.values() if group.header == header]
        texts += [self.struct(struct) for struct in self.structs() if struct.header == header]
        part, body = header.removesuffix(".h"), "\n\n".join(texts)
        return frame("header", part=part, upper=part.upper(), body=body + "\n", includes=self.includes(part, body))

    def includes(self, part, body):
        """Of the values of other parts that are used here."""
        code = re.sub(r"//.*", "", body)
        used = [group for group in self.model.groups.values() if re.search(rf"\b{camel(group.name)}\b", code)]
        others = {group.header.removesuffix(".h") for group in used} - {part}
        return "".join(f"#include <ckpt/values/{other}.hpp>\n" for other in sorted(others))

    def list_of_given(self):
        """Of the values that are given to the library, for the test that their defaults are those of C."""
        lines = [f"VALUE({camel(struct.name)}, {struct.name}, {init(struct)})" for struct in self.structs() if struct.given]
        return frame("given", values="\n".join(lines))


def files(model):
    writer = Writer(model)
    made = {"tests/capi/given_values.inc": writer.list_of_given()}
    used = {group.header for group in model.groups.values()} | {struct.header for struct in writer.structs()}
    return {**made, **{f"include/ckpt/values/{header}pp": writer.file(header) for header in model.headers if header in used}}
