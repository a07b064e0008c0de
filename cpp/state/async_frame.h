// Marks a thread that is at work for a manager, or inside one of its callbacks: calls that would wait for the manager are refused
// there.
#pragma once

#include "state/async_manager.h"

namespace ckpt::state {

class AsyncManager::Frame {
 public:
  explicit Frame(const AsyncManager* manager) noexcept : manager_(manager), outer_(innermost) { innermost = this; }
  ~Frame() { innermost = outer_; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  static bool inside(const AsyncManager* manager) noexcept {
    for (const Frame* frame = innermost; frame != nullptr; frame = frame->outer_) {
      if (frame->manager_ == manager) return true;
    }
    return false;
  }

 private:
  static inline thread_local const Frame* innermost = nullptr;

  const AsyncManager* manager_;
  const Frame* outer_;
};

}  // namespace ckpt::state
