/* The C API of the tensor part: results, and refused calls. */
#include <math.h>

#include "check.h"
#include "memory/named.h"

static int released = 0;
static void* released_with = NULL;
static void on_release(void* user_data) {
  ++released;
  released_with = user_data;
}

static const int64_t shape23[2] = {2, 3};

/* A handle of another kind. */
static ckpt_clock* clock_handle = NULL;

static void test_dtypes(void) {
  for (ckpt_dtype dtype = CKPT_DTYPE_F4; dtype <= CKPT_DTYPE_C64; ++dtype) {
    ckpt_dtype found = 0;
    CHECK(ckpt_dtype_bits(dtype) >= 4 && ckpt_dtype_bits(dtype) <= 64);
    CHECK_OK(ckpt_dtype_find(ckpt_dtype_name(dtype), &found));
    CHECK(found == dtype);
  }
  CHECK(ckpt_dtype_bits(0) == 0 && ckpt_dtype_bits(23) == 0 && ckpt_dtype_bits(INT32_MIN) == 0);
  CHECK(strcmp(ckpt_dtype_name(-1), "UNKNOWN") == 0);
  CHECK(strcmp(ckpt_dtype_name(CKPT_DTYPE_F8_E4M3FNUZ), "F8_E4M3FNUZ") == 0);
  ckpt_dtype untouched = 77;
  CHECK_FAILS(ckpt_dtype_find("F33", &untouched), CKPT_E_NOT_FOUND, "'F33'");
  CHECK_FAILS(ckpt_dtype_find(NULL, &untouched), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_dtype_find("F32", NULL), CKPT_E_INVALID_ARGUMENT, "dtype is NULL");
  CHECK(untouched == 77);
}

static void test_create(void) {
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape23, 2, NULL, &tensor));
  CHECK(((uintptr_t)ckpt_tensor_get_data(tensor)) % 64 == 0 && ckpt_tensor_get_data(tensor) != NULL);
  CHECK(ckpt_tensor_get_const_data(tensor) == ckpt_tensor_get_data(tensor));
  CHECK(ckpt_tensor_get_bytes(tensor) == 24 && ckpt_tensor_get_element_count(tensor) == 6);
  CHECK(ckpt_tensor_get_dtype(tensor) == CKPT_DTYPE_F32 && ckpt_tensor_get_ndim(tensor) == 2);
  CHECK(ckpt_tensor_get_shape(tensor)[0] == 2 && ckpt_tensor_get_shape(tensor)[1] == 3);
  CHECK(ckpt_tensor_is_read_only(tensor) == 0);
  ckpt_tensor_retain(tensor);
  ckpt_tensor_release(tensor);
  CHECK(ckpt_tensor_get_bytes(tensor) == 24);
  ckpt_tensor_release(tensor);

  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, NULL, 0, NULL, &tensor)); /* a scalar */
  CHECK(ckpt_tensor_get_element_count(tensor) == 1 && ckpt_tensor_get_bytes(tensor) == 8 && ckpt_tensor_get_ndim(tensor) == 0);
  ckpt_tensor_release(tensor);
  const int64_t eight[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F4, eight, 8, NULL, &tensor));
  CHECK(ckpt_tensor_get_bytes(tensor) == 128);
  ckpt_tensor_release(tensor);
  const int64_t empty[3] = {INT64_MAX, 0, INT64_MAX};
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, empty, 3, NULL, &tensor));
  CHECK(ckpt_tensor_get_bytes(tensor) == 0 && ckpt_tensor_get_data(tensor) == NULL);
  ckpt_tensor_release(tensor);
}

static void test_create_refuses(void) {
  ckpt_tensor* const untouched = (ckpt_tensor*)(void*)&released;
  ckpt_tensor* tensor = untouched;
  const int64_t negative[2] = {2, -3}, huge[2] = {INT64_MAX, 2}, odd[1] = {3}, bytes[1] = {INT64_MAX / 4};
  const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  CHECK_FAILS(ckpt_tensor_create(0, shape23, 2, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "dtype is 0; expected 1 .. 22");
  CHECK_FAILS(ckpt_tensor_create(23, shape23, 2, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "dtype is 23");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, NULL, 2, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "shape is NULL but ndim is 2");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, nine, 9, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "ndim is 9; expected 0 .. 8");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, nine, -1, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "ndim is -1");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, nine, INT32_MAX, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "ndim is 2147483647");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, negative, 2, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "shape[1] is -3");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, huge, 2, NULL, &tensor), CKPT_E_OUT_OF_RANGE, "shape[1] is 2");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F64, bytes, 1, NULL, &tensor), CKPT_E_OUT_OF_RANGE, "[2305843009213693951]");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F4, odd, 1, NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "shape is [3]; in F4");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, shape23, 2, (ckpt_buffer_pool*)(void*)clock_handle, &tensor),
              CKPT_E_INVALID_ARGUMENT, "pool: expected a handle of kind 'buffer pool', found clock");
  CHECK_FAILS(ckpt_tensor_create(CKPT_DTYPE_F32, shape23, 2, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK(tensor == untouched);
}

static void test_borrow(void) {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(memory, CKPT_DTYPE_F32, shape23, 2, &released_with, on_release, &tensor));
  CHECK(ckpt_tensor_get_data(tensor) == memory);
  ckpt_tensor_retain(tensor);
  ckpt_tensor_release(tensor);
  CHECK(released == 0);
  ckpt_tensor_release(tensor);
  CHECK(released == 1 && released_with == (void*)&released_with);
  CHECK_OK(ckpt_tensor_create_borrowed(memory, CKPT_DTYPE_F32, shape23, 2, NULL, NULL, &tensor));
  ckpt_tensor_release(tensor);

  const int64_t huge[2] = {INT64_MAX, 2};
  CHECK_FAILS(ckpt_tensor_create_borrowed(NULL, CKPT_DTYPE_F32, shape23, 2, NULL, on_release, &tensor), CKPT_E_INVALID_ARGUMENT,
              "data is NULL");
  CHECK_FAILS(ckpt_tensor_create_borrowed((char*)memory + 1, CKPT_DTYPE_F32, shape23, 2, NULL, on_release, &tensor),
              CKPT_E_INVALID_ARGUMENT, "data is 1 bytes past");
  CHECK_FAILS(ckpt_tensor_create_borrowed(memory, 99, shape23, 2, NULL, on_release, &tensor), CKPT_E_INVALID_ARGUMENT,
              "dtype is 99");
  CHECK_FAILS(ckpt_tensor_create_borrowed(memory, CKPT_DTYPE_F32, NULL, 1, NULL, on_release, &tensor), CKPT_E_INVALID_ARGUMENT,
              "shape is NULL");
  CHECK_FAILS(ckpt_tensor_create_borrowed(memory, CKPT_DTYPE_F32, huge, 2, NULL, on_release, &tensor), CKPT_E_OUT_OF_RANGE,
              "shape[1] is 2");
  CHECK_FAILS(ckpt_tensor_create_borrowed(memory, CKPT_DTYPE_F32, shape23, 2, NULL, on_release, NULL), CKPT_E_INVALID_ARGUMENT,
              "tensor is NULL");
  CHECK(released == 1);
}

static void test_getters_refuse(void) {
  ckpt_tensor* const wrong = (ckpt_tensor*)(void*)clock_handle;
  CHECK(ckpt_tensor_get_data(NULL) == NULL && strstr(ckpt_last_error(), "tensor is NULL") != NULL);
  CHECK(ckpt_tensor_get_data(wrong) == NULL && strstr(ckpt_last_error(), "kind 'tensor', found clock") != NULL);
  CHECK(ckpt_tensor_get_const_data(NULL) == NULL && ckpt_tensor_get_const_data(wrong) == NULL);
  CHECK(ckpt_tensor_get_bytes(NULL) == -1 && ckpt_tensor_get_bytes(wrong) == -1);
  CHECK(ckpt_tensor_get_element_count(NULL) == -1 && ckpt_tensor_get_element_count(wrong) == -1);
  CHECK(ckpt_tensor_get_dtype(NULL) == 0 && ckpt_tensor_get_dtype(wrong) == 0);
  CHECK(ckpt_tensor_get_ndim(NULL) == -1 && ckpt_tensor_get_ndim(wrong) == -1);
  CHECK(ckpt_tensor_get_shape(NULL) == NULL && ckpt_tensor_get_shape(wrong) == NULL);
  CHECK(ckpt_tensor_is_read_only(NULL) == 0 && ckpt_tensor_is_read_only(wrong) == 0);
  ckpt_tensor_retain(NULL);
  ckpt_tensor_retain(wrong);
  ckpt_tensor_release(NULL);
  ckpt_tensor_release(wrong); /* the clock still exists: */
  int64_t now = 0;
  CHECK_OK(ckpt_clock_get_now(clock_handle, &now));
}

static void test_arithmetic(void) {
  ckpt_tensor *x = NULL, *y = NULL, *integers = NULL;
  ckpt_tensor* const wrong = (ckpt_tensor*)(void*)clock_handle;
  double number = 77;
  int32_t equal = 77;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, shape23, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, shape23, 2, NULL, &y));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_I32, shape23, 2, NULL, &integers));
  CHECK_FAILS(ckpt_tensor_sum(integers, &number), CKPT_E_UNSUPPORTED, "tensor has dtype I32");
  CHECK_FAILS(ckpt_tensor_sum(x, NULL), CKPT_E_INVALID_ARGUMENT, "sum is NULL");
  CHECK_FAILS(ckpt_tensor_sum(NULL, &number), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK_FAILS(ckpt_tensor_dot(x, wrong, &number), CKPT_E_INVALID_ARGUMENT, "b: expected a handle of kind 'tensor'");
  CHECK_FAILS(ckpt_tensor_dot(NULL, x, &number), CKPT_E_INVALID_ARGUMENT, "a is NULL");
  CHECK_FAILS(ckpt_tensor_dot(x, x, NULL), CKPT_E_INVALID_ARGUMENT, "dot is NULL");
  CHECK_FAILS(ckpt_tensor_dot(x, integers, &number), CKPT_E_INVALID_ARGUMENT, "b is I32 [2, 3]; expected F64 [2, 3] as a");
  CHECK(number == 77);
  CHECK_OK(ckpt_tensor_fill(x, 2));
  CHECK_OK(ckpt_tensor_fill(y, 1));
  CHECK_OK(ckpt_tensor_add_scaled(y, 0.5, x));
  CHECK_OK(ckpt_tensor_is_bit_equal(x, y, &equal));
  CHECK(equal == 1);
  CHECK_OK(ckpt_tensor_scale(y, 3));
  CHECK_OK(ckpt_tensor_sum(y, &number));
  CHECK(number == 36);
  CHECK_OK(ckpt_tensor_dot(x, y, &number));
  CHECK(number == 72);
  CHECK_FAILS(ckpt_tensor_scale(y, NAN), CKPT_E_INVALID_ARGUMENT, "factor is nan");
  CHECK_FAILS(ckpt_tensor_add_scaled(y, NAN, x), CKPT_E_INVALID_ARGUMENT, "factor is nan");
  CHECK_FAILS(ckpt_tensor_add_scaled(y, 1, NULL), CKPT_E_INVALID_ARGUMENT, "source is NULL");
  CHECK_FAILS(ckpt_tensor_add_scaled(NULL, 1, x), CKPT_E_INVALID_ARGUMENT, "target is NULL");
  CHECK_FAILS(ckpt_tensor_scale(NULL, 1), CKPT_E_INVALID_ARGUMENT, "target is NULL");
  CHECK_FAILS(ckpt_tensor_fill(wrong, 1), CKPT_E_INVALID_ARGUMENT, "target: expected a handle");
  CHECK_OK(ckpt_tensor_is_bit_equal(x, y, &equal));
  CHECK(equal == 0);
  CHECK_OK(ckpt_tensor_copy(x, y));
  CHECK_OK(ckpt_tensor_is_bit_equal(x, y, &equal));
  CHECK(equal == 1);
  CHECK_OK(ckpt_tensor_is_bit_equal(x, integers, &equal));
  CHECK(equal == 0);
  CHECK_FAILS(ckpt_tensor_copy(x, integers), CKPT_E_INVALID_ARGUMENT, "source is I32");
  CHECK_FAILS(ckpt_tensor_copy(x, NULL), CKPT_E_INVALID_ARGUMENT, "source is NULL");
  CHECK_FAILS(ckpt_tensor_copy(NULL, x), CKPT_E_INVALID_ARGUMENT, "target is NULL");
  CHECK_FAILS(ckpt_tensor_is_bit_equal(x, NULL, &equal), CKPT_E_INVALID_ARGUMENT, "b is NULL");
  CHECK_FAILS(ckpt_tensor_is_bit_equal(x, y, NULL), CKPT_E_INVALID_ARGUMENT, "equal is NULL");
  CHECK_OK(ckpt_tensor_fill(x, NAN));
  CHECK_OK(ckpt_tensor_sum(x, &number));
  CHECK(isnan(number));
  ckpt_tensor_release(integers);
  ckpt_tensor_release(y);
  ckpt_tensor_release(x);
}

/* Returns the bytes retained by a pool after four buffers were returned to it. */
static int64_t retained_with(ckpt_bool has_retain_limit, int64_t retain_limit_bytes) {
  enum { buffers = 4, each = 1024 };
  ckpt_buffer_pool_options options = CKPT_BUFFER_POOL_OPTIONS_INIT;
  ckpt_buffer_pool_stats stats = CKPT_BUFFER_POOL_STATS_INIT;
  ckpt_buffer_pool* pool = NULL;
  ckpt_tensor* tensors[buffers];
  const int64_t shape[1] = {each};
  options.has_retain_limit = has_retain_limit;
  options.retain_limit_bytes = retain_limit_bytes;
  CHECK_OK(ckpt_buffer_pool_create(NULL, &options, &pool));
  for (int i = 0; i < buffers; ++i) CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, shape, 1, pool, &tensors[i]));
  for (int i = 0; i < buffers; ++i) ckpt_tensor_release(tensors[i]);
  CHECK_OK(ckpt_buffer_pool_get_stats(pool, &stats));
  CHECK(stats.retained_bytes == stats.retained_buffers * each);
  ckpt_buffer_pool_release(pool);
  return stats.retained_bytes;
}

/* Without a limit every buffer is retained, whatever value the field has; with a limit of 0 bytes none is. */
static void test_retain_limit(void) {
  CHECK(retained_with(1, 0) == 0);
  CHECK(retained_with(1, 2048) == 2048);
  CHECK(retained_with(1, 2047) == 1024);
  CHECK(retained_with(0, 0) == 4096);
  CHECK(retained_with(0, 1024) == 4096);
  CHECK(retained_with(0, -1) == 4096);
  CHECK(retained_with(7, 1024) == 1024); /* any number except 0 is true */
}

static void test_pool(void) {
  ckpt_buffer_pool* const untouched = (ckpt_buffer_pool*)(void*)&released;
  ckpt_buffer_pool* pool = untouched;
  ckpt_buffer_pool_options options;
  CKPT_INIT(ckpt_buffer_pool_options, &options);
  CHECK(options.struct_size == sizeof options && options.has_retain_limit == 1);
  CHECK(options.retain_limit_bytes == CKPT_BUFFER_POOL_DEFAULT_RETAIN_BYTES);
  options.retain_limit_bytes = -2;
  CHECK_FAILS(ckpt_buffer_pool_create(NULL, &options, &pool), CKPT_E_INVALID_ARGUMENT, "retain_limit_bytes is -2");
  options.retain_limit_bytes = -1; /* -1 once meant no limit; an unused field is not checked */
  CHECK_FAILS(ckpt_buffer_pool_create(NULL, &options, &pool), CKPT_E_INVALID_ARGUMENT, "retain_limit_bytes is -1");
  options.has_retain_limit = 0;
  options.layer_name = " ";
  CHECK_FAILS(ckpt_buffer_pool_create(NULL, &options, &pool), CKPT_E_INVALID_ARGUMENT, "options.layer_name");
  options.layer_name = "\xff";
  CHECK_FAILS(ckpt_buffer_pool_create(NULL, &options, &pool), CKPT_E_INVALID_ARGUMENT, "options.layer_name");
  options.layer_name = "activations";
  options.struct_size = 3;
  CHECK_FAILS(ckpt_buffer_pool_create(NULL, &options, &pool), CKPT_E_INVALID_ARGUMENT, "options.struct_size is 3");
  options.struct_size = sizeof options;
  CHECK_FAILS(ckpt_buffer_pool_create((ckpt_memory_tracker*)(void*)clock_handle, &options, &pool), CKPT_E_INVALID_ARGUMENT,
              "tracker: expected a handle of kind 'memory tracker', found clock");
  CHECK_FAILS(ckpt_buffer_pool_create(NULL, &options, NULL), CKPT_E_INVALID_ARGUMENT, "pool is NULL");
  CHECK(pool == untouched);
  CHECK_OK(ckpt_buffer_pool_create(NULL, &options, &pool));

  ckpt_tensor* tensor = NULL;
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape23, 2, pool, &tensor));
    if (i < 2) ckpt_tensor_release(tensor);
  }
  ckpt_buffer_pool_stats stats = CKPT_BUFFER_POOL_STATS_INIT;
  CHECK_OK(ckpt_buffer_pool_get_stats(pool, &stats));
  CHECK(stats.taken == 3 && stats.reused == 2 && stats.live_bytes == 24 && stats.live_buffers == 1);
  CHECK(stats.reserved_bytes == 64 && stats.retained_bytes == 0 && stats.peak_reserved_bytes == 64);
  CHECK_FAILS(ckpt_buffer_pool_get_stats(pool, NULL), CKPT_E_INVALID_ARGUMENT, "stats is NULL");
  stats.struct_size = 0;
  CHECK_FAILS(ckpt_buffer_pool_get_stats(pool, &stats), CKPT_E_INVALID_ARGUMENT, "stats.struct_size is 0");
  CKPT_INIT(ckpt_buffer_pool_stats, &stats);
  CHECK(stats.taken == 0);
  CHECK_OK(ckpt_buffer_pool_get_stats(NULL, &stats)); /* the default pool */
  CHECK(stats.taken > 0);
  CHECK_OK(ckpt_buffer_pool_trim(NULL, 0));
  CHECK_FAILS(ckpt_buffer_pool_trim(pool, -1), CKPT_E_INVALID_ARGUMENT, "keep_bytes is -1");
  CHECK_FAILS(ckpt_buffer_pool_trim((ckpt_buffer_pool*)(void*)tensor, 0), CKPT_E_INVALID_ARGUMENT,
              "kind 'buffer pool', found tensor");
  CHECK_OK(ckpt_buffer_pool_trim(pool, 0));
  ckpt_buffer_pool_release(pool);
  CHECK_OK(ckpt_tensor_fill(tensor, 1)); /* the tensor keeps its pool alive */
  ckpt_tensor_release(tensor);
  ckpt_buffer_pool_release(NULL);
}

static void test_pool_with_tracker(void) {
  ckpt_memory_tracker* tracker = NULL;
  ckpt_buffer_pool* pool = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_buffer_pool_options options = CKPT_BUFFER_POOL_OPTIONS_INIT;
  options.layer_name = "activations";
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_buffer_pool_create(tracker, &options, &pool));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape23, 2, pool, &tensor));
  ckpt_buffer_pool_release(pool);
  ckpt_memory_layer_stats stats = CKPT_MEMORY_LAYER_STATS_INIT;
  CHECK_OK(stats_named(tracker, "activations", &stats));
  CHECK(stats.current_bytes == 24 && stats.live_allocations == 1);
  ckpt_tensor_retain(tensor);
  ckpt_tensor_release(tensor);
  ckpt_tensor_release(tensor);
  CHECK_OK(stats_named(tracker, "activations", &stats));
  CHECK(stats.current_bytes == 0 && stats.total_freed_bytes == 24);
  /* The tensor keeps the pool alive, and the pool the tracker. */
  CHECK_OK(ckpt_buffer_pool_create(tracker, &options, &pool));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape23, 2, pool, &tensor));
  ckpt_memory_tracker_release(tracker);
  ckpt_buffer_pool_release(pool);
  ckpt_tensor_release(tensor);
}

int main(void) {
  CHECK_OK(ckpt_clock_create_manual(0, &clock_handle));
  test_dtypes();
  test_create();
  test_create_refuses();
  test_borrow();
  test_getters_refuse();
  test_arithmetic();
  test_pool();
  test_retain_limit();
  test_pool_with_tracker();
  ckpt_clock_release(clock_handle);
  return 0;
}
