#include "base/os/library.h"

#include <dlfcn.h>
#include <link.h>

#include "base/os/signals.h"

namespace ckpt::base {
namespace {

// Returns true if the program was linked with -static: it then has no interpreter (dynamic linker).
bool program_is_static() {
  const auto look_at_first = [](dl_phdr_info* program, std::size_t, void* found) {
    for (int i = 0; i < program->dlpi_phnum; ++i) {
      if (program->dlpi_phdr[i].p_type == PT_INTERP) *static_cast<bool*>(found) = true;
    }
    return 1;
  };
  bool has_interpreter = false;
  dl_iterate_phdr(look_at_first, &has_interpreter);
  return !has_interpreter;
}

}  // namespace

std::string SharedLibrary::load(const std::string& path) {
  if (program_is_static()) return "the program is statically linked, and the C library cannot safely load shared libraries then";
  const SignalsBlocked blocked;  // the library's constructors may start threads, as OpenBLAS's do
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return "";
  const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): dlerror's buffer is per thread
  return reason == nullptr ? "unknown reason" : reason;
}

bool SharedLibrary::find_loaded(const std::string& path) {
  if (program_is_static()) return false;
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle_ == nullptr) (void)dlerror();  // NOLINT(concurrency-mt-unsafe): dlerror's buffer is per thread
  return handle_ != nullptr;
}

void SharedLibrary::close() {
  if (handle_ != nullptr) (void)dlclose(handle_);
  handle_ = nullptr;
}

void* SharedLibrary::symbol(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

std::string SharedLibrary::file() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr) return "";
  return map->l_name;
}

}  // namespace ckpt::base
