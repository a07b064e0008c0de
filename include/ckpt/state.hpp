// state.hpp - the C++17 face of state.h: durable checkpoints, and safetensors files.
//
//   ckpt::State state;
//   state.add("model", "weight", weight.handle());
//   state.set_json("optimizer.step", "12");
//   ckpt::Checkpoint checkpoint(ckpt::Storage::file_system("checkpoints"));
//   if (const auto loaded = checkpoint.load_if_any(state)) first_step = loaded->step;
//   ckpt::SaveOptions options;
//   options.step = 12;
//   checkpoint.save(state, options);
#ifndef CKPT_STATE_HPP
#define CKPT_STATE_HPP

#include <ckpt/state.h>
#include <ckpt/base.hpp>
#include <ckpt/storage.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

// What is saved and restored.
class State {
 public:
  State() { check(ckpt_state_create(state_.out())); }

  // The tensor is shared and kept alive.
  void add(const std::string& group, const std::string& name, ckpt_tensor* tensor) {
    check(ckpt_state_add_tensor(handle(), group.c_str(), name.c_str(), tensor));
  }
  std::int64_t tensor_count() const {
    std::int64_t count = 0;
    check(ckpt_state_tensor_count(handle(), &count));
    return count;
  }

  void set_json(const std::string& key, const std::string& json) {
    check(ckpt_state_set_json(handle(), key.c_str(), json.c_str()));
  }
  std::string json(const std::string& key) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_json(handle(), key.c_str(), buffer, capacity, needed);
    });
  }

  ckpt_state* handle() const noexcept { return state_.get(); }

 private:
  detail::Handle<ckpt_state, ckpt_state_release> state_;
};

struct SaveOptions {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::string metadata_json;     // "": null
  std::string environment_json;  // "": null
};

struct SaveResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

struct LoadOptions {
  std::string name;  // "": the newest valid one
  bool verify = true;
  std::string environment_json;  // "": not compared
};

struct LoadResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::uint64_t seed = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;
  bool environment_differs = false;
};

struct CheckpointInfo {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = -1;
  std::int64_t bytes = 0;
  ckpt_status status = CKPT_OK;
};

struct VerifyResult {
  std::string name;
  std::int64_t files = 0;
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
};

// The checkpoints in one storage.
class Checkpoint {
 public:
  // A writer: holds the storage's lock as long as it lives. keep_last 0 keeps all.
  explicit Checkpoint(const Storage& storage, std::int64_t keep_last = 0) : Checkpoint(storage, 0, keep_last) {}
  // Changes nothing, needs no lock.
  static Checkpoint read_only(const Storage& storage) { return Checkpoint(storage, 1, 0); }

  // Durable when it returns.
  SaveResult save(const State& state, const SaveOptions& options) {
    ckpt_save_options given = CKPT_SAVE_OPTIONS_INIT;
    given.step = options.step;
    given.seed = options.seed;
    given.metadata_json = or_null(options.metadata_json);
    given.environment_json = or_null(options.environment_json);
    ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
    check(ckpt_checkpoint_save(handle(), state.handle(), &given, &result));
    return {result.name, result.step, result.commit_sequence, result.files, result.bytes};
  }

  // All or nothing: when this throws, the state is what it was.
  LoadResult load(State& state, const LoadOptions& options = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(load_into(state, options, result));
    return converted(result);
  }
  // Nothing when there is no checkpoint (of that name); throws when there are some but none is usable.
  std::optional<LoadResult> load_if_any(State& state, const LoadOptions& options = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    const ckpt_status status = load_into(state, options, result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return converted(result);
  }

  // In the order in which a load tries them, good or not.
  std::vector<CheckpointInfo> list() const {
    std::int64_t count = 0;
    check(ckpt_checkpoint_count(handle(), &count));
    std::vector<CheckpointInfo> all;
    for (std::int64_t i = 0; i < count; ++i) {
      ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
      check(ckpt_checkpoint_at(handle(), i, &info));
      all.push_back({info.name, info.step, info.commit_sequence, info.bytes, info.status});
    }
    return all;
  }

  // The manifest's JSON text. name: of the list, or CKPT_CHECKPOINT_SELF.
  std::string manifest(const std::string& name) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manifest(handle(), name.c_str(), buffer, capacity, needed);
    });
  }

  // Checks every checksum; the Error names the first bad file and tensor. name "": the newest that has a manifest.
  VerifyResult verify(const std::string& name = {}) const {
    ckpt_verify_result result = CKPT_VERIFY_RESULT_INIT;
    check(ckpt_checkpoint_verify(handle(), or_null(name), &result));
    return {result.name, result.files, result.tensors, result.bytes};
  }

  ckpt_checkpoint* handle() const noexcept { return checkpoint_.get(); }

 private:
  Checkpoint(const Storage& storage, std::int32_t read_only, std::int64_t keep_last) {
    ckpt_checkpoint_options options = CKPT_CHECKPOINT_OPTIONS_INIT;
    options.read_only = read_only;
    options.keep_last = keep_last;
    check(ckpt_checkpoint_create(storage.handle(), &options, checkpoint_.out()));
  }
  ckpt_status load_into(State& state, const LoadOptions& options, ckpt_load_result& result) {
    ckpt_load_options given = CKPT_LOAD_OPTIONS_INIT;
    given.verify = options.verify ? CKPT_VERIFY_FULL : CKPT_VERIFY_NONE;
    given.name = or_null(options.name);
    given.environment_json = or_null(options.environment_json);
    return ckpt_checkpoint_load(handle(), state.handle(), &given, &result);
  }
  static LoadResult converted(const ckpt_load_result& result) {
    return {result.name,  result.step,    result.commit_sequence,         result.seed,
            result.bytes, result.skipped, result.environment_differs != 0};
  }
  static const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

  detail::Handle<ckpt_checkpoint, ckpt_checkpoint_release> checkpoint_;
};

struct TensorInfo {
  std::string name;
  ckpt_dtype dtype = 0;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  // in the file
};

// Any safetensors file, opened for reading; it is valid when this does not throw.
class Safetensors {
 public:
  explicit Safetensors(const std::string& path) { check(ckpt_safetensors_open(path.c_str(), file_.out())); }

  std::int64_t count() const {
    std::int64_t count = 0;
    check(ckpt_safetensors_count(handle(), &count));
    return count;
  }
  // In the order of the data.
  TensorInfo at(std::int64_t index) const {
    ckpt_tensor_info info = CKPT_TENSOR_INFO_INIT;
    check(ckpt_safetensors_tensor(handle(), index, &info));
    TensorInfo out{info.name, info.dtype, {}, info.bytes, info.offset};
    if (info.ndim > 0) out.shape.assign(info.shape, info.shape + info.ndim);
    return out;
  }
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::int64_t count = 0;
    check(ckpt_safetensors_metadata_count(handle(), &count));
    std::vector<std::pair<std::string, std::string>> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const char* key = nullptr;
      const char* value = nullptr;
      check(ckpt_safetensors_metadata(handle(), i, &key, &value));
      all.emplace_back(key, value);
    }
    return all;
  }
  // Into a tensor of the same dtype and shape.
  void read(std::int64_t index, ckpt_tensor* tensor) { check(ckpt_safetensors_read(handle(), index, tensor)); }

  ckpt_safetensors* handle() const noexcept { return file_.get(); }

 private:
  detail::Handle<ckpt_safetensors, ckpt_safetensors_release> file_;
};

}  // namespace ckpt

#endif  // CKPT_STATE_HPP
