// Values of any shape that every language writes and every language reads: README.md, "Trees".
#include "runner.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace conformance {

namespace {

using ckpt::Value;

// The values that each language creates from its own types.
Value expected() {
  Value seconds = 0.25;
  seconds.attributes() = {{"unit", "s"}};
  return Value::dict({
      {"nothing", nullptr},
      {"truths", Value::list({true, false})},
      {"integers", Value::list({0, -7, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})},
      {"big", std::numeric_limits<std::uint64_t>::max()},
      {"numbers", Value::list({0.1, -0.0, 1e300, 5e-324, 3.0, std::numeric_limits<double>::infinity()})},
      {"text", std::string("größe ☃ 漢字 🙂 \"quoted\" \\ line\nend\0.", 45)},
      {"surrogate", "a\xED\xA0\x80"},
      {"bytes", Value::bytes("\0\xFF\x7F", 3)},
      {"empty", Value::list({Value::list(), Value::dict(), "", Value::bytes("", 0)})},
      {"keys", Value::dict({{7, "seven"}, {"a.b/c", 1}, {true, 2}, {nullptr, 3}})},
      {"deep", Value::list({Value::list({Value::dict({{"x", Value::list({1})}})})})},
      {"doubles", std::vector<double>{1.5, -2.5}},
      {"floats", std::vector<float>{0.5F}},
      {"ints", std::vector<std::int32_t>{1, -2, 3}},
      {"longs", std::vector<std::int64_t>{-9007199254740993}},
      {"none", std::vector<double>{}},
      {"module", ckpt::value_of_tree_text(R"({"format":"ckpt-tree","format_version":2,"nodes":[["attributes"],["ordered_dict",2],)"
                                          R"("w",1.5,"n",2,["dict",1],"_metadata",["dict",1],"",["dict",1],"version",1]})")},
      {"seconds", seconds},
  });
}

// Compares by what the languages have in common: arrays are equal regardless of the library they came from.
bool same(const Value& left, const Value& right) {
  const bool has_attributes = !left.attributes().empty() || !right.attributes().empty();
  if (has_attributes && !same(Value::dict(left.attributes()), Value::dict(right.attributes()))) return false;
  if (left.is_tensor() && right.is_tensor()) return left.get<ckpt::Tensor>().bit_equal(right.get<ckpt::Tensor>());
  if (left.is_dict() && right.is_dict()) {
    if (left.size() != right.size()) return false;
    for (const auto& [key, value] : left.items()) {
      const Value* const other = right.find(key);
      if (other == nullptr || !same(value, *other)) return false;
    }
    return true;
  }
  if (left.is_list() && right.is_list()) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!same(left[i], right[i])) return false;
    }
    return true;
  }
  return left == right;
}

}  // namespace

int write_trees(const std::string& directory) {
  ckpt::State state;
  ckpt::Tensor tensor = make_tensor("BF16", {2, 3}, 5);
  state.set("values", expected());
  state.set("tensors", Value::list({tensor, tensor}));
  ckpt::CheckpointManager(ckpt::Storage::file_system(directory)).save(state, 1);
  std::printf("wrote %zu values\n", expected().size());
  return 0;
}

int read_trees(const std::string& directory) {
  ckpt::Reader reader(ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(directory)));
  const auto values = reader.get<Value>("values");
  for (const auto& [key, value] : expected().items()) {
    if (values.has(key) && same(values[key], value)) continue;
    std::fprintf(stderr, "%s differs from the written one\n", key.get<std::string>().c_str());
    return 1;
  }
  const auto tensors = reader.get<std::vector<ckpt::Tensor>>("tensors");
  if (tensors.size() != 2 || !tensors[0].bit_equal(make_tensor("BF16", {2, 3}, 5)) || tensors[0].data() != tensors[1].data()) {
    std::fprintf(stderr, "tensors differ from the written one, or do not share memory\n");
    return 1;
  }
  std::printf("read %zu values, all equal\n", values.size());
  return 0;
}

// Reads every tree of a checkpoint as values and writes it again.
int copy_trees(const std::string& from, const std::string& to) {
  ckpt::Reader reader(ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(from)));
  ckpt::State state;
  std::size_t count = 0;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) {
    const ckpt::TensorInfo info = reader.tensor(i);
    if (info.name != CKPT_TREE_TENSOR) continue;
    state.set(info.group, reader.get<Value>(info.group));
    ++count;
  }
  ckpt::CheckpointManager(ckpt::Storage::file_system(to)).save(state, 1);
  std::printf("copied %zu trees\n", count);
  return 0;
}

}  // namespace conformance
