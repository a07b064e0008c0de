"""Describes the methods that are one call of the C API. The emitters (*_methods.py) decide how a language calls it.

A function is a method of the handle type that prefixes its name. Its results are out-parameters, buffers of the (buffer, capacity,
*needed) rule, and lists of the (array, capacity, *count) rule. Functions with callbacks, raw memory, arrays or
several results are written by hand.

A function "<handle>_create..." whose last parameter receives the new handle is a creator. A function that neither takes a handle of
its own name nor creates one is a free function.
"""

import re

from text import bare

NUMBERS = {"int32_t", "uint32_t", "int64_t", "uint64_t"}


class Parameter:
    """A value that the caller passes.

    kind: text, number, real, truth, enum, duration, handle, struct, shape (with its ndim), array (with its count) or memory (with its
    bytes). is_nullable: the comment documents NULL. has_zero: the comment documents 0, as in "max_layers (0: all)" and "0 <= momentum < 1".
    may_be_forever, may_be_infinite: it documents -1 for no limit of time, or INFINITY.
    """

    def __init__(self, model, parameter, kind, comment):
        self.name, self.type, self.bare, self.kind = parameter["name"], parameter["type"], bare(parameter["type"]), kind
        self.group, self.is_pair = model.groups.get(self.bare), kind in ("shape", "array", "memory")
        text = " ".join(comment.split())
        documented = re.search(rf"\b{self.name}(?: \(NULL|: (?:[^.]*?[;,:] )?NULL\b| may be NULL| NULL[:;])", text)
        self.is_nullable = kind in ("text", "handle", "struct") and documented is not None
        zero = rf"\b{self.name}\b[^.:;()]*(?:\(0: |(?: \(>= 0\))?: [^.;]*; 0 (?:takes|unless)\b)|\b0 <= {self.name}\b"
        self.has_zero = kind in ("number", "real") and re.search(zero, text) is not None
        self.may_be_infinite = kind == "real" and re.search(rf"\b{self.name}: [^.]*\bINFINITY\b", text) is not None
        self.may_be_forever = kind == "duration" and re.search(rf"\b{self.name}: [^.;]*-1(?: |: )for ever", text) is not None


class Result:
    """The value that a method returns.

    kind: none, number, real, truth, enum, text (borrowed), fetched (text in a buffer), handle (a new reference), struct, structs or
    numbers (lists), or bytes (in a buffer). direct: the function returns it itself. absent: the status that says there is none, which is no failure.
    is_nullable: a handle that is NULL when there is none.
    """

    def __init__(self, model, kind, name="", type="", direct=False):
        self.kind, self.name, self.type, self.bare, self.direct = kind, name, type, bare(type), direct
        self.group = model.groups.get(self.bare)
        self.absent, self.is_nullable = None, False


class Function:
    """A function without a handle of its own: owner is None. Methods and creators derive from it."""

    def __init__(self, function, owner, parameters, result):
        self.function, self.owner, self.parameters, self.result = function["name"], owner, parameters, result
        self.header = function["header"]
        self.name = self.function.removeprefix("ckpt_").replace("_get_", "_")
        self.comment = returning(function["comment"], result.name)


class Creator(Function):
    """A function that makes an object. name: what follows "create_"; empty for the usual way."""

    def __init__(self, function, owner, parameters, result):
        super().__init__(function, owner, parameters, result)
        self.name = self.function.removeprefix(owner + "_create").removeprefix("_")


class Method(Function):
    def __init__(self, function, owner, parameters, result):
        super().__init__(function, owner, parameters, result)
        self.verb = self.function.removeprefix(owner + "_")
        self.name = self.verb.removeprefix("get_")  # for languages that have no "get"
        self.is_const = function["parameters"][0]["type"].startswith("const ")
        if result.kind != "none":
            result.absent = absent_status(self.verb, " ".join(function["comment"].split()))
        self.is_query = self.is_const or self.verb.startswith(("get_", "is_", "has_", "find_", "list", "verify"))
        self.is_getter = self.verb.startswith(("get_", "is_", "has_")) and not parameters

    def renamed_comment(self, rename):
        """The comment with the names that a language gives to the parameters."""
        own = {parameter.name for parameter in self.parameters}
        text = re.sub(r"(?<![\w.])[a-z]\w*(?![\w.(]|->)", lambda at: rename(at[0]) if at[0] in own else at[0], self.comment)
        # At the end of a sentence only a name with an underscore is surely no common word.
        return re.sub(r"(?<![\w.])[a-z]+_\w+(?=\.(?!\w))", lambda at: rename(at[0]) if at[0] in own else at[0], text)


def absent_status(verb, comment):
    """The status with which a method says that there is none: find_x, try_x, and "NOT_FOUND when there is none"."""
    if verb.startswith("try_"):
        return "OVER_BUDGET"
    return "NOT_FOUND" if verb.startswith("find_") or re.search(r"\bNOT_FOUND when (there is none\b|none )", comment) else None


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


def crosses(model, name, plain):
    """Whether the values of a struct go through functions as an object. plain: also structs without a size, which most languages
    pass as arrays of numbers."""
    return model.struct_names[name].crosses and (plain or model.struct_names[name].has_size)


def kind_of_parameter(model, parameter, plain=False):
    kind, pointed = parameter["type"], bare(parameter["type"])
    if "array" in parameter or "[" in parameter["declaration"]:
        return None
    if kind == "const char*":
        return "text"
    if pointed in model.handles:
        return "handle" if kind.count("*") == 1 else None
    if pointed in model.struct_names:
        return "struct" if kind == f"const {pointed}*" and crosses(model, pointed, plain) else None
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


def kind_of_result(model, parameter, plain):
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
        return "struct" if crosses(model, pointed, plain) else None
    if pointed == "ckpt_bool":
        return "truth"
    if pointed in model.groups:
        return "enum"
    if pointed == "double":
        return "real"
    return "number" if pointed in NUMBERS else None


def names_of(parameters):
    return [parameter["name"] for parameter in parameters]


def kind_of_pair(model, parameter, following, plain):
    """The kind of a parameter whose length is the following one; None for others."""
    kind, pointed = parameter["type"], bare(parameter["type"])
    if kind == "const int64_t*" and following == "ndim" and (plain or parameter["name"] == "shape"):
        return "shape"
    if plain and kind == f"const {pointed}*" and following == parameter["name"] + "_count":
        is_struct = pointed in model.struct_names and crosses(model, pointed, plain)
        return "array" if is_struct or pointed in NUMBERS else None
    return "memory" if plain and pointed == "void" and kind.count("*") == 1 and following == "bytes" else None


def result_of(model, function, parameters, plain=False):
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
        fetched = {"char*": "fetched", "void*": "bytes" if plain else None}.get(parameters[-3]["type"])
        return fetched and (Result(model, fetched, "buffer"), parameters[:-3])
    if last[1:] == ["capacity", "count"] and "*" in parameters[-3]["type"]:
        element = bare(parameters[-3]["type"])
        if element in model.struct_names:
            return crosses(model, element, plain) and (Result(model, "structs", last[0], element), parameters[:-3])
        return element in NUMBERS and (Result(model, "numbers", last[0], element), parameters[:-3])
    if not parameters:
        return Result(model, "none"), parameters
    kind = kind_of_result(model, parameters[-1], plain)
    if kind is None:
        return Result(model, "none"), parameters
    return Result(model, kind, parameters[-1]["name"], parameters[-1]["type"]), parameters[:-1]


def given_to(model, function, parameters, plain):
    """The parameters as values that the caller passes; None if one is not such a value."""
    given, names = [], [*names_of(parameters), None]
    for n, parameter in enumerate(parameters):
        if given and given[-1].is_pair and parameters[n - 1]["name"] == given[-1].name:
            continue  # its length
        pair = kind_of_pair(model, parameter, names[n + 1], plain)
        kind = pair or kind_of_parameter(model, parameter, plain)
        if kind is None:
            return None
        given.append(Parameter(model, parameter, kind, function["comment"]))
    return given


def takes_owner(function, owner):
    """Whether the function's first parameter is the object."""
    parameters = function["parameters"]
    return bool(parameters) and bare(parameters[0]["type"]) == owner and parameters[0]["type"].count("*") == 1


def method_of(model, function, plain):
    """The method of a function; None for one that is written by hand in every language."""
    owner = model.owner_of(function["name"])
    if owner is None or not takes_owner(function, owner):
        return None
    if function["name"].removeprefix(owner + "_") in ("retain", "release"):
        return None
    found = result_of(model, function, function["parameters"][1:], plain)
    if not found:
        return None
    result, rest = found
    result.is_nullable = result.kind == "handle" and ", or NULL when" in " ".join(function["comment"].split())
    if result.is_nullable and not plain:
        return None  # every language says in its own way that there is none
    given = given_to(model, function, rest, plain)
    return None if given is None else Method(function, owner, given, result)


def methods(model, plain=False):
    """plain: also those with structs without a size, arrays and bytes, which most languages write by hand."""
    found = [method_of(model, function, plain) for function in model.api["functions"]]
    return [method for method in found if method]


def creator_of(model, function, plain):
    owner, parameters = model.owner_of(function["name"]), function["parameters"]
    if owner is None or not re.match(owner + "_create(_|$)", function["name"]) or parameters[-1]["type"] != owner + "**":
        return None
    given = given_to(model, function, parameters[:-1], plain)
    result = Result(model, "handle", parameters[-1]["name"], parameters[-1]["type"])
    return None if given is None else Creator(function, owner, given, result)


def creators(model, plain=False):
    found = [creator_of(model, function, plain) for function in model.api["functions"]]
    return [creator for creator in found if creator]


def free_function_of(model, function, plain):
    owner = model.owner_of(function["name"])
    if owner is not None and (takes_owner(function, owner) or function["name"].startswith(owner + "_create")):
        return None
    found = result_of(model, function, function["parameters"], plain)
    if not found:
        return None
    result, rest = found
    given = given_to(model, function, rest, plain)
    return None if given is None else Function(function, None, given, result)


def free_functions(model, plain=False):
    """Functions without an object that are one call."""
    found = [free_function_of(model, function, plain) for function in model.api["functions"]]
    return [function for function in found if function]
