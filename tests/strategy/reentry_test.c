/* Callbacks of strategies that call the strategy they belong to, and composites above it: INVALID_STATE at once for nested
 * decisions, a result for read-only calls. An alarm ends the test on a deadlock. */
#include <unistd.h>

#include "check.h"
#include "given.h"

static ckpt_strategy* own = NULL;
static ckpt_strategy* above = NULL;
static int inside = 0;

static ckpt_status ask(ckpt_strategy* strategy, int32_t* answer) {
  const int64_t shape = 8;
  return ckpt_strategy_should_checkpoint_shape(strategy, "layer", CKPT_DTYPE_U8, &shape, 1, 0, answer);
}

static void refused(ckpt_strategy* strategy) {
  const int64_t shape = 8;
  ckpt_tensor* tensor = NULL;
  int32_t answer = 7;
  CHECK_FAILS(ask(strategy, &answer), CKPT_E_INVALID_STATE, "the strategy is in use by the operation");
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, &shape, 1, NULL, &tensor));
  CHECK_FAILS(ckpt_strategy_should_checkpoint(strategy, "layer", tensor, 0, &answer), CKPT_E_INVALID_STATE, "in use");
  ckpt_tensor_release(tensor);
  CHECK(answer == 7);
  CHECK_FAILS(ckpt_strategy_observe_access(strategy, "layer"), CKPT_E_INVALID_STATE, "in use");
  CHECK_FAILS(ckpt_strategy_reset(strategy), CKPT_E_INVALID_STATE, "in use");
}

static void answered(ckpt_strategy* strategy) {
  ckpt_strategy_counters counters = CKPT_STRATEGY_COUNTERS_INIT;
  ckpt_strategy_info info = CKPT_STRATEGY_INFO_INIT;
  char text[100];
  int32_t chosen = 0;
  int64_t needed = 0;
  CHECK_OK(ckpt_strategy_get_name(strategy, text, sizeof text, &needed));
  CHECK_OK(ckpt_strategy_get_chosen(strategy, &chosen));
  CHECK_OK(ckpt_strategy_set_chosen(strategy, chosen));
  CHECK_OK(ckpt_strategy_get_counters(strategy, &counters));
  CHECK_OK(ckpt_strategy_get_info(strategy, &info));
  CHECK_FAILS(ckpt_strategy_get_text(strategy, text, sizeof text, &needed), CKPT_E_UNSUPPORTED, "functions of its user");
  CHECK_OK(ckpt_strategy_get_known_kinds(NULL, 0, &needed));
  ckpt_strategy_retain(strategy);
  ckpt_strategy_release(strategy);
}

static void call_both(void) {
  ckpt_strategy* other = NULL;
  ckpt_strategy* children[2];
  int32_t answer = 0;
  ++inside;
  refused(own);
  refused(above);
  answered(own);
  answered(above);
  CHECK_OK(ckpt_strategy_create("interval:1", &other)); /* strategies that do not query this one work */
  CHECK_OK(ask(other, &answer));
  CHECK(answer == 1);
  children[0] = other;
  children[1] = own;
  ckpt_strategy_release(other);
  CHECK_OK(ckpt_strategy_create("interval:1", &other));
  children[0] = other;
  {
    ckpt_strategy* both = NULL;
    CHECK_OK(create_of("all($0,$1)", children, 2, &both));
    CHECK_FAILS(ask(both, &answer), CKPT_E_INVALID_STATE, "in use");
    ckpt_strategy_release(both);
  }
  ckpt_strategy_release(other);
}

static int32_t decide(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  (void)question;
  (void)user_data;
  call_both();
  *answer = 1;
  return 0;
}

static int32_t reset(void* user_data) {
  (void)user_data;
  call_both();
  return 0;
}

static int32_t access_layer(const char* layer_name, void* user_data) {
  (void)layer_name;
  (void)user_data;
  call_both();
  return 0;
}

static void custom(void) {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_strategy_counters counters = CKPT_STRATEGY_COUNTERS_INIT;
  ckpt_strategy *smart = NULL, *not_it = NULL, *any = NULL;
  ckpt_strategy* children[2];
  int32_t answer = 0;
  callbacks.decide = decide;
  callbacks.reset = reset;
  callbacks.access = access_layer;
  CHECK_OK(ckpt_strategy_create_custom(NULL, &callbacks, NULL, NULL, &own));
  CHECK_OK(ckpt_strategy_create("smart", &smart));
  CHECK_OK(create_of("not($0)", &own, 1, &not_it));
  children[0] = smart;
  children[1] = not_it;
  CHECK_OK(create_of("any($0,$1)", children, 2, &any));
  children[1] = any;
  CHECK_OK(create_of("first(nothing.*=$0,$1)", children, 2, &above));
  CHECK_OK(ask(above, &answer));
  CHECK(answer == 0 && inside == 1);
  CHECK_OK(ckpt_strategy_observe_access(above, "layer"));
  CHECK_OK(ckpt_strategy_reset(above));
  CHECK(inside == 3);
  CHECK_OK(ask(above, &answer));
  CHECK_OK(ckpt_strategy_get_counters(smart, &counters));
  CHECK(counters.asked_layers == 1); /* the refused queries did not reach the other children */
  ckpt_strategy_release(above);
  ckpt_strategy_release(any);
  ckpt_strategy_release(not_it);
  ckpt_strategy_release(smart);
  ckpt_strategy_release(own);
}

static int32_t make_again(const char* arguments, ckpt_strategy** strategy, void* user_data) {
  (void)arguments;
  (void)user_data;
  ++inside;
  CHECK_FAILS(ckpt_strategy_create("any(smart,again)", strategy), CKPT_E_INVALID_STATE, "'again' is recursive");
  CHECK_FAILS(ckpt_strategy_register("again", make_again, NULL, NULL), CKPT_E_ALREADY_EXISTS, "again");
  CHECK_OK(ckpt_strategy_unregister("again")); /* this call runs to its end */
  CHECK_OK(ckpt_strategy_create("interval:3", strategy));
  return 0;
}

static void registered_kinds(void) {
  ckpt_strategy* strategy = NULL;
  inside = 0;
  CHECK_OK(ckpt_strategy_register("again", make_again, NULL, NULL));
  CHECK_OK(ckpt_strategy_create("again", &strategy));
  CHECK(inside == 1);
  CHECK_FAILS(ckpt_strategy_unregister("again"), CKPT_E_NOT_FOUND, "again");
  ckpt_strategy_release(strategy);
}

static int64_t hours = 0;
static int asks_back = 0;

static int64_t ask_back(void* user_data) {
  int32_t answer = 0;
  (void)user_data;
  if (asks_back) {
    ++inside;
    CHECK_FAILS(ask(own, &answer), CKPT_E_INVALID_STATE, "in use");
    CHECK_FAILS(ckpt_strategy_reset(own), CKPT_E_INVALID_STATE, "in use");
  }
  return ++hours * INT64_C(3600000000000);
}

/* The clock is read at each query, and a tracker's clock when pressure is computed. */
static void clocks(void) {
  ckpt_memory_tracker_options options = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_clock* clock = NULL;
  int32_t answer = 0;
  inside = 0;
  CHECK_OK(ckpt_clock_create_custom(ask_back, NULL, NULL, &clock));
  options.clock = clock;
  CHECK_OK(ckpt_memory_tracker_create(&options, &tracker));
  CHECK_OK(create_memory_aware("memory-aware:0.8", tracker, 1000, clock, &own));
  asks_back = 1;
  CHECK_OK(ask(own, &answer));
  CHECK(inside == 2);
  CHECK_OK(ckpt_strategy_reset(own));
  CHECK(inside == 3);
  ckpt_strategy_release(own);
  ckpt_memory_tracker_release(tracker);
  ckpt_clock_release(clock);
}

int main(void) {
  alarm(HANG_SECONDS);
  custom();
  registered_kinds();
  clocks();
  return 0;
}
