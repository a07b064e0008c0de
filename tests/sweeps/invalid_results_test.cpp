// Callbacks fill every struct and number with absurd values: different ones on the second call, and values with sums that overflow.
// The call must fail with a message or return a result that is consistent with the values; it must never return INTERNAL, and
// AddressSanitizer must find no overrun.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ckpt/ckpt.h>

#include "adaptive/events.h"
#include "memory/named.h"
#include "strategy/given.h"

namespace {

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

int results = 0;  // number of invalid values returned and checked
std::string current;

[[noreturn]] void wrong(const char* call, const std::string& what) {
  std::fprintf(stderr, "%s: %s: %s (%s)\n", current.c_str(), call, what.c_str(), ckpt_last_error());
  std::_Exit(1);
}

ckpt_status checked(const char* call, ckpt_status status) {
  ++results;
  if (status == CKPT_E_INTERNAL || std::strcmp(ckpt_status_name(status), "UNKNOWN") == 0) wrong(call, ckpt_status_name(status));
  if (status != CKPT_OK && ckpt_last_error()[0] == '\0') wrong(call, "no message");
  return status;
}
#define CHECKED(call) checked(#call, (call))
#define MUST(call) \
  if (const ckpt_status must_status = (call); must_status != CKPT_OK) wrong(#call, ckpt_status_name(must_status))
#define REFUSED(call) \
  if (CHECKED(call) == CKPT_OK) wrong(#call, "accepted an invalid value")

ckpt_tensor* make_tensor() {
  const std::int64_t shape[2] = {4, 2};
  ckpt_tensor* tensor = nullptr;
  MUST(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, nullptr, &tensor));
  MUST(ckpt_tensor_fill(tensor, 1));
  return tensor;
}

// ---- Layers ----

constexpr ckpt_tensor_spec small = {CKPT_DTYPE_F32, 2, {4, 2}};

struct Layer {
  ckpt_tensor_spec outputs[2] = {small, small};  // before and from call number changes_at on
  ckpt_layer_option needs[2] = {{64, 64, 64}, {64, 64, 64}};
  int changes_at = 1000;  // a call number, counted from 0
  int output_questions = 0;
  int option_questions = 0;
  ckpt_layer_option last_needs = {};
  bool returned_first = false;  // the first value was returned since the last check
  bool returned_other = false;

  int which(int question) {
    const bool other = question >= changes_at;
    (other ? returned_other : returned_first) = true;
    return other ? 1 : 0;
  }
  void reset() { returned_first = returned_other = false; }
  bool returned_both() const { return returned_first && returned_other; }
};

std::int32_t output_of(const ckpt_tensor_spec* /*input*/, ckpt_tensor_spec* output, void* user) {
  auto* layer = static_cast<Layer*>(user);
  *output = layer->outputs[layer->which(layer->output_questions++)];
  return 0;
}

std::int32_t needs_of(const ckpt_tensor_spec* /*input*/, std::int32_t /*option*/, ckpt_layer_option* needs, void* user) {
  auto* layer = static_cast<Layer*>(user);
  *needs = layer->last_needs = layer->needs[layer->which(layer->option_questions++)];
  return 0;
}

std::int64_t bytes_of(const ckpt_tensor_spec& spec) {
  std::int64_t bytes = ckpt_dtype_bits(spec.dtype) / 8;
  for (std::int32_t i = 0; i < spec.ndim; ++i) bytes *= spec.shape[i];
  return bytes;
}

void fill(void* buffer, std::int64_t bytes) {
  if (buffer != nullptr && bytes > 0) std::memset(buffer, 0, static_cast<std::size_t>(bytes));
}

// Writes as many bytes as the layer announced.
std::int32_t forward_of(const ckpt_layer_context* context, const void*, void* output, void* tape, void* workspace, void* user) {
  const auto* layer = static_cast<Layer*>(user);
  fill(output, bytes_of(*context->output));
  fill(tape, layer->last_needs.tape_bytes);
  fill(workspace, layer->last_needs.forward_workspace_bytes);
  return 0;
}
std::int32_t backward_of(const ckpt_layer_context* context, const void*, const void*, const void*, const void*, void* grad_input,
                         void* workspace, void* user) {
  fill(grad_input, bytes_of(*context->input));
  fill(workspace, static_cast<Layer*>(user)->last_needs.backward_workspace_bytes);
  return 0;
}

ckpt_chain* make_chain(Layer& layer) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  ckpt_chain* chain = nullptr;
  ckpt_layer* handle = nullptr;
  callbacks.output = output_of;
  callbacks.option = needs_of;
  callbacks.forward = forward_of;
  callbacks.backward = backward_of;
  MUST(ckpt_chain_create(0, &chain));
  MUST(ckpt_layer_create_custom("custom", &callbacks, &layer, nullptr, &handle));
  MUST(ckpt_chain_add(chain, handle));
  ckpt_layer_release(handle);
  MUST(ckpt_layer_create("relu", "relu", &handle));
  MUST(ckpt_chain_add(chain, handle));
  ckpt_layer_release(handle);
  return chain;
}

// Runs profile, schedule, executor and a step, until one fails. Returns true if the step ran.
bool train(ckpt_chain* chain, Layer& layer) {
  ckpt_profile* profile = nullptr;
  ckpt_schedule* schedule = nullptr;
  ckpt_schedule_executor* executor = nullptr;
  bool has_run = false;
  if (CHECKED(ckpt_profile_create_from_chain(chain, &small, 1, nullptr, &profile)) == CKPT_OK) {
    static_cast<void>(CHECKED(ckpt_schedule_create(profile, "recompute-all", &schedule)));
    ckpt_schedule* cheapest = nullptr;
    if (CHECKED(ckpt_schedule_create(profile, "auto:9223372036854775807", &cheapest)) == CKPT_OK) {
      ckpt_schedule_release(schedule);
      schedule = cheapest;
    }
  }
  layer.reset();
  if (schedule != nullptr && CHECKED(ckpt_schedule_executor_create(chain, schedule, &small, nullptr, &executor)) == CKPT_OK) {
    if (layer.returned_both()) wrong("ckpt_schedule_executor_create", "accepted two different answers");
    ckpt_step step = CKPT_STEP_INIT;
    step.input = make_tensor();
    ckpt_tensor_spec& spec = layer.outputs[layer.output_questions > layer.changes_at ? 1 : 0];
    MUST(ckpt_tensor_create(spec.dtype, spec.shape, spec.ndim, nullptr, &step.output_gradient));
    has_run = CHECKED(ckpt_schedule_executor_run(executor, &step, nullptr)) == CKPT_OK;
    ckpt_tensor_release(step.input);
    ckpt_tensor_release(step.output_gradient);
  }
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  return has_run;
}

void pipe(ckpt_chain* chain, Layer& layer) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_pipeline* pipeline = nullptr;
  options.stages = 2;
  options.measured_steps = 1;
  layer.reset();
  if (CHECKED(ckpt_pipeline_create(chain, &small, &options, &pipeline)) == CKPT_OK) {
    if (layer.returned_both()) wrong("ckpt_pipeline_create", "accepted two different answers");
    ckpt_step step = CKPT_STEP_INIT;
    step.input = step.output_gradient = make_tensor();
    static_cast<void>(CHECKED(ckpt_pipeline_run(pipeline, &step, -1, nullptr, nullptr)));
    ckpt_tensor_release(step.input);
  }
  ckpt_pipeline_release(pipeline);
}

void test_layer_outputs() {
  const ckpt_tensor_spec absurd[] = {{99, 2, {4, 2}},
                                     {0, 2, {4, 2}},
                                     {CKPT_DTYPE_F32, -1, {4, 2}},
                                     {CKPT_DTYPE_F32, 9, {4, 2}},
                                     {CKPT_DTYPE_F32, std::numeric_limits<std::int32_t>::min(), {4, 2}},
                                     {CKPT_DTYPE_F32, 2, {-4, 2}},
                                     {CKPT_DTYPE_F32, 2, {largest, largest}},
                                     {CKPT_DTYPE_F32, 1, {largest / 4}},
                                     {CKPT_DTYPE_F4, 1, {3}}};
  const ckpt_tensor_spec others[] = {{CKPT_DTYPE_F32, 2, {4, 2048}},
                                     {CKPT_DTYPE_F32, 2, {4, 1}},
                                     {CKPT_DTYPE_F64, 2, {4, 2}},
                                     {CKPT_DTYPE_F32, 1, {8}},
                                     absurd[0],
                                     absurd[6]};
  for (const ckpt_tensor_spec& spec : absurd) {
    Layer layer;
    layer.outputs[0] = layer.outputs[1] = spec;
    current = "absurd output of a layer";
    ckpt_chain* chain = make_chain(layer);
    if (train(chain, layer)) wrong("a step", "was run");
    pipe(chain, layer);
    ckpt_chain_release(chain);
  }
  for (const ckpt_tensor_spec& spec : others) {
    for (int question = 0; question < 12; ++question) {
      Layer layer;
      layer.outputs[1] = spec;
      layer.changes_at = question;
      current = "output of a layer that changes at question " + std::to_string(question);
      ckpt_chain* chain = make_chain(layer);
      static_cast<void>(train(chain, layer));
      ckpt_chain_release(chain);
      layer.output_questions = layer.option_questions = 0;
      chain = make_chain(layer);
      if (question > 0) pipe(chain, layer);
      ckpt_chain_release(chain);
    }
  }
}

void test_layer_options() {
  const ckpt_layer_option absurd[] = {
      {-1, 0, 0}, {0, -1, 0}, {0, 0, smallest}, {largest, 0, 0}, {largest, largest, largest}, {largest - 63, 64, 0}};
  const ckpt_layer_option others[] = {{1 << 20, 64, 64}, {64, 1 << 20, 64}, {64, 64, 1 << 20},
                                      {0, 0, 0},         {-1, 0, 0},        {largest, 0, 0}};
  for (const ckpt_layer_option& needs : absurd) {
    Layer layer;
    layer.needs[0] = layer.needs[1] = needs;
    current = "absurd option of a layer";
    ckpt_chain* chain = make_chain(layer);
    if (train(chain, layer)) wrong("a step", "was run");
    pipe(chain, layer);
    ckpt_chain_release(chain);
  }
  for (const ckpt_layer_option& needs : others) {
    for (int question = 0; question < 12; ++question) {
      Layer layer;
      layer.needs[1] = needs;
      layer.changes_at = question;
      current = "option of a layer that changes at question " + std::to_string(question);
      ckpt_chain* chain = make_chain(layer);
      static_cast<void>(train(chain, layer));
      ckpt_chain_release(chain);
    }
  }
}

// ---- Storage ----

struct File {
  bool is_directory = false;
  std::string bytes;
};

// A storage of callbacks in which one operation returns a wrong value from its nth call on.
struct MapStorage {
  std::map<std::string, std::shared_ptr<File>> files;
  std::string bad_operation;
  std::function<std::int64_t(std::int64_t)> invalid_result;  // computed from the correct value
  std::vector<const char*> bad_names;
  int bad_from = 0;
  int times = 0;

  bool is_bad(const char* operation) { return bad_operation == operation && times++ >= bad_from; }
  std::int64_t answer(const char* operation, std::int64_t right) { return is_bad(operation) ? invalid_result(right) : right; }
  std::int32_t code(const char* operation, std::int32_t right) { return static_cast<std::int32_t>(answer(operation, right)); }
};

MapStorage& map_storage_of(void* user) { return *static_cast<MapStorage*>(user); }
File& file_of(void* file) { return **static_cast<std::shared_ptr<File>*>(file); }

std::int32_t open_file(const char* path, void** file, void* user) {
  const auto found = map_storage_of(user).files.find(path);
  if (found == map_storage_of(user).files.end()) return CKPT_E_NOT_FOUND;
  *file = new std::shared_ptr<File>(found->second);
  return CKPT_OK;
}

std::int32_t list_files(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) {
  MapStorage& map_storage = map_storage_of(user);
  const std::string before = *path == '\0' ? "" : std::string(path) + "/";
  std::vector<std::pair<std::string, std::int32_t>> found;
  for (const auto& [name, file] : map_storage.files) {
    if (name.compare(0, before.size(), before) != 0 || name.find('/', before.size()) != std::string::npos) continue;
    found.emplace_back(name.substr(before.size()), file->is_directory ? 1 : 0);
  }
  for (const auto& [name, is_directory] : found) entry(listing, name.c_str(), is_directory);
  if (!map_storage.is_bad("list")) return CKPT_OK;
  for (const auto& [name, is_directory] : found) entry(listing, name.c_str(), -is_directory);  // every entry twice
  for (const char* name : map_storage.bad_names) entry(listing, name, 1);
  if (entry(nullptr, "name", 0) == CKPT_OK) wrong("entry", "accepted a NULL listing");
  return CKPT_OK;
}

std::int32_t rename_file(const char* from, const char* to, void* user) {
  MapStorage& map_storage = map_storage_of(user);
  if (map_storage.files.count(from) == 0) return CKPT_E_NOT_FOUND;
  std::map<std::string, std::shared_ptr<File>> renamed;
  const std::string old = from;
  for (const auto& [path, file] : map_storage.files) {
    const bool inside = path == old || path.compare(0, old.size() + 1, old + "/") == 0;
    if (inside || renamed.count(path) == 0) renamed[inside ? to + path.substr(old.size()) : path] = file;
  }
  map_storage.files = renamed;
  return CKPT_OK;
}

ckpt_storage_callbacks map_storage_callbacks() {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  table.create = [](const char* path, void** file, void* user) -> std::int32_t {
    const auto created = map_storage_of(user).files.emplace(path, std::make_shared<File>());
    if (!created.second) return CKPT_E_ALREADY_EXISTS;
    return map_storage_of(user).code("create", open_file(path, file, user));
  };
  table.open = [](const char* path, void** file, void* user) -> std::int32_t {
    return map_storage_of(user).code("open", open_file(path, file, user));
  };
  table.close = [](void* file, void*) { delete static_cast<std::shared_ptr<File>*>(file); };
  table.file_size = [](void* file, std::int64_t* bytes, void* user) -> std::int32_t {
    *bytes = map_storage_of(user).answer("file_size", static_cast<std::int64_t>(file_of(file).bytes.size()));
    return CKPT_OK;
  };
  table.read = [](void* file, std::int64_t offset, void* buffer, std::int64_t bytes, std::int64_t* read,
                  void* user) -> std::int32_t {
    const std::string& all = file_of(file).bytes;
    const auto size = static_cast<std::int64_t>(all.size());
    std::int64_t count = offset < 0 || offset >= size ? 0 : std::min(bytes, size - offset);
    if (count > 0) std::memcpy(buffer, all.data() + offset, static_cast<std::size_t>(count));
    *read = map_storage_of(user).answer("read", count);
    return CKPT_OK;
  };
  table.write = [](void* file, std::int64_t offset, const void* buffer, std::int64_t bytes, void* user) -> std::int32_t {
    std::string& all = file_of(file).bytes;
    if (all.size() < static_cast<std::size_t>(offset + bytes)) all.resize(static_cast<std::size_t>(offset + bytes));
    if (bytes > 0) std::memcpy(all.data() + offset, buffer, static_cast<std::size_t>(bytes));
    return map_storage_of(user).code("write", CKPT_OK);
  };
  table.sync = [](void*, void* user) -> std::int32_t { return map_storage_of(user).code("sync", CKPT_OK); };
  table.sync_directory = [](const char*, void* user) -> std::int32_t {
    return map_storage_of(user).code("sync_directory", CKPT_OK);
  };
  table.rename = [](const char* from, const char* to, void* user) -> std::int32_t {
    return map_storage_of(user).code("rename", rename_file(from, to, user));
  };
  table.remove = table.remove_directory = [](const char* path, void* user) -> std::int32_t {
    return map_storage_of(user).code("remove", map_storage_of(user).files.erase(path) == 1 ? CKPT_OK : CKPT_E_NOT_FOUND);
  };
  table.make_directory = [](const char* path, void* user) -> std::int32_t {
    const auto created = map_storage_of(user).files.emplace(path, std::make_shared<File>());
    created.first->second->is_directory = true;
    return map_storage_of(user).code("make_directory", created.second ? CKPT_OK : CKPT_E_ALREADY_EXISTS);
  };
  table.list = list_files;
  table.size = [](const char* path, std::int64_t* bytes, void* user) -> std::int32_t {
    const auto found = map_storage_of(user).files.find(path);
    if (found == map_storage_of(user).files.end()) return CKPT_E_NOT_FOUND;
    *bytes = map_storage_of(user).answer("size", static_cast<std::int64_t>(found->second->bytes.size()));
    return CKPT_OK;
  };
  table.lock = [](const char*, void** lock, void* user) -> std::int32_t {
    *lock = nullptr;  // NULL is a valid handle
    return map_storage_of(user).code("lock", CKPT_OK);
  };
  table.unlock = [](void*, void*) {};
  return table;
}

ckpt_state* make_state() {
  ckpt_state* state = nullptr;
  ckpt_tensor* tensor = make_tensor();
  MUST(ckpt_state_create(&state));
  MUST(ckpt_state_add_tensor(state, "model", "weight", tensor));
  MUST(ckpt_state_set_json(state, "key", "1"));
  ckpt_tensor_release(tensor);
  return state;
}

// An acknowledged save stays loadable, whatever values the storage returned in between, as long as its bytes exist.
void use_map_storage(MapStorage& map_storage) {
  const ckpt_storage_callbacks table = map_storage_callbacks();
  ckpt_storage* storage = nullptr;
  ckpt_checkpoint_manager* checkpoint = nullptr;
  ckpt_fault_handler* once = nullptr;
  ckpt_fault_handler_options attempts = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  ckpt_state* state = make_state();
  const std::string bad_operation = map_storage.bad_operation;
  attempts.max_attempts = 1;
  MUST(ckpt_fault_handler_create(&attempts, nullptr, nullptr, nullptr, &once));
  MUST(ckpt_storage_create_custom("shelf", &table, &map_storage, nullptr, &storage));
  options.fault_handler = once;
  options.keep_last = 2;
  map_storage.bad_operation = "";
  MUST(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  MUST(ckpt_checkpoint_manager_save(checkpoint, state, &save, nullptr));
  ckpt_checkpoint_manager_release(checkpoint);
  checkpoint = nullptr;

  map_storage.bad_operation = bad_operation;
  map_storage.times = 0;
  if (CHECKED(ckpt_checkpoint_manager_create(storage, &options, &checkpoint)) == CKPT_OK) {
    std::int64_t count = 0;
    ckpt_reader* reader = nullptr;
    ckpt_tensor* tensor = nullptr;
    save.step = 1;
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_save(checkpoint, state, &save, nullptr)));
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_load(checkpoint, state, nullptr, nullptr)));
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_verify(checkpoint, nullptr, nullptr)));
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_list(checkpoint, nullptr, 0, &count)));
    if (CHECKED(ckpt_reader_create_from_checkpoint(checkpoint, nullptr, CKPT_VERIFY_LAZY, &reader)) == CKPT_OK) {
      if (CHECKED(ckpt_reader_read_new(reader, 0, nullptr, &tensor)) == CKPT_OK) ckpt_tensor_release(tensor);
    }
    ckpt_reader_release(reader);
    map_storage.bad_operation = "";
    if (bad_operation != "rename" && bad_operation != "remove")
      MUST(ckpt_checkpoint_manager_load(checkpoint, state, nullptr, nullptr));
  }
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  ckpt_fault_handler_release(once);
  ckpt_state_release(state);
}

void test_storage() {
  const std::vector<std::function<std::int64_t(std::int64_t)>> numbers = {
      [](std::int64_t) { return smallest; },
      [](std::int64_t) { return -1; },
      [](std::int64_t) { return 0; },
      [](std::int64_t) { return largest; },
      [](std::int64_t right) { return right + 1; },
      [](std::int64_t right) { return right - 1; },
      [](std::int64_t right) { return right / 2; },
      [](std::int64_t right) { return right + (std::int64_t{1} << 20); },
      [](std::int64_t) { return std::int64_t{1} << 62; }};
  for (const char* operation : {"file_size", "read", "size"}) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (int from = 0; from < 6; ++from) {
        MapStorage map_storage;
        map_storage.bad_operation = operation;
        map_storage.invalid_result = numbers[i];
        map_storage.bad_from = from;
        current = std::string("storage ") + operation + " with answer " + std::to_string(i) + " from time " + std::to_string(from);
        use_map_storage(map_storage);
      }
    }
  }
  for (const char* operation :
       {"create", "open", "write", "sync", "sync_directory", "rename", "remove", "make_directory", "lock"}) {
    for (const std::int32_t code : {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 1, -22,
                                    CKPT_E_NOT_FOUND, CKPT_E_CANCELLED}) {
      if (std::strcmp(operation, "create") == 0 || std::strcmp(operation, "open") == 0) continue;  // the opened file would leak
      MapStorage map_storage;
      map_storage.bad_operation = operation;
      map_storage.invalid_result = [code](std::int64_t) { return code; };
      current = std::string("storage ") + operation + " returns " + std::to_string(code);
      use_map_storage(map_storage);
    }
  }
}

void test_listings() {
  const std::string long_name(100000, 'x');
  const std::string like_a_checkpoint = "step-" + std::string(300, '9') + "-00000000";
  const std::vector<const char*> names = {nullptr,
                                          "",
                                          ".",
                                          "..",
                                          "a/b",
                                          "/",
                                          "\xff\xfe",
                                          "\n",
                                          "step-",
                                          "step-000000000001-\xff",
                                          "step-99999999999999999999-00000000",
                                          "torn-",
                                          "torn-step-000000000001-00000000",
                                          "step--00000000001-00000000",
                                          ".lock",
                                          "manifest.json"};
  for (int from = 0; from < 4; ++from) {
    for (const char* name : names) {
      MapStorage map_storage;
      map_storage.bad_operation = "list";
      map_storage.bad_names = {name};
      map_storage.bad_from = from;
      current = std::string("storage lists ") + (name == nullptr ? "NULL" : name);
      use_map_storage(map_storage);
    }
    MapStorage map_storage;
    map_storage.bad_operation = "list";
    map_storage.bad_names = {long_name.c_str(), like_a_checkpoint.c_str(), "x", "x", "x"};
    map_storage.bad_from = from;
    current = "storage lists long names";
    use_map_storage(map_storage);
  }
}

// ---- Stateful objects, coordinators ----

struct Object {
  int lists = 0;
  std::int64_t elements[2] = {4, 4};
  const char* groups[2] = {"g", "g"};
  const char* json[2] = {"1", "1"};
};

std::int32_t list_object(ckpt_state* into, void* user) {
  auto* object = static_cast<Object*>(user);
  const int which = object->lists++ == 0 ? 0 : 1;
  ckpt_tensor* tensor = nullptr;
  const std::int64_t shape[1] = {object->elements[which]};
  if (ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, nullptr, &tensor) != CKPT_OK) return 1;
  const ckpt_status added = ckpt_state_add_tensor(into, object->groups[which], "t", tensor);
  const ckpt_status again = ckpt_state_add_tensor(into, object->groups[which], "t", tensor);
  if (added == CKPT_OK && again == CKPT_OK) wrong("ckpt_state_add_tensor", "accepted a name twice");
  ckpt_tensor_release(tensor);
  static_cast<void>(ckpt_state_set_json(into, "value", object->json[which]));
  return 0;
}

void test_stateful() {
  const Object absurd[] = {{0, {4, 8}, {"g", "g"}, {"1", "1"}},    {0, {4, 0}, {"g", "g"}, {"1", "1"}},
                           {0, {4, 4}, {"g", "h"}, {"1", "1"}},    {0, {4, 4}, {"", ""}, {"1", "1"}},
                           {0, {-1, 4}, {"g", "g"}, {"1", "1"}},   {0, {4, 4}, {"g", "g"}, {"{", "["}},
                           {0, {4, 4}, {"g.h", "g/h"}, {"1", "2"}}};
  for (const Object& one : absurd) {
    Object object = one;
    ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
    ckpt_storage* storage = nullptr;
    ckpt_checkpoint_manager* checkpoint = nullptr;
    ckpt_state* state = make_state();
    current = "stateful object";
    callbacks.list = list_object;
    MUST(ckpt_state_add_stateful(state, "object", &callbacks, &object, nullptr));
    MUST(ckpt_storage_create_memory(&storage));
    MUST(ckpt_checkpoint_manager_create(storage, nullptr, &checkpoint));
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_save(checkpoint, state, nullptr, nullptr)));
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_load(checkpoint, state, nullptr, nullptr)));
    ckpt_checkpoint_manager_release(checkpoint);
    ckpt_storage_release(storage);
    ckpt_state_release(state);
  }
}

int garbage = 0;

// The data that another process supposedly sent.
std::int32_t broadcast_garbage(void* data, std::int64_t bytes, std::int64_t, std::int64_t, void*) {
  auto* words = static_cast<unsigned char*>(data);
  for (std::int64_t i = 0; i < bytes; ++i) {
    words[i] = static_cast<unsigned char>(garbage == 0 ? 0xff : garbage == 1 ? 0x7f : garbage == 2 ? i * 37 : 0x80);
  }
  return 0;
}

void test_coordinators() {
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  ckpt_coordinator* coordinator = nullptr;
  ckpt_controller* controller = nullptr;
  callbacks.rank = 1;
  callbacks.world_size = 2;
  callbacks.barrier = [](std::int64_t, void*) -> std::int32_t { return std::numeric_limits<std::int32_t>::min(); };
  callbacks.broadcast = broadcast_garbage;
  callbacks.all_gather = [](const void*, std::int64_t bytes, std::int64_t, void* received, void*) -> std::int32_t {
    return garbage < 4 ? broadcast_garbage(received, 2 * bytes, 0, 0, nullptr) : -22;
  };
  callbacks.gather = [](const void*, std::int64_t, std::int64_t, std::int64_t, void*, void*) -> std::int32_t { return 77; };
  MUST(ckpt_coordinator_create_custom(&callbacks, nullptr, nullptr, &coordinator));
  MUST(ckpt_controller_create(nullptr, &controller));
  MUST(record_begin_run(controller, 0));
  for (garbage = 0; garbage < 4; ++garbage) {
    ckpt_decision decision = CKPT_DECISION_INIT;
    current = "broadcast garbage " + std::to_string(garbage);
    if (CHECKED(ckpt_controller_decide_all(controller, coordinator, 1, 0, &decision)) == CKPT_OK)
      wrong("decide_all", "accepted an invalid value");
  }
  std::uint64_t word = 0;
  std::uint64_t words[2] = {0, 0};
  current = "collective";
  REFUSED(ckpt_coordinator_barrier(coordinator, 0));
  REFUSED(ckpt_coordinator_all_gather(coordinator, &word, 8, 0, words));
  REFUSED(ckpt_coordinator_gather(coordinator, &word, 8, 1, 0, words));
  ckpt_controller_release(controller);
  ckpt_coordinator_release(coordinator);
}

// ---- Strategies, clocks, and others ----

std::int32_t absurd_result = 0;

void test_strategies() {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_strategy* strategy = nullptr;
  const std::int64_t shape[1] = {4};
  callbacks.decide = [](const ckpt_strategy_question*, std::int32_t* answer, void*) -> std::int32_t {
    return *answer = absurd_result, 0;
  };
  MUST(ckpt_strategy_create_custom(nullptr, &callbacks, nullptr, nullptr, &strategy));
  for (const std::int32_t absurd : {2, -1, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    std::int32_t answer = 0;
    absurd_result = absurd;
    current = "strategy answers " + std::to_string(absurd);
    const ckpt_status status = CHECKED(ckpt_strategy_should_checkpoint_shape(strategy, "a", CKPT_DTYPE_F32, shape, 1, 0, &answer));
    if (status == CKPT_OK && answer != 0 && answer != 1) wrong("should_checkpoint", "returned an invalid answer");
  }
  ckpt_strategy_release(strategy);

  // A factory that returns no handle, or one of another kind.
  ckpt_clock* clock = nullptr;
  MUST(ckpt_clock_create_manual(0, &clock));
  for (void* handed_out : {static_cast<void*>(nullptr), static_cast<void*>(clock)}) {
    const auto factory = [](const char*, ckpt_strategy** out, void* user) -> std::int32_t {
      *out = static_cast<ckpt_strategy*>(user);
      return 0;
    };
    MUST(ckpt_strategy_register("absurd", factory, handed_out, nullptr));
    current = "strategy factory";
    strategy = nullptr;
    REFUSED(ckpt_strategy_create("absurd", &strategy));
    MUST(ckpt_strategy_unregister("absurd"));
  }
  ckpt_clock_release(clock);
}

// A scheme that returns no handle, or one of another kind.
void test_schemes() {
  ckpt_clock* clock = nullptr;
  MUST(ckpt_clock_create_manual(0, &clock));
  for (void* handed_out : {static_cast<void*>(nullptr), static_cast<void*>(clock)}) {
    const auto make = [](const char*, ckpt_storage** out, void* user) -> std::int32_t {
      *out = static_cast<ckpt_storage*>(user);
      return 0;
    };
    MUST(ckpt_storage_register_scheme("absurd", make, handed_out, nullptr));
    current = "scheme of storages";
    ckpt_storage* storage = nullptr;
    REFUSED(ckpt_storage_create_from_uri("absurd:x", &storage));
    MUST(ckpt_storage_unregister_scheme("absurd"));
  }
  ckpt_clock_release(clock);
}

void test_stage_forward() {
  ckpt_clock* clock = nullptr;
  ckpt_tensor* input = make_tensor();
  MUST(ckpt_clock_create_manual(0, &clock));
  for (void* handed_out : {static_cast<void*>(nullptr), static_cast<void*>(clock)}) {
    ckpt_activation_manager* manager = nullptr;
    ckpt_tensor* output = nullptr;
    const auto forward = [](ckpt_tensor*, std::int32_t, ckpt_tensor** out, void* user) -> std::int32_t {
      *out = static_cast<ckpt_tensor*>(user);
      return 0;
    };
    MUST(ckpt_activation_manager_create(nullptr, nullptr, forward, handed_out, nullptr, &manager));
    current = "forward of a stage";
    REFUSED(ckpt_activation_manager_recompute(manager, input, 0, &output));
    ckpt_activation_manager_release(manager);
  }
  ckpt_tensor_release(input);
  ckpt_clock_release(clock);
}

struct Times {
  std::vector<std::int64_t> ns;
  std::size_t next = 0;
};

void use_clock(const ckpt_clock* clock, ckpt_clock* given) {
  ckpt_memory_tracker_options tracked = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  ckpt_activation_manager_options managed = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  ckpt_controller_options controlled = CKPT_CONTROLLER_OPTIONS_INIT;
  ckpt_memory_tracker* tracker = nullptr;
  ckpt_activation_manager* manager = nullptr;
  ckpt_controller* controller = nullptr;
  ckpt_strategy* strategy = nullptr;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_allocation live[8] = {CKPT_MEMORY_ALLOCATION_INIT};
  ckpt_activation_metadata metadata = CKPT_ACTIVATION_METADATA_INIT;
  const std::int64_t shape[1] = {4};
  std::int64_t now = 0;
  std::int64_t count = 0;
  std::int32_t answer = 0;
  double seconds = 0;
  tracked.clock = clock;
  managed.clock = given;
  controlled.clock = clock;
  static_cast<void>(CHECKED(ckpt_clock_get_now(clock, &now)));
  MUST(ckpt_memory_tracker_create(&tracked, &tracker));
  for (int i = 0; i < 3; ++i) {
    std::uint64_t allocation = 0;
    static_cast<void>(CHECKED(record_named(tracker, "a", 8, &allocation)));
    static_cast<void>(CHECKED(ckpt_memory_tracker_get_stats(tracker, &stats)));
    static_cast<void>(CHECKED(ckpt_memory_tracker_list_allocations(tracker, live, 8, &count)));
  }
  MUST(create_memory_aware("memory-aware:0.5", tracker, 1 << 20, given, &strategy));
  MUST(ckpt_activation_manager_create(nullptr, &managed, nullptr, nullptr, nullptr, &manager));
  MUST(ckpt_controller_create(&controlled, &controller));
  ckpt_tensor* tensor = make_tensor();
  for (int i = 0; i < 4; ++i) {
    static_cast<void>(CHECKED(ckpt_strategy_should_checkpoint_shape(strategy, "a", CKPT_DTYPE_F32, shape, 1, i, &answer)));
    static_cast<void>(CHECKED(ckpt_activation_manager_store(manager, i, tensor, nullptr)));
    static_cast<void>(CHECKED(ckpt_activation_manager_get_metadata(manager, i, &metadata)));
    if (CHECKED(ckpt_controller_get_now(controller, &seconds)) == CKPT_OK && !std::isfinite(seconds))
      wrong("ckpt_controller_get_now", "is not finite");
  }
  ckpt_tensor_release(tensor);
  ckpt_controller_release(controller);
  ckpt_activation_manager_release(manager);
  ckpt_strategy_release(strategy);
  ckpt_memory_tracker_release(tracker);
}

void test_clocks() {
  const std::vector<std::vector<std::int64_t>> all = {{smallest},
                                                      {largest},
                                                      {-1},
                                                      {smallest, largest},
                                                      {largest, smallest},
                                                      {0, largest, smallest, -1, 0},
                                                      {5000000000, 4000000000, 3}};
  for (const std::vector<std::int64_t>& ns : all) {
    Times times{ns};
    ckpt_clock* clock = nullptr;
    const auto now = [](void* user) -> std::int64_t {
      auto* answered = static_cast<Times*>(user);
      return answered->ns[answered->next++ % answered->ns.size()];
    };
    MUST(ckpt_clock_create_custom(now, &times, nullptr, &clock));
    current = "clock that begins with " + std::to_string(ns[0]);
    use_clock(clock, clock);
    ckpt_clock_release(clock);
  }
}

// A source that returns different bytes each time, and one that fails with an undefined status.
void test_sources() {
  for (const std::int32_t code : {0, 1, CKPT_E_INTERNAL, std::numeric_limits<std::int32_t>::min()}) {
    ckpt_storage* storage = nullptr;
    ckpt_checkpoint_manager* checkpoint = nullptr;
    ckpt_async_manager* async = nullptr;
    ckpt_state* state = make_state();
    ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    static std::int32_t returned = 0;
    static int times = 0;
    std::int64_t id = 0;
    current = "source returns " + std::to_string(code);
    returned = code;
    task.source = [](const char*, const char*, const void*, std::int64_t, std::int64_t bytes, void* buffer, void*) -> std::int32_t {
      std::memset(buffer, ++times, static_cast<std::size_t>(bytes));
      return returned;
    };
    MUST(ckpt_storage_create_memory(&storage));
    MUST(ckpt_checkpoint_manager_create(storage, nullptr, &checkpoint));
    MUST(ckpt_async_manager_create(checkpoint, nullptr, &async));
    for (const std::int32_t mode : {CKPT_STAGING_MODE_COPY, CKPT_STAGING_MODE_DEFERRED}) {
      task.mode = mode;
      const ckpt_status status = CHECKED(ckpt_async_manager_save(async, state, nullptr, &task, &id));
      if (status != CKPT_OK) continue;
      MUST(ckpt_async_manager_wait(async, id, -1, &result));
      if (result.status == CKPT_E_INTERNAL || (result.status != CKPT_OK && result.error[0] == '\0'))
        wrong("the task", result.error);
      if ((result.status == CKPT_OK) != (code == 0)) wrong("the task", ckpt_status_name(result.status));
      if (code == 0) MUST(ckpt_checkpoint_manager_load(checkpoint, state, nullptr, nullptr));
    }
    static_cast<void>(CHECKED(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1)));
    ckpt_async_manager_release(async);
    ckpt_checkpoint_manager_release(checkpoint);
    ckpt_storage_release(storage);
    ckpt_state_release(state);
  }
}

// The decision of a fault handler about an error, and the wait that it requests (this handler does not wait).
void test_faults() {
  struct Answer {
    std::int32_t retry;
    std::int64_t delay_ns;
    std::int32_t code;
    std::int64_t shortest_wait = 0;
  };
  for (const Answer one :
       {Answer{2, 0, 0}, Answer{-1, 1, 0}, Answer{1, smallest, 0}, Answer{1, -1, 0}, Answer{1, largest, 0}, Answer{1, 0, -22},
        Answer{1, 0, std::numeric_limits<std::int32_t>::max()}, Answer{std::numeric_limits<std::int32_t>::min(), largest, 0}}) {
    Answer given = one;
    MapStorage map_storage;
    const ckpt_storage_callbacks table = map_storage_callbacks();
    ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
    ckpt_fault_handler* handler = nullptr;
    ckpt_checkpoint_manager_options with_handler = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
    ckpt_storage* storage = nullptr;
    ckpt_checkpoint_manager* checkpoint = nullptr;
    ckpt_state* state = make_state();
    current = "decide answers " + std::to_string(one.retry) + ", " + std::to_string(one.delay_ns);
    options.decide = [](ckpt_status, const char*, std::int32_t, std::int32_t* retry, std::int64_t* delay_ns,
                        void* user) -> std::int32_t {
      *retry = static_cast<Answer*>(user)->retry;
      *delay_ns = static_cast<Answer*>(user)->delay_ns;
      return static_cast<Answer*>(user)->code;
    };
    options.decide_user_data = &given;
    const auto sleep = [](std::int64_t ns, void* user) {
      auto* waited = static_cast<Answer*>(user);
      waited->shortest_wait = std::min(waited->shortest_wait, ns);
    };
    MUST(ckpt_fault_handler_create(&options, sleep, &given, nullptr, &handler));
    MUST(ckpt_storage_create_custom("shelf", &table, &map_storage, nullptr, &storage));
    with_handler.fault_handler = handler;
    MUST(ckpt_checkpoint_manager_create(storage, &with_handler, &checkpoint));
    map_storage.bad_operation = "write";
    map_storage.invalid_result = [](std::int64_t) { return CKPT_E_IO; };
    static_cast<void>(CHECKED(ckpt_checkpoint_manager_save(checkpoint, state, nullptr, nullptr)));
    if (given.shortest_wait < 0) wrong("sleep", std::to_string(given.shortest_wait) + " ns");
    ckpt_checkpoint_manager_release(checkpoint);
    ckpt_storage_release(storage);
    ckpt_fault_handler_release(handler);
    ckpt_state_release(state);
  }
}

// The result of the keep callback decides which checkpoints remain; an invalid result removes none.
void test_keep() {
  struct Answer {
    std::int32_t keep;
    std::int32_t code;
  };
  for (const Answer& one : {Answer{0, 0}, Answer{1, 0}, Answer{-7, 0}, Answer{std::numeric_limits<std::int32_t>::min(), 0},
                            Answer{0, 1}, Answer{1, -22}, Answer{0, std::numeric_limits<std::int32_t>::min()}}) {
    Answer given = one;
    ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
    ckpt_storage* storage = nullptr;
    ckpt_checkpoint_manager* checkpoint = nullptr;
    ckpt_state* state = make_state();
    std::int64_t count = -1;
    current = "keep answers " + std::to_string(one.keep) + ", " + std::to_string(one.code);
    options.keep = [](const ckpt_checkpoint_info*, std::int32_t* keep, void* user) -> std::int32_t {
      *keep = static_cast<Answer*>(user)->keep;
      return static_cast<Answer*>(user)->code;
    };
    options.keep_user_data = &given;
    MUST(ckpt_storage_create_memory(&storage));
    MUST(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
    for (std::int64_t step = 1; step <= 2; ++step) {
      ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
      save.step = step;
      MUST(ckpt_checkpoint_manager_save(checkpoint, state, &save, nullptr));
    }
    MUST(ckpt_checkpoint_manager_list(checkpoint, nullptr, 0, &count));
    if (count != (one.keep != 0 || one.code != 0 ? 2 : 1)) wrong("save", std::to_string(count) + " remain");
    const ckpt_status pruned = CHECKED(ckpt_checkpoint_manager_prune(checkpoint, nullptr, 1, nullptr, 0, &count));
    if ((pruned == CKPT_OK) != (one.code == 0)) wrong("prune", ckpt_status_name(pruned));
    ckpt_checkpoint_manager_release(checkpoint);
    ckpt_storage_release(storage);
    ckpt_state_release(state);
  }
}

// Either the name is accepted or the load reports the error; two tensors of a group never get one name.
void test_rename() {
  struct Answer {
    std::string text;
    std::int64_t needed;
    std::int32_t code;
    bool is_accepted;  // of the one tensor "weight"
    int calls = 0;
  };
  const std::string room(256, 'x');
  for (const Answer& one :
       {Answer{"", 6, 0, true}, Answer{"weight", 6, 0, true}, Answer{"weigh", 5, 0, false}, Answer{"weight", 7, 0, false},
        Answer{"weight", smallest, 0, false}, Answer{"weight", -1, 0, false}, Answer{"weight", largest, 0, false},
        Answer{"weight", 65537, 0, false}, Answer{"", 0, 0, false}, Answer{"\n\t", 2, 0, false}, Answer{"\xFF", 1, 0, false},
        Answer{room, 255, 0, false}, Answer{room, 256, 0, false}, Answer{room, 65536, 0, false}, Answer{"__tree__", 8, 0, false},
        Answer{"weight", 6, 1, false}, Answer{"weight", 6, std::numeric_limits<std::int32_t>::min(), false}}) {
    Answer given = one;
    ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
    ckpt_storage* storage = nullptr;
    ckpt_checkpoint_manager* checkpoint = nullptr;
    ckpt_state* state = make_state();
    current = "rename answers " + one.text + ", " + std::to_string(one.needed) + ", " + std::to_string(one.code);
    options.rename = [](const char*, const char*, char* buffer, std::int64_t capacity, std::int64_t* needed,
                        void* user) -> std::int32_t {
      auto* answer = static_cast<Answer*>(user);
      if (++answer->calls > 2) wrong("rename", "called too often");
      answer->text.copy(buffer, static_cast<std::size_t>(capacity));
      *needed = answer->needed;
      return answer->code;
    };
    options.rename_user_data = &given;
    MUST(ckpt_storage_create_memory(&storage));
    MUST(ckpt_checkpoint_manager_create(storage, nullptr, &checkpoint));
    MUST(ckpt_checkpoint_manager_save(checkpoint, state, nullptr, nullptr));
    const ckpt_status status = CHECKED(ckpt_checkpoint_manager_load(checkpoint, state, &options, nullptr));
    if ((status == CKPT_OK) != one.is_accepted) wrong("load", ckpt_status_name(status));
    if ((status == CKPT_E_CALLBACK) != (one.code != 0)) wrong("load", ckpt_status_name(status));
    if (status != CKPT_OK && std::strstr(ckpt_last_error(), "'weight'") == nullptr)
      wrong("load", "the message does not name the tensor");
    ckpt_checkpoint_manager_release(checkpoint);
    ckpt_storage_release(storage);
    ckpt_state_release(state);
  }
}

void test_numbers_that_only_stop() {
  ckpt_worker_pool* pool = nullptr;
  ckpt_memory_tracker* tracker = nullptr;
  std::int64_t subscription = 0;
  std::uint64_t allocation = 0;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  MUST(ckpt_worker_pool_create(2, &pool));
  current = "part";
  const auto part = [](std::int64_t, void*) -> std::int32_t { return std::numeric_limits<std::int32_t>::min(); };
  if (CHECKED(ckpt_worker_pool_run(pool, 4, part, nullptr)) != CKPT_E_CALLBACK) wrong("ckpt_worker_pool_run", "expected CALLBACK");
  ckpt_worker_pool_release(pool);
  MUST(ckpt_memory_tracker_create(nullptr, &tracker));
  const auto event = [](const ckpt_memory_event*, void*) -> std::int32_t { return CKPT_E_INTERNAL; };
  MUST(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, event, nullptr, nullptr, &subscription));
  MUST(record_named(tracker, "a", 8, &allocation));
  MUST(ckpt_memory_tracker_get_stats(tracker, &stats));
  if (stats.handler_failures != 1) wrong("handler_failures", std::to_string(stats.handler_failures));
  ckpt_memory_tracker_release(tracker);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::pair<std::string, void (*)()>> tests = {{"layer_outputs", test_layer_outputs},
                                                                 {"layer_options", test_layer_options},
                                                                 {"storage", test_storage},
                                                                 {"listings", test_listings},
                                                                 {"stateful", test_stateful},
                                                                 {"coordinators", test_coordinators},
                                                                 {"strategies", test_strategies},
                                                                 {"schemes", test_schemes},
                                                                 {"stage_forward", test_stage_forward},
                                                                 {"clocks", test_clocks},
                                                                 {"sources", test_sources},
                                                                 {"faults", test_faults},
                                                                 {"keep", test_keep},
                                                                 {"rename", test_rename},
                                                                 {"numbers", test_numbers_that_only_stop}};
  for (const auto& [name, test] : tests) {
    if (count == 2 && name == arguments[1]) test();
  }
  std::printf("%d answers\n", results);
  return results > 0 ? 0 : 1;
}
