#include "base/hooks.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/os/thread.h"

namespace ckpt::base {

struct ThreadHookSet {
  std::int64_t id;
  ThreadHook start;
  ThreadHook stop;
  std::int64_t threads = 0;  // threads that ran start and have not run stop
};

namespace {

struct Registry {
  std::mutex mutex;
  std::condition_variable thread_left;
  std::int64_t last_id = 0;
  std::vector<std::shared_ptr<ThreadHookSet>> sets;
};

// Never destroyed: library threads may outlive static objects.
Registry& registry() {
  static auto* const the_registry = new Registry;
  return *the_registry;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const Registry& hooks_initialized_at_load = registry();

thread_local bool is_library_thread = false;

// Exceptions of a hook are logged only: no caller can receive them.
void run(const ThreadHook& hook, const char* name) noexcept {
  try {
    if (hook) hook(name);
  } catch (...) {
  }
}

}  // namespace

std::int64_t add_thread_hooks(ThreadHook start, ThreadHook stop) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  auto set = std::make_shared<ThreadHookSet>(ThreadHookSet{all.last_id + 1, std::move(start), std::move(stop)});
  all.sets.push_back(std::move(set));
  return ++all.last_id;
}

void remove_thread_hooks(std::int64_t id) {
  if (is_library_thread)
    fail(Status::invalid_state, "id is ", id, "; removed on a thread that runs these hooks, so it would wait for itself");
  Registry& all = registry();
  std::shared_ptr<ThreadHookSet> set;  // destroyed after the lock: the destructor may run user code
  std::unique_lock lock(all.mutex);
  const auto found = std::find_if(all.sets.begin(), all.sets.end(), [id](const auto& each) { return each->id == id; });
  if (found == all.sets.end()) fail(Status::not_found, "id is ", id, "; unknown thread hooks");
  set = *found;
  all.sets.erase(found);
  all.thread_left.wait(lock, [&] { return set->threads == 0; });
  lock.unlock();
}

void hold_thread_hooks() { registry().mutex.lock(); }

void release_thread_hooks() { registry().mutex.unlock(); }

void restart_thread_hooks() {
  for (const auto& set : registry().sets) set->threads = 0;
  registry().mutex.unlock();
}

ThreadHookScope::ThreadHookScope(std::string thread_name) : thread_name_(std::move(thread_name)), generation_(fork_generation()) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  sets_ = all.sets;
  for (const auto& set : sets_) ++set->threads;
}

void ThreadHookScope::enter() noexcept {
  is_library_thread = true;
  entered_ = true;
  for (const auto& set : sets_) run(set->start, thread_name_.c_str());
}

ThreadHookScope::~ThreadHookScope() {
  if (entered_) {
    for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) run((*set)->stop, thread_name_.c_str());
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (auto& set : sets_) {
    if (generation_ == fork_generation()) --set->threads;
    // Never the last reference: the registry or the thread that removes the hooks holds one, and destroys the set outside the lock.
    set.reset();
  }
  all.thread_left.notify_all();
}

}  // namespace ckpt::base
