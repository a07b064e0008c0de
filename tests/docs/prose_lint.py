"""Finds phrases that the style guide replaces, in documents, comments, messages and help, and long sentences in documents.

    python3 tests/docs/prose_lint.py [--count] [PATH...]

Reads the files that git tracks (below PATH, if given) and prints `file:line: [pattern] text -> suggestion`. Exits with 1 if it finds any.
--count prints the number of findings of each pattern instead. Reads comments and string literals of sources, and documents without their
code. Generated files follow from others and are left out. prose_allow.txt lists the exceptions, with a reason each.
"""
import fnmatch
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOW = ROOT / "tests/docs/prose_allow.txt"

# A sentence starts at the beginning of a paragraph or comment, or after the end of another one.
START = r"(?:^|(?<=[.!?:;] )|(?<=[.!?:;]  ))"

# name, pattern, suggestion. All but "what" ignore case.
PATTERNS = [
    ("what", START + r"What(?:ever)?\b(?![^.;]*\?)", "name the thing"),
    ("who", START + r"(?:Who|Whoever|Whose)\b(?![^.;]*\?)", "name the caller, process, rank"),
    ("of", START + r"Of (?!course)[a-z]", "name the thing first"),
    ("whose", r"\bwhose\b", "with; split the sentence"),
    ("says", r"\b(?:says?|said|saying)\b", "specifies, reports, documents"),
    ("own", r"\bof (?:one's|its|their|your|his|our|my) own\b", "custom, user-defined, separate"),
    ("beside", r"\bbesides?\b", "next to, alongside, compared with"),
    ("texts", r"\btexts\b", "strings"),
    ("goes on", r"\b(?:go|goes|going|gone|went) on\b", "continues, resumes"),
    ("is no", r"(?<!\bthere )\b(?:is|are|was|were|be|being) no (?!longer\b|more\b|less\b|later\b|way\b|one\b)\w", "is not a; expected a"),
    ("for ever", r"\bfor ever\b", "permanently, forever, indefinitely"),
    ("anew", r"\banew\b", "again"),
    ("in place of", r"\bin (?:the |its |their )?place of\b", "instead of"),
    ("person", r"\b(?:nobody|somebody|everybody|whoever|someone|anybody)\b", "caller, thread, process, rank, reader"),
    ("so many", r"\b(?:no more than )?so (?:many|much)\b", "at most N"),
    ("first use", r"\bwith (?:its|their|the) first (?:use|call)\b", "until the first use; at the first use"),
    ("lies", r"\b(?:lies|lied|liar|lying)\b", "returns invalid data, violates its contract"),
    ("tells", r"\b(?:tells?|told|untold)\b", "reports, notifies"),
    ("forgets", r"\b(?:forgets?|forgot|forgotten|remembers?|remembered)\b", "stores, discards"),
    ("is there", r"\b(?:is|are|was|were) (?:not |still |already )?there\b(?=\s*(?:[.,;:)]|$|and|or|when|if|before|after|again))", "exists, is missing"),
    ("metaphor", r"\b(?:in vain|patience|seal(?:s|ed)?|out of step|bad as|meets? nobody|heirs?)\b", "the standard term"),
    ("exceeds", r"\bpass(?:es|ed)? (?:the |its |a |this |that )(?:limit|budget|end|deadline|quota)\b", "exceeds"),
    ("behind", r"\bbehind\b", "after (in time)"),
]
LONG = "long"  # the name of a finding: a sentence of a document, outside tables, with more words than this
MOST_WORDS = 25
COMPILED = [(name, re.compile(pattern, 0 if name in ("what", "who", "of") else re.IGNORECASE), hint) for name, pattern, hint in PATTERNS]

C_LIKE = {".h", ".hpp", ".c", ".cpp", ".cc", ".java", ".cs", ".i", ".js", ".inc", ".in", ".css"}
HASHED = {".cmake", ".sh", ".yml", ".yaml", ".awk", ".toml", ".tcl"}
SKIPPED = ("*/generated/*", "capi/*.json", "LICENSE", "*.svg", "*/api.json", "tests/docs/prose_*", "*.pt", "*.bin")

C_TOKEN = re.compile(r'//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|R"(?P<d>[^(]*)\((?P<raw>.*?)\)(?P=d)"|"(?P<string>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\'', re.S)


def c_pieces(source):
    """(line, text, kind) of comments and string literals; neighbouring line comments and literals are one text."""
    last = None
    for found in C_TOKEN.finditer(source):
        kind = found.lastgroup if found.lastgroup != "d" else "raw"
        if kind is None:
            continue
        line = source.count("\n", 0, found.start()) + 1
        text = found.group(kind)
        if kind == "line":
            text = text.lstrip("/!< ")
        if kind == "block":
            text = re.sub(r"\n\s*\*? ?", "\n", text.lstrip("*! \n"))
        group = "line" if kind == "line" else "string" if kind == "string" else kind
        if last and group in ("line", "string") and last[2] == group and not source[last[3]:found.start()].strip():
            last = (last[0], last[1] + ("\n" if group == "line" else ""), group, found.end(), last[4] + [(line, text)])
        else:
            if last:
                yield last[4], last[2]
            last = (line, text, group, found.end(), [(line, text)])
    if last:
        yield last[4], last[2]


def python_pieces(source):
    group, last_row = [], -2
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                if token.start[0] != last_row + 1 and group:
                    yield group, "line"
                    group = []
                group.append((token.start[0], token.string.lstrip("#! ")))
                last_row = token.start[0]
            elif token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
                body = re.sub(r'^[a-zA-Z]*("""|\'\'\'|"|\')', "", token.string)
                yield [(token.start[0] + n, part.strip().strip("\"'")) for n, part in enumerate(body.split("\n"))], "string"
    except (tokenize.TokenError, IndentationError):
        pass
    if group:
        yield group, "line"


def hashed_pieces(source):
    group, last_row = [], -2
    for row, line in enumerate(source.split("\n"), 1):
        found = re.match(r"\s*#+!?\s?(.*)", line) or re.search(r"\s#\s(.*)", line)
        if found:
            if row != last_row + 1 and group:
                yield group, "line"
                group = []
            group.append((row, found.group(1)))
            last_row = row
        for text in re.findall(r'"([^"$]* [^"]*)"', line):
            yield [(row, text)], "string"
    if group:
        yield group, "line"


def document_pieces(source):
    fenced, group = False, []
    for row, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            line = ""
        if fenced:
            continue
        text = re.sub(r"`[^`]*`", "`code`", line)
        text = re.sub(r"\]\([^)]*\)", "]", text)
        text = re.sub(r"^\s*(?:[-*+]|\d+\.|#+|>|\|)\s+", "", text)
        if text.strip() in ("", "|") or re.match(r"\s*(?:[-*+]|\d+\.|#+|\|)\s", line):
            if group:
                yield group, "document"
            group = []
        for cell in text.split(" | ") if line.lstrip().startswith("|") else [text]:
            if line.lstrip().startswith("|"):
                yield [(row, cell.strip(" |"))], "cell"
            elif cell.strip():
                group.append((row, cell.strip()))
    if group:
        yield group, "document"


def pieces(path, source):
    if path.suffix == ".md":
        return document_pieces(source)
    if path.suffix == ".py":
        return python_pieces(source)
    if path.suffix in C_LIKE:
        return c_pieces(source)
    if path.suffix in HASHED or path.name == "CMakeLists.txt" or source.startswith("#!") or (path.suffix == ".txt" and "scenarios" in path.parts):
        return hashed_pieces(source)
    return document_pieces(source) if path.suffix == ".html" else []


def long_sentences(text):
    """(position, number of words) of each long sentence. A piece of code counts as one word; a bold heading is a separate sentence."""
    at = 0
    for sentence in re.split(r"(?<=[.!?:;])(?:\*\*)?\s", text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > MOST_WORDS:
            yield text.index(sentence, at), len(words)
        at += len(sentence)


def row_at(starts, position):
    return max((row for at, row in starts if at <= position), default=starts[0][1])


def findings(path, source):
    for parts, kind in pieces(path, source):
        text, starts = "", []
        for row, part in parts:
            if text and kind != "string":
                text += " "
            starts.append((len(text), row))
            text += part.strip() if kind != "string" else part
        if kind == "string" and " " not in text.strip():
            continue
        for name, pattern, hint in COMPILED:
            for found in pattern.finditer(text):
                yield row_at(starts, found.start()), name, text[max(0, found.start() - 30):found.end() + 40], hint
        if kind == "document":
            for at, words in long_sentences(text):
                yield row_at(starts, at), LONG, text[at:at + 70], f"{words} words; at most {MOST_WORDS}"


def project_files(paths=()):
    """Names below the root: those that git tracks, or all but build products where there is no repository."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", *paths], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if listed.returncode == 0:
        return [name for name in listed.stdout.decode().split("\0") if name]
    names = (file.relative_to(ROOT).as_posix() for file in ROOT.rglob("*") if file.is_file())
    return sorted(name for name in names if not re.search(r"(?:^|/)(?:build|__pycache__|bin|obj)/", name)
                  and (not paths or any(name == path or name.startswith(path.rstrip("/") + "/") for path in paths)))


def allowed():
    for line in ALLOW.read_text().splitlines() if ALLOW.exists() else []:
        if line and not line.startswith("#"):
            glob, name, phrase, reason = (each.strip() for each in line.split("|"))
            assert reason, line
            yield glob, name, phrase


def main(arguments):
    count = "--count" in arguments
    paths = [each for each in arguments if not each.startswith("--")]
    exceptions, totals = list(allowed()), {name: 0 for name in [name for name, _, _ in PATTERNS] + [LONG]}
    for name in project_files(paths):
        path = ROOT / name
        if any(fnmatch.fnmatch(name, glob) for glob in SKIPPED) or not path.is_file():
            continue
        try:
            source = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for row, pattern, text, hint in findings(path, source):
            if any(fnmatch.fnmatch(name, glob) and of in ("*", pattern) and phrase in text for glob, of, phrase in exceptions):
                continue
            totals[pattern] += 1
            if not count:
                print(f"{name}:{row}: [{pattern}] ...{text}... -> {hint}")
    if count:
        for name, number in sorted(totals.items(), key=lambda item: -item[1]):
            print(f"{number:6} {name}")
        print(f"{sum(totals.values()):6} in all")
    return 1 if any(totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
