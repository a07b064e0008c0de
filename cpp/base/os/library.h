// A shared library that is loaded while the process runs, and the environment that may name it.
#pragma once

#include <string>

namespace ckpt::base {

class SharedLibrary {
 public:
  // Loads path; "" on success, else the system's reason. Never unloaded: code of it may run until the process ends.
  std::string load(const std::string& path);
  // The address of a symbol; nullptr when there is none.
  void* symbol(const char* name) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace ckpt::base
