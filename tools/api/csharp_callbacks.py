"""Tables of functions in C#: abstract base classes for programs, and directors, which forward the library's calls to them."""

import re

from callbacks import FORWARDED, record_of, tables
from csharp_methods import argument_name
from text import GENERATED, camel, contents, spaced, wrapped
from write_csharp import CsharpWords, block, class_of

FILE = "bindings/csharp/generated/Callbacks.cs"
ITEMS = {"ckpt_storage_callbacks": "object", "ckpt_driver_callbacks": "T"}  # the type of the program's items, by table
NUMBERS = {"int32_t": "int", "int64_t": "long"}
NAMES = {"lock": "lock_"}  # SWIG renames keywords


class CsharpFunction:
    """A function of a table, as a method of an abstract class (type, parameters) and of a director (its given, its call)."""

    def __init__(self, words, table, function):
        self.function, self.words, self.name = function, words, camel(function.name)
        self.item = ITEMS.get(table.name, "")

    def named(self, one):
        return "held" if self.function.is_lock and one.kind == "item" else argument_name(one.name)

    def type_of(self, one):
        return {"text": "string", "strings": "IReadOnlyList<string>", "number": NUMBERS.get(one.bare), "duration": "TimeSpan",
                "item": self.item, "bytes": "ReadOnlySpan<byte>" if one.is_const else "Span<byte>", "struct": class_of(one.bare),
                "structs": f"IReadOnlyList<{class_of(one.bare)}>"}[one.kind]

    def result(self):
        created = self.function.created[-1]["type"] if self.function.created else ""
        return {"none": "void", "number": "long", "count": "int", "item": self.item, "struct": camel(created.rstrip("*")),
                "list": f"IEnumerable<{record_of(created)}>"}[self.function.result]

    def declared(self, attributes):
        given = ", ".join(f"{self.type_of(one)}\0{self.named(one)}" for one in self.function.given)
        return wrapped(f"public\0{attributes}\0{self.result()}\0{self.name}({given})", "", "    ", 124)

    def documented(self):
        return self.words.summary(self.words.text(self.function.renamed_comment(argument_name)))

    def method(self):
        if self.function.is_required or self.function.is_own:
            lines = self.declared("abstract")
            return [*self.documented(), *lines[:-1], lines[-1] + ";"]
        *first, last = self.declared("virtual")
        return [*self.documented(), *first, *block(last, f'throw new NotSupportedException("{self.name} is not implemented");')]

    def refused(self):
        text = [f"/// <summary>An object store has no {self.name}: not called.</summary>"]
        *first, last = self.declared("sealed\0override")
        return [*text, *first, *block(last, f'throw new CkptUnsupportedException("an object store has no {self.name}");')]

    # ---- Directors: they forward calls of the library to the program ----

    def passed(self, one):
        name = argument_name(one.name)
        taken = "Taken({})" if self.function.ends_item else "files[{}]"
        return {"duration": f"Times.OfNanoseconds({name})", "bytes": f"NativeBytes.Of({name})", "structs": "pieces",
                "strings": "pieces", "item": taken.format(name)}.get(one.kind, name)

    def collected(self, one):
        """The elements of a list of the native code."""
        name = argument_name(one.name)
        kind = "string" if one.kind == "strings" else class_of(one.bare)
        make = f"{name}.path(i)" if one.kind == "strings" else f"new {kind}({name}.offset(i), *(NativeBytes*){name}.buffer(i))"
        return [f"var pieces = new {kind}[{name}.count()];", f"for (var i = 0; i < pieces.Length; ++i) pieces[i] = {make};"]

    def override(self):
        """The method of the director. It receives items as numbers."""
        kinds = {"item": "long", "duration": "long", "bytes": "IntPtr"}
        given = [f"{one.list or kinds.get(one.kind) or self.type_of(one)} {argument_name(one.name)}" for one in self.function.given]
        result = self.function.result
        call = f"{self.function.target}.{self.name}({', '.join(map(self.passed, self.function.given))})"
        if result == "list":
            values = ", ".join(f"one.{camel(one['name'])}" for one in self.function.elements)
            given.append(f"{self.function.listing} listing")
            body = block(f"foreach (var one in {call})", f"listing.add({values});", "Errors.CheckFetched();")
        else:
            body = [{"item": f"return Number({call});", "none": call + ";"}.get(result, f"return {call};")]
        before = [line for one in self.function.lists for line in self.collected(one)]
        kind = {"none": "void", "list": "void"}.get(result, "long")
        name = NAMES.get(self.function.name, self.function.name)
        return block(f"public override {kind} {name}({', '.join(given)})", *before, *body)


def partial(name, generic, parts):
    """Returns the functions (name, lines) that the hand-written class does not declare."""
    written = "".join(re.findall(rf"(?ms)^    public abstract (?:partial )?class {name}\b.*?^    }}",
                                 "".join(contents("bindings/csharp/src/**/*.cs").values())))
    parts = [lines for function, lines in parts if not re.search(rf"^        public [\w<>, ]+ {function}\(", written, re.MULTILINE)]
    return block(f"public abstract partial class {name}{generic}", *spaced(parts)[1:])


def adaptor(table, functions):
    """The director of a table. It receives files and locks as numbers."""
    name, item, objects = table.class_name, ITEMS.get(table.name, ""), table.objects
    kind = camel(table.name.replace("_callbacks", ""))
    half = f"internal sealed unsafe partial class {kind}Calls : {kind}Functions"
    fields = [f"private readonly {name} functions;"]
    created = ["this.functions = functions;"]
    if objects:
        fields += [f"private readonly {objects} objects; // null: none"]
        created += [f"objects = functions as {objects};"]
    constructor = block(f"internal {kind}Calls({name} functions)", *created)
    return [f"// Forwards the library's calls to a {name}.", *block(half, *fields, "", *constructor,
                                                                  *spaced(function.override() for function in functions))]


def files(model):
    words, classes, adaptors = CsharpWords(model), [], []
    for table in tables(model).values():
        if not table.class_name:
            continue
        name, item, objects = table.class_name, ITEMS.get(table.name, ""), table.objects
        functions = [CsharpFunction(words, table, function) for function in table.functions]
        base = [(function.name, function.method()) for function in functions if not function.function.is_own]
        classes.append(partial(name, "<T>" if item == "T" else "", base))
        if objects:
            own = [(function.name, function.method()) for function in functions if function.function.is_own]
            refused = [(function.name, function.refused()) for function in functions if function.function.name in table.refused]
            classes.append(partial(objects, "", own + refused))
        if table.name in FORWARDED:
            adaptors.append(adaptor(table, functions))
    text = [*block("namespace Ckpt", *spaced(classes)[1:]), "", *block("namespace Ckpt.Interop", *spaced(adaptors)[1:])]
    return {FILE: "\n".join([f"// {GENERATED}", "using System;", "using System.Collections.Generic;", "", *text, ""])}
