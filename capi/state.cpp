#include "state.h"

#include <cstddef>
#include <optional>

#include "base/entered.h"
#include "callback_status.h"
#include "engine/blas.h"
#include "guard.h"
#include "state/export.h"
#include "state/name.h"
#include "state/ranks/collective.h"
#include "storage.h"
#include "structs.h"
#include "tensor.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace state = ckpt::state;

static_assert(CKPT_STATE_DATA_POSITION == state::data_position_key);
static_assert(CKPT_STATE_CONTROLLER == state::controller_key);

namespace {

// Refuses an optional struct that cannot be filled, before the work starts.
template <class T>
void check_result(const T* result) {
  if (result != nullptr) check_struct(result, "result");
}

template <class T>
void fill_result(T* result, const T& values) {
  if (result != nullptr) fill_struct(result, values, "result");
}

void fill_tensor_info(ckpt_tensor_info* info, const state::TensorEntry& entry, int64_t offset, const char* group) {
  ckpt_tensor_info values = CKPT_TENSOR_INFO_INIT;
  values.dtype = static_cast<ckpt_dtype>(entry.dtype);
  values.name = entry.name.c_str();
  values.shape = entry.shape.empty() ? nullptr : entry.shape.data();
  values.ndim = static_cast<int32_t>(entry.shape.size());
  values.bytes = entry.bytes;
  values.offset = offset;
  values.group = group;
  fill_struct(info, values, "info");
}

ckpt_checkpoint_info checkpoint_info(const state::Found& found) {
  auto values = struct_of<ckpt_checkpoint_info, 2>(found);
  const bool is_complete = found.condition == state::Condition::complete;
  values.has_metric = is_complete && found.metric ? 1 : 0;
  if (!is_complete) values.commit_sequence = values.bytes = values.saved_utc_ns = values.world_size = 0;
  if (values.has_metric == 0) values.metric = 0;
  values.record_damaged = found.record_damage.empty() ? 0 : 1;
  return values;
}

class CustomStateful final : public state::Stateful {
 public:
  CustomStateful(std::string name, const ckpt_stateful_callbacks& callbacks, std::shared_ptr<UserData> user)
      : name_(std::move(name)), callbacks_(callbacks), user_(std::move(user)) {}

  void list(state::State& into) override {
    ckpt_state handle;
    handle.object = std::make_shared<state::State>();
    const int32_t code = user_call([&] { return callbacks_.list(&handle, user_->get()); });
    if (code != 0) fail_callback(cat(quote(name_), " list"), code);
    into = *handle.object;
  }

  void restore(const state::State& loaded) override {
    if (callbacks_.restore == nullptr) return;
    ckpt_state handle;
    handle.object = std::make_shared<state::State>(loaded);
    const int32_t code = user_call([&] { return callbacks_.restore(&handle, user_->get()); });
    if (code != 0) fail_callback(cat(quote(name_), " restore"), code);
  }

 private:
  std::string name_;
  ckpt_stateful_callbacks callbacks_;
  std::shared_ptr<UserData> user_;
};

class CustomCoordinator final : public state::Coordinator {
 public:
  CustomCoordinator(const ckpt_coordinator_callbacks& callbacks, std::shared_ptr<UserData> user)
      : callbacks_(callbacks), user_(std::move(user)) {}

  std::int64_t rank() const noexcept override { return callbacks_.rank; }
  std::int64_t world_size() const noexcept override { return callbacks_.world_size; }
  void barrier(Timeout timeout) override {
    run("barrier", [&] { return callbacks_.barrier(timeout.count(), user_->get()); });
  }
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) override {
    run("broadcast", [&] { return callbacks_.broadcast(bytes.data(), size_of(bytes), root, timeout.count(), user_->get()); });
  }
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) override {
    run("all_gather",
        [&] { return callbacks_.all_gather(sent.data(), size_of(sent), timeout.count(), received.data(), user_->get()); });
  }
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) override {
    if (callbacks_.gather == nullptr) return Coordinator::gather(sent, received, root, timeout);
    run("gather",
        [&] { return callbacks_.gather(sent.data(), size_of(sent), root, timeout.count(), received.data(), user_->get()); });
  }

 private:
  static std::int64_t size_of(std::span<const std::byte> bytes) { return static_cast<std::int64_t>(bytes.size()); }
  template <class Call>
  void run(const char* operation, Call&& call) {
    Entered::refuse(this, "coordinator");
    std::int32_t code = 0;
    {
      const Entered entered(this);
      code = user_call(call);
    }
    if (code == CKPT_E_TIMEOUT) {
      const std::string reason = ckpt::base::take_callback_error();
      fail(Status::timeout, "coordinator ", operation, ": ", reason.empty() ? "not all processes have joined in time" : reason);
    }
    require_ok(code, [&] { return cat("coordinator ", operation); });
  }

  ckpt_coordinator_callbacks callbacks_;
  std::shared_ptr<UserData> user_;
};

void check_root(int64_t root, const state::Coordinator& coordinator) {
  const int64_t ranks = coordinator.world_size();
  require(root >= 0 && root < ranks, "root is ", root, "; expected 0 .. ", ranks - 1);
}

// Returns the buffer that a collective fills with the bytes of all processes; empty on a process that does not receive.
std::span<std::byte> received_argument(bool receives, void* received, int64_t bytes, const state::Coordinator& coordinator) {
  require(!receives || received != nullptr || bytes == 0, "received is NULL but bytes is ", bytes);
  int64_t all = 0;
  if (__builtin_mul_overflow(bytes, coordinator.world_size(), &all))
    fail(Status::out_of_range, "bytes is ", bytes, "; multiplied by the world size it exceeds INT64_MAX");
  if (!receives) return {};
  return {static_cast<std::byte*>(received), static_cast<std::size_t>(all)};
}

state::Coordinator::Timeout timeout_argument(int64_t timeout_ns) {
  require(timeout_ns >= 0, "timeout_ns is ", timeout_ns, "; expected at least 0");
  return state::Coordinator::Timeout(timeout_ns);
}

std::function<bool(const state::Found&)> keep_argument(ckpt_keep_fn keep, const std::shared_ptr<UserData>& user) {
  if (keep == nullptr) return {};
  return [keep, user](const state::Found& found) {
    const ckpt_checkpoint_info info = checkpoint_info(found);
    int32_t stays = 0;
    set_callback_error(nullptr);
    const int32_t code = user_call([&] { return keep(&info, &stays, user->get()); });
    if (code != 0) fail_callback(cat("keep, asked about ", quote(found.name)), code);
    return stays != 0;
  };
}

using Rename = std::function<std::string(const std::string& group, const std::string& name)>;

Rename rename_argument(ckpt_rename_fn rename, const std::shared_ptr<UserData>& user) {
  if (rename == nullptr) return {};
  return [rename, user](const std::string& group, const std::string& name) {
    const auto longest = std::max<int64_t>(65536, static_cast<int64_t>(name.size()));
    std::string answer = name;
    answer.resize(std::max<std::size_t>(256, name.size() + 1));
    const auto who = [&] { return cat("rename, asked about tensor ", quote(name), " of group ", quote(group)); };
    for (int calls = 1;; ++calls) {
      const auto capacity = static_cast<int64_t>(answer.size());
      auto needed = static_cast<int64_t>(name.size());
      set_callback_error(nullptr);
      const int32_t code =
          user_call([&] { return rename(group.c_str(), name.c_str(), answer.data(), capacity, &needed, user->get()); });
      if (code != 0) fail_callback(who(), code);
      if (needed < 0 || needed > longest)
        fail(Status::invalid_argument, who(), ": *needed is ", needed, "; expected 0 .. ", longest);
      if (needed < capacity) return answer.substr(0, static_cast<std::size_t>(needed));
      if (calls == 2) fail(Status::invalid_argument, who(), ": *needed is ", needed, "; it was ", capacity - 1, " before");
      answer = name;
      answer.resize(static_cast<std::size_t>(needed) + 1);
    }
  };
}

// Errors are reported to the other ranks by the coordinator. It is checked first, so that errors of all other arguments are
// reported to them, too. A valid timeout_ns also limits that report.
void fill_coordinator_options(state::CheckpointOptions& wanted, const ckpt_checkpoint_manager_options* options) {
  if (options == nullptr) return;
  ckpt_checkpoint_manager_options given = defaults<ckpt_checkpoint_manager_options>;
  std::memcpy(&given, options, std::min<std::size_t>(struct_size_of(options, "options"), sizeof given));
  const auto* const coordinator = checked_or_null(given.coordinator, "options.coordinator");
  if (coordinator != nullptr) wanted.coordinator = coordinator->object;
  if (given.timeout_ns >= 0) wanted.timeout_ns = given.timeout_ns;
}

void fill_manager_options(state::CheckpointOptions& wanted, const ckpt_checkpoint_manager_options& given,
                          const std::shared_ptr<UserData>& user) {
  require(given.best_metric == CKPT_BEST_METRIC_SMALLEST || given.best_metric == CKPT_BEST_METRIC_LARGEST,
          "options.best_metric is ", given.best_metric, "; expected CKPT_BEST_METRIC_SMALLEST (0) or CKPT_BEST_METRIC_LARGEST (1)");
  const auto* const handler = checked_or_null(given.fault_handler, "options.fault_handler");
  require(given.timeout_ns >= 0, "options.timeout_ns is ", given.timeout_ns, "; expected at least 0 (ten minutes)");
  wanted.read_only = given.read_only != 0;
  wanted.keep_last = given.keep_last;
  wanted.keep_every = given.keep_every;
  wanted.keep_best = given.keep_best;
  wanted.larger_is_better = given.best_metric == CKPT_BEST_METRIC_LARGEST;
  wanted.fault_handler =
      handler == nullptr ? std::make_shared<ckpt::storage::FaultHandler>(ckpt::storage::FaultPolicy{}) : handler->object;
  wanted.keep_rules = given.keep_rules == nullptr ? "" : given.keep_rules;
  wanted.keep = keep_argument(given.keep, user);
  wanted.blas = ckpt::engine::blas_in_use;
  wanted.expect_blas = ckpt::engine::expect_blas;
}

// Returns a name; "" for NULL.
std::string optional_name(const char* name) { return name == nullptr ? std::string() : std::string(name_argument(name, "name")); }

}  // namespace

namespace ckpt::capi {

void copy_name(char (&out)[CKPT_CHECKPOINT_NAME_BYTES], std::string_view name) {
  const std::size_t length = std::min(name.size(), sizeof out - 1);
  std::memcpy(out, name.data(), length);
  out[length] = '\0';
}

state::SaveOptions save_options_argument(const ckpt_save_options* options) {
  const auto given = options_argument(options, "options");
  state::SaveOptions wanted;
  copy_from_c<1>(given, wanted);
  if (given.has_metric == 0) wanted.metric.reset();
  return wanted;
}

void check_save_result(const ckpt_save_result* result) { check_result(result); }

void fill_save_result(ckpt_save_result* result, const state::SaveResult& saved) {
  auto values = struct_of<ckpt_save_result>(saved);
  copy_line(values.unreported_error, saved.unreported_error);
  fill_result(result, values);
}

LoadArgument load_argument(const ckpt_load_options* options) {
  const auto given = options_argument(options, "options");
  require(given.verify == CKPT_VERIFY_NONE || given.verify == CKPT_VERIFY_FULL, "options.verify is ", given.verify,
          "; expected CKPT_VERIFY_NONE (0) or CKPT_VERIFY_FULL (1)");
  require(given.convert >= CKPT_CONVERSION_NONE && given.convert <= CKPT_CONVERSION_LOSSY, "options.convert is ", given.convert,
          "; expected a CKPT_CONVERSION_ constant");
  LoadArgument argument;
  state::LoadOptions& wanted = argument.options;
  copy_from_c<1>(given, wanted);
  if (given.has_step == 0) {
    wanted.step.reset();
  } else {
    require(given.step >= 0, "options.step is ", given.step, "; expected at least 0");
  }
  wanted.name = optional_name(given.name);  // refuses a blank name
  wanted.compare_environment = given.environment_json != nullptr;
  argument.rename_user = std::make_shared<UserData>(given.rename_user_data, given.rename_destroy);
  wanted.rename = rename_argument(given.rename, argument.rename_user);
  return argument;
}

void check_load_result(const ckpt_load_result* result) { check_result(result); }

void fill_load_result(ckpt_load_result* result, const state::LoadResult& loaded) {
  fill_result(result, struct_of<ckpt_load_result>(loaded));
}

}  // namespace ckpt::capi

// ---- State ----

ckpt_status ckpt_state_create(ckpt_state** out) {
  return guard([&] { hand_out(not_null(out, "state"), std::make_shared<state::State>()); });
}

ckpt_status ckpt_state_add_tensor(ckpt_state* handle, const char* group, const char* name, ckpt_tensor* tensor) {
  return guard([&] {
    checked(handle, "state");
    not_null(group, "group");
    not_null(name, "name");
    handle->object->add_tensor(group, name, checked(tensor, "tensor")->object);
  });
}

ckpt_status ckpt_state_add_sharded_tensor(ckpt_state* handle, const char* group, const char* name, ckpt_dtype dtype,
                                          const int64_t* shape, int32_t ndim) {
  return guard([&] {
    checked(handle, "state");
    not_null(group, "group");
    not_null(name, "name");
    handle->object->add_sharded(group, name, dtype_argument(dtype, "dtype"), shape_argument(shape, ndim));
  });
}

ckpt_status ckpt_state_add_block(ckpt_state* handle, const char* group, const char* name, const int64_t* offsets, int32_t ndim,
                                 ckpt_tensor* tensor) {
  return guard([&] {
    checked(handle, "state");
    not_null(group, "group");
    not_null(name, "name");
    const auto places = array_argument(offsets, ndim, "offsets");
    handle->object->add_block(group, name, {places.begin(), places.end()}, checked(tensor, "tensor")->object);
  });
}

ckpt_status ckpt_state_get_tensor_count(const ckpt_state* handle, int64_t* tensor_count) {
  return guard([&] {
    checked(handle, "state")->object->refuse_in_use();
    *not_null(tensor_count, "tensor_count") = handle->object->tensor_count();
  });
}

ckpt_status ckpt_state_set_json(ckpt_state* handle, const char* key, const char* json) {
  return guard([&] {
    checked(handle, "state");
    not_null(key, "key");
    not_null(json, "json");
    handle->object->set_json(key, json);
  });
}

ckpt_status ckpt_state_get_json(const ckpt_state* handle, const char* key, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] {
    checked(handle, "state")->object->refuse_in_use();
    not_null(key, "key");
    copy_text(handle->object->json(key), buffer, capacity, needed);
  });
}

ckpt_status ckpt_state_get_key_count(const ckpt_state* handle, int64_t* key_count) {
  return guard([&] {
    checked(handle, "state")->object->refuse_in_use();
    *not_null(key_count, "key_count") = static_cast<int64_t>(handle->object->values().size());
  });
}

ckpt_status ckpt_state_get_key(const ckpt_state* handle, int64_t index, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] {
    checked(handle, "state")->object->refuse_in_use();
    copy_text(handle->object->key(index), buffer, capacity, needed);
  });
}

ckpt_status ckpt_state_set_rarely_changes(ckpt_state* handle, const char* group, int32_t rarely) {
  return guard([&] {
    checked(handle, "state");
    handle->object->set_rarely_changes(not_null(group, "group"), rarely != 0);
  });
}

ckpt_status ckpt_state_get_load_report(const ckpt_state* handle, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] {
    checked(handle, "state")->object->refuse_in_use();
    copy_text(handle->object->load_report(), buffer, capacity, needed);
  });
}

void ckpt_state_release(ckpt_state* handle) { release(handle); }

ckpt_status ckpt_state_add_stateful(ckpt_state* handle, const char* name, const ckpt_stateful_callbacks* callbacks, void* user_data,
                                    ckpt_destroy_fn destroy) {
  return guard([&] {
    checked(handle, "state");
    name_argument(name, "name");
    const auto given = struct_argument(callbacks, "callbacks");
    require(given.list != nullptr, "callbacks.list is NULL");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    handle->object->add_stateful(name, std::make_shared<CustomStateful>(name, given, user));
    user->adopt();
  });
}

// ---- Coordinators ----

ckpt_status ckpt_coordinator_create_single(ckpt_coordinator** out) {
  return guard([&] { hand_out(not_null(out, "coordinator"), state::make_single_process()); });
}

ckpt_status ckpt_coordinator_create_custom(const ckpt_coordinator_callbacks* callbacks, void* user_data, ckpt_destroy_fn destroy,
                                           ckpt_coordinator** out) {
  return guard([&] {
    const auto given = struct_argument(callbacks, "callbacks");
    require(given.world_size >= 1, "callbacks.world_size is ", given.world_size, "; expected at least 1");
    require(given.rank >= 0 && given.rank < given.world_size, "callbacks.rank is ", given.rank, "; expected 0 .. ",
            given.world_size - 1);
    require(given.barrier != nullptr, "callbacks.barrier is NULL");
    require(given.broadcast != nullptr, "callbacks.broadcast is NULL");
    require(given.all_gather != nullptr, "callbacks.all_gather is NULL");
    not_null(out, "coordinator");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out(out, std::make_shared<CustomCoordinator>(given, user));
    user->adopt();
  });
}

ckpt_status ckpt_coordinator_get_rank(const ckpt_coordinator* handle, int64_t* rank) {
  return guard([&] {
    checked(handle, "coordinator");
    *not_null(rank, "rank") = handle->object->rank();
  });
}

ckpt_status ckpt_coordinator_get_world_size(const ckpt_coordinator* handle, int64_t* world_size) {
  return guard([&] {
    checked(handle, "coordinator");
    *not_null(world_size, "world_size") = handle->object->world_size();
  });
}

ckpt_status ckpt_coordinator_barrier(ckpt_coordinator* handle, int64_t timeout_ns) {
  return guard([&] {
    checked(handle, "coordinator");
    handle->object->barrier(timeout_argument(timeout_ns));
  });
}

ckpt_status ckpt_coordinator_broadcast(ckpt_coordinator* handle, void* data, int64_t bytes, int64_t root, int64_t timeout_ns) {
  return guard([&] {
    checked(handle, "coordinator");
    const auto span = array_argument(static_cast<std::byte*>(data), bytes, "data");
    check_root(root, *handle->object);
    handle->object->broadcast({static_cast<std::byte*>(data), span.size()}, root, timeout_argument(timeout_ns));
  });
}

ckpt_status ckpt_coordinator_all_gather(ckpt_coordinator* handle, const void* sent, int64_t bytes, int64_t timeout_ns,
                                        void* received) {
  return guard([&] {
    checked(handle, "coordinator");
    const auto span = array_argument(static_cast<const std::byte*>(sent), bytes, "sent");
    const auto all = received_argument(true, received, bytes, *handle->object);
    handle->object->all_gather(span, all, timeout_argument(timeout_ns));
  });
}

ckpt_status ckpt_coordinator_gather(ckpt_coordinator* handle, const void* sent, int64_t bytes, int64_t root, int64_t timeout_ns,
                                    void* received) {
  return guard([&] {
    checked(handle, "coordinator");
    const auto span = array_argument(static_cast<const std::byte*>(sent), bytes, "sent");
    check_root(root, *handle->object);
    const auto all = received_argument(handle->object->rank() == root, received, bytes, *handle->object);
    handle->object->gather(span, all, root, timeout_argument(timeout_ns));
  });
}

void ckpt_coordinator_release(ckpt_coordinator* handle) { release(handle); }

// ---- Checkpoints ----

ckpt_status ckpt_checkpoint_manager_create(ckpt_storage* storage, const ckpt_checkpoint_manager_options* options,
                                           ckpt_checkpoint_manager** out) {
  return guard([&] {
    state::CheckpointOptions wanted;
    fill_coordinator_options(wanted, options);
    std::shared_ptr<ckpt::storage::Storage> place;
    std::shared_ptr<UserData> user;
    const auto refused = state::error_of([&] {
      not_null(out, "manager");
      place = checked(storage, "storage")->object;
      const auto given = options_argument(options, "options");
      user = std::make_shared<UserData>(given.keep_user_data, given.keep_destroy);
      fill_manager_options(wanted, given, user);
    });
    hand_out(out, std::make_shared<state::Checkpoint>(std::move(place), wanted, refused));
    user->adopt();
  });
}

ckpt_status ckpt_checkpoint_manager_get_storage(const ckpt_checkpoint_manager* handle, ckpt_storage** out) {
  return guard([&] {
    checked(handle, "manager");
    hand_out(not_null(out, "storage"), handle->object->storage());
  });
}

ckpt_status ckpt_checkpoint_manager_get_coordinator(const ckpt_checkpoint_manager* handle, ckpt_coordinator** out) {
  return guard([&] {
    checked(handle, "manager");
    hand_out(not_null(out, "coordinator"), handle->object->coordinator());
  });
}

ckpt_status ckpt_checkpoint_manager_get_fault_handler(const ckpt_checkpoint_manager* handle, ckpt_fault_handler** out) {
  return guard([&] {
    checked(handle, "manager");
    hand_out(not_null(out, "handler"), handle->object->fault_handler());
  });
}

void ckpt_checkpoint_manager_release(ckpt_checkpoint_manager* handle) { release(handle); }

// ---- Save ----

ckpt_status ckpt_checkpoint_manager_save(ckpt_checkpoint_manager* handle, const ckpt_state* what, const ckpt_save_options* options,
                                         ckpt_save_result* result) {
  return guard([&] {
    checked(handle, "manager");
    const state::SaveResult saved = handle->object->save([&] {
      checked(what, "state");
      state::SaveOptions wanted = save_options_argument(options);
      check_save_result(result);
      return state::SaveArguments{what->object.get(), std::move(wanted)};
    });
    fill_save_result(result, saved);
  });
}

// ---- Load ----

ckpt_status ckpt_checkpoint_manager_load(ckpt_checkpoint_manager* handle, ckpt_state* target, const ckpt_load_options* options,
                                         ckpt_load_result* result) {
  return guard([&] {
    checked(handle, "manager");
    LoadArgument wanted;
    const auto read = [&] {
      checked(target, "state");
      wanted = load_argument(options);
      check_load_result(result);
      return state::LoadArguments{target->object.get(), wanted.options};
    };
    try {
      fill_load_result(result, handle->object->load(read));
      wanted.rename_user->adopt();
    } catch (const state::PartlyFilled&) {
      state::LoadResult failed;
      failed.partly_filled = true;
      fill_load_result(result, failed);
      throw;
    }
  });
}

// ---- Queries and verification ----

ckpt_status ckpt_checkpoint_manager_list(ckpt_checkpoint_manager* handle, ckpt_checkpoint_info* infos, int64_t capacity,
                                         int64_t* count) {
  return guard([&] {
    checked(handle, "manager");
    check_array(infos, capacity, "infos");
    not_null(count, "count");
    const std::vector<state::Found> found = handle->object->list();
    fill_array(infos, capacity, found, checkpoint_info);
    *count = static_cast<int64_t>(found.size());
  });
}

ckpt_status ckpt_checkpoint_manager_get_latest(ckpt_checkpoint_manager* handle, ckpt_checkpoint_info* info) {
  return guard([&] {
    checked(handle, "manager");
    check_struct(info, "info");
    fill_struct(info, checkpoint_info(handle->object->latest()), "info");
  });
}

ckpt_status ckpt_checkpoint_manager_get_best(ckpt_checkpoint_manager* handle, ckpt_checkpoint_info* info) {
  return guard([&] {
    checked(handle, "manager");
    check_struct(info, "info");
    fill_struct(info, checkpoint_info(handle->object->best()), "info");
  });
}

ckpt_status ckpt_checkpoint_manager_find_step(ckpt_checkpoint_manager* handle, int64_t step, ckpt_checkpoint_info* info) {
  return guard([&] {
    checked(handle, "manager");
    require(step >= 0, "step is ", step, "; expected at least 0");
    check_struct(info, "info");
    fill_struct(info, checkpoint_info(handle->object->of_step(step)), "info");
  });
}

ckpt_status ckpt_checkpoint_manager_remove(ckpt_checkpoint_manager* handle, const char* name) {
  return guard([&] {
    checked(handle, "manager");
    handle->object->remove(std::string(name_argument(name, "name")));
  });
}

ckpt_status ckpt_checkpoint_manager_pin(ckpt_checkpoint_manager* handle, int64_t step) {
  return guard([&] {
    checked(handle, "manager");
    require(step >= 0, "step is ", step, "; expected at least 0");
    handle->object->pin(step);
  });
}

ckpt_status ckpt_checkpoint_manager_unpin(ckpt_checkpoint_manager* handle, int64_t step) {
  return guard([&] {
    checked(handle, "manager");
    require(step >= 0, "step is ", step, "; expected at least 0");
    handle->object->unpin(step);
  });
}

ckpt_status ckpt_checkpoint_manager_prune(ckpt_checkpoint_manager* handle, const char* keep_rules, int32_t dry_run,
                                          ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
  return guard([&] {
    checked(handle, "manager");
    check_array(infos, capacity, "infos");
    not_null(count, "count");
    const std::vector<state::Found> old = handle->object->prune(keep_rules == nullptr ? "" : keep_rules, dry_run != 0, capacity);
    fill_array(infos, capacity, old, checkpoint_info);
    *count = static_cast<int64_t>(old.size());
  });
}

ckpt_status ckpt_checkpoint_manager_prune_abandoned(ckpt_checkpoint_manager* handle, int32_t dry_run, ckpt_checkpoint_info* infos,
                                                    int64_t capacity, int64_t* count) {
  return guard([&] {
    checked(handle, "manager");
    check_array(infos, capacity, "infos");
    not_null(count, "count");
    const std::vector<state::Found> old = handle->object->prune_abandoned(dry_run != 0, capacity);
    fill_array(infos, capacity, old, checkpoint_info);
    *count = static_cast<int64_t>(old.size());
  });
}

ckpt_status ckpt_checkpoint_manager_get_manifest(ckpt_checkpoint_manager* handle, const char* name, char* buffer, int64_t capacity,
                                                 int64_t* needed) {
  return guard([&] {
    checked(handle, "manager");
    copy_text(handle->object->manifest(std::string(name_argument(name, "name"))), buffer, capacity, needed);
  });
}

ckpt_status ckpt_checkpoint_manager_get_rank_values(ckpt_checkpoint_manager* handle, const char* name, int64_t rank, char* buffer,
                                                    int64_t capacity, int64_t* needed) {
  return guard([&] {
    checked(handle, "manager");
    require(rank >= 0, "rank is ", rank, "; expected at least 0");
    copy_text(handle->object->rank_values(std::string(name_argument(name, "name")), rank), buffer, capacity, needed);
  });
}

ckpt_status ckpt_checkpoint_manager_verify(ckpt_checkpoint_manager* handle, const char* name, ckpt_verify_result* result) {
  return guard([&] {
    checked(handle, "manager");
    check_result(result);
    const state::VerifyResult verified = handle->object->verify(optional_name(name));
    fill_result(result, struct_of<ckpt_verify_result>(verified));
  });
}

// ---- Readers ----

ckpt_status ckpt_reader_create_from_checkpoint(ckpt_checkpoint_manager* manager, const char* name, int32_t verify,
                                               ckpt_reader** out) {
  return guard([&] {
    checked(manager, "manager");
    require(verify >= CKPT_VERIFY_NONE && verify <= CKPT_VERIFY_LAZY, "verify is ", verify,
            "; expected CKPT_VERIFY_NONE (0), CKPT_VERIFY_FULL (1) or CKPT_VERIFY_LAZY (2)");
    not_null(out, "reader");
    const auto wanted = verify == CKPT_VERIFY_NONE   ? state::Verify::none
                        : verify == CKPT_VERIFY_FULL ? state::Verify::full
                                                     : state::Verify::lazy;
    hand_out(out, std::make_shared<state::Reader>(manager->object->open_reader(optional_name(name), wanted)));
  });
}

ckpt_status ckpt_reader_create(const char* path, ckpt_reader** out) {
  return guard([&] {
    not_null(path, "path");
    not_null(out, "reader");
    hand_out(out, std::make_shared<state::Reader>(path));
  });
}

ckpt_status ckpt_reader_get_tensor_count(const ckpt_reader* handle, int64_t* count) {
  return guard([&] {
    checked(handle, "reader");
    *not_null(count, "count") = handle->object->count();
  });
}

ckpt_status ckpt_reader_get_tensor(const ckpt_reader* handle, int64_t index, ckpt_tensor_info* info) {
  return guard([&] {
    checked(handle, "reader");
    not_null(info, "info");
    const state::TensorEntry& entry = handle->object->at(index);
    fill_tensor_info(info, entry, handle->object->offset(index), handle->object->group(index).c_str());
  });
}

ckpt_status ckpt_reader_find(const ckpt_reader* handle, const char* group, const char* name, int64_t* index) {
  return guard([&] {
    checked(handle, "reader");
    not_null(name, "name");
    not_null(index, "index");
    *index = handle->object->find(group == nullptr ? "" : group, name);
  });
}

ckpt_status ckpt_reader_get_metadata_count(const ckpt_reader* handle, int64_t* count) {
  return guard([&] {
    checked(handle, "reader");
    *not_null(count, "count") = static_cast<int64_t>(handle->object->metadata().size());
  });
}

ckpt_status ckpt_reader_get_metadata(const ckpt_reader* handle, int64_t index, const char** key, const char** value) {
  return guard([&] {
    checked(handle, "reader");
    not_null(key, "key");
    not_null(value, "value");
    const state::Metadata& metadata = handle->object->metadata();
    if (index < 0 || static_cast<std::size_t>(index) >= metadata.size())
      fail(Status::out_of_range, "index is ", index, "; there are ", metadata.size(), " metadata entries");
    const auto& entry = metadata[static_cast<std::size_t>(index)];
    *key = entry.first.c_str();
    *value = entry.second.c_str();
  });
}

ckpt_status ckpt_reader_read(ckpt_reader* handle, int64_t index, ckpt_tensor* tensor) {
  return guard([&] {
    checked(handle, "reader");
    handle->object->read(index, *checked(tensor, "tensor")->object);
  });
}

ckpt_status ckpt_reader_read_new(ckpt_reader* handle, int64_t index, ckpt_buffer_pool* pool, ckpt_tensor** out) {
  return guard([&] {
    checked(handle, "reader");
    not_null(out, "tensor");
    hand_out(out, handle->object->read_new(index, pool_argument(pool, "pool")));
  });
}

ckpt_status ckpt_reader_read_slice(ckpt_reader* handle, int64_t index, int64_t begin, int64_t length, ckpt_buffer_pool* pool,
                                   ckpt_tensor** out) {
  return guard([&] {
    checked(handle, "reader");
    not_null(out, "tensor");
    hand_out(out, handle->object->read_slice(index, begin, length, pool_argument(pool, "pool")));
  });
}

ckpt_status ckpt_reader_map(ckpt_reader* handle, int64_t index, ckpt_tensor** out) {
  return guard([&] {
    checked(handle, "reader");
    not_null(out, "tensor");
    hand_out(out, handle->object->map(index));
  });
}

void ckpt_reader_release(ckpt_reader* handle) { release(handle); }

// ---- Files for other programs ----

ckpt_status ckpt_safetensors_write(const char* path, const ckpt_state* what, const char* group, const char* metadata_json) {
  return guard([&] {
    checked(what, "state");
    state::write_safetensors(not_null(path, "path"), *what->object, not_null(group, "group"),
                             metadata_json == nullptr ? state::Metadata{} : state::metadata_from_json(metadata_json));
  });
}
