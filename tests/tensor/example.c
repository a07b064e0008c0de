/* The example of docs/reference/tensor.md. */
#include <stdlib.h>

#include "check.h"

static void release_memory(void* user_data) { free(user_data); }

int main(void) {
  /* A pool that keeps at most 1 MiB for reuse; no tracker. */
  ckpt_buffer_pool_options options = CKPT_BUFFER_POOL_OPTIONS_INIT;
  options.retain_limit_bytes = 1048576;
  ckpt_buffer_pool* pool = NULL;
  CHECK_OK(ckpt_buffer_pool_create(NULL, &options, &pool));

  /* Owned memory: a step of gradient descent, twice; the second step reuses the first one's buffers. */
  const int64_t shape[2] = {128, 256};
  for (int step = 0; step < 2; ++step) {
    ckpt_tensor *weights = NULL, *gradient = NULL;
    CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, pool, &weights));
    CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, pool, &gradient));
    CHECK_OK(ckpt_tensor_fill(weights, 1.0));
    CHECK_OK(ckpt_tensor_fill(gradient, 0.5));
    CHECK_OK(ckpt_tensor_add_scaled(weights, -0.25, gradient));
    double sum = 0;
    CHECK_OK(ckpt_tensor_sum(weights, &sum));
    CHECK(sum == 0.875 * 128 * 256);
    ckpt_tensor_release(gradient);
    ckpt_tensor_release(weights);
  }
  ckpt_buffer_pool_stats stats = CKPT_BUFFER_POOL_STATS_INIT;
  CHECK_OK(ckpt_buffer_pool_get_stats(pool, &stats));
  CHECK(stats.taken == 4 && stats.reused == 2);
  ckpt_buffer_pool_release(pool);

  /* Borrowed memory, passed on to another library through DLPack. */
  double* samples = (double*)calloc(10, sizeof(double));
  const int64_t length[1] = {10};
  ckpt_tensor *borrowed = NULL, *other = NULL;
  struct DLManagedTensorVersioned* managed = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(samples, CKPT_DTYPE_F64, length, 1, samples, release_memory, &borrowed));
  CHECK_OK(ckpt_tensor_export_dlpack_versioned(borrowed, &managed));
  ckpt_tensor_release(borrowed); /* the memory stays allocated: the other side still uses it */
  CHECK_OK(ckpt_tensor_create_from_dlpack_versioned(managed, &other));
  CHECK(ckpt_tensor_get_data(other) == (void*)samples);
  ckpt_tensor_release(other); /* now release_memory runs */
  return 0;
}
