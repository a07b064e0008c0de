"""The plain data of C#: enums, exceptions, options and results with their documentation, and copies to and from SWIG's structs."""

import re
from xml.sax.saxutils import escape

from text import MADE, Frames, Words, bare, camel, capital, wrapped

frame = Frames("csharp")
NUMBERS = {"int32_t": "int", "int64_t": "long", "uint32_t": "uint", "uint64_t": "ulong", "double": "double"}
PROPERTIES = {("ckpt_step", "step"): "Number"}  # a member cannot have its class's name
GIVEN = {"ckpt_step", "ckpt_activation_policy", "ckpt_layer_profile", "ckpt_option_profile"}  # set by callers, as options are
FROZEN = {"ckpt_schedule_action", "ckpt_layer_option", "ckpt_pipeline_interval"}  # values of the same layout on both sides
RAW = {"ckpt_tensor_spec", "ckpt_layer_context", "ckpt_memory_event", "ckpt_strategy_question"}  # callbacks get their address
NAMES = {"ckpt_status": "CkptStatus", "ckpt_strategy": "ICheckpointStrategy"}  # the latter is accepted in the class's place
USES = (("System", r"\b(Action|TimeSpan|DateTime|IntPtr|Flags)\b"), ("System.Diagnostics.CodeAnalysis", "MaybeNull"),
        ("System.Runtime.InteropServices", "StructLayout"), ("Ckpt.Interop", r"\b(ckpt_|native\.|Shown|Times|Utf8)"))
FORMS = {  # by kind: type, the value of a field of C's struct, the statement that sets it
    "truth": ("bool", "from.{c} != 0", "to.{c} = {given} ? 1 : 0;"),
    "enum": ("{name}", "({name})from.{c}", "to.{c} = ({in_c}){given};"),
    "number": ("{number}", "from.{c}", "to.{c} = {given};"),
    "duration": ("TimeSpan", "Times.OfNanoseconds(from.{c})", "to.{c} = Times.Nanoseconds({given});"),
    "instant": ("DateTime", "Times.Utc(from.{c})", ""),
    "instant or none": ("DateTime?", "from.{c} == 0 ? (DateTime?)null : Times.Utc(from.{c})", ""),
    "text": ("string", 'Utf8.Text(from.{c}) ?? ""', "to.{c} = memory.Of({given});"),
    "chars": ("string", "from.{c}", ""),
    "shape": ("long[]", "NativeList.Copied(from.{c}, from.ndim)", "to.ndim = {given}.Length;\n"
              "            fixed (long* lengths = NativeList.Lengths({given})) to.{c} = lengths;"),
    "numbers": ("{number}[]", "NativeList.Copied(from.{c}, {length})", ""),
    "handle": ("{name}", "", "to.{c} = memory.Of({given});"),
    "struct": ("{name}", "new {name}(*from.{c})", ""),  # it is an argument of the call, as lists are
    "list": ("{element}[]", "", ""),
}
LAYOUT = "    [StructLayout(LayoutKind.Sequential)]"


def class_of(name):
    return NAMES.get(name, camel(name))


def constant_name(constant):
    if constant.group.name == "ckpt_dtype":
        return constant.short.replace("_", "").replace("BOOL", "Bool").replace("FNUZ", "Fnuz")
    return camel(constant.short)


def named(constant):
    return f"{class_of(constant.group.name)}.{constant_name(constant)}"


def property_of(name):
    """Durations and instants have types that know the unit; times on other clocks keep it in their name."""
    return camel(re.sub("(?<!utc)_ns$", "", name.replace("_at_ns", "_at_nanoseconds")).removesuffix("_ns"))


def see(name):
    return f'<see\0cref="{name}"/>'


class CsharpWords(Words):
    none, absent, for_ever, never = "null", "null", "Timeout.InfiniteTimeSpan", "null"
    short_groups = ("ckpt_status", "ckpt_action_kind", "ckpt_item", "ckpt_checkpoint_task_state")
    escaped = staticmethod(escape)

    def constant(self, constant):
        return see(named(constant))

    def type(self, name):
        return see(class_of(name))

    def function(self, name, owner, method):
        return f"<c>{camel(owner)}.{camel(method)}</c>"

    def field(self, name, struct):
        own = struct and any(value.name == name for value in struct.values)
        return see(property_of(name)) if own else f"<c>{property_of(name)}</c>"

    def summary(self, text, indent):
        return wrapped(f"<summary>{capital(text).rstrip('.')}.</summary>", " " * indent + "/// ")


class Member:
    """A value as a property."""

    def __init__(self, words, struct, value):
        self.value, self.comment = value, words.summary(words.of(value, struct), 8)
        self.property = PROPERTIES.get((struct.name, value.name)) or property_of(value.name)
        names = {"number": NUMBERS.get(value.bare), "name": class_of(value.bare), "given": "from." + self.property,
                 "element": NUMBERS.get(value.bare, camel(value.bare)), "in_c": NUMBERS.get(value.group and value.group.type)}
        self.type, self.read, self.write = (value.filled(form, **names) for form in FORMS.get(value.kind, FORMS["number"]))
        if value.has:
            self.type += "?"
            self.read = f"from.{value.has} != 0 ? {self.read} : ({self.type})null"
            there = f"from.{self.property} == null ? 0 : 1"
            self.write = f"to.{value.has} = {there};\n            to.{value.name} = from.{self.property} ?? 0;"

    def initial(self):
        """Nothing where C# begins with the same."""
        value = self.value
        if value.kind in ("list", "shape"):
            return f"new {self.type[:-2]}[0]"
        if value.kind == "enum":
            return " | ".join(map(named, value.initial()))
        if value.begins_absent or value.default in ("0", "0.0", "{ 0 }"):
            return ""
        if value.kind == "duration":
            ticks = int(value.default) // 100
            return f"TimeSpan.FromTicks({ticks})" if ticks > 0 else "System.Threading.Timeout.InfiniteTimeSpan"
        return "true" if value.kind == "truth" else value.default


class Writer:
    def __init__(self, model):
        self.model, self.words = model, CsharpWords(model)

    def opened(self, entry, words, rest=""):
        return self.documented(entry, 4) + [f"    public {words} {class_of(entry.name)}{rest}", "    {"]

    def documented(self, entry, indent):
        return self.words.summary(self.words.text(entry.comment), indent)

    def members(self, struct):
        return [Member(self.words, struct, value) for value in struct.values]

    def shown(self, struct):
        values = ", ".join(f'"{member.property}", {member.property}' for member in self.members(struct))
        call = wrapped(f'return Shown.Of("{camel(struct.name)}", {values});', width=112)
        return [frame("shown", call=("\n" + " " * 16).join(call))]

    def reading(self, struct):
        """What makes one of a struct, and of what a call fills."""
        name, raw = camel(struct.name), struct.name
        values = [f"{member.property} = {member.read}" for member in self.members(struct) if member.read]
        if raw in GIVEN:
            made = "\n".join([f"new {name}", " " * 16 + "{", *(" " * 20 + value + "," for value in values), " " * 16 + "}"])
            return [frame("filled", name=name, raw=raw, value=made)]
        given, value = ("Native" + name, f"*(Native{name}*){raw}.getCPtr(from).Handle") if raw in RAW else (raw, "from")
        lines = [f"        internal {name}({given} from)", "        {", *(f"            {value};" for value in values), "        }"]
        filled = raw not in RAW or raw == "ckpt_memory_event"
        return lines + [frame("filled", name=name, raw=raw, value=f"new {name}({value})")] * filled

    def settable(self, struct):
        lines, members = self.opened(struct, "sealed unsafe partial class"), self.members(struct)
        for member in members:
            initial = f" = {member.initial()};" if member.initial() else ""
            lines += member.comment + ["        [MaybeNull, AllowNull]"] * (member.value.kind in ("text", "handle", "struct"))
            lines += [f"        public {member.type} {member.property} {{ get; set; }}{initial}", ""]
        statements = "\n".join(" " * 12 + member.write for member in members if member.write)
        lines.append(frame("native", raw=struct.name, name=camel(struct.name), statements=statements))
        return lines + (self.reading(struct) if struct.name in GIVEN - {"ckpt_step"} else []) + self.shown(struct)

    def result(self, struct):
        lines = self.opened(struct, "sealed unsafe partial class") + self.reading(struct)
        for member in self.members(struct):
            lines += ["", *member.comment, f"        public {member.type} {member.property} {{ get; }}"]
        return lines + self.shown(struct)

    def raw(self, struct):
        lines = [LAYOUT, f"    internal unsafe struct Native{camel(struct.name)}", "    {"]
        for field in struct.fields:
            kind = {**NUMBERS, "char": "IntPtr", "ckpt_tensor_spec": "NativeTensorSpec"}.get(bare(field["type"]), "int")
            kind += "*" if "*" in field["type"] and kind != "IntPtr" else ""
            fixed, length = ("fixed ", f"[{field['array'][0]}]") if "array" in field else ("", "")
            lines.append(f"        internal {fixed}{kind} {field['name']}{length};")
        return lines + ["    }", ""]

    def frozen(self, struct):
        lines = self.opened(struct, "partial struct")
        lines.insert(-2, LAYOUT)
        for field in struct.fields:
            ends = range(field["array"][0]) if "array" in field else [""]
            lines += [f"        private {NUMBERS.get(field['type'], 'int')} {field['name']}{end};" for end in ends]
        for member in self.members(struct):
            there, back = (f"({member.type})", "(int)") if member.value.kind == "enum" else ("", "")
            names = {"type": member.type, "property": member.property, "name": member.value.name, "there": there, "back": back}
            lines += ["", *member.comment, frame("accessors", **names)]
        return lines + self.shown(struct)

    def virtual(self, struct, name):
        """What a class of the caller's may say otherwise: the values of a table of functions."""
        lines = [f"    public abstract partial class {name}", "    {"]
        for member in self.members(struct):
            value = member.initial() or f"default({member.type})"
            lines += [*member.comment, frame("virtual", type=member.type, property=member.property, value=value), ""]
        return lines[:-1] + ["    }", ""]

    def enum(self, group):
        lines = self.opened(group, "enum", " : uint" if group.type == "uint32_t" else "")
        lines[-2:-2] = ["    [Flags]"] * group.is_sum
        if all(constant.value != 0 for constant in group.constants):
            lines += ["        /// <summary>None of them.</summary>", "        None = 0,"]
        for constant in group.constants:
            lines += self.documented(constant, 8) + [f"        {constant_name(constant)} = {constant.value},"]
        return lines + ["    }", ""]

    def exceptions(self):
        names = {camel(status.short): status for status in self.model.errors}
        cases = [f"                case {status.value}: return new Ckpt{name}Exception(message);" for name, status in names.items()]
        lines = [frame("factory", cases="\n".join(cases))]
        for name, status in names.items():
            lines += self.documented(status, 4) + [frame("exception", name=name)]
        return lines

    def struct(self, struct):
        name = struct.name
        if name == "ckpt_layer_callbacks":
            return self.virtual(struct, "CustomLayer")
        if name in FROZEN:
            return self.frozen(struct)
        if name in GIVEN or struct.is_options:
            return self.settable(struct)
        return [] if struct.is_table else (self.raw(struct) if name in RAW else []) + self.result(struct)

    def file(self, header):
        parts = [self.enum(group) for group in self.model.groups.values() if group.header == header]
        parts += [self.exceptions()] if header == "base.h" else []
        parts += [self.struct(struct) for struct in self.model.structs if struct.header == header]
        text = "\n".join(line for part in parts for line in part).rstrip()
        heads = [f"using {name};" for name, pattern in USES if re.search(pattern, text)]
        return "\n".join([f"// {MADE}", *heads, "", "namespace Ckpt", "{", text, "}", ""])


def files(model):
    writer = Writer(model)
    made = {f"bindings/csharp/made/{camel(header[:-2])}.cs": writer.file(header) for header in model.headers}
    texts = [f"CKPT_TEXT_MEMBER({struct.name}::{value.name})" for struct in model.structs if struct.has_size and struct.crosses
             for value in struct.values if value.kind == "text"]  # borrowed as addresses
    return {**made, "bindings/csharp/made/members.i": "\n".join([f"// {MADE}", *texts, ""])}
