"""The methods of Java's classes that are one call of C: abstract bases of the hand-written classes."""

import re

from text import GENERATED, block, camel, lower_camel, texts
from write_java import NUMBERS, JavaWords, is_flags, javadoc, value_name

FOLDER = "bindings/java/generated/org/ckpt/"
ARRAYS = {"int32_t": "int[]", "int64_t": "long[]"}
NAMES = {"finalize": "finish", "wait": "waitFor"}  # names that java.lang.Object has
ACCEPTED = {"ckpt_strategy": "CheckpointStrategy"}  # an interface that is taken instead of the class


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
            "shape": ("long[]", self.name),
        }[kind]
        self.kind, self.is_accepted = kind, parameter.bare in ACCEPTED and kind == "handle"


class JavaMethod:
    """What a method is in Java."""

    def __init__(self, words, method):
        self.method, self.owner, self.function = method, camel(method.owner), method.function
        name = lower_camel(method.name)
        self.name = NAMES.get(name, name)
        self.parameters = [JavaParameter(parameter) for parameter in method.parameters]
        self.comment = javadoc(words.text(method.renamed_comment(value_name)))
        self.type, self.call = self.result()

    def result(self):
        result, group = self.method.result, self.method.result.group
        passed = ["this", *(parameter.passed for parameter in self.parameters)]
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
            return name, f"{name}.made({into})"
        if result.kind == "struct":
            return name, f"{name}.from(struct -> {call('struct')})"
        if result.kind == "structs":
            return f"List<{name}>", f"values({call()}, {name}::of, {result.bare}::close)"
        if result.kind == "enum" and not is_flags(group):
            return name, f"{name}.of({call() if result.direct else f'whole({into})'})"
        if result.kind == "truth":
            return "boolean", f"{call()} != 0" if result.direct else f"truth({into})"
        if result.direct:
            return {"text": "String", "real": "double"}.get(result.kind, "int" if is_whole else "long"), call()
        helper = {"real": "real", "text": "text"}.get(result.kind, "whole" if is_whole else "number")
        return {"real": "double", "text": "String"}.get(result.kind, "int" if is_whole else "long"), f"{helper}({into})"

    def signature(self):
        return f"{self.type} {self.name}({', '.join(f'{one.type} {one.name}' for one in self.parameters)})"

    def key(self):
        """What distinguishes it from other methods of its class."""
        return self.name, tuple(one.type for one in self.parameters)

    def lines(self):
        head = f"public {self.signature()}"
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
        body.append(call + ";" if self.type == "void" else f"return {call};")
        return self.comment + block(head, *body)

    def filled(self, head, structs, body):
        """A call that is given structs and returns something: the structs are made inside of what takes the result."""
        inner = re.search(r"(?<= -> ).*(?=\)$)", self.call)[0]
        outer = self.call[:-len(inner) - 1]
        for one in reversed(structs):
            inner = f"{one.name}.with({one.passed} -> {inner})"
        return self.comment + block(head, *body, f"return {outer}{inner});")


class Writer:
    def __init__(self, model, methods):
        words, sources = JavaWords(model), texts("bindings/java/src/org/ckpt/*.java")
        text = "".join(sources.values())
        classes = {path.rsplit("/", 1)[1].removesuffix(".java") for path in sources}
        used = set(re.findall(r"\bNative[.:]+(ckpt_\w+)", text))
        methods = [JavaMethod(words, method) for method in methods]
        self.generated = [method for method in methods if method.function not in used and method.owner in classes]

    def file(self, owner):
        methods = [method for method in self.generated if method.owner == owner]
        lines = [line for method in methods for line in ["", *method.lines()]]
        name = owner + "Methods"
        constructor = [*block(f"{name}(long address)", "super(address);"), "",
                       *block(f"{name}(long address, Consumer<NativeObject> release)", "super(address, release);")]
        body = block(f"abstract class {name} extends NativeObject", *constructor, *lines)
        text = "\n".join(body)
        used = [kind for kind in ("java.time.Duration", "java.util.List", "java.util.function.Consumer")
                if re.search(rf"\b{kind.rsplit('.', 1)[1]}\b", text)]
        return "\n".join(["package org.ckpt;", "", *(f"import {kind};" for kind in used), "",
                          f"/** The methods of {{@link {owner}}} that are one call of the C API. */", text, ""])


def files(model, methods):
    writer = Writer(model, methods)
    owners = sorted({method.owner for method in writer.generated})
    return {f"{FOLDER}{owner}Methods.java": f"// {GENERATED}\n" + writer.file(owner) for owner in owners}
