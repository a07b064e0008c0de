"""site_browser.py SCRATCH: the built manual in Chromium, from file://, at a desktop's and a phone's width, in light and dark mode.

No page requests anything from the network, reports a script error or is wider than the window; the search finds pages and
functions; the switch of the colour scheme also applies to the API reference. Run in the project's folder. CKPT_SCREENSHOTS: a folder for
pictures.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import browser  # noqa: E402

browser.require("manual in a browser", "mkdocs", "doxygen")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

SCRATCH = Path(sys.argv.pop(1)).resolve()
PAGES = ["index.html", "get-started/python.html", "how-to/embed-the-library.html", "reference/state.html",
         "reference/c-api/index.html", "reference/c-api/group__ckpt__memory.html",
         "explanation/architecture.html", "source/CHANGELOG.html"]
WINDOWS = ((1280, 900), (390, 844))


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([sys.executable, "docs/site/build.py", str(SCRATCH)], check=True)
        cls.browser = browser.start(SCRATCH / "profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def emulate(self, width, height, scheme):
        browser.emulate(self.browser, width, height, scheme, mobile=width < 500)

    def open(self, page):
        self.browser.get((SCRATCH / "site" / page).as_uri())

    def wait(self, condition):
        return WebDriverWait(self.browser, 60).until(condition)

    def background(self):
        return self.browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    def test_pages(self):
        for width, height in WINDOWS:
            for scheme in ("light", "dark"):
                self.emulate(width, height, scheme)
                for page in PAGES:
                    with self.subTest(page=page, width=width, scheme=scheme):
                        self.open(page)
                        self.browser.execute_script("localStorage.clear()")
                        self.open(page)
                        extra = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                        self.assertLessEqual(self.browser.execute_script(extra), 0)
                        red, green, blue = (int(part) for part in self.background().split("(")[1].rstrip(")").split(",")[:3])
                        self.assertEqual(red + green + blue > 384, scheme == "light", self.background())
                        if os.environ.get("CKPT_SCREENSHOTS"):
                            name = f"{page.replace('/', '_')}-{width}-{scheme}.png"
                            self.browser.save_screenshot(os.path.join(os.environ["CKPT_SCREENSHOTS"], name))
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        requested = [message["params"]["request"]["url"] for message in messages
                     if message["method"] == "Network.requestWillBeSent"]
        self.assertGreater(len(requested), len(PAGES))
        self.assertEqual([address for address in requested if address.startswith(("http:", "https:", "ws:", "wss:", "//"))], [])
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"], [])

    def test_search(self):
        for width, height in WINDOWS:
            self.emulate(width, height, "light")
            for query, expected in (("started python", "get-started/"), ("ckpt_tensor_create", "reference/c-api/")):
                with self.subTest(query=query, width=width):
                    self.open("reference/state.html")
                    self.wait(lambda browser: browser.find_elements(By.CSS_SELECTOR, ".ckpt-search-button"))[0].click()
                    field = self.browser.find_element(By.CSS_SELECTOR, ".ckpt-search input")
                    field.send_keys(query)
                    self.wait(lambda browser: any(expected in link.get_attribute("href") for link in
                                                  browser.find_elements(By.CSS_SELECTOR, ".ckpt-search a")[:3]))
                    field.send_keys(Keys.ENTER)
                    self.wait(lambda browser: "reference/state.html" not in browser.current_url)

    def test_scheme_of_the_api_reference(self):
        self.emulate(*WINDOWS[0], "light")
        self.open("index.html")
        self.browser.execute_script("localStorage.clear()")
        self.open("index.html")
        light = self.background()
        self.browser.find_element(By.CSS_SELECTOR, "form[data-md-component=palette] label:not([hidden])").click()
        self.wait(lambda browser: self.background() != light)
        self.open("reference/c-api/index.html")
        self.assertIn("dark-mode", self.browser.find_element(By.TAG_NAME, "html").get_attribute("class"))
        self.browser.find_element(By.ID, "manual").click()
        self.wait(lambda browser: browser.current_url.endswith("/site/index.html"))


if __name__ == "__main__":
    unittest.main()
