// A shared library that is loaded while the process runs, and the environment that may name it.
#pragma once

#include <string>

namespace ckpt::base {

class SharedLibrary {
 public:
  // Loads path; "" on success, else the system's reason. Threads that the library starts meanwhile run no signal handlers of the
  // program. Never unloaded: code of it may run until the process ends.
  std::string load(const std::string& path);
  // Whether the process has loaded that library already, under this or another path: nothing is loaded. The library stays loaded
  // at least until close().
  bool find_loaded(const std::string& path);
  // Closes the handle of find_loaded(); its symbols are no longer valid.
  void close();
  // The address of a symbol; nullptr when there is none.
  void* symbol(const char* name) const;
  // The file that it was loaded from; "" when it is not loaded.
  std::string file() const;

 private:
  void* handle_ = nullptr;
};

}  // namespace ckpt::base
