// The timeline of a pipeline's step as a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// An <svg> element that stands alone in a page: a lane a stage, forwards, recomputations and backwards in colours of their own.
std::string timeline_picture(const std::vector<ckpt_pipeline_interval>& intervals, std::int32_t stages, std::int64_t step_ns);

}  // namespace ckpt::cli
