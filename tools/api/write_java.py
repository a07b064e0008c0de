"""What Java is given of the description: options, records, enums and exceptions with their documentation, and how they cross."""

import re
import textwrap

from text import bare, camel, directions, groups, is_spare, lower_camel
from write_c import MADE, has_size
from write_swig import crosses, has_functions

FOLDER = "bindings/java/made/org/ckpt/"
BY_HAND = ("ckpt_dtype", "ckpt_tensor_spec")  # an enum and a record that do more than hold values
BEHAVIOUR = {"CheckpointTaskResult": " implements TaskBehaviour.Ended", "CheckpointTaskInfo": " implements TaskBehaviour.Timed"}
ACCEPTED = {"Strategy": "CheckpointStrategy"}  # what a setter takes in the place of a class, which makes one of it
VALUES = {"1F1B": "ONE_FORWARD_ONE_BACKWARD"}  # no identifier begins with a digit
NUMBERS = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "double": "double", "ckpt_bool": "boolean"}
BOXES = {"int": "Integer", "long": "Long", "double": "Double"}
IMPORTS = ("java.lang.ref.Reference", "java.time.Duration", "java.time.Instant", "java.util.Optional", "java.util.OptionalDouble",
           "java.util.OptionalInt", "java.util.OptionalLong")
ENUM = """\
  /** A number that this version does not know: a newer library has it. */
  UNKNOWN(Integer.MIN_VALUE);

  private static final %(name)s[] KNOWN = values();
  private final int number;

  %(name)s(int number) {
    this.number = number;
  }

  /** {@return the number in the C API, fixed for ever} */
  public int number() {
    return number;
  }

  static %(name)s of(int number) {
    for (%(name)s one : KNOWN) {
      if (one.number == number) return one;
    }
    return UNKNOWN;
  }
}"""
EXCEPTION = """\
public class %(name)s extends CkptException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception of this kind, for callbacks to throw too.
   *
   * @param message one line of text
   */
  public %(name)s(String message) {
    super(Status.%(status)s, message);
  }
}"""
EXCEPTIONS = """\
/** The exception for each status. */
final class Exceptions {
  private Exceptions() {}

  static CkptException of(Status status, String message) {
    return switch (status) {
%s
      default -> new CkptException(status, message);
    };
  }
}"""
FROM = """
  static %(name)s from(NativeObject.Into<%(c)s> call) {
    try (%(c)s struct = new %(c)s()) {
      call.call(struct);
      return of(struct);
    }
  }"""
SETTER = """\
  public %(owner)s %(name)s(%(taken)s %(name)s) {
    this.%(name)s = %(value)s;
    return this;
  }

  /** {@return what {@link #%(name)s(%(taken)s)} set} */
  public %(result)s %(name)s() {
    return %(got)s;
  }
"""
WITH = """\
  /** Calls with a struct of these values, which stay alive meanwhile. */
  void with(NativeObject.Into<%(c)s> call) {
    try (%(c)s struct = new %(c)s()) {
%(writes)s
      call.call(struct);
    } finally {
      Reference.reachabilityFence(this);
    }
  }"""


def capital(name):
    return name[:1].upper() + name[1:]


def field_name(name):
    """Durations and times of day have a type that knows the unit; times on other clocks keep it in their name."""
    return lower_camel(name if name.endswith("_at_ns") else name.removesuffix("_ns"))


def wrapped(text, indent, rest):
    lines = textwrap.wrap(text, 132, initial_indent=indent, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
    return [line.replace("~", " ") for line in lines]


def javadoc(indent, text, tags=()):
    text = (capital(text) if re.match(r"[a-z]+\b", text) else text) + ("" if text.endswith(".") else ".")
    if not tags and len(f"{indent}/** {text} */") <= 132:
        return [f"{indent}/** {text} */"]
    lines = [f"{indent}/**", *wrapped(text, f"{indent} * ", f"{indent} * "), *([f"{indent} *"] if tags else [])]
    return lines + [line for tag in tags for line in wrapped(tag, f"{indent} * ", f"{indent} *     ")] + [f"{indent} */"]


def in_units(number, *units):
    return next((f"{number // size} {unit}" for unit, size in units if number and number % size == 0), str(number))


class Field:
    """One value that Java sees: its name, type and comment, and how it crosses."""

    def __init__(self, java, field, has):
        kind = field["type"].replace("const ", "")
        base = bare(kind)
        self.java, self.c, self.has, self.initial = java, field["name"], has, field.get("default")
        self.name = field_name(self.c)
        self.type, self.raw = NUMBERS.get(base, camel(base)), f"struct.get{capital(self.c)}()"
        self.read, self.write, text = self.raw, self.name, " ".join(field["comment"].split())
        text = re.sub(r"(; copied(?=;)|[;.] [Vv]alid (as long as the \w+|for ever))", "", text)
        if base == "ckpt_bool":
            self.read, self.write = f"{self.raw} != 0", f"{self.name} ? 1 : 0"
            text = re.sub(r"(^|; |: |, else |, )(0|1|other values)(?=[: ;,.]|$)",
                          lambda at: at[1] + ("false" if at[2] == "0" else "true"), text)
        elif base in java.flags or "array" in field and base != "char":
            self.type = "int" if base in java.flags else "long[]"
        elif base == "char":
            self.type = "String"
        elif base in java.groups:
            self.read, self.write = f"{self.type}.of({self.raw})", f"{self.name}.number()"
        elif kind.endswith("*"):
            self.read = "null"  # an object is set and never given back
        elif self.c.endswith("_utc_ns"):
            text = text.replace(", in nanoseconds since 1970-01-01T00:00:00Z", "")
            self.type, self.read = "Instant", f"NativeObject.instant({self.raw})"
            if re.search(r"; 0(: never| when)", text):
                self.type, self.read = "Optional<Instant>", f"NativeObject.instantIfAny({self.raw})"
                text = text.replace("; 0", "; empty")
        elif self.c.endswith("_ns") and not self.c.endswith("_at_ns"):
            self.type, self.read, self.write = "Duration", f"Duration.ofNanos({self.raw})", f"NativeObject.nanoseconds({self.name})"
            text = re.sub(r",? in nanoseconds\b", "", text).replace("-1:", "null:")
            text = re.sub(r"^nanoseconds (?=from|for|of|since)", "time ", text)
        if has:
            text = re.sub(r"[.;] (Read only when|0 wh\w+) has_\w+ is \w+( 0)?", "", text)
            text += "".join(re.findall(r"yes(; .*)$", has["comment"]))
        self.comment = java.prose(text + (" (64 bits without a sign)" if base == "uint64_t" else ""))
        self.result = f"Optional{capital(self.type)}" if has else self.type
        self.held = self.name
        if has:
            self.read = f"struct.get{capital(has['name'])}() == 0 ? {self.result}.empty() : {self.result}.of({self.read})"
            self.held = f"{self.name} == null ? {self.result}.empty() : {self.result}.of({self.name})"

    def start(self):
        """The initial value in Java, and in words."""
        names = re.findall(r"CKPT_\w+", self.initial)
        if self.has and self.has["default"] == "0" or self.read == "null" or self.type in ("String", "TensorSpec"):
            return "null", "none"
        if names and names[0] in self.java.links:
            links = [self.java.links[name] for name in names]
            return " | ".join(map(".".join, links)), " and ".join("{@link " + "#".join(link) + "}" for link in links)
        if self.type in ("int", "long", "Duration"):
            number = self.java.values[names[0]] if names else int(self.initial)
            if self.type == "Duration":
                return f"Duration.ofNanos({number}L)", in_units(number, ("s", 10**9), ("ms", 10**6), ("ns", 1))
            words = in_units(number, ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)) if self.c.endswith("_bytes") else str(number)
            return f"{number}{'L' if self.type == 'long' else ''}", words
        if self.type in ("boolean", "double"):
            return ({"0": "false", "1": "true"}[self.initial],) * 2 if self.type == "boolean" else (self.initial,) * 2
        links = [link for link, number in self.java.numbers.items() if link[0] == self.type and number == int(self.initial)]
        return ".".join(links[0]), "{@link " + "#".join(links[0]) + "}"

    def writes(self):
        if self.type == "TensorSpec":
            parts = {"Dtype": "dtype().number()", "Ndim": "shape().length", "Shape": "shape()"}
            return ["if (spec != null) {", *(f"  struct.set{name}(spec.{part});" for name, part in parts.items()), "}"]
        setter = f"struct.set{capital(self.c)}({self.write});"
        if self.has:
            return [f"struct.set{capital(self.has['name'])}({self.name} == null ? 0 : 1);", f"if ({self.name} != null) {setter}"]
        return [f"if ({self.name} != null) {setter}" if self.start()[0] == "null" else setter]


class Java:
    def __init__(self, api):
        self.api, self.values = api, {constant["name"]: constant["value"] for constant in api["constants"]}
        self.groups, self.links, self.numbers, self.comments = {}, {}, {}, {}
        self.flags = {kind["name"] for kind in api["types"] if kind["type"] == "uint32_t"}
        statuses = [constant for constant in api["constants"] if re.match("CKPT_(OK$|E_)", constant["name"])]
        for kind, constants in {**groups(api), "ckpt_status": statuses}.items():
            for constant in constants:
                value = re.sub(f"^({kind.upper()}|CKPT_E|CKPT)_", "", constant["name"])
                link = camel(kind), VALUES.get(value, value)
                self.groups.setdefault(kind, []).append(link)
                self.links[constant["name"]], self.numbers[link] = link, constant["value"]
                self.comments[link] = constant["comment"]
        self.fields = {field["name"] for struct in api["structs"] for field in struct["fields"]}
        self.handles = sorted((handle["name"] for handle in api["handles"]), key=len, reverse=True)
        self.structs = {struct["name"] for struct in api["structs"]}
        self.passed = directions({**api, "callbacks": []})

    def prose(self, text):
        def constant(found):
            name = found[0]
            if name.endswith("*"):
                return "{@link " + camel(name.rstrip("_*").lower().replace("ckpt_e", "status")) + "}"
            if name in self.links:
                return "{@link " + "#".join(self.links[name]) + "}"
            return str(self.values[name.removesuffix("-1")] - name.endswith("-1"))

        def other(found):
            name = found[0]
            for handle in self.handles:
                if name.startswith(handle + "_") and name not in self.structs:
                    return "{@code " + camel(handle) + "." + lower_camel(name.removeprefix(handle + "_").removeprefix("get_")) + "}"
            return "{@link " + camel(name) + "}"

        text = re.sub(r":? one of CKPT_[A-Z_]+\*$|(?<=\.) (Frozen: \d+ bytes in every version|Borrowed for the call)\.", "",
                      " ".join(text.split()).rstrip(" \\"))
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        text = re.sub(r"\bckpt_[a-z0-9_]+", other, re.sub(r"\bCKPT_[A-Z0-9_]+(\*|-1)?", constant, text))
        return re.sub(r"\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b", lambda at: field_name(at[0]) if at[0] in self.fields else at[0], text)

    def file(self, name, *lines):
        text = "\n".join(lines)
        imports = [f"import {full};" for full in IMPORTS if re.search(rf"\b{full.rsplit('.', 1)[1]}\b", text)]
        imports += [""] if imports else []
        return FOLDER + name + ".java", "\n".join([f"// {MADE}", "package org.ckpt;", "", *imports, text, ""])

    def group(self, kind):
        name, flags = camel(kind["name"]), kind["name"] in self.flags
        form = "  public static final int %s = %d;" if flags else "  %s(%d),"
        lines = []
        for link in self.groups[kind["name"]]:
            lines += [*javadoc("  ", self.prose(self.comments[link])), form % (link[1], self.numbers[link]), ""]
        head = javadoc("", self.prose(kind["comment"])) + [f"public final class {name} {{" if flags else f"public enum {name} {{"]
        return self.file(name, *head, *lines, f"  private {name}() {{}}\n}}" if flags else ENUM % {"name": name})

    def exceptions(self):
        statuses = {f"Ckpt{camel(link[1])}Exception": link for link in self.groups["ckpt_status"][1:]}
        for name, link in statuses.items():
            yield self.file(name, *javadoc("", self.prose(self.comments[link])), EXCEPTION % {"name": name, "status": link[1]})
        cases = [f"      case {link[1]} -> new {name}(message);" for name, link in statuses.items()]
        yield self.file("Exceptions", EXCEPTIONS % "\n".join(cases))

    def seen(self, struct):
        """The fields that Java sees: no sizes, functions and arrays; x with has_x is one, and dtype, ndim and shape are one."""
        fields = {field["name"]: field for field in struct["fields"]}
        has = {}
        for name in filter(lambda name: name.startswith("has_"), fields):
            for value in {name[4:], name[4:] + "_bytes", name[4:] + "_id"} & set(fields):
                if fields[name]["comment"].startswith("whether") or name in fields[value]["comment"]:
                    has[value] = fields[name]
        spec = {"dtype", "shape"} <= set(fields)
        for name, field in fields.items():
            kind = field["type"].replace("const ", "").rstrip("*")
            hidden = is_spare(field) or field in has.values() or spec and name in ("ndim", "shape")
            array = name + "_count" in fields or name.endswith("_count") and name.removesuffix("_count") in fields
            if hidden or array or kind.endswith(("_fn", "void")) or kind in self.structs and kind != "ckpt_tensor_spec":
                continue
            if name == "dtype" and spec:
                comment = re.sub(r"^element type", "element type and shape", re.sub(r"\b0 when", "null when", field["comment"]))
                made = Field(self, {**field, "name": "spec", "type": "ckpt_tensor_spec", "comment": comment}, None)
                made.read = "struct.getDtype() == 0 ? null : TensorSpec.of(struct.getDtype(), struct.getNdim(), struct.getShape())"
                yield made
            else:
                yield Field(self, field, has.get(name))

    def record(self, struct):
        name, fields = camel(struct["name"]), list(self.seen(struct))
        lines = javadoc("", self.prose(struct["comment"]), [f"@param {field.name} {field.comment}" for field in fields])
        heads = ", ".join(f"{field.result}~{field.name}" for field in fields)
        lines += [f"public record {name}(", *wrapped(f"{heads}){BEHAVIOUR.get(name, '')} {{", "    ", "    ")]
        names = {"name": name, "c": struct["name"]}
        if crosses(struct, self.passed) and has_size(struct):
            lines += [f"  static {name} of({struct['name']} struct) {{", f"    return new {name}("]
            lines += [*wrapped(", ".join(field.read for field in fields) + ");", "        ", "        "), "  }", FROM % names]
        elif not any(field.type == "String" for field in fields):
            reads = {"long": "in.next()", "int": "(int)~in.next()", "TensorSpec": "in.spec()", "boolean": "in.next() != 0"}
            reads = [reads.get(field.type, f"{field.type}.of((int)~in.next())") for field in fields]
            lines += [f"  static {name} of(NumberReader in) {{", f"    return new {name}("]
            lines += [*wrapped(", ".join(reads) + ");", "        ", "        "), "  }"]
            if "in.spec()" not in reads:
                writes = ", ".join(field.write for field in fields)
                lines += ["", "  long[] numbers() {", *wrapped(f"return new long[] {{{writes}}};", "    ", "        "), "  }"]
        return self.file(name, *lines, "}")

    def option(self, struct):
        name, fields = camel(struct["name"]), list(self.seen(struct))
        lines = javadoc("", self.prose(struct["comment"])) + [f"public final class {name} {{"]
        for field in fields:
            lines += [f"  private {BOXES[field.type] if field.has else field.type} {field.name} = {field.start()[0]};"]
        lines += ["", "  /** All defaults. */", f"  public {name}() {{}}", ""]
        for field in fields:
            value, words = field.start()
            said = value == "null" and re.search(r"\b[Nn]one( or empty)?:", field.comment)
            text = field.comment.rstrip(".") + "." + ("" if said else f" Default: {words}.")
            taken = ACCEPTED.get(field.type, field.type)
            lines += [*javadoc("  ", text, [f"@param {field.name} the value", "@return this"]), SETTER % {
                "owner": name, "name": field.name, "taken": taken, "result": field.result,
                "value": f"{field.type}.of({field.name})" if taken != field.type else field.name,
                "got": field.held}]
            if field.has and value != "null":
                lines += [*javadoc("  ", self.prose(field.has["comment"].split("no: ")[-1]), ["@return this"])]
                lines += [f"  public {name} {lower_camel('no_' + field.has['name'][4:])}() {{", f"    {field.name} = null;"]
                lines += ["    return this;", "  }", ""]
        writes = "\n".join(f"      {line}" for field in fields for line in field.writes())
        names = {"name": name, "c": struct["name"], "writes": writes}
        lines += [WITH % names]
        if "out" in self.passed[struct["name"]]:
            lines += ["", f"  static {name} of({struct['name']} struct) {{", f"    {name} made = new {name}();"]
            lines += [f"    made.{field.name} = {field.read};" for field in fields if field.read != "null"]
            lines += ["    return made;", "  }", FROM % names]
        return self.file(name, *lines, "}")

    def files(self):
        yield from (self.group(kind) for kind in self.api["types"] if kind["name"] in self.groups and kind["name"] not in BY_HAND)
        yield from self.exceptions()
        for struct in self.api["structs"]:
            if struct["name"] not in BY_HAND and (struct["name"].endswith("_options") or not has_functions(struct)):
                given = has_size(struct) and "in" in self.passed.get(struct["name"], ())
                yield self.option(struct) if given else self.record(struct)


def files(api):
    return dict(Java(api).files())
