"""header_examples.py LIBRARY_FOLDER CC [SCRATCH]: compiles and runs the example at the top of each header in include/ckpt.

An example is the indented code of a header's first comment. It runs inside main() of header_example.c, which declares the objects
that an example takes from other parts. A description after the code of a line is left out; "... call() ..." becomes call(). Every
call that returns a status must succeed. The examples of s3.h and mpi.h need a service: they are compiled only, that of mpi.h where MPI is installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

# api.h needs dlopen: examples/c/memory_by_dlopen.c is a whole program. torch.h needs LibTorch: tests/torch has its examples.
WITHOUT = {"api.h", "torch.h"}
COMPILED_ONLY = {"s3.h": ["ckpt/s3.h"], "mpi.h": ["mpi.h", "ckpt/mpi.h"]}
DEEP = " " * 12  # text in columns, not code
PSEUDO = {"(each step)": "(int each = 0; each < 3; ++each)"}

# Conditions after the example.
AFTER = {
    "async.h": "EXPECT(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);",
    "base.h": "EXPECT(now_ns == 1000000);",
    "drive.h": "EXPECT(g0 && *(double*)g0 == 1);",
    "engine.h": "EXPECT(loss > 0);",
    "memory.h": "EXPECT(stats.peak_bytes == 4096 && stats.current_bytes == 0);",
    "pipeline.h": "EXPECT(loss > 0);",
    "plan.h": "EXPECT(report.peak_bytes[0] > 0);",
    "program.h": "EXPECT(bytes > 0 && count > 0);",
    "tensor.h": "EXPECT(x);",
    "tree.h": "EXPECT(node.integer == 3);",
}


def first_comment(text):
    return text[: text.index("*/")] if text.startswith("/*") else ""


def example_of(comment):
    """Returns the code of the example, and lines with code that are outside of it: a formatter has joined lines."""
    code, stray, statement = [], [], ""
    for line in comment.split("A beginner needs", 1)[0].splitlines():
        text = line[2:].rstrip() if line.startswith(" *") else ""
        if not text.startswith("   ") or text.startswith(DEEP) and not statement:
            if not text.startswith(DEEP) and re.search(r"\bckpt_\w+\(.*\)\s*;", text):
                stray.append(text.strip())
            statement = statement if text.startswith(DEEP) else ""
            continue
        text = text.strip()
        elided = re.fullmatch(r"\.\.\. (\w+\(.*\)) \.\.\.", text)
        if elided:
            text = elided.group(1) + ";"
        whole = statement + text
        cut = re.match(r"(.*?[;{}])(?:  +\S.*)?$", whole)
        if text.startswith("..."):
            continue
        if cut and whole.count("(", 0, cut.end(1)) == whole.count(")", 0, cut.end(1)):
            code.append(cut.group(1))
            statement = ""
        elif whole.count("(") > whole.count(")"):
            statement = whole + " "  # goes over several lines
    for pseudo, real in PSEUDO.items():
        code = [line.replace(pseudo, real) for line in code]
    return code, stray


def checked(line):
    """Wraps a call that returns a status, so that the program fails with it."""
    call = re.fullmatch(r"(ckpt_\w+\(.*\));", line)
    return line if not call or re.match(r"ckpt_\w+_release\(", line) else f"OK({call.group(1)});"


def has_header(cc, name):
    result = subprocess.run([cc, "-E", "-x", "c", "-"], input=f"#include <{name}>\n", capture_output=True, text=True)
    return result.returncode == 0


def problem(name, library, cc, folder):
    """Returns the problem of a header's example, or "" if it works."""
    with open(f"include/ckpt/{name}", encoding="utf-8") as file:
        code, stray = example_of(first_comment(file.read()))
    if stray:
        return f"code outside of the example: {stray[0]}"
    if not code:
        return "no example in the first comment"
    others = COMPILED_ONLY.get(name, [])
    if name == "mpi.h":
        cc = shutil.which("mpicc") or cc
    if others and not all(has_header(cc, other) for other in others if not other.startswith("ckpt/")):
        print(f"{name}: left out: {others[0]} is not installed")
        return ""
    with open(os.path.join(folder, "example.inc"), "w", encoding="utf-8") as file:
        file.write("\n".join([line if others else checked(line) for line in code] + [AFTER.get(name, ""), ""]))
    program = os.path.join(folder, name[:-2])
    command = [cc, "-std=c99", "-Wall", "-Wno-unused", "-Werror", "-I", "include", "-I", folder, "-o", program,
               "tests/docs/header_example.c"]
    if others:
        command += ["-c", f'-DEXAMPLE_HEADER="{others[-1]}"']
    else:
        command += ["-L", library, "-Wl,-rpath," + library, "-lckpt"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0 and not others:
        result = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=60)
    return "" if result.returncode == 0 else f"exit code {result.returncode}: {result.stdout[-500:]}{result.stderr[-2000:]}"


def check_itself():
    comment = "/* x\n *\n *   f(a,\n *     b);   why\n *   ... g(1) ...\n *   g(2);\n *\n"
    assert example_of(comment) == (["f(a, b);", "g(1);", "g(2);"], [])
    assert example_of("/* x\n *\n *   f(a);   the\n * result ckpt_g(b);\n") == (["f(a);"], ["result ckpt_g(b);"])
    assert checked("ckpt_a_b(x);") == "OK(ckpt_a_b(x));" and checked("ckpt_a_release(x);") == "ckpt_a_release(x);"


def main():
    library, cc = sys.argv[1:3]
    check_itself()
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = sys.argv[3] if len(sys.argv) > 3 else scratch
        names = sorted(name for name in os.listdir("include/ckpt") if name.endswith(".h") and name not in WITHOUT)
        for name in names:
            text = problem(name, library, cc, folder)
            if text:
                failed.append(f"include/ckpt/{name}: {text}")
    print(f"examples of {', '.join(names)}")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
