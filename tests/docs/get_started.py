"""get_started.py BUILD INCLUDE LIBRARY_FOLDER COMMAND_FOLDER PYTHON CC CXX JAVA DOTNET: follows the pages of docs/get-started.

Each page is followed in an empty folder. A block with a title becomes that file, a block of sh runs, and the block after "It
prints:" is compared with the output. The section "Install" is left out: the folder contains a link to this build instead of a
clone, and a file for pkg-config. An empty argument leaves out the pages that need it, and a line reports that.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```\n"
                   r"|^(?P<prints>It prints:)\n|^## (?P<section>[^\n]*)\n", re.M | re.S)
DOTNET = {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "MSBUILDDISABLENODEREUSE": "1",
          "DOTNET_CLI_USE_MSBUILD_SERVER": "0"}


def steps_of(text):
    """Yields ("file", name, text), ("run", commands, output or None) in the order of the page."""
    section, prints, last = "", False, None
    for match in BLOCK.finditer(text):
        if match["section"]:
            section = match["section"]
        elif match["prints"]:
            prints = True
        elif prints:
            prints = False
            yield "run", last, match["text"]
            last = None
        else:
            if last is not None:
                yield "run", last, None
                last = None
            if match["title"]:
                yield "file", match["title"], match["text"]
            elif match["language"] == "sh" and "Install" not in section:
                last = match["text"]
    if last is not None:
        yield "run", last, None


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def prepare(folder, build, include, library):
    """Creates links instead of the clone, and a file for pkg-config."""
    os.makedirs(f"{folder}/libckpt/build")
    os.symlink(build, f"{folder}/libckpt/build/release")
    write(f"{folder}/tools/pkgconfig/ckpt.pc",
          f"Name: ckpt\nDescription: this build\nVersion: 0\nCflags: -I{include}\nLibs: -L{library} -Wl,-rpath,{library} -lckpt\n")


def follow(text, folder, environment):
    """Returns the number of commands that ran; fails with the first that fails or prints something else than the page."""
    count = 0
    for kind, what, expected in steps_of(text):
        if kind == "file":
            write(os.path.join(folder, what), expected)
            continue
        result = subprocess.run(["sh", "-eu", "-c", what], cwd=folder, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            raise AssertionError(f"{what.strip()}: exit code {result.returncode}: {result.stdout[-500:]}{result.stderr[-1500:]}")
        if expected is not None and result.stdout != expected:
            raise AssertionError(f"{what.strip()}: printed {result.stdout!r}, expected {expected!r}")
        count += 1
    return count


def check_itself():
    page = ('# A\n\n```c title="a.txt"\nx\n```\n\n## 1. Install\n\n```sh\nfalse\n```\n\n'
            "## 2. Run\n\n```sh\ncat a.txt\n```\n\nIt prints:\n\n```\n%s\n```\n")
    for printed, good in (("x", True), ("y", False)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                count = follow(page % printed, folder, dict(os.environ))
                assert good and count == 1
            except AssertionError:
                assert not good


def main():
    build, include, library, command, python, cc, cxx, java, dotnet = sys.argv[1:]
    check_itself()
    jar = next((name for name in glob.glob(f"{build}/java/ckpt-*.jar") if re.search(r"/ckpt-[\d.]+\.jar$", name)), "")
    package = glob.glob(f"{build}/csharp/Ckpt.[0-9]*.nupkg")
    needed = {"c": command and cc and shutil.which("pkg-config"), "cpp": command and cxx and shutil.which("pkg-config"),
              "python": command and python, "java": command and java and jar, "csharp": command and dotnet and package}
    failed = []
    for name in sorted(name[:-3] for name in os.listdir("docs/get-started")):
        if not needed[name]:
            print(f"{name}: left out: this build or this machine lacks its tools")
            continue
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder, build, include, library)
            os.makedirs(f"{folder}/bin")
            for link, target in (("python", python), ("cc", cc), ("c++", cxx), ("java", java), ("dotnet", dotnet)):
                if target:
                    write(f"{folder}/bin/{link}", f'#!/bin/sh\nexec "{target}" "$@"\n')
                    os.chmod(f"{folder}/bin/{link}", 0o755)
            if jar:
                os.symlink(jar, f"{folder}/ckpt.jar")
            environment = {**os.environ, **DOTNET, "PATH": os.pathsep.join([f"{folder}/bin", command, os.environ["PATH"]]),
                           "PKG_CONFIG_PATH": f"{folder}/tools/pkgconfig",
                           "PYTHONPATH": f"{build}/python", "PYTHONDONTWRITEBYTECODE": "1",
                           "DOTNET_CLI_HOME": f"{folder}/home", "XDG_DATA_HOME": f"{folder}/home",
                           "NUGET_PACKAGES": f"{folder}/packages"}
            try:
                with open(f"docs/get-started/{name}.md", encoding="utf-8") as file:
                    print(f"{name}: {follow(file.read(), folder, environment)} commands")
            except AssertionError as error:
                failed.append(f"docs/get-started/{name}.md: {error}")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
