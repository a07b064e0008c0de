#include "async.h"

#include <cstddef>
#include <cstring>

#include "base/error.h"
#include "memory.h"
#include "memory/tracker.h"
#include "state.h"
#include "structs.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace async = ckpt::async;
namespace state = ckpt::state;

static_assert(CKPT_CHECKPOINT_TASK_STATE_QUEUED == static_cast<int>(async::TaskState::queued));
static_assert(CKPT_CHECKPOINT_TASK_STATE_RUNNING == static_cast<int>(async::TaskState::running));
static_assert(CKPT_CHECKPOINT_TASK_STATE_COMPLETED == static_cast<int>(async::TaskState::completed));
static_assert(CKPT_CHECKPOINT_TASK_STATE_FAILED == static_cast<int>(async::TaskState::failed));
static_assert(CKPT_CHECKPOINT_TASK_STATE_CANCELLED == static_cast<int>(async::TaskState::cancelled));
static_assert(CKPT_CHECKPOINT_TASK_STATE_REJECTED == static_cast<int>(async::TaskState::rejected));
static_assert(CKPT_CHECKPOINT_TASK_KIND_SAVE == static_cast<int>(async::TaskKind::save));
static_assert(CKPT_CHECKPOINT_TASK_KIND_LOAD == static_cast<int>(async::TaskKind::load));
static_assert(CKPT_STAGING_MODE_COPY == static_cast<int>(async::StagingMode::copy));
static_assert(CKPT_STAGING_MODE_BORROW == static_cast<int>(async::StagingMode::borrow));
static_assert(CKPT_STAGING_MODE_DEFERRED == static_cast<int>(async::StagingMode::deferred));
static_assert(CKPT_CLOSE_MODE_DRAIN == static_cast<int>(async::CloseMode::drain));
static_assert(CKPT_CLOSE_MODE_CANCEL == static_cast<int>(async::CloseMode::cancel));
static_assert(CKPT_CLOSE_MODE_DRAIN_UNREPORTED == static_cast<int>(async::CloseMode::drain_unreported));
static_assert(CKPT_WHEN_FULL_REFUSE == static_cast<int>(async::WhenFull::refuse));
static_assert(CKPT_WHEN_FULL_WAIT == static_cast<int>(async::WhenFull::wait));
static_assert(CKPT_WHEN_FULL_DROP_OLDEST == static_cast<int>(async::WhenFull::drop_oldest));

namespace {

ckpt_checkpoint_task_result converted(const async::TaskResult& result) {
  auto out = struct_of<ckpt_checkpoint_task_result>(result);
  copy_line(out.error, result.error);
  copy_line(out.unreported_error, result.unreported_error);
  return out;
}

// Returns the allocator for the user's memory for copies. A forked child does not release inherited blocks: the parent still uses
// them.
async::MakeBlock block_argument(ckpt_staging_allocate_fn allocate, ckpt_staging_free_fn free,
                                const std::shared_ptr<UserData>& user) {
  require((allocate == nullptr) == (free == nullptr), "options.staging_allocate and options.staging_free: expected both or none");
  if (allocate == nullptr) return {};
  return [allocate, free, user](std::int64_t bytes) {
    constexpr std::uintptr_t page_bytes = 4096;
    const auto release = [free, user, bytes, generation = fork_generation()](std::byte* block) {
      if (generation == fork_generation()) user_notice("staging_free", [&] { free(block, bytes, user->get()); });
    };
    async::Block block(nullptr, release);
    void* memory = nullptr;
    set_callback_error(nullptr);
    const std::int32_t code = user_call([&] { return allocate(bytes, &memory, user->get()); });
    if (code != 0) fail_callback("staging_allocate", code);
    if (memory == nullptr) fail(Status::out_of_memory, "staging_allocate returned no memory for ", bytes, " bytes");
    block.reset(static_cast<std::byte*>(memory));
    require(reinterpret_cast<std::uintptr_t>(memory) % page_bytes == 0, "staging_allocate: *memory is ", memory,
            "; expected a multiple of ", page_bytes);
    return block;
  };
}

// Wraps make so that each of its blocks counts as an allocation of one layer until it is released.
async::MakeBlock counted(async::MakeBlock make, const std::shared_ptr<ckpt::memory::Tracker>& tracker) {
  struct Count {
    Count(std::shared_ptr<ckpt::memory::Tracker> counter, std::int64_t bytes)
        : tracker(std::move(counter)), id(tracker->allocate("checkpoint staging", bytes)) {}
    ~Count() {
      try {
        tracker->free(id);
      } catch (...) {
        // The caller has freed it through the tracker's functions: there is nothing to undo.
      }
    }
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
    std::shared_ptr<ckpt::memory::Tracker> tracker;
    ckpt::memory::AllocationId id;
  };
  return [make = make ? std::move(make) : async::system_block, tracker](std::int64_t bytes) {
    const auto count = std::make_shared<Count>(tracker, bytes);
    async::Block block = make(bytes);
    async::Block::deleter_type counted = [release = block.get_deleter(), count](std::byte* memory) { release(memory); };
    return async::Block(block.release(), std::move(counted));
  };
}

class CustomListener final : public async::TaskListener {
 public:
  CustomListener(const ckpt_checkpoint_task_callbacks& callbacks, std::shared_ptr<UserData> user)
      : callbacks_(callbacks), user_(std::move(user)) {}
  void staged(std::int64_t id, std::int64_t stall_ns) override {
    if (callbacks_.staged != nullptr) user_notice("staged", [&] { callbacks_.staged(id, stall_ns, user_->get()); });
  }
  void progress(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes) override {
    if (callbacks_.progress != nullptr)
      user_notice("progress", [&] { callbacks_.progress(id, done_bytes, total_bytes, user_->get()); });
  }
  void ended(const async::TaskResult& result) override {
    if (callbacks_.ended == nullptr) return;
    const ckpt_checkpoint_task_result values = converted(result);
    user_notice("ended", [&] { callbacks_.ended(&values, user_->get()); });
  }

 private:
  ckpt_checkpoint_task_callbacks callbacks_;
  std::shared_ptr<UserData> user_;
};

Listening listening_argument(const ckpt_checkpoint_task_callbacks* callbacks, void* user_data, ckpt_destroy_fn destroy,
                             const char* argument) {
  if (callbacks == nullptr) return {};
  const auto given = options_argument(callbacks, argument);
  auto user = std::make_shared<UserData>(user_data, destroy);
  return {std::make_shared<CustomListener>(given, user), user};
}

void require_timeout(int64_t timeout_ns) { require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; expected at least -1"); }

}  // namespace

TaskArgument ckpt::capi::task_argument(const ckpt_checkpoint_task_options* task) {
  const auto given = options_argument(task, "task");
  require(given.mode >= CKPT_STAGING_MODE_COPY && given.mode <= CKPT_STAGING_MODE_DEFERRED, "task.mode is ", given.mode,
          "; expected CKPT_STAGING_MODE_COPY (0) .. CKPT_STAGING_MODE_DEFERRED (2)");
  require(given.when_full >= CKPT_WHEN_FULL_REFUSE && given.when_full <= CKPT_WHEN_FULL_DROP_OLDEST, "task.when_full is ",
          given.when_full, "; expected CKPT_WHEN_FULL_REFUSE (0) .. CKPT_WHEN_FULL_DROP_OLDEST (2)");
  require(given.priority >= CKPT_PRIORITY_LOW && given.priority <= CKPT_PRIORITY_HIGH, "task.priority is ", given.priority,
          "; expected CKPT_PRIORITY_LOW (-1) .. CKPT_PRIORITY_HIGH (1)");
  TaskArgument out;
  out.listening = listening_argument(given.callbacks, given.user_data, given.destroy, "task.callbacks");
  out.options.mode = static_cast<async::StagingMode>(given.mode);
  out.options.when_full = static_cast<async::WhenFull>(given.when_full);
  out.options.priority = given.priority;
  out.options.timeout_ns = given.timeout_ns;
  if (given.has_gate_step != 0) {
    require(given.gate_step >= 0, "task.gate_step is ", given.gate_step, "; expected at least 0");
    out.options.gate_step = given.gate_step;
  }
  out.options.listener = out.listening.listener;
  if (given.source == nullptr) return out;
  out.source_user = std::make_shared<UserData>(given.source_user_data, given.source_destroy);
  out.options.source = [call = given.source, user = out.source_user](const std::string& group, const state::StateTensor& item,
                                                                     std::int64_t offset, std::span<std::byte> bytes) {
    const int32_t code = user_call([&] {
      return call(group.c_str(), item.name.c_str(), item.tensor->data(), offset, static_cast<int64_t>(bytes.size()), bytes.data(),
                  user->get());
    });
    if (code != 0) fail_callback(cat("source of tensor ", quote(item.name)), code);
  };
  return out;
}

std::shared_ptr<async::AsyncManager> ckpt::capi::manager_of(const ckpt_async_manager* handle) {
  return checked(handle, "manager")->object;
}

// ---- Manager ----

ckpt_status ckpt_async_manager_create(ckpt_checkpoint_manager* checkpoints, const ckpt_async_manager_options* options,
                                      ckpt_async_manager** out) {
  return guard([&] {
    checked(checkpoints, "checkpoints")->object->refuse_inside();
    not_null(out, "manager");
    const auto given = options_argument(options, "options");
    const Listening listening = listening_argument(given.callbacks, given.user_data, given.destroy, "options.callbacks");
    async::AsyncOptions wanted;
    copy_from_c(given, wanted);
    wanted.listener = listening.listener;
    const auto staging = std::make_shared<UserData>(given.staging_user_data, given.staging_destroy);
    const auto* const tracker = checked_or_null(given.tracker, "options.tracker");
    wanted.make_block = block_argument(given.staging_allocate, given.staging_free, staging);
    if (tracker != nullptr) wanted.make_block = counted(std::move(wanted.make_block), tracker->object);
    hand_out(out, std::make_shared<async::AsyncManager>(checkpoints->object, wanted));
    listening.adopt();
    staging->adopt();
  });
}

ckpt_status ckpt_async_manager_close(ckpt_async_manager* handle, int32_t mode, int64_t timeout_ns) {
  return guard([&] {
    const auto manager = manager_of(handle);
    require(mode >= CKPT_CLOSE_MODE_DRAIN && mode <= CKPT_CLOSE_MODE_DRAIN_UNREPORTED, "mode is ", mode,
            "; expected CKPT_CLOSE_MODE_DRAIN (0) .. CKPT_CLOSE_MODE_DRAIN_UNREPORTED (2)");
    manager->close(static_cast<async::CloseMode>(mode), timeout_ns);
  });
}

namespace {
void close_and_free(void* handle) {
  std::shared_ptr<async::AsyncManager> manager = std::move(static_cast<ckpt_async_manager*>(handle)->object);
  delete static_cast<ckpt_async_manager*>(handle);
  async::AsyncManager::release(std::move(manager));
}
}  // namespace

void ckpt_async_manager_release(ckpt_async_manager* handle) {
  if (is_handle(handle) && !Call::destroys_later(handle, close_and_free)) close_and_free(handle);
}

// ---- Tasks ----

ckpt_status ckpt_async_manager_save(ckpt_async_manager* handle, const ckpt_state* what, const ckpt_save_options* options,
                                    const ckpt_checkpoint_task_options* task, int64_t* id) {
  return guard([&] {
    const auto manager = manager_of(handle);
    TaskArgument given;
    const int64_t begun = manager->save([&] {
      checked(what, "state");
      not_null(id, "id");
      state::SaveOptions wanted = save_options_argument(options);
      given = task_argument(task);
      return async::SaveArguments{what->object.get(), std::move(wanted), std::move(given.options)};
    });
    *id = begun;
    given.adopt();
  });
}

ckpt_status ckpt_async_manager_load(ckpt_async_manager* handle, ckpt_state* target, const ckpt_load_options* options,
                                    const ckpt_checkpoint_task_options* task, int64_t* id) {
  return guard([&] {
    const auto manager = manager_of(handle);
    LoadArgument wanted;
    TaskArgument given;
    const int64_t begun = manager->load([&] {
      checked(target, "state");
      not_null(id, "id");
      wanted = load_argument(options);
      given = task_argument(task);
      require(given.options.source == nullptr, "task.source is set; expected NULL for a load");
      return async::LoadArguments{target->object, wanted.options, std::move(given.options)};
    });
    *id = begun;
    given.adopt();
    wanted.rename_user->adopt();
  });
}

ckpt_status ckpt_async_manager_cancel(ckpt_async_manager* handle, int64_t id, int32_t* cancelled) {
  return guard([&] {
    const bool is_won = manager_of(handle)->cancel(id);
    if (cancelled != nullptr) *cancelled = is_won ? 1 : 0;
  });
}

ckpt_status ckpt_async_manager_wait_staged(ckpt_async_manager* handle, int64_t id, int64_t timeout_ns) {
  return guard([&] { manager_of(handle)->wait_staged(id, timeout_ns); });
}

ckpt_status ckpt_async_manager_wait(ckpt_async_manager* handle, int64_t id, int64_t timeout_ns,
                                    ckpt_checkpoint_task_result* result) {
  return guard([&] {
    const auto manager = manager_of(handle);
    require_timeout(timeout_ns);
    require(id != CKPT_CHECKPOINT_TASK_ALL || result == nullptr, "result is set; expected NULL with CKPT_CHECKPOINT_TASK_ALL");
    if (result != nullptr) check_struct(result, "result");
    if (id == CKPT_CHECKPOINT_TASK_ALL) return manager->wait_all(timeout_ns);
    const async::TaskResult ended = manager->wait(id, timeout_ns, result != nullptr);
    if (result != nullptr) fill_struct(result, converted(ended), "result");
  });
}

ckpt_status ckpt_async_manager_get_save_result(ckpt_async_manager* handle, int64_t id, ckpt_save_result* result) {
  return guard([&] {
    const auto manager = manager_of(handle);
    check_save_result(not_null(result, "result"));
    fill_save_result(result, manager->completed(id, async::TaskKind::save).saved);
  });
}

ckpt_status ckpt_async_manager_get_load_result(ckpt_async_manager* handle, int64_t id, ckpt_load_result* result) {
  return guard([&] {
    const auto manager = manager_of(handle);
    check_load_result(not_null(result, "result"));
    fill_load_result(result, manager->completed(id, async::TaskKind::load).loaded);
  });
}

ckpt_status ckpt_async_manager_end_step(ckpt_async_manager* handle, int64_t step) {
  return guard([&] { manager_of(handle)->end_step(step); });
}

// ---- Queries ----

ckpt_status ckpt_async_manager_get_task(ckpt_async_manager* handle, int64_t id, ckpt_checkpoint_task_info* task) {
  return guard([&] {
    const auto manager = manager_of(handle);
    check_struct(task, "task");
    fill_struct(task, struct_of<ckpt_checkpoint_task_info>(manager->info(id)), "task");
  });
}

ckpt_status ckpt_async_manager_list(ckpt_async_manager* handle, int32_t which, int64_t* ids, int64_t capacity, int64_t* count) {
  return guard([&] {
    const auto manager = manager_of(handle);
    require(which == CKPT_CHECKPOINT_TASK_LIST_LIVE || which == CKPT_CHECKPOINT_TASK_LIST_ENDED, "which is ", which,
            "; expected CKPT_CHECKPOINT_TASK_LIST_LIVE (0) or CKPT_CHECKPOINT_TASK_LIST_ENDED (1)");
    array_argument(ids, capacity, "ids");
    not_null(count, "count");
    const auto found = which == CKPT_CHECKPOINT_TASK_LIST_LIVE ? manager->live_ids() : manager->ended_ids();
    *count = static_cast<int64_t>(found.size());
    std::copy_n(found.begin(), std::min(*count, capacity), ids);
  });
}

ckpt_status ckpt_async_manager_get_stats(ckpt_async_manager* handle, ckpt_async_manager_stats* stats) {
  return guard([&] {
    const auto manager = manager_of(handle);
    check_struct(stats, "stats");
    const async::AsyncStats found = manager->stats();
    auto values = struct_of<ckpt_async_manager_stats>(found);
    copy_line(values.unreported_error, found.unreported_error);
    fill_struct(stats, values, "stats");
  });
}
