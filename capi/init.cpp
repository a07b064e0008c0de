// ckpt_<struct>_init of every struct with defaults.
#include "structs.h"

#define CKPT_FIRST_SIZE(name, last, size)
#define CKPT_DEFAULTS(name, initialiser) \
  void name##_init(name* out, uint32_t size) { ckpt::capi::init_struct(out, size); }
#include "made/structs.inc"
#undef CKPT_DEFAULTS
#undef CKPT_FIRST_SIZE
