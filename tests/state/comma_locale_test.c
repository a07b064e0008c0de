/* A host that has called setlocale: numbers in manifests, in JSON values and in a controller's state do not depend on the locale's
 * decimal point, whether a comma or a two-byte character. 77: skipped. */
#define _POSIX_C_SOURCE 200809L

#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adaptive/events.h"
#include "folder.h"

static test_folder scratch;

static const char* const locales[][3] = {{"de_DE", "de_DE.UTF-8", ","}, {"ps_AF", "ps_AF.UTF-8", "\xD9\xAB"}};

/* Creates missing locales in the scratch directory, before the C library has searched for any of them there. */
static void make_locales(void) {
  char path[512];
  const char* const before = getenv("LOCPATH");
  for (int i = 0; i < 2; ++i) {
    char command[512];
    if (setlocale(LC_ALL, locales[i][1]) != NULL) continue;
    snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/%s >/dev/null 2>&1", locales[i][0], scratch, locales[i][1]);
    if (system(command) != 0) printf("localedef warned, or there is none\n");
  }
  CHECK(setlocale(LC_ALL, "C") != NULL);
  snprintf(path, sizeof path, "%s%s%s", scratch, before == NULL ? "" : ":", before == NULL ? "" : before);
  CHECK(setenv("LOCPATH", path, 1) == 0);
}

static void set(ckpt_state* state, const char* json, const char* expected) {
  char text[64];
  int64_t needed = 0;
  CHECK_OK(ckpt_state_set_json(state, "number", json));
  CHECK_OK(ckpt_state_get_json(state, "number", text, sizeof text, &needed));
  if (strcmp(text, expected) != 0) printf("%s became %s\n", json, text);
  CHECK(strcmp(text, expected) == 0);
}

static void numbers_do_not_depend_on_it(void) {
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  set(state, "0.001", "0.001");
  set(state, "[1.5,-0.25]", "[1.5,-0.25]");
  set(state, "1.5e300", "1.5e+300");
  set(state, "3.0", "3.0");
  set(state, "1e-400", "0.0");
  set(state, "0.1234567890123456", "0.1234567890123456");
  set(state, "-9223372036854775808", "-9223372036854775808");
  CHECK_FAILS(ckpt_state_set_json(state, "number", "9223372036854775808123"), CKPT_E_INVALID_ARGUMENT, "does not fit in 64 bits");
  CHECK_FAILS(ckpt_state_set_json(state, "number", "1.5e999"), CKPT_E_INVALID_ARGUMENT, "not usable JSON");
  CHECK_FAILS(ckpt_state_set_json(state, "number", "0,001"), CKPT_E_INVALID_ARGUMENT, "not usable JSON");
  ckpt_state_release(state);
}

static void acknowledged_checkpoints_stay(void) {
  char root[256];
  char manifest[4096];
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_state* state = NULL;
  ckpt_checkpoint_manager_options keep = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  int64_t count = 0;
  snprintf(root, sizeof root, "%s/run-%s", scratch, setlocale(LC_NUMERIC, NULL));
  keep.keep_last = 2;
  options.metadata_json = "{\"loss\":0.125}";
  options.has_metric = 1;
  options.metric = 0.001;
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &keep, &checkpoint));
  CHECK_OK(ckpt_state_create(&state));
  for (options.step = 1; options.step <= 3; ++options.step) {
    CHECK_OK(ckpt_state_set_json(state, "lr", "0.001"));
    CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, &options, NULL));
    CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, &loaded));
    CHECK(loaded.step == options.step && loaded.skipped == 0);
  }
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, &info, 1, &count));
  CHECK(count == 2 && info.status == CKPT_OK && info.step == 3 && info.metric == 0.001);
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_get_manifest(checkpoint, info.name, manifest, sizeof manifest, &count));
  CHECK(strstr(manifest, "\"metric\":0.001,") != NULL && strstr(manifest, "{\"loss\":0.125}") != NULL);
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

static void a_controller_is_restored(void) {
  static char text[1 << 18];
  static char again[1 << 18];
  ckpt_controller* controller = NULL;
  ckpt_controller* restored = NULL;
  int64_t needed = 0;
  CHECK_OK(ckpt_controller_create(NULL, &controller));
  CHECK_OK(ckpt_controller_create(NULL, &restored));
  CHECK_OK(record_begin_run(controller, 0.5));
  for (int i = 1; i <= 3; ++i) {
    CHECK_OK(record_task(controller, "step", 0.125));
    CHECK_OK(record_begin(controller, 100.5 * i));
    CHECK_OK(record_commit(controller, 100.5 * i + 1.25, 0.001, 1.25));
  }
  CHECK_OK(record_failure(controller, 1000.25));
  CHECK_OK(ckpt_controller_get_json(controller, text, sizeof text, &needed));
  CHECK(strstr(text, "0.125") != NULL);
  CHECK_OK(ckpt_controller_restore(restored, text));
  CHECK_OK(ckpt_controller_get_json(restored, again, sizeof again, &needed));
  CHECK(strcmp(text, again) == 0);
  ckpt_controller_release(controller);
  ckpt_controller_release(restored);
}

/* Files of other programs: their headers may contain any number, and so may the index file. */
static void indexed_folders_open(void) {
  static const char index[] = "{\"metadata\":{\"total_size\":4,\"ratio\":0.5},\"weight_map\":{\"w\":\"a.safetensors\"}}";
  static const char header[] = "{\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4],\"scale\":0.75}}";
  char path[256];
  ckpt_reader* reader = NULL;
  FILE* file = NULL;
  snprintf(path, sizeof path, "%s/folder-%s", scratch, setlocale(LC_NUMERIC, NULL));
  CHECK(mkdir(path, 0777) == 0 && chdir(path) == 0);
  file = fopen("model.safetensors.index.json", "wb");
  CHECK(file != NULL && fputs(index, file) >= 0 && fclose(file) == 0);
  file = fopen("a.safetensors", "wb");
  CHECK(file != NULL);
  for (int i = 0; i < 8; ++i) fputc(i == 0 ? (int)(sizeof header - 1) : 0, file);
  CHECK(fputs(header, file) >= 0 && fwrite("\1\2\3\4", 1, 4, file) == 4 && fclose(file) == 0);
  CHECK_OK(ckpt_reader_create(path, &reader));
  ckpt_reader_release(reader);
}

int main(void) {
  int tried = 0;
  make_folder(scratch, "comma");
  make_locales();
  numbers_do_not_depend_on_it();
  for (int i = 0; i < 2; ++i) {
    if (setlocale(LC_ALL, locales[i][1]) == NULL) {
      printf("SKIP: locale %s not found, and localedef (package locales) could not make one\n", locales[i][1]);
      continue;
    }
    ++tried;
    CHECK(strcmp(localeconv()->decimal_point, locales[i][2]) == 0);
    numbers_do_not_depend_on_it();
    acknowledged_checkpoints_stay();
    a_controller_is_restored();
    indexed_folders_open();
  }
  CHECK(chdir("/") == 0);
  char command[sizeof(test_folder) + 32];
  snprintf(command, sizeof command, "rm -rf %s", scratch);
  CHECK(system(command) == 0);
  return tried == 0 ? 77 : 0;
}
