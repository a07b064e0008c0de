/* A plain training loop that saves its state in the background. Run it again after a crash, or with more steps, and it resumes:
 *
 *   cc train_async.c -o train_async $(pkg-config --cflags --libs ckpt)
 *   ./train_async runs/a 170 && ./train_async runs/a 300
 *
 * The last line that it prints is the same as without the stop, to the last bit. */
#include <ckpt/ckpt.h>

#include <stdio.h>
#include <stdlib.h>

enum { FEATURES = 1 << 17, SAVE_EVERY = 50 };

static void ok(ckpt_status status) {
  if (status == CKPT_OK) return;
  fprintf(stderr, "%s: %s\n", ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

static ckpt_tensor* zeros(void) {
  const int64_t shape[1] = {FEATURES};
  ckpt_tensor* tensor = NULL;
  ok(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, NULL, &tensor));
  ok(ckpt_tensor_fill(tensor, 0));
  return tensor;
}

/* Generates the data of a step from its number, so a resumed run sees the same data as an uninterrupted one. */
static float sample(int64_t step, uint32_t i) {
  const uint32_t counter[4] = {i, (uint32_t)step, 0, 0};
  const uint32_t key[2] = {1, 0};
  uint32_t words[4] = {0, 0, 0, 0};
  ok(ckpt_random_philox(counter, key, words));
  return (float)(words[0] >> 8) / 16777216.0F - 0.5F;
}

/* One step of momentum towards noisy targets: i / FEATURES + noise. Returns the mean squared error. */
static double train_step(int64_t step, float* weight, float* velocity) {
  double error = 0;
  uint32_t i;
  for (i = 0; i < FEATURES; ++i) {
    const float difference = weight[i] - ((float)i / (float)FEATURES + sample(step, i));
    velocity[i] = 0.9F * velocity[i] + difference;
    weight[i] -= 0.01F * velocity[i];
    error += (double)difference * (double)difference;
  }
  return error / (double)FEATURES;
}

/* Called on a library thread. */
static void ended(const ckpt_checkpoint_task_result* result, void* user_data) {
  (void)user_data;
  if (result->state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED) {
    printf("  step %lld is durable: %lld bytes, the loop stood still for %.2f ms of %.1f ms\n", (long long)result->step,
           (long long)result->bytes, (double)result->stall_ns * 1e-6, (double)result->durable_ns * 1e-6);
  }
}

int main(int count, char** arguments) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager_options checkpoint_options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_async_manager_options async_options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_async_manager* async = NULL;
  ckpt_state* state = NULL;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_tensor* weight = zeros();
  ckpt_tensor* velocity = zeros();
  ckpt_status status = CKPT_OK;
  double error = 0;
  double sum = 0;
  int64_t step = 0;
  int64_t last = 0;
  if (count != 3) {
    fprintf(stderr, "usage: train_async DIRECTORY STEPS\n");
    return 2;
  }
  last = strtol(arguments[2], NULL, 10);

  ok(ckpt_storage_create_file_system(arguments[1], NULL, &storage)); /* creates the directory */
  checkpoint_options.keep_last = 2;
  ok(ckpt_checkpoint_manager_create(storage, &checkpoint_options, &checkpoint));
  callbacks.ended = ended;
  async_options.callbacks = &callbacks;
  ok(ckpt_async_manager_create(checkpoint, &async_options, &async));

  ok(ckpt_state_create(&state));
  ok(ckpt_state_add_tensor(state, "model", "weight", weight)); /* shared: saves read the tensors, loads write them */
  ok(ckpt_state_add_tensor(state, "optimizer", "velocity", velocity));
  status = ckpt_checkpoint_manager_load(checkpoint, state, NULL, &loaded);
  if (status == CKPT_OK) {
    step = loaded.step;
    printf("resuming after step %lld\n", (long long)step);
  } else if (status != CKPT_E_NOT_FOUND) { /* NOT_FOUND: the first start */
    ok(status);
  }

  while (step < last) {
    error = train_step(step, (float*)ckpt_tensor_get_data(weight), (float*)ckpt_tensor_get_data(velocity));
    ++step;
    if (step % SAVE_EVERY == 0) {
      ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
      int64_t id = 0;
      options.step = step;
      ok(ckpt_async_manager_save(async, state, &options, NULL,
                                 &id)); /* returns after copying: the next step may change the tensors */
    }
  }

  ok(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1)); /* waits for pending saves; reports a failed save */
  ok(ckpt_tensor_sum(weight, &sum));
  printf("after step %lld: error %.6f, sum of weights %a\n", (long long)step, error, sum);

  ckpt_state_release(state);
  ckpt_async_manager_release(async);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  ckpt_tensor_release(velocity);
  ckpt_tensor_release(weight);
  return 0;
}
