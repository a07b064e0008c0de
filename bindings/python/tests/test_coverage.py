"""Everything that the C API can do is reachable from Python: each exported function against the binding, and what is documented."""

import ast
import os
import re
import unittest

import ckpt
from ckpt import _native

# What the low-level module leaves out, and why.
NO_WRAPPER = {
    "ckpt_get_api": "a table of C function pointers, for programs that load the library themselves",
    "ckpt_strategy_callbacks_init": "swig/strategy.hpp fills the table of functions",
    "ckpt_strategy_question_init": "swig/strategy.hpp passes the question's members",
    "ckpt_strategy_config_init": "Strategy.from_config has the defaults as keyword arguments",
    "ckpt_storage_callbacks_init": "swig/storage.hpp fills the table of functions",
    "ckpt_stateful_callbacks_init": "swig/state.hpp fills the table of functions",
    "ckpt_coordinator_callbacks_init": "swig/state.hpp fills the table of functions",
    "ckpt_layer_callbacks_init": "swig/engine.hpp fills the table of functions",
    "ckpt_checkpoint_task_callbacks_init": "swig/async.hpp fills the table of functions",
    "ckpt_blas_init": "set_blas takes the struct's members",
    "ckpt_strategy_info_init": "languages get it with the next issue",
    "ckpt_strategy_get_info": "languages get it with the next issue",
    "ckpt_strategy_get_pattern": "languages get it with the next issue",
    "ckpt_strategy_get_child": "languages get it with the next issue",
    "ckpt_strategy_get_text": "languages get it with the next issue",
    "ckpt_threshold_observe_failure": "languages get it with the next issue",
}
# What the idiomatic layer has no use for, and why; everything else is called by it.
NOT_CALLED = {
    "ckpt_last_error": "its text is the exception's",
    "ckpt_callback_error": "the text of an exception that a callable raised becomes the reason",
}


def listed():
    with open(os.environ["CKPT_API_TABLE"], encoding="utf-8") as file:
        return re.findall(r"\n  [^\n]*\(\*(ckpt_\w+)\)", file.read())


def sources():
    folder = os.path.dirname(ckpt.__file__)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and name != "native.py":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield name, file.read()


class Coverage(unittest.TestCase):
    def test_every_function_is_wrapped(self):
        functions = listed()
        self.assertGreater(len(functions), 200)
        for name in functions:
            if name in NO_WRAPPER:
                self.assertFalse(hasattr(_native, name), f"{name} is wrapped: strike it from NO_WRAPPER")
            elif name.endswith("_init"):
                self.assertTrue(hasattr(_native, "new_" + name[: -len("_init")]), f"{name}: the struct has no proxy")
            else:
                self.assertTrue(hasattr(_native, name), f"{name} has no wrapper")

    def test_every_function_is_used(self):
        text = "".join(source for _, source in sources())
        for name in listed():
            if name in NO_WRAPPER or name in NOT_CALLED or name.endswith("_init"):
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
