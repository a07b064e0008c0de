// Cuts a chain into pieces that take equal time, and among the cuts that do, the one with the most even memory.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/profile.h"

namespace ckpt::pipeline {

// Above the least possible time of the slowest piece, this much is given away for even memory.
constexpr double split_time_slack = 0.05;

// First layers of in_flight.size() pieces. A piece's time is its forwards and backwards; its memory what store-all keeps of one
// micro-batch, times how many of them are in flight. Without seconds in the profile memory alone counts.
// Error(invalid_argument) when there are more pieces than layers.
std::vector<std::int64_t> split(const plan::ChainProfile& profile, const std::vector<std::int32_t>& in_flight);

// What one micro-batch keeps of a layer from forward to backward when everything is stored.
double stored_bytes(const plan::LayerProfile& layer);

}  // namespace ckpt::pipeline
