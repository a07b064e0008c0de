// Marks that this thread is inside a strategy that may call user code. If that code asks, resets or notifies the same strategy,
// the call fails with Error(invalid_state) instead of recursing without end.
#pragma once

#include "base/entered.h"

namespace ckpt::strategy {

class Inside {
 public:
  explicit Inside(const void* strategy) : entered_(refused(strategy)) {}

 private:
  static const void* refused(const void* strategy) {
    base::Entered::refuse(strategy, "the strategy");
    return strategy;
  }

  base::Entered entered_;
};

}  // namespace ckpt::strategy
