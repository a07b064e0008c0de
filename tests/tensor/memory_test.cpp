#include "tensor/tensor.h"

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

#include "expect_error.h"
#include "sanitizer_options.h"

namespace ckpt::tensor {
namespace {

using base::Status;

bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 64 == 0; }

TEST(TensorMemory, OwnedMemoryIsAlignedForEveryDtypeAndSize) {
  for (std::int32_t number = first_dtype; number <= last_dtype; ++number) {
    for (const std::int64_t length : {4, 8, 20, 100, 4096, 100000}) {
      const auto tensor = Tensor::create(static_cast<Dtype>(number), Shape{length});
      EXPECT_TRUE(is_aligned(tensor->data()));
      EXPECT_EQ(tensor->bytes(), length * dtype_bits(tensor->dtype()) / 8);
      for (std::byte& byte : tensor->byte_span()) byte = std::byte{0x5a};  // all of it is writable
    }
  }
}

TEST(TensorMemory, EmptyTensorsNeedNoMemory) {
  const auto pool = BufferPool::create(nullptr, "test");
  const auto tensor = Tensor::create(Dtype::f32, Shape{3, 0}, pool);
  EXPECT_EQ(tensor->data(), nullptr);
  EXPECT_EQ(tensor->bytes(), 0);
  EXPECT_EQ(pool->stats().taken, 0);
}

TEST(TensorMemory, AllocatingTooMuchFails) {
  const auto pool = BufferPool::create(nullptr, "test");
  expect_error(Status::out_of_memory, "bytes is", [&] { Tensor::create(Dtype::u8, Shape{std::int64_t{1} << 61}, pool); });
  expect_error(Status::out_of_memory, "bytes is", [&] { Tensor::create(Dtype::u8, Shape{INT64_MAX}, pool); });
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
  EXPECT_EQ(pool->stats().taken, 0);
}

TEST(TensorMemory, BorrowedMemoryIsReleasedOnce) {
  std::array<float, 6> memory{};
  int released = 0;
  auto tensor = Tensor::borrow(memory.data(), Dtype::f32, Shape{2, 3}, [&] { ++released; });
  EXPECT_EQ(tensor->data(), memory.data());
  EXPECT_FALSE(tensor->read_only());
  auto second = tensor;
  tensor.reset();
  EXPECT_EQ(released, 0);
  second.reset();
  EXPECT_EQ(released, 1);
}

TEST(TensorMemory, AFailedBorrowReleasesNothing) {
  alignas(8) std::array<char, 64> memory{};
  int released = 0;
  const auto release = [&] { ++released; };
  expect_error(Status::invalid_argument, "data is NULL", [&] { Tensor::borrow(nullptr, Dtype::f32, Shape{1}, release); });
  expect_error(Status::invalid_argument, "data is 2 bytes past a multiple of 4; F32",
               [&] { Tensor::borrow(memory.data() + 2, Dtype::f32, Shape{1}, release); });
  expect_error(Status::invalid_argument, "whole bytes", [&] { Tensor::borrow(memory.data(), Dtype::f4, Shape{1}, release); });
  expect_error(Status::out_of_range, "INT64_MAX", [&] { Tensor::borrow(memory.data(), Dtype::f64, Shape{INT64_MAX}, release); });
  EXPECT_EQ(released, 0);
}

TEST(TensorMemory, BorrowedMemoryMayBeEmptyOrWithoutRelease) {
  int released = 0;
  Tensor::borrow(nullptr, Dtype::f32, Shape{0}, [&] { ++released; }).reset();
  EXPECT_EQ(released, 1);
  char byte = 0;
  Tensor::borrow(&byte, Dtype::u8, Shape{1}, {}).reset();
}

TEST(TensorMemory, AThrowingReleaseIsIgnored) {
  char byte = 0;
  auto tensor = Tensor::borrow(&byte, Dtype::u8, Shape{1}, [] { throw std::runtime_error("from a release"); });
  EXPECT_NO_THROW(tensor.reset());
}

TEST(TensorMemory, ReadOnlyRefusesWriters) {
  char byte = 0;
  const auto tensor = Tensor::borrow(&byte, Dtype::u8, Shape{1}, {}, true);
  EXPECT_TRUE(tensor->read_only());
  expect_error(Status::unsupported, "target is read-only", [&] { tensor->require_writable("target"); });
}

TEST(TensorMemory, ReleaseRunsOnceWithManyThreads) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> released{0};
    char byte = 0;
    auto tensor = Tensor::borrow(&byte, Dtype::u8, Shape{1}, [&] { ++released; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([copy = tensor]() mutable { copy.reset(); });
    tensor.reset();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(released.load(), 1);
  }
}

}  // namespace
}  // namespace ckpt::tensor
