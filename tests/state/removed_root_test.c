/* The directory of a storage is removed while it is in use: every call reports that the root no longer exists. */
#define _GNU_SOURCE

#include <sys/stat.h>

#include "numbered.h"

static const char gone[] = "no longer exists";

static void all_calls_report_it(ckpt_storage* storage, ckpt_checkpoint_manager* manager) {
  numbered n;
  int64_t count = 0;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_checkpoint_manager* other = NULL;
  ckpt_checkpoint_manager_options read_only = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_load_options named = CKPT_LOAD_OPTIONS_INIT;
  ckpt_reader* reader = NULL;
  read_only.read_only = 1;
  named.name = "step-00000001-0";
  CHECK_FAILS(numbered_save(manager, 2, NULL), CKPT_E_INVALID_STATE, gone);
  numbered_make(&n, 0);
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, NULL, NULL), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, &named, NULL), CKPT_E_INVALID_STATE, gone);
  ckpt_state_release(n.state);
  CHECK_FAILS(ckpt_checkpoint_manager_list(manager, NULL, 0, &count), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_checkpoint_manager_get_latest(manager, &info), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, 1, &info), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_checkpoint_manager_verify(manager, NULL, NULL), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, "last:1", 0, NULL, 0, &count), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_reader_create_from_checkpoint(manager, NULL, CKPT_VERIFY_NONE, &reader), CKPT_E_INVALID_STATE, gone);
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, &other), CKPT_E_INVALID_STATE, gone);
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &read_only, &other));
  CHECK_FAILS(ckpt_checkpoint_manager_list(other, NULL, 0, &count), CKPT_E_INVALID_STATE, gone);
  ckpt_checkpoint_manager_release(other);
}

int main(void) {
  char scratch[64];
  char root[80];
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  make_scratch(scratch, "removed-root");
  snprintf(root, sizeof root, "%s/run", scratch);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  CHECK_OK(numbered_save(manager, 1, NULL));
  remove_scratch(root);
  all_calls_report_it(storage, manager);
  CHECK(strstr(ckpt_last_error(), root) != NULL);
  /* A new directory of the same name does not replace the one that is open. */
  CHECK(mkdir(root, 0700) == 0);
  all_calls_report_it(storage, manager);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
  remove_scratch(scratch);
  return 0;
}
