// tensor.hpp - the C++17 interface of tensor.h: move-only objects, errors as exceptions.
#ifndef CKPT_TENSOR_HPP
#define CKPT_TENSOR_HPP

#include <ckpt/methods/tensor.hpp>

namespace ckpt {

// The dtype with elements of type T: for float, double, bool and the integers of fixed width.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, bool>) return DType::bool_;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::i8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::u8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DType::i16;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DType::u16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DType::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::u64;
  return DType{0};
}

// A pool of memory for tensors that is retained and reused. Synchronized.
class BufferPool : public detail::Object<BufferPool, ckpt_buffer_pool, ckpt_buffer_pool_release> {
 public:
  using Object::Object;
  // tracker: counts every buffer while a tensor uses it; none: buffers are not counted.
  explicit BufferPool(detail::Borrowed<ckpt_memory_tracker> tracker = {}, const BufferPoolOptions& options = {})
      : Object(detail::Empty()) {
    const ckpt_buffer_pool_options given = detail::to_c(options);
    check(ckpt_buffer_pool_create(tracker, &given, out()));
  }

  void trim(std::int64_t keep_bytes = 0) {
    require_handle();
    check(ckpt_buffer_pool_trim(handle(), keep_bytes));
  }
  BufferPoolStats stats() const {
    require_handle();
    return stats_of(handle());
  }
  static BufferPoolStats default_pool_stats() { return stats_of(nullptr); }
  static void trim_default_pool(std::int64_t keep_bytes = 0) { check(ckpt_buffer_pool_trim(nullptr, keep_bytes)); }

 private:
  // In the C API, NULL means the default pool.
  void require_handle() const {
    if (handle() == nullptr) throw Error(Status::invalid_state, "the buffer pool was moved away");
  }
  static BufferPoolStats stats_of(const ckpt_buffer_pool* pool) {
    ckpt_buffer_pool_stats stats = CKPT_BUFFER_POOL_STATS_INIT;
    check(ckpt_buffer_pool_get_stats(pool, &stats));
    return detail::from_c(stats);
  }
};

// One reference to a tensor: dtype, shape and memory, row-major and contiguous.
class Tensor : public TensorMethods<Tensor> {
 public:
  using TensorMethods::share;
  using TensorMethods::TensorMethods;
  using Shape = std::vector<std::int64_t>;

  // Creates a tensor with owned memory of undefined contents, from pool or the process's default pool.
  Tensor(DType dtype, const Shape& shape) : Tensor(dtype, shape, nullptr) {}
  Tensor(DType dtype, const Shape& shape, const BufferPool& pool) : Tensor(dtype, shape, pool.handle()) {}

  // Creates a tensor over memory of another owner. release runs exactly once, when the last reference is released; its exceptions
  // are ignored. If this function throws, release does not run.
  static Tensor borrow(void* data, DType dtype, const Shape& shape, std::function<void()> release = {}) {
    using Release = std::function<void()>;
    std::unique_ptr<Release> owned;
    if (release) owned = std::make_unique<Release>(std::move(release));
    const ckpt_destroy_fn call = [](void* user_data) noexcept {
      const std::unique_ptr<Release> last(static_cast<Release*>(user_data));
      try {
        (*last)();
      } catch (...) {
      }
    };
    Tensor tensor(created(ckpt_tensor_create_borrowed, data, static_cast<ckpt_dtype>(dtype), shape.data(), count(shape),
                          owned.get(), owned ? call : nullptr));
    static_cast<void>(owned.release());
    return tensor;
  }

  // Returns another reference to a borrowed tensor, such as LayerContext::targets; it may outlive the lender.
  static Tensor share(detail::Borrowed<ckpt_tensor> tensor) noexcept {
    ckpt_tensor_retain(tensor);
    return adopt(tensor);
  }

  Shape shape() const {
    const std::int64_t* const first = ckpt_tensor_get_shape(handle());
    return first == nullptr ? Shape() : Shape(first, first + ckpt_tensor_get_ndim(handle()));
  }

  // Returns the address of the first element; nullptr for 0 elements, and from data() for a read-only tensor.
  void* data() noexcept { return ckpt_tensor_get_data(handle()); }
  const void* data() const noexcept { return ckpt_tensor_get_const_data(handle()); }
  // Returns the elements as T; throws Error with Status::invalid_argument if dtype() is not that of T. For a read-only tensor with
  // elements only data_as<const T>() and elements_as<const T>() work, or those of a const Tensor; else throws Error with
  // Status::unsupported.
  template <class T>
  T* data_as() {
    require_dtype(dtype_of<std::remove_const_t<T>>());
    if constexpr (std::is_const_v<T>) {
      return static_cast<T*>(std::as_const(*this).data());
    } else {
      if (read_only() && element_count() > 0) {
        throw Error(Status::unsupported,
                    "the tensor is read-only: expected a const element type, as in elements_as<const float>()");
      }
      return static_cast<T*>(data());
    }
  }
  template <class T>
  const T* data_as() const {
    require_dtype(dtype_of<std::remove_const_t<T>>());
    return static_cast<const T*>(data());
  }

  // Returns all elements as T, as data_as.
  template <class T>
  Span<T> elements_as() {
    return {data_as<T>(), static_cast<std::size_t>(element_count())};
  }
  template <class T>
  Span<const T> elements_as() const {
    return {data_as<T>(), static_cast<std::size_t>(element_count())};
  }

 private:
  Tensor(DType dtype, const Shape& shape, ckpt_buffer_pool* pool)
      : TensorMethods(created(ckpt_tensor_create, static_cast<ckpt_dtype>(dtype), shape.data(), count(shape), pool)) {}
  static std::int32_t count(const Shape& shape) noexcept { return static_cast<std::int32_t>(shape.size()); }
  void require_dtype(DType wanted) const {
    if (dtype() != wanted || wanted == DType{0}) {
      throw Error(Status::invalid_argument, std::string("the tensor is of dtype ") + std::string(dtype_name(dtype())) +
                                                "; expected " + std::string(dtype_name(wanted)));
    }
  }
};

}  // namespace ckpt

#endif  // CKPT_TENSOR_HPP
