/* traps.h - declarations that are hard to read.
 *
 * Two paragraphs.
 */
#ifndef TRAPS_H
#define TRAPS_H

#include <stdint.h>

#define CKPT_API __attribute__((visibility("default")))

/* One of several. */
typedef int32_t ckpt_trap_kind;

#define CKPT_TRAP_KIND_A 0 /* the first */
/* the second, whose description takes
 * two lines */
#define CKPT_TRAP_KIND_B (-1)
#define CKPT_TRAP_MASK \
  (CKPT_TRAP_KIND_A | 0x10 | (1 << 3)) /* behind a line that goes on */
#define CKPT_TRAP_LARGE ((int64_t)1 << 40)
#define CKPT_TRAP_MOST INT64_MAX
#define CKPT_TRAP_SHARE 0.25
#define CKPT_TRAP_TEXT "a, (b)"
#define CKPT_TRAP_CALL(a, b) ckpt_trap_go((a), \
                                          (b))

typedef struct ckpt_trap ckpt_trap; /* an object, behind its name */
struct foreign_thing;

/* Calls back. */
typedef int32_t (*ckpt_trap_fn)(const char* const* names, int64_t count, int32_t (*inner)(void* at, const int32_t row[3]), void* user_data);

/* A record; with a semicolon; and a { brace }. */
typedef struct ckpt_trap_options {
  uint32_t struct_size; /* bytes */
  ckpt_trap_kind kind;
  /* above its field */
  int64_t shape[2][3];
  ckpt_trap_fn fn; /* behind */ /* and again */
  int32_t (*bare)(ckpt_trap* trap, void* user_data); /* no typedef */

  const char* const* names; /* texts
                               of two lines */
  char /* inside */ text[8];
} ckpt_trap_options;

#define CKPT_TRAP_OPTIONS_INIT \
  { sizeof(ckpt_trap_options), CKPT_TRAP_KIND_B, {{1, 2, 3}, {4, 5, 6}}, 0, 0, 0, "a, b" }

/* A comment of nothing. */

/* Goes: "x" / y. */
CKPT_API int32_t ckpt_trap_go(ckpt_trap* trap, const uint32_t counter[4],
                              void (*done)(void*), struct foreign_thing** out); CKPT_API void ckpt_trap_stop(void);

#endif
