"""The classes and functions of C++ that are one call of C each.

A class X written by hand derives from XMethods<X>, which holds the handle and has the generated functions. A class that no header
declares by hand is generated whole. A function that names another class of the same header is declared in its class and defined in
methods/<part>_definitions.hpp, which the header includes last, when its classes are complete.
"""

import re

import cpp_callbacks
from cpp_callbacks import fitted
from text import GENERATED, camel, capital, contents, wrapped
from events import events
from write_cpp import CppWords, KEYWORDS, Member, NAMES, NUMBERS, init, named

FOLDER = "include/ckpt/methods/"
SYSTEM = (("chrono", r"std::chrono"), ("cstddef", r"std::byte"), ("cstdint", r"std::u?int"),
          ("limits", r"std::numeric_limits"), ("optional", r"std::optional"),
          ("string", r"std::string\b"), ("string_view", r"std::string_view"), ("vector", r"std::vector"))
THROWING = ("ckpt_state_get_json",)  # their absent results are errors, as those of State::get
WORDS = {("truth", "0"): "false", ("truth", "1"): "true", ("duration", "-1"): "forever", "NULL": "{}",
         "INFINITY": "std::numeric_limits<double>::infinity()"}
CHAINED = re.compile(r"(add|set)(_|$)")  # methods that return the object, so that calls can be chained


class CppParameter:
    """type is None where its function is written by hand."""

    def __init__(self, parameter, classes, own, is_optional, has_default):
        self.name = parameter.name.removesuffix("_ns") + "_" * (parameter.name in KEYWORDS)
        name, struct, bare = self.name, camel(parameter.bare), parameter.bare
        self.header = classes.get(bare) if parameter.kind == "handle" else None
        is_list = parameter.kind in ("structs", "records")
        convert = "[](const auto& each) { return detail::to_c(each); }"
        is_struct = parameter.kind in ("struct", "record", "spec")
        self.before = [f"const {bare} given_{name} = detail::to_c({name});"] * is_struct
        self.before += [f"const auto given_{name} = detail::values_of({name}, {convert});"] * is_list
        elements, listed = struct if is_list else NUMBERS.get(bare), f"given_{name}" if is_list else name
        text = f"detail::text_or_null({name})" if parameter.is_nullable else f"{name}.c_str()"
        self.type, self.passed = {
            "text": ("const std::string&", text),
            "number": (NUMBERS.get(bare), name),
            "real": ("double", name),
            "truth": ("bool", f"static_cast<ckpt_bool>({name})"),
            "enum": (struct, f"static_cast<{bare}>({name})"),
            "duration": ("std::chrono::nanoseconds", f"{name}.count()"),
            "handle": (self.header and f"const {own.get(bare, struct)}&", f"{name}.handle()"),
            **dict.fromkeys(("struct", "record", "spec"), (f"const {struct}&", f"&given_{name}")),
            **dict.fromkeys(("numbers", "structs", "records"), (
                f"const std::vector<{elements}>&", f"{listed}.data(), static_cast<std::int64_t>({listed}.size())")),
            "memory": (f"Span<{parameter.type.replace('void*', 'std::byte')}>", f"{name}.data(), static_cast<std::int64_t>({name}.size())"),
            "address": (parameter.type.removeprefix("struct "), name),
            "shape": ("const std::vector<std::int64_t>&", f"{name}.data(), static_cast<std::int32_t>({name}.size())"),
        }.get(parameter.kind, (None, None))
        if is_optional and parameter.kind == "handle":
            self.type, self.passed, self.header = f"detail::Borrowed<{bare}>", name, None
        self.default = parameter.default_as(named, WORDS) if has_default else None


def parameters_of(function, classes, own):
    """The last ones are optional where their absence is documented."""
    optional = 0
    for parameter in reversed(function.parameters):
        if not parameter.default:
            break
        optional += 1
    first = len(function.parameters) - optional
    has_defaults = first > 0 or not CHAINED.match(function.name)  # set_x needs an x
    return [CppParameter(parameter, classes, own, n >= first, has_defaults and n >= first)
            for n, parameter in enumerate(function.parameters)]


class CppFunction:
    """A function, method or creator of C as one of C++. type is None where it is written by hand.

    classes: the header of each handle that has a class; bases: the hand-written classes that derive from generated ones.
    """

    def __init__(self, words, function, classes, bases):
        self.classes, self.source, self.function, self.header = classes, function, function.function, function.header
        is_alternative = function.name.startswith("or_")  # "get or compute" changes the object
        self.name = function.verb if is_alternative else function.name
        self.is_method, self.is_creator, self.is_free = (function.form == form for form in ("method", "creator", "static"))
        self.owner = None if self.is_free else camel(function.owner)
        if self.is_free:
            self.name = self.function.removeprefix("ckpt_").replace("_get_", "_")
        self.name = NAMES.get(self.function, self.name)
        self.own = {function.owner: "Self"} if self.owner in bases else {}
        self.parameters = parameters_of(function, classes, self.own)
        result = function.result
        self.absent = "" if self.function in THROWING else result.absent
        self.headers = ({one.header for one in self.parameters} | {classes.get(result.bare)}) - {None}
        kinds = {**words.model.groups, **words.model.struct_names}
        self.structs = words.model.struct_names
        self.value_headers = {kinds[one.bare].header for one in [*function.parameters, result] if one.bare in kinds}
        self.comment = wrapped(self.documentation(words.text(function.comment)), "// ", width=127)
        self.is_chained = self.is_method and result.kind == "none" and CHAINED.match(self.name) is not None
        if self.is_creator:
            self.type = self.own.get(function.owner, self.owner)
            self.body = self.creation()
        else:
            self.type, self.body = self.result(classes)
            if self.absent and self.type:
                self.type = f"std::optional<{self.type}>"
            self.body = [line for one in self.parameters for line in one.before] + self.body

    def takes_options_alone(self):
        """Whether it is a constructor with nothing but options that may be left out."""
        is_constructor = self.is_creator and not self.name
        return is_constructor and [bool(one.before and one.default) for one in self.parameters] == [True]

    def documentation(self, text):
        """The comment in words for default arguments, empty strings and optional results."""
        text = text.replace("nullptr for the defaults", "{} for the defaults")
        for one in self.source.parameters:
            if one.kind == "text" and one.is_nullable:
                text = re.sub(rf"\b({one.name}\b[^.]*?)nullptr(?: or empty)?", r"\1empty", text)
        if self.absent:
            text = re.sub(rf"Status::{self.absent.lower()} (when|for)\b", r"std::nullopt \1", text)
        if self.source.result.kind == "handle or none":
            text = text.replace(", or nullptr when", ", or std::nullopt when")
        return re.sub(r"(?<=\w)[;.](?=\.( |$))|;$", "", text)  # the end of a part that was left out

    def is_simple(self):
        return self.type is not None and all(one.type for one in self.parameters) and self.name not in KEYWORDS

    def call(self, *more):
        own = ["handle()"] if self.is_method else []
        return f"{self.function}({', '.join([*own, *(str(one.passed) for one in self.parameters), *more])})"

    def creation(self):
        before = [line for one in self.parameters for line in one.before]
        if not self.name:  # a constructor
            return [*before, f"check({self.call('this->out()')});"]  # the base may depend on Self
        owner = self.source.owner
        return [*before, f"{owner}* result = nullptr;", f"check({self.call('&result')});", f"return {self.type}::adopt(result);"]

    def filled(self, kind, initial, returned):
        """A result that C writes."""
        absent = self.absent
        if not absent:
            return [f"{kind} result = {initial};", f"check({self.call('&result')});", f"return {returned};"]
        return [f"{kind} result = {initial};", f"const ckpt_status status = {self.call('&result')};",
                f"if (status == CKPT_E_{absent}) return std::nullopt;", "check(status);", f"return {returned};"]

    def result(self, classes):
        result = self.source.result
        kind, c = result.kind, result.bare
        if kind == "none":
            return ("Self&", [f"check({self.call()});", "return static_cast<Self&>(*this);"]) if self.is_chained else \
                   ("void", [f"check({self.call()});"])
        room = f", {result.first_capacity}" if result.first_capacity else ""
        if kind == "fetched":
            ask = "char* buffer, std::int64_t capacity, std::int64_t* needed"
            call = self.call("buffer", "capacity", "needed")
            return "std::string", [f"return detail::text_of([&]({ask}) {{", f"  return {call};", "}" + room + ");"]
        if kind == "bytes":
            return "std::vector<std::byte>", [f"return detail::buffer_of([&](void* buffer, std::int64_t capacity, std::int64_t* needed) {{",
                                              f"  return {self.call('buffer', 'capacity', 'needed')};", "});"]
        if kind in ("structs", "records", "numbers"):
            element, first = (NUMBERS[c], "0") if kind == "numbers" else (c, self.initial(c))
            ask = f"{element}* list, std::int64_t capacity, std::int64_t* count"
            lines = [f"const auto ask = [&]({ask}) {{", f"  return {self.call('list', 'capacity', 'count')};", "};"]
            listed = f"detail::list_of<{element}>({first}, ask{room})"
            if kind == "numbers":
                return f"std::vector<{element}>", lines + [f"return {listed};"]
            convert = "[](const auto& each) { return detail::from_c(each); }"
            return f"std::vector<{camel(c)}>", [*lines, f"const auto listed = {listed};", f"return detail::values_of(listed, {convert});"]
        if kind == "address":
            pointer = result.type.removeprefix("struct ").removesuffix("*")
            return pointer, self.filled(pointer, "nullptr", "result")
        if kind in ("handle", "handle or none"):
            is_nullable = kind != "handle"
            kind = self.own.get(c, camel(c)) if c in classes else None
            adopted = f"{kind}::adopt(result)"
            if not is_nullable:
                return kind, self.filled(c + "*", "nullptr", adopted)
            returned = f"result == nullptr ? std::nullopt : std::optional({adopted})"
            return kind and f"std::optional<{kind}>", self.filled(c + "*", "nullptr", returned)
        if kind in ("struct", "record"):
            return camel(c), self.filled(c, self.initial(c), "detail::from_c(result)")
        return self.scalar(kind, c, result.direct)

    def initial(self, struct):
        return init(self.structs[struct]).replace("{}", struct + "{}")

    def scalar(self, kind, c, direct):
        value = self.call() if direct else "result"
        returned = {"truth": f"{value} != 0", "enum": f"static_cast<{camel(c)}>({value})"}.get(kind, value)
        text = "std::string_view" if direct else "const char*"
        type_of = {"truth": "bool", "enum": camel(c), "text": text, "real": "double"}.get(kind, NUMBERS.get(c))
        if direct:
            return type_of, [f"return {returned};"]
        held = {"truth": "ckpt_bool", "enum": c}.get(kind, type_of)
        return type_of, self.filled(held, "nullptr" if kind == "text" else "0", returned)

    def head(self, owner="", defaults=True):
        """Its declaration without ";", as a member of owner, or in its class."""
        given = ", ".join(f"{one.type} {one.name}" + f" = {one.default}" * bool(one.default and defaults) for one in self.parameters)
        in_class = not owner
        if self.is_creator and not self.name:
            needed = [one for one in self.parameters if not one.default]
            explicit = "explicit " * (in_class and len(needed) <= 1 and len(self.parameters) > 0)
            return f"{explicit}{{class}}({given})"
        static = "static " * (self.is_creator and in_class)
        const = " const" * (self.is_method and self.source.is_query and not self.name.startswith("get_or_"))
        noexcept = " noexcept" * self.source.result.direct
        return f"{static}{self.type} {owner}{self.name}({given}){const}{noexcept}"

    def definition(self):
        """A function that belongs to no class."""
        return [*self.comment, *fitted(f"inline {self.head()} {{"), *indented(self.body), "}"]


def indented(lines):
    return ["  " + line if line else line for line in lines]


class CppClass:
    """A base of a class that is written by hand, or a whole class."""

    def __init__(self, words, handle, functions, events, is_whole):
        self.handle, self.header, self.functions, self.is_whole = handle["name"], handle["header"], functions, is_whole
        self.owner, self.events = camel(self.handle), [one for one in events if one.owner == camel(self.handle)]
        self.name = self.owner if is_whole else self.owner + "Methods"
        self.comment = wrapped(words.text(handle["comment"]), "// ", width=129) if is_whole else []
        self.is_shared = self.handle in words.model.shared

    def is_later(self, function):
        """Whether it names another class of this header, which may be incomplete here."""
        return bool(self.others(function))

    def others(self, function):
        result = function.source.result
        handles = [result.bare] if result.kind.startswith("handle") else []
        handles += [one.bare for one in function.source.parameters if one.kind == "handle"]
        return [camel(handle) for handle in handles if function.classes.get(handle) == self.header and handle != self.handle]

    def lines(self):
        own = self.owner if self.is_whole else "Self"
        base = f"detail::Object<{own}, {self.handle}, {self.handle}_release>"
        lines = self.comment if self.is_whole else ["template <class Self>"]
        lines = [*lines, f"class {self.name} : public {base} {{"]
        if self.is_whole:
            lines += [" public:", "  using Object::Object;"]
        else:
            lines += [f"  using Base = {base};", "", " public:", "  using Base::Base;", "  using Base::handle;"]
        for one in self.functions:
            is_default = one.takes_options_alone()
            if is_default:  # "= {}" takes no explicit constructor
                lines.append(f"  {self.name}() : {self.name}({camel(one.source.parameters[0].bare)}()) {{}}")
            head = "  " + one.head(defaults=not is_default).replace("{class}", self.name)
            member = [head + ";"] if self.is_later(one) else [f"{head}{self.begun(one)} {{", *indented(indented(one.body)), "  }"]
            lines += [*indented(one.comment), *(part for line in member for part in fitted(line))]
        lines += [line for one in self.events for line in one.lines()]
        if self.is_shared:
            lines += ["  // Returns another reference to the same object.", f"  {own} share() const noexcept {{",
                      f"    {self.handle}_retain(handle());", f"    return {own}::adopt(handle());", "  }"]
        return [*lines, "};"]

    def begun(self, function):
        """How a constructor sets its base."""
        is_constructor = function.is_creator and not function.name
        return f" : {'Object' if self.is_whole else 'Base'}(detail::Empty())" * is_constructor

    def definitions(self):
        """The definitions of the functions that name other classes of the header."""
        lines = []
        for one in filter(self.is_later, self.functions):
            scope = f"{self.name}::" if self.is_whole else f"{self.name}<Self>::"
            head = one.head(scope, defaults=False).replace("{class}", scope + self.name)
            inline = "inline " * self.is_whole
            lines += ["template <class Self>"] * (not self.is_whole)
            lines += [*fitted(f"{inline}{head}{self.begun(one)} {{"), *indented(one.body), "}", ""]
        return lines[:-1]


class CppEvent:
    """A method that records an event."""

    def __init__(self, words, event):
        self.owner, self.comment = camel(event.owner), wrapped(capital(words.text(event.comment)) + ".", "// ", width=127)
        members = [Member(event.struct, value) for value in event.values]
        kind = camel(event.struct.name)
        given = ", ".join(f"{'const std::string&' if one.value.kind == 'text' else one.type} {one.name}" for one in members)
        self.head = f"void {event.name}({given}) {{"
        sets = [f"event.{one.name} = {one.name};" for one in members]
        self.body = [f"{kind} event;", f"event.kind = {named(event.constant)};", *sets, "record(event);"]

    def lines(self):
        return [*indented(self.comment), "  " + self.head, *indented(indented(self.body)), "  }"]


class Writer:
    def __init__(self, model, functions):
        words = CppWords(model)
        text = re.sub(r"//.*", "", "".join(contents("include/ckpt/*.hpp").values()))
        used = set(re.findall(r"\b(ckpt_\w+)", text))
        bases = set(re.findall(r"\bpublic (\w+)Methods<", text))
        declared = set(re.findall(r"\bclass (\w+)", text))
        held = {handle["name"] for handle in model.api["handles"] if f"{handle['name']}_release" in used}  # by hand
        classes = {handle["name"]: handle["header"] for handle in model.api["handles"]
                   if handle["name"] not in held or camel(handle["name"]) in declared}
        simple = [one for one in (CppFunction(words, one, classes, bases) for one in functions) if one.is_simple()]
        wanted = set(re.findall(r"\b(\w+)Methods::(\w+)\b", text))  # hand-written functions call these
        simple = [one for one in simple if one.header != "base.h" and (one.function not in used or (one.owner, one.name) in wanted)]
        self.free = [one for one in simple if one.owner is None]
        self.classes, recorded = [], [CppEvent(words, event) for event in events(model)]
        for handle in model.api["handles"]:
            owner = camel(handle["name"])
            if owner in bases or handle["name"] not in held:
                own = [one for one in simple if one.owner == owner]
                self.classes.append(CppClass(words, handle, own, recorded, owner not in bases))
        self.headers = sorted({one.header for one in [*self.classes, *self.free]})

    def includes(self, header, text):
        part = header.removesuffix(".h")
        functions = self.functions(header)
        others = {name.removesuffix(".h") for one in functions for name in one.headers} - {part, "base"}
        values = {name.removesuffix(".h") for one in functions for name in one.value_headers} | {part}
        parts = ["base", *sorted(others), *(f"values/{name}" for name in sorted(values - others))]
        system = [name for name, used in SYSTEM if re.search(used, text)]
        return [f"#include <ckpt/{part}.h>", *(f"#include <ckpt/{name}.hpp>" for name in parts), "",
                *(f"#include <{name}>" for name in system), *([""] if system else [])]

    def functions(self, header):
        return [*(one for found in self.classes if found.header == header for one in found.functions),
                *(one for one in self.free if one.header == header)]

    def file(self, header):
        part, classes = header.removesuffix(".h"), [one for one in self.classes if one.header == header]
        blocks = [one.lines() for one in classes]
        blocks += [one.definition() for one in self.free if one.header == header and header not in one.headers]
        named = {name for owner in classes for function in owner.functions for name in owner.others(function)}
        named = sorted(named - {one.name for one in classes})
        blocks = [[f"class {name};" for name in named]] * bool(named) + blocks
        text = "\n\n".join("\n".join(lines) for lines in blocks)
        return self.framed(f"{part}", "the classes and functions that are one call of C", self.includes(header, text), text)

    def definitions(self, header):
        part, classes = header.removesuffix(".h"), [one for one in self.classes if one.header == header]
        blocks = [one.definitions() for one in classes]
        blocks += [one.definition() for one in self.free if one.header == header and header in one.headers]
        text = "\n\n".join("\n".join(lines) for lines in blocks if lines)
        return text and self.framed(f"{part}_definitions", "methods that name other classes of the header",
                                    [f"#include <ckpt/{part}.hpp>", ""], text)

    @staticmethod
    def framed(name, about, includes, text):
        guard = f"CKPT_METHODS_{name.upper()}_HPP"
        return "\n".join([f"// {GENERATED}", f"// {name}.hpp - {about}.", "// clang-format off", f"#ifndef {guard}", f"#define {guard}",
                          "", *includes, "namespace ckpt {", "", text, "", "}  // namespace ckpt", "", "#endif", ""])


def files(model, functions):
    writer = Writer(model, functions)
    found = {f"{FOLDER}{header}pp": writer.file(header) for header in writer.headers}
    definitions = {f"{FOLDER}{header.removesuffix('.h')}_definitions.hpp": writer.definitions(header) for header in writer.headers}
    definitions = {name: text for name, text in definitions.items() if text}
    return {**found, **definitions, **cpp_callbacks.files(model)}
