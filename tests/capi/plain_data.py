"""Plain data of the API is declared once, in the headers: no other hand-written file declares a struct's fields or describes them.

Run in the project's root. Checks the languages' hand-written sources and the C++ headers, and prints the number of hand-written
lines. """

import json
import os
import re
import sys

sys.path.insert(0, "tools/api")
from text import camel, groups  # noqa: E402

FOLDERS = {"bindings/java/src": ".java", "bindings/csharp/src": ".cs", "bindings/python/ckpt": ".py"}
BEHAVIOUR = {"DType", "TensorSpec", "Blas", "StorageRange"}  # types with behaviour
# Files of classes with the names and members of the reference API (docs/reference/compatibility.md).
COMPATIBLE = re.compile(r"/compat/|/Compat/|/compat\.py$")
GENERATED = "Generated from include/ckpt by tools/api"


def sources(folder, suffix):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(suffix):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                if GENERATED not in text.split("\n", 1)[0]:
                    yield os.path.join(path, name), text


def declared(text):
    """Returns the types that a file of any of the languages declares, except those that add behaviour to a generated one: partial
    ones, and classes that derive from the generated one of their name."""
    pattern = r"^\s*(?:public |internal |private |static |final |sealed |abstract |readonly )*(?:class|record|struct|enum(?: class)?)\s+(\w+)([^\n]*)"
    return {name for name, rest in re.findall(pattern, text, re.MULTILINE) if not re.match(rf"\(\w+\.{name}\)", rest)}


def problems(api, files):
    """files: (path, text) of hand-written files."""
    found = []
    values = {camel(struct["name"]) for struct in api["structs"] if not struct["name"].endswith("_callbacks")}
    values = (values | {camel(group) for group in groups(api)}) - BEHAVIOUR
    sentences = {" ".join(field["comment"].split()) for struct in api["structs"] for field in struct["fields"]}
    sentences = {sentence for sentence in sentences if len(sentence) >= 40}
    for path, text in files:
        if not COMPATIBLE.search(path):
            found += [f"{path} declares {name} by hand" for name in sorted(declared(text) & values)]
        flat = " ".join(re.sub(r"^\s*(///|//|\*|#)", " ", text, flags=re.MULTILINE).split())
        found += [f"{path} repeats the header: {sentence}" for sentence in sorted(sentences) if sentence in flat]
    return found


def main():
    with open("capi/api.json", encoding="utf-8") as file:
        api = json.load(file)
    # Checks that the checks can fail.
    some = api["structs"][1]
    sentence = next(field["comment"] for field in some["fields"] if len(field["comment"]) >= 40)
    for bad in (f"public final class {camel(some['name'])} {{", f"/// {sentence}\n"):
        assert problems(api, [("made up", bad)]), bad

    wrong = []
    for folder, suffix in FOLDERS.items():
        wrong += problems(api, sources(folder, suffix))
    wrong += problems(api, sources("include/ckpt", ".hpp"))
    languages = {suffix: sum(text.count("\n") for _, text in sources(folder, suffix)) for folder, suffix in FOLDERS.items()}
    tool = sum(text.count("\n") for _, text in sources("tools/api", ".py"))
    print("hand-written lines:", ", ".join(f"{lines} {suffix}" for suffix, lines in languages.items()) + f", {tool} tools/api")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
