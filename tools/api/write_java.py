"""The plain data of Java: options, records, enums and exceptions with their documentation, and their conversions."""

import copy
import re
from xml.sax.saxutils import escape

from text import Words, block, camel, capital, listing, lower_camel, wrapped

FOLDER = "bindings/java/generated/org/ckpt/"
HAND_WRITTEN = ("ckpt_tensor_spec", "ckpt_storage_range")  # records that do more than hold values
BEHAVIOUR = {"CheckpointTaskResult": " implements TaskBehaviour.Ended", "CheckpointTaskInfo": " implements TaskBehaviour.Timed"}
ACCEPTED = {"Strategy": "CheckpointStrategy"}  # by class: the type that a setter accepts instead, and converts
NUMBERS = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "double": "double"}
BOXES = {"int": "Integer", "long": "Long", "double": "Double"}
UNITS = {"Duration": (("s", 10**9), ("ms", 10**6), ("ns", 1)), "bytes": (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))}
FAMILIES = {"ckpt": "Ckpt", "ckpt_interval": "Intervals", "ckpt_blas": "Blas", "ckpt_dtype": "DType"}  # classes of static methods
OWN_NAMES = {  # names in Java that differ from C
    "ckpt_state_add_tensor": "add",
    "ckpt_schedule_place": "reservedBytes",
    "ckpt_memory_tracker_record_deallocation_layer": "freeLayer",
    "ckpt_profile_get_json": "toJson",
    "ckpt_optimizer_get_learning_rate": "getLearningRate",
    "ckpt_activation_manager_get_or_compute": "getOrCompute",
    "ckpt_feature": "hasFeature",
    "ckpt_dtype_name": "safetensorsName",
    "ckpt_tensor_copy": "copyFrom",
    "ckpt_tensor_export_dlpack": "toDlpack",
    "ckpt_tensor_export_dlpack_versioned": "toDlpackVersioned",
    "ckpt_reader_read_new": "read",
    "ckpt_tensor_get_element_count": "elements",
}
FORMS = {  # by kind: type, the value of C's struct (objects are set and never returned), and the expression that sets it
    "truth": ("boolean", "{raw} != 0", "{name} ? 1 : 0"),
    "enum": ("{type}", "{type}.of({raw})", "{name}.number()"),
    "number": ("{number}", "{raw}", "{name}"),
    "duration": ("Duration", "Duration.ofNanos({raw})", "NativeObject.nanoseconds({name})"),
    "instant": ("Instant", "NativeObject.instant({raw})", ""),
    "instant or none": ("Optional<Instant>", "NativeObject.instantIfAny({raw})", ""),
    "text": ("String", "{raw}", "{name}"),
    "chars": ("String", "{raw}", ""),
    "numbers": ("long[]", "{raw}", ""),
    "handle": ("{type}", "", "{name}"),
    "struct": ("{type}", "", ""),
    "spec": ("TensorSpec", "struct.getDtype() == 0 ? null : {type}.of(struct.getDtype(), struct.getNdim(), struct.getShape())", ""),
}
IMPORTS = ("java.lang.ref.Reference", "java.time.Duration", "java.time.Instant", "java.util.Optional", "java.util.OptionalDouble",
           "java.util.OptionalInt", "java.util.OptionalLong")
NUMBER_OF_ENUM = ["/** {@return the number in the C API, which never changes} */", *block("public int number()", "return number;"), ""]
UNKNOWN = ["/** A number of a newer version of the library. */", "UNKNOWN(Integer.MIN_VALUE);", ""]


def value_name(name):
    """Returns the name of a value. Durations and instants have types with a unit; times on other clocks keep the unit in their
    name."""
    return lower_camel(name if name.endswith("_at_ns") else name.removesuffix("_ns"))


def link(constant):
    """Returns its class, and its name there, which must not begin with a digit."""
    return camel(constant.group.name), constant.short.replace("1F1B", "ONE_FORWARD_ONE_BACKWARD")


def is_flags(group):
    return group.type == "uint32_t"


def javadoc(text, tags=()):
    text = (capital(text) if re.match(r"[a-z]+\b", text) else text).removesuffix(".") + "."
    if not tags and len(text) <= 123:
        return [f"/** {text} */"]
    lines = wrapped(text, " * ", width=130) + [" *"] * bool(tags)
    return ["/**", *lines, *(line for tag in tags for line in wrapped(tag, " * ", " *     ", 130)), " */"]


class JavaWords(Words):
    absent, no_timeout, no_instant, has_defaults = "empty", "null", "empty", True
    escaped = staticmethod(escape)

    def constant(self, constant):
        return "{@link " + "#".join(link(constant)) + "}"

    def type(self, name):
        return "{@link " + camel(name) + "}"

    def function(self, name, owner, method):
        return "{@code " + (FAMILIES.get(owner) or camel(owner)) + "." + (OWN_NAMES.get(name) or lower_camel(method)) + "}"

    def field(self, name, struct):
        return value_name(name)

    def member(self, owner, name, struct):
        return "{@code " + super().member(owner, value_name(name), struct) + "}"


class Member:
    """A value in Java."""

    def __init__(self, words, value):
        self.value, self.name = value, value_name(value.name)
        self.comment = words.of(value) + (" (64 bits without a sign)" if value.bare == "uint64_t" else "")
        kind = "flags" if value.group and is_flags(value.group) else value.kind
        names = {"raw": f"struct.get{capital(value.name)}()", "name": self.name,
                 "number": NUMBERS.get(value.group.type if value.group else value.bare)}
        self.type, self.read, self.write = (value.filled(form, **names) for form in FORMS.get(kind, FORMS["number"]))
        self.result, self.got = self.type, self.name
        self.initially_null = value.initially_absent or kind in ("chars", "spec")
        if value.has:
            self.result = f"Optional{capital(self.type)}"
            absent, present = f"{self.result}.empty()", f"{self.result}.of"
            self.read = f"struct.get{capital(value.has)}() == 0 ? {absent} : {present}({self.read})"
            self.got = f"{self.name} == null ? {absent} : {present}({self.name})"

    def start(self):
        """Returns the initial value as an expression of Java, and as text."""
        default = self.value.default
        if self.initially_null:
            return "null", "none" if self.value.has else "null"
        if self.value.kind == "enum":
            links = [link(constant) for constant in self.value.initial()]
            return " | ".join(map(".".join, links)), " and ".join("{@link " + "#".join(one) + "}" for one in links)
        if self.value.kind == "truth":
            return ("true" if default == "1" else "false",) * 2
        units = UNITS.get("bytes" if self.value.name.endswith("_bytes") else self.type, ())
        in_units = (f"{int(default) // size} {unit}" for unit, size in units if default != "0" and int(default) % size == 0)
        text = {"Duration": f"Duration.ofNanos({default}L)", "long": default + "L"}.get(self.type, default)
        return text, next(in_units, default)

    def writes(self):
        if self.value.kind == "spec":
            return block("if (spec != null)", "struct.setDtype(spec.dtype().number());", "struct.setNdim(spec.shape().length);",
                         "struct.setShape(spec.shape());")
        setter = f"struct.set{capital(self.value.name)}({self.write});"
        has = [f"struct.set{capital(self.value.has)}({self.name} == null ? 0 : 1);"] if self.value.has else []
        return has + [f"if ({self.name} != null) {setter}" if has or self.initially_null else setter]

    def setter(self, owner):
        """Returns a setter and a getter, and a second setter that unsets a value that is set by default."""
        (start, words), name, taken = self.start(), self.name, ACCEPTED.get(self.type, self.type)
        said = start == "null" and re.search(r"\b[Nn]ull( or empty)?:", self.comment)
        text = self.comment.rstrip(".") + "." + ("" if said else f" Default: {words}.")
        value = name if taken == self.type else f"{self.type}.of({name})"
        lines = javadoc(text, [f"@param {name} the value", "@return this"])
        lines += [*block(f"public {owner} {name}({taken} {name})", f"this.{name} = {value};", "return this;"), ""]
        lines += [f"/** {{@return the value set by {{@link #{name}({taken})}}}} */"]
        lines += [*block(f"public {self.result} {name}()", f"return {self.got};"), ""]
        if self.value.has and start != "null":
            lines += javadoc(self.value.absence.lstrip(": "), ["@return this"])
            lines += [*block(f"public {owner} {lower_camel('no_' + self.value.has[4:])}()", f"{name} = null;", "return this;"), ""]
        return lines


class Writer:
    def __init__(self, model):
        self.model, self.words = model, JavaWords(model)

    def file(self, name, *lines):
        used = set(re.findall(r"\w+", "\n".join(lines)))
        imports = [f"import {full};" for full in IMPORTS if full.rsplit(".", 1)[1] in used]
        return FOLDER + name + ".java", listing(["package org.ckpt;", "", *imports, *[""] * bool(imports), *lines])

    def doc(self, entry, tags=()):
        return javadoc(self.words.text(entry.comment), tags)

    def group(self, group, methods=()):
        name, flags, lines = camel(group.name), is_flags(group), []
        for constant in group.constants:
            form = "public static final int %s = %d;" if flags else "%s(%d),"
            lines += [*self.doc(constant), form % (link(constant)[1], constant.value), ""]
        if flags:
            return self.file(name, *self.doc(group), *block(f"public final class {name}", *lines, f"private {name}() {{}}"))
        known = block(f"for ({name} one : KNOWN)", "if (one.number == number) return one;")
        lines += [*UNKNOWN, f"private static final {name}[] KNOWN = values();", "private final int number;", "",
                  *block(f"{name}(int number)", "this.number = number;"), "", *NUMBER_OF_ENUM,
                  *block(f"static {name} of(int number)", *known, "return UNKNOWN;"), *methods]
        return self.file(name, *self.doc(group), *block(f"public enum {name}", *lines))

    def exceptions(self):
        names = {f"Ckpt{camel(constant.short)}Exception": constant for constant in self.model.errors}
        about = javadoc("An exception of this kind; callbacks may throw it, too.", ["@param message one line of text"])
        for name, constant in names.items():
            lines = ["private static final long serialVersionUID = 1L;", "", *about]
            lines += block(f"public {name}(String message)", f"super(Status.{constant.short}, message);")
            lines = block(f"public class {name} extends CkptException", *lines)
            yield self.file(name, *self.doc(constant), *lines)
        cases = [f"case {constant.short}: return new {name}(message);" for name, constant in names.items()]
        switch = block("switch (status)", *cases, "default: return new CkptException(status, message);")
        lines = ["private Exceptions() {}", "", *block("static CkptException of(Status status, String message)", *switch)]
        yield self.file("Exceptions", "/** The exception for each status. */", *block("final class Exceptions", *lines))

    def members(self, struct):
        """Yields the members. Element type and shape are one value in Java."""
        kinds = {value.name: value.kind for value in struct.own_values}
        for value in struct.own_values:
            if value.name == "dtype" and "shape" in kinds:
                value = copy.copy(value)
                value.name, value.kind, value.bare, value.group = "spec", "spec", "ckpt_tensor_spec", None
                value.comment = re.sub(r"\b0 when", "null when", value.comment.replace("element type", "element type and shape"))
            if value.kind != "shape":
                yield Member(self.words, value)

    def record(self, struct):
        name, members, lines = camel(struct.name), list(self.members(struct)), []
        heads = ", ".join(f"{member.result}\0{member.name}" for member in members)
        if struct.crosses and struct.has_size:
            lines = self.made_of(name, f"{struct.name} struct", [member.read for member in members]) + self.filled(struct)
        elif not any(member.type == "String" for member in members):
            lines = self.of_numbers(name, members)
        head = [f"public record {name}(", *wrapped(f"{heads}){BEHAVIOUR.get(name, '')}", "    ")]
        doc = self.doc(struct, [f"@param {member.name} {member.comment}" for member in members])
        return self.file(name, *doc, *head[:-1], *block(head[-1], *lines))

    def made_of(self, name, source, reads):
        return block(f"static {name} of({source})", f"return new {name}(", *wrapped(", ".join(reads) + ");", "    "))

    def filled(self, struct):
        """Returns the method that creates the object from a struct that a call fills."""
        using = block(f"try ({struct.name} struct = new {struct.name}())", "call.call(struct);", "return of(struct);")
        return ["", *block(f"static {camel(struct.name)} from(NativeObject.Into<{struct.name}> call)", *using)]

    def of_numbers(self, name, members):
        """Returns conversions from and to an array of numbers: arguments of callbacks, and results with only numbers, are passed
        so."""
        number = "(int)\0in.next()"
        reads = {"long": "in.next()", "int": number, "TensorSpec": "in.spec()", "boolean": "in.next() != 0"}
        reads.update({member.type: f"{member.type}.lent(in.next())" for member in members if member.value.kind == "handle"})
        lines = self.made_of(name, "NumberReader in", [reads.get(member.type, f"{member.type}.of({number})") for member in members])
        if any(member.type == "TensorSpec" for member in members):
            return lines
        writes = ", ".join(member.write for member in members)
        return lines + ["", *block("long[] numbers()", *wrapped(f"return new long[] {{{writes}}};", "", "    "))]

    def option(self, struct):
        name, members, c = camel(struct.name), list(self.members(struct)), struct.name
        lines = [f"private {BOXES[member.type] if member.value.has else member.type} {member.name} = {member.start()[0]};"
                 for member in members]
        lines += ["", "/** All defaults. */", f"public {name}() {{}}", ""] + [line for member in members for line in member.setter(name)]
        using = block(f"try ({c} struct = new {c}())", *(line for member in members for line in member.writes()), "call.call(struct);")
        lines += ["/** Calls with these values, and keeps them alive during the call. */",
                  *block(f"void with(NativeObject.Into<{c}> call)", *using[:-1], *block("} finally", "Reference.reachabilityFence(this);"))]
        if "out" in struct.directions:
            reads = [f"created.{member.name} = {member.read};" for member in members if member.read]
            lines += ["", *block(f"static {name} of({c} struct)", f"{name} created = new {name}();", *reads, "return created;")]
            lines += self.filled(struct)
        return self.file(name, *self.doc(struct), *block(f"public final class {name}", *lines))

    def struct(self, struct):
        return self.option(struct) if struct.has_size and "in" in struct.directions else self.record(struct)


def numbers(model):
    """Returns the conversions of structs without a size: their values as an array of numbers, in the order of Java's records."""
    lines = ["#ifndef CKPT_JAVA_NUMBERS_HPP", "#define CKPT_JAVA_NUMBERS_HPP", "", "#include <ckpt/ckpt.h>", "", "#include <array>",
             "#include <cstdint>", "", "namespace ckpt_java {"]
    for struct in model.structs:
        if struct.has_size or struct.is_table or struct.name in HAND_WRITTEN or any(
                value.kind not in ("number", "enum", "reading") for value in struct.values):
            continue
        types = {field["name"]: field["type"] for field in struct.fields}
        kind = f"std::array<std::int64_t, {len(struct.values)}>"
        writes = [f"numbers[{n}] = static_cast<std::int64_t>(from.{value.name});" for n, value in enumerate(struct.values)]
        lines += ["", *block(f"inline {kind} numbers_of(const {struct.name}& from)", f"{kind} numbers;", *writes, "return numbers;")]
        if struct.given or "in" in struct.directions:
            reads = [f"into->{value.name} = static_cast<{types[value.name]}>(from[{n}]);" for n, value in enumerate(struct.values)]
            lines += block(f"inline void read(const std::int64_t* from, {struct.name}* into)", *reads)
    ends = ["", "}  // namespace ckpt_java", "", "#endif  // CKPT_JAVA_NUMBERS_HPP"]
    return "bindings/java/generated/numbers.hpp", listing([*lines, *ends])


def files(model):
    writer = Writer(model)
    groups = model.groups.values()
    structs = [struct for struct in model.structs if struct.name not in HAND_WRITTEN and not struct.is_table]
    return dict([numbers(model), *map(writer.group, groups), *writer.exceptions(), *map(writer.struct, structs)])
