# matrix.sh SCRATCH "language=command line"...: a checkpoint written in each language is read in every one.
set -eu
scratch=$1
shift
languages="cpp python java csharp"
rm -rf "$scratch"
mkdir -p "$scratch"

# command_of LANGUAGE RUNNER...: prints its command line, nothing when there is none.
command_of() {
  wanted=$1
  shift
  for runner in "$@"; do
    case $runner in
      "$wanted="*) printf '%s' "${runner#*=}" ;;
    esac
  done
}

built=
for language in $languages; do
  if [ -n "$(command_of "$language" "$@")" ]; then
    built="$built $language"
  else
    echo "SKIP $language: no runner in this build"
  fi
done
[ -n "$built" ] || { echo "no runner at all" >&2; exit 1; }

pairs=0
for writer in $built; do
  # shellcheck disable=SC2046 # a command line is split into its words
  wrote=$($(command_of "$writer" "$@") write "$scratch/$writer") || { echo "$writer cannot write" >&2; exit 1; }
  for reader in $built; do
    # shellcheck disable=SC2046
    read=$($(command_of "$reader" "$@") read "$scratch/$writer") || { echo "$reader cannot read what $writer wrote" >&2; exit 1; }
    if [ "$read" != "read${wrote#wrote}, all equal" ]; then
      echo "$writer $wrote; $reader $read" >&2
      exit 1
    fi
    pairs=$((pairs + 1))
  done
done

# Checks that readers verify: a reader that accepts everything would have passed so far.
first=${built# }
first=${first%% *}
file=$(find "$scratch/$first" -name 'dtypes.safetensors')
printf 'x' | dd of="$file" bs=1 seek=$(($(wc -c <"$file") - 1)) conv=notrunc 2>/dev/null
for reader in $built; do
  # shellcheck disable=SC2046
  if $(command_of "$reader" "$@") read "$scratch/$first" >/dev/null 2>&1; then
    echo "$reader reads a damaged checkpoint" >&2
    exit 1
  fi
done
rm -rf "$scratch"
echo "$pairs pairs compared:$built; each $wrote"
