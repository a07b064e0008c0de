/* The values of a strategy can be read back, and its text creates the same strategy. */
#include "check.h"
#include "given.h"

static ckpt_strategy* made_from(const char* text) {
  ckpt_strategy* strategy = NULL;
  CHECK_OK(ckpt_strategy_create(text, &strategy));
  return strategy;
}

static ckpt_strategy_info info_of(const ckpt_strategy* strategy) {
  ckpt_strategy_info info;
  CKPT_INIT(ckpt_strategy_info, &info);
  CHECK_OK(ckpt_strategy_get_info(strategy, &info));
  CHECK(info.struct_size == sizeof info && info.kind != NULL);
  return info;
}

static void is_pattern(const ckpt_strategy* strategy, int32_t list, int64_t index, const char* expected) {
  const char* pattern = NULL;
  CHECK_OK(ckpt_strategy_get_pattern(strategy, list, index, &pattern));
  if (strcmp(pattern, expected) != 0) fprintf(stderr, "'%s' is not '%s'\n", pattern, expected);
  CHECK(strcmp(pattern, expected) == 0);
}

static void text_of(const ckpt_strategy* strategy, char* text, int64_t capacity) {
  int64_t needed = 0;
  CHECK_OK(ckpt_strategy_get_text(strategy, text, capacity, &needed));
  CHECK(needed == (int64_t)strlen(text));
}

/* Checks that two strategies decide equally for layers with these names. */
static void decide_equally(ckpt_strategy* a, ckpt_strategy* b) {
  static const char* const names[] = {"block.1.attn", "block.0.attn", "a,b",         "(x)", "!not", " blank ",
                                      "a=b",          "#7",           "back\\slash", "z",   "é"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    const int64_t shape = INT64_C(1) << (2 * i);
    int32_t one = 0, other = 0;
    CHECK_OK(ckpt_strategy_should_checkpoint_shape(a, names[i], CKPT_DTYPE_U8, &shape, 1, (int64_t)i, &one));
    CHECK_OK(ckpt_strategy_should_checkpoint_shape(b, names[i], CKPT_DTYPE_U8, &shape, 1, (int64_t)i, &other));
    CHECK(one == other);
  }
}

static void round_trip(ckpt_strategy* strategy, const char* expected) {
  char text[2000], again[2000];
  ckpt_strategy* other = NULL;
  text_of(strategy, text, sizeof text);
  if (strcmp(text, expected) != 0) fprintf(stderr, "'%s' is not '%s'\n", text, expected);
  CHECK(strcmp(text, expected) == 0);
  other = made_from(text);
  text_of(other, again, sizeof again);
  CHECK(strcmp(text, again) == 0);
  decide_equally(strategy, other);
  ckpt_strategy_release(other);
  ckpt_strategy_release(strategy);
}

static void numbers(void) {
  ckpt_strategy* strategy = made_from("interval:3");
  ckpt_strategy_info info = info_of(strategy);
  CHECK(strcmp(info.kind, "interval") == 0 && info.interval == 3);
  CHECK(info.threshold_bytes == 0 && info.max_share == 0 && info.names_count == 0 && info.children_count == 0);
  ckpt_strategy_release(strategy);
  strategy = made_from("size:3MiB,!x");
  info = info_of(strategy);
  CHECK(strcmp(info.kind, "size") == 0 && info.threshold_bytes == 3 << 20 && info.excluded_count == 1 && info.interval == 0);
  is_pattern(strategy, CKPT_STRATEGY_LIST_EXCLUDED, 0, "x");
  ckpt_strategy_release(strategy);
  strategy = made_from("smart");
  info = info_of(strategy);
  CHECK(strcmp(info.kind, "smart") == 0 && info.large_factor == 1.5 && info.rare_accesses == 2 && info.late_share == 0.7);
  ckpt_strategy_release(strategy);
  strategy = made_from("memory-aware:0.625");
  info = info_of(strategy);
  CHECK(strcmp(info.kind, "memory-aware") == 0 && info.max_share == 0.625 && info.interval == 2 && info.total_bytes > 0);
  CHECK(info.has_tracker == 0 && info.has_clock == 0 && info.has_total == 0);
  ckpt_strategy_release(strategy);
}

static void lists_and_children(void) {
  ckpt_strategy *selective = NULL, *first = NULL, *child = NULL;
  ckpt_strategy* children[3];
  ckpt_strategy_info info;
  const char* pattern = NULL;
  CHECK_OK(ckpt_strategy_create("selective:block.*.attn,b,!block.0.*", &selective));
  info = info_of(selective);
  CHECK(strcmp(info.kind, "selective") == 0 && info.names_count == 2 && info.excluded_count == 1 && info.rules_count == 0);
  is_pattern(selective, CKPT_STRATEGY_LIST_NAMES, 0, "block.*.attn");
  is_pattern(selective, CKPT_STRATEGY_LIST_NAMES, 1, "b");
  is_pattern(selective, CKPT_STRATEGY_LIST_EXCLUDED, 0, "block.0.*");
  CHECK_FAILS(ckpt_strategy_get_pattern(selective, CKPT_STRATEGY_LIST_NAMES, 2, &pattern), CKPT_E_OUT_OF_RANGE, "index is 2");
  CHECK_FAILS(ckpt_strategy_get_pattern(selective, CKPT_STRATEGY_LIST_NAMES, -1, &pattern), CKPT_E_OUT_OF_RANGE, "index is -1");
  CHECK_FAILS(ckpt_strategy_get_pattern(selective, CKPT_STRATEGY_LIST_RULES, 0, &pattern), CKPT_E_OUT_OF_RANGE, "there are 0");
  CHECK_FAILS(ckpt_strategy_get_pattern(selective, 3, 0, &pattern), CKPT_E_INVALID_ARGUMENT, "list is 3");
  CHECK_FAILS(ckpt_strategy_get_pattern(selective, 0, 0, NULL), CKPT_E_INVALID_ARGUMENT, "pattern is NULL");
  CHECK_FAILS(ckpt_strategy_get_child(selective, 0, &child), CKPT_E_OUT_OF_RANGE, "index is 0; there are 0");
  CHECK_FAILS(ckpt_strategy_get_info(selective, NULL), CKPT_E_INVALID_ARGUMENT, "info is NULL");
  CHECK(pattern == NULL && child == NULL);

  children[0] = selective;
  children[1] = made_from("interval:5");
  children[2] = made_from("smart");
  CHECK_OK(create_of("first(block.*=$0,#2..7=$1,$2)", children, 3, &first));
  ckpt_strategy_release(children[2]);
  ckpt_strategy_release(children[1]);
  info = info_of(first);
  CHECK(strcmp(info.kind, "first") == 0 && info.rules_count == 2 && info.children_count == 3);
  is_pattern(first, CKPT_STRATEGY_LIST_RULES, 0, "block.*");
  is_pattern(first, CKPT_STRATEGY_LIST_RULES, 1, "#2..7");
  CHECK_OK(ckpt_strategy_get_child(first, 0, &child));
  CHECK_OK(ckpt_strategy_set_chosen(child, CKPT_STRATEGY_CHOSEN_BOUNDARY)); /* a handle to the child itself, not to a copy */
  {
    int32_t chosen = 0;
    CHECK_OK(ckpt_strategy_get_chosen(selective, &chosen));
    CHECK(chosen == CKPT_STRATEGY_CHOSEN_BOUNDARY);
  }
  ckpt_strategy_release(child);
  CHECK_OK(ckpt_strategy_get_child(first, 2, &child));
  ckpt_strategy_release(first); /* the child is kept alive by its handle */
  CHECK(strcmp(info_of(child).kind, "smart") == 0);
  ckpt_strategy_release(child);
  ckpt_strategy_release(selective);
}

static void texts(void) {
  /* The text form of names with any characters: each keeps its meaning. */
  static const char* const odd =
      "selective:\"a,b\",\"(x)\",\"!not\",\" blank \",\"a=b\",back\\\\slash,pre\\*fix,é*,#7,\"say \\\"x\\\"\",\"$0\",!\"!!\",!\"x "
      "\"";
  ckpt_strategy *selective = NULL, *first = NULL;
  round_trip(made_from("interval"), "interval:2");
  round_trip(made_from(" interval( 7 ) "), "interval:7");
  round_trip(made_from("size"), "size:1MiB");
  round_trip(made_from("size:1000"), "size:1000B");
  round_trip(made_from("size:3072,!a,!b.*"), "size:3KiB,!a,!b.*");
  round_trip(made_from("memory-aware:0.1"), "memory-aware:0.1");
  round_trip(made_from("memory-aware(total_bytes=1KiB)"), "memory-aware:0.8,total_bytes=1024");
  round_trip(made_from("smart:1.5,2,0.7"), "smart");
  round_trip(made_from("smart:late_share=0.1,!x,large_factor=1e300"), "smart:large_factor=1e+300,late_share=0.1,!x");
  round_trip(made_from("any(smart(0.1,7),not(smart))"), "any(smart(large_factor=0.1,rare_accesses=7),not(smart))");
  round_trip(made_from("selective:\"plain\",\"g*b\""), "selective:plain,g*b");
  round_trip(made_from("selective:a\\,b,\\(x\\)"), "selective:\"a\\,b\",\"\\(x\\)\"");
  round_trip(made_from("smart"), "smart");
  round_trip(made_from("smart:!head"), "smart:!head");
  round_trip(made_from("selective"), "selective");
  round_trip(made_from("selective:block.*.attn,z,!block.0.*"), "selective:block.*.attn,z,!block.0.*");
  round_trip(made_from("any(size:1KiB,!z,interval:8)"), "any(size(1KiB,!z),interval(8))");
  round_trip(made_from("all(smart, not(interval:2))"), "all(smart,not(interval(2)))");
  round_trip(made_from("first(block.*=selective(block.1.attn,z),#0..3=interval:1,any(smart))"),
             "first(block.*=selective(block.1.attn,z),#0..3=interval(1),any(smart))");
  selective = made_from(odd);
  is_pattern(selective, CKPT_STRATEGY_LIST_NAMES, 0, "a,b");
  is_pattern(selective, CKPT_STRATEGY_LIST_NAMES, 3, " blank ");
  is_pattern(selective, CKPT_STRATEGY_LIST_NAMES, 9, "say \\\"x\\\"");
  is_pattern(selective, CKPT_STRATEGY_LIST_EXCLUDED, 1, "x ");
  {
    const int64_t shape = 1;
    int32_t answer = 0;
    CHECK_OK(ckpt_strategy_should_checkpoint_shape(selective, "say \"x\"", CKPT_DTYPE_U8, &shape, 1, 0, &answer));
    CHECK(answer == 1);
  }
  CHECK_OK(create_of("first(\"a=b\"=$0,\"!not\"=$0,block.*=$0,#8..=$0,interval:2)", &selective, 1, &first));
  round_trip(selective, odd);
  {
    char text[2000], again[2000];
    ckpt_strategy* other = NULL;
    text_of(first, text, sizeof text);
    CHECK(strstr(text, "first(\"a=b\"=selective(\"a,b\",") == text && strstr(text, ",\"!not\"=selective(") != NULL);
    other = made_from(text);
    text_of(other, again, sizeof again);
    CHECK(strcmp(text, again) == 0);
    decide_equally(first, other);
    ckpt_strategy_release(other);
    ckpt_strategy_release(first);
  }
}

static int32_t no(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  (void)question;
  (void)answer;
  (void)user_data;
  return 0;
}

static void has_no_text(ckpt_strategy* strategy, const char* why) {
  int64_t needed = 0;
  CHECK_FAILS(ckpt_strategy_get_text(strategy, NULL, 0, &needed), CKPT_E_UNSUPPORTED, why);
  ckpt_strategy_release(strategy);
}

/* A value that text cannot express is not silently omitted. */
static void values_without_text(void) {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_clock* clock = NULL;
  ckpt_strategy *strategy = NULL, *parent = NULL;
  int i;
  callbacks.decide = no;
  CHECK_OK(ckpt_strategy_create_custom("Mine", &callbacks, NULL, NULL, &strategy));
  CHECK(strcmp(info_of(strategy).kind, "custom") == 0);
  CHECK_OK(create_of("not($0)", &strategy, 1, &parent));
  has_no_text(parent, "cannot express functions of its user");
  has_no_text(strategy, "functions of its user");
  CHECK_OK(create_memory_aware("memory-aware:0.5", NULL, 1000, NULL, &strategy));
  CHECK(info_of(strategy).total_bytes == 1000 && info_of(strategy).has_total == 1);
  round_trip(strategy, "memory-aware:0.5,total_bytes=1000");
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(create_memory_aware("memory-aware:0.5", tracker, 0, NULL, &strategy));
  CHECK(info_of(strategy).has_tracker == 1);
  has_no_text(strategy, "a tracker");
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  CHECK_OK(create_memory_aware("memory-aware:0.5", NULL, 0, clock, &strategy));
  CHECK(info_of(strategy).has_clock == 1);
  has_no_text(strategy, "a clock");
  ckpt_memory_tracker_release(tracker);
  ckpt_clock_release(clock);

  /* Shared children can make a text that does not fit in memory. */
  CHECK_OK(ckpt_strategy_create("interval:2", &strategy));
  for (i = 0; i < 40; ++i) {
    ckpt_strategy* children[2];
    children[0] = children[1] = strategy;
    CHECK_OK(create_of("any($0,$1)", children, 2, &parent));
    ckpt_strategy_release(strategy);
    strategy = parent;
  }
  {
    int64_t needed = 0;
    CHECK_FAILS(ckpt_strategy_get_text(strategy, NULL, 0, &needed), CKPT_E_OUT_OF_RANGE, "longer than");
  }
  ckpt_strategy_release(strategy);
}

int main(void) {
  numbers();
  lists_and_children();
  texts();
  values_without_text();
  return 0;
}
