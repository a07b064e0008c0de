#include "base/os/cpu.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace ckpt::base {
namespace {

// Reads up to two white-space separated words of a small file.
bool read_words(const std::string& path, std::string& first, std::string& second) {
  std::ifstream file(path);
  first.clear();
  second.clear();
  if (!(file >> first)) return false;
  file >> second;
  return true;
}

double to_number(const std::string& word) {
  double value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc() ? value : -1;
}

double v2_quota(const std::string& directory) {
  std::string quota;
  std::string period;
  if (!read_words(directory + "/cpu.max", quota, period) || quota == "max") return 0;
  const double microseconds = to_number(quota);
  const double of = to_number(period);
  return microseconds > 0 && of > 0 ? microseconds / of : 0;
}

double v1_quota(const std::string& directory) {
  std::string quota;
  std::string period;
  std::string rest;
  if (!read_words(directory + "/cpu.cfs_quota_us", quota, rest)) return 0;
  if (!read_words(directory + "/cpu.cfs_period_us", period, rest)) return 0;
  const double microseconds = to_number(quota);  // -1: no limit
  const double of = to_number(period);
  return microseconds > 0 && of > 0 ? microseconds / of : 0;
}

// Returns the smallest quota of path and its parents below mount.
template <class Quota>
double smallest_quota(const std::string& mount, std::string path, Quota quota) {
  double smallest = 0;
  for (;;) {
    const double here = quota(mount + path);
    if (here > 0 && (smallest == 0 || here < smallest)) smallest = here;
    if (path.empty()) return smallest;
    const auto slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

int affinity_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more processors than cpu_set_t holds
}

}  // namespace

double cgroup_cpu_quota(const std::string& cgroup_file, const std::string& mount) {
  std::ifstream file(cgroup_file);
  std::string line;
  double smallest = 0;
  while (std::getline(file, line)) {
    // hierarchy-id:controllers:path
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    double quota = 0;
    if (controllers == ",,") {
      quota = smallest_quota(mount, path, v2_quota);
      if (quota == 0) quota = smallest_quota(mount + "/unified", path, v2_quota);
    } else if (controllers.find(",cpu,") != std::string::npos) {
      quota = smallest_quota(mount + "/cpu", path, v1_quota);
      if (quota == 0) quota = smallest_quota(mount + "/cpu,cpuacct", path, v1_quota);
    }
    if (quota > 0 && (smallest == 0 || quota < smallest)) smallest = quota;
  }
  return smallest;
}

std::int32_t available_threads() {
  const int allowed = affinity_threads();
  const double quota = cgroup_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  if (quota <= 0) return allowed;
  return quota >= allowed ? allowed : std::max(1, static_cast<int>(std::ceil(quota)));
}

}  // namespace ckpt::base
