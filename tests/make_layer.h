/* Creates a layer with values that are only known at run time. */
#ifndef CKPT_TESTS_MAKE_LAYER_H
#define CKPT_TESTS_MAKE_LAYER_H

#include <stdarg.h>
#include <stdio.h>

#include <ckpt/engine.h>

static ckpt_status make_layer(ckpt_layer** layer, const char* name, const char* format, ...) {
  char kind[128];
  va_list values;
  va_start(values, format);
  vsnprintf(kind, sizeof kind, format, values);
  va_end(values);
  return ckpt_layer_create(name, kind, layer);
}

#endif /* CKPT_TESTS_MAKE_LAYER_H */
