"""Reads the public C headers with libclang into one description, the contents of api.json."""

import glob
import os
import re

from clang import cindex
from clang.cindex import CursorKind, TokenKind, TypeKind

from c_words import LIMITS


class Problem(Exception):
    """A declaration in a header that the description does not support."""


def find_libclang():
    """Sets the path of libclang, because python3-clang searches only for one file name, with its version."""
    found = sorted(glob.glob("/usr/lib/*/libclang-*.so.1") + glob.glob("/usr/lib/llvm-*/lib/libclang.so.1"))
    if found and not cindex.Config.library_file and not cindex.Config.loaded:
        cindex.Config.set_library_file(found[-1])


# ---- Comments ----


def text_of(comment):
    """Returns the text of a comment without its marks."""
    body = comment[2:-2] if comment.startswith("/*") else comment[2:]
    lines = [re.sub(r"^\s*\* ?|^\s+", "", line, count=1) if n else line for n, line in enumerate(body.strip("*").split("\n"))]
    return "\n".join(line.rstrip() for line in lines).strip()


class Comments:
    """The comments of one file by the lines on which they begin and end."""

    def __init__(self, unit, header):
        self.ending, self.starting, lines_with_code = {}, {}, set()
        file = unit.get_file(header)
        ends = [cindex.SourceLocation.from_offset(unit, file, offset) for offset in (0, os.path.getsize(header))]
        for token in unit.get_tokens(extent=cindex.SourceRange.from_locations(*ends)):
            start, end = token.extent.start, token.extent.end
            if token.kind != TokenKind.COMMENT:
                lines_with_code.add(end.line)
                continue
            self.starting.setdefault(start.line, []).append((start.column, text_of(token.spelling)))
            if start.line not in lines_with_code:
                self.ending[end.line] = text_of(token.spelling)

    def of(self, extent):
        """Returns the comment after a declaration on its line, or right above it with no code before it."""
        behind = [text for column, text in self.starting.get(extent.end.line, ()) if column >= extent.end.column]
        return behind[0] if behind else self.ending.get(extent.start.line - 1, "")


# ---- Types and constants ----


def declared(kind, name=""):
    """Returns a declaration of name with this type, in the style of the headers: int32_t* name, char* const* names."""
    function = kind.get_pointee()
    if function.kind == TypeKind.FUNCTIONPROTO:
        arguments = ", ".join(declared(argument) for argument in function.argument_types()) or "void"
        return f"{declared(function.get_result())} (*{name})({arguments})"
    before, bracket, lengths = kind.spelling.replace(" *", "*").replace("*const", "* const").partition("[")
    return f"{before}{' ' if name else ''}{name}{bracket}{lengths}"


def named(cursor):
    """Returns a field or a parameter: its name, the type of one element, and its lengths as an array."""
    kind, lengths = cursor.type, []
    while kind.kind == TypeKind.CONSTANTARRAY:
        lengths.append(kind.element_count)
        kind = kind.element_type
    array = {"array": lengths} if lengths else {}
    return {"name": cursor.spelling, "type": declared(kind), **array, "declaration": declared(cursor.type, cursor.spelling)}


def parameters_of(cursor):
    parameters = [named(child) for child in cursor.get_children() if child.kind == CursorKind.PARM_DECL]
    if not all(parameter["name"] for parameter in parameters):
        raise Problem(f"{cursor.spelling}: a parameter has no name")
    return parameters


def value_of(name, tokens, known):
    """Returns the number or string of a constant from its tokens: sums, products, shifts, casts and other constants."""
    text = re.sub(r"\( u?int(32|64)_t \)", "", " ".join(tokens))
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]+\b", r"\1", text)
    try:
        return eval(text, {"__builtins__": {}, **LIMITS, **known})  # unknown names are errors
    except (SyntaxError, TypeError, NameError) as error:
        raise Problem(f"{name}: {text} has no value") from error


def initializers(tokens):
    """Returns the elements between the commas of { ... }."""
    items, depth = [[]], 0
    for token in tokens[1:-1]:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token, 0)
        if token == "," and depth == 0:
            items.append([])
        else:
            items[-1].append(token)
    return [" ".join(item) for item in items]


def text_at(cursor):
    start, end = cursor.extent.start, cursor.extent.end
    with open(start.file.name, "rb") as file:
        return re.sub(r"\s*\\\n\s*", " ", file.read()[start.offset:end.offset].decode())


class Reader:
    def __init__(self, include, headers):
        find_libclang()
        self.include, self.headers = include, headers
        groups = ("headers", "handles", "foreign", "types", "macros", "constants", "structs", "callbacks", "functions")
        self.out = {group: [] for group in groups}
        self.values, self.defaults = {}, {}
        self.readers = {CursorKind.FUNCTION_DECL: self.read_function, CursorKind.STRUCT_DECL: self.read_struct,
                        CursorKind.TYPEDEF_DECL: self.read_typedef, CursorKind.MACRO_DEFINITION: self.read_macro}

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
            if cursor.kind in self.readers and cursor.location.file and cursor.location.file.name in by_file:
                by_file[cursor.location.file.name].append(cursor)
        for path, cursors in by_file.items():
            self.comments, self.header = Comments(unit, path), os.path.basename(path)
            self.out["headers"].append({"name": self.header, "comment": self.comments.starting.get(1, [(1, "")])[0][1]})
            for cursor in sorted(cursors, key=lambda cursor: cursor.extent.start.offset):
                self.readers[cursor.kind](cursor)
        for struct in self.out["structs"]:
            self.set_defaults(struct)
        return self.out

    def add(self, group, cursor, **values):
        comment = self.comments.of(cursor.extent)
        self.out[group].append({"name": cursor.spelling, "header": self.header, **values, "comment": comment})

    def read_macro(self, cursor):
        tokens = [token.spelling for token in cursor.get_tokens() if token.kind != TokenKind.COMMENT][1:]
        name = cursor.spelling
        if not tokens or name.endswith("_API") or not name.startswith("CKPT_"):
            return
        if text_at(cursor).startswith(name + "("):
            self.add("macros", cursor, text=text_at(cursor))
        elif tokens[0] == "{":
            self.defaults[name] = initializers(tokens)
        else:
            self.values[name] = value_of(name, tokens, self.values)
            self.add("constants", cursor, value=self.values[name])

    def read_function(self, cursor):
        self.add("functions", cursor, result=declared(cursor.result_type), parameters=parameters_of(cursor))

    def read_struct(self, cursor):
        if not cursor.is_definition():
            if not cursor.spelling.startswith("ckpt_"):
                self.add("foreign", cursor)
            return
        fields = []
        for field in cursor.type.get_fields():
            if field.is_bitfield():
                raise Problem(f"{cursor.spelling}.{field.spelling} is a bit field")
            fields.append({**named(field), "offset": field.get_field_offsetof() // 8, "size": field.type.get_size(),
                           "comment": self.comments.of(field.extent)})
        self.add("structs", cursor, size=cursor.type.get_size(), fields=fields)

    def read_typedef(self, cursor):
        kind = cursor.underlying_typedef_type
        function, named = kind.get_pointee(), kind.get_canonical()
        if function.kind == TypeKind.FUNCTIONPROTO:
            self.add("callbacks", cursor, result=declared(function.get_result()), parameters=parameters_of(cursor))
        elif named.kind != TypeKind.RECORD:
            self.add("types", cursor, type=declared(kind))
        elif not list(named.get_fields()):
            self.add("handles", cursor)

    def set_defaults(self, struct):
        """Sets the default values. A struct without them is created only by the library, or frozen."""
        macro = struct["name"].upper() + "_INIT"
        values = self.defaults.get(macro, [])
        if values and len(values) != len(struct["fields"]):
            raise Problem(f"{macro} has {len(values)} values, the struct {len(struct['fields'])} fields")
        for field, value in zip(struct["fields"], values):
            field["default"] = value
