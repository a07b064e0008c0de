"""ckpt plan: its figures of a schedule are correct, a budget is kept, and errors in a profile's file are named.

usage: plan.py CKPT
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ckpt = "ckpt"  # the command


def run(*arguments):
    return subprocess.run([ckpt, "plan", *map(str, arguments)], capture_output=True, text=True)


def layer(name, output_bytes, forward, backward, **more):
    option = {"tape_bytes": output_bytes // 2, "forward_seconds": forward, "backward_seconds": backward}
    return {"name": name, "output_bytes": output_bytes, "options": [option], **more}


def document(layers, **more):
    return {"format": "ckpt-profile", "version": 1, "input_bytes": 1 << 20, "layers": layers, **more}


UNLIKE = document([layer(f"block.{i}", (1 + i * 7 % 5) << 19, 1e-3 * (1 + i * 3 % 7), 2e-3 * (1 + i % 4)) for i in range(20)])
LIKE = document([layer(f"step {i}", 1 << 20, 1e-3, 2e-3, flags=["deterministic"]) for i in range(24)])
TIERS = {**LIKE, "tiers": [{"write_bytes_per_second": 1e9, "read_bytes_per_second": 1e9, "latency_seconds": 1e-4}]}
UNTIMED = document([{"name": f"l{i}", "output_bytes": 1 << 18, "options": [{"tape_bytes": 1 << 18}]} for i in range(12)])


class Plans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = {}
        for name, content in (("unlike", UNLIKE), ("like", LIKE), ("tiers", TIERS), ("untimed", UNTIMED)):
            cls.files[name] = Path(cls.folder.name) / f"{name}.json"
            cls.files[name].write_text(json.dumps(content))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def figures(self, profile, *arguments):
        done = run("--profile", self.files[profile], "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def refused(self, wanted, *arguments, code=1):
        done = run(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for text in [wanted] if isinstance(wanted, str) else wanted:
            self.assertIn(text, done.stderr)
        return done.stderr

    def test_store_all_equals_the_manual_calculation(self):
        figures = self.figures("unlike", "--planner", "store-all")
        seconds = sum(each["options"][0][key] for each in UNLIKE["layers"] for key in ("forward_seconds", "backward_seconds"))
        self.assertAlmostEqual(figures["chosen"]["step_seconds"], seconds, places=12)
        self.assertEqual((figures["chosen"]["forwards"], figures["chosen"]["recomputed_forwards"]), (20, 0))
        # After the last forward: the input, every output and tape, and the gradient of the last output.
        outputs = [each["output_bytes"] for each in UNLIKE["layers"]]
        self.assertEqual(figures["chosen"]["live_bytes"], (1 << 20) + sum(outputs) + sum(o // 2 for o in outputs) + outputs[-1])
        self.assertEqual(figures["layer_count"], 20)
        self.assertEqual([each["layer"] for each in figures["layers"]], [each["name"] for each in UNLIKE["layers"]])

    def test_a_budget_is_kept(self):
        for budget in ("25%", "40%", "10000000", "12MiB", "100%"):
            with self.subTest(budget=budget):
                figures = self.figures("unlike", "--budget", budget)
                all_bytes = figures["store_all"]["reserved_bytes"]
                wanted = {"10000000": 10000000, "12MiB": 12 << 20}.get(budget) or int(all_bytes * float(budget.rstrip("%")) / 100)
                self.assertEqual(figures["budget_bytes"], wanted)
                self.assertEqual(figures["chosen"]["planner"], f"auto:{wanted}")  # as in ckpt train
                self.assertLessEqual(figures["chosen"]["reserved_bytes"], wanted)
                self.assertLessEqual(figures["chosen"]["live_bytes"], figures["chosen"]["reserved_bytes"])
                rows = {row["planner"].partition(":")[0]: row for row in figures["comparison"]}
                self.assertLessEqual({"store-all", "recompute-all", "auto", "sqrt", "chain", "tapes", "revolve", "mixed"}, set(rows))
                self.assertNotIn("two-level", rows)  # the profile has no tiers
                for row in rows.values():
                    if "refused" not in row:
                        self.assertEqual(row["fits"], row["reserved_bytes"] <= wanted)
                fitting = [row["times_store_all"] for row in figures["comparison"] if row.get("fits")]
                self.assertEqual(fitting, sorted(fitting))
                self.assertLessEqual(rows["chain"]["step_seconds"], rows["recompute-all"]["step_seconds"])
                self.assertIn("flags", rows["mixed"]["refused"])
                plan = figures["plans"][0]
                self.assertEqual((plan["plan_peak_bytes"], plan["plan_seconds"]), (figures["chosen"]["live_bytes"], figures["chosen"]["step_seconds"]))
                self.assertEqual(sum(each["forwards_per_step"] for each in figures["layers"]), figures["chosen"]["forwards"])

    def test_the_smallest_budget_that_works_is_named_and_works(self):
        for profile in self.files:
            message = self.refused(["budget_bytes is 1024", "the smallest that works"], "--profile", self.files[profile], "--budget", "1KiB")
            least = int(message.partition(" is 1024; ")[2].partition(" is ")[2].split()[0])
            self.assertLessEqual(self.figures(profile, "--budget", least)["chosen"]["reserved_bytes"], least)
            self.refused(f"is {least} (OVER_BUDGET)", "--profile", self.files[profile], "--budget", least - 1)

    def test_a_budget_in_percent_is_answered_in_percent(self):
        for profile in self.files:
            message = self.refused(["--budget 0.01% is ", " that storing everything reserves: ", "budget_bytes is "],
                                "--profile", self.files[profile], "--budget", "0.01%")
            found = re.search(r"the smallest that works for this chain is (\d+) \((\d+\.\d)%\)", message)
            self.assertTrue(found, message)
            least, percent = int(found[1]), float(found[2])
            self.assertGreaterEqual(self.figures(profile, "--budget", f"{percent}%")["budget_bytes"], least)
            everything = int(re.search(r"bytes of the (\d+) that", message)[1])
            self.assertAlmostEqual(percent, 100 * least / everything, delta=0.11)
            self.refused("(OVER_BUDGET)", "--profile", self.files[profile], "--budget", f"{percent - 0.2:.1f}%")
        self.refused(["--planner periodic:4 reserves", "more than the budget of", ", 10%)"],
                     "--profile", self.files["unlike"], "--planner", "periodic:4", "--budget", "10%")
        self.assertEqual(self.figures("unlike", "--budget", "40%")["budget_percent"], 40)
        self.assertNotIn("budget_percent", self.figures("unlike", "--budget", "12MiB"))
        self.assertIn("budget 40%: ", run("--profile", self.files["unlike"], "--budget", "40%").stdout)
        self.assertIn("budget 12.00 MiB (", run("--profile", self.files["unlike"], "--budget", "12MiB").stdout)

    def test_budgets_use_the_frontier(self):
        for planner in ("chain", "tapes"):
            frontiers = self.figures("unlike", "--planner", planner, "--frontier")
            self.assertNotIn("chosen", frontiers)
            [frontier] = frontiers["frontiers"]
            points = frontier["points"]
            self.assertEqual(frontier["planner"], planner)
            self.assertGreater(len(points), 10)
            for before, point in zip(points, points[1:]):
                self.assertLess(before["live_bytes"], point["live_bytes"])
                self.assertGreater(before["step_seconds"], point["step_seconds"])
            for point in points[:: len(points) // 4]:
                chosen = self.figures("unlike", "--planner", planner, "--budget", point["reserved_bytes"])["chosen"]
                self.assertLessEqual(chosen["step_seconds"], point["step_seconds"] * (1 + 1e-12))
                self.assertLessEqual(chosen["reserved_bytes"], point["reserved_bytes"])
            self.assertAlmostEqual(points[-1]["times_store_all"], 1)

    def test_a_frontier_does_not_change_the_choice(self):
        """The chosen schedule is that of ckpt train, with the planner auto; the points are those of chain."""
        schedules = set()
        for profile in ("unlike", "like", "untimed"):
            figures = self.figures(profile, "--budget", "40%", "--frontier")
            wanted = self.figures(profile, "--budget", "40%")["chosen"]
            self.assertEqual({**figures["chosen"], "planning_seconds": 0}, {**wanted, "planning_seconds": 0})
            self.assertEqual(wanted["planner"].partition(":")[0], "auto")
            self.assertEqual([frontier["planner"] for frontier in figures["frontiers"]], ["chain"])
            schedules.add(wanted["schedule"].partition("(")[0])
        self.assertLessEqual({"chain", "tapes"}, schedules)
        given = self.figures("unlike", "--budget", "40%", "--frontier", "--planner", "tapes")
        self.assertEqual([given["chosen"]["planner"].partition(":")[0], given["frontiers"][0]["planner"]], ["tapes", "tapes"])

    def test_slot_planners_use_all_slots_that_fit(self):
        chosen = self.figures("like", "--planner", "revolve", "--budget", "40%")["chosen"]
        slots = int(chosen["planner"].partition(":")[2])
        more = self.figures("like", "--planner", f"revolve:{slots + 1}")
        self.assertGreater(more["chosen"]["reserved_bytes"], 0.4 * more["store_all"]["reserved_bytes"])
        self.assertNotIn("budget_bytes", more)
        [frontier] = self.figures("like", "--planner", "revolve", "--frontier")["frontiers"]
        self.assertIn(chosen["step_seconds"], [point["step_seconds"] for point in frontier["points"]])
        self.assertTrue(any(row["planner"].startswith("two-level:") for row in self.figures("tiers", "--budget", "40%")["comparison"]))

    def test_a_planner_with_a_value_is_kept(self):
        chosen = self.figures("unlike", "--planner", "periodic:4")["chosen"]
        self.assertEqual(chosen["schedule"], "periodic(4)")
        fits = self.figures("unlike", "--planner", "periodic:4", "--budget", "90%")
        self.assertEqual({**fits["chosen"], "planning_seconds": 0}, {**chosen, "planning_seconds": 0})
        self.assertIn("periodic:4", [row["planner"] for row in fits["comparison"]])
        self.refused(["--planner periodic:4", f"reserves {chosen['reserved_bytes']} bytes", "the budget of 5000000 bytes"],
                     "--profile", self.files["unlike"], "--planner", "periodic:4", "--budget", 5000000)
        self.refused(["'chain' needs a value", "--budget", "chain:BYTES"], "--profile", self.files["unlike"], "--planner", "chain")
        self.refused(["nonsense", "revolve"], "--profile", self.files["unlike"], "--planner", "nonsense")
        self.refused("--frontier: the planner 'nonsense'", "--profile", self.files["unlike"], "--planner", "nonsense", "--frontier")

    def test_rows_are_marked_by_the_bytes_that_the_profile_bounds(self):
        layers = json.loads(json.dumps(UNLIKE["layers"]))
        for each in layers:
            each["options"][0]["backward_peak_bytes"] = 24 << 20  # reported by an allocator: not part of an arena
        for name, content, bounded in (("peaks", document(layers), lambda row: max(row["live_bytes"], row["reserved_bytes"])),
                                       ("own", document(layers, flags=["own_allocator"]), lambda row: row["live_bytes"])):
            self.files[name] = Path(self.folder.name) / f"{name}.json"
            self.files[name].write_text(json.dumps(content))
            differs = 0
            for budget in ("50%", "75%", "100%"):
                with self.subTest(name=name, budget=budget):
                    figures = self.figures(name, "--budget", budget)
                    self.assertEqual(figures["budget_bytes"], int(bounded(figures["store_all"]) * float(budget.rstrip("%")) / 100))
                    for row in figures["comparison"]:
                        if "refused" in row:
                            continue
                        self.assertEqual(row["fits"], bounded(row) <= figures["budget_bytes"], row["planner"])
                        differs += row["fits"] != (row["reserved_bytes"] <= figures["budget_bytes"])
            self.assertGreater(differs, 0)
            self.files.pop(name)

    def test_the_peak_of_a_report_is_that_of_the_verifier(self):
        """The report replays the schedule by itself."""
        def network(flags, peaks=False, outputs=None, keeps=()):
            layers = []
            for i, size in enumerate((64, 32, 16, 8, 4, 4, 8, 16, 32, 64, 4)):
                option = {"tape_bytes": 5000, "forward_workspace_bytes": 700 * i, "backward_workspace_bytes": 900 * i,
                          "forward_seconds": 1e-3, "backward_seconds": 2e-3}
                if peaks:
                    option["backward_peak_bytes"] = (40000, 220000)[i % 2]
                layers.append({"name": f"op {i}", "flags": ["deterministic", *flags], "output_bytes": 1000 * size, "options": [option]})
                if outputs is not None and i in (6, 7, 8, 9):  # reads a value of the same size, as in a U-Net
                    layers[-1].update(inputs=[10 - i, i], needed_inputs=[10 - i])
            return document(layers, input_bytes=64000, flags=list(keeps), **({} if outputs is None else {"outputs": outputs}))

        self.files["report"] = Path(self.folder.name) / "report.json"
        page = Path(self.folder.name) / "report.html"
        for name, content in (("chain", network([])), ("measured", network(["needs_output"], True)),
                              ("kept", network([], keeps=["keeps_input", "keeps_output"])), ("in place", network(["in_place"])),
                              ("graph", network([], outputs=[11])), ("adds", network(["adds_gradient"], outputs=[11])),
                              ("outputs", network([], outputs=[6, 11])), ("measured graph", network([], True, outputs=[9, 11])),
                              ("kept graph", network([], outputs=[5, 11], keeps=["keeps_input", "keeps_output"]))):
            self.files["report"].write_text(json.dumps(content))
            for arguments in (("--budget", "100%"), ("--budget", "90%") if "outputs" in content else ("--planner", "recompute-all")):
                with self.subTest(name=name, arguments=arguments):
                    plan = self.figures("report", *arguments, "--report", page)["plans"][0]
                    self.assertEqual(plan["plan_recomputed_forwards"] > 0, arguments != ("--budget", "100%"))
                    edges = 4 if "outputs" in content else 0  # to layers 6 .. 9
                    self.assertEqual(page.read_text().count('<polyline class="line aside"'), edges)
                    self.assertEqual("forward of op 9; " in page.read_text() and "; reads op 0, op 8" in page.read_text(), edges > 0)
                    amount, unit = re.search(r"Peak of ([0-9.]+) (\w+) live", page.read_text()).groups()
                    self.assertEqual(unit, "KiB" if plan["plan_peak_bytes"] < 1 << 20 else "MiB")
                    self.assertEqual(amount, f"{plan['plan_peak_bytes'] / (1024 if unit == 'KiB' else 1 << 20):.{len(amount.partition('.')[2])}f}")
        self.files.pop("report")

    def test_chains_without_seconds_count_forwards(self):
        figures = self.figures("untimed", "--budget", "50%")
        self.assertFalse(figures["timed"])
        self.assertGreater(figures["chosen"]["recomputed_forwards"], 0)
        self.assertAlmostEqual(figures["chosen"]["times_store_all"], figures["chosen"]["forwards"] / 12)
        self.assertIn("forwards", run("--profile", self.files["untimed"], "--budget", "50%").stdout)

    def test_tables_fit_a_terminal(self):
        for profile in self.files:
            done = run("--profile", self.files[profile], "--budget", "40%", "--frontier")
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertIn(f"{profile}.json: ", lines[0])
            self.assertEqual(len([line for line in lines if line.startswith("* auto: ")]), 1)
            of_chain = any(line.startswith("* auto: chain ") for line in lines)
            self.assertEqual(len([line for line in lines if line.startswith("* ")]), 2 if of_chain else 1)  # and the point of the frontier
            self.assertTrue(any(line.startswith("> store-all ") for line in lines))

    def test_the_model_of_train(self):
        small = ("--blocks", 2, "--width", 32, "--heads", 2, "--context", 32, "--batch", 4)
        for model, layers, batch in ((["--model", "mlp", "--batch", 8], 51, 8), (["--model", *small], 8, 4), (["--model=transformer", *small], 8, 4)):
            with self.subTest(model=model):
                done = run(*model, "--budget", "75%", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                figures = json.loads(done.stdout)
                self.assertEqual((figures["layer_count"], figures["batch"]), (layers, batch))
                self.assertEqual(figures["model"], "mlp" if "mlp" in model else "transformer")
                self.assertGreater(figures["chosen"]["step_seconds"], 0)
        names = [each["layer"] for each in figures["layers"]]
        self.assertEqual(names, ["embedding", "blocks.0.attn", "blocks.0.mlp", "blocks.1.attn", "blocks.1.mlp", "norm", "head", "loss"])
        self.assertIn("the transformer of ckpt train, batch 4: 8 layers", run("--model", *small, "--planner", "store-all").stdout)
        self.refused("--width 32: expected a multiple of --heads 3", "--model", "--width", 32, "--heads", 3, "--budget", "60%")

    def test_long_chains(self):
        long = Path(self.folder.name) / "long.json"
        long.write_text(json.dumps(document([layer(f"l{i}", 64, 1e-3, 1e-3) for i in range(20000)])))
        figures = json.loads(run("--profile", long, "--planner", "store-all", "--budget", "100%", "--json").stdout)
        self.assertEqual(figures["layer_count"], 20000)
        self.assertNotIn("recompute-all", [row["planner"] for row in figures["comparison"]])  # 200 million forwards

    def test_names_of_files_may_be_any_bytes(self):
        name = os.fsencode(self.folder.name) + b"/caf\xe9 \x1b[2J.json"
        with open(name, "w") as file:
            json.dump(LIKE, file)
        for more in (["--json"], []):
            done = subprocess.run([ckpt, "plan", "--profile", name, "--budget", "40%", *more], capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(b"\x1b", done.stdout)

    def test_files_that_are_no_profiles(self):
        bad = Path(self.folder.name) / "bad.json"

        def refused(content, *wanted):
            bad.write_text(content if isinstance(content, str) else json.dumps(content))
            self.refused([str(bad), *wanted], "--profile", bad, "--budget", "40%")

        def with_option(**option):
            return document([{"name": "a", "output_bytes": 8, "options": [{"tape_bytes": 8}]}, {"name": "b", "output_bytes": 8, "options": [option]}])

        refused("{", "is not usable")
        refused("[" * 100000, "nested")
        refused("[]", "the text: expected an object")
        refused("{\0}", "NUL byte")
        refused({}, "its format is not 'ckpt-profile'")
        refused({**UNLIKE, "format": "\x1b[2J"}, "its format is not 'ckpt-profile'")
        refused({**UNLIKE, "version": 2}, "version 2")
        refused({**UNLIKE, "version": "1"}, "version: expected a whole number")
        refused({"format": "ckpt-profile", "version": 1, "input_bytes": 8}, "layers is missing")
        bad.write_text(json.dumps(document([])))
        self.refused("profile has no layers", "--profile", bad, "--budget", "40%")
        refused(document([{"name": "a"}]), "layers[0].options is missing")
        refused(document([7]), "layers[0]: expected an object")
        refused(document([layer(" ", 8, 0, 0)]), "layers[0]: ", "name")
        refused(document([layer("a", 8, 0, 0, in_place=True)]), "layers[0]: unknown member 'in_place'")
        refused(document([layer("a", 8, 0, 0, flags=["\x1b[2J"])]), "layers[0].flags[0] is ", "expected a known flag")
        refused(document([layer("a", -8, 0, 0)]), "layers[0]: ", "output_bytes is -8")
        refused(with_option(tape_bytes=1.5), "layers[1].options[0].tape_bytes: expected a whole number")
        refused(with_option(tape_bytes=1 << 63), "layers[1].options[0].tape_bytes exceeds INT64_MAX")
        refused(with_option(tape_bytes="x" * 200), "layers[1].options[0].tape_bytes: expected a whole number")
        refused(with_option(forward_seconds=-1), "layers[1]: ", "forward_seconds is -1")
        refused(json.dumps(with_option(forward_seconds=7)).replace("7", "1e999"), "is not usable")
        refused({**UNLIKE, "tiers": [{"latency_seconds": -1}]}, "tiers[0]: ", "latency_seconds is -1")
        refused({**UNLIKE, "tiers": [{}] * 4}, "tiers has 4 entries; expected at most 3")
        refused({**UNLIKE, "input_bytes": -1}, "input_bytes is -1")
        self.refused("cannot open", "--profile", bad.parent / "none", "--budget", "40%")
        self.refused("is a directory", "--profile", bad.parent, "--budget", "40%")

    def test_wrong_use(self):
        unlike = self.files["unlike"]
        self.refused("--profile FILE or --model", "--budget", "40%", code=2)
        self.refused("excludes", "--profile", unlike, "--model", "--budget", "40%", code=2)
        self.refused("--budget, --planner or --frontier", "--profile", unlike, code=2)
        self.refused("--batch requires --model", "--profile", unlike, "--batch", 3, "--budget", "40%", code=2)
        self.refused("--blocks requires --model", "--profile", unlike, "--blocks", 3, "--budget", "40%", code=2)
        self.refused("--width", "--model", "mlp", "--width", 64, "--budget", "40%", code=2)
        self.refused("--model", "--model", "rnn", "--budget", "40%", code=2)
        self.refused("--batch: '0'", "--model", "--batch", 0, "--budget", "40%", code=2)
        for option in ("--profile", "--budget", "--planner"):
            self.refused(option, "--profile", unlike, option, "", code=2)
        for budget in ("0", "x", "12XB", "nan", "101%"):
            self.refused(f"--budget: '{budget}': expected a memory budget", "--profile", unlike, "--budget", budget)
        message = subprocess.run([ckpt, "plna"], capture_output=True, text=True)
        self.assertIn("did you mean 'plan'?", message.stderr)


if __name__ == "__main__":
    ckpt = sys.argv.pop(1)
    unittest.main(verbosity=2)
