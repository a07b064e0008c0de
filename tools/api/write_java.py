"""What Java is given of the description: options, records, enums and exceptions with their documentation, and how they cross."""

import re
import textwrap

from write_c import MADE, has_size
from write_swig import crosses, has_functions

FOLDER = "bindings/java/made/org/ckpt/"
BY_HAND = {"ckpt_dtype", "ckpt_status", "ckpt_tensor_spec"}  # enums and values with behaviour
BEHAVIOUR = {"CheckpointTaskResult": "TaskBehaviour.Ended", "CheckpointTaskInfo": "TaskBehaviour.Timed"}
ACCEPTED = {"Strategy": "CheckpointStrategy"}  # what a setter takes in the place of a class, which makes one of it
CLASSES = {"dtype": "DType", "adamw_options": "AdamWOptions"}
VALUES = {"1F1B": "ONE_FORWARD_ONE_BACKWARD"}  # no identifier begins with a digit
BOXES = {"int": "Integer", "long": "Long", "double": "Double"}
NUMBER = """\
  private static final {name}[] KNOWN = values();
  private final int number;

  {name}(int number) {{
    this.number = number;
  }}

  /**
   * The number in the C API.
   *
   * @return fixed for ever
   */
  public int number() {{
    return number;
  }}

  static {name} of(int number) {{
    for ({name} one : KNOWN) {{
      if (one.number == number) return one;
    }}
    return UNKNOWN;
  }}"""


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def class_name(name):
    name = name.removeprefix("ckpt_")
    return CLASSES.get(name) or "".join(part.capitalize() for part in name.split("_"))


def field_name(name):
    """Durations and times of day have a type that knows the unit; times on other clocks keep it in their name."""
    if name.endswith("_utc_ns"):
        return camel(name.removesuffix("_ns"))
    return camel(name if name.endswith("_at_ns") else name.removesuffix("_ns"))


def capital(name):
    return name[0].upper() + name[1:]


def wrapped(text, first, rest):
    return textwrap.wrap(text, 132, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def sentence(text):
    text = capital(text) if re.match(r"[a-z]+\b", text) else text
    return text if text.endswith((".", "?")) else text + "."


def javadoc(indent, text, tags=()):
    text = sentence(text)
    one = f"{indent}/** {text} */"
    if not tags and len(one) <= 132:
        return [one]
    lines = [f"{indent}/**"] + wrapped(text, f"{indent} * ", f"{indent} * ")
    if tags:
        lines.append(f"{indent} *")
    for tag in tags:
        lines += wrapped(tag, f"{indent} * ", f"{indent} *     ")
    return lines + [f"{indent} */"]


def size_text(number):
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if number and number % 2**bits == 0:
            return f"{number >> bits} {unit}"
    return str(number)


def time_text(ns):
    for unit, length in (("s", 10**9), ("ms", 10**6)):
        if ns % length == 0:
            return f"{ns // length} {unit}"
    return f"{ns} ns"


class Field:
    """One value that Java sees: its name, type and comment, and how it crosses."""

    def __init__(self, api, field, has=None):
        self.api, self.c, self.has = api, field["name"], has
        self.name, kind = field_name(self.c), field["type"].replace("const ", "")
        self.comment, self.initial = " ".join(field["comment"].split()), field.get("default")
        self.comment = re.sub(r"(; copied(?=;)|[;.] [Vv]alid (as long as the \w+|for ever))", "", self.comment)
        base = kind.rstrip("* ")
        raw = f"struct.get{capital(self.c)}()"
        self.type, self.read, self.write = {"int32_t": "int", "uint32_t": "int", "double": "double"}.get(base, "long"), raw, self.name
        if "array" in field and kind != "char":
            self.type = "long[]"
        elif base == "char":
            self.type = "String"
        elif base == "ckpt_bool":
            self.type, self.read, self.write = "boolean", f"{raw} != 0", f"{self.name} ? 1 : 0"
            self.comment = re.sub(r"(^|; |: |, else |, )(0|1|other values)(?=[: ;,.]|$)",
                                  lambda found: found[1] + ("false" if found[2] == "0" else "true"), self.comment)
        elif base in api.groups and base not in api.flags:
            self.type = class_name(base)
            self.read, self.write = f"{self.type}.of({raw})", f"{self.name}.number()"
        elif base in api.flags:
            self.type = "int"
        elif base == "ckpt_tensor_spec":
            self.type = "TensorSpec"
        elif base.startswith("ckpt_"):
            self.type, self.read = class_name(base), "null"
        elif self.c.endswith("_utc_ns"):
            self.type, self.read = "Instant", f"NativeObject.instant({raw})"
            self.comment = re.sub(r",? in nanoseconds since 1970-01-01T00:00:00Z", "", self.comment)
            if re.search(r"\b0: never|; 0 when", self.comment):
                self.type, self.read = "Optional<Instant>", f"NativeObject.instantIfAny({raw})"
                self.comment = re.sub(r"\b0(?=: never| when)", "empty", self.comment)
        elif self.c.endswith("_ns") and not self.c.endswith("_at_ns"):
            self.type, self.read, self.write = "Duration", f"Duration.ofNanos({raw})", f"NativeObject.nanoseconds({self.name})"
            self.comment = re.sub(r",? in nanoseconds\b", "", re.sub(r"^nanoseconds (?=from|for)", "time ", self.comment))
            self.comment = re.sub(r"^nanoseconds (?=since)", "time ", self.comment).replace("-1: for ever", "null: for ever")
        if base == "uint64_t":
            self.comment += " (64 bits without a sign)"
        if has:
            self.comment = re.sub(r"[.;] (Read only when|0 wh\w+) has_\w+ is \w+( 0)?", "", self.comment)
            self.comment += "".join(re.findall(r"yes(; .*)$", has["comment"]))

    @property
    def result(self):
        if not self.has:
            return self.type
        return "Optional" + {"int": "Int"}.get(self.type, capital(self.type))

    @property
    def found(self):
        read = f"{self.result}.of({self.read})"
        return f"struct.getHas_{self.has['name'][4:]}() != 0 ? {read} : {self.result}.empty()" if self.has else self.read

    def start(self):
        """The initial value in Java, and in words."""
        text = self.initial
        if self.has and self.has["default"] == "0" or self.type in ("String", "TensorSpec") or text in ("0", "NULL") and self.read == "null":
            return "null", "none"
        names = re.findall(r"CKPT_\w+", text)
        if names and names[0] in self.api.links:
            words = [self.api.links[name] for name in names]
            return " | ".join(f"{owner}.{value}" for owner, value in words), " and ".join(f"{{@link {owner}#{value}}}" for owner, value in words)
        if self.type in ("int", "long") or self.type == "Duration":
            number = self.api.values[names[0]] if names else int(text)
            if self.type == "Duration":
                return f"Duration.ofNanos({number}L)", time_text(number)
            return f"{number}L" if self.type == "long" else str(number), size_text(number) if self.c.endswith("_bytes") else str(number)
        if self.type == "boolean":
            return ("false", "false") if text == "0" else ("true", "true")
        if self.type == "double":
            return (text, text)
        value = next(value for value, number in self.api.groups["ckpt_" + re.sub(r"(?<!^)(?=[A-Z])", "_", self.type).lower()] if number == int(text))
        return f"{self.type}.{value}", f"{{@link {self.type}#{value}}}"


class Spec(Field):
    """Element type, number of dimensions and lengths as one value."""

    def __init__(self, api, field):
        super().__init__(api, {**field, "name": "spec", "type": "ckpt_tensor_spec"})
        self.comment = re.sub(r"^element type", "element type and shape", re.sub(r"\b0 when", "null when", field["comment"]))
        self.read = "struct.getDtype() == 0 ? null : TensorSpec.of(struct.getDtype(), struct.getNdim(), struct.getShape())"


class Java:
    def __init__(self, api):
        self.api = api
        self.values = {constant["name"]: constant["value"] for constant in api["constants"]}
        self.groups, self.links, self.flags, self.comments = {}, {}, set(), {}
        for kind in [*api["types"], {"name": "ckpt_status"}]:
            prefix = "CKPT_E_" if kind["name"] == "ckpt_status" else kind["name"].upper() + "_"
            members = [constant for constant in api["constants"] if constant["name"].startswith(prefix) or prefix == "CKPT_E_" and constant["name"] == "CKPT_OK"]
            if not members:
                continue
            if kind.get("type") == "uint32_t":
                self.flags.add(kind["name"])
            self.groups[kind["name"]] = []
            for constant in members:
                value = constant["name"].removeprefix(prefix).removeprefix("CKPT_")
                value = VALUES.get(value, value)
                self.groups[kind["name"]].append((value, constant["value"]))
                self.links[constant["name"]] = class_name(kind["name"]), value
                self.comments[class_name(kind["name"]), value] = constant["comment"]
        self.fields = {field["name"] for struct in api["structs"] for field in struct["fields"]}
        self.handles = sorted((handle["name"] for handle in api["handles"]), key=len, reverse=True)
        parameters = [parameter for function in api["functions"] if not function["name"].endswith("_init") for parameter in function["parameters"]]
        self.passed = {parameter["type"].replace("const ", "").rstrip("*").strip() for parameter in parameters}
        self.given = {parameter["type"][6:].rstrip("*") for parameter in parameters if parameter["type"].startswith("const ckpt_")}
        self.filled = {parameter["type"].rstrip("*") for parameter in parameters if re.fullmatch(r"ckpt_\w+\*", parameter["type"])}
        self.listed = {function["parameters"][n - 1]["type"].rstrip("*") for function in api["functions"]
                       for n, parameter in enumerate(function["parameters"]) if parameter["name"] == "capacity"}

    # ---- Words ----

    def prose(self, text):
        def constant(found):
            name = found[0]
            if name.endswith("*"):
                return "{@link " + class_name(name.rstrip("_*").lower().replace("ckpt_e", "ckpt_status")) + "}"
            if name in self.links:
                return "{@link %s#%s}" % self.links[name]
            return str(self.values[name.removesuffix("-1")] - name.endswith("-1"))

        def other(found):
            name = found[0]
            for handle in self.handles:
                if name.startswith(handle + "_") and not any(struct["name"] == name for struct in self.api["structs"]):
                    return "{@code " + class_name(handle) + "." + camel(name.removeprefix(handle + "_").removeprefix("get_")) + "}"
            return "{@link " + class_name(name) + "}"

        text = re.sub(r":? one of CKPT_[A-Z_]+\*$", "", " ".join(text.split()).rstrip(" \\"))
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        text = re.sub(r"\bckpt_[a-z0-9_]+", other, re.sub(r"\bCKPT_[A-Z0-9_]+(\*|-1)?", constant, text))
        return re.sub(r"\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b", lambda found: field_name(found[0]) if found[0] in self.fields else found[0], text)

    def file(self, name, lines, imports=()):
        head = [f"// {MADE}", "package org.ckpt;", ""]
        text = "\n".join(lines).replace("~", " ")
        used = sorted(full for full in imports if re.search(rf"\b{full.rsplit('.', 1)[1]}\b", text))
        if used:
            head += [f"import {full};" for full in used] + [""]
        return FOLDER + name + ".java", "\n".join([*head, text, ""])

    # ---- Enums and exceptions ----

    def enum(self, kind, comment):
        name, lines = class_name(kind), []
        for value, number in self.groups[kind]:
            lines += javadoc("  ", self.prose(self.comments[name, value])) + [f"  {value}({number}),", ""]
        lines += ["  /** A number that this version does not know: a newer library has it. */", "  UNKNOWN(Integer.MIN_VALUE);", ""]
        return self.file(name, javadoc("", self.prose(comment)) + [f"public enum {name} {{"] + lines + [NUMBER.format(name=name), "}"])

    def flag_class(self, kind, comment):
        name, lines = class_name(kind), []
        for value, number in self.groups[kind]:
            lines += javadoc("  ", self.prose(self.comments[name, value])) + [f"  public static final int {value} = {number};", ""]
        return self.file(name, javadoc("", self.prose(comment)) + [f"public final class {name} {{"] + lines + [f"  private {name}() {{}}", "}"])

    def exceptions(self):
        cases = []
        for value, number in self.groups["ckpt_status"][1:]:
            name = f"Ckpt{class_name(value.lower())}Exception"
            lines = javadoc("", self.prose(self.comments["Status", value])) + [
                f"public class {name} extends CkptException {{", "  private static final long serialVersionUID = 1L;", ""]
            lines += javadoc("  ", "an exception of this kind, for callbacks to throw too", ["@param message one line of text"])
            yield self.file(name, lines + [f"  public {name}(String message) {{", f"    super(Status.{value}, message);", "  }", "}"])
            cases.append(f"      case {value} -> new {name}(message);")
        yield self.file("Exceptions", ["/** The exception for each status. */", "final class Exceptions {", "  private Exceptions() {}", "",
                                       "  static CkptException of(Status status, String message) {", "    return switch (status) {", *cases,
                                       "      default -> new CkptException(status, message);", "    };", "  }", "}"])

    # ---- Structs ----

    def seen(self, struct):
        """The fields that Java sees: no sizes, functions or arrays; x with has_x is one value, as dtype, ndim and shape are."""
        fields = {field["name"]: field for field in struct["fields"]}
        out, skipped = [], {"struct_size"} | {name for name in fields if re.fullmatch(r"reserved\d*", name)}
        for name in list(fields):
            for value in (name[4:], name[4:] + "_bytes", name[4:] + "_id") if name.startswith("has_") else ():
                if value in fields and (fields[name]["comment"].startswith("whether") or name in fields[value]["comment"]):
                    fields[value] = {**fields[value], "has": fields[name]}
                    skipped.add(name)
        if "shape" in fields:
            skipped |= {"ndim", "shape"}
        for name, field in fields.items():
            kind = field["type"].replace("const ", "")
            if kind.endswith(("_fn", "_callbacks*")) or kind == "void*" or kind.endswith("user_data") or name + "_count" in fields:
                skipped |= {name, name + "_count"}
            if kind.startswith("ckpt_") and kind.endswith("*") and kind.rstrip("*") not in self.handles + ["ckpt_tensor_spec"]:
                skipped.add(name)
            if name in skipped:
                continue
            out.append(Spec(self, field) if name == "dtype" and "shape" in fields else Field(self, field, field.get("has")))
        return out

    IMPORTS = ("java.lang.ref.Reference", "java.time.Duration", "java.time.Instant", "java.util.ArrayList", "java.util.List",
               "java.util.Optional", "java.util.OptionalDouble", "java.util.OptionalInt", "java.util.OptionalLong")

    def from_struct(self, struct, name):
        kind = struct["name"]
        lines = [f"  static {name} from(NativeObject.Into<{kind}> call) {{", f"    try ({kind} struct = new {kind}()) {{",
                 "      call.call(struct);", "      return of(struct);", "    }", "  }"]
        if kind in self.listed:
            lines += ["", f"  static List<{name}> listed({kind}[] structs) {{", f"    List<{name}> all = new ArrayList<>();",
                      f"    for ({kind} struct : structs) {{", "      try (struct) {", "        all.add(of(struct));", "      }", "    }",
                      "    return List.copyOf(all);", "  }"]
        return lines

    def record(self, struct):
        name, fields = class_name(struct["name"]), self.seen(struct)
        tags = [f"@param {field.name} {self.prose(field.comment)}" for field in fields]
        lines = javadoc("", self.prose(struct["comment"]), tags) + [f"public record {name}("]
        after = f" implements {BEHAVIOUR[name]} {{" if name in BEHAVIOUR else " {"
        lines += wrapped(", ".join(f"{field.result}~{field.name}" for field in fields) + ")" + after, "    ", "    ")
        if crosses(struct, self.passed) and has_size(struct):
            reads = ", ".join(field.found for field in fields)
            lines += [f"  static {name} of({struct['name']} struct) {{", f"    return new {name}(", *wrapped(reads + ");", "        ", "        "), "  }", ""]
            lines += self.from_struct(struct, name)
        elif not any(field.type == "String" for field in fields):
            reads = ", ".join(re.sub(r"struct\.get\w+\(\)", "(int)~in.next()" if field.type != "boolean" else "in.next()", field.read)
                              if field.type not in ("TensorSpec", "int", "long") else {"TensorSpec": "in.spec()", "int": "(int)~in.next()", "long": "in.next()"}[field.type]
                              for field in fields)
            lines += [f"  static {name} of(NumberReader in) {{", f"    return new {name}(", *wrapped(reads + ");", "        ", "        "), "  }"]
            if not any(field.type == "TensorSpec" for field in fields):
                lines += ["", "  long[] numbers() {", *wrapped("return new long[] {" + ", ".join(field.write for field in fields) + "};", "    ", "        "), "  }"]
        return self.file(name, lines + ["}"], self.IMPORTS)

    def option(self, struct):
        name, kind, fields = class_name(struct["name"]), struct["name"], self.seen(struct)
        held, methods, writes = [], [], []
        for field in fields:
            value, words = field.start()
            boxed = BOXES[field.type] if field.has else field.type
            held.append(f"  private {boxed} {field.name} = {value};")
            accepted = ACCEPTED.get(field.type, field.type)
            taken = f"{field.type}.of({field.name})" if accepted != field.type else field.name
            text = sentence(self.prose(field.comment)) + ("" if value == "null" and re.search(r"\b[Nn]one( or empty)?:", field.comment) else f" Default: {words}.")
            methods += ["", *javadoc("  ", text, [f"@param {field.name} the value", "@return this"]), f"  public {name} {field.name}({accepted} {field.name}) {{",
                        f"    this.{field.name} = {taken};", "    return this;", "  }"]
            if field.has and value != "null":
                no = "no" + capital(camel(field.has["name"][4:]))
                methods += ["", *javadoc("  ", f"takes {field.name} away", ["@return this"]), f"  public {name} {no}() {{",
                            f"    {field.name} = null;", "    return this;", "  }"]
            got = f"{field.name} == null ? {field.result}.empty() : {field.result}.of({field.name})" if field.has else field.name
            methods += ["", *javadoc("  ", f"what {{@link #{field.name}({accepted})}} set", ["@return the value"]), f"  public {field.result} {field.name}() {{",
                        f"    return {got};", "  }"]
            setter = f"struct.set{capital(field.c)}({field.write});"
            if isinstance(field, Spec):
                writes += ["    if (spec != null) {", "      struct.setDtype(spec.dtype().number());", "      struct.setNdim(spec.shape().length);",
                           "      struct.setShape(spec.shape());", "    }"]
            elif field.has:
                flag = capital(field.has["name"])
                writes += [f"    struct.set{flag}({field.name} == null ? 0 : 1);", f"    if ({field.name} != null) {setter}"]
            else:
                writes.append(f"    if ({field.name} != null) {setter}" if value == "null" else f"    {setter}")
        lines = javadoc("", self.prose(struct["comment"])) + [f"public final class {name} {{", *held, "", "  /** All defaults. */", f"  public {name}() {{}}", *methods, ""]
        lines += ["  /** Calls with a struct of these values, which stay alive meanwhile. */", f"  void with(NativeObject.Into<{kind}> call) {{",
                  f"    try ({kind} struct = new {kind}()) {{", *("  " + line for line in writes), "      call.call(struct);", "    } finally {",
                  "      Reference.reachabilityFence(this);", "    }", "  }"]
        if kind in self.filled:
            sets = [f"    made.{field.name} = {field.read};" for field in fields if field.read != "null"]
            lines += ["", f"  static {name} of({kind} struct) {{", f"    {name} made = new {name}();", *sets, "    return made;", "  }", "", *self.from_struct(struct, name)]
        return self.file(name, lines + ["}"], self.IMPORTS)

    def files(self):
        kinds = {kind["name"]: kind["comment"] for kind in self.api["types"]}
        for kind in self.groups:
            if kind in self.flags:
                yield self.flag_class(kind, kinds[kind])
            elif kind not in BY_HAND or kind == "ckpt_status":
                yield self.enum(kind, "how a call of the library ended" if kind == "ckpt_status" else kinds[kind])
        yield from self.exceptions()
        for struct in self.api["structs"]:
            if struct["name"] in BY_HAND or has_functions(struct) and not struct["name"].endswith("_options"):
                continue
            yield self.option(struct) if has_size(struct) and struct["name"] in self.given else self.record(struct)


def files(api):
    return dict(Java(api).files())
