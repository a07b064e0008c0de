// Observes sizes and accesses first, then selects the layers that are large, rarely used or late.
#pragma once

#include <unordered_set>

#include "base/fork_mutex.h"
#include "strategy/pattern.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

struct SmartOptions {
  double large_factor = 1.5;       // > 0, finite: selects layers with more bytes than this times the mean
  std::int64_t rare_accesses = 2;  // >= 0: selects layers with fewer accesses than this, including the query
  double late_share = 0.7;         // 0 .. 1: selects layers after this share of the known layers
};

class Smart final : public Strategy {
 public:
  // excluded: names or globs that are observed and never selected.
  Smart(const SmartOptions& options, std::span<const std::string> excluded);
  std::string name() const override { return "Smart"; }
  Parameters parameters() const override;
  std::vector<std::string> text_values() const override;
  // Ignores layers that were never queried.
  void observe_access(std::string_view layer_name) override;

  // Selects nothing until this many layers were queried, or an index repeats.
  static constexpr std::int32_t layers_watched_first = 10;

 private:
  __extension__ using Wide = __int128;  // petabytes times thousands of layers exceed 64 bits

  struct Layer {
    std::int64_t bytes = 0;  // latest activation
    std::int64_t accesses = 0;
    bool excluded = false;
  };

  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
  void clear_state() override;
  Layer& learn(std::string_view layer_name);
  // Returns true while this query is only observed.
  bool watching(std::int64_t layer_index);

  PatternSet excluded_;
  double large_factor_;
  std::int64_t rare_accesses_;
  double late_share_;

  base::ForkMutex mutex_;
  NameTable numbers_;
  std::vector<Layer> layers_;  // by number
  Wide total_bytes_ = 0;       // of all layers' latest activations
  bool watching_ = true;
  std::unordered_set<std::int64_t> indices_;  // seen during the observation phase
};

}  // namespace ckpt::strategy
