/* Two processes write one file at the same time: each stops in the middle of its bytes, and the test resumes them in the worst
 * order. A file written by a call that returned OK is complete, and no writer removes or renames the file that another one is
 * writing.
 */
#define _DEFAULT_SOURCE

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "numbered.h"

enum { length = 3 << 20, stop_at = 2 << 20 };

static char scratch[64];
static char path[128];
static int to_test[2];
static int to_writer[2];
static unsigned char* memory;

/* The writer has reached a page that it may not read: it reports that, waits, and resumes. */
static void stop_here(int signal_number) {
  char byte = '?';
  (void)signal_number;
  if (write(to_test[1], "!", 1) != 1 || read(to_writer[0], &byte, 1) != 1) _exit(3);
  if (mprotect(memory + stop_at, length - stop_at, PROT_READ) != 0) _exit(4);
}

static int writer(unsigned char value) {
  const int64_t shape = length;
  struct sigaction action;
  ckpt_state* state = NULL;
  ckpt_tensor* tensor = NULL;
  alarm(HANG_SECONDS);
  memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  memset(memory, value, length);
  CHECK(mprotect(memory + stop_at, length - stop_at, PROT_NONE) == 0);
  memset(&action, 0, sizeof action);
  action.sa_handler = stop_here;
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0);
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_tensor_create_borrowed(memory, CKPT_DTYPE_U8, &shape, 1, NULL, NULL, &tensor));
  CHECK_OK(ckpt_state_add_tensor(state, "g", "t", tensor));
  CHECK_OK(ckpt_safetensors_write(path, state, "g", NULL));
  ckpt_tensor_release(tensor);
  ckpt_state_release(state);
  return 0;
}

typedef struct process {
  pid_t id;
  int says;
  int hears;
} process;

/* Returns after the process has written half of the file. */
static process start(unsigned char value) {
  process started;
  char byte = 0;
  CHECK(pipe(to_test) == 0 && pipe(to_writer) == 0);
  started.id = fork();
  CHECK(started.id >= 0);
  if (started.id == 0) _exit(writer(value));
  started.says = to_test[0];
  started.hears = to_writer[1];
  close(to_test[1]);
  close(to_writer[0]);
  CHECK(read(started.says, &byte, 1) == 1 && byte == '!');
  return started;
}

/* Resumes the process and expects success. */
static void finish(process writing) {
  int status = 0;
  CHECK(write(writing.hears, "!", 1) == 1);
  CHECK(waitpid(writing.id, &status, 0) == writing.id && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close(writing.says);
  close(writing.hears);
}

static void expect_whole(unsigned char value) {
  static unsigned char bytes[length];
  const int64_t shape = length;
  ckpt_reader* reader = NULL;
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_reader_create(path, &reader));
  CHECK_OK(ckpt_tensor_create_borrowed(bytes, CKPT_DTYPE_U8, &shape, 1, NULL, NULL, &tensor));
  CHECK_OK(ckpt_reader_read(reader, 0, tensor));
  for (int64_t i = 0; i < length; ++i) CHECK(bytes[i] == value);
  ckpt_tensor_release(tensor);
  ckpt_reader_release(reader);
}

static int files_there(void) {
  int count = 0;
  DIR* directory = opendir(scratch);
  CHECK(directory != NULL);
  for (struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

int main(void) {
  alarm(HANG_SECONDS);
  make_scratch(scratch, "writers");
  snprintf(path, sizeof path, "%s/model.safetensors", scratch);
  const process first = start(1);
  const process second = start(2);
  CHECK(files_there() == 2);
  finish(first); /* must not rename the other process's incomplete file */
  expect_whole(1);
  finish(second);
  expect_whole(2);
  CHECK(files_there() == 1);

  /* The next writer must not remove the file of a killed one, which could still be running. */
  const process third = start(3);
  CHECK(files_there() == 2);
  kill(third.id, SIGKILL);
  CHECK(waitpid(third.id, NULL, 0) == third.id);
  CHECK(files_there() == 2);
  const process fourth = start(4);
  finish(fourth);
  expect_whole(4);
  CHECK(files_there() == 2);
  remove_scratch(scratch);
  return 0;
}
