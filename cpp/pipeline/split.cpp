#include "pipeline/split.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace ckpt::pipeline {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

template <class Weight>
std::vector<double> prefix_sums(const plan::ChainProfile& profile, Weight&& weight) {
  std::vector<double> sums = {0};
  for (std::int64_t i = 0; i < profile.layers(); ++i) sums.push_back(sums.back() + weight(profile.layer(i)));
  return sums;
}

// Only the ratios of costs matter, so they are scaled down if their sum would overflow a double.
std::vector<double> prefix_seconds(const plan::ChainProfile& profile) {
  constexpr double large = 1e290;
  double max = 0;
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const plan::OptionProfile& option = profile.layer(i).options[0];
    max = std::max({max, option.forward_seconds, option.backward_seconds});
  }
  const double scale = max > large ? 1 / large : 1;
  return prefix_sums(profile, [scale](const plan::LayerProfile& layer) {
    return layer.options[0].forward_seconds * scale + layer.options[0].backward_seconds * scale;
  });
}

// cost(p, a, b): of layers a .. b-1 as piece p. Minimizes the largest cost of a piece, by dynamic programming over prefixes.
template <class Cost>
std::vector<std::int64_t> min_largest(std::int64_t layers, std::int64_t pieces, Cost&& cost, double& largest) {
  const auto at = [&](std::int64_t p, std::int64_t b) { return static_cast<std::size_t>(p * (layers + 1) + b); };
  std::vector<double> best(at(pieces, layers) + 1, endless);
  std::vector<std::int64_t> begin(best.size(), -1);
  best[at(0, 0)] = 0;
  for (std::int64_t p = 1; p <= pieces; ++p) {
    for (std::int64_t b = p; b <= layers - (pieces - p); ++b) {
      for (std::int64_t a = b; a-- > p - 1;) {
        const double own = cost(p - 1, a, b);
        const double candidate = std::max(best[at(p - 1, a)], own);
        if (candidate < best[at(p, b)]) {
          best[at(p, b)] = candidate;
          begin[at(p, b)] = a;
        }
        if (own > best[at(p, b)]) break;  // a longer piece costs at least as much
      }
    }
  }
  largest = best[at(pieces, layers)];
  std::vector<std::int64_t> begins;
  if (largest == endless) return begins;
  for (std::int64_t p = pieces, b = layers; p > 0; --p) {
    b = begin[at(p, b)];
    begins.push_back(b);
  }
  std::reverse(begins.begin(), begins.end());
  return begins;
}

}  // namespace

double stored_bytes(const plan::LayerProfile& layer) {
  return static_cast<double>(layer.output_bytes) + static_cast<double>(layer.options[0].tape_bytes);
}

std::vector<std::int64_t> split(const plan::ChainProfile& profile, const std::vector<std::int32_t>& in_flight) {
  profile.require_complete();
  const std::int64_t layers = profile.layers();
  const auto pieces = static_cast<std::int64_t>(in_flight.size());
  base::require(pieces >= 1 && pieces <= layers, "pieces is ", pieces, "; expected 1 .. ", layers, " layers of the chain");
  const std::vector<double> seconds = prefix_seconds(profile);
  const std::vector<double> bytes = prefix_sums(profile, stored_bytes);
  const auto sum = [](const std::vector<double>& sums, std::int64_t a, std::int64_t b) {
    return sums[static_cast<std::size_t>(b)] - sums[static_cast<std::size_t>(a)];
  };
  double min_time = 0;
  const auto by_time = min_largest(
      layers, pieces, [&](std::int64_t, std::int64_t a, std::int64_t b) { return sum(seconds, a, b); }, min_time);
  const double max_time = min_time * (1 + split_time_slack);
  double min_memory = 0;
  auto by_memory = min_largest(
      layers, pieces,
      [&](std::int64_t p, std::int64_t a, std::int64_t b) {
        if (sum(seconds, a, b) > max_time) return endless;
        return sum(bytes, a, b) * in_flight[static_cast<std::size_t>(p)];
      },
      min_memory);
  return by_memory.empty() ? by_time : by_memory;
}

}  // namespace ckpt::pipeline
