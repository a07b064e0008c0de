/* Programs from C99: the arrays of a small step, a step in place, one with a slower tier, and bad input. */
#include "check.h"

enum { BYTES = 100, TAPE = 10, WORKSPACE = 30, MOST = 64 };

typedef struct Listed {
  ckpt_program_buffer buffers[MOST];
  ckpt_program_operation operations[MOST];
  int64_t buffer_count;
  int64_t operation_count;
  int64_t arena_bytes[CKPT_TIERS];
} Listed;

static ckpt_profile* make_profile(ckpt_layer_flag flags) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC | flags;
  layer.output_bytes = BYTES;
  option.tape_bytes = TAPE;
  option.backward_workspace_bytes = WORKSPACE;
  CHECK_OK(ckpt_profile_create(BYTES, &profile));
  CHECK_OK(ckpt_profile_add_layer(profile, "first", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  CHECK_OK(ckpt_profile_add_layer(profile, "second", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  return profile;
}

static ckpt_schedule_action action(ckpt_action_kind kind, int64_t first, int64_t last) {
  ckpt_schedule_action created;
  memset(&created, 0, sizeof created);
  created.kind = kind;
  created.first = first;
  created.last = last;
  return created;
}

static ckpt_schedule_action drop(int64_t index) {
  ckpt_schedule_action created = action(CKPT_ACTION_KIND_DROP, index, 0);
  created.item = CKPT_ITEM_INPUT;
  return created;
}

static ckpt_schedule_action of_slot(ckpt_action_kind kind) {
  ckpt_schedule_action created = action(kind, 0, 0);
  created.item = CKPT_ITEM_INPUT;
  created.tier = 2;
  created.slot = 3;
  created.transfer = 5;
  return created;
}

static void list_program(const ckpt_schedule_action* actions, int count, const ckpt_profile* profile, Listed* out) {
  ckpt_schedule* schedule = NULL;
  ckpt_program* program = NULL;
  int64_t reserved = 0;
  int64_t unused = 0;
  int tier;
  memset(out, 0, sizeof *out);
  CHECK_OK(ckpt_schedule_create_list(2, actions, count, &schedule));
  CHECK_OK(ckpt_program_create(schedule, profile, &program));
  CHECK_OK(ckpt_program_get_buffers(program, NULL, 0, &out->buffer_count));
  CHECK(out->buffer_count <= MOST);
  CHECK_OK(ckpt_program_get_buffers(program, out->buffers, 1, &unused));
  CHECK(unused == out->buffer_count && out->buffers[1].bytes == 0);
  CHECK_OK(ckpt_program_get_buffers(program, out->buffers, MOST, &out->buffer_count));
  CHECK_OK(ckpt_program_get_operations(program, out->operations, MOST, &out->operation_count));
  for (tier = 0; tier < CKPT_TIERS; ++tier) {
    CHECK_OK(ckpt_program_get_arena_bytes(program, tier, &out->arena_bytes[tier]));
    CHECK_OK(ckpt_schedule_place(schedule, profile, tier, &reserved));
    CHECK(out->arena_bytes[tier] == reserved);
  }
  ckpt_schedule_release(schedule);
  ckpt_program_release(program);
}

static void every_layer_records(void) {
  const ckpt_schedule_action actions[] = {
      action(CKPT_ACTION_KIND_FORWARD_TAPE, 0, 2), drop(0), drop(1),
      action(CKPT_ACTION_KIND_TURN, 0, 0),         drop(2), action(CKPT_ACTION_KIND_BACKWARD, 0, 2),
      action(CKPT_ACTION_KIND_END, 0, 0)};
  static const ckpt_action_kind kinds[] = {CKPT_ACTION_KIND_FORWARD_TAPE, CKPT_ACTION_KIND_FORWARD_TAPE, CKPT_ACTION_KIND_TURN,
                                           CKPT_ACTION_KIND_BACKWARD, CKPT_ACTION_KIND_BACKWARD};
  static const int64_t of_actions[] = {0, 0, 3, 5, 5};
  ckpt_profile* profile = make_profile(0);
  Listed listed;
  const ckpt_program_operation* operations = listed.operations;
  const ckpt_program_buffer* buffers = listed.buffers;
  int i;
  list_program(actions, 7, profile, &listed);
  /* x_0, x_1, tape 0, x_2, tape 1, three gradients, two workspaces */
  CHECK(listed.operation_count == 5 && listed.buffer_count == 10);
  for (i = 0; i < 5; ++i)
    CHECK(operations[i].kind == kinds[i] && operations[i].action == of_actions[i] && operations[i].flags == 0);
  CHECK(buffers[0].first == -1 && buffers[0].last == 0 && buffers[0].item == CKPT_ITEM_INPUT && buffers[0].bytes == BYTES);
  CHECK(operations[0].input == 0 && operations[0].output == 1 && operations[0].tape == 2 && operations[0].grad_input == -1);
  CHECK(buffers[2].item == CKPT_ITEM_TAPE && buffers[2].bytes == TAPE && buffers[2].first == 0 && buffers[2].last == 4);
  CHECK(operations[1].input == 1 && operations[1].workspace == -1 && operations[1].ambient == -1);
  CHECK(operations[2].input == operations[1].output && operations[2].layer == 2 && operations[2].output == -1);
  CHECK(operations[3].layer == 1 && operations[3].grad_output == operations[2].grad_output && operations[3].input == -1);
  CHECK(operations[4].grad_output == operations[3].grad_input && operations[4].tape == 2 && operations[4].workspace >= 0);
  CHECK(buffers[operations[4].workspace].item == CKPT_ITEM_NONE && buffers[operations[4].workspace].bytes == WORKSPACE);
  CHECK(buffers[operations[4].grad_input].item == CKPT_ITEM_GRAD && buffers[operations[4].grad_input].index == 0);
  CHECK(buffers[operations[4].grad_input].last == 5);
  for (i = 0; i < 10; ++i) CHECK(buffers[i].offset >= 0 && buffers[i].offset % 64 == 0 && buffers[i].tier == 0);
  ckpt_profile_release(profile);
}

static void in_place(void) {
  const ckpt_schedule_action actions[] = {action(CKPT_ACTION_KIND_FORWARD, 0, 2),  action(CKPT_ACTION_KIND_TURN, 0, 0),   drop(2),
                                          action(CKPT_ACTION_KIND_FORWARD, 0, 1),  action(CKPT_ACTION_KIND_RECORD, 1, 2), drop(1),
                                          action(CKPT_ACTION_KIND_BACKWARD, 1, 2), action(CKPT_ACTION_KIND_RECORD, 0, 1), drop(0),
                                          action(CKPT_ACTION_KIND_BACKWARD, 0, 1), action(CKPT_ACTION_KIND_END, 0, 0)};
  ckpt_profile* profile = make_profile(CKPT_LAYER_FLAG_IN_PLACE);
  Listed listed;
  const ckpt_program_operation* operations = listed.operations;
  const ckpt_program_buffer* buffers = listed.buffers;
  list_program(actions, 11, profile, &listed);
  CHECK(listed.operation_count == 8);
  CHECK(operations[0].flags == 0 && operations[1].flags == CKPT_OPERATION_FLAG_IN_PLACE);
  CHECK(operations[1].input == operations[0].output && operations[1].output != operations[1].input);
  CHECK(buffers[operations[1].input].offset == buffers[operations[1].output].offset);
  CHECK(buffers[operations[1].input].index == 1 && buffers[operations[1].output].index == 2);
  CHECK(buffers[operations[1].input].last == 1 && buffers[operations[1].output].first == 1);
  CHECK(operations[3].flags == CKPT_OPERATION_FLAG_AGAIN);
  /* records by running forward: its output is not used */
  CHECK(operations[4].kind == CKPT_ACTION_KIND_FORWARD_TAPE && buffers[operations[4].output].item == CKPT_ITEM_NONE);
  CHECK(operations[5].flags == CKPT_OPERATION_FLAG_IN_PLACE && operations[5].grad_input != operations[5].grad_output);
  CHECK(buffers[operations[5].grad_input].offset == buffers[operations[5].grad_output].offset);
  ckpt_profile_release(profile);
}

static void slower_tier(void) {
  const ckpt_schedule_action actions[] = {of_slot(CKPT_ACTION_KIND_STORE_BEGIN),
                                          action(CKPT_ACTION_KIND_FORWARD, 0, 1),
                                          drop(0),
                                          action(CKPT_ACTION_KIND_FORWARD_TAPE, 1, 2),
                                          drop(1),
                                          action(CKPT_ACTION_KIND_TURN, 0, 0),
                                          drop(2),
                                          of_slot(CKPT_ACTION_KIND_AWAIT),
                                          action(CKPT_ACTION_KIND_BACKWARD, 1, 2),
                                          of_slot(CKPT_ACTION_KIND_LOAD_BEGIN),
                                          of_slot(CKPT_ACTION_KIND_AWAIT),
                                          of_slot(CKPT_ACTION_KIND_DROP),
                                          action(CKPT_ACTION_KIND_RECORD, 0, 1),
                                          drop(0),
                                          action(CKPT_ACTION_KIND_BACKWARD, 0, 1),
                                          action(CKPT_ACTION_KIND_END, 0, 0)};
  ckpt_profile* profile = make_profile(0);
  Listed listed;
  const ckpt_program_operation* operations = listed.operations;
  const ckpt_program_buffer* stored = NULL;
  list_program(actions, 16, profile, &listed);
  CHECK(listed.operation_count == 10 && listed.arena_bytes[2] == 128 && listed.arena_bytes[1] == 0);
  CHECK(operations[0].kind == CKPT_ACTION_KIND_STORE_BEGIN && operations[0].stream == 3 && operations[0].transfer == 5);
  CHECK(operations[4].kind == CKPT_ACTION_KIND_AWAIT && operations[4].stream == 0 && operations[4].transfer == 5);
  CHECK(operations[6].kind == CKPT_ACTION_KIND_LOAD_BEGIN && operations[6].stream == 4);
  CHECK(operations[7].kind == CKPT_ACTION_KIND_AWAIT && operations[7].output == operations[6].output);
  stored = &listed.buffers[operations[0].output];
  CHECK(stored->tier == 2 && stored->slot == 3 && stored->offset == 0 && stored->first == 0 && stored->last == 7);
  /* x_0 was dropped, but its copy lasts until the AWAIT */
  CHECK(listed.buffers[0].last == 4 && operations[6].input == operations[0].output);
  ckpt_profile_release(profile);
}

static void what_stays(void) {
  ckpt_profile* profile = make_profile(0);
  const ckpt_schedule_action actions[] = {
      action(CKPT_ACTION_KIND_FORWARD_TAPE, 0, 2), drop(0), drop(1),
      action(CKPT_ACTION_KIND_TURN, 0, 0),         drop(2), action(CKPT_ACTION_KIND_BACKWARD, 0, 2),
      action(CKPT_ACTION_KIND_END, 0, 0)};
  Listed listed;
  CHECK_OK(ckpt_profile_set_flags(profile, CKPT_PROFILE_FLAG_KEEPS_INPUT | CKPT_PROFILE_FLAG_KEEPS_OUTPUT));
  list_program(actions, 7, profile, &listed);
  CHECK(listed.buffers[0].last == 5 && listed.buffers[listed.operations[1].output].last == 5);
  CHECK(listed.buffers[listed.operations[0].output].last == 1);
  ckpt_profile_release(profile);
}

static void bad_input(void) {
  ckpt_profile* profile = make_profile(0);
  ckpt_profile* other = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule* broken = NULL;
  ckpt_schedule* endless = NULL;
  ckpt_program* program = NULL;
  ckpt_program_buffer buffer;
  const ckpt_schedule_action end = action(CKPT_ACTION_KIND_END, 0, 0);
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  int64_t count = 7;
  char text[8192];
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  CHECK_FAILS(ckpt_program_create(NULL, profile, &program), CKPT_E_INVALID_ARGUMENT, "schedule is NULL");
  CHECK_FAILS(ckpt_program_create(schedule, NULL, &program), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK_FAILS(ckpt_program_create(schedule, profile, NULL), CKPT_E_INVALID_ARGUMENT, "program is NULL");
  CHECK_OK(ckpt_schedule_create_list(2, &end, 1, &broken));
  CHECK_FAILS(ckpt_program_create(broken, profile, &program), CKPT_E_INVALID_SCHEDULE, "action 0 (END)");
  CHECK_OK(ckpt_profile_create_uniform(5000000, &layer, &option, &other));
  CHECK_FAILS(ckpt_program_create(schedule, other, &program), CKPT_E_INVALID_ARGUMENT, "schedule is for 2 layers");
  CHECK_OK(ckpt_schedule_create(other, "store-all", &endless));
  CHECK_FAILS(ckpt_program_create(endless, other, &program), CKPT_E_OUT_OF_RANGE, "4194304");
  CHECK(program == NULL);

  CHECK_OK(ckpt_program_create(schedule, profile, &program));
  CHECK_FAILS(ckpt_program_get_arena_bytes(program, -1, &count), CKPT_E_INVALID_ARGUMENT, "tier is -1");
  CHECK_FAILS(ckpt_program_get_arena_bytes(program, CKPT_TIERS, &count), CKPT_E_INVALID_ARGUMENT, "tier is 4");
  CHECK_FAILS(ckpt_program_get_buffers(program, &buffer, -1, &count), CKPT_E_INVALID_ARGUMENT, "capacity is -1");
  CHECK_FAILS(ckpt_program_get_buffers(program, NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "buffers is NULL");
  CHECK_FAILS(ckpt_program_get_operations(program, NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "operations is NULL");
  CHECK_FAILS(ckpt_program_get_operations(program, NULL, 0, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK(count == 7);
  CHECK_OK(ckpt_program_get_json(program, NULL, 0, &count));
  CHECK(count > 1000 && count < (int64_t)sizeof text);
  CHECK_OK(ckpt_program_get_json(program, text, sizeof text, &count));
  CHECK(strstr(text, "{\"format\":\"ckpt-program\",\"version\":1,\"arena_bytes\":[") == text);
  ckpt_program_release(NULL);
  ckpt_program_release(program);
  ckpt_schedule_release(endless);
  ckpt_schedule_release(broken);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(other);
  ckpt_profile_release(profile);
}

int main(void) {
  every_layer_records();
  in_place();
  slower_tier();
  what_stays();
  bad_input();
  return 0;
}
