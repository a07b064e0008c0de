// Storage, fault handlers, checkpoints, background saves, coordinators, and the log messages of all of them.
#include "adaptive/events.h"
#include "scenarios.h"

#include <stdlib.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>

namespace sweeps {

ckpt_tensor* make_small_tensor() {
  const std::int64_t shape[2] = {4, 2};
  ckpt_tensor* tensor = nullptr;
  MUST(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, nullptr, &tensor));
  MUST(ckpt_tensor_fill(tensor, 1));
  return tensor;
}

ckpt_state* make_small_state() {
  ckpt_state* state = nullptr;
  ckpt_tensor* tensor = make_small_tensor();
  MUST(ckpt_state_create(&state));
  MUST(ckpt_state_add_tensor(state, "model", "weight", tensor));
  ckpt_tensor_release(tensor);
  return state;
}

namespace {

// Destructs after all threads that the library created meanwhile have ended: the threads of a manager that was released in a
// callback free it last.
class ThreadsEnd {
 public:
  ThreadsEnd() {
    MUST(ckpt_add_thread_hooks([](const char*, void*) {}, nullptr, nullptr, nullptr, &hooks_));
  }
  ~ThreadsEnd() { REQUIRE_PERMITTED(ckpt_remove_thread_hooks(hooks_)); }
  ThreadsEnd(const ThreadsEnd&) = delete;
  ThreadsEnd& operator=(const ThreadsEnd&) = delete;

 private:
  std::int64_t hooks_ = 0;
};

// The scenario's current step, which callbacks on other threads query.
class Step {
 public:
  void operator=(const char* text) {
    const std::lock_guard guard(mutex_);
    text_ = text;
  }
  operator std::string() const {
    const std::lock_guard guard(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// Counts user_data that the library has released: threads of a manager that was released in a callback use it until then.
std::counting_semaphore<> gone(0);

const std::vector<const char*> uses_checkpoint = {
    "ckpt_checkpoint_manager_save",       "ckpt_checkpoint_manager_load",         "ckpt_checkpoint_manager_list",
    "ckpt_checkpoint_manager_get_latest", "ckpt_checkpoint_manager_get_best",     "ckpt_checkpoint_manager_find_step",
    "ckpt_checkpoint_manager_remove",     "ckpt_checkpoint_manager_get_manifest", "ckpt_checkpoint_manager_pin",
    "ckpt_checkpoint_manager_unpin",      "ckpt_checkpoint_manager_prune",        "ckpt_checkpoint_manager_prune_abandoned",
    "ckpt_checkpoint_manager_verify",     "ckpt_reader_create_from_checkpoint"};

// ---- A storage of callbacks: a map of paths that sweeps in each operation ----

struct File {
  bool is_directory = false;
  std::string bytes;
};

struct MapStorage {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<File>> files;
  Step step;
  std::atomic<Objects*> in_use = nullptr;
  const std::vector<const char*>* refused_all = nullptr;
  bool locked = false;
  int failures = 0;  // number of future writes that fail
};

void sweep_in(MapStorage& map_storage, const char* operation) {
  Objects* const in_use = map_storage.in_use;
  if (in_use == nullptr) return;
  Place place{std::string("storage ") + operation + " in " + std::string(map_storage.step), in_use};
  if (in_use->of<ckpt_checkpoint_manager>() != nullptr) place.refused = uses_checkpoint;
  place.refused.push_back("ckpt_checkpoint_manager_create");  // which locks the storage
  if (map_storage.refused_all != nullptr) place.refused_all = *map_storage.refused_all;
  here(place);
}

MapStorage& entered(void* user, const char* operation) {
  MapStorage& map_storage = *static_cast<MapStorage*>(user);
  sweep_in(map_storage, operation);
  return map_storage;
}

File& file_of(void* file) { return **static_cast<std::shared_ptr<File>*>(file); }

ckpt_storage_callbacks map_storage_callbacks() {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  using Guard = std::lock_guard<std::mutex>;
  table.create = [](const char* path, void** file, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "create");
    const Guard guard(map_storage.mutex);
    const auto created = map_storage.files.emplace(path, std::make_shared<File>());
    if (!created.second) return CKPT_E_ALREADY_EXISTS;
    *file = new std::shared_ptr<File>(created.first->second);
    return CKPT_OK;
  };
  table.open = [](const char* path, void** file, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "open");
    const Guard guard(map_storage.mutex);
    const auto found = map_storage.files.find(path);
    if (found == map_storage.files.end()) return CKPT_E_NOT_FOUND;
    if (found->second->is_directory) return CKPT_E_INVALID_ARGUMENT;
    *file = new std::shared_ptr<File>(found->second);
    return CKPT_OK;
  };
  table.close = [](void* file, void* user) {
    entered(user, "close");
    delete static_cast<std::shared_ptr<File>*>(file);
  };
  table.file_size = [](void* file, std::int64_t* bytes, void* user) -> std::int32_t {
    entered(user, "file_size");
    *bytes = static_cast<std::int64_t>(file_of(file).bytes.size());
    return CKPT_OK;
  };
  table.read = [](void* file, std::int64_t offset, void* buffer, std::int64_t bytes, std::int64_t* read,
                  void* user) -> std::int32_t {
    entered(user, "read");
    const std::string& all = file_of(file).bytes;
    const auto size = static_cast<std::int64_t>(all.size());
    *read = offset >= size ? 0 : std::min(bytes, size - offset);
    if (*read > 0) std::memcpy(buffer, all.data() + offset, static_cast<std::size_t>(*read));
    return CKPT_OK;
  };
  table.write = [](void* file, std::int64_t offset, const void* buffer, std::int64_t bytes, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "write");
    if (map_storage.failures > 0 && map_storage.failures-- > 0) return CKPT_E_IO;
    std::string& all = file_of(file).bytes;
    if (all.size() < static_cast<std::size_t>(offset + bytes)) all.resize(static_cast<std::size_t>(offset + bytes));
    if (bytes > 0) std::memcpy(all.data() + offset, buffer, static_cast<std::size_t>(bytes));
    return CKPT_OK;
  };
  table.sync = [](void*, void* user) -> std::int32_t { return entered(user, "sync"), CKPT_OK; };
  table.sync_directory = [](const char*, void* user) -> std::int32_t { return entered(user, "sync_directory"), CKPT_OK; };
  table.rename = [](const char* from, const char* to, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "rename");
    const Guard guard(map_storage.mutex);
    if (map_storage.files.count(from) == 0) return CKPT_E_NOT_FOUND;
    std::map<std::string, std::shared_ptr<File>> renamed;
    const std::string old = from;
    for (auto& [path, file] : map_storage.files) {
      const bool inside = path == old || path.compare(0, old.size() + 1, old + "/") == 0;
      if (inside || renamed.count(path) == 0) renamed[inside ? to + path.substr(old.size()) : path] = file;
    }
    map_storage.files = renamed;
    return CKPT_OK;
  };
  table.remove = table.remove_directory = [](const char* path, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "remove");
    const Guard guard(map_storage.mutex);
    return map_storage.files.erase(path) == 1 ? CKPT_OK : CKPT_E_NOT_FOUND;
  };
  table.make_directory = [](const char* path, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "make_directory");
    const Guard guard(map_storage.mutex);
    const auto created = map_storage.files.emplace(path, std::make_shared<File>());
    created.first->second->is_directory = true;
    return created.second ? CKPT_OK : CKPT_E_ALREADY_EXISTS;
  };
  table.list = [](const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "list");
    const Guard guard(map_storage.mutex);
    const std::string before = *path == '\0' ? "" : std::string(path) + "/";
    for (const auto& [name, file] : map_storage.files) {
      if (name.compare(0, before.size(), before) != 0 || name.find('/', before.size()) != std::string::npos) continue;
      const std::int32_t code = entry(listing, name.c_str() + before.size(), file->is_directory ? 1 : 0);
      if (code != CKPT_OK) return code;
    }
    return CKPT_OK;
  };
  table.size = [](const char* path, std::int64_t* bytes, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "size");
    const Guard guard(map_storage.mutex);
    const auto found = map_storage.files.find(path);
    if (found == map_storage.files.end()) return CKPT_E_NOT_FOUND;
    *bytes = static_cast<std::int64_t>(found->second->bytes.size());
    return found->second->is_directory ? CKPT_E_INVALID_ARGUMENT : CKPT_OK;
  };
  table.lock = [](const char*, void** lock, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "lock");
    if (map_storage.locked) return CKPT_E_BUSY;
    map_storage.locked = true;
    *lock = &map_storage;
    return CKPT_OK;
  };
  table.unlock = [](void* lock, void* user) {
    entered(user, "unlock");
    static_cast<MapStorage*>(lock)->locked = false;
  };
  return table;
}

// The same as an object store: paths contain '/', and the functions that only such a store needs are set.
ckpt_storage_callbacks object_callbacks() {
  ckpt_storage_callbacks table = map_storage_callbacks();
  using Guard = std::lock_guard<std::mutex>;
  table.flags = CKPT_STORAGE_FLAG_OBJECTS;
  table.create_stream = [](const char* path, std::int64_t, void** file, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "create_stream");
    const Guard guard(map_storage.mutex);
    *file = new std::shared_ptr<File>(map_storage.files[path] = std::make_shared<File>());
    return CKPT_OK;
  };
  table.put_if_absent = [](const char* path, const void* buffer, std::int64_t bytes, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "put_if_absent");
    const Guard guard(map_storage.mutex);
    const auto created = map_storage.files.emplace(path, std::make_shared<File>());
    if (!created.second) return CKPT_E_ALREADY_EXISTS;
    created.first->second->bytes.assign(static_cast<const char*>(buffer), static_cast<std::size_t>(bytes));
    return CKPT_OK;
  };
  table.read_ranges = [](void* file, const ckpt_storage_range* ranges, std::int64_t count, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "read_ranges");
    const Guard guard(map_storage.mutex);
    const std::string& bytes = file_of(file).bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      const ckpt_storage_range& range = ranges[i];
      if (range.offset + range.bytes > static_cast<std::int64_t>(bytes.size())) return CKPT_E_INVALID_ARGUMENT;
      std::memcpy(range.buffer, bytes.data() + range.offset, static_cast<std::size_t>(range.bytes));
    }
    return CKPT_OK;
  };
  table.list_from = [](const char* prefix, const char* after, std::int64_t limit, ckpt_storage_object_fn take, void* listing,
                       void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "list_from");
    const Guard guard(map_storage.mutex);
    for (const auto& each : map_storage.files) {
      if (each.first.compare(0, std::strlen(prefix), prefix) != 0 || each.first <= after) continue;
      if (limit-- == 0) break;
      const std::int32_t code = take(listing, each.first.c_str(), static_cast<std::int64_t>(each.second->bytes.size()));
      if (code != CKPT_OK) return code;
    }
    return CKPT_OK;
  };
  table.remove_many = [](const char* const* paths, std::int64_t count, void* user) -> std::int32_t {
    MapStorage& map_storage = entered(user, "remove_many");
    const Guard guard(map_storage.mutex);
    for (std::int64_t i = 0; i < count; ++i) map_storage.files.erase(paths[i]);
    return CKPT_OK;
  };
  return table;
}

ckpt_storage* make_map_storage(MapStorage& map_storage, bool is_objects = false) {
  const ckpt_storage_callbacks table = is_objects ? object_callbacks() : map_storage_callbacks();
  ckpt_storage* storage = nullptr;
  MUST(ckpt_storage_create_custom(
      "shelf", &table, &map_storage, [](void*) { gone.release(); }, &storage));
  return storage;
}

// Truncates the newest checkpoint's tensors, so that a load skips it.
void damage(MapStorage& map_storage, const std::string& checkpoint) {
  for (auto& [path, file] : map_storage.files) {
    if (path.compare(0, checkpoint.size() + 1, checkpoint + "/") == 0 && path.find(".safetensors") != std::string::npos) {
      file->bytes.resize(file->bytes.size() / 2);
    }
  }
}

ckpt_save_options at_step(std::int64_t step) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  return options;
}

// ---- Storage ----

void use_storage(MapStorage& map_storage, bool is_objects) {
  Objects in_use;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = 1;
  if (!is_objects) {
    map_storage.files["step-000000000009"] = std::make_shared<File>();  // truncated: an open sets it aside
    map_storage.files["step-000000000009"]->is_directory = true;
  }
  in_use.of<ckpt_storage>() = make_map_storage(map_storage, is_objects);
  in_use.of<ckpt_state>() = make_small_state();
  map_storage.in_use = &in_use;
  map_storage.step = "open";
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), &options, &in_use.of<ckpt_checkpoint_manager>()));
  for (std::int64_t step = 1; step <= 2; ++step) {
    const ckpt_save_options save = at_step(step);
    map_storage.step = step == 1 ? "the first save" : "the second save";
    REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), &save, nullptr));
  }
  map_storage.step = "load";
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_load(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  map_storage.step = "verify";
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_verify(in_use.of<ckpt_checkpoint_manager>(), nullptr, nullptr));
  map_storage.step = "count";
  std::int64_t count = 0;
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_list(in_use.of<ckpt_checkpoint_manager>(), nullptr, 0, &count));
  map_storage.step = "opening a reader";
  REQUIRE_PERMITTED(ckpt_reader_create_from_checkpoint(in_use.of<ckpt_checkpoint_manager>(), nullptr, CKPT_VERIFY_LAZY,
                                                       &in_use.of<ckpt_reader>()));
  map_storage.step = "a reader";
  ckpt_tensor* tensor = nullptr;
  REQUIRE_PERMITTED(ckpt_reader_read_new(in_use.of<ckpt_reader>(), 0, nullptr, &tensor));
  ckpt_tensor_release(tensor);
  map_storage.step = "release";
  Objects last = in_use;  // an object that is being released is no longer in use
  in_use = Objects();
  release_rest(last);
}

void storage_callbacks() {
  static MapStorage map_storage;
  use_storage(map_storage, false);
}

void object_store() {
  static MapStorage map_storage;
  use_storage(map_storage, true);
}

// Called about the first checkpoint when the second one is durable.
void keep() {
  static MapStorage map_storage;
  Objects in_use;
  Place asked{"keep of a checkpoint manager", &in_use, uses_checkpoint};
  Place destroyed{"keep destroy of a checkpoint manager"};
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_save_options second = CKPT_SAVE_OPTIONS_INIT;
  struct Both {
    Place* asked;
    Place* destroyed;
  } both = {&asked, &destroyed};
  options.keep = [](const ckpt_checkpoint_info*, std::int32_t*, void* user) -> std::int32_t {
    return here(*static_cast<Both*>(user)->asked), 0;
  };
  options.keep_user_data = &both;
  options.keep_destroy = [](void* user) { here(*static_cast<Both*>(user)->destroyed); };
  second.step = 1;
  in_use.of<ckpt_storage>() = make_map_storage(map_storage);
  in_use.of<ckpt_state>() = make_small_state();
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), &options, &in_use.of<ckpt_checkpoint_manager>()));
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), &second, nullptr));
  release_rest(in_use);
}

// The rename callback's user data is destroyed with it; in the background possibly by the worker.
struct Renaming {
  Place asked;
  Place destroyed;
  bool in_background = false;
};

ckpt_load_options renaming(Renaming& renamed) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  options.rename = [](const char*, const char*, char*, std::int64_t, std::int64_t*, void* user) -> std::int32_t {
    return here(static_cast<Renaming*>(user)->asked), 0;
  };
  options.rename_user_data = &renamed;
  options.rename_destroy = [](void* user) {
    here(static_cast<Renaming*>(user)->destroyed);
    if (static_cast<Renaming*>(user)->in_background) gone.release();
  };
  return options;
}

void rename_tensors() {
  Objects in_use;
  std::vector<const char*> refused = uses_checkpoint;
  for (const char* function :
       {"ckpt_state_add_tensor", "ckpt_state_get_tensor_count", "ckpt_state_set_json", "ckpt_state_get_json",
        "ckpt_state_get_key_count", "ckpt_state_get_key", "ckpt_state_get_load_report", "ckpt_state_set_rarely_changes"})
    refused.push_back(function);
  Renaming renamed{{"rename in a load", &in_use, refused}, {"rename destroy"}};
  const ckpt_load_options options = renaming(renamed);
  MUST(ckpt_storage_create_memory(&in_use.of<ckpt_storage>()));
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), nullptr, &in_use.of<ckpt_checkpoint_manager>()));
  in_use.of<ckpt_state>() = make_small_state();
  MUST(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_load(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), &options, nullptr));
  release_rest(in_use);
}

// Progress callbacks of every long call of its thread; the arguments of these calls are in use.
void progress() {
  static MapStorage map_storage;
  Objects in_use;
  Place destroyed{"progress destroy"};
  struct Both {
    Place report;
    Place* destroyed;
  } both = {{"progress", &in_use}, &destroyed};
  const auto report = [](std::int64_t, std::int64_t, void* user) -> std::int32_t {
    return here(static_cast<Both*>(user)->report), 0;
  };
  const auto during = [&](const char* call, const std::vector<const char*>& refused) {
    both.report.name = std::string("progress of ") + call;
    both.report.refused = refused;
  };
  in_use.of<ckpt_storage>() = make_map_storage(map_storage);
  in_use.of<ckpt_state>() = make_small_state();
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), nullptr, &in_use.of<ckpt_checkpoint_manager>()));
  MUST(ckpt_set_progress(report, &both, [](void* user) { here(*static_cast<Both*>(user)->destroyed); }));
  during("save", uses_checkpoint);
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  during("load", uses_checkpoint);
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_load(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  during("verify", uses_checkpoint);
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_verify(in_use.of<ckpt_checkpoint_manager>(), nullptr, nullptr));
  during("opening a reader", uses_checkpoint);
  REQUIRE_PERMITTED(ckpt_reader_create_from_checkpoint(in_use.of<ckpt_checkpoint_manager>(), nullptr, CKPT_VERIFY_FULL,
                                                       &in_use.of<ckpt_reader>()));
  during("a reader", {});
  ckpt_tensor* tensor = nullptr;
  REQUIRE_PERMITTED(ckpt_reader_read_new(in_use.of<ckpt_reader>(), 0, nullptr, &tensor));
  ckpt_tensor_release(tensor);
  REQUIRE_PERMITTED(ckpt_set_progress(nullptr, nullptr, nullptr));
  release_rest(in_use);
}

// A fault handler that decides whether to retry, and then waits.
void fault_handler() {
  static MapStorage map_storage;
  Objects in_use;
  Place waits{"sleep of a fault handler", &in_use, uses_checkpoint};
  Place decides{"decide of a fault handler", &in_use, uses_checkpoint};
  Place destroyed{"decide destroy of a fault handler"};
  ckpt_fault_handler_options fault = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  struct Both {
    Place* decides;
    Place* destroyed;
  } both = {&decides, &destroyed};
  fault.decide = [](ckpt_status, const char*, std::int32_t, std::int32_t*, std::int64_t*, void* user) -> std::int32_t {
    return here(*static_cast<Both*>(user)->decides), 0;
  };
  fault.decide_user_data = &both;
  fault.decide_destroy = [](void* user) { here(*static_cast<Both*>(user)->destroyed); };
  MUST(ckpt_fault_handler_create(&fault, &sweeping, &waits, nullptr, &in_use.of<ckpt_fault_handler>()));
  in_use.of<ckpt_storage>() = make_map_storage(map_storage);
  in_use.of<ckpt_state>() = make_small_state();
  options.fault_handler = in_use.of<ckpt_fault_handler>();
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), &options, &in_use.of<ckpt_checkpoint_manager>()));
  map_storage.failures = 1;
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  release_rest(in_use);
}

// ---- Stateful objects ----

const std::vector<const char*> uses_state = {"ckpt_checkpoint_manager_save", "ckpt_checkpoint_manager_load"};

struct Listed {
  Place list;
  Place restore;
  Place destroy;
};

void add_listed(ckpt_state* state, Listed& listed) {
  ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
  callbacks.list = [](ckpt_state* into, void* user) -> std::int32_t {
    here(static_cast<Listed*>(user)->list);
    return ckpt_state_set_json(into, "value", "1");
  };
  callbacks.restore = [](const ckpt_state*, void* user) -> std::int32_t { return here(static_cast<Listed*>(user)->restore), 0; };
  const auto destroy = [](void* user) {
    here(static_cast<Listed*>(user)->destroy);
    gone.release();
  };
  MUST(ckpt_state_add_stateful(state, "object", &callbacks, &listed, destroy));
}

void stateful() {
  Objects in_use;
  Listed listed = {
      {"stateful list in a save", &in_use, uses_state}, {"stateful restore", &in_use, uses_state}, {"stateful destroy"}};
  MUST(ckpt_storage_create_memory(&in_use.of<ckpt_storage>()));
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), nullptr, &in_use.of<ckpt_checkpoint_manager>()));
  in_use.of<ckpt_state>() = make_small_state();
  add_listed(in_use.of<ckpt_state>(), listed);
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  listed.list.name = "stateful list in a load";
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_load(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  release_rest(in_use);
}

// ---- Coordinators ----

void coordinators() {
  const std::vector<const char*> collective = {"ckpt_coordinator_barrier", "ckpt_coordinator_broadcast",
                                               "ckpt_coordinator_all_gather", "ckpt_coordinator_gather",
                                               "ckpt_controller_decide_all"};
  static Objects in_use;
  static Place barrier{"coordinator barrier", &in_use, collective};
  static Place broadcast{"coordinator broadcast", &in_use, collective};
  static Place all_gather{"coordinator all_gather", &in_use, collective};
  static Place gather{"coordinator gather", &in_use, collective};
  static Place destroyed{"coordinator destroy"};
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  callbacks.barrier = [](std::int64_t, void*) -> std::int32_t { return here(barrier), 0; };
  callbacks.broadcast = [](void*, std::int64_t, std::int64_t, std::int64_t, void*) -> std::int32_t { return here(broadcast), 0; };
  callbacks.all_gather = [](const void*, std::int64_t, std::int64_t, void*, void*) -> std::int32_t { return here(all_gather), 0; };
  callbacks.gather = [](const void*, std::int64_t, std::int64_t, std::int64_t, void*, void*) -> std::int32_t {
    return here(gather), 0;
  };
  MUST(ckpt_coordinator_create_custom(
      &callbacks, nullptr, [](void*) { here(destroyed); }, &in_use.of<ckpt_coordinator>()));
  std::uint64_t word = 0;
  std::uint64_t words = 0;
  ckpt_decision decision = CKPT_DECISION_INIT;
  REQUIRE_PERMITTED(ckpt_coordinator_barrier(in_use.of<ckpt_coordinator>(), 0));
  REQUIRE_PERMITTED(ckpt_coordinator_broadcast(in_use.of<ckpt_coordinator>(), &word, 8, 0, 0));
  REQUIRE_PERMITTED(ckpt_coordinator_all_gather(in_use.of<ckpt_coordinator>(), &word, 8, 0, &words));
  REQUIRE_PERMITTED(ckpt_coordinator_gather(in_use.of<ckpt_coordinator>(), &word, 8, 0, 0, &words));
  all_gather.name = "coordinator all_gather of a controller";
  MUST(ckpt_controller_create(nullptr, &in_use.of<ckpt_controller>()));
  MUST(record_begin_run(in_use.of<ckpt_controller>(), 0));
  REQUIRE_PERMITTED(ckpt_controller_decide_all(in_use.of<ckpt_controller>(), in_use.of<ckpt_coordinator>(), 1, 0, &decision));
  Objects last = in_use;
  in_use = Objects();
  release_rest(last);
}

// ---- Background saves ----

// In a callback of a manager. A call that need not wait, because its condition already holds, succeeds.
const std::vector<const char*> refused_in_callbacks = {"ckpt_async_manager_save", "ckpt_async_manager_load",
                                                       "ckpt_async_manager_close"};
const std::vector<const char*> refused_in_source = {"ckpt_async_manager_save",
                                                    "ckpt_async_manager_load",
                                                    "ckpt_async_manager_close",
                                                    "ckpt_async_manager_wait",
                                                    "ckpt_async_manager_wait_staged",
                                                    "ckpt_checkpoint_manager_save",
                                                    "ckpt_checkpoint_manager_load",
                                                    "ckpt_checkpoint_manager_list",
                                                    "ckpt_checkpoint_manager_get_latest",
                                                    "ckpt_checkpoint_manager_get_best",
                                                    "ckpt_checkpoint_manager_find_step",
                                                    "ckpt_checkpoint_manager_remove",
                                                    "ckpt_checkpoint_manager_get_manifest",
                                                    "ckpt_checkpoint_manager_verify",
                                                    "ckpt_reader_create_from_checkpoint"};

struct TaskPlaces {
  Place staged;
  Place progress;
  Place ended;
  Place destroyed;
};

ckpt_checkpoint_task_callbacks telling() {
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  callbacks.staged = [](std::int64_t, std::int64_t, void* user) { here(static_cast<TaskPlaces*>(user)->staged); };
  callbacks.progress = [](std::int64_t, std::int64_t, std::int64_t, void* user) { here(static_cast<TaskPlaces*>(user)->progress); };
  callbacks.ended = [](const ckpt_checkpoint_task_result*, void* user) { here(static_cast<TaskPlaces*>(user)->ended); };
  return callbacks;
}

void destroy_task_places(void* user) {
  here(static_cast<TaskPlaces*>(user)->destroyed);
  gone.release();
}

TaskPlaces places_of_task(const std::string& prefix, Objects& in_use) {
  return {{prefix + " staged", &in_use, refused_in_callbacks},
          {prefix + " progress", &in_use, refused_in_callbacks},
          {prefix + " ended", &in_use, refused_in_callbacks},
          {prefix + " callbacks destroy"}};
}

// Waits until all tasks have ended; if one of their callbacks (identified by a substring of their places' names) releases
// something, waits for that, too.
void wait_for_tasks(Objects& in_use, const std::string& places) {
  if (wait_for_release(places)) return;
  REQUIRE_PERMITTED(ckpt_async_manager_wait(in_use.of<ckpt_async_manager>(), CKPT_CHECKPOINT_TASK_ALL, -1, nullptr));
}

void make_async(Objects& in_use, const ckpt_async_manager_options* options) {
  MUST(ckpt_storage_create_memory(&in_use.of<ckpt_storage>()));
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), nullptr, &in_use.of<ckpt_checkpoint_manager>()));
  MUST(ckpt_async_manager_create(in_use.of<ckpt_checkpoint_manager>(), options, &in_use.of<ckpt_async_manager>()));
  in_use.of<ckpt_state>() = make_small_state();
  in_use.task = std::int64_t{1} << 40;  // not a task id: the running task is not cancelled
}

// Callbacks of a task.
void async_tasks() {
  const ThreadsEnd threads_end;
  Objects in_use;
  for (const std::int32_t mode : {CKPT_STAGING_MODE_COPY, CKPT_STAGING_MODE_DEFERRED}) {
    const std::string prefix = mode == CKPT_STAGING_MODE_COPY ? "copied task's" : "deferred task's";
    TaskPlaces places = places_of_task(prefix, in_use);
    Place source{prefix + " source", &in_use, refused_in_source};
    const ckpt_checkpoint_task_callbacks callbacks = telling();
    ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
    task.mode = mode;
    task.callbacks = &callbacks;
    task.user_data = &places;
    task.destroy = destroy_task_places;
    task.source = &sweeping;
    task.source_user_data = &source;
    task.source_destroy = [](void* user) {
      Place destroyed{static_cast<Place*>(user)->name + " destroy"};
      here(destroyed);
      gone.release();
    };
    make_async(in_use, nullptr);
    std::int64_t id = 0;
    MUST(ckpt_async_manager_save(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), nullptr, &task, &id));
    wait_for_tasks(in_use, prefix);
    release_rest(in_use);
    for (int i = 0; i < 2; ++i) gone.acquire();  // the listener and the source
  }
}

// A background load with renamed tensors.
void async_rename() {
  const ThreadsEnd threads_end;
  Objects in_use;
  std::vector<const char*> refused;
  for (const char* function : refused_in_source) {
    if (std::strcmp(function, "ckpt_async_manager_wait_staged") != 0) refused.push_back(function);  // a load stages nothing
  }
  Renaming renamed{{"rename in a background load", &in_use, refused}, {"rename destroy by a background load"}, true};
  const ckpt_load_options options = renaming(renamed);
  make_async(in_use, nullptr);
  MUST(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  std::int64_t id = 0;
  MUST(ckpt_async_manager_load(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), &options, nullptr, &id));
  wait_for_tasks(in_use, "a background load");
  release_rest(in_use);
  gone.acquire();
}

// Callbacks of the manager.
void async_managers() {
  const ThreadsEnd threads_end;
  Objects in_use;
  const ckpt_checkpoint_task_callbacks callbacks = telling();
  for (const char* prefix : {"manager's save's", "manager's load's"}) {
    TaskPlaces places = places_of_task(prefix, in_use);
    ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
    options.callbacks = &callbacks;
    options.user_data = &places;
    options.destroy = destroy_task_places;
    make_async(in_use, &options);
    std::int64_t id = 0;
    if (std::strstr(prefix, "load") == nullptr) {
      REQUIRE_PERMITTED(ckpt_async_manager_save(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr, &id));
    } else {
      MUST(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
      REQUIRE_PERMITTED(ckpt_async_manager_load(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr, &id));
    }
    wait_for_tasks(in_use, prefix);
    release_rest(in_use);
    gone.acquire();  // a release in a callback destroys the manager on its thread
  }
}

// Copy memory from the caller's allocator.
void staging_memory() {
  const ThreadsEnd threads_end;
  Objects in_use;
  struct Memory {
    Place allocate;
    Place release{"staging_free"};
    Place destroy{"staging destroy"};
  } memory{{"staging_allocate", &in_use}};
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  options.staging_allocate = [](std::int64_t bytes, void** block, void* user) -> std::int32_t {
    here(static_cast<Memory*>(user)->allocate);
    return posix_memalign(block, 4096, static_cast<std::size_t>(bytes));
  };
  options.staging_free = [](void* block, std::int64_t, void* user) {
    here(static_cast<Memory*>(user)->release);
    free(block);
  };
  options.staging_user_data = &memory;
  options.staging_destroy = [](void* user) {
    here(static_cast<Memory*>(user)->destroy);
    gone.release();
  };
  make_async(in_use, &options);
  std::int64_t id = 0;
  REQUIRE_PERMITTED(ckpt_async_manager_save(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr, &id));
  wait_for_tasks(in_use, "a save into memory of the caller's");
  release_rest(in_use);
  gone.acquire();
}

// Storage and stateful callbacks during a background save or load.
void async_storage() {
  const ThreadsEnd threads_end;
  static MapStorage map_storage;
  static Objects in_use;
  static Listed listed = {{"stateful list in a background save", &in_use, uses_state},
                          {"stateful restore in a background load", &in_use, uses_state},
                          {"stateful destroy by a background save"}};
  in_use.of<ckpt_storage>() = make_map_storage(map_storage);
  MUST(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), nullptr, &in_use.of<ckpt_checkpoint_manager>()));
  MUST(ckpt_async_manager_create(in_use.of<ckpt_checkpoint_manager>(), nullptr, &in_use.of<ckpt_async_manager>()));
  in_use.of<ckpt_state>() = make_small_state();
  add_listed(in_use.of<ckpt_state>(), listed);
  std::int64_t id = 0;
  map_storage.step = "a background save";
  map_storage.in_use = &in_use;
  REQUIRE_PERMITTED(ckpt_async_manager_save(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr, &id));
  wait_for_tasks(in_use, "a background save");
  map_storage.step = "a background load";
  listed.list.name = "stateful list in a background load";
  REQUIRE_PERMITTED(ckpt_async_manager_load(in_use.of<ckpt_async_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr, &id));
  wait_for_tasks(in_use, "a background load");
  map_storage.in_use = nullptr;
  Objects rest = in_use;  // threads may still read in_use
  release_rest(rest);
  for (int i = 0; i < 2; ++i) gone.acquire();  // the storage and the stateful object
}

// ---- Log messages ----

struct Log {
  std::atomic<Objects*> in_use = nullptr;
  Step step;
};

void on_log(std::int32_t /*level*/, const char* component, const char* /*message*/, void* user) {
  Log& log = *static_cast<Log*>(user);
  here({std::string("log of ") + component + " in " + std::string(log.step),
        log.in_use,
        {},
        {"ckpt_set_log", "ckpt_set_fallback_log"}});
}

void log_of_state() {
  static MapStorage map_storage;
  static Log log;
  static Objects in_use;
  log.in_use = &in_use;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  map_storage.files["step-000000000009"] = std::make_shared<File>();
  map_storage.files["step-000000000009"]->is_directory = true;
  MUST(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, on_log, &log, nullptr));
  in_use.of<ckpt_storage>() = make_map_storage(map_storage);
  in_use.of<ckpt_state>() = make_small_state();
  log.step = "open";
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_create(in_use.of<ckpt_storage>(), nullptr, &in_use.of<ckpt_checkpoint_manager>()));
  for (std::int64_t step = 1; step <= 2; ++step) {
    const ckpt_save_options save = at_step(step);
    log.step = "save";
    REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), &save, &saved));
  }
  damage(map_storage, saved.name);
  log.step = "a load that passes one over";
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_load(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  log.step = "a save that tries again";
  map_storage.failures = 1;
  REQUIRE_PERMITTED(ckpt_checkpoint_manager_save(in_use.of<ckpt_checkpoint_manager>(), in_use.of<ckpt_state>(), nullptr, nullptr));
  release_rest(in_use);
  REQUIRE_PERMITTED(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, nullptr, nullptr, nullptr));
}

void log_of_background() {
  const ThreadsEnd threads_end;
  static MapStorage map_storage;
  static Log log;
  static Objects early;   // before there is a manager, since its threads log at once
  static Objects in_use;  // afterwards
  Objects hidden;
#if defined(CKPT_SANITIZED)
  Objects& has_state = hidden;  // a callback that loads into it while it is saved would cause a data race itself
#else
  Objects& has_state = in_use;
#endif
  (&has_state == &hidden ? hidden : early).of<ckpt_state>() = make_small_state();
  early.of<ckpt_storage>() = make_map_storage(map_storage);
  log.in_use = &early;
  MUST(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, on_log, &log, nullptr));
  MUST(ckpt_checkpoint_manager_create(early.of<ckpt_storage>(), nullptr, &early.of<ckpt_checkpoint_manager>()));
  log.step = "making a manager";
  ckpt_async_manager* async = nullptr;
  MUST(ckpt_async_manager_create(early.of<ckpt_checkpoint_manager>(), nullptr, &async));
  wait_for_release("making a manager");
  in_use = early;
  in_use.of<ckpt_async_manager>() = async;
  log.in_use = &in_use;
  std::int64_t id = 0;
  log.step = "a background save that tries again";
  map_storage.failures = 1;
  REQUIRE_PERMITTED(ckpt_async_manager_save(async, has_state.of<ckpt_state>(), nullptr, nullptr, &id));
  wait_for_tasks(in_use, "a background save that tries again");
  log.step = "closing a manager";
  REQUIRE_PERMITTED(ckpt_async_manager_close(in_use.of<ckpt_async_manager>(), CKPT_CLOSE_MODE_DRAIN, -1));
  log.in_use = nullptr;
  Objects rest = in_use;  // threads may still read in_use
  release_rest(rest);
  release_rest(hidden);
  gone.acquire();  // the storage
  REQUIRE_PERMITTED(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, nullptr, nullptr, nullptr));
}

}  // namespace

const std::vector<Scenario> state_scenarios = {
    {"storage_callbacks",
     {"ckpt_storage_open_fn", "ckpt_storage_close_fn", "ckpt_storage_file_size_fn", "ckpt_storage_read_fn", "ckpt_storage_write_fn",
      "ckpt_storage_sync_fn", "ckpt_storage_rename_fn", "ckpt_storage_path_fn", "ckpt_storage_list_fn", "ckpt_storage_size_fn"},
     30,
     storage_callbacks},
    {"object_store",
     {"ckpt_storage_create_stream_fn", "ckpt_storage_put_fn", "ckpt_storage_read_ranges_fn", "ckpt_storage_list_from_fn",
      "ckpt_storage_remove_many_fn"},
     25,
     object_store},
    {"fault_handler", {"ckpt_sleep_fn", "ckpt_fault_decide_fn"}, 3, fault_handler},
    {"keep", {"ckpt_keep_fn"}, 2, keep},
    {"rename", {"ckpt_rename_fn"}, 2, rename_tensors},
    {"progress", {"ckpt_progress_fn"}, 6, progress},
    {"stateful", {"ckpt_stateful_list_fn", "ckpt_stateful_restore_fn"}, 4, stateful},
    {"coordinators",
     {"ckpt_coordinator_barrier_fn", "ckpt_coordinator_broadcast_fn", "ckpt_coordinator_all_gather_fn",
      "ckpt_coordinator_gather_fn"},
     6,
     coordinators},
    {"async_tasks",
     {"ckpt_checkpoint_task_staged_fn", "ckpt_checkpoint_task_progress_fn", "ckpt_checkpoint_task_ended_fn",
      "ckpt_checkpoint_task_source_fn"},
     12,
     async_tasks},
    {"async_rename", {}, 2, async_rename},
    {"async_managers", {}, 6, async_managers},
    {"staging_memory", {"ckpt_staging_allocate_fn", "ckpt_staging_free_fn"}, 3, staging_memory},
    {"async_storage", {}, 15, async_storage},
    {"log_of_state", {"ckpt_log_fn"}, 2, log_of_state},
    {"log_of_background", {}, 1, log_of_background},
};

}  // namespace sweeps
