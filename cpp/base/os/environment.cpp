#include "base/os/environment.h"

#include <cstdlib>
#include <utility>

#include "base/error.h"

namespace ckpt::base {

// NOLINTBEGIN(concurrency-mt-unsafe): the caller keeps other threads from the environment
ScopedVariable::ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
  if (const char* const before = std::getenv(name_.c_str())) before_ = before;
  if (setenv(name_.c_str(), value.c_str(), 1) != 0) fail(Status::out_of_memory, "no memory for the environment variable ", name_);
}

ScopedVariable::~ScopedVariable() {
  if (before_) {
    (void)setenv(name_.c_str(), before_->c_str(), 1);
  } else {
    (void)unsetenv(name_.c_str());
  }
}
// NOLINTEND(concurrency-mt-unsafe)

}  // namespace ckpt::base
