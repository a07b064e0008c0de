# ./dev: refusals, warnings as errors, and the table of times. Variables as in CMakeLists.txt.
set -eu
fail() { echo "$*" >&2; exit 1; }
scratch=$WORK/dev-command
rm -rf "$scratch"
mkdir -p "$scratch/bin"

# refuses CODE TEXT ARG...: expects that exit code, and TEXT in the output.
refuses() {
  code=$1
  text=$2
  shift 2
  got=0
  CKPT_NO_INSTALL=1 sh "$SOURCE/dev" "$@" >"$scratch/out" 2>&1 || got=$?
  [ $got = "$code" ] || fail "./dev $*: exit code $got, expected $code: $(cat "$scratch/out")"
  grep -qF -- "$text" "$scratch/out" || fail "./dev $*: no '$text' in: $(cat "$scratch/out")"
}
refuses 1 "unknown command tset" tset
refuses 1 "unknown option --ful" test --ful
refuses 1 "expected one suite, trixie or sid" test --distro
refuses 1 "expected trixie or sid" test --distro stretch
refuses 1 'expected a number of seconds, found "1m"' test --soak 1m
printf '#!/bin/sh\ncase $1 in -u) echo 1000 ;; *) echo other ;; esac\n' >"$scratch/bin/id"
chmod +x "$scratch/bin/id"
usual=$PATH
PATH=$scratch/bin:$PATH
refuses 3 "user other is not root" test --distro trixie
PATH=$usual
grep -qF "It needs root (for chroot and mounts), mmdebstrap or debootstrap, git, and a Debian mirror." "$scratch/out" ||
  fail "the requirements of --distro are not in: $(cat "$scratch/out")"

# Warnings are errors in the presets of ./dev test, and not in other builds.
grep -q -- "-Werror" "$BUILD/build.ninja" || fail "this build accepts warnings"
"$CMAKE" -S "$SOURCE" -B "$scratch/plain" -G Ninja -DCKPT_BUILD_TESTS=OFF -DCKPT_BUILD_BENCH=OFF -DCKPT_BUILD_EXAMPLES=OFF \
  "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_CXX_COMPILER=$CXX" >"$scratch/out" 2>&1 || fail "configuring without a preset: $(cat "$scratch/out")"
! grep -q -- "-Werror" "$scratch/plain/build.ninja" || fail "a build without a preset has warnings as errors"

# The table of times adds the phases of each tier.
mkdir "$scratch/times" "$scratch/times/build"
printf 'build release\t61\ntest release (first)\t7\n' >"$scratch/times/build/times-first.tsv"
printf 'build release\t5\n' >"$scratch/times/build/times-services.tsv"
(cd "$scratch/times" && python3 "$SOURCE/tools/times") >"$scratch/out"
for line in "tier first:" "1 min 01 s  build release" "1 min 08 s  total" "tier services:" "0 min 05 s  total"; do
  grep -qF "$line" "$scratch/out" || fail "./dev times: no '$line' in: $(cat "$scratch/out")"
done
