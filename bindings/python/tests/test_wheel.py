"""Builds a wheel without network access, installs it into an empty prefix that is then moved, and runs a program against it from
outside.

test_wheel.py MAKE_WHEEL PACKAGE FOLDER VERSION
"""

import os
import shutil
import subprocess
import sys
import unittest
import zipfile

SOVERSION = os.environ["CKPT_SOVERSION"]
CORE = "libckpt.so." + SOVERSION
CONSUMER = """
import os, sys
import ckpt
assert ckpt.__file__.startswith(sys.argv[1]), ckpt.__file__
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "libckpt.so" in line}
assert libraries and all(path.startswith(sys.argv[1]) for path in libraries), libraries
ckpt.save("run", {"w": bytearray(b"consumer")}, 3)
assert ckpt.load("run") == {"w": bytearray(b"consumer")}
print("consumer", ckpt.__version__)
"""
# Loads from s3:// with the library in the wheel, with one that does not load, and without.
S3 = """
import os, sys
import ckpt
library = os.path.join(os.path.dirname(ckpt.__file__), "libckpt-s3.so.SOVERSION")
def fails_with(kind, text):
    try:
        ckpt.load("s3://bucket/run")
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
if sys.argv[1] == "there":
    fails_with(ckpt.IoError, "s3://bucket/run")
    with open("/proc/self/maps") as maps:
        assert any(line.split()[-1] == os.path.realpath(library) for line in maps), "from another place"
elif sys.argv[1] == "broken":
    fails_with(ckpt.UnsupportedError, library + " cannot be loaded: ")
else:
    fails_with(ckpt.UnsupportedError, "requires the package libckpt-s3")
""".replace("SOVERSION", SOVERSION)
NO_S3 = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}


class Wheel(unittest.TestCase):
    def test_install_and_run(self):
        make_wheel, package, folder, version = arguments
        wheel = subprocess.run([sys.executable, make_wheel, package, folder], check=True, capture_output=True, text=True).stdout.strip()
        self.assertIn(f"ckpt-{version}-cp3", os.path.basename(wheel))
        self.assertNotIn("none-any", wheel)
        first, prefix = os.path.join(folder, "installed"), os.path.join(folder, "moved")
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", first, wheel],
                           check=True, capture_output=True)
        else:
            zipfile.ZipFile(wheel).extractall(first)
        os.rename(first, prefix)
        for name in ("py.typed", "__init__.pyi", "_state.pyi", "_native.pyi", CORE):
            self.assertTrue(os.path.isfile(os.path.join(prefix, "ckpt", name)), name)
        with open(os.path.join(prefix, "ckpt", "_state.py"), "rb") as file:
            self.assertFalse(os.path.islink(file.name))
        outside = os.path.join(folder, "outside")
        shutil.rmtree(outside, ignore_errors=True)
        os.makedirs(outside)
        done = subprocess.run([sys.executable, "-c", CONSUMER, prefix], cwd=outside, env={"PYTHONPATH": prefix, "PATH": ""},
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), f"consumer {version}", done.stderr)

        library = os.path.join(prefix, "ckpt", "libckpt-s3.so." + SOVERSION)
        has_s3 = os.environ["CKPT_HAS_S3"] == "1"
        self.assertEqual(os.path.isfile(library), has_s3)

        def s3(what):
            done = subprocess.run([sys.executable, "-c", S3, what], cwd=outside, env={"PYTHONPATH": prefix, "PATH": "", **NO_S3},
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

        if has_s3:
            s3("there")
            os.remove(library)
        s3("missing")
        with open(library, "w") as file:
            file.write("no library")
        s3("broken")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
