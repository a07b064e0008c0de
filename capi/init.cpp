// ckpt_struct_init: the defaults of each struct, by the name of its type.
#include <string_view>

#include "base/text.h"
#include "structs.h"

using namespace ckpt::base;
using namespace ckpt::capi;

namespace {

template <class T>
void init_struct(void* out, std::uint32_t size) {
  require(is_size_of<T>(size), "size is ", size, "; sizeof the type (a multiple of 4, ", first_size<T>, " .. ", largest_struct,
          ")");
  T values = defaults<T>;
  values.struct_size = size;
  std::memset(out, 0, size);
  std::memcpy(out, &values, std::min<std::size_t>(size, sizeof(T)));
}

struct Initializer {
  std::string_view name;
  void (*init)(void* out, std::uint32_t size);
};

constexpr Initializer initializers[] = {
#define CKPT_FIRST_SIZE(name, last, size)
#define CKPT_DEFAULTS(name, initializer) {#name, init_struct<name>},
#include "generated/structs.inc"
#undef CKPT_DEFAULTS
#undef CKPT_FIRST_SIZE
};

}  // namespace

ckpt_status ckpt_struct_init(const char* name, void* pointer, uint32_t size) {
  return guard([&] {
    const std::string_view wanted = not_null(name, "name");
    not_null(pointer, "pointer");
    for (const Initializer& one : initializers) {
      if (one.name == wanted) return one.init(pointer, size);
    }
    fail(Status::invalid_argument, "name is ", quote(wanted), "; expected a struct of the library, as \"ckpt_save_options\"");
  });
}
