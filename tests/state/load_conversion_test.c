/* Loads with renamed tensors and into other element types: the results, and the loads that are refused before anything is written.
 * Over the file system, where files are read twice, and in memory, where they are copied. */
#define _GNU_SOURCE

#include <math.h>

#include "numbered.h"

static ckpt_checkpoint_manager* manager;
static int64_t step;

typedef struct named {
  const char* name;
  void* data;
  int64_t length;
  ckpt_dtype dtype;
} named;

static ckpt_state* state_of(const named* tensors, int count) {
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  for (int i = 0; i < count; ++i) {
    ckpt_tensor* tensor = NULL;
    CHECK_OK(ckpt_tensor_create_borrowed(tensors[i].data, tensors[i].dtype, &tensors[i].length, 1, NULL, NULL, &tensor));
    CHECK_OK(ckpt_state_add_tensor(state, "model", tensors[i].name, tensor));
    ckpt_tensor_release(tensor);
  }
  return state;
}

static void save(const named* tensors, int count) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_state* state = state_of(tensors, count);
  options.step = ++step;
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &options, NULL));
  ckpt_state_release(state);
}

static ckpt_status load(const named* tensors, int count, const ckpt_load_options* options, ckpt_load_result* result) {
  ckpt_state* state = state_of(tensors, count);
  const ckpt_status status = ckpt_checkpoint_manager_load(manager, state, options, result);
  ckpt_state_release(state);
  return status;
}

static void names(void) {
  float w = 1;
  float b = 2;
  const named saved[] = {{"module.w", &w, 1, CKPT_DTYPE_F32}, {"module.b", &b, 1, CKPT_DTYPE_F32}};
  float v = 0;
  float c = 0;
  const named plain[] = {{"w", &v, 1, CKPT_DTYPE_F32}, {"b", &c, 1, CKPT_DTYPE_F32}};
  const named other[] = {{"net.w", &v, 1, CKPT_DTYPE_F32}, {"net.b", &c, 1, CKPT_DTYPE_F32}};
  const named some[] = {{"w", &v, 1, CKPT_DTYPE_F32}, {"new", &c, 1, CKPT_DTYPE_F32}};
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  save(saved, 2);
  CHECK_FAILS(load(plain, 2, &options, NULL), CKPT_E_INVALID_ARGUMENT, "'w'");
  options.strip_prefix = "module.";
  CHECK_OK(load(plain, 2, &options, NULL));
  CHECK(v == 1 && c == 2);
  options.add_prefix = "net.";
  v = c = 0;
  CHECK_OK(load(other, 2, &options, NULL));
  CHECK(v == 1 && c == 2);
  CHECK_FAILS(load(plain, 2, &options, NULL), CKPT_E_INVALID_ARGUMENT, "'w'");
  options.add_prefix = "";
  options.partial = 1;
  v = c = 0;
  CHECK_OK(load(some, 2, &options, &result));
  CHECK(v == 1 && c == 0 && result.missing == 1 && result.unexpected == 1);
  options.partial = 0;
  options.strip_prefix = "module.w";
  CHECK_FAILS(load(plain, 2, &options, NULL), CKPT_E_INVALID_ARGUMENT, "leaves an empty name for tensor 'module.w'");
}

static void names_that_become_one(void) {
  float w = 1;
  float b = 2;
  const named saved[] = {{"module.w", &w, 1, CKPT_DTYPE_F32}, {"w", &b, 1, CKPT_DTYPE_F32}};
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  save(saved, 2);
  options.strip_prefix = "module.";
  CHECK_FAILS(load(saved, 2, &options, NULL), CKPT_E_INVALID_ARGUMENT, "'module.w' and 'w'");
  options.partial = 1;
  CHECK_FAILS(load(saved, 2, &options, NULL), CKPT_E_INVALID_ARGUMENT, "to one name: 'w'");
  CHECK(w == 1 && b == 2);
}

/* Converts one tensor to another type. */
static ckpt_status convert(const void* from, ckpt_dtype from_type, void* to, ckpt_dtype to_type, int64_t length,
                           ckpt_conversion how) {
  const named saved = {"t", (void*)(uintptr_t)from, length, from_type};
  const named target = {"t", to, length, to_type};
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  save(&saved, 1);
  options.convert = how;
  return load(&target, 1, &options, NULL);
}

static void lossless(void) {
  const uint16_t halves[] = {0x3C00, 0x8000, 0x0001, 0x7BFF, 0xFC00, 0x7E01}; /* 1, -0, 2^-24, 65504, -inf, nan */
  const uint16_t brains[] = {0x3F80, 0x0001, 0x7F7F, 0xFF80};
  const int8_t small[] = {-128, 0, 127};
  const uint32_t wide[] = {0, 4294967295U};
  float f[6];
  double d[6];
  int64_t i[3];
  const ckpt_conversion how = CKPT_CONVERSION_LOSSLESS;
  CHECK_OK(convert(halves, CKPT_DTYPE_F16, f, CKPT_DTYPE_F32, 6, how));
  CHECK(f[0] == 1 && f[1] == 0 && signbit(f[1]) && f[2] == 0x1p-24F && f[3] == 65504 && isinf(f[4]) && f[4] < 0 && isnan(f[5]));
  CHECK_OK(convert(brains, CKPT_DTYPE_BF16, d, CKPT_DTYPE_F64, 4, how));
  CHECK(d[0] == 1 && d[1] == 0x1p-133 && d[2] > 3e38 && isinf(d[3]));
  CHECK_OK(convert(small, CKPT_DTYPE_I8, i, CKPT_DTYPE_I64, 3, how));
  CHECK(i[0] == -128 && i[1] == 0 && i[2] == 127);
  CHECK_OK(convert(wide, CKPT_DTYPE_U32, d, CKPT_DTYPE_F64, 2, how));
  CHECK(d[0] == 0 && d[1] == 4294967295.0);
  f[0] = 5;
  CHECK_FAILS(convert(d, CKPT_DTYPE_F64, f, CKPT_DTYPE_F32, 1, how), CKPT_E_INVALID_ARGUMENT, "the conversion is not lossless");
  CHECK_FAILS(convert(wide, CKPT_DTYPE_U32, f, CKPT_DTYPE_F32, 1, how), CKPT_E_INVALID_ARGUMENT, "the conversion is not lossless");
  CHECK_FAILS(convert(small, CKPT_DTYPE_I8, i, CKPT_DTYPE_U64, 1, how), CKPT_E_INVALID_ARGUMENT, "'t'");
  CHECK_FAILS(convert(halves, CKPT_DTYPE_F16, f, CKPT_DTYPE_F32, 1, CKPT_CONVERSION_NONE), CKPT_E_INVALID_ARGUMENT, "F16");
  CHECK_FAILS(convert(halves, CKPT_DTYPE_F16, f, CKPT_DTYPE_F32, 1, 3), CKPT_E_INVALID_ARGUMENT, "options.convert is 3");
  CHECK(f[0] == 5);
}

static void lossy(void) {
  const double numbers[] = {0.1, -2.5, 1e-300, 65519};
  const double large = 1e39;
  const double nearly = 65520;             /* rounds to 65536, which F16 cannot represent */
  const double tie = 1 + 0x1p-8 + 0x1p-30; /* just above the midpoint of two BF16 numbers: double rounding would round down */
  const int64_t integers[] = {-5, INT64_MAX};
  const float halves[] = {1, -128, 127};
  float f[4] = {9, 9, 9, 9};
  uint16_t h[4];
  int8_t bytes[3];
  const ckpt_conversion how = CKPT_CONVERSION_LOSSY;
  CHECK_OK(convert(numbers, CKPT_DTYPE_F64, f, CKPT_DTYPE_F32, 4, how));
  CHECK(f[0] == 0.1F && f[1] == -2.5F && f[2] == 0 && f[3] == 65519);
  CHECK_OK(convert(numbers, CKPT_DTYPE_F64, h, CKPT_DTYPE_F16, 4, how));
  CHECK(h[0] == 0x2E66 && h[1] == 0xC100 && h[2] == 0 && h[3] == 0x7BFF);
  CHECK_OK(convert(&tie, CKPT_DTYPE_F64, h, CKPT_DTYPE_BF16, 1, how));
  CHECK(h[0] == 0x3F81);
  CHECK_OK(convert(halves, CKPT_DTYPE_F32, bytes, CKPT_DTYPE_I8, 3, how));
  CHECK(bytes[0] == 1 && bytes[1] == -128 && bytes[2] == 127);
  CHECK_OK(convert(integers, CKPT_DTYPE_I64, f, CKPT_DTYPE_F32, 2, how));
  CHECK(f[0] == -5 && f[1] == 0x1p63F);
  f[0] = 9;
  CHECK_FAILS(convert(&large, CKPT_DTYPE_F64, f, CKPT_DTYPE_F32, 1, how), CKPT_E_OUT_OF_RANGE, "tensor 't': element 0 of type F64");
  CHECK_FAILS(convert(&nearly, CKPT_DTYPE_F64, h, CKPT_DTYPE_F16, 1, how), CKPT_E_OUT_OF_RANGE, "cannot be represented as F16");
  CHECK_FAILS(convert(numbers, CKPT_DTYPE_F64, bytes, CKPT_DTYPE_I8, 1, how), CKPT_E_OUT_OF_RANGE, "cannot be represented as I8");
  CHECK_FAILS(convert(integers, CKPT_DTYPE_I64, bytes, CKPT_DTYPE_I8, 2, how), CKPT_E_OUT_OF_RANGE, "element 1 of type I64");
  CHECK_FAILS(convert(integers, CKPT_DTYPE_I64, bytes, CKPT_DTYPE_U8, 1, how), CKPT_E_OUT_OF_RANGE, "element 0 of type I64");
  CHECK_FAILS(convert(bytes, CKPT_DTYPE_BOOL, f, CKPT_DTYPE_F32, 1, how), CKPT_E_INVALID_ARGUMENT,
              "the conversion is not supported");
  CHECK(f[0] == 9 && bytes[0] == 1); /* all or nothing */
}

/* Converts every number of F16 through F32 and back, and every one of BF16. */
static void there_and_back(ckpt_dtype narrow) {
  static uint16_t bits[65536];
  static uint16_t back[65536];
  static float wide[65536];
  for (int i = 0; i < 65536; ++i) bits[i] = (uint16_t)i;
  CHECK_OK(convert(bits, narrow, wide, CKPT_DTYPE_F32, 65536, CKPT_CONVERSION_LOSSLESS));
  CHECK_OK(convert(wide, CKPT_DTYPE_F32, back, narrow, 65536, CKPT_CONVERSION_LOSSY));
  for (int i = 0; i < 65536; ++i) {
    if (!isnan(wide[i])) CHECK(back[i] == bits[i]);
  }
}

/* More than one chunk of a file, and a tensor with only its last element out of range. */
static void large(void) {
  enum { length = 3 << 18 };
  double* const from = malloc(length * sizeof *from);
  float* const to = malloc(length * sizeof *to);
  const named target = {"t", to, length, CKPT_DTYPE_F32};
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  CHECK(from != NULL && to != NULL);
  for (int i = 0; i < length; ++i) from[i] = i;
  CHECK_OK(convert(from, CKPT_DTYPE_F64, to, CKPT_DTYPE_F32, length, CKPT_CONVERSION_LOSSY));
  for (int i = 0; i < length; ++i) CHECK(to[i] == (float)i);
  from[length - 1] = 1e300;
  to[0] = 7;
  CHECK_FAILS(convert(from, CKPT_DTYPE_F64, to, CKPT_DTYPE_F32, length, CKPT_CONVERSION_LOSSY), CKPT_E_OUT_OF_RANGE,
              "element 786431");
  CHECK(to[0] == 7);
  options.convert = CKPT_CONVERSION_LOSSY;
  options.in_place = 1;
  CHECK_FAILS(load(&target, 1, &options, &result), CKPT_E_OUT_OF_RANGE, "element 786431");
  CHECK(result.partly_filled == 1 && to[0] == 0);
  free(from);
  free(to);
}

static void all_over(ckpt_storage* storage) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = 1;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &manager));
  names();
  names_that_become_one();
  lossless();
  lossy();
  there_and_back(CKPT_DTYPE_F16);
  there_and_back(CKPT_DTYPE_BF16);
  large();
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

int main(void) {
  char scratch[64];
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(make_scratch(scratch, "load-conversion"), NULL, &storage));
  all_over(storage);
  remove_scratch(scratch);
  CHECK_OK(ckpt_storage_create_memory(&storage));
  all_over(storage);
  return 0;
}
