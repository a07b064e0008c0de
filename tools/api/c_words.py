"""C terms in the headers' comments: default values, which are compared with the initializers, and terms that other languages do not
have (NULL, pointer, struct, ...), which are translated."""

import re

LIMITS = {"INT32_MAX": 2**31 - 1, "INT32_MIN": -(2**31), "UINT32_MAX": 2**32 - 1,
          "INT64_MAX": 2**63 - 1, "INT64_MIN": -(2**63), "UINT64_MAX": 2**64 - 1}
MEMBER = "\1"  # replaces -> until names are translated

# ---- Default values: "; default 3", "; default 30 s", "(default CKPT_VERIFY_FULL)", "0 (the default): ..." ----

SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
VALUE = rf'(?:NULL|"[^"]*"|[A-Z][A-Z0-9_]+(?: \| [A-Z][A-Z0-9_]+)*|{NUMBER}(?: (?:{"|".join([*SIZES, *TIMES])})\b)?)(?![\w*])'
CLAUSE = re.compile(rf"[;,.] [Dd]efault:? ({VALUE})(?=[;,.:]|$)| \(default:? ({VALUE})\)")
MARKED = re.compile(rf"(?<![\w.])({VALUE}) \((?:the )?default\)")
UNCLEAR = re.compile(r'[;,.] [Dd]efaults?\b|\bby default\b|\bdefaults to\b|\bdefault(?: is\b|[):,;.]|$| [-\d"A-Z])')


def without_defaults(comment):
    return MARKED.sub(r"\1", CLAUSE.sub("", comment))


def stated_defaults(comment):
    return [found[1] or found[2] for found in CLAUSE.finditer(comment)] + [found[1] for found in MARKED.finditer(comment)]


def number_of(text, field, numbers):
    """Returns the number of a value in an initializer or comment, or its text; None if the unit does not match the field's name."""
    text = re.sub(r"^U?INT64_C \( (.*) \)$", r"\1", text).replace("- ", "-")
    if text == "NULL":
        return 0
    if "|" in text:
        return sum(numbers.get(name, 0) for name in text.split(" | "))
    number, _, unit = text.partition(" ")
    if text in numbers or not re.fullmatch(NUMBER, number):
        return numbers.get(text, text)
    if unit in SIZES:
        return float(number) * SIZES[unit] if "bytes" in field else None
    if unit in TIMES:
        nanoseconds = float(number) * TIMES[unit]
        return nanoseconds if field.endswith("_ns") else nanoseconds / 10**9 if field.endswith("_seconds") else None
    return float(number)


def default_problem(field, numbers):
    """Returns the error of the default values in a field's comment, if any: not the initializer's, or not comparable."""
    comment, name = " ".join(field["comment"].split()), field["name"]
    numbers = {**LIMITS, **numbers}
    for stated in stated_defaults(comment):
        if "default" not in field:
            return f"states the default {stated}, but the field has no initializer"
        if number_of(stated, name, numbers) != number_of(field["default"], name, numbers):
            return f"states the default {stated}; the initializer has {field['default']}"
    unclear = UNCLEAR.search(without_defaults(comment))
    return f'contains "{unclear[0]}"; expected "; default VALUE" or "VALUE (the default)"' if unclear else None


# ---- Words ----


def replaced(word, found):
    """Returns word with the article, plural and capital of the match."""
    groups = found.groupdict()
    word += groups.get("plural") or ""
    article = groups.get("article")
    if article:
        return article[0] + ("n " if word[0] in "aeiou" else " ") + word
    return word.capitalize() if found[0][0].isupper() and found[0][1:].islower() else word


def limit(text, power):
    """Returns INT64_MAX as 2^63 - 1."""
    value = LIMITS[text]
    bits = (value + (value > 0)) if value > 0 else -value
    return ("-" if value < 0 else "") + power.format(bits.bit_length() - 1) + (" - 1" if value > 0 else "")


def integer(found):
    return replaced(("unsigned " if found["unsigned"] else "") + f"{found['bits']}-bit integer", found)


ARTICLE = r"\b(?:(?P<article>[Aa])n? )?"
NOUNS = {"pointer": "reference", "typedef": "type", "macro": "constant", "enum": "enumeration", "out-parameter": "result",
         "out-pointer": "result"}
PATTERNS = [
    (r",? ?\bNUL-terminated\b(?= |[;,.]|$)", lambda words, found: ""),
    (rf"{ARTICLE}NUL(?P<plural>s?)\b", lambda words, found: replaced("zero byte", found)),
    (r"(?<!\w)\*(\w+)\*(?!\w)|(?<![\w&])&(?=[A-Za-z_])|(?<![\w*/)])\*(?=[a-z])", lambda words, found: found[1] or ""),
    (r"\b(\w+)->(?=[a-z])", lambda words, found: found[1] + MEMBER),
    (r"\bsizeof ?\(?\*?(\w+)\)?", lambda words, found: "the size of " + found[1]),
    (rf"{ARTICLE}(?:const )?char(?: ?\*| array)(?P<plural>s?)(?!\w)", lambda words, found: replaced("string", found)),
    (rf"{ARTICLE}(?:const )?void ?\*", lambda words, found: replaced("reference", found)),
    (rf"{ARTICLE}(?P<unsigned>u?)int(?P<bits>8|16|32|64)_t\b", lambda words, found: integer(found)),
    (rf"{ARTICLE}size_t\b", lambda words, found: replaced("size", found)),
    (rf"\b(?:{'|'.join(LIMITS)})\b", lambda words, found: limit(found[0], words.power)),
    (r"\bCKPT_(\w+)_INIT\b", lambda words, found: "a new ckpt_" + found[1].lower()),
    (rf"{ARTICLE}function pointer(?P<plural>s?)\b", lambda words, found: replaced("function", found)),
    (rf"{ARTICLE}[Ss]truct(?P<plural>s?)\b", lambda words, found: replaced(words.struct, found)),
    (rf"{ARTICLE}(?P<noun>(?i:{'|'.join(NOUNS)}))(?P<plural>s?)\b",
     lambda words, found: replaced(NOUNS[found["noun"].lower()], found)),
    (r" ?\((?:see )?(?:ckpt/)?\w+\.h\)", lambda words, found: ""),
    (r"\bat the top of (\w+)\.h\b", lambda words, found: "in the documentation of " + found[1]),
    (r"\b(?:ckpt/)?(\w+)\.h\b", lambda words, found: "the documentation of " + found[1]),
]
PATTERNS = [(re.compile(pattern), put) for pattern, put in PATTERNS]
NULL = re.compile(r"(^|\. )?\bNULL\b( or empty)?")


def translated(text, words, null):
    """Translates the words of a comment, not its names. null: the word for NULL."""
    empty = "" if null == "empty" else " or empty"  # "empty or empty"

    def put_null(found):
        word = null.capitalize() if found[1] is not None and null in ("empty", "none", "null") else null
        return (found[1] or "") + word + (empty if found[2] else "")

    text = NULL.sub(put_null, text)
    for pattern, put in PATTERNS:
        text = pattern.sub(lambda found, put=put: put(words, found), text)
    return text.strip()
