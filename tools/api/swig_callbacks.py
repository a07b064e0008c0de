"""Generates the classes of callbacks that functions take one by one or in a small table, and variants of these functions that
take an object."""

import re

from callbacks import LISTS
from text import bare, block, wrapped

# Classes of callbacks that functions take one by one, or in a small table: the typedef of each method.
CLASSES = {
    "LogListener": {"message": "ckpt_log_fn"},
    "ProgressListener": {"report": "ckpt_progress_fn"},
    "ThreadHooks": {"start": "ckpt_thread_hook_fn", "stop": "ckpt_thread_hook_fn"},
    "PartWork": {"run": "ckpt_part_fn"},
    "StorageFactory": {"make": "ckpt_storage_scheme_fn"},
    "Sleeper": {"sleep": "ckpt_sleep_fn"},
    "StrategyFactory": {"make": "ckpt_strategy_factory_fn"},
    "Keeper": {"keep": "ckpt_keep_fn"},
    "StageForward": {"forward": "ckpt_stage_forward_fn"},
    "Stateful": {"list": "ckpt_stateful_list_fn", "restore": "ckpt_stateful_restore_fn"},
}
OUT = {"ckpt_bool*": "bool", "int64_t*": "int64_t"}  # results of methods by the type of the out-parameter


class Single:
    """A callback as a method. how: the member of Calls that calls the method."""

    def __init__(self, name, callback):
        self.name, parameters = name, callback["parameters"][:-1]
        last = parameters[-1]["type"]
        out = last if last in OUT or last.endswith("**") else None
        declared = [parameter["declaration"] for parameter in (parameters[:-1] if out else parameters)]
        # SWIG's directors have a variable "input", and C# no parameter with the name of the method.
        self.given = [re.sub(rf"\b(input|{name})$", r"given_\1", one) for one in declared]
        self.result = OUT.get(out) or (out[:-1] if out else "void")
        self.how = "tell" if callback["result"] == "void" else "give" if out else "run"

    def declaration(self):
        return f"virtual {self.result} {self.name}({', '.join(self.given)}) = 0;"


def singles(model):
    """Returns the methods of each class."""
    types = {callback["name"]: callback for callback in model.api["callbacks"]}
    return {name: [Single(method, types[typedef]) for method, typedef in methods.items()] for name, methods in CLASSES.items()}


class Taker:
    """A function of C that takes the callbacks of one of the classes, as arguments or in a table. owns: it releases them."""

    def __init__(self, model, function):
        self.name, self.parameters, self.found = function["name"].removeprefix("ckpt_"), function["parameters"], None
        types = [parameter["type"] for parameter in self.parameters]
        tables = [bare(kind) for kind in types if kind.endswith("_callbacks*")]
        self.table = tables[0] if tables else None
        typedefs = [field["type"] for field in model.struct_names[self.table].fields] if self.table else types
        typedefs = [kind for kind in typedefs if kind.endswith("_fn") and kind != "ckpt_destroy_fn"]
        self.found = next((name for name, methods in CLASSES.items() if list(methods.values()) == typedefs), None)
        self.owns = "ckpt_destroy_fn" in types
        self.others = [one for one in self.parameters if one["name"] not in ("user_data", "destroy") and
                       not one["type"].endswith(("_fn", "_callbacks*"))]


def takers(model):
    found = [Taker(model, function) for function in model.api["functions"]]
    return [one for one in found if one.found and any(parameter["name"] == "user_data" for parameter in one.parameters)]


def single_class(name, methods):
    members = [f" virtual ~{name}() = default;", *(" " + method.declaration() for method in methods)]
    return ["", f"class {name} {{", " public:", *(" " + line for line in members), "};"]


def listing_class(name, callback):
    """Returns a class with a method add that calls the function that a callback received."""
    listing, *given = callback["parameters"]
    types = {"ckpt_bool": "bool"}
    declared = ", ".join(f"{types.get(one['type'], one['type'])} {one['name']}" for one in given)
    passed = ", ".join(one["name"] + " ? 1 : 0" * (one["type"] == "ckpt_bool") for one in given)
    added = block(f"void add({declared})", f"const int32_t status = add_(listing_, {passed});",
                  'if (status != CKPT_OK) throw CallbackFailure(status, "the listing was refused");')
    return ["", f"class {name} {{", " public:", "#ifndef SWIG",
            f"  {name}({callback['name']} add, void* listing) : add_(add), listing_(listing) {{}}", "#endif",
            *("  " + line for line in added), "", " private:", f"  {callback['name']} add_;", "  void* listing_;", "};"]


def list_class(model, name, element):
    """Returns a class for an array argument of a callback: its length, and each field of an element, or the string."""
    struct = model.struct_names.get(element)
    plural, fields, kind = ("ranges", struct.fields, f"const {element}*") if struct else ("paths", [], f"const {element}* const*")
    memory = [one["name"] for one in fields if one["type"] == "void*"]
    plain = [one for one in fields if one["name"] not in (*memory, "bytes")]
    getters = [f"Bytes {one}(int64_t at) const {{ return {{{plural}_[at].{one}, {plural}_[at].bytes, true}}; }}" for one in memory]
    getters += [f"{one['type']} {one['name']}(int64_t at) const {{ return {plural}_[at].{one['name']}; }}" for one in plain]
    getters = getters or [f"const char* {plural[:-1]}(int64_t at) const {{ return {plural}_[at]; }}"]
    return ["", f"class {name} {{", " public:", "#ifndef SWIG",
            f"  {name}({kind} {plural}, int64_t count) : {plural}_({plural}), count_(count) {{}}", "#endif",
            "  int64_t count() const { return count_; }", *("  " + getter for getter in getters), "", " private:",
            f"  {kind} {plural}_;", "  int64_t count_;", "};"]


def taker_function(taker, methods):
    """Returns the function of the same name that takes an object of the class."""
    kind = taker.found
    calls = [f"detail::Calls<&{kind}::{method.name}>::{method.how}" for method in methods]

    def call(absent):
        names = iter(["nullptr"] * len(calls) if absent else calls)
        apart = {"user_data": "functions", "destroy": f"destroy<{kind}>"}
        passed = []
        for one in taker.parameters:
            if one["name"] in apart:
                passed.append("nullptr" if absent else apart[one["name"]])
            elif one["type"].endswith("_callbacks*"):
                passed.append("nullptr" if absent else "&table")
            else:
                passed.append(next(names) if one["type"].endswith("_fn") else one["name"])
        return f"ckpt_{taker.name}({', '.join(passed)})"

    given = [one["declaration"] for one in taker.others]
    place = next(n for n, one in enumerate(taker.parameters) if one["type"].endswith(("_fn", "_callbacks*")))
    given.insert(place, f"{kind}* functions")
    table = [f"{taker.table} table = {taker.table.upper()}_INIT;",
             *(f"table.{method.name} = {one};" for method, one in zip(methods, calls))] if taker.table else []
    body = [f"if (!functions) return {call(True)};", *table]
    if taker.owns:
        body = [f"std::unique_ptr<{kind}> owned(functions);", *body, *fitted("return handed_over(", f"owned, {call(False)});")]
    else:
        body += fitted("return ", call(False) + ";")
    *first, last = fitted(f"inline ckpt_status {taker.name}(", ", ".join(one.replace(" ", "\0") for one in given) + ")")
    return ["", *first, *block(last, *body)]


def fitted(head, rest):
    """Returns a line, or lines that continue the list in rest below its begin."""
    return [line.replace("\0", " ") for line in wrapped(rest, head.replace(" ", "\0"), " " * len(head), 128)]


def callback_lines(model, taken):
    """Returns the classes of callbacks, the classes of their arguments, and the functions that take an object of them."""
    types, found = {callback["name"]: callback for callback in model.api["callbacks"]}, singles(model)
    classes = [line for name, methods in found.items() for line in single_class(name, methods)]
    for element, name in LISTS.items():
        classes += listing_class(name, types[element]) if element in types else list_class(model, name, element)
    return [*classes, *(line for taker in taken for line in taker_function(taker, found[taker.found]))]
