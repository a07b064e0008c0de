/* DLPack through the C API alone, with the structs declared as by a consumer of DLPack 1.x. */
#include "check.h"

typedef struct {
  int32_t device_type, device_id;
} Device;

typedef struct {
  void* data;
  Device device;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} View;

struct DLManagedTensor {
  View dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  View dl_tensor;
};

static int deleted = 0;
static void on_delete(struct DLManagedTensor* self) {
  (void)self;
  ++deleted;
}
static void on_delete_versioned(struct DLManagedTensorVersioned* self) {
  (void)self;
  ++deleted;
}

static float memory[4] = {1, 2, 3, 4};
static int64_t shape[2] = {2, 2};

static View view_of_memory(void) {
  View view = {memory, {1, 0}, 2, 2, 32, 1, shape, NULL, 0};
  return view;
}

static void test_in(void) {
  ckpt_tensor* const untouched = (ckpt_tensor*)(void*)&deleted;
  ckpt_tensor* tensor = untouched;
  struct DLManagedTensor old = {view_of_memory(), NULL, on_delete};
  CHECK_FAILS(ckpt_tensor_create_from_dlpack(NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "managed is NULL");
  CHECK_FAILS(ckpt_tensor_create_from_dlpack(&old, NULL), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  old.dl_tensor.device.device_type = 2;
  CHECK_FAILS(ckpt_tensor_create_from_dlpack(&old, &tensor), CKPT_E_UNSUPPORTED, "device_type is 2");
  CHECK(deleted == 0 && tensor == untouched);
  old.dl_tensor.device.device_type = 1;
  CHECK_OK(ckpt_tensor_create_from_dlpack(&old, &tensor));
  CHECK(ckpt_tensor_get_data(tensor) == memory && ckpt_tensor_is_read_only(tensor) == 0);
  ckpt_tensor_release(tensor);
  CHECK(deleted == 1);

  struct DLManagedTensorVersioned versioned = {1, 0, NULL, on_delete_versioned, 1, view_of_memory()};
  tensor = untouched;
  CHECK_FAILS(ckpt_tensor_create_from_dlpack_versioned(NULL, &tensor), CKPT_E_INVALID_ARGUMENT, "managed is NULL");
  CHECK_FAILS(ckpt_tensor_create_from_dlpack_versioned(&versioned, NULL), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  versioned.major = 2;
  CHECK_FAILS(ckpt_tensor_create_from_dlpack_versioned(&versioned, &tensor), CKPT_E_UNSUPPORTED, "version.major is 2");
  CHECK(deleted == 1 && tensor == untouched);
  versioned.major = 1;
  CHECK_OK(ckpt_tensor_create_from_dlpack_versioned(&versioned, &tensor));
  CHECK(ckpt_tensor_is_read_only(tensor) == 1);
  CHECK(ckpt_tensor_get_data(tensor) == NULL && strstr(ckpt_last_error(), "read-only") != NULL);
  CHECK(ckpt_tensor_get_const_data(tensor) == memory);
  CHECK_FAILS(ckpt_tensor_fill(tensor, 0), CKPT_E_UNSUPPORTED, "target is read-only");
  CHECK(memory[0] == 1);
  struct DLManagedTensor* refused = &old;
  CHECK_FAILS(ckpt_tensor_export_dlpack(tensor, &refused), CKPT_E_UNSUPPORTED, "read-only");
  CHECK(refused == &old);
  ckpt_tensor_release(tensor);
  CHECK(deleted == 2);
}

static void test_out(void) {
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_BOOL, shape, 2, NULL, &tensor));
  struct DLManagedTensor* old = NULL;
  struct DLManagedTensorVersioned* versioned = NULL;
  CHECK_FAILS(ckpt_tensor_export_dlpack(NULL, &old), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK_FAILS(ckpt_tensor_export_dlpack(tensor, NULL), CKPT_E_INVALID_ARGUMENT, "managed is NULL");
  CHECK_FAILS(ckpt_tensor_export_dlpack_versioned(NULL, &versioned), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK_FAILS(ckpt_tensor_export_dlpack_versioned(tensor, NULL), CKPT_E_INVALID_ARGUMENT, "managed is NULL");
  CHECK_OK(ckpt_tensor_export_dlpack(tensor, &old));
  CHECK_OK(ckpt_tensor_export_dlpack_versioned(tensor, &versioned));
  ckpt_tensor_release(tensor);
  CHECK(old->dl_tensor.data == versioned->dl_tensor.data);
  memset(old->dl_tensor.data, 1, 4); /* still alive */
  CHECK(versioned->major == 1 && versioned->flags == 0);
  CHECK(versioned->dl_tensor.code == 6 && versioned->dl_tensor.bits == 8 && versioned->dl_tensor.lanes == 1);
  CHECK(versioned->dl_tensor.strides[0] == 2 && versioned->dl_tensor.strides[1] == 1);
  old->deleter(old);
  memset(versioned->dl_tensor.data, 2, 4); /* and still */
  versioned->deleter(versioned);
}

int main(void) {
  test_in();
  test_out();
  return 0;
}
