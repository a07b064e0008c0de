// Marks that a thread is at work for an object, or inside one of its callbacks: what would wait for the object, or change it under
// the operation's feet, is refused there.
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

  // True on a thread that has entered the object, however many others it entered since.
  static bool is_inside(const void* object) noexcept {
    for (const Entered* entered = innermost; entered != nullptr; entered = entered->outer_) {
      if (entered->object_ == object) return true;
    }
    return false;
  }

  // Error(invalid_state) on such a thread. name: what the object is called in messages.
  static void refuse(const void* object, const char* name) {
    if (is_inside(object)) fail(Status::invalid_state, name, " is in use by the operation whose callback makes this call");
  }

  // What this thread has entered, for another one that works for it.
  static std::vector<const void*> all() {
    std::vector<const void*> objects;
    for (const Entered* entered = innermost; entered != nullptr; entered = entered->outer_) objects.push_back(entered->object_);
    return objects;
  }
  // Runs body with all of them entered.
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
