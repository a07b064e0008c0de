"""C#'s plain data: enums, exceptions, options and results with the headers' comments as documentation, and what copies them to and
from the structs that SWIG wraps."""

import re
import textwrap
from xml.sax.saxutils import escape

from write_c import MADE, has_size
from write_swig import crosses, has_functions, passed_structs

WORDS = {"dtype": "DType", "adamw": "AdamW", "1f1b": "OneForwardOneBackward", "gpipe": "GPipe"}
NUMBERS = {"int32_t": "int", "int64_t": "long", "uint32_t": "uint", "uint64_t": "ulong", "double": "double"}
PROPERTIES = {("ckpt_step", "step"): "Number"}  # a member cannot have its class's name
ABSENT = {"has_retain_limit": "retain_limit_bytes", "has_layer": "layer_id"}  # whose value has another name
SETTABLE = {"ckpt_step", "ckpt_activation_policy", "ckpt_layer_profile", "ckpt_option_profile"}  # given, as options are
FROZEN = {"ckpt_schedule_action", "ckpt_layer_option", "ckpt_pipeline_interval"}  # values of the same layout on both sides
RAW = {"ckpt_tensor_spec", "ckpt_layer_context", "ckpt_memory_event", "ckpt_strategy_question"}  # callbacks get their address
INTERFACES = {"Strategy": "ICheckpointStrategy"}  # what is accepted in a class's place


def camel(name):
    return "".join(WORDS.get(word, word.capitalize()) for word in name.lower().split("_"))


def class_of(name):
    return camel(re.search(r"ckpt_(\w+)", name).group(1))


def value_of(group, constant):
    rest = constant[len(group) + 1:]
    return rest.replace("_", "").replace("BOOL", "Bool").replace("FNUZ", "Fnuz") if group == "CKPT_DTYPE" else camel(rest)


def struct_of(kind):
    return kind.replace("const ", "").rstrip("*").strip()


class Writer:
    def __init__(self, api):
        self.api = api
        self.structs = {struct["name"]: struct for struct in api["structs"]}
        self.handles = {handle["name"] for handle in api["handles"]}
        self.groups = {kind["name"]: [constant for constant in api["constants"] if constant["name"].startswith(kind["name"].upper() + "_")]
                       for kind in api["types"] if kind["name"] not in ("ckpt_bool", "ckpt_status")}
        self.values = {constant["name"]: constant["value"] for constant in api["constants"]}
        self.statuses = [constant for constant in api["constants"] if re.match("CKPT_(OK$|E_)", constant["name"])]
        self.names = {constant["name"]: f"{class_of(group)}.{value_of(group.upper(), constant['name'])}"
                      for group, constants in self.groups.items() for constant in constants}
        self.names.update({constant["name"]: "CkptStatus." + camel(constant["name"].split("_", 1)[1].removeprefix("E_")) for constant in self.statuses})
        self.bare = {name.removeprefix(group): meant for group in ("CKPT_E_", "CKPT_ACTION_KIND_", "CKPT_ITEM_", "CKPT_CHECKPOINT_TASK_STATE_")
                     for name, meant in self.names.items() if name.startswith(group)}

    # ---- Comments ----

    def text(self, comment, struct=None, field=None):
        """A comment in C#'s words: references to what it names, true and false, null, TimeSpan and DateTime for nanoseconds."""
        kind = field["kind"] if field else ""
        text = re.sub(r"\s*\n\s*", " ", comment.rstrip("\\ "))
        text = re.sub(r"[;.]? [Vv]alid (as long as the \w+|for ever)|; copied(?=;)| Borrowed for the call\.", "", text)
        text = re.sub(r" Read only when has_\w+ is not 0\.?|[;.]? 0 (where|when) has_\w+ is (no|0)", "", text).rstrip(".")
        if kind == "bool":
            text = re.sub(r"\b1\b|\bother values\b", "true", re.sub(r"\b0\b", "false", text))
        elif kind in ("duration", "utc"):
            text = re.sub(r",? in nanoseconds( since 1970-01-01T00:00:00Z)?", ", in UTC" if kind == "utc" else "", text)
            text = re.sub(r"\bnanoseconds (?=since|for|from|of)", "time ", text).replace("-1: for ever", "Timeout.InfiniteTimeSpan: for ever")
            text = re.sub(r"; 0(:| when) ", r"; null\1 ", text) if kind == "utc" else text
        elif kind in ("text", "handle", "structure", "array"):
            text = text.replace("none:", "null:").replace("None or empty", "Null or empty").replace("none when", "null when")
        if field and field.get("absent"):
            reason = re.search(r"\bno:? (.*)", field["absent"])
            text += "; null: " + reason.group(1) if reason and "no:" in field["absent"] else "; null " + reason.group(1) if reason and " no when" in field["absent"] else "; null: none"
        own = {one["name"]: one["property"] for one in self.fields(struct)} if struct and field else {}
        text = escape(text)
        text = re.sub(r"\bCKPT_\w+\*?", lambda found: self.constant(found.group(0)), text)
        text = re.sub(r"(?<![\w.\"])[A-Z][A-Z_]+[A-Z](?![\w\".])", lambda found: self.see(self.bare[found.group(0)]) if found.group(0) in self.bare else found.group(0), text)
        text = re.sub(r"\bckpt_\w+", lambda found: self.function(found.group(0)), text)
        text = re.sub(r"(?<![\w.\"])[a-z]+_[a-z_]+\b", lambda found: self.member(found.group(0), own), text)
        text = text.strip().rstrip(".")
        return (text[:1].upper() + text[1:] if not text.startswith("false") and not text.startswith("true") else text[0].upper() + text[1:]) + "."

    @staticmethod
    def see(name):
        return f'<see\0cref="{name}"/>'

    def constant(self, name):
        if name.endswith("*"):
            group = name[:-2].lower()
            return self.see(class_of(group)) if group in self.groups else name
        return self.see(self.names[name]) if name in self.names else str(self.values[name])

    def member(self, name, own):
        known = any(name == field["name"] for struct in self.api["structs"] for field in struct["fields"])
        return self.see(own[name]) if name in own else f"<c>{self.property(name)}</c>" if known else name

    def function(self, name):
        if name in self.structs or name in self.groups:
            return self.see(class_of(name))
        owner = max((handle for handle in self.handles if name.startswith(handle + "_")), key=len, default=None)
        return f"<c>{class_of(owner)}.{camel(name[len(owner) + 1:].removeprefix('get_'))}</c>" if owner else f"<c>{name}</c>"

    def summary(self, text, indent):
        lines = textwrap.wrap(f"<summary>{text}</summary>", 128 - indent, break_long_words=False, break_on_hyphens=False)
        return [" " * indent + "/// " + line.replace("\0", " ") for line in lines]

    # ---- Fields ----

    def fields(self, struct):
        """What of a struct is shown, each with its property's name, its kind and C#'s type."""
        all_fields = {field["name"]: field for field in struct["fields"]}
        paired = {name: ABSENT.get(name, name[4:]) for name in all_fields if name.startswith("has_")}
        paired = {name: value for name, value in paired.items() if value in all_fields}
        counts = {"ndim"} if "shape" in all_fields else set()
        out = []
        for field in struct["fields"]:
            name, kind = field["name"], field["type"]
            if (name in paired or name in counts or re.fullmatch(r"struct_size|reserved\d*|(\w+_)?(user_data|destroy)", name)
                    or kind.endswith("_fn") or struct_of(kind).endswith("_callbacks") or name.removesuffix("_count") + "_count" == name and name.removesuffix("_count") in all_fields):
                continue
            one = {**field, "property": PROPERTIES.get((struct["name"], name)) or self.property(name)}
            one["kind"], one["cs"] = self.kind(field)
            absent = [has for has, value in paired.items() if value == name]
            if absent:
                one["has"], one["absent"], one["cs"] = absent[0], all_fields[absent[0]]["comment"], one["cs"] + "?"
            out.append(one)
        return out

    @staticmethod
    def property(name):
        for ending, instead in (("_at_ns", "_at_nanoseconds"), ("_utc_ns", "_utc"), ("_ns", "")):
            if name.endswith(ending):
                return camel(name[: -len(ending)] + instead)
        return camel(name)

    def kind(self, field):
        name, kind = field["name"], field["type"]
        if name == "shape":
            return "shape", "long[]"
        if kind == "char":
            return "chars", "string"
        if kind == "const char*":
            return "text", "string"
        if kind == "ckpt_bool":
            return "bool", "bool"
        if kind == "ckpt_status":
            return "enum", "CkptStatus"
        if kind in self.groups:
            return "enum", class_of(kind)
        if kind in NUMBERS:
            if "array" in field:
                return "numbers", NUMBERS[kind] + "[]"
            if name.endswith("_ns") and not name.endswith("_at_ns"):
                if name.endswith("_utc_ns"):
                    return "utc", "DateTime?" if re.search("; 0[: ]", field["comment"]) else "DateTime"
                return "duration", "TimeSpan"
            return "number", NUMBERS[kind]
        pointed = struct_of(kind)
        if pointed in self.handles:
            shown = INTERFACES.get(class_of(pointed), class_of(pointed))
            return "handle", shown
        if pointed in self.structs:
            return "structure", class_of(pointed)
        if re.fullmatch(r"ckpt_\w+\* const", pointed):
            return "array", class_of(pointed) + "[]"
        if pointed in NUMBERS:
            return "array", NUMBERS[pointed] + "[]"
        raise ValueError(f"{field['declaration']}: what is it in C#?")

    def initial(self, field):
        """The initialiser of a property, or nothing where C# begins with the same."""
        value = field["default"]
        if field["kind"] == "array" or field["kind"] == "shape":
            return f" = new {field['cs'][:-2]}[0];"
        words = re.sub(r"CKPT_\w+", lambda found: self.names.get(found.group(0)) or "native." + found.group(0), value)
        if field.get("has") and self.default_of_has == "0" or re.fullmatch(r"0|0\.0|NULL|\{ 0 \}", value):
            return ""
        if field["kind"] == "bool":
            return " = true;"
        if field["kind"] == "duration":
            return f" = TimeSpan.FromTicks({int(value) // 100});"
        return f" = {words};"

    # ---- Copies ----

    @staticmethod
    def read(field):
        """The C# value of a field of the struct `from`."""
        name, kind, cs = "from." + field["name"], field["kind"], field["cs"]
        value = {"bool": f"{name} != 0", "enum": f"({cs.rstrip('?')}){name}", "utc": f"Times.Utc({name})",
                 "duration": f"Times.OfNanoseconds({name})", "text": f'Utf8.Text({name}) ?? ""', "chars": name}.get(kind, name)
        if kind == "utc" and cs.endswith("?"):
            value = f"{name} == 0 ? (DateTime?)null : Times.Utc({name})"
        if kind == "shape":
            value = f"NativeList.Copied({name}, from.ndim)"
        if kind == "numbers":
            value = f"NativeList.Copied({name}, {field['array'][0]})"
        if kind == "structure":
            value = f"new {cs}(*{name})"
        return f"from.{field['has']} != 0 ? {value} : ({cs})null" if field.get("has") else value

    @staticmethod
    def write(field):
        """The statements that set a field of the struct `to`."""
        name, value, kind = "to." + field["name"], field["property"], field["kind"]
        if kind == "shape":
            return [f"to.ndim = Shape.Length;", f"fixed (long* lengths = NativeList.Lengths(Shape)) {name} = lengths;"]
        if field.get("has"):
            return [f"to.{field['has']} = {value} == null ? 0 : 1;", f"{name} = {value} ?? 0;"]
        if kind in ("array", "structure"):
            return []  # arguments of the call
        number = "uint" if field["type"] == "ckpt_layer_flag" else "int"
        text = {"bool": f"{value} ? 1 : 0", "enum": f"({number}){value}", "duration": f"Times.Nanoseconds({value})"}.get(kind, value)
        return [f"{name} = memory.Of({value});" if kind in ("text", "handle") else f"{name} = {text};"]

    # ---- Classes ----

    def shown(self, name, fields):
        values = ", ".join(f'"{field["property"]}", {field["property"]}' for field in fields)
        lines = textwrap.wrap(f'return Shown.Of("{name}", {values});', 112, break_long_words=False)
        return ["", f"        /// <summary>The values in one line.</summary>", "        /// <returns>The text.</returns>",
                "        public override string ToString()", "        {", "            " + "\n                ".join(lines), "        }"]

    def settable(self, struct):
        name, fields = class_of(struct["name"]), self.fields(struct)
        defaults = {field["name"]: field.get("default") for field in struct["fields"]}
        lines = self.summary(self.text(struct["comment"], struct), 4) + [f"    public sealed unsafe partial class {name}", "    {"]
        for field in fields:
            self.default_of_has = defaults.get(field.get("has"))
            lines += self.summary(self.text(field["comment"], struct, field), 8)
            if field["kind"] in ("text", "handle", "structure"):
                lines.append("        [MaybeNull, AllowNull]")
            lines += [f"        public {field['cs']} {field['property']} {{ get; set; }}{self.initial(field)}", ""]
        raw = struct["name"]
        lines += [f"        internal static {raw} Native({name} from, CallMemory memory)", "        {",
                  f"            return from == null ? null : from.Native(memory.Add(new {raw}()), memory);", "        }", "",
                  f"        private {raw} Native({raw} to, CallMemory memory)", "        {"]
        lines += ["            " + statement for field in fields for statement in self.write(field)] + ["            return to;", "        }"]
        if raw in SETTABLE - {"ckpt_step"}:
            lines += [""] + self.reading(struct, [field for field in fields if field["kind"] != "handle"]) + self.filling(struct)
        return lines + self.shown(name, fields) + ["    }", ""]

    def reading(self, struct, fields):
        raw = "Native" + class_of(struct["name"]) if struct["name"] in RAW else struct["name"]
        both = [] if struct["name"] not in SETTABLE else [f"        /// <summary>With the usual values.</summary>", f"        public {class_of(struct['name'])}()", "        {", "        }", ""]
        return both + [f"        internal {class_of(struct['name'])}({raw} from)", "        {"] + [
            f"            {field['property']} = {self.read(field)};" for field in fields] + ["        }"]

    def filling(self, struct):
        """Makes one from what a call fills."""
        name, raw = class_of(struct["name"]), struct["name"]
        if raw in RAW - {"ckpt_memory_event"}:
            return []
        given = f"*(Native{name}*){raw}.getCPtr(from).Handle" if raw in RAW else "from"
        return ["", f"        internal static {name} Filled(Action<{raw}> fill)", "        {", f"            using (var from = new {raw}())", "            {",
                "                fill(from);", f"                return new {name}({given});", "            }", "        }"]

    def result(self, struct):
        name, fields = class_of(struct["name"]), self.fields(struct)
        lines = self.summary(self.text(struct["comment"], struct), 4) + [f"    public sealed unsafe partial class {name}", "    {"]
        lines += self.reading(struct, fields) + self.filling(struct)
        for field in fields:
            lines += [""] + self.summary(self.text(field["comment"], struct, field), 8) + [f"        public {field['cs']} {field['property']} {{ get; }}"]
        return lines + self.shown(name, fields) + ["    }", ""]

    def raw(self, struct):
        lines = ["    [StructLayout(LayoutKind.Sequential)]", f"    internal unsafe struct Native{class_of(struct['name'])}", "    {"]
        for field in struct["fields"]:
            kind = NUMBERS.get(field["type"], "uint" if field["type"] == "ckpt_layer_flag" else "IntPtr" if "char" in field["type"] else "int")
            if "*" in field["type"] and "char" not in field["type"]:
                kind = "NativeTensorSpec*" if "spec" in field["type"] else NUMBERS[struct_of(field["type"])] + "*"
            lines.append(f"        internal fixed {kind} {field['name']}[{field['array'][0]}];" if "array" in field else f"        internal {kind} {field['name']};")
        return lines + ["    }", ""]

    def frozen(self, struct):
        name = class_of(struct["name"])
        lines = self.summary(self.text(struct["comment"], struct), 4) + ["    [StructLayout(LayoutKind.Sequential)]", f"    public partial struct {name}", "    {"]
        for field in struct["fields"]:
            for n in range(field.get("array", [1])[0]):
                lines.append(f"        private {NUMBERS.get(field['type'], 'int')} {field['name']}{n if 'array' in field else ''};")
        for field in self.fields(struct):
            member, cast = field["name"], f"({field['cs']})" if field["kind"] == "enum" else ""
            lines += [""] + self.summary(self.text(field["comment"], struct, field), 8) + [
                f"        public {field['cs']} {field['property']}", "        {",
                f"            get {{ return {cast}{member}; }}",
                f"            set {{ {member} = {'(int)' if cast else ''}value; }}", "        }"]
        return lines + self.shown(name, self.fields(struct)) + ["    }", ""]

    def virtual(self, struct, name):
        """What a class of the caller's may say otherwise: the values of a table of functions."""
        lines = [f"    public abstract partial class {name}", "    {"]
        for field in self.fields(struct):
            self.default_of_has = None
            value = self.initial(field).strip(" =;") or f"default({field['cs']})"
            lines += self.summary(self.text(field["comment"], struct, field), 8) + [
                f"        public virtual {field['cs']} {field['property']}", "        {", f"            get {{ return {value}; }}", "        }", ""]
        return lines[:-1] + ["    }", ""]

    def enum(self, kind):
        name, constants = kind["name"], self.groups[kind["name"]]
        flags = "sum of" in kind["comment"]
        lines = self.summary(self.text(kind["comment"]), 4) + (["    [Flags]"] if flags else [])
        lines += [f"    public enum {class_of(name)}{' : uint' if kind['type'] == 'uint32_t' else ''}", "    {"]
        if all(constant["value"] != 0 for constant in constants):
            lines += ["        /// <summary>None of them.</summary>", "        None = 0,"]
        for constant in constants:
            lines += self.summary(self.text(constant["comment"]), 8) + [f"        {value_of(name.upper(), constant['name'])} = {constant['value']},"]
        return lines + ["    }", ""]

    def exceptions(self):
        lines = ["    /// <summary>How calls end: the numbers of the C API.</summary>", "    public enum CkptStatus", "    {"]
        names = [(self.names[constant["name"]].split(".")[1], constant) for constant in self.statuses]
        for name, constant in names:
            lines += self.summary(self.text(constant["comment"]), 8) + [f"        {name} = {constant['value']},"]
        lines += ["    }", "", "    public partial class CkptException", "    {", "        private static CkptException Made(int status, string message)", "        {", "            switch (status)", "            {"]
        lines += [f"                case {constant['value']}: return new Ckpt{name}Exception(message);" for name, constant in names[1:]]
        lines += ["                default: return new CkptException((CkptStatus)status, message);", "            }", "        }", "    }", ""]
        for name, constant in names[1:]:
            lines += self.summary(self.text(constant["comment"]), 4) + [
                f"    public partial class Ckpt{name}Exception : CkptException", "    {",
                "        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>",
                '        /// <param name="message">One line that names the argument and the value.</param>',
                f"        public Ckpt{name}Exception(string message) : base(CkptStatus.{name}, message)", "        {", "        }", "    }", ""]
        return lines

    def struct(self, struct):
        name = struct["name"]
        if name == "ckpt_layer_callbacks":
            return self.virtual(struct, "CustomLayer")
        if name in FROZEN:
            return self.frozen(struct)
        raw = self.raw(struct) if name in RAW else []
        if name in SETTABLE or name.endswith("_options"):
            return self.settable(struct)
        return raw + self.result(struct) if not has_functions(struct) else []

    def file(self, header):
        lines = self.exceptions() if header["name"] == "base.h" else []
        for kind in self.api["types"]:
            if kind["header"] == header["name"] and kind["name"] in self.groups:
                lines += self.enum(kind)
        for struct in self.api["structs"]:
            if struct["header"] == header["name"]:
                lines += self.struct(struct)
        while lines and not lines[-1]:
            lines.pop()
        text = "\n".join(lines)
        uses = [("System", r"\b(Action|TimeSpan|DateTime|IntPtr|Flags)\b"), ("System.Diagnostics.CodeAnalysis", r"MaybeNull"),
                ("System.Runtime.InteropServices", r"StructLayout"), ("Ckpt.Interop", r"\b(ckpt_|native\.|Shown|Times|Utf8)")]
        heads = [f"using {name};" for name, pattern in uses if re.search(pattern, text)]
        return "\n".join([f"// {MADE}"] + heads + ["", "namespace Ckpt", "{", text, "}", ""])


def members(api):
    """Texts in structs, for SWIG: C# borrows them as addresses."""
    passed = passed_structs(api)
    return "\n".join([f"// {MADE}"] + [f"CKPT_TEXT_MEMBER({struct['name']}::{field['name']})" for struct in api["structs"]
                                       if has_size(struct) and crosses(struct, passed) for field in struct["fields"] if field["type"] == "const char*"]) + "\n"


def files(api):
    writer = Writer(api)
    made = {"bindings/csharp/made/members.i": members(api)}
    for header in api["headers"]:
        made[f"bindings/csharp/made/{camel(header['name'][:-2])}.cs"] = writer.file(header)
    return made
