#!/bin/sh
# The bytes that go through a tier's file are those that the verifier counts, by the system calls of a process.
# tiers_strace.sh TIERS_RUN; 77: skipped.
set -eu
command -v strace >/dev/null 2>&1 || { echo "SKIP: strace is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strace -o "$work/trial" true 2>/dev/null || { echo "SKIP: strace may not trace processes here"; exit 77; }

# -ff: a file for each thread, so that no call is torn apart; -y: the files that descriptors mean.
strace -ff -y -s 0 -o "$work/trace" -e trace=read,pread64,preadv,preadv2,write,pwrite64,pwritev,pwritev2,io_uring_enter,mmap \
  "$1" "$work/tier" >"$work/expected"

cat "$work"/trace.* | grep -F "<$work/tier" | grep -F '(deleted)' >"$work/calls"
awk '{ call = $1; sub(/\(.*/, "", call); bytes[call] += $NF } END { for (call in bytes) print call, bytes[call] }' "$work/calls" |
  sort >"$work/did"
diff "$work/expected" "$work/did" || { echo "the bytes through the tier are not the verifier's"; exit 1; }
grep -q '[1-9]' "$work/did"
[ -z "$(ls -A "$work/tier")" ] || { echo "files were left"; exit 1; }

# A file system that makes no files without a name: the second call with the folder's path, which asks for one, is refused.
mkdir "$work/named"
strace -P "$work/named" -o "$work/trace_named" -e trace=openat,unlinkat -e inject=openat:error=EOPNOTSUPP:when=2 \
  "$1" "$work/named" >/dev/null
grep -q 'O_TMPFILE.*(INJECTED)' "$work/trace_named" || { cat "$work/trace_named"; echo "no refusal"; exit 1; }
made=$(sed -n 's/^openat([0-9]*, "\(\.scratch-[^"]*\)", [A-Z_|]*O_EXCL[A-Z_|]*, 0600) = [0-9].*/\1/p' "$work/trace_named")
[ -n "$made" ] && grep -qF "\"$made\", 0) = 0" "$work/trace_named" || { cat "$work/trace_named"; echo "not made and unlinked"; exit 1; }
grep -A1 -F "\"$made\", O_" "$work/trace_named" | tail -n 1 | grep -q '^unlinkat' || { echo "not unlinked at once"; exit 1; }
[ -z "$(ls -A "$work/named")" ] || { echo "files were left"; exit 1; }

tr '\n' ' ' <"$work/did"
echo "as the verifier counts them"
