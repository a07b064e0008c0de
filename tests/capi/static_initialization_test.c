/* Loads the library and calls nothing: its function-local statics must be initialized by then; the addresses of their guard
 * variables are given. One initialized at its first use could be half-initialized when another thread forks, and the child's first
 * use would deadlock. Arguments: the library, then "name=hexadecimal address in the library" for each guard. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: made_at_load LIBRARY GUARD=ADDRESS...\n");
    return 2;
  }
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  struct link_map* map = NULL;
  if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map)) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int failed = 0;
  for (int i = 2; i < argc; ++i) {
    const char* const address = strrchr(argv[i], '=');
    if (!address) return 2;
    /* Itanium C++ ABI, 3.3.3: the first byte of a guard is not zero once the object is initialized. */
    const char* const guard = (const char*)map->l_addr + strtoull(address + 1, NULL, 16);
    if (!*guard) {
      fprintf(stderr, "not made when the library is loaded: %s\n", argv[i]);
      failed = 1;
    }
  }
  return failed;
}
