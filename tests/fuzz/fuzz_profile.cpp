// Any text as a profile: refused, or a profile that is unchanged after writing and reading it again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/profile_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string written = ckpt::plan::to_json(ckpt::plan::profile_from_json(text));
    if (ckpt::plan::to_json(ckpt::plan::profile_from_json(written)) != written) std::abort();
  } catch (const ckpt::base::Error& error) {
    using ckpt::base::Status;
    if (error.status() != Status::corrupt && error.status() != Status::unsupported) std::abort();
  }
  return 0;
}
