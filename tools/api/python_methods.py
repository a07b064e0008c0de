"""The methods of Python's classes that are one call of C: bases of the hand-written classes, which read the handle as _h. Functions
without an object are functions of the package."""

import re
import textwrap

from events import events
from methods import without_status
from text import camel, capital, contents
from write_python import CONVERTED, FOLDER, NAMES, PythonWords, docstring, listed, module, named

# Results in JSON that are returned as objects; all others are strings, which are arguments of another call.
PARSED = {"ckpt_memory_tracker_get_json": "report", "ckpt_simulation_get_json": "results", "ckpt_pipeline_get_trace_json": "trace",
          "ckpt_state_get_load_report": "load_report", "ckpt_checkpoint_manager_get_manifest": "manifest",
          "ckpt_checkpoint_manager_get_rank_values": "rank_values"}
SEPARATED = {"known_strategies": ", ", "known_planners": "\\n", "known_layer_kinds": "\\n"}  # strings that are returned as lists
PARAMETERS = {"tensor_is_bit_equal.b": "other", "interval_weibull.weibull_shape": "shape", "cursor_restore.data": "place"}
DEFAULTS = {"clock_create_manual.start_ns": "0"}  # in addition to those of all languages
# Default values of C in Python, for all kinds of parameters or for one.
VALUES = {"NULL": "None", "INFINITY": 'float("inf")', ("real", "0"): "0.0", ("truth", "0"): "False", ("truth", "1"): "True"}
# Functions that are generated, although hand-written code calls them.
USED_TOO = ("ckpt_memory_tracker_find_layer", "ckpt_checkpoint_manager_find_step", "ckpt_clock_get_now")
NOT_PYTHON = ("ckpt_last_error", "ckpt_callback_error")  # the messages of exceptions
# Phrases about buffers, arrays and numbers of C, and their replacements.
CLEANED = ((r": \*count receives how many there are, \w+ the first min\(capacity, \*count\)", ""),
           (r": \(buffer, capacity, \*needed\) rule\b", ""),
           (r"\w+, capacity, \*count, ", ""), (r"(?<![. ])\.\.(?= [A-Z])", "."),
           (r";?\. The text may grow between asking for its length and fetching it: repeat on OUT_OF_RANGE\.", "."),
           (r"\bINFINITY\b", 'float("inf")'))
TRUTH = ((r"\btrue\b", "True"), (r"\bfalse\b", "False"))


class PythonParameter:
    """type: None for a hand-written method. before: a statement that converts it. default: "" if it is required."""

    def __init__(self, function, parameter):
        key = f"{function.removeprefix('ckpt_')}.{parameter.name}"
        self.c_name, self.name, self.kind, self.before = parameter.name, PARAMETERS.get(key, parameter.name), parameter.kind, None
        self.passed = self.name
        self.default = DEFAULTS.get(key) or parameter.default_as(lambda one: f"_v.{named(one)}", VALUES)
        self.is_struct = parameter.kind in ("struct", "record", "spec")
        self.type = {"text": "str", "number": "int", "real": "float", "truth": "bool", "enum": "int"}.get(parameter.kind)
        if parameter.kind == "truth":
            self.passed = f"int({self.name})"
        elif key.startswith("checkpoint_manager_") and parameter.name == "name":  # of a checkpoint, or its step
            self.c_name, self.name, self.type, self.passed = "", "which", "Union[str, int]", "self._name(which)"
        elif parameter.kind == "duration":
            self.name, self.passed, self.type = "timeout", "_timeout_ns(timeout)", "float"
            self.default = "60.0"  # seconds
        elif parameter.bare in CONVERTED:
            self.type = {"ckpt_strategy": "StrategyLike"}.get(parameter.bare, "Any")
            self.before = f'given = made_by["as_{CONVERTED[parameter.bare]}"]({self.name})'
            self.passed = "given._h" if parameter.kind == "handle" else "given"
        elif parameter.kind == "handle":
            self.type = camel(parameter.bare)
            self.passed = f"handle_of({self.name})" if parameter.is_nullable else f"{self.name}._h"
        elif self.is_struct:
            options = parameter.bare.removeprefix("ckpt_")
            self.type, self.passed = f"_o.{options}", f"_o.{options}(**{self.name})"
        elif parameter.kind in ("shape", "numbers"):
            self.type, self.passed = "Sequence[int]", f"list({self.name})"
        elif parameter.kind == "memory":
            self.type = "Any"
        if parameter.is_nullable and not self.is_struct:
            self.type = self.type and f"Optional[{self.type}]"

    def declared(self):
        return f"{'**' * self.is_struct}{self.name}: {self.type}"


class PythonFunction:
    """A function of the package."""

    before = ()  # the arguments before the parameters

    def __init__(self, words, function):
        self.described, self.owner, self.function = function, camel(function.owner or ""), function.function
        self.parameters = [PythonParameter(self.function, one) for one in function.parameters]
        self.name = NAMES.get(self.function) or self.usual_name()
        result = function.result
        self.comment = words.text(self.cleaned(function.renamed_comment(self.renamed)))
        for digit, word in TRUTH if result.kind == "truth" else ():
            self.comment = re.sub(digit, word, self.comment)
        self.type, self.value = self.result()
        if result.absent or result.kind == "handle or none":
            self.type = f"Optional[{self.type}]"

    def usual_name(self):
        return self.function.removeprefix("ckpt_").replace("_get_", "_")

    def cleaned(self, comment):
        """Rewords the comment for Python's values."""
        for pattern, put in CLEANED:
            comment = re.sub(pattern, put, comment)
        for one in self.parameters:
            if one.kind == "truth":
                comment = re.sub(rf"(\b{one.name} is |\()(true|false)\b", lambda at: at[1] + at[2].capitalize(), comment)
            elif one.kind == "duration":
                comment = comment.replace("timeout: ", "timeout: seconds, ")
            elif one.name == "which":
                comment = comment.replace("name: as in", "which: the step, or the name as in")
        if self.function in PARSED:
            comment = re.sub(r",? as (?:one )?JSON(?: object)?\b", "", comment).replace("a JSON text", "an object")
        if self.name in SEPARATED:
            comment = re.sub(r', separated by ", "|, one per line\b', "", comment)
        return without_status(re.sub(r"; the message [^.]*", "", comment), self.described.result.absent, "None")

    def renamed(self, name):
        return next((one.name for one in self.parameters if one.c_name == name), name)

    def is_simple(self):
        converted = [one for one in self.parameters if one.before]
        structs = [one for one in self.parameters if one.is_struct]
        return self.type is not None and all(one.type for one in self.parameters) and len(converted) < 2 and len(structs) < 2

    def call(self):
        return f"_n.{self.function}({', '.join([*self.before, *(one.passed for one in self.parameters)])})"

    def result(self):
        result, call = self.described.result, self.call()
        name = camel(result.bare) if result.bare else ""
        if self.function in PARSED:
            return "Dict[str, Any]", f"json.loads({call})"
        if self.name in SEPARATED:
            return "List[str]", f'{call}.split("{SEPARATED[self.name]}")'
        return {
            "none": ("None", call),
            "fetched": ("str", call),
            "text": ("str", call),
            "bytes": ("bytes", call),
            "number": ("int", call),
            "real": ("float", call),
            "truth": ("bool", f"bool({call})"),
            "enum": (f"_v.{name}", f"_v._{name}[{call}]"),
            "handle": (name, f"classes[\"{name}\"]._of({call})"),
            "handle or none": (name, f"classes[\"{name}\"]._of(found)"),
            "struct": (f"_v.{name}", f"_v.{name}._of({call})"),
            "structs": (f"List[_v.{name}]", f"[_v.{name}._of(one) for one in {call}]"),
            "numbers": ("List[int]", f"list({call})"),
        }.get(result.kind.replace("record", "struct"), (None, None))

    def declared(self):
        """Returns the parameters, those of a struct last. Only the last ones have defaults."""
        given, has_default = [], True
        for one in sorted(self.parameters, key=lambda one: one.is_struct)[::-1]:
            has_default = has_default and (one.is_struct or one.default != "")
            given.append(one.declared() + (f" = {one.default}" if has_default and not one.is_struct else ""))
        return given[::-1]

    def text(self):
        return f"def {self.name}({', '.join(self.declared())}) -> {self.type}:\n{docstring(self.comment)}{self.body()}"

    def body(self):
        result = self.described.result
        lines = [one.before for one in self.parameters if one.before]
        if result.kind == "handle or none":
            lines += [f"found = {self.call()}", f"return None if found is None else {self.value}"]
        else:
            lines.append(self.value if self.type == "None" else "return " + self.value)
        if result.absent:
            lines = ["try:", *("    " + line for line in lines), f"except {camel(result.absent)}Error:", "    return None"]
        return textwrap.indent("\n".join(lines), "    ") + "\n"

    def classes(self):
        """The hand-written classes in its types."""
        kinds = [self.described.result, *(one for one in self.described.parameters if one.bare not in CONVERTED)]
        return {camel(one.bare) for one in kinds if one.kind in ("handle", "handle or none")}

    def is_written(self, text):
        """Whether the hand-written class has this function."""
        found = re.search(rf"^class {self.owner}\(.*?(?=^class |\Z)", text, re.MULTILINE | re.DOTALL)
        return found is not None and f"def {self.name}(" in found[0]


class PythonMethod(PythonFunction):
    before = ("self._h",)

    def __init__(self, words, method):
        super().__init__(words, method)
        is_special = self.name.startswith("__") or method.verb == "get_now" or method.is_document or self.function in PARSED
        is_plain = method.result.kind not in ("struct", "record", "structs", "records", "numbers")
        self.is_property = method.is_getter and is_plain and not is_special
        self.setter = None  # the method that sets the property

    def usual_name(self):
        return NAMES.get(self.described.verb) or PARSED.get(self.function, self.described.name)

    def sets(self, getter):
        """Whether this is the setter of a property."""
        return self.described.sets(getter.described) and getter.is_property and self.type == "None"

    def declared(self):
        given = super().declared()
        is_setter = self.described.verb.startswith("set_")  # the value that it sets is required
        return [given[0].split(" = ")[0], *given[1:]] if is_setter and given else given

    def text(self):
        given = ", ".join(["self", *self.declared()])
        head = "@property\n" * self.is_property + f"def {self.name}({given}) -> {self.type}:\n"
        comment = self.comment + (" " + self.setter.comment if self.setter else "")
        created = head + docstring(comment) + self.body()
        if self.setter:
            set_by = self.setter.parameters[0].declared()
            created += f"\n@{self.name}.setter\ndef {self.name}(self, {set_by}) -> None:\n{self.setter.body()}"
        return created


class PythonConstructor(PythonFunction):
    """__init__, or a class method."""

    def __init__(self, words, creator):
        super().__init__(words, creator)
        self.comment = self.comment.replace(" options: None for the defaults.", "")

    def usual_name(self):
        return self.described.name or "__init__"

    def text(self):
        before = "".join(f"    {one.before}\n" for one in self.parameters if one.before)
        if self.name == "__init__":
            head, last = f"def __init__({', '.join(['self', *self.declared()])}) -> None:", f"self._adopt({self.call()})"
        else:
            head = f"@classmethod\ndef {self.name}({', '.join(['cls', *self.declared()])}) -> {self.owner}:"
            last = f"return cls._of({self.call()})"
        return f"{head}\n{docstring(self.comment)}{before}    {last}\n"


class PythonEvent:
    """A short form of record for one kind of event. The hand-written class reads its clock if the time is not given."""

    def __init__(self, words, event):
        self.event, self.owner = event, camel(event.owner)
        self.comment = words.text(event.comment)
        values = [f"{value.name}: {words.of(value)}" for value in event.values if value.name != "now_seconds"]
        self.comment = ". ".join([capital(self.comment.rstrip(".")), *values]) + "."

    def text(self):
        timed = [value for value in self.event.values if value.name == "now_seconds"]
        values = [value for value in self.event.values if value not in timed]
        declared = [f"{value.name}: {'str' if value.kind == 'text' else 'float'}" for value in values]
        given = ", ".join(["self", *declared, *["now: Optional[float] = None"] * len(timed)])
        passed = [f"_v.{named(self.event.constant)}", "now" if timed else "0"] + [f"{value.name}={value.name}" for value in values]
        return f"def {self.event.name}({given}) -> None:\n{docstring(self.comment)}    self._record({', '.join(passed)})\n"

    def classes(self):
        return set()


class Writer:
    def __init__(self, model, functions):
        words, text = PythonWords(model), "".join(contents("bindings/python/ckpt/*.py").values())
        used = set(re.findall(r"\b_n\.(ckpt_\w+)", text))
        bases = set(re.findall(r"\b_m\.(\w+)Methods\b", text))
        classes = set(re.findall(r"^class (\w+)\(", text, re.MULTILINE))

        def usable(kind, form):
            free = [one for one in functions if one.form == form and (one.function not in used or one.function in USED_TOO)]
            created = [kind(words, one) for one in free]
            return [one for one in created if one.is_simple() and one.classes() <= classes and not one.is_written(text)]

        self.bases = sorted(bases)
        found = [one for one in usable(PythonMethod, "method") if one.owner in bases]
        for getter in found:
            getter.setter = next((one for one in found if one.sets(getter)), None)
        setters = [one.setter for one in found]
        makers = [one for one in usable(PythonConstructor, "creator") if one.owner in bases]
        self.generated = makers + [one for one in found if one not in setters]
        self.generated += [PythonEvent(words, event) for event in events(model)]
        self.free = [one for one in usable(PythonFunction, "static") if one.function not in NOT_PYTHON]
        self.handles = {camel(handle): handle for handle in model.handles}
        self.functions = model.functions

    def base(self, owner):
        methods = [one.text() for one in self.generated if one.owner == owner]
        references = [f"    _{verb} = staticmethod(_n.{self.handles[owner]}_{verb})\n" for verb in ("release", "retain")
                      if f"{self.handles[owner]}_{verb}" in self.functions]
        own = "".join(f"    {name}: Any\n" for name in ("_name", "_record") if any(f"self.{name}(" in one for one in methods))
        head = f"class {owner}Methods:\n    _h: Any\n    _adopt: Any\n    _of: Any\n{own}{''.join(references)}\n"
        return head + textwrap.indent("\n".join(methods), "    ", lambda line: line.strip())

    def file(self, about, names, found, parts):
        """Returns a file of these functions, with the imports that they need."""
        text = "".join(parts)
        used = lambda *names: ", ".join(name for name in names if re.search(rf"\b{name}\b", text))  # noqa: E731
        classes = sorted({name for one in found for name in one.classes() if re.search(rf"[:>\[] ?{name}\b", text)})
        errors = used("NotFoundError", "OverBudgetError")
        typing = used("Any", "Dict", "List", "Optional", "Sequence", "Union")
        for_checkers = [*listed("    from .. import (", classes, ")")] if classes else []
        for_checkers += ["    from .._strategy import StrategyLike"] * ("StrategyLike" in text)
        if for_checkers:
            typing = "TYPE_CHECKING, " + typing
        root, values = used("classes", "handle_of", "made_by"), used("_o", "_v")
        values = values.replace("_o", "options as _o").replace("_v", "values as _v")
        imports = [*["import json"] * ("json.loads" in text), f"from typing import {typing}", "", "from .. import _native as _n",
                   *["from .._base import _timeout_ns"] * ("_timeout_ns" in text), *[f"from .._root import {root}"] * bool(root),
                   f"from . import {values}", *[f"from .errors import {errors}"] * ("except " in text)]
        return module(about, [*imports, *["", "if TYPE_CHECKING:", *for_checkers] * bool(for_checkers)], names, *parts)

    def files(self):
        about = "The methods that are one call of C, by the class that derives from them."
        free = "The functions of the package that are one call of C."
        return {FOLDER + "methods.py": self.file(about, [], self.generated, [self.base(owner) for owner in self.bases]),
                FOLDER + "functions.py": self.file(free, [one.name for one in self.free], self.free,
                                                   [one.text() for one in self.free])}


def files(model, functions):
    return Writer(model, functions).files()
