/* ckpt_safetensors_write follows links, keeps the mode of a file, and refuses other files than regular ones. */
#define _GNU_SOURCE

#include <sys/stat.h>

#include "numbered.h"

static char scratch[64];
static char path[128];
static numbered n;

static const char* in_scratch(const char* name) {
  snprintf(path, sizeof path, "%s/%s", scratch, name);
  return path;
}

static ckpt_status write_to(const char* name) { return ckpt_safetensors_write(in_scratch(name), n.state, "a", NULL); }

static struct stat status_of(const char* name) {
  struct stat status;
  CHECK(lstat(in_scratch(name), &status) == 0);
  return status;
}

static void is_readable(const char* name) {
  ckpt_reader* reader = NULL;
  int64_t count = 0;
  CHECK_OK(ckpt_reader_create(in_scratch(name), &reader));
  CHECK_OK(ckpt_reader_get_tensor_count(reader, &count));
  CHECK(count == 1);
  ckpt_reader_release(reader);
}

static void links_are_followed(void) {
  CHECK_OK(write_to("file"));
  CHECK(symlink("file", in_scratch("link")) == 0);
  CHECK(symlink("new", in_scratch("to new")) == 0);
  CHECK_OK(write_to("link"));
  CHECK_OK(write_to("to new"));
  CHECK(S_ISLNK(status_of("link").st_mode) && S_ISLNK(status_of("to new").st_mode));
  CHECK(S_ISREG(status_of("file").st_mode) && S_ISREG(status_of("new").st_mode));
  is_readable("file");
  is_readable("new");
}

static void modes_are_kept(void) {
  CHECK(chmod(in_scratch("file"), 0604) == 0);
  CHECK_OK(write_to("file"));
  CHECK((status_of("file").st_mode & 07777) == 0604);
}

static void others_are_refused(void) {
  struct stat before;
  CHECK(mkfifo(in_scratch("fifo"), 0600) == 0);
  before = status_of("fifo");
  CHECK_FAILS(write_to("fifo"), CKPT_E_INVALID_ARGUMENT, "found a FIFO");
  CHECK(S_ISFIFO(status_of("fifo").st_mode) && status_of("fifo").st_ino == before.st_ino);
  CHECK(symlink("/dev/null", in_scratch("to null")) == 0);
  CHECK_FAILS(write_to("to null"), CKPT_E_INVALID_ARGUMENT, "found a character device");
  CHECK_FAILS(ckpt_safetensors_write("/dev/null", n.state, "a", NULL), CKPT_E_INVALID_ARGUMENT, "found a character device");
  CHECK(mkdir(in_scratch("directory"), 0700) == 0);
  CHECK_FAILS(write_to("directory"), CKPT_E_INVALID_ARGUMENT, "a directory");
}

int main(void) {
  make_scratch(scratch, "safetensors");
  numbered_make(&n, 3);
  links_are_followed();
  modes_are_kept();
  others_are_refused();
  ckpt_state_release(n.state);
  remove_scratch(scratch);
  return 0;
}
