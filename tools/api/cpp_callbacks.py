"""Callbacks of C that call a member of a C++ object: a function, or a std::function that the object holds.

Those that the hand-written headers use are generated. Callbacks that take functions or have several results are written by hand.
"""

import re

from text import GENERATED, bare, camel, texts, wrapped
from write_cpp import NUMBERS

FOLDER = "include/ckpt/methods/"


def fitted(line, width=132):
    """The line, broken behind commas where it is too long."""
    lines = []
    while len(line) > width and ", " in line[:width]:
        at = line.rindex(", ", 0, width) + 1
        opened = [n for n, c in enumerate(line[:at]) if c in "(<" and line.count(c, n, at) > line.count(")" if c == "(" else ">", n, at)]
        lines, line = [*lines, line[:at]], " " * (opened[-1] + 1 if opened else 4) + line[at + 1:]
    return [*lines, line]


class CppCallback:
    """is_simple: whether every parameter has a form in C++."""

    def __init__(self, model, callback):
        self.model, self.header, self.type = model, callback["header"], callback["name"]
        self.name = "call_" + self.type.removeprefix("ckpt_").removesuffix("_fn")
        self.parameters = callback["parameters"]
        self.has_status = callback["result"] == "int32_t"
        self.object, self.result = "user_data", "{}"
        given = self.parameters[:-1]
        if given and given[0]["name"] == "file":  # the object that open or create returned
            self.object, given = "file", given[1:]
        out = self.out(given[-1]) if given and self.has_status else None
        if out:
            self.result, given = out, given[:-1]
        self.passed = self.arguments(given)
        is_status_or_void = self.has_status or callback["result"] == "void"
        is_simple = is_status_or_void and self.parameters and self.parameters[-1]["name"] == "user_data"
        self.is_simple = is_simple and all(self.passed)

    def out(self, parameter):
        """How the result of the member is written to the last parameter; None if that is no result."""
        name, kind, pointed = parameter["name"], parameter["type"], bare(parameter["type"])
        if kind.startswith("const ") or not kind.endswith("*"):
            return None
        if kind == "void**":
            return f"*{name} = {{}}.release()"
        if pointed in self.model.handles:
            return f"*{name} = {{}}.give_up()" if kind.endswith("**") else None
        if pointed in self.model.struct_names:
            return f"*{name} = to_c({{}})"
        return {"ckpt_bool": f"*{name} = {{}} ? 1 : 0", "int64_t": f"*{name} = {{}}"}.get(pointed)

    def arguments(self, parameters):
        """The arguments of the member; None for a parameter that no member can take."""
        passed, kinds = [], [parameter["type"] for parameter in parameters]
        place_of_bytes = next((n for n, parameter in enumerate(parameters) if parameter["name"] == "bytes"), -9)
        step = -1 if "void" in "".join(kinds[place_of_bytes - 1:place_of_bytes]) else 1  # (memory, bytes), or (bytes, memory)
        for n, parameter in enumerate(parameters):
            name, kind = parameter["name"], parameter["type"]
            if n == place_of_bytes:
                continue
            if n == place_of_bytes + step:
                passed.append(f"span_of({name}, bytes)")
            else:
                passed.append(self.argument(name, kind))
        return passed

    def argument(self, name, kind):
        pointed = bare(kind)
        if kind in ("const char*", "void*", "const void*") or pointed in self.model.handles and kind.count("*") == 1:
            return name
        if pointed in self.model.struct_names:
            return f"from_c(*{name})" if kind == f"const {pointed}*" and self.model.struct_names[pointed].filled else None
        if kind == "ckpt_bool":
            return f"{name} != 0"
        if kind in self.model.groups:
            return f"static_cast<{camel(kind)}>({name})"
        if kind == "int64_t" and name.endswith("_ns"):
            return f"std::chrono::nanoseconds({name})"
        return name if kind in NUMBERS else None

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
    used = set(re.findall(r"\b(call_\w+)<", "".join(texts("include/ckpt/*.hpp").values())))
    callbacks = [CppCallback(model, callback) for callback in model.api["callbacks"] if callback["header"] != "base.h"]
    callbacks = [one for one in callbacks if one.is_simple and one.name in used]
    headers = sorted({one.header for one in callbacks})
    return {f"{FOLDER}{header.removesuffix('.h')}_callbacks.hpp": file(header, [one for one in callbacks if one.header == header])
            for header in headers}
