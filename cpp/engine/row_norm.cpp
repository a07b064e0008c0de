#include "engine/row_norm.h"

#include "engine/kernels.h"

namespace ckpt::engine {
namespace {

constexpr std::int64_t norm_columns_per_part = 256;

template <class T>
RowStatistics<T> taken(const T* statistics, std::int64_t row, bool with_mean) {
  return with_mean ? RowStatistics<T>{statistics[2 * row + 1], statistics[2 * row]} : RowStatistics<T>{T(0), statistics[row]};
}

template <class T>
void put(T* statistics, std::int64_t row, RowStatistics<T> found, bool with_mean) {
  if (with_mean) {
    statistics[2 * row] = found.reciprocal;
    statistics[2 * row + 1] = found.mean;
  } else {
    statistics[row] = found.reciprocal;
  }
}

template <class Each>
void for_each_row(base::ThreadPool& pool, std::int64_t rows, const Each& each) {
  for_parts(pool, rows, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) each(row);
  });
}

}  // namespace

template <class T>
RowStatistics<T> RowNorm::statistics_of(const T* row) const {
  const auto epsilon = static_cast<T>(epsilon_);
  return kind_ == Norm::layer_norm ? layer_norm_statistics(row, width_, epsilon) : rms_norm_statistics(row, width_, epsilon);
}

template <class T>
void RowNorm::forward(base::ThreadPool& pool, std::int64_t rows, const T* x, T* statistics, const T* weight, const T* bias,
                      T* y) const {
  for_each_row(pool, rows, [&](std::int64_t row) {
    const RowStatistics<T> found = statistics_of(x + row * width_);
    if (statistics != nullptr) put(statistics, row, found, has_bias());
    if (y != nullptr) normalize(x + row * width_, found, weight, has_bias() ? bias : nullptr, y + row * width_, width_);
  });
}

template <class T>
void RowNorm::again(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* statistics, const T* weight, const T* bias,
                    T* y) const {
  for_each_row(pool, rows, [&](std::int64_t row) {
    normalize(x + row * width_, taken(statistics, row, has_bias()), weight, has_bias() ? bias : nullptr, y + row * width_, width_);
  });
}

template <class T>
void RowNorm::input_gradient(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* statistics, const T* weight,
                             const T* grad_y, const T* addend, T* grad_x) const {
  for_each_row(pool, rows, [&](std::int64_t row) {
    const std::int64_t at = row * width_;
    normalize_backward(x + at, taken(statistics, row, has_bias()), weight, grad_y + at, grad_x + at, width_, has_bias());
    if (addend != nullptr) add(addend + at, grad_x + at, width_);
  });
}

template <class T>
void RowNorm::add_gradients(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* statistics, const T* grad_y,
                            T* grad_weight, T* grad_bias) const {
  for_parts(pool, width_, norm_columns_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = 0; row < rows; ++row) {
      add_norm_gradients(x + row * width_, taken(statistics, row, has_bias()), grad_y + row * width_, begin, end, grad_weight,
                         has_bias() ? grad_bias : nullptr);
    }
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define CKPT_ROW_NORM(T)                                                                                                       \
  template void RowNorm::forward(base::ThreadPool&, std::int64_t, const T*, T*, const T*, const T*, T*) const;                 \
  template void RowNorm::again(base::ThreadPool&, std::int64_t, const T*, const T*, const T*, const T*, T*) const;             \
  template void RowNorm::input_gradient(base::ThreadPool&, std::int64_t, const T*, const T*, const T*, const T*, const T*, T*) \
      const;                                                                                                                   \
  template void RowNorm::add_gradients(base::ThreadPool&, std::int64_t, const T*, const T*, const T*, T*, T*) const;
CKPT_ROW_NORM(float)
CKPT_ROW_NORM(double)
#undef CKPT_ROW_NORM
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace ckpt::engine
