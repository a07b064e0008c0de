/* A rename callback maps names of tensors during a load: in the foreground and in the background, with invalid results, and with
 * nested calls. The user data is destroyed once, when a load succeeded or its task has ended. */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "numbered.h"

enum { saved_count = 3, longest = 70000 };
static const char* const saved_names[saved_count] = {"encoder.w", "encoder.b", "same"};
static float saved_values[saved_count] = {1, 2, 3};

static ckpt_checkpoint_manager* manager;

static void add_number(ckpt_state* state, const char* group, const char* name, float* value) {
  const int64_t length = 1;
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(value, CKPT_DTYPE_F32, &length, 1, NULL, NULL, &tensor));
  CHECK_OK(ckpt_state_add_tensor(state, group, name, tensor));
  ckpt_tensor_release(tensor);
}

/* The target state of a load, with the tensors of the group "model". */
typedef struct target {
  ckpt_state* state;
  float values[saved_count];
} target;

static void make_target(target* created, const char* const* names) {
  memset(created, 0, sizeof *created);
  CHECK_OK(ckpt_state_create(&created->state));
  for (int i = 0; i < saved_count; ++i) add_number(created->state, "model", names[i], &created->values[i]);
}

/* The callback's results, and counts of its calls. */
typedef struct answers {
  const char* prefix;  /* prepended to the name; NULL: the name is unchanged */
  const char* refused; /* fails for the tensor with this name */
  const char* text;    /* always returns this name ... */
  int64_t text_bytes;  /* ... with this length */
  target* used;        /* the state of a nested call */
  int asked;
  int destroyed;
} answers;

static void destroy_answers(void* user_data) { ++((answers*)user_data)->destroyed; }

static void call_back(target* used) {
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  char text[8];
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, used->state, NULL, NULL), CKPT_E_INVALID_STATE, "in use");
  CHECK_FAILS(ckpt_checkpoint_manager_save(manager, used->state, NULL, NULL), CKPT_E_INVALID_STATE, "in use");
  CHECK_FAILS(ckpt_checkpoint_manager_get_latest(manager, &info), CKPT_E_INVALID_STATE, "in use");
  CHECK_FAILS(ckpt_state_set_json(used->state, "key", "1"), CKPT_E_INVALID_STATE, "in use");
  CHECK_FAILS(ckpt_state_get_json(used->state, "key", text, sizeof text, NULL), CKPT_E_INVALID_STATE, "in use");
}

static int32_t rename_tensor(const char* group, const char* name, char* buffer, int64_t capacity, int64_t* needed,
                             void* user_data) {
  answers* const a = user_data;
  CHECK(strcmp(group, "model") == 0 && capacity >= 256 && *needed == (int64_t)strlen(name) && strcmp(buffer, name) == 0);
  ++a->asked;
  if (a->used != NULL) call_back(a->used);
  if (a->refused != NULL && strcmp(name, a->refused) == 0) {
    ckpt_callback_error("no idea");
    return 7;
  }
  if (a->text != NULL) {
    const int64_t length = (int64_t)strlen(a->text);
    memcpy(buffer, a->text, (size_t)(length < capacity ? length : capacity));
    buffer[length] = '\0';
    *needed = a->text_bytes;
  } else if (a->prefix != NULL) {
    *needed = snprintf(buffer, (size_t)capacity, "%s%s", a->prefix, strncmp(name, "encoder.", 8) == 0 ? name + 8 : name);
  }
  return 0;
}

static ckpt_load_options renaming(answers* a) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  options.rename = rename_tensor;
  options.rename_user_data = a;
  options.rename_destroy = destroy_answers;
  return options;
}

static const char* const plain[saved_count] = {"w", "b", "same"};

static void names_are_those_of_the_callback(void) {
  char long_prefix[1001];
  char long_names[saved_count][1100];
  const char* long_list[saved_count];
  const char* const prefixed[saved_count] = {"net.w", "net.b", "net.same"};
  answers a = {"", NULL, NULL, 0, NULL, 0, 0};
  ckpt_load_options options = renaming(&a);
  target into;
  make_target(&into, plain);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL));
  ckpt_state_release(into.state);
  make_target(&into, plain);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL)); /* options can be reused */
  CHECK(a.asked == 2 * saved_count && a.destroyed == 2);
  ckpt_state_release(into.state);

  a.prefix = NULL; /* unchanged: the name given by the prefix options */
  a.asked = 0;
  make_target(&into, prefixed);
  options.strip_prefix = "encoder.";
  options.add_prefix = "net.";
  CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL));
  CHECK(a.asked == saved_count);
  ckpt_state_release(into.state);

  memset(long_prefix, 'x', sizeof long_prefix - 1);
  long_prefix[sizeof long_prefix - 1] = '\0';
  for (int i = 0; i < saved_count; ++i) {
    snprintf(long_names[i], sizeof long_names[i], "%s%s", long_prefix, plain[i]);
    long_list[i] = long_names[i];
  }
  a = (answers){long_prefix, NULL, NULL, 0, NULL, 0, 0};
  options = renaming(&a);
  make_target(&into, long_list);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL));
  CHECK(a.asked == 2 * saved_count && a.destroyed == 1); /* called again with a larger buffer */
  ckpt_state_release(into.state);
}

/* Checks the loaded values, not only that the load succeeds. */
static void bytes_are_loaded_by_the_new_name(void) {
  const char* const crossed[saved_count] = {"b", "w", "same"};
  answers a = {"", NULL, NULL, 0, NULL, 0, 0};
  ckpt_load_options options = renaming(&a);
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  target into;
  for (int in_place = 0; in_place < 2; ++in_place) {
    make_target(&into, crossed);
    options.in_place = in_place;
    CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL));
    CHECK(into.values[0] == 2 && into.values[1] == 1 && into.values[2] == 3);
    ckpt_state_release(into.state);
  }
  memset(&into, 0, sizeof into);
  CHECK_OK(ckpt_state_create(&into.state));
  add_number(into.state, "model", "w", &into.values[0]);
  add_number(into.state, "model", "new", &into.values[1]);
  options.partial = 1;
  CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, &result));
  CHECK(into.values[0] == 1 && into.values[1] == 0 && result.missing == 1 && result.unexpected == 2);
  ckpt_state_release(into.state);
}

/* All of them fail before anything is written, and destroy nothing. */
static void refused(answers a, ckpt_bool partial, ckpt_status status, const char* text) {
  const answers given = a;
  int64_t needed = 0;
  ckpt_load_options options = renaming(&a);
  target into;
  make_target(&into, plain);
  CHECK_OK(ckpt_state_set_json(into.state, "key", "1"));
  options.partial = partial;
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL), status, text);
  CHECK(a.asked > given.asked && a.destroyed == 0);
  CHECK(into.values[0] == 0 && into.values[1] == 0 && into.values[2] == 0);
  CHECK_OK(ckpt_state_get_json(into.state, "key", NULL, 0, &needed));
  ckpt_state_release(into.state);
}

static answers answer_with(const char* text, int64_t bytes) { return (answers){NULL, NULL, text, bytes, NULL, 0, 0}; }

static void invalid_names_are_refused(void) {
  refused((answers){"", "same", NULL, 0, NULL, 0, 0}, 0, CKPT_E_CALLBACK, "tensor 'same' of group 'model'");
  refused((answers){"", "same", NULL, 0, NULL, 0, 0}, 1, CKPT_E_CALLBACK, "no idea");
  refused((answers){"y.", NULL, NULL, 0, NULL, 0, 0}, 0, CKPT_E_INVALID_ARGUMENT, "'w' of group 'model' of the state is not");
  for (ckpt_bool partial = 0; partial < 2; ++partial) {
    refused(answer_with("one", 3), partial, CKPT_E_INVALID_ARGUMENT, "rename maps tensors 'encoder.b' and 'encoder.w'");
    refused(answer_with("", 0), partial, CKPT_E_INVALID_ARGUMENT,
            "name returned by rename for tensor 'encoder.b' of group 'model' is blank");
    refused(answer_with(" ", 1), partial, CKPT_E_INVALID_ARGUMENT, "is blank");
    refused(answer_with("\xC3(", 2), partial, CKPT_E_INVALID_ARGUMENT, "is not valid UTF-8");
    refused(answer_with("ab", 4), partial, CKPT_E_INVALID_ARGUMENT, "'encoder.b' of group 'model' contains a NUL");
    refused(answer_with("__tree__", 8), partial, CKPT_E_INVALID_ARGUMENT, "is '__tree__'");
    refused(answer_with("ab", -1), partial, CKPT_E_INVALID_ARGUMENT, "*needed is -1");
    refused(answer_with("ab", INT64_MIN), partial, CKPT_E_INVALID_ARGUMENT, "tensor 'encoder.b'");
    refused(answer_with("ab", longest), partial, CKPT_E_INVALID_ARGUMENT, "*needed is 70000");
    refused(answer_with("ab", INT64_MAX), partial, CKPT_E_INVALID_ARGUMENT, "*needed is 9223372036854775807");
  }
}

/* Requires a larger buffer each time, without end. */
static int32_t grow(const char* group, const char* name, char* buffer, int64_t capacity, int64_t* needed, void* user_data) {
  (void)group;
  (void)name;
  memset(buffer, 'x', (size_t)capacity);
  *needed = capacity + (int64_t)++ * (int*)user_data;
  return 0;
}

static void missing_tensors_have_both_names(void) {
  answers a = {"", NULL, NULL, 0, NULL, 0, 0};
  ckpt_load_options options = renaming(&a);
  float value = 0;
  int calls = 0;
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  add_number(state, "model", "w", &value);
  add_number(state, "model", "same", &value);
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, state, &options, NULL), CKPT_E_INVALID_ARGUMENT,
              "tensor 'encoder.b' of group 'model' is in the checkpoint but not in the state, where its name would be 'b'");
  options.rename = grow;
  options.rename_user_data = &calls;
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, state, &options, NULL), CKPT_E_INVALID_ARGUMENT, "before");
  CHECK(calls == 2);
  ckpt_state_release(state);
}

static void calls_from_inside_are_refused(void) {
  target into;
  make_target(&into, plain);
  answers a = {"", NULL, NULL, 0, &into, 0, 0};
  ckpt_load_options options = renaming(&a);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, into.state, &options, NULL));
  CHECK(a.asked == saved_count && a.destroyed == 1);
  ckpt_state_release(into.state);
}

static void in_the_background(void) {
  ckpt_async_manager* async = NULL;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_checkpoint_task_options never = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_bool cancelled = 0;
  int64_t id = 0;
  target into;
  make_target(&into, plain);
  answers a = {"", NULL, NULL, 0, &into, 0, 0};
  ckpt_load_options options = renaming(&a);
  never.has_gate_step = 1;
  never.gate_step = 1000;
  CHECK_OK(ckpt_async_manager_create(manager, NULL, &async));
  CHECK_OK(ckpt_async_manager_load(async, into.state, &options, NULL, &id));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED && a.asked == saved_count && a.destroyed == 1);
  CHECK(into.values[2] == 3);

  a.refused = "same";
  CHECK_OK(ckpt_async_manager_load(async, into.state, &options, NULL, &id));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.status == CKPT_E_CALLBACK && strstr(result.error, "'same'") != NULL && strstr(result.error, "no idea") != NULL);
  CHECK(a.destroyed == 2);

  a.asked = 0;
  CHECK_OK(ckpt_async_manager_load(async, into.state, &options, &never, &id)); /* never starts */
  CHECK_OK(ckpt_async_manager_cancel(async, id, &cancelled));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(cancelled == 1 && a.asked == 0 && a.destroyed == 3);

  options.verify = 77;
  CHECK_FAILS(ckpt_async_manager_load(async, into.state, &options, NULL, &id), CKPT_E_INVALID_ARGUMENT, "options.verify");
  CHECK(a.destroyed == 3); /* a call that fails destroys nothing */
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
  CHECK(a.destroyed == 3);
  ckpt_state_release(into.state);
}

static void all_over(ckpt_storage* storage) {
  target from;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  CHECK_OK(ckpt_state_create(&from.state));
  for (int i = 0; i < saved_count; ++i) add_number(from.state, "model", saved_names[i], &saved_values[i]);
  CHECK_OK(ckpt_checkpoint_manager_save(manager, from.state, NULL, NULL));
  ckpt_state_release(from.state);
  names_are_those_of_the_callback();
  bytes_are_loaded_by_the_new_name();
  invalid_names_are_refused();
  missing_tensors_have_both_names();
  calls_from_inside_are_refused();
  in_the_background();
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

int main(void) {
  char scratch[64];
  ckpt_storage* storage = NULL;
  alarm(HANG_SECONDS);
  CHECK_OK(ckpt_storage_create_file_system(make_scratch(scratch, "load-rename"), NULL, &storage));
  all_over(storage);
  remove_scratch(scratch);
  CHECK_OK(ckpt_storage_create_memory(&storage));
  all_over(storage);
  return 0;
}
