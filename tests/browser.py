"""Chromium for the tests that open pages in a browser."""

import os
import shutil
import sys


def require(test, *commands):
    """Exits with 77 unless selenium, Chromium and the commands are installed; fails if CKPT_REQUIRE_SERVICES is set."""
    try:
        import selenium  # noqa: F401

        missing = [name for name in ("chromium", "chromedriver", *commands) if shutil.which(name) is None]
        reason = f"no {' and no '.join(missing)}" if missing else ""
    except ImportError:
        reason = f"selenium is not installed for {sys.executable}"
    if not reason:
        return
    if os.environ.get("CKPT_REQUIRE_SERVICES"):
        sys.exit(f"{test}: {reason}")
    print(f"SKIP {test}: {reason}", file=sys.stderr)
    sys.exit(77)


def start(profile, *arguments):
    """Returns a headless Chromium that records its requests and messages. profile: an empty folder."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def emulate(browser, width, height, scheme, mobile=False):
    """Sets the window's size in pixels, and the preferred color scheme."""
    window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
