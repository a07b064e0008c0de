// Weights of experts by their hypothetical losses: AdaHedge, with a learning rate that adapts to the unknown scale of the losses,
// with a fixed share that lets experts with past losses recover.
//
// Sources: de Rooij, van Erven, Grünwald, Koolen, "Follow the leader if you can, hedge if you must", JMLR 15, 2014; Herbster,
// Warmuth, "Tracking the best expert", Machine Learning 32, 1998.
#pragma once

#include <array>
#include <cstddef>

namespace ckpt::adaptive {

class Hedge {
 public:
  static constexpr std::size_t experts = 8;
  using Weights = std::array<double, experts>;

  // first: sums to 1. The fixed share is distributed equally.
  explicit Hedge(const Weights& first) : weights_(first) {}

  const Weights& weights() const { return weights_; }
  // losses: one for each expert, finite. scale: the typical magnitude of a loss, above 0; bounds the learning rate of the first
  // rounds.
  void learn(const Weights& losses, double scale);

  double mixability_gap() const { return gap_; }
  // weights: above 0.
  void restore(const Weights& weights, double mixability_gap);

 private:
  Weights weights_;
  double gap_ = 0;  // accumulated loss of the mixture relative to the mix loss (mixability gap)
};

}  // namespace ckpt::adaptive
