"""Describes the methods that are one call of the C API. The emitters (*_methods.py) decide how a language calls it.

A function is a method of the handle type that prefixes its name. Its results are out-parameters, buffers of the (buffer, capacity,
*needed) rule, and lists of the (array, capacity, *count) rule. Functions with callbacks, raw memory, arrays or
several results are written by hand.
"""

import re

from text import bare

NUMBERS = {"int32_t", "uint32_t", "int64_t", "uint64_t"}


class Parameter:
    """A value that the caller passes.

    kind: text, number, real, truth, enum, duration, handle, struct or shape. is_nullable: the comment documents NULL.
    """

    def __init__(self, model, parameter, kind, comment):
        self.name, self.type, self.bare, self.kind = parameter["name"], parameter["type"], bare(parameter["type"]), kind
        self.group = model.groups.get(self.bare)
        documented = re.search(rf"\b{self.name}(?: \(NULL|: (?:[^.]*?[;,:] )?NULL\b| may be NULL| NULL[:;])", " ".join(comment.split()))
        self.is_nullable = kind in ("text", "handle", "struct") and documented is not None


class Result:
    """The value that a method returns.

    kind: none, number, real, truth, enum, text (borrowed), fetched (text in a buffer), handle (a new reference), struct, structs or
    numbers (lists). direct: the function returns it itself.
    """

    def __init__(self, model, kind, name="", type="", direct=False):
        self.kind, self.name, self.type, self.bare, self.direct = kind, name, type, bare(type), direct
        self.group = model.groups.get(self.bare)


class Method:
    def __init__(self, function, owner, parameters, result):
        self.function, self.owner, self.parameters, self.result = function["name"], owner, parameters, result
        self.header = function["header"]
        self.verb = self.function.removeprefix(owner + "_")
        self.name = self.verb.removeprefix("get_")  # for languages that have no "get"
        self.is_const = function["parameters"][0]["type"].startswith("const ")
        self.is_getter = self.verb.startswith(("get_", "is_", "has_")) and not parameters
        self.comment = returning(function["comment"], result.name)

    def renamed_comment(self, rename):
        """The comment with the names that a language gives to the parameters."""
        own = {parameter.name for parameter in self.parameters}
        text = re.sub(r"(?<![\w.])[a-z]\w*(?![\w.(]|->)", lambda at: rename(at[0]) if at[0] in own else at[0], self.comment)
        # At the end of a sentence only a name with an underscore is surely no common word.
        return re.sub(r"(?<![\w.])[a-z]+_\w+(?=\.(?!\w))", lambda at: rename(at[0]) if at[0] in own else at[0], text)


def returning(comment, result):
    """The comment of a function in the words of one that returns its result."""
    text = re.sub(r"; -?\w+ for a handle that is no \w+(?: \(ckpt_last_error says so\))?", "", " ".join(comment.split()))
    if not result:
        return text
    text = re.sub(rf"\*{result}(?: \(may be NULL\))? (?:then )?receives ", "Returns ", text)
    text = re.sub(rf"\bFills \*{result}(?:, whose struct_size the caller has set)? with ", "Returns ", text)
    initialised = r"(?:, which the caller initialised|, whose struct_size the caller has set)?"
    text = re.sub(rf"^Fills \*?{result}{initialised}(?=\.| for )", f"Returns the {result}", text)
    text = re.sub(r"\bWrites (.*?)(?:,? by the|:) \(buffer, capacity, \*needed\)(?: rule of ckpt\.h| as in ckpt\.h)?", r"Returns \1", text)
    text = re.sub(rf"[:,;]? {result} receives (?:the first|up to) capacity[^;.]*?[,;] \*count[^;.]*(?=[.;])", "", text)
    text = re.sub(rf"(^|\. ){result} receives ", r"\1Returns ", text, flags=re.IGNORECASE)
    text = text.replace(f": {result} receives ", ": returns ")
    for left_out in (r"(?::|,) up to capacity (?:\([^)]*\) )?of them[,;] \*count receives how many there are",
                     rf" Every element is as large as {result}\[0\]\.struct_size says\.",
                     rf" {result} may be NULL when capacity is 0\.", rf" {result}: NULL when it is not wanted\."):
        text = re.sub(left_out, "", text)
    return re.sub(r"; Returns ", "; returns ", text)


def crosses(model, name):
    """Whether the values of a struct go through functions as an object. Structs without a size are arrays of numbers."""
    return model.struct_names[name].crosses and model.struct_names[name].has_size


def kind_of_parameter(model, parameter):
    kind, pointed = parameter["type"], bare(parameter["type"])
    if "array" in parameter or "[" in parameter["declaration"]:
        return None
    if kind == "const char*":
        return "text"
    if pointed in model.handles:
        return "handle" if kind.count("*") == 1 else None
    if pointed in model.struct_names:
        return "struct" if kind == f"const {pointed}*" and crosses(model, pointed) else None
    if "*" in kind:
        return None
    if kind == "ckpt_bool":
        return "truth"
    if kind in model.groups:
        return "enum"
    if kind == "double":
        return "real"
    if kind == "int64_t" and parameter["name"] == "timeout_ns":
        return "duration"
    return "number" if kind in NUMBERS else None


def kind_of_result(model, parameter):
    kind, pointed = parameter["type"], bare(parameter["type"])
    if kind.startswith("const ") and kind != "const char**" or "array" in parameter:
        return None
    if kind == "const char**":
        return "text"
    if pointed in model.handles and kind.count("*") == 2:
        return "handle"
    if kind.count("*") != 1:
        return None
    if pointed in model.struct_names:
        return "struct" if crosses(model, pointed) else None
    if pointed == "ckpt_bool":
        return "truth"
    if pointed in model.groups:
        return "enum"
    if pointed == "double":
        return "real"
    return "number" if pointed in NUMBERS else None


def names_of(parameters):
    return [parameter["name"] for parameter in parameters]


def split_shape(parameters):
    """(const int64_t* shape, int32_t ndim) is one parameter."""
    for n, parameter in enumerate(parameters[:-1]):
        if parameter["type"] == "const int64_t*" and parameter["name"] == "shape" and parameters[n + 1]["name"] == "ndim":
            return parameters[:n], parameter, parameters[n + 2:]
    return parameters, None, []


def result_of(model, function, parameters):
    """The result, and the parameters that are none; None if the function is not one call with one result."""
    kind = function["result"]
    if kind != "ckpt_status":
        if kind == "void":
            return Result(model, "none"), parameters
        direct = {"const char*": "text", "ckpt_bool": "truth", "double": "real"}.get(kind)
        direct = direct or ("enum" if kind in model.groups else "number" if kind in NUMBERS else None)
        return direct and (Result(model, direct, type=kind, direct=True), parameters)
    last = names_of(parameters[-3:])
    if last == ["buffer", "capacity", "needed"]:
        return parameters[-3]["type"] == "char*" and (Result(model, "fetched", "buffer"), parameters[:-3])
    if last[1:] == ["capacity", "count"] and "*" in parameters[-3]["type"]:
        element = bare(parameters[-3]["type"])
        if element in model.struct_names:
            return crosses(model, element) and (Result(model, "structs", last[0], element), parameters[:-3])
        return element in NUMBERS and (Result(model, "numbers", last[0], element), parameters[:-3])
    if not parameters:
        return Result(model, "none"), parameters
    kind = kind_of_result(model, parameters[-1])
    if kind is None:
        return Result(model, "none"), parameters
    return Result(model, kind, parameters[-1]["name"], parameters[-1]["type"]), parameters[:-1]


def method_of(model, function):
    """The method of a function; None for one that is written by hand in every language."""
    owner = model.owner_of(function["name"])
    parameters = function["parameters"]
    if owner is None or not parameters or bare(parameters[0]["type"]) != owner or parameters[0]["type"].count("*") != 1:
        return None
    if function["name"].removeprefix(owner + "_") in ("retain", "release"):
        return None
    found = result_of(model, function, parameters[1:])
    if not found:
        return None
    result, rest = found
    if result.kind == "handle" and ", or NULL when" in " ".join(function["comment"].split()):
        return None  # every language says in its own way that there is none
    before, shape, after = split_shape(rest)
    given = []
    for parameter in [*before, *([shape] if shape else []), *after]:
        kind = "shape" if parameter is shape else kind_of_parameter(model, parameter)
        if kind is None:
            return None
        given.append(Parameter(model, parameter, kind, function["comment"]))
    return Method(function, owner, given, result)


def methods(model):
    found = [method_of(model, function) for function in model.api["functions"]]
    return [method for method in found if method]
