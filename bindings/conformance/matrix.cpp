// The checkpoint that every language writes and every language reads: README.md, "The matrix".
#include "runner.hpp"

#include <cstdio>
#include <cstring>

namespace conformance {

namespace {

constexpr const char* long_group = "modèle";

struct Expected {
  std::string group;
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::int64_t seed;
};

std::vector<Expected> tensors() {
  std::vector<Expected> all;
  for (std::int32_t dtype = 1; dtype <= 22; ++dtype) {
    const std::string name(ckpt::dtype_name(static_cast<ckpt::DType>(dtype)));
    all.push_back({"dtypes", name, name, {3, 8}, dtype});
  }
  all.push_back({long_group, "gewicht/ß ☃ 漢字 🙂", "F32", {2, 3, 4}, 30});
  all.push_back({long_group, "empty", "F64", {0, 5}, 31});
  all.push_back({long_group, "scalar", "I64", {}, 32});
  all.push_back({long_group, "long", "U8", {100003}, 33});
  return all;
}

const std::vector<std::pair<std::string, std::string>> values = {
    {"step", "42"},
    {"data_position", R"({"byte":4096})"},
    {"größe ☃", R"({"list":[1,-2,9007199254740993,true,null],"text":"漢字 🙂 \"quoted\" \\ line\nend"})"},
};

ckpt::State make_state(std::vector<ckpt::Tensor>& owned, bool filled) {
  ckpt::State state;
  for (const auto& t : tensors()) {
    owned.push_back(make_tensor(t.dtype, t.shape, filled ? t.seed : 99));
    state.add(t.group, t.name, owned.back());
  }
  return state;
}

int unequal(const char* what, const std::string& name) {
  std::fprintf(stderr, "%s %s differs from the written one\n", what, name.c_str());
  return 1;
}

}  // namespace

int write_matrix(const std::string& directory) {
  std::vector<ckpt::Tensor> owned;
  ckpt::State state = make_state(owned, true);
  for (const auto& value : values) state.set_json(value.first, value.second);
  ckpt::CheckpointManager checkpoint(ckpt::Storage::file_system(directory));
  ckpt::SaveOptions options;
  options.step = 7;
  options.seed = 18446744073709551615U;
  options.prefix = "matrix";
  checkpoint.save(state, options);
  std::printf("wrote %zu tensors and %zu values\n", owned.size(), values.size());
  return 0;
}

int read_matrix(const std::string& directory) {
  std::vector<ckpt::Tensor> owned;
  ckpt::State state = make_state(owned, false);
  ckpt::CheckpointManager checkpoint = ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(directory));
  const ckpt::LoadResult loaded = checkpoint.load(state);
  if (loaded.step != 7 || loaded.seed != 18446744073709551615U) return unequal("checkpoint", loaded.name);

  std::vector<ckpt::Tensor> written;
  make_state(written, true);
  const auto all = tensors();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!owned[i].bit_equal(written[i])) return unequal("tensor", all[i].name);
  }
  for (const auto& value : values) {
    if (state.json(value.first) != value.second) return unequal("value", value.first);
  }
  std::printf("read %zu tensors and %zu values, all equal\n", all.size(), values.size());
  return 0;
}

}  // namespace conformance
