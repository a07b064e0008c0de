# Wrong usage and bad input: a clear message, the right exit code, and no partially written files.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"

refuses 2 "subcommand"
refuses 2 "--no-such-option" train --no-such-option
refuses 2 "--steps" train --steps -4
refuses 2 "--resume" train --resume perhaps
refuses 2 "--batch" train --batch 0
refuses 2 "excludes" train --planner chain --strategy interval:2

refuses 1 "cannot open $scratch/none" train --model mlp --data "$scratch/none"
: >"$scratch/empty"
refuses 1 "is empty" train --model mlp --data "$scratch/empty"
printf 'text \000 and more' >"$scratch/binary"
refuses 1 "NUL byte at offset 5" train --model mlp --data "$scratch/binary"
printf 'too short' >"$scratch/short"
refuses 1 "expected at least 272" train --model mlp --data "$scratch/short"
refuses 1 "is a directory" train --model mlp --data "$scratch"

# Input with another meaning never creates a folder of that name.
mkdir "$scratch/here"
(
  cd "$scratch/here"
  refuses 2 "--dir: '~/run' begins with ~, which the shell has not expanded" train --steps 1 --dir '~/run'
  refuses 2 "--json: '~/x.json' begins with ~" train --steps 1 --json '~/x.json'
  refuses 2 "--json: 's3://bucket/x.json' is a URI: expected a path of the file system" train --steps 1 --json s3://bucket/x.json
  refuses 2 "to: 's3://bucket/x.npz' is a URI: expected a path of the file system" convert "$text" s3://bucket/x.npz
  refuses 2 "--dir: 'no/s3://bucket' is a URI: expected a path of the file system" train --steps 1 --dir no/s3://bucket
  refuses 2 "to: '~/x.npz' begins with ~" convert "$text" '~/x.npz'
  refuses 2 "path: '~' begins with ~" list '~'
  exit "$failures"
) || failures=$((failures + $?))
[ -z "$(ls -A "$scratch/here")" ] || fail "a name that is no folder became one"

for budget in 0 -5% x 12XB 1e400 nan %; do
  refuses 1 "'$budget': expected a memory budget" train --model mlp --data "$text" "--memory-budget=$budget"
done
refuses 1 "the smallest that works for this chain is" train --model mlp --data "$text" --memory-budget 1KiB --dir "$scratch/untouched"
[ ! -e "$scratch/untouched" ] || fail "a refused run made its directory"
refuses 1 "strategy" train --model mlp --data "$text" --strategy nonsense:1

refuses 1 "$text" train --model mlp --data "$text" --steps 1 --dir "$text/sub"
refuses 1 "/proc/nowhere" train --model mlp --data "$text" --steps 1 --dir /proc/nowhere
refuses 1 "--resume require needs --dir" train --model mlp --data "$text" --resume require
refuses 1 "no checkpoint to resume from" train --model mlp --data "$text" --resume require --dir "$scratch/fresh"
refuses 1 "cannot write $scratch/none/report" train --model mlp --data "$text" --steps 1 --quiet --json "$scratch/none/report"

refuses 1 "none" inspect "$scratch/none"
refuses 1 "CORRUPT" inspect "$text"
refuses 1 "none" verify "$scratch/none"
mkdir "$scratch/nothing"
refuses 1 "contains no checkpoint" verify "$scratch/nothing"
refuses 1 "contains no checkpoint" inspect "$scratch/nothing"
finish
