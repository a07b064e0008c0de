/* Custom strategies and registered kinds through the C API, from C99. */
#include "check.h"
#include "given.h"

typedef struct watched {
  int asked, resets, accesses, destroyed;
  char last_name[600];
  ckpt_strategy* release_in_callback;
} watched;

static int32_t decide(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  watched* const seen = user_data;
  ++seen->asked;
  CHECK(question->struct_size > 0);
  CHECK(question->dtype == CKPT_DTYPE_BF16);
  CHECK(question->ndim == 2 && question->shape[0] == 4 && question->shape[1] == 8 && question->bytes == 64);
  strcpy(seen->last_name, question->layer_name);
  if (question->layer_index == 13) {
    ckpt_callback_error("thirteen is not asked");
    return 5;
  }
  if (question->layer_index == 14) *answer = 2;
  if (question->layer_index == 15) {
    ckpt_strategy_release(seen->release_in_callback);
    CHECK(seen->destroyed == 0);
  }
  if (question->layer_index < 10) *answer = question->layer_index % 2 == 1;
  return 0;
}

static int32_t count_reset(void* user_data) { return ++((watched*)user_data)->resets == 2 ? 1 : 0; }

static int32_t count_access(const char* layer_name, void* user_data) {
  CHECK(strcmp(layer_name, "fc1") == 0);
  ++((watched*)user_data)->accesses;
  return 0;
}

static void count_destroy(void* user_data) { ++((watched*)user_data)->destroyed; }

static ckpt_status ask(ckpt_strategy* strategy, const char* name, int64_t index, int32_t* answer) {
  const int64_t shape[] = {4, 8};
  return ckpt_strategy_should_checkpoint_shape(strategy, name, CKPT_DTYPE_BF16, shape, 2, index, answer);
}

static void test_custom(void) {
  watched seen = {0, 0, 0, 0, "", NULL};
  ckpt_strategy_callbacks callbacks;
  ckpt_strategy* strategy = NULL;
  ckpt_strategy* any = NULL;
  char name[32];
  char long_name[600];
  int32_t answer = -1;
  CKPT_INIT(ckpt_strategy_callbacks, &callbacks);
  CHECK_FAILS(ckpt_strategy_create_custom("Odd", &callbacks, &seen, count_destroy, &strategy), CKPT_E_INVALID_ARGUMENT,
              "callbacks->decide is NULL");
  CHECK_FAILS(ckpt_strategy_create_custom("Odd", NULL, &seen, count_destroy, &strategy), CKPT_E_INVALID_ARGUMENT,
              "callbacks is NULL");
  callbacks.decide = decide;
  callbacks.reset = count_reset;
  callbacks.access = count_access;
  CHECK_FAILS(ckpt_strategy_create_custom(" ", &callbacks, &seen, count_destroy, &strategy), CKPT_E_INVALID_ARGUMENT,
              "name is blank");
  CHECK_FAILS(ckpt_strategy_create_custom("Odd", &callbacks, &seen, count_destroy, NULL), CKPT_E_INVALID_ARGUMENT,
              "strategy is NULL");
  CHECK(seen.destroyed == 0); /* a failed call does not take user_data */
  CHECK_OK(ckpt_strategy_create_custom("Odd", &callbacks, &seen, count_destroy, &strategy));
  CHECK_OK(ckpt_strategy_get_name(strategy, name, sizeof name, NULL));
  CHECK(strcmp(name, "Odd") == 0);

  CHECK_OK(ask(strategy, "fc1", 1, &answer));
  CHECK(answer == 1 && strcmp(seen.last_name, "fc1") == 0);
  CHECK_OK(ask(strategy, "fc2", 2, &answer));
  CHECK(answer == 0 && seen.asked == 2);
  memset(long_name, 'n', sizeof long_name);
  long_name[sizeof long_name - 1] = '\0';
  CHECK_OK(ask(strategy, long_name, 2, &answer));
  CHECK(strcmp(seen.last_name, long_name) == 0);
  answer = 7;
  CHECK_FAILS(ask(strategy, "fc1", 13, &answer), CKPT_E_CALLBACK, "thirteen is not asked");
  CHECK_FAILS(ask(strategy, "fc1", 14, &answer), CKPT_E_INVALID_ARGUMENT, "*answer is 2");
  CHECK(answer == 7);

  CHECK_OK(ckpt_strategy_observe_access(strategy, "fc1"));
  CHECK(seen.accesses == 1);
  CHECK_OK(ckpt_strategy_reset(strategy));
  CHECK_FAILS(ckpt_strategy_reset(strategy), CKPT_E_CALLBACK, "reset");

  CHECK_OK(create_of("any($0)", &strategy, 1, &any));
  ckpt_strategy_release(strategy);
  CHECK(seen.destroyed == 0); /* the composite keeps it alive */
  CHECK_OK(ask(any, "fc1", 3, &answer));
  CHECK(answer == 1);
  ckpt_strategy_release(any);
  CHECK(seen.destroyed == 1);
}

static void test_release_inside_callback(void) {
  watched seen = {0, 0, 0, 0, "", NULL};
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  int32_t answer = -1;
  callbacks.decide = decide;
  CHECK_OK(ckpt_strategy_create_custom(NULL, &callbacks, &seen, count_destroy, &seen.release_in_callback));
  CHECK_OK(ask(seen.release_in_callback, "fc1", 15, &answer));
  CHECK(answer == 0 && seen.destroyed == 1);
}

static void test_refused_custom_destroys_nothing(void) {
  watched seen = {0, 0, 0, 0, "", NULL};
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_strategy* strategy = NULL;
  CHECK_FAILS(ckpt_strategy_create_custom(NULL, NULL, &seen, count_destroy, &strategy), CKPT_E_INVALID_ARGUMENT,
              "callbacks is NULL");
  CHECK_FAILS(ckpt_strategy_create_custom(NULL, &callbacks, &seen, count_destroy, &strategy), CKPT_E_INVALID_ARGUMENT,
              "decide is NULL");
  CHECK(seen.destroyed == 0 && strategy == NULL);
}

/* A query struct filled by the caller, for example to test its own callback. */
static void test_question(void) {
  const int64_t shape[] = {4, 8};
  watched seen = {0, 0, 0, 0, "", NULL};
  ckpt_strategy_question question;
  int32_t answer = 0;
  CKPT_INIT(ckpt_strategy_question, &question);
  question.dtype = CKPT_DTYPE_BF16;
  question.layer_name = "fc1";
  question.shape = shape;
  question.ndim = 2;
  question.bytes = 64;
  question.layer_index = 1;
  CHECK(decide(&question, &answer, &seen) == 0 && answer == 1);
}

/* A kind with an argument that is itself the text of a strategy. */
static int32_t make_inner(const char* arguments, ckpt_strategy** strategy, void* user_data) {
  ++((watched*)user_data)->asked;
  if (strcmp(arguments, "fail") == 0) {
    ckpt_callback_error("asked to fail");
    return 1;
  }
  if (strcmp(arguments, "nothing") == 0) return 0;
  if (ckpt_strategy_create(arguments[0] == '\0' ? "interval:9" : arguments, strategy) != CKPT_OK) {
    ckpt_callback_error(ckpt_last_error());
    return 1;
  }
  return 0;
}

static void test_registered(void) {
  watched seen = {0, 0, 0, 0, "", NULL};
  ckpt_strategy* strategy = NULL;
  char name[64];
  CHECK_FAILS(ckpt_strategy_register(NULL, make_inner, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_strategy_register("inner", NULL, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "factory is NULL");
  CHECK_FAILS(ckpt_strategy_register("smart", make_inner, &seen, count_destroy), CKPT_E_ALREADY_EXISTS, "'smart'");
  CHECK_FAILS(ckpt_strategy_register("in(ner", make_inner, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "letters, digits");
  CHECK(seen.destroyed == 0);
  CHECK_OK(ckpt_strategy_register("inner", make_inner, &seen, count_destroy));
  CHECK_FAILS(ckpt_strategy_register("inner", make_inner, &seen, count_destroy), CKPT_E_ALREADY_EXISTS, "'inner'");

  CHECK_OK(ckpt_strategy_create("not(inner)", &strategy));
  CHECK_OK(ckpt_strategy_get_name(strategy, name, sizeof name, NULL));
  CHECK(strcmp(name, "Not(Interval(9))") == 0);
  ckpt_strategy_release(strategy);
  CHECK_OK(ckpt_strategy_create("inner:size:2KiB", &strategy));
  CHECK_OK(ckpt_strategy_get_name(strategy, name, sizeof name, NULL));
  CHECK(strcmp(name, "SizeBased(2KB)") == 0);
  ckpt_strategy_release(strategy);

  CHECK_FAILS(ckpt_strategy_create("inner:fail", &strategy), CKPT_E_CALLBACK, "asked to fail");
  CHECK_FAILS(ckpt_strategy_create("inner:nothing", &strategy), CKPT_E_INVALID_ARGUMENT, "factory's *strategy is NULL");
  CHECK_FAILS(ckpt_strategy_create("inner:inner:inner", &strategy), CKPT_E_CALLBACK, "inner -> inner");
  CHECK_FAILS(ckpt_strategy_create("inter", &strategy), CKPT_E_NOT_FOUND, "first, inner");
  CHECK(seen.destroyed == 0);
  CHECK_OK(ckpt_strategy_unregister("inner"));
  CHECK(seen.destroyed == 1);
  CHECK_FAILS(ckpt_strategy_unregister("inner"), CKPT_E_NOT_FOUND, "'inner'");
  CHECK_FAILS(ckpt_strategy_unregister("smart"), CKPT_E_NOT_FOUND, "'smart'");
}

int main(void) {
  test_custom();
  test_release_inside_callback();
  test_refused_custom_destroys_nothing();
  test_question();
  test_registered();
  return 0;
}
