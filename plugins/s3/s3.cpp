// Implements ckpt/s3.h: checks arguments and passes a storage to libckpt.
#include <ckpt/s3.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "common/boundary.h"
#include "common/last_error.h"
#include "common/user_call.h"
#include "storage.h"
#include "uploads.h"

namespace {

using namespace ckpt::s3;

// Size in the first version: never sizeof, which grows with new versions.
constexpr std::size_t first_size = 104;
static_assert(sizeof(ckpt_s3_options) == first_size && offsetof(ckpt_s3_options, request_timeout_ns) == first_size - 8);

// A larger struct_size is an uninitialized field: the library would read that many bytes.
constexpr std::size_t largest_size = 4096;

void require_size(const char* name, std::size_t size) {
  require(size >= first_size && size <= largest_size && size % 4 == 0, name, " is ", size, "; expected a multiple of 4 in ",
          first_size, " .. ", largest_size, ", as set by the initializer macro");
}

// Copies the fields that the caller's version has; the others have the values of CKPT_S3_OPTIONS_INIT.
ckpt_s3_options options_argument(const ckpt_s3_options* given) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  if (given == nullptr) return options;
  const std::size_t size = given->struct_size;
  require_size("options.struct_size", size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (std::any_of(bytes + std::min(size, sizeof options), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    fail(CKPT_E_UNSUPPORTED, "options contains fields of a newer version of the library");
  }
  std::memcpy(&options, given, std::min(size, sizeof options));
  require(options.reserved == 0, "options.reserved is ", options.reserved, "; expected 0");
  return options;
}

}  // namespace

ckpt_status ckpt_s3_options_init(ckpt_s3_options* options, uint32_t size) {
  return ckpt::plugin::guard(
      [&]() -> ckpt_status {
        require(options != nullptr, "options is NULL");
        require_size("size", size);
        const ckpt_s3_options initial = CKPT_S3_OPTIONS_INIT;
        std::memset(options, 0, size);
        std::memcpy(options, &initial, std::min<std::size_t>(size, sizeof initial));
        options->struct_size = size;
        return CKPT_OK;
      },
      ckpt::plugin::set_last_error);
}

ckpt_status ckpt_s3_storage_create(const char* uri, const ckpt_s3_options* options, ckpt_storage** out) {
  return ckpt::plugin::guard(
      [&]() -> ckpt_status {
        require(uri != nullptr, "uri is NULL");
        require(out != nullptr, "storage is NULL");
        auto storage = std::make_unique<Storage>(make_config(uri, options_argument(options)));
        const std::string name = storage->client().config().name();
        const ckpt_storage_callbacks callbacks = fill_callbacks();
        const ckpt_status status = ckpt_storage_create_custom(name.c_str(), &callbacks, storage.get(), destroy_storage, out);
        if (status != CKPT_OK) fail(status, ckpt_last_error());
        static_cast<void>(storage.release());
        return CKPT_OK;
      },
      ckpt::plugin::set_last_error);
}

ckpt_status ckpt_s3_abort_uploads(const char* uri, const ckpt_s3_options* options, int64_t older_than_ns, ckpt_bool dry_run,
                                  ckpt_s3_upload_fn upload, void* user_data, int64_t* count) {
  constexpr int max_in_a_list = 1000;
  return ckpt::plugin::guard(
      [&]() -> ckpt_status {
        require(uri != nullptr, "uri is NULL");
        require(older_than_ns >= 0, "older_than_ns is ", older_than_ns, "; expected at least 0");
        require(dry_run == 0 || dry_run == 1, "dry_run is ", dry_run, "; expected 0 or 1");
        require(count != nullptr, "count is NULL");
        Storage storage(make_config(uri, options_argument(options)));
        const auto tell = [&](const Unfinished& each, std::int64_t age_ns) {
          if (upload == nullptr) return;
          ckpt::plugin::user_call("upload", [&] { upload(each.path.c_str(), age_ns, user_data); });
        };
        try {
          *count = abort_uploads(storage.client(), older_than_ns, dry_run == 1, max_in_a_list, tell);
        } catch (const Error& error) {
          fail(error.status(), storage.client().config().name(), ": ", error.message());
        }
        return CKPT_OK;
      },
      ckpt::plugin::set_last_error);
}

const char* ckpt_s3_last_error(void) { return ckpt::plugin::last_error(); }
