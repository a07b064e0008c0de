/* A chain of custom layers with the same functions. */
#ifndef CKPT_TESTS_CUSTOM_CHAIN_H
#define CKPT_TESTS_CUSTOM_CHAIN_H

#include "check.h"

/* Adds layers "<name>0", "<name>1", ...; each has its element of states, of state_bytes, as user_data. The caller adds the rest. */
static void add_custom_layers(ckpt_chain* chain, const char* name, int layers, const ckpt_layer_callbacks* callbacks, void* states,
                              size_t state_bytes) {
  int i;
  for (i = 0; i < layers; ++i) {
    ckpt_layer* layer = NULL;
    char full[32];
    snprintf(full, sizeof full, "%s%d", name, i);
    CHECK_OK(ckpt_layer_create_custom(full, callbacks, (char*)states + (size_t)i * state_bytes, NULL, &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
}

static ckpt_chain* custom_chain(int64_t first_layer, const char* name, int layers, const ckpt_layer_callbacks* callbacks,
                                void* states, size_t state_bytes) {
  ckpt_chain* chain = NULL;
  CHECK_OK(ckpt_chain_create(first_layer, &chain));
  add_custom_layers(chain, name, layers, callbacks, states, state_bytes);
  return chain;
}

#endif /* CKPT_TESTS_CUSTOM_CHAIN_H */
