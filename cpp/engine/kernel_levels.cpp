#include "engine/kernel_levels.h"

#include <atomic>

#include "base/error.h"

namespace ckpt::engine {
namespace {

std::atomic<KernelLevel>& chosen() {
  static std::atomic<KernelLevel> level{widest_kernel_level()};
  return level;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const KernelLevel chosen_at_load = chosen().load();

}  // namespace

KernelLevel widest_kernel_level() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return KernelLevel::avx512;
  if (__builtin_cpu_supports("avx2")) return KernelLevel::avx2;
#endif
  return KernelLevel::baseline;
}

KernelLevel kernel_level() noexcept { return chosen().load(std::memory_order_relaxed); }

void set_kernel_level(KernelLevel level) {
  if (level < KernelLevel::baseline || level > widest_kernel_level()) {
    base::fail(base::Status::unsupported, "level is ", static_cast<std::int32_t>(level), "; expected 0 .. ",
               static_cast<std::int32_t>(widest_kernel_level()));
  }
  chosen().store(level, std::memory_order_relaxed);
}

}  // namespace ckpt::engine
