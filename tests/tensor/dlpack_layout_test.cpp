// Compares the private DLPack declarations with the project's header (0.6; the versioned struct is checked against the
// specification's field order below).
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "tensor/dlpack.h"

namespace ckpt::tensor::dlpack {
namespace {

#define CKPT_SAME_FIELD(Ours, ours, Theirs, theirs)                \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs)); \
  static_assert(sizeof(Ours::ours) == sizeof(Theirs::theirs))

static_assert(sizeof(Device) == sizeof(DLDevice) && alignof(Device) == alignof(DLDevice));
CKPT_SAME_FIELD(Device, type, DLDevice, device_type);
CKPT_SAME_FIELD(Device, id, DLDevice, device_id);

static_assert(sizeof(DataType) == sizeof(DLDataType) && alignof(DataType) == alignof(DLDataType));
CKPT_SAME_FIELD(DataType, code, DLDataType, code);
CKPT_SAME_FIELD(DataType, bits, DLDataType, bits);
CKPT_SAME_FIELD(DataType, lanes, DLDataType, lanes);

static_assert(sizeof(TensorView) == sizeof(DLTensor) && alignof(TensorView) == alignof(DLTensor));
CKPT_SAME_FIELD(TensorView, data, DLTensor, data);
CKPT_SAME_FIELD(TensorView, device, DLTensor, device);
CKPT_SAME_FIELD(TensorView, ndim, DLTensor, ndim);
CKPT_SAME_FIELD(TensorView, dtype, DLTensor, dtype);
CKPT_SAME_FIELD(TensorView, shape, DLTensor, shape);
CKPT_SAME_FIELD(TensorView, strides, DLTensor, strides);
CKPT_SAME_FIELD(TensorView, byte_offset, DLTensor, byte_offset);

static_assert(sizeof(ManagedTensor) == sizeof(DLManagedTensor) && alignof(ManagedTensor) == alignof(DLManagedTensor));
CKPT_SAME_FIELD(ManagedTensor, tensor, DLManagedTensor, dl_tensor);
CKPT_SAME_FIELD(ManagedTensor, manager_context, DLManagedTensor, manager_ctx);
CKPT_SAME_FIELD(ManagedTensor, deleter, DLManagedTensor, deleter);

// version, manager_ctx, deleter, flags, dl_tensor: with 8-byte pointers there is no padding before dl_tensor.
static_assert(sizeof(void*) != 8 ||
              (offsetof(ManagedTensorVersioned, version) == 0 && offsetof(ManagedTensorVersioned, manager_context) == 8 &&
               offsetof(ManagedTensorVersioned, deleter) == 16 && offsetof(ManagedTensorVersioned, flags) == 24 &&
               offsetof(ManagedTensorVersioned, tensor) == 32 && sizeof(ManagedTensorVersioned) == 80));

static_assert(device_cpu == kDLCPU);

TEST(TensorDlpackLayout, CodesOfVersion06) {
  EXPECT_EQ(data_type(Dtype::i32).code, kDLInt);
  EXPECT_EQ(data_type(Dtype::u32).code, kDLUInt);
  EXPECT_EQ(data_type(Dtype::f32).code, kDLFloat);
  EXPECT_EQ(data_type(Dtype::bf16).code, kDLBfloat);
  EXPECT_EQ(data_type(Dtype::c64).code, kDLComplex);
}

}  // namespace
}  // namespace ckpt::tensor::dlpack
