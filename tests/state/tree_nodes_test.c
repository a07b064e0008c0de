/* A tree of 10^6 nodes is written and read in linear time: each pass takes less than a second. */
#include "check.h"

#include <time.h>

#if defined(CKPT_SANITIZED)
enum { lists = 1000, numbers = 1000, limit_seconds = 30 };
#else
enum { lists = 1000, numbers = 1000, limit_seconds = 1 };
#endif

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void add(ckpt_tree* tree, ckpt_tree_kind kind, int64_t value) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  node.kind = kind;
  node.integer = value;
  node.count = value;
  CHECK_OK(ckpt_tree_add(tree, &node));
}

int main(void) {
  ckpt_tree* tree = NULL;
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  int64_t index = 1, i = 0, j = 0;
  double start = seconds();
  CHECK_OK(ckpt_tree_create(&tree));
  add(tree, CKPT_TREE_KIND_LIST, lists);
  for (i = 0; i < lists; ++i) {
    add(tree, CKPT_TREE_KIND_LIST, numbers - 1);
    for (j = 1; j < numbers; ++j) add(tree, CKPT_TREE_KIND_INTEGER, i * j);
  }
  printf("added in %.3f s\n", seconds() - start);
  CHECK(seconds() - start < limit_seconds);

  start = seconds();
  CHECK_OK(ckpt_tree_get(tree, 0, &node));
  CHECK(node.kind == CKPT_TREE_KIND_LIST && node.count == lists && node.end == 1 + (int64_t)lists * numbers);
  for (i = 0; i < lists; ++i) {
    CHECK_OK(ckpt_tree_get(tree, index++, &node));
    CHECK(node.kind == CKPT_TREE_KIND_LIST && node.count == numbers - 1 && node.end == index + numbers - 1);
    for (j = 1; j < numbers; ++j) {
      CHECK_OK(ckpt_tree_get(tree, index++, &node));
      CHECK(node.kind == CKPT_TREE_KIND_INTEGER && node.integer == i * j && node.end == index);
    }
  }
  printf("read in %.3f s\n", seconds() - start);
  CHECK(seconds() - start < limit_seconds);
  CHECK_FAILS(ckpt_tree_get(tree, index, &node), CKPT_E_OUT_OF_RANGE, "the tree has 1000001 nodes");
  ckpt_tree_release(tree);
  return 0;
}
