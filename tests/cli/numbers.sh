# Values that are out of range or not numbers are refused with the option and the value: none is clamped, wrapped or misread.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
printf '9000\n400\n70000\n12000\n' >"$scratch/trace"

# wrong COMMAND OPTION VALUE...: expects exit code 2, and both in the message.
wrong() {
  command=$1
  option=$2
  shift 2
  for value; do
    case $command in
      train) timeout 20 "$ckpt" train --model mlp --data "$text" --quiet "$option" "$value" >"$scratch/out" 2>&1 ;;
      simulate) timeout 20 "$ckpt" simulate --trace "$scratch/trace" --policies daly "$option" "$value" >"$scratch/out" 2>&1 ;;
    esac
    code=$?
    [ $code = 2 ] || fail "$command $option $value: exit code $code: $(head -n 3 "$scratch/out")"
    grep -F -- "$option" "$scratch/out" | grep -qF -- "'$value'" || fail "$command $option $value: not named: $(head -n 3 "$scratch/out")"
  done
}
nonsense="x 1x 1e3x 0x10 1_000 nan inf 1e999 -1e999"
whole="$nonsense 1.5 1e3 9223372036854775808 99999999999999999999999 -9223372036854775809"
if [ -n "${CKPT_SANITIZED:-}" ]; then
  echo "SKIP most values of each option: one function parses them all, and each needs a process"
  nonsense="1x nan"
  whole="$nonsense 1.5 9223372036854775808"
fi
wrong train --steps $whole -4
wrong train --batch $whole 0 -1 1048577 4294967297
wrong train --seed $nonsense 1.5 18446744073709551616 -1
wrong train --threads $whole -1 1025 4294967296
wrong train --keep $whole -1
wrong train --stages $whole 0 1025 4294967297
wrong train --micro-batches $whole 0 65537 4294967297
wrong train --chunks $whole -1 1025
wrong train --learning-rate $nonsense 0 -1 1e-999
wrong train --last-rate $nonsense -1
wrong train --warm-up $whole -1
for size in --blocks --width --heads --context; do wrong train "$size" $whole 0 -1 65537; done
wrong train --first-save-seconds $nonsense -1 1e13
wrong train --notice-seconds $nonsense -1 1e13
wrong train --save-every $whole -3
wrong simulate --nodes $whole 0 1000001 4294967297
wrong simulate --failures $whole 0 1000001
wrong simulate --replicas $whole 0 100001
wrong simulate --remote-every $whole 0
wrong simulate --seed $nonsense 1.5 18446744073709551616 -1
wrong simulate --cost $nonsense 0 -1 1e-7 1e-308 1e13
wrong simulate --restart $nonsense -1 1e13
wrong simulate --poll $nonsense 0 -1 1e-7 1e-308 1e13
wrong simulate --local-cost $nonsense -1 1e13
wrong simulate --remote-share $nonsense -0.1 1.1

refuses 1 "MTBF is 1e+308: 200 failures span more seconds than a double can represent" simulate --trace exponential:1e308

# The limits of the ranges are valid.
succeeds train --model mlp --data "$text" --batch 1 --steps 0 --seed 18446744073709551615 --keep 9223372036854775807 --threads 1 --quiet
succeeds simulate --trace "$scratch/trace" --policies daly --cost 1e-6 --poll 1e12 --restart 0 --remote-share 1 --seed 18446744073709551615

# Amounts of memory.
for budget in 0 -5% x 12XB 1e400 nan inf % 101% 1e300% 4e18TiB 0.5 0x10; do
  refuses 1 "--memory-budget: '$budget': expected a memory budget" train --model mlp --data "$text" "--memory-budget=$budget"
done
for activations in memory:1e400 memory:0 memory:40% memory:x selective:9223372036854775808 selective:-1 selective:1.5 selective: every; do
  refuses 1 "--activations: '$activations'" train --model mlp --data "$text" --activations "$activations"
done

# Empty strings are not valid names.
for option in --data --dir --json --report --timeline --memory-report --strategy --planner --memory-budget --activations --save-every --resume --steps; do
  refuses 2 "$option" train "$option" ""
done
[ -z "$(find . -maxdepth 1 -name 'step-*')" ] || fail "an empty directory's name took the current one"
for option in --trace --policies --json --report --cost; do refuses 2 "$option" simulate --trace "$scratch/trace" "$option" ""; done
refuses 2 "path" inspect ""
refuses 2 "path" verify ""
refuses 2 "a:" diff "" "$scratch"
refuses 2 "b:" diff "$scratch" ""
refuses 2 "from" convert "" "$scratch/x.npz"
refuses 2 "to:" convert "$scratch" ""
refuses 2 "--group" convert "$scratch" "$scratch/x.npz" --group ""

# No arguments make a simulation run forever.
ends() {
  timeout 60 "$ckpt" simulate "$@" >"$scratch/out" 2>&1
  code=$?
  [ $code -le 2 ] || fail "simulate $*: exit code $code: $(cat "$scratch/out")"
}
for cost in 1e-6 1e-5 1e-4 1e-3 1e12; do
  for trace in "$scratch/trace" exponential:1e-300 exponential:1 exponential:1e6 exponential:1e300 weibull:1e-3:1e5 weibull:1e3:1e5; do
    ends --trace "$trace" --failures 3 --replicas 1 --cost "$cost"
  done
done
ends --trace exponential:1e15 --failures 3 --replicas 1 --cost 1e-6 --poll 1e-6
ends --trace exponential:1e5 --failures 3 --replicas 1 --policies fixed:1e-300,fixed:1e300,bayes:1e-300
finish
