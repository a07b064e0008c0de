"""Describes functions that are no methods of an object: those that create one, and those that need none. ckpt_X_create is the
constructor of X, ckpt_X_create_Y a static method of X that is called Y. Functions without an object belong to a family.

The emitters (*_methods.py) decide how a language calls them. Functions that take callbacks, raw memory, or structs with functions
inside are written by hand.
"""

import re

from methods import Method, Parameter, Result, kind_of_parameter, result_of
from text import bare

FAMILIES = ("ckpt_interval", "ckpt_blas", "ckpt_dtype")  # prefixes of functions that belong together
LIBRARY = ("ckpt_version_string", "ckpt_build_info", "ckpt_available_threads", "ckpt_feature")  # the family "ckpt"


class Creator:
    """name: "" for a constructor. parameters: as those of methods, and of the kinds spec, numbers and address."""

    def __init__(self, function, owner, parameters):
        self.function, self.owner, self.parameters, self.header = function["name"], owner, parameters, function["header"]
        self.name = self.function.removeprefix(owner + "_create").removeprefix("_")
        self.comment = " ".join(function["comment"].split())

    renamed_comment = Method.renamed_comment


class StaticMethod(Method):
    """A function that needs no object; owner: its handle type or family."""

    def __init__(self, function, owner, parameters, result):
        with_self = {**function, "parameters": [{"type": "const void*"}]}
        super().__init__(with_self, owner, parameters, result)
        self.is_getter = False


def is_foreign(model, parameter, stars):
    """Whether it is a struct of another library, of which languages have only the address."""
    return parameter["type"] in (f"struct {foreign['name']}{stars}" for foreign in model.api["foreign"])


def has_functions(model, struct):
    return any(field["type"].endswith(("_fn", "_callbacks*")) for field in model.struct_names[struct].fields)


def given_of(model, function, parameters):
    """The values that the caller passes; None if one is not among those that cross by themselves."""
    given = []
    while parameters:
        parameter, *parameters = parameters
        if parameters and parameter["type"] == "const int64_t*" and parameters[0]["name"] == parameter["name"] + "_count":
            kind, parameters = "numbers", parameters[1:]
        elif parameter["type"] == "const ckpt_tensor_spec*":
            kind = "spec"
        elif is_foreign(model, parameter, "*"):
            kind = "address"
        else:
            kind = kind_of_parameter(model, parameter)
        if kind is None or kind == "struct" and has_functions(model, bare(parameter["type"])):
            return None
        given.append(Parameter(model, parameter, kind, function["comment"]))
    return given


def creators(model):
    found = []
    for function in model.api["functions"]:
        owner = model.owner_of(function["name"])
        if not owner or not function["name"].startswith(owner + "_create"):
            continue
        *parameters, last = function["parameters"]
        given = given_of(model, function, parameters) if last["type"] == owner + "**" else None
        if given is not None and (not given or given[0].bare != owner):  # one that is given such an object is a method of it
            found.append(Creator(function, owner, given))
    return found


def static_methods(model):
    found = []
    for function in model.api["functions"]:
        name, parameters = function["name"], function["parameters"]
        owner = model.owner_of(name)
        family = owner or next((one for one in FAMILIES if name.startswith(one + "_")), "ckpt" if name in LIBRARY else None)
        has_object = owner and parameters and bare(parameters[0]["type"]) == owner
        if not family or has_object or name.startswith(family + "_create"):
            continue
        result = result_of(model, function, parameters)
        given = given_of(model, function, result[1]) if result else None
        if given is not None:
            found.append(StaticMethod(function, family, given, result[0]))
    return found


def exports(model):
    """The methods that return the address of a struct of another library."""
    found = []
    for function in model.api["functions"]:
        owner, parameters = model.owner_of(function["name"]), function["parameters"]
        if owner and len(parameters) == 2 and bare(parameters[0]["type"]) == owner and is_foreign(model, parameters[1], "**"):
            found.append(Method(function, owner, [], Result(model, "address", parameters[1]["name"])))
    return found


def record_lists(model):
    """The methods that list structs without a size, which cross as arrays of numbers."""
    found = []
    for function in model.api["functions"]:
        owner, parameters = model.owner_of(function["name"]), function["parameters"]
        if owner and len(parameters) == 4 and [one["name"] for one in parameters[2:]] == ["capacity", "count"]:
            element = bare(parameters[1]["type"])
            if element in model.struct_names and not model.struct_names[element].has_size and "get_" in function["name"]:
                method = Method(function, owner, [], Result(model, "records", parameters[1]["name"], element))
                method.comment = re.sub(r"the first capacity \([^)]*\) (\w+); \*count receives how many there are", r"all \1",
                                        method.comment)
                found.append(method)
    return found


def shared(model):
    """The handle types whose objects several references can hold."""
    return {handle for handle in model.handles if handle + "_retain" in model.functions}


def absence(method):
    """The status of a call that has no result to return, as the function's comment documents it; "" if that is an error."""
    if method.result.kind == "none":
        return ""
    absences = {"NOT_FOUND": ("when there is none", "when none has", "when the key has none", "for a name that was never used"),
                "OVER_BUDGET": ("when the live total would rise above the limit",)}
    return next((status for status, words in absences.items() if any(f"{status} {one}" in method.comment for one in words)), "")


def without_status(comment, status, word):
    """The comment of a function that returns this word in the place of the status."""
    if not status:
        return comment
    return re.sub(rf"(^|\. )?\b{status} (?=when |for )",
                  lambda at: f"{word} " if at[1] is None else f"{at[1]}{word.capitalize()} ", comment)
