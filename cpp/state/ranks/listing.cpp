#include "state/ranks/listing.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;

std::map<std::string_view, std::string_view> lines_of(std::string_view text) {
  std::map<std::string_view, std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t tab = line.find('\t');
    if (end == std::string_view::npos || tab == std::string_view::npos) break;
    lines.emplace(line.substr(0, tab), line.substr(tab + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

std::string options_text(const SaveOptions& options) {
  return cat("step\t", options.step, "\nprefix\t", base::quote(options.prefix), "\nincremental\t", options.incremental,
             "\ncheck_replicas\t", options.check_replicas, '\n');
}

std::string quoted_tensor(std::string_view group, std::string_view tensor) {
  return cat("tensor ", base::quote(tensor), " of group ", base::quote(group));
}

std::string tensor_line(const ListedTensor& tensor) {
  std::string shape;
  for (const std::int64_t length : tensor.shape) shape += cat(shape.empty() ? "" : ", ", length);
  return cat("tensor ", base::json_string(tensor.name), " of group ", base::json_string(tensor.group), '\t',
             tensor::dtype_name(tensor.dtype), " [", shape, ']', tensor.is_sharded ? " in blocks" : "", '\n');
}

std::vector<ListedTensor> listed_tensors(const State& state) {
  std::vector<ListedTensor> tensors;
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& item : group.tensors) {
      const auto dimensions = item.tensor->shape().dimensions();
      tensors.push_back({group.name, item.name, item.tensor->dtype(), {dimensions.begin(), dimensions.end()}, false});
    }
    for (const ShardedTensor& item : group.sharded) tensors.push_back({group.name, item.name, item.dtype, item.shape, true});
  }
  std::ranges::sort(tensors, {}, [](const ListedTensor& tensor) { return std::tie(tensor.group, tensor.name); });
  return tensors;
}

Listing listing_of(const State& state) {
  Listing listing;
  listing.tensors = listed_tensors(state);
  for (const ListedTensor& tensor : listing.tensors) listing.text += tensor_line(tensor);
  for (const std::string& group : state.rarely_changing())
    listing.text += cat("rarely changing ", base::json_string(group), "\tyes\n");
  listing.digest = hash_of(listing.text);
  return listing;
}

std::string difference(const std::string& mine, std::int64_t my_rank, const std::string& theirs, std::int64_t their_rank) {
  const auto my_lines = lines_of(mine);
  const auto their_lines = lines_of(theirs);
  for (const auto& [what, how] : my_lines) {
    const auto other = their_lines.find(what);
    if (other == their_lines.end()) return cat(what, " is on rank ", my_rank, " but not on rank ", their_rank);
    if (other->second != how) return cat(what, " is ", how, " on rank ", my_rank, "; ", other->second, " on rank ", their_rank);
  }
  for (const auto& [what, how] : their_lines) {
    if (!my_lines.contains(what)) return cat(what, " is on rank ", their_rank, " but not on rank ", my_rank);
  }
  return "";
}

}  // namespace ckpt::state
