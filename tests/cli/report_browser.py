"""Tests the reports in a real browser: each page at three widths in both schemes; report_pages.py has the tests without a browser.

usage: report_browser.py CKPT. Set CKPT_SCREENSHOTS to a folder to keep screenshots.
"""

import itertools
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
import browser  # noqa: E402
import report_pages  # noqa: E402

browser.require("reports in a browser")
from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

WIDTHS = (320, 800, 1600)
SCHEMES = ("light", "dark")

# The boxes of all elements with text, and the pairs of them that overlap by more than a pixel.
OVERLAPS = """
const shown = [];
for (const element of document.querySelectorAll("main *, footer")) {
  if (element.closest("details:not([open])") && element.tagName !== "SUMMARY") continue;
  if (["SCRIPT", "STYLE", "TITLE", "DESC"].includes(element.tagName.toUpperCase())) continue;
  if (element.closest(".scroll")) continue;  // a table cannot lay one cell on another
  const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  if (!own.length) continue;
  const range = document.createRange();
  for (const node of own) {
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 0 && box.height > 0) shown.push({element, text: node.textContent.trim().slice(0, 40), box});
    }
  }
}
const wrong = [];
for (const {text, box} of shown) {
  if (box.left < -0.5 || box.right > innerWidth + 0.5) wrong.push(text + " is outside of the page");
}
for (let i = 0; i < shown.length; ++i) {
  for (let j = i + 1; j < shown.length; ++j) {
    const a = shown[i].box, b = shown[j].box;
    if (shown[i].element === shown[j].element) continue;
    // Line boxes are taller than what is drawn in them: two pixels above and below are air.
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) - 4;
    if (wide > 1 && high > 0) wrong.push(shown[i].text + " | " + shown[j].text);
  }
}
return [shown.length, wrong];
"""


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.runs = report_pages.make(Path(cls.folder.name))
        cls.browser = browser.start(f"{cls.folder.name}/profile", "--disable-dev-shm-usage", "--hide-scrollbars")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def open(self, run, width, scheme):
        browser.emulate(self.browser, width, 900, scheme)
        self.browser.get(run.page.as_uri())
        folder = os.environ.get("CKPT_SCREENSHOTS")
        if folder:
            height = self.browser.execute_script("return document.documentElement.scrollHeight")
            browser.emulate(self.browser, width, height, scheme)
            self.browser.save_screenshot(str(Path(folder) / f"{run.name}-{width}-{scheme}.png"))

    def test_layout_console_and_network(self):
        backgrounds = {}
        for run, width, scheme in itertools.product(self.runs, WIDTHS, SCHEMES):
            with self.subTest(page=run.name, width=width, scheme=scheme):
                self.open(run, width, scheme)
                wide = self.browser.execute_script("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, "the page scrolls sideways")
                texts, wrong = self.browser.execute_script(OVERLAPS)
                self.assertGreater(texts, 50)
                self.assertEqual(wrong, [])
                self.assertEqual([entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")], [])
                asked = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
                urls = {each["params"]["request"]["url"] for each in asked
                        if each["method"] == "Network.requestWillBeSent" and each["params"]["documentURL"] == run.page.as_uri()}
                self.assertLessEqual(urls, {run.page.as_uri(), "data:,"})
                self.assertIn(run.page.as_uri(), urls)
                backgrounds[run.name, scheme] = self.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        for run in self.runs:
            self.assertNotEqual(backgrounds[run.name, "light"], backgrounds[run.name, "dark"])

    def test_page_equals_json(self):
        for run in self.runs:
            with self.subTest(page=run.name):
                self.open(run, 800, "light")
                shown = self.browser.execute_script(
                    "return [...document.querySelectorAll('data')].map((e) => [e.dataset.of, e.value, e.textContent])")
                self.assertGreater(len(shown), 30)
                for place, value, text in shown:
                    report_pages.check_figure(self, run.figures, place, value, text)
                self.assertEqual(self.browser.execute_script("return JSON.parse(document.getElementById('figures').textContent)"), run.figures)

    def test_keyboard_and_pointer(self):
        for run in self.runs:
            self.open(run, 800, "light")
            finders = self.browser.find_elements(By.CSS_SELECTOR, ".finder")
            heading = self.browser.find_element(By.TAG_NAME, "h1")
            self.assertEqual(len(finders), len(self.browser.find_elements(By.CSS_SELECTOR, ".plot:has(script)")))  # without steps: no values
            for finder in finders:
                with self.subTest(page=run.name, plot=finder.get_attribute("aria-label")):
                    plot = finder.find_element(By.XPATH, "..")
                    points = self.browser.execute_script("return JSON.parse(arguments[0].querySelector('script').textContent)", plot)
                    readout = plot.find_element(By.CSS_SELECTOR, ".readout")
                    webdriver.ActionChains(self.browser).move_to_element(heading).perform()
                    at_rest = readout.text
                    self.browser.execute_script("arguments[0].focus()", finder)
                    self.assertEqual(finder.get_attribute("aria-valuetext"), points[0][2])
                    finder.send_keys(Keys.ARROW_RIGHT)
                    second = points[min(1, len(points) - 1)][2]
                    self.assertEqual((readout.text, finder.get_attribute("aria-valuetext")), (second, second))
                    finder.send_keys(Keys.END)
                    self.assertEqual(readout.text, points[-1][2])
                    self.assertEqual(finder.get_attribute("aria-valuenow"), str(len(points)))
                    finder.send_keys(Keys.HOME)
                    self.assertEqual(readout.text, points[0][2])
                    finder.send_keys(Keys.ESCAPE)
                    self.assertEqual(readout.text, at_rest)
                    webdriver.ActionChains(self.browser).move_to_element(finder).perform()
                    self.assertIn(readout.text, [text for x, y, text in points])


if __name__ == "__main__":
    report_pages.ckpt = sys.argv.pop(1)
    unittest.main(verbosity=2)
