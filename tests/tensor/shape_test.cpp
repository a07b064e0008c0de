#include "tensor/shape.h"

#include <limits>
#include <set>
#include <vector>

#include "expect_error.h"

namespace ckpt::tensor {
namespace {

using base::Status;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(TensorDtype, AreThe22OfSafetensors) {
  std::set<std::string_view> names;
  for (std::int32_t number = first_dtype; number <= last_dtype; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
    EXPECT_EQ(dtype_bits(dtype) * 8 % dtype_alignment(dtype), 0);
    names.insert(dtype_name(dtype));
  }
  EXPECT_EQ(names.size(), 22U);
  EXPECT_FALSE(is_dtype(0));
  EXPECT_FALSE(is_dtype(23));
  EXPECT_EQ(dtype_from_name("f32"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(TensorDtype, BitsFollowTheNames) {
  EXPECT_EQ(dtype_bits(Dtype::f4), 4);
  EXPECT_EQ(dtype_bits(Dtype::f6_e2m3), 6);
  EXPECT_EQ(dtype_bits(Dtype::boolean), 8);
  EXPECT_EQ(dtype_bits(Dtype::f8_e8m0), 8);
  EXPECT_EQ(dtype_bits(Dtype::bf16), 16);
  EXPECT_EQ(dtype_bits(Dtype::f32), 32);
  EXPECT_EQ(dtype_bits(Dtype::c64), 64);
  EXPECT_EQ(dtype_alignment(Dtype::c64), 4);
  EXPECT_EQ(dtype_alignment(Dtype::f4), 1);
}

TEST(TensorShape, CountsElements) {
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{2, 3, 4}.elements()), 24);
  EXPECT_EQ((Shape{2, 2, 2, 2, 2, 2, 2, 2}.elements()), 256);
  EXPECT_EQ(to_text(Shape{2, 3}), "[2, 3]");
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3} == Shape{3, 2}));
  EXPECT_FALSE((Shape{1} == Shape{}));
}

TEST(TensorShape, AZeroMakesItEmpty) {
  EXPECT_EQ((Shape{0}.elements()), 0);
  EXPECT_EQ((Shape{largest, largest, 0}.elements()), 0);
  EXPECT_EQ(byte_size(Dtype::f64, Shape{largest, largest, 0}), 0);
}

TEST(TensorShape, RefusesInvalidShapes) {
  const std::vector<std::int64_t> nine(9, 1);
  expect_error(Status::invalid_argument, "ndim is 9; expected at most 8",
               [&] { Shape shape{std::span<const std::int64_t>(nine)}; });
  expect_error(Status::invalid_argument, "shape[1] is -3", [] { Shape{2, -3}; });
  // Also if a zero has already made the shape empty.
  expect_error(Status::invalid_argument, "shape[1] is -3", [] { Shape{0, -3}; });
  expect_error(Status::out_of_range, "shape[1] is 2", [] { Shape{largest, 2}; });
  expect_error(Status::out_of_range, "shape[2] is 2097152", [] { Shape{2097152, 2097152, 2097152}; });
  EXPECT_EQ(Shape{largest}.elements(), largest);
}

TEST(TensorShape, BytesAreExactToTheLimit) {
  EXPECT_EQ(byte_size(Dtype::u8, Shape{largest}), largest);
  EXPECT_EQ(byte_size(Dtype::f64, Shape{largest / 8}), largest / 8 * 8);
  expect_error(Status::out_of_range, "[1152921504606846976]; in F64", [] { byte_size(Dtype::f64, Shape{largest / 8 + 1}); });
  // 2^62 elements have more than INT64_MAX bits, but not bytes.
  EXPECT_EQ(byte_size(Dtype::f4, Shape{std::int64_t{1} << 62}), std::int64_t{1} << 61);
  EXPECT_EQ(byte_size(Dtype::f6_e2m3, Shape{std::int64_t{1} << 62}), (std::int64_t{1} << 62) / 8 * 6);
}

TEST(TensorShape, SubByteTypesFillWholeBytes) {
  EXPECT_EQ(byte_size(Dtype::f4, Shape{2}), 1);
  EXPECT_EQ(byte_size(Dtype::f4, Shape{3, 4}), 6);
  EXPECT_EQ(byte_size(Dtype::f6_e3m2, Shape{4}), 3);
  EXPECT_EQ(byte_size(Dtype::f6_e3m2, Shape{12}), 9);
  EXPECT_EQ(byte_size(Dtype::f4, Shape{0}), 0);
  expect_error(Status::invalid_argument, "F4 (4 bits per element)", [] { byte_size(Dtype::f4, Shape{3}); });
  expect_error(Status::invalid_argument, "not fill whole bytes", [] { byte_size(Dtype::f6_e2m3, Shape{2}); });
  expect_error(Status::invalid_argument, "shape is []", [] { byte_size(Dtype::f4, Shape{}); });
  expect_error(Status::invalid_argument, "F4", [] { byte_size(Dtype::f4, Shape{largest}); });
}

}  // namespace
}  // namespace ckpt::tensor
