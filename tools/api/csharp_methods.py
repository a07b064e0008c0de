"""The methods of C#'s classes that are one call of C: partial classes next to the hand-written ones."""

import re

from text import GENERATED, camel, texts
from write_csharp import CsharpWords, block, class_of, property_of

FOLDER = "bindings/csharp/generated/"
USES = (("System", r"\b(TimeSpan|IntPtr|GC)\b"), ("System.Collections.Generic", r"\bIReadOnlyList\b"),
        ("System.Diagnostics.CodeAnalysis", r"\bAllowNull\b"), ("Ckpt.Interop", r"\bnative\."))
KEYWORDS = {"event": "controllerEvent", "out": "result"}
OUTS = {"int32_t": "int", "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong", "double": "double", "ckpt_bool": "int"}


def argument_name(name):
    name = property_of(name)
    name = name[:1].lower() + name[1:]
    return KEYWORDS.get(name, name)


def wrapped(line):
    """The line, or its halves about its last "=> " where it is too long."""
    if len(line) <= 120:
        return [line]
    at = line.rindex("=> ") + 3
    return [line[:at - 1], line[:len(line) - len(line.lstrip())] + "    " + line[at:]]


class CsharpParameter:
    def __init__(self, parameter):
        self.kind, self.name = parameter.kind, argument_name(parameter.name)
        group = parameter.group
        number = OUTS.get(parameter.bare)
        self.type, self.passed = {
            "text": ("string", self.name),
            "number": (number, self.name),
            "real": ("double", self.name),
            "truth": ("bool", f"{self.name} ? 1 : 0"),
            "enum": (class_of(parameter.bare), f"({OUTS.get(group.type) if group else 'int'}){self.name}"),
            "duration": ("TimeSpan?", f"Times.Nanoseconds({self.name})"),
            "handle": (class_of(parameter.bare), f"HandleOf({self.name})"),
            "struct": (class_of(parameter.bare), f"{class_of(parameter.bare)}.Native({self.name}, memory)"),
            "shape": ("long[]", self.name),
        }[parameter.kind]
        self.is_nullable = parameter.is_nullable

    def declared(self, is_optional):
        return "[AllowNull] " * self.is_nullable + f"{self.type} {self.name}" + " = null" * is_optional


class CsharpMethod:
    def __init__(self, words, method):
        self.method, self.owner, self.function = method, camel(method.owner), method.function
        self.parameters = [CsharpParameter(parameter) for parameter in method.parameters]
        result = method.result
        is_text_file = result.kind == "fetched" and method.name.endswith(("json", "prometheus"))
        self.is_property = method.is_getter and result.kind not in ("struct", "structs", "numbers", "handle") and not is_text_file
        verb = method.verb.removeprefix("get_") if self.is_property or is_text_file else method.verb
        self.name = ("To" if is_text_file else "") + camel(verb)
        self.comment = words.summary(words.text(method.renamed_comment(argument_name)))
        self.type, self.body = self.made()
        self.needs_memory = any(one.kind == "struct" for one in self.parameters)

    def made(self):
        result, group = self.method.result, self.method.result.group
        passed = ["Handle", *(parameter.passed for parameter in self.parameters)]
        call = lambda *more: f"native.{self.function}({', '.join([*passed, *more])})"  # noqa: E731
        name = class_of(result.bare) if result.bare else ""
        if result.kind == "none":
            return "void", [call() + ";"]
        if result.kind == "fetched":
            return "string", [f"return {call()};"]
        if result.kind == "handle":
            return camel(result.bare), [f"return new {camel(result.bare)}(Made((out IntPtr made) => {call('out made')}, "
                                        f"native.{result.bare}_release));"]
        if result.kind == "struct":
            return name, [f"return {name}.Filled(filled => {call('filled')});"]
        if result.kind == "structs":
            return f"IReadOnlyList<{name}>", [f"return NativeList.Made({call()}, at => new {name}(new {result.bare}(at, false)));"]
        if result.kind == "numbers":
            return f"{OUTS[result.bare]}[]", [f"return NativeList.Integers({call()});"]
        out = OUTS.get(group.type if group else result.bare) or ("IntPtr" if result.kind == "text" else "int")
        type_of = {"truth": "bool", "enum": name, "text": "string"}.get(result.kind, out)
        value = {"truth": "{} != 0", "enum": f"({name}){{}}"}.get(result.kind, "{}")
        if result.kind == "text":  # borrowed from the object
            read = ["var text = Utf8.Text(value);", "GC.KeepAlive(this);", "return text;"]
            return type_of, [f"{out} value;", call("out value") + ";", *read]
        if result.direct:
            return type_of, [f"return {value.format(call())};"]
        return type_of, [f"{out} value;", call("out value") + ";", f"return {value.format('value')};"]

    def signature(self):
        if self.is_property:
            return f"{self.type} {self.name}"
        given = list(self.parameters)
        optional = []
        while given and (given[-1].is_nullable or given[-1].kind == "duration"):
            optional.insert(0, given.pop())
        declared = [*(one.declared(False) for one in given), *(one.declared(True) for one in optional)]
        return f"{self.type} {self.name}({', '.join(declared)})"

    def lines(self):
        body = self.body
        if self.needs_memory:
            body = ["using (var memory = new CallMemory())", *block("", *body)[1:]]
        if self.is_property:
            body = block("get", *body)
        return self.comment + [part for line in block(f"public {self.signature()}", *body) for part in wrapped(line)]


class Writer:
    def __init__(self, model, methods):
        words, text = CsharpWords(model), "".join(texts("bindings/csharp/src/**/*.cs").values())
        used = set(re.findall(r"\bnative\.(ckpt_\w+)", text))
        classes = set(re.findall(r"\bpartial class (\w+)\b(?!<)", text))
        methods = [CsharpMethod(words, method) for method in methods]
        self.generated = [one for one in methods if one.function not in used and one.owner in classes]

    def file(self, methods):
        """The methods of one part."""
        classes = []
        for owner in sorted({method.owner for method in methods}):
            lines = [line for method in methods if method.owner == owner for line in ["", *method.lines()]]
            classes += [*block(f"public partial class {owner}", *lines[1:]), ""]
        text = "\n".join(block("namespace Ckpt", *classes[:-1]))
        uses = [name for name, pattern in USES if re.search(pattern, text)]
        return "\n".join([f"// {GENERATED}", *(f"using {name};" for name in uses), "", text, ""])


def files(model, methods):
    writer = Writer(model, methods)
    parts = {}
    for method in writer.generated:
        parts.setdefault(method.method.header, []).append(method)
    return {f"{FOLDER}{camel(header.removesuffix('.h'))}Methods.cs": writer.file(found) for header, found in parts.items()}
