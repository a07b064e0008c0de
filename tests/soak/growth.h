// Memory, descriptors and threads of this process over time, and whether they grow.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "soak.h"

namespace soak {

// As Linux counts them.
struct Usage {
  std::int64_t resident_bytes = 0;
  std::int64_t peak_resident_bytes = 0;
  std::int64_t threads = 0;
  std::int64_t descriptors = 0;
};

inline Usage measure() {
  Usage usage;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const auto number = [&] { return std::stoll(line.substr(line.find(':') + 1)); };
    if (line.rfind("VmRSS:", 0) == 0) usage.resident_bytes = number() * 1024;
    if (line.rfind("VmHWM:", 0) == 0) usage.peak_resident_bytes = number() * 1024;
    if (line.rfind("Threads:", 0) == 0) usage.threads = number();
  }
  status.close();
  usage.descriptors = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}) - 1;  // its own
  return usage;
}

// Compares a window after the warm-up (the first tenth of the run) with the latest window; each is a tenth of the run. Of memory
// the medians count; of descriptors and threads, which vary with what happens at the moment, the minima.
class Growth {
 public:
  static constexpr std::int64_t mebibyte = 1 << 20;
#if defined(__SANITIZE_THREAD__)
  static constexpr std::int64_t bound_bytes = 64 * mebibyte;
#else
  static constexpr std::int64_t bound_bytes = 24 * mebibyte;
#endif
  static constexpr std::int64_t bound_count = 4;  // of descriptors, and of threads

  explicit Growth(Clock::duration run) : window_(run / 10) {}

  void add(Clock::duration at, const Usage& usage) {
    if (at >= window_ && at < 2 * window_) warm_.push_back(usage);
    if (at < 3 * window_) return;
    latest_.push_back({at, usage});
    latest_.erase(latest_.begin(),
                  std::find_if(latest_.begin(), latest_.end(), [&](const Timed& t) { return t.at > at - window_; }));
  }

  // Until the latest window is full there is nothing to compare.
  void check(Soak& soak, Clock::duration at) const {
    if (at < 4 * window_ || warm_.empty() || latest_.empty()) return;
    compare(soak, "resident memory", "bytes", bound_bytes, resident_growth());
    compare(soak, "the number of descriptors", "", bound_count, growth(&Usage::descriptors));
    compare(soak, "the number of threads", "", bound_count, growth(&Usage::threads));
  }
  std::int64_t resident_growth() const {
    if (warm_.empty() || latest_.empty()) return 0;
    return median(resident(latest())) - median(resident(warm_));
  }

 private:
  struct Timed {
    Clock::duration at;
    Usage usage;
  };
  std::vector<Usage> latest() const {
    std::vector<Usage> usages;
    for (const Timed& each : latest_) usages.push_back(each.usage);
    return usages;
  }
  static std::vector<std::int64_t> resident(const std::vector<Usage>& usages) {
    std::vector<std::int64_t> values;
    for (const Usage& each : usages) values.push_back(each.resident_bytes);
    return values;
  }
  static std::int64_t median(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }
  std::int64_t growth(std::int64_t Usage::*count) const {
    const auto less = [&](const Usage& a, const Usage& b) { return a.*count < b.*count; };
    const std::vector<Usage> now = latest();
    return (*std::min_element(now.begin(), now.end(), less)).*count - (*std::min_element(warm_.begin(), warm_.end(), less)).*count;
  }
  static void compare(Soak& soak, const std::string& what, const std::string& unit, std::int64_t bound, std::int64_t growth) {
    const std::string gap = unit.empty() ? "" : " ";
    soak.require(growth <= bound, what + " grew by " + std::to_string(growth) + gap + unit + "; at most " + std::to_string(bound));
  }

  Clock::duration window_;
  std::vector<Usage> warm_;
  std::vector<Timed> latest_;
};

}  // namespace soak
