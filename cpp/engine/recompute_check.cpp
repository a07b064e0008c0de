#include "engine/recompute_check.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <xxhash.h>

namespace ckpt::engine {

using base::fail;
using base::Status;

namespace {

constexpr std::int32_t no_output = -1;

bool runs_forward(const plan::Operation& operation) {
  return operation.kind == plan::Operation::Kind::forward || operation.kind == plan::Operation::Kind::record;
}

std::string hex(const std::byte* bytes, std::int64_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (std::int64_t i = count; i-- > 0;) {  // in the order of digits: most significant byte first
    text += digits[std::to_integer<std::size_t>(bytes[i] >> 4)];
    text += digits[std::to_integer<std::size_t>(bytes[i] & std::byte{15})];
  }
  return text;
}

// Returns an element with all its bits: numbers that print alike may differ.
std::string element_text(tensor::Dtype dtype, const std::byte* bytes, std::int64_t count) {
  std::string text;
  if (is_float(dtype)) {
    with_float(dtype, [&](auto number) {
      std::memcpy(&number, bytes, sizeof number);
      text = base::cat(number, " (", hex(bytes, count), ")");
    });
    return text;
  }
  return hex(bytes, count);
}

}  // namespace

RecomputeChecker::RecomputeChecker(RecomputeCheck check, const Chain& chain, const ChainShape& shape, const plan::Program& program,
                                   std::shared_ptr<memory::Tracker> tracker)
    : check_(check), chain_(chain), shape_(shape), operations_(program.operations) {
  if (check < RecomputeCheck::hash) return;
  find_outputs();
  if (check < RecomputeCheck::bitwise) return;
  const auto pool = tensor::BufferPool::create(std::move(tracker), "recompute check");
  for (Output& output : outputs_) output.kept = pool->take(output.bytes);
}

// Outputs that are computed only once are not kept.
void RecomputeChecker::find_outputs() {
  using Key = std::pair<std::int64_t, std::int32_t>;  // layer, micro-batch
  std::map<Key, std::vector<std::size_t>> runs;
  for (const plan::Operation& operation : operations_) {
    if (runs_forward(operation) && operation.output != plan::no_buffer)
      runs[{operation.layer, operation.micro_batch}].push_back(index_of(operation));
  }
  output_of_.assign(operations_.size(), no_output);
  for (const auto& [key, indices] : runs) {
    const std::int64_t bytes = shape_.profile.layer(key.first).output_bytes;
    if (indices.size() < 2 || bytes == 0) continue;
    for (const std::size_t index : indices) output_of_[index] = static_cast<std::int32_t>(outputs_.size());
    outputs_.push_back({&operations_[indices.front()], bytes, {}, {}});
  }
}

RecomputeChecker::Digest RecomputeChecker::digest_of(const void* bytes, std::int64_t count) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, static_cast<std::size_t>(count));
  return {hash.high64, hash.low64};
}

std::string RecomputeChecker::which(const plan::Operation& operation) const {
  return base::cat("layer ", chain_.number(operation.layer), " ", base::quote(chain_.layer(operation.layer).name()),
                   ", micro-batch ", operation.micro_batch, ": ");
}

void RecomputeChecker::before(const plan::Operation& operation) const {
  if (!operation.recomputation) return;
  const Layer& layer = chain_.layer(operation.layer);
  const std::span<const TensorSpec> inputs = shape_.inputs_of(operation.layer);
  const TensorSpec& was = shape_.specs[static_cast<std::size_t>(operation.layer) + 1];
  const TensorSpec output = layer.output_for(inputs);
  if (output != was)
    fail(Status::corrupt, which(operation), "the recomputed output is ", to_text(output), "; expected ", to_text(was));
  const OptionNeeds needs = layer.needs_for(inputs, operation.option);
  const plan::OptionProfile& had = shape_.profile.layer(operation.layer).options[static_cast<std::size_t>(operation.option)];
  const auto require_same = [&](const char* what, std::int64_t bytes, std::int64_t before) {
    if (bytes != before) {
      fail(Status::corrupt, which(operation), what, " of option ", operation.option, " is ", bytes,
           " in the recomputation; expected ", before);
    }
  };
  require_same("tape_bytes", needs.tape_bytes, had.tape_bytes);
  require_same("forward_workspace_bytes", needs.forward_workspace_bytes, had.forward_workspace_bytes);
  require_same("backward_workspace_bytes", needs.backward_workspace_bytes, had.backward_workspace_bytes);
}

void RecomputeChecker::after(const plan::Operation& operation, const void* output) {
  if (output_of_.empty()) return;
  const std::int32_t index = output_of_[index_of(operation)];
  if (index == no_output) return;
  Output& first = outputs_[static_cast<std::size_t>(index)];
  if (first.first != &operation) {
    compare(operation, first, output);
  } else if (check_ == RecomputeCheck::bitwise) {
    std::memcpy(first.kept.data(), output, static_cast<std::size_t>(first.bytes));
  } else {
    first.digest = digest_of(output, first.bytes);
  }
}

void RecomputeChecker::compare(const plan::Operation& operation, const Output& first, const void* output) const {
  if (check_ == RecomputeCheck::hash) {
    if (digest_of(output, first.bytes) == first.digest) return;
    fail(Status::corrupt, which(operation),
         "the recomputed output's hash differs from the first run's; the bitwise check names the element");
  }
  const auto* const was = static_cast<const std::byte*>(first.kept.data());
  const auto* const is = static_cast<const std::byte*>(output);
  if (std::memcmp(was, is, static_cast<std::size_t>(first.bytes)) == 0) return;
  const std::int64_t at = std::mismatch(was, was + first.bytes, is).first - was;
  const tensor::Dtype dtype = shape_.specs[static_cast<std::size_t>(operation.layer) + 1].dtype;
  const std::int64_t size = std::max<std::int64_t>(tensor::dtype_bits(dtype) / 8, 1);
  const std::int64_t element = at / size;
  fail(Status::corrupt, which(operation), "element ", element, " of the recomputed output is ",
       element_text(dtype, is + element * size, size), "; expected ", element_text(dtype, was + element * size, size));
}

}  // namespace ckpt::engine
