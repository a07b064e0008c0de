#include "cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace sweeps {
namespace {

// ---- Structs with initializers, and the release functions of handles ----

template <class Struct>
Struct initial() {
  return Struct{};
}
#define STRUCT(type, macro)               \
  template <>                             \
  [[maybe_unused]] type initial<type>() { \
    type value = macro;                   \
    return value;                         \
  }
#include "api_cells.inc"

template <class T>
constexpr bool is_handle = false;
#define HANDLE(type, release) \
  template <>                 \
  constexpr bool is_handle<type> = true;
#include "api_cells.inc"

#define HANDLE(type, release_function) \
  void release(type* handle) { release_function(handle); }
#include "api_cells.inc"

// The parts of DLPack that are needed to free an exported tensor.
struct Exported {
  void* data;
  std::int32_t device[2];
  std::int32_t ndim;
  std::uint32_t type;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
  void* context;
  void (*deleter)(void* self);
};
struct ExportedVersioned {
  std::uint32_t version[2];
  void* context;
  void (*deleter)(void* self);
};
void release(DLManagedTensor* managed) { reinterpret_cast<Exported*>(managed)->deleter(managed); }
void release(DLManagedTensorVersioned* managed) { reinterpret_cast<ExportedVersioned*>(managed)->deleter(managed); }

template <class Result, class... Arguments>
Result nothing(Arguments... /*unused*/) {
  return Result();
}

// ---- One call ----

struct Call {
  std::string_view function;
  std::string_view arguments;
  const Objects& objects;
  std::vector<std::shared_ptr<void>> kept;
  std::vector<std::function<bool()>> handed_out;  // true if the call returned an object there; releases it

  bool is(std::string_view name) const { return function == name; }
  template <class T>
  T* keep(std::size_t count, const T& value) {
    auto place = std::shared_ptr<T[]>(new T[count]);
    std::fill_n(place.get(), count, value);
    kept.push_back(place);
    return place.get();
  }
};

std::string default_folder = ".";

// Global: a forked child would deadlock on the initialization of a local static variable by another thread.
const std::unordered_map<std::string_view, const char*> texts_of_function = {
    {"ckpt_feature", "threads"},       {"ckpt_dtype_find", "F32"},      {"ckpt_reader_find", "weight"},
    {"ckpt_controller_restore", "{}"}, {"ckpt_state_get_json", "kept"}, {"ckpt_strategy_create", "any(interval:2,smart)"}};
const std::unordered_map<std::string_view, const char*> texts_of_name = {
    {"group", "model"},       {"json", "1.5"},     {"metadata_json", "{}"}, {"key", "key"},
    {"keep_rules", "last:1"}, {"text", "because"}, {"uri", "memory:sweep"}};
const std::unordered_map<std::string_view, double> numbers_of_name = {{"dtype", CKPT_DTYPE_F32},
                                                                      {"ndim", 2},
                                                                      {"bytes", 8},
                                                                      {"kinds", CKPT_MEMORY_EVENT_KIND_ALL},
                                                                      {"probability", 0.5},
                                                                      {"momentum", 0.5},
                                                                      {"max_share", 0.5},
                                                                      {"index", 0},
                                                                      {"stage", 0},
                                                                      {"step", 0},
                                                                      {"piece", 0},
                                                                      {"option", 0},
                                                                      {"parameter", 0},
                                                                      {"tensor", 0},
                                                                      {"layer", 0},
                                                                      {"root", 0},
                                                                      {"begin", 0},
                                                                      {"micro_batch", 0},
                                                                      {"which", 0},
                                                                      {"mode", 0},
                                                                      {"order", 0},
                                                                      {"part_count", 4},
                                                                      {"budget_bytes", 1e9},
                                                                      {"limit_bytes", 1e9},
                                                                      {"hysteresis_bytes", 0},
                                                                      {"layer_index", 0},
                                                                      {"version", 0},
                                                                      {"thread_count", 2},
                                                                      {"measured_steps", 1},
                                                                      {"min_level", 0}};

// Returns the string for an argument by its name; strings for single functions take precedence.
std::string text(const Call& call, std::string_view name) {
  const bool names_checkpoint = call.is("ckpt_checkpoint_manager_get_manifest") || call.is("ckpt_checkpoint_manager_verify") ||
                                call.is("ckpt_checkpoint_manager_remove") || call.is("ckpt_reader_create_from_checkpoint");
  if (names_checkpoint) return call.objects.checkpoint_name;
  if (name == "path") return default_folder + "/model.safetensors";
  if (name == "root") return default_folder + "/files";
  if (name != "group") {
    if (const auto found = texts_of_function.find(call.function); found != texts_of_function.end()) return found->second;
  }
  if (const auto found = texts_of_name.find(name); found != texts_of_name.end()) return found->second;
  return "sweep";
}

template <class T>
T number(const Call& call, std::string_view name) {
  const Objects& objects = call.objects;
  if (name == "timeout_ns") {  // infinite, except where no event would arrive or an infinite timeout is refused
    const bool polls = call.function.starts_with("ckpt_co");
    return static_cast<T>(polls ? 0 : -1);
  }
  if (name == "capacity") return static_cast<T>(call.arguments.find("* buffer,") == std::string_view::npos ? 16 : 65536);
  if (name == "subscription") return static_cast<T>(objects.subscription);
  if (name == "allocation") return static_cast<T>(objects.allocation);
  if (name == "scope") return static_cast<T>(objects.scope);
  if (name == "id" && call.is("ckpt_remove_thread_hooks")) return static_cast<T>(objects.hooks);
  if (name == "id" && (call.is("ckpt_async_manager_wait") || call.is("ckpt_async_manager_wait_staged")))
    return static_cast<T>(CKPT_CHECKPOINT_TASK_ALL);
  if (name == "id") return static_cast<T>(objects.task);
  if (name == "bytes" && call.is("ckpt_cursor_restore")) return static_cast<T>(16);
  if (const auto found = numbers_of_name.find(name); found != numbers_of_name.end()) return static_cast<T>(found->second);
  return static_cast<T>(1);
}

// Fills structs that a call reads: the defaults, plus the values that the call needs to do something.
template <class Struct>
Struct good(const Call& call) {
  Struct value = initial<Struct>();
  if constexpr (std::is_same_v<Struct, ckpt_tensor_spec>) {
    value = {CKPT_DTYPE_F32, 2, {4, 2}};
  } else if constexpr (std::is_same_v<Struct, ckpt_step>) {
    value.input = value.output_gradient = call.objects.of<ckpt_tensor>();
  } else if constexpr (std::is_same_v<Struct, ckpt_schedule_action>) {
    value.kind = CKPT_ACTION_KIND_END;
  } else if constexpr (std::is_same_v<Struct, ckpt_option_profile>) {
    value.forward_seconds = value.backward_seconds = 1;
  } else if constexpr (std::is_same_v<Struct, ckpt_simulation_options>) {
    value.law = "exponential:3600";
    value.policies = "young";
    value.failures = 2;
    value.replicas = 1;
  } else if constexpr (std::is_same_v<Struct, ckpt_strategy_callbacks>) {
    value.decide = &nothing;
  } else if constexpr (std::is_same_v<Struct, ckpt_stateful_callbacks>) {
    value.list = &nothing;
  } else if constexpr (std::is_same_v<Struct, ckpt_coordinator_callbacks>) {
    value.barrier = &nothing;
    value.broadcast = &nothing;
    value.all_gather = &nothing;
    value.gather = &nothing;
  } else if constexpr (std::is_same_v<Struct, ckpt_layer_callbacks>) {
    value.output = &nothing;
    value.forward = &nothing;
    value.backward = &nothing;
  } else if constexpr (std::is_same_v<Struct, ckpt_driver_callbacks>) {
    value.drop = &nothing;
  } else if constexpr (std::is_same_v<Struct, ckpt_storage_callbacks>) {
    value.create = value.open = value.lock = &nothing;
    value.close = value.unlock = &nothing;
    value.file_size = &nothing;
    value.read = &nothing;
    value.write = &nothing;
    value.sync = &nothing;
    value.rename = &nothing;
    value.remove = value.remove_directory = value.make_directory = value.sync_directory = &nothing;
    value.list = &nothing;
    value.size = &nothing;
  }
  return value;
}

template <class T>
constexpr bool is_exported = std::is_same_v<T, DLManagedTensor> || std::is_same_v<T, DLManagedTensorVersioned>;

constexpr std::size_t many = 16;
constexpr std::size_t buffer_bytes = 65536;

// Returns an argument that is a pointer to Pointee, which may be const.
template <class Pointee>
Pointee* pointer(Call& call, std::string_view name) {
  using Plain = std::remove_const_t<Pointee>;
  if constexpr (is_handle<Plain>) {
    return call.objects.of<Plain>();
  } else if constexpr (is_exported<Plain>) {
    return nullptr;  // only another library creates one
  } else if constexpr (std::is_void_v<Plain>) {
    return name == "user_data" ? nullptr : call.keep<unsigned char>(buffer_bytes, 0);
  } else if constexpr (std::is_same_v<Plain, char>) {
    const std::string given = std::is_const_v<Pointee> ? text(call, name) : std::string();
    char* place = call.keep<char>(buffer_bytes, '\0');
    std::copy(given.begin(), given.end(), place);
    return place;
  } else if constexpr (std::is_same_v<Plain, const char*>) {
    return call.keep<const char*>(many, "a*");
  } else if constexpr (std::is_same_v<Plain, void*>) {  // an item of the caller
    return call.keep<void*>(many, nullptr);
  } else if constexpr (std::is_pointer_v<Plain>) {  // handles: an array of them, or an output parameter
    using Handle = std::remove_pointer_t<Plain>;
    if constexpr (std::is_const_v<Pointee>) {
      return call.keep<Plain>(1, call.objects.of<Handle>());
    } else {
      Plain* place = call.keep<Plain>(1, nullptr);
      call.handed_out.push_back([place] {
        const bool is_there = *place != nullptr;
        if (is_there) release(*place);
        return is_there;
      });
      return place;
    }
  } else if constexpr (std::is_arithmetic_v<Plain>) {
    Plain* places = call.keep<Plain>(many, 0);
    if (std::is_const_v<Pointee> && name == "shape") places[0] = 4, places[1] = 2;
    return places;
  } else {
    return call.keep<Plain>(many, std::is_const_v<Pointee> ? good<Plain>(call) : initial<Plain>());
  }
}

template <class T>
T argument(Call& call, std::string_view name) {
  if constexpr (!std::is_pointer_v<T>) {
    return number<T>(call, name);
  } else if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
    return &nothing;
  } else {
    if (call.is("ckpt_async_manager_wait") && name == "result") return nullptr;  // it waits for all tasks
    return pointer<std::remove_pointer_t<T>>(call, name);
  }
}

// Returns the names in "const int64_t* shape, int64_t ndim, uint32_t out<4>".
std::vector<std::string_view> names_of(std::string_view arguments) {
  std::vector<std::string_view> names;
  while (!arguments.empty()) {
    const std::string_view one = arguments.substr(0, arguments.find(','));
    arguments.remove_prefix(std::min(one.size() + 1, arguments.size()));
    const std::string_view named = one.substr(0, one.find('<'));
    names.push_back(named.substr(named.find_last_of(" *") + 1));
  }
  return names;
}

template <class Result, class... Arguments, std::size_t... index>
Result invoke(Result (*function)(Arguments...), Call& call, std::index_sequence<index...> /*indexes*/) {
  [[maybe_unused]] const std::vector<std::string_view> names = names_of(call.arguments);
  const std::tuple<Arguments...> arguments{argument<Arguments>(call, names.at(index))...};
  return std::apply(function, arguments);
}

void check_failure(Outcome& outcome, bool left_something) {
  outcome.error = ckpt_last_error();
  if (std::strcmp(ckpt_status_name(outcome.status), "UNKNOWN") == 0) outcome.defect = "returned an unknown status";
  if (outcome.status == CKPT_E_INTERNAL) outcome.defect = "returned INTERNAL";
  if (outcome.error.empty()) outcome.defect = "failed without an error message";
  if (left_something) outcome.defect = "failed, but returned an object";
}

template <class Result, class... Arguments>
Outcome call_function(Result (*function)(Arguments...), const char* name, bool has_status, const char* arguments,
                      const Objects& objects) {
  Call call{name, arguments, objects, {}, {}};
  const bool takes_reference = call.is("ckpt_activation_manager_store_moved");  // if it succeeds
  if (takes_reference) ckpt_tensor_retain(objects.of<ckpt_tensor>());
  Outcome outcome;
  outcome.has_status = has_status;
  constexpr std::index_sequence_for<Arguments...> indexes;
  if constexpr (std::is_same_v<Result, ckpt_status>) {
    const ckpt_status result = invoke(function, call, indexes);
    if (has_status) outcome.status = result;
  } else {
    static_cast<void>(invoke(function, call, indexes));
  }
  if (takes_reference && outcome.status != CKPT_OK) ckpt_tensor_release(objects.of<ckpt_tensor>());
  const std::string error = ckpt_last_error();
  bool left_something = false;
  for (const auto& handed_out : call.handed_out) left_something = handed_out() || left_something;
  if (outcome.status != CKPT_OK) {
    check_failure(outcome, left_something);
    outcome.error = error;
  }
  return outcome;
}

// Releases the reference that a retain added.
template <class Result, class... Arguments>
void release_retained(Result (* /*function*/)(Arguments...), const Objects& objects) {
  if constexpr (sizeof...(Arguments) == 1) {
    using Argument = std::tuple_element_t<0, std::tuple<Arguments...>>;
    if constexpr (std::is_pointer_v<Argument> && is_handle<std::remove_pointer_t<Argument>>) {
      release(objects.of<std::remove_pointer_t<Argument>>());
    }
  }
}

template <class Argument>
bool is_in(const Objects& objects) {
  if constexpr (std::is_pointer_v<Argument>) {
    using Handle = std::remove_const_t<std::remove_pointer_t<Argument>>;
    if constexpr (is_handle<Handle>) return objects.of<Handle>() != nullptr;
    if constexpr (std::is_same_v<Argument, const ckpt_step*>) return objects.of<ckpt_tensor>() != nullptr;
  }
  return false;
}

template <class Result, class... Arguments>
bool takes_one(Result (* /*function*/)(Arguments...), const Objects& some) {
  return (false || ... || is_in<Arguments>(some));
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Rank rank_of(std::string_view function) {
  if (ends_with(function, "_release")) return Rank::releases;
  const bool ends = ends_with(function, "_close") || function == "ckpt_checkpoint_manager_remove" ||
                    function == "ckpt_strategy_unregister" || function == "ckpt_storage_unregister_scheme" ||
                    function == "ckpt_remove_thread_hooks" || function == "ckpt_memory_tracker_unsubscribe";
  return ends ? Rank::ends : Rank::usual;
}

}  // namespace

const std::vector<Cell>& all_cells() {
  static const std::vector<Cell> cells = [] {
    std::vector<Cell> created;
#define FUNCTION(function, result, arguments)                                                                                  \
  created.push_back({#function, rank_of(#function),                                                                            \
                     [](const Objects& objects) {                                                                              \
                       const Outcome outcome =                                                                                 \
                           call_function(&function, #function, std::string_view(result) == "ckpt_status", arguments, objects); \
                       if (ends_with(#function, "_retain")) release_retained(&function, objects);                              \
                       return outcome;                                                                                         \
                     },                                                                                                        \
                     [](const Objects& some) { return takes_one(&function, some); }});
#include "api_cells.inc"
    std::stable_sort(created.begin(), created.end(), [](const Cell& a, const Cell& b) { return a.rank < b.rank; });
    return created;
  }();
  return cells;
}

void set_folder(const std::string& path) { default_folder = path; }
const std::string& folder() { return default_folder; }

}  // namespace sweeps
