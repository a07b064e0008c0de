// Cuts a chain into pieces of equal time, and among such cuts chooses the one with the most even memory.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/profile.h"

namespace ckpt::pipeline {

// The increase over the least possible time of the slowest piece that is accepted for more even memory.
constexpr double split_time_slack = 0.05;

// Returns the first layers of in_flight.size() pieces. A piece's time is its forwards and backwards; its memory is what store-all
// keeps of one micro-batch, times the number in flight. Without seconds in the profile only memory counts. Fails with
// Error(invalid_argument) if there are more pieces than layers.
std::vector<std::int64_t> split(const plan::ChainProfile& profile, const std::vector<std::int32_t>& in_flight);

// Returns the bytes that one micro-batch keeps of a layer from forward to backward if everything is stored.
double stored_bytes(const plan::LayerProfile& layer);

}  // namespace ckpt::pipeline
