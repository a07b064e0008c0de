"""The methods of C++'s classes that are one call of C. A class X written by hand, which has handle(), derives from XMethods<X>."""

import re

from text import GENERATED, camel, texts, wrapped
from write_cpp import CppWords, KEYWORDS, NUMBERS

FOLDER = "include/ckpt/methods/"
SYSTEM = (("cstdint", r"std::u?int"), ("string", r"std::string"), ("vector", r"std::vector"))


class CppParameter:
    """type is None where a method is written by hand: other classes, waiting, and what may be absent."""

    def __init__(self, parameter, owner):
        self.name = parameter.name + "_" * (parameter.name in KEYWORDS)
        name = self.name
        own = parameter.bare == owner
        struct = camel(parameter.bare)
        self.before = [f"const {parameter.bare} given_{name} = detail::to_c({name});"] if parameter.kind == "struct" else []
        self.type, self.passed = {
            "text": ("const std::string&", f"{name}.c_str()"),
            "number": (NUMBERS.get(parameter.bare), name),
            "real": ("double", name),
            "truth": ("bool", f"static_cast<ckpt_bool>({name})"),
            "enum": (struct, f"static_cast<{parameter.bare}>({name})"),
            "handle": ("const Self&" if own else None, f"{name}.handle()"),
            "struct": (f"const {struct}&", f"&given_{name}"),
        }.get(parameter.kind, (None, None))
        if parameter.is_nullable and parameter.kind != "struct":
            self.type = None


class CppMethod:
    def __init__(self, words, method):
        self.method, self.owner, self.function, self.name = method, camel(method.owner), method.function, method.name
        self.parameters = [CppParameter(parameter, method.owner) for parameter in method.parameters]
        self.comment = wrapped(words.text(method.comment), "  // ", "  // ", 129)
        self.type, self.body = self.result()

    def is_simple(self):
        return self.type is not None and all(one.type for one in self.parameters) and self.name not in KEYWORDS

    def result(self):
        result, passed = self.method.result, ["handle()", *(str(one.passed) for one in self.parameters)]
        call = lambda *more: f"{self.function}({', '.join([*passed, *more])})"  # noqa: E731
        kind, c = result.kind, result.bare
        if kind == "none":
            return "void", [f"check({call()});"]
        if kind == "fetched":
            ask = "char* buffer, std::int64_t capacity, std::int64_t* needed"
            return "std::string", [f"return detail::text_of([&]({ask}) {{", f"  return {call('buffer', 'capacity', 'needed')};", "});"]
        if kind in ("structs", "numbers"):
            element, first = (c, init_of(result)) if kind == "structs" else (NUMBERS[c], "0")
            ask = f"{element}* list, std::int64_t capacity, std::int64_t* count"
            lines = [f"const auto ask = [&]({ask}) {{", f"  return {call('list', 'capacity', 'count')};", "};"]
            listed = f"detail::list_of<{element}>({first}, ask)"
            if kind == "numbers":
                return f"std::vector<{element}>", lines + [f"return {listed};"]
            convert = "[](const auto& each) { return detail::from_c(each); }"
            return f"std::vector<{camel(c)}>", [*lines, f"const auto listed = {listed};", f"return detail::values_of(listed, {convert});"]
        if kind == "struct":
            return camel(c), [f"{c} result = {init_of(result)};", f"check({call('&result')});", "return detail::from_c(result);"]
        value = "result" if not result.direct else call()
        returned = {"truth": f"{value} != 0", "enum": f"static_cast<{camel(c)}>({value})"}.get(kind, value)
        type_of = {"truth": "bool", "enum": camel(c), "text": "const char*", "real": "double"}.get(kind, NUMBERS.get(c))
        if kind not in ("truth", "enum", "text", "real", "number"):
            return None, []
        if result.direct:
            return type_of, [f"return {returned};"]
        held = {"truth": "ckpt_bool", "enum": c}.get(kind, type_of)
        first = {"text": "nullptr"}.get(kind, "0")
        return type_of, [f"{held} result = {first};", f"check({call('&result')});", f"return {returned};"]

    def lines(self):
        given = ", ".join(f"{one.type} {one.name}" for one in self.parameters)
        body = [line for one in self.parameters for line in one.before] + self.body
        head = f"  {self.type} {self.name}({given}){' const' * self.method.is_const} {{"
        return [*self.comment, head, *("    " + line for line in body), "  }"]


def init_of(result):
    return result.bare.upper() + "_INIT"


class Writer:
    def __init__(self, model, methods):
        words, text = CppWords(model), "".join(texts("include/ckpt/*.hpp").values())
        used = set(re.findall(r"\b(ckpt_\w+)\(", text))
        bases = set(re.findall(r"\bpublic (\w+)Methods<", text))
        simple = [one for one in (CppMethod(words, method) for method in methods) if one.is_simple()]
        self.generated = [one for one in simple if one.function not in used and one.owner in bases]

    def base(self, owner):
        lines = ["template <class Self>", f"class {owner}Methods {{", " public:"]
        own = [one for one in self.generated if one.owner == owner]
        for one in own:
            lines += one.lines()
        c = own[0].method.owner
        lines += ["", " private:", f"  {c}* handle() const noexcept {{ return static_cast<const Self*>(this)->handle(); }}", "};"]
        return "\n".join(lines)

    def file(self, header):
        part = header.removesuffix(".h")
        owners = sorted({one.owner for one in self.generated if one.method.header == header})
        text = "\n\n".join(self.base(owner) for owner in owners)
        system = [name for name, used in SYSTEM if re.search(used, text)]
        return "\n".join([
            f"// {GENERATED}", f"// {part}.hpp - the methods of {part}.h's objects that are one call of C.", "// clang-format off",
            f"#ifndef CKPT_METHODS_{part.upper()}_HPP", f"#define CKPT_METHODS_{part.upper()}_HPP", "", f"#include <ckpt/{part}.h>",
            *(["#include <ckpt/base.hpp>"] if part != "base" else []), f"#include <ckpt/values/{part}.hpp>", "",
            *(f"#include <{name}>" for name in system), "", "namespace ckpt {", "", text, "", "}  // namespace ckpt", "", "#endif", ""])


def files(model, methods):
    writer = Writer(model, methods)
    headers = sorted({one.method.header for one in writer.generated})
    return {f"{FOLDER}{header}pp": writer.file(header) for header in headers}
