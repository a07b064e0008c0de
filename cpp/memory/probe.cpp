#include "memory/probe.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/os/memory.h"

namespace ckpt::memory {
namespace {

constexpr std::int64_t unknown = -1;

std::int64_t to_bytes(std::string_view word) {
  std::int64_t value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc() && result.ptr == word.data() + word.size() && value >= 0 ? value : unknown;
}

// Returns the number in a file's first word; unknown if it is not a number ("max").
std::int64_t read_number(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? to_bytes(word) : unknown;
}

// Returns the number after key in a file of "key number" lines.
std::int64_t read_value(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  std::string number;
  std::string rest;
  while (file >> word >> number) {
    std::getline(file, rest);
    if (word == key) return to_bytes(number);
  }
  return unknown;
}

// File and key names in one version of control groups.
struct Version {
  const char* limit;
  const char* usage;
  const char* droppable;  // key in memory.stat
};
constexpr Version v1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
constexpr Version v2{"/memory.max", "/memory.current", "inactive_file"};

void apply_group_limit(const std::string& directory, const Version& version, SystemMemory& system) {
  const std::int64_t limit = read_number(directory + version.limit);
  // v1 reports "no limit" as a number near INT64_MAX; a limit above the machine's memory has no effect either.
  if (limit < 0 || limit >= system.machine_bytes) return;
  if (system.limit_bytes == 0 || limit < system.limit_bytes) system.limit_bytes = limit;
  system.total_bytes = std::min(system.total_bytes, limit);
  const std::int64_t usage = std::max<std::int64_t>(0, read_number(directory + version.usage));
  const std::int64_t droppable = std::max<std::int64_t>(0, read_value(directory + "/memory.stat", version.droppable));
  const std::int64_t used = std::max<std::int64_t>(0, usage - droppable);
  system.available_bytes = std::min(system.available_bytes, std::max<std::int64_t>(0, limit - used));
}

// The limit of every group along the path to the root applies. Inside a container the path may be the host's and not exist here;
// the container's own group is then the mount itself, where the loop ends.
void apply_path_limits(const std::string& mount, std::string path, const Version& version, SystemMemory& system) {
  for (;;) {
    apply_group_limit(mount + path, version, system);
    if (path.empty()) return;
    const auto slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

void apply_group_limits(const ProbeFiles& files, SystemMemory& system) {
  std::ifstream file(files.cgroup);
  std::string line;
  while (std::getline(file, line)) {
    // hierarchy-id:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers == ",,") {
      apply_path_limits(files.mount, path, v2, system);
      apply_path_limits(files.mount + "/unified", path, v2, system);
    } else if (controllers.find(",memory,") != std::string::npos) {
      apply_path_limits(files.mount + "/memory", path, v1, system);
    }
  }
}

}  // namespace

SystemMemory probe_system_memory(const ProbeFiles& files) {
  SystemMemory system;
  const base::PhysicalMemory asked = base::physical_memory();
  const auto kibibytes = [&](const char* key, std::int64_t otherwise) {
    const std::int64_t value = read_value(files.meminfo, key);
    return value < 0 || value > INT64_MAX / 1024 ? otherwise : value * 1024;
  };
  system.machine_bytes = kibibytes("MemTotal:", asked.total_bytes);
  if (system.machine_bytes <= 0) base::fail(base::Status::unsupported, "the system does not report its physical memory");
  system.total_bytes = system.machine_bytes;
  system.available_bytes = std::min(system.machine_bytes, kibibytes("MemAvailable:", asked.free_bytes));
  apply_group_limits(files, system);
  return system;
}

}  // namespace ckpt::memory
