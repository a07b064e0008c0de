#include "tensor/arithmetic.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "base/philox.h"
#include "expect_error.h"

namespace ckpt::tensor {
namespace {

using base::Status;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
std::shared_ptr<Tensor> tensor_of(const std::vector<T>& values) {
  const Dtype dtype = std::is_same_v<T, float> ? Dtype::f32 : Dtype::f64;
  auto tensor = Tensor::create(dtype, Shape{static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor->data_as<T>());
  return tensor;
}

template <class T>
class TensorArithmetic : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TensorArithmetic, Elements);

TYPED_TEST(TensorArithmetic, FillScaleAdd) {
  using T = TypeParam;
  const auto x = tensor_of<T>({1, 2, 3});
  const auto y = tensor_of<T>({10, 20, 30});
  add_scaled(*y, 0.5, *x);
  EXPECT_TRUE(bit_equal(*y, *tensor_of<T>({T(10.5), 21, T(31.5)})));
  scale(*y, 2);
  EXPECT_TRUE(bit_equal(*y, *tensor_of<T>({21, 42, 63})));
  fill(*y, 0.1);
  EXPECT_TRUE(bit_equal(*y, *tensor_of<T>({T(0.1), T(0.1), T(0.1)})));
  EXPECT_EQ(sum(*x), 6);
  EXPECT_EQ(dot(*x, *x), 14);
  add_scaled(*x, 1, *x);
  EXPECT_TRUE(bit_equal(*x, *tensor_of<T>({2, 4, 6})));
}

TYPED_TEST(TensorArithmetic, AddRoundsTwiceInTheOwnPrecision) {
  using T = TypeParam;
  // 1/3 * 3 - 1 would not be 0 with a fused multiply-add.
  const auto x = tensor_of<T>(std::vector<T>(100, T(3)));
  const auto y = tensor_of<T>(std::vector<T>(100, T(-1)));
  add_scaled(*y, 1.0 / 3.0, *x);
  const volatile T product = T(1.0 / 3.0) * T(3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(y->template data_as<T>()[i], product - T(1));
}

TYPED_TEST(TensorArithmetic, SumsOfEveryLengthAreExactForIntegers) {
  using T = TypeParam;
  for (const int length : {0, 1, 7, 8, 9, 1023, 1024, 1025, 2048, 2049, 5000}) {
    std::vector<T> values(static_cast<std::size_t>(length));
    std::iota(values.begin(), values.end(), T(1));
    const auto x = tensor_of<T>(values);
    const auto n = static_cast<double>(length);
    EXPECT_EQ(sum(*x), n * (n + 1) / 2) << length;
    EXPECT_EQ(dot(*x, *x), n * (n + 1) * (2 * n + 1) / 6) << length;
  }
}

TEST(TensorArithmeticPrecision, PairwiseSumIsCloserThanALoop) {
  std::vector<double> values(1 << 20, 0.1);
  const double exact = 0.1 * (1 << 20);
  double loop = 0;
  for (const double value : values) loop += value;
  const double pairwise = sum(*tensor_of<double>(values));
  EXPECT_LT(std::abs(pairwise - exact), 1e-9);
  EXPECT_GT(std::abs(loop - exact), std::abs(pairwise - exact));
}

TEST(TensorArithmeticNan, IsAllowedOnlyAsAValue) {
  const auto x = tensor_of<float>({1, 2});
  const auto y = tensor_of<float>({3, 4});
  expect_error(Status::invalid_argument, "factor is nan", [&] { scale(*x, nan); });
  expect_error(Status::invalid_argument, "factor is inf", [&] { scale(*x, infinity); });
  expect_error(Status::invalid_argument, "factor is -inf", [&] { add_scaled(*y, -infinity, *x); });
  expect_error(Status::out_of_range, "factor is 1e+300; F32", [&] { scale(*x, 1e300); });
  expect_error(Status::out_of_range, "value is -1e+39; F32", [&] { fill(*x, -1e39); });
  EXPECT_TRUE(bit_equal(*x, *tensor_of<float>({1, 2})));
  fill(*x, nan);
  EXPECT_TRUE(std::isnan(x->data_as<float>()[1]));
  EXPECT_TRUE(std::isnan(sum(*x)));
  EXPECT_TRUE(bit_equal(*x, *x));
  fill(*x, infinity);
  EXPECT_EQ(x->data_as<float>()[0], std::numeric_limits<float>::infinity());
  const auto wide = tensor_of<double>({1});
  fill(*wide, 1e300);
  EXPECT_EQ(sum(*wide), 1e300);
}

TEST(TensorArithmeticNan, ZerosOfBothSignsDiffer) {
  EXPECT_FALSE(bit_equal(*tensor_of<double>({0.0}), *tensor_of<double>({-0.0})));
  EXPECT_FALSE(bit_equal(*tensor_of<double>({0.0}), *tensor_of<float>({0.0F})));
}

TEST(TensorArithmeticRefusals, OtherDtypesAndOtherShapes) {
  for (std::int32_t number = first_dtype; number <= last_dtype; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (dtype == Dtype::f32 || dtype == Dtype::f64) continue;
    const auto x = Tensor::create(dtype, Shape{8});
    const std::string text = base::cat("has dtype ", dtype_name(dtype));
    expect_error(Status::unsupported, text, [&] { fill(*x, 1); });
    expect_error(Status::unsupported, text, [&] { scale(*x, 1); });
    expect_error(Status::unsupported, text, [&] { add_scaled(*x, 1, *x); });
    expect_error(Status::unsupported, text, [&] { sum(*x); });
    expect_error(Status::unsupported, text, [&] { dot(*x, *x); });
  }
  const auto x = tensor_of<float>({1, 2});
  expect_error(Status::invalid_argument, "source is F32 [3]; expected F32 [2] as target", [&] {
    add_scaled(*x, 1, *tensor_of<float>({1, 2, 3}));
  });
  expect_error(Status::invalid_argument, "b is F64 [2]; expected F32 [2] as a", [&] { dot(*x, *tensor_of<double>({1, 2})); });
  expect_error(Status::invalid_argument, "source is F64 [2]", [&] { copy(*x, *tensor_of<double>({1, 2})); });
}

TEST(TensorArithmeticRefusals, ReadOnlyTargets) {
  float memory[2] = {1, 2};
  const auto x = Tensor::borrow(memory, Dtype::f32, Shape{2}, {}, true);
  expect_error(Status::unsupported, "target is read-only", [&] { fill(*x, 1); });
  expect_error(Status::unsupported, "target is read-only", [&] { scale(*x, 2); });
  expect_error(Status::unsupported, "target is read-only", [&] { add_scaled(*x, 1, *x); });
  expect_error(Status::unsupported, "target is read-only", [&] { copy(*x, *x); });
  EXPECT_EQ(sum(*x), 3);
}

TEST(TensorCopy, SupportsEveryDtype) {
  for (std::int32_t number = first_dtype; number <= last_dtype; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    const auto x = Tensor::create(dtype, Shape{3, 8});
    for (std::int64_t i = 0; i < x->bytes(); ++i) {
      x->data_as<std::uint8_t>()[i] =
          static_cast<std::uint8_t>(base::philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {1, 2})[0]);
    }
    const auto y = Tensor::create(dtype, Shape{3, 8});
    std::memset(y->data(), 0, static_cast<std::size_t>(y->bytes()));
    EXPECT_FALSE(bit_equal(*x, *y));
    copy(*y, *x);
    EXPECT_TRUE(bit_equal(*x, *y));
  }
  const auto empty = Tensor::create(Dtype::f32, Shape{0});
  copy(*empty, *empty);
  EXPECT_TRUE(bit_equal(*empty, *empty));
}

TEST(TensorCopy, MemoryMayOverlap) {
  std::vector<std::uint8_t> memory(100);
  std::iota(memory.begin(), memory.end(), std::uint8_t{0});
  const auto from = Tensor::borrow(memory.data(), Dtype::u8, Shape{90}, {});
  const auto to = Tensor::borrow(memory.data() + 10, Dtype::u8, Shape{90}, {});
  copy(*to, *from);
  for (std::size_t i = 0; i < 90; ++i) EXPECT_EQ(memory[i + 10], i);
}

}  // namespace
}  // namespace ckpt::tensor
