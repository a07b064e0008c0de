# A CMake project of a stranger: find_package(ckpt), a C99 and a C++17 program.
set -eu
rm -rf "$WORK/find_package"
"$CMAKE" -S consumer -B "$WORK/find_package" -DCMAKE_PREFIX_PATH="$STAGE" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DEXPECTED_PREFIX="$STAGE"
"$CMAKE" --build "$WORK/find_package"
"$WORK/find_package/consumer_c"
"$WORK/find_package/consumer_cpp"
