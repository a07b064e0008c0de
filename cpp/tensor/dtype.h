// Element types: the 22 of the safetensors format, with permanent numbers. Some are smaller than a byte, so sizes are in bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ckpt::tensor {

// Numbers are those of CKPT_DTYPE_*; capi/tensor.cpp asserts it.
enum class Dtype : std::int32_t {
  f4 = 1,
  f6_e2m3 = 2,
  f6_e3m2 = 3,
  boolean = 4,
  u8 = 5,
  i8 = 6,
  f8_e5m2 = 7,
  f8_e4m3 = 8,
  f8_e8m0 = 9,
  f8_e4m3fnuz = 10,
  f8_e5m2fnuz = 11,
  i16 = 12,
  u16 = 13,
  f16 = 14,
  bf16 = 15,
  i32 = 16,
  u32 = 17,
  f32 = 18,
  i64 = 19,
  u64 = 20,
  f64 = 21,
  c64 = 22,
};

constexpr std::int32_t first_dtype = 1;
constexpr std::int32_t last_dtype = 22;

constexpr bool is_dtype(std::int32_t number) { return number >= first_dtype && number <= last_dtype; }

std::int64_t dtype_bits(Dtype dtype) noexcept;
// Returns the alignment of an element in bytes; 1 for types of less than a byte.
std::int64_t dtype_alignment(Dtype dtype) noexcept;
// Returns the name in the safetensors format: "F32", "F8_E4M3", "BOOL", ...
std::string_view dtype_name(Dtype dtype) noexcept;
// Returns nothing for an unknown name.
std::optional<Dtype> dtype_from_name(std::string_view name) noexcept;

}  // namespace ckpt::tensor
