# trees.sh SCRATCH "language=command line"...: checks that values of any shape written in each language are read in every one, and
# that C++ rewrites Python's random trees unchanged.
set -eu
scratch=$1
shift
rm -rf "$scratch"
mkdir -p "$scratch"

pairs=0
for writing in "$@"; do
  writer=${writing%%=*}
  # shellcheck disable=SC2086 # a command line is split into its words
  wrote=$(${writing#*=} write-trees "$scratch/$writer") || { echo "$writer cannot write" >&2; exit 1; }
  for reading in "$@"; do
    # shellcheck disable=SC2086
    read=$(${reading#*=} read-trees "$scratch/$writer") || { echo "${reading%%=*} cannot read what $writer wrote" >&2; exit 1; }
    [ "$read" = "read${wrote#wrote}, all equal" ] || { echo "$writer $wrote; ${reading%%=*} $read" >&2; exit 1; }
    pairs=$((pairs + 1))
  done
done

# Checks that readers verify: a reader that accepts everything would have passed so far.
first=${1%%=*}
file=$(find "$scratch/$first" -name 'values.safetensors')
printf 'x' | dd of="$file" bs=1 seek=$(($(wc -c <"$file") - 1)) conv=notrunc 2>/dev/null
for reading in "$@"; do
  # shellcheck disable=SC2086
  if ${reading#*=} read-trees "$scratch/$first" >/dev/null 2>&1; then
    echo "${reading%%=*} reads damaged trees" >&2
    exit 1
  fi
done

copied=
for one in "$@"; do
  for other in "$@"; do
    case $one,$other in
      python=*,cpp=*)
        # shellcheck disable=SC2086
        ${one#*=} write-random-trees "$scratch/random" && ${other#*=} copy-trees "$scratch/random" "$scratch/copied"
        # shellcheck disable=SC2086
        copied=$(${one#*=} read-random-trees "$scratch/copied")
        ;;
    esac
  done
done
rm -rf "$scratch"
echo "$pairs pairs compared; copied by C++: ${copied:-SKIP, no Python in this build}"
