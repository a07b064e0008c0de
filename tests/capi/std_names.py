"""No function of namespace ckpt::base has the same name as a function of namespace std.

An unqualified call with a std::string argument finds both by argument-dependent lookup; which of them the compiler takes, or
whether it rejects the call, depends on the version of the standard library. Run in the project's root. """

import glob
import os
import sys

sys.path.insert(0, "tools/api")
sys.dont_write_bytecode = True
try:
    import read

    read.find_libclang()
    read.cindex.Index.create()
except Exception as error:  # the Python module, or libclang itself
    print("SKIP: libclang for Python (python3-clang) not found:", error)
    sys.exit(77)

STD_HEADERS = """algorithm any array atomic barrier bit bitset cctype charconv chrono cmath complex condition_variable csignal cstdio cstdlib
cstring cwchar deque exception execution filesystem format fstream functional future iomanip ios iostream istream iterator latch limits list
locale map memory mutex numeric optional ostream print queue random ranges regex semaphore set shared_mutex span sstream stack stdexcept
stop_token string string_view syncstream thread tuple typeindex unordered_map unordered_set utility valarray variant vector version""".split()
CursorKind = read.CursorKind
KINDS = (CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE, CursorKind.USING_DECLARATION)
WRAPPERS = (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL)  # extern "C", by version of libclang


def functions_of(namespace, names):
    """Adds the functions of a namespace, with their locations; reserved nested namespaces are the library's inline ones."""
    for child in namespace.get_children():
        if child.kind in KINDS and not child.spelling.startswith("operator"):
            names.setdefault(child.spelling, f"{child.location.file}:{child.location.line}")
        elif child.kind in WRAPPERS or (child.kind == CursorKind.NAMESPACE and child.spelling.startswith("__")):
            functions_of(child, names)


def functions_in(parent, path, names):
    for child in parent.get_children():
        if child.kind == CursorKind.NAMESPACE and child.spelling == path[0]:
            functions_in(child, path[1:], names) if path[1:] else functions_of(child, names)
    return names


def main():
    headers = sorted(glob.glob("cpp/base/*.h") + glob.glob("cpp/base/os/*.h"))
    text = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in STD_HEADERS)
    text += "".join(f'#include "{os.path.relpath(header, "cpp")}"\n' for header in headers)
    unit = read.cindex.Index.create().parse(
        "names.cpp", ["-std=c++20", "-Icpp"], unsaved_files=[("names.cpp", text)],
        options=read.cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    wrong = [str(found) for found in unit.diagnostics if found.severity >= read.cindex.Diagnostic.Error]
    std, base = functions_in(unit.cursor, ["std"], {}), functions_in(unit.cursor, ["ckpt", "base"], {})
    if "quoted" not in std or "swap" not in std or "require" not in base:
        print("\n".join(wrong), f"\nfound {len(std)} functions in std and {len(base)} in ckpt::base: the headers were not read")
        return 1
    shared = sorted(set(std) & set(base))
    for name in shared:
        print(f"{base[name]}: ckpt::base::{name} has the same name as std::{name}")
    print(f"{len(base)} functions of ckpt::base, {len(std)} of std: {len(shared)} names in both")
    return 1 if shared else 0


sys.exit(main())
