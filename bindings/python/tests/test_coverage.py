"""Everything in the C API is reachable from Python: checks each exported function against the binding, and the documentation."""

import ast
import os
import re
import unittest

import ckpt
from ckpt import _native
from ckpt.generated import options, values

# Functions that the low-level module omits, and the reasons.
NO_WRAPPER = {
    "ckpt_get_api": "a table of C function pointers, for programs that load the library themselves",
    "ckpt_start_thread": "threads of the language: threading.Thread",
    "ckpt_tree_add": "_trees.py writes trees by itself",
    "ckpt_tree_get": "_trees.py reads trees by itself",
}
# Structs without a value in Python, and the reasons.
NO_VALUES = {
    "strategy_callbacks": "swig/strategy.hpp fills the table of functions",
    "storage_callbacks": "swig/storage.hpp fills the table of functions",
    "stateful_callbacks": "swig/state.hpp fills the table of functions",
    "coordinator_callbacks": "swig/state.hpp fills the table of functions",
    "checkpoint_task_callbacks": "swig/async.hpp fills the table of functions",
    "driver_callbacks": "python_drive.hpp fills the table of functions",
    "tree_node": "_trees.py reads and writes trees by itself",
    "blas": "set_blas takes the struct's members",
}
# Functions that the package does not call, and the reasons; it calls all others.
NOT_CALLED = {
    "ckpt_struct_init": "structs begin with their _INIT macros",
    "ckpt_strategy_create": "ckpt_strategy_create_with_options makes the same from a text alone",
    "ckpt_last_error": "its text is the exception's",
    "ckpt_callback_error": "the text of an exception that a callable raised becomes the reason",
}


def listed():
    with open(os.environ["CKPT_API_TABLE"], encoding="utf-8") as file:
        return re.findall(r"\n  [^\n]*\(\*(ckpt_\w+)\)", file.read())


# Functions of trees: _trees.py converts Python objects without the C API; test_trees.py compares the two.
NOT_CALLED.update({name: "_trees.py reads and writes trees by itself" for name in listed()
                   if re.match(r"ckpt_tree_|ckpt_state_set_tree", name) and hasattr(_native, name)})


def listed_structs():
    folder, names = os.path.dirname(os.environ["CKPT_API_TABLE"]), []
    for header in sorted(os.listdir(folder)):
        if header.endswith(".h") and header != "s3.h":
            with open(os.path.join(folder, header), encoding="utf-8") as file:
                names += re.findall(r"#define CKPT_(\w+)_INIT\b", file.read())
    return [name.lower() for name in names]


def sources():
    folder = os.path.dirname(ckpt.__file__)
    for name in sorted(os.listdir(folder)) + [os.path.join("generated", name) for name in sorted(os.listdir(os.path.join(folder, "generated")))]:
        if name.endswith(".py") and name != "native.py":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield name, file.read()


def imports_of(name, text):
    """Returns the modules of the package that this one imports, also inside functions, except under TYPE_CHECKING."""
    module = name[:-len(".py")].replace(os.sep, ".")
    folder, found = module.split(".")[:-1], set()
    nodes = [ast.parse(text)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = folder[:len(folder) - (node.level - 1)] + (node.module.split(".") if node.module else [])
            found |= {".".join(base), *(".".join([*base, alias.name]) for alias in node.names)}
        nodes += ast.iter_child_nodes(node)
    return module, found - {module}


def keywords_of(function):
    return function.__code__.co_varnames[:function.__code__.co_argcount]


class Coverage(unittest.TestCase):
    def test_every_function_is_wrapped(self):
        functions = listed()
        self.assertGreater(len(functions), 200)
        for name in functions:
            if name in NO_WRAPPER:
                self.assertFalse(hasattr(_native, name), f"{name} is wrapped: strike it from NO_WRAPPER")
            else:
                self.assertTrue(hasattr(_native, name), f"{name} has no wrapper")

    def test_every_struct_has_keywords_or_a_record(self):
        structs = listed_structs()
        self.assertGreater(len(structs), 40)
        for struct in structs:
            record = "".join(word.capitalize() for word in struct.split("_"))
            if struct in NO_VALUES:
                self.assertFalse(hasattr(options, struct) or hasattr(values, record), f"{struct}: strike it from NO_VALUES")
            else:
                self.assertTrue(hasattr(options, struct) or hasattr(values, record), f"{struct}: no keywords and no record of it")

    def test_every_function_is_used(self):
        text = "".join(source for _, source in sources())
        for name in listed():
            if name in NO_WRAPPER or name in NOT_CALLED:
                continue
            self.assertRegex(text, rf"_n\.{name}\b", f"the package never uses {name}")

    def test_exceptions_have_reasons_and_exist(self):
        for name, reason in {**NO_WRAPPER, **NOT_CALLED}.items():
            self.assertIn(name, listed())
            self.assertGreater(len(reason), 10)

    def test_stubs(self):
        folder = os.path.dirname(ckpt.__file__)
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))
        declared = set()
        for name, _ in sources():
            with open(os.path.join(folder, name + "i"), encoding="utf-8") as file:
                for node in ast.walk(ast.parse(file.read())):
                    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                        declared.add(node.name)
                    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                        declared.add(node.target.id)
        for name in ckpt.__all__:
            self.assertIn(name, declared, f"{name} has no stub")

    def test_stubs_list_each_keyword(self):
        listed = {}
        folder = os.path.dirname(ckpt.__file__)
        for name, _ in sources():
            with open(os.path.join(folder, name + "i"), encoding="utf-8") as file:
                tree = ast.parse(file.read())
            for owner in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
                for function in [node for node in owner.body if isinstance(node, ast.FunctionDef)]:
                    if function.name.startswith("_") and function.name != "__init__":
                        continue
                    self.assertIsNone(function.args.kwarg, f"{owner.name}.{function.name} has ** in its stub")
                    listed[f"{owner.name}.{function.name}"] = {argument.arg: ast.get_docstring(function) or ""
                                                               for argument in function.args.args + function.args.kwonlyargs}
        for method, created in (("AsyncManager.__init__", [options.async_manager_options, options.checkpoint_manager_options]),
                             ("AsyncManager.save", [options.save_options, options.checkpoint_task_options]),
                             ("Controller.save_async", [options.save_options, options.checkpoint_task_options]),
                             ("CheckpointManager.load_if_any", [options.load_options]),
                             ("Pipeline.run", [options.step]), ("Profile.add_layer", [options.layer_profile])):
            for keyword in [keyword for function in created for keyword in keywords_of(function)]:
                self.assertIn(keyword, listed[method], f"{method} does not list {keyword}")
        self.assertIn("capacity: maximum number of tasks that have not ended", listed["AsyncManager.__init__"]["capacity"])

    def test_modules_import_in_one_direction(self):
        imports = dict(imports_of(name, text) for name, text in sources())
        left = {module: found & set(imports) for module, found in imports.items()}
        self.assertGreater(sum(map(len, left.values())), 100)
        while True:  # removes modules that import no remaining one
            free = {module for module, found in left.items() if not found}
            if not free:
                break
            left = {module: found - free for module, found in left.items() if module not in free}
        self.assertEqual(left, {}, "these import each other in a circle, or something in one")

    def test_an_unknown_number_is_not_an_error(self):
        for name in values.__all__:
            kind = getattr(values, name)
            if isinstance(kind, type) and issubclass(kind, int):
                unknown = kind(1 << 20)
                self.assertEqual(int(unknown), 1 << 20)
                self.assertIsInstance(unknown, kind)
                self.assertNotIn(unknown, list(kind))
                self.assertEqual(getattr(values, "_" + name)[1 << 20], 1 << 20)
        numbers = (0, 1 << 20, 1, 7, 0, 0, 0, 0, 0, 0, "", "")
        self.assertEqual(values.CheckpointTaskResult._of((1 << 20,) + numbers[1:]).state.name, f"UNKNOWN_{1 << 20}")

    def test_public_names_are_documented(self):
        for name in ckpt.__all__:
            value = getattr(ckpt, name)
            if isinstance(value, type):
                self.assertTrue(value.__doc__, f"{name} has no text")

    def test_every_status_has_its_exception(self):
        numbers = {value for name, value in vars(_native).items() if re.match(r"CKPT_E_[A-Z_]+$", name)}
        self.assertEqual(numbers, {kind.status for kind in ckpt.CkptError.__subclasses__()})


if __name__ == "__main__":
    unittest.main()
