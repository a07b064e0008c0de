/* The worked example of docs/reference/strategy.md: the layers of a small transformer chosen by a strategy. */
#include <stdio.h>
#include <stdlib.h>

#include <ckpt/strategy.h>

static void must(ckpt_status status) {
  if (status == CKPT_OK) return;
  fprintf(stderr, "%s: %s\n", ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

int main(void) {
  static const char* const layers[] = {"embed", "block.0.attn", "block.0.mlp", "block.1.attn", "block.1.mlp", "head"};
  static const int64_t features[] = {64, 64, 4096, 64, 4096, 1000};
  ckpt_strategy_counters counters = CKPT_STRATEGY_COUNTERS_INIT;
  ckpt_strategy* strategy = NULL;
  char name[128];
  int64_t i;

  must(ckpt_strategy_create("any(size:1MiB,!head,selective:*.attn,!block.0.*)", &strategy));
  must(ckpt_strategy_get_name(strategy, name, sizeof name, NULL));
  printf("%s\n", name);
  for (i = 0; i < 6; ++i) {
    const int64_t shape[] = {512, features[i]};
    int32_t answer = 0;
    must(ckpt_strategy_should_checkpoint_shape(strategy, layers[i], CKPT_DTYPE_F32, shape, 2, i, &answer));
    printf("%-12s %s\n", layers[i], answer ? "recompute" : "store");
  }
  must(ckpt_strategy_get_counters(strategy, &counters));
  printf("%d of %d layers, %d bytes\n", (int)counters.chosen_layers, (int)counters.asked_layers, (int)counters.chosen_bytes);
  ckpt_strategy_release(strategy);
  return counters.chosen_layers == 3 ? 0 : 1;
}
