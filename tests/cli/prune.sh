# prune, pin and unpin: checkpoints kept by rules, dry runs, JSON, and refused calls.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
steps() { find "$1" -maxdepth 1 -name 'step-*' | sed 's/.*step-0*//; s/-.*//' | sort -n | tr '\n' ' '; }
is() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }
json_field() { /usr/bin/python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if isinstance(value, list) else key]
print(value)' "$scratch/stdout" "$@"; }

succeeds train --model mlp --data "$text" --batch 32 --steps 6 --save-every 1 --keep 0 --dir "$scratch/c" --quiet --seed 7
is "$(steps "$scratch/c")" "1 2 3 4 5 6 "

# A dry run changes nothing, not even the lock file, and needs no lock.
before=$(ls -laR --time-style=full-iso "$scratch/c")
succeeds prune "$scratch/c" --keep last:2,every:4 --dry-run
says "step 3, "
says "3 checkpoints would be removed"
says "; 3 kept"
succeeds prune "$scratch/c" --keep last:2,every:4 --dry-run --json
is "$(json_field dry_run) $(json_field kept) $(json_field removed 0 step) $(json_field removed 2 step)" "True 3 3 1"
is "$(ls -laR --time-style=full-iso "$scratch/c")" "$before"

# A pinned checkpoint remains, and is reported as pinned.
succeeds pin "$scratch/c" 2
succeeds list "$scratch/c"
is "$(grep -c 'complete, pinned$' "$scratch/out")" 1
succeeds list "$scratch/c" --json
is "$(json_field 4 step) $(json_field 4 pinned) $(json_field 0 pinned)" "2 True False"
succeeds prune "$scratch/c" --keep "last:2, every:4"
says "2 checkpoints removed"
is "$(steps "$scratch/c")" "2 4 5 6 "
succeeds verify "$scratch/c"
succeeds unpin "$scratch/c" 2
succeeds prune "$scratch/c" --keep newer:1h,last:1
says "0 checkpoints removed, 0 B; 4 kept"
succeeds prune "$scratch/c" --keep last:1 --json
is "$(json_field dry_run) $(json_field kept) $(json_field removed 2 step)" "False 1 2"
is "$(steps "$scratch/c")" "6 "
succeeds prune "$scratch/c" --keep newer:0
is "$(steps "$scratch/c")" "6 "

# A run resumes from an earlier step: the later steps are abandoned and listed as abandoned, and --abandoned prunes only them.
succeeds train --model mlp --data "$text" --batch 32 --steps 6 --save-every 2 --keep 0 --dir "$scratch/r" --quiet --seed 7
succeeds copy "$scratch/r" "$scratch/back" --step 2
succeeds copy "$scratch/back" "$scratch/r"
says "step 2 is saved although step 6 exists: generation 1"
succeeds list "$scratch/r"
is "$(grep -c 'complete, abandoned$' "$scratch/out")" 3
succeeds list "$scratch/r" --json
is "$(json_field 0 step) $(json_field 0 generation) $(json_field 0 abandoned) $(json_field 1 abandoned)" "2 1 False True"
succeeds show "$scratch/r"
says "step 2"
before=$(ls -laR --time-style=full-iso "$scratch/r")
succeeds prune "$scratch/r" --abandoned --dry-run
says "3 checkpoints would be removed"
is "$(ls -laR --time-style=full-iso "$scratch/r")" "$before"
succeeds pin "$scratch/r" 6
succeeds prune "$scratch/r" --abandoned
says "2 checkpoints removed"
is "$(steps "$scratch/r")" "2 6 "
succeeds train --model mlp --data "$text" --batch 32 --steps 3 --save-every 1 --keep 0 --dir "$scratch/r" --quiet --seed 7
is "$(steps "$scratch/r")" "2 3 6 "
refuses 2 "excludes" prune "$scratch/r" --abandoned --keep last:1

refuses 1 "rule 2, 'evry:4': unknown rule 'evry'; known: last:COUNT" prune "$scratch/c" --keep last:1,evry:4
refuses 1 "INVALID_ARGUMENT" prune "$scratch/c" --keep best:0
refuses 1 "NOT_FOUND" pin "$scratch/c" 5
refuses 1 "step 5" unpin "$scratch/c" 5
refuses 1 "no-such" prune "$scratch/no-such" --keep last:1
refuses 2 "--keep" prune "$scratch/c"
refuses 2 "value is empty" prune "$scratch/c" --keep ""
refuses 2 "step" pin "$scratch/c"
refuses 2 ": expected 0 .. " pin "$scratch/c" -5
refuses 2 "expected an integer" unpin "$scratch/c" 1.5
finish
