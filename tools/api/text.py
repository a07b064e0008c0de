"""Names of the API in other spellings, lines of text, and translation of the headers' comments to other languages."""

import glob
import os
import re
import textwrap

from c_words import MEMBER, translated, without_defaults

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATED = "Generated from include/ckpt by tools/api: do not edit."
SPELLED = {"dtype": "DType", "adamw": "AdamW", "gpipe": "GPipe", "dlpack": "DLPack", "1f1b": "OneForwardOneBackward"}
C_ONLY = re.compile(r"; copied(?=;)|:? one of CKPT_[A-Z_]+\*$|\s*Frozen: \d+ bytes in every version\.")
LIFETIMES = re.compile(r"[;.]? [Vv]alid as long as the \w+|[;.] [Ss]tatic string\b|\s*Borrowed for the call\.")
NAMES = re.compile(rf'(?<![\w."])(?:(?P<object>[a-z]\w*){MEMBER}|(?P<type>ckpt_\w+)\.)(?P<member>[a-z]\w*)|'
                   r'(?<![\w."])([A-Z][A-Z0-9_]+(\*|-1\b)?|[a-z][a-z0-9]*(_[a-z0-9]+)+)(?![\w"]|\.\w)')
TRUTH = re.compile(r"(^|; |: |, else |, )(0|1|other values)(?=[: ;,.]|$)")
ABOUT_HAS = re.compile(r"[.;] (Read only when|0 wh\w+) has_\w+ is \w+( 0)?")


def path_of(name):
    return os.path.join(ROOT, name)


def text_of(name):
    with open(path_of(name), encoding="utf-8") as file:
        return file.read()


def words(name):
    return name.lower().removeprefix("ckpt_").split("_")


def camel(name):
    """Returns the name of a class: ckpt_async_manager -> AsyncManager."""
    return "".join(SPELLED.get(word, word.capitalize()) for word in words(name))


def lower_camel(name):
    return words(name)[0] + "".join(word.capitalize() for word in words(name)[1:])


def capital(text):
    return text[:1].upper() + text[1:]


def bare(kind):
    """Returns the type that a pointer points to."""
    return re.sub(r"\bconst\b|[* ]", "", kind)


def groups(api):
    """Returns the constants of each typedef, by its name, which prefixes their names; CKPT_OK and CKPT_E_* belong to
    ckpt_status."""
    names = sorted((kind["name"] for kind in api["types"]), key=len, reverse=True)
    found = {kind["name"]: [] for kind in api["types"]}
    for constant in api["constants"]:
        if isinstance(constant["value"], int):
            status = ["ckpt_status"] if re.match("CKPT_(OK$|E_)", constant["name"]) else []
            owners = status + [name for name in names if constant["name"].startswith(name.upper() + "_")]
            if owners:
                found[owners[0]].append(constant)
    return {name: constants for name, constants in found.items() if constants}


def contents(pattern):
    """Returns the contents of the files in the project that match a pattern, by path."""
    return {path: text_of(path) for path in sorted(glob.glob(pattern, root_dir=path_of(""), recursive=True))}


def wrapped(text, first="", rest=None, width=132):
    """Wraps text to lines of at most this width, at spaces only; "\\0" is a non-breaking space."""
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=first if rest is None else rest,
                          break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def listing(lines):
    """Returns a generated file of C++ or SWIG that is a list."""
    return "\n".join([f"// {GENERATED}", *lines, ""])


def block(head, *lines):
    """Returns a declaration with these lines in its braces."""
    return [head + " {", *("  " + line if line else line for line in lines), "}"]


def spaced(parts):
    """Returns the lines of all parts, with a blank line before each part."""
    return [line for part in parts for line in ["", *part]]


class Words:
    """The terms of a language. Each language has constant(constant), and redefines the members that differ from C++."""

    no, yes = "false", "true"
    null = "null"  # the word for NULL
    nulls = {}  # other words for NULL, by the kind of the value
    struct, power = "object", "2^{}"
    has_defaults = False  # whether the writer states default values itself
    absent = "none"  # the word for the value of an unset optional
    no_timeout, no_instant = "-1", "0"  # for a duration that is unlimited, and for an instant that is not set
    borrows = False  # whether strings and arrays are borrowed from the object that returns them
    has_times = True  # durations and instants have types, so that comments need not give units
    escaped = staticmethod(str)
    short_groups = ("ckpt_status",)  # groups with constants that are also linked by short names: NOT_FOUND for CKPT_E_NOT_FOUND

    def __init__(self, model):
        self.model = model
        shown = [constant for group in self.short_groups for constant in model.groups[group].constants]
        self.constants = {**model.constants, **{constant.short: constant for constant in shown}}

    def type(self, name):
        return camel(name)

    def function(self, name, owner, method):
        return name

    def field(self, name, struct):
        return name

    def member(self, owner, name, struct):
        """Returns a field of a parameter (owner) or type (ckpt_...)."""
        return f"{camel(owner) if owner.startswith('ckpt_') else owner}.{name}"

    def null_of(self, value, struct):
        return self.nulls.get(value.kind, self.null)

    def text(self, comment, struct=None, null=None):
        """Translates a comment: removes parts that apply only to C, and uses this language's terms and names."""
        text = C_ONLY.sub("", " ".join(comment.rstrip("\\ ").split()))
        text = text if self.borrows else LIFETIMES.sub("", text)
        text = self.escaped(translated(text, self, null or self.null))
        return NAMES.sub(lambda found: self.member(found["object"] or found["type"], found["member"], struct) if found["member"]
                         else self.named(found[0], struct), text)

    def named(self, name, struct):
        model = self.model
        if name in self.constants:
            return self.constant(self.constants[name])
        if name in model.patterns:
            return self.type(model.patterns[name])
        if name.removesuffix("-1") in model.numbers:
            value = model.numbers[name.removesuffix("-1")]
            return f'"{value}"' if isinstance(value, str) else str(value - name.endswith("-1"))
        if name in model.declared:
            owner = model.owner_of(name) or name in model.functions and model.family_of(name)
            return self.function(name, owner, name[len(owner) + 1:].removeprefix("get_")) if owner else self.type(name)
        return self.field(name, struct) if name in model.fields else name

    def of(self, value, struct=None):
        """Translates the comment of a value for the language's type, which represents truth values, times and absence."""
        text = " ".join(value.comment.split())
        if self.has_defaults or value.has and value.initially_absent:
            text = without_defaults(text)
        if value.kind == "truth":
            text = re.sub(r"\b(default:? )([01])\b", lambda at: at[1] + (self.no if at[2] == "0" else self.yes), text)
            text = TRUTH.sub(lambda at: at[1] + (self.no if at[2] == "0" else self.yes), text)
        elif value.kind == "duration" and self.has_times:
            text = re.sub(r",? in nanoseconds\b", "", text).replace("-1:", self.no_timeout + ":")
            text = re.sub(r"\b(default:? )-1\b", rf"\g<1>{self.no_timeout}", text)
            text = re.sub(r"\bnanoseconds (?=from|for|of|since)", "time ", text)
        elif value.kind.startswith("instant") and self.has_times:
            text = text.replace("in nanoseconds since 1970-01-01T00:00:00Z", "in UTC").replace("; 0", "; " + self.no_instant)
        if value.has:
            text = ABOUT_HAS.sub("", text).rstrip(".") + f"; {self.absent}{value.absence}"
        return self.text(text, struct, self.null_of(value, struct)).rstrip(".")
