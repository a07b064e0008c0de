/* Storages by URI through the C API from C99: the storage of each scheme, refused URIs, and custom schemes, also from inside their
 * own functions and from many threads at once. An alarm ends the test on a deadlock. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

static ckpt_status open_uri(const char* uri) {
  ckpt_storage* storage = NULL;
  const ckpt_status status = ckpt_storage_create_from_uri(uri, &storage);
  CHECK((status == CKPT_OK) == (storage != NULL));
  ckpt_storage_release(storage);
  return status;
}

static int is_directory(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Saves a step through one URI, and loads it through another one. The storage of the first one exists meanwhile. */
static void same_place(const char* uri, const char* other) {
  ckpt_storage *first = NULL, *second = NULL;
  ckpt_checkpoint_manager *writer = NULL, *refused = NULL, *reader = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_save_options step = CKPT_SAVE_OPTIONS_INIT;
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_storage_create_from_uri(uri, &first));
  CHECK_OK(ckpt_checkpoint_manager_create(first, NULL, &writer));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "lr", "0.5"));
  step.step = 7;
  CHECK_OK(ckpt_checkpoint_manager_save(writer, state, &step, NULL));
  CHECK_OK(ckpt_storage_create_from_uri(other, &second));
  CHECK_FAILS(ckpt_checkpoint_manager_create(second, NULL, &refused), CKPT_E_BUSY, ""); /* one writer per location */
  options.read_only = 1;
  CHECK_OK(ckpt_checkpoint_manager_create(second, &options, &reader));
  CHECK_OK(ckpt_checkpoint_manager_load(reader, state, NULL, &loaded));
  CHECK(loaded.step == 7);
  ckpt_checkpoint_manager_release(reader);
  ckpt_checkpoint_manager_release(writer);
  ckpt_state_release(state);
  ckpt_storage_release(second);
  ckpt_storage_release(first);
}

static int64_t steps_in(const char* uri) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* reader = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  int64_t count = -1;
  options.read_only = 1;
  CHECK_OK(ckpt_storage_create_from_uri(uri, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &reader));
  CHECK_OK(ckpt_checkpoint_manager_list(reader, NULL, 0, &count));
  ckpt_checkpoint_manager_release(reader);
  ckpt_storage_release(storage);
  return count;
}

static void files(const char* root) {
  char uri[300], path[300];
  snprintf(uri, sizeof uri, "file://%s/a/b", root);
  same_place(uri, "a/b"); /* absolute and relative, with and without a scheme */
  same_place("file:run", "FILE:run/");
  same_place("file:b%6fth%20%25", "both %");
  CHECK(is_directory("both %"));
  same_place("file:%C3%BC", "\xc3\xbc");
  snprintf(uri, sizeof uri, "file:%s/c", root);
  snprintf(path, sizeof path, "%s/c", root);
  same_place(uri, path);
  CHECK_OK(open_uri("file:///"));
  CHECK_OK(open_uri("file:/"));
  /* A location without a scheme is a path. */
  same_place("./a:b", "a/../a:b");
  CHECK(is_directory("a:b"));
  same_place("c:x", "./c:x"); /* a scheme has two characters at least */
  same_place("_x:y", "./_x:y");
  same_place("9p:y", "./9p:y");
  same_place("d//%2e%2F", "d/%2e%2F");
  CHECK(is_directory("d/%2e%2F"));
  CHECK_OK(open_uri("../"));
  CHECK_OK(open_uri("."));
  CHECK_OK(open_uri("memory"));
  CHECK(is_directory("memory"));
  CHECK_FAILS(open_uri("/dev/null"), CKPT_E_INVALID_ARGUMENT, "/dev/null");
  CHECK_FAILS(open_uri("file:///dev/null"), CKPT_E_INVALID_ARGUMENT, "/dev/null");
}

static void memories(void) {
  ckpt_storage* kept = NULL;
  same_place("memory:run", "memory:run");
  same_place("memory:a/b", "MEMORY:%61/b/");
  CHECK(steps_in("memory:run") == 0); /* the last reference is released, and its contents are freed */
  CHECK_OK(ckpt_storage_create_from_uri("memory:kept", &kept));
  same_place("memory:kept", "memory:kept");
  CHECK(steps_in("memory:kept") == 1);
  CHECK(steps_in("memory:Kept") == 0); /* names are case-sensitive */
  CHECK(steps_in("memory:kept2") == 0);
  CHECK(steps_in("memory:") == 0);
  ckpt_storage_release(kept);
  CHECK(steps_in("memory:kept") == 0);
  {
    ckpt_storage *one = NULL, *two = NULL;
    ckpt_checkpoint_manager *a = NULL, *b = NULL;
    CHECK_OK(ckpt_storage_create_from_uri("memory:", &one)); /* two separate storages: two writers */
    CHECK_OK(ckpt_storage_create_from_uri("memory:", &two));
    CHECK_OK(ckpt_checkpoint_manager_create(one, NULL, &a));
    CHECK_OK(ckpt_checkpoint_manager_create(two, NULL, &b));
    ckpt_checkpoint_manager_release(a);
    ckpt_checkpoint_manager_release(b);
    ckpt_storage_release(one);
    ckpt_storage_release(two);
  }
  CHECK(!is_directory("kept") && !is_directory("run2"));
}

/* Each one is refused, whatever its scheme, and nothing is created. */
static void bad_texts(void) {
  static const struct {
    const char *rest, *why;
  } bad[] = {{"a/../b", "'..'"},
             {"..", "'..'"},
             {"../a", "'..'"},
             {"a/..", "'..'"},
             {"./a", "'.'"},
             {"a/.", "'.'"},
             {"a/%2e%2E/b", "'..'"},
             {"a/%2e/b", "'.'"},
             {"a/.%2e", "'..'"},
             {"a//b", "empty component"},
             {"a//", "empty component"},
             {"///a//b", "empty component"},
             {"////a", "empty component"},
             {"a\nb", "control character"},
             {"a%0ab", "control character"},
             {"a%00b", "control character"},
             {"a\x7f", "control character"},
             {"a%7F", "control character"},
             {"a\xc2\x85", "control character"},
             {"a%C2%85", "control character"},
             {"a%2fb", "encoded slash"},
             {"%2F", "encoded slash"},
             {"a%2F..%2Fb", "encoded slash"},
             {"%", "hexadecimal"},
             {"a%2", "hexadecimal"},
             {"a%zz", "hexadecimal"},
             {"a%+1", "hexadecimal"},
             {"a% 1", "hexadecimal"},
             {"a%%41", "hexadecimal"}};
  static const char* const schemes[] = {"file", "memory", "FiLe", "taken", "s3", "unheard-of"};
  size_t i, j;
  for (i = 0; i < sizeof bad / sizeof *bad; ++i) {
    for (j = 0; j < sizeof schemes / sizeof *schemes; ++j) {
      char uri[64];
      snprintf(uri, sizeof uri, "%s:%s", schemes[j], bad[i].rest);
      CHECK_FAILS(open_uri(uri), CKPT_E_INVALID_ARGUMENT, bad[i].why);
      CHECK(strstr(ckpt_last_error(), schemes[j]) != NULL); /* it names the text */
    }
  }
  CHECK_FAILS(open_uri("file:"), CKPT_E_INVALID_ARGUMENT, "no path");
  CHECK_FAILS(open_uri("file://"), CKPT_E_INVALID_ARGUMENT, "no path");
  CHECK_FAILS(open_uri("file:%20"), CKPT_E_INVALID_ARGUMENT, "blank");
  CHECK_FAILS(open_uri("file:%ff"), CKPT_E_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(open_uri("file://host/a"), CKPT_E_INVALID_ARGUMENT, "host 'host'");
  CHECK_FAILS(open_uri("file://run"), CKPT_E_INVALID_ARGUMENT, "host 'run'");
  CHECK_FAILS(open_uri("file://../a"), CKPT_E_INVALID_ARGUMENT, "'..'");
  CHECK_FAILS(open_uri("file:a?b"), CKPT_E_INVALID_ARGUMENT, "%3F");
  CHECK_FAILS(open_uri("memory:a#b"), CKPT_E_INVALID_ARGUMENT, "%23");
  CHECK_FAILS(open_uri("memory://a"), CKPT_E_INVALID_ARGUMENT, "memory:NAME");
  CHECK_FAILS(open_uri("memory:%20"), CKPT_E_INVALID_ARGUMENT, "blank");
  CHECK_FAILS(open_uri("memory:%ff"), CKPT_E_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(open_uri(""), CKPT_E_INVALID_ARGUMENT, "uri is blank");
  CHECK_FAILS(open_uri(" \t"), CKPT_E_INVALID_ARGUMENT, "uri is blank");
  CHECK_FAILS(open_uri("file:\xff"), CKPT_E_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(open_uri(NULL), CKPT_E_INVALID_ARGUMENT, "uri is NULL");
  CHECK_FAILS(ckpt_storage_create_from_uri("memory:", NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
}

static void unknown_schemes(void) {
  CHECK_FAILS(open_uri("s3://bucket/run"), CKPT_E_UNSUPPORTED, "libckpt-s3");
  CHECK(strstr(ckpt_last_error(), "'s3'") != NULL && strstr(ckpt_last_error(), "known: file, memory, taken") != NULL);
  CHECK_FAILS(open_uri("S3:x"), CKPT_E_UNSUPPORTED, "libckpt-s3");
  CHECK_FAILS(open_uri("gs://bucket"), CKPT_E_UNSUPPORTED, "has the scheme 'gs'; known: file, memory, taken");
  CHECK(strstr(ckpt_last_error(), "libckpt-s3") == NULL);
  CHECK_FAILS(open_uri("filex:a"), CKPT_E_UNSUPPORTED, "'filex'");
  CHECK(!is_directory("s3:") && !is_directory("gs:") && !is_directory("filex:a"));
}

/* ---- Custom schemes ---- */

typedef struct created {
  int calls, destroyed;
  char uri[100];
  int32_t result;
  const char* reason;
  ckpt_clock* wrong; /* returned instead of a storage */
  int nothing;
} created;

static void count_destroy(void* user_data) { ++((created*)user_data)->destroyed; }

static int32_t make(const char* uri, ckpt_storage** storage, void* user_data) {
  created* const seen = user_data;
  ++seen->calls;
  snprintf(seen->uri, sizeof seen->uri, "%s", uri);
  if (seen->result != 0) {
    if (seen->reason != NULL) ckpt_callback_error(seen->reason);
    return seen->result;
  }
  if (seen->wrong != NULL) *storage = (ckpt_storage*)(void*)seen->wrong;
  if (seen->wrong != NULL || seen->nothing) return CKPT_OK;
  return ckpt_storage_create_from_uri("memory:made", storage);
}

static void registering(void) {
  created seen = {0, 0, "", 0, NULL, NULL, 0};
  static const char* const no_scheme[] = {"s", "3s", "a b", "a:", "a_b", "-a", "a/b", "\xc3\xbc\xc3\xbc", ":", "a%41"};
  size_t i;
  CHECK_FAILS(ckpt_storage_register_scheme(NULL, make, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "scheme is NULL");
  CHECK_FAILS(ckpt_storage_register_scheme("", make, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "scheme is blank");
  CHECK_FAILS(ckpt_storage_register_scheme("mine", NULL, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "create is NULL");
  for (i = 0; i < sizeof no_scheme / sizeof *no_scheme; ++i) {
    CHECK_FAILS(ckpt_storage_register_scheme(no_scheme[i], make, &seen, count_destroy), CKPT_E_INVALID_ARGUMENT, "a letter first");
    CHECK_FAILS(ckpt_storage_unregister_scheme(no_scheme[i]), CKPT_E_NOT_FOUND, "scheme is");
  }
  CHECK_FAILS(ckpt_storage_register_scheme("file", make, &seen, count_destroy), CKPT_E_ALREADY_EXISTS, "'file'");
  CHECK_FAILS(ckpt_storage_register_scheme("Memory", make, &seen, count_destroy), CKPT_E_ALREADY_EXISTS, "'Memory'");
  CHECK_FAILS(ckpt_storage_unregister_scheme("file"), CKPT_E_NOT_FOUND, "'file'");
  CHECK_FAILS(ckpt_storage_unregister_scheme("mine"), CKPT_E_NOT_FOUND, "'mine'");
  CHECK_FAILS(ckpt_storage_unregister_scheme(NULL), CKPT_E_INVALID_ARGUMENT, "scheme is NULL");
  CHECK(seen.destroyed == 0 && seen.calls == 0); /* a failed call does not take user_data */

  CHECK_OK(ckpt_storage_register_scheme("Mine+x-2.0", make, &seen, count_destroy));
  CHECK_FAILS(ckpt_storage_register_scheme("mine+X-2.0", make, &seen, count_destroy), CKPT_E_ALREADY_EXISTS, "'mine+X-2.0'");
  CHECK(seen.destroyed == 0);
  same_place("MINE+x-2.0://host:80/a%20b/?q=http://x/../%2F#end", "memory:made");
  CHECK(strcmp(seen.uri, "MINE+x-2.0://host:80/a%20b/?q=http://x/../%2F#end") == 0); /* the complete URI, unchanged */
  CHECK(seen.calls == 1);
  CHECK_OK(open_uri("mine+x-2.0:"));
  CHECK_OK(ckpt_storage_unregister_scheme("MINE+X-2.0"));
  CHECK(seen.destroyed == 1);
  CHECK_FAILS(ckpt_storage_unregister_scheme("mine+x-2.0"), CKPT_E_NOT_FOUND, "'mine+x-2.0'");
  CHECK_FAILS(open_uri("mine+x-2.0:"), CKPT_E_UNSUPPORTED, "mine+x-2.0");
  CHECK_OK(ckpt_storage_register_scheme("mine", make, &seen, NULL)); /* without destroy */
  CHECK_OK(ckpt_storage_unregister_scheme("mine"));
  CHECK(seen.destroyed == 1 && seen.calls == 2);
}

static void storages_live_on(void) {
  created seen = {0, 0, "", 0, NULL, NULL, 0};
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_register_scheme("mine", make, &seen, count_destroy));
  CHECK_OK(ckpt_storage_create_from_uri("mine:x", &storage));
  CHECK_OK(ckpt_storage_unregister_scheme("mine"));
  CHECK(seen.destroyed == 1);
  same_place("memory:made", "memory:made");
  CHECK(steps_in("memory:made") == 1); /* kept alive by the storage only */
  ckpt_storage_release(storage);
  CHECK(steps_in("memory:made") == 0);
}

static void failures(void) {
  created seen = {0, 0, "", 0, NULL, NULL, 0};
  int32_t status;
  CHECK_OK(ckpt_storage_register_scheme("mine", make, &seen, count_destroy));
  for (status = CKPT_E_INVALID_ARGUMENT; status >= CKPT_E_INTERNAL; --status) { /* every status is passed on */
    seen.result = status;
    seen.reason = "no such bucket";
    CHECK_FAILS(open_uri("mine:x"), status, "no such bucket");
    CHECK(strstr(ckpt_last_error(), "mine:x") != NULL);
    seen.reason = NULL;
    CHECK_FAILS(open_uri("mine:x"), status, ckpt_status_name(status)); /* without the reason of an earlier call */
  }
  seen.result = 3;
  seen.reason = "three";
  CHECK_FAILS(open_uri("mine:x"), CKPT_E_CALLBACK, "three");
  seen.result = CKPT_E_INTERNAL - 1;
  CHECK_FAILS(open_uri("mine:x"), CKPT_E_CALLBACK, "three");
  seen.result = 0;
  seen.nothing = 1;
  CHECK_FAILS(open_uri("mine:x"), CKPT_E_INVALID_ARGUMENT, "*storage is NULL");
  CHECK_OK(ckpt_clock_create_manual(0, &seen.wrong));
  CHECK_FAILS(open_uri("mine:x"), CKPT_E_INVALID_ARGUMENT, "storage: expected a handle of kind 'storage', found clock");
  ckpt_clock_release(seen.wrong);
  seen.wrong = NULL;
  seen.nothing = 0;
  CHECK_OK(open_uri("mine:x"));
  CHECK_OK(ckpt_storage_unregister_scheme("mine"));
  CHECK(seen.destroyed == 1);
}

/* ---- Nested calls ---- */

static int inside = 0;
static int too_deep = 0;

static int32_t make_again(const char* uri, ckpt_storage** storage, void* user_data) {
  created* const seen = user_data;
  ++inside;
  CHECK_FAILS(open_uri(uri), CKPT_E_INVALID_STATE, "is recursive");
  CHECK_FAILS(ckpt_storage_register_scheme("again", make_again, NULL, NULL), CKPT_E_ALREADY_EXISTS, "'again'");
  CHECK_OK(ckpt_storage_register_scheme("other", make, seen, count_destroy)); /* others may be registered and unregistered */
  CHECK_OK(open_uri("other:x"));
  CHECK_OK(ckpt_storage_unregister_scheme("other"));
  CHECK(seen->destroyed == 1);
  CHECK_OK(ckpt_storage_unregister_scheme("again")); /* this call runs to its end */
  CHECK(seen->destroyed == 1);                       /* during the call its user_data is in use */
  CHECK_FAILS(open_uri(uri), CKPT_E_UNSUPPORTED, "'again'");
  CHECK_OK(ckpt_storage_register_scheme("again", make, seen, count_destroy)); /* the name can be registered again */
  CHECK_OK(open_uri("again:y"));                                              /* by the new scheme */
  CHECK_OK(ckpt_storage_unregister_scheme("again"));
  CHECK(seen->destroyed == 2);
  return ckpt_storage_create_memory(storage);
}

/* "deep:N" opens "deep:N-1", down to 0; "ring:a" opens "ring:b", which opens "ring:a". */
static int32_t make_deep(const char* uri, ckpt_storage** storage, void* user_data) {
  const int left = atoi(uri + strlen("deep:"));
  char next[32];
  (void)user_data;
  ++inside;
  if (left == 0) return ckpt_storage_create_memory(storage);
  snprintf(next, sizeof next, "deep:%d", left - 1);
  if (ckpt_storage_create_from_uri(next, storage) == CKPT_OK) return CKPT_OK;
  too_deep += strstr(ckpt_last_error(), "is nested inside 32 others") != NULL;
  return CKPT_E_INVALID_STATE;
}

static int32_t make_ring(const char* uri, ckpt_storage** storage, void* user_data) {
  (void)user_data;
  ++inside;
  if (ckpt_storage_create_from_uri(strcmp(uri, "ring:a") == 0 ? "ring:b" : "ring:a", storage) == CKPT_OK) return CKPT_OK;
  ckpt_callback_error(ckpt_last_error());
  return CKPT_E_INVALID_STATE;
}

/* The scheme is free again when destroy runs, and destroy may register it. */
static void register_in_destroy(void* user_data) {
  created* const seen = user_data;
  if (++seen->destroyed == 1) CHECK_OK(ckpt_storage_register_scheme("reborn", make, seen, register_in_destroy));
}

static void from_inside(void) {
  created seen = {0, 0, "", 0, NULL, NULL, 0};
  CHECK_OK(ckpt_storage_register_scheme("again", make_again, &seen, count_destroy));
  CHECK_OK(open_uri("again:x"));
  CHECK(inside == 1 && seen.calls == 2);
  CHECK(seen.destroyed == 3); /* those of other, of the second again and of the first one, once each */
  CHECK_FAILS(ckpt_storage_unregister_scheme("again"), CKPT_E_NOT_FOUND, "'again'");

  inside = 0;
  CHECK_OK(ckpt_storage_register_scheme("deep", make_deep, NULL, NULL));
  CHECK_OK(open_uri("deep:20"));
  CHECK(inside == 21);
  CHECK_FAILS(open_uri("deep:100000"), CKPT_E_INVALID_STATE, "deep:100000");
  CHECK(inside == 21 + 32 && too_deep == 1);
  CHECK_OK(open_uri("deep:3")); /* nothing remains */
  CHECK_OK(ckpt_storage_unregister_scheme("deep"));

  inside = 0;
  CHECK_OK(ckpt_storage_register_scheme("ring", make_ring, NULL, NULL));
  CHECK_FAILS(open_uri("ring:a"), CKPT_E_INVALID_STATE, "'ring:a' is recursive");
  CHECK(inside == 2);
  CHECK_OK(ckpt_storage_unregister_scheme("ring"));

  memset(&seen, 0, sizeof seen);
  CHECK_OK(ckpt_storage_register_scheme("reborn", make, &seen, register_in_destroy));
  CHECK_OK(ckpt_storage_unregister_scheme("reborn"));
  CHECK(seen.destroyed == 1);
  CHECK_OK(open_uri("reborn:x"));
  CHECK_OK(ckpt_storage_unregister_scheme("reborn"));
  CHECK(seen.destroyed == 2);
}

/* ---- Many threads ---- */

#define THREADS 4
#define ROUNDS 300

static int used_after_destroy = 0;

static void mark_destroyed(void* user_data) { __atomic_store_n((int*)user_data, 1, __ATOMIC_RELEASE); }

static int32_t make_shared(const char* uri, ckpt_storage** storage, void* user_data) {
  (void)uri;
  if (__atomic_load_n((int*)user_data, __ATOMIC_ACQUIRE) != 0) __atomic_store_n(&used_after_destroy, 1, __ATOMIC_RELEASE);
  return ckpt_storage_create_from_uri("memory:threads", storage);
}

static void* open_often(void* unused) {
  int i;
  (void)unused;
  for (i = 0; i < ROUNDS; ++i) {
    const ckpt_status status = open_uri("busy://x"); /* present or missing, but never broken */
    CHECK(status == CKPT_OK || status == CKPT_E_UNSUPPORTED);
    CHECK_OK(open_uri("memory:threads"));
  }
  return NULL;
}

static void* come_and_go(void* gone) {
  int i;
  for (i = 0; i < ROUNDS; ++i) {
    CHECK_OK(ckpt_storage_register_scheme("busy", make_shared, (int*)gone + i, mark_destroyed));
    CHECK_OK(ckpt_storage_unregister_scheme("busy"));
  }
  return NULL;
}

/* All get the same storage of a name, so only one of them is its writer, until all have tried. */
static void* try_to_write(void* unused) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* writer = NULL;
  (void)unused;
  CHECK_OK(ckpt_storage_create_from_uri("memory:first", &storage));
  if (ckpt_checkpoint_manager_create(storage, NULL, &writer) != CKPT_OK) writer = NULL;
  ckpt_storage_release(storage);
  return writer;
}

static void threads(void) {
  pthread_t all[THREADS];
  void* found[THREADS];
  static int gone[ROUNDS];
  int i, writers = 0;
  for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&all[i], NULL, i == 0 ? come_and_go : open_often, i == 0 ? gone : NULL) == 0);
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(all[i], NULL) == 0);
  CHECK(!used_after_destroy);
  for (i = 0; i < ROUNDS; ++i) CHECK(gone[i] == 1);
  for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&all[i], NULL, try_to_write, NULL) == 0);
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(all[i], &found[i]) == 0);
  for (i = 0; i < THREADS; ++i) {
    writers += found[i] != NULL;
    ckpt_checkpoint_manager_release(found[i]);
  }
  CHECK(writers == 1);
}

int main(void) {
  created taken = {0, 0, "", 0, NULL, NULL, 0};
  test_folder root;
  char command[sizeof(test_folder) + 32];
  alarm(HANG_SECONDS);
  make_folder(root, "storage-uri");
  CHECK(chdir(root) == 0);
  files(root);
  memories();
  CHECK_OK(ckpt_storage_register_scheme("taken", make, &taken, count_destroy));
  bad_texts();
  unknown_schemes();
  CHECK(taken.calls == 0); /* refused URIs do not reach it */
  CHECK_OK(ckpt_storage_unregister_scheme("taken"));
  CHECK(taken.destroyed == 1);
  registering();
  storages_live_on();
  failures();
  from_inside();
  threads();
  CHECK(chdir("/") == 0);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  CHECK(system(command) == 0);
  return 0;
}
