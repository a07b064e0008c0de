// Any bytes as the pickle of a .pt file: refused with an exception, or read as data, which then becomes a tree or is refused.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/pickle.h"
#include "cli/pickle_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ckpt::cli::PickleValue;
  using ckpt::cli::TreeNodes;
  constexpr std::size_t max_bytes = 1 << 20;
  const auto known = [](std::string_view global) { return global == "torch.Size"; };
  const auto refused = [](const PickleValue&, const std::string& path) -> TreeNodes { throw std::runtime_error(path); };
  std::optional<std::string> text;
  try {
    const ckpt::cli::Pickle pickle = ckpt::cli::read_pickle({reinterpret_cast<const char*>(data), size}, known);
    text = tree_text(pickle, pickle.root, refused, max_bytes);
  } catch (const std::runtime_error&) {
    return 0;
  }
  constexpr std::size_t around = 64;  // around the nodes
  if (text->size() > max_bytes + around || !nlohmann::json::accept(*text)) std::abort();
  return 0;
}
