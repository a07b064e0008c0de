"""Describes the tables of functions that programs provide (ckpt_*_callbacks): the arguments and the result of each function.

Languages have an interface or an abstract class for each table. The emitters (*_callbacks.py) determine how a language declares it,
and how it forwards the library's calls to an object of it.
"""

import re

import methods
from text import bare, camel

MEMORY = ("void*", "const void*")
LISTS = {"ckpt_storage_entry_fn": "Listing", "ckpt_storage_object_fn": "ObjectListing", "ckpt_storage_range": "RangeList",
         "char": "PathList"}  # classes of bindings/swig, by the type of the elements
SWIG = ("ckpt_storage_callbacks",)  # tables with generated classes in SWIG and Python
CLASSES = {  # by table: the base class for programs, and the class of the optional functions of a flag
    "ckpt_storage_callbacks": ("CustomStorage", "CustomObjects"), "ckpt_coordinator_callbacks": ("CustomCoordinator", ""),
    "ckpt_layer_callbacks": ("CustomLayer", ""), "ckpt_driver_callbacks": ("Framework", "")}
FORWARDED = ("ckpt_storage_callbacks", "ckpt_coordinator_callbacks")  # the other tables need more than forwarding


class Given:
    """An argument of the function.

    kind: text, strings, number, real, truth, enum, duration, handle, item (of the program), bytes, struct or structs.
    list: the class of SWIG for strings and structs.
    """

    def __init__(self, kind, parameter):
        self.kind, self.name, self.type, self.bare = kind, parameter["name"], parameter["type"], bare(parameter["type"])
        self.is_const, self.list = self.type.startswith("const "), LISTS.get(self.bare, "") if kind in ("strings", "structs") else ""


class Function:
    """One function of a table. result: none, count (of bytes in a buffer), item, struct, list or the kind of a value;
    created: its parameters.

    listing: the class of SWIG for a list; elements: the parameters of each of its elements. declared: all parameters of C.
    is_required: every table must have it. is_own: it belongs to a flag of the table (an object store), not to every table.
    """

    def __init__(self, model, table, field, typedefs, is_own):
        typedef = typedefs[field["type"]]
        self.name, self.is_required, self.is_own = field["name"], "NULL" not in field["comment"], is_own
        self.given, self.result, self.created = split(model, typedef["parameters"], table.has_items)
        own_comment = [one["type"] for one in table.fields].count(field["type"]) == 1
        self.comment = called(typedef["comment"] if own_comment else field["comment"], table)
        self.parameters, self.declared, self.is_void = self.given, typedef["parameters"], typedef["result"] == "void"
        self.listing, self.elements = "", []
        if self.result == "list":
            self.listing, self.elements = LISTS[self.created[0]["type"]], typedefs[self.created[0]["type"]]["parameters"][1:]
        self.lists, self.about = [one for one in self.given if one.list], field["comment"]
        self.is_lock, self.ends_item = self.name in ("lock", "unlock"), self.name in ("close", "unlock")
        self.target = "objects" if is_own else "functions"

    renamed_comment = methods.Function.renamed_comment


class Table:
    def __init__(self, model, struct):
        typedefs = {typedef["name"]: typedef for typedef in model.api["callbacks"]}
        self.name, self.header, self.comment = struct.name, struct.header, struct.comment
        self.class_name, self.objects = CLASSES.get(self.name, ("", ""))
        # Functions of graphs (forward_n) are written by hand: their arrays have a form of each language.
        self.fields = [field for field in struct.fields if field["type"] in typedefs and not field["name"].endswith("_n")]
        self.has_items = any(parameter["type"] == "void**" for field in self.fields for parameter in
                             typedefs[field["type"]]["parameters"])
        names = [field["name"] for field in struct.fields]
        base = names[:names.index("flags")] if self.has_items and "flags" in names else names
        self.functions = [Function(model, self, field, typedefs, field["name"] not in base) for field in self.fields]
        # Functions that a table with flags does not have, according to the comment of the flag.
        prefix = self.name.upper().replace("_CALLBACKS", "_FLAG_")
        documented = [constant["comment"] for constant in model.api["constants"] if constant["name"].startswith(prefix)]
        refused = re.search(r"((?:\w+, )+\w+ and \w+) are not called", " ".join(" ".join(documented).split()))
        self.refused = re.split(r", | and ", refused[1]) if refused else []


def record_of(typedef):
    """Returns the type of the elements that a function receives: ckpt_storage_entry_fn -> StorageEntry."""
    return camel(typedef.removesuffix("_fn"))


def split(model, parameters, has_items):
    """Returns the arguments of a function, the kind of its result, and the parameters of the result. has_items: whether a void*
    is an item of the program; else it is memory."""
    given, result, created, sized = [], "none", [], None
    rest = [parameter for parameter in parameters if parameter["name"] != "user_data"]
    while rest:
        parameter = rest.pop(0)
        name, kind, pointed = parameter["name"], parameter["type"], bare(parameter["type"])
        following = rest[0] if rest else {"declaration": "", "type": ""}
        if following["declaration"] == f"int64_t {name}_count":
            given.append(Given("strings" if pointed == "char" else "structs", parameter))
            rest.pop(0)
        elif kind.endswith("_fn"):
            result, created = "list", [parameter]
            rest.pop(0)
        elif kind == "void**":
            result, created = "item", [*created, parameter]
        elif kind in MEMORY and following["declaration"] == "int64_t bytes":
            sized = len(given)
            given.append(Given("bytes", parameter))
            rest.pop(0)
        elif name == "bytes" and following["type"] in MEMORY:
            given.append(Given("bytes", rest.pop(0)))
        elif kind in MEMORY:
            one = Given("item" if has_items else "bytes", parameter)
            given.insert(len(given) if sized is None or has_items else sized + 1, one)  # has the size of the other
        elif kind == "const char*":
            given.append(Given("text", parameter))
        elif "*" not in kind:
            given.append(Given("duration" if name.endswith("_ns") else methods.kind_of_value(model, kind), parameter))
        elif kind == f"const {pointed}*" or kind == pointed + "*" and pointed in model.handles:
            given.append(Given("handle" if pointed in model.handles else "struct", parameter))
        else:
            other = "handle" if pointed in model.handles else "struct"
            result, created = methods.kind_of_value(model, pointed) or other, [parameter]
    if result == "number" and any(one.kind == "bytes" for one in given):
        result = "count"
    return given, result, created


def called(comment, table):
    """Rewords the comment for a function that returns its result and throws its errors."""
    text = " ".join(comment.split())
    for pattern, put in ((r" ?Returns 0, (CKPT_E_\w+ if [^.]*?),? or another number for an error \([^)]*\)", r" \1"),
                         (r",? or another number for an error \(reason by ckpt_callback_error\)", ""),
                         (r"\b[Aa] non-zero return (fails|stops)", r"an exception \1"),
                         (r"(^|\. )\*\w+ receives ", r"\1Returns "), (r"([;:]) \*\w+ receives ", r"\1 returns "),
                         (r"(^|[:;.] )[Ss]ets \*\w+ to ", lambda at: at[1] + ("returns " if at[1][:1] in ":;" else "Returns ")),
                         (r"\bcalls \w+\(listing, \.\.\.\) once for ", "returns "),
                         (r"returns CKPT_OK only when", "returns only when"), (r"\btimeout_ns nanoseconds", "timeout"),
                         (r", and \*\w+ is ignored", ""), (r"by returning non-zero", "by an exception"),
                         (r"\bbytes \([^)]*\) bytes\b", "bytes"),
                         (r", or stays NULL with", ", or NULL with")):
        text = re.sub(pattern, put, text)
    for field in table.fields:
        text = text.replace(field["type"], field["name"])
    text = re.sub(r"(^|\. )(an exception|returns)", lambda at: at[1] + at[2].capitalize(), text.strip())
    return text[:1].upper() + text[1:]


def tables(model):
    return {struct.name: Table(model, struct) for struct in model.structs if struct.is_table and struct.name.endswith("_callbacks")}
