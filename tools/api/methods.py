"""Describes the functions of the C API that are one call with at most one result. The emitters (*_methods.py) determine how a
language calls them, and leave out functions with kinds of parameters or results that the language does not support.

A function is a method of the handle type that prefixes its name and is its first parameter. "<handle>_create..." is a creator if
its last parameter receives the new handle: the constructor, or a static method. All others are static: of a handle type, or of a
family. Results are out-parameters, buffers of the (buffer, capacity, *needed) rule, and lists of the (array, capacity, *count)
rule. Functions with callbacks or several results are not described here.
"""

import re

from text import bare

LIBRARY = ("ckpt_version_string", "ckpt_build_info", "ckpt_available_threads", "ckpt_feature")  # the family "ckpt"
STORED = ("ckpt_checkpoint_manager",)  # handles that read a storage in each call
STORED_CAPACITY = {"fetched": 65536, "structs": 64}  # bytes and elements of most results: a query for the size needs requests, too
COMPUTED_CAPACITY = 8192  # elements of a result that every call computes again
NUMBERS = {"int32_t", "uint32_t", "int64_t", "uint64_t"}

DEFAULTS = {  # default values of arguments, in addition to those of DOCUMENTED
    "ckpt_worker_pool_create": {"thread_count": "0"},
    "ckpt_memory_tracker_get_prometheus": {"max_layers": "100"},
    "ckpt_buffer_pool_trim": {"keep_bytes": "0"},
    "ckpt_profile_get_option": {"option": "0"},
    "ckpt_schedule_create_open_ended": {"flags": "CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC"},
    "ckpt_schedule_place": {"tier": "0"},
    "ckpt_program_get_arena_bytes": {"tier": "0"},
    "ckpt_activation_manager_begin_step": {"micro_batches": "0"},
    "ckpt_activation_manager_should_checkpoint": {"bytes": "0"},
    "ckpt_state_set_rarely_changes": {"rarely": "1"},
    "ckpt_checkpoint_manager_prune": {"dry_run": "0"},
    "ckpt_checkpoint_manager_prune_abandoned": {"dry_run": "0"},
    "ckpt_async_manager_close": {"mode": "CKPT_CLOSE_MODE_DRAIN"},
    "ckpt_async_manager_wait": {"timeout_ns": "-1"},
}

DOCUMENTED = (  # by kinds of parameters: a default value, and the pattern of a comment that documents its meaning; {0} is the name
    (("text", "handle", "struct", "record", "spec"), "NULL", r"\b{0}(?: \(NULL|: (?:[^.]*?[;,:] )?NULL\b| may be NULL| NULL[:;])"),
    (("real",), "INFINITY", r"\b{0}: [^.]*\bINFINITY\b"),
    (("number", "real"), "0", r"\b{0}\b[^.:;()]*(?:\(0: |(?: \(>= 0\))?: [^.;]*; 0 (?:takes|unless)\b)|\b0 <= {0}\b"),
    (("duration",), "-1", r"-1"),
)


class Parameter:
    """A value that the caller passes.

    kind: text, number, real, truth, enum, duration, handle, struct, record (a struct without a size), spec (of a tensor), address
    (of a struct of another library), shape (with its ndim), numbers, structs or records (with their count), or memory (with its
    bytes).
    default: as in C; "" for none. It is in DEFAULTS, or documented, as in "options: NULL for the defaults", "max_layers (0: all)",
    "0 <= momentum < 1", "max_norm: INFINITY scales nothing" and "-1: forever".
    """

    def __init__(self, model, parameter, kind, function):
        self.name, self.type, self.bare, self.kind = parameter["name"], parameter["type"], bare(parameter["type"]), kind
        self.group, self.is_pair = model.groups.get(self.bare), kind in ("shape", "numbers", "structs", "records", "memory")
        documented = next((value for kinds, value, words in DOCUMENTED if kind in kinds and
                           re.search(words.format(self.name), " ".join(function["comment"].split()))), "")
        self.default = DEFAULTS.get(function["name"], {}).get(self.name, documented)
        self.is_nullable = self.default == "NULL"

    def default_as(self, constant, words):
        """Returns the default in a language: constant(constant) for constants of C, words for other values."""
        names = {one.name: one for one in self.group.constants} if self.group else {}
        parts = self.default.split(" | ")
        return " | ".join(constant(names[one]) if one in names else words.get((self.kind, one)) or words.get(one, one) for one in parts)


class Result:
    """The value that a function returns.

    kind: none, number, real, truth, enum, text (borrowed), fetched (text in a buffer), handle (a new reference), handle or none,
    struct, record, address, structs, records or numbers (lists), or bytes (in a buffer). direct: the function returns it itself.
    absent: the status of a call without a result, if that is not a failure; else "". first_capacity: bytes or elements of the first
    buffer, enough for most results, for functions with expensive queries for the size; 0 for others.
    """

    def __init__(self, model, kind, name="", type="", direct=False):
        self.kind, self.name, self.type, self.bare, self.direct = kind, name, type, bare(type), direct
        self.group, self.absent, self.first_capacity = model.groups.get(self.bare), "", 0


class Function:
    """form: method, creator or static. owner: a handle type, or the family of a static function; None for others.

    verb: the rest of the name of C. name: that of a creator ("" for the constructor); for others without "get".
    is_document: it returns a whole document (JSON, Prometheus).
    """

    def __init__(self, function, form, owner, parameters, result):
        self.function, self.header, self.form, self.owner = function["name"], function["header"], form, owner
        self.parameters, self.result = parameters, result
        self.verb = self.function.removeprefix(f"{owner or 'ckpt'}_")
        self.name = self.verb.removeprefix("create").removeprefix("_") if form == "creator" else self.verb.removeprefix("get_")
        self.comment = returning(function["comment"], result)
        for one in parameters:
            if one.kind == "truth":
                self.comment = re.sub(rf"\b{one.name} (?:other than|is not) 0\b", f"{one.name} is true", self.comment)
                self.comment = re.sub(r"\(([01])(?=[,)])", lambda at: "(true" if at[1] == "1" else "(false", self.comment)
        if form == "method":  # which has an object
            self.comment = re.sub(rf"(?: {function['parameters'][0]['name']} NULL: |; {function['parameters'][0]['name']} NULL asks )[^.;]*\.?$", "",
                                  self.comment)
        result.absent = absent_status(self.comment) if form == "method" and result.kind != "none" else ""
        changes_nothing = form == "method" and function["parameters"][0]["type"].startswith("const ")
        self.is_query = changes_nothing or self.verb.startswith(("get_", "is_", "has_", "find_", "list", "verify", "export_"))
        self.is_getter = form == "method" and self.verb.startswith(("get_", "is_", "has_")) and not parameters
        self.is_document = result.kind == "fetched" and self.name.endswith(("json", "prometheus"))

    def renamed_comment(self, rename):
        """Returns the comment with a language's names of the parameters."""
        own = {parameter.name for parameter in self.parameters}
        text = re.sub(r"(?<![\w.])[a-z]\w*(?![\w.(]|->)", lambda at: rename(at[0]) if at[0] in own else at[0], self.comment)
        # At the end of a sentence only words with an underscore are certainly names.
        return re.sub(r"(?<![\w.])[a-z]+_\w+(?=\.(?!\w))", lambda at: rename(at[0]) if at[0] in own else at[0], text)

    def sets(self, getter):
        """Whether it is the setter of the getter."""
        return (self.owner, self.verb) == (getter.owner, "set_" + getter.name) and len(self.parameters) == 1 and getter.is_getter

    def is_of(self, parameters, results):
        """Whether its kinds of parameters and its kind of result are among these."""
        return self.result.kind in results and all(one.kind in parameters for one in self.parameters)


TRUTH = ((r"\b1(?= (?:when|for|if)\b)", "true"), (r"; 0(?= (?:when|for|if)\b)", "; false"),
         (r"\b1 or 0\b", "true or false"), (r"\b(else|or|return) 0\b", r"\1 false"))


def returning(comment, returned):
    """Rewords the comment for a function that returns its result."""
    text = re.sub(r"; -?\w+ for a handle that is not an? \w+(?: \(ckpt_last_error reports why\))?", "", " ".join(comment.split()))
    for pattern, put in TRUTH if returned.kind == "truth" else ():
        text = re.sub(pattern, put, text)
    result = returned.name
    if not result:
        return text
    text = re.sub(rf"\*{result}(?: \(may be NULL\))? (?:then )?receives ", "Returns ", text)
    text = re.sub(rf"\bSets \*{result}(?: \(may be NULL\))? to ", "Returns ", text)
    text = re.sub(rf"\bFills \*{result} with ", "Returns ", text)
    initialized = r"(?:, which the caller initialized)?"
    text = re.sub(rf"^Fills \*?{result}{initialized}(?=\.| for )", f"Returns the {result}", text)
    text = re.sub(r"\bWrites (.*?)(?:,? by the|:) \(buffer, capacity, \*needed\)(?: rule of ckpt\.h| as in ckpt\.h)?", r"Returns \1", text)
    text = re.sub(r"^Writes (.*?\.) \(buffer, capacity, \*needed\) as in ckpt\.h\.", r"Returns \1", text)
    text = re.sub(rf"[:,;]? {result} receives (?:the first|up to) capacity[^;.]*?[,;] \*count[^;.]*(?=[.;])", "", text)
    text = re.sub(r"the first capacity \([^)]*\) (\w+); \*?count receives how many there are", r"all \1", text)
    text = re.sub(rf"(^|\. ){result} receives ", r"\1Returns ", text, flags=re.IGNORECASE)
    text = text.replace(f": {result} receives ", ": returns ")
    text = text.replace(f"They are removed only when {result} has room for all of them: else, and when", "When")
    for left_out in (r"(?::|,) up to capacity (?:\([^)]*\) )?of them[,;] \*count receives how many there are",
                     rf" The size of every element is {result}\[0\]\.struct_size\.",
                     rf" {result} may be NULL when capacity is 0\.", rf" {result}: NULL when it is not wanted\.",
                     rf"\b{result}, capacity, \*count, ",
                     r" The text may grow between asking for its length and fetching it: repeat on OUT_OF_RANGE\."):
        text = re.sub(left_out, "", text)
    text = re.sub(rf"\bfills \*{result}(?=[.,;])", f"returns the {result}", text)
    text = re.sub(r"([;:]) Returns ", r"\1 returns ", text)
    return re.sub(r"(?<![. ])[.;](?=\.(?: [A-Z]|$))", "", text)  # the end of a part that was left out


ABSENCES = {"NOT_FOUND": ("when there is none", "when none has", "when the key has none", "for a name that was never used"),
            "OVER_BUDGET": ("when the live total would rise above the limit",)}


def absent_status(comment):
    """Returns the status of a call without a result, as the function's comment documents it; "" if that is an error."""
    return next((status for status, words in ABSENCES.items() if any(f"{status} {one}" in comment for one in words)), "")


def without_status(comment, status, word):
    """Rewords the comment for a function that returns this word instead of the status."""
    if not status:
        return comment
    return re.sub(rf"(^|\. )?\b{status} (?=when |for )",
                  lambda at: f"{word} " if at[1] is None else f"{at[1]}{word.capitalize()} ", comment)


# ---- Kinds ----


def is_foreign(model, kind, stars):
    """Whether it is a struct of another library, which languages handle only as an address."""
    return kind in (f"struct {foreign['name']}{stars}" for foreign in model.api["foreign"])


def kind_of_struct(model, name):
    """Returns None for a struct that is not passed as an object."""
    struct = model.struct_names.get(name)
    return struct and struct.crosses and ("struct" if struct.has_size else "record") or None


def kind_of_value(model, kind):
    """Returns the kind of a type that is not a pointer."""
    if kind in model.groups:
        return "enum"
    return {"ckpt_bool": "truth", "double": "real"}.get(kind, "number" if kind in NUMBERS else None)


def kind_of_list(model, element):
    return {"struct": "structs", "record": "records"}.get(kind_of_struct(model, element), "numbers" if element in NUMBERS else None)


def kind_of_parameter(model, parameter, following):
    """following: the name of the next parameter, which may be the length of this one."""
    kind, name, pointed = parameter["type"], parameter["name"], bare(parameter["type"])
    if is_foreign(model, kind, "*"):
        return "address"
    if kind == "const int64_t*" and following == "ndim":
        return "shape"
    if kind == f"const {pointed}*" and following == name + "_count":
        return kind_of_list(model, pointed)
    if pointed == "void" and kind.count("*") == 1 and following == "bytes":
        return "memory"
    if "array" in parameter or "[" in parameter["declaration"]:
        return None
    if kind == f"const {pointed}*":
        fixed = {"char": "text", "ckpt_tensor_spec": "spec"}.get(pointed)
        return fixed or ("handle" if pointed in model.handles else kind_of_struct(model, pointed))
    if pointed in model.handles and kind.count("*") == 1:
        return "handle"
    return "duration" if (kind, name) == ("int64_t", "timeout_ns") else kind_of_value(model, kind)


def kind_of_result(model, parameter):
    """Returns the kind of the value that an out-parameter receives; None for other parameters."""
    kind, pointed = parameter["type"], bare(parameter["type"])
    if kind == "const char**":
        return "text"
    if kind.startswith("const ") or "array" in parameter:
        return None
    if kind.count("*") == 2:
        return "handle" if pointed in model.handles else "address" if is_foreign(model, kind, "**") else None
    return (kind_of_struct(model, pointed) or kind_of_value(model, pointed)) if kind.count("*") == 1 else None


# ---- Functions ----


def first_capacity_of(model, function, kind):
    """Returns the capacity for the result at the first call, in bytes or elements; 0 if a query for the size is cheap."""
    if model.owner_of(function["name"]) in STORED:
        return STORED_CAPACITY.get(kind, 0)
    return COMPUTED_CAPACITY if "Every call computes the frontier again" in " ".join(function["comment"].split()) else 0


def result_of(model, function, parameters):
    """Returns the result, and the other parameters; None if the function is not one call with one result."""
    kind = function["result"]
    if kind == "void":
        return Result(model, "none"), parameters
    if kind != "ckpt_status":
        direct = "text" if kind == "const char*" else kind_of_value(model, kind)
        return direct and (Result(model, direct, type=kind, direct=True), parameters)
    last = [parameter["name"] for parameter in parameters[-3:]]
    if last[1:] in (["capacity", "needed"], ["capacity", "count"]):
        element = bare(parameters[-3]["type"])
        kind = {"char": "fetched", "void": "bytes"}.get(element) or kind_of_list(model, element)
        result = kind and Result(model, kind, last[0], element)
        if result:
            result.first_capacity = first_capacity_of(model, function, kind)
        return result and (result, parameters[:-3])
    kind = kind_of_result(model, parameters[-1]) if parameters else None
    if kind is None:
        return Result(model, "none"), parameters
    is_nullable = kind == "handle" and ", or NULL when" in " ".join(function["comment"].split())
    return Result(model, kind + " or none" * is_nullable, parameters[-1]["name"], parameters[-1]["type"]), parameters[:-1]


def given_to(model, function, parameters):
    """Returns the parameters as values that the caller passes; None if one cannot be passed as a value."""
    given, names = [], [*(parameter["name"] for parameter in parameters[1:]), None]
    for n, (parameter, following) in enumerate(zip(parameters, names)):
        if given and given[-1].is_pair and parameters[n - 1]["name"] == given[-1].name:
            continue  # its length
        kind = kind_of_parameter(model, parameter, following)
        if kind is None:
            return None
        given.append(Parameter(model, parameter, kind, function))
    return given


def form_of(model, function):
    """Returns the form and the owner; None for functions that each language calls differently."""
    name, parameters, owner = function["name"], function["parameters"], model.owner_of(function["name"])
    if owner and parameters and bare(parameters[0]["type"]) == owner and parameters[0]["type"].count("*") == 1:
        return None if name in (owner + "_retain", owner + "_release") else ("method", owner)
    if owner and name.startswith(owner + "_create"):
        return ("creator", owner) if parameters[-1]["type"] == owner + "**" else None
    family = model.family_of(name)
    return "static", owner or (None if family == "ckpt" and name not in LIBRARY else family)


def function_of(model, function):
    """Returns None for a function that is not one call."""
    form, owner = form_of(model, function) or (None, None)
    found = form and result_of(model, function, function["parameters"][form == "method":])
    given = given_to(model, function, found[1]) if found else None
    return None if given is None else Function(function, form, owner, given, found[0])


def functions(model):
    """Returns creators, methods, then static functions."""
    found = [function_of(model, function) for function in model.api["functions"]]
    return [function for form in ("creator", "method", "static") for function in found if function and function.form == form]
