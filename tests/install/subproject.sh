# subproject.sh configure|build: libckpt inside another project (subproject/CMakeLists.txt), which builds only the shared library. "configure"
# checks the compile commands; "build" compiles, and runs a program.
set -eu
unset CFLAGS CXXFLAGS LDFLAGS
mode=$1
out=$WORK/subproject_$mode
rm -rf "$out"
mkdir -p "$out"
# configure FOLDER OPTION...
configure() {
  folder=$1
  shift
  "$CMAKE" -S subproject -B "$out/$folder" -G "$GENERATOR" -DCKPT_SOURCE="$SOURCE" -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" >"$out/$folder.log" 2>&1 || { cat "$out/$folder.log" >&2; return 1; }
}
fail() {
  echo "$1" >&2
  exit 1
}
# commands FOLDER: prints the compile commands of the library; program_command FOLDER: prints that of the program.
commands() { grep '"command": ' "$out/$1/compile_commands.json" | grep -F -- "-c $SOURCE/" | grep -vF "$SOURCE/tests/"; }
program_command() { grep '"command": ' "$out/$1/compile_commands.json" | grep -F "consumer.dir"; }
# all FOLDER PATTERN, none FOLDER PATTERN: check that all or none of the library's compile commands match.
all() { ! commands "$1" | grep -vE -m 1 -- "$2" || fail "$1: the command above lacks '$2'"; }
none() { ! commands "$1" | grep -E -m 1 -- "$2" || fail "$1: the command above has '$2'"; }

if [ "$mode" = build ]; then
  configure plain -DCKPT_UNITY=ON
  nice "$CMAKE" --build "$out/plain" --parallel 2
  "$out/plain/consumer"
  set -- "$out"/plain/*
  for file in "$@"; do
    case ${file##*/} in
      CMakeCache.txt | CMakeFiles | Makefile | build.ninja | cmake_install.cmake | compile_commands.json | consumer | libckpt | libckpt_again) ;;
      .ninja* | _deps | CTestTestfile.cmake | files-*.txt) ;; # subproject/CMakeLists.txt generates files-*.txt
      *) fail "the build folder has $file" ;;
    esac
  done
  rm -rf "$out"
  exit 0
fi

# An empty build type: optimized through target options.
configure plain
[ "$(commands plain | wc -l)" -gt 100 ] || fail "too few compile commands"
grep -q '^CMAKE_BUILD_TYPE:STRING=$' "$out/plain/CMakeCache.txt" || fail "the build type is set"
all plain ' -O2 '
all plain ' -std=c\+\+20 '
all plain ' -DNDEBUG '
all plain ' -fPIC '
none plain ' -Werror'
if program_command plain | grep -E -- '-O2|NDEBUG|-fvisibility|-ffp-contract'; then fail "the program has options of the library"; fi
if grep -rlE 'file\(INSTALL|add_test' "$out/plain" --include=cmake_install.cmake --include=CTestTestfile.cmake; then
  fail "the files above install or test something"
fi

# A build type set by the project: only its flags.
configure debug -DCMAKE_BUILD_TYPE=Debug
none debug ' -O2| -DNDEBUG'
configure info -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g3"
all info ' -O1 -g3 '

# Settings of the project that conflict with those of the library; FetchContent.
configure strict -DSTRICT=ON -DHOW=FetchContent
all strict ' -Werror .*-Wno-error '
all strict ' -std=c\+\+20 '
all strict ' -fno-rtti .*-frtti '
all strict ' -fno-exceptions .*-fexceptions '
all strict ' -ffast-math .*-fno-fast-math .*-ffp-contract=off '
all strict ' -fPIC '
none strict '/trap '
grep -q "/strict/lib/libckpt\.so\." "$out/strict/files-.txt" || fail "the library is not where the project wants libraries"
! grep "/strict/lib/.*\.a$" "$out/strict/files-.txt" || fail "the archive above is where the project wants archives"
program_command strict | grep -q -- '-std=gnu++17' || fail "the program is not C++17: $(program_command strict)"
if "$CMAKE" -LA -N "$out/strict" | grep -E '^CMAKE_INSTALL_(LIBDIR|BINDIR)' | grep -v '=somewhere$'; then fail "CMAKE_INSTALL_* changed"; fi

# Options of libckpt set by the project.
configure werror -DCKPT_WERROR=ON
all werror ' -Wall .*-Werror '

# Several build types in one folder.
if [ "$GENERATOR" = Ninja ]; then
  GENERATOR="Ninja Multi-Config"
  configure multi
  all multi ' -O[0-9s] | -g '
  [ "$(commands multi | grep -c -- '-O2 -g -DNDEBUG')" -gt 100 ] || fail "RelWithDebInfo has not the project's flags"
fi
rm -rf "$out"
