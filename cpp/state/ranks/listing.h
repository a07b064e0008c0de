// The properties that must be equal on all ranks before a save: the tensors by name, dtype and global shape, and the save's
// options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/hash.h"
#include "state/save_options.h"
#include "state/state.h"

namespace ckpt::state {

struct ListedTensor {
  std::string group;
  std::string name;
  tensor::Dtype dtype{};
  Lengths shape;
  bool is_sharded = false;
};

struct Listing {
  std::vector<ListedTensor> tensors;  // in the order of groups and names
  std::string text;                   // one line per tensor
  Digest digest;                      // of the text
};

// Returns the tensors in the order of groups and names.
std::vector<ListedTensor> listed_tensors(const State& state);
// Returns "tensor 'w' of group 'model'".
std::string quoted_tensor(std::string_view group, std::string_view tensor);
// Returns "<name><tab><properties>" and a newline.
std::string tensor_line(const ListedTensor& tensor);

Listing listing_of(const State& state);
// Returns the options that must be equal, one line each.
std::string options_text(const SaveOptions& options);

// Returns the first difference between the lists of two ranks; "" if they are equal.
std::string difference(const std::string& mine, std::int64_t my_rank, const std::string& theirs, std::int64_t their_rank);

}  // namespace ckpt::state
