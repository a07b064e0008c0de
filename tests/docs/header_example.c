/* The program around the example of a header: tests/docs/header_examples.py writes example.inc and compiles this. Declares the
 * objects that an example may take from another part. */
#include <ckpt/ckpt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef EXAMPLE_HEADER
#include EXAMPLE_HEADER
#endif

#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      fprintf(stderr, "%s: %s\n", #condition, ckpt_last_error()); \
      exit(1);                                                    \
    }                                                             \
  } while (0)
#define OK(call) EXPECT((call) == CKPT_OK)

/* A layer of the driver: y = x + 1, with items on the heap. */
static double* item_of(double value) {
  double* item = malloc(sizeof *item);
  if (item) *item = value;
  return item;
}
static int32_t forward(const ckpt_drive_call* call, void* input, void** output, void* user) {
  (void)user;
  *output = item_of(*(double*)input + (double)(call->last - call->first));
  return *output == NULL;
}
static int32_t record(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user) {
  (void)user;
  *tape = item_of(1);
  if (!(call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT)) *output = item_of(*(double*)input + 1);
  return *tape == NULL;
}
static int32_t backward(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output, void** grad_input,
                        void* user) {
  (void)call, (void)input, (void)output, (void)user;
  *grad_input = item_of(*(double*)grad_output * *(double*)tape);
  free(tape);
  free(grad_output);
  return *grad_input == NULL;
}
static void drop(const ckpt_drive_call* call, void* item, void* user) {
  (void)call, (void)user;
  free(item);
}
static void* gradient_of_the_loss(void* output) {
  (void)output;
  return item_of(1);
}
static void print_message(ckpt_log_level level, const char* component, const char* message, void* user) {
  (void)level, (void)user;
  fprintf(stderr, "%s: %s\n", component, message);
}

int main(void) {
  const int64_t step = 12, timeout_ns = -1, budget = 0;
  const double now = 0;
  int64_t id = 0, index = -1, count = 64, bytes = 0, first_step = 0;
  int provided = 0, argc = 0;
  char** argv = NULL;
  void *user = NULL, *x0 = item_of(1), *xn = NULL, *gn = NULL, *g0 = NULL;
  static ckpt_program_operation operations[64];
  static ckpt_program_buffer buffers[64];
  const int64_t shape[2] = {2, 3};
  const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {8, 4}};
  double loss = 0;
  ckpt_storage *storage = NULL, *files = NULL; /* storage is empty, and no manager writes to it */
  ckpt_checkpoint_manager *checkpoints = NULL, *checkpoint = NULL;
  ckpt_async_manager* manager = NULL;
  ckpt_tensor *weight = NULL, *x = NULL, *classes = NULL;
  ckpt_layer *linear = NULL, *loss_layer = NULL;
  ckpt_chain* chain = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_state* state = NULL;
  ckpt_tree* extra = NULL;
  ckpt_reader* reader = NULL;
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_program* program = NULL;
  ckpt_driver* driver = NULL;
  ckpt_controller* controller = NULL;
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  ckpt_layer_profile layer_profile = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option_profile = CKPT_OPTION_PROFILE_INIT;
  ckpt_tree_node part = CKPT_TREE_NODE_INIT;

  callbacks.forward = forward, callbacks.record = record, callbacks.backward = backward, callbacks.drop = drop;
  layer_profile.output_bytes = option_profile.tape_bytes = 8;
  OK(ckpt_profile_create(8, &profile));
  OK(ckpt_profile_add_layer(profile, "first", &layer_profile));
  OK(ckpt_profile_add_option(profile, &option_profile));
  OK(ckpt_profile_add_layer(profile, "second", &layer_profile));
  OK(ckpt_profile_add_option(profile, &option_profile));
  OK(ckpt_schedule_create(profile, "store-all", &schedule));
  OK(ckpt_chain_create(0, &chain));
  OK(ckpt_layer_create("linear", "linear:4,2", &linear));
  OK(ckpt_layer_create("loss", "softmax_cross_entropy", &loss_layer));
  OK(ckpt_chain_add(chain, linear));
  OK(ckpt_chain_add(chain, loss_layer));
  OK(ckpt_chain_initialize(chain, 1));
  OK(ckpt_tensor_create(input.dtype, input.shape, input.ndim, NULL, &x));
  OK(ckpt_tensor_fill(x, 1));
  OK(ckpt_tensor_create(CKPT_DTYPE_U8, input.shape, 1, NULL, &classes));
  memset(ckpt_tensor_get_data(classes), 1, 8);
  OK(ckpt_storage_create_memory(&storage));
  OK(ckpt_storage_create_memory(&files));
  OK(ckpt_checkpoint_manager_create(files, NULL, &checkpoints));
  OK(ckpt_async_manager_create(checkpoints, NULL, &manager));
  OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &weight));
  OK(ckpt_tensor_fill(weight, 1));
  OK(ckpt_state_create(&state));
  OK(ckpt_state_add_tensor(state, "model", "weight", weight));
  OK(ckpt_tree_create(&extra));
  part.kind = CKPT_TREE_KIND_DICT, part.count = 1;
  OK(ckpt_tree_add(extra, &part));
  part.kind = CKPT_TREE_KIND_TEXT, part.data = "epoch", part.bytes = 5;
  OK(ckpt_tree_add(extra, &part));
  part.kind = CKPT_TREE_KIND_INTEGER, part.integer = 3;
  OK(ckpt_tree_add(extra, &part));
  {
    ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
    ckpt_state* saved = NULL;
    options.step = 7;
    OK(ckpt_state_create(&saved));
    OK(ckpt_state_add_tensor(saved, "model", "weight", weight));
    OK(ckpt_state_set_json(saved, CKPT_STATE_DATA_POSITION, "{}"));
    OK(ckpt_state_set_tree(saved, "extra", extra));
    OK(ckpt_checkpoint_manager_save(checkpoints, saved, &options, NULL));
    OK(ckpt_reader_create_from_checkpoint(checkpoints, NULL, CKPT_VERIFY_FULL, &reader));
    ckpt_state_release(saved);
  }
  {
#include "example.inc"
  }
  return 0;
}
