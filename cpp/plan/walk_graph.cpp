// The rules of a walk that only graphs need. A value may have several readers, so each action looks up what its layer reads. The
// gradient of a value is complete only when all of them ran backward.
#include <algorithm>
#include <string>

#include "base/error.h"
#include "plan/walk.h"

namespace ckpt::plan {
namespace {

ItemKey input_key(std::int64_t value, const Action& action) { return {Item::input, 0, action.micro_batch, value}; }
ItemKey grad_key(std::int64_t value, const Action& action) { return {Item::grad, 0, action.micro_batch, value}; }

}  // namespace

void Walk::find_readers() {
  readers_.resize(static_cast<std::size_t>(profile_.layers()) + 1);
  for (std::int64_t layer = 0; layer < profile_.layers(); ++layer) {
    if (profile_.layer(layer).has(no_input_gradient)) continue;  // reads only the input
    for (const std::int64_t value : profile_.reads(layer).inputs) readers_[static_cast<std::size_t>(value)].layers.push_back(layer);
  }
  for (const std::int64_t value : profile_.outputs()) readers_[static_cast<std::size_t>(value)].is_output = true;
}

void Walk::require_read_by(const Action& action, std::int64_t value, std::int64_t layer) const {
  const Readers& readers = readers_[static_cast<std::size_t>(value)];
  const bool is_alone = readers.layers == std::vector{layer} && !readers.is_output;
  if (!is_alone)
    refuse(action, base::cat("value ", value, " is not kept between two layers: expected layer ", layer, " alone to read it"));
}

std::vector<ValueRead> Walk::need_inputs(const Action& action, std::int64_t layer, BufferId before) const {
  if (before != no_buffer) require_read_by(action, layer, layer);
  std::vector<ValueRead> reads;
  for (const std::int64_t value : profile_.reads(layer).inputs) {
    const bool is_before = before != no_buffer && value == layer;
    reads.push_back({.value = value, .input = is_before ? before : need_item(action, input_key(value, action))});
  }
  return reads;
}

std::vector<ValueRead> Walk::reads_only(std::int64_t layer, BufferId input) const {
  if (!profile_.is_graph()) return {};
  return {{.value = layer, .input = input}};
}

void Walk::require_advance(const Action& action) const {
  for (std::int64_t layer = action.first; layer < action.last; ++layer) {
    if (profile_.reads(layer).inputs != std::vector{layer})
      refuse(action, base::cat("layer ", layer, ": expected it to read only value ", layer));
    if (layer > action.first) require_read_by(action, layer, layer);
  }
}

// ---- Backward ----

// The last reader creates the gradient of a value, unless TURN does; the others add to it, in descending order.
bool Walk::creates_grad(std::int64_t value, std::int64_t layer) const {
  const Readers& readers = readers_[static_cast<std::size_t>(value)];
  return !readers.is_output && readers.layers.back() == layer;
}

// The next reader is enough: it ran only after all later ones.
void Walk::require_added(const Action& action, const MicroBatch& batch, std::int64_t value, std::int64_t layer) const {
  const std::vector<std::int64_t>& readers = readers_[static_cast<std::size_t>(value)].layers;
  const auto next = std::upper_bound(readers.begin(), readers.end(), layer);
  if (next != readers.end() && !batch.backward_ran.contains(*next))
    refuse(action, base::cat("GRAD(", value, "): layer ", *next, ", which adds to it first, has not run backward"));
}

std::vector<ValueRead> Walk::need_gradients(const Action& action, const MicroBatch& batch, std::int64_t layer) const {
  require_added(action, batch, layer + 1, layer);
  std::vector<ValueRead> reads;
  const bool makes_gradients = !profile_.layer(layer).has(no_input_gradient);
  const std::vector<std::int64_t>& needed = profile_.reads(layer).needed;
  for (const std::int64_t value : profile_.reads(layer).inputs) {
    ValueRead read{.value = value};
    if (std::ranges::find(needed, value) != needed.end()) read.input = need_item(action, input_key(value, action));
    if (makes_gradients) {
      require_added(action, batch, value, layer);
      read.creates_grad = creates_grad(value, layer);
      if (!read.creates_grad) read.grad = need_item(action, grad_key(value, action));
    }
    reads.push_back(read);
  }
  return reads;
}

void Walk::make_gradients(const Action& action, std::int64_t layer, std::vector<ValueRead>& reads) {
  if (profile_.layer(layer).has(no_input_gradient)) return;
  for (ValueRead& read : reads) {
    if (read.creates_grad) {
      read.grad = make_item(action, grad_key(read.value, action));
    } else if (!profile_.layer(layer).has(adds_gradient)) {
      read.term = allocate({BufferRole::grad, 0, read.value, profile_.bytes_of(read.value)});
    }
  }
}

}  // namespace ckpt::plan
