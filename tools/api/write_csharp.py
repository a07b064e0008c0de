"""The plain data of C#: enums, exceptions, options and results with their documentation, and conversions to and from SWIG's
structs."""

import re
from xml.sax.saxutils import escape

from text import Words, bare, camel, capital, listing, wrapped

NUMBERS = {"int32_t": "int", "int64_t": "long", "uint32_t": "uint", "uint64_t": "ulong", "double": "double"}
PROPERTIES = {("ckpt_step", "step"): "Number"}  # a member cannot have its class's name
FROZEN = {"ckpt_schedule_action", "ckpt_drive_call", "ckpt_layer_option", "ckpt_pipeline_interval"}  # values with the same layout in C and C#
HAND_WRITTEN = {"ckpt_storage_range"}  # holds memory for a call
RAW = {"ckpt_tensor_spec", "ckpt_layer_context", "ckpt_memory_event", "ckpt_strategy_question"}  # callbacks get their address
NAMES = {"ckpt_status": "CkptStatus", "ckpt_strategy": "ICheckpointStrategy"}  # the interface is accepted instead of the class
FAMILIES = {"ckpt": "Library", "ckpt_interval": "Intervals", "ckpt_blas": "Blas", "ckpt_dtype": "DTypes"}  # classes of static methods
OWN_NAMES = {  # names in C# that differ from C
    "ckpt_state_add_tensor": "Add",
    "ckpt_schedule_place": "ReservedBytes",
    "ckpt_memory_tracker_record_deallocation_layer": "RecordDeallocation",
    "ckpt_tensor_copy": "CopyFrom",
    "ckpt_tensor_export_dlpack": "ToDLPack",
    "ckpt_tensor_export_dlpack_versioned": "ToDLPackVersioned",
    "ckpt_reader_read": "ReadInto",
    "ckpt_reader_read_new": "Read",
    "ckpt_blas_get_info": "Info",
}
FORMS = {  # by kind: type, the value of a field of C's struct, the statement that sets it
    "truth": ("bool", "from.{c} != 0", "to.{c} = {given} ? 1 : 0;"),
    "enum": ("{name}", "({name})from.{c}", "to.{c} = ({in_c}){given};"),
    "number": ("{number}", "from.{c}", "to.{c} = {given};"),
    "duration": ("TimeSpan", "Times.OfNanoseconds(from.{c})", "to.{c} = Times.Nanoseconds({given});"),
    "instant": ("DateTime", "Times.Utc(from.{c})", ""),
    "instant or none": ("DateTime?", "from.{c} == 0 ? (DateTime?)null : Times.Utc(from.{c})", ""),
    "text": ("string", 'Utf8.Text(from.{c}) ?? ""', "to.{c} = memory.Of({given});"),
    "chars": ("string", "from.{c}", ""),
    "shape": ("long[]", "NativeList.Copied(from.{c}, from.ndim)",
              "to.ndim = {given}.Length;\nfixed (long* lengths = NativeList.Lengths({given})) to.{c} = lengths;"),
    "numbers": ("{number}[]", "NativeList.Copied(from.{c}, {length})", ""),
    "handle": ("{name}", "", "to.{c} = memory.Of({given});"),
    "struct": ("{name}", "new {name}(*from.{c})", ""),  # a separate argument of the call, like lists
    "list": ("{element}[]", "", ""),
}
USES = (("System", r"\b(Action|TimeSpan|DateTime|IntPtr|Flags)\b"), ("System.Diagnostics.CodeAnalysis", "MaybeNull"),
        ("System.Runtime.InteropServices", "StructLayout"), ("Ckpt.Interop", r"\b(ckpt_|native\.|Shown|Times|Utf8)"))
LAYOUT = "[StructLayout(LayoutKind.Sequential)]"
TO_STRING = ["", "/// <summary>The values in one line.</summary>", "/// <returns>The text.</returns>"]
NEW_EXCEPTION = ["/// <summary>Creates an error with this message. If a callback throws it, the operation fails with its status.</summary>",
                 '/// <param name="message">One line that names the argument and the value.</param>']


def block(head, *lines):
    """Returns a declaration with these lines in its braces."""
    return [head, "{", *("    " + line if line else line for line in lines), "}"]


def class_of(name):
    return NAMES.get(name, camel(name))


def constant_name(constant):
    if constant.group.name == "ckpt_dtype":
        return constant.short.replace("_", "").replace("BOOL", "Bool").replace("FNUZ", "Fnuz")
    return camel(constant.short)


def named(constant):
    return f"{class_of(constant.group.name)}.{constant_name(constant)}"


def property_of(name):
    """Returns the name of a property. Durations and instants have types with a unit; times on other clocks keep the unit in
    their name."""
    return camel(re.sub("(?<!utc)_ns$", "", name.replace("_at_ns", "_at_nanoseconds")).removesuffix("_ns"))


def is_settable(struct):
    return struct.is_options or "in" in struct.directions and struct.has_size and not struct.is_table


def see(name):
    return f'<see\0cref="{name}"/>'


class CsharpWords(Words):
    absent, no_timeout, no_instant = "null", "Timeout.InfiniteTimeSpan", "null"
    short_groups = ("ckpt_status", "ckpt_action_kind", "ckpt_item", "ckpt_checkpoint_task_state")
    escaped = staticmethod(escape)

    def constant(self, constant):
        return see(named(constant))

    def type(self, name):
        return see(class_of(name))

    def function(self, name, owner, method):
        return f"<c>{FAMILIES.get(owner) or camel(owner)}.{OWN_NAMES.get(name) or camel(method)}</c>"

    def field(self, name, struct):
        own = struct and any(value.name == name for value in struct.values)
        return see(property_of(name)) if own else f"<c>{property_of(name)}</c>"

    def member(self, owner, name, struct):
        return f"<c>{class_of(owner) if owner.startswith('ckpt_') else owner}.{property_of(name)}</c>"

    def null_of(self, value, struct):
        """Returns the word for NULL. Strings and lists that a call fills are never null."""
        filled = struct and not is_settable(struct)
        return "empty" if value.kind in ("shape", "list") or value.kind == "text" and filled else self.null

    def summary(self, text):
        return wrapped(f"<summary>{capital(text).rstrip('.')}.</summary>", "/// ", width=124)


class Member:
    """A value as a property."""

    def __init__(self, words, struct, value):
        self.value, self.comment = value, words.summary(words.of(value, struct))
        self.property = PROPERTIES.get((struct.name, value.name)) or property_of(value.name)
        names = {"number": NUMBERS.get(value.bare), "name": class_of(value.bare), "given": "from." + self.property,
                 "element": NUMBERS.get(value.bare, class_of(value.bare)), "in_c": NUMBERS.get(value.group and value.group.type)}
        self.type, self.read, self.write = (value.filled(form, **names) for form in FORMS.get(value.kind, FORMS["number"]))
        if value.has:
            self.type += "?"
            self.read = f"from.{value.has} != 0 ? {self.read} : ({self.type})null"
            self.write = f"to.{value.has} = from.{self.property} == null ? 0 : 1;\nto.{value.name} = from.{self.property} ?? 0;"

    def initial(self):
        """Returns the initial value; "" if it is the default of C#."""
        value = self.value
        if value.kind in ("list", "shape"):
            return f"new {self.type[:-2]}[0]"
        if value.kind == "enum":
            return " | ".join(map(named, value.initial()))
        if value.initially_absent or value.default in ("0", "0.0", "{ 0 }"):
            return ""
        if value.kind == "duration":
            ticks = int(value.default) // 100
            return f"TimeSpan.FromTicks({ticks})" if ticks > 0 else "System.Threading.Timeout.InfiniteTimeSpan"
        return "true" if value.kind == "truth" else value.default


class Writer:
    def __init__(self, model):
        self.model, self.words = model, CsharpWords(model)

    def documented(self, entry):
        return self.words.summary(self.words.text(entry.comment))

    def declared(self, entry, head, lines, attributes=()):
        return [*self.documented(entry), *attributes, *block(f"public {head}", *lines), ""]

    def members(self, struct):
        return [Member(self.words, struct, value) for value in struct.values]

    def shown(self, struct):
        values = ", ".join(f'"{member.property}", {member.property}' for member in self.members(struct))
        call = wrapped(f'return Shown.Of("{camel(struct.name)}", {values});', "", "    ", 116)
        return TO_STRING + block("public override string ToString()", *call)

    def filled(self, struct, created):
        """Returns the method that creates the object from a struct that a call fills."""
        using = block(f"using (var from = new {struct.name}())", "fill(from);", *wrapped(f"return {created};", "", "    ", 112))
        return ["", *block(f"internal static {camel(struct.name)} Filled(Action<{struct.name}> fill)", *using)]

    def settable(self, struct):
        lines, members, name = [], self.members(struct), camel(struct.name)
        for member in members:
            initial = f" = {member.initial()};" if member.initial() else ""
            lines += member.comment + ["[MaybeNull, AllowNull]"] * (member.value.kind in ("text", "handle", "struct"))
            lines += [f"public {member.type} {member.property} {{ get; set; }}{initial}", ""]
        writes = [line for member in members for line in member.write.splitlines()]
        lines += block(f"internal static {struct.name} Native({name} from, CallMemory memory)", "if (from == null) return null;",
                       f"var to = memory.Add(new {struct.name}());", *writes, "return to;")
        if "out" in struct.directions:
            values = ", ".join(f"{member.property}\0=\0{member.read}" for member in members if member.read)
            lines += self.filled(struct, f"new {name} {{ {values} }}")
        return self.declared(struct, f"sealed unsafe partial class {name}", lines + self.shown(struct))

    def result(self, struct):
        name, raw, members = camel(struct.name), struct.name in RAW, self.members(struct)
        reads = [f"{member.property} = {member.read or f'{member.type}.Lent((IntPtr)from.{member.value.name})'};"
                 for member in members if member.read or raw]
        lines = block(f"internal {name}({'Native' + name if raw else struct.name} from)", *reads)
        if not raw or struct.name == "ckpt_memory_event":
            lines += self.filled(struct, f"new {name}(*(Native{name}*){struct.name}.getCPtr(from).Handle)" if raw else f"new {name}(from)")
        for member in members:
            lines += ["", *member.comment, *["[MaybeNull]"] * (member.value.kind == "handle"),
                      f"public {member.type} {member.property} {{ get; }}"]
        return self.declared(struct, f"sealed unsafe partial class {name}", lines + self.shown(struct))

    def raw(self, struct):
        fields = []
        for field in struct.fields:
            kind = {**NUMBERS, "char": "IntPtr", "ckpt_tensor_spec": "NativeTensorSpec"}.get(bare(field["type"]), "int")
            kind += "*" if "*" in field["type"] and kind != "IntPtr" else ""
            fixed, length = ("fixed ", f"[{field['array'][0]}]") if "array" in field else ("", "")
            fields.append(f"internal {fixed}{kind} {field['name']}{length};")
        return [LAYOUT, *block(f"internal unsafe struct Native{camel(struct.name)}", *fields), ""]

    def frozen(self, struct):
        lines = []
        for field in struct.fields:
            ends = range(field["array"][0]) if "array" in field else [""]
            lines += [f"private {NUMBERS.get(field['type'], 'int')} {field['name']}{end};" for end in ends]
        for member in self.members(struct):
            there, back = (f"({member.type})", "(int)") if member.value.kind == "enum" else ("", "")
            get, put = f"get {{ return {there}{member.value.name}; }}", f"set {{ {member.value.name} = {back}value; }}"
            lines += ["", *member.comment, f"public {member.type} {member.property} {{ {get} {put} }}"]
        return self.declared(struct, f"partial struct {camel(struct.name)}", lines + self.shown(struct), [LAYOUT])

    def virtual(self, struct, name):
        """Returns virtual properties for the values of a table of functions, which a derived class may override."""
        lines = []
        for member in self.members(struct):
            value = member.initial() or f"default({member.type})"
            lines += [*member.comment, f"public virtual {member.type} {member.property} {{ get {{ return {value}; }} }}"]
        return [*block(f"public abstract partial class {name}", *lines), ""]

    def enum(self, group):
        lines = []
        if all(constant.value != 0 for constant in group.constants):
            lines += [f"/// <summary>{'None of the flags' if group.is_sum else 'No value'}.</summary>", "None = 0,"]
        for constant in group.constants:
            lines += self.documented(constant) + [f"{constant_name(constant)} = {constant.value},"]
        head = f"enum {class_of(group.name)}" + (" : uint" if group.type == "uint32_t" else "")
        return self.declared(group, head, lines, ["[Flags]"] * group.is_sum)

    def exceptions(self):
        names = {f"Ckpt{camel(status.short)}Exception": status for status in self.model.errors}
        cases = [f"case {status.value}: return new {name}(message);" for name, status in names.items()]
        switch = block("switch (status)", *cases, "default: return new CkptException((CkptStatus)status, message);")
        created = block("private static CkptException Created(int status, string message)", *switch)
        lines = [*block("public partial class CkptException", *created), ""]
        for name, status in names.items():
            constructor = NEW_EXCEPTION + block(f"public {name}(string message) : base({named(status)}, message)")
            lines += self.declared(status, f"partial class {name} : CkptException", constructor)
        return lines

    def struct(self, struct):
        name = struct.name
        if name == "ckpt_layer_callbacks":
            return self.virtual(struct, "CustomLayer")
        if name in FROZEN:
            return self.frozen(struct)
        if is_settable(struct):
            return self.settable(struct)
        return [] if struct.is_table or name in HAND_WRITTEN else (self.raw(struct) if name in RAW else []) + self.result(struct)

    def file(self, header):
        parts = [self.enum(group) for group in self.model.groups.values() if group.header == header]
        parts += [self.exceptions()] if header == "base.h" else []
        parts += [self.struct(struct) for struct in self.model.structs if struct.header == header]
        lines = [line for part in parts for line in part][:-1]
        used = [f"using {name};" for name, pattern in USES if re.search(pattern, "\n".join(lines))]
        return listing([*used, "", *block("namespace Ckpt", *lines)])


def files(model):
    writer = Writer(model)
    created = {f"bindings/csharp/generated/{camel(header[:-2])}.cs": writer.file(header) for header in model.headers}
    texts = [f"CKPT_TEXT_MEMBER({struct.name}::{value.name})" for struct in model.structs if struct.has_size and struct.crosses
             for value in struct.values if value.kind == "text"]  # passed as addresses
    return {**created, "bindings/csharp/generated/members.i": listing(texts)}
