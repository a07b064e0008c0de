"""Checks that each struct, field, constant, callback and function of the public headers has a comment that is complete by itself,
and that the documentation in other languages contains no C terms.

Documentation in other languages is generated from these comments, field by field, so those of structs, fields and constants must
not depend on their neighbours. The comment of a field or constant is on the same line after it, or directly above it. Comments use
the terms that a C programmer expects (NULL, pointer, struct, size_t, ...). tools/api translates them; this test searches the
documentation that it generates for Python, Java, C# and C++ for C terms. A default value other than 0 and NULL is documented, and
equals the initializer's.

comment_content.py [HEADER...]: without arguments, all of include/ckpt. 77: skipped, libclang not found.
"""

import ast
import contextlib
import copy
import glob
import html
import itertools
import os
import re
import sys
import tempfile
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")
STAND_IN = os.path.join(HERE, "stand_in")
TOOL = os.path.join(HERE, "..", "..", "tools", "api")
sys.path.insert(0, TOOL)
sys.dont_write_bytecode = True

try:
    import read
    from clang import cindex

    read.find_libclang()
    cindex.Index.create()
except Exception as error:  # the Python module, or libclang itself
    print("SKIP: libclang for Python (python3-clang) not found:", error)
    sys.exit(77)

import c_words
import compare
import model
import text as words
import write_cpp
import write_csharp
import write_java
import write_python

LEANS = re.compile(
    r"^(of|that|with|by|also|or|and|else|like|as|its|their|those|these|such|likewise|ditto|the same|see)\b"
    r"|\b(as|see) (above|below)\b|\bthe (field|constant|one|ones|next \w+) (above|below|before)\b|\bas the next\b",
    re.IGNORECASE,
)
FUNCTION_LEANS = re.compile(r"^(The same|Like|As|See|NULL|options: NULL)\b")
LOOSE = re.compile(
    r"\b(nobody|somebody|anybody|everybody|someone|tells?|told|telling|g[ai]ves? back|given back|giving back|(lets?|letting) go)\b",
    re.IGNORECASE,
)

TRAPS = """
/* A thing. */
typedef struct ckpt_good {
  int a; /* number of parts, 0 or more */
  /* number of parts that are so many that their description
   * takes two lines */
  int b;
} ckpt_good;
/* group */
#define CKPT_GOOD 1 /* the good kind */
/* The function of a thing. */
typedef int (*ckpt_good_fn)(int a);
/* Sets *a to CKPT_GOOD; NULL does nothing. */
void ckpt_good_init(int* a);
#define CKPT_GOOD_INIT {0, 0}
typedef struct ckpt_bare {
  int bare_a;
  int b; /* number of parts, 0 or more */
  int below_b;
  int /* in the middle */ middle;
  int two_lines; /* number of
                    parts */
  /* number of parts */
  int twice; /* number of parts */
  int first_of; /* number of parts */ int second_of;
  const char* null; /* name of a part, a pointer to a struct; NULL: none */
  int of; /* of the parts */
  int same; /* the same of the parts */
  int above; /* number of parts, as above */
  int word; /* parts */
  int told; /* number of parts, told by the caller */
} ckpt_bare;
#define CKPT_BARE 1

/* far away, with an empty line between */

#define CKPT_FAR 2
typedef int (*ckpt_bare_fn)(int a);
void ckpt_bare_call(int a);
/* The same for b. */
void ckpt_leaning_call(int b);
/* NULL does nothing. */
void ckpt_null_release(void* b);
/* Tells a number to the caller, and nobody else. */
void ckpt_loose_call(int b);
// of another kind
"""
TRAPPED = """ckpt_bare ckpt_bare.bare_a ckpt_bare.below_b ckpt_bare.middle ckpt_bare.two_lines ckpt_bare.twice ckpt_bare.second_of
  ckpt_bare.of ckpt_bare.same ckpt_bare.above ckpt_bare.word line:%d CKPT_BARE CKPT_FAR
  ckpt_bare_fn ckpt_bare_call ckpt_leaning_call ckpt_null_release line:%d line:%d""" % tuple(
    TRAPS[: TRAPS.index(text)].count("\n") + 1 for text in ("told by the caller", "Tells a number", "// of another"))

LANGUAGES = {
    "Python": (write_python, write_python.PythonWords, "bindings/python/ckpt/generated/"),
    "Java": (write_java, write_java.JavaWords, "bindings/java/generated/"),
    "C#": (write_csharp, write_csharp.CsharpWords, "bindings/csharp/generated/"),
    "C++": (write_cpp, write_cpp.CppWords, "include/ckpt/values/"),
}
OF_C = re.compile(
    r"NULL|\bNULs?\b|&|->|(?<![\w*/])\*[a-z]|\w\.h\b|\b(?:CKPT|ckpt)_\w+|\bU?INT\d+_M(?:AX|IN)\b|\b(?:u?int\d+_t|size_t)\b"
    r"|\b(?:[Pp]ointer|[Ss]truct|[Uu]nion|[Mm]acro|[Tt]ypedef|[Oo]ut-(?:parameter|pointer))s?\b|\b(?:sizeof|char|void|const)\b"
)
OF_CPP_TOO = {"struct", "structs"}
# Terms that the search finds in each language before the translation, and not after it; then terms that translation does not
# replace.
TRANSLATED = ["NULL", "NUL", "&address", "*star", "task->gate_step", "base.h", "CKPT_SAVE_OPTIONS_INIT", "INT64_MAX", "UINT32_MAX",
              "uint64_t", "size_t", "pointer", "structs", "macros", "typedef", "sizeof(options)", "const char*", "void*",
              "out-parameters"]
LEFT = ["unions", "void", "const", "char", "ckpt_nothing", "CKPT_NOTHING", "a & b"]
PLACES = {"structs": "ckpt_save_options", "types": "ckpt_verify", "constants": "CKPT_VERIFY_FULL",
          "fields": "ckpt_save_options.prefix"}
# A field, its C comment, and the translations.
EXAMPLES = [
    ("ckpt_step.targets", "labels; NULL when there are none", {
        "Python": "labels; None when there are none", "Java": "labels; null when there are none",
        "C#": "labels; null when there are none", "C++": "labels; nullptr when there are none"}),
    ("ckpt_save_options.prefix", "begins a name, NUL-terminated. NULL or empty: no prefix", {
        "Python": "begins a name. None or empty: no prefix", "Java": "begins a name. Null or empty: no prefix",
        "C#": "begins a name. Null or empty: no prefix", "C++": "begins a name. Empty: no prefix"}),
    ("ckpt_tensor_info.group", "group; NULL: none", {
        "Python": "group; None: none", "C#": "group; empty: none", "C++": "group; empty: none"}),
    ("ckpt_tensor_info.shape", "lengths; NULL: a scalar", {
        "Python": "lengths; (): a scalar", "C#": "lengths; empty: a scalar", "C++": "lengths; empty: a scalar"}),
    ("ckpt_async_manager_options.drain_timeout_ns", "time in nanoseconds; -1: forever; default 30 s. After that, tasks stop", {
        "Python": "time in nanoseconds; -1: forever; default 30 s. After that, tasks stop",
        "Java": "time; null: forever. After that, tasks stop",
        "C#": "time; Timeout.InfiniteTimeSpan: forever; default 30 s. After that, tasks stop",
        "C++": "time; -1: forever; default 30 s. After that, tasks stop"}),
    ("ckpt_load_options.verify", "CKPT_VERIFY_FULL (the default) or CKPT_VERIFY_NONE", {
        "Python": "Verify.FULL (the default) or Verify.NONE", "Java": "{@link Verify#FULL} or {@link Verify#NONE}",
        "C++": "Verify::full (the default) or Verify::none"}),
    ("ckpt_save_options.incremental", "1 (the default): linked; 0: written", {
        "Python": "True (the default): linked; False: written", "Java": "true: linked; false: written",
        "C#": "true (the default): linked; false: written"}),
    ("ckpt_save_options.metric", "metric; default 0", {  # in other languages absent until it is set
        "Python": "metric; None when there is none", "C#": "metric; null when there is none",
        "C++": "metric; std::nullopt when there is none"}),
    ("ckpt_save_options.step", "a pointer to an int64_t, at most INT64_MAX, of a struct; as options->keep_last", {
        "Python": "a reference to a 64-bit integer, at most 2**63 - 1, of an object; as options.keep_last",
        "Java": "a reference to a 64-bit integer, at most 2^63 - 1, of an object; as {@code options.keepLast}",
        "C#": "a reference to a 64-bit integer, at most 2^63 - 1, of an object; as <c>options.KeepLast</c>",
        "C++": "a reference to a 64-bit integer, at most 2^63 - 1, of a struct; as options.keep_last"}),
    ("ckpt_load_result.seed", "begins as CKPT_LOAD_OPTIONS_INIT (state.h); see ckpt_load_result.step and *tensor", {
        "Python": "begins as a new LoadOptions; see LoadResult.step and tensor",
        "Java": "begins as a new {@link LoadOptions}; see {@code LoadResult.step} and tensor"}),
]
# A field, its initializer, comments that document the same value, and comments that do not.
DEFAULTS = [
    ("count", "3", ["parts; default 3", "parts, default: 3", "parts (default 3)", "0 or 3 (the default). More", "a default part"],
     ["parts; default 2", "2 (the default) or 3", "3 parts by default", "defaults to 3", "parts; default three",
      "the default is 3"]),
    ("staging_bytes", "1073741824", ["bytes; default 1 GiB"], ["bytes; default 1 MiB", "bytes; default 1 s"]),
    ("first_ns", "INT64_C ( 10000000 )", ["nanoseconds; default 10 ms"], ["nanoseconds; default 10 s", "nanoseconds; default 10"]),
    ("first_seconds", "600", ["seconds; default 600", "seconds; default 10 min"], ["seconds; default 10"]),
    ("factor", "1e-3", ["a factor; default 0.001. Small"], ["a factor; default 0.01"]),
    ("name", "0", ["name; default NULL", "NULL (the default): no name"], ['name; default "part"']),
    ("flags", "CKPT_A | CKPT_B", ["sum; default CKPT_A | CKPT_B", "sum; default 3"], ["sum; default CKPT_A"]),
    ("result", None, ["parts"], ["parts; default 0"]),
]


class Header:
    """The declarations and comments of one header."""

    def __init__(self, path):
        self.path = path
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = cindex.Index.create().parse(path, ["-xc", "-std=c99", "-I" + INCLUDE, "-I" + STAND_IN], options=options)
        errors = [str(problem) for problem in self.unit.diagnostics if problem.severity >= cindex.Diagnostic.Error]
        if errors:
            sys.exit("\n".join(errors))
        tokens = list(self.unit.get_tokens(extent=self.unit.cursor.extent))
        self.comments = [token for token in tokens if token.kind == cindex.TokenKind.COMMENT]
        self.starting, self.ending = {}, {}
        for comment in self.comments:
            start, end = comment.extent.start, comment.extent.end
            self.starting.setdefault(start.line, []).append((start.offset, comment))
            self.ending.setdefault(end.line, (range(start.line, end.line + 1), comment))
        code = [token.extent for token in tokens if token.kind != cindex.TokenKind.COMMENT]
        self.code_lines = {line for extent in code for line in range(extent.start.line, extent.end.line + 1)}
        self.found = []

    def wrong(self, name, line, what):
        self.found.append((name, "%s:%d: %s %s" % (os.path.relpath(self.path), line, name, what)))

    def behind(self, end):
        """Returns the comment that starts on the line on which a declaration ends, after it."""
        after = [comment for offset, comment in self.starting.get(end.line, ()) if offset >= end.offset]
        return after[0] if after else None

    def above(self, line):
        """Returns the comment that ends directly above a line, on its own lines."""
        lines, comment = self.ending.get(line - 1, ((), None))
        return None if self.code_lines.intersection(lines) else comment

    def text_above(self, name, cursor):
        """Returns the text of the comment above, or None, which is an error."""
        comment = self.above(cursor.extent.start.line)
        if comment is None:
            self.wrong(name, cursor.extent.start.line, "has no comment right above")
        return comment and plain(comment)

    def text_of_value(self, name, cursor):
        """Returns the text of the comment after or above a field or constant, or None, which is an error."""
        line = cursor.extent.start.line
        behind, above = self.behind(cursor.extent.end), self.above(line)
        if behind is None and above is None:
            return self.wrong(name, line, "has no comment after it or directly above")
        if behind is None:
            return plain(above)
        if behind.extent.end.line != behind.extent.start.line:
            return self.wrong(name, line, "has a comment of several lines after it: put it above")
        if above is not None and cursor.kind == cindex.CursorKind.FIELD_DECL:
            return self.wrong(name, line, "has two comments")
        return plain(behind)

    def check_words(self, name, cursor, text):
        hit = text and LEANS.search(text)
        if hit:
            self.wrong(name, cursor.extent.start.line, 'leans on its neighbours: "%s"' % hit.group(0))
        if text and len(text.split()) < 2:
            self.wrong(name, cursor.extent.start.line, 'says only "%s"' % text)

    def check_struct(self, cursor):
        name = cursor.spelling
        self.check_words(name, cursor, self.text_above(name, cursor))
        lines = set()
        for field in cursor.get_children():
            if field.kind != cindex.CursorKind.FIELD_DECL:
                continue
            label = name + "." + field.spelling
            if field.extent.start.line in lines:
                self.wrong(label, field.extent.start.line, "shares its line with another field")
            else:
                self.check_words(label, field, self.text_of_value(label, field))
            lines.add(field.extent.start.line)

    def check_function(self, cursor):
        text = self.text_above(cursor.spelling, cursor)
        if text and FUNCTION_LEANS.search(text):
            self.wrong(cursor.spelling, cursor.extent.start.line, 'does not say what it does: "%s"' % text[:40])

    def check(self):
        for cursor in self.unit.cursor.get_children():
            if cursor.location.file is None or cursor.location.file.name != self.path:
                continue
            kind, name = cursor.kind, cursor.spelling
            if kind == cindex.CursorKind.STRUCT_DECL and cursor.is_definition():
                self.check_struct(cursor)
            elif kind == cindex.CursorKind.MACRO_DEFINITION and is_constant(cursor):
                self.check_words(name, cursor, self.text_of_value(name, cursor))
            elif kind == cindex.CursorKind.FUNCTION_DECL or (kind == cindex.CursorKind.TYPEDEF_DECL and not of_struct(cursor)):
                self.check_function(cursor)
        for comment in self.comments:
            if not comment.spelling.startswith("/*"):
                self.wrong("line:%d" % comment.extent.start.line, comment.extent.start.line, "begins with //")
            hit = LOOSE.search(comment.spelling)
            if hit:
                line = comment.extent.start.line + comment.spelling[: hit.start()].count("\n")
                self.wrong("line:%d" % line, line, 'says "%s"; plain words: reports, released, no caller' % hit.group(0))
        return self.found


def plain(comment):
    """Returns a comment's text as one line."""
    return re.sub(r"\s*\n\s*\*?\s*", " ", comment.spelling[2:-2]).strip()


def is_constant(cursor):
    """Returns whether a macro is "CKPT_NAME value": not a function, guard or initializer."""
    tokens = [token.spelling for token in cursor.get_tokens()]
    name = cursor.spelling
    return name.startswith("CKPT_") and name not in ("CKPT_API", "CKPT_S3_API", "CKPT_MPI_API") and not name.endswith("_INIT") and len(tokens) > 1


def of_struct(cursor):
    """For "typedef struct name {...} name" the struct is checked. A handle, which is only declared, is checked itself."""
    return any(child.kind == cindex.CursorKind.STRUCT_DECL and child.is_definition() for child in cursor.get_children())


def check_traps():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "traps.h")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TRAPS)
        found = Header(path).check()
    names, wanted = {name for name, _ in found}, set(TRAPPED.split())
    for name in sorted(wanted - names):
        print("trap not found:", name, file=sys.stderr)
    for name, message in found:
        if name not in wanted:
            print("not a trap:", message, file=sys.stderr)
    return names == wanted


# ---- Other languages ----


def documentation(path, text):
    """Returns the documentation in a generated file, without the markup of its language."""
    if path.endswith(".py"):
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
        found = [re.sub(r"(?m)^\w+: ", "", ast.get_docstring(node) or "") for node in nodes]  # a name, and its description
    elif path.endswith(".java"):
        found = [re.sub(r"(?m)^\s*\*", "", comment) for comment in re.findall(r"/\*\*(.*?)\*/", text, re.DOTALL)]
        found = [html.unescape(re.sub(r"\{@\w+\s+([^{}]*)\}", r"\1", comment)) for comment in found]
    elif path.endswith(".cs"):
        found = re.sub(r'<see\s+cref="(.*?)"/>|<[^>]*>', r"\1", "\n".join(re.findall(r"^\s*///(.*)$", text, re.MULTILINE)))
        found = [html.unescape(found)]
    else:
        found = re.findall(r"^\s*// (.*)$", text.split("\n", 2)[2], re.MULTILINE)  # the first two lines describe the file
    return " ".join(" ".join(found).split())


def documents(api):
    """Returns the documentation of each language, by the path of its file."""
    values = model.Model(api)
    for language, (writer, _, folder) in LANGUAGES.items():
        files = {path: text for path, text in writer.files(values).items() if path.startswith(folder)}
        yield language, {path: documentation(path, text) for path, text in files.items()}


def of_c(text, language):
    return [word for word in OF_C.findall(text) if language != "C++" or word not in OF_CPP_TOO]


def with_words(api, given):
    """Returns the description with these terms in a comment of each kind, between marks."""
    changed = copy.deepcopy(api)
    for place, path in PLACES.items():
        name, _, field = path.partition(".")
        entry = next(entry for entry in changed["structs" if field else place] if entry["name"] == name)
        entry = next(one for one in entry["fields"] if one["name"] == field) if field else entry
        entry["comment"] = f"begin{place} {', '.join(given)} end{place}"
    return changed


def check_search(api):
    """Checks that the search finds C terms in every kind of comment and every language, and that translation replaces them."""
    good = True
    untranslated = mock.patch.object(words, "translated", lambda text, language, null: text)
    for given, changes, remain in ((TRANSLATED, untranslated, True), (TRANSLATED, contextlib.nullcontext(), False),
                                   (LEFT, contextlib.nullcontext(), True)):
        with changes:
            found = dict(documents(with_words(api, given)))
        for language, place in itertools.product(LANGUAGES, PLACES):
            between = re.search(f"begin{place}(.*?)end{place}", " ".join(found[language].values()), re.IGNORECASE)
            seen = of_c(between[1], language) if between else []
            missed = [word for word in given if not set(of_c(word, language)) <= set(seen)] if remain else []
            if not between or missed or seen and not remain:
                print(f"{language}, {place}: " + (f"not found: {missed}" if remain else f"not translated: {seen}"), file=sys.stderr)
                good = False
    return good


def check_examples(api):
    """Compares the translations of comments with the expected ones."""
    good, values = True, model.Model(api)
    for name, comment, wanted in EXAMPLES:
        owner, _, field = name.partition(".")
        struct = next(struct for struct in values.structs if struct.name == owner)
        value = copy.copy(next(value for value in struct.values if value.name == field))
        value.comment = comment
        for language, expected in wanted.items():
            created = LANGUAGES[language][1](values).of(value, struct).replace("\0", " ")
            if created != expected:
                print(f"{language}, {name}: {created}\n  expected: {expected}", file=sys.stderr)
                good = False
    return good


def check_defaults():
    good, numbers = True, {"CKPT_A": 1, "CKPT_B": 2}
    for name, initializer, right, wrong in DEFAULTS:
        for comment in right + wrong:
            field = {"name": name, "comment": comment, **({"default": initializer} if initializer else {})}
            problem = c_words.default_problem(field, numbers)
            if bool(problem) != (comment in wrong):
                print(f"{name} = {initializer}, {comment}: {problem or 'no problem found'}", file=sys.stderr)
                good = False
    fields = [("struct_size", "sizeof ( part )", ""), ("name", "NULL", "name"), ("count", "3", "parts"),
              ("most", "3", "parts; default 3")]
    fields = [dict(zip(("name", "default", "comment"), field)) for field in fields]
    found = list(unstated_defaults({"structs": [{"name": "part", "fields": fields}]}))
    return good and found == ["part.count does not state its default 3"]


def unstated_defaults(api):
    """Returns the fields with a default other than 0 and NULL that their comment does not document."""
    for struct in api["structs"]:
        for field in struct["fields"]:
            default = field.get("default", "0")
            if c_words.number_of(default, field["name"], {}) not in (0, '""', "{ 0 }") and not default.startswith("sizeof"):
                if not c_words.stated_defaults(" ".join(field["comment"].split())):
                    yield f"{struct['name']}.{field['name']} does not state its default {default}"


def check_languages():
    parts = [part[:-2] for part in sorted(os.listdir(os.path.join(INCLUDE, "ckpt"))) if part.endswith(".h")]
    others = {"api", "ckpt", "mpi", "s3", "torch"}
    api = read.Reader(INCLUDE, [part + ".h" for part in parts if part not in others]).read()
    s3 = read.Reader(INCLUDE, ["s3.h"]).read()
    problems = [problem for one in (api, s3) for problem in (*compare.rules(one), *unstated_defaults(one))]
    for language, files in documents(api):
        left = [(path, word) for path, text in files.items() for word in of_c(text, language)]
        problems += [f'{path}: documentation has a word of C: "{word}"' for path, word in left]
    for problem in problems:
        print(problem, file=sys.stderr)
    return not problems and all([check_search(api), check_examples(api)])


def main(arguments):
    good = all([check_traps(), check_defaults(), check_languages()])
    not_c = {os.path.join(INCLUDE, "ckpt", name) for name in ("api.h", "torch.h")}  # one is generated, one is C++
    headers = arguments or sorted(set(glob.glob(os.path.join(INCLUDE, "ckpt", "*.h"))) - not_c)
    if not headers:
        sys.exit("no headers in " + INCLUDE)
    for header in headers:
        for _, message in Header(header).check():
            print(message, file=sys.stderr)
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
