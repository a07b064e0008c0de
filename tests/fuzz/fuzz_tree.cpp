// Any bytes as a tree's text, and as the nodes of one: refused with a specific status, or unchanged after writing and reading
// again.
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "state/tree.h"

namespace {

using ckpt::base::Status;

void try_text(const std::string& text) {
  std::string again;
  try {
    again = to_text(ckpt::state::parse_tree(text));
  } catch (const ckpt::base::Error& error) {
    if (error.status() != Status::corrupt && error.status() != Status::unsupported) std::abort();
    if (error.message().rfind("the tree's text", 0) != 0) std::abort();
    return;
  }
  const ckpt::state::Tree tree = ckpt::state::parse_tree(again);
  if (to_text(tree) != again) std::abort();
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    if (tree.nodes()[i].end <= i || tree.nodes()[i].end > tree.nodes().size()) std::abort();
  }
  if (tree.nodes()[0].end != tree.nodes().size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_text(text);
  try_text(R"({"format":"ckpt-tree","format_version":1,"nodes":[)" + text + "]}");
  try_text(R"({"format":"ckpt-tree","format_version":2,"nodes":[)" + text + "]}");
  return 0;
}
