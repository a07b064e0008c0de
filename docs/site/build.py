"""build.py OUT: builds the manual as a site into OUT/site, with the API reference that doxygen makes of the headers.

Without MkDocs only the API reference is built, in OUT/api; without doxygen the site lacks it. Both cases are printed. Warnings of
MkDocs are errors; those of doxygen are errors with CKPT_WARN_AS_ERROR=FAIL_ON_WARNINGS.
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AWESOME = "/usr/share/doxygen-awesome-css/doxygen-awesome.css"

# The colour scheme is the one chosen in the manual, which mkdocs-material stores under this key; else the system's.
HEAD = """<script>
try {
  var scope = new URL("../..", location).pathname;
  var palette = JSON.parse(localStorage.getItem(scope.replace(/\\/$/, "") + "/.__palette"));
  if (palette) document.documentElement.classList.add(palette.color.scheme === "slate" ? "dark-mode" : "light-mode");
} catch (error) {}
</script>
"""
BACK = '<a id="manual" style="float:right;padding:8px 16px" href="$relpath^../../index.html">Manual</a>\n'


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(ckpt VERSION (\S+)", file.read()).group(1)


def api(doxygen, out):
    environment = {**os.environ, "CKPT_VERSION": version(), "CKPT_DOCS": out}
    environment.setdefault("CKPT_WARN_AS_ERROR", "NO")
    options = [f"OUTPUT_DIRECTORY = {out}/api/reference", "HTML_OUTPUT = c-api", f"GENERATE_TAGFILE = {out}/ckpt.tag"]
    if os.path.exists(AWESOME):
        header, other = f"{out}/header.html", f"{out}/other"
        subprocess.run([doxygen, "-w", "html", header, other, other], check=True, stdout=subprocess.DEVNULL)
        with open(header, encoding="utf-8") as file:
            text = file.read()
        with open(header, "w", encoding="utf-8") as file:
            file.write(text.replace("</head>", HEAD + "</head>").replace('<div id="titlearea">', '<div id="titlearea">\n' + BACK))
        options += [f"HTML_EXTRA_STYLESHEET = {AWESOME} docs/site/api.css", f"HTML_HEADER = {header}", "GENERATE_TREEVIEW = YES"]
        found = subprocess.run([doxygen, "--version"], check=True, capture_output=True, text=True).stdout
        if tuple(int(number) for number in re.findall(r"\d+", found)[:3]) >= (1, 9, 5):
            options.append("HTML_COLORSTYLE = LIGHT")
    with open(os.path.join(ROOT, "docs", "Doxyfile"), encoding="utf-8") as file:
        text = file.read() + "\n".join(options) + "\n"
    os.makedirs(f"{out}/api/reference", exist_ok=True)
    subprocess.run([doxygen, "-"], check=True, cwd=ROOT, env=environment, input=text, text=True)


def main():
    out = os.path.abspath(sys.argv[1])
    for name in ("api", "site", "generated"):
        shutil.rmtree(os.path.join(out, name), ignore_errors=True)
    os.makedirs(out, exist_ok=True)
    doxygen = shutil.which("doxygen")
    if doxygen:
        api(doxygen, out)
    else:
        print("no doxygen: the site is built without the API reference")
    mkdocs = shutil.which("mkdocs")
    if not mkdocs:
        print("no mkdocs: only the API reference is built")
        return
    environment = {**os.environ, "CKPT_DOCS": out, "PYTHONDONTWRITEBYTECODE": "1"}
    built = subprocess.run([mkdocs, "build", "--strict", "--site-dir", os.path.join(out, "site")], cwd=ROOT, env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        sys.exit(built.stdout)
    print(f"{out}/site/index.html")


if __name__ == "__main__":
    main()
