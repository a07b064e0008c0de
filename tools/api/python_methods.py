"""The methods of Python's classes that are one call of C: bases of the hand-written classes, which read the handle as _h."""

import re
import textwrap

from methods import without_status
from text import camel, texts
from write_python import CONVERTED, FOLDER, PythonWords, docstring, listed, module

NAMES = {"get_bytes": "nbytes", "get_element_count": "size", "is_read_only": "read_only",  # as numpy has it
         "list_allocations": "live_allocations", "list_tasks": "tasks", "get_or_compute": "get_or_compute",
         "create_retrying": "retrying"}
LIST_RULE = re.compile(r": \*count receives how many there are, \w+ the first min\(capacity, \*count\)")
TRUTH = ((r"\b1(?= (?:when|for|if)\b)", "True"), (r"\b1 or 0\b", "True or False"), (r"\b(else|or) 0\b", r"\1 False"))


class PythonParameter:
    """type: None where a method is written by hand, because waiting gives way to signals. before: a statement that converts it."""

    def __init__(self, words, parameter, is_last):
        self.name, self.kind, self.before, self.passed = parameter.name, parameter.kind, None, parameter.name
        self.type = {"text": "str", "number": "int", "real": "float", "truth": "bool", "enum": "int"}.get(parameter.kind)
        if parameter.kind == "truth":
            self.passed = f"int({self.name})"
        elif parameter.kind == "handle" and parameter.bare in CONVERTED:
            self.type = {"ckpt_strategy": "StrategyLike"}.get(parameter.bare, "Any")
            self.before, self.passed = f'given = made_by["as_{CONVERTED[parameter.bare]}"]({self.name})', "given._h"
        elif parameter.kind == "handle":
            self.type = camel(parameter.bare)
            self.passed = f"handle_of({self.name})" if parameter.is_nullable else f"{self.name}._h"
        elif parameter.kind == "struct" and is_last:
            options = parameter.bare.removeprefix("ckpt_")
            self.type, self.passed = f"_o.{options}", f"_o.{options}(**{self.name})"
        if parameter.is_nullable and parameter.kind != "struct":
            self.type = self.type and f"Optional[{self.type}]"

    def declared(self):
        return f"{'**' * (self.kind == 'struct')}{self.name}: {self.type}"


class PythonMethod:
    def __init__(self, words, method):
        self.method, self.owner, self.function = method, camel(method.owner), method.function
        result = method.result
        self.is_property = method.is_getter and result.kind not in ("struct", "structs", "numbers") and not method.is_document
        self.name = NAMES.get(method.verb, method.name)
        self.parameters = [PythonParameter(words, one, one is method.parameters[-1]) for one in method.parameters]
        comment = LIST_RULE.sub("", method.comment)
        self.has_none = result.kind == "struct" and bool(result.absent)
        without_error = without_status(re.sub(r"; the message [^.]*", "", method.comment), result.absent, "None")
        self.comment = words.text(without_error if self.has_none else comment)
        for digit, word in TRUTH if result.kind == "truth" else ():
            self.comment = re.sub(digit, word, self.comment)
        self.type, self.value = self.result()
        if self.has_none:
            self.type = f"Optional[{self.type}]"
        self.setter = None  # the method that sets the property

    def is_simple(self):
        converted = [one for one in self.parameters if one.before]
        return self.type is not None and all(one.type for one in self.parameters) and len(converted) < 2

    def sets(self, getter):
        """Whether this is the setter of a property."""
        return self.method.sets(getter.method) and getter.is_property and self.type == "None"

    def result(self):
        result = self.method.result
        call = f"_n.{self.function}({', '.join(['self._h', *(str(one.passed) for one in self.parameters)])})"
        name = camel(result.bare) if result.bare else ""
        return {
            "none": ("None", call),
            "fetched": ("str", call),
            "text": ("str", call),
            "number": ("int", call),
            "real": ("float", call),
            "truth": ("bool", f"bool({call})"),
            "enum": (f"_v.{name}", f"_v._{name}[{call}]"),
            "handle": (name, f"classes[\"{name}\"]._of({call})"),
            "struct": (f"_v.{name}", f"_v.{name}._of({call})"),
            "structs": (f"List[_v.{name}]", f"[_v.{name}._of(one) for one in {call}]"),
            "numbers": ("List[int]", f"list({call})"),
        }.get(result.kind, (None, None))

    def text(self):
        given = ", ".join(["self", *(one.declared() for one in self.parameters)])
        head = "@property\n" * self.is_property + f"def {self.name}({given}) -> {self.type}:\n"
        comment = self.comment + (" " + self.setter.comment if self.setter else "")
        made = head + docstring(comment) + self.body()
        if self.setter:
            set_by = self.setter.parameters[0].declared()
            made += f"\n@{self.name}.setter\ndef {self.name}(self, {set_by}) -> None:\n{self.setter.body()}"
        return made

    def body(self):
        last = self.value if self.type == "None" else "return " + self.value
        lines = [*(one.before for one in self.parameters if one.before), last]
        if self.has_none:
            lines = ["try:", *("    " + line for line in lines), "except NotFoundError:", "    return None"]
        return textwrap.indent("\n".join(lines), "    ") + "\n"

    def classes(self):
        """The hand-written classes in its types."""
        kinds = [self.method.result, *(one for one in self.method.parameters if one.bare not in CONVERTED)]
        return {camel(one.bare) for one in kinds if one.kind == "handle"}


class PythonConstructor(PythonMethod):
    """__init__, or a class method."""

    def __init__(self, words, method):
        super().__init__(words, method)
        self.name = method.name or "__init__"
        self.comment = self.comment.replace(" options: None for the defaults.", "")

    def text(self):
        values = ", ".join(str(one.passed) for one in self.parameters)
        declared = [one.declared() for one in self.parameters]
        for n in reversed(range(len(declared))):
            if self.parameters[n].type.startswith("Optional"):
                declared[n] += " = None"
            elif self.parameters[n].kind != "struct":
                break
        before = "".join(f"    {one.before}\n" for one in self.parameters if one.before)
        call = f"_n.{self.function}({values})"
        if self.name == "__init__":
            head, last = f"def __init__({', '.join(['self', *declared])}) -> None:", f"self._adopt({call})"
        else:
            head = f"@classmethod\ndef {self.name}({', '.join(['cls', *declared])}) -> {self.owner}:"
            last = f"return cls._of({call})"
        return f"{head}\n{docstring(self.comment)}{before}    {last}\n"

    def is_written(self, text):
        """Whether the hand-written class has its own."""
        found = re.search(rf"^class {self.owner}\(.*?(?=^class |\Z)", text, re.MULTILINE | re.DOTALL)
        return found is not None and f"def {self.name}(" in found[0]


class Writer:
    def __init__(self, model, functions):
        words, text = PythonWords(model), "".join(texts("bindings/python/ckpt/*.py").values())
        used = set(re.findall(r"\b_n\.(ckpt_\w+)", text))
        bases = set(re.findall(r"\b_m\.(\w+)Methods\b", text))
        classes = set(re.findall(r"^class (\w+)\(", text, re.MULTILINE))

        def usable(one):
            is_free = one.function not in used and one.owner in bases
            return is_free and one.is_simple() and one.classes() <= classes

        self.generated = list(filter(usable, (PythonMethod(words, one) for one in functions if one.form == "method")))
        self.bases = sorted(bases)
        for getter in self.generated:
            getter.setter = next((one for one in self.generated if one.sets(getter)), None)
        setters = [one.setter for one in self.generated]
        makers = filter(usable, (PythonConstructor(words, one) for one in functions if one.form == "creator"))
        self.generated = [one for one in makers if not one.is_written(text)] + [one for one in self.generated if one not in setters]
        self.handles = {camel(handle): handle for handle in model.handles}
        self.functions = model.functions

    def base(self, owner):
        methods = [one.text() for one in self.generated if one.owner == owner]
        references = [f"    _{verb} = staticmethod(_n.{self.handles[owner]}_{verb})\n" for verb in ("release", "retain")
                      if f"{self.handles[owner]}_{verb}" in self.functions]
        head = f"class {owner}Methods:\n    _h: Any\n    _adopt: Any\n    _of: Any\n{''.join(references)}\n"
        return head + textwrap.indent("\n".join(methods), "    ", lambda line: line.strip())

    def file(self):
        parts = [self.base(owner) for owner in self.bases]
        text = "".join(parts)
        used = lambda *names: ", ".join(name for name in names if re.search(rf"\b{name}\b", text))  # noqa: E731
        classes = sorted({name for one in self.generated for name in one.classes() if re.search(rf"[:>\[] ?{name}\b", text)})
        imports = [f"from typing import TYPE_CHECKING, {used('Any', 'List', 'Optional')}", "", "from .. import _native as _n",
                   f"from .._root import {used('classes', 'handle_of', 'made_by')}", "from . import options as _o, values as _v",
                   *["from .errors import NotFoundError"] * ("NotFoundError:" in text), "",
                   "if TYPE_CHECKING:", *listed("    from .. import (", classes, ")"), "    from .._strategy import StrategyLike"]
        return module("The methods that are one call of C, by the class that derives from them.", imports, [], *parts)


def files(model, functions):
    return {FOLDER + "methods.py": Writer(model, functions).file()}
