// Measures memory, descriptors and threads of this process over time, and decides whether they grow.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "soak.h"

namespace soak {

// The values that Linux reports.
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

// Compares this process after the warm-up (the first tenth of the run) with its latest state. Synchronized.
//
// Memory: the medians of two windows, each a tenth of the run. Descriptors and threads: an activity that makes and releases objects
// all the time would hide a leak in its noise, so they are counted between two lives (live.cpp), and the minima of the first and of
// the latest few counts are compared.
class Growth {
 public:
  static constexpr std::int64_t mebibyte = 1 << 20;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  static constexpr std::int64_t bound_bytes = 64 * mebibyte;
#else
  static constexpr std::int64_t bound_bytes = 24 * mebibyte;
#endif
  static constexpr std::int64_t bound_count = 4;  // allowed growth of descriptors, and of threads

  explicit Growth(Clock::duration run) : window_(run / 10) {}

  // Called several times a second.
  void add_memory(const Usage& usage) {
    const std::lock_guard lock(mutex_);
    const Clock::duration at = Clock::now() - began_;
    if (at >= window_ && at < 2 * window_) warm_bytes_.push_back(usage.resident_bytes);
    if (at >= 3 * window_) latest_bytes_.push_back({at, usage.resident_bytes});
    while (!latest_bytes_.empty() && latest_bytes_.front().first <= at - window_) latest_bytes_.pop_front();
    has_memory_ = at >= 4 * window_ && !warm_bytes_.empty() && !latest_bytes_.empty();
  }
  // Called between two lives.
  void add_counts(const Usage& usage) {
    const std::lock_guard lock(mutex_);
    if (Clock::now() - began_ < window_) return;
    if (warm_counts_.size() < few) {
      warm_counts_.push_back(usage);
    } else {
      latest_counts_.push_back(usage);
      if (latest_counts_.size() > few) latest_counts_.pop_front();
    }
  }

  // Describes everything that exceeds its bound; empty: nothing does, or there are too few samples.
  std::string excess() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    const auto compare = [&](const std::string& what, std::int64_t growth, std::int64_t bound) {
      if (growth > bound) text += what + " grew by " + std::to_string(growth) + "; at most " + std::to_string(bound) + ". ";
    };
    compare("resident memory in bytes", has_memory_ ? memory_growth() : 0, bound_bytes);
    compare("the number of descriptors", has_counts() ? count_growth(&Usage::descriptors) : 0, bound_count);
    compare("the number of threads", has_counts() ? count_growth(&Usage::threads) : 0, bound_count);
    return text;
  }
  bool is_complete() const {
    const std::lock_guard lock(mutex_);
    return has_memory_ && has_counts();
  }
  std::string summary() const {
    const std::lock_guard lock(mutex_);
    if (!has_memory_ || !has_counts()) return "not compared";
    return std::to_string(memory_growth() / 1024) + " KiB, " + std::to_string(count_growth(&Usage::threads)) + " threads, " +
           std::to_string(count_growth(&Usage::descriptors)) + " descriptors";
  }

 private:
  static constexpr std::size_t few = 3;

  bool has_counts() const { return latest_counts_.size() == few; }
  std::int64_t memory_growth() const {
    std::vector<std::int64_t> latest;
    for (const auto& [at, bytes] : latest_bytes_) latest.push_back(bytes);
    return median(std::move(latest)) - median(warm_bytes_);
  }
  static std::int64_t median(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }
  std::int64_t count_growth(std::int64_t Usage::*count) const {
    const auto less = [&](const Usage& a, const Usage& b) { return a.*count < b.*count; };
    return (*std::min_element(latest_counts_.begin(), latest_counts_.end(), less)).*count -
           (*std::min_element(warm_counts_.begin(), warm_counts_.end(), less)).*count;
  }

  const Clock::time_point began_ = Clock::now();
  const Clock::duration window_;
  mutable std::mutex mutex_;
  bool has_memory_ = false;
  std::vector<std::int64_t> warm_bytes_;
  std::deque<std::pair<Clock::duration, std::int64_t>> latest_bytes_;
  std::vector<Usage> warm_counts_;
  std::deque<Usage> latest_counts_;
};

}  // namespace soak
