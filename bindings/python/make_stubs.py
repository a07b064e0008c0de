"""Generates the .pyi files of the package: the declarations of its modules, without bodies.

`**options: f`, or a Union of such, where f is a function of generated/options.py or a method, stands for the keywords of f: the
stub lists each of them, with its description.

make_stubs.py SOURCES PACKAGE
"""

import ast
import copy
import os
import sys
from typing import __all__ as typing_names

# The stub of SWIG's modules, which only the package uses: any function, and the base class of Tensor.
SWIG_STUB = """from typing import Any

class TensorBuffer:
    _slot: Any

def __getattr__(name: str) -> Any: ...
"""


def without_bodies(node):
    """Reduces a module or class to the statements that a type checker needs: keeps docstrings, drops values and private
    functions."""
    kept = []
    body = [part for child in node.body for part in (child.body if is_for_checkers(child) else [child])]
    for child in body:
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            doc = ast.get_docstring(child)
            child.body = ([ast.Expr(ast.Constant(doc))] if doc else []) + [ast.Expr(ast.Constant(...))]
        elif isinstance(child, ast.ClassDef):
            if child.name.startswith("_"):
                child.bases = [base for base in child.bases if not isinstance(base, ast.Attribute)]  # of torch, unknown to checkers
            without_bodies(child)
        elif isinstance(child, (ast.Expr, ast.For, ast.If, ast.With, ast.Try)) and not (child is body[0] and is_text(child)):
            continue
        elif hides_method(node, child):
            child.annotation = ast.Name(ast.unparse(child.annotation) + "  # type: ignore[assignment]")
        elif isinstance(child, ast.AnnAssign) and child.value is not None and not isinstance(child.value, ast.Constant):
            child.value = ast.Constant(...)
        elif isinstance(child, ast.Assign) and not is_kept(child):
            child = untyped(child)
            if child is None:
                continue
        kept.append(child)
    node.body = kept or [ast.Expr(ast.Constant(...))]


def hides_method(node, child):
    """Returns whether a named tuple's field has the name of a tuple's method."""
    return (isinstance(child, ast.AnnAssign) and child.value is None and hasattr(tuple, child.target.id) and
            any(ast.unparse(base) == "NamedTuple" for base in getattr(node, "bases", [])))


def is_for_checkers(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def is_kept(assign):
    """Returns whether an assignment is kept: __all__, aliases of types, and values that are constants or aliases."""
    if not isinstance(assign.targets[0], ast.Name):
        return False
    value = assign.value
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "TypeVar":
        return True
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        return value.value.id not in ("_n", "_native")
    return isinstance(value, (ast.Constant, ast.Subscript, ast.Name)) or assign.targets[0].id == "__all__"


def untyped(assign):
    """Returns a declaration without a value: constants of the extension are integers, its functions callables."""
    target = assign.targets[0]
    if not isinstance(target, ast.Name) or target.id.startswith("_"):
        return None
    is_number = isinstance(assign.value, ast.BinOp) or (isinstance(assign.value, ast.Attribute) and assign.value.attr.startswith("CKPT_"))
    kind = "int" if is_number else "Any"
    return ast.AnnAssign(target=target, annotation=ast.Name(kind), value=None, simple=1)


class Keywords:
    """Replaces **options arguments by the keywords they stand for."""

    def __init__(self, trees):
        self.functions, self.homes = {}, {}
        for module, tree in trees.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    self.homes.setdefault(node.name, module)
                    self.functions.update({f"{node.name}.{f.name}": (f, node) for f in node.body if isinstance(f, ast.FunctionDef)})
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.homes.setdefault(node.targets[0].id, module)
                elif isinstance(node, ast.FunctionDef) and module == "generated.options":
                    self.functions["_o." + node.name] = (node, None)
        self.used = set()

    def of(self, annotation, owner):
        """Returns (argument, default, description) of each keyword; None when the annotation is a type."""
        if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Union":
            return [keyword for part in annotation.slice.elts for keyword in self.of(part, owner)]
        name = ast.unparse(annotation)
        function, inside = self.functions.get(name) or self.functions.get(f"{getattr(owner, 'name', '')}.{name}") or (None, None)
        if function is None:
            return None
        texts = entries_of(ast.get_docstring(function) or "")
        given = function.args
        pairs = list(zip(given.args, given.defaults)) if inside is None else list(zip(given.kwonlyargs, given.kw_defaults))
        keywords = [(argument, default, texts.get(argument.arg)) for argument, default in pairs]
        return keywords + (self.of(given.kwarg.annotation, inside) or [] if given.kwarg else [])

    def list_in(self, node, owner=None):
        """Lists the keywords instead of each **options below a node."""
        for child in node.body:
            if isinstance(child, ast.ClassDef):
                self.list_in(child, child)
            elif isinstance(child, ast.FunctionDef) and child.args.kwarg is not None:
                self.list_in_function(child, owner)

    def list_in_function(self, function, owner):
        keywords = self.of(function.args.kwarg.annotation, owner)
        if keywords is None:
            return
        taken = {argument.arg for argument in function.args.args + function.args.kwonlyargs}
        texts = []
        for argument, default, text in keywords:
            if argument.arg not in taken:
                taken.add(argument.arg)
                self.used |= {name.id for name in ast.walk(argument.annotation) if isinstance(name, ast.Name)}
                function.args.kwonlyargs.append(argument)
                function.args.kw_defaults.append(default if isinstance(default, (ast.Constant, ast.Tuple)) else ast.Constant(...))
                texts += [text] if text else []
        function.args.kwarg = None
        doc = "\n\n".join(part for part in (ast.get_docstring(function), "\n".join(texts)) if part)
        if doc:
            without = function.body[1:] if is_text(function.body[0]) else function.body
            function.body = [ast.Expr(ast.Constant(doc))] + without

    def imports(self, tree, package):
        """Returns the imports that the keywords' types need and the module lacks."""
        known = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        known |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        known |= {ast.unparse(node.targets[0]) for node in tree.body if isinstance(node, ast.Assign)}
        typing = sorted(self.used & set(typing_names) - known)
        lines = [f"from typing import {', '.join(typing)}"] if typing else []
        needed = sorted(name for name in self.used - known if name in self.homes)
        self.used = set()
        return "".join(line + "\n" for line in lines + [f"from {package}{self.homes[name]} import {name}" for name in needed])


def entries_of(doc):
    """Returns the "name: description" entries of a docstring by name, including continuation lines."""
    found, name = {}, None
    for line in doc.split("\n"):
        begin = line.split(":")[0]
        if begin.isidentifier() and ":" in line:
            name = begin
            found[name] = line
        elif name and line.startswith(" "):
            found[name] += "\n" + line
    return found


def parsed(path):
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


def stub_of_tree(tree, more=""):
    without_bodies(tree)
    text = more + ast.unparse(ast.fix_missing_locations(tree))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    return ("from typing import Any\n" if "Any" in names - imported else "") + text + "\n"


def write(path, text):
    ast.parse(text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(sources, package):
    names = [os.path.join(folder, name) for folder in ("", "generated") for name in sorted(os.listdir(os.path.join(sources, folder)))]
    trees = {name[:-3].replace("/", "."): parsed(os.path.join(sources, name)) for name in names if name.endswith(".py")}
    keywords = Keywords(copy.deepcopy(trees))
    for module, tree in trees.items():
        keywords.list_in(tree)
        more = keywords.imports(tree, ".." if module.startswith("generated.") else ".")
        write(os.path.join(package, module.replace(".", "/") + ".pyi"), stub_of_tree(tree, more))
    for name in ("native", "_native"):
        write(os.path.join(package, name + ".pyi"), SWIG_STUB)


if __name__ == "__main__":
    main(*sys.argv[1:])
