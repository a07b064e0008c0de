// Environment variables of the process.
#pragma once

#include <optional>
#include <string>

namespace ckpt::base {

// Sets a variable during its lifetime and restores the previous state afterwards: the old value, also an empty one, or unset. No
// other thread may read or change the environment meanwhile: the C library does not synchronize getenv with setenv.
class ScopedVariable {
 public:
  // Fails with Error(out_of_memory) if the environment cannot grow.
  ScopedVariable(std::string name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace ckpt::base
