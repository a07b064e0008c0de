"""Compatibility of the API: rules for one description, and the changes that are allowed between releases."""

from c_words import default_problem
from model import has_size, is_reserved


def rules(api):
    """Returns violations of two rules: extensible structs have no hidden padding, because an appended field begins where the
    last one ends; a default in a comment equals the initializer."""
    numbers = {constant["name"]: constant["value"] for constant in api["constants"]}
    problems = []
    for struct in api["structs"]:
        wrong = [(field["name"], default_problem(field, numbers)) for field in struct["fields"]]
        problems += [f"{struct['name']}.{name} {problem}" for name, problem in wrong if problem]
    for struct in api["structs"]:
        end = 0
        for field in struct["fields"] + [{"name": "its end", "offset": struct["size"], "size": 0}]:
            if field["offset"] != end:
                problems.append(f"{struct['name']}: {field['offset'] - end} bytes of padding before {field['name']}")
            end = field["offset"] + field["size"]
    return problems


def call(entry, old):
    return entry["result"], [parameter["declaration"] for parameter in entry["parameters"]]


def fields(struct, old):
    """Returns the fields of the old version and its size; a struct without struct_size is frozen and cannot have more. A reserved
    field may get a name: it was 0 in earlier programs."""
    def declaration(now, before):
        is_same_place = [now.get(key) for key in ("offset", "size")] == [before.get(key) for key in ("offset", "size")]
        got_name = is_reserved(before) and before["name"] != "struct_size" and is_same_place
        return before["declaration"] if got_name else now["declaration"]

    common = [declaration(now, before) for now, before in zip(struct["fields"], old["fields"])]
    more = [] if has_size(old) else [field["declaration"] for field in struct["fields"][len(common):]]
    return common + more, struct["first"]["size"] if "first" in struct else None


FIXED = {"functions": call, "callbacks": call, "structs": fields, "handles": lambda entry, old: "a handle",
            "types": lambda entry, old: entry["type"], "constants": lambda entry, old: entry["value"]}


def broken(old, new):
    """Returns the incompatible changes from the old description to the new one, one line each."""
    problems = []
    for group, fixed in FIXED.items():
        now = {entry["name"]: entry for entry in new[group]}
        for entry in old[group]:
            name = entry["name"]
            if name not in now:
                problems.append(f"{name} is missing")
            elif fixed(now[name], entry) != fixed(entry, entry):
                problems.append(f"{name} was {fixed(entry, entry)}; now {fixed(now[name], entry)}")
    places = [[function["name"] for function in api["functions"]] for api in (old, new)]
    if places[1][: len(places[0])] != places[0] and not problems:
        problems.append("functions have other positions in the table")
    return problems
