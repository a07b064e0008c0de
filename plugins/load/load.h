// Loads libckpt-s3, for programs that bring it beside libckpt: the command and the languages. It comes from the folder of the
// libckpt that the process uses, and from no other place, when it is used for the first time. Synchronised; also in a forked child.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/storage.h>

namespace ckpt::load {

// ckpt_storage_create_from_uri, which knows s3: here and afterwards. A function that the program has registered for s3: stays, and
// then nothing is loaded. UNSUPPORTED where the library is not there, or does not load: why is ckpt_last_error.
// folder: the library is looked for there; "": in libckpt's own.
ckpt_status create_storage(const char* uri, const std::string& folder, ckpt_storage** storage) noexcept;

struct Upload {
  std::string path;
  std::int64_t age_ns = 0;
};

struct AbortedUploads {
  ckpt_status status = CKPT_OK;
  std::string reason;  // when it is not CKPT_OK
  std::vector<Upload> uploads;
};

// ckpt_s3_abort_uploads with the default options.
AbortedUploads abort_uploads(const std::string& uri, std::int64_t older_than_ns, bool dry_run);

}  // namespace ckpt::load
