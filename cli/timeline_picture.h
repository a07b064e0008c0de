// The timeline of a pipeline's step as a picture.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// An <svg> element that stands alone in a page: a lane a stage, forwards, recomputations and backwards in colours of their own.
std::string timeline_picture(const std::vector<PipelineInterval>& intervals, std::int32_t stages,
                             std::chrono::nanoseconds step_time);

}  // namespace ckpt::cli
