// The steps of a graph: a layer has several inputs, and the backwards of all readers of a value make its gradient together.
// Layers run one by one; a value between two layers of one action is an entry like others, but no item of the schedule.
#include <algorithm>

#include "base/error.h"
#include "plan/driver.h"

namespace ckpt::plan {

using base::cat;

namespace {

// A value between two layers of one action: INPUT(value) may exist, too.
ItemKey between_key(std::int64_t value) { return {Item::input, 0, 1, value}; }

}  // namespace

void Driver::begin_graph() {
  const std::int64_t layers = std::ssize(graph_->layers);
  for (const std::int64_t value : graph_->outputs) {
    if (value != layers)
      base::fail(base::Status::unsupported, "value ", value, " is an output of the graph; expected only value ", layers);
  }
  readers_.resize(static_cast<std::size_t>(layers) + 1);
  pending_.resize(readers_.size());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (const std::int64_t value : reads(layer)) readers_[static_cast<std::size_t>(value)].push_back(layer);
  }
}

// between: the layer before made its output for this layer alone.
void Driver::find_inputs(const Action& action, std::int64_t layer, bool between) {
  from_.clear();
  for (const std::int64_t value : reads(layer))
    from_.push_back(between && value == layer ? find(between_key(value)) : need(action, input_key(value)));
}

// Decides which of the inputs end with the call; may_take: the actions after this one may end them. No handle is given away before
// this, because it may fail.
void Driver::mark_last_uses(const Action& action, bool may_take) {
  inputs_.assign(from_.size(), nullptr);
  input_flags_.assign(from_.size(), 0);
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const std::int32_t at = from_[i];
    if (at == Row<Live>::none || !live_[at].ready) continue;
    const std::int64_t value = live_[at].key.index;
    const bool is_between = live_[at].key == between_key(value);
    if (is_between || action.kind == Kind::advance || (may_take && is_last_use(action, value, at)))
      input_flags_[i] = drive_take_input;
  }
}

DriveInputs Driver::take_inputs() {
  for (std::size_t i = 0; i < from_.size(); ++i) inputs_[i] = last_read(from_[i], input_flags_[i] != 0);
  return {inputs_, input_flags_.data()};
}

void Driver::forward_graph(const Action& action) {
  for (std::int64_t layer = action.first; layer < action.last; ++layer) {
    const bool is_last = layer + 1 == action.last;
    find_inputs(action, layer, layer > action.first);
    if (action.kind == Kind::advance && live_[from_[0]].readers > 0)
      refuse(action, item_text(Item::input, layer, 0) + " would be overwritten during a copy: expected AWAIT first");
    const std::int32_t created = prepare(action, is_last ? input_key(layer + 1) : between_key(layer + 1));
    const DriveCall call = call_of(action, Kind::forward, layer, layer + 1);
    require_can(call);
    mark_last_uses(action, is_last);
    void* output = nullptr;
    check(call, callbacks_->forward_n(call, take_inputs(), &output));
    if (!store_handle(created, output)) fail_returned_handle(call, created, output);
    forwarded_ = std::max(forwarded_, layer + 1);
  }
}

// ---- Backward ----

// Fails unless the gradient that the layer reads is complete, and the layer is the next one to add to those of its inputs.
void Driver::require_complete(const Action& action, std::int64_t layer) const {
  const auto refuse_before = [&](std::int64_t value) {
    const auto at = static_cast<std::size_t>(value);
    const std::int64_t next = readers_[at][static_cast<std::size_t>(pending_[at] - 1)];
    refuse(action, cat(item_text(Item::grad, value, 0), ": layer ", next, ", which adds to it first, has not run backward"));
  };
  if (pending_[static_cast<std::size_t>(layer) + 1] > 0) refuse_before(layer + 1);
  for (const std::int64_t value : reads(layer)) {
    const auto at = static_cast<std::size_t>(value);
    const auto readers = std::span(readers_[at]).first(static_cast<std::size_t>(pending_[at]));
    if (readers.empty() || std::ranges::find(readers, layer) == readers.end())
      refuse(action, cat("layer ", layer, " ran backward already"));
    if (readers.back() != layer) refuse_before(value);
  }
}

// A new entry for each gradient that does not exist yet.
void Driver::find_gradients(const Action& action, std::int64_t layer) {
  gradients_.clear();
  made_.assign(reads(layer).size(), nullptr);
  for (const std::int64_t value : reads(layer)) {
    const std::int32_t there = find(grad_key(value));
    gradients_.push_back(there == Row<Live>::none ? prepare(action, grad_key(value)) : there);
  }
}

void Driver::backward_graph(const Action& action, std::int64_t layer) {
  require_complete(action, layer);
  auto [call, grad, tape] = begin_backward(action, layer);
  find_gradients(action, layer);
  from_.clear();
  for (const std::int64_t value : reads(layer)) from_.push_back(find(input_key(value)));
  const bool may_take = layer == action.first;
  const std::int32_t to = find(input_key(layer + 1));
  const bool takes_output = may_take && is_last_use(action, layer + 1, to);
  if (takes_output) call.flags |= drive_take_output;
  mark_last_uses(action, may_take);

  void* const output = last_read(to, takes_output);
  const DriveInputs inputs = take_inputs();
  void* const recorded = take_handle(tape);
  void* const grad_output = take_handle(grad);
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    Live& sum = live_[gradients_[i]];
    if (sum.handle == nullptr) continue;
    handles_.erase(sum.handle);
    made_[i] = std::exchange(sum.handle, nullptr);
  }
  check(call, callbacks_->backward_n(call, inputs, output, recorded, grad_output, made_.data()));
  store_gradients(call);
  for (const std::int64_t value : reads(layer)) --pending_[static_cast<std::size_t>(value)];
  ++ran_backward_;
}

// Valid handles are stored before an invalid one is reported, so that unwind() drops them.
void Driver::store_gradients(const DriveCall& call) {
  std::size_t invalid = gradients_.size();
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    if (!store_handle(gradients_[i], made_[i])) invalid = std::min(invalid, i);
  }
  if (invalid < gradients_.size()) fail_returned_handle(call, gradients_[invalid], made_[invalid]);
}

}  // namespace ckpt::plan
