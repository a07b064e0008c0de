/* A roll-back through the C API: a run resumes from step 300 in a directory that holds step 600, and saves 310, 320 and 330. */
#define _POSIX_C_SOURCE 200809L

#include "numbered.h"

static int warnings = 0;

static void count_warnings(ckpt_log_level level, const char* component, const char* message, void* user_data) {
  (void)level;
  (void)user_data;
  if (strcmp(component, "state") == 0 && strstr(message, "generation 1 continues from 'step-000000000300-") != NULL) ++warnings;
}

static ckpt_checkpoint_manager* open_manager(ckpt_storage* storage, int64_t keep_last, ckpt_bool read_only) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = keep_last;
  options.read_only = read_only;
  ckpt_checkpoint_manager* manager = NULL;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &manager));
  return manager;
}

static ckpt_save_result save(ckpt_checkpoint_manager* manager, ckpt_state* state, int64_t step) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  char json[32];
  snprintf(json, sizeof json, "%lld", (long long)step);
  CHECK_OK(ckpt_state_set_json(state, "value", json));
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &options, &result));
  return result;
}

static int64_t load(ckpt_checkpoint_manager* manager, ckpt_state* state, int64_t step) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  options.has_step = step >= 0;
  options.step = step;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  CHECK_OK(ckpt_checkpoint_manager_load(manager, state, &options, &result));
  return result.step;
}

int main(void) {
  char scratch[64];
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(make_scratch(scratch, "roll-back"), NULL, &storage));
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));

  ckpt_checkpoint_manager* manager = open_manager(storage, 4, 0);
  for (int64_t step = 300; step <= 600; step += 100) {
    const ckpt_save_result saved = save(manager, state, step);
    CHECK(saved.rolled_back == 0 && saved.generation == 0);
  }
  CHECK(load(manager, state, 300) == 300);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, count_warnings, NULL, NULL));
  for (int64_t step = 310; step <= 330; step += 10) {
    const ckpt_save_result saved = save(manager, state, step);
    CHECK(saved.rolled_back == (step == 310) && saved.generation == 1);
  }
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, NULL, NULL, NULL));
  CHECK(warnings == 1);
  ckpt_checkpoint_manager_release(manager);

  /* Another manager resumes from 330, and all checkpoints of the new run still exist. */
  manager = open_manager(storage, 0, 0);
  ckpt_checkpoint_info infos[8];
  for (int i = 0; i < 8; ++i) CHECK_OK(CKPT_INIT(ckpt_checkpoint_info, &infos[i]));
  int64_t count = 0;
  CHECK_OK(ckpt_checkpoint_manager_list(manager, infos, 8, &count));
  CHECK(count == 4);
  CHECK(infos[0].step == 330 && infos[1].step == 320 && infos[2].step == 310 && infos[3].step == 300);
  CHECK(infos[0].generation == 1 && infos[3].generation == 0 && infos[0].abandoned == 0 && infos[3].abandoned == 0);
  CHECK(load(manager, state, -1) == 330);

  /* A roll-back to 310 abandons 330 and 320; they remain until they are pruned. */
  CHECK(load(manager, state, 310) == 310);
  CHECK(save(manager, state, 315).generation == 2);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, infos, 8, &count));
  CHECK(count == 5 && infos[3].step == 330 && infos[3].abandoned == 1 && infos[4].step == 320 && infos[4].abandoned == 1);
  CHECK_OK(ckpt_checkpoint_manager_prune_abandoned(manager, 1, infos, 8, &count));
  CHECK(count == 2 && infos[0].step == 330 && infos[1].step == 320);
  CHECK_OK(ckpt_checkpoint_manager_pin(manager, 330));
  CHECK_OK(ckpt_checkpoint_manager_prune_abandoned(manager, 0, infos, 8, &count));
  CHECK(count == 1 && infos[0].step == 320);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, infos, 8, &count));
  CHECK(count == 4);
  CHECK(ckpt_checkpoint_manager_prune_abandoned(manager, 0, NULL, 1, &count) == CKPT_E_INVALID_ARGUMENT);
  CHECK(ckpt_checkpoint_manager_prune_abandoned(manager, 0, NULL, 0, NULL) == CKPT_E_INVALID_ARGUMENT);
  CHECK(ckpt_checkpoint_manager_prune_abandoned(NULL, 0, NULL, 0, &count) == CKPT_E_INVALID_ARGUMENT);
  ckpt_checkpoint_manager_release(manager);
  manager = open_manager(storage, 0, 1);
  CHECK(ckpt_checkpoint_manager_prune_abandoned(manager, 0, infos, 8, &count) == CKPT_E_INVALID_STATE);

  ckpt_checkpoint_manager_release(manager);
  ckpt_state_release(state);
  ckpt_storage_release(storage);
  remove_scratch(scratch);
  return 0;
}
