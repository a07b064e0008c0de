# C++ in README.md, docs/, examples/ and at the top of the headers uses no struct, handle or constant of C, and all of it compiles.
set -eu
. tests/capi/lib.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Writes block_N.cpp for each fenced block of C++ that is a program, and all others into blocks.cpp, each in a separate function
# with the objects that the documents use: one compilation reads the header for all of them.
awk -v folder="$folder" '
  FNR == 1 && inside { print FILENAME ": a block does not end"; exit 1 }
  /^```(cpp|c\+\+)$/ { inside = 1; text = ""; includes = ""; program = 0; first = FNR; next }
  inside && /^```$/ {
    inside = 0
    if (includes text ~ /ckpt\/torch\.h/) {
      print "SKIP " FILENAME ":" first ": the LibTorch tests compile such code"
      next
    }
    ++count
    if (program) {
      out = folder "/block_" count ".cpp"
      print "// " FILENAME ":" first "\n" includes text > out
      close(out)
      next
    }
    all_includes = all_includes includes
    parameters = "(ckpt::Chain& chain, const ckpt::TensorSpec& input, ckpt::Optimizer& optimizer, const ckpt::Step& step,"
    parameters = parameters " ckpt::State& state, ckpt::CheckpointManager& checkpoints, std::int64_t budget_bytes)"
    functions = functions "void block_" count parameters ";\nvoid block_" count parameters " {{\n"
    functions = functions "#line " (first + 1) " \"" FILENAME "\"\n" text "}}\n"
    next
  }
  inside && /^#include/ { includes = includes $0 "\n"; next }
  inside { text = text $0 "\n"; if ($0 ~ /int main/) program = 1 }
  END {
    print "#include <ckpt/ckpt.hpp>\n#include <iostream>\n" all_includes "void train(ckpt::MemoryTracker&);\n" functions > (folder "/blocks.cpp")
    print count > (folder "/count")
  }
' README.md $(find docs -name '*.md' | LC_ALL=C sort)

# Writes header_examples.cpp: the indented code in the first comment of each header, without the descriptions after it.
cat >"$folder/header_examples.cpp" <<'CPP'
#include <ckpt/ckpt.hpp>
struct Vector {};
struct Tanh : ckpt::Framework<Vector> {
  Vector forward(const ckpt::DriveCall&, Vector&) override { return {}; }
  Recorded record(const ckpt::DriveCall&, Vector&) override { return {}; }
  std::optional<Vector> backward(const ckpt::DriveCall&, Vector*, Vector*, Vector*, Vector*) override { return {}; }
};
std::optional<Vector> gradient_of_the_loss(const Vector&);
CPP
awk -v parameters='ckpt::State& state, ckpt::CheckpointManager& checkpoints, ckpt::Tensor& weight, std::int64_t& first_step,
    const ckpt::SaveOptions& options, const ckpt::Schedule& schedule, Vector x0, ckpt::Reader& reader' '
  FNR == 1 { comment = 1; code = "" }
  comment && !/^\/\// {
    comment = 0
    if (code != "") {
      print "void example_" ++count "(" parameters ");\nvoid example_" count "(" parameters ") {{"
      print "#line 1 \"" FILENAME "\"\n" code "}}"
    }
  }
  comment && /^\/\/   / {
    line = substr($0, 6)
    sub(/;  +.*/, ";", line)
    if (line ~ /^\.\.\./) line = ""
    code = code line "\n"
    next
  }
  comment && /[a-z_]\(.*\);/ { print "#error " FILENAME ":" FNR ": code outside of the example: " substr($0, 4) }
' include/ckpt/*.hpp >>"$folder/header_examples.cpp"
examples=$(grep -c '^#line' "$folder/header_examples.cpp")
[ "$examples" -ge 4 ] || { echo "expected at least 4 examples of headers, found $examples"; failed=1; }

# The header is precompiled; a compiler that does not support that reads the header itself.
mkdir -p "$folder/precompiled/ckpt"
"$CXX" -std=c++17 -Iinclude -x c++-header include/ckpt/ckpt.hpp -o "$folder/precompiled/ckpt/ckpt.hpp.gch"

raw='ckpt_[a-z_]+|CKPT_[A-Z]|handle\(\)'
for source in "$folder"/block*.cpp "$folder/header_examples.cpp" examples/cpp/*.cpp examples/readme/*.cpp; do
  if grep -q "ckpt/torch.h" "$source"; then
    echo "SKIP $source: the LibTorch tests compile such code"
    continue
  fi
  must_be_empty "$source shows C" "$(grep -vE '^(//|#)' "$source" | grep -nE "$raw" || true)"
  "$CXX" -std=c++17 -fsyntax-only -I"$folder/precompiled" -Iinclude "$source" || { echo "$(head -1 "$source"): does not compile"; failed=1; }
done
count=$(cat "$folder/count")
[ "$count" -ge 10 ] || { echo "expected at least 10 blocks, found $count"; failed=1; }
echo "$count blocks, $examples examples of headers"
exit $failed
