#include "state.h"

#include "guard.h"
#include "state/name.h"
#include "storage.h"
#include "tensor.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace state = ckpt::state;

static_assert(CKPT_STATE_DATA_POSITION == state::data_position_key);
static_assert(CKPT_STATE_CONTROLLER == state::controller_key);

namespace {

constexpr ckpt_checkpoint_options checkpoint_defaults = CKPT_CHECKPOINT_OPTIONS_INIT;
constexpr ckpt_save_options save_defaults = CKPT_SAVE_OPTIONS_INIT;
constexpr ckpt_load_options load_defaults = CKPT_LOAD_OPTIONS_INIT;

// Before the work starts: an optional struct to be filled must be one that can be.
template <class T>
void check_result(const T* result) {
  std::uint32_t size = sizeof(T);
  if (result != nullptr) std::memcpy(&size, result, sizeof size);
  require(size >= sizeof(T), "result->struct_size is ", size, "; use the initialiser macro (at least ", sizeof(T), ")");
}

template <class T>
void fill_result(T* result, const T& values) {
  if (result != nullptr) fill_struct(result, values, sizeof(T), "result");
}

template <std::size_t size>
void copy_name(char (&out)[size], std::string_view name) {
  const std::size_t length = std::min(name.size(), size - 1);
  std::memcpy(out, name.data(), length);
  out[length] = '\0';
}

std::string text_or(const char* text, const char* otherwise) { return text == nullptr ? otherwise : text; }

// NULL or a name.
std::string optional_name(const char* name) { return name == nullptr ? std::string() : std::string(name_argument(name, "name")); }

}  // namespace

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

ckpt_status ckpt_state_tensor_count(const ckpt_state* handle, int64_t* count) {
  return guard([&] {
    checked(handle, "state");
    *not_null(count, "count") = handle->object->tensor_count();
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

ckpt_status ckpt_state_json(const ckpt_state* handle, const char* key, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] {
    checked(handle, "state");
    not_null(key, "key");
    copy_text(handle->object->json(key), buffer, capacity, needed);
  });
}

void ckpt_state_release(ckpt_state* handle) { release(handle); }

// ---- Checkpoints ----

void ckpt_checkpoint_options_init(ckpt_checkpoint_options* options) {
  if (options != nullptr) *options = checkpoint_defaults;
}

ckpt_status ckpt_checkpoint_create(ckpt_storage* storage, const ckpt_checkpoint_options* options, ckpt_checkpoint** out) {
  return guard([&] {
    checked(storage, "storage");
    not_null(out, "checkpoint");
    const auto given = options_argument(options, checkpoint_defaults, sizeof checkpoint_defaults, "options");
    const state::CheckpointOptions wanted{given.read_only != 0, given.keep_last};
    hand_out(out, std::make_shared<state::Checkpoint>(storage->object, wanted));
  });
}

void ckpt_checkpoint_release(ckpt_checkpoint* handle) { release(handle); }

// ---- Save ----

void ckpt_save_options_init(ckpt_save_options* options) {
  if (options != nullptr) *options = save_defaults;
}

void ckpt_save_result_init(ckpt_save_result* result) {
  if (result != nullptr) *result = CKPT_SAVE_RESULT_INIT;
}

ckpt_status ckpt_checkpoint_save(ckpt_checkpoint* handle, const ckpt_state* what, const ckpt_save_options* options,
                                 ckpt_save_result* result) {
  return guard([&] {
    checked(handle, "checkpoint");
    checked(what, "state");
    const auto given = options_argument(options, save_defaults, sizeof save_defaults, "options");
    check_result(result);
    const state::SaveResult saved = handle->object->save(
        *what->object, {given.step, given.seed, text_or(given.metadata_json, "null"), text_or(given.environment_json, "null")});
    ckpt_save_result values = CKPT_SAVE_RESULT_INIT;
    values.files = static_cast<int32_t>(saved.files);
    values.step = saved.step;
    values.commit_sequence = saved.commit_sequence;
    values.bytes = saved.bytes;
    copy_name(values.name, saved.name);
    fill_result(result, values);
  });
}

// ---- Load ----

void ckpt_load_options_init(ckpt_load_options* options) {
  if (options != nullptr) *options = load_defaults;
}

void ckpt_load_result_init(ckpt_load_result* result) {
  if (result != nullptr) *result = CKPT_LOAD_RESULT_INIT;
}

ckpt_status ckpt_checkpoint_load(ckpt_checkpoint* handle, ckpt_state* target, const ckpt_load_options* options,
                                 ckpt_load_result* result) {
  return guard([&] {
    checked(handle, "checkpoint");
    checked(target, "state");
    const auto given = options_argument(options, load_defaults, sizeof load_defaults, "options");
    require(given.verify == CKPT_VERIFY_NONE || given.verify == CKPT_VERIFY_FULL, "options.verify is ", given.verify,
            "; CKPT_VERIFY_NONE (0) or CKPT_VERIFY_FULL (1)");
    check_result(result);
    const state::LoadOptions wanted{optional_name(given.name),
                                    given.verify == CKPT_VERIFY_NONE ? state::Verify::none : state::Verify::full,
                                    given.environment_json != nullptr, text_or(given.environment_json, "")};
    const state::LoadResult loaded = handle->object->load(*target->object, wanted);
    ckpt_load_result values = CKPT_LOAD_RESULT_INIT;
    values.environment_differs = loaded.environment_differs ? 1 : 0;
    values.step = loaded.step;
    values.commit_sequence = loaded.commit_sequence;
    values.seed = loaded.seed;
    values.bytes = loaded.bytes;
    values.skipped = loaded.skipped;
    copy_name(values.name, loaded.name);
    fill_result(result, values);
  });
}

// ---- Look and verify ----

void ckpt_checkpoint_info_init(ckpt_checkpoint_info* info) {
  if (info != nullptr) *info = CKPT_CHECKPOINT_INFO_INIT;
}

ckpt_status ckpt_checkpoint_count(ckpt_checkpoint* handle, int64_t* count) {
  return guard([&] {
    checked(handle, "checkpoint");
    not_null(count, "count");
    *count = handle->object->count();
  });
}

ckpt_status ckpt_checkpoint_at(ckpt_checkpoint* handle, int64_t index, ckpt_checkpoint_info* info) {
  return guard([&] {
    checked(handle, "checkpoint");
    not_null(info, "info");
    const state::Found found = handle->object->at(index);
    ckpt_checkpoint_info values = CKPT_CHECKPOINT_INFO_INIT;
    values.status = static_cast<ckpt_status>(found.status);
    values.step = found.step;
    values.commit_sequence = found.commit_sequence;
    values.bytes = found.bytes;
    copy_name(values.name, found.name);
    fill_struct(info, values, sizeof values, "info");
  });
}

ckpt_status ckpt_checkpoint_manifest(ckpt_checkpoint* handle, const char* name, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] {
    checked(handle, "checkpoint");
    copy_text(handle->object->manifest(std::string(name_argument(name, "name"))), buffer, capacity, needed);
  });
}

void ckpt_verify_result_init(ckpt_verify_result* result) {
  if (result != nullptr) *result = CKPT_VERIFY_RESULT_INIT;
}

ckpt_status ckpt_checkpoint_verify(ckpt_checkpoint* handle, const char* name, ckpt_verify_result* result) {
  return guard([&] {
    checked(handle, "checkpoint");
    check_result(result);
    const state::VerifyResult verified = handle->object->verify(optional_name(name));
    ckpt_verify_result values = CKPT_VERIFY_RESULT_INIT;
    values.files = static_cast<int32_t>(verified.files);
    values.tensors = verified.tensors;
    values.bytes = verified.bytes;
    copy_name(values.name, verified.name);
    fill_result(result, values);
  });
}

// ---- Safetensors files ----

void ckpt_tensor_info_init(ckpt_tensor_info* info) {
  if (info != nullptr) *info = CKPT_TENSOR_INFO_INIT;
}

ckpt_status ckpt_safetensors_open(const char* path, ckpt_safetensors** out) {
  return guard([&] {
    not_null(out, "file");
    hand_out(out, std::make_shared<state::SafetensorsFile>(not_null(path, "path")));
  });
}

ckpt_status ckpt_safetensors_count(const ckpt_safetensors* handle, int64_t* count) {
  return guard([&] {
    checked(handle, "file");
    *not_null(count, "count") = static_cast<int64_t>(handle->object->header().tensors.size());
  });
}

ckpt_status ckpt_safetensors_tensor(const ckpt_safetensors* handle, int64_t index, ckpt_tensor_info* info) {
  return guard([&] {
    checked(handle, "file");
    not_null(info, "info");
    const state::TensorEntry& entry = handle->object->at(index);
    ckpt_tensor_info values = CKPT_TENSOR_INFO_INIT;
    values.dtype = static_cast<ckpt_dtype>(entry.dtype);
    values.name = entry.name.c_str();
    values.shape = entry.shape.empty() ? nullptr : entry.shape.data();
    values.ndim = static_cast<int64_t>(entry.shape.size());
    values.bytes = entry.bytes;
    values.offset = handle->object->header().data_start + entry.offset;
    fill_struct(info, values, sizeof values, "info");
  });
}

ckpt_status ckpt_safetensors_metadata_count(const ckpt_safetensors* handle, int64_t* count) {
  return guard([&] {
    checked(handle, "file");
    *not_null(count, "count") = static_cast<int64_t>(handle->object->header().metadata.size());
  });
}

ckpt_status ckpt_safetensors_metadata(const ckpt_safetensors* handle, int64_t index, const char** key, const char** value) {
  return guard([&] {
    checked(handle, "file");
    not_null(key, "key");
    not_null(value, "value");
    const auto& metadata = handle->object->header().metadata;
    if (index < 0 || static_cast<std::size_t>(index) >= metadata.size()) {
      fail(Status::out_of_range, "index is ", index, "; the file has ", metadata.size(), " metadata entries");
    }
    const auto& entry = metadata[static_cast<std::size_t>(index)];
    *key = entry.first.c_str();
    *value = entry.second.c_str();
  });
}

ckpt_status ckpt_safetensors_read(ckpt_safetensors* handle, int64_t index, ckpt_tensor* tensor) {
  return guard([&] {
    checked(handle, "file");
    handle->object->read(index, *checked(tensor, "tensor")->object);
  });
}

void ckpt_safetensors_release(ckpt_safetensors* handle) { release(handle); }
