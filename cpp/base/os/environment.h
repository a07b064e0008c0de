// Variables of the process's environment.
#pragma once

#include <optional>
#include <string>

namespace ckpt::base {

// Sets a variable while it exists, and restores it afterwards: its value, also an empty one, or that it was unset. No other thread
// may read or change the environment meanwhile: the C library does not synchronise getenv with setenv.
class ScopedVariable {
 public:
  // Error(out_of_memory) when the environment cannot grow.
  ScopedVariable(std::string name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace ckpt::base
