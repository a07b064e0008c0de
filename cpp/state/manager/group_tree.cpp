#include "state/manager/group_tree.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "state/safetensors.h"

namespace ckpt::state {

using base::cat;
using base::Status;

namespace {

void check_tensors(const Tree& tree, const std::function<std::string(const TreeNode&)>& problem_of) {
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const TreeNode& node = tree.nodes()[i];
    if (node.kind != TreeKind::tensor) continue;
    const std::string problem = problem_of(node);
    if (!problem.empty()) fail_corrupt(cat("the tree's text: node ", i, " is tensor ", base::quote(node.bytes), ": ", problem));
  }
}

Tree tree_of_bytes(const tensor::Tensor& text) {
  if (text.dtype() != tensor::Dtype::u8 || text.shape().ndim() != 1) {
    fail_corrupt(
        cat("the tree's text: expected dtype U8 with one dimension, found ", dtype_name(text.dtype()), ' ', to_text(text.shape())));
  }
  return parse_tree({static_cast<const char*>(text.data()), static_cast<std::size_t>(text.bytes())});
}

[[noreturn]] void fail_no_tree(std::string_view group) {
  base::fail(Status::not_found, "group ", base::quote(group), " is not a tree");
}

}  // namespace

void set_tree(State& state, std::string_view group, Tree& tree) {
  state.refuse_in_use();
  tree.require_complete();
  const auto old = std::ranges::find(state.groups(), group, &StateGroup::name);
  if (old != state.groups().end() && std::ranges::find(old->tensors, tree_tensor, &StateTensor::name) == old->tensors.end())
    base::fail(Status::already_exists, "group ", base::quote(group), " has tensors and is not a tree");
  std::vector<StateTensor> tensors;
  std::set<std::string_view> added;
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const TreeNode& node = tree.nodes()[i];
    if (node.kind != TreeKind::tensor || !added.insert(node.bytes).second) continue;
    base::require(node.tensor != nullptr || tree.has_source(), "the tree was parsed from text: it does not contain the tensor ",
                  base::quote(node.bytes));
    tensors.push_back({node.bytes, tree.tensor(static_cast<std::int64_t>(i))});
  }
  const std::string text = to_text(tree);
  auto bytes = tensor::Tensor::create(tensor::Dtype::u8, {static_cast<std::int64_t>(text.size())});
  std::memcpy(bytes->data(), text.data(), text.size());
  tensors.push_back({std::string(tree_tensor), std::move(bytes)});
  state.set_group(group, std::move(tensors));
}

Tree tree_of(const State& state, std::string_view group) {
  state.refuse_in_use();
  const auto found = std::ranges::find(state.groups(), group, &StateGroup::name);
  if (found == state.groups().end()) fail_no_tree(group);
  std::map<std::string, std::shared_ptr<tensor::Tensor>> tensors;
  for (const StateTensor& item : found->tensors) tensors.emplace(item.name, item.tensor);
  const auto text = tensors.find(std::string(tree_tensor));
  if (text == tensors.end()) fail_no_tree(group);
  Tree tree = tree_of_bytes(*text->second);
  check_tensors(tree, [&](const TreeNode& node) -> std::string {
    const auto item = tensors.find(node.bytes);
    if (item == tensors.end()) return "the group does not contain it";
    return form_problem(node, item->second->dtype(), item->second->shape().dimensions());
  });
  tree.set_source([tensors = std::move(tensors)](const std::string& name) { return tensors.at(name); });
  return tree;
}

Tree tree_of(const std::shared_ptr<Reader>& reader, std::string_view group) {
  std::int64_t text = 0;
  try {
    text = reader->find(group, tree_tensor);
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
    fail_no_tree(group);
  }
  const std::string inside = reader->group(text);
  Tree tree = tree_of_bytes(*reader->read_new(text, tensor::default_buffer_pool()));
  check_tensors(tree, [&](const TreeNode& node) -> std::string {
    try {
      const TensorEntry& entry = reader->at(reader->find(inside, node.bytes));
      return form_problem(node, entry.dtype, entry.shape);
    } catch (const base::Error& error) {
      return error.message();
    }
  });
  tree.set_source([reader, inside](const std::string& name) {
    return reader->read_new(reader->find(inside, name), tensor::default_buffer_pool());
  });
  return tree;
}

}  // namespace ckpt::state
