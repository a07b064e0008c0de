// base.hpp - the values of base.h in C++: its enums, options and results. Made from include/ckpt by tools/api: do not edit.
// clang-format off
#ifndef CKPT_VALUES_BASE_HPP
#define CKPT_VALUES_BASE_HPP

#include <ckpt/base.h>
#include <ckpt/values/value.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ckpt {

// How much a message of the log matters.
enum class LogLevel : std::int32_t {
  // details for the development of the library
  debug = CKPT_LOG_LEVEL_DEBUG,
  // what the library does and decides
  info = CKPT_LOG_LEVEL_INFO,
  // something went wrong, and the library goes on
  warning = CKPT_LOG_LEVEL_WARNING,
  // something failed
  error = CKPT_LOG_LEVEL_ERROR,
};

// How many threads may use a queue of words.
enum class WordQueueKind : std::int32_t {
  // a queue for one pushing and one popping thread at a time
  spsc = CKPT_WORD_QUEUE_KIND_SPSC,
  // a queue for any number of threads: synchronised
  mpmc = CKPT_WORD_QUEUE_KIND_MPMC,
};

}  // namespace ckpt

#endif  // CKPT_VALUES_BASE_HPP
