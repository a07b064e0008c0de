"""Reads include/ckpt/*.h and generates the other languages' sources and documentation, and lists for the library.

    python3 tools/api make      writes api.json and all files that are generated from it
    python3 tools/api check     fails if the generated files in the tree are not up to date
    python3 tools/api compare   fails if the API is not compatible with the snapshot
    python3 tools/api renew     updates the snapshot, at a release
"""

import argparse
import json
import os
import sys

import compare
import cpp_methods
import csharp_callbacks
import csharp_methods
import java_callbacks
import java_methods
import methods
import python_methods
import text
import write_c
import write_cpp
import write_csharp
import write_java
import write_python
import write_swig
from model import Model, has_size
from text import path_of, text_of

PARTS = "base memory tensor storage strategy plan engine pipeline state adaptive async tree drive program".split()
API = "capi/api.json"
SNAPSHOT = "capi/snapshot.json"


def write(name, contents):
    os.makedirs(os.path.dirname(path_of(name)), exist_ok=True)
    with open(path_of(name), "w", encoding="utf-8") as file:
        file.write(contents)


def add_history(api, snapshot):
    """Adds what only the snapshot records: the position of each function in the table, and the first version of each struct."""
    places = {function["name"]: n for n, function in enumerate(snapshot["functions"])}
    api["functions"].sort(key=lambda function: places.get(function["name"], len(places)))  # new ones keep the order of the headers
    firsts = {struct["name"]: struct["first"]["size"] for struct in snapshot["structs"] if "first" in struct}
    for struct in filter(has_size, api["structs"]):
        ends = {field["offset"] + field["size"]: field["name"] for field in struct["fields"]}
        size = firsts.get(struct["name"], max(ends))
        struct["first"] = {"last": ends[size], "size": size}
    return api


def generated_files():
    """Returns the contents of every generated file, by its path."""
    import read  # imports libclang, which only this function needs

    api = add_history(read.Reader(path_of("include"), [part + ".h" for part in PARTS]).read(), json.loads(text_of(SNAPSHOT)))
    problems = compare.rules(api)
    if problems:
        sys.exit("\n".join(problems))
    model = Model(api)
    created = {API: json.dumps(api, indent=1, ensure_ascii=False) + "\n"}
    for writer in (write_c, write_cpp, write_java, write_csharp, write_python, write_swig, java_callbacks, csharp_callbacks):
        created.update(writer.files(model))
    functions = methods.functions(model)
    for emitter in (cpp_methods, csharp_methods, java_methods, python_methods):
        created.update(emitter.files(model, functions))
    return created


def stale_files(created):
    """Returns files that an earlier version generated, in the folders of the files that are generated now."""
    folders = {os.path.dirname(name) for name in created}
    names = [f"{folder}/{name}" for folder in sorted(folders) for name in sorted(os.listdir(path_of(folder)))]
    candidates = [name for name in names if name not in created and os.path.isfile(path_of(name))]
    return [name for name in candidates if text.GENERATED in text_of(name).split("\n", 1)[0]]


def make():
    created = generated_files()
    for name, contents in created.items():
        write(name, contents)
    for name in stale_files(created):
        os.remove(path_of(name))


def check():
    created = generated_files()
    old = [name for name, contents in created.items() if not os.path.exists(path_of(name)) or text_of(name) != contents]
    old += stale_files(created)
    if old:
        sys.exit("not up to date with the headers; run python3 tools/api make:\n  " + "\n  ".join(old))


def compare_with_snapshot():
    broken = compare.broken(json.loads(text_of(SNAPSHOT)), json.loads(text_of(API)))
    if broken:
        sys.exit("\n".join(broken))


def renew():
    api = json.loads(text_of(API), object_hook=lambda entry: {key: value for key, value in entry.items() if key != "comment"})
    write(SNAPSHOT, json.dumps(api, ensure_ascii=False).replace('{"name"', '\n{"name"') + "\n")


def main():
    commands = {"make": make, "check": check, "compare": compare_with_snapshot, "renew": renew}
    parser = argparse.ArgumentParser(prog="tools/api", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=commands)
    commands[parser.parse_args().command]()


if __name__ == "__main__":
    main()
