// Dropout: the mask is a function of (seed, step, layer, site, sample, element), so a recomputation gets the same mask.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"
#include "engine/layer.h"

namespace ckpt::engine {

class Drop {
 public:
  // site: distinguishes the masks of one layer.
  Drop(double probability, std::uint32_t site);

  // Returns true if elements are dropped in this run.
  bool active(const RunContext& context) const { return threshold_ > 0 && !context.evaluation; }

  // y = x, scaled, where kept, else 0; [samples, width] of the context's input. x nullptr: only computes masks. masks: nullptr,
  // or receives the kept flags as bits, mask_bytes per sample. y may be x.
  template <class T>
  void apply(const RunContext& context, const T* x, T* y, std::uint8_t* masks) const;
  // The same with stored masks.
  template <class T>
  void apply_kept(const RunContext& context, const T* x, const std::uint8_t* masks, T* y) const;
  // Each sample's mask begins on a byte boundary.
  static std::int64_t mask_bytes(std::int64_t width) { return (width + 7) / 8; }

 private:
  double scale_;
  std::uint32_t threshold_;  // an element is kept if its random word is at least this
  std::uint32_t site_;
};

// Fails with Error(invalid_argument) unless 0 <= probability < 1.
void require_probability(const char* name, double probability);

}  // namespace ckpt::engine
