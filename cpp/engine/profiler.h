// Times every layer of a chain, so that planning knows seconds as well as bytes.
#pragma once

#include "base/thread_pool.h"
#include "engine/chain.h"
#include "engine/executor.h"

namespace ckpt::engine {

// The chain's shape, its profile with the median seconds of `runs` runs of every layer under every option, each alone on
// zeros. Parameters and gradients are afterwards as they were; ambient state too.
ChainShape measured_shape(Chain& chain, const TensorSpec& input, std::int32_t runs, base::ThreadPool& pool);

// The chain's profile with every layer timed where it runs, in steps of the whole chain on the data of given: medians of `runs`
// steps. Needs the memory of storing everything. Parameters, gradients and ambient state are afterwards as they were.
plan::ChainProfile measured_in_chain(const std::shared_ptr<Chain>& chain, const Step& given, std::int32_t runs,
                                     const std::shared_ptr<base::ThreadPool>& pool);

}  // namespace ckpt::engine
