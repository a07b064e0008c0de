// Converts between trees and groups of a state or a checkpoint; a group of a tree holds its text and its tensors.
#pragma once

#include <memory>
#include <string_view>

#include "state/manager/reader.h"
#include "state/state.h"
#include "state/tree.h"

namespace ckpt::state {

// The group becomes the tree. Error(already_exists) when it has tensors and is none.
void set_tree(State& state, std::string_view group, Tree& tree);
Tree tree_of(const State& state, std::string_view group);
// The tensors are read when they are asked for. group "": any.
Tree tree_of(const std::shared_ptr<Reader>& reader, std::string_view group);

}  // namespace ckpt::state
