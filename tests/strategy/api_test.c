/* The strategies of strategy.h through the C API, from C99. */
#include <math.h>

#include "check.h"
#include "given.h"
#include "memory/named.h"

/* Returns the decisions for layers first .. first+count-1, such as "1011...", all with this name and this number of u8 elements. */
static const char* answers(ckpt_strategy* strategy, const char* name, int64_t bytes, int64_t first, int64_t count) {
  static char row[128];
  int64_t i;
  for (i = 0; i < count; ++i) {
    int32_t answer = -1;
    CHECK_OK(ckpt_strategy_should_checkpoint_shape(strategy, name, CKPT_DTYPE_U8, &bytes, 1, first + i, &answer));
    row[i] = (char)('0' + answer);
  }
  row[count] = '\0';
  return row;
}

static void check_name(ckpt_strategy* strategy, const char* expected) {
  char name[256];
  int64_t needed = -1;
  CHECK_OK(ckpt_strategy_get_name(strategy, name, sizeof name, &needed));
  CHECK(strcmp(name, expected) == 0);
  CHECK(needed == (int64_t)strlen(expected));
  CHECK_FAILS(ckpt_strategy_get_name(strategy, name, needed, NULL), CKPT_E_OUT_OF_RANGE, "needed with the NUL");
}

static void test_interval(void) {
  ckpt_strategy* strategy = NULL;
  ckpt_strategy_counters counters = CKPT_STRATEGY_COUNTERS_INIT;
  int32_t chosen = 0;
  CHECK_OK(ckpt_strategy_create("interval:3", &strategy));
  CHECK(strcmp(answers(strategy, "x", 10, 0, 7), "1001001") == 0);
  CHECK(strcmp(answers(strategy, "x", 10, INT64_MAX - 1, 2), "10") == 0);
  check_name(strategy, "Interval(3)");
  CHECK_OK(ckpt_strategy_get_counters(strategy, &counters));
  CHECK(counters.asked_layers == 9 && counters.chosen_layers == 4 && counters.chosen_bytes == 40);
  CHECK_OK(ckpt_strategy_reset(strategy));
  CHECK_OK(ckpt_strategy_get_counters(strategy, &counters));
  CHECK(counters.asked_layers == 0 && counters.chosen_layers == 0 && counters.chosen_bytes == 0);
  CHECK_OK(ckpt_strategy_get_chosen(strategy, &chosen));
  CHECK(chosen == CKPT_STRATEGY_CHOSEN_BOUNDARY);
  CHECK_OK(ckpt_strategy_set_chosen(strategy, CKPT_STRATEGY_CHOSEN_RECOMPUTE));
  CHECK_OK(ckpt_strategy_get_chosen(strategy, &chosen));
  CHECK(chosen == CKPT_STRATEGY_CHOSEN_RECOMPUTE);
  CHECK_FAILS(ckpt_strategy_set_chosen(strategy, 3), CKPT_E_INVALID_ARGUMENT, "chosen is 3");
  ckpt_strategy_retain(strategy);
  ckpt_strategy_release(strategy);
  check_name(strategy, "Interval(3)");
  ckpt_strategy_release(strategy);
  ckpt_strategy_release(NULL);
  strategy = NULL;
  CHECK_FAILS(ckpt_strategy_create("interval:0", &strategy), CKPT_E_INVALID_ARGUMENT, "interval is 0; expected at least 1");
  CHECK(strategy == NULL);
}

static void test_selective(void) {
  ckpt_strategy* strategy = NULL;
  CHECK_OK(ckpt_strategy_create("selective:a,block.*.attn,b,!block.0.*", &strategy));
  CHECK(strcmp(answers(strategy, "a", 1, 0, 1), "1") == 0);
  CHECK(strcmp(answers(strategy, "block.1.attn", 1, 0, 1), "1") == 0);
  CHECK(strcmp(answers(strategy, "block.0.attn", 1, 0, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "c", 1, 0, 1), "0") == 0);
  check_name(strategy, "Selective");
  ckpt_strategy_release(strategy);
  CHECK_OK(ckpt_strategy_create("selective", &strategy));
  CHECK(strcmp(answers(strategy, "a", 1, 0, 1), "0") == 0);
  ckpt_strategy_release(strategy);
  CHECK_FAILS(ckpt_strategy_create("selective:a,x,b,!b,!y,!a", &strategy), CKPT_E_INVALID_ARGUMENT, "excluded: a, b");
  CHECK_FAILS(ckpt_strategy_create("selective:a,,b", &strategy), CKPT_E_INVALID_ARGUMENT, "names[1] is blank");
  CHECK_FAILS(ckpt_strategy_create("selective:a,\"b", &strategy), CKPT_E_INVALID_ARGUMENT, "a \" is not closed");
  CHECK_FAILS(ckpt_strategy_create("selective:\"a\"b", &strategy), CKPT_E_INVALID_ARGUMENT, "text after the closing \"");
}

static void test_size_based(void) {
  ckpt_strategy* strategy = NULL;
  CHECK_OK(ckpt_strategy_create("size:1MiB,!norm", &strategy));
  CHECK(strcmp(answers(strategy, "fc", 1 << 20, 0, 1), "1") == 0);
  CHECK(strcmp(answers(strategy, "fc", (1 << 20) - 1, 0, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "fc", INT64_C(1) << 50, 0, 1), "1") == 0);
  CHECK(strcmp(answers(strategy, "norm", 1 << 20, 0, 1), "0") == 0);
  check_name(strategy, "SizeBased(1MB)");
  ckpt_strategy_release(strategy);
  CHECK_FAILS(ckpt_strategy_create("size:0", &strategy), CKPT_E_INVALID_ARGUMENT, "threshold_bytes is 0");
}

static void test_memory_aware(void) {
  const int64_t ten_seconds = INT64_C(10000000000);
  ckpt_strategy* strategy = NULL;
  ckpt_clock* clock = NULL;
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  CHECK_OK(create_memory_aware("memory-aware:0.8", NULL, 1000, clock, &strategy)); /* this process uses more than 1000 bytes */
  CHECK(strcmp(answers(strategy, "x", 1, 0, 4), "1010") == 0);
  CHECK_OK(ckpt_clock_advance(clock, ten_seconds));
  CHECK(strcmp(answers(strategy, "x", 1, 0, 4), "1111") == 0);
  check_name(strategy, "MemoryAware(80%)");
  ckpt_strategy_release(strategy);
  CHECK_OK(create_memory_aware("memory-aware:0.8", NULL, INT64_MAX, clock, &strategy));
  ckpt_clock_release(clock); /* the strategy keeps it alive */
  CHECK(strcmp(answers(strategy, "x", 1, 0, 4), "1010") == 0);
  ckpt_strategy_release(strategy);
  CHECK_FAILS(ckpt_strategy_create("memory-aware:1.5", &strategy), CKPT_E_INVALID_ARGUMENT, "max_share is 1.5");
  CHECK_FAILS(ckpt_strategy_create("memory-aware:nan", &strategy), CKPT_E_INVALID_ARGUMENT, "max_share is nan");
  CHECK_FAILS(create_memory_aware("memory-aware", NULL, -1, NULL, &strategy), CKPT_E_INVALID_ARGUMENT, "options.total_bytes is -1");
  CHECK_FAILS(ckpt_strategy_create("memory-aware:0.8,total_bytes=-1", &strategy), CKPT_E_INVALID_ARGUMENT, "total_bytes is -1");
}

static void test_smart(void) {
  ckpt_strategy* strategy = NULL;
  CHECK_OK(ckpt_strategy_create("smart:!bad", &strategy));
  CHECK(strcmp(answers(strategy, "a", 1, 0, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "bad", 1, 1, 1), "0") == 0);
  CHECK_OK(ckpt_strategy_observe_access(strategy, "a"));
  CHECK(strcmp(answers(strategy, "a", 1, 0, 1), "0") == 0);   /* the third access, early and not large */
  CHECK(strcmp(answers(strategy, "new", 1, 0, 1), "1") == 0); /* the first access */
  CHECK(strcmp(answers(strategy, "bad", 100, 9, 1), "0") == 0);
  check_name(strategy, "Smart");
  CHECK_FAILS(ckpt_strategy_observe_access(strategy, ""), CKPT_E_INVALID_ARGUMENT, "layer_name is blank");
  CHECK_FAILS(ckpt_strategy_observe_access(strategy, NULL), CKPT_E_INVALID_ARGUMENT, "layer_name is NULL");
  ckpt_strategy_release(strategy);
}

static ckpt_strategy_info info_of(const char* text) {
  ckpt_strategy_info info;
  ckpt_strategy* strategy = NULL;
  CKPT_INIT(ckpt_strategy_info, &info);
  CHECK_OK(ckpt_strategy_create(text, &strategy));
  CHECK_OK(ckpt_strategy_get_info(strategy, &info));
  ckpt_strategy_release(strategy);
  return info;
}

/* The constants of a smart strategy are read back, and change its decisions. */
static void test_smart_constants(void) {
  static const struct {
    const char* text;
    const char* message;
  } wrong[] = {
      {"smart:late_share=-1", "late_share is -1"},       {"smart:late_share=1.25", "late_share is 1.25"},
      {"smart:rare_accesses=-1", "rare_accesses is -1"}, {"smart:large_factor=0", "large_factor is 0"},
      {"smart:large_factor=nan", "large_factor is nan"}, {"smart:inf", "large_factor is inf"},
      {"smart:1,2,0.5,7", "4 values are given"},         {"smart:late_share=0,late_share=1", "late_share is given twice"},
      {"smart:late_share=0,7", "value 7 follows"},
  };
  ckpt_strategy_info info = info_of("smart");
  ckpt_strategy* strategy = NULL;
  size_t i = 0;
  CHECK(info.large_factor == 1.5 && info.rare_accesses == 2 && info.late_share == 0.7);
  info = info_of("smart:3,0,1");
  CHECK(info.large_factor == 3 && info.rare_accesses == 0 && info.late_share == 1);
  info = info_of("smart:!a,late_share=0.25,!b");
  CHECK(info.large_factor == 1.5 && info.rare_accesses == 2 && info.late_share == 0.25 && info.excluded_count == 2);

  /* Without the rules for rare and late layers, only large layers are chosen. */
  CHECK_OK(ckpt_strategy_create("smart(large_factor=3,rare_accesses=0,late_share=1)", &strategy));
  CHECK(strcmp(answers(strategy, "a", 100, 0, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "b", 100, 1, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "a", 100, 0, 1), "0") == 0); /* a repeated index ends the watching */
  CHECK(strcmp(answers(strategy, "c", 100, 2, 1), "0") == 0); /* new and last, but not chosen with these constants */
  CHECK(strcmp(answers(strategy, "d", 10000, 3, 1), "1") == 0);
  ckpt_strategy_release(strategy);
  CHECK_OK(ckpt_strategy_create("smart", &strategy));
  CHECK(strcmp(answers(strategy, "a", 100, 0, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "b", 100, 1, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "a", 100, 0, 1), "0") == 0);
  CHECK(strcmp(answers(strategy, "c", 100, 2, 1), "1") == 0); /* chosen by the default constants */
  ckpt_strategy_release(strategy);

  strategy = NULL;
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    CHECK_FAILS(ckpt_strategy_create(wrong[i].text, &strategy), CKPT_E_INVALID_ARGUMENT, wrong[i].message);
  CHECK_FAILS(ckpt_strategy_create("smart", NULL), CKPT_E_INVALID_ARGUMENT, "strategy is NULL");
  CHECK(strategy == NULL);
}

static void test_composites(void) {
  ckpt_strategy* two = NULL;
  ckpt_strategy* three = NULL;
  ckpt_strategy* children[3];
  ckpt_strategy* any = NULL;
  ckpt_strategy* all = NULL;
  ckpt_strategy* none = NULL;
  ckpt_strategy* first = NULL;
  CHECK_OK(ckpt_strategy_create("interval:2", &two));
  CHECK_OK(ckpt_strategy_create("interval:3", &three));
  children[0] = two;
  children[1] = three;
  CHECK_OK(create_of("any($0,$1)", children, 2, &any));
  CHECK_OK(create_of("all($0, $1)", children, 2, &all));
  CHECK_OK(create_of("not($0)", &two, 1, &none));
  children[2] = none;
  CHECK_OK(create_of("first(block.*=$0,#1..2=$1,$2)", children, 3, &first));
  ckpt_strategy_release(three); /* released in any order */
  ckpt_strategy_release(two);
  CHECK(strcmp(answers(any, "x", 1, 0, 7), "1011101") == 0);
  CHECK(strcmp(answers(all, "x", 1, 0, 7), "1000001") == 0);
  CHECK(strcmp(answers(none, "x", 1, 0, 4), "0101") == 0);
  CHECK(strcmp(answers(first, "x", 1, 0, 6), "000101") == 0);
  CHECK(strcmp(answers(first, "block.1", 1, 0, 4), "1010") == 0);
  check_name(any, "Any(Interval(2), Interval(3))");
  check_name(first, "First(block.*: Interval(2), #1..2: Interval(3), Not(Interval(2)))");
  CHECK_FAILS(ckpt_strategy_create("any()", &any), CKPT_E_INVALID_ARGUMENT, "'any' is empty");
  children[0] = any;
  children[1] = all;
  CHECK_FAILS(create_of("all($0)", NULL, 2, &all), CKPT_E_INVALID_ARGUMENT, "options.children is NULL");
  CHECK_FAILS(create_of("all($0)", children, -1, &all), CKPT_E_INVALID_ARGUMENT, "options.children: the count is -1");
  CHECK_FAILS(create_of("all($0)", children, 2, &all), CKPT_E_INVALID_ARGUMENT, "children[1] is not used: the text has no $1");
  CHECK_FAILS(create_of("all($0,$2)", children, 2, &all), CKPT_E_INVALID_ARGUMENT,
              "'$2' is not a strategy of the caller; 2 are given");
  CHECK_FAILS(create_of("all($0,$)", children, 1, &all), CKPT_E_INVALID_ARGUMENT, "'$' is not a strategy of the caller");
  CHECK_FAILS(create_of("all($0,$1:2)", children, 2, &all), CKPT_E_INVALID_ARGUMENT, "'$1' is not a strategy of the caller");
  CHECK_FAILS(create_of("all($0,$-1)", children, 1, &all), CKPT_E_INVALID_ARGUMENT, "'$-1' is not a strategy of the caller");
  CHECK_FAILS(ckpt_strategy_create("$0", &all), CKPT_E_INVALID_ARGUMENT, "'$0' is not a strategy of the caller; 0 are given");
  CHECK_FAILS(create_of("not($0,$1)", children, 2, &none), CKPT_E_INVALID_ARGUMENT, "children are 2");
  CHECK_FAILS(create_memory_aware("interval:2", NULL, 5, NULL, &any), CKPT_E_INVALID_ARGUMENT,
              "no strategy in the text is memory-aware");
  CHECK_FAILS(ckpt_strategy_create_with_options(NULL, NULL, &any), CKPT_E_INVALID_ARGUMENT, "text is NULL");
  children[1] = NULL;
  CHECK_FAILS(create_of("any($0,$1)", children, 2, &any), CKPT_E_INVALID_ARGUMENT, "options.children[1] is NULL");
  ckpt_strategy_release(first);
  ckpt_strategy_release(any);
  ckpt_strategy_release(none);
  ckpt_strategy_release(all);
}

static void test_tensor_and_tracker(void) {
  const int64_t shape[] = {16, 16};
  const int64_t ten_seconds = INT64_C(10000000000);
  ckpt_strategy* size = NULL;
  ckpt_strategy* aware = NULL;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_clock* clock = NULL;
  ckpt_tensor* f32 = NULL;
  ckpt_tensor* bf16 = NULL;
  uint64_t allocation = 0;
  int32_t answer = -1;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &f32));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_BF16, shape, 2, NULL, &bf16));
  CHECK_OK(ckpt_strategy_create_with_options("size:1024", NULL, &size));
  CHECK_OK(ckpt_strategy_should_checkpoint(size, "fc", f32, 0, &answer));
  CHECK(answer == 1);
  CHECK_OK(ckpt_strategy_should_checkpoint(size, "fc", bf16, 1, &answer));
  CHECK(answer == 0);
  ckpt_tensor_release(f32);
  ckpt_tensor_release(bf16);
  ckpt_strategy_release(size);

  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_FAILS(create_memory_aware("memory-aware:0.8", (ckpt_memory_tracker*)clock, 0, NULL, &aware), CKPT_E_INVALID_ARGUMENT,
              "options.tracker: expected a handle");
  CHECK_OK(create_memory_aware("memory-aware:0.8", tracker, 1000, clock, &aware));
  CHECK_OK(record_named(tracker, "fc", 801, &allocation));
  ckpt_memory_tracker_release(tracker); /* the strategy keeps it alive */
  CHECK_OK(ckpt_clock_advance(clock, ten_seconds));
  CHECK(strcmp(answers(aware, "x", 1, 0, 4), "1111") == 0);
  ckpt_clock_release(clock);
  ckpt_strategy_release(aware);
}

static void test_text(void) {
  ckpt_strategy* strategy = NULL;
  char kinds[256];
  CHECK_OK(ckpt_strategy_create("any(size:1MiB,interval:8)", &strategy));
  check_name(strategy, "Any(SizeBased(1MB), Interval(8))");
  ckpt_strategy_release(strategy);
  strategy = NULL;
  CHECK_FAILS(ckpt_strategy_create("sometimes", &strategy), CKPT_E_NOT_FOUND, "known: interval, selective, size");
  CHECK_FAILS(ckpt_strategy_create("interval:x", &strategy), CKPT_E_INVALID_ARGUMENT, "interval is 'x'");
  CHECK_FAILS(ckpt_strategy_create(NULL, &strategy), CKPT_E_INVALID_ARGUMENT, "text is NULL");
  CHECK_FAILS(ckpt_strategy_create("smart", NULL), CKPT_E_INVALID_ARGUMENT, "strategy is NULL");
  CHECK(strategy == NULL);
  CHECK_OK(ckpt_strategy_get_known_kinds(kinds, sizeof kinds, NULL));
  CHECK(strcmp(kinds, "interval, selective, size, memory-aware, smart, any, all, not, first") == 0);
}

static void test_set_chosen(void) {
  ckpt_strategy* strategy = NULL;
  ckpt_clock* clock = NULL;
  int32_t chosen = 77;
  CHECK_OK(ckpt_strategy_create("interval:7", &strategy));
  check_name(strategy, "Interval(7)");
  CHECK_OK(ckpt_strategy_set_chosen(strategy, CKPT_STRATEGY_CHOSEN_RECOMPUTE));
  CHECK_FAILS(ckpt_strategy_set_chosen(strategy, 9), CKPT_E_INVALID_ARGUMENT, "chosen is 9");
  CHECK_FAILS(ckpt_strategy_set_chosen(strategy, -1), CKPT_E_INVALID_ARGUMENT, "chosen is -1");
  CHECK_FAILS(ckpt_strategy_set_chosen(NULL, CKPT_STRATEGY_CHOSEN_BOUNDARY), CKPT_E_INVALID_ARGUMENT, "strategy is NULL");
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  CHECK_FAILS(ckpt_strategy_set_chosen((ckpt_strategy*)clock, CKPT_STRATEGY_CHOSEN_BOUNDARY), CKPT_E_INVALID_ARGUMENT,
              "found clock");
  CHECK_FAILS(ckpt_strategy_get_chosen((ckpt_strategy*)clock, &chosen), CKPT_E_INVALID_ARGUMENT, "found clock");
  CHECK(chosen == 77);
  CHECK_FAILS(ckpt_strategy_get_chosen(strategy, NULL), CKPT_E_INVALID_ARGUMENT, "chosen is NULL");
  CHECK_OK(ckpt_strategy_get_chosen(strategy, &chosen));
  CHECK(chosen == CKPT_STRATEGY_CHOSEN_RECOMPUTE); /* the refused call changed nothing */
  CHECK_OK(ckpt_strategy_set_chosen(strategy, CKPT_STRATEGY_CHOSEN_DEFAULT));
  CHECK_OK(ckpt_strategy_get_chosen(strategy, &chosen));
  CHECK(chosen == CKPT_STRATEGY_CHOSEN_BOUNDARY); /* the default of an interval */
  ckpt_clock_release(clock);
  ckpt_strategy_release(strategy);
}

static void test_bad_questions(void) {
  const int64_t shape[] = {16, 16};
  const int64_t huge[] = {INT64_MAX, 2};
  const int64_t three = 3;
  ckpt_strategy_counters counters;
  ckpt_strategy* strategy = NULL;
  ckpt_clock* clock = NULL;
  int32_t answer = 77;
  CHECK_OK(ckpt_strategy_create("interval:1", &strategy));
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(NULL, "x", CKPT_DTYPE_F32, shape, 2, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "strategy is NULL");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape((ckpt_strategy*)clock, "x", CKPT_DTYPE_F32, shape, 2, 0, &answer),
              CKPT_E_INVALID_ARGUMENT, "found clock");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, NULL, CKPT_DTYPE_F32, shape, 2, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "layer_name is NULL");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "", CKPT_DTYPE_F32, shape, 2, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "layer_name is blank");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", 0, shape, 2, 0, &answer), CKPT_E_INVALID_ARGUMENT, "dtype is 0");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F32, NULL, 2, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "shape is NULL");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F32, shape, 9, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "ndim is 9");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F32, huge, 2, 0, &answer), CKPT_E_OUT_OF_RANGE,
              "INT64_MAX");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F4, &three, 1, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "whole bytes");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F32, shape, 2, -1, &answer), CKPT_E_INVALID_ARGUMENT,
              "layer_index is -1");
  CHECK_FAILS(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F32, shape, 2, 0, NULL), CKPT_E_INVALID_ARGUMENT,
              "answer is NULL");
  CHECK_FAILS(ckpt_strategy_should_checkpoint(strategy, "x", NULL, 0, &answer), CKPT_E_INVALID_ARGUMENT, "activation is NULL");
  CHECK_FAILS(ckpt_strategy_should_checkpoint(strategy, "x", (const ckpt_tensor*)clock, 0, &answer), CKPT_E_INVALID_ARGUMENT,
              "activation: expected a handle");
  CHECK(answer == 77);
  CKPT_INIT(ckpt_strategy_counters, &counters);
  CHECK_OK(ckpt_strategy_get_counters(strategy, &counters));
  CHECK(counters.asked_layers == 0);
  CHECK_FAILS(ckpt_strategy_get_counters(strategy, NULL), CKPT_E_INVALID_ARGUMENT, "counters is NULL");
  CHECK_OK(ckpt_strategy_should_checkpoint_shape(strategy, "x", CKPT_DTYPE_F32, NULL, 0, 0, &answer)); /* a scalar */
  CHECK(answer == 1);
  CHECK_OK(ckpt_strategy_get_counters(strategy, &counters));
  CHECK(counters.chosen_bytes == 4);
  ckpt_clock_release(clock);
  ckpt_strategy_release(strategy);
}

int main(void) {
  test_interval();
  test_selective();
  test_size_based();
  test_memory_aware();
  test_smart();
  test_smart_constants();
  test_composites();
  test_tensor_and_tracker();
  test_text();
  test_set_chosen();
  test_bad_questions();
  return 0;
}
