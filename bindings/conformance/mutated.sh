# mutated.sh SCRATCH RUNNER...: checks that a runner fails when an expectation is wrong, missing or superfluous, and when a file is
# invalid.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1
shift
rm -rf "$scratch"
mkdir -p "$scratch"

count=0
# must_fail WHAT RUNNER...: checks that the runner fails for mutated.txt.
must_fail() {
  what=$1
  shift
  count=$((count + 1))
  mkdir "$scratch/$count"
  if "$@" run "$scratch/$count" "$scratch/mutated.txt" >"$scratch/output" 2>&1; then
    echo "$what: the runner did not fail" >&2
    exit 1
  fi
}

for file in "$here"/scenarios/*.txt; do
  lines=$(grep -n '^= ' "$file" | cut -d: -f1 | awk 'NR % 13 == 1')
  for line in $lines; do
    sed "${line}s/\$/x/" "$file" >"$scratch/mutated.txt"
    must_fail "$file:$line changed" "$@"
  done
  first=$(echo "$lines" | head -n 1)
  sed "${first}d" "$file" >"$scratch/mutated.txt"
  must_fail "$file:$first deleted" "$@"
  sed "${first}p" "$file" >"$scratch/mutated.txt"
  must_fail "$file:$first twice" "$@"
done
printf '== no such command\nfly away\n' >"$scratch/mutated.txt"
must_fail "an unknown command" "$@"
printf '== nothing of this name\nshow missing\n' >"$scratch/mutated.txt"
must_fail "an unknown name" "$@"
printf '== no such option\nclock c 0\ntracker t clocks=c\n' >"$scratch/mutated.txt"
must_fail "an unknown option" "$@"
printf '# nothing\n' >"$scratch/mutated.txt"
must_fail "a file without commands" "$@"
rm -rf "$scratch"
echo "$count files with a mistake, all refused"
