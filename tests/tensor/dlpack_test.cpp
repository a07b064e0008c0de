#include "tensor/dlpack.h"

#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "expect_error.h"
#include "tensor/arithmetic.h"

namespace ckpt::tensor::dlpack {
namespace {

using base::Status;

// A tensor from another library: 2 x 3 floats 1 .. 6.
template <class Managed>
struct Producer {
  std::array<float, 6> memory{1, 2, 3, 4, 5, 6};
  std::array<std::int64_t, 9> shape{2, 3};
  std::array<std::int64_t, 9> strides{3, 1};
  int deleted = 0;
  Managed managed{};

  Producer() {
    managed.tensor = {memory.data(), {device_cpu, 0}, 2, {2, 32, 1}, shape.data(), strides.data(), 0};
    managed.manager_context = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_context)->deleted; };
    if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) managed.version = {1, 0};
  }
  std::shared_ptr<Tensor> take() {
    if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
      return import_tensor_versioned(&managed);
    } else {
      return import_tensor(&managed);
    }
  }
};

template <class Managed>
class TensorDlpack : public ::testing::Test {};
using Structs = ::testing::Types<ManagedTensor, ManagedTensorVersioned>;
TYPED_TEST_SUITE(TensorDlpack, Structs);

TYPED_TEST(TensorDlpack, TakesMemoryOverWithoutACopyAndDeletesOnce) {
  Producer<TypeParam> producer;
  auto tensor = producer.take();
  EXPECT_EQ(tensor->data(), producer.memory.data());
  EXPECT_EQ(tensor->dtype(), Dtype::f32);
  EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
  EXPECT_FALSE(tensor->read_only());
  EXPECT_EQ(sum(*tensor), 21);
  auto second = tensor;
  tensor.reset();
  EXPECT_EQ(producer.deleted, 0);
  second.reset();
  EXPECT_EQ(producer.deleted, 1);
}

TYPED_TEST(TensorDlpack, HonoursByteOffsetAndMissingStridesAndMissingDeleter) {
  Producer<TypeParam> producer;
  producer.managed.tensor.byte_offset = 12;
  producer.managed.tensor.strides = nullptr;
  producer.managed.deleter = nullptr;
  producer.managed.tensor.ndim = 1;
  producer.shape[0] = 3;
  const auto tensor = producer.take();
  EXPECT_EQ(tensor->data(), &producer.memory[3]);
  EXPECT_EQ(sum(*tensor), 15);
}

TYPED_TEST(TensorDlpack, UnusedStridesMayBeAnything) {
  Producer<TypeParam> producer;
  producer.managed.tensor.ndim = 3;
  producer.shape = {1, 2, 3};
  producer.strides = {-77, 3, 1};
  EXPECT_EQ(producer.take()->shape(), (Shape{1, 2, 3}));
  producer.shape = {0, 2, 3};
  producer.strides = {5, 5, 5};
  producer.managed.tensor.data = nullptr;
  EXPECT_EQ(producer.take()->bytes(), 0);
  EXPECT_EQ(producer.deleted, 2);
}

TYPED_TEST(TensorDlpack, ScalarsAndEightDimensions) {
  Producer<TypeParam> producer;
  producer.managed.tensor.ndim = 0;
  producer.managed.tensor.shape = nullptr;
  EXPECT_EQ(producer.take()->shape(), Shape());
  producer.managed.tensor.ndim = 8;
  producer.managed.tensor.shape = producer.shape.data();
  producer.managed.tensor.strides = nullptr;
  producer.shape = {1, 1, 1, 1, 1, 1, 2, 3};
  EXPECT_EQ(producer.take()->shape().elements(), 6);
}

// Each refusal names the value and does not call the deleter; only the caller calls it.
template <class Managed, class Spoil>
void expect_refused(Status status, const std::string& text, Spoil&& spoil) {
  Producer<Managed> producer;
  spoil(producer);
  expect_error(status, text, [&] { producer.take(); });
  EXPECT_EQ(producer.deleted, 0) << text;
  producer.managed.deleter(&producer.managed);
  EXPECT_EQ(producer.deleted, 1) << text;
}

TYPED_TEST(TensorDlpack, RefusesUnsupportedTensors) {
  const auto refused = [](Status status, const std::string& text, const auto& spoil) {
    expect_refused<TypeParam>(status, text, spoil);
  };
  constexpr auto unsupported = Status::unsupported;
  constexpr auto invalid = Status::invalid_argument;
  refused(unsupported, "dtype.lanes is 4", [](auto& p) { p.managed.tensor.dtype.lanes = 4; });
  refused(unsupported, "dtype.lanes is 0", [](auto& p) { p.managed.tensor.dtype.lanes = 0; });
  refused(unsupported, "device.device_type is 2; expected 1 (CPU)", [](auto& p) { p.managed.tensor.device.type = 2; });
  refused(unsupported, "device.device_type is 0", [](auto& p) { p.managed.tensor.device.type = 0; });
  refused(unsupported, "strides[1] is 2", [](auto& p) { p.strides = {6, 2}; });
  refused(unsupported, "strides[1] is 2", [](auto& p) { p.strides = {1, 2}; });  // column-major
  refused(unsupported, "strides[0] is 4; expected a row-major contiguous tensor, where it is 3", [](auto& p) {
    p.strides = {4, 1};
  });
  refused(unsupported, "strides[0] is -3", [](auto& p) { p.strides = {-3, 1}; });
  refused(unsupported, "strides[0] is 0", [](auto& p) { p.strides = {0, 1}; });
  refused(invalid, "ndim is 9; expected 0 .. 8", [](auto& p) { p.managed.tensor.ndim = 9; });
  refused(invalid, "ndim is -1", [](auto& p) { p.managed.tensor.ndim = -1; });
  refused(invalid, "shape is NULL but ndim is 2", [](auto& p) { p.managed.tensor.shape = nullptr; });
  refused(invalid, "shape[0] is -2", [](auto& p) { p.shape[0] = -2; });
  refused(Status::out_of_range, "INT64_MAX", [](auto& p) { p.shape[0] = std::numeric_limits<std::int64_t>::max(); });
  refused(invalid, "data is NULL", [](auto& p) { p.managed.tensor.data = nullptr; });
  refused(invalid, "data is 1 bytes past a multiple of 4", [](auto& p) { p.managed.tensor.byte_offset = 1; });
  refused(invalid, "byte_offset is 18446744073709551615", [](auto& p) { p.managed.tensor.byte_offset = UINT64_MAX; });
}

TYPED_TEST(TensorDlpack, RefusesTypesWithoutADtype) {
  const DataType without[] = {
      {3, 64, 1},                            // opaque handle
      {7, 8, 1},  {8, 8, 1},   {9, 8, 1},    // e3m4, e4m3 with infinities, e4m3b11fnuz
      {2, 8, 1},  {2, 80, 1},  {2, 128, 1},  // floats of odd sizes
      {0, 4, 1},  {1, 128, 1},               // integers of odd sizes
      {4, 32, 1}, {5, 32, 1},  {5, 128, 1},  // bfloat of 32, complex of half and double
      {6, 1, 1},  {17, 8, 1},  {18, 8, 1},  {255, 8, 1},
  };
  for (const DataType& type : without) {
    expect_refused<TypeParam>(Status::unsupported, base::cat("dtype.code is ", type.code, " with ", type.bits, " bits"),
                              [&](auto& p) { p.managed.tensor.dtype = type; });
  }
}

TEST(TensorDlpackVersioned, RefusesUnknownMajorVersions) {
  for (const std::uint32_t major : {0U, 2U, UINT32_MAX}) {
    expect_refused<ManagedTensorVersioned>(Status::unsupported, base::cat("version.major is ", major, "; expected 1"),
                                           [&](auto& p) { p.managed.version.major = major; });
  }
  Producer<ManagedTensorVersioned> newer;
  newer.managed.version.minor = 99;
  EXPECT_NE(newer.take(), nullptr);
}

TEST(TensorDlpackVersioned, ReadsFlags) {
  Producer<ManagedTensorVersioned> producer;
  producer.managed.flags = flag_read_only | flag_is_copied;
  const auto tensor = producer.take();
  EXPECT_TRUE(tensor->read_only());
  expect_error(Status::unsupported, "read-only", [&] { fill(*tensor, 0); });
  EXPECT_EQ(producer.memory[0], 1);
  // The flag is passed on, which only the versioned struct can do.
  expect_error(Status::unsupported, "read-only", [&] { export_tensor(tensor); });
  ManagedTensorVersioned* const out = export_tensor_versioned(tensor);
  EXPECT_EQ(out->flags, flag_read_only);
  out->deleter(out);

  expect_refused<ManagedTensorVersioned>(Status::unsupported, "flags is 8", [](auto& p) { p.managed.flags = 8; });
  expect_refused<ManagedTensorVersioned>(Status::unsupported, "flags is 4: elements of 4 bits padded", [](auto& p) {
    p.managed.flags = flag_subbyte_padded;
    p.managed.tensor.dtype = {17, 4, 1};
  });
  Producer<ManagedTensorVersioned> whole_bytes;
  whole_bytes.managed.flags = flag_subbyte_padded;
  EXPECT_FALSE(whole_bytes.take()->read_only());
}

template <class Managed>
Managed* export_as(const std::shared_ptr<Tensor>& tensor) {
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    return export_tensor_versioned(tensor);
  } else {
    return export_tensor(tensor);
  }
}

template <class Managed>
std::shared_ptr<Tensor> import_as(Managed* managed) {
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    return import_tensor_versioned(managed);
  } else {
    return import_tensor(managed);
  }
}

TYPED_TEST(TensorDlpack, ExportKeepsTheTensorAlive) {
  int released = 0;
  std::array<float, 6> memory{1, 2, 3, 4, 5, 6};
  auto tensor = Tensor::borrow(memory.data(), Dtype::f32, Shape{2, 3}, [&] { ++released; });
  TypeParam* const managed = export_as<TypeParam>(tensor);
  tensor.reset();
  EXPECT_EQ(released, 0);
  const TensorView& view = managed->tensor;
  EXPECT_EQ(view.data, memory.data());
  EXPECT_EQ(view.device.type, device_cpu);
  EXPECT_EQ(view.ndim, 2);
  EXPECT_EQ(view.dtype.lanes, 1);
  EXPECT_EQ(view.shape[1], 3);
  EXPECT_EQ(view.strides[0], 3);
  EXPECT_EQ(view.strides[1], 1);
  EXPECT_EQ(view.byte_offset, 0U);
  if constexpr (std::is_same_v<TypeParam, ManagedTensorVersioned>) {
    EXPECT_EQ(managed->version.major, 1U);
    EXPECT_EQ(managed->version.minor, 1U);
    EXPECT_EQ(managed->flags, 0U);
  }
  managed->deleter(managed);
  EXPECT_EQ(released, 1);
}

TYPED_TEST(TensorDlpack, EveryDtypeIsExportedAndImported) {
  std::set<std::pair<int, int>> codes;
  for (std::int32_t number = first_dtype; number <= last_dtype; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    const auto tensor = Tensor::create(dtype, Shape{2, 4});
    TypeParam* const managed = export_as<TypeParam>(tensor);
    EXPECT_EQ(managed->tensor.dtype.bits, dtype_bits(dtype));
    codes.insert({managed->tensor.dtype.code, managed->tensor.dtype.bits});
    const auto back = import_as(managed);
    EXPECT_EQ(back->dtype(), dtype);
    EXPECT_EQ(back->data(), tensor->data());
    EXPECT_EQ(back->bytes(), tensor->bytes());
  }
  EXPECT_EQ(codes.size(), 22U);
}

TYPED_TEST(TensorDlpack, ExportOfScalarsEmptyAndEightDimensions) {
  TypeParam* scalar = export_as<TypeParam>(Tensor::create(Dtype::f64, Shape{}));
  EXPECT_EQ(scalar->tensor.ndim, 0);
  scalar->deleter(scalar);
  TypeParam* empty = export_as<TypeParam>(Tensor::create(Dtype::f64, Shape{INT64_MAX, INT64_MAX, 0}));
  EXPECT_EQ(empty->tensor.data, nullptr);
  EXPECT_EQ(import_as(empty)->shape(), (Shape{INT64_MAX, INT64_MAX, 0}));
  TypeParam* eight = export_as<TypeParam>(Tensor::create(Dtype::f64, Shape{2, 1, 2, 1, 2, 1, 2, 3}));
  EXPECT_EQ(eight->tensor.strides[0], 24);
  EXPECT_EQ(import_as(eight)->shape().elements(), 48);
}

}  // namespace
}  // namespace ckpt::tensor::dlpack
