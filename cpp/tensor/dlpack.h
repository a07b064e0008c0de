// Exports and imports tensors through DLPack without a copy. The structs have the layout of the DLPack specification 1.1
// (https://dmlc.github.io/dlpack/latest/c_api.html). They are declared here because distributions still ship headers of 0.6,
// which lack the versioned struct and half of the type codes.
#pragma once

#include <cstdint>
#include <memory>

#include "tensor/tensor.h"

namespace ckpt::tensor::dlpack {

constexpr std::uint32_t major_version = 1;  // the ABI of ManagedTensorVersioned
constexpr std::uint32_t minor_version = 1;  // the set of type codes

constexpr std::int32_t device_cpu = 1;

constexpr std::uint64_t flag_read_only = 1;
constexpr std::uint64_t flag_is_copied = 2;       // the consumer is the only owner; ignored here
constexpr std::uint64_t flag_subbyte_padded = 4;  // one byte for each element of less than a byte

// may_alias: the memory belongs to the other library and was written through its own declaration of the same struct.
struct [[gnu::may_alias]] Device {
  std::int32_t type;
  std::int32_t id;
};

struct [[gnu::may_alias]] DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct [[gnu::may_alias]] TensorView {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; nullptr: row-major and contiguous (allowed before 1.2)
  std::uint64_t byte_offset;
};

// DLManagedTensor
struct [[gnu::may_alias]] ManagedTensor {
  TensorView tensor;
  void* manager_context;
  void (*deleter)(ManagedTensor* self);
};

struct [[gnu::may_alias]] Version {
  std::uint32_t major;
  std::uint32_t minor;
};

// DLManagedTensorVersioned
struct [[gnu::may_alias]] ManagedTensorVersioned {
  Version version;
  void* manager_context;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  TensorView tensor;
};

// Returns a view that keeps the tensor alive until its deleter runs; the deleter frees the struct too and may run on any thread.
// Strides are always written: newer consumers require them. Fails with Error(unsupported) for a read-only tensor as
// ManagedTensor, which has no read-only flag.
ManagedTensor* export_tensor(std::shared_ptr<Tensor> tensor);
ManagedTensorVersioned* export_tensor_versioned(std::shared_ptr<Tensor> tensor);

// Returns a tensor over the memory of managed, with its deleter (may be nullptr), which runs exactly once, with the tensor's last
// reference. If an import throws, the deleter has not run and managed still belongs to the caller. Fails with Error(unsupported)
// for unsupported tensors: lanes other than 1, devices other than the CPU, strides that are not row-major and contiguous, types
// without a Dtype, padded sub-byte types, unknown flags, an unknown major version (then only the version is read). The read-only
// flag creates a read-only tensor.
std::shared_ptr<Tensor> import_tensor(ManagedTensor* managed);
std::shared_ptr<Tensor> import_tensor_versioned(ManagedTensorVersioned* managed);

// All 22 dtypes have a code in DLPack 1.1.
DataType data_type(Dtype dtype) noexcept;

}  // namespace ckpt::tensor::dlpack
