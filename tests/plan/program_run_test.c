/* The example that runs programs on its own memory, with its allocations counted: one for each program, none in a step. */
#include <stdio.h>
#include <stdlib.h>

static int allocations;

static void* counted(void* memory) {
  ++allocations;
  return memory;
}

#define malloc(bytes) counted(malloc(bytes))
#define calloc(count, bytes) counted(calloc(count, bytes))
#define realloc(memory, bytes) counted(realloc(memory, bytes))
int run_program(void);
#define main run_program
#include "../../examples/c/run_program.c"
#undef main

int main(void) {
  enum { PROGRAMS = 6 };
  if (run_program() != 0) return 1;
  if (allocations == PROGRAMS) return 0;
  fprintf(stderr, "%d allocations for %d programs\n", allocations, (int)PROGRAMS);
  return 1;
}
