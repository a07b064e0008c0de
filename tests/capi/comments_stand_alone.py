"""Each struct, field, constant, callback and function of the public headers has a comment that stands alone.

Documentation in other languages is made from these comments, field by field, so those of structs, fields and constants say nothing of
defaults (the initialisers have them), use no words of C, and do not lean on their neighbours. A comment stands behind its field or
constant, on the same line, or right above it.

comments_stand_alone.py [HEADER...]: all of include/ckpt when none is named. 77: skipped, there is no libclang.
"""

import glob
import os
import re
import sys
import tempfile

try:
    from clang import cindex

    cindex.Index.create()
except Exception as error:  # the module, or the library behind it
    print("SKIP: no libclang for Python (python3-clang):", error)
    sys.exit(77)

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")
STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stand_in")
DEFAULT = re.compile(r"\b(by )?defaults?\b")
OF_C = re.compile(
    r"NULL|\bNUL\b|&|->|(?<![\w*/])\*[a-z]|\w\.h\b|\bCKPT_\w+_INIT\b|\bU?INT\d+_M(AX|IN)\b|\b(u?int\d+_t|size_t)\b"
    r"|\b(pointers?|structs?|unions?|enums?|macros?|typedefs?|sizeof|char|void|const|out-parameters?|out-pointers?)\b"
)
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
  int by_default; /* number of parts; default 3 */
  int the_defaults; /* number of parts, 1 (the default) or 2 */
  const char* null; /* name of a part; NULL: none */
  int* star; /* *star is a number of parts */
  int* address; /* where &address is */
  int member; /* the same as options->member */
  int type; /* at most INT64_MAX parts */
  char text[8]; /* a char array with a name */
  int pointed; /* a pointer to a part */
  int of; /* of the parts */
  int same; /* the same of the parts */
  int above; /* number of parts, as above */
  int word; /* parts */
  int told; /* number of parts, told by the caller */
} ckpt_bare;
#define CKPT_BARE 1

/* far away, with an empty line between */

#define CKPT_FAR 2
#define CKPT_INITIAL 3 /* what CKPT_GOOD_INIT says */
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
  ckpt_bare.by_default ckpt_bare.the_defaults ckpt_bare.null ckpt_bare.star ckpt_bare.address ckpt_bare.member ckpt_bare.type
  ckpt_bare.text ckpt_bare.pointed ckpt_bare.of ckpt_bare.same ckpt_bare.above ckpt_bare.word line:39 CKPT_BARE CKPT_FAR CKPT_INITIAL
  ckpt_bare_fn ckpt_bare_call ckpt_leaning_call ckpt_null_release line:53 line:55"""


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
        code = [token.extent for token in tokens if token.kind != cindex.TokenKind.COMMENT]
        self.code_lines = {line for extent in code for line in range(extent.start.line, extent.end.line + 1)}
        self.found = []

    def wrong(self, name, line, what):
        self.found.append((name, "%s:%d: %s %s" % (os.path.relpath(self.path), line, name, what)))

    def behind(self, end):
        """The comment that begins on the line where a declaration ends, behind it."""
        after = [c for c in self.comments if c.extent.start.line == end.line and c.extent.start.offset >= end.offset]
        return after[0] if after else None

    def above(self, line):
        """The comment that ends right above a line, on lines of its own."""
        for comment in self.comments:
            lines = range(comment.extent.start.line, comment.extent.end.line + 1)
            if lines[-1] == line - 1 and not self.code_lines.intersection(lines):
                return comment
        return None

    def text_above(self, name, cursor):
        """The text of the comment above, or None, which is wrong."""
        comment = self.above(cursor.extent.start.line)
        if comment is None:
            self.wrong(name, cursor.extent.start.line, "has no comment right above")
        return comment and plain(comment)

    def text_of_value(self, name, cursor):
        """The text of the comment behind or above a field or constant, or None, which is wrong."""
        line = cursor.extent.start.line
        behind, above = self.behind(cursor.extent.end), self.above(line)
        if behind is None and above is None:
            return self.wrong(name, line, "has no comment behind it or right above")
        if behind is None:
            return plain(above)
        if behind.extent.end.line != behind.extent.start.line:
            return self.wrong(name, line, "has a comment behind it of several lines: put it above")
        if above is not None and cursor.kind == cindex.CursorKind.FIELD_DECL:
            return self.wrong(name, line, "has two comments")
        return plain(behind)

    def check_words(self, name, cursor, text):
        for rule, what in ((DEFAULT, "names a default"), (OF_C, "uses a word of C"), (LEANS, "leans on its neighbours")):
            hit = text and rule.search(text)
            if hit:
                self.wrong(name, cursor.extent.start.line, '%s: "%s"' % (what, hit.group(0)))
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
    """A comment's text in one line."""
    return re.sub(r"\s*\n\s*\*?\s*", " ", comment.spelling[2:-2]).strip()


def is_constant(cursor):
    """CKPT_NAME value: no function, no guard, no initialiser."""
    tokens = [token.spelling for token in cursor.get_tokens()]
    name = cursor.spelling
    return name.startswith("CKPT_") and name not in ("CKPT_API", "CKPT_S3_API", "CKPT_MPI_API") and not name.endswith("_INIT") and len(tokens) > 1


def of_struct(cursor):
    """typedef struct name {...} name: the struct is checked. A handle, of which only the name is known, is checked itself."""
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


def main(arguments):
    good = check_traps()
    not_c = {os.path.join(INCLUDE, "ckpt", name) for name in ("api.h", "torch.h")}  # one is made, one is C++
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
