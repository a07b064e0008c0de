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

// Activations alternate between two places; after them the workspace and the saved ambient state.
ForwardPass::ForwardPass(const Chain& chain, std::span<const TensorSpec> specs, std::shared_ptr<memory::Tracker> tracker)
    : chain_(chain), specs_(specs), tracker_(std::move(tracker)) {
  for (const TensorSpec& spec : specs_) activation_bytes_ = std::max(activation_bytes_, aligned(spec.bytes()));
  for (std::int64_t i = 0; i < chain.layers(); ++i) {
    const OptionNeeds needs = chain.layer(i).needs(specs_[static_cast<std::size_t>(i)], 0);
    workspace_bytes_ = std::max(workspace_bytes_, aligned(needs.forward_workspace_bytes));
    ambient_bytes_ = std::max(ambient_bytes_, aligned(chain.layer(i).ambient_bytes()));
  }
  const std::int64_t bytes = 2 * activation_bytes_ + workspace_bytes_ + ambient_bytes_;
  arena_.emplace(bytes);
  arena_->resize(arena_->data(), 0, bytes);
  if (bytes > 0) allocation_ = tracker_->allocate(tracker_->layer("evaluation"), bytes);
}

ForwardPass::~ForwardPass() {
  try {
    if (allocation_ != 0) tracker_->free(allocation_);
  } catch (...) {
    // Already freed directly through the tracker's interface: nothing to undo.
  }
}

const void* ForwardPass::run(const Step& step, std::int64_t layers, base::ThreadPool& pool) {
  if (step.input->bytes() > 0) std::memcpy(place(1), step.input->data(), static_cast<std::size_t>(step.input->bytes()));
  for (std::int64_t i = 0; i < layers; ++i) run_layer(i, step, place(i + 1), place(i), pool);
  return place(layers - 1);
}

void* ForwardPass::place(std::int64_t number) const { return arena_->data() + number % 2 * activation_bytes_; }

void ForwardPass::run_layer(std::int64_t i, const Step& step, const void* input, void* output, base::ThreadPool& pool) const {
  RunContext context;
  context.input = &specs_[static_cast<std::size_t>(i)];
  context.output = &specs_[static_cast<std::size_t>(i + 1)];
  context.layer = chain_.number(i);
  context.step = step.step;
  context.seed = step.seed;
  context.first_sample = step.first_sample;
  context.targets = step.targets;
  context.pool = &pool;
  context.evaluation = true;
  Layer& layer = chain_.layer(i);
  std::byte* const workspace = arena_->data() + 2 * activation_bytes_;
  std::byte* const ambient = workspace + workspace_bytes_;
  const bool has_ambient = layer.ambient_bytes() > 0;
  if (has_ambient) layer.save_ambient(ambient);
  const auto where = [](std::int64_t bytes, void* buffer) { return bytes == 0 ? nullptr : buffer; };
  layer.forward(context, {where(context.input->bytes(), const_cast<void*>(input)), where(context.output->bytes(), output), nullptr,
                          where(layer.needs(*context.input, 0).forward_workspace_bytes, workspace)});
  if (has_ambient) layer.restore_ambient(ambient);
}

}  // namespace ckpt::engine
