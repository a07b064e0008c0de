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
tr '\n' ' ' <"$work/did"
echo "as the verifier counts them"
