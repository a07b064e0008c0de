/* Damaged checkpoints: open and load never rename or remove a directory that contains a manifest; retention does not count
 * checkpoints that a load or verification of this process found bad, and removes them once they are older than all that it keeps.
 * */
#define _POSIX_C_SOURCE 200809L

#include <sys/stat.h>

#include "numbered.h"

static char scratch[64];
static char messages[1 << 16];
static char names[8][CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint of each step */

static void note(int32_t level, const char* component, const char* message, void* user_data) {
  const size_t used = strlen(messages);
  (void)level;
  (void)component;
  (void)user_data;
  snprintf(messages + used, sizeof messages - used, "%s\n", message);
}

static char root[128];

static ckpt_storage* new_root(const char* name) {
  ckpt_storage* storage = NULL;
  snprintf(root, sizeof root, "%s/%s", scratch, name);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  return storage;
}

static ckpt_checkpoint_manager* open_with(ckpt_storage* storage, ckpt_checkpoint_manager_options options) {
  ckpt_checkpoint_manager* checkpoint = NULL;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  return checkpoint;
}
static ckpt_checkpoint_manager* keep(ckpt_storage* storage, int64_t last) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = last;
  return open_with(storage, options);
}

static void save(ckpt_checkpoint_manager* checkpoint, int64_t step) {
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  CHECK_OK(numbered_save(checkpoint, step, &saved));
  memcpy(names[step], saved.name, sizeof saved.name);
}

/* Flips a bit of the last byte; a second call restores it. */
static void flip(int64_t step, const char* file) {
  char path[320];
  snprintf(path, sizeof path, "%s/%s/%s", root, names[step], file);
  FILE* stream = fopen(path, "r+b");
  CHECK(stream != NULL && fseek(stream, -1, SEEK_END) == 0);
  const int byte = fgetc(stream);
  CHECK(fseek(stream, -1, SEEK_END) == 0 && fputc(byte ^ 1, stream) == (byte ^ 1) && fclose(stream) == 0);
}

static int is_there(const char* format, const char* name) {
  char path[320];
  char inner[192];
  snprintf(inner, sizeof inner, format, name);
  snprintf(path, sizeof path, "%s/%s", root, inner);
  return access(path, F_OK) == 0;
}

/* Returns the loaded step; *skipped is the number of newer checkpoints that were skipped. */
static int64_t load(ckpt_checkpoint_manager* checkpoint, int64_t* skipped, char* report, size_t capacity) {
  numbered into;
  int64_t needed = 0;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  numbered_make(&into, 0);
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, into.state, NULL, &loaded));
  CHECK(numbered_value(&into) == (float)loaded.step);
  if (skipped != NULL) *skipped = loaded.skipped;
  if (report != NULL) CHECK_OK(ckpt_state_get_load_report(into.state, report, (int64_t)capacity, &needed));
  ckpt_state_release(into.state);
  return loaded.step;
}

/* Returns the listed steps, valid or not, such as "3 2 ". */
static const char* steps_of(ckpt_checkpoint_manager* checkpoint) {
  static char text[128];
  ckpt_checkpoint_info infos[16] = {CKPT_CHECKPOINT_INFO_INIT};
  int64_t count = 0;
  text[0] = '\0';
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, infos, 16, &count));
  CHECK(count <= 16);
  for (int64_t i = 0; i < count; ++i) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "%lld ", (long long)infos[i].step);
  }
  return text;
}

#define CHECK_STEPS(checkpoint, expected)                                                                                         \
  do {                                                                                                                            \
    const char* const found = steps_of(checkpoint);                                                                               \
    if (strcmp(found, expected) != 0) fprintf(stderr, "%s:%d: found '%s', expected '%s'\n", __FILE__, __LINE__, found, expected); \
    CHECK(strcmp(found, expected) == 0);                                                                                          \
  } while (0)

static void damage_keeps_its_name(void) {
  char report[4096];
  int64_t skipped = 0;
  ckpt_storage* storage = new_root("name");
  ckpt_checkpoint_manager* checkpoint = keep(storage, 0);
  for (int64_t step = 1; step <= 3; ++step) save(checkpoint, step);
  flip(3, "b.safetensors");
  flip(2, "manifest.json");
  CHECK(load(checkpoint, &skipped, report, sizeof report) == 1 && skipped == 2);
  CHECK(strstr(report, "\"skipped\":[{\"name\":\"step-000000000003-") != NULL && strstr(report, "\"status\":\"CORRUPT\"") != NULL);
  CHECK(strstr(report, "b.safetensors: tensor 't'") != NULL && strstr(report, names[2]) != NULL);
  CHECK(strstr(messages, names[3]) != NULL && strstr(messages, "was skipped for the older") != NULL);
  ckpt_checkpoint_manager_release(checkpoint);
  checkpoint = keep(storage, 1);
  CHECK(load(checkpoint, &skipped, NULL, 0) == 1 && skipped == 2);
  CHECK(is_there("%s/manifest.json", names[3]) && is_there("%s/a.safetensors", names[3]) && is_there("%s/manifest.json", names[2]));
  /* A repaired checkpoint can be loaded again. */
  flip(3, "b.safetensors");
  CHECK(load(checkpoint, &skipped, report, sizeof report) == 3 && skipped == 0);
  CHECK(strstr(report, "\"skipped\":[]") != NULL);
  /* A manifest that does not parse is neither counted nor removed. */
  save(checkpoint, 4);
  CHECK(is_there("%s/manifest.json", names[2]) && !is_there("%s", names[3]) && !is_there("%s", names[1]));
  CHECK_STEPS(checkpoint, "4 2 ");
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

static void retention_does_not_count_on_the_known_bad(void) {
  ckpt_storage* storage = new_root("count");
  ckpt_checkpoint_manager* checkpoint = keep(storage, 2);
  save(checkpoint, 1);
  save(checkpoint, 2);
  flip(2, "a.safetensors");
  CHECK(load(checkpoint, NULL, NULL, 0) == 1);
  save(checkpoint, 3);
  CHECK_STEPS(checkpoint, "3 2 1 "); /* the valid ones of 1 and 3 remain; 2 is not older than both */
  save(checkpoint, 4);
  CHECK_STEPS(checkpoint, "4 3 ");
  /* This damage is not known: retention only reads the manifest. */
  flip(4, "a.safetensors");
  save(checkpoint, 5);
  CHECK_STEPS(checkpoint, "5 4 ");
  /* A checkpoint that was bad and has been repaired counts again. */
  CHECK_FAILS(ckpt_checkpoint_manager_verify(checkpoint, names[4], NULL), CKPT_E_CORRUPT, "a.safetensors");
  flip(4, "a.safetensors");
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, names[4], NULL));
  save(checkpoint, 6);
  CHECK_STEPS(checkpoint, "6 5 ");
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

/* The newest checkpoint not known to be bad remains, whatever steps are saved after it. */
static void the_newest_good_one_stays(void) {
  ckpt_storage* storage = new_root("newest");
  ckpt_checkpoint_manager* checkpoint = keep(storage, 1);
  save(checkpoint, 6);
  save(checkpoint, 7);
  CHECK_STEPS(checkpoint, "7 ");
  save(checkpoint, 2);
  CHECK_STEPS(checkpoint, "7 2 ");
  flip(7, "b.safetensors");
  CHECK_FAILS(ckpt_checkpoint_manager_verify(checkpoint, names[7], NULL), CKPT_E_CORRUPT, "b.safetensors");
  save(checkpoint, 1);
  CHECK_STEPS(checkpoint, "7 2 1 "); /* 2 is the newest valid one, 1 was just saved, 7 is older than neither */
  save(checkpoint, 3);
  CHECK_STEPS(checkpoint, "7 3 ");
  CHECK(load(checkpoint, NULL, NULL, 0) == 3);
  /* A run that resumes from a lower step abandons step 7: retention then removes it first. */
  save(checkpoint, 4);
  CHECK_STEPS(checkpoint, "4 ");
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

/* Detected by another manager, over another storage object of the same directory. */
static void rounds_and_the_best_are_good_ones(void) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_manager_options reading = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_storage* other = NULL;
  ckpt_storage* storage = new_root("best");
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &other));
  options.keep_last = 1;
  options.keep_every = 2;
  options.keep_best = 1;
  reading.read_only = 1;
  ckpt_checkpoint_manager* checkpoint = open_with(storage, options);
  ckpt_checkpoint_manager* reader = open_with(other, reading);
  static const double metrics[] = {0, 0, 0.125, 0, 0.5, 0.75};
  for (int64_t step = 2; step <= 5; step += step == 4 ? 1 : 2) {
    numbered n;
    ckpt_save_options given = CKPT_SAVE_OPTIONS_INIT;
    ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
    numbered_make(&n, (float)step);
    given.step = step;
    given.has_metric = 1;
    given.metric = metrics[step];
    CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, n.state, &given, &saved));
    ckpt_state_release(n.state);
    memcpy(names[step], saved.name, sizeof saved.name);
    if (step == 4) CHECK_STEPS(checkpoint, "4 2 "); /* 2 is the best, and even */
    if (step != 4) continue;
    flip(2, "a.safetensors");
    CHECK_FAILS(ckpt_checkpoint_manager_verify(reader, names[2], NULL), CKPT_E_CORRUPT, "a.safetensors");
  }
  CHECK_STEPS(checkpoint, "5 4 ");
  ckpt_checkpoint_manager_release(reader);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(other);
  ckpt_storage_release(storage);
}

/* Earlier library versions renamed directories that they considered damaged. */
static void old_set_aside_directories_with_a_manifest_remain(void) {
  char from[256];
  char to[256];
  ckpt_storage* storage = new_root("aside");
  ckpt_checkpoint_manager* checkpoint = keep(storage, 1);
  save(checkpoint, 1);
  snprintf(from, sizeof from, "%s/%s", root, names[1]);
  snprintf(to, sizeof to, "%s/torn-%s", root, names[1]);
  CHECK(rename(from, to) == 0);
  snprintf(from, sizeof from, "%s/torn-step-000000000001-00000000", root);
  CHECK(mkdir(from, 0777) == 0);
  snprintf(from, sizeof from, "%s/step-000000000001-00000001", root);
  CHECK(mkdir(from, 0777) == 0);
  ckpt_checkpoint_manager_release(checkpoint);
  messages[0] = '\0';
  checkpoint = keep(storage, 1);
  CHECK(strstr(messages, "torn-step-000000000001-") != NULL && strstr(messages, "It is not used") != NULL);
  CHECK(strstr(messages, "was renamed 'torn-step-000000000001-00000001'") != NULL);
  save(checkpoint, 2);
  save(checkpoint, 3);
  CHECK(is_there("torn-%s/manifest.json", names[1]) && is_there("torn-%s/a.safetensors", names[1]));
  CHECK(!is_there("%s", "torn-step-000000000001-00000000") && !is_there("%s", "torn-step-000000000001-00000001"));
  CHECK_STEPS(checkpoint, "3 ");
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

static void nothing_is_linked_from_the_known_bad(void) {
  numbered n;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_storage* storage = new_root("link");
  ckpt_checkpoint_manager* checkpoint = keep(storage, 0);
  numbered_make(&n, 1);
  CHECK_OK(ckpt_state_set_rarely_changes(n.state, "a", 1));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, n.state, NULL, &saved));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, n.state, NULL, &saved));
  CHECK(saved.linked == 1);
  memcpy(names[0], saved.name, sizeof saved.name);
  flip(0, "b.safetensors");
  CHECK_FAILS(ckpt_checkpoint_manager_verify(checkpoint, saved.name, NULL), CKPT_E_CORRUPT, "b.safetensors");
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, n.state, NULL, &saved));
  CHECK(saved.linked == 0);
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, n.state, NULL, &saved));
  CHECK(saved.linked == 1);
  ckpt_state_release(n.state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

int main(void) {
  make_scratch(scratch, "recovery");
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, note, NULL, NULL));
  damage_keeps_its_name();
  retention_does_not_count_on_the_known_bad();
  the_newest_good_one_stays();
  rounds_and_the_best_are_good_ones();
  old_set_aside_directories_with_a_manifest_remain();
  nothing_is_linked_from_the_known_bad();
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, NULL, NULL, NULL));
  remove_scratch(scratch);
  return 0;
}
