"""Reads include/ckpt/*.h and makes what is said there for other languages and for the library's own lists.

    python3 tools/api make               writes api.json and everything that is made from it
    python3 tools/api check              fails when what is checked in differs from what would be made
    python3 tools/api compare            fails when the API breaks what the snapshot promises
    python3 tools/api renew              makes the snapshot anew: at a release
    python3 tools/api headers FILE OUT   a description as C headers in the folder OUT; with --grow, one more field in each struct
"""

import argparse
import json
import os
import sys

import compare
from model import Model, has_size
import write_c
import write_cpp
import write_java
import write_csharp
import write_python
import write_swig

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ("base", "memory", "tensor", "storage", "strategy", "plan", "engine", "pipeline", "state", "adaptive", "async")
API = "capi/api.json"
SNAPSHOT = "capi/snapshot.json"


def path_of(name):
    return os.path.join(ROOT, name)


def load(name):
    with open(path_of(name), encoding="utf-8") as file:
        return json.load(file)


def as_json(value):
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def read_headers(include, parts):
    import read  # needs libclang, which only this does

    return read.Reader(include, [part + ".h" for part in parts]).read()


def settle(api, snapshot):
    """What only history says: the place of each function in the table, and how each struct began."""
    places = {function["name"]: n for n, function in enumerate(snapshot["functions"])}
    api["functions"].sort(key=lambda function: places.get(function["name"], len(places)))  # new ones stay as the headers have them
    firsts = {struct["name"]: struct["first"] for struct in snapshot["structs"] if "first" in struct}
    for struct in filter(has_size, api["structs"]):
        last = struct["fields"][-1]
        struct["first"] = firsts.get(struct["name"], {"last": last["name"], "size": last["offset"] + last["size"]})
    return api


def made_files():
    """The text of every file that is made, by its path."""
    api = settle(read_headers(path_of("include"), PARTS), load(SNAPSHOT))
    problems = compare.rules(api)
    if problems:
        sys.exit("\n".join(problems))
    model = Model(api)
    return {
        API: as_json(api),
        "include/ckpt/api.h": write_c.api_header(api),
        "capi/made/table.cpp": write_c.table_source(api),
        "capi/made/structs.h": write_c.structs_header(api),
        "capi/made/init.cpp": write_c.init_source(api),
        "capi/made/copies.h": write_c.copies_header(api),
        "bindings/swig/made.i": write_swig.struct_list(model),
        **write_cpp.files(model),
        **write_java.files(model),
        **write_csharp.files(model),
        **write_python.files(model),
    }


def make():
    for name, text in made_files().items():
        os.makedirs(os.path.dirname(path_of(name)), exist_ok=True)
        with open(path_of(name), "w", encoding="utf-8") as file:
            file.write(text)


def check():
    old = []
    for name, text in made_files().items():
        with open(path_of(name), encoding="utf-8") as file:
            if file.read() != text:
                old.append(name)
    if old:
        sys.exit("not what the headers say; run python3 tools/api make:\n  " + "\n  ".join(old))


def without_comments(value):
    if isinstance(value, dict):
        return {key: without_comments(part) for key, part in value.items() if key != "comment"}
    return [without_comments(part) for part in value] if isinstance(value, list) else value


def renew():
    with open(path_of(SNAPSHOT), "w", encoding="utf-8") as file:
        file.write(json.dumps(without_comments(load(API)), ensure_ascii=False).replace('{"name"', '\n{"name"') + "\n")


def headers(description, out, grow):
    api = load(description)
    os.makedirs(os.path.join(out, "ckpt"), exist_ok=True)
    texts = {"all.h": write_c.plain_header(write_c.grown(api) if grow else api), "api.h": write_c.api_header(api)}
    for name in [header["name"] for header in api["headers"]] + ["ckpt.h"]:
        texts[name] = "#include <ckpt/all.h>\n"
    for name, text in texts.items():
        with open(os.path.join(out, "ckpt", name), "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(prog="tools/api", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("make", "check", "compare", "renew"):
        commands.add_parser(name)
    one = commands.add_parser("headers")
    one.add_argument("description")
    one.add_argument("out")
    one.add_argument("--grow", action="store_true")
    given = parser.parse_args()
    if given.command == "headers":
        headers(given.description, given.out, given.grow)
    elif given.command == "compare":
        broken = compare.broken(load(SNAPSHOT), load(API))
        if broken:
            sys.exit("\n".join(broken))
    else:
        {"make": make, "check": check, "renew": renew}[given.command]()


if __name__ == "__main__":
    main()
