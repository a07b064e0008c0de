#include "tensor.h"

#include <cstddef>

#include "memory.h"
#include "structs.h"
#include "tensor/arithmetic.h"
#include "tensor/dlpack.h"

using namespace ckpt::base;
using namespace ckpt::capi;
using ckpt::tensor::BufferPool;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
namespace dlpack = ckpt::tensor::dlpack;

// ---- Element types ----

#define CKPT_SAME(upper, lower) static_assert(CKPT_DTYPE_##upper == static_cast<ckpt_dtype>(Dtype::lower))
CKPT_SAME(F4, f4);
CKPT_SAME(F6_E2M3, f6_e2m3);
CKPT_SAME(F6_E3M2, f6_e3m2);
CKPT_SAME(BOOL, boolean);
CKPT_SAME(U8, u8);
CKPT_SAME(I8, i8);
CKPT_SAME(F8_E5M2, f8_e5m2);
CKPT_SAME(F8_E4M3, f8_e4m3);
CKPT_SAME(F8_E8M0, f8_e8m0);
CKPT_SAME(F8_E4M3FNUZ, f8_e4m3fnuz);
CKPT_SAME(F8_E5M2FNUZ, f8_e5m2fnuz);
CKPT_SAME(I16, i16);
CKPT_SAME(U16, u16);
CKPT_SAME(F16, f16);
CKPT_SAME(BF16, bf16);
CKPT_SAME(I32, i32);
CKPT_SAME(U32, u32);
CKPT_SAME(F32, f32);
CKPT_SAME(I64, i64);
CKPT_SAME(U64, u64);
CKPT_SAME(F64, f64);
CKPT_SAME(C64, c64);
#undef CKPT_SAME
static_assert(CKPT_TENSOR_LARGEST_NDIM == ckpt::tensor::largest_ndim);

int64_t ckpt_dtype_bits(ckpt_dtype dtype) {
  return ckpt::tensor::is_dtype(dtype) ? ckpt::tensor::dtype_bits(static_cast<Dtype>(dtype)) : 0;
}

const char* ckpt_dtype_name(ckpt_dtype dtype) {
  return ckpt::tensor::is_dtype(dtype) ? ckpt::tensor::dtype_name(static_cast<Dtype>(dtype)).data() : "UNKNOWN";
}

ckpt_status ckpt_dtype_find(const char* name, ckpt_dtype* dtype) {
  return guard([&] {
    not_null(name, "name");
    not_null(dtype, "dtype");
    const auto found = ckpt::tensor::dtype_from_name(name);
    if (!found) fail(Status::not_found, "name is ", quote(name), "; expected the name of a dtype");
    *dtype = static_cast<ckpt_dtype>(*found);
  });
}

// ---- Buffer pools ----

ckpt_status ckpt_buffer_pool_create(ckpt_memory_tracker* tracker, const ckpt_buffer_pool_options* options,
                                    ckpt_buffer_pool** pool) {
  return guard([&] {
    checked_or_null(tracker, "tracker");
    not_null(pool, "pool");
    const auto given = options_argument(options, "options");
    const int64_t limit = given.has_retain_limit == 0 ? ckpt::tensor::no_retain_limit : given.retain_limit_bytes;
    require(limit >= 0 || given.has_retain_limit == 0, "options.retain_limit_bytes is ", limit, "; expected at least 0");
    const char* const layer_name = given.layer_name == nullptr ? "tensor" : given.layer_name;
    require_name("options.layer_name", layer_name);
    hand_out(pool, BufferPool::create(tracker == nullptr ? nullptr : tracker->object, layer_name, limit));
  });
}

ckpt_status ckpt_buffer_pool_get_stats(const ckpt_buffer_pool* pool, ckpt_buffer_pool_stats* stats) {
  return guard([&] { fill_struct(stats, struct_of<ckpt_buffer_pool_stats>(pool_argument(pool, "pool")->stats()), "stats"); });
}

ckpt_status ckpt_buffer_pool_trim(ckpt_buffer_pool* pool, int64_t keep_bytes) {
  return guard([&] { pool_argument(pool, "pool")->trim(keep_bytes); });
}

void ckpt_buffer_pool_release(ckpt_buffer_pool* pool) { release(pool); }

// ---- Tensors ----

namespace {

// Creates the handle first: after make() has taken over the caller's memory, no step may fail.
template <class Make>
void hand_out_tensor(ckpt_tensor** tensor, Make&& make) {
  auto handle = std::make_unique<ckpt_tensor>();
  handle->object = make();
  *tensor = handle.release();
}

// For getters without a status: returns otherwise, and sets the last error, if the handle is not a tensor.
template <class Result, class Get>
Result get(const ckpt_tensor* tensor, Result otherwise, Get&& getter) {
  Result result = otherwise;
  guard([&] { result = getter(*tensor_argument(tensor, "tensor")); });
  return result;
}

}  // namespace

ckpt_status ckpt_tensor_create(ckpt_dtype dtype, const int64_t* shape, int32_t ndim, ckpt_buffer_pool* pool, ckpt_tensor** tensor) {
  return guard([&] {
    const Dtype type = dtype_argument(dtype, "dtype");
    const auto dimensions = shape_argument(shape, ndim);
    const auto& source = pool_argument(pool, "pool");
    not_null(tensor, "tensor");
    hand_out_tensor(tensor, [&] { return Tensor::create(type, dimensions, source); });
  });
}

ckpt_status ckpt_tensor_create_borrowed(void* data, ckpt_dtype dtype, const int64_t* shape, int32_t ndim, void* user_data,
                                        ckpt_destroy_fn destroy, ckpt_tensor** tensor) {
  return guard([&] {
    const Dtype type = dtype_argument(dtype, "dtype");
    const auto dimensions = shape_argument(shape, ndim);
    not_null(tensor, "tensor");
    std::function<void()> on_release;
    if (destroy != nullptr) on_release = [destroy, user_data] { user_notice("destroy", [&] { destroy(user_data); }); };
    hand_out_tensor(tensor, [&] { return Tensor::borrow(data, type, dimensions, std::move(on_release)); });
  });
}

void ckpt_tensor_retain(ckpt_tensor* tensor) { retain(tensor); }

void ckpt_tensor_release(ckpt_tensor* tensor) { release(tensor); }

void* ckpt_tensor_get_data(ckpt_tensor* tensor) {
  void* data = nullptr;
  guard([&] { data = writable_tensor_argument(tensor, "tensor")->data(); });
  return data;
}

const void* ckpt_tensor_get_const_data(const ckpt_tensor* tensor) {
  return get<const void*>(tensor, nullptr, [](const Tensor& object) { return object.data(); });
}

int64_t ckpt_tensor_get_bytes(const ckpt_tensor* tensor) {
  return get<int64_t>(tensor, -1, [](const Tensor& object) { return object.bytes(); });
}

int64_t ckpt_tensor_get_element_count(const ckpt_tensor* tensor) {
  return get<int64_t>(tensor, -1, [](const Tensor& object) { return object.shape().elements(); });
}

ckpt_dtype ckpt_tensor_get_dtype(const ckpt_tensor* tensor) {
  return get<ckpt_dtype>(tensor, 0, [](const Tensor& object) { return static_cast<ckpt_dtype>(object.dtype()); });
}

int32_t ckpt_tensor_get_ndim(const ckpt_tensor* tensor) {
  return get<int32_t>(tensor, -1, [](const Tensor& object) { return static_cast<int32_t>(object.shape().ndim()); });
}

const int64_t* ckpt_tensor_get_shape(const ckpt_tensor* tensor) {
  return get<const int64_t*>(tensor, nullptr, [](const Tensor& object) { return object.shape().dimensions().data(); });
}

int32_t ckpt_tensor_is_read_only(const ckpt_tensor* tensor) {
  return get<int32_t>(tensor, 0, [](const Tensor& object) { return object.read_only() ? 1 : 0; });
}

// ---- Arithmetic ----

ckpt_status ckpt_tensor_fill(ckpt_tensor* target, double value) {
  return guard([&] { ckpt::tensor::fill(*tensor_argument(target, "target"), value); });
}

ckpt_status ckpt_tensor_scale(ckpt_tensor* target, double factor) {
  return guard([&] { ckpt::tensor::scale(*tensor_argument(target, "target"), factor); });
}

ckpt_status ckpt_tensor_add_scaled(ckpt_tensor* target, double factor, const ckpt_tensor* source) {
  return guard([&] {
    const auto& out = tensor_argument(target, "target");
    ckpt::tensor::add_scaled(*out, factor, *tensor_argument(source, "source"));
  });
}

ckpt_status ckpt_tensor_sum(const ckpt_tensor* tensor, double* sum) {
  return guard([&] {
    const auto& in = tensor_argument(tensor, "tensor");
    not_null(sum, "sum");
    *sum = ckpt::tensor::sum(*in);
  });
}

ckpt_status ckpt_tensor_dot(const ckpt_tensor* a, const ckpt_tensor* b, double* dot) {
  return guard([&] {
    const auto& left = tensor_argument(a, "a");
    const auto& right = tensor_argument(b, "b");
    not_null(dot, "dot");
    *dot = ckpt::tensor::dot(*left, *right);
  });
}

// ---- Copy and comparison ----

ckpt_status ckpt_tensor_copy(ckpt_tensor* target, const ckpt_tensor* source) {
  return guard([&] {
    const auto& out = tensor_argument(target, "target");
    ckpt::tensor::copy(*out, *tensor_argument(source, "source"));
  });
}

ckpt_status ckpt_tensor_is_bit_equal(const ckpt_tensor* a, const ckpt_tensor* b, int32_t* equal) {
  return guard([&] {
    const auto& left = tensor_argument(a, "a");
    const auto& right = tensor_argument(b, "b");
    *not_null(equal, "equal") = ckpt::tensor::bit_equal(*left, *right) ? 1 : 0;
  });
}

// ---- DLPack ----

ckpt_status ckpt_tensor_create_from_dlpack(DLManagedTensor* managed, ckpt_tensor** tensor) {
  return guard([&] {
    not_null(managed, "managed");
    not_null(tensor, "tensor");
    hand_out_tensor(tensor, [&] { return dlpack::import_tensor(reinterpret_cast<dlpack::ManagedTensor*>(managed)); });
  });
}

ckpt_status ckpt_tensor_create_from_dlpack_versioned(DLManagedTensorVersioned* managed, ckpt_tensor** tensor) {
  return guard([&] {
    not_null(managed, "managed");
    not_null(tensor, "tensor");
    hand_out_tensor(tensor,
                    [&] { return dlpack::import_tensor_versioned(reinterpret_cast<dlpack::ManagedTensorVersioned*>(managed)); });
  });
}

ckpt_status ckpt_tensor_export_dlpack(ckpt_tensor* tensor, DLManagedTensor** managed) {
  return guard([&] {
    const auto& object = tensor_argument(tensor, "tensor");
    not_null(managed, "managed");
    *managed = reinterpret_cast<DLManagedTensor*>(dlpack::export_tensor(object));
  });
}

ckpt_status ckpt_tensor_export_dlpack_versioned(ckpt_tensor* tensor, DLManagedTensorVersioned** managed) {
  return guard([&] {
    const auto& object = tensor_argument(tensor, "tensor");
    not_null(managed, "managed");
    *managed = reinterpret_cast<DLManagedTensorVersioned*>(dlpack::export_tensor_versioned(object));
  });
}
