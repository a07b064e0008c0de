// Compares a layer's recomputed results in a step with the first ones. A layer with nondeterministic bits would make wrong
// gradients without any other symptom.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/chain.h"
#include "plan/program.h"
#include "tensor/buffer_pool.h"

namespace ckpt::engine {

// Numbers are those of CKPT_RECOMPUTE_CHECK_*. Each includes the checks before it.
enum class RecomputeCheck : std::int32_t { none = 0, metadata = 1, hash = 2, bitwise = 3 };

class RecomputeChecker {
 public:
  // All arguments except the tracker, which counts the kept memory, must outlive the checker. Allocates all memory now.
  RecomputeChecker(RecomputeCheck check, const Chain& chain, const ChainShape& shape, const plan::Program& program,
                   std::shared_ptr<memory::Tracker> tracker);

  // Called around each forward and record of the program, in its order. Error(corrupt) names layer and micro-batch.
  void before(const plan::Operation& operation) const;
  void after(const plan::Operation& operation, const void* output);

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
  const ChainShape& shape_;
  const std::vector<plan::Operation>& operations_;
  std::vector<Output> outputs_;
  std::vector<std::int32_t> output_of_;  // by operation; none: not kept or compared
};

}  // namespace ckpt::engine
