// Times every layer of a chain, so that planning knows seconds as well as bytes.
#pragma once

#include "base/thread_pool.h"
#include "engine/chain.h"

namespace ckpt::engine {

// The chain's shape, its profile with the least seconds of `runs` runs of every layer under every option, on zeros. Parameters and
// gradients are afterwards as they were; ambient state too.
ChainShape measured_shape(Chain& chain, const TensorSpec& input, std::int32_t runs, base::ThreadPool& pool);

}  // namespace ckpt::engine
