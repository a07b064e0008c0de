# Shared by the tests of the command: a scratch directory, and checks of a run.
set -u
ckpt=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ckpt-cli.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  failures=$((failures + 1))
}

# run_command ARG...: its output is in $scratch/stdout and, followed by its standard error, in $scratch/out: on a slow machine, there are
# lines of progress. Sets got to its exit code.
run_command() {
  got=0
  "$ckpt" "$@" >"$scratch/stdout" 2>"$scratch/stderr" || got=$?
  cat "$scratch/stdout" "$scratch/stderr" >"$scratch/out"
}

# succeeds ARG...: expects exit code 0.
succeeds() {
  run_command "$@"
  [ $got = 0 ] || fail "ckpt $*: exit code $got: $(cat "$scratch/out")"
}

# refuses CODE TEXT ARG...: expects that exit code, and TEXT in its output.
refuses() {
  code=$1
  wanted=$2
  shift 2
  run_command "$@"
  [ $got = "$code" ] || fail "ckpt $*: exit code $got, not $code: $(cat "$scratch/out")"
  grep -qF -- "$wanted" "$scratch/out" || fail "ckpt $*: no '$wanted' in: $(cat "$scratch/out")"
}

says() { grep -qF -- "$1" "$scratch/out" || fail "no '$1' in: $(cat "$scratch/out")"; }

# Writes a text of some thousand bytes, the same on every machine.
make_text() {
  i=0
  while [ $i -lt 200 ]; do
    printf 'line %d of a text that nobody would read for pleasure\n' "$i"
    i=$((i + 1))
  done >"$1"
}

finish() { exit $((failures > 0)); }
