#include "base/version.h"

#include <algorithm>
#include <array>

#define CKPT_TEXT_OF(number) #number
#define CKPT_TEXT(number) CKPT_TEXT_OF(number)

namespace ckpt::base {

std::int32_t version_number() noexcept { return CKPT_VERSION_MAJOR * 1000000 + CKPT_VERSION_MINOR * 1000 + CKPT_VERSION_PATCH; }

const char* version_text() noexcept {
  return CKPT_TEXT(CKPT_VERSION_MAJOR) "." CKPT_TEXT(CKPT_VERSION_MINOR) "." CKPT_TEXT(CKPT_VERSION_PATCH);
}

const char* build_description() noexcept { return CKPT_BUILD_DESCRIPTION; }

bool has_feature(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 5> features = {"threads", "fork-safe", "blas-dlopen", "dlpack", "safetensors"};
  return std::find(features.begin(), features.end(), name) != features.end();
}

}  // namespace ckpt::base
