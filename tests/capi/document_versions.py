"""Checks that documents, headers and examples mention only the libckpt version in CMakeLists.txt. Run in the project's root.

A number counts as a version of libckpt next to a name of libckpt or of its packages, in a command line that takes its version, and
after "names of", "programs of" and "libraries of". CHANGELOG.md and docs/reference/renames.md describe earlier versions. """

import pathlib
import re
import sys

HISTORY = {"CHANGELOG.md", "docs/reference/renames.md"}
SOURCES = ["*.md", "docs/**/*.md", "bindings/**/*.md", "tests/**/*.md", "tools/**/*.md", "bench/**/*.md", "examples/**/*.*", "include/**/*.h*"]
NUMBER = r"v?(\d+\.\d+(?:\.\d+)?)"
PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in (
    r"libckpt(?:-s3|-mpi)?\.so\.(\d+(?:\.\d+)*)",
    rf"ckpt(?:0|-s3|-mpi|-dev|\.extensions\.logging)?(?: versions?)?[ ._(>=-]+{NUMBER}",  # ckpt 1.2, ckpt-1.2.3.jar, libckpt0 (>= 1.2.3)
    rf"make_wheel\.py .* {NUMBER}",
    rf"\b(?:names|programs?|library|libraries|since|release) (?:of |for )?{NUMBER}",
)]


def project_version():
    found = re.search(r"\bproject\(ckpt VERSION (\d+\.\d+\.\d+)", pathlib.Path("CMakeLists.txt").read_text(encoding="utf-8"))
    return found.group(1)


def wrong_versions(line, version):
    """Returns the versions of libckpt in a line that are neither the project's nor its major and minor number."""
    found = [match.group(1) for pattern in PATTERNS for match in pattern.finditer(line)]
    return [number for number in found if number not in (version, version.rsplit(".", 1)[0])]


def check_itself():
    for line in ("find_package(ckpt 0.1 REQUIRED)", "java -cp ckpt-0.9.9.jar", "`Ckpt.0.9.9.nupkg`", "Ckpt.Extensions.Logging.0.9.9.nupkg",
                 "make_wheel.py a/ckpt b 0.9.9", "new since 0.1", "names of 0.1", "libckpt 0.1.0", "libckpt0 (= 0.1.0)",
                 "libckpt version 0.1", "a program for 0.1", "find_package(ckpt 1.2)", "libckpt.so.0", "libckpt-s3.so.0.1"):
        assert wrong_versions(line, "0.2.0"), line
    for line in ("find_package(ckpt 0.2 REQUIRED)", "libckpt 0.2.0", "libckpt.so.0.2", "dropout=0.1", "OpenBLAS 0.3.21", "JDK 17.0.15",
                 "ckpt.SGD(0.1)", "until 1.0 the soname is libckpt.so.0.2"):
        assert not wrong_versions(line, "0.2.0"), line


def main():
    check_itself()
    version = project_version()
    files = sorted({path for pattern in SOURCES for path in pathlib.Path().glob(pattern) if path.is_file()})
    files = [path for path in files if path.as_posix() not in HISTORY]
    assert len(files) > 60, f"{len(files)} files"
    errors = 0
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for found in wrong_versions(line, version):
                print(f"{path}:{number}: expected version {version} as in CMakeLists.txt, found {found}")
                errors += 1
    print(f"{len(files)} files, {errors} other versions than {version}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
