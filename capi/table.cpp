// The table of all functions, for programs that load the library with dlopen.
#include <cstddef>

#include <ckpt/api.h>

// Each function keeps its position permanently; capi/api.json defines it.
#define CKPT_FUNCTION(place, name) static_assert(offsetof(ckpt_api, name) == 8 + (place) * sizeof(void (*)()));
#include "generated/functions.inc"
#undef CKPT_FUNCTION

const ckpt_api* ckpt_get_api(uint32_t version) {
  static const ckpt_api table = {
      sizeof(ckpt_api),
#define CKPT_FUNCTION(place, name) name,
#include "generated/functions.inc"
#undef CKPT_FUNCTION
  };
  return version == CKPT_API_VERSION ? &table : nullptr;
}
