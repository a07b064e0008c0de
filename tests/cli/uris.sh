# URIs wherever a command takes a directory of checkpoints; paths are still paths.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
mkdir "$scratch/here"
cd "$scratch/here" || exit 1
train() { succeeds train --model mlp --data "$text" --batch 32 --quiet --seed 7 "$@"; }

# Every command, with file URIs.
train --steps 4 --save-every 2 --dir "file://$scratch/a%20run"
[ -d "$scratch/a run" ] || fail "no directory 'a run'"
train --steps 6 --dir "file:$scratch/a%20run/" # resumes
says "resumed from step-000000000004"
uri="FILE://$scratch/a%20run"
succeeds list "$uri"
says "step-000000000006"
"$ckpt" list "$scratch/a run" >"$scratch/by_path" 2>&1
cmp -s "$scratch/out" "$scratch/by_path" || fail "list by URI is not list by path"
for command in show verify; do
  "$ckpt" $command "$scratch/a run" --json >"$scratch/by_path" 2>/dev/null
  "$ckpt" $command "$uri" --json >"$scratch/out" 2>/dev/null
  [ -s "$scratch/out" ] && cmp -s "$scratch/out" "$scratch/by_path" || fail "$command by URI is not $command by path"
done
one=$(basename "$(find "$scratch/a run" -name 'step-000000000006-*')")
succeeds show "$uri/$one"
says "step 6, "
succeeds verify "$uri/$one"
says ": ok, "
succeeds diff "$uri" "$scratch/a run"
says " 0 different"
succeeds convert "$uri" "$scratch/out.npz" --group model
succeeds convert "file:$scratch/out.npz" "$scratch/out.safetensors"
succeeds show "file:$scratch/out.safetensors"
says "tensors"
succeeds copy "$uri" "file:copied" --all
says "copied as"
[ "$(ls copied | grep -c '^step-')" = 3 ] || fail "not all were copied"
succeeds pin file:copied 2
succeeds prune file:copied --keep last:1
says "1 checkpoint removed"
succeeds unpin file:copied 2
succeeds prune "file://$scratch/here/copied" --keep last:1 --dry-run
says "1 checkpoint would be removed"
succeeds train --steps 2 --quiet --dir file:t --model transformer --data "$text" --blocks 1 --width 16 --heads 2 --context 16 --batch 2
succeeds sample --dir file:t --prompt "line" --length 3

# Lock kinds: a writer removes its own lock file; another writer's lock file stays, and new writers are refused.
succeeds prune "file:copied?lock=file" --keep last:1
[ -z "$(find copied -name '.lock-*')" ] || fail "the lock was not released"
owner=copied/.lock-0123456789abcdef
printf 'libckpt lock 1\npid 1\nhost elsewhere\nstart 1\nboot \nmachine \npid_namespace \n' >"$owner"
refuses 1 "of host 'elsewhere'" prune "file:copied?lock=file" --keep last:1
refuses 1 "of host 'elsewhere'" prune file:copied --keep last:1
succeeds list "file:copied?lock=file"
rm "$owner"
refuses 2 "unknown kind of lock; expected flock" list "file:copied?lock=other"

# In memory: within one command.
train --steps 2 --dir memory:run
succeeds copy "$uri" memory:run
says "verified"
refuses 1 "memory:run contains no checkpoint" list memory:run
refuses 1 "memory:run contains no checkpoint" show memory:run
refuses 1 "memory: contains no checkpoint" verify memory:
refuses 1 "memory:run" convert memory:run "$scratch/none.npz"
refuses 1 "memory:run contains no checkpoint" diff memory:run "$uri"
refuses 1 "memory:run" sample --dir memory:run --prompt x
succeeds prune memory:run --keep last:1
says "0 checkpoints removed"

# Unknown and malformed URIs; none creates anything.
before=$(ls -A)
for command in list show verify; do
  refuses 1 "there" $command file:not/there
done
# libckpt-s3 is searched next to the libckpt that the command uses: a folder without it, and one with a file that is not a library.
mkdir "$scratch/lib"
cp -L "$(ldd "$ckpt" | sed -n 's/.*libckpt\.so\.[0-9.]* => \([^ ]*\) .*/\1/p')" "$scratch/lib/libckpt.so.$CKPT_SOVERSION"
export LD_LIBRARY_PATH="$scratch/lib"
for command in list show verify; do
  refuses 1 "'s3' requires the package libckpt-s3; $(cd "$scratch/lib" && pwd -P)/libckpt-s3.so.$CKPT_SOVERSION was not found (" $command s3://bucket/run
done
refuses 1 "libckpt-s3" train --steps 1 --quiet --model mlp --data "$text" --dir s3://bucket/run
refuses 1 "libckpt-s3" sample --dir s3://bucket/run --prompt x
refuses 1 "libckpt-s3" copy "$uri" s3://bucket/run
refuses 1 "libckpt-s3" copy s3://bucket/run "$scratch/none"
refuses 1 "libckpt-s3" convert s3://bucket/run.npz "$scratch/none.npz"
refuses 1 "libckpt-s3" diff "$uri" s3://bucket/run
refuses 1 "libckpt-s3" prune s3://bucket/run --keep last:1
refuses 1 "libckpt-s3" pin s3://bucket/run 2
refuses 1 "unfinished uploads require the package libckpt-s3; " prune s3://bucket/run --uploads --older-than 1h
echo "no library" >"$scratch/lib/libckpt-s3.so.$CKPT_SOVERSION"
refuses 1 "lib/libckpt-s3.so.$CKPT_SOVERSION cannot be loaded: " list s3://bucket/run
refuses 1 "lib/libckpt-s3.so.$CKPT_SOVERSION cannot be loaded: " prune s3://bucket/run --uploads --older-than 1h
unset LD_LIBRARY_PATH
if [ "$CKPT_HAS_S3" = 1 ]; then # nothing listens at the endpoint in the environment
  for command in list show verify "prune --keep last:1" "prune --uploads --older-than 0"; do
    refuses 1 "(IO)" $command s3://bucket/run
    says "s3://bucket/run"
  done
fi
refuses 1 ": expected a location in S3, which alone has unfinished uploads (UNSUPPORTED)" prune "$scratch/a run" --uploads --older-than 1h
refuses 1 ": expected a location in S3" prune memory:run --uploads --older-than 1h
refuses 2 "--keep RULES, --abandoned or --uploads" prune memory:run
refuses 2 "--older-than" prune s3://bucket/run --uploads
refuses 2 "--uploads" prune s3://bucket/run --older-than 1h
refuses 2 "--keep" prune s3://bucket/run --uploads --older-than 1h --keep last:1
for bad in "" h 1.5h -1h 1y 101000w "1 h"; do
  refuses 2 "--older-than" prune s3://bucket/run --uploads "--older-than=$bad"
done
refuses 1 "scheme 'gs'; known: file, memory" list gs://bucket
refuses 1 "INVALID_ARGUMENT" list memory:a/../b
for bad in ../a a/.. ./a a/%2e%2e a//b a%2Fb a%0A a%2 a%zz 'a?b' //host/a // ''; do
  refuses 2 "path: 'file:$bad' " list "file:$bad"
  refuses 2 "--dir: 'file:$bad' " train --steps 1 --dir "file:$bad"
done
[ "$(ls -A)" = "$before" ] || fail "something was made: $(ls -A)"
[ ! -e "$scratch/none" ] && [ ! -e "$scratch/none.npz" ] || fail "a refused command made its target"

# Paths.
for name in run:1 s3:x c:x a%20b ./memory:x ../here/file:y; do
  train --steps 1 --dir "$name"
  [ -d "$name" ] || fail "no directory '$name'"
  succeeds verify "$name"
done
mkdir memory:old file:old
for name in memory:old file:old; do # existing directories take precedence
  train --steps 1 --dir "$name"
  succeeds list "$name"
done
[ ! -e old ] || fail "file:old was taken for a URI"
train --steps 1 --dir file:memory:new # a path that looks like a URI
[ -d memory:new ] || fail "no directory 'memory:new'"
finish
