"""The description for other languages: the values of structs, the constants of each type, and the direction of structs."""

import re

from text import bare, camel, groups

FAMILIES = ("ckpt_interval", "ckpt_blas", "ckpt_dtype")  # common prefixes of functions without a handle


class Constant:
    def __init__(self, group, constant):
        self.group, self.name, self.value, self.comment = group, constant["name"], constant["value"], constant["comment"]
        self.short = re.sub(f"^({group.name.upper()}|CKPT_E|CKPT)_", "", self.name)  # FULL of CKPT_VERIFY_FULL


class Group:
    """The constants of one typedef."""

    def __init__(self, kind, constants):
        self.name, self.type, self.header, self.comment = kind["name"], kind["type"], kind["header"], kind["comment"]
        self.is_sum = "sum of" in self.comment
        self.constants = [Constant(self, constant) for constant in constants]


class Value:
    """One value of a struct. C may need additional fields for it, which are not values: has_x, counts, ndim.

    kind: truth, enum, number, real, duration, instant (of day), instant or none, reading (of a clock), text, chars, numbers, shape,
    handle, struct, list, or function.
    has: the field that reports whether it is set; absence: the meaning if it is not set.
    """

    def __init__(self, model, struct, field, has):
        self.name, self.type, self.comment = field["name"], field["type"], field["comment"]
        self.bare, self.length = bare(self.type), field.get("array", [0])[0]
        self.group = model.groups.get(self.bare)
        self.kind = kind_of(model, struct, field)
        default = field.get("default", "0").replace("- ", "-")
        self.default = str(model.numbers.get(default, default))
        self.has = has and has["name"]
        self.absence = absence(has["comment"]) if has else ""
        self.initially_absent = self.kind in ("text", "handle", "struct", "list") or bool(has) and has.get("default") == "0"

    def filled(self, form, **names):
        """Returns a form with this value inserted."""
        return form.format(c=self.name, type=camel(self.bare), bare=self.bare, length=self.length, default=self.default, **names)

    def initial(self):
        """Returns the constants with the default value as their sum."""
        names = self.default.split(" | ")
        return [constant for constant in self.group.constants if constant.name in names or str(constant.value) == self.default]


def kind_of(model, struct, field):
    name, kind, pointed = field["name"], field["type"], bare(field["type"])
    if kind.endswith("_fn") or pointed == "void" or pointed.endswith("_callbacks"):
        return "function"
    if name == "shape":
        return "shape"
    if pointed == "char":
        return "text" if "*" in kind else "chars"
    if "array" in field:
        return "numbers"
    if "*" in kind:
        is_list = any(other["name"] == name + "_count" for other in struct["fields"])
        return "list" if is_list else "handle" if pointed in model.handles else "struct"
    if kind in model.groups:
        return "enum"
    if name.endswith("_ns"):
        some_instant = "instant or none" if re.search("; 0[: ]", field["comment"]) else "instant"
        return some_instant if name.endswith("_utc_ns") else "reading" if name.endswith("_at_ns") else "duration"
    return {"ckpt_bool": "truth", "double": "real"}.get(kind, "number")


def absence(comment):
    """Returns the meaning of has_x being 0, and the rest of its comment."""
    reason = re.search(r"\bno(: | when |, then )([^;]*)", comment)
    also = "".join(re.findall(r"yes(; .*)$", comment))
    if not reason:
        return " when there is none" + also
    return (" when " if reason[1] == " when " else ": ") + reason[2] + also


def is_reserved(field):
    return field["name"] == "struct_size" or re.fullmatch(r"reserved\d*", field["name"]) is not None


def has_size(struct):
    return struct["fields"][0]["name"] == "struct_size"


def has_fields(struct):
    """Returns the fields that report whether another field is set, by the name of the other field."""
    fields = {field["name"]: field for field in struct["fields"]}
    found = {}
    for name in filter(lambda name: name.startswith("has_"), fields):
        for value in (name[4:], name[4:] + "_id", name[4:] + "_bytes"):
            if value in fields and (fields[name]["comment"].startswith("whether") or name in fields[value]["comment"]):
                found[value] = fields[name]
    return found


class Struct:
    """given, filled: whether it is an input, or a result, of a function or callback; directions: of functions only."""

    def __init__(self, model, struct):
        self.name, self.header, self.comment, self.fields = struct["name"], struct["header"], struct["comment"], struct["fields"]
        self.initializer = self.name.upper() + "_INIT"
        self.has_size, self.is_options = has_size(struct), self.name.endswith(("_options", "_rate_schedule"))
        self.directions, by_callbacks = model.by_functions.get(self.name, set()), model.by_callbacks.get(self.name, set())
        self.given, self.filled = ("in" in self.directions | by_callbacks), ("out" in self.directions | by_callbacks)
        self.called, self.shown = bool(self.directions), bool(by_callbacks)
        # Hand-written SWIG functions fill tables of functions, and structs of bytes.
        self.is_table = not self.is_options and any(field["type"].endswith("_fn") or field["type"] == "const void*" for field in self.fields)
        self.crosses = self.called and not self.is_table  # its values are passed to or from functions
        has, names = has_fields(struct), [field["name"] for field in self.fields]
        hidden = {*(field["name"] for field in has.values()), *(name + "_count" for name in names), *["ndim"] * ("shape" in names)}
        values = [Value(model, struct, field, has.get(field["name"])) for field in self.fields
                  if not is_reserved(field) and field["name"] not in hidden]
        self.values = [value for value in values if value.kind != "function"]
        self.own_values = [one for one in self.values if one.kind not in ("list", "struct") or one.bare == "ckpt_tensor_spec"]


def directions(entries, const_is_given):
    """Returns, by struct, whether it is an input ("in") or a result ("out") of these entries, or both."""
    found = {}
    for entry in entries:
        for parameter in entry["parameters"]:
            given = parameter["type"].startswith("const ") == const_is_given
            found.setdefault(bare(parameter["type"]), set()).add("in" if given else "out")
    return found


class Model:
    def __init__(self, api):
        self.api, self.headers = api, [header["name"] for header in api["headers"]]
        kinds = {kind["name"]: kind for kind in api["types"]}
        self.groups = {name: Group(kinds[name], constants) for name, constants in groups(api).items()}
        self.constants = {constant.name: constant for group in self.groups.values() for constant in group.constants}
        self.numbers = {constant["name"]: constant["value"] for constant in api["constants"]}
        self.patterns = {name.upper().replace("STATUS", "E") + "_*": name for name in self.groups}  # names of groups in comments
        self.handles, self.functions = ({entry["name"] for entry in api[part]} for part in ("handles", "functions"))
        self.shared = {handle for handle in self.handles if handle + "_retain" in self.functions}  # handles with several references
        self.declared = {entry["name"] for part in ("types", "handles", "structs", "callbacks", "functions") for entry in api[part]}
        self.by_functions, self.by_callbacks = directions(api["functions"], True), directions(api["callbacks"], False)
        self.structs = [Struct(self, struct) for struct in api["structs"]]
        self.struct_names = {struct.name: struct for struct in self.structs}
        self.fields = {field["name"] for struct in self.structs for field in struct.fields}
        self.errors = [constant for constant in self.groups["ckpt_status"].constants if constant.value != 0]

    def owner_of(self, function):
        """Returns the handle to which a function belongs."""
        owners = [handle for handle in self.handles if function in self.functions and function.startswith(handle + "_")]
        return max(owners, key=len, default=None)

    def family_of(self, function):
        """Returns the family of a function without an owner; "ckpt" for functions of the whole library."""
        return next((family for family in FAMILIES if function.startswith(family + "_")), "ckpt")
