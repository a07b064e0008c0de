#include "base/os/library.h"

#include <dlfcn.h>

namespace ckpt::base {

std::string SharedLibrary::load(const std::string& path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return "";
  const char* const reason = dlerror();
  return reason == nullptr ? "unknown reason" : reason;
}

void* SharedLibrary::symbol(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace ckpt::base
