#include "engine/blas.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace ckpt::engine {
namespace {

// A separate handle on the same OpenBLAS, to check its thread count from outside.
int openblas_threads() {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return -1;
  return reinterpret_cast<int (*)()>(dlsym(library, "openblas_get_num_threads"))();
}

TEST(Blas, ProductsAreRight) {
  const BlasSession session;
  const std::vector<double> a = {1, 2, 3, 4, 5, 6};  // 2 x 3
  const std::vector<double> b = {1, 0, 2, 1, 3, 1};  // 3 x 2
  std::vector<double> c = {100, 100, 100, 100};
  gemm(false, false, 2, 2, 3, a.data(), 3, b.data(), 2, 0.0, c.data(), 2);
  EXPECT_EQ(c, (std::vector<double>{14, 5, 32, 11}));
  gemm(false, false, 2, 2, 3, a.data(), 3, b.data(), 2, 1.0, c.data(), 2);
  EXPECT_EQ(c, (std::vector<double>{28, 10, 64, 22}));
  EXPECT_THROW(gemm(false, false, INT64_MAX, 1, 1, a.data(), 1, b.data(), 1, 0.0, c.data(), 1), base::Error);
}

TEST(Blas, SessionsUseOneThreadAndRestoreTheSetting) {
  EXPECT_FALSE(blas_description().empty());
  const int before = openblas_threads();
  if (before < 0) GTEST_SKIP() << "SKIP: libopenblas.so.0 is not the BLAS in use here";
  {
    const BlasSession outer;
    EXPECT_EQ(openblas_threads(), 1);
    { const BlasSession inner; }
    EXPECT_EQ(openblas_threads(), 1);
  }
  EXPECT_EQ(openblas_threads(), before);
}

TEST(Blas, ABlasCannotBeReplacedOnceInUse) {
  static_cast<void>(blas_description());
  HostBlas host;
  EXPECT_THROW(set_host_blas(host), base::Error);
  host.sgemm = [](int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int) {};
  host.dgemm = [](int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int) {};
  EXPECT_THROW(set_host_blas(host), base::Error);
}

}  // namespace
}  // namespace ckpt::engine
