# two_processes.sh BETWEEN SHIM WRITE_ONE CKPT PYTHON: interleaves two processes on every path that writes files: each is stopped
# before each of its calls that could change the file system while the other one runs. Both succeed, or one is refused as busy; exit
# codes report the outcome of a process's own work, the existing files are complete at every moment, and no temporary file remains.
# CKPT and PYTHON may be empty. With CKPT_TEST_LONG=1 in the environment the second process also stops at every call; otherwise at
# every fifth one, with a varying offset. (Memory reports, timelines and a controller's JSON are strings in memory; the command
# writes them as it writes these files.)
set -u
between=$1
shim=$2
write_one=$3
ckpt=$4
python=$5
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ckpt-two.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0
here=$scratch/here # both write here

fail() {
  printf 'FAILED: %s, stopped before calls %s: %s\n' "$name" "$at" "$*" >&2
  [ ! -s "$scratch/errors" ] || sed 's/^/  /' "$scratch/errors" >&2
  failures=$((failures + 1))
}

# sweep TURNS A B C: for every call of A, and with TURNS "both" for every call of B, runs the function prepare, the commands as
# described in between.c, and the function check with the exit codes in $first and $second and the process that finished earlier in
# $earlier.
every=5
[ "${CKPT_TEST_LONG:-0}" != 1 ] || every=1
sweep() {
  n=0
  runs=0
  while n=$((n + 1)); do
    m=$((n % every + 1 - every))
    [ "$1" = both ] || m=100000
    while m=$((m + every)); do
      at="$n and $m"
      rm -rf "$here" "$scratch/after"
      mkdir "$here"
      prepare
      # shellcheck disable=SC2086 # commands of words
      codes=$("$between" "$shim" "$n" "$m" $2 -- $3 -- $4 2>"$scratch/errors")
      ended=$?
      first=${codes% *}
      second=${codes#* }
      [ $ended != 3 ] || break 2
      earlier=second
      [ $ended != 0 ] || earlier=first
      check
      runs=$((runs + 1))
      [ $ended = 0 ] || break
    done
  done
  at=alone
  [ "$n" -gt 3 ] || fail "it made no calls"
  [ "$first" = 0 ] || fail "exit code $first"
  printf '%s: %d calls, %d runs\n' "$name" $((n - 1)) "$runs"
}

# ---- One file ----
# plain FILE: prints a report without the times in it, for comparison.
plain() { sed '/second\|_ns\|"ns"\|tokens/d' "$1" 2>/dev/null; }
same() { [ "$(plain "$1" | cksum)" = "$(plain "$2" | cksum)" ]; }

# one_file TURNS NAME FILE A B
one_file() {
  name=$2
  file=$here/$3
  at=alone
  for version in a b; do
    rm -rf "$here"
    mkdir "$here"
    command=$4
    [ $version != b ] || command=$5
    $command >"$scratch/errors" 2>&1 || fail "$command: exit code $?"
    cp "$file" "$scratch/$version"
  done
  ! same "$scratch/a" "$scratch/b" || fail "both versions are the same"
  printf 'older' >"$scratch/older"
  prepare() { [ $((n % 2)) = 0 ] || cp "$scratch/older" "$file"; } # alternately replaces a file and creates one
  check() { check_file; }
  sweep "$1" "$4" "$5" "cp $file $scratch/after"
}

check_file() {
  if [ "$first,$second" != 0,0 ]; then
    fail "exit codes $first and $second"
    return
  fi
  same "$scratch/after" "$scratch/b" || { [ $earlier = first ] && same "$scratch/after" "$scratch/a"; } ||
    fail "the $earlier one ended with success, and the file was not complete"
  same "$file" "$scratch/a" || same "$file" "$scratch/b" || fail "the file is neither version"
  [ "$(ls -A "$here")" = "${file##*/}" ] || fail "other files: $(ls -A "$here" | tr '\n' ' ')"
}

# ---- Checkpoints ----
# Two older ones, so that retention has something to remove.
prepare_checkpoints() { "$write_one" save "$here" 1 && "$write_one" save "$here" 2; }

complete() { # STEP: it exists and is complete
  [ -e "$here"/step-*"$1"-*/manifest.json ] || return 1
}

# done_or_busy CODE STEP
done_or_busy() {
  case $1 in
    0) complete "$2" || fail "the save of step $2 succeeded, but its checkpoint is missing" ;;
    1)
      grep -q BUSY "$scratch/errors" || fail "the save of step $2 was refused, but not with BUSY"
      ! complete "$2" || fail "the save of step $2 was refused, but its checkpoint exists"
      ;;
    *) fail "exit code $1 of the save of step $2" ;;
  esac
}

check_saves() {
  done_or_busy "$first" 3
  done_or_busy "$second" 4
  [ "$first,$second" != 1,1 ] || fail "both were refused"
  "$write_one" load "$here" || fail "the existing checkpoints do not load"
  for entry in "$here"/* "$here"/.[!.]*; do
    case $entry in
      */step-*) [ -e "$entry/manifest.json" ] || fail "left over: $entry" ;;
      */.lock | */"*" | */".[!.]*") ;;
      *) fail "left over: $entry" ;;
    esac
  done
}

check_load() {
  [ "$first,$second" = 0,0 ] || fail "exit codes $first and $second"
}

# two_saves TURNS NAME A
two_saves() {
  name=$2
  prepare() { prepare_checkpoints; }
  check() { check_saves; }
  sweep "$1" "$3" "$write_one save $here 4" true
}

load_during_save() {
  name="load during save"
  prepare() { prepare_checkpoints; }
  check() { check_load; }
  sweep both "$write_one save $here 3" "$write_one load $here" true
}

one_file both "ckpt_safetensors_write" tensors.safetensors "$write_one file $here/tensors.safetensors 1" "$write_one file $here/tensors.safetensors 2"
two_saves both "ckpt_checkpoint_manager_save" "$write_one save $here 3"
load_during_save

if [ -n "$ckpt" ]; then
  "$write_one" file "$scratch/1.safetensors" 1
  "$write_one" file "$scratch/2.safetensors" 2
  for ending in npz safetensors; do
    one_file both "ckpt convert to .$ending" out.$ending "$ckpt convert $scratch/1.safetensors $here/out.$ending" \
      "$ckpt convert $scratch/2.safetensors $here/out.$ending"
  done
  simulate="$ckpt simulate --trace exponential:3600 --failures 5 --replicas 1 --policies young"
  for kind in json report; do
    one_file both "ckpt simulate --$kind" out.$kind "$simulate --seed 1 --$kind $here/out.$kind" "$simulate --seed 2 --$kind $here/out.$kind"
  done
  yes "a text to learn" | head -n 200 >"$scratch/text"
  train="$ckpt train --model mlp --data $scratch/text --steps 1 --batch 8 --quiet --threads 1"
  one_file one "ckpt train --json" out.json "$train --seed 1 --json $here/out.json" "$train --seed 2 --json $here/out.json"
fi

if [ -n "$python" ]; then
  cat >"$scratch/save.py" <<'PYTHON'
import sys, numpy, ckpt
what, path, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
tensors = {"weight": numpy.full(20000, number, "u1")}
if what == "save":
    ckpt.save(path, tensors, number, keep_last=2)
else:
    ckpt.save_file(path, tensors)
PYTHON
  two_saves one "ckpt.save of Python" "$python $scratch/save.py save $here 3"
  one_file one "ckpt.save_file of Python" out.safetensors "$python $scratch/save.py file $here/out.safetensors 1" \
    "$write_one file $here/out.safetensors 2"
fi
[ "$failures" = 0 ]
