// state.hpp - the C++17 face of state.h: durable checkpoints, and safetensors files.
//
//   ckpt::State state;
//   state.add("model", "weight", weight);
//   state.set("optimizer.step", 12);
//   ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system("checkpoints"));
//   if (const auto loaded = checkpoints.load_if_any(state)) first_step = loaded->step;
//   checkpoints.save(state, 12);
#ifndef CKPT_STATE_HPP
#define CKPT_STATE_HPP

#include <ckpt/state.h>
#include <ckpt/base.hpp>
#include <ckpt/methods/state.hpp>
#include <ckpt/storage.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/tree.hpp>
#include <ckpt/values/json.hpp>
#include <ckpt/values/state.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

class State;

namespace detail {

// What State::set makes a JSON value of, and not a group.
template <class T>
inline constexpr bool is_plain_value = std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view>;

}  // namespace detail

// An object that lists what is saved of it anew for every save and load, and is notified when it was restored. What these functions
// throw becomes an Error with Status::callback of the save or load.
struct Stateful {
  // Adds what is saved to an empty state.
  std::function<void(State& into)> list;  // must be given
  // The tensors have their new contents; loaded has the values.
  std::function<void(const State& loaded)> restore;  // may be empty
};

// What is saved and restored: groups of named tensors, and values by key.
class State : public StateMethods<State> {
 public:
  // Keys whose values other tools find in the manifest: how far the training data was read, and what a Controller knows.
  static constexpr const char* data_position_key = CKPT_STATE_DATA_POSITION;
  static constexpr const char* controller_key = CKPT_STATE_CONTROLLER;

  State() { check(ckpt_state_create(owned_.out())); }

  // The tensor is shared and kept alive, not copied.
  void add(const std::string& group, const std::string& name, const Tensor& tensor) {
    check(ckpt_state_add_tensor(handle(), group.c_str(), name.c_str(), tensor.handle()));
  }
  // To the group "model".
  void add(const std::string& name, const Tensor& tensor) { add("model", name, tensor); }
  // A tensor that is spread over the ranks of a run, and this rank's blocks of it.
  void add_sharded(const std::string& group, const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) {
    check(ckpt_state_add_sharded_tensor(handle(), group.c_str(), name.c_str(), static_cast<ckpt_dtype>(dtype), shape.data(),
                                        static_cast<std::int32_t>(shape.size())));
  }
  void add_block(const std::string& group, const std::string& name, const std::vector<std::int64_t>& offsets,
                 const Tensor& tensor) {
    check(ckpt_state_add_block(handle(), group.c_str(), name.c_str(), offsets.data(), static_cast<std::int32_t>(offsets.size()),
                               tensor.handle()));
  }

  // A number, a truth value or a text. Numbers that are not finite are refused.
  void set(const std::string& key, std::string_view text) { set_json(key, detail::json_text(text)); }
  template <class Value, class = std::enable_if_t<std::is_arithmetic_v<Value>>>
  void set(const std::string& key, Value value) {
    set_json(key, detail::json_number(value));
  }
  // Anything else that a Value can be made of becomes a group of its own, in the place of the value that the group was: lists,
  // dicts and maps, arrays of numbers, tensors; tree.hpp. A load into this state fills its tensors, which must be the checkpoint's,
  // and replaces all else; get of a Reader needs no such template.
  template <class T, class = std::enable_if_t<!detail::is_plain_value<T>>, class = void>
  void set(const std::string& group, const T& value) {
    detail::set_value(handle(), group, Value(value));
  }
  bool has(const std::string& key) const {
    std::int64_t needed = 0;
    const ckpt_status status = ckpt_state_get_json(handle(), key.c_str(), nullptr, 0, &needed);
    if (status == CKPT_E_NOT_FOUND) return false;
    check(status);
    return true;
  }
  // The value of the key as the type that it was set with; Error with Status::invalid_argument when it is of another kind or does
  // not fit, with Status::not_found when there is none.
  template <class T>
  T get(const std::string& key) const {
    if constexpr (detail::is_plain_value<T>) {
      return detail::json_value<T>(key, json(key));
    } else {
      return detail::value_of_state(handle(), key).template get<T>();
    }
  }

  void set_json(const std::string& key, const std::string& json) {
    check(ckpt_state_set_json(handle(), key.c_str(), json.c_str()));
  }
  std::string json(const std::string& key) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_state_get_json(handle(), key.c_str(), buffer, capacity, needed);
    });
  }

  // Those that have a value, in order.
  std::vector<std::string> keys() const {
    std::int64_t count = 0;
    check(ckpt_state_get_key_count(handle(), &count));
    std::vector<std::string> keys;
    for (std::int64_t index = 0; index < count; ++index) {
      keys.push_back(detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
        return ckpt_state_get_key(handle(), index, buffer, capacity, needed);
      }));
    }
    return keys;
  }

  // A save need not write the group's file again while none of its tensors has changed.
  void set_rarely_changes(const std::string& group, bool rarely = true) {
    check(ckpt_state_set_rarely_changes(handle(), group.c_str(), rarely ? 1 : 0));
  }

  void add_stateful(const std::string& name, Stateful object) {
    auto owned = std::make_unique<Stateful>(std::move(object));
    ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
    if (owned->list) {
      callbacks.list = [](ckpt_state* into, void* user_data) noexcept {
        return detail::callback_status([&] {
          State lent(into);
          static_cast<Stateful*>(user_data)->list(lent);
        });
      };
    }
    callbacks.restore = [](const ckpt_state* loaded, void* user_data) noexcept {
      return detail::callback_status([&] {
        const State lent(const_cast<ckpt_state*>(loaded));
        if (const auto& restore = static_cast<Stateful*>(user_data)->restore) restore(lent);
      });
    };
    check(ckpt_state_add_stateful(handle(), name.c_str(), &callbacks, owned.get(), detail::destroy<Stateful>));
    static_cast<void>(owned.release());
  }

  ckpt_state* handle() const noexcept { return lent_ != nullptr ? lent_ : owned_.get(); }

 private:
  // The library's, for the time of a callback.
  explicit State(ckpt_state* lent) noexcept : lent_(lent) {}

  ckpt_state* lent_ = nullptr;
  detail::Handle<ckpt_state, ckpt_state_release> owned_;
};

// The collective operations of a process of several; derive from it. What each must do is said in state.h. They may throw: an Error
// with Status::timeout when not all came in time; anything else becomes Status::callback.
class CustomCoordinator {
 public:
  virtual ~CustomCoordinator() = default;
  virtual void barrier(std::chrono::nanoseconds timeout) = 0;
  virtual void broadcast(Span<std::byte> data, std::int64_t root, std::chrono::nanoseconds timeout) = 0;
  virtual void all_gather(Span<const std::byte> sent, std::chrono::nanoseconds timeout, Span<std::byte> received) = 0;
  // received is empty where this process is not root. Without one of its own: all_gather, with the bytes of all in memory
  // everywhere.
  virtual void gather(Span<const std::byte> sent, std::int64_t root, std::chrono::nanoseconds timeout, Span<std::byte> received) {
    if (rank_ == root) return all_gather(sent, timeout, received);
    std::vector<std::byte> not_wanted(sent.size() * static_cast<std::size_t>(world_size_));
    all_gather(sent, timeout, {not_wanted.data(), not_wanted.size()});
  }

 private:
  friend class Coordinator;
  std::int64_t rank_ = 0;
  std::int64_t world_size_ = 1;
};

// How processes find one another; see state.h.
class Coordinator : public CoordinatorMethods<Coordinator> {
 public:
  // Rank 0 of 1.
  Coordinator() { check(ckpt_coordinator_create_single(coordinator_.out())); }
  Coordinator(std::int64_t rank, std::int64_t world_size, std::unique_ptr<CustomCoordinator> functions) {
    if (functions == nullptr) throw Error(Status::invalid_argument, "functions is NULL");
    functions->rank_ = rank;
    functions->world_size_ = world_size;
    auto owned = std::make_unique<Custom>(Custom{std::move(functions), rank, world_size});
    ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
    callbacks.rank = rank;
    callbacks.world_size = world_size;
    callbacks.barrier = [](std::int64_t timeout_ns, void* user_data) noexcept {
      return detail::callback_status([&] { custom(user_data).functions->barrier(std::chrono::nanoseconds(timeout_ns)); }, true);
    };
    callbacks.broadcast = [](void* data, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns, void* user_data) noexcept {
      return detail::callback_status(
          [&] {
            custom(user_data).functions->broadcast(span(static_cast<std::byte*>(data), bytes), root,
                                                   std::chrono::nanoseconds(timeout_ns));
          },
          true);
    };
    callbacks.all_gather = [](const void* sent, std::int64_t bytes, std::int64_t timeout_ns, void* received,
                              void* user_data) noexcept {
      return detail::callback_status(
          [&] {
            custom(user_data).functions->all_gather(span(static_cast<const std::byte*>(sent), bytes),
                                                    std::chrono::nanoseconds(timeout_ns),
                                                    span(static_cast<std::byte*>(received), bytes * custom(user_data).world_size));
          },
          true);
    };
    callbacks.gather = [](const void* sent, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns, void* received,
                          void* user_data) noexcept {
      return detail::callback_status(
          [&] {
            const Custom& all = custom(user_data);
            all.functions->gather(span(static_cast<const std::byte*>(sent), bytes), root, std::chrono::nanoseconds(timeout_ns),
                                  span(static_cast<std::byte*>(received), all.rank == root ? bytes * all.world_size : 0));
          },
          true);
    };
    check(ckpt_coordinator_create_custom(&callbacks, owned.get(), detail::destroy<Custom>, coordinator_.out()));
    static_cast<void>(owned.release());
  }
  void barrier(std::chrono::nanoseconds timeout) { check(ckpt_coordinator_barrier(handle(), timeout.count())); }
  void broadcast(Span<std::byte> data, std::int64_t root, std::chrono::nanoseconds timeout) {
    check(ckpt_coordinator_broadcast(handle(), data.data(), static_cast<std::int64_t>(data.size()), root, timeout.count()));
  }
  // received: world_size() times as long as sent.
  void all_gather(Span<const std::byte> sent, std::chrono::nanoseconds timeout, Span<std::byte> received) {
    check_received(sent, received);
    check(ckpt_coordinator_all_gather(handle(), sent.data(), static_cast<std::int64_t>(sent.size()), timeout.count(),
                                      received.data()));
  }
  // received: world_size() times as long as sent where this process is root; elsewhere it is not used.
  void gather(Span<const std::byte> sent, std::int64_t root, std::chrono::nanoseconds timeout, Span<std::byte> received = {}) {
    if (rank() == root) check_received(sent, received);
    check(ckpt_coordinator_gather(handle(), sent.data(), static_cast<std::int64_t>(sent.size()), root, timeout.count(),
                                  received.data()));
  }
  static Coordinator adopt(ckpt_coordinator* coordinator) noexcept { return Coordinator(coordinator); }
  ckpt_coordinator* handle() const noexcept { return coordinator_.get(); }

 private:
  struct Custom {
    std::unique_ptr<CustomCoordinator> functions;
    std::int64_t rank;
    std::int64_t world_size;
  };
  void check_received(Span<const std::byte> sent, Span<std::byte> received) const {
    if (received.size() != sent.size() * static_cast<std::size_t>(world_size())) {
      throw Error(Status::invalid_argument,
                  "received has " + std::to_string(received.size()) + " bytes; world_size times those of sent");
    }
  }
  static Custom& custom(void* user_data) { return *static_cast<Custom*>(user_data); }
  template <class Byte>
  static Span<Byte> span(Byte* first, std::int64_t bytes) {
    return {first, static_cast<std::size_t>(bytes)};
  }
  explicit Coordinator(ckpt_coordinator* coordinator) noexcept : coordinator_(coordinator) {}

  detail::Handle<ckpt_coordinator, ckpt_coordinator_release> coordinator_;
};

// Gives a tensor of a checkpoint the name that it has in the state; see ckpt_rename_fn for where it runs. Asked again for a long
// answer. What it throws ends the load.
using Rename = std::function<std::string(const std::string& group, const std::string& name)>;

namespace detail {

inline std::int32_t rename_tensor(const char* group, const char* name, char* buffer, std::int64_t capacity, std::int64_t* needed,
                                  void* user_data) noexcept {
  return callback_status([&] {
    const std::string answer = (*static_cast<Rename*>(user_data))(group, name);
    answer.copy(buffer, static_cast<std::size_t>(capacity));
    *needed = static_cast<std::int64_t>(answer.size());
  });
}

// Starts a load by call(options with the function), which belongs to the library when that went well.
template <class Call>
ckpt_status load_renamed(const LoadOptions& options, Rename rename, Call&& call) {
  ckpt_load_options given = to_c(options);
  auto owned = std::make_unique<Rename>(std::move(rename));
  given.rename = *owned ? &rename_tensor : nullptr;
  given.rename_user_data = owned.get();
  given.rename_destroy = destroy<Rename>;
  const ckpt_status status = call(given);
  if (status == CKPT_OK) static_cast<void>(owned.release());
  return status;
}

}  // namespace detail

// The checkpoints in one storage. Unless it is read-only, a writer: it holds the storage's lock as long as it lives.
class CheckpointManager : public CheckpointManagerMethods<CheckpointManager> {
 public:
  // As a checkpoint's name: the storage's root is itself the directory of one checkpoint.
  static constexpr const char* self = CKPT_CHECKPOINT_SELF;

  // Asked about each checkpoint that no rule of the options keeps; see ckpt_keep_fn for where it runs. What it throws keeps all.
  using Keep = std::function<bool(const CheckpointInfo& info)>;

  explicit CheckpointManager(const Storage& storage, const CheckpointManagerOptions& options = {}, Keep keep = {}) {
    ckpt_checkpoint_manager_options given = detail::to_c(options);
    auto owned = std::make_unique<Keep>(std::move(keep));
    given.keep = *owned ? &CheckpointManager::ask : nullptr;
    given.keep_user_data = owned.get();
    given.keep_destroy = detail::destroy<Keep>;
    check(ckpt_checkpoint_manager_create(storage.handle(), &given, manager_.out()));
    static_cast<void>(owned.release());
  }
  // Changes nothing, needs no lock.
  static CheckpointManager read_only(const Storage& storage) {
    CheckpointManagerOptions options;
    options.read_only = true;
    return CheckpointManager(storage, options);
  }

  // Durable when it returns.
  SaveResult save(const State& state, const SaveOptions& options) {
    const ckpt_save_options given = detail::to_c(options);
    ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
    check(ckpt_checkpoint_manager_save(handle(), state.handle(), &given, &result));
    return detail::from_c(result);
  }
  SaveResult save(const State& state, std::int64_t step) {
    SaveOptions options;
    options.step = step;
    return save(state, options);
  }

  // All or nothing: when this throws, the state is what it was (unless it was to be in place).
  LoadResult load(State& state, const LoadOptions& options = {}, Rename rename = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(load_into(state, options, std::move(rename), result));
    return detail::from_c(result);
  }
  // Nothing when there is no checkpoint (of that name); throws when there are some but none is usable.
  std::optional<LoadResult> load_if_any(State& state, const LoadOptions& options = {}, Rename rename = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    const ckpt_status status = load_into(state, options, std::move(rename), result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }

  // The newest valid one of this step.
  LoadResult load(State& state, std::int64_t step) {
    LoadOptions options;
    options.step = step;
    return load(state, options);
  }

  // In the order in which a load tries them, good or not.
  std::vector<CheckpointInfo> list() const {
    return detail::values_of(detail::list_of<ckpt_checkpoint_info>(
                                 CKPT_CHECKPOINT_INFO_INIT,
                                 [&](ckpt_checkpoint_info* infos, std::int64_t capacity, std::int64_t* count) {
                                   return ckpt_checkpoint_manager_list(handle(), infos, capacity, count);
                                 },
                                 usual_count),
                             [](const auto& each) { return detail::from_c(each); });
  }
  // The one that a load tries first; none when there is none.
  std::optional<CheckpointInfo> latest() const {
    return found([&](ckpt_checkpoint_info* info) { return ckpt_checkpoint_manager_get_latest(handle(), info); });
  }
  // The one with the best metric; none when none has one.
  std::optional<CheckpointInfo> best() const {
    return found([&](ckpt_checkpoint_info* info) { return ckpt_checkpoint_manager_get_best(handle(), info); });
  }
  // The newest one of this step.
  std::optional<CheckpointInfo> find_step(std::int64_t step) const {
    return found([&](ckpt_checkpoint_info* info) { return ckpt_checkpoint_manager_find_step(handle(), step, info); });
  }

  // Removes what rules ("": those of the options) do not keep, or only says what that is. Newest first.
  std::vector<CheckpointInfo> prune(const std::string& keep_rules = {}, bool dry_run = false) {
    return detail::values_of(detail::list_of<ckpt_checkpoint_info>(
                                 CKPT_CHECKPOINT_INFO_INIT,
                                 [&](ckpt_checkpoint_info* infos, std::int64_t capacity, std::int64_t* count) {
                                   return ckpt_checkpoint_manager_prune(handle(), keep_rules.c_str(), dry_run ? 1 : 0, infos,
                                                                        capacity, count);
                                 },
                                 usual_count),
                             [](const auto& each) { return detail::from_c(each); });
  }

  // Removes the abandoned checkpoints that are not pinned, or only returns them when dry_run is true. Newest first.
  std::vector<CheckpointInfo> prune_abandoned(bool dry_run = false) {
    return detail::values_of(detail::list_of<ckpt_checkpoint_info>(
                                 CKPT_CHECKPOINT_INFO_INIT,
                                 [&](ckpt_checkpoint_info* infos, std::int64_t capacity, std::int64_t* count) {
                                   return ckpt_checkpoint_manager_prune_abandoned(handle(), dry_run ? 1 : 0, infos, capacity,
                                                                                  count);
                                 },
                                 usual_count),
                             [](const auto& each) { return detail::from_c(each); });
  }

  // The manifest's JSON text. name: of the list, or self.
  std::string manifest(const std::string& name) const {
    return detail::text_of(
        [&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
          return ckpt_checkpoint_manager_get_manifest(handle(), name.c_str(), buffer, capacity, needed);
        },
        usual_manifest_bytes);
  }
  // The values that a rank saved, as a JSON object.
  std::string rank_values(const std::string& name, std::int64_t rank) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_checkpoint_manager_get_rank_values(handle(), name.c_str(), rank, buffer, capacity, needed);
    });
  }

  // Checks every checksum; the Error names the first bad file and tensor. name "": the newest that has a manifest.
  VerifyResult verify(const std::string& name = {}) const {
    ckpt_verify_result result = CKPT_VERIFY_RESULT_INIT;
    check(ckpt_checkpoint_manager_verify(handle(), detail::text_or_null(name), &result));
    return detail::from_c(result);
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

  ckpt_checkpoint_manager* handle() const noexcept { return manager_.get(); }

 private:
  // In an object store each question is requests: most answers have room at once.
  static constexpr std::int64_t usual_count = 64;
  static constexpr std::int64_t usual_manifest_bytes = 65536;

  static std::int32_t ask(const ckpt_checkpoint_info* info, ckpt_bool* keep, void* user_data) noexcept {
    return detail::callback_status([&] { *keep = (*static_cast<Keep*>(user_data))(detail::from_c(*info)) ? 1 : 0; });
  }
  template <class Ask>
  static std::optional<CheckpointInfo> found(Ask&& ask) {
    ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
    const ckpt_status status = ask(&info);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(info);
  }
  ckpt_status load_into(State& state, const LoadOptions& options, Rename rename, ckpt_load_result& result) {
    return detail::load_renamed(options, std::move(rename), [&](const ckpt_load_options& given) {
      return ckpt_checkpoint_manager_load(handle(), state.handle(), &given, &result);
    });
  }

  detail::Handle<ckpt_checkpoint_manager, ckpt_checkpoint_manager_release> manager_;
};

// The tensors of a checkpoint, of a safetensors file or of an indexed folder, one by one.
class Reader : public ReaderMethods<Reader> {
 public:
  // name "": the newest that has a manifest.
  explicit Reader(const CheckpointManager& checkpoints, const std::string& name = {}, Verify verify = Verify::lazy) {
    check(ckpt_reader_create_from_checkpoint(checkpoints.handle(), detail::text_or_null(name), static_cast<ckpt_verify>(verify),
                                             reader_.out()));
  }
  // A file or a directory of any program's.
  explicit Reader(const std::string& path) { check(ckpt_reader_create(path.c_str(), reader_.out())); }

  // group "": any.
  std::int64_t find(const std::string& name, const std::string& group = {}) const {
    std::int64_t index = 0;
    check(ckpt_reader_find(handle(), detail::text_or_null(group), name.c_str(), &index));
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
  // What State::set made of a value as this group, "" for files without groups: Error with Status::not_found when it is no tree.
  // Tensors are new.
  template <class T = Value>
  T get(const std::string& group) {
    return detail::value_of_reader(handle(), group, nullptr).template get<T>();
  }
  // The value of one key of a dict: no other tensors are read.
  template <class T = Value>
  T get(const std::string& group, const std::string& key) {
    return detail::value_of_reader(handle(), group, key.c_str()).template get<T>();
  }
  // Into a tensor of the same dtype and shape.
  void read(std::int64_t index, Tensor& tensor) { check(ckpt_reader_read(handle(), index, tensor.handle())); }
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
  check(ckpt_safetensors_write(path.c_str(), state.handle(), group.c_str(), detail::text_or_null(metadata_json)));
}

}  // namespace ckpt

#endif  // CKPT_STATE_HPP
