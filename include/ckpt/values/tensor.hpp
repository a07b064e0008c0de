// Generated from include/ckpt by tools/api: do not edit.
// tensor.hpp - the values of tensor.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_TENSOR_HPP
#define CKPT_VALUES_TENSOR_HPP

#include <ckpt/tensor.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// An element type: one of DType, the 22 element types of the safetensors format. The numbers never change; 0 is not an element
// type. Storage, copies and exchange support all of them, arithmetic F32 and F64.
enum class DType : std::int32_t {
  // floating point of 4 bits: 2 exponent, 1 mantissa; two in a byte, the first in the low bits
  f4 = CKPT_DTYPE_F4,
  // floating point of 6 bits: 2 exponent, 3 mantissa; packed: four in three bytes
  f6_e2m3 = CKPT_DTYPE_F6_E2M3,
  // floating point of 6 bits: 3 exponent, 2 mantissa; packed: four in three bytes
  f6_e3m2 = CKPT_DTYPE_F6_E3M2,
  // truth value of one byte: 0 or 1
  bool_ = CKPT_DTYPE_BOOL,
  // unsigned integer of 8 bits
  u8 = CKPT_DTYPE_U8,
  // signed integer of 8 bits
  i8 = CKPT_DTYPE_I8,
  // floating point of 8 bits: 5 exponent, 2 mantissa
  f8_e5m2 = CKPT_DTYPE_F8_E5M2,
  // floating point of 8 bits: 4 exponent, 3 mantissa, no infinities ("e4m3fn")
  f8_e4m3 = CKPT_DTYPE_F8_E4M3,
  // floating point of 8 bits: exponent only, for scale factors
  f8_e8m0 = CKPT_DTYPE_F8_E8M0,
  // floating point of 8 bits: 4 exponent, 3 mantissa, no infinities, no negative zero
  f8_e4m3fnuz = CKPT_DTYPE_F8_E4M3FNUZ,
  // floating point of 8 bits: 5 exponent, 2 mantissa, no infinities, no negative zero
  f8_e5m2fnuz = CKPT_DTYPE_F8_E5M2FNUZ,
  // signed integer of 16 bits
  i16 = CKPT_DTYPE_I16,
  // unsigned integer of 16 bits
  u16 = CKPT_DTYPE_U16,
  // floating point of 16 bits: IEEE 754 binary16
  f16 = CKPT_DTYPE_F16,
  // floating point of 16 bits: the upper half of an F32
  bf16 = CKPT_DTYPE_BF16,
  // signed integer of 32 bits
  i32 = CKPT_DTYPE_I32,
  // unsigned integer of 32 bits
  u32 = CKPT_DTYPE_U32,
  // floating point of 32 bits: IEEE 754 binary32
  f32 = CKPT_DTYPE_F32,
  // signed integer of 64 bits
  i64 = CKPT_DTYPE_I64,
  // unsigned integer of 64 bits
  u64 = CKPT_DTYPE_U64,
  // floating point of 64 bits: IEEE 754 binary64
  f64 = CKPT_DTYPE_F64,
  // complex number of 64 bits: two F32, real and imaginary
  c64 = CKPT_DTYPE_C64,
};

// Options for creating a buffer pool.
struct BufferPoolOptions {
  // maximum number of bytes kept for reuse; beyond it the buffers that were returned first are released to the system; default
  // 256 MiB; std::nullopt: every buffer is kept for reuse
  std::optional<std::int64_t> retain_limit_bytes = 268435456;
  // layer name under which the tracker counts the pool's buffers; empty: "tensor"
  std::string layer_name = {};
};
namespace detail {
inline ckpt_buffer_pool_options to_c(const BufferPoolOptions& from) {
  ckpt_buffer_pool_options to = CKPT_BUFFER_POOL_OPTIONS_INIT;
  put(from.retain_limit_bytes, to.retain_limit_bytes, to.has_retain_limit);
  put(from.layer_name, to.layer_name);
  return to;
}
}  // namespace detail

// Current contents and counters of a buffer pool.
struct BufferPoolStats {
  // bytes that tensors use now, as the tracker counts them
  std::int64_t live_bytes = 0;
  // number of buffers that tensors use now; tensors without bytes need none
  std::int64_t live_buffers = 0;
  // bytes kept for reuse
  std::int64_t retained_bytes = 0;
  // number of buffers kept for reuse
  std::int64_t retained_buffers = 0;
  // bytes allocated from the system: live buffers, each rounded up to 64 bytes, and retained ones
  std::int64_t reserved_bytes = 0;
  // the largest value of reserved_bytes since the pool was created
  std::int64_t peak_reserved_bytes = 0;
  // number of buffers that tensors took since the pool was created
  std::int64_t taken = 0;
  // number of those buffers that were reused, without allocating memory from the system
  std::int64_t reused = 0;
};
namespace detail {
inline BufferPoolStats from_c(const ckpt_buffer_pool_stats& from) {
  BufferPoolStats to;
  take(to.live_bytes, from.live_bytes);
  take(to.live_buffers, from.live_buffers);
  take(to.retained_bytes, from.retained_bytes);
  take(to.retained_buffers, from.retained_buffers);
  take(to.reserved_bytes, from.reserved_bytes);
  take(to.peak_reserved_bytes, from.peak_reserved_bytes);
  take(to.taken, from.taken);
  take(to.reused, from.reused);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
