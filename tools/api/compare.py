"""What the API promises: rules that a description keeps by itself, and what may change from one release to the next."""

from c_words import default_problem
from model import has_size


def rules(api):
    """Structs that can grow have no hidden padding: a field that is appended later begins where the last one ends. A default that a
    comment states is the initialiser's."""
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
    """Those of the old version; a struct without struct_size is frozen and cannot have more."""
    declarations = [field["declaration"] for field in struct["fields"]]
    return declarations[: len(old["fields"])] if has_size(old) else declarations, struct.get("first")


PROMISED = {"functions": call, "callbacks": call, "structs": fields, "handles": lambda entry, old: "a handle",
            "types": lambda entry, old: entry["type"], "constants": lambda entry, old: entry["value"]}


def broken(old, new):
    """What a program of the old description could not do with the new one: one line each."""
    problems = []
    for group, promised in PROMISED.items():
        now = {entry["name"]: entry for entry in new[group]}
        for entry in old[group]:
            name = entry["name"]
            if name not in now:
                problems.append(f"{name} is gone")
            elif promised(now[name], entry) != promised(entry, entry):
                problems.append(f"{name} was {promised(entry, entry)}; now {promised(now[name], entry)}")
    places = [[function["name"] for function in api["functions"]] for api in (old, new)]
    if places[1][: len(places[0])] != places[0] and not problems:
        problems.append("functions stand at other places of the table")
    return problems
