#include "strategy/size_based.h"

#include "base/error.h"

namespace ckpt::strategy {

SizeBased::SizeBased(std::int64_t threshold_bytes, std::span<const std::string> excluded)
    : threshold_bytes_(threshold_bytes), excluded_("excluded", excluded) {
  base::require(threshold_bytes > 0, "threshold_bytes is ", threshold_bytes, "; expected at least 1");
}

// Rounds down to whole binary units: 1 MiB is printed as 1MB.
std::string SizeBased::name() const {
  constexpr const char* units[] = {"B", "KB", "MB", "GB"};
  std::int64_t amount = threshold_bytes_;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit < 3; ++unit) amount /= 1024;
  return base::cat("SizeBased(", amount, units[unit], ")");
}

Parameters SizeBased::parameters() const {
  Parameters parameters{.kind = "size"};
  parameters.threshold_bytes = threshold_bytes_;
  parameters.excluded = excluded_.patterns();
  return parameters;
}

std::vector<std::string> SizeBased::text_values() const {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::int64_t bytes = threshold_bytes_;
  std::size_t unit = 0;
  for (; bytes % 1024 == 0 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return {base::cat(bytes, units[unit])};
}

}  // namespace ckpt::strategy
