/* A chain of identical layers, a schedule that moves its inputs through tier 1 during the step, and the tier's files, for the tests
 * of tiers. Needs _GNU_SOURCE. */
#ifndef CKPT_TESTS_ENGINE_TIERS_H
#define CKPT_TESTS_ENGINE_TIERS_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "make_layer.h"

enum { LAYERS = 12, MOST_BYTES = 1 << 20 };

/* ---- A last layer that passes its input on, and calls hooks; NULL for none ---- */

typedef struct probe {
  int32_t (*hook)(void* user_data); /* in its backward */
  int32_t (*forward_hook)(void* user_data);
  void* user_data;
} probe;

static inline int32_t probe_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static inline size_t bytes_of(const ckpt_tensor_spec* spec) { return (size_t)(spec->shape[0] * spec->shape[1]) * sizeof(float); }

static inline int32_t probe_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                                    void* user_data) {
  const probe* self = user_data;
  (void)tape, (void)workspace;
  memcpy(output, input, bytes_of(context->input));
  return self->forward_hook == NULL ? 0 : self->forward_hook(self->user_data);
}

static inline int32_t probe_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                                     const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  const probe* self = user_data;
  (void)input, (void)output, (void)tape, (void)workspace;
  memcpy(grad_input, grad_output, bytes_of(context->input));
  return self->hook == NULL ? 0 : self->hook(self->user_data);
}

/* ---- LAYERS linear layers, and the probe, if any ---- */

typedef struct model {
  ckpt_chain* chain;
  ckpt_profile* profile;
  ckpt_tensor_spec spec;
  ckpt_tensor* input;
  ckpt_tensor* output_gradient;
  ckpt_tensor* output;
  ckpt_tensor* input_gradient;
  int64_t layers;
} model;

static inline void add_layer(ckpt_chain* chain, ckpt_layer* layer) {
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
}

static inline ckpt_tensor* make_tensor(const ckpt_tensor_spec* spec, unsigned seed) {
  ckpt_tensor* tensor = NULL;
  float* elements = NULL;
  int64_t i;
  CHECK_OK(ckpt_tensor_create(spec->dtype, spec->shape, spec->ndim, NULL, &tensor));
  elements = ckpt_tensor_get_data(tensor);
  for (i = 0; i < ckpt_tensor_get_element_count(tensor); ++i) {
    seed = seed * 1664525U + 1013904223U;
    elements[i] = (float)(seed >> 16) / 65536.0F - 0.5F;
  }
  return tensor;
}

static inline model make_model(int64_t samples, int64_t width, probe* last) {
  const ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {samples, width}};
  model created;
  ckpt_layer* layer = NULL;
  int i;
  memset(&created, 0, sizeof created);
  created.spec = spec;
  CHECK_OK(ckpt_chain_create(0, &created.chain));
  for (i = 0; i < LAYERS; ++i) {
    char name[32];
    snprintf(name, sizeof name, "linear%d", i);
    CHECK_OK(make_layer(&layer, name, "linear:%d,%d", (int)width, (int)width));
    add_layer(created.chain, layer);
  }
  if (last != NULL) {
    ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
    callbacks.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
    callbacks.output = probe_output;
    callbacks.forward = probe_forward;
    callbacks.backward = probe_backward;
    CHECK_OK(ckpt_layer_create_custom("probe", &callbacks, last, NULL, &layer));
    add_layer(created.chain, layer);
  }
  CHECK_OK(ckpt_chain_initialize(created.chain, 7));
  CHECK_OK(ckpt_chain_get_layer_count(created.chain, &created.layers));
  CHECK_OK(ckpt_profile_create_from_chain(created.chain, &spec, 0, NULL, &created.profile));
  created.input = make_tensor(&spec, 1);
  created.output_gradient = make_tensor(&spec, 2);
  created.output = make_tensor(&spec, 3);
  created.input_gradient = make_tensor(&spec, 4);
  return created;
}

static inline void release_model(model* of) {
  ckpt_tensor_release(of->input);
  ckpt_tensor_release(of->output_gradient);
  ckpt_tensor_release(of->output);
  ckpt_tensor_release(of->input_gradient);
  ckpt_profile_release(of->profile);
  ckpt_chain_release(of->chain);
}

static inline ckpt_schedule_executor* make_executor(const model* of, ckpt_schedule* schedule, ckpt_storage* storage) {
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor* executor = NULL;
  options.tier1_storage = storage;
  options.tier2_storage = storage;
  CHECK_OK(ckpt_schedule_executor_create(of->chain, schedule, &of->spec, &options, &executor));
  return executor;
}

static inline ckpt_status run_step(const model* of, ckpt_schedule_executor* executor) {
  ckpt_step step = CKPT_STEP_INIT;
  step.input = of->input;
  step.output_gradient = of->output_gradient;
  step.output = of->output;
  step.input_gradient = of->input_gradient;
  return ckpt_schedule_executor_run(executor, &step, NULL);
}

/* Output, gradient of the input and all gradients of the last step, concatenated. */
typedef struct result {
  unsigned char bytes[MOST_BYTES];
  size_t count;
} result;

static inline void add_bytes(result* to, const ckpt_tensor* from) {
  const size_t count = (size_t)ckpt_tensor_get_bytes(from);
  CHECK(to->count + count <= MOST_BYTES);
  memcpy(to->bytes + to->count, ckpt_tensor_get_const_data(from), count);
  to->count += count;
}

static inline void read_result(const model* of, result* to) {
  int64_t parameters = 0;
  int64_t i;
  to->count = 0;
  add_bytes(to, of->output);
  add_bytes(to, of->input_gradient);
  CHECK_OK(ckpt_chain_get_parameter_count(of->chain, &parameters));
  for (i = 0; i < parameters; ++i) {
    ckpt_tensor* gradient = NULL;
    CHECK_OK(ckpt_chain_get_parameter(of->chain, i, NULL, NULL, &gradient));
    add_bytes(to, gradient);
    ckpt_tensor_release(gradient);
  }
}

static inline void check_same(const model* of, const result* expected) {
  static result got;
  read_result(of, &got);
  CHECK(got.count == expected->count && memcmp(got.bytes, expected->bytes, got.count) == 0);
}

/* ---- Schedules ---- */

static inline ckpt_schedule_action act(ckpt_action_kind kind, int64_t first) {
  ckpt_schedule_action action;
  memset(&action, 0, sizeof action);
  action.kind = kind;
  action.first = first;
  action.last = kind == CKPT_ACTION_KIND_FORWARD_TAPE || kind == CKPT_ACTION_KIND_BACKWARD ? first + 1 : 0;
  return action;
}

/* Returns an action on INPUT(index), in slot index of tier 1; for DROP, there. */
static inline ckpt_schedule_action move(ckpt_action_kind kind, int64_t index) {
  ckpt_schedule_action action = act(kind, index);
  action.item = CKPT_ITEM_INPUT;
  action.tier = 1;
  action.slot = (int32_t)index;
  action.transfer = index;
  return action;
}

static inline ckpt_schedule_action drop_input(int64_t index) {
  ckpt_schedule_action action = act(CKPT_ACTION_KIND_DROP, index);
  action.item = CKPT_ITEM_INPUT;
  return action;
}

static inline ckpt_schedule_action await_transfer(int64_t transfer) {
  ckpt_schedule_action action = act(CKPT_ACTION_KIND_AWAIT, 0);
  action.transfer = transfer;
  return action;
}

/* Every layer records; each input except the last moves to tier 1 and back. `ahead` layers run during a copy. */
static inline ckpt_schedule* make_moving(int64_t layers, int64_t ahead) {
  static ckpt_schedule_action actions[16 * (LAYERS + 2)];
  ckpt_schedule* schedule = NULL;
  int n = 0;
  int64_t i;
  for (i = 0; i < layers; ++i) {
    if (i >= ahead && i - ahead < layers - 1) actions[n++] = await_transfer(i - ahead);
    if (i < layers - 1) actions[n++] = move(CKPT_ACTION_KIND_STORE_BEGIN, i);
    actions[n++] = act(CKPT_ACTION_KIND_FORWARD_TAPE, i);
    if (i < layers - 1) actions[n++] = drop_input(i);
  }
  actions[n++] = act(CKPT_ACTION_KIND_TURN, 0);
  actions[n++] = drop_input(layers);
  for (i = layers - ahead; i < layers - 1; ++i) actions[n++] = await_transfer(i);
  for (i = layers - 1; i >= 0; --i) {
    const int64_t next = i - ahead;
    int64_t load;
    for (load = i == layers - 1 ? layers - 2 : next; load >= 0 && load >= next; --load) {
      actions[n++] = move(CKPT_ACTION_KIND_LOAD_BEGIN, load);
    }
    if (i < layers - 1) actions[n++] = await_transfer(i);
    actions[n++] = act(CKPT_ACTION_KIND_BACKWARD, i);
    actions[n++] = drop_input(i);
    if (i < layers - 1) actions[n++] = move(CKPT_ACTION_KIND_DROP, i);
  }
  actions[n++] = act(CKPT_ACTION_KIND_END, 0);
  CHECK_OK(ckpt_schedule_create_list(layers, actions, n, &schedule));
  return schedule;
}

/* ---- Files ---- */

/* Returns the path of a new directory; static. */
static inline const char* make_directory(void) {
  static test_folder path;
  make_folder(path, "tiers");
  return path;
}

static inline int entries_in(const char* path) {
  DIR* directory = opendir(path);
  int count = -2; /* "." and ".." */
  CHECK(directory != NULL);
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

/* Returns the first descriptor from `from` on that is an unnamed file in directory; -1 if there is none. */
static inline int next_unnamed(const char* directory, int from) {
  int descriptor;
  for (descriptor = from; descriptor < 1024; ++descriptor) {
    char link[64];
    char target[4096];
    ssize_t length = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = '\0';
    if (strncmp(target, directory, strlen(directory)) == 0 && strstr(target, " (deleted)") != NULL) return descriptor;
  }
  return -1;
}

#endif /* CKPT_TESTS_ENGINE_TIERS_H */
