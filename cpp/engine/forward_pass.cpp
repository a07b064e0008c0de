#include "engine/forward_pass.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace ckpt::engine {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  constexpr std::int64_t alignment = 64;
  if (bytes > INT64_MAX / 4) base::fail(base::Status::out_of_memory, "activation has ", bytes, " bytes: too many");
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

// After the values' places: the workspace and the saved ambient state.
ForwardPass::ForwardPass(const Chain& chain, const ChainShape& shape, std::shared_ptr<memory::Tracker> tracker)
    : chain_(chain), shape_(shape), tracker_(std::move(tracker)) {
  place_values();
  for (std::int64_t i = 0; i < chain.layers(); ++i) {
    const OptionNeeds needs = chain.layer(i).needs_for(shape_.inputs_of(i), 0);
    workspace_bytes_ = std::max(workspace_bytes_, aligned(needs.forward_workspace_bytes));
    ambient_bytes_ = std::max(ambient_bytes_, aligned(chain.layer(i).ambient_bytes()));
  }
  const std::int64_t bytes = value_bytes_ + workspace_bytes_ + ambient_bytes_;
  arena_.emplace(bytes);
  arena_->resize(arena_->data(), 0, bytes);
  if (bytes > 0) allocation_ = tracker_->allocate(tracker_->layer("evaluation"), bytes);
}

// A value gets the place that was freed last, which grows if it is too small: the values of a chain alternate between two places.
void ForwardPass::place_values() {
  const std::int64_t layers = chain_.layers();
  std::vector<std::int64_t> last_reader(static_cast<std::size_t>(layers) + 1, layers);
  for (std::int64_t i = 0; i < layers; ++i) {
    for (const std::int64_t value : chain_.inputs(i)) last_reader[static_cast<std::size_t>(value)] = i;
    inputs_.resize(std::max(inputs_.size(), chain_.inputs(i).size()));
  }
  std::vector<std::int64_t> bytes;
  std::vector<std::size_t> free;
  for (std::int64_t value = 0; value <= layers; ++value) {
    if (free.empty()) {
      free.push_back(bytes.size());
      bytes.push_back(0);
    }
    const std::size_t place = free.back();
    free.pop_back();
    place_of_.push_back(place);
    bytes[place] = std::max(bytes[place], aligned(shape_.specs[static_cast<std::size_t>(value)].bytes()));
    if (value == 0) continue;
    for (const std::int64_t read : chain_.inputs(value - 1)) {
      if (last_reader[static_cast<std::size_t>(read)] == value - 1) free.push_back(place_of_[static_cast<std::size_t>(read)]);
    }
  }
  for (const std::int64_t each : bytes) {
    offsets_.push_back(value_bytes_);
    value_bytes_ += each;
  }
}

ForwardPass::~ForwardPass() {
  try {
    if (allocation_ != 0) tracker_->free(allocation_);
  } catch (...) {
    // Already freed directly through the tracker's interface: nothing to undo.
  }
}

const void* ForwardPass::run(const Step& step, std::int64_t layers, base::ThreadPool& pool) {
  if (step.input->bytes() > 0) std::memcpy(address(0), step.input->data(), static_cast<std::size_t>(step.input->bytes()));
  for (std::int64_t i = 0; i < layers; ++i) run_layer(i, step, pool);
  return address(layers);
}

void* ForwardPass::address(std::int64_t value) const {
  return arena_->data() + offsets_[place_of_[static_cast<std::size_t>(value)]];
}

void ForwardPass::run_layer(std::int64_t i, const Step& step, base::ThreadPool& pool) {
  RunContext context;
  context.inputs = shape_.inputs_of(i);
  context.input = context.inputs.data();
  context.output = &shape_.specs[static_cast<std::size_t>(i + 1)];
  context.layer = chain_.number(i);
  context.step = step.step;
  context.seed = step.seed;
  context.first_sample = step.first_sample;
  context.targets = step.targets;
  context.pool = &pool;
  context.evaluation = true;
  Layer& layer = chain_.layer(i);
  std::byte* const workspace = arena_->data() + value_bytes_;
  std::byte* const ambient = workspace + workspace_bytes_;
  const bool has_ambient = layer.ambient_bytes() > 0;
  if (has_ambient) layer.save_ambient(ambient);
  const auto where = [](std::int64_t bytes, void* buffer) { return bytes == 0 ? nullptr : buffer; };
  const auto reads = chain_.inputs(i);
  for (std::size_t k = 0; k < reads.size(); ++k) inputs_[k] = where(context.inputs[k].bytes(), address(reads[k]));
  layer.forward(context, {inputs_[0], where(context.output->bytes(), address(i + 1)), nullptr,
                          where(layer.needs_for(context.inputs, 0).forward_workspace_bytes, workspace),
                          std::span(inputs_).first(reads.size())});
  if (has_ambient) layer.restore_ambient(ambient);
}

}  // namespace ckpt::engine
