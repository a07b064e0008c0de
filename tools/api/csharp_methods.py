"""The methods of C#'s classes that are one call of C: partial classes next to the hand-written ones, or whole classes if there is
no hand-written one.

The first part describes the public side of methods: types, names, default values, documentation. The second part, "How C# calls C",
is the only one that refers to SWIG's class native, NativeHandle and CallMemory: an emitter for LibraryImport would replace only it.
"""

import re

from events import events
from methods import without_status
from text import GENERATED, camel, contents
from write_csharp import FAMILIES, OWN_NAMES, CsharpWords, Member, block, class_of, named, property_of

FOLDER = "bindings/csharp/generated/"
USES = (("System", r"\b(TimeSpan|IntPtr|GC|ArgumentNullException)\b"), ("System.Collections.Generic", r"\bIReadOnlyList\b"),
        ("System.Diagnostics.CodeAnalysis", r"\b(AllowNull|MaybeNull)\b"), ("Ckpt.Interop", r"\b(native\.|NativeHandle\b)"))
KEYWORDS = {"event": "controllerEvent", "out": "result", "dType": "dtype"}
OUTS = {"int32_t": "int", "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong", "double": "double", "ckpt_bool": "int"}
PARAMETERS = ("text", "number", "real", "truth", "enum", "duration", "handle", "struct", "spec", "address", "shape", "numbers")
RESULTS = ("none", "number", "real", "truth", "enum", "text", "fetched", "handle", "struct", "address", "structs", "numbers")
WORDS = {("truth", "0"): "false", ("truth", "1"): "true", ("duration", "-1"): "null",
         "NULL": "null", "INFINITY": "double.PositiveInfinity"}
CHAINED = {"ckpt_state": ("add_",), "ckpt_profile": ("set_tier",), "ckpt_chain": ("add",)}  # these return the object


def argument_name(name):
    name = property_of(name)
    name = name[:1].lower() + name[1:]
    return KEYWORDS.get(name, name)


def wrapped(line):
    """Splits the line into pieces of at most 120 characters, after its last "=> ", or a comma with few enclosing parentheses."""
    if len(line) <= 120:
        return [line]
    indent = line[:len(line) - len(line.lstrip())]
    if "=> " in line:
        at = line.rindex("=> ") + 3
        return [line[:at - 1], *wrapped(indent + "    " + line[at:])]
    depths = [(line.count("(", 0, at.start()) - line.count(")", 0, at.start()), -at.end()) for at in re.finditer(", ", line[:120])]
    at = -min(depths)[1] if depths else len(line)
    return [line[:at].rstrip(), *("    " + part for part in wrapped(indent + line[at:]))] if depths else [line]


# ---- The public side of methods ----


class CsharpParameter:
    def __init__(self, parameter):
        self.kind, self.name, self.bare, self.group = parameter.kind, argument_name(parameter.name), parameter.bare, parameter.group
        duration = "TimeSpan?" if parameter.default == "-1" else "TimeSpan"
        types = {"text": "string", "real": "double", "truth": "bool", "duration": duration, "shape": "params long[]", "spec": "TensorSpec",
                 "numbers": "params long[]", "address": "IntPtr", "number": OUTS.get(self.bare)}
        self.type = types.get(self.kind) or class_of(self.bare)
        self.is_nullable = parameter.is_nullable
        self.default = parameter.default_as(named, WORDS)

    def declared(self, is_optional):
        return "[AllowNull] " * self.is_nullable + f"{self.type} {self.name}" + f" = {self.default}" * is_optional


def declared(parameters):
    """Returns the list of parameters; the last ones have their default values."""
    given, optional = list(parameters), []
    while given and given[-1].default:
        optional.insert(0, given.pop())
    return ", ".join([*(one.declared(False) for one in given), *(one.declared(True) for one in optional)])


class CsharpMethod:
    def __init__(self, words, method):
        self.method, self.function, self.header = method, method.function, method.header
        self.owner, self.is_static = FAMILIES.get(method.owner) or camel(method.owner), method.form == "static"
        self.parameters = [CsharpParameter(parameter) for parameter in method.parameters]
        for parameter in self.parameters[:-1]:
            parameter.type = parameter.type.removeprefix("params ")
        self.result, self.absent, self.setter = method.result, method.result.absent, None
        self.words = words
        self.is_chained = self.result.kind == "none" and method.verb.startswith(CHAINED.get(method.owner, ()))

    @property
    def is_text_file(self):
        return self.method.is_document and not self.absent

    @property
    def is_property(self):
        """Whether it is a getter without arguments that does not create an object each time."""
        large = self.result.kind in ("struct", "structs", "numbers", "handle") and not self.absent and not self.setter
        is_value = self.is_static and self.result.direct and not self.parameters  # of the whole library
        return is_value or self.method.is_getter and not large and not self.is_text_file

    @property
    def name(self):
        verb = self.method.verb.removeprefix("create_")
        verb = verb.removeprefix("get_") if self.is_property or self.is_text_file else verb
        return OWN_NAMES.get(self.function) or ("To" if self.is_text_file else "") + camel(verb)

    @property
    def value_type(self):
        result, name = self.result, class_of(self.result.bare) if self.result.bare else ""
        number = OUTS.get(result.group.type if result.group else result.bare)
        return {"none": self.owner if self.is_chained else "void", "fetched": "string", "text": "string", "truth": "bool",
                "struct": name, "handle": camel(result.bare) if result.bare else "", "structs": f"IReadOnlyList<{name}>",
                "numbers": f"{number}[]", "enum": name, "address": "IntPtr"}.get(result.kind, number)

    @property
    def type(self):
        is_value = self.result.kind in ("number", "real", "truth", "enum")
        return self.value_type + "?" * bool(self.absent and is_value)

    def documented(self):
        text = without_status(self.method.renamed_comment(argument_name), self.absent, "null")
        return self.words.summary(self.words.text(re.sub("^Returns ", "Gets or sets ", text) if self.setter else text))

    def lines(self):
        attribute = ["[MaybeNull]" if self.is_property else "[return: MaybeNull]"] * bool(self.absent and not self.type.endswith("?"))
        body, public = body_of(self), "public static" if self.is_static else "public"
        if not self.is_property:
            return [*self.documented(), *attribute, *folded(f"{public} {self.type} {self.name}({declared(self.parameters)})", body)]
        body = block("get", *body) + (block("set", *body_of_setter(self.setter)) if self.setter else [])
        return [*self.documented(), *attribute, *folded(f"{public} {self.type} {self.name}", body)]


class CsharpCreator:
    """A function that creates an object: a constructor, or a static method."""

    def __init__(self, words, creator, owns_threads):
        self.owner, self.function, self.header = camel(creator.owner), creator.function, creator.header
        self.handle, self.name, self.owns_threads = creator.owner, camel(creator.name) if creator.name else "", owns_threads
        self.parameters = [CsharpParameter(parameter) for parameter in creator.parameters]
        self.comment = words.summary(words.text(creator.renamed_comment(argument_name)))

    def lines(self):
        created = made_of(self)
        if self.name:
            head = f"public static {self.owner} {self.name}({declared(self.parameters)})"
            return [*self.comment, *folded(head, [f"return new {self.owner}({created});"])]
        head = [*wrapped(f"public {self.owner}({declared(self.parameters)})"), *wrapped(f"    : this({created})")]
        return [*self.comment, *head, "{", "}"]


class CsharpEvent:
    """A method that records an event."""

    def __init__(self, words, event):
        self.owner, self.header, self.name = camel(event.owner), event.header, camel(event.name)
        self.comment = words.summary(words.text(event.comment))
        self.kind, self.struct = named(event.constant), camel(event.struct.name)
        self.members = [Member(words, event.struct, value) for value in event.values]

    def lines(self):
        names = [argument_name(one.value.name) for one in self.members]
        given = ", ".join(f"{one.type} {name}" for one, name in zip(self.members, names))
        values = "".join(f", {one.property} = {name}" for one, name in zip(self.members, names))
        call = f"Record(new {self.struct} {{ Kind = {self.kind}{values} }});"
        return [*self.comment, *folded(f"public void {self.name}({given})", [call])]


def folded(head, body):
    return [part for line in block(head, *body) for part in wrapped(line)]


# ---- How C# calls C: through SWIG's class native ----


def passed(one):
    """Returns a parameter as an argument of C."""
    kind = class_of(one.bare)
    number = OUTS.get(one.group.type) if one.group else "int"
    handle = f"memory.Of({one.name})" if kind.startswith("I") and kind[1:2].isupper() else f"HandleOf({one.name})"
    struct = one.name if one.is_nullable else f'Given({one.name}, "{one.name}")'
    return {"truth": f"{one.name} ? 1 : 0", "enum": f"({number}){one.name}", "duration": f"Times.Nanoseconds({one.name})",
            "handle": handle, "struct": f"{kind}.Native({one.name}, memory)", "spec": f"memory.Of({struct})",
            "shape": f"memory.Of({struct}), {one.name}.Length",
            "numbers": f"memory.Of({struct}), {one.name}.Length"}.get(one.kind, one.name)


def needs_memory(parameters):
    return any("memory" in passed(one) for one in parameters)


def call_of(method, *more):
    arguments = map(checked, method.parameters) if method.is_static else ["Handle", *map(passed, method.parameters)]
    return f"native.{method.function}({', '.join([*arguments, *more])})"


def checked(one):
    """Returns a parameter as an argument of a static function; checks that a struct is not null."""
    given = f'Native(Given({one.name}, "{one.name}"), memory)'
    return passed(one) if one.is_nullable else passed(one).replace(f"Native({one.name}, memory)", given)


def read_of(method):
    """Returns the statements that make the call and return its result."""
    result, group = method.result, method.result.group
    name = class_of(result.bare) if result.bare else ""
    if result.kind == "none":
        return [call_of(method) + ";", *["return this;"] * method.is_chained]
    if result.kind == "fetched":
        return [f"return {call_of(method)};"]
    if result.kind == "handle":
        kind = camel(result.bare)
        return [f"return new {kind}(Created((out IntPtr created) => {call_of(method, 'out created')}, native.{result.bare}_release));"]
    if result.kind == "struct":
        return [f"return {name}.Filled(filled => {call_of(method, 'filled')});"]
    if result.kind == "structs":
        return [f"return NativeList.Created({call_of(method)}, at => new {name}(new {result.bare}(at, false)));"]
    if result.kind == "numbers":
        return [f"return NativeList.Integers({call_of(method)});"]
    out = OUTS.get(group.type if group else result.bare) or ("IntPtr" if result.kind in ("text", "address") else "int")
    value = {"truth": "{} != 0", "enum": f"({name}){{}}"}.get(result.kind, "{}")
    if result.kind == "text" and not result.direct:  # borrowed from the object
        read = ["var text = Utf8.Text(value);", "GC.KeepAlive(this);", "return text;"]
        return [f"{out} value;", call_of(method, "out value") + ";", *read]
    if result.direct:
        return [f"return {value.format(call_of(method))};"]
    return [f"{out} value;", call_of(method, "out value") + ";", f"return {value.format('value')};"]


def body_of(method):
    body = read_of(method)
    if method.absent:
        body = [*block("try", *body), *block(f"catch (Ckpt{camel(method.absent)}Exception)", "return null;")]
    return with_memory(method.parameters, body)


def body_of_setter(method):
    value = method.parameters[0]
    value.name = "value"
    check = ['if (value == null) throw new ArgumentNullException("value");'] if value.kind == "struct" else []
    return check + with_memory([value], [call_of(method) + ";"])


def with_memory(parameters, body):
    if not needs_memory(parameters):
        return body
    return [f"using (var memory = new CallMemory()) {body[0]}"] if len(body) == 1 and len(body[0]) < 80 else [
        "using (var memory = new CallMemory())", *block("", *body)[1:]]


def made_of(creator):
    """Returns the expression for the handle of a new object."""
    out = "(CallMemory memory, out IntPtr created)" if needs_memory(creator.parameters) else "(out IntPtr created)"
    arguments = ", ".join([*map(checked, creator.parameters), "out created"])
    threads = ", true" if creator.owns_threads else ""
    make = f"{out} => native.{creator.function}({arguments})" if creator.parameters else f"native.{creator.function}"
    return f"{'CreatedWith' if needs_memory(creator.parameters) else 'Created'}({make}, native.{creator.handle}_release{threads})"


def references(owner, handle, source, is_shared, is_made):
    """Returns the constructor that takes over a reference, and Share."""
    lines = []
    if is_made and not re.search(rf"\b{owner}\(NativeHandle \w+\)", source):
        lines += ["", *block(f"internal {owner}(NativeHandle handle) : base(handle)")]
    if is_shared:
        kind = handle.removeprefix("ckpt_").replace("_", " ")
        lines += ["", f"/// <summary>Returns another reference to the same {kind}, to be disposed of separately.</summary>",
                  *block(f"public {owner} Share()",
                         f"return new {owner}(Shared(Handle, native.{handle}_retain, native.{handle}_release));")]
    return lines


# ---- Files ----


class Writer:
    def __init__(self, model, functions):
        self.words, sources = CsharpWords(model), contents("bindings/csharp/src/**/*.cs").values()
        text = "".join(sources)
        used = set(re.findall(r"\bnative\.(ckpt_\w+)", text))
        self.classes = {name: generic for name, generic in re.findall(r"\bpartial class (\w+)\b(<\w+>)?", text)}
        self.sources = {owner: source for owner in self.classes for source in sources
                        if re.search(rf"\bclass {owner}\b(<\w+>)? : NativeObject\b", source)}
        self.comments = {handle["name"]: handle["comment"] for handle in model.api["handles"]}
        self.headers = {handle["name"]: handle["header"] for handle in model.api["handles"]}
        self.handles = {camel(handle): handle for handle in model.handles}
        written = set(re.findall(r"\bpublic (\w+)\(", text))  # constructors
        creators = [one for one in functions if one.form == "creator" and one.function not in used]
        created = [CsharpCreator(self.words, one, "Owns threads" in self.comments[one.owner]) for one in creators
                if one.name or camel(one.owner) not in written]
        self.whole = {one.owner for one in created if not one.name and one.owner not in self.classes}
        methods = [CsharpMethod(self.words, one) for one in functions if one.form != "creator"]
        methods = [one for one in methods if one.function not in used and (one.owner in self.classes or one.owner in self.whole)]
        for one in methods:
            one.setter = next((setter for setter in methods if setter.method.sets(one.method)), None)
        merged = {one.setter.function for one in methods if one.setter}
        self.generated = [one for one in created if one.owner in self.classes or one.owner in self.whole]
        self.generated += [one for one in methods if one.function not in merged]
        self.generated += [CsharpEvent(self.words, event) for event in events(model)]
        self.shared = set(map(camel, model.shared))

    def of_class(self, owner, found):
        handle = self.handles.get(owner)
        is_made = owner in self.shared or any(one.owner == owner and isinstance(one, CsharpCreator) for one in self.generated)
        is_here = handle and self.headers[handle] == found[0].header  # a class may have methods of several parts
        parts = [references(owner, handle, self.sources.get(owner, ""), owner in self.shared, is_made)[1:]] if is_here else []
        lines = [line for part in [*parts, *(one.lines() for one in found if one.owner == owner)] if part for line in ["", *part]]
        unsafe = "unsafe " * any(".Length" in line for line in lines)  # arrays of numbers are passed as pointers
        if owner not in self.whole:
            return block(f"public {unsafe}partial class {owner}{self.classes[owner]}", *lines[1:])
        about = self.words.summary(self.words.text(self.comments[handle]))
        return [*about, *block(f"public sealed {unsafe}partial class {owner} : NativeObject", *lines[1:])]

    def file(self, found):
        """Returns the file with the methods of one part."""
        classes = [line for owner in sorted({one.owner for one in found}) for line in ["", *self.of_class(owner, found)]]
        text = "\n".join(block("namespace Ckpt", *classes[1:]))
        uses = [name for name, pattern in USES if re.search(pattern, text)]
        return "\n".join([f"// {GENERATED}", *(f"using {name};" for name in uses), "", text, ""])


def files(model, functions):
    writer = Writer(model, [function for function in functions if function.owner and function.is_of(PARAMETERS, RESULTS)])
    parts = {}
    for one in writer.generated:
        parts.setdefault(one.header, []).append(one)
    return {f"{FOLDER}{camel(header.removesuffix('.h'))}Methods.cs": writer.file(found) for header, found in parts.items()}
