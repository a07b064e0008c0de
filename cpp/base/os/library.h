// A shared library loaded at run time.
#pragma once

#include <string>

namespace ckpt::base {

class SharedLibrary {
 public:
  // Loads path; returns "" on success, else the system's reason. Threads that the library starts meanwhile do not run the
  // program's signal handlers. Never unloaded: its code may run until the process exits.
  std::string load(const std::string& path);
  // Returns true if the process has loaded that library already, under this or another path; loads nothing. The library stays
  // loaded at least until close().
  bool find_loaded(const std::string& path);
  // Closes the handle of find_loaded(); its symbols are no longer valid.
  void close();
  // Returns the address of a symbol; nullptr if it has none of that name.
  void* symbol(const char* name) const;
  // Returns the file that it was loaded from; "" if it is not loaded.
  std::string file() const;

 private:
  void* handle_ = nullptr;
};

}  // namespace ckpt::base
