"""Plain data of the API is written once, in the headers: no other hand-written file declares a struct's fields or says what they are.

Run in the project's root. Checks the languages' hand-written sources, the C++ headers and the size of what is written by hand.
"""

import json
import os
import re
import sys

sys.path.insert(0, "tools/api")
from text import camel, groups  # noqa: E402

FOLDERS = {"bindings/java/src": ".java", "bindings/csharp/src": ".cs", "bindings/python/ckpt": ".py"}
MOST_LINES = 23853 * 7 // 10  # of what was typed by hand over SWIG before tools/api
LINES_A_FUNCTION = 5  # for each that has come since, in three languages
LINES_A_CALLBACK = 75  # for each type of them that has come since: a class in each of three languages
LINES_A_HANDLE = 60  # for each type of them that has come since: a class in each of three languages
# Tied heads, evaluation and rates brought no plain data: each is a method with its text, 20 to 25 lines in three languages.
LINES_OF_MODELS = 70
# Object stores of one's own are six callbacks in a type that was there: a class in each of three languages, with its adapter.
LINES_OF_OBJECT_STORES = 290
LINES_OF_MANY_RANKS = 500  # sharded tensors, values by rank, torch.distributed
MOST_TOOL_LINES = 1500
# What is built on the binding, and has no counterpart in C.
NO_BINDING = {"_drive.py", "_drive_steps.py", "_oneline.py", "_progress.py", "_trees.py", "torch.py", "Waits.cs",
              "Trees.java", "TreeRecord.java", "Complex.java", "Trees.cs", "TreeRecord.cs",
              *(f"_torch_{part}.py" for part in ("budget", "graph", "layers", "measure", "plan", "recompute", "step", "values"))}
BEHAVIOUR = {"DType", "TensorSpec", "Blas", "StorageRange"}  # do more than hold values
MADE = "Made from include/ckpt by tools/api"


def sources(folder, suffix):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(suffix):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                if MADE not in text.split("\n", 1)[0]:
                    yield os.path.join(path, name), text


def declared(text):
    """The types that a file of any of the languages declares, but those that add behaviour to a made one: partial ones, and classes that
    derive from the made one of their name."""
    pattern = r"^\s*(?:public |internal |private |static |final |sealed |abstract |readonly )*(?:class|record|struct|enum(?: class)?)\s+(\w+)([^\n]*)"
    return {name for name, rest in re.findall(pattern, text, re.MULTILINE) if not re.match(rf"\(\w+\.{name}\)", rest)}


def problems(api, files):
    """files: (path, text) of what is written by hand."""
    found = []
    values = {camel(struct["name"]) for struct in api["structs"] if not struct["name"].endswith("_callbacks")}
    values = (values | {camel(group) for group in groups(api)}) - BEHAVIOUR
    sentences = {" ".join(field["comment"].split()) for struct in api["structs"] for field in struct["fields"]}
    sentences = {sentence for sentence in sentences if len(sentence) >= 40}
    for path, text in files:
        found += [f"{path} declares {name} by hand" for name in sorted(declared(text) & values)]
        flat = " ".join(re.sub(r"^\s*(///|//|\*|#)", " ", text, flags=re.MULTILINE).split())
        found += [f"{path} repeats the header: {sentence}" for sentence in sorted(sentences) if sentence in flat]
    return found


def lines_of(folder, suffix):
    return sum(text.count("\n") for path, text in sources(folder, suffix) if os.path.basename(path) not in NO_BINDING)


def tool_lines(folder="tools/api"):
    """Of all its files, whatever they hold: what it writes is kept nowhere else."""
    lines = 0
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                lines += file.read().count(b"\n")
    return lines


def main():
    with open("capi/api.json", encoding="utf-8") as file:
        api = json.load(file)
    # The checks can fail.
    some = api["structs"][1]
    sentence = next(field["comment"] for field in some["fields"] if len(field["comment"]) >= 40)
    for bad in (f"public final class {camel(some['name'])} {{", f"/// {sentence}\n"):
        assert problems(api, [("made up", bad)]), bad

    wrong = []
    for folder, suffix in FOLDERS.items():
        wrong += problems(api, sources(folder, suffix))
    wrong += problems(api, sources("include/ckpt", ".hpp"))
    with open("capi/snapshot.json", encoding="utf-8") as file:
        before = json.load(file)
    come = {kind: len(api[kind]) - len(before[kind]) for kind in ("functions", "callbacks", "handles")}
    most_lines = (MOST_LINES + LINES_A_FUNCTION * come["functions"] + LINES_A_CALLBACK * come["callbacks"] +
                  LINES_A_HANDLE * come["handles"] + LINES_OF_MODELS + LINES_OF_OBJECT_STORES + LINES_OF_MANY_RANKS)
    lines = sum(lines_of(folder, suffix) for folder, suffix in FOLDERS.items())
    tool = tool_lines()
    print(f"{lines} hand-written lines of the languages (at most {most_lines}), {tool} of tools/api (at most {MOST_TOOL_LINES})")
    if lines > most_lines:
        wrong.append(f"{lines} hand-written lines")
    if tool > MOST_TOOL_LINES:
        wrong.append(f"tools/api has {tool} lines")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
