#!/bin/sh
# Runs inside the root that run.sh created: upgrades the packages, then runs the demonstration and the release tests of all
# languages (C# on Mono). On trixie it then compiles the tree with GCC 13, the compiler of Ubuntu 24.04; on sid it compiles
# the library inside another project with clang.
set -eu
cd /source/libckpt
say() { printf '== %s\n' "$*"; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"; }

say "packages"
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get dist-upgrade -q -y
install g++ git
git config --global --add safe.directory /source/libckpt

./dev build release -DCKPT_UNITY=ON -DCKPT_BUILD_BENCH=OFF
say "compilers: $(g++ --version | head -n 1), $(swig -version | sed -n 's/^SWIG //p'), $(python3 --version), $(javac -version 2>&1)"
# First with the kernels of every machine with AVX2, so that checksums can be compared between systems, then with the best ones.
OPENBLAS_CORETYPE=Haswell ./dev demo
./dev demo
say "tests"
ctest --preset release -LE services -j "$(nproc)"
case $CKPT_DISTRO in
  trixie)
    install g++-13
    # Without tests and benchmarks, which cannot link libraries that GCC 14 compiled.
    cmake --preset release -B build/gcc-13 -DCMAKE_C_COMPILER=gcc-13 -DCMAKE_CXX_COMPILER=g++-13 -DCKPT_UNITY=ON \
      -DCKPT_BUILD_TESTS=OFF -DCKPT_BUILD_BENCH=OFF
    cmake --build build/gcc-13
    say "GCC 13: the library, the command, the languages and the examples compile without warnings"
    ;;
  sid)
    install clang
    (cd tests/install && WORK=/source/libckpt/build SOURCE=/source/libckpt CXX=clang++ CMAKE=cmake GENERATOR=Ninja sh subproject.sh build)
    say "$(clang --version | head -n 1): the library compiles inside another project"
    ;;
esac
