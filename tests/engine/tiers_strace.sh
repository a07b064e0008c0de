#!/bin/sh
# Checks by system calls that the bytes moved through a tier's file are those counted by the verifier.
# tiers_strace.sh TIERS_RUN; 77: skipped.
set -eu
command -v strace >/dev/null 2>&1 || { echo "SKIP: strace is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strace -o "$work/trial" true 2>/dev/null || { echo "SKIP: strace is not permitted to trace processes"; exit 77; }

# -ff: one file per thread, so that no call is split; -y: prints the files of descriptors.
strace -ff -y -s 0 -o "$work/trace" -e trace=read,pread64,preadv,preadv2,write,pwrite64,pwritev,pwritev2,io_uring_enter,mmap \
  "$1" "$work/tier" >"$work/expected"

cat "$work"/trace.* | grep -F "<$work/tier" | grep -F '(deleted)' >"$work/calls"
awk '{ call = $1; sub(/\(.*/, "", call); bytes[call] += $NF } END { for (call in bytes) print call, bytes[call] }' "$work/calls" |
  sort >"$work/did"
diff "$work/expected" "$work/did" || { echo "the bytes moved through the tier differ from the verifier's count"; exit 1; }
grep -q '[1-9]' "$work/did"
[ -z "$(ls -A "$work/tier")" ] || { echo "files remain in the tier's folder"; exit 1; }

# A file system without unnamed files: the second call with the folder's path, which requests one, fails.
mkdir "$work/named"
strace -P "$work/named" -o "$work/trace_named" -e trace=openat,unlinkat -e inject=openat:error=EOPNOTSUPP:when=2 \
  "$1" "$work/named" >/dev/null
grep -q 'O_TMPFILE.*(INJECTED)' "$work/trace_named" || { cat "$work/trace_named"; echo "O_TMPFILE was not refused"; exit 1; }
made=$(sed -n 's/^openat([0-9]*, "\(\.scratch-[^"]*\)", [A-Z_|]*O_EXCL[A-Z_|]*, 0600) = [0-9].*/\1/p' "$work/trace_named")
[ -n "$made" ] && grep -qF "\"$made\", 0) = 0" "$work/trace_named" || { cat "$work/trace_named"; echo "the file was not created and unlinked"; exit 1; }
grep -A1 -F "\"$made\", O_" "$work/trace_named" | tail -n 1 | grep -q '^unlinkat' || { echo "the file was not unlinked at once"; exit 1; }
[ -z "$(ls -A "$work/named")" ] || { echo "files remain in the tier's folder"; exit 1; }

tr '\n' ' ' <"$work/did"
echo "the bytes are those counted by the verifier"
