// ckpt_<struct>_init of every struct with defaults.
#include "structs.h"

#define CKPT_FIRST_SIZE(name, last, size)
// NOLINTBEGIN(bugprone-macro-parentheses): no type stands in parentheses
#define CKPT_DEFAULTS(name, initialiser) \
  void name##_init(name* out, uint32_t size) { ckpt::capi::init_struct(out, size); }
// NOLINTEND(bugprone-macro-parentheses)
#include "made/structs.inc"
#undef CKPT_DEFAULTS
#undef CKPT_FIRST_SIZE
