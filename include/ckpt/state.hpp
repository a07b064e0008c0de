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
#include <ckpt/tensor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
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
    check(ckpt_state_get_tensor_count(handle(), &count));
    return count;
  }

  void set_json(const std::string& key, const std::string& json) {
    check(ckpt_state_set_json(handle(), key.c_str(), json.c_str()));
  }
  std::string json(const std::string& key) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_json(handle(), key.c_str(), buffer, capacity, needed);
    });
  }

  // A save need not write the group's file again while none of its tensors has changed.
  void set_rarely_changes(const std::string& group, bool rarely = true) {
    check(ckpt_state_set_rarely_changes(handle(), group.c_str(), rarely ? 1 : 0));
  }
  // What the last load found missing and unexpected: {"missing":[{"group":"g","name":"n"}],"unexpected":[]}.
  std::string load_report() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_load_report(handle(), buffer, capacity, needed);
    });
  }

  // An object that adds what is saved of it before every save and load (list), and is notified after a load (restore). Both get
  // states that are valid during the call only: use their handles with the functions of state.h. What they throw becomes an Error
  // with CKPT_E_CALLBACK of the save or load.
  using List = std::function<void(ckpt_state* into)>;
  using Restore = std::function<void(const ckpt_state* loaded)>;
  void add_stateful(const std::string& name, List list, Restore restore) {
    struct Functions {
      List list;
      Restore restore;
    };
    auto functions = std::make_unique<Functions>(Functions{std::move(list), std::move(restore)});
    ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
    callbacks.list = [](ckpt_state* into, void* user_data) noexcept {
      return detail::callback_status([&] { static_cast<Functions*>(user_data)->list(into); });
    };
    callbacks.restore = [](const ckpt_state* loaded, void* user_data) noexcept {
      return detail::callback_status([&] {
        if (const auto& call = static_cast<Functions*>(user_data)->restore) call(loaded);
      });
    };
    callbacks.destroy = detail::destroy<Functions>;
    check(ckpt_state_add_stateful(handle(), name.c_str(), &callbacks, functions.get()));
    static_cast<void>(functions.release());
  }

  ckpt_state* handle() const noexcept { return state_.get(); }

 private:
  detail::Handle<ckpt_state, ckpt_state_release> state_;
};

struct SaveOptions {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::string metadata_json;     // "": null
  std::string environment_json;  // "": only what the library adds
  std::string prefix;            // of the checkpoint's name
  std::optional<double> metric;  // for CheckpointOptions::keep_best
  bool incremental = true;       // unchanged files of groups that rarely change are linked
};

struct SaveResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t linked = 0;
};

struct LoadOptions {
  std::string name;  // "": the newest valid one
  bool verify = true;
  std::string environment_json;  // "": only what the library knows is compared
  bool partial = false;          // see State::load_report
  bool in_place = false;         // faster and without memory of its own; undefined contents when it throws
};

struct LoadResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::uint64_t seed = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;  // newer ones that could not be used: see State::load_report
  bool environment_differs = false;
  std::int64_t missing = 0;
  std::int64_t unexpected = 0;
};

namespace detail {

inline const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// They borrow the texts.
inline ckpt_save_options to_c(const SaveOptions& options) {
  ckpt_save_options given = CKPT_SAVE_OPTIONS_INIT;
  given.step = options.step;
  given.seed = options.seed;
  given.metadata_json = or_null(options.metadata_json);
  given.environment_json = or_null(options.environment_json);
  given.prefix = or_null(options.prefix);
  given.metric = options.metric.value_or(0);
  given.has_metric = options.metric ? 1 : 0;
  given.incremental = options.incremental ? 1 : 0;
  return given;
}
inline ckpt_load_options to_c(const LoadOptions& options) {
  ckpt_load_options given = CKPT_LOAD_OPTIONS_INIT;
  given.verify = options.verify ? CKPT_VERIFY_FULL : CKPT_VERIFY_NONE;
  given.name = or_null(options.name);
  given.environment_json = or_null(options.environment_json);
  given.partial = options.partial ? 1 : 0;
  given.in_place = options.in_place ? 1 : 0;
  return given;
}
inline SaveResult from_c(const ckpt_save_result& result) {
  return {result.name, result.step, result.commit_sequence, result.files, result.bytes, result.linked};
}
inline LoadResult from_c(const ckpt_load_result& result) {
  return {result.name,      result.step,    result.commit_sequence,          result.seed,
          result.bytes,     result.skipped, result.environment_differs != 0, result.missing,
          result.unexpected};
}

}  // namespace detail

// How processes find one another; see state.h.
class Coordinator {
 public:
  // Rank 0 of 1.
  Coordinator() { check(ckpt_coordinator_create_single(coordinator_.out())); }
  // user_data is destroyed by the callbacks' destroy, unless this throws.
  Coordinator(const ckpt_coordinator_callbacks& callbacks, void* user_data) {
    check(ckpt_coordinator_create_custom(&callbacks, user_data, coordinator_.out()));
  }
  std::int64_t rank() const {
    std::int64_t rank = 0;
    check(ckpt_coordinator_get_rank(handle(), &rank));
    return rank;
  }
  std::int64_t world_size() const {
    std::int64_t size = 0;
    check(ckpt_coordinator_get_world_size(handle(), &size));
    return size;
  }
  void barrier(std::chrono::nanoseconds timeout) { check(ckpt_coordinator_barrier(handle(), timeout.count())); }
  void broadcast(void* data, std::int64_t bytes, std::int64_t root, std::chrono::nanoseconds timeout) {
    check(ckpt_coordinator_broadcast(handle(), data, bytes, root, timeout.count()));
  }
  void all_gather(const void* sent, std::int64_t bytes, void* received, std::chrono::nanoseconds timeout) {
    check(ckpt_coordinator_all_gather(handle(), sent, bytes, received, timeout.count()));
  }
  static Coordinator adopt(ckpt_coordinator* coordinator) noexcept { return Coordinator(coordinator); }
  ckpt_coordinator* handle() const noexcept { return coordinator_.get(); }

 private:
  explicit Coordinator(ckpt_coordinator* coordinator) noexcept : coordinator_(coordinator) {}

  detail::Handle<ckpt_coordinator, ckpt_coordinator_release> coordinator_;
};

struct CheckpointOptions {
  std::int64_t keep_last = 0;  // 0: all
  std::int64_t keep_every = 0;
  std::int64_t keep_best = 0;
  bool larger_is_better = false;
};

struct CheckpointInfo {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = -1;
  std::int64_t bytes = 0;
  ckpt_status status = CKPT_OK;
  std::optional<double> metric;
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
  explicit Checkpoint(const Storage& storage, std::int64_t keep_last = 0)
      : Checkpoint(storage, 0, CheckpointOptions{keep_last, 0, 0, false}, nullptr, nullptr) {}
  Checkpoint(const Storage& storage, const CheckpointOptions& options) : Checkpoint(storage, 0, options, nullptr, nullptr) {}
  Checkpoint(const Storage& storage, const CheckpointOptions& options, const FaultHandler& handler)
      : Checkpoint(storage, 0, options, nullptr, handler.handle()) {}
  Checkpoint(const Storage& storage, const CheckpointOptions& options, const Coordinator& coordinator)
      : Checkpoint(storage, 0, options, coordinator.handle(), nullptr) {}
  Checkpoint(const Storage& storage, const CheckpointOptions& options, const Coordinator& coordinator, const FaultHandler& handler)
      : Checkpoint(storage, 0, options, coordinator.handle(), handler.handle()) {}
  // Changes nothing, needs no lock.
  static Checkpoint read_only(const Storage& storage) { return Checkpoint(storage, 1, {}, nullptr, nullptr); }

  // Durable when it returns.
  SaveResult save(const State& state, const SaveOptions& options) {
    const ckpt_save_options given = detail::to_c(options);
    ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
    check(ckpt_checkpoint_manager_save(handle(), state.handle(), &given, &result));
    return detail::from_c(result);
  }

  // All or nothing: when this throws, the state is what it was (unless it was to be in place).
  LoadResult load(State& state, const LoadOptions& options = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(load_into(state, options, result));
    return detail::from_c(result);
  }
  // Nothing when there is no checkpoint (of that name); throws when there are some but none is usable.
  std::optional<LoadResult> load_if_any(State& state, const LoadOptions& options = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    const ckpt_status status = load_into(state, options, result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }

  // In the order in which a load tries them, good or not.
  std::vector<CheckpointInfo> list() const {
    std::int64_t count = 0;
    check(ckpt_checkpoint_manager_count(handle(), &count));
    std::vector<CheckpointInfo> all;
    for (std::int64_t i = 0; i < count; ++i) {
      ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
      check(ckpt_checkpoint_manager_at(handle(), i, &info));
      all.push_back({info.name, info.step, info.commit_sequence, info.bytes, info.status,
                     info.has_metric != 0 ? std::optional(info.metric) : std::nullopt});
    }
    return all;
  }

  // The manifest's JSON text. name: of the list, or CKPT_CHECKPOINT_SELF.
  std::string manifest(const std::string& name) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manager_get_manifest(handle(), name.c_str(), buffer, capacity, needed);
    });
  }

  // Checks every checksum; the Error names the first bad file and tensor. name "": the newest that has a manifest.
  VerifyResult verify(const std::string& name = {}) const {
    ckpt_verify_result result = CKPT_VERIFY_RESULT_INIT;
    check(ckpt_checkpoint_manager_verify(handle(), detail::or_null(name), &result));
    return {result.name, result.files, result.tensors, result.bytes};
  }

  // What it was made with, or the defaults that it made itself.
  Storage storage() const {
    ckpt_storage* storage = nullptr;
    check(ckpt_checkpoint_manager_get_storage(handle(), &storage));
    return Storage::adopt(storage);
  }
  Coordinator coordinator() const {
    ckpt_coordinator* coordinator = nullptr;
    check(ckpt_checkpoint_manager_get_coordinator(handle(), &coordinator));
    return Coordinator::adopt(coordinator);
  }
  FaultHandler fault_handler() const {
    ckpt_fault_handler* handler = nullptr;
    check(ckpt_checkpoint_manager_get_fault_handler(handle(), &handler));
    return FaultHandler::adopt(handler);
  }

  ckpt_checkpoint_manager* handle() const noexcept { return checkpoint_.get(); }

 private:
  Checkpoint(const Storage& storage, std::int32_t read_only, const CheckpointOptions& given, ckpt_coordinator* coordinator,
             ckpt_fault_handler* handler) {
    ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
    options.read_only = read_only;
    options.keep_last = given.keep_last;
    options.keep_every = given.keep_every;
    options.keep_best = given.keep_best;
    options.best_metric = given.larger_is_better ? CKPT_BEST_METRIC_LARGEST : CKPT_BEST_METRIC_SMALLEST;
    options.coordinator = coordinator;
    options.fault_handler = handler;
    check(ckpt_checkpoint_manager_create(storage.handle(), &options, checkpoint_.out()));
  }
  ckpt_status load_into(State& state, const LoadOptions& options, ckpt_load_result& result) {
    const ckpt_load_options given = detail::to_c(options);
    return ckpt_checkpoint_manager_load(handle(), state.handle(), &given, &result);
  }

  detail::Handle<ckpt_checkpoint_manager, ckpt_checkpoint_manager_release> checkpoint_;
};

struct TensorInfo {
  std::string name;
  ckpt_dtype dtype = 0;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  // in the file
  std::string group;        // "" for files without groups
};

enum class Verify : std::int32_t { none = CKPT_VERIFY_NONE, full = CKPT_VERIFY_FULL, lazy = CKPT_VERIFY_LAZY };

// The tensors of a checkpoint, of a safetensors file or of an indexed folder, one by one.
class Reader {
 public:
  // name "": the newest that has a manifest.
  explicit Reader(const Checkpoint& checkpoint, const std::string& name = {}, Verify verify = Verify::lazy) {
    check(ckpt_reader_create_from_checkpoint(checkpoint.handle(), name.empty() ? nullptr : name.c_str(), static_cast<std::int32_t>(verify),
                                      reader_.out()));
  }
  // A file or a directory of any program's.
  explicit Reader(const std::string& path) { check(ckpt_reader_create(path.c_str(), reader_.out())); }

  std::int64_t count() const {
    std::int64_t count = 0;
    check(ckpt_reader_get_tensor_count(handle(), &count));
    return count;
  }
  TensorInfo at(std::int64_t index) const {
    ckpt_tensor_info info = CKPT_TENSOR_INFO_INIT;
    check(ckpt_reader_get_tensor(handle(), index, &info));
    TensorInfo out{info.name, info.dtype, {}, info.bytes, info.offset, info.group};
    if (info.ndim > 0) out.shape.assign(info.shape, info.shape + info.ndim);
    return out;
  }
  // group "": any.
  std::int64_t find(const std::string& name, const std::string& group = {}) const {
    std::int64_t index = 0;
    check(ckpt_reader_find(handle(), group.empty() ? nullptr : group.c_str(), name.c_str(), &index));
    return index;
  }
  // Texts by key of the files; checkpoints' have none.
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::int64_t count = 0;
    check(ckpt_reader_get_metadata_count(handle(), &count));
    std::vector<std::pair<std::string, std::string>> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const char* key = nullptr;
      const char* value = nullptr;
      check(ckpt_reader_get_metadata(handle(), i, &key, &value));
      all.emplace_back(key, value);
    }
    return all;
  }
  // Into a tensor of the same dtype and shape.
  void read(std::int64_t index, ckpt_tensor* tensor) { check(ckpt_reader_read(handle(), index, tensor)); }
  Tensor read(std::int64_t index) {
    ckpt_tensor* tensor = nullptr;
    check(ckpt_reader_read_new(handle(), index, nullptr, &tensor));
    return Tensor::adopt(tensor);
  }
  // Rows along the first dimension.
  Tensor read_slice(std::int64_t index, std::int64_t begin, std::int64_t length) {
    ckpt_tensor* tensor = nullptr;
    check(ckpt_reader_read_slice(handle(), index, begin, length, nullptr, &tensor));
    return Tensor::adopt(tensor);
  }
  // Read-only, over the file itself; see ckpt_reader_map for what may go wrong.
  Tensor map(std::int64_t index) {
    ckpt_tensor* tensor = nullptr;
    check(ckpt_reader_map(handle(), index, &tensor));
    return Tensor::adopt(tensor);
  }

  ckpt_reader* handle() const noexcept { return reader_.get(); }

 private:
  detail::Handle<ckpt_reader, ckpt_reader_release> reader_;
};

// The tensors of one group as a plain safetensors file that any program can read, durable when this returns. metadata_json "":
// none.
inline void write_safetensors(const std::string& path, const State& state, const std::string& group,
                              const std::string& metadata_json = {}) {
  check(
      ckpt_safetensors_write(path.c_str(), state.handle(), group.c_str(), metadata_json.empty() ? nullptr : metadata_json.c_str()));
}

}  // namespace ckpt

#endif  // CKPT_STATE_HPP
