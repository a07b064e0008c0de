// What is dropped at random: a mask that is a function of (seed, step, layer, site, sample, element), so making it again makes the
// same one.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"
#include "engine/layer.h"

namespace ckpt::engine {

class Drop {
 public:
  // site: which of a layer's several masks.
  Drop(double probability, std::uint32_t site);

  // Whether anything is dropped in this run.
  bool active(const RunContext& context) const { return threshold_ > 0 && !context.evaluation; }

  // y = x where kept, scaled, else 0; [samples, width] of the context's input, or, x nullptr, only masks. masks: nullptr, or
  // receives keep as bits, mask_bytes a sample. y may be x.
  template <class T>
  void apply(const RunContext& context, const T* x, T* y, std::uint8_t* masks) const;
  // The same with masks that were kept.
  template <class T>
  void apply_kept(const RunContext& context, const T* x, const std::uint8_t* masks, T* y) const;
  // A sample's mask begins on a byte of its own.
  static std::int64_t mask_bytes(std::int64_t width) { return (width + 7) / 8; }

 private:
  double scale_;
  std::uint32_t threshold_;  // an element is kept when its word is at least this
  std::uint32_t site_;
};

// Error(invalid_argument) unless 0 <= probability < 1.
void require_probability(const char* name, double probability);

}  // namespace ckpt::engine
