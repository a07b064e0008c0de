// Times every layer of a chain, so that plans know seconds as well as bytes.
#pragma once

#include "base/thread_pool.h"
#include "engine/chain.h"
#include "engine/executor.h"

namespace ckpt::engine {

// Returns the chain's shape and profile, with the median seconds of `runs` runs of every layer under every option, each run
// separately on zeros. Parameters, gradients and ambient state are unchanged afterwards.
ChainShape measured_shape(Chain& chain, const TensorSpec& input, std::int32_t runs, base::ThreadPool& pool);

// Returns the chain's profile with every layer timed in place, in steps of the whole chain on the data of given: medians of
// `runs` steps. Needs the memory of storing everything. Parameters, gradients and ambient state are unchanged afterwards.
plan::ChainProfile measured_in_chain(const std::shared_ptr<Chain>& chain, const Step& given, std::int32_t runs,
                                     const std::shared_ptr<base::ThreadPool>& pool);

}  // namespace ckpt::engine
