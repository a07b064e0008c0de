"""The methods of Python's classes that are one call of C: bases of the hand-written classes, which read the handle as _h."""

import re
import textwrap

from text import camel, texts
from write_python import FOLDER, PythonWords, docstring, module



class PythonParameter:
    """None for kind where a method is written by hand: options are keywords, waiting gives way to signals."""

    def __init__(self, parameter):
        self.name, self.kind = parameter.name, parameter.kind
        self.type, self.passed = {
            "text": ("str", self.name),
            "number": ("int", self.name),
            "real": ("float", self.name),
            "truth": ("bool", f"int({self.name})"),
            "enum": ("int", self.name),
        }.get(parameter.kind, (None, None))
        if parameter.is_nullable:
            self.type = self.type and f"Optional[{self.type}]"


class PythonMethod:
    def __init__(self, words, method):
        self.method, self.owner, self.function = method, camel(method.owner), method.function
        result = method.result
        is_text_file = result.kind == "fetched" and method.name.endswith(("json", "prometheus"))
        self.is_property = method.is_getter and result.kind not in ("struct", "structs", "numbers") and not is_text_file
        self.name = method.name
        self.parameters = [PythonParameter(parameter) for parameter in method.parameters]
        self.comment = words.text(method.comment)
        self.type, self.value = self.result()

    def is_simple(self):
        return self.type is not None and all(one.type for one in self.parameters)

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
            "enum": (f"_v.{name}", f"_v.{name}({call})"),
            "struct": (f"_v.{name}", f"_v.{name}._of({call})"),
            "structs": (f"List[_v.{name}]", f"[_v.{name}._of(one) for one in {call}]"),
            "numbers": ("List[int]", f"list({call})"),
        }.get(result.kind, (None, None))

    def text(self):
        given = ", ".join(["self", *(f"{one.name}: {one.type}" for one in self.parameters)])
        body = self.value if self.type == "None" else f"return {self.value}"
        head = "@property\n" * self.is_property + f"def {self.name}({given}) -> {self.type}:\n"
        return head + docstring(self.comment) + f"    {body}\n"


class Writer:
    def __init__(self, model, methods):
        words, text = PythonWords(model), "".join(texts("bindings/python/ckpt/*.py").values())
        used = set(re.findall(r"\b_n\.(ckpt_\w+)", text))
        bases = set(re.findall(r"\b_m\.(\w+)Methods\b", text))
        simple = [one for one in (PythonMethod(words, method) for method in methods) if one.is_simple()]
        self.generated = [one for one in simple if one.function not in used and one.owner in bases]
        self.bases = sorted(bases)

    def base(self, owner):
        methods = [one.text() for one in self.generated if one.owner == owner]
        return f"class {owner}Methods:\n    _h: Any\n\n" + textwrap.indent("\n".join(methods), "    ", lambda line: line.strip())

    def file(self):
        parts = [self.base(owner) for owner in self.bases]
        text = "".join(parts)
        typing = ", ".join(name for name in ("Any", "List", "Optional") if re.search(rf"\b{name}\b", text))
        imports = [f"from typing import {typing}", "", "from .. import _native as _n", "from . import values as _v"]
        return module("The methods that are one call of C, by the class that derives from them.", imports, [], *parts)


def files(model, methods):
    return {FOLDER + "methods.py": Writer(model, methods).file()}
