// The timeline of the last step of a pipeline.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli::report {

// One lane per stage with forward, recompute and backward passes; the stage is idle in gaps.
std::string timeline_picture(const std::vector<PipelineInterval>& intervals, std::int32_t stages,
                             std::chrono::nanoseconds step_time);

}  // namespace ckpt::cli::report
