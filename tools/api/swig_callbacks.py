"""Describes a table of callbacks as a class with a method for each callback: its arguments and its result."""

TABLES = ("ckpt_storage_callbacks",)  # those whose methods are all described here; others are written by hand
LISTS = {"ckpt_storage_entry_fn": "Listing", "ckpt_storage_object_fn": "ObjectListing", "const ckpt_storage_range*": "RangeList",
         "const char* const*": "PathList"}  # classes of bindings/swig, by the type of the first of two parameters


class Argument:
    """kind: plain, object (void*, which a callback of the table returned), memory (two parameters), or list (two parameters)."""

    def __init__(self, parameters):
        first, second = parameters[0], parameters[1] if len(parameters) > 1 else {}
        self.name, self.type, self.second = first["name"], first["type"], second.get("name")
        is_memory = self.type in ("void*", "const void*") and (self.second, second.get("type")) == ("bytes", "int64_t")
        self.kind = "list" if self.type in LISTS else "memory" if is_memory else "object" if self.type == "void*" else "plain"
        self.count = 2 if self.kind in ("list", "memory") else 1
        if self.kind == "list" and second.get("type") == "void*":
            self.name = self.second


class Callback:
    """result: the out-parameter; None for none."""

    def __init__(self, field, callback):
        self.name, self.comment, self.parameters = field["name"], field["comment"], callback["parameters"]
        self.is_optional, self.is_void = "NULL:" in self.comment, callback["result"] == "void"
        rest, self.arguments, self.result = self.parameters[:-1], [], None
        while rest:
            if rest[0]["type"] in ("void**", "int64_t*"):
                self.result, rest = rest[0], rest[1:]
            else:
                self.arguments.append(Argument(rest))
                rest = rest[self.arguments[-1].count:]


def tables(model):
    """The callbacks of each table, by its name."""
    types = {callback["name"]: callback for callback in model.api["callbacks"]}
    return {name: [Callback(field, types[field["type"]]) for field in model.struct_names[name].fields if field["type"] in types]
            for name in TABLES}
