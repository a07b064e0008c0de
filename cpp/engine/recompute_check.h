// Compares what a layer computes again in a step with what it computed first. A layer whose second run gives other bits makes wrong
// gradients, and nothing else would say so.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/chain.h"
#include "plan/program.h"
#include "tensor/buffer_pool.h"

namespace ckpt::engine {

// Numbers are those of CKPT_RECOMPUTE_CHECK_*. Each also checks what those before it do.
enum class RecomputeCheck : std::int32_t { none = 0, metadata = 1, hash = 2, bitwise = 3 };

class RecomputeChecker {
 public:
  // All must outlive the checker but the tracker, which counts what is kept. Takes all memory now.
  RecomputeChecker(RecomputeCheck check, const Chain& chain, const std::vector<TensorSpec>& specs,
                   const plan::ChainProfile& profile, const plan::Program& program, std::shared_ptr<memory::Tracker> tracker);

  // Around each forward and record of the program, in its order. Error(corrupt) names layer and micro-batch.
  void before(const plan::Operation& operation) const;
  void behind(const plan::Operation& operation, const void* output);

 private:
  struct Digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Digest&, const Digest&) = default;
  };
  // The output of a layer that runs more than once.
  struct Output {
    const plan::Operation* first = nullptr;  // the first run of the step
    std::int64_t bytes = 0;
    Digest digest;
    tensor::Buffer kept;
  };

  void find_outputs();
  std::size_t index_of(const plan::Operation& operation) const { return static_cast<std::size_t>(&operation - operations_.data()); }
  static Digest digest_of(const void* bytes, std::int64_t count);
  std::string which(const plan::Operation& operation) const;
  void compare(const plan::Operation& operation, const Output& first, const void* output) const;

  RecomputeCheck check_;
  const Chain& chain_;
  const std::vector<TensorSpec>& specs_;
  const plan::ChainProfile& profile_;
  const std::vector<plan::Operation>& operations_;
  std::vector<Output> outputs_;
  std::vector<std::int32_t> output_of_;  // by operation; none: nothing to keep or compare
};

}  // namespace ckpt::engine
