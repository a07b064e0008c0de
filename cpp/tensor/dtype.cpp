#include "tensor/dtype.h"

#include <algorithm>
#include <array>

namespace ckpt::tensor {
namespace {

struct Row {
  std::string_view name;
  std::int64_t bits;
};

// In the order of the enumeration.
constexpr std::array<Row, last_dtype> rows = {{
    {"F4", 4},      {"F6_E2M3", 6},     {"F6_E3M2", 6},     {"BOOL", 8}, {"U8", 8},   {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8},
    {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16}, {"BF16", 16},   {"I32", 32},
    {"U32", 32},    {"F32", 32},        {"I64", 64},        {"U64", 64}, {"F64", 64}, {"C64", 64},
}};

const Row& row(Dtype dtype) { return rows[static_cast<std::size_t>(static_cast<std::int32_t>(dtype) - first_dtype)]; }

}  // namespace

std::int64_t dtype_bits(Dtype dtype) noexcept { return row(dtype).bits; }

std::int64_t dtype_alignment(Dtype dtype) noexcept {
  if (dtype == Dtype::c64) return 4;  // two F32
  return std::max<std::int64_t>(1, row(dtype).bits / 8);
}

std::string_view dtype_name(Dtype dtype) noexcept { return row(dtype).name; }

std::optional<Dtype> dtype_from_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == name) return static_cast<Dtype>(static_cast<std::int32_t>(i) + first_dtype);
  }
  return std::nullopt;
}

}  // namespace ckpt::tensor
