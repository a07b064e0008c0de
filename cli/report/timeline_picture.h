// Who computed what when in the last step of a pipeline.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli::report {

// A lane a stage: forwards, recomputations and backwards; where there is nothing the stage waits.
std::string timeline_picture(const std::vector<PipelineInterval>& intervals, std::int32_t stages,
                             std::chrono::nanoseconds step_time);

}  // namespace ckpt::cli::report
