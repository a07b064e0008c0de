"""Makes the .pyi files of the package: what its modules declare, without bodies, and what the extension holds.

make_stubs.py SOURCES PACKAGE
"""

import ast
import importlib.util
import os
import sys
import types


def without_bodies(node):
    """A module's or class's statements as a type checker needs them: docstrings stay, values and private functions go."""
    kept = []
    for child in node.body:
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            doc = ast.get_docstring(child)
            child.body = ([ast.Expr(ast.Constant(doc))] if doc else []) + [ast.Expr(ast.Constant(...))]
        elif isinstance(child, ast.ClassDef):
            without_bodies(child)
        elif isinstance(child, (ast.Expr, ast.For, ast.If, ast.With, ast.Try)) and not (child is node.body[0] and is_text(child)):
            continue
        elif isinstance(child, ast.AnnAssign) and child.value is not None and not isinstance(child.value, ast.Constant):
            child.value = ast.Constant(...)
        elif isinstance(child, ast.Assign) and not stays(child):
            child = untyped(child)
            if child is None:
                continue
        kept.append(child)
    node.body = kept or [ast.Expr(ast.Constant(...))]


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def stays(assign):
    """__all__, aliases of types, and values that are constants or aliases."""
    if not isinstance(assign.targets[0], ast.Name):
        return False
    value = assign.value
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        return value.value.id not in ("_n", "_native")
    return isinstance(value, (ast.Constant, ast.Subscript, ast.Name)) or assign.targets[0].id == "__all__"


def untyped(assign):
    """Constants of the extension are integers, its functions callables."""
    target = assign.targets[0]
    if not isinstance(target, ast.Name) or target.id.startswith("_"):
        return None
    is_number = isinstance(assign.value, ast.BinOp) or (isinstance(assign.value, ast.Attribute) and assign.value.attr.startswith("CKPT_"))
    kind = "int" if is_number else "Any"
    return ast.AnnAssign(target=target, annotation=ast.Name(kind), value=None, simple=1)


def stub_of_source(path):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    without_bodies(tree)
    text = ast.unparse(ast.fix_missing_locations(tree))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    return ("from typing import Any\n" if "Any" in names - imported else "") + text + "\n"


def stub_of_extension(path):
    """Loads the extension by itself: the package imports what it stubs."""
    spec = importlib.util.spec_from_file_location("_native", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = ['"""The C API as SWIG wraps it: one function for each, results in place of out-parameters."""', "from typing import Any", ""]
    for name in sorted(vars(module)):
        value = getattr(module, name)
        if name.startswith("__") or name.startswith("SWIG"):
            continue
        if isinstance(value, type):
            lines.append(f"class {name}:\n    _slot: Any")
        elif isinstance(value, types.BuiltinFunctionType):
            lines.append(f"def {name}(*arguments: Any) -> Any: ...")
        elif isinstance(value, (int, float, str)):
            lines.append(f"{name}: {type(value).__name__}")
    return "\n".join(lines) + "\n"


def write(path, text):
    ast.parse(text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(sources, package):
    for name in sorted(os.listdir(sources)):
        if name.endswith(".py"):
            write(os.path.join(package, name + "i"), stub_of_source(os.path.join(sources, name)))
    write(os.path.join(package, "native.pyi"), stub_of_source(os.path.join(package, "native.py")))
    extension = next(name for name in os.listdir(package) if name.startswith("_native.") and name.endswith(".so"))
    write(os.path.join(package, "_native.pyi"), stub_of_extension(os.path.join(package, extension)))


if __name__ == "__main__":
    main(*sys.argv[1:])
