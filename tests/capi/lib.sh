# Shared by the rule tests: checks that a list is empty.
failed=0
# must_be_empty "what is wrong" "the offenders, one per line"
must_be_empty() {
  if [ -n "$2" ]; then
    printf '%s:\n%s\n' "$1" "$2" >&2
    failed=1
  fi
}
# declared_functions: prints the names that the public headers declare, after preprocessing.
declared_functions() {
  printf '#include <ckpt/ckpt.h>\n' | "$CC" -std=c99 -E -P -Iinclude -x c - | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*visibility("default"))) *[^(]*[ *]\(ckpt_[a-z0-9_]*\) *(.*/\1/p' | LC_ALL=C sort
}
