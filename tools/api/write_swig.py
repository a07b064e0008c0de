"""Files that SWIG reads for every language: structs, handles, and functions that return the contents of buffers and arrays."""

import re

from callbacks import SWIG, tables
from methods import first_capacity_of
from model import is_reserved
from swig_callbacks import callback_lines, takers
from text import bare, block, camel, contents, listing, wrapped

FOLDER = "bindings/swig/generated/"
RETURNED = ("Actions", "ByteString", "DriveCalls", "Integers", "Numbers")  # results of replacements that throw StatusError


class Fetched:
    """A function that returns the contents that C writes by the rules (buffer, capacity, *needed) and (array, capacity, *count).

    kind: text, bytes, numbers or structs. element: the type of one."""

    def __init__(self, model, function):
        parameters, at = function["parameters"], place_of_capacity(function)
        self.name, self.element = function["name"].removeprefix("ckpt_"), bare(parameters[at - 1]["type"])
        self.parameters, self.given, self.filled = parameters, parameters[:at - 1] + parameters[at + 2:], parameters[at - 1:at + 2]
        self.struct = model.struct_names.get(self.element)
        self.kind = {"char": "text", "void": "bytes"}.get(self.element, "structs" if self.struct else "numbers")
        self.first_capacity = first_capacity_of(model, function, "fetched" if self.kind == "text" else self.kind)

    def result(self):
        return {"text": "std::string", "bytes": "ByteString", "numbers": "Integers"}.get(self.kind) or list_name(self.struct)

    def lines(self):
        filled = ", ".join(parameter["declaration"] for parameter in self.filled)
        passed = ", ".join(parameter["name"] for parameter in self.parameters)
        initial = self.struct.initializer if self.struct and self.struct.has_size else "{}"
        empty = [f"const {self.element} empty = {initial};"] if self.struct else []
        numbers = f"integers_of<{self.element}>("
        helper = {"text": "text_of(", "bytes": "bytes_of(", "numbers": numbers, "structs": "list_of(empty, "}[self.kind]
        opened, closed = ("{", "}") if self.kind == "structs" else ("", "")
        room = f", {self.first_capacity}" if self.first_capacity else ""
        call = [f"return {opened}{helper}[&]({filled}) {{", f"  return ckpt_{self.name}({passed});", f"}}{room}){closed};"]
        head = f"inline {self.result()} {self.name}("
        given = ", ".join(one["declaration"].replace(" ", "\0") for one in self.given)
        *first, last = wrapped(given + ")", head.replace(" ", "\0"), " " * len(head)) or [head + ")"]
        return [*first, *block(last, *empty, *call)]


def place_of_capacity(function):
    """Returns the index of the parameter for the size of the memory that the function fills; None for other functions."""
    names = [parameter["name"] for parameter in function["parameters"]]
    found = [n for n in range(1, len(names) - 1) if names[n] == "capacity" and names[n + 1] in ("needed", "count")]
    return found[0] if found else None


def list_name(struct):
    return camel(struct.name) + "List"


def hidden_fields(struct):
    """Yields fields that no language sets: sizes and reserved ones; functions, arrays of handles and structs, which are
    arguments of hand-written replacements."""
    shown = {name for value in struct.own_values for name in (value.name, value.has)}
    lists = {value.name for value in struct.values if value.kind == "list"}
    for field in struct.fields:
        name = field["name"]
        is_count = name == "ndim" or name.endswith("_count") and name.removesuffix("_count") not in lists
        if is_reserved(field) or name not in shown and not is_count:
            yield name


def struct_lines(struct, rows):
    """Returns declarations of structs for other languages, and ignores structs that are only for C. Fields that only the library
    fills are read-only."""
    if not struct.crosses or not struct.has_size:
        return [] if struct in rows else [f"%ignore {struct.name};"]
    filled = [] if struct.given else [field["name"] for field in struct.fields if "*" in field["type"] or "array" in field]
    return [f"CKPT_STRUCT({struct.name}, {struct.initializer})",
            *(f"%ignore {struct.name}::{name};" for name in hidden_fields(struct)),
            *(f"%immutable {struct.name}::{name};" for name in filled)]


def handle_line(model, name):
    return f"CKPT_{'SHARED_' * (name + '_retain' in model.functions)}HANDLE({name})"


class CallbackMethod:
    """A function of a table: as a virtual function, and as the function in the table that calls it."""

    TYPES = {"text": "const char*", "item": "int64_t", "bytes": "Bytes"}
    MADE = {"none": "{}", "item": "*{out} = pointer_of({})", "number": "*{out} = {}", "count": "const int64_t count = {}"}

    def __init__(self, function):
        self.function = function
        self.out = function.created[-1]["name"] if function.created else ""
        self.given = [f"{one.list + '*' if one.list else self.TYPES.get(one.kind, one.type)} {one.name}" for one in function.given]
        self.given += [f"{function.listing}* listing"] * bool(function.listing)

    def passed(self):
        for one in self.function.given:
            memory = f"{'readable' if one.is_const else 'writable'}({one.name}, bytes)"
            yield {"item": f"number_of({one.name})", "bytes": memory, "structs": f"&{one.name}_given",
                   "strings": f"&{one.name}_given"}.get(one.kind, one.name)
        yield from ["&listing_given"] * bool(self.function.listing)

    def declaration(self):
        result = "void" if self.function.result in ("none", "list") else "int64_t"
        return f"virtual {result} {self.function.name}({', '.join(self.given)}) = 0;"

    def lines(self, owner):
        function, name = self.function, self.function.name
        if all(one.kind in ("text", "number") for one in function.given) and function.result in ("none", "number"):
            how = "give" if function.result == "number" else "tell" if function.is_void else "run"
            return [f"table.{name} = Calls<&{owner}::{name}>::{how};"]
        lists = [f"{one.list} {one.name}_given({one.name}, {one.name}_count);" for one in function.lists]
        lists += [f"{function.listing} listing_given({self.out}, listing);"] * bool(function.listing)
        call = f"functions_of<{owner}>(user_data).{name}({', '.join(self.passed())})"
        calls = [self.MADE.get(function.result, "{}").format(call, out=self.out) + ";"]
        calls += [f"*{self.out} = checked_count(count, bytes);"] * (function.result == "count")
        head = f"table.{name} = []("
        given = ", ".join(one["declaration"].replace(" ", "\0") for one in function.declared)
        *first, last = wrapped(given + ")", "  " + head.replace(" ", "\0"), " " * (len(head) + 2), 130)
        guarded = block("static_cast<void>(guarded([&]" if function.is_void else "return guarded([&]", *lists, *calls)
        guarded[-1] = "}));" if function.is_void else "});"
        created = block(last[2:], *guarded)
        return [*(line[2:] for line in first), *created[:-1], "};"]


class Writer:
    def __init__(self, model):
        self.model, functions = model, model.api["functions"]
        written = set(re.findall(r"^inline (\w+) (\w+)\(", "".join(contents("bindings/swig/*.hpp").values()), re.MULTILINE))
        self.takers = [one for one in takers(model) if ("ckpt_status", one.name) not in written]
        written |= {("ckpt_status", one.name) for one in self.takers}
        parts = tuple(handle + "_" for handle in model.handles)
        self.written = sorted(one for one in written if "ckpt_" + one[1] in model.functions or ("ckpt_" + one[1]).startswith(parts))
        stand_ins = {name for _, name in self.written}
        fetched = [Fetched(model, function) for function in functions if place_of_capacity(function)]
        self.fetched = [one for one in fetched if one.name not in stand_ins]
        self.lists = list({one.element: one.struct for one in self.fetched if one.struct}.values())
        quick = [one for one in functions if one["result"] not in ("ckpt_status", "void") or one["name"].endswith("_retain")]
        self.quick = [one["name"] for one in quick if one["name"] != "ckpt_get_api"]

    def structs(self):
        return listing(line for struct in self.model.structs for line in struct_lines(struct, self.lists))

    def names(self):
        """Returns the lists that functions return, and the functions that replace others."""
        lists = [f"CKPT_{'LIST' if one.crosses and one.has_size else 'ROWS'}({list_name(one)}, {one.name})" for one in self.lists]
        replaced = [f"CKPT_REPLACED({name})" for result, name in self.written if result == "ckpt_status"]
        by_hand = [f"CKPT_FETCHED({name})" for result, name in self.written if result in RETURNED]
        fetched = [f"CKPT_FETCHED({one.name})" for one in self.fetched]
        return listing([*lists, *replaced, *by_hand, *fetched, *(f"CKPT_QUICK({name})" for name in self.quick)])

    def callbacks(self):
        head = ["// clang-format off", "#pragma once", "", '#include "../callbacks.hpp"', "", "namespace ckpt_swig {"]
        return listing([*head, *callback_lines(self.model, self.takers), "", "}  // namespace ckpt_swig"])

    def calls(self):
        lists = [line for one in self.lists for line in [f"struct {list_name(one)} {{", f"  std::vector<{one.name}> list;", "};"]]
        functions = [line for one in self.fetched for line in ["", *one.lines()]]
        head = ["// clang-format off", "#pragma once", "", '#include "../fetch.hpp"', "", "namespace ckpt_swig {", ""]
        return listing([*head, *lists, *functions, "", "}  // namespace ckpt_swig"])


def callback_class(table):
    """Returns the class of a table, and a function that creates the table."""
    name, owner = table.name, camel(table.name.removesuffix("_callbacks")) + "Functions"
    methods = [CallbackMethod(function) for function in table.functions]
    members = ["public:", f" virtual ~{owner}() = default;", *(" " + method.declaration() for method in methods)]
    table = [f"{name} table = {name.upper()}_INIT;", *(line for method in methods for line in method.lines(owner)), "return table;"]
    created = block(f"inline {name} {name.removeprefix('ckpt_')}()", *table)
    head = ["// clang-format off", "#pragma once", "", '#include "../callbacks.hpp"', "", "namespace ckpt_swig {", ""]
    return listing([*head, f"class {owner} {{", *(" " + line for line in members), "};", "",
                    "#ifndef SWIG", "namespace detail {", "", *created, "", "}  // namespace detail", "#endif", "", "}  // namespace ckpt_swig"])


def files(model):
    writer = Writer(model)
    created = {f"{FOLDER}{name.removeprefix('ckpt_')}.hpp": callback_class(tables(model)[name]) for name in SWIG}
    return {
        **created,
        FOLDER + "callbacks.hpp": writer.callbacks(),
        FOLDER + "structs.i": writer.structs(),
        FOLDER + "handles.i": listing(handle_line(model, handle["name"]) for handle in model.api["handles"]),
        FOLDER + "calls.i": writer.names(),
        FOLDER + "calls.hpp": writer.calls(),
    }
