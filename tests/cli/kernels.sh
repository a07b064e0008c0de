# OpenBLAS's kernels: the command selects the best ones, a resumed run keeps those of its checkpoint, and OPENBLAS_CORETYPE
# overrides both.
. "$(dirname "$0")/lib.sh"
flags=" $(sed -n 's/^flags[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1) "
for flag in avx2 fma; do
  case "$flags" in
  *" $flag "*) ;;
  *)
    echo "SKIP: this processor has no $flag, so it runs no Haswell kernels"
    exit 77
    ;;
  esac
done
unset OPENBLAS_CORETYPE CKPT_OPENBLAS
text="$scratch/text"
make_text "$text"
checksum() { sed -n 's/.*"model_checksum": "\(.*\)".*/\1/p' "$1"; }
# train CORETYPE ARG...: with the variable set to CORETYPE; "-": unset.
train() {
  if [ "$1" = - ]; then unset OPENBLAS_CORETYPE; else export OPENBLAS_CORETYPE="$1"; fi
  shift
  succeeds train --model mlp --data "$text" --batch 32 --quiet --verbose "$@"
  unset OPENBLAS_CORETYPE
}
does_not_say() { ! grep -qF -- "$1" "$scratch/out" || fail "'$1' in: $(cat "$scratch/out")"; }
is_narrow="its kernels are"
differs="results may differ in their last bits"

# The best ones: on an unknown processor OpenBLAS itself may choose its oldest ones.
train - --steps 2 --dir "$scratch/best"
says "engine: BLAS: OpenBLAS"
does_not_say "$is_narrow"
train "" --steps 2 # empty value
does_not_say "$is_narrow"

train Haswell --steps 9 --dir "$scratch/whole" --json "$scratch/whole.json"
says " Haswell MAX_THREADS"
train Haswell --steps 4 --dir "$scratch/cut"
cp -r "$scratch/cut" "$scratch/other"
train - --steps 9 --dir "$scratch/cut" --resume require --json "$scratch/cut.json"
says "resumed from step-000000000004"
says " Haswell MAX_THREADS"
does_not_say "$differs"
does_not_say "environment"
[ -n "$(checksum "$scratch/whole.json")" ] || fail "no checksum in the report"
[ "$(checksum "$scratch/whole.json")" = "$(checksum "$scratch/cut.json")" ] || fail "the resumed run ended with other parameters"

# The variable takes precedence, and the warning is still printed.
train Nehalem --steps 9 --dir "$scratch/other" --resume require
says " Nehalem MAX_THREADS"
says "$is_narrow Nehalem"
says "was written in the environment"

# An empty or missing directory has no kernels to keep; an unreadable one is reported by the code that reads it.
mkdir "$scratch/empty"
train - --steps 1 --dir "$scratch/empty"
does_not_say "$is_narrow"
train - --steps 1 --dir "$scratch/missing"
does_not_say "$is_narrow"
refuses 1 "NOT_FOUND" sample --dir "$scratch/nothing" --prompt a

# Other commands that compute.
succeeds plan --model mlp --batch 32 --budget 60%
does_not_say "$is_narrow"

# Text is sampled with the kernels of its model.
train() {
  succeeds train --data "$text" --blocks 1 --width 16 --heads 1 --context 16 --batch 2 --quiet "$@"
}
export OPENBLAS_CORETYPE=Nehalem
train --steps 1 --dir "$scratch/transformer"
unset OPENBLAS_CORETYPE
succeeds sample --dir "$scratch/transformer" --prompt a --length 2
says "$is_narrow Nehalem"
does_not_say "$differs"
finish
