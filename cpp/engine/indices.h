// Tokens and targets: integers as U8 or I32.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace ckpt::engine {

inline bool is_index(tensor::Dtype dtype) noexcept { return dtype == tensor::Dtype::u8 || dtype == tensor::Dtype::i32; }

inline std::int64_t index_at(const void* data, tensor::Dtype dtype, std::int64_t i) {
  return dtype == tensor::Dtype::u8 ? static_cast<std::int64_t>(static_cast<const std::uint8_t*>(data)[i])
                                    : static_cast<std::int64_t>(static_cast<const std::int32_t*>(data)[i]);
}

}  // namespace ckpt::engine
