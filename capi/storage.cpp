#include "storage.h"

#include "guard.h"
#include "storage/file_system.h"
#include "storage/memory.h"

using namespace ckpt::capi;
namespace storage = ckpt::storage;

namespace {

constexpr ckpt_file_system_options file_system_defaults = CKPT_FILE_SYSTEM_OPTIONS_INIT;

}  // namespace

void ckpt_file_system_options_init(ckpt_file_system_options* options) {
  if (options != nullptr) *options = file_system_defaults;
}

ckpt_status ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* options, ckpt_storage** out) {
  return guard([&] {
    not_null(out, "storage");
    name_argument(root, "root");
    const auto given = options_argument(options, file_system_defaults, sizeof file_system_defaults, "options");
    hand_out(out, storage::open_file_system(root, given.must_exist != 0 ? storage::Root::must_exist : storage::Root::make));
  });
}

ckpt_status ckpt_storage_create_memory(ckpt_storage** out) {
  return guard([&] { hand_out(not_null(out, "storage"), storage::make_memory_storage()); });
}

void ckpt_storage_release(ckpt_storage* handle) { release(handle); }
