"""Tables of functions in Java: interfaces that a program implements, and classes that forward the library's calls to them."""

import re

from callbacks import FORWARDED, record_of, tables
from text import GENERATED, block, camel, lower_camel, spaced, text_of, wrapped
from write_java import JavaWords, Member, javadoc, value_name

FOLDER = "bindings/java/generated/org/ckpt/"
ITEMS = {"ckpt_storage_callbacks": "F", "ckpt_driver_callbacks": "T"}  # the type of the program's items, by table
NUMBERS = {"int32_t": "int", "int64_t": "long"}
IMPORTS = ("java.io.IOException", "java.nio.ByteBuffer", "java.time.Duration", "java.util.ArrayList", "java.util.List")


def file_of(name, *lines):
    text = "\n".join(lines)
    used = [kind for kind in IMPORTS if re.search(rf"\b{kind.rsplit('.', 1)[1]}\b", text)]
    imports = [*(f"import {kind};" for kind in used), ""] if used else []
    return FOLDER + name + ".java", "\n".join([f"// {GENERATED}", "package org.ckpt;", "", *imports, text, ""])


class JavaFunction:
    """A function of a table, as a method of an interface (type, parameters) and of a director (its given, its call)."""

    def __init__(self, words, table, function):
        item = ITEMS.get(table.name, "")
        self.function, self.words = function, words
        self.name = lower_camel(function.name)
        self.item = "Object" if self.function.is_lock else item
        self.throws = " throws IOException" if table.name == "ckpt_storage_callbacks" else ""
        self.parameters = [(self.type_of(one), self.named(one)) for one in function.given]

    def named(self, one):
        return "lock" if self.function.is_lock and one.kind == "item" else value_name(one.name)

    def type_of(self, one):
        return {"text": "String", "strings": "List<String>", "number": NUMBERS.get(one.bare), "duration": "Duration",
                "item": self.item, "bytes": "ByteBuffer", "struct": camel(one.bare), "structs": f"List<{camel(one.bare)}>"}[one.kind]

    def result(self):
        created = self.function.created[-1]["type"] if self.function.created else ""
        return {"none": "void", "number": "long", "count": "int", "item": self.item, "struct": camel(created.rstrip("*")),
                "list": f"Iterable<{record_of(created)}>"}[self.function.result]

    def signature(self, throws=True):
        given = ", ".join(f"{type}\0{name}" for type, name in self.parameters)
        return f"{self.result()} {self.name}({given}){self.throws if throws else ''}"

    def declared(self):
        lines = javadoc(self.words.text(self.function.renamed_comment(value_name)))
        if self.function.is_required or self.function.is_own:
            return lines + wrapped(self.signature() + ";", "", "    ", 130)
        head = self.signature().replace("\0", " ")
        return lines + block(f"default {head}", f'throw new UnsupportedOperationException("{self.name} is not implemented");')

    def refused(self):
        head = self.signature(False).replace("\0", " ")
        return ["@Override", *block(f"default {head}",
                                    f'throw new CkptUnsupportedException("an object store has no {self.name}");')]

    # ---- Directors: they forward calls of the library to the program ----

    def passed(self, one):
        name = value_name(one.name)
        return {"duration": f"Duration.ofNanos({name})", "bytes": f"NativeBuffers.orEmpty({name})", "structs": "pieces",
                "strings": "pieces", "item": f"{'locks' if self.function.is_lock else 'files'}.get({name})"}.get(one.kind, name)

    def collected(self, one):
        """The elements of a list of the native code."""
        name = value_name(one.name)
        make = f"{name}.path(i)" if one.kind == "strings" else f"new {camel(one.bare)}({name}.offset(i), " \
            f"NativeBuffers.orEmpty({name}.buffer(i)))"
        kind = "String" if one.kind == "strings" else camel(one.bare)
        return [f"List<{kind}> pieces = new ArrayList<>();", f"for (long i = 0; i < {name}.count(); ++i) pieces.add({make});"]

    def override(self):
        """The method of the director. It receives items as numbers."""
        kinds = {"item": "long", "duration": "long"}
        given = [f"{one.list or kinds.get(one.kind) or self.type_of(one)} {value_name(one.name)}" for one in self.function.given]
        call = f"{self.function.target}.{self.name}({', '.join(map(self.passed, self.function.given))})"
        items, result = "locks" if self.function.is_lock else "files", self.function.result
        if not self.throws:
            body = [call + ";"]
        elif result == "item":
            body = [f"return {items}.put(() -> {call});"]
        elif result == "list":
            values = ", ".join(f"one.{lower_camel(one['name'])}()" for one in self.function.elements)
            given.append(f"{self.function.listing} listing")
            body = [f"for ({record_of(self.function.created[0]['type'])} one : Items.asked(() -> {call})) listing.add({values});"]
        elif result == "none":
            body = [f"Items.done(() -> {call});"]
        else:
            body = [f"return Items.asked(() -> {call});"]
        if self.function.ends_item:
            body = [body[0].replace(".get(", ".take(")]
        before = [line for one in self.function.lists for line in self.collected(one)]
        type = {"none": "void", "list": "void"}.get(result, "long")
        return ["@Override", *block(f"public {type} {self.function.name}({', '.join(given)})", *before, *body)]


def interface(name, generic, base, parts):
    """Returns the interface of the functions (name, lines) that the hand-written interface does not declare."""
    written = re.sub(r"/\*.*?\*/", "", text_of(f"bindings/java/src/org/ckpt/{name}.java"), flags=re.DOTALL)
    parts = [lines for function, lines in parts if not re.search(rf"^  \w[\w<>, ]* {function}\(", written, re.MULTILINE)]
    extends = f" extends {base}" if base else ""
    return file_of(name + "Methods", f"/** The functions of {{@link {name}}}. */",
                   *block(f"interface {name}Methods{generic}{extends}", *spaced(parts)[1:]))


def adaptor(table, functions):
    name, item, objects = table.class_name, ITEMS.get(table.name, ""), table.objects
    generic = f"<{item}>" if item else ""
    fields = [f"private final {name}{generic} functions;"]
    created = ["this.functions = functions;"]
    if objects:
        fields += [f"private final {objects}{generic} objects; // null: none",
                   f"private final Items<{item}> files = new Items<>();", "private final Items<Object> locks = new Items<>();"]
        created += [f"this.objects = functions instanceof {objects}{generic} own ? own : null;"]
    constructor = block(f"{name}Functions({name}{generic} functions)", *created)
    numbers = ". The library refers to files and locks by number" if objects else ""
    base = f"Native{camel(table.name.replace('_callbacks', ''))}Functions"
    return file_of(f"{name}Functions", f"/** Forwards the library's calls to a {{@link {name}}}{numbers}. */",
                   *block(f"final class {name}Functions{generic} extends {base}",
                          *fields, "", *constructor, *spaced(function.override() for function in functions)))


def files(model):
    words, created = JavaWords(model), {}
    for table in tables(model).values():
        if not table.class_name:
            continue
        name, item, objects = table.class_name, ITEMS.get(table.name, ""), table.objects
        generic = f"<{item}>" if item else ""
        functions = [JavaFunction(words, table, function) for function in table.functions]
        values = [Member(words, value) for value in model.struct_names[table.name].values if table.name == "ckpt_layer_callbacks"]
        defaults = [(member.name, javadoc(member.comment) + block(f"default {member.type} {member.name}()",
                                                                  f"return {member.start()[0]};")) for member in values]
        base = [(function.name, function.declared()) for function in functions if not function.function.is_own]
        created.update([interface(name, generic, "", defaults + base)])
        if objects:
            own = [(function.name, function.declared()) for function in functions if function.function.is_own]
            refused = [(function.name, function.refused()) for function in functions if function.function.name in table.refused]
            created.update([interface(objects, generic, name + generic, own + refused)])
        if table.name in FORWARDED:
            created.update([adaptor(table, functions)])
    return created
