// Converts between trees and groups of a state or a checkpoint; the group of a tree contains its text and its tensors.
#pragma once

#include <memory>
#include <string_view>

#include "state/manager/reader.h"
#include "state/state.h"
#include "state/tree.h"

namespace ckpt::state {

// Sets the group to the tree. Error(already_exists) if it has tensors and is not a tree.
void set_tree(State& state, std::string_view group, Tree& tree);
Tree tree_of(const State& state, std::string_view group);
// The tensors are read at their first use. group "": any.
Tree tree_of(const std::shared_ptr<Reader>& reader, std::string_view group);

}  // namespace ckpt::state
