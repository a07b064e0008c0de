"""The methods of Java's classes that are one call of C: abstract bases of the hand-written classes, and whole classes if there is
no hand-written one.

JavaMethod and JavaCreator describe the public side of methods. Their result() and call() generate the call of C, through SWIG's
class Native.
"""

import re

import write_java
from events import events
from methods import without_status
from text import GENERATED, block, camel, contents, lower_camel, wrapped
from write_java import FAMILIES, NUMBERS, OWN_NAMES, JavaWords, Member, is_flags, javadoc, link, value_name

FOLDER = "bindings/java/generated/org/ckpt/"
PARAMETERS = ("text", "number", "real", "truth", "enum", "duration", "handle", "struct", "spec", "address", "shape", "numbers")
RESULTS = ("none", "number", "real", "truth", "enum", "text", "fetched", "handle", "struct", "address", "structs", "records",
           "numbers")
ARRAYS = {"int32_t": "int[]", "int64_t": "long[]"}
NAMES = {"finalize": "finish", "wait": "waitFor"}  # names that java.lang.Object has
CHAINED = {"ckpt_state": ("add_", "set_"), "ckpt_profile": ("set_",), "ckpt_chain": ("add",)}  # these return the object
ACCEPTED = {"ckpt_strategy": "CheckpointStrategy"}  # an interface that is accepted instead of the class


class JavaParameter:
    def __init__(self, parameter):
        self.name = value_name(parameter.name)
        group, kind = parameter.group, parameter.kind
        number = NUMBERS.get(group.type if group else parameter.bare)
        self.type, self.passed = {
            "text": ("String", self.name),
            "number": (number, self.name),
            "real": ("double", self.name),
            "truth": ("boolean", f"{self.name} ? 1 : 0"),
            "enum": (number, self.name) if group and is_flags(group) else (camel(parameter.bare), f"{self.name}.number()"),
            "duration": ("Duration", f"nanoseconds({self.name})"),
            "handle": (ACCEPTED.get(parameter.bare, camel(parameter.bare)), self.name),
            "struct": (camel(parameter.bare), f"{self.name}Struct"),
            "shape": ("long...", self.name),
            "numbers": ("long...", self.name),
            "address": ("long", self.name),
            "spec": ("TensorSpec", f"{self.name}.numbers()"),
        }[kind]
        self.kind, self.is_accepted = kind, parameter.bare in ACCEPTED and kind == "handle"


class JavaMethod:
    """A method in Java."""

    def __init__(self, words, method):
        self.method, self.owner, self.function = method, FAMILIES.get(method.owner) or camel(method.owner), method.function
        # A function with a constant of an enum as its first argument is a method of the enum.
        self.is_of_enum = method.owner in FAMILIES and [one.bare for one in method.parameters[:1]] == [method.owner]
        self.is_static = method.form == "static" and not self.is_of_enum
        name = lower_camel(method.name.removeprefix("create_"))
        if method.result.kind == "structs":
            name = lower_camel(method.name.removeprefix("list_"))
        self.name = OWN_NAMES.get(self.function) or NAMES.get(name, name)
        self.parameters = [JavaParameter(parameter) for parameter in method.parameters[1 if self.is_of_enum else 0:]]
        for parameter in self.parameters[:-1]:
            parameter.type = parameter.type.replace("...", "[]")
        self.absent = method.result.absent
        self.comment = javadoc(words.text(without_status(method.renamed_comment(value_name), self.absent, "empty")))
        self.type, self.call = self.result()
        self.is_chained = self.type == "void" and method.verb.startswith(CHAINED.get(method.owner, ()))

    def result(self):
        result, group = self.method.result, self.method.result.group
        target = ["number"] if self.is_of_enum else [] if self.is_static else ["this"]
        passed = [*target, *(parameter.passed for parameter in self.parameters)]
        inherited = "NativeObject." if self.method.owner in FAMILIES else ""
        call = lambda *more: f"Native.{self.function}({', '.join([*passed, *more])})"  # noqa: E731
        name, into = camel(result.bare), f"out -> {call('out')}"
        is_whole = NUMBERS.get(group.type if group else result.bare) == "int"
        if result.kind == "none":
            return "void", call()
        if result.kind == "fetched":
            return "String", call()
        if result.kind == "numbers":
            return ARRAYS[result.bare], call()
        if result.kind == "handle":
            return name, f"{name}.created({into})"
        if result.kind == "struct":
            return name, f"{name}.from(struct -> {call('struct')})"
        if result.kind == "structs":
            return f"List<{name}>", f"values({call()}, {name}::of, {result.bare}::close)"
        if result.kind == "address":
            return "long", f"number({into})"
        if result.kind == "records":
            return f"List<{name}>", f"NumberReader.list({call()}, {name}::of)"
        if result.kind == "enum" and not is_flags(group):
            return name, f"{name}.of({call() if result.direct else f'{inherited}whole({into})'})"
        if result.kind == "truth":
            return "boolean", f"{call()} != 0" if result.direct else f"{inherited}truth({into})"
        if result.direct:
            return {"text": "String", "real": "double"}.get(result.kind, "int" if is_whole else "long"), call()
        helper = {"real": "real", "text": "text"}.get(result.kind, "whole" if is_whole else "number")
        return {"real": "double", "text": "String"}.get(result.kind, "int" if is_whole else "long"), f"{inherited}{helper}({into})"

    def signature(self):
        type = self.owner if self.is_chained else self.type
        if self.absent:
            type = {"int": "OptionalInt", "long": "OptionalLong", "double": "OptionalDouble"}.get(type, f"Optional<{type}>")
        return f"{type} {self.name}({', '.join(f'{one.type} {one.name}' for one in self.parameters)})"

    def key(self):
        """Returns the key that distinguishes it from other methods of its class."""
        return self.name, tuple(one.type for one in self.parameters)

    def lines(self):
        head = f"public {'static ' if self.is_static else ''}{self.signature()}"
        call = self.call
        body = []
        for one in self.parameters:
            if one.is_accepted:
                body.append(f"Strategy {one.name}Asked = Strategy.of({one.name});")
                call = call.replace(f", {one.name}", f", {one.name}Asked", 1)
        structs = [one for one in self.parameters if one.kind == "struct"]
        for one in reversed(structs):
            wrapped_call = call
            call = f"{one.name}.with({one.passed} -> {wrapped_call})"
        if structs and self.type != "void":
            return self.filled(head, structs, body)
        if self.absent:
            kind = self.signature().split(" ", 1)[0].split("<", 1)[0]
            tried = block("try", f"return {kind}.of({call});")
            body += [*tried[:-1], f"}} catch (Ckpt{camel(self.absent)}Exception none) {{", f"  return {kind}.empty();", "}"]
        else:
            body.append(call + ";" if self.type == "void" else f"return {call};")
        body += ["return (%s) this;" % self.owner] * self.is_chained
        return self.comment + block(head, *body)

    def filled(self, head, structs, body):
        """Returns a method with structs as arguments and a result: the structs are created inside the function that receives the
        result."""
        inner = re.search(r"(?<= -> ).*(?=\)$)", self.call)[0]
        outer = self.call[:-len(inner) - 1]
        for one in reversed(structs):
            inner = f"{one.name}.with({one.passed} -> {inner})"
        return self.comment + block(head, *body, f"return {outer}{inner});")


class JavaCreator:
    """A function that creates an object: a constructor, or a static method."""

    is_chained = False

    def __init__(self, words, creator):
        self.creator, self.owner, self.function = creator, camel(creator.owner), creator.function
        self.name = lower_camel(creator.name) if creator.name else ""
        self.parameters = [JavaParameter(parameter) for parameter in creator.parameters]
        self.comment = words.text(creator.renamed_comment(value_name))

    def call(self):
        passed = [f"Strategy.of({one.name})" if one.is_accepted else one.passed for one in self.parameters]
        call = f"Native.{self.function}({', '.join([*passed, 'out'])})"
        for one in reversed([one for one in self.parameters if one.kind == "struct"]):
            call = f"{one.name}.with({one.passed} -> {call})"
        return f"out -> {call}" if self.parameters else f"Native::{self.function}"

    def head(self, parameters):
        given = ", ".join(f"{one.type}\0{one.name}" for one in parameters)
        name = f"static\0{self.owner}\0{self.name}" if self.name else self.owner
        return wrapped(f"public\0{name}({given})", "", "    ", 128)

    def body(self, statement):
        line = statement.format(self.call())
        if len(line) <= 124:
            return [line]
        at = line.index("Native")
        return [line[:at].rstrip(), "    " + line[at:]]

    def lines(self):
        *first, last = self.head(self.parameters)
        created = self.body(f"return {self.owner}.created({{}});" if self.name else "this(number({}));")
        return javadoc(self.comment) + first + block(last, *created)

    def shorter(self):
        """Returns an overload without the last parameters, which have defaults."""
        kept = list(self.parameters)
        while kept and self.creator.parameters[len(kept) - 1].is_nullable:
            kept.pop()
        if len(kept) == len(self.parameters):
            return []
        defaults = ["null" if one.kind in ("text", "handle") else f"new {one.type}()" for one in self.parameters[len(kept):]]
        given = ", ".join([*(one.name for one in kept), *defaults])
        *first, last = self.head(kept)
        text = re.match(r"(?:[^.{]|\{[^}]*\}|\.(?! (?:[A-Z]|\w+: )))*", self.comment)[0]
        return javadoc(text) + first + block(last, f"return {self.name}({given});" if self.name else f"this({given});")


class JavaEvent:
    """A method that records an event."""

    def __init__(self, words, event):
        self.owner, self.name = camel(event.owner), lower_camel(event.name)
        self.comment = javadoc(words.text(event.comment))
        self.kind, self.struct = "#".join(link(event.constant)).replace("#", "."), camel(event.struct.name)
        self.members = [Member(words, value) for value in event.values]

    def lines(self):
        given = ", ".join(f"{one.type}\0{one.name}" for one in self.members)
        *first, last = wrapped(f"public\0void\0{self.name}({given})", "", "    ", 128)
        values = "".join(f".{one.name}({one.name})" for one in self.members)
        line = f"record(new {self.struct}().kind({self.kind}){values});"
        at = len(line) if len(line) <= 124 else line.index(values)
        return self.comment + first + block(last, line[:at], *["    " + line[at:]] * bool(line[at:]))


class Writer:
    def __init__(self, model, functions):
        self.model, self.words, sources = model, JavaWords(model), contents("bindings/java/src/org/ckpt/*.java")
        text = "".join(sources.values())
        self.classes = {path.rsplit("/", 1)[1].removesuffix(".java"): source for path, source in sources.items()}
        used = set(re.findall(r"\bNative[.:]+(ckpt_\w+)", text))
        methods = [JavaMethod(self.words, one) for one in functions if one.form != "creator"]
        created = [JavaCreator(self.words, one) for one in functions if one.form == "creator" and one.function not in used]
        self.methods, self.events = methods, [JavaEvent(self.words, event) for event in events(model)]
        constructed = {one.owner for one in created if not one.name}
        self.whole = {owner for owner in constructed if owner not in self.classes}  # classes without a hand-written part
        self.generated = [one for one in methods if one.function not in used and one.owner in {*self.classes, *self.whole}]
        self.creators = [one for one in created if one.owner in self.whole or one.name and one.owner in self.classes]
        self.handles = {camel(handle): handle for handle in model.handles}
        self.extended = {owner for owner in self.classes if re.search(rf"\bextends {owner}Methods\b", self.classes[owner])}
        self.enums = {one.owner for one in methods if one.is_of_enum}
        results = {camel(one.method.result.bare) for one in self.generated if one.method.result.kind == "handle"}
        self.created = results | {one.owner for one in self.creators if one.name} | set(re.findall(r"\b(\w+)\.created\(", text))
        self.shared = set(map(camel, model.shared))

    def references(self, owner, name):
        """Returns the constructors that take over a reference, and the methods that use them."""
        handle, source = self.handles[owner], self.classes.get(owner, "")
        lines = block(f"{name}(long address)", f"super(address, Native::{handle}_release);")
        if re.search(r"\bsuper\(lent\)", source):
            lines += ["", "/** A reference that the library lends: not released. */",
                      *block(f"{name}(NativeObject lent)", "super(lent.address());")]
        taking = re.search(rf"^  {owner}\((long|Into<long\[\]>) \w+\)", source, re.MULTILINE)
        if owner in self.whole or taking:
            if owner in self.created and not re.search(rf"\b{owner} created\(", source):
                reference = "create" if taking and taking[1] != "long" else "number(create)"
                lines += ["", *block(f"static {owner} created(Into<long[]> create)", f"return new {owner}({reference});")]
            if owner in self.shared:
                kind = handle.removeprefix("ckpt_").replace("_", " ")
                text = f"/** Returns another reference to the same {kind}, to be closed separately. */"
                again = f"return new {owner}(address());"
                lines += ["", text, *block(f"public {owner} share()", f"Native.{handle}_retain(this);", again)]
        return lines

    def comment_of(self, name):
        entries = [*self.model.api["functions"], *self.model.api["handles"]]
        return next(entry["comment"] for entry in entries if entry["name"] == name)

    def file(self, owner):
        methods = [method for method in self.generated if method.owner == owner]
        created = [creator for creator in self.creators if creator.owner == owner]
        is_whole = owner in self.whole
        name = owner if is_whole else owner + "Methods"
        parts = [self.references(owner, name)] if owner in self.handles else []
        parts += [lines for creator in created for lines in (creator.shorter(), creator.lines()) if lines]
        parts += [method.lines() for method in [*methods, *(event for event in self.events if event.owner == owner)]]
        lines = [line for part in parts for line in ["", *part]]
        head = f"public final class {name}" if is_whole else f"abstract class {name}"
        base = " extends NativeObject" if owner in self.handles else ""
        text = "\n".join(block(head + base, *lines[1:]))
        about = javadoc(self.words.text(self.comment_of(self.handles[owner]))) if is_whole else [
            f"/** The methods of {{@link {owner}}} that are one call of the C API. */"]
        used = [f"import {kind};" for kind in ("java.time.Duration", "java.util.List", "java.util.Optional", "java.util.OptionalInt",
                                               "java.util.OptionalLong") if re.search(rf"\b{kind.rsplit('.', 1)[1]}\b", text)]
        return name, "\n".join([f"// {GENERATED}", "package org.ckpt;", "", *used, *[""] * bool(used), *about, text, ""])


def files(model, functions):
    writer = Writer(model, [function for function in functions if function.owner and function.is_of(PARAMETERS, RESULTS)])
    owners = {one.owner for one in [*writer.generated, *writer.creators]} | writer.extended & set(writer.handles)
    created = {f"{FOLDER}{name}.java": text for name, text in (writer.file(owner) for owner in sorted(owners - writer.enums))}
    for group in model.groups.values():
        own = [one.lines() for one in writer.methods if one.owner == camel(group.name) and one.owner in writer.enums]
        created.update([write_java.Writer(model).group(group, [line for lines in own for line in ["", *lines]])] if own else [])
    return created
