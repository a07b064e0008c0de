#include "strategy/resident.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

namespace ckpt::strategy {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }  // it was only read
};

// The value of a line "<key>   <number> kB" of a file of the proc file system, in bytes.
std::optional<std::int64_t> read_kilobytes(const char* path, std::string_view key) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path, "re"));  // e: close-on-exec
  if (!file) return std::nullopt;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, file.get()) != nullptr) {
    std::string_view line(buffer);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::int64_t kilobytes = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), kilobytes);
    if (error != std::errc() || kilobytes <= 0 || kilobytes > std::numeric_limits<std::int64_t>::max() / 1024) return std::nullopt;
    return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> resident_bytes() { return read_kilobytes("/proc/self/status", "VmRSS:"); }

}  // namespace ckpt::strategy
