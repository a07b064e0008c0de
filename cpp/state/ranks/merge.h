// Merges the blocks of each tensor from the parts of all ranks. Tensors that every part so far has cut in the same way share one
// history, so 10,000 parts of 1,000 tensors use the memory of one tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "state/manifest.h"
#include "state/ranks/listing.h"
#include "state/ranks/part.h"

namespace ckpt::state {

class Merge {
 public:
  explicit Merge(const Listing& listing);

  // Call in the order of ranks. Error(invalid_argument) for a block of a tensor that is not listed.
  void add(const Part& part);
  // Returns each listed tensor with its placement. Error(invalid_argument) names the tensor and the ranks of overlapping blocks, or
  // the missing elements.
  std::vector<GroupRecord> finish() const;

 private:
  using Form = Lengths;  // one part's blocks of a tensor: two numbers per dimension of each block

  struct Step {
    std::int32_t before;  // the history that this step extends; -1: none
    std::int32_t form;
    std::int64_t part;
  };

  std::int32_t number_of(const Form& form);
  std::vector<Placement::Block> blocks_of(const ListedTensor& tensor, std::int32_t history) const;
  bool is_even(std::int32_t history) const;

  const Listing& listing_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> tensors_;
  std::vector<std::int32_t> histories_;  // by tensor; -1: no block yet
  std::vector<Step> steps_;
  std::map<Form, std::int32_t> forms_;
  std::vector<const Form*> by_number_;
};

}  // namespace ckpt::state
