// The same as storages.c for tests over the static parts: libckpt-s3's functions through libckpt's adapter.
#include <atomic>
#include <memory>
#include <utility>

#include "base/error.h"
#include "capi/custom_storage.h"
#include "place.h"
#include "s3/config.h"
#include "s3/storage.h"
#include "storage/file_system.h"
#include "storage/memory.h"

using namespace ckpt;

// Replaces libckpt's function, through which the plug-in reports reasons.
void ckpt_callback_error(const char* text) { base::set_callback_error(text); }

namespace {

std::shared_ptr<storage::Storage> created(const char* uri) {
  auto storage = std::make_unique<s3::Storage>(s3::make_config(uri, gateway_options()));
  const std::string name = storage->client().config().name();
  auto user = std::make_shared<capi::UserData>(storage.get(), s3::destroy_storage);
  user->adopt();
  static_cast<void>(storage.release());
  return capi::make_custom_storage(name, s3::fill_callbacks(), std::move(user));
}

}  // namespace

// The names that the linker gives the wrapped functions.
std::shared_ptr<storage::Storage> on_gateway() __asm__("__wrap__ZN4ckpt7storage19make_memory_storageEv");
std::shared_ptr<storage::Storage> on_gateway() {
  static std::atomic<int> count = 0;
  char uri[512];
  place_of_memory(++count, uri, sizeof uri);
  return created(uri);
}

#define CKPT_OPEN_FILE_SYSTEM \
  "_ZN4ckpt7storage16open_file_systemERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS0_4RootERKNS0_12WriteOptionsE"
std::shared_ptr<storage::Storage> on_disk(const std::string& root, storage::Root mode,
                                          const storage::WriteOptions& options) __asm__("__real_" CKPT_OPEN_FILE_SYSTEM);
std::shared_ptr<storage::Storage> on_gateway(const std::string& root, storage::Root mode,
                                             const storage::WriteOptions& options) __asm__("__wrap_" CKPT_OPEN_FILE_SYSTEM);
std::shared_ptr<storage::Storage> on_gateway(const std::string& root, storage::Root mode, const storage::WriteOptions& options) {
  if (!is_scratch(root.c_str())) return on_disk(root, mode, options);
  char uri[1024];
  place_of_root(root.c_str(), uri, sizeof uri);
  return created(uri);
}
