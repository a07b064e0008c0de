# Output files are complete and never overwrite other files; a failed write is reported with exit code 1.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
succeeds train --model mlp --data "$text" --batch 32 --steps 1 --save-every 1 --dir "$scratch/c" --quiet
printf '9000\n400\n70000\n12000\n' >"$scratch/trace"
succeeds convert "$scratch/c" "$scratch/model.npz" --group model
succeeds convert "$scratch/c" "$scratch/model.safetensors" --group model

# A replaced file keeps its mode and owner; a new one gets the mode given by the umask.
umask 027
for ending in npz safetensors; do
  for mode in 600 644 664 440; do
    file="$scratch/mode.$ending"
    rm -f "$file"
    : >"$file"
    chmod "$mode" "$file"
    if [ "$(id -u)" = 0 ]; then chown 12:34 "$file"; fi
    owner=$(stat -c %u:%g "$file")
    succeeds convert "$scratch/c" "$file" --group model
    [ "$(stat -c %a "$file")" = "$mode" ] || fail "$ending: the mode $mode became $(stat -c %a "$file")"
    [ "$(stat -c %u:%g "$file")" = "$owner" ] || fail "$ending: the owner $owner became $(stat -c %u:%g "$file")"
    cmp -s "$file" "$scratch/model.$ending" || fail "$ending: other bytes"
  done
  rm -f "$file"
  succeeds convert "$scratch/c" "$file" --group model
  [ "$(stat -c %a "$file")" = 640 ] || fail "$ending: a new file has mode $(stat -c %a "$file"), not 640"
done
: >"$scratch/figures"
chmod 604 "$scratch/figures"
succeeds simulate --trace "$scratch/trace" --policies daly --json "$scratch/figures"
[ "$(stat -c %a "$scratch/figures")" = 604 ] || fail "figures: the mode became $(stat -c %a "$scratch/figures")"
umask 022

# Links are followed, also dangling ones; a target that is not a regular file is not replaced.
mkdir "$scratch/elsewhere"
ln -s elsewhere/target.npz "$scratch/link.npz"
for time in first second; do
  succeeds convert "$scratch/c" "$scratch/link.npz" --group model
  [ -L "$scratch/link.npz" ] || fail "$time: the link was replaced"
  cmp -s "$scratch/elsewhere/target.npz" "$scratch/model.npz" || fail "$time: the link's target has other bytes"
done
ln -s circle "$scratch/circle"
refuses 1 "circle" simulate --trace "$scratch/trace" --policies daly --json "$scratch/circle"
mkdir "$scratch/directory.npz"
refuses 1 "directory.npz" convert "$scratch/c" "$scratch/directory.npz"
refuses 1 "cannot write $scratch/elsewhere" simulate --trace "$scratch/trace" --policies daly --json "$scratch/elsewhere"
mkfifo "$scratch/pipe.npz"
refuses 1 "pipe.npz" convert "$scratch/c" "$scratch/pipe.npz"
[ -p "$scratch/pipe.npz" ] || fail "the pipe was replaced"
succeeds simulate --trace "$scratch/trace" --policies daly --json /dev/null
[ -c /dev/null ] || fail "/dev/null was replaced"
refuses 1 "cannot write /dev/full" simulate --trace "$scratch/trace" --policies daly --json /dev/full

# A file named like another program's temporary file remains, and no other file remains in any case.
mkdir "$scratch/own"
for name in x.npz.tmp x.npz.part .x.npz.tmp x.json.tmp; do echo mine >"$scratch/own/$name"; done
succeeds convert "$scratch/c" "$scratch/own/x.npz"
succeeds convert "$scratch/c" "$scratch/own/x.safetensors"
succeeds simulate --trace "$scratch/trace" --policies daly --json "$scratch/own/x.json" --report "$scratch/own/x.html"
printf '{' >"$scratch/bad.safetensors"
refuses 1 "" convert "$scratch/bad.safetensors" "$scratch/own/y.npz"
[ "$(ls -A "$scratch/own" | wc -l)" = 8 ] || fail "remaining files: $(ls -A "$scratch/own")"
grep -qx mine "$scratch/own/x.npz.tmp" || fail "another program's file was overwritten"

# Two commands write one file at the same time: it is complete at every moment, and one of the two at the end.
for ending in npz safetensors; do
  succeeds convert "$scratch/c" "$scratch/all.$ending"
  cp "$scratch/all.$ending" "$scratch/both.$ending"
  : >"$scratch/go"
  for group in model optimizer; do
    succeeds convert "$scratch/c" "$scratch/$group.$ending" --group $group
    (while [ -e "$scratch/go" ]; do "$ckpt" convert "$scratch/c" "$scratch/both.$ending" --group $group >/dev/null 2>"$scratch/err.$group" ||
      cp "$scratch/err.$group" "$scratch/failed.$group"; done) &
  done
  looks=0
  while [ $looks -lt 25 ]; do
    cp "$scratch/both.$ending" "$scratch/look"
    cmp -s "$scratch/look" "$scratch/model.$ending" || cmp -s "$scratch/look" "$scratch/optimizer.$ending" ||
      cmp -s "$scratch/look" "$scratch/all.$ending" || { fail "$ending: a mixture of two writers' files"; break; }
    looks=$((looks + 1))
  done
  rm "$scratch/go"
  wait
  for group in model optimizer; do [ ! -e "$scratch/failed.$group" ] || fail "$ending: concurrent writer: $(cat "$scratch/failed.$group")"; done
done
[ -z "$(find "$scratch" -name '.ckpt-*')" ] || fail "remaining files: $(find "$scratch" -name '.ckpt-*')"

# Results that cannot be written: the run does not start.
for option in --report --json --memory-report --timeline; do
  refuses 1 "cannot write $scratch/missing/file" train --model mlp --data "$text" --batch 32 --stages 2 --steps 1 --save-every 1 \
    --dir "$scratch/early" --quiet "$option" "$scratch/missing/file"
  refuses 1 "cannot write $scratch/elsewhere: " train --model mlp --data "$text" --batch 32 --stages 2 --steps 1 \
    --dir "$scratch/early" --quiet "$option" "$scratch/elsewhere"
done
[ ! -e "$scratch/early" ] || fail "a run started although its results cannot be written"
refuses 1 "cannot write $scratch/missing/file" plan --model mlp --budget 40% --report "$scratch/missing/file"
refuses 1 "cannot write $scratch/missing/file" simulate --trace "$scratch/trace" --policies daly --json "$scratch/missing/file"

cannot_print() {
  "$ckpt" "$@" >/dev/full 2>"$scratch/out"
  code=$?
  [ $code = 1 ] || fail "ckpt $* >/dev/full: exit code $code"
  says "cannot write to standard output"
  "$ckpt" "$@" >&- 2>"$scratch/out"
  code=$?
  [ $code = 1 ] || fail "ckpt $* >&-: exit code $code"
  says "cannot write to standard output"
}
cannot_print --version
"$ckpt" diff "$scratch/c" "$scratch/c" >/dev/full 2>"$scratch/out"
says "cannot write to standard output: "
cannot_print --help
cannot_print train --help
cannot_print inspect "$scratch/c"
cannot_print verify "$scratch/c"
cannot_print diff "$scratch/c" "$scratch/c"
cannot_print convert "$scratch/c" "$scratch/printed.npz"
cmp -s "$scratch/printed.npz" "$scratch/own/x.npz" || fail "without standard output the file has other bytes"
cannot_print simulate --trace "$scratch/trace" --policies daly --json "$scratch/printed.json"
cannot_print train --model mlp --data "$text" --batch 32 --steps 1 --quiet

# Without any standard stream, no opened file receives printed output.
"$ckpt" train --model mlp --data "$text" --batch 32 --steps 2 --save-every 1 --dir "$scratch/closed" --json "$scratch/closed.json" <&- >&- 2>&-
[ $? = 1 ] || fail "without standard streams: another exit code than 1"
succeeds verify "$scratch/closed"
succeeds diff "$scratch/closed" "$scratch/closed"
grep -q '"steps": 2' "$scratch/closed.json" || fail "the figures: $(cat "$scratch/closed.json")"
finish
