// Weights of experts by the losses that each would have had: AdaHedge, whose learning rate needs no knowledge of the losses' scale,
// with a fixed share that lets a former loser come back.
// Sources: de Rooij, van Erven, Grünwald, Koolen, "Follow the leader if you can, hedge if you must", JMLR 15, 2014;
// Herbster, Warmuth, "Tracking the best expert", Machine Learning 32, 1998.
#pragma once

#include <array>
#include <cstddef>

namespace ckpt::adaptive {

class Hedge {
 public:
  static constexpr std::size_t experts = 8;
  using Weights = std::array<double, experts>;

  // first: sums to 1. The fixed share flows to all alike.
  explicit Hedge(const Weights& first) : weights_(first) {}

  const Weights& weights() const { return weights_; }
  // losses: one for each expert, finite. scale: what a loss is of the order of, above 0; bounds the learning rate of the first
  // rounds.
  void learn(const Weights& losses, double scale);

  double mixability_gap() const { return gap_; }
  // weights: above 0.
  void restore(const Weights& weights, double mixability_gap);

 private:
  Weights weights_;
  double gap_ = 0;  // what the mixture has lost so far by not knowing the best expert
};

}  // namespace ckpt::adaptive
