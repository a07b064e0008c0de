/* between SHIM N M A... -- B... -- C...: interleaves two commands. A runs until it stops before its N-th call that could change
 * the file system (stop_at.c is the SHIM); then B runs until it stops before its M-th such call or, with M 0, to its end. If B
 * stopped, A resumes and runs to its end; then C runs; then the process that is still stopped resumes and runs to its end. Prints
 * the exit codes of A and B. Exit code 3: A made fewer than N such calls and ran alone; 4: B made fewer than M, so it finished
 * first. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(char** command, const char* shim, const char* stop_at) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(600); /* a stopped process keeps its alarm */
  dup2(2, 1);
  if (shim != NULL && (setenv("LD_PRELOAD", shim, 1) != 0 || setenv("CKPT_STOP_AT", stop_at, 1) != 0)) _exit(126);
  execvp(command[0], command);
  perror(command[0]);
  _exit(127);
}

/* Returns the exit code, 128 + the number of the terminating signal, or -1 if the child stopped. */
static int wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, WUNTRACED) != child) {
    perror("between");
    exit(2);
  }
  if (WIFSTOPPED(status)) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Returns the command after the next "--", and terminates the previous one there. */
static char** after_dashes(char** words) {
  while (*words != NULL && strcmp(*words, "--") != 0) ++words;
  if (words[0] == NULL || words[1] == NULL) {
    fprintf(stderr, "usage: between SHIM N M A... -- B... -- C...\n");
    exit(2);
  }
  *words = NULL;
  return words + 1;
}

static int resume_to_end(pid_t stopped) {
  if (kill(stopped, SIGCONT) != 0) perror("between");
  return wait_for(stopped);
}

int main(int argc, char** argv) {
  char** const words = argc > 4 ? argv + 4 : argv + argc;
  char** const second_words = after_dashes(words);
  char** const third_words = after_dashes(second_words);
  const pid_t first = start(words, argv[1], argv[2]);
  int first_code = wait_for(first);
  int second_code = 0;
  pid_t second = 0;
  if (first_code >= 0) {
    printf("%d -\n", first_code);
    return 3;
  }
  second = start(second_words, argv[1], argv[3]);
  second_code = wait_for(second);
  if (second_code < 0) {
    first_code = resume_to_end(first);
    wait_for(start(third_words, NULL, NULL));
    printf("%d %d\n", first_code, resume_to_end(second));
    return 0;
  }
  wait_for(start(third_words, NULL, NULL));
  printf("%d %d\n", resume_to_end(first), second_code);
  return strcmp(argv[3], "0") == 0 ? 0 : 4;
}
