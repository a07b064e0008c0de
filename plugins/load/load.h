// Loads libckpt-s3 at its first use, for programs that are installed together with it: the command and the language bindings. It is
// loaded only from the folder of the libckpt that the process uses. Synchronized; also works in a forked child.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/storage.h>

namespace ckpt::load {

// ckpt_storage_create_from_uri with support for s3:, from then on also in libckpt itself. If the program has registered a function
// for s3:, that one is used and nothing is loaded. UNSUPPORTED if the library is missing or cannot be loaded; ckpt_last_error has
// the reason. folder: where to search the library; "": in the folder of libckpt.
ckpt_status create_storage(const char* uri, const std::string& folder, ckpt_storage** storage) noexcept;

struct Upload {
  std::string path;
  std::int64_t age_ns = 0;
};

struct AbortedUploads {
  ckpt_status status = CKPT_OK;
  std::string reason;  // if status is not CKPT_OK
  std::vector<Upload> uploads;
};

// Calls ckpt_s3_abort_uploads with the default options.
AbortedUploads abort_uploads(const std::string& uri, std::int64_t older_than_ns, bool dry_run);

}  // namespace ckpt::load
