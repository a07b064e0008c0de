# Turns the plain comments of a header into comments of doxygen: awk -f docs/doxygen.awk HEADER (Doxyfile, FILTER_PATTERNS).
#
# - A comment that begins a line documents the declaration below it; a comment after code documents that code. /* ---- Title ---- */ is
#   left as it is.
# - The first comment of a header documents its part. All declarations of the header, .h or .hpp, are in the group of that part.
# - Indented lines of a comment, and lines in columns, become verbatim text. In other lines, characters that doxygen interprets are escaped.
# - The lines of a macro are joined.

function escaped(text) {
  gsub(/[\\@#%<>&]/, "\\\\&", text)
  gsub(/ \.\. /, " ..\\&nbsp;", text) # a full stop and a blank would end the brief description
  sub(/^ ?\.\. /, "\\\\..\\&nbsp;", text) # a full stop that begins a line would end a list
  return text
}
# Returns a line of a comment, with the commands that begin and end verbatim text.
function text_line(text, mark) {
  plain = text
  sub(/^ ?/, "", plain)
  columns = plain ~ /^  +[^ ]/ || plain ~ /[^ .]  +[^ ]/ || (verbatim && plain !~ /^[ ]*$/)
  if (columns && !verbatim) opening = mark "\\verbatim\n"; else opening = ""
  if (!columns && verbatim) opening = mark "\\endverbatim\n"
  verbatim = columns
  return opening mark (columns ? plain : escaped(plain))
}
function end_text(mark) {
  if (!verbatim) return ""
  verbatim = 0
  return "\n" mark "\\endverbatim"
}

FNR == 1 {
  part = FILENAME
  sub(/.*\//, "", part)
  is_cpp = part ~ /\.hpp$/
  sub(/\..*/, "", part)
  in_comment = verbatim = described = 0
}

# ---- Following lines of a comment ----
in_comment {
  text = $0
  last = sub(/ ?\*\/.*/, "", text)
  if (!aside) sub(/^ \*/, "", text)
  if (aside) {
    sub(/^ +/, "", text)
    print "    " escaped(text) (last ? " */" : "")
  } else {
    print text_line(text, "") (last ? end_text("") " */" : "")
  }
  if (last) in_comment = aside = 0
  next
}

# ---- The first comment: the part ----
!described && /^\/\* / {
  described = in_comment = 1
  print "/** \\defgroup ckpt_" part " " part
  print "\\brief " escaped(substr($0, 4))
  if (sub(/ \*\/ *$/, "")) in_comment = 0
  next
}
!described && is_cpp && /^\/\// {
  if (!lines++) { print "/** \\addtogroup ckpt_" part " " part; print "" }
  text = $0
  sub(/^\/\//, "", text)
  print text_line(text, "")
  next
}
!described && is_cpp && lines {
  print end_text("") " */"
  described = 1
  lines = 0
}

# ---- The group around all of it ----
/^#ifndef CKPT_.*_HP?P?$/ { print; next }
/^#define CKPT_[A-Z0-9]*_HP?P?$/ { print; print "/** \\addtogroup ckpt_" part " " part "\n\\{ */"; next }
/^#endif .*CKPT_[A-Z0-9]*_HP?P?/ { print "/** \\} */"; print; next }
# ---- Other comments of C ----
/^\/\* ----/ { print; next }
/^ *\/\* / {
  line = $0
  sub(/\/\* /, "", line)
  last = sub(/ ?\*\/ *$/, "", line)
  print "/** " escaped(line) (last ? " */" : "")
  in_comment = !last
  verbatim = 0
  next
}
/^#define .*\\$/ || joining {
  line = $0
  goes_on = sub(/ *\\$/, "", line)
  sub(/^ +/, " ", line)
  joined = joined line
  joining = goes_on
  if (joining) next
  $0 = joined
  joined = ""
}
!is_cpp && /[^ ].*\/\* / {
  split_at = index($0, "/* ")
  code = substr($0, 1, split_at - 1)
  text = substr($0, split_at + 3)
  last = sub(/ ?\*\/ *$/, "", text)
  print code "/**< " escaped(text) (last ? " */" : "")
  in_comment = aside = !last
  next
}

# ---- Comments of C++ ----
is_cpp && /^(class|struct) [A-Za-z]+ .*\{$/ { print "/** \\ingroup ckpt_" part " */" }
is_cpp && /^ *\/\/ ----/ { print; next }
is_cpp && /^ *\/\/ / {
  indent = $0
  sub(/\/\/.*/, "", indent)
  text = $0
  sub(/^ *\/\/ ?/, "", text)
  print indent "/// " escaped(text)
  next
}
is_cpp && /[;,{]  +\/\/ / {
  split_at = match($0, /  +\/\/ /)
  print substr($0, 1, split_at - 1) "  ///< " escaped(substr($0, RSTART + RLENGTH))
  next
}

{ print }
