"""Reads the public C headers with libclang into one description: what api.json holds."""

import glob
import os
import re

from clang import cindex
from clang.cindex import CursorKind, TokenKind, TypeKind

CursorKinds = (CursorKind.FUNCTION_DECL, CursorKind.STRUCT_DECL, CursorKind.TYPEDEF_DECL, CursorKind.MACRO_DEFINITION)
LIMITS = {"INT32_MAX": 2**31 - 1, "INT32_MIN": -(2**31), "UINT32_MAX": 2**32 - 1,
          "INT64_MAX": 2**63 - 1, "INT64_MIN": -(2**63), "UINT64_MAX": 2**64 - 1}


class Problem(Exception):
    """A header says something that the description has no place for."""


def find_libclang():
    """python3-clang knows its own version's name only where it was not renamed."""
    if cindex.Config.library_file or cindex.Config.loaded:
        return
    found = sorted(glob.glob("/usr/lib/*/libclang-*.so.1") + glob.glob("/usr/lib/llvm-*/lib/libclang.so.1"))
    if found:
        cindex.Config.set_library_file(found[-1])


# ---- Comments ----


def text_of(comment):
    """The words of a comment: without its marks, its lines joined where a sentence goes on."""
    body = comment[2:-2] if comment.startswith("/*") else comment[2:]
    lines = [re.sub(r"^\s*\* ?|^\s+", "", line, count=1) if n else line for n, line in enumerate(body.strip("*").split("\n"))]
    return "\n".join(line.rstrip() for line in lines).strip()


class Comments:
    """The comments of one file by the lines on which they begin and end."""

    def __init__(self, unit, header):
        self.ending, self.starting, self.code_before = {}, {}, {}
        for token in unit.get_tokens(extent=whole(unit, header)):
            start, end = token.extent.start, token.extent.end
            if token.kind == TokenKind.COMMENT:
                self.ending[end.line] = (start.line, token.spelling, start.line in self.code_before)
                self.starting.setdefault(start.line, []).append((start.column, token.spelling))
            else:
                self.code_before.setdefault(end.line, start.column)

    def of(self, first_line, last_line, last_column):
        """Behind a declaration, or right above it with no code before it."""
        for column, spelling in self.starting.get(last_line, ()):
            if column >= last_column:
                return text_of(spelling)
        above = self.ending.get(first_line - 1)
        return text_of(above[1]) if above and not above[2] else ""


def whole(unit, header):
    file = unit.get_file(header)
    start = cindex.SourceLocation.from_offset(unit, file, 0)
    return cindex.SourceRange.from_locations(start, cindex.SourceLocation.from_offset(unit, file, os.path.getsize(header)))


# ---- Types ----


def declared(kind, name=""):
    """A declaration of name with this type, as C writes it and the headers have it: int32_t* name, char* const* names."""
    function = kind.get_pointee()
    if function.kind == TypeKind.FUNCTIONPROTO:
        arguments = ", ".join(declared(argument) for argument in function.argument_types()) or "void"
        return f"{declared(function.get_result())} (*{name})({arguments})"
    before, bracket, lengths = kind.spelling.replace(" *", "*").replace("*const", "* const").partition("[")
    return f"{before}{' ' if name else ''}{name}{bracket}{lengths}"


def type_of(kind):
    """The parts that generators ask for: the innermost type's name, how often it is pointed to, and its lengths as an array."""
    lengths = []
    while kind.kind == TypeKind.CONSTANTARRAY:
        lengths.append(kind.element_count)
        kind = kind.element_type
    entry = {"type": declared(kind)}
    if lengths:
        entry["array"] = lengths
    return entry


def parameters_of(cursor, names):
    out = []
    for parameter in cursor.get_children():
        if parameter.kind != CursorKind.PARM_DECL:
            continue
        if not parameter.spelling:
            raise Problem(f"{names}: a parameter has no name")
        out.append({"name": parameter.spelling, **type_of(parameter.type), "declaration": declared(parameter.type, parameter.spelling)})
    return out


def prototype_of(kind):
    """The function type behind a typedef of a function pointer, or None."""
    if kind.kind != TypeKind.POINTER:
        return None
    pointee = kind.get_pointee().get_canonical() if kind.get_pointee().kind != TypeKind.FUNCTIONPROTO else kind.get_pointee()
    return pointee if pointee.kind == TypeKind.FUNCTIONPROTO else None


# ---- Macros ----


def value_of(name, tokens, known):
    """The number or text of a constant from its tokens: sums, products, shifts, casts and other constants."""
    text = re.sub(r"\( u?int(32|64)_t \)", "", " ".join(tokens))
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]+\b", r"\1", text)
    try:
        return eval(text, {"__builtins__": {}, **LIMITS, **known})  # what is neither a literal nor known has no value
    except (SyntaxError, TypeError, NameError) as error:
        raise Problem(f"{name}: {text} has no value") from error


def initialisers(tokens):
    """The texts between the commas of { ... }."""
    items, depth = [[]], 0
    for token in tokens[1:-1]:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token, 0)
        if token == "," and depth == 0:
            items.append([])
        else:
            items[-1].append(token)
    return [" ".join(item) for item in items]


# ---- Headers ----


class Reader:
    def __init__(self, include, headers):
        find_libclang()
        self.include, self.headers = include, headers
        self.out = {"headers": [], "handles": [], "foreign": [], "types": [], "macros": [], "constants": [], "structs": [], "callbacks": [], "functions": []}
        self.values, self.defaults = {}, {}

    def read(self):
        text = "".join(f"#include <ckpt/{header}>\n" for header in self.headers)
        unit = cindex.Index.create().parse(
            "all.c", ["-std=c99", f"-I{self.include}"], unsaved_files=[("all.c", text)],
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        wrong = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
        if wrong:
            raise Problem("\n".join(wrong))
        by_file = {os.path.join(self.include, "ckpt", header): [] for header in self.headers}
        for cursor in unit.cursor.get_children():
            if cursor.kind in CursorKinds and cursor.location.file and cursor.location.file.name in by_file:
                by_file[cursor.location.file.name].append(cursor)
        for path, cursors in by_file.items():
            self.read_header(unit, path, sorted(cursors, key=lambda cursor: cursor.extent.start.offset))
        for struct in self.out["structs"]:
            self.set_defaults(struct)
        return self.out

    def read_header(self, unit, path, cursors):
        self.comments = Comments(unit, path)
        self.header = os.path.basename(path)
        first = self.comments.starting.get(1, [(1, "/* */")])[0][1]
        self.out["headers"].append({"name": self.header, "comment": text_of(first)})
        for cursor in cursors:
            if cursor.kind == CursorKind.MACRO_DEFINITION:
                self.read_macro(cursor)
            elif cursor.kind == CursorKind.FUNCTION_DECL:
                self.add("functions", cursor, result=declared(cursor.result_type), parameters=parameters_of(cursor, cursor.spelling))
            elif cursor.kind == CursorKind.STRUCT_DECL and cursor.is_definition():
                self.read_struct(cursor)
            elif cursor.kind == CursorKind.STRUCT_DECL and not cursor.spelling.startswith("ckpt_"):
                self.add("foreign", cursor)
            elif cursor.kind == CursorKind.TYPEDEF_DECL:
                self.read_typedef(cursor)

    def add(self, group, cursor, **values):
        start, end = cursor.extent.start, cursor.extent.end
        self.out[group].append({"name": cursor.spelling, "header": self.header, **values,
                                "comment": self.comments.of(start.line, end.line, end.column)})

    def read_macro(self, cursor):
        tokens = [token.spelling for token in cursor.get_tokens() if token.kind != TokenKind.COMMENT][1:]
        name = cursor.spelling
        if not tokens or name == "CKPT_API" or not name.startswith("CKPT_"):
            return
        if tokens[0] == "(" and cursor_has_arguments(cursor):
            self.add("macros", cursor, text=text_at(cursor))
            return
        if tokens[0] == "{":
            self.defaults[name] = initialisers(tokens)
            return
        self.values[name] = value_of(name, tokens, self.values)
        self.add("constants", cursor, value=self.values[name])

    def read_struct(self, cursor):
        fields = []
        for field in cursor.get_children():
            if field.kind != CursorKind.FIELD_DECL:
                continue
            if field.is_bitfield():
                raise Problem(f"{cursor.spelling}.{field.spelling} is a bit field")
            start, end = field.extent.start, field.extent.end
            fields.append({"name": field.spelling, **type_of(field.type), "declaration": declared(field.type, field.spelling),
                           "offset": cursor.type.get_offset(field.spelling) // 8, "size": field.type.get_size(),
                           "comment": self.comments.of(start.line, end.line, end.column)})
        self.add("structs", cursor, size=cursor.type.get_size(), fields=fields)

    def read_typedef(self, cursor):
        kind = cursor.underlying_typedef_type
        named = kind.get_canonical()
        if prototype_of(kind) is not None:
            self.add("callbacks", cursor, result=declared(prototype_of(kind).get_result()),
                     parameters=parameters_of(cursor, cursor.spelling))
        elif named.kind == TypeKind.RECORD:
            if not [field for field in named.get_fields()]:
                self.add("handles", cursor)
        else:
            self.add("types", cursor, type=declared(kind))

    def set_defaults(self, struct):
        macro = struct["name"].upper() + "_INIT"
        values = self.defaults.get(macro)
        if values is None:
            return  # only the library makes it, or it is frozen
        if len(values) != len(struct["fields"]):
            raise Problem(f"{macro} has {len(values)} values, the struct {len(struct['fields'])} fields")
        for field, value in zip(struct["fields"], values):
            field["default"] = value


def text_at(cursor):
    start, end = cursor.extent.start, cursor.extent.end
    with open(start.file.name, encoding="utf-8") as file:
        return re.sub(r"\s*\\\n\s*", " ", file.read().encode()[start.offset:end.offset].decode())


def cursor_has_arguments(cursor):
    """A macro with arguments: its name and the parenthesis touch."""
    tokens = list(cursor.get_tokens())
    return len(tokens) > 1 and tokens[1].spelling == "(" and tokens[0].extent.end.offset == tokens[1].extent.start.offset
