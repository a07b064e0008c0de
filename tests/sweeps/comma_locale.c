/* Preloaded into the tests with the label hosted: the program and its child processes run in a locale with a decimal comma, like a
 * host that calls setlocale(LC_ALL, ""). Aborts the program if that locale is not available, so that no test passes in another
 * locale. */
#define _POSIX_C_SOURCE 200809L

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has_comma(void) { return strcmp(localeconv()->decimal_point, ",") == 0; }

static void check_at_exit(void) {
  if (has_comma()) return;
  fprintf(stderr, "comma_locale: the program ends under another locale than it was started with\n");
  _exit(99);
}

__attribute__((constructor)) static void take_locale(void) {
  const char* const asked = getenv("LC_ALL");
  if (asked != NULL && strcmp(asked, "C") == 0) return; /* for a script that runs LC_ALL=C sort */
  if (setlocale(LC_ALL, "") == NULL || !has_comma()) {
    fprintf(stderr, "comma_locale: %s in %s has no decimal comma\n", asked == NULL ? "no LC_ALL" : asked, getenv("LOCPATH"));
    abort();
  }
  if (atexit(check_at_exit) != 0) abort();
}
