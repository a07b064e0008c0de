"""Tests the reports of ckpt without a browser: their structure, their figures against --json, their colours, and data that they
must not contain.

usage: report_pages.py CKPT
"""

import getpass
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

ckpt = "ckpt"  # the command
SANITIZED = bool(os.environ.get("CKPT_SANITIZED"))


def run_ckpt(*arguments):
    done = subprocess.run([ckpt, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"ckpt {arguments}: {done.stderr}")
    return done.stdout


def profile(outputs, seconds):
    """A chain as a profile file: bytes of each layer's output, and the seconds of its forward and backward."""
    layers = []
    for i, output_bytes in enumerate(outputs):
        forward, backward = seconds(i)
        option = {"tape_bytes": output_bytes // 2, "forward_seconds": forward, "backward_seconds": backward}
        layers.append({"name": f"block.{i // 2}.{'ab'[i % 2]}", "output_bytes": output_bytes, "options": [option]})
    return {"format": "ckpt-profile", "version": 1, "input_bytes": 1 << 20, "layers": layers}


def make(folder):
    """Pages of each kind, in a folder."""
    private = folder / "private-folder"
    private.mkdir()
    text = private / "a <b> & 'text'.txt"
    text.write_text("".join(f"line {i} of a text that nobody would read for pleasure\n" for i in range(200)))
    trace = private / "trace.csv"
    trace.write_text("# seconds\n" + "".join(f"{(i * 7919) % 50000 + 0.5}\n" for i in range(300)))
    commands = {
        "train": ("train", "--model", "mlp", "--data", text, "--batch", 32, "--steps", 30, "--memory-budget", "40%", "--dir", private / "run", "--save-every", 10),
        "long": ("train", "--model", "mlp", "--batch", 1, "--steps", 1100, "--memory-budget", "60%"),
        "strategy": ("train", "--model", "mlp", "--batch", 16, "--steps", 3, "--strategy", "interval:4"),
        "transformer": ("train", "--data", text, "--steps", 6, "--blocks", 2, "--width", 32, "--heads", 2, "--context", 32, "--batch", 4,
                        "--memory-budget", "75%", "--rate-kind", "cosine", "--warm-up", 2),
        "stages": ("train", "--model", "mlp", "--data", text, "--batch", 32, "--steps", 4, "--stages", 3, "--micro-batches", 8, "--memory-budget", "60%"),
        "interleaved": ("train", "--model", "mlp", "--batch", 32, "--steps", 3, "--stages", 2, "--micro-batches", 4, "--schedule", "interleaved", "--activations",
                        "selective:2"),
        "none": ("train", "--model", "mlp", "--batch", 8, "--steps", 0, "--stages", 2, "--micro-batches", 2),
        "simulate": ("simulate", "--trace", "weibull:0.7:1e6", "--nodes", 50, "--failures", 300, "--replicas", 5, "--cost", 60),
        "trace": ("simulate", "--trace", trace, "--cost", 300, "--policies", "auto,daly,fixed:900,threshold"),
    }
    unlike = private / "chain <&>.json"
    unlike.write_text(json.dumps(profile([(1 + i * 7 % 5) << 19 for i in range(20)], lambda i: (1e-3 * (1 + i * 3 % 7), 2e-3 * (1 + i % 4)))))
    untimed = private / "untimed.json"
    untimed.write_text(json.dumps(profile([1 << 18] * 12, lambda i: (0, 0))))
    tiers = private / "tiers.json"
    tiers.write_text(json.dumps({**profile([1 << 20] * 30, lambda i: (1e-3, 2e-3)),
                                 "tiers": [{"write_bytes_per_second": 5e8, "read_bytes_per_second": 2e9, "latency_seconds": 1e-4}]}))
    commands["plan"] = ("plan", "--profile", unlike, "--budget", "30%")
    commands["plan-untimed"] = ("plan", "--profile", untimed, "--planner", "tapes", "--budget", "60%", "--frontier")
    commands["plan-tiers"] = ("plan", "--profile", tiers, "--planner", "two-level:3,8")
    commands["plan-model"] = ("plan", "--model", "mlp", "--batch", 8, "--budget", "100%", "--planner", "auto")
    single = private / "single.csv"
    single.write_text("500\n")
    commands["single"] = ("simulate", "--trace", single)
    if SANITIZED:  # it takes minutes and runs the same code as the other runs
        print("SKIP the page of a run of 1,100 steps: tested without a sanitizer", file=sys.stderr)
        del commands["long"]
    runs = []
    for name, command in commands.items():
        page, figures = folder / f"{name}.html", folder / f"{name}.json"
        quiet = ("--quiet",) if command[0] == "train" else ()
        if command[0] == "plan":
            figures.write_text(run_ckpt(*command, "--json", "--report", page))
        else:
            run_ckpt(*command, *quiet, "--json", figures, "--report", page)
        runs.append(SimpleNamespace(name=name, page=page, html=page.read_text(), figures=json.loads(figures.read_text())))
    return runs


# ---- Figures ----

UNITS = {"": 1, "%": 0.01, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}


def at_place(document, place):
    for key in place.split("/")[1:]:
        document = document[int(key) if isinstance(document, list) else key]
    return document


def check_figure(test, figures, place, value, text):
    """Checks that value is the one that --json has at the place, and that text rounds it correctly."""
    known = at_place(figures, place)
    test.assertEqual(json.loads(value), known, place)
    match = re.fullmatch(r"([+−-]?)([\d,]+(?:\.\d+)?(?:e[+-]?\d+)?) ?(\D*)", text)
    test.assertTrue(match, f"{place}: '{text}'")
    sign, digits, unit = match.groups()
    number = float(digits.replace(",", "")) * (-1 if sign in ("−", "-") and sign else 1)
    if "e" in digits:
        half = abs(number) * 1e-12
    else:
        half = 0.5000001 * 10.0 ** -len(digits.partition(".")[2])
    test.assertLessEqual(abs(number * UNITS[unit] - known), half * UNITS[unit] * (1 + 1e-9) + 1e-15, f"{place}: '{text}' for {known}")


# ---- Form ----

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Form(HTMLParser):
    """Elements as a tree; reports elements that are not closed in order."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.wrong = [], [], []
        self.feed(html)
        self.close()
        self.wrong += [f"<{element.tag}> is not closed" for element in self.open]

    def handle_starttag(self, tag, attributes):
        names = [name for name, value in attributes]
        if len(set(names)) != len(names):
            self.wrong.append(f"<{tag}> has an attribute twice")
        element = SimpleNamespace(tag=tag, attributes=dict(attributes), text="", parent=self.open[-1] if self.open else None, within=[])
        self.elements.append(element)
        for each in self.open:
            each.within.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1].tag != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()} closes nothing")
        else:
            self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element.text += data

    def all(self, tag):
        return [element for element in self.elements if element.tag == tag]


# ---- Colours ----


def linear(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour):
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear(colour)))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


# Simulates colour blindness: matrices for linear RGB of Machado, Oliveira and Fernandes (2009), severity 1.
SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour, sight):
    r, g, b = linear(colour)
    r, g, b = (min(1, max(0, row[0] * r + row[1] * g + row[2] * b)) for row in SIGHTS[sight])
    x, y, z = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(a, b, sight):
    return sum((p - q) ** 2 for p, q in zip(lab(a, sight), lab(b, sight))) ** 0.5


def schemes_of(html):
    light, dark = re.findall(r":root \{(.*?)\}", html, re.S)
    found = [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", text)) for text in (light, dark)]
    return {"light": found[0], "dark": found[1]}


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.runs = make(Path(cls.folder.name))
        cls.pages = [(run, Form(run.html)) for run in cls.runs]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_form(self):
        for run, form in self.pages:
            with self.subTest(page=run.name):
                self.assertEqual(form.wrong, [])
                ids = [element.attributes["id"] for element in form.elements if "id" in element.attributes]
                self.assertEqual(len(set(ids)), len(ids))
                self.assertEqual(form.all("html")[0].attributes["lang"], "en")
                self.assertEqual(len(form.all("h1")), 1)
                self.assertEqual(form.all("h1")[0].text, form.all("title")[0].text)
                self.assertNotIn("nan", run.html.lower().split("<script")[0].replace("finance", ""))

    def test_everything_has_a_text(self):
        for run, form in self.pages:
            with self.subTest(page=run.name):
                frames = [element for element in form.all("svg") if element.attributes.get("class") == "frame"]
                self.assertGreater(len(frames), 2)
                for svg in form.all("svg"):
                    if "aria-hidden" in svg.attributes or svg.attributes.get("class") == "marks":
                        continue
                    self.assertEqual(svg.attributes["role"], "img")
                    self.assertGreater(len(svg.attributes["aria-label"]), 20)
                    self.assertTrue(next(element for element in svg.within if element.tag == "title").text)
                for table in form.all("table"):
                    scopes = [(cell.attributes.get("scope"), cell.parent.parent.tag) for cell in table.within if cell.tag == "th"]
                    self.assertTrue(scopes)
                    self.assertTrue(all(scope == ("col", "thead") or scope == ("row", "tbody") for scope in scopes))
                    self.assertTrue(table.parent.attributes["aria-label"])
                    widths = {len([cell for cell in row.within]) - sum(1 for cell in row.within if cell.tag not in ("th", "td")) for row in table.within
                              if row.tag == "tr"}
                    self.assertEqual(len(widths), 1)

    def test_is_self_contained_and_private(self):
        for run, form in self.pages:
            with self.subTest(page=run.name):
                self.assertNotRegex(run.html, r"https?:|//[a-z]|@import|url\(")
                for element in form.elements:
                    for name in ("src", "href", "srcset", "action"):
                        value = element.attributes.get(name, "#")
                        self.assertTrue(value.startswith("#") or value == "data:,", value)
                self.assertIn("default-src 'none'", run.html)
                for secret in {self.folder.name, "private-folder", socket.gethostname(), str(Path.home()), os.getcwd(), f"/{getpass.getuser()}/"}:
                    if len(secret) > 3:
                        self.assertNotIn(secret, run.html)
        self.assertIn("a &lt;b&gt; &amp; 'text'.txt", self.runs[0].html)

    def test_page_equals_json(self):
        for run, form in self.pages:
            with self.subTest(page=run.name):
                scripts = [element for element in form.all("script") if element.attributes.get("id") == "figures"]
                self.assertEqual(json.loads(scripts[0].text), run.figures)
                shown = form.all("data")
                self.assertGreater(len(shown), 30)
                for element in shown:
                    check_figure(self, run.figures, element.attributes["data-of"], element.attributes["value"], element.text)

    def test_pictures_show_the_plan(self):
        for run, form in self.pages:
            if "plans" not in run.figures:
                continue
            with self.subTest(page=run.name):
                labels = [svg.attributes.get("aria-label", "") for svg in form.all("svg")]
                memory = [label for label in labels if label.startswith(("Memory during a step", "Memory of stage"))]
                self.assertEqual(len(memory), len(run.figures["plans"]))
                for label, plan in zip(memory, run.figures["plans"]):  # the page replays the schedule itself
                    amount, unit = re.search(r"Peak of ([\d.]+) (\w+) live", label).groups()
                    self.assertAlmostEqual(float(amount) * UNITS[unit], plan["plan_peak_bytes"], delta=0.51 * 10.0 ** -len(amount.partition(".")[2]) * UNITS[unit])
                forwards = sum(layer["forwards_per_step"] for layer in run.figures["layers"])
                self.assertEqual(forwards, sum(plan["plan_forwards"] for plan in run.figures["plans"]))
                if run.name in ("train", "transformer", "strategy", "long"):
                    self.assertEqual(run.figures["plans"][0]["plan_peak_bytes"], run.figures["peak_live_bytes"])  # and the engine measured it

    def test_picture_alone(self):
        picture = Path(self.folder.name) / "step.svg"
        run_ckpt("train", "--model", "mlp", "--batch", 16, "--steps", 1, "--memory-budget", "40%", "--quiet", "--report", picture)
        root = ElementTree.parse(picture).getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, space + "svg")
        self.assertIn("One step under the schedule", root.find(space + "title").text)
        texts = [text.text for text in root.iter(space + "text")]
        for wanted in ("kept activations", "recomputed", "embedding", "block.5"):
            self.assertIn(wanted, texts)
        self.assertNotRegex(picture.read_text().replace("http://www.w3.org/2000/svg", ""), r"https?:|@import|url\(|<script")
        self.assertLess(picture.stat().st_size, 60000)

    def test_contains_the_model_and_its_held_out_loss(self):
        run = next(run for run in self.runs if run.name == "transformer")
        self.assertIn("transformer, 2 blocks, width 32, 2 heads, context 32", run.html)
        self.assertIn('data-of="/held_out_loss"', run.html)
        self.assertIn('data-of="/unigram_entropy"', run.html)
        self.assertIn("after <data", run.html)  # the warm-up
        self.assertNotIn('data-of="/held_out_loss"', self.runs[0].html)  # the mlp is trained on the whole text

    def test_history_is_whole_and_short(self):
        histories = {run.name: run.figures["history"] for run in self.runs if "history" in run.figures}
        self.assertEqual(histories["train"]["step"], list(range(1, 31)))
        if not SANITIZED:
            self.assertEqual(histories["long"]["steps_per_point"], 4)
            self.assertEqual(histories["long"]["step"], list(range(4, 1101, 4)))
        for history in histories.values():
            self.assertLessEqual(len(history["step"]), 512)
            self.assertEqual(len(history["loss"]), len(history["step"]))
        train = self.runs[0].figures
        self.assertEqual(train["history"]["loss"][-1], train["final_loss"])
        self.assertTrue(all(bytes <= train["budget_bytes"] for bytes in train["history"]["arena_bytes"]))

    def test_simulation_shows_all_policies_and_failures(self):
        for run, form in self.pages:
            if "policies" not in run.figures:
                continue
            with self.subTest(page=run.name):
                points = [json.loads(element.text) for element in form.all("script") if "id" not in element.attributes and element.attributes.get("type")]
                texts = [text for plot in points for x, y, text in plot]
                for policy in run.figures["policies"]:
                    self.assertTrue(any(text.startswith(policy["policy"] + ": ") for text in texts), policy["policy"])
                counted = sum(int(re.search(r": ([\d,]+) failure", text)[1].replace(",", "")) for text in texts if re.search(r"\d failures? \(", text))
                self.assertEqual(counted, run.figures["failures"] * run.figures["replicas"])

    def test_plans_show_every_planner(self):
        for run, form in self.pages:
            if "frontiers" not in run.figures:
                continue
            with self.subTest(page=run.name):
                plots = {}
                for plot in (element for element in form.all("div") if "plot" in element.attributes.get("class", "").split()):
                    label = next(element for element in plot.within if element.tag == "svg").attributes["aria-label"]
                    plots[label.partition(". ")[0]] = plot
                chosen = run.figures["chosen"]
                self.assertLessEqual({"store-all", "chain", "tapes", "periodic", "revolve"}, {each["planner"] for each in run.figures["frontiers"]})
                for frontier in run.figures["frontiers"]:
                    if len(frontier["points"]) < 2:
                        continue
                    plot = plots["Step time by memory, " + frontier["planner"]]
                    values = json.loads(next(element for element in plot.within if element.tag == "script").text)
                    self.assertGreater(len(values), 1)
                    for (x0, y0, _), (x1, y1, _) in zip(values, values[1:]):
                        self.assertLessEqual(x0, x1)
                        self.assertLess(y0, y1 + 1e-4)  # downwards: faster
                    self.assertTrue(all(text.startswith(frontier["planner"]) for x, y, text in values))
                    levels = [element for element in plot.within if element.attributes.get("class") == "level budget"]
                    self.assertEqual(len(levels), 1 if "budget_bytes" in run.figures else 0)
                    if frontier["planner"] == chosen["planner"].partition(":")[0] and frontier["planner"] in ("chain", "tapes"):
                        again = f"; {chosen['recomputed_forwards']:,} recomputed forwards"
                        self.assertTrue(any(text.endswith(again) for x, y, text in values))
                if "budget_bytes" in run.figures:
                    self.assertLessEqual(chosen["reserved_bytes"], run.figures["budget_bytes"])
                if run.name == "plan-tiers":
                    self.assertGreater(chosen["stored_bytes"], 0)
                    self.assertIn("slower tiers", run.html)

    def test_differences_between_policies_show(self):
        """Rows differ on the axis wherever they differ by a hundredth of a per cent."""
        run = next(run for run in self.runs if run.name == "simulate")
        form = Form(run.html)
        plot = next(element for element in form.elements if element.attributes.get("data-by") == "y")
        points = json.loads(next(element for element in plot.within if element.tag == "script").text)
        extra = {policy["policy"]: policy["extra_wall"] for policy in run.figures["policies"]}
        places = {text.partition(": ")[0]: x for x, y, text in points}
        for a, b in itertools.combinations(extra, 2):
            if abs(extra[a]) < 0.01 and abs(extra[b]) < 0.01 and abs(extra[a] - extra[b]) > 1e-4:
                self.assertGreater(abs(places[a] - places[b]), 0.004, (a, b))

    def test_colours(self):
        for scheme, colours in schemes_of(self.runs[0].html).items():
            with self.subTest(scheme=scheme):
                for text in ("ink", "quiet"):
                    for ground in ("paper", "panel"):
                        self.assertGreaterEqual(contrast(colours[text], colours[ground]), 4.5, (text, ground))
                marks = ("kept", "recomputed", "gradient", "working", "failure", "budget")
                for mark in marks[:3] + marks[4:]:
                    self.assertGreaterEqual(contrast(colours[mark], colours["paper"]), 3, mark)
                for (a, b), sight in itertools.product(itertools.combinations(("kept", "recomputed", "gradient", "working"), 2), SIGHTS):
                    self.assertGreaterEqual(difference(colours[a], colours[b], sight), 12, (a, b, sight))
                for a, sight in itertools.product(("kept", "recomputed", "failure"), SIGHTS):
                    self.assertGreaterEqual(difference(colours[a], colours["budget"], sight), 25, (a, sight))


if __name__ == "__main__":
    ckpt = sys.argv.pop(1)
    unittest.main(verbosity=2)
