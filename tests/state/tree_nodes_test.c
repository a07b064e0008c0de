/* A tree of 10^6 nodes is written and read in linear time: each pass takes less than a second, or, on a busy machine, at most 20
 * times as long as a pass over a tenth of the nodes. */
#include "check.h"

#include <time.h>

enum { lists = 1000, most_numbers = 1000 };

/* Seconds of processor time that a pass took. */
typedef struct passes {
  double add;
  double read;
} passes;

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void add(ckpt_tree* tree, ckpt_tree_kind kind, int64_t value) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  node.kind = kind;
  node.integer = value;
  node.count = value;
  CHECK_OK(ckpt_tree_add(tree, &node));
}

static passes add_and_read(int64_t numbers) {
  ckpt_tree* tree = NULL;
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  int64_t index = 1, i = 0, j = 0;
  passes took = {0, 0};
  double start = seconds();
  CHECK_OK(ckpt_tree_create(&tree));
  add(tree, CKPT_TREE_KIND_LIST, lists);
  for (i = 0; i < lists; ++i) {
    add(tree, CKPT_TREE_KIND_LIST, numbers - 1);
    for (j = 1; j < numbers; ++j) add(tree, CKPT_TREE_KIND_INTEGER, i * j);
  }
  took.add = seconds() - start;

  start = seconds();
  CHECK_OK(ckpt_tree_get(tree, 0, &node));
  CHECK(node.kind == CKPT_TREE_KIND_LIST && node.count == lists && node.end == 1 + lists * numbers);
  for (i = 0; i < lists; ++i) {
    CHECK_OK(ckpt_tree_get(tree, index++, &node));
    CHECK(node.kind == CKPT_TREE_KIND_LIST && node.count == numbers - 1 && node.end == index + numbers - 1);
    for (j = 1; j < numbers; ++j) {
      CHECK_OK(ckpt_tree_get(tree, index++, &node));
      CHECK(node.kind == CKPT_TREE_KIND_INTEGER && node.integer == i * j && node.end == index);
    }
  }
  took.read = seconds() - start;
  CHECK(index == 1 + lists * numbers);
  CHECK_FAILS(ckpt_tree_get(tree, index, &node), CKPT_E_OUT_OF_RANGE, numbers == most_numbers ? "the tree has 1000001 nodes" : "");
  ckpt_tree_release(tree);
  return took;
}

int main(void) {
  const passes tenth = add_and_read(most_numbers / 10);
  const passes whole = add_and_read(most_numbers);
  printf("added in %.3f s, a tenth in %.3f s; read in %.3f s, a tenth in %.3f s\n", whole.add, tenth.add, whole.read, tenth.read);
  CHECK(whole.add < 1 || whole.add < 20 * tenth.add);
  CHECK(whole.read < 1 || whole.read < 20 * tenth.read);
  return 0;
}
