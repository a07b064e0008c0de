// A budget of one run: its bytes and, where it was asked for in percent, what it is a share of. It is answered as it was asked.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <ckpt/ckpt.hpp>

#include "text.h"

namespace ckpt::cli {

class AskedBudget {
 public:
  AskedBudget() = default;  // none
  // everything_bytes: what storing everything takes. bytes: the budget, of several stages that of one.
  AskedBudget(std::string option, const Budget& given, std::int64_t everything_bytes, std::int64_t bytes)
      : option_(std::move(option)), percent_(given.percent), everything_bytes_(everything_bytes), bytes_(bytes) {}

  std::int64_t bytes() const { return bytes_; }  // 0: there is none
  double percent() const { return percent_; }    // 0: asked for in bytes
  // "25600 bytes (25.0 KiB)", of a budget in percent "25600 bytes (25.0 KiB, 1%)".
  std::string text() const;
  // The same of another amount; its share is rounded up, so that it is enough when it is asked for.
  std::string amount(std::int64_t bytes) const;
  // make(), whose error OVER_BUDGET, where the library knows bytes only, becomes one with percent, too.
  template <class Make>
  auto answer(Make&& make) const {
    try {
      return make();
    } catch (const Error& error) {
      if (error.status() != Status::over_budget || percent_ == 0) throw;
      throw Error(error.status(), in_percent(error.what()));
    }
  }
  // A message of the library.
  std::string in_percent(const std::string& message) const;

 private:
  std::string share(std::int64_t bytes) const;

  std::string option_;
  double percent_ = 0;
  std::int64_t everything_bytes_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace ckpt::cli
