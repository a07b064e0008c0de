#include "kernels.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include <ckpt/ckpt.hpp>

#include "place.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

// Returns "" if no checkpoint can be read, or if it does not record its kernels.
std::string recorded_kernels(const std::string& place) try {
  if (place.empty()) return "";
  const CheckpointManager checkpoints = CheckpointManager::read_only(open_place(place));
  for (const CheckpointInfo& info : checkpoints.list()) {
    if (info.status != Status::ok || info.abandoned) continue;
    static const json::json_pointer blas("/environment/libckpt/blas");
    const json manifest = json::parse(checkpoints.manifest(info.name));
    return manifest.contains(blas) && manifest.at(blas).is_string() ? kernels_of(manifest.at(blas).get<std::string>()) : "";
  }
  return "";
} catch (const std::exception&) {
  return "";  // the command opens it again and reports the error
}

// Returns false if nothing has changed; the caller can then try other kernels.
bool set_kernels(const std::string& name) {
  try {
    set_blas_kernels(name);
  } catch (const Error& error) {
    return error.status() != Status::invalid_argument;
  }
  return true;
}

}  // namespace

void choose_kernels(const std::string& place) {
  const char* const asked = std::getenv("OPENBLAS_CORETYPE");  // NOLINT(concurrency-mt-unsafe): before other threads
  if (asked != nullptr && *asked != '\0') return;
  const std::string recorded = recorded_kernels(place);
  if (recorded.empty() || !set_kernels(recorded)) (void)set_kernels("best");
}

std::string blas_without_advice() {
  const std::string info = blas_info();
  return info.substr(0, info.find("; "));
}

// Returns the last word before the number of threads.
std::string kernels_of(std::string_view blas) {
  std::string_view last;
  for (std::size_t begin = 0; begin < blas.size();) {
    const std::size_t end = std::min(blas.find(' ', begin), blas.size());
    const std::string_view word = blas.substr(begin, end - begin);
    if (word.substr(0, word.find('=')) == "MAX_THREADS" || word == "SINGLE_THREADED") break;
    if (!word.empty()) last = word;
    begin = end + 1;
  }
  return std::string(last);
}

}  // namespace ckpt::cli
