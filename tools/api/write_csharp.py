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
GIVEN = {"ckpt_step", "ckpt_activation_policy", "ckpt_layer_profile", "ckpt_option_profile"}  # set by callers, as options are
FROZEN = {"ckpt_schedule_action", "ckpt_layer_option", "ckpt_pipeline_interval"}  # values of the same layout on both sides
RAW = {"ckpt_tensor_spec", "ckpt_layer_context", "ckpt_memory_event", "ckpt_strategy_question"}  # callbacks get their address
INTERFACES = {"Strategy": "ICheckpointStrategy"}  # what is accepted in a class's place
BARE = ("CKPT_E_", "CKPT_ACTION_KIND_", "CKPT_ITEM_", "CKPT_CHECKPOINT_TASK_STATE_")  # comments name their values without this
USES = (("System", r"\b(Action|TimeSpan|DateTime|IntPtr|Flags)\b"), ("System.Diagnostics.CodeAnalysis", "MaybeNull"),
        ("System.Runtime.InteropServices", "StructLayout"), ("Ckpt.Interop", r"\b(ckpt_|native\.|Shown|Times|Utf8)"))

LAYOUT = "    [StructLayout(LayoutKind.Sequential)]"

EXCEPTION = """\
    public partial class Ckpt%(name)sException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public Ckpt%(name)sException(string message) : base(CkptStatus.%(name)s, message)
        {
        }
    }
"""

FACTORY = """\
    public partial class CkptException
    {
        private static CkptException Made(int status, string message)
        {
            switch (status)
            {
%s
                default: return new CkptException((CkptStatus)status, message);
            }
        }
    }
"""

NATIVE = """\
        internal static %(raw)s Native(%(name)s from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new %(raw)s());
%(statements)s
            return to;
        }"""

FILLED = """\

        internal static %(name)s Filled(Action<%(raw)s> fill)
        {
            using (var from = new %(raw)s())
            {
                fill(from);
                return %(made)s;
            }
        }"""

SHOWN = """\

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            %s
        }
    }
"""


def camel(name):
    return "".join(WORDS.get(word, word.capitalize()) for word in name.lower().split("_"))


def class_of(name):
    return camel(re.search(r"ckpt_(\w+)", name).group(1))


def value_of(group, constant):
    rest = constant[len(group) + 1:]
    return rest.replace("_", "").replace("BOOL", "Bool").replace("FNUZ", "Fnuz") if group == "CKPT_DTYPE" else camel(rest)


def property_of(name):
    for ending, instead in (("_at_ns", "_at_nanoseconds"), ("_utc_ns", "_utc"), ("_ns", "")):
        if name.endswith(ending):
            return camel(name[: -len(ending)] + instead)
    return camel(name)


def see(name):
    return f'<see\0cref="{name}"/>'


def summary(text, indent):
    lines = textwrap.wrap(f"<summary>{text}</summary>", 128 - indent, break_long_words=False, break_on_hyphens=False)
    return [" " * indent + "/// " + line.replace("\0", " ") for line in lines]


class Writer:
    def __init__(self, api):
        self.api = api
        self.structs = {struct["name"]: struct for struct in api["structs"]}
        self.handles = {handle["name"] for handle in api["handles"]}
        self.values = {constant["name"]: constant["value"] for constant in api["constants"]}
        self.groups = {kind["name"]: [one for one in api["constants"] if one["name"].startswith(kind["name"].upper() + "_")]
                       for kind in api["types"] if kind["name"] not in ("ckpt_bool", "ckpt_status")}
        self.statuses = {camel(re.sub("CKPT_(E_)?", "", one["name"])): one for one in api["constants"]
                         if re.match("CKPT_(OK$|E_)", one["name"])}
        self.names = {one["name"]: f"{class_of(group)}.{value_of(group.upper(), one['name'])}"
                      for group, constants in self.groups.items() for one in constants}
        self.names.update({one["name"]: "CkptStatus." + name for name, one in self.statuses.items()})
        self.bare = {name[len(group):]: meant for group in BARE for name, meant in self.names.items() if name.startswith(group)}
        self.members = {field["name"] for struct in api["structs"] for field in struct["fields"]}

    # ---- Comments ----

    def text(self, comment, struct=None, field=None):
        """A comment in C#'s words: references to what it names; true, false, null, TimeSpan and DateTime where C# has them."""
        kind = field["kind"] if field else ""
        text = re.sub(r"\s*\n\s*", " ", comment.rstrip("\\ "))
        text = re.sub(r"[;.]? [Vv]alid (as long as the \w+|for ever)|; copied(?=;)| Borrowed for the call\.", "", text)
        text = re.sub(r" Read only when has_\w+ is not 0\.?|[;.]? 0 (where|when) has_\w+ is (no|0)", "", text).rstrip(".")
        if kind == "bool":
            text = re.sub(r"(^|[;:,] |else )([01])\b", lambda found: found[1] + ("false", "true")[int(found[2])], text)
            text = text.replace("other values", "true")
        elif kind in ("duration", "utc"):
            text = re.sub(r",? in nanoseconds( since 1970-01-01T00:00:00Z)?", ", in UTC" if kind == "utc" else "", text)
            text = re.sub(r"\bnanoseconds (?=since|for|from|of)", "time ", text)
            text = text.replace("-1: for ever", "Timeout.InfiniteTimeSpan: for ever")
            text = re.sub(r"; 0(:| when) ", r"; null\1 ", text) if kind == "utc" else text
        elif kind in ("text", "handle", "structure", "array"):
            text = re.sub(r"\bnone(?=:| when )", "null", text).replace("None or empty", "Null or empty")
        if field and field.get("has"):
            reason = re.search(r"\bno(: | )(.*)", field["absent"]) if re.search("no: |: no when", field["absent"]) else None
            text += "; null" + (": none" if not reason else (": " if reason[1] == ": " else " ") + reason[2])
        own = {one["name"]: one["property"] for one in self.fields(struct)} if field else {}
        text = re.sub(r"\bCKPT_\w+\*?", lambda found: self.constant(found[0]), escape(text))
        text = re.sub(r"(?<![\w.\"])[A-Z][A-Z_]+[A-Z](?![\w\".])",
                      lambda found: see(self.bare[found[0]]) if found[0] in self.bare else found[0], text)
        text = re.sub(r"\bckpt_\w+", lambda found: self.function(found[0]), text)
        text = re.sub(r"(?<![\w.\"])[a-z]+_[a-z_]+\b", lambda found: see(own[found[0]]) if found[0] in own else
                      f"<c>{property_of(found[0])}</c>" if found[0] in self.members else found[0], text)
        return text[0].upper() + text[1:] + "."

    def constant(self, name):
        if name.endswith("*"):
            return see(class_of(name[:-2].lower()))
        return see(self.names[name]) if name in self.names else str(self.values[name])

    def function(self, name):
        if name in self.structs or name in self.groups:
            return see(class_of(name))
        owner = max((handle for handle in self.handles if name.startswith(handle + "_")), key=len)
        return f"<c>{class_of(owner)}.{camel(name[len(owner) + 1:].removeprefix('get_'))}</c>"

    def documented(self, struct, field):
        return summary(self.text(field["comment"], struct, field), 8)

    # ---- Fields ----

    def fields(self, struct):
        """What of a struct is shown, each with its property's name, its kind and C#'s type."""
        every = {field["name"]: field for field in struct["fields"]}
        pairs = ((ABSENT.get(name, name[4:]), name) for name in every if name.startswith("has_"))
        has = {value: name for value, name in pairs if value in every}
        hidden = set(has.values()) | {name + "_count" for name in every} | ({"ndim"} if "shape" in every else set())
        out = []
        for field in struct["fields"]:
            name, kind = field["name"], field["type"]
            if (name not in hidden and not re.fullmatch(r"struct_size|reserved\d*|(\w+_)?(user_data|destroy)", name)
                    and not re.search(r"_fn$|_callbacks\b", kind)):
                one = {**field, "property": PROPERTIES.get((struct["name"], name)) or property_of(name), "has": has.get(name)}
                one["kind"], one["cs"] = self.kind(field)
                if one["has"]:
                    one.update(cs=one["cs"] + "?", absent=every[one["has"]]["comment"], given=every[one["has"]].get("default"))
                out.append(one)
        return out

    def kind(self, field):
        name, kind = field["name"], field["type"]
        plain = {"char": ("chars", "string"), "const char*": ("text", "string"), "ckpt_bool": ("bool", "bool"),
                 "ckpt_status": ("enum", "CkptStatus")}
        pointed = kind.replace("const ", "").rstrip("*").strip()
        if name == "shape":
            return "shape", "long[]"
        if kind in plain:
            return plain[kind]
        if kind in self.groups:
            return "enum", class_of(kind)
        if name.endswith("_utc_ns"):
            return "utc", "DateTime?" if re.search("; 0[: ]", field["comment"]) else "DateTime"
        if name.endswith("_ns") and not name.endswith("_at_ns"):
            return "duration", "TimeSpan"
        if kind in NUMBERS:
            return ("numbers", NUMBERS[kind] + "[]") if "array" in field else ("number", NUMBERS[kind])
        if pointed in self.handles:
            return "handle", INTERFACES.get(class_of(pointed), class_of(pointed))
        if pointed in self.structs:
            return "structure", class_of(pointed)
        return "array", (NUMBERS[pointed] if pointed in NUMBERS else class_of(pointed)) + "[]"

    def initial(self, field):
        """The initialiser of a property, or nothing where C# begins with the same."""
        value = field["default"]
        if field["kind"] in ("array", "shape"):
            return f" = new {field['cs'][:-2]}[0];"
        if field.get("given") == "0" or re.fullmatch(r"0|0\.0|NULL|\{ 0 \}", value):
            return ""
        if field["kind"] == "duration":
            return f" = TimeSpan.FromTicks({int(value) // 100});"
        words = re.sub(r"CKPT_\w+", lambda found: self.names.get(found[0]) or "native." + found[0], value)
        return " = true;" if field["kind"] == "bool" else f" = {words};"

    # ---- Copies ----

    @staticmethod
    def read(field):
        """The C# value of a field of the struct `from`."""
        name, kind, cs = "from." + field["name"], field["kind"], field["cs"]
        value = {"bool": f"{name} != 0", "enum": f"({cs}){name}", "utc": f"Times.Utc({name})", "structure": f"new {cs}(*{name})",
                 "duration": f"Times.OfNanoseconds({name})", "text": f'Utf8.Text({name}) ?? ""',
                 "shape": f"NativeList.Copied({name}, from.ndim)"}.get(kind, name)
        if kind == "numbers":
            value = f"NativeList.Copied({name}, {field['array'][0]})"
        if kind == "utc" and cs.endswith("?"):
            value = f"{name} == 0 ? (DateTime?)null : {value}"
        return f"from.{field['has']} != 0 ? {value} : ({cs})null" if field["has"] else value

    @staticmethod
    def write(field):
        """The statements that set a field of the struct `to`; arrays and structs are arguments of the call."""
        name, value, kind = "to." + field["name"], "from." + field["property"], field["kind"]
        if kind == "shape":
            return ["to.ndim = from.Shape.Length;", f"fixed (long* lengths = NativeList.Lengths(from.Shape)) {name} = lengths;"]
        if field["has"]:
            return [f"to.{field['has']} = {value} == null ? 0 : 1;", f"{name} = {value} ?? 0;"]
        number = "uint" if field["type"] == "ckpt_layer_flag" else "int"
        text = {"bool": f"{value} ? 1 : 0", "enum": f"({number}){value}", "duration": f"Times.Nanoseconds({value})",
                "text": f"memory.Of({value})", "handle": f"memory.Of({value})"}.get(kind, value)
        return [] if kind in ("array", "structure") else [f"{name} = {text};"]

    # ---- Classes ----

    def opened(self, struct, words, rest=""):
        return summary(self.text(struct["comment"]), 4) + [f"    public {words} {class_of(struct['name'])}{rest}", "    {"]

    def shown(self, struct):
        values = ", ".join(f'"{field["property"]}", {field["property"]}' for field in self.fields(struct))
        call = textwrap.wrap(f'return Shown.Of("{class_of(struct["name"])}", {values});', 112, break_long_words=False)
        return [SHOWN % ("\n" + " " * 16).join(call)]

    def reading(self, struct):
        """What makes one of a struct, and of what a call fills."""
        name, raw = class_of(struct["name"]), struct["name"]
        values = [f"{field['property']} = {self.read(field)}" for field in self.fields(struct) if field["kind"] != "handle"]
        if raw in GIVEN:
            made = "\n".join([f"new {name}", " " * 16 + "{", *(" " * 20 + value + "," for value in values), " " * 16 + "}"])
            return [FILLED % {"name": name, "raw": raw, "made": made}]
        given, value = ("Native" + name, f"*(Native{name}*){raw}.getCPtr(from).Handle") if raw in RAW else (raw, "from")
        lines = [f"        internal {name}({given} from)", "        {", *(f"            {value};" for value in values), "        }"]
        filled = raw not in RAW or raw == "ckpt_memory_event"
        return lines + ([FILLED % {"name": name, "raw": raw, "made": f"new {name}({value})"}] if filled else [])

    def given(self, struct):
        name, fields = class_of(struct["name"]), self.fields(struct)
        lines = self.opened(struct, "sealed unsafe partial class")
        for field in fields:
            lines += self.documented(struct, field)
            lines += ["        [MaybeNull, AllowNull]"] if field["kind"] in ("text", "handle", "structure") else []
            lines += [f"        public {field['cs']} {field['property']} {{ get; set; }}{self.initial(field)}", ""]
        statements = "\n".join(" " * 12 + statement for field in fields for statement in self.write(field))
        lines.append(NATIVE % {"raw": struct["name"], "name": name, "statements": statements})
        return lines + (self.reading(struct) if struct["name"] in GIVEN - {"ckpt_step"} else []) + self.shown(struct)

    def result(self, struct):
        lines = self.opened(struct, "sealed unsafe partial class") + self.reading(struct)
        for field in self.fields(struct):
            lines += ["", *self.documented(struct, field), f"        public {field['cs']} {field['property']} {{ get; }}"]
        return lines + self.shown(struct)

    def raw(self, struct):
        lines = [LAYOUT, f"    internal unsafe struct Native{class_of(struct['name'])}", "    {"]
        for field in struct["fields"]:
            pointed = field["type"].replace("const ", "").rstrip("*")
            kind = {**NUMBERS, "char": "IntPtr", "ckpt_tensor_spec": "NativeTensorSpec"}.get(pointed, "int")
            kind += "*" if "*" in field["type"] and kind != "IntPtr" else ""
            fixed, length = ("fixed ", f"[{field['array'][0]}]") if "array" in field else ("", "")
            lines.append(f"        internal {fixed}{kind} {field['name']}{length};")
        return lines + ["    }", ""]

    def frozen(self, struct):
        lines = self.opened(struct, "partial struct")
        lines.insert(-2, LAYOUT)
        lines += [f"        private {NUMBERS.get(field['type'], 'int')} {field['name']}{n if 'array' in field else ''};"
                  for field in struct["fields"] for n in range(field.get("array", [1])[0])]
        for field in self.fields(struct):
            name, enum = field["name"], field["kind"] == "enum"
            lines += ["", *self.documented(struct, field), f"        public {field['cs']} {field['property']}", "        {",
                      f"            get {{ return {'(' + field['cs'] + ')' if enum else ''}{name}; }}",
                      f"            set {{ {name} = {'(int)' if enum else ''}value; }}", "        }"]
        return lines + self.shown(struct)

    def virtual(self, struct, name):
        """What a class of the caller's may say otherwise: the values of a table of functions."""
        lines = [f"    public abstract partial class {name}", "    {"]
        for field in self.fields(struct):
            value = self.initial(field).strip(" =;") or f"default({field['cs']})"
            lines += [*self.documented(struct, field), f"        public virtual {field['cs']} {field['property']}", "        {",
                      f"            get {{ return {value}; }}", "        }", ""]
        return lines[:-1] + ["    }", ""]

    def enum(self, kind):
        constants, flags = self.groups[kind["name"]], "sum of" in kind["comment"]
        lines = self.opened(kind, "enum", " : uint" if kind["type"] == "uint32_t" else "")
        lines[-2:-2] = ["    [Flags]"] if flags else []
        if all(one["value"] != 0 for one in constants):
            lines += ["        /// <summary>None of them.</summary>", "        None = 0,"]
        for one in constants:
            name = value_of(kind["name"].upper(), one["name"])
            lines += summary(self.text(one["comment"]), 8) + [f"        {name} = {one['value']},"]
        return lines + ["    }", ""]

    def exceptions(self):
        lines = ["    /// <summary>How calls end: the numbers of the C API.</summary>", "    public enum CkptStatus", "    {"]
        for name, one in self.statuses.items():
            lines += summary(self.text(one["comment"]), 8) + [f"        {name} = {one['value']},"]
        errors = {name: one for name, one in self.statuses.items() if one["value"] != 0}
        cases = [f"                case {one['value']}: return new Ckpt{name}Exception(message);" for name, one in errors.items()]
        lines += ["    }", "", FACTORY % "\n".join(cases)]
        for name, one in errors.items():
            lines += summary(self.text(one["comment"]), 4) + [EXCEPTION % {"name": name}]
        return lines

    def struct(self, struct):
        name = struct["name"]
        if name == "ckpt_layer_callbacks":
            return self.virtual(struct, "CustomLayer")
        if name in FROZEN:
            return self.frozen(struct)
        if name in GIVEN or name.endswith("_options"):
            return self.given(struct)
        return [] if has_functions(struct) else (self.raw(struct) if name in RAW else []) + self.result(struct)

    def file(self, header):
        lines = self.exceptions() if header == "base.h" else []
        here = [[one for one in self.api[part] if one["header"] == header] for part in ("types", "structs")]
        lines += [line for kind in here[0] if kind["name"] in self.groups for line in self.enum(kind)]
        lines += [line for struct in here[1] for line in self.struct(struct)]
        text = "\n".join(lines).rstrip()
        heads = [f"using {name};" for name, pattern in USES if re.search(pattern, text)]
        return "\n".join([f"// {MADE}", *heads, "", "namespace Ckpt", "{", text, "}", ""])


def members(api):
    """Texts in structs, for SWIG: C# borrows them as addresses."""
    passed = passed_structs(api)
    return "\n".join([f"// {MADE}"] + [
        f"CKPT_TEXT_MEMBER({struct['name']}::{field['name']})" for struct in api["structs"] if has_size(struct)
        and crosses(struct, passed) for field in struct["fields"] if field["type"] == "const char*"]) + "\n"


def files(api):
    writer = Writer(api)
    made = {f"bindings/csharp/made/{camel(header['name'][:-2])}.cs": writer.file(header["name"]) for header in api["headers"]}
    return {**made, "bindings/csharp/made/members.i": members(api)}
