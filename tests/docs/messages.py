"""Checks the form of every error message: object or argument first, then the expectation, then the value that was found.

    python3 tests/docs/messages.py [--list]

Collects the messages of the core, the C API, the command, the plug-ins, the headers and the packages from their sources. Each run-time value counts as `<>`.
--list prints them.

Also checks that docs/reference/errors.md has a row and an entry for each status of base.h.
"""
import re
import sys

from prose_lint import ROOT, project_files

CALLS = re.compile(
    r"\b(?:fail|require|Error|RankError|refused?|CkptError|CkptException|runtime_error|ValueError|TypeError|RuntimeError|KeyError|"
    r"IllegalArgumentException|IllegalStateException|NullPointerException|IndexOutOfBoundsException|UnsupportedOperationException|"
    r"ArgumentException|ArgumentOutOfRangeException|InvalidOperationException|NotSupportedException|ObjectDisposedException)\(")
STRING = re.compile(r'(?<![A-Za-z0-9_])[fF]?"((?:[^"\\]|\\.)*)"')

RULES = [  # pattern, rule
    (r"\b(?:is|are|was|were) (?:no|none|nothing)\b", "write 'is not a ...' or 'expected a ...'"),
    (r"\bpass(?:es|ed)?\b(?! to\b)", "write 'exceeds' or 'overflows'"),
    (r"\b(?:says?|said|knows?|forgets?|forgot|remembers?|lies|lied|tells?|told)\b", "software reports, stores and detects"),
    (r"\b(?:beside|anew|whose|texts|for ever|goes on|out of step)\b", "use the term of the style guide"),
    (r"^(?:it|there|this|that|what|who|must|please|error|sorry)\b", "begin with the argument or object"),
    (r"^(?:invalid|bad|wrong|illegal)\b(?! JSON)", "name the argument, the expectation and the value"),
    (r"; (?:one of|only|at least|at most|-?\d+ \.\.|<> \.\.)(?: |$)", "write '; expected ...'"),
    (r"; an? (?!.*\b(?:is|are|has|needs|takes|cannot|can|does|would|was|will|ends|runs)\b)", "write '; expected ...'"),
    (r"[.!]$", "no full stop at the end"),
    (r"  ", "one space between words"),
]


def argument_text(source, start):
    """The text between the parenthesis that ends at start and its partner."""
    depth, at, quote = 1, start, ""
    while at < len(source) and depth:
        char = source[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "\"" or (char == "'" and source[at - 1:at] != "" and not source[at - 1].isalnum()):
            quote = char
        elif char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
        at += 1
    return source[start:at - 1]


def message_of(arguments):
    """The literals of a call joined, with <> for each value between them; None without a literal that has a space."""
    pieces, end = [], None
    for found in STRING.finditer(arguments):
        between = arguments[end if end is not None else 0:found.start()]
        if end is None:
            value = re.search(r"\b(?:Status::\w+|CKPT_E_\w+|status|\w*status_of\w*\([^)]*\)|\w+\.status\(\)),(.*)", between, re.S)
            value = value.group(1) if value else ""
        else:
            value = between
        if re.search(r"[\w)]", value.strip(" ,+\n&")):
            pieces.append("<>")
        pieces.append(re.sub(r"\{[^{}]*\}", "<>", found.group(1)) if found.group(0)[0] in "fF" else found.group(1))
        end = found.end()
    if end is not None and re.search(r"[\w)]", arguments[end:].strip(" ,+\n&")):
        pieces.append("<>")
    text = "".join(pieces).replace('\\"', '"')
    return text if re.search(r"[a-z] ", text) else None


def messages():
    for name in project_files(["cpp", "capi", "cli", "plugins", "include", "bindings"]):
        if not name.endswith((".cpp", ".h", ".hpp", ".py", ".java", ".cs")) or re.search(r"/(?:tests?|generated|conformance)/", name):
            continue
        source = (ROOT / name).read_text(encoding="utf-8")
        for found in CALLS.finditer(source):
            text = message_of(argument_text(source, found.end()))
            if text:
                yield name, source.count("\n", 0, found.start()) + 1, text


def missing_in_manual(header, page):
    """Returns what the page lacks: the row with the number of each status, and its entry with occurrence and action."""
    entries = {entry.split("\n", 1)[0]: entry for entry in page.split("\n### ")[1:]}
    statuses = re.findall(r"^#define CKPT_E_(\w+) \((-\d+)\)", header, re.M)
    missing = [] if len(statuses) > 20 else ["base.h: found too few statuses"]
    for name, number in statuses:
        if f"| [`{name}`](#{name.lower()}) | {number} |" not in page:
            missing.append(f"errors.md has no row for {name}, {number}")
        missing += [f"errors.md: the entry of {name} lacks '{part}'" for part in ("**Occurs**", "**Action:**")
                    if part not in entries.get(name, "")]
    return missing


def main():
    manual = missing_in_manual((ROOT / "include/ckpt/base.h").read_text(encoding="utf-8"),
                               (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8"))
    if manual:
        sys.exit("\n".join(manual))
    collected = list(messages())
    if "--list" in sys.argv:
        print("\n".join(f"{name}:{line}: {text}" for name, line, text in collected))
    wrong = [f"{name}:{line}: {text}\n    {rule}" for name, line, text in collected for pattern, rule in RULES if re.search(pattern, text, re.I)]
    print(f"{len(collected)} messages")
    if len(collected) < 400:
        sys.exit("found too few messages: the patterns no longer fit the sources")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
