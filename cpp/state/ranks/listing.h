// What all ranks of a run have to agree on before they save: the tensors by name, dtype and global shape, and the save's options.
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
  std::string text;                   // a line each
  Digest digest;                      // of the text
};

// In the order of groups and names.
std::vector<ListedTensor> listed_tensors(const State& state);
// "tensor 'w' of group 'model'"
std::string quoted_tensor(std::string_view group, std::string_view tensor);
// "<what it is><tab><how it is>" and the line's end.
std::string tensor_line(const ListedTensor& tensor);

Listing listing_of(const State& state);
// The options that have to be alike, a line each.
std::string options_text(const SaveOptions& options);

// The first difference between the texts of two ranks; "" when there is none.
std::string difference(const std::string& mine, std::int64_t my_rank, const std::string& theirs, std::int64_t their_rank);

}  // namespace ckpt::state
