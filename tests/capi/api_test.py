"""Tests the parser of tools/api on a header of difficult declarations, the checked-in description against the headers, and the
compatibility with the snapshot."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOL = os.path.join(ROOT, "tools", "api")
sys.path[:0] = [TOOL, os.path.join(ROOT, "tests", "growth")]
sys.dont_write_bytecode = True

try:
    import read

    read.find_libclang()
    read.cindex.Index.create()
except Exception as error:  # the Python module, or libclang itself
    print("SKIP: libclang for Python (python3-clang) not found:", error)
    sys.exit(77)

import compare
import headers
import write_c


def by_name(entries):
    return {entry["name"]: entry for entry in entries}


class Traps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.api = read.Reader(os.path.join(HERE, "traps"), ["traps.h"]).read()

    def test_header(self):
        self.assertEqual(self.api["headers"][0]["comment"], "traps.h - declarations that are hard to read.\n\nTwo paragraphs.")

    def test_constants(self):
        constants = by_name(self.api["constants"])
        values = {name[len("CKPT_TRAP_"):]: constant["value"] for name, constant in constants.items()}
        self.assertEqual(values, {"KIND_A": 0, "KIND_B": -1, "MASK": 24, "LARGE": 2**40, "MOST": 2**63 - 1, "SHARE": 0.25, "TEXT": "a, (b)"})
        self.assertEqual(constants["CKPT_TRAP_KIND_A"]["comment"], "the first")
        self.assertEqual(constants["CKPT_TRAP_KIND_B"]["comment"], "the second, whose description takes\ntwo lines")
        self.assertEqual(constants["CKPT_TRAP_MASK"]["comment"], "behind a line that goes on")
        self.assertEqual(constants["CKPT_TRAP_LARGE"]["comment"], "")

    def test_macro_with_arguments(self):
        self.assertEqual([macro["text"] for macro in self.api["macros"]], ["CKPT_TRAP_CALL(a, b) ckpt_trap_go((a), (b))"])

    def test_types(self):
        self.assertEqual([(kind["name"], kind["type"], kind["comment"]) for kind in self.api["types"]],
                         [("ckpt_trap_kind", "int32_t", "One of several.")])
        self.assertEqual([(handle["name"], handle["comment"]) for handle in self.api["handles"]],
                         [("ckpt_trap", "an object, behind its name")])
        self.assertEqual([struct["name"] for struct in self.api["foreign"]], ["foreign_thing"])

    def test_struct(self):
        (struct,) = self.api["structs"]
        self.assertEqual(struct["comment"], "A record; with a semicolon; and a { brace }.")
        fields = [(field["declaration"], field["default"], field["comment"]) for field in struct["fields"]]
        self.assertEqual(fields, [
            ("uint32_t struct_size", "sizeof ( ckpt_trap_options )", "bytes"),
            ("ckpt_trap_kind kind", "CKPT_TRAP_KIND_B", ""),
            ("int64_t shape[2][3]", "{ { 1 , 2 , 3 } , { 4 , 5 , 6 } }", "above its field"),
            ("ckpt_trap_fn fn", "0", "behind"),
            ("int32_t (*bare)(ckpt_trap*, void*)", "0", "no typedef"),
            ("const char* const* names", "0", "texts\nof two lines"),
            ("char text[8]", '"a, b"', ""),
        ])
        self.assertEqual([field["offset"] for field in struct["fields"]], [0, 4, 8, 56, 64, 72, 80])
        self.assertEqual(struct["fields"][2]["array"], [2, 3])

    def test_functions(self):
        go, stop = self.api["functions"]
        self.assertEqual(write_c.signature(go, "f"),
                         "int32_t f(ckpt_trap* trap, const uint32_t counter[4], void (*done)(void*), struct foreign_thing** out)")
        self.assertEqual(go["comment"], 'Goes: "x" / y.')
        self.assertEqual(write_c.signature(stop, "f"), "void f(void)")
        (callback,) = self.api["callbacks"]
        self.assertEqual(headers.callback_text(callback), "typedef int32_t (*ckpt_trap_fn)(const char* const* names, int64_t count, "
                         "int32_t (*inner)(void*, const int32_t[3]), void* user_data);")

    def test_generated_headers_have_the_same_description(self):
        for include in (os.path.join(HERE, "traps"), os.path.join(ROOT, "include")):
            names = ["traps.h"] if include.endswith("traps") else [f for f in sorted(os.listdir(os.path.join(include, "ckpt")))
                                                                  if f.endswith(".h") and f not in ("api.h", "ckpt.h", "mpi.h", "s3.h", "torch.h")]
            first = read.Reader(include, names).read()
            with tempfile.TemporaryDirectory() as folder:
                os.mkdir(os.path.join(folder, "ckpt"))
                with open(os.path.join(folder, "ckpt", "all.h"), "w", encoding="utf-8") as file:
                    file.write(headers.plain_header(first))
                second = read.Reader(folder, ["all.h"]).read()
            for group in ("functions", "structs", "callbacks", "constants", "types", "handles"):
                plain = lambda api: sorted(
                    (json.dumps({**without(entry), "fields": [without(field) for field in entry.get("fields", ())]}) for entry in api[group]))
                self.assertEqual(plain(first), plain(second))

    def test_unsupported_declarations_are_refused(self):
        for line in ("#define CKPT_TRAP_ODD sizeof(int)", "struct ckpt_bits { int a : 3; };", "void ckpt_unnamed(int);", "int x = ;",
                     "typedef struct ckpt_two { int a; int b; } ckpt_two;\n#define CKPT_TWO_INIT {0}"):
            with tempfile.TemporaryDirectory() as folder:
                os.mkdir(os.path.join(folder, "ckpt"))
                with open(os.path.join(folder, "ckpt", "odd.h"), "w", encoding="utf-8") as file:
                    file.write(line + "\n")
                with self.assertRaises(read.Problem, msg=line):
                    read.Reader(folder, ["odd.h"]).read()


def without(entry):
    return {key: value for key, value in entry.items() if key not in ("comment", "header", "fields", "first")}


class CheckedIn(unittest.TestCase):
    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)

    def test_equals_the_headers(self):
        found = self.run_tool("check")
        self.assertEqual(found.returncode, 0, found.stderr)


def named_field(names, name):
    (field,) = (each for each in names["structs"]["ckpt_checkpoint_info"]["fields"] if each["name"] == name)
    return field


class Promise(unittest.TestCase):
    """Checks compatibility with the snapshot: only functions, constants and fields at the end of structs with a size may be added,
    and reserved fields may get a name."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "capi", "api.json"), encoding="utf-8") as file:
            cls.api = json.load(file)
        with open(os.path.join(ROOT, "capi", "snapshot.json"), encoding="utf-8") as file:
            cls.snapshot = json.load(file)

    def changed(self, change):
        api = copy.deepcopy(self.api)
        change({group: by_name(entries) for group, entries in api.items()}, api)
        return compare.broken(self.api, api)

    def test_kept(self):
        self.assertEqual(compare.broken(self.snapshot, self.api), [])
        self.assertEqual(compare.rules(self.api), [])

    def test_additions_are_allowed(self):
        grow = {"name": "more", "declaration": "int64_t more", "type": "int64_t", "comment": ""}
        for change in (
            lambda names, api: names["structs"]["ckpt_memory_stats"]["fields"].append(grow),
            lambda names, api: api["constants"].append({"name": "CKPT_NEW", "value": 1}),
            lambda names, api: api["functions"].append({**api["functions"][0], "name": "ckpt_new"}),
            lambda names, api: api["structs"].append({**api["structs"][0], "name": "ckpt_new_options"}),
            lambda names, api: named_field(names, "reserved").update(name="used", declaration="ckpt_bool used"),
        ):
            self.assertEqual(self.changed(change), [])

    def test_breaks_are_found(self):
        field = {"name": "between", "declaration": "int64_t between", "type": "int64_t"}

        def change_parameter(names, api):
            names["functions"]["ckpt_clock_advance"]["parameters"][1]["declaration"] = "int32_t duration_ns"

        def change_result(names, api):
            names["functions"]["ckpt_available_threads"]["result"] = "int64_t"

        def change_callback(names, api):
            names["callbacks"]["ckpt_memory_event_fn"]["parameters"].pop()

        def change_order(names, api):
            api["functions"][3], api["functions"][4] = api["functions"][4], api["functions"][3]

        def change_first_size(names, api):
            names["structs"]["ckpt_memory_stats"]["first"] = {"last": "struct_size", "size": 4}

        for change in (
            lambda names, api: api["functions"].pop(5),
            change_parameter,
            change_result,
            lambda names, api: names["structs"]["ckpt_memory_stats"]["fields"].insert(3, field),
            lambda names, api: names["structs"]["ckpt_memory_stats"]["fields"].pop(),
            lambda names, api: names["structs"]["ckpt_schedule_action"]["fields"].append(field),
            lambda names, api: names["structs"]["ckpt_memory_stats"]["fields"][2].update(declaration="double x"),
            change_callback,
            lambda names, api: names["constants"]["CKPT_E_BUSY"].update(value=-77),
            lambda names, api: api["constants"].pop(1),
            lambda names, api: names["types"]["ckpt_status"].update(type="int64_t"),
            lambda names, api: api["handles"].pop(),
            change_order,
            change_first_size,
            lambda names, api: named_field(names, "reserved").update(name="used", declaration="int64_t used", size=8),
            lambda names, api: named_field(names, "pinned").update(name="used", declaration="int32_t used"),
        ):
            self.assertNotEqual(self.changed(change), [], change.__code__.co_names)

    def test_default_other_than_the_initialiser_is_found(self):
        api = copy.deepcopy(self.api)
        (field,) = (field for field in by_name(api["structs"])["ckpt_async_manager_options"]["fields"] if field["name"] == "workers")
        self.assertEqual(compare.rules(api), [])
        field["comment"] = "threads that write and load, 1 .. 16; default 2"
        self.assertEqual(compare.rules(api), ["ckpt_async_manager_options.workers states the default 2; the initializer has 1"])

    def test_padding_is_found(self):
        api = copy.deepcopy(self.api)
        by_name(api["structs"])["ckpt_memory_stats"]["fields"].pop(1)
        self.assertNotEqual(compare.rules(api), [])


if __name__ == "__main__":
    unittest.main()
