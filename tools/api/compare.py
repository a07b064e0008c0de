"""What the API promises: rules that a description keeps by itself, and what may change from one release to the next."""


def rules(api):
    """Structs that can grow have no hidden padding: a field that is appended later begins where the last one ends."""
    problems = []
    for struct in api["structs"]:
        end = 0
        for field in struct["fields"]:
            if field["offset"] != end:
                problems.append(f"{struct['name']}: {field['offset'] - end} bytes of padding before {field['name']}")
            end = field["offset"] + field["size"]
        if struct["size"] != end:
            problems.append(f"{struct['name']}: {struct['size'] - end} bytes of padding at its end")
    return problems


def by_name(entries):
    return {entry["name"]: entry for entry in entries}


def parameters(entry):
    return [parameter["declaration"] for parameter in entry["parameters"]]


def broken_struct(old, new):
    known = [field["declaration"] for field in old["fields"]]
    now = [field["declaration"] for field in new["fields"]]
    if now[: len(known)] != known:
        return f"{old['name']}: its fields were {known}; now {now}"
    if len(now) > len(known) and old["fields"][0]["name"] != "struct_size":
        return f"{old['name']} has no struct_size: it is frozen and cannot have more fields"
    if new.get("first") != old.get("first"):
        return f"{old['name']}: its first version was {old.get('first')}; now {new.get('first')}"
    return None


def broken(old, new):
    """What a program of the old description could not do with the new one: one line each."""
    out = []

    def look(group, differs):
        now = by_name(new[group])
        for name, entry in by_name(old[group]).items():
            if name not in now:
                out.append(f"{name} is gone")
            elif differs(entry, now[name]):
                out.append(differs(entry, now[name]))

    def called(entry, other):
        same = (entry["result"], parameters(entry)) == (other["result"], parameters(other))
        return None if same else f"{entry['name']}: was {entry['result']} of {parameters(entry)}; now {other['result']} of {parameters(other)}"

    look("functions", called)
    look("callbacks", called)
    look("structs", broken_struct)
    look("handles", lambda entry, other: None)
    look("types", lambda entry, other: None if entry["type"] == other["type"] else f"{entry['name']} was {entry['type']}")
    look("constants", lambda entry, other: None if entry["value"] == other["value"] else f"{entry['name']} was {entry['value']}")
    places = [function["name"] for function in new["functions"]][: len(old["functions"])]
    if places != [function["name"] for function in old["functions"]] and not out:
        out.append("functions stand at other places of the table")
    return out
