// The budget of one run: its bytes and, if the option was in percent, the bytes that the percentage refers to. Messages report it
// in the unit of the option.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <ckpt/ckpt.hpp>

#include "text.h"

namespace ckpt::cli {

class RequestedBudget {
 public:
  RequestedBudget() = default;  // no budget
  // everything_bytes: the bytes that storing everything needs. bytes: the budget; with several stages that of one stage.
  RequestedBudget(std::string option, const Budget& given, std::int64_t everything_bytes, std::int64_t bytes)
      : option_(std::move(option)), percent_(given.percent), everything_bytes_(everything_bytes), bytes_(bytes) {}

  std::int64_t bytes() const { return bytes_; }  // 0: none
  double percent() const { return percent_; }    // 0: the option was in bytes
  // "25600 bytes (25.0 KiB)"; for a budget in percent "25600 bytes (25.0 KiB, 1%)".
  std::string text() const;
  // The same for another amount. Its percentage is rounded up, so that a budget of that percentage is enough.
  std::string amount(std::int64_t bytes) const;
  // Returns make(). If the budget is in percent, an error OVER_BUDGET, which the library reports in bytes, is rethrown with
  // percentages added.
  template <class Make>
  auto answer(Make&& make) const {
    try {
      return make();
    } catch (const Error& error) {
      if (error.status() != Status::over_budget || percent_ == 0) throw;
      throw Error(error.status(), with_percentages(error.what()));
    }
  }
  // Adds percentages to a message of the library.
  std::string with_percentages(const std::string& message) const;

 private:
  std::string share(std::int64_t bytes) const;

  std::string option_;
  double percent_ = 0;
  std::int64_t everything_bytes_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace ckpt::cli
