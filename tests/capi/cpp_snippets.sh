# C++ in README.md, docs/ and examples/ uses no struct, handle or constant of C, and every C++ block compiles.
set -eu
. tests/capi/lib.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Writes block_N.cpp for each fenced block of C++; a block that is not a program is put into a function with the objects that the
# documents use.
awk -v folder="$folder" '
  FNR == 1 && inside { print FILENAME ": a block does not end"; exit 1 }
  /^```(cpp|c\+\+)$/ { inside = 1; text = ""; includes = ""; program = 0; first = FNR; next }
  inside && /^```$/ {
    inside = 0
    out = folder "/block_" ++count ".cpp"
    print "// " FILENAME ":" first > out
    print includes > out
    if (program) { print text > out; close(out); next }
    print "#include <ckpt/ckpt.hpp>\n#include <iostream>" > out
    print "void train(ckpt::MemoryTracker&);" > out
    print "void block(ckpt::Chain& chain, const ckpt::TensorSpec& input, ckpt::Optimizer& optimizer, const ckpt::Step& step, ckpt::State& state," > out
    print "           ckpt::CheckpointManager& checkpoints, std::int64_t budget_bytes);" > out
    print "void block(ckpt::Chain& chain, const ckpt::TensorSpec& input, ckpt::Optimizer& optimizer, const ckpt::Step& step, ckpt::State& state," > out
    print "           ckpt::CheckpointManager& checkpoints, std::int64_t budget_bytes) {{\n" text "}}" > out
    close(out)
    next
  }
  inside && /^#include/ { includes = includes $0 "\n"; next }
  inside { text = text $0 "\n"; if ($0 ~ /int main/) program = 1 }
' README.md $(find docs -name '*.md' | LC_ALL=C sort)

# The header is precompiled; a compiler that does not support that reads the header itself.
mkdir -p "$folder/made/ckpt"
"$CXX" -std=c++17 -Iinclude -x c++-header include/ckpt/ckpt.hpp -o "$folder/made/ckpt/ckpt.hpp.gch"

count=0
raw='ckpt_[a-z_]+|CKPT_[A-Z]|handle\(\)'
for block in "$folder"/block_*.cpp examples/cpp/*.cpp examples/readme/*.cpp; do
  if grep -q "ckpt/torch.h" "$block"; then
    echo "SKIP $(head -1 "$block"): the LibTorch tests compile such code"
    continue
  fi
  count=$((count + 1))
  must_be_empty "$(head -1 "$block") shows C" "$(grep -vE '^(//|#include|void block|           ckpt)' "$block" | grep -nE "$raw" || true)"
  "$CXX" -std=c++17 -fsyntax-only -I"$folder/made" -Iinclude "$block" || { echo "$(head -1 "$block"): does not compile"; failed=1; }
done
[ "$count" -ge 10 ] || { echo "expected at least 10 blocks, found $count"; failed=1; }
echo "$count blocks"
exit $failed
