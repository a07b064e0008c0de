"""Checks that each page of the manual begins with an example of at most 15 lines, and that the example works.

    first_examples.py INCLUDE LIBRARY_FOLDER COMMAND_FOLDER PYTHON_FOLDER JAR CC CXX JAVA

Runs each example in an empty folder and compares its output with the page. The interpreter that runs this program runs the Python
examples. An empty argument leaves its language out, and a line reports that. Pages of explanation/ need no example;
tests/docs/get_started.py follows the pages of get-started/.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

MOST_LINES = 15
NO_EXAMPLE = {"reference/renames.md"}  # a table
OTHER_FOLDERS = ("explanation/", "get-started/", "site/")
SERVICES = {"how-to/bring-your-own-framework.md": "torch"}  # Python modules that an example needs, apart from this build
# The example is a part of a program that is a test itself.
VERBATIM = {"reference/csharp.md": "examples/readme/csharp/Resume.cs", "reference/mpi.md": "tests/mpi/first_example.c"}
# A test with a running service reads the example from the page.
TAKEN_BY = {"reference/s3.md": "tests/s3/first_example.sh", "how-to/save-to-s3.md": "tests/s3/first_example.sh"}

CPP = "#include <ckpt/ckpt.hpp>\n#include <iostream>\n#include <stdexcept>\n#include <string>\n#include <vector>\nint main() {\n%s}\n"
JAVA = "import java.nio.file.Path;\nimport org.ckpt.*;\nclass Example {\n  public static void main(String[] arguments) {\n%s  }\n}\n"


def first_block(text):
    """Returns language and text of the first block before a page's first section, and the output that the page gives for it."""
    match = re.search(r"^```(\S*)\n(.*?)^```\n(?:\n(?:It prints:\n\n)```\n(.*?)^```\n)?", text.split("\n## ", 1)[0] + "\n", re.M | re.S)
    return match.groups() if match else (None, "", None)


def ran(command, folder, environment):
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"fails with exit code {result.returncode}: {result.stdout[-500:]}{result.stderr[-1500:]}")
    return result.stdout


def run(language, block, folder, tools):
    """Runs the example and returns its output."""
    include, library, command, python, jar, cc, cxx, java = tools
    environment = {**os.environ, "LD_LIBRARY_PATH": library, "PYTHONPATH": python,
                   "PATH": command + os.pathsep + os.environ["PATH"]}
    link = ["-I", include, "-L", library, "-lckpt", "-o", "example"]
    source = {"c": "example.c", "cpp": "example.cpp", "sh": "example.sh", "python": "example.py", "java": "Example.java"}[language]
    wrapped = {"cpp": CPP, "java": JAVA}.get(language, "%s") % block
    with open(os.path.join(folder, source), "w", encoding="utf-8") as file:
        file.write(wrapped)
    if language in ("c", "cpp"):
        ran([cc, "-std=c99", source, *link] if language == "c" else [cxx, "-std=c++17", source, *link], folder, environment)
        return ran(["./example"], folder, environment)
    return ran({"sh": ["sh", "-eu", source], "python": [sys.executable, source], "java": [java, "-cp", jar, source]}[language],
               folder, environment)


def has_module(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0


def problem(page, tools):
    with open(f"docs/{page}", encoding="utf-8") as file:
        language, block, documented = first_block(file.read())
    language = "cpp" if language == "c++" else language
    if not block:
        return "does not begin with an example"
    if block.count("\n") > MOST_LINES:
        return f"its example has {block.count(chr(10))} lines; at most {MOST_LINES}"
    if page in VERBATIM:
        with open(VERBATIM[page], encoding="utf-8") as file:
            whole = [line.strip() for line in file]
        return next((f"'{line}' is not in {VERBATIM[page]}" for line in block.split("\n") if line.strip() not in whole + [""]), None)
    if page in TAKEN_BY:
        with open(TAKEN_BY[page], encoding="utf-8") as file:
            return None if f"docs/{page}" in file.read() else f"is not read by {TAKEN_BY[page]}"
    if page in SERVICES and not has_module(SERVICES[page]):
        if os.environ.get("CKPT_REQUIRE_SERVICES"):
            return f"needs {SERVICES[page]}, which is not installed for {sys.executable}"
        print(f"{page}: left out: no {SERVICES[page]} for {sys.executable}")
        return None
    needed = {"python": tools[3], "java": tools[4], "sh": tools[2]}.get(language, "always")
    if not needed:
        print(f"{page}: left out: no {language} in this build")
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            printed = run(language, block, folder, tools)
        except (AssertionError, KeyError) as error:
            return f"its example in {language} {error}"
    if documented is not None and printed != documented:
        return f"its example prints {printed!r}, expected {documented!r}"
    if documented is None and language != "sh":
        return "lacks the output of its example"
    return None


def main():
    tools = sys.argv[1:]
    found = (os.path.relpath(page, "docs") for page in glob.glob("docs/**/*.md", recursive=True))
    pages = sorted(page for page in found if page not in NO_EXAMPLE and not page.startswith(OTHER_FOLDERS))
    found = [f"docs/{page} {text}" for page in pages for text in [problem(page, tools)] if text]
    print(f"{len(pages)} pages")
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
