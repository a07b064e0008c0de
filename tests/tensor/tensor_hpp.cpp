#include <ckpt/tensor.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace {

static_assert(__cplusplus < 202002L, "the header must do with C++17");

TEST(TensorHpp, OwnsAndShares) {
  ckpt::BufferPool pool;
  ckpt::Tensor x(ckpt::DType::f32, {2, 3}, pool);
  x.fill(2);
  ckpt::Tensor same = x.share();
  ckpt::Tensor moved = std::move(x);
  EXPECT_EQ(same.data_as<float>()[5], 2);
  EXPECT_TRUE(same.bit_equal(moved));
  EXPECT_EQ(moved.shape(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(moved.bytes(), 24);
  EXPECT_EQ(pool.stats().live_buffers, 1);
  moved.add_scaled(0.5, same);
  moved.scale(2);
  EXPECT_EQ(moved.sum(), 36);
  EXPECT_EQ(moved.dot(same), 216);
  EXPECT_EQ(ckpt::find_dtype("F32"), same.dtype());
  EXPECT_EQ(ckpt::dtype_name(same.dtype()), "F32");
}

TEST(TensorHpp, ErrorsAreExceptions) {
  try {
    ckpt::Tensor x(ckpt::DType::f32, {2, -3});
    FAIL();
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::invalid_argument);
    EXPECT_STREQ(error.what(), "shape[1] is -3; expected at least 0");
  }
  ckpt::Tensor x(ckpt::DType::f32, {2});
  EXPECT_THROW(x.data_as<double>(), ckpt::Error);
  EXPECT_THROW(x.copy_from(ckpt::Tensor(ckpt::DType::f32, {3})), ckpt::Error);
  EXPECT_THROW(ckpt::find_dtype("F33"), ckpt::Error);
  ckpt::BufferPool pool;
  const ckpt::BufferPool other = std::move(pool);
  EXPECT_THROW(pool.stats(), ckpt::Error);
  EXPECT_GE(ckpt::BufferPool::default_pool_stats().taken, 1);
}

TEST(TensorHpp, BorrowReleasesOnceOrNotAtAll) {
  std::vector<double> memory{1, 2, 3};
  int released = 0;
  {
    ckpt::Tensor x = ckpt::Tensor::borrow(memory.data(), ckpt::DType::f64, {3}, [&] {
      ++released;
      throw std::runtime_error("ignored");
    });
    EXPECT_EQ(x.sum(), 6);
  }
  EXPECT_EQ(released, 1);
  EXPECT_THROW(ckpt::Tensor::borrow(nullptr, ckpt::DType::f64, {3}, [&] { ++released; }), ckpt::Error);
  EXPECT_EQ(released, 1);
  ckpt::Tensor::borrow(memory.data(), ckpt::DType::f64, {3});
}

TEST(TensorHpp, GoesThroughDlpack) {
  ckpt::Tensor back = [] {
    ckpt::Tensor x(ckpt::DType::f64, {4});
    x.fill(3);
    return ckpt::Tensor::from_dlpack(x.to_dlpack());
  }();
  EXPECT_EQ(back.sum(), 12);
  const ckpt::Tensor again = ckpt::Tensor::from_dlpack(back.to_dlpack_versioned());
  EXPECT_EQ(again.data(), back.share().data());
  EXPECT_FALSE(again.read_only());
}

}  // namespace
