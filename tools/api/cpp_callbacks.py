"""Callbacks of C that call a member of a C++ object: a function, or a std::function that the object holds.

Only callbacks that the hand-written headers use are generated. Callbacks with functions as arguments or with several results are
hand-written.
"""

import re

from callbacks import split
from text import GENERATED, camel, contents, wrapped

FOLDER = "include/ckpt/methods/"


def fitted(line, width=132):
    """Splits a line that is too long after commas."""
    lines = []
    while len(line) > width and ", " in line[:width]:
        at = line.rindex(", ", 0, width) + 1
        opened = [n for n, c in enumerate(line[:at]) if c in "(<" and line.count(c, n, at) > line.count(")" if c == "(" else ">", n, at)]
        lines, line = [*lines, line[:at]], " " * (opened[-1] + 1 if opened else 4) + line[at + 1:]
    return [*lines, line]


FORMS = {  # by kind of a parameter: the argument of the member
    "text": "{0}", "number": "{0}", "real": "{0}", "item": "{0}", "handle": "{0}", "truth": "{0} != 0",
    "enum": "static_cast<{1}>({0})", "duration": "std::chrono::nanoseconds({0})", "bytes": "span_of({0}, bytes)", "struct": "from_c(*{0})"}
RESULTS = {  # by kind of the result: the conversion of the member's result
    "none": "", "item": "*{0} = {{}}.release()", "handle": "*{0} = {{}}.detach()", "struct": "*{0} = to_c({{}})",
    "truth": "*{0} = {{}} ? 1 : 0", "number": "*{0} = {{}}", "count": "*{0} = {{}}"}


class CppCallback:
    """is_simple: whether every parameter has a form in C++."""

    def __init__(self, model, callback):
        self.header, self.type, self.parameters = callback["header"], callback["name"], callback["parameters"]
        self.name = "call_" + self.type.removeprefix("ckpt_").removesuffix("_fn")
        self.has_status = callback["result"] == "int32_t"
        given, result, created = split(model, self.parameters, has_items=True)
        self.object = "user_data"
        if given and given[0].name == "file":  # the object that open or create returned
            self.object, given = "file", given[1:]
        is_simple = callback["result"] in ("int32_t", "void") and self.parameters and self.parameters[-1]["name"] == "user_data"
        self.is_simple = is_simple and all(one.kind in FORMS for one in given) and result in RESULTS and len(created) < 2
        self.passed = [FORMS[one.kind].format(one.name, camel(one.bare)) for one in given] if self.is_simple else []
        self.result = RESULTS[result].format(created[0]["name"]) if self.is_simple and created else "{}"

    def lines(self):
        types = [re.sub(r"\b(u?int\d+_t)\b", r"std::\1", one["type"]) + " " + one["name"] for one in self.parameters]
        if self.object != "user_data":
            types[-1] = "void* /*user_data*/"
        result, noexcept = ("std::int32_t", " noexcept") if self.has_status else ("void", "")
        called = f"(object.*member)({', '.join(self.passed)})"
        comment = wrapped(f"A {self.type} that calls a member of the object that {self.object} points to.", "// ", width=129)
        if not self.has_status:
            body = [f"  auto& object = member_object<member>({self.object});", f"  {called};"]
        else:
            head, called = f"  return call_member<member>({self.object}, [&](auto& object) {{", self.result.format(called) + ";"
            body = [f"{head} {called} }});"]
            if len(body[0]) > 132:
                body = [head, *fitted(f"    {called}"), "  });"]
        signature = fitted(f"{result} {self.name}({', '.join(types)}){noexcept} {{")
        return [*comment, "template <auto member>", *signature, *body, "}"]


def file(header, callbacks):
    part = header.removesuffix(".h")
    guard, text = f"CKPT_METHODS_{part.upper()}_CALLBACKS_HPP", "\n\n".join("\n".join(one.lines()) for one in callbacks)
    system = [name for name, used in (("chrono", r"std::chrono"), ("cstddef", r"std::(byte|size_t)"), ("cstdint", r"std::u?int"))
              if re.search(used, text)]
    return "\n".join([
        f"// {GENERATED}", f"// {part}_callbacks.hpp - callbacks of {part}.h that call members of objects.", "// clang-format off",
        f"#ifndef {guard}", f"#define {guard}", "", f"#include <ckpt/{part}.h>", "#include <ckpt/base.hpp>",
        f"#include <ckpt/values/{part}.hpp>", "", *(f"#include <{name}>" for name in system), "", "namespace ckpt::detail {", "", text,
        "", "}  // namespace ckpt::detail", "", "#endif", ""])


def files(model):
    used = set(re.findall(r"\b(call_\w+)<", "".join(contents("include/ckpt/*.hpp").values())))
    callbacks = [CppCallback(model, callback) for callback in model.api["callbacks"] if callback["header"] != "base.h"]
    callbacks = [one for one in callbacks if one.is_simple and one.name in used]
    headers = sorted({one.header for one in callbacks})
    return {f"{FOLDER}{header.removesuffix('.h')}_callbacks.hpp": file(header, [one for one in callbacks if one.header == header])
            for header in headers}
