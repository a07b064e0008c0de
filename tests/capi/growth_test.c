/* Through the C API from C99: structs of other sizes than this library's. tests/growth has complete programs and libraries of other
 * versions. */
#include <stddef.h>

#include "check.h"
#include "memory/named.h"

/* A struct that a newer header might declare. */
typedef struct newer_load_options {
  ckpt_load_options known;
  int64_t more[2];
} newer_load_options;
typedef struct newer_layer_stats {
  ckpt_memory_layer_stats known;
  int64_t more;
} newer_layer_stats;
typedef struct newer_stats {
  ckpt_memory_stats known;
  int64_t more;
} newer_stats;

static void initializers(void) {
  newer_load_options options;
  memset(&options, 0x5a, sizeof options);
  CHECK_OK(ckpt_struct_init("ckpt_load_options", &options, sizeof options));
  CHECK(options.known.struct_size == sizeof options && options.known.verify == CKPT_VERIFY_FULL);
  CHECK(options.more[0] == 0 && options.more[1] == 0);
  memset(&options, 0x5a, sizeof options);
  CKPT_INIT(ckpt_load_options, &options.known);
  CHECK(options.known.struct_size == sizeof options.known && options.more[0] == INT64_C(0x5a5a5a5a5a5a5a5a));
}

static void every_struct_has_an_initialiser(void) {
  int structs = 0;
#define CKPT_FIRST_SIZE(type, last, size)
#define CKPT_DEFAULTS(type, initializer)                          \
  {                                                               \
    static const type by_macro = initializer;                     \
    type by_function;                                             \
    memset(&by_function, 0xff, sizeof by_function);               \
    CHECK_OK(CKPT_INIT(type, &by_function));                      \
    CHECK(memcmp(&by_macro, &by_function, sizeof by_macro) == 0); \
    ++structs;                                                    \
  }
#include "../../capi/generated/structs.inc"
#undef CKPT_DEFAULTS
#undef CKPT_FIRST_SIZE
  CHECK(structs > 50);
}

static void initializers_refuse_bad_input(void) {
  ckpt_load_options options;
  const uint32_t wrong[] = {0, 4, 8, sizeof options - 1, sizeof options + 2, 4100, UINT32_MAX};
  size_t i;
  memset(&options, 0x5a, sizeof options);
  CHECK_FAILS(ckpt_struct_init(NULL, &options, sizeof options), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_struct_init("ckpt_load_options", NULL, sizeof options), CKPT_E_INVALID_ARGUMENT, "pointer is NULL");
  CHECK_FAILS(ckpt_struct_init("", &options, sizeof options), CKPT_E_INVALID_ARGUMENT, "name is ''; expected a struct");
  CHECK_FAILS(ckpt_struct_init("load_options", &options, sizeof options), CKPT_E_INVALID_ARGUMENT, "name is 'load_options'");
  CHECK_FAILS(ckpt_struct_init("ckpt_load_options2", &options, sizeof options), CKPT_E_INVALID_ARGUMENT, "'ckpt_load_options2'");
  CHECK_FAILS(ckpt_struct_init("ckpt_action", &options, sizeof options), CKPT_E_INVALID_ARGUMENT, "name is 'ckpt_action'");
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    CHECK_FAILS(ckpt_struct_init("ckpt_load_options", &options, wrong[i]), CKPT_E_INVALID_ARGUMENT, "size is ");
  for (i = 0; i < sizeof options; ++i) CHECK(((const unsigned char*)&options)[i] == 0x5a);
}

static void inputs(ckpt_checkpoint_manager* checkpoint, ckpt_state* state) {
  newer_load_options options;
  CHECK_OK(ckpt_struct_init("ckpt_load_options", &options, sizeof options));
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, &options.known, NULL));
  ((unsigned char*)options.more)[sizeof options.more - 1] = 1; /* the last byte */
  CHECK_FAILS(ckpt_checkpoint_manager_load(checkpoint, state, &options.known, NULL), CKPT_E_UNSUPPORTED, "options.struct_size is ");
  options.known.struct_size = sizeof options - 4;
  ((unsigned char*)options.more)[sizeof options.more - 1] = 0;
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, &options.known, NULL));
  {
    /* Shorter than any version, longer than any, not a multiple of 4: nothing after the struct is read. */
    const uint32_t wrong[] = {0, 8, sizeof options - 1, sizeof options - 2, 4100, UINT32_C(1) << 31, UINT32_MAX};
    size_t i;
    for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
      options.known.struct_size = wrong[i];
      CHECK_FAILS(ckpt_checkpoint_manager_load(checkpoint, state, &options.known, NULL), CKPT_E_INVALID_ARGUMENT,
                  "options.struct_size is ");
    }
  }
}

static void outputs(void) {
  ckpt_memory_tracker* tracker = NULL;
  newer_stats stats = {CKPT_MEMORY_STATS_INIT, 77};
  newer_layer_stats layers[2] = {{CKPT_MEMORY_LAYER_STATS_INIT, 78}, {CKPT_MEMORY_LAYER_STATS_INIT, 79}};
  uint64_t allocation = 0;
  int64_t count = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(record_named(tracker, "a", 5, &allocation));
  CHECK_OK(record_named(tracker, "b", 6, &allocation));
  stats.known.struct_size = sizeof stats;
  layers[0].known.struct_size = sizeof layers[0]; /* the size of the first one is the stride */
  CHECK_OK(ckpt_memory_tracker_get_snapshot(tracker, CKPT_MEMORY_ORDER_ID, &stats.known, &layers[0].known, 2, &count));
  CHECK(count == 2 && stats.known.current_bytes == 11 && stats.known.struct_size == sizeof stats && stats.more == 77);
  CHECK(layers[0].known.current_bytes == 5 && layers[1].known.current_bytes == 6);
  CHECK(layers[0].more == 78 && layers[1].more == 79 && layers[1].known.struct_size == sizeof layers[1]);
  ckpt_memory_tracker_release(tracker);
}

int main(void) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_state* state = NULL;
  initializers();
  every_struct_has_an_initialiser();
  initializers_refuse_bad_input();
  outputs();
  CHECK_OK(ckpt_storage_create_memory(&storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "a", "1"));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL));
  inputs(checkpoint, state);
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  return 0;
}
