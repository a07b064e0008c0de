// Tracks the objects that this thread operates on, including while it runs one of their callbacks. A callback that would wait for
// such an object, or modify it during the operation, is refused.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"

namespace ckpt::base {

class Entered {
 public:
  explicit Entered(const void* object) noexcept : object_(object), outer_(innermost) { innermost = this; }
  ~Entered() { innermost = outer_; }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  // Returns true if this thread has entered the object, at any nesting depth.
  static bool is_inside(const void* object) noexcept {
    for (const Entered* entered = innermost; entered != nullptr; entered = entered->outer_) {
      if (entered->object_ == object) return true;
    }
    return false;
  }

  // Fails with Error(invalid_state) if this thread has entered the object. name: the object's name in messages.
  static void refuse(const void* object, const char* name) {
    if (is_inside(object)) fail(Status::invalid_state, name, " is in use by the operation that runs this callback");
  }

  // Returns the objects that this thread has entered, for another thread that works on its behalf.
  static std::vector<const void*> all() {
    std::vector<const void*> objects;
    for (const Entered* entered = innermost; entered != nullptr; entered = entered->outer_) objects.push_back(entered->object_);
    return objects;
  }
  // Runs body with all the objects entered.
  template <class Body>
  static void run_inside(std::span<const void* const> objects, Body&& body) {
    if (objects.empty()) return body();
    const Entered entered(objects.back());
    run_inside(objects.first(objects.size() - 1), body);
  }

 private:
  static inline thread_local const Entered* innermost = nullptr;

  const void* object_;
  const Entered* outer_;
};

}  // namespace ckpt::base
