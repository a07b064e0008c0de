// Shared by the tests of strategies.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

using Names = std::vector<std::string>;

inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
inline constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

inline bool ask(Strategy& strategy, const std::string& name, std::int64_t index = 0, std::int64_t bytes = 1) {
  return strategy.should_checkpoint(name, Activation(bytes), index);
}

// Returns the decisions for layers first .. last-1, named "layer<i>", as a string of 1 and 0.
inline std::string answers(Strategy& strategy, std::int64_t first, std::int64_t last, std::int64_t bytes = 1) {
  std::string row;
  for (std::int64_t i = first; i < last; ++i) row += ask(strategy, base::cat("layer", i), i, bytes) ? '1' : '0';
  return row;
}

// Returns the message of the Error with this status that call throws.
template <class Call>
std::string error_of(base::Status status, Call&& call) {
  try {
    call();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.message();
  }
  ADD_FAILURE() << "no error";
  return "";
}

template <class Call>
std::string refusal(Call&& call) {
  return error_of(base::Status::invalid_argument, call);
}

}  // namespace ckpt::strategy
