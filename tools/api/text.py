"""Words of the API in other spellings, and the tables that every language asks for: groups of constants, fields, directions."""

import re

SPELLED = {"dtype": "DType", "adamw": "AdamW"}


def words(name):
    return name.lower().removeprefix("ckpt_").split("_")


def camel(name):
    """The name of a class: ckpt_async_manager -> AsyncManager."""
    return "".join(SPELLED.get(word, word.capitalize()) for word in words(name))


def lower_camel(name):
    first, *rest = words(name)
    return first + "".join(word.capitalize() for word in rest)


def groups(api):
    """The constants of each typedef, by the typedef's name: those whose names begin with it."""
    names = sorted((kind["name"] for kind in api["types"]), key=len, reverse=True)
    found = {name: [] for name in names}
    for constant in api["constants"]:
        if isinstance(constant["value"], int):
            owner = next((name for name in names if constant["name"].startswith(name.upper() + "_")), None)
            if owner:
                found[owner].append(constant)
    return {kind["name"]: found[kind["name"]] for kind in api["types"] if found[kind["name"]]}


def value_name(group, constant):
    """What a constant is called within its group: FULL of CKPT_VERIFY_FULL."""
    return constant["name"][len(group) + 1:]


def bare(kind):
    """The type that is pointed to."""
    return kind.replace("const ", "").replace("*", "").strip()


def directions(api):
    """By struct: whether callers give it ("in"), the library fills it ("out"), or both."""
    found = {}
    for entry in api["functions"] + api["callbacks"]:
        if entry["name"].endswith("_init"):
            continue
        for parameter in entry["parameters"]:
            given = parameter["type"].startswith("const ") != entry["name"].endswith("_fn")  # a callback fills what is not const
            found.setdefault(bare(parameter["type"]), set()).add("in" if given else "out")
    return found


def is_spare(field):
    return field["name"] == "struct_size" or re.fullmatch(r"reserved\d*", field["name"]) is not None


def asked_by(struct):
    """The fields that another field says to be absent, by that one's name: {"has_metric": "metric"}."""
    names = [field["name"] for field in struct["fields"]]
    pairs = {}
    for name in names:
        for other in (name[4:], name[4:] + "_id", name[4:] + "_bytes") if name.startswith("has_") else ():
            if other in names:
                pairs[name] = other
                break
    return pairs
