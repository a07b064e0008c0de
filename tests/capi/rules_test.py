"""Tests each rule of the API on its description capi/api.json, and on a small description that breaks the rule."""

import json
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# ---- Exceptions of the rules ----

# Verbs of functions on objects. Nouns are not among them; names of collective operations and next are standard terms.
VERBS = set("""abort add adjust advance begin bind cancel clear clip close commit copy create decide enable end evaluate export fill finalize find
get has initialize is list load map notify observe pin poll pop prune push read recompute record refine release remove reset restore resume retain run save scale
set should store subscribe sum trim try unpin unsubscribe verify wait
all_gather backward barrier broadcast dot forward gather next place step""".split())

# Constants that do not belong to a group of values.
SINGLE_CONSTANTS = {"CKPT_BUFFER_POOL_DEFAULT_RETAIN_BYTES", "CKPT_TENSOR_LARGEST_NDIM", "CKPT_TIERS", "CKPT_STATE_DATA_POSITION",
                    "CKPT_STATE_CONTROLLER", "CKPT_CHECKPOINT_NAME_BYTES", "CKPT_CHECKPOINT_SELF", "CKPT_TASK_NAME_BYTES",
                    "CKPT_CHECKPOINT_TASK_ALL", "CKPT_TREE_TENSOR", "CKPT_TREE_LARGEST_DEPTH", "CKPT_STORAGE_FLAG_OBJECTS"}

# Getters of this type may return by value, since they are called in inner loops.
ACCESSED_BY_VALUE = "ckpt_tensor"

# Functions that return after the last call of their callback.
SYNCHRONOUS = {"ckpt_worker_pool_run"}

# Fields that report an option given at the creation, where it has another name.
GIVEN_ELSEWHERE = {("ckpt_strategy_info", "has_tracker"), ("ckpt_strategy_info", "has_clock")}

# Buffers of the caller that are both read and written.
READ_AND_WRITTEN = {("ckpt_coordinator_broadcast", "data"), ("ckpt_tensor_create_borrowed", "data")}

# Counts of the object's elements, after a struct that is not an array.
COUNTS_OF_THE_OBJECT = {("ckpt_schedule_executor_evaluate", "layer_count")}

# Function types of another library's interface.
FOREIGN_INTERFACES = {"ckpt_sgemm_fn", "ckpt_dgemm_fn"}

INTEGERS = {"int32_t", "int64_t", "uint32_t", "uint64_t", "int"}


# ---- The description ----

class Api:
    def __init__(self, description):
        self.functions = description.get("functions", [])
        self.structs = description.get("structs", [])
        self.callbacks = description.get("callbacks", [])
        self.constants = description.get("constants", [])
        self.handles = {handle["name"] for handle in description.get("handles", [])}
        self.groups = {kind["name"]: kind["type"] for kind in description.get("types", [])}
        self.function_types = {callback["name"] for callback in self.callbacks}
        self.struct_names = {struct["name"] for struct in self.structs}

    def base(self, parameter):
        """Returns the type without const, pointers and arrays, and the number of the latter two."""
        text = re.sub(r"\bconst\b|\bstruct\b", "", parameter["type"])
        depth = text.count("*") + text.count("[")
        return re.sub(r"[*\s]|\[.*", "", text), depth

    def integer(self, parameter):
        """Returns the integer type of the value or pointee; None if there is none."""
        base, _ = self.base(parameter)
        base = self.groups.get(base, base)
        return base if base in INTEGERS else None

    def is_handle(self, parameter):
        base, depth = self.base(parameter)
        return base in self.handles and depth == 1

    def object_of(self, function):
        """Returns the handle that is its first parameter."""
        if not function["parameters"] or not self.is_handle(function["parameters"][0]):
            return None
        return self.base(function["parameters"][0])[0]

    def verb_of(self, function, handle):
        rest = function["name"][len(handle) + 1:]
        return next((verb for verb in (rest, rest.split("_")[0]) if verb in VERBS), None)

    def is_const(self, parameter):
        """Returns whether the pointee is only read."""
        return re.match(r"const\b(?!.*\*\s*\*$)|.*\* ?const ?\*", parameter["type"]) is not None

    def is_callback(self, parameter):
        base, depth = self.base(parameter)
        return base in self.function_types or (depth == 1 and base.endswith("_callbacks"))

    def is_out(self, function, parameter):
        if (function["name"], parameter["name"]) in READ_AND_WRITTEN or parameter["name"].endswith("user_data"):
            return False
        base, depth = self.base(parameter)
        if depth == 0 or self.is_const(parameter) or self.is_callback(parameter) or base in self.function_types:
            return False
        return not (base in self.handles and depth == 1)

    def fields(self):
        return ((struct, field) for struct in self.structs for field in struct["fields"])

    def parameters(self):
        return ((function, parameter) for function in self.functions + self.callbacks for parameter in function["parameters"])


# ---- The rules: each yields its violations ----

def functions_of_objects_have_verbs(api):
    for function in api.functions:
        handle = api.object_of(function)
        if handle is None or "_create" in function["name"]:
            continue
        if not function["name"].startswith(handle + "_"):
            if not any(function["name"].startswith(other + "_") for other in api.handles):
                yield f"{function['name']} is not named after {handle}"
        elif api.verb_of(function, handle) is None:
            yield f"{function['name']} has no verb: getters are {handle}_get_<what>"


def functions_of_objects_return_a_status(api):
    for function in api.functions:
        handle = api.object_of(function)
        ends = re.search(r"_(retain|release)$", function["name"])
        if handle is None or (handle == ACCESSED_BY_VALUE and re.match(handle + "_(get|is)_", function["name"])):
            continue
        expected = "void" if ends else "ckpt_status"
        if function["result"] != expected:
            yield f"{function['name']} returns {function['result']}, not {expected}"


def creators_return_the_handle_in_their_name(api):
    for function in api.functions:
        created = [api.base(parameter)[0] for parameter in function["parameters"][-1:]
                   if api.base(parameter)[1] == 2 and api.base(parameter)[0] in api.handles]
        if re.search(r"_create(_|$)", function["name"]):
            if not created:
                yield f"{function['name']} does not end with a pointer to a handle"
            elif not re.match(created[0] + "_create(_|$)", function["name"]):
                yield f"{function['name']} creates a {created[0]}: expected that name before _create"


def destroy_follows_user_data(api):
    for function in api.functions:
        names = [parameter["name"] for parameter in function["parameters"]]
        for index, parameter in enumerate(function["parameters"]):
            after = names[index + 1] if index + 1 < len(names) else None
            if parameter["name"] == "user_data":
                before = function["parameters"][index - 1] if index > 0 else None
                # A tensor's memory has no function pointer, but it has a destroy.
                if before is None or not (api.is_callback(before) or after == "destroy"):
                    yield f"{function['name']}: no function or callbacks before user_data"
                if after != "destroy" and function["name"] not in SYNCHRONOUS:
                    yield f"{function['name']}: user_data is followed by {after}, not by destroy"
            if parameter["name"] == "destroy" and (index == 0 or names[index - 1] != "user_data"):
                yield f"{function['name']}: destroy does not follow user_data"
    for struct in api.structs:
        names = [field["name"] for field in struct["fields"]]
        for index, field in enumerate(struct["fields"]):
            if field["name"].endswith("user_data"):
                prefix = field["name"][:-len("user_data")]
                if names[index + 1:index + 2] != [prefix + "destroy"]:
                    yield f"{struct['name']}: {field['name']} is not followed by {prefix}destroy"
                if not api.is_callback(struct["fields"][index - 1]):
                    yield f"{struct['name']}: no function or callbacks before {field['name']}"


def user_data_is_the_last_of_a_callback(api):
    for callback in api.callbacks:
        names = [parameter["name"] for parameter in callback["parameters"]]
        if "user_data" in names and names[-1] != "user_data":
            yield f"{callback['name']}: user_data is not its last parameter"


def outs_come_last(api):
    for function in api.functions:
        outs = [api.is_out(function, parameter) for parameter in function["parameters"]]
        if True not in outs:
            continue
        for index in range(outs.index(True), len(outs)):
            name = function["parameters"][index]["name"]
            if not outs[index] and name != "capacity" and not re.search(r"_(init)$", function["name"]):
                yield f"{function['name']}: {name} comes after an out-parameter"


def tables_have_no_destroy(api):
    for struct, field in api.fields():
        if struct["name"].endswith("_callbacks") and "destroy" in field["name"]:
            yield f"{struct['name']} has {field['name']}"


def capacity_stands_between_array_and_count(api):
    for function in api.functions:
        parameters = function["parameters"]
        for index, parameter in enumerate(parameters):
            if parameter["name"] != "capacity" or (index > 0 and api.base(parameters[index - 1])[1] == 0):
                continue  # the capacity of a queue
            after = parameters[index + 1] if index + 1 < len(parameters) else None
            text = api.base(parameters[index - 1])[0] in ("char", "void") if index > 0 else False
            expected = "needed" if text else "count"
            if index == 0 or api.is_const(parameters[index - 1]):
                yield f"{function['name']}: no array before capacity"
            if after is None or after["name"] != expected or api.base(after) != ("int64_t", 1):
                yield f"{function['name']}: capacity is not followed by int64_t* {expected}"


def times_say_what_they_are(api):
    for struct, field in api.fields():
        name, comment = field["name"], field.get("comment", "")
        where = f"{struct['name']}.{name}"
        if name in ("ns", "seconds", "time") or re.match(r"time_(?!out)", name):
            yield f"{where}: name the measured object"
        if "1970" in comment and not name.endswith("_utc_ns"):
            yield f"{where} is an instant in UTC and does not end in _utc_ns"
        if re.match(r"when\b", comment) and "nanoseconds" in comment and not re.search(r"_(at|utc)_ns$", name):
            yield f"{where} is an instant and does not end in _at_ns or _utc_ns"
        if name.endswith("_at_utc_ns"):
            yield f"{where} ends in _at_utc_ns"
    for where, name, kind, comment in [(f"{struct['name']}.{field['name']}", field["name"], field["type"], field.get("comment", ""))
                                       for struct, field in api.fields()] + [
                                           (f"{function['name']}({parameter['name']})", parameter["name"], parameter["type"], "")
                                           for function, parameter in api.parameters()]:
        if name in ("ns", "seconds", "time", "timeout"):
            yield f"{where}: name the measured object"
        if "nanoseconds" in comment and "int64_t" in kind and not name.endswith("_ns"):
            yield f"{where} is in nanoseconds and does not end in _ns"
        if name.endswith("_ns") and "int64_t" not in kind:
            yield f"{where} is in nanoseconds and not an int64_t"
        if "seconds" in name.split("_") and not name.endswith("_count") and not (name.endswith("_seconds") and "double" in kind):
            yield f"{where} does not end in _seconds, or is not a double"


def absence_stands_beside_its_value(api):
    for struct, field in api.fields():
        if not field["name"].startswith("has_") or (struct["name"], field["name"]) in GIVEN_ELSEWHERE:
            continue
        value = field["name"][len("has_"):]
        if not any(other["name"] == value or other["name"].startswith(value + "_") for other in struct["fields"]):
            yield f"{struct['name']} has {field['name']}, and no {value}"


def minus_one_is_forever(api):
    entries = [(f"{struct['name']}.{field['name']}", field.get("comment", "")) for struct, field in api.fields()]
    entries += [(entry["name"], entry.get("comment", "")) for entry in api.functions + api.callbacks]
    for where, comment in entries:
        if where.startswith(ACCESSED_BY_VALUE + "_get_"):
            continue  # not of a tensor
        for found in re.finditer(r"(?<![\w)^+-])-1\b", comment):
            if not re.match(r"-1:? forever", comment[found.start():]):
                yield f"{where}: -1 means something other than forever"


def zero_is_no_limit(api):
    entries = [(f"{struct['name']}.{field['name']}", field.get("comment", "")) for struct, field in api.fields()]
    entries += [(entry["name"], entry.get("comment", "")) for entry in api.functions + api.callbacks]
    for where, comment in entries:
        for found in re.finditer(r"\bno (limit|maximum)\b|\bunlimited\b", comment):
            if not comment[:found.start()].endswith("0: "):
                yield f"{where}: expected 0 for no limit, documented as '0: {found.group()}'"


def what_is_read_by_index_has_a_count(api):
    names = {function["name"] for function in api.functions}
    for function in api.functions:
        if "_get_" not in function["name"] or function["name"].startswith("ckpt_tree_"):
            continue  # nodes of a tree contain their end
        counts = {function["name"] + "_count", function["name"].split("_get_")[0] + "_get_info"}  # elements in several lists
        if any(parameter["name"] == "index" for parameter in function["parameters"]) and not counts & names:
            yield f"{function['name']}: there is no {function['name']}_count"


def constants_belong_to_groups(api):
    prefixes = {group.upper() + "_": group for group in api.groups}
    found = {}
    for constant in api.constants:
        name = constant["name"]
        if re.match(r"CKPT_(OK$|E_)", name):
            group = "ckpt_status"
        else:
            matching = [prefix for prefix in prefixes if name.startswith(prefix)]
            group = prefixes[max(matching, key=len)] if matching else None
        if (group is None) != (name in SINGLE_CONSTANTS):
            yield f"{name} belongs to no group" if group is None else f"{name} is named as a value of {group}"
        elif group is not None:
            found.setdefault(group, []).append(constant)
    for group in api.groups:
        values = [constant["value"] for constant in found.get(group, [])]
        if group != "ckpt_bool" and len(values) < 2:
            yield f"{group} has no constants"
        if len(set(values)) != len(values):
            yield f"two constants of {group} have one value"
    for name in SINGLE_CONSTANTS - {constant["name"] for constant in api.constants}:
        if api.constants and len(api.constants) > len(SINGLE_CONSTANTS):
            yield f"{name}: missing"


def truth_is_a_bool(api):
    for struct, field in api.fields():
        if api.integer(field) is None or api.base(field)[0] == "ckpt_bool":
            continue
        if field["name"].startswith("has_") or re.search(r"\b(whether|1 when\b.*else 0|0 no\b|0 or 1\b(?! \.\.)|1: .*; 0:|other values[: ])",
                                                         field.get("comment", "")):
            yield f"{struct['name']}.{field['name']} is a truth value, not a {field['type']}"
    for function in api.functions:
        for parameter in function["parameters"]:
            says = re.search(r"\*" + parameter["name"] + r" (\([^)]*\) )?(receives|becomes|is) 1\b", function.get("comment", ""))
            if says and api.base(parameter)[0] != "ckpt_bool":
                yield f"{function['name']}: {parameter['name']} is a truth value, not a {parameter['type']}"


def a_concept_has_one_integer_type(api):
    found = {}
    entries = [(struct["name"], field) for struct, field in api.fields()]
    entries += [(function["name"], parameter) for function, parameter in api.parameters()]
    for where, entry in entries:
        kind = api.integer(entry)
        if kind is not None and where not in FOREIGN_INTERFACES and not entry["name"].startswith("reserved"):
            found.setdefault(entry["name"], {}).setdefault(kind, []).append(where)
    for name, kinds in sorted(found.items()):
        if len(kinds) > 1:
            rare = min(kinds, key=lambda kind: len(kinds[kind]))
            yield f"{name} is {' and '.join(sorted(kinds))}: {rare} in {', '.join(kinds[rare][:4])}"


def arrays_have_their_counts(api):
    def is_array(entry):
        base, depth = api.base(entry)
        in_an_array = base in api.handles or base == "char"
        return depth > (1 if in_an_array else 0) and (base in api.handles or base == "char" or api.integer(entry) is not None
                                                      or base == "double" or base in api.struct_names)

    for function in api.functions:
        parameters = function["parameters"]
        arrays = [parameter["name"] for parameter in parameters if is_array(parameter) and api.is_const(parameter)]
        for before, parameter in zip(parameters, parameters[1:]):
            is_count = parameter["name"].endswith("count") or api.base(before)[0] not in api.struct_names
            if before["name"] in arrays and is_count and api.base(parameter) == ("int64_t", 0) and not any(
                    parameter["name"] == array + "_count" for array in arrays) and (
                        function["name"], parameter["name"]) not in COUNTS_OF_THE_OBJECT:
                yield f"{function['name']}: {parameter['name']} is the count of none of its arrays ({', '.join(arrays)})"
    for struct in api.structs:
        names = {field["name"] for field in struct["fields"]}
        for field in struct["fields"]:
            if is_array(field) and field["type"].count("[") == 0 and "const" in field["type"] and \
                    field["name"] not in ("shape",) and field["name"] + "_count" not in names and \
                    not (api.base(field)[0] in api.struct_names or (api.base(field)[0] == "char" and api.base(field)[1] == 1)):
                yield f"{struct['name']}.{field['name']} has no {field['name']}_count"


# ---- Descriptions that break them ----

def entry(declaration, comment=""):
    kind, name, array = re.match(r"(.*[ *])(\w+)(\[\w+\])?$", declaration.strip()).groups()
    return {"name": name, "type": kind.strip() + (array or ""), "declaration": declaration, "comment": comment}


def function(declaration, comment=""):
    result, name, parameters = re.match(r"(.*[ *])(\w+)\((.*)\)$", declaration).groups()
    return {"name": name, "result": result.strip(), "comment": comment,
            "parameters": [entry(parameter) for parameter in parameters.split(",") if parameter.strip() != "void"]}


def struct(name, *fields):
    return {"name": name, "fields": [entry(*(field if isinstance(field, tuple) else (field,))) for field in fields]}


def description(functions=(), structs=(), callbacks=(), constants=()):
    return Api({
        "functions": [function(*(one if isinstance(one, tuple) else (one,))) for one in functions],
        "structs": list(structs),
        "callbacks": [{"name": "ckpt_go_fn", "parameters": []}] + [function(one) for one in callbacks],
        "constants": [{"name": name, "value": value} for name, value in constants],
        "handles": [{"name": "ckpt_box"}, {"name": "ckpt_tensor"}],
        "types": [{"name": "ckpt_bool", "type": "int32_t"}, {"name": "ckpt_status", "type": "int32_t"},
                  {"name": "ckpt_color", "type": "int32_t"}],
    })


COLORS = [("CKPT_OK", 0), ("CKPT_E_LOST", -1), ("CKPT_COLOR_RED", 0), ("CKPT_COLOR_BLUE", 1)]

# For each rule: valid descriptions, and violations, each by itself.
CASES = {
    functions_of_objects_have_verbs: (
        dict(functions=["ckpt_status ckpt_box_get_size(const ckpt_box* box, int64_t* size)", "void ckpt_box_release(ckpt_box* box)",
                        "ckpt_status ckpt_box_all_gather(ckpt_box* box)", "int32_t ckpt_version(void)",
                        "ckpt_status ckpt_tensor_create_from_box(ckpt_box* box, ckpt_tensor** tensor)"]),
        [dict(functions=["ckpt_status ckpt_box_size(const ckpt_box* box, int64_t* size)"]),
         dict(functions=["ckpt_status ckpt_box_getter(const ckpt_box* box, int64_t* size)"]),
         dict(functions=["ckpt_status ckpt_size_of_box(const ckpt_box* box, int64_t* size)"])]),
    functions_of_objects_return_a_status: (
        dict(functions=["ckpt_status ckpt_box_get_size(const ckpt_box* box, int64_t* size)", "void ckpt_box_retain(ckpt_box* box)",
                        "int64_t ckpt_tensor_get_bytes(const ckpt_tensor* tensor)", "int32_t ckpt_version(void)"]),
        [dict(functions=["int64_t ckpt_box_get_size(const ckpt_box* box)"]),
         dict(functions=["const char* ckpt_box_get_name(const ckpt_box* box)"]),
         dict(functions=["ckpt_status ckpt_box_release(ckpt_box* box)"]),
         dict(functions=["void ckpt_tensor_fill(ckpt_tensor* tensor)"])]),
    creators_return_the_handle_in_their_name: (
        dict(functions=["ckpt_status ckpt_box_create(int32_t size, ckpt_box** box)",
                        "ckpt_status ckpt_box_create_from_tensor(const ckpt_tensor* tensor, ckpt_box** box)"]),
        [dict(functions=["ckpt_box* ckpt_box_create(int32_t size)"]),
         dict(functions=["ckpt_status ckpt_box_create(ckpt_box** box, int32_t size)"]),
         dict(functions=["ckpt_status ckpt_tensor_create_box(const ckpt_tensor* tensor, ckpt_box** box)"])]),
    destroy_follows_user_data: (
        dict(functions=["ckpt_status ckpt_box_set(ckpt_box* box, ckpt_go_fn go, void* user_data, ckpt_destroy_fn destroy, int64_t* id)",
                        "ckpt_status ckpt_box_add(ckpt_box* box, const ckpt_box_callbacks* callbacks, void* user_data, ckpt_destroy_fn destroy)",
                        "ckpt_status ckpt_worker_pool_run(int64_t part_count, ckpt_go_fn fn, void* user_data)"],
             structs=[struct("ckpt_box_options", "ckpt_go_fn go", "void* go_user_data", "ckpt_destroy_fn go_destroy")]),
        [dict(functions=["ckpt_status ckpt_box_set(ckpt_box* box, ckpt_go_fn go, void* user_data)"]),
         dict(functions=["ckpt_status ckpt_box_set(ckpt_box* box, ckpt_go_fn go, ckpt_destroy_fn destroy, void* user_data)"]),
         dict(functions=["ckpt_status ckpt_box_set(ckpt_box* box, ckpt_go_fn go, void* user_data, int64_t* id, ckpt_destroy_fn destroy)"]),
         dict(functions=["ckpt_status ckpt_box_set(ckpt_box* box, void* user_data, ckpt_go_fn go)"]),
         dict(structs=[struct("ckpt_box_options", "ckpt_go_fn go", "void* user_data", "int64_t bytes")]),
         dict(structs=[struct("ckpt_box_options", "int64_t bytes", "void* user_data", "ckpt_destroy_fn destroy")])]),
    user_data_is_the_last_of_a_callback: (
        dict(callbacks=["int32_t ckpt_list_fn(int64_t id, void* user_data)", "int32_t ckpt_entry_fn(void* listing, const char* name)"]),
        [dict(callbacks=["int32_t ckpt_list_fn(void* user_data, int64_t id)"])]),
    outs_come_last: (
        dict(functions=["ckpt_status ckpt_box_pop(ckpt_box* box, int64_t timeout_ns, uint64_t* word)",
                        "ckpt_status ckpt_box_get_text(const ckpt_box* box, char* buffer, int64_t capacity, int64_t* needed)",
                        "ckpt_status ckpt_box_add(ckpt_box* box, ckpt_tensor* const* tensors, int64_t tensors_count, int64_t* id)",
                        "ckpt_status ckpt_box_set(ckpt_box* box, ckpt_go_fn go, void* user_data, ckpt_destroy_fn destroy, int64_t* id)"]),
        [dict(functions=["ckpt_status ckpt_box_pop(ckpt_box* box, uint64_t* word, int64_t timeout_ns)"]),
         dict(functions=["ckpt_status ckpt_box_create(ckpt_box** box, int64_t bytes)"]),
         dict(functions=["ckpt_status ckpt_box_get_name(ckpt_box* box, const char** name, int32_t index)"]),
         dict(functions=["ckpt_status ckpt_box_set(ckpt_box* box, int64_t* id, ckpt_go_fn go, void* user_data, ckpt_destroy_fn destroy)"])]),
    tables_have_no_destroy: (
        dict(structs=[struct("ckpt_box_callbacks", "ckpt_go_fn go"), struct("ckpt_box_options", "ckpt_destroy_fn destroy")]),
        [dict(structs=[struct("ckpt_box_callbacks", "ckpt_go_fn go", "ckpt_destroy_fn destroy")])]),
    capacity_stands_between_array_and_count: (
        dict(functions=["ckpt_status ckpt_box_list(const ckpt_box* box, int64_t* ids, int64_t capacity, int64_t* count)",
                        "ckpt_status ckpt_box_get_text(const ckpt_box* box, char* buffer, int64_t capacity, int64_t* needed)",
                        "ckpt_status ckpt_box_create(int32_t kind, int64_t capacity, ckpt_box** box)"]),
        [dict(functions=["ckpt_status ckpt_box_list(const ckpt_box* box, int64_t* ids, int64_t* count, int64_t capacity)"]),
         dict(functions=["ckpt_status ckpt_box_list(const ckpt_box* box, int64_t* ids, int64_t capacity)"]),
         dict(functions=["ckpt_status ckpt_box_list(const ckpt_box* box, int64_t* ids, int64_t capacity, int32_t* count)"]),
         dict(functions=["ckpt_status ckpt_box_get_text(const ckpt_box* box, char* buffer, int64_t capacity, int64_t* count)"]),
         dict(functions=["ckpt_status ckpt_box_list(const ckpt_box* box, const int64_t* ids, int64_t capacity, int64_t* count)"])]),
    times_say_what_they_are: (
        dict(structs=[struct("ckpt_box_stats", ("int64_t run_ns", "nanoseconds of all runs"), ("double run_seconds", "duration in seconds"),
                             ("int64_t opened_at_ns", "when it was opened, in nanoseconds on the clock"),
                             ("int64_t opened_utc_ns", "when it was opened, in nanoseconds since 1970-01-01T00:00:00Z"))],
             functions=["ckpt_status ckpt_box_wait(ckpt_box* box, int64_t timeout_ns)"]),
        [dict(structs=[struct("ckpt_box_stats", "int64_t ns")]),
         dict(structs=[struct("ckpt_box_stats", "double seconds")]),
         dict(structs=[struct("ckpt_box_stats", "int64_t time_ns")]),
         dict(structs=[struct("ckpt_box_stats", "int64_t opened_at_utc_ns")]),
         dict(structs=[struct("ckpt_box_stats", ("int64_t opened_ns", "when it was opened, in nanoseconds on the clock"))]),
         dict(structs=[struct("ckpt_box_stats", ("int64_t opened_at_ns", "when it was opened, in nanoseconds since 1970-01-01T00:00:00Z"))]),
         dict(structs=[struct("ckpt_box_stats", ("int64_t run_time", "nanoseconds of all runs"))]),
         dict(structs=[struct("ckpt_box_stats", "double run_ns")]),
         dict(structs=[struct("ckpt_box_stats", "int64_t run_seconds")]),
         dict(functions=["ckpt_status ckpt_box_wait(ckpt_box* box, int64_t ns)"]),
         dict(functions=["ckpt_status ckpt_box_wait(ckpt_box* box, double seconds_left)"]),
         dict(callbacks=["void ckpt_sleep_fn(int64_t ns, void* user_data)"])]),
    absence_stands_beside_its_value: (
        dict(structs=[struct("ckpt_box_options", "ckpt_bool has_step", "int64_t step"),
                      struct("ckpt_box_event", "ckpt_bool has_layer", "int32_t layer_id")]),
        [dict(structs=[struct("ckpt_box_options", "ckpt_bool has_step", "int64_t steps")]),
         dict(structs=[struct("ckpt_box_options", "ckpt_bool has_step")])]),
    minus_one_is_forever: (
        dict(functions=[("ckpt_status ckpt_box_wait(ckpt_box* box, int64_t timeout_ns)", "Waits at most timeout_ns (-1: forever)."),
                        ("ckpt_status ckpt_box_find(ckpt_box* box, int64_t index)", "index: 0 .. count - 1, or 0 .. count-1; +-1 for a table.")],
             structs=[struct("ckpt_box_options", ("int64_t timeout_ns", "how long it waits, in nanoseconds; -1 forever"))]),
        [dict(structs=[struct("ckpt_box_options", ("int64_t limit", "most bytes; -1: no limit"))]),
         dict(structs=[struct("ckpt_box_info", ("int64_t step", "number of the step, -1 when there is none"))]),
         dict(functions=[("ckpt_status ckpt_box_find(ckpt_box* box)", "*index receives the index, or -1.")])]),
    zero_is_no_limit: (
        dict(structs=[struct("ckpt_box_options", ("int64_t limit", "most bytes; 0: no limit"), ("int64_t most", "most steps; 0: no maximum"))]),
        [dict(structs=[struct("ckpt_box_options", ("int64_t limit", "most bytes; INT64_MAX: no limit"))]),
         dict(functions=[("ckpt_status ckpt_box_set_limit(ckpt_box* box, int64_t bytes)", "bytes: at least 1; -2: unlimited.")])]),
    what_is_read_by_index_has_a_count: (
        dict(functions=["ckpt_status ckpt_box_get_part(ckpt_box* box, int64_t index, int64_t* part)",
                        "ckpt_status ckpt_box_get_part_count(ckpt_box* box, int64_t* count)"]),
        [dict(functions=["ckpt_status ckpt_box_get_part(ckpt_box* box, int64_t index, int64_t* part)"])]),
    constants_belong_to_groups: (
        dict(constants=COLORS + [("CKPT_TIERS", 4)]),
        [dict(constants=COLORS + [("CKPT_GREEN", 2)]),
         dict(constants=COLORS + [("CKPT_COLOR_GREEN", 1)]),
         dict(constants=COLORS[:3]),
         dict(constants=COLORS[:2])]),
    truth_is_a_bool: (
        dict(structs=[struct("ckpt_box_info", ("ckpt_bool open", "1 when it is open, else 0"), ("int32_t ndim", "0 .. 8"),
                             ("int64_t steps", "number of steps; 0: none"))],
             functions=[("ckpt_status ckpt_box_get_open(ckpt_box* box, ckpt_bool* open)", "*open receives 1 when it is open, else 0.")]),
        [dict(structs=[struct("ckpt_box_info", ("int32_t open", "1 when it is open, else 0"))]),
         dict(structs=[struct("ckpt_box_info", ("int32_t open", "whether it is open"))]),
         dict(structs=[struct("ckpt_box_options", ("int32_t step_set", "whether step is set: 0 no, other values yes"))]),
         dict(structs=[struct("ckpt_box_options", ("int32_t has_step", "the step is there"))]),
         dict(functions=[("ckpt_status ckpt_box_get_open(ckpt_box* box, int32_t* open)", "*open receives 1 when it is open, else 0.")]),
         dict(functions=[("ckpt_status ckpt_box_cancel(ckpt_box* box, int32_t* done)", "*done (may be NULL) is 1 when it will end.")])]),
    a_concept_has_one_integer_type: (
        dict(structs=[struct("ckpt_box_info", "uint32_t reserved", "int64_t bytes"), struct("ckpt_box_stats", "int32_t reserved")],
             functions=["ckpt_status ckpt_box_get_bytes(ckpt_box* box, int64_t* bytes)"]),
        [dict(structs=[struct("ckpt_box_info", "int64_t bytes"), struct("ckpt_box_stats", "int32_t bytes")]),
         dict(structs=[struct("ckpt_box_info", "int64_t bytes")],
              functions=["ckpt_status ckpt_box_get_bytes(ckpt_box* box, uint64_t* bytes)"]),
         dict(structs=[struct("ckpt_box_info", "ckpt_color color"), struct("ckpt_box_stats", "int64_t color")]),
         dict(callbacks=["void ckpt_a_fn(int32_t layer, void* user_data)", "void ckpt_b_fn(const int64_t* layer, void* user_data)"])]),
    arrays_have_their_counts: (
        dict(functions=["ckpt_status ckpt_box_add(ckpt_box* box, const int64_t* begins, int64_t begins_count)",
                        "ckpt_status ckpt_box_set(ckpt_box* box, const char* const* names, ckpt_tensor* const* tensors, int64_t names_count)",
                        "ckpt_status ckpt_box_fill(ckpt_box* box, const char* text, int64_t step)",
                        "ckpt_status ckpt_box_run(ckpt_box* box, const int64_t* shape, int32_t ndim)"],
             structs=[struct("ckpt_box_options", "const int64_t* begins", "int64_t begins_count", "const char* name")]),
        [dict(functions=["ckpt_status ckpt_box_add(ckpt_box* box, const int64_t* begins, int64_t count)"]),
         dict(functions=["ckpt_status ckpt_box_add(ckpt_box* box, const int64_t* begins, int64_t n)"]),
         dict(functions=["ckpt_status ckpt_box_add(ckpt_box* box, const char* const* names, int64_t name_count)"]),
         dict(functions=["ckpt_status ckpt_box_add(ckpt_box* box, ckpt_tensor* const* tensors, int64_t count)"]),
         dict(structs=[struct("ckpt_box_options", "const int64_t* begins", "int64_t begin_count")]),
         dict(structs=[struct("ckpt_box_options", "ckpt_tensor* const* tensors", "int64_t count")])]),
}


class Rules(unittest.TestCase):
    def test_the_api_keeps_them(self):
        with open(os.path.join(ROOT, "capi", "api.json"), encoding="utf-8") as file:
            api = Api(json.load(file))
        self.assertGreater(len(api.functions), 300)
        for rule in CASES:
            with self.subTest(rule=rule.__name__):
                self.assertEqual(list(rule(api)), [])

    def test_each_can_fail(self):
        for rule, (right, wrong) in CASES.items():
            with self.subTest(rule=rule.__name__):
                self.assertEqual(list(rule(description(**right))), [])
            for broken in wrong:
                with self.subTest(rule=rule.__name__, broken=broken):
                    self.assertNotEqual(list(rule(description(**broken))), [])


if __name__ == "__main__":
    unittest.main()
