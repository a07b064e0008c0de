# An external CMake project: find_package(ckpt), a C99 and a C++17 program; each component; a component that does not exist.
set -eu
out=$WORK/find_package
rm -rf "$out"
mkdir -p "$out"
# configure DIRECTORY OPTION...
configure() {
  directory=$1
  shift
  "$CMAKE" -S consumer -B "$out/$directory" -DCMAKE_PREFIX_PATH="$STAGE" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
    -DEXPECTED_PREFIX="$STAGE" "$@"
}
# run_both DIRECTORY OPTION...
run_both() {
  configure "$@"
  "$CMAKE" --build "$out/$1"
  "$out/$1/consumer_c"
  "$out/$1/consumer_cpp"
}
run_both plain
run_both shared -DCOMPONENTS=shared

# Until 1.0 another minor version is incompatible, also a lower one; from then on another major version.
version=$(sed -n 's/^Version: //p' "$STAGE/$LIBDIR/pkgconfig/ckpt.pc")
major=${version%%.*}
minor=${version#*.}
patch=${minor#*.}
minor=${minor%%.*}
other="$major.$((minor + 1));$major.$((minor + 1)).0;$major.$minor.$((patch + 1));$((major + 1)).0"
if [ "$major" = 0 ]; then
  [ "$minor" = 0 ] || other="$other;0.$((minor - 1));0.$((minor - 1)).0"
else
  other="$other;$((major - 1)).0"
fi
components=shared
[ ! -e "$STAGE/$LIBDIR/libckpt-s3.so.$SOVERSION" ] || components="shared;s3"
"$CMAKE" -S versions -B "$out/versions" -DCMAKE_PREFIX_PATH="$STAGE" -DCMAKE_C_COMPILER="$CC" \
  -DCOMPONENTS="$components" -DSAME="$major.$minor;$major.$minor.0;$version" -DOTHER="$other"

if configure wrong -DCOMPONENTS="shared;sharde" >"$out/wrong.txt" 2>&1; then
  echo "an unknown component was accepted" >&2
  exit 1
fi
grep -q "component sharde: there is none; known are shared, static, s3 and mpi" "$out/wrong.txt" || { cat "$out/wrong.txt" >&2; exit 1; }

if [ -e "$STAGE/$LIBDIR/libckpt-mpi.so.$SOVERSION" ]; then
  run_both mpi -DCOMPONENTS=mpi -DTARGET=ckpt::mpi
fi
if [ -e "$STAGE/$LIBDIR/libckpt.a" ]; then
  run_both static -DCOMPONENTS=static -DTARGET=ckpt::ckpt_static
  if ldd "$out/static/consumer_c" "$out/static/consumer_cpp" | grep -F libckpt.so; then
    echo "the programs above need the shared library" >&2
    exit 1
  fi
else
  echo "SKIP static: this build has no libckpt.a"
  if configure static -DCOMPONENTS=static >"$out/static.txt" 2>&1; then
    echo "component static was found, but this build has no libckpt.a" >&2
    exit 1
  fi
  grep -q "component static: this build has no libckpt.a" "$out/static.txt" || { cat "$out/static.txt" >&2; exit 1; }
fi
