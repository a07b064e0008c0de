// state.hpp - the C++17 interface of state.h: durable checkpoints, and safetensors files.
//
//   ckpt::State state;
//   state.add("model", "weight", weight);
//   state.set("optimizer.step", 12);
//   ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system("checkpoints"));
//   if (const auto loaded = checkpoints.load_if_any(state)) first_step = loaded->step;
//   checkpoints.save(state, 12);
#ifndef CKPT_STATE_HPP
#define CKPT_STATE_HPP

#include <ckpt/methods/state.hpp>
#include <ckpt/methods/state_callbacks.hpp>
#include <ckpt/storage.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/tree.hpp>
#include <ckpt/values/json.hpp>

namespace ckpt {

class State;

namespace detail {

// Types that State::set stores as a JSON value instead of a group.
template <class T>
inline constexpr bool is_plain_value = std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view>;

}  // namespace detail

// The functions of a stateful object: it lists its contents for every save and load, and is notified when it was restored. Their
// exceptions fail the save or load with an Error with Status::callback.
struct Stateful {
  // Adds the contents of the object to an empty state.
  std::function<void(State& into)> list;  // required
  // The tensors have their new contents; loaded has the values.
  std::function<void(const State& loaded)> restore;  // may be empty
};

// The data that is saved and restored: groups of named tensors, and values by key.
class State : public StateMethods<State> {
 public:
  // Keys of values with separate fields in the manifest: the position in the training data, and the state of a Controller.
  static constexpr const char* data_position_key = CKPT_STATE_DATA_POSITION;
  static constexpr const char* controller_key = CKPT_STATE_CONTROLLER;

  using StateMethods::StateMethods;

  using StateMethods::add;
  // Adds a tensor to the group "model".
  void add(const std::string& name, const Tensor& tensor) { add("model", name, tensor); }

  // Sets a number, a truth value or a string. Numbers that are not finite are refused.
  void set(const std::string& key, std::string_view text) { set_json(key, detail::json_text(text)); }
  template <class Value, class = std::enable_if_t<std::is_arithmetic_v<Value>>>
  void set(const std::string& key, Value value) {
    set_json(key, detail::json_number(value));
  }
  // Sets a group to a value of any other type that Value supports, replacing an earlier value: lists, dicts and maps, arrays of
  // numbers, tensors; see tree.hpp. A load into this state fills its tensors, which must match the checkpoint's, and replaces
  // everything else; get of a Reader needs no such template.
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
  // Returns the value of the key as the type that it was set with; throws Error with Status::invalid_argument if it is of another
  // kind or does not fit, with Status::not_found if the key has no value.
  template <class T>
  T get(const std::string& key) const {
    if constexpr (detail::is_plain_value<T>) {
      return detail::json_value<T>(key, StateMethods::json(key));
    } else {
      return detail::value_of_state(handle(), key).template get<T>();
    }
  }

  // Returns the keys that have a value, in order.
  std::vector<std::string> keys() const {
    const auto count = detail::result_of<std::int64_t>(ckpt_state_get_key_count, handle());
    std::vector<std::string> keys;
    for (std::int64_t index = 0; index < count; ++index) keys.push_back(key(index));
    return keys;
  }

  void add_stateful(const std::string& name, Stateful object) {
    auto owned = std::make_unique<Stateful>(std::move(object));
    ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
    if (owned->list) {
      callbacks.list = [](ckpt_state* into, void* user_data) noexcept {
        return detail::callback_status([&] {
          State lent(Reference(into, true));
          static_cast<Stateful*>(user_data)->list(lent);
        });
      };
    }
    callbacks.restore = [](const ckpt_state* loaded, void* user_data) noexcept {
      return detail::callback_status([&] {
        const State lent(Reference(const_cast<ckpt_state*>(loaded), true));
        if (const auto& restore = static_cast<Stateful*>(user_data)->restore) restore(lent);
      });
    };
    check(ckpt_state_add_stateful(handle(), name.c_str(), &callbacks, owned.get(), detail::destroy<Stateful>));
    static_cast<void>(owned.release());
  }
};

// Base class of the collective operations of one process among several. state.h documents each function. They may throw: an Error
// with Status::timeout if not all ranks have joined in time; any other exception becomes Status::callback.
class CustomCoordinator {
 public:
  virtual ~CustomCoordinator() = default;
  virtual void barrier(std::chrono::nanoseconds timeout) = 0;
  virtual void broadcast(Span<std::byte> data, std::int64_t root, std::chrono::nanoseconds timeout) = 0;
  virtual void all_gather(Span<const std::byte> sent, std::chrono::nanoseconds timeout, Span<std::byte> received) = 0;
  // received is empty on a process other than root. The default implementation uses all_gather, with the bytes of all processes in
  // memory on each.
  virtual void gather(Span<const std::byte> sent, std::int64_t root, std::chrono::nanoseconds timeout, Span<std::byte> received) {
    if (rank_ == root) return all_gather(sent, timeout, received);
    std::vector<std::byte> not_wanted(sent.size() * static_cast<std::size_t>(world_size_));
    all_gather(sent, timeout, {not_wanted.data(), not_wanted.size()});
  }

 private:
  friend class Coordinator;
  void all_gather_to(Span<const std::byte> sent, std::chrono::nanoseconds timeout, void* received) {
    all_gather(sent, timeout, all_of(sent, received));
  }
  void gather_to(Span<const std::byte> sent, std::int64_t root, std::chrono::nanoseconds timeout, void* received) {
    gather(sent, root, timeout, rank_ == root ? all_of(sent, received) : Span<std::byte>());
  }
  Span<std::byte> all_of(Span<const std::byte> sent, void* received) const {
    return {static_cast<std::byte*>(received), sent.size() * static_cast<std::size_t>(world_size_)};
  }

  std::int64_t rank_ = 0;
  std::int64_t world_size_ = 1;
};

namespace detail {

template <>
inline constexpr bool keeps_status<CustomCoordinator> = true;

}  // namespace detail

// The ranks and collective operations of the processes of a run; see state.h.
class Coordinator : public CoordinatorMethods<Coordinator> {
 public:
  using CoordinatorMethods::CoordinatorMethods;
  // Creates the coordinator of a single process, rank 0 of 1.
  Coordinator() : CoordinatorMethods(created(ckpt_coordinator_create_single)) {}
  Coordinator(std::int64_t rank, std::int64_t world_size, std::unique_ptr<CustomCoordinator> functions)
      : CoordinatorMethods(made_of(rank, world_size, std::move(functions))) {}

  // received: world_size() times the size of sent.
  void all_gather(Span<const std::byte> sent, std::chrono::nanoseconds timeout, Span<std::byte> received) {
    check_received(sent, received);
    check(ckpt_coordinator_all_gather(handle(), sent.data(), static_cast<std::int64_t>(sent.size()), timeout.count(),
                                      received.data()));
  }
  // received: world_size() times the size of sent on root; not used on the others.
  void gather(Span<const std::byte> sent, std::int64_t root, std::chrono::nanoseconds timeout, Span<std::byte> received = {}) {
    if (rank() == root) check_received(sent, received);
    check(ckpt_coordinator_gather(handle(), sent.data(), static_cast<std::int64_t>(sent.size()), root, timeout.count(),
                                  received.data()));
  }

 private:
  static Reference made_of(std::int64_t rank, std::int64_t world_size, std::unique_ptr<CustomCoordinator> functions) {
    if (functions == nullptr) throw Error(Status::invalid_argument, "functions is NULL");
    ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
    callbacks.rank = functions->rank_ = rank;
    callbacks.world_size = functions->world_size_ = world_size;
    callbacks.barrier = detail::call_coordinator_barrier<&CustomCoordinator::barrier>;
    callbacks.broadcast = detail::call_coordinator_broadcast<&CustomCoordinator::broadcast>;
    callbacks.all_gather = detail::call_coordinator_all_gather<&CustomCoordinator::all_gather_to>;
    callbacks.gather = detail::call_coordinator_gather<&CustomCoordinator::gather_to>;
    return made_with(std::move(functions), ckpt_coordinator_create_custom, &callbacks);
  }
  void check_received(Span<const std::byte> sent, Span<std::byte> received) const {
    if (received.size() != sent.size() * static_cast<std::size_t>(world_size())) {
      throw Error(Status::invalid_argument,
                  "received has " + std::to_string(received.size()) + " bytes; world_size times those of sent");
    }
  }
};

// Maps the name of a tensor in a checkpoint to its name in the state; see ckpt_rename_fn for its thread. Called again for a long
// name. An exception fails the load.
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

template <class Options>
Options options_of_step(std::int64_t step) {
  Options options;
  options.step = step;
  return options;
}

// Starts a load by call(options with the function); if it succeeds, the library owns the function.
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

// The checkpoints in one storage. Unless it is read-only, it is a writer and holds the storage's lock during its lifetime.
class CheckpointManager : public CheckpointManagerMethods<CheckpointManager> {
 public:
  // Name of a checkpoint in the root of the storage: the root is itself the directory of one checkpoint.
  static constexpr const char* self = CKPT_CHECKPOINT_SELF;

  // Called for each checkpoint that no rule of the options keeps; see ckpt_keep_fn for its thread. After an exception all
  // checkpoints are kept.
  using Keep = std::function<bool(const CheckpointInfo& info)>;

  using CheckpointManagerMethods::CheckpointManagerMethods;
  explicit CheckpointManager(const Storage& storage, const CheckpointManagerOptions& options = {}, Keep keep = {})
      : CheckpointManagerMethods(detail::Empty()) {
    ckpt_checkpoint_manager_options given = detail::to_c(options);
    detail::pass(std::move(keep), [&](Keep* owned) {
      given.keep = *owned ? detail::call_keep<&Keep::operator()> : nullptr;
      given.keep_user_data = owned;
      given.keep_destroy = detail::destroy<Keep>;
      return ckpt_checkpoint_manager_create(storage.handle(), &given, out());
    });
  }
  // Opens the checkpoints read-only, without a lock.
  static CheckpointManager read_only(const Storage& storage) {
    CheckpointManagerOptions options;
    options.read_only = true;
    return CheckpointManager(storage, options);
  }

  using CheckpointManagerMethods::save;
  SaveResult save(const State& state, std::int64_t step) { return save(state, detail::options_of_step<SaveOptions>(step)); }

  // Loads atomically: if this throws, the state is unchanged (except for a load in place).
  LoadResult load(State& state, const LoadOptions& options = {}, Rename rename = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(load_into(state, options, std::move(rename), result));
    return detail::from_c(result);
  }
  // Returns std::nullopt if no checkpoint exists (of that name); throws if there are some but none is usable.
  std::optional<LoadResult> load_if_any(State& state, const LoadOptions& options = {}, Rename rename = {}) {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    const ckpt_status status = load_into(state, options, std::move(rename), result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return detail::from_c(result);
  }

  // Loads the newest valid checkpoint of this step.
  LoadResult load(State& state, std::int64_t step) { return load(state, detail::options_of_step<LoadOptions>(step)); }

 private:
  ckpt_status load_into(State& state, const LoadOptions& options, Rename rename, ckpt_load_result& result) {
    return detail::load_renamed(options, std::move(rename), [&](const ckpt_load_options& given) {
      return ckpt_checkpoint_manager_load(handle(), state.handle(), &given, &result);
    });
  }
};

// A reader of the tensors of a checkpoint, of a safetensors file or of an indexed directory, one by one.
class Reader : public ReaderMethods<Reader> {
 public:
  using ReaderMethods::ReaderMethods;
  // name "": the newest checkpoint with a manifest.
  explicit Reader(const CheckpointManager& checkpoints, const std::string& name = {}, Verify verify = Verify::lazy)
      : ReaderMethods(created(ckpt_reader_create_from_checkpoint, checkpoints.handle(), detail::text_or_null(name),
                              static_cast<ckpt_verify>(verify))) {}

  // group "": any group.
  std::int64_t find(const std::string& name, const std::string& group = {}) const { return ReaderMethods::find(group, name); }
  // Returns the metadata of the files, strings by key; files of checkpoints have none.
  std::vector<std::pair<std::string, std::string>> metadata() const {
    const auto count = detail::result_of<std::int64_t>(ckpt_reader_get_metadata_count, handle());
    std::vector<std::pair<std::string, std::string>> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const char* key = nullptr;
      const char* value = nullptr;
      check(ckpt_reader_get_metadata(handle(), i, &key, &value));
      all.emplace_back(key, value);
    }
    return all;
  }
  // Returns the value that State::set stored as this group, "" for files without groups; throws Error with Status::not_found if the
  // group is not a tree. Creates new tensors.
  template <class T = Value>
  T get(const std::string& group) {
    return detail::value_of_reader(handle(), group, nullptr).template get<T>();
  }
  // Returns the value of one key of a dict, without reading other tensors.
  template <class T = Value>
  T get(const std::string& group, const std::string& key) {
    return detail::value_of_reader(handle(), group, key.c_str()).template get<T>();
  }
  // Reads into a tensor of the same dtype and shape.
  void read(std::int64_t index, Tensor& tensor) { check(ckpt_reader_read(handle(), index, tensor.handle())); }
  Tensor read(std::int64_t index) { return read_new(index); }
  // Reads rows along the first dimension.
  Tensor read_slice(std::int64_t index, std::int64_t begin, std::int64_t length) {
    return Tensor::adopt(detail::result_of<ckpt_tensor*>(ckpt_reader_read_slice, handle(), index, begin, length, nullptr));
  }
};

}  // namespace ckpt

#include <ckpt/methods/state_definitions.hpp>

#endif  // CKPT_STATE_HPP
