#!/bin/sh
# Checks that the system calls of two saves equal the requested storage operations: same files, same order. strace.sh ONE_SAVE; 77:
# skipped.
set -eu
command -v strace >/dev/null 2>&1 || { echo "SKIP: strace is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strace -o "$work/trial" true 2>/dev/null || { echo "SKIP: strace is not permitted to trace processes"; exit 77; }

# -s 0: no contents. Descriptors are mapped to files from openat to close.
strace -f -s 200 -o "$work/trace" -e trace=open,openat,mkdir,mkdirat,pwrite64,write,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,close \
  "$1" "$work/new/root" "$work/asked"

awk -v root="$work/new/root" '
  function text(n,   parts) { split(line, parts, "\""); return parts[2 * n] }     # the nth quoted string
  function first(   call) { call = line; sub(/^[^(]*\(/, "", call); sub(/[,)].*/, "", call); return call }
  function join(dir, leaf) { if (leaf == ".") return dir; return dir == "." ? leaf : dir "/" leaf }
  {
    line = $0
    sub(/^[0-9]+ +/, "", line)
    if (line !~ / = [0-9]/) next                                               # failed, or a signal
    result = line; sub(/.* = /, "", result); sub(/ .*/, "", result)
    call = line; sub(/\(.*/, "", call)
    name = text(1)
    if (call == "mkdir" || (call == "mkdirat" && first() == "AT_FDCWD")) {
      if (name ~ /\/new/) print "root made"
    } else if (call == "open" || call == "openat") {
      if (first() == "AT_FDCWD" || call == "open") { if (name == root) path[result] = "."; else delete path[result]
        if (line ~ /O_DIRECTORY/ && name != root && index(root, name) == 1) above[result] = 1
        next }
      if (!(first() in path)) next
      path[result] = join(path[first()], name)
      if (line ~ /O_CREAT/ && line ~ /O_EXCL/) print "create " path[result]
      directory[result] = line ~ /O_DIRECTORY/
      if (path[result] == ".lock") delete path[result]
    } else if (call == "close") { delete path[first()]; delete above[first()]
    } else if (call == "pwrite64" || call == "write") { if (first() in path) print "write " path[first()]
    } else if (call == "fsync" || call == "fdatasync") {
      if (first() in above) print "above synced"
      else if (first() in path) print (directory[first()] ? "sync_directory " : "sync ") path[first()]
    } else if (call == "mkdirat") { print "make_directory " join(path[first()], name)
    } else if (call ~ /^rename/) {
      to = line; sub(/^[^"]*"[^"]*", */, "", to); sub(/,.*/, "", to)
      print "rename " join(path[first()], name) " " join(path[to], text(2))
    } else if (call == "unlinkat") { print (line ~ /AT_REMOVEDIR/ ? "remove_directory " : "remove ") join(path[first()], name) }
  }' "$work/trace" >"$work/calls"

# A new root is durable before anything is written into it: for each new directory its parent is synced.
head -n 4 "$work/calls" >"$work/root"
printf 'root made\nabove synced\nroot made\nabove synced\n' | diff - "$work/root" || { echo "the new root was not made durable"; exit 1; }

# Attempts have random digits; the recorder numbers them.
sed -n '5,$p' "$work/calls" | awk '{
    while (match($0, /step-000000000[0-9]*-[0-9a-f][0-9a-f]*/)) {
      raw = substr($0, RSTART, RLENGTH)
      if (!(raw in number)) number[raw] = ++count
      $0 = substr($0, 1, RSTART - 1) "STEP" number[raw] substr($0, RSTART + RLENGTH)
    }
    print }' >"$work/did"
sed -E 's/step-0*[0-9]+-0*([0-9]+)/STEP\1/g' "$work/asked" >"$work/expected"
diff "$work/expected" "$work/did" || { echo "the system calls differ from the operations"; exit 1; }
syncs=$(grep -c '^sync' "$work/did")
[ "$syncs" -ge 13 ] || { echo "expected at least 13 syncs, found $syncs"; exit 1; }
echo "$(wc -l <"$work/did") operations, $syncs of them syncs"
