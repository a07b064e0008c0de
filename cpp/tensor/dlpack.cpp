#include "tensor/dlpack.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"

namespace ckpt::tensor::dlpack {
namespace {

using base::fail;
using base::require;
using base::Status;

// In the order of Dtype. The codes are those of DLDataTypeCode. F8_E4M3 is the variant without infinities ("fn"), as in
// safetensors; DLPack's 8 is the IEEE-like one, which has no Dtype; neither have 7 (e3m4) and 9 (e4m3b11fnuz).
constexpr std::array<DataType, last_dtype> data_types = {{
    {17, 4, 1},  // F4: float4_e2m1fn
    {15, 6, 1},  // F6_E2M3
    {16, 6, 1},  // F6_E3M2
    {6, 8, 1},   // BOOL
    {1, 8, 1},   // U8
    {0, 8, 1},   // I8
    {12, 8, 1},  // F8_E5M2
    {10, 8, 1},  // F8_E4M3: float8_e4m3fn
    {14, 8, 1},  // F8_E8M0
    {11, 8, 1},  // F8_E4M3FNUZ
    {13, 8, 1},  // F8_E5M2FNUZ
    {0, 16, 1},  // I16
    {1, 16, 1},  // U16
    {2, 16, 1},  // F16
    {4, 16, 1},  // BF16
    {0, 32, 1},  // I32
    {1, 32, 1},  // U32
    {2, 32, 1},  // F32
    {0, 64, 1},  // I64
    {1, 64, 1},  // U64
    {2, 64, 1},  // F64
    {5, 64, 1},  // C64
}};

Dtype dtype_of(const DataType& type) {
  if (type.lanes != 1) fail(Status::unsupported, "dtype.lanes is ", type.lanes, "; expected 1 (vector types are not supported)");
  for (std::int32_t number = first_dtype; number <= last_dtype; ++number) {
    const DataType candidate = data_type(static_cast<Dtype>(number));
    if (candidate.code == type.code && candidate.bits == type.bits) return static_cast<Dtype>(number);
  }
  fail(Status::unsupported, "dtype.code is ", type.code, " with ", type.bits, " bits; no ckpt dtype corresponds to it");
}

Shape shape_of(const TensorView& view) {
  require(view.ndim >= 0 && view.ndim <= largest_ndim, "ndim is ", view.ndim, "; expected 0 .. ", largest_ndim);
  require(view.ndim == 0 || view.shape != nullptr, "shape is NULL but ndim is ", view.ndim);
  return Shape(std::span<const std::int64_t>(view.shape, static_cast<std::size_t>(view.ndim)));
}

void require_contiguous(const TensorView& view, const Shape& shape) {
  if (view.strides == nullptr || shape.elements() == 0) return;
  std::int64_t expected = 1;
  for (std::int64_t i = shape.ndim() - 1; i >= 0; --i) {
    // The stride of a dimension of length 1 is never used, and producers write arbitrary values there.
    if (shape[i] != 1 && view.strides[i] != expected) {
      fail(Status::unsupported, "strides[", i, "] is ", view.strides[i], "; expected a row-major contiguous tensor, where it is ",
           expected);
    }
    expected *= shape[i];
  }
}

void* data_of(const TensorView& view, const Shape& shape) {
  if (view.data == nullptr || shape.elements() == 0) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  require(view.byte_offset <= std::numeric_limits<std::uintptr_t>::max() - address, "byte_offset is ", view.byte_offset,
          "; it exceeds the address space");
  return static_cast<std::byte*>(view.data) + view.byte_offset;
}

template <class Managed>
std::shared_ptr<Tensor> import_view(Managed* managed, bool read_only) {
  const TensorView& view = managed->tensor;
  if (view.device.type != device_cpu) fail(Status::unsupported, "device.device_type is ", view.device.type, "; expected 1 (CPU)");
  const Dtype dtype = dtype_of(view.dtype);
  const Shape shape = shape_of(view);
  require_contiguous(view, shape);
  return Tensor::borrow(
      data_of(view, shape), dtype, shape,
      [managed] {
        if (managed->deleter != nullptr) managed->deleter(managed);
      },
      read_only);
}

// Contains the exported struct; lives until the deleter runs.
template <class Managed>
struct Export {
  Managed managed{};
  std::array<std::int64_t, largest_ndim> shape{};
  std::array<std::int64_t, largest_ndim> strides{};
  std::shared_ptr<Tensor> tensor;
};

template <class Managed>
// NOLINTNEXTLINE(performance-unnecessary-value-param): moved into the exported object
Managed* make_export(std::shared_ptr<Tensor> tensor) {
  auto* const out = new Export<Managed>;
  const Shape& shape = tensor->shape();
  std::copy(shape.dimensions().begin(), shape.dimensions().end(), out->shape.begin());
  std::int64_t stride = 1;
  for (std::int64_t i = shape.ndim() - 1; i >= 0; --i) {
    out->strides[static_cast<std::size_t>(i)] = stride;
    // In an empty tensor the product of the other dimensions may exceed int64_t; strides are never used there.
    if (shape.elements() != 0) stride *= shape[i];
  }
  TensorView& view = out->managed.tensor;
  view.data = shape.elements() == 0 ? nullptr : tensor->data();  // the specification requires NULL then
  view.device = {device_cpu, 0};
  view.ndim = static_cast<std::int32_t>(shape.ndim());
  view.dtype = data_type(tensor->dtype());
  view.shape = out->shape.data();
  view.strides = out->strides.data();
  out->managed.manager_context = out;
  out->managed.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->manager_context); };
  out->tensor = std::move(tensor);
  return &out->managed;
}

}  // namespace

DataType data_type(Dtype dtype) noexcept {
  return data_types[static_cast<std::size_t>(static_cast<std::int32_t>(dtype) - first_dtype)];
}

ManagedTensor* export_tensor(std::shared_ptr<Tensor> tensor) {
  if (tensor->read_only())
    fail(Status::unsupported, "tensor is read-only; DLManagedTensor has no read-only flag: use the versioned struct");
  return make_export<ManagedTensor>(std::move(tensor));
}

ManagedTensorVersioned* export_tensor_versioned(std::shared_ptr<Tensor> tensor) {
  const bool read_only = tensor->read_only();
  ManagedTensorVersioned* const managed = make_export<ManagedTensorVersioned>(std::move(tensor));
  managed->version = {major_version, minor_version};
  managed->flags = read_only ? flag_read_only : 0;
  return managed;
}

std::shared_ptr<Tensor> import_tensor(ManagedTensor* managed) { return import_view(managed, false); }

std::shared_ptr<Tensor> import_tensor_versioned(ManagedTensorVersioned* managed) {
  if (managed->version.major != major_version) {
    fail(Status::unsupported, "version.major is ", managed->version.major, "; expected ", major_version);
  }
  const std::uint64_t flags = managed->flags;
  if ((flags & flag_subbyte_padded) != 0 && managed->tensor.dtype.bits < 8) {
    fail(Status::unsupported, "flags is ", flags, ": elements of ", managed->tensor.dtype.bits,
         " bits padded to bytes; expected packed elements");
  }
  // An unknown flag may change the meaning of the memory, as the padding flag did.
  if ((flags & ~(flag_read_only | flag_is_copied | flag_subbyte_padded)) != 0) {
    fail(Status::unsupported, "flags is ", flags, "; expected a sum of read-only (1), copied (2) and padded (4)");
  }
  return import_view(managed, (flags & flag_read_only) != 0);
}

}  // namespace ckpt::tensor::dlpack
