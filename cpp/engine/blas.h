// The matrix products of the engine, from OpenBLAS (loaded at the first use) or from the host program. Thread-safe.
//
// Measured on OpenBLAS: the same bits for the same shapes and thread count, other bits for another count. Therefore every call is
// single-threaded, and layers make several calls in parallel on parts that the shapes determine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ckpt::engine {

extern "C" {
using SgemmFunction = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                               const float* b, int ldb, float beta, float* c, int ldc);
using DgemmFunction = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda,
                               const double* b, int ldb, double beta, double* c, int ldc);
}

struct HostBlas {
  SgemmFunction sgemm = nullptr;
  DgemmFunction dgemm = nullptr;
  bool concurrent = false;
  std::string name;
};

// Fails with Error(invalid_state) once a BLAS is in use.
void set_host_blas(const HostBlas& blas);

// Returns name, version and core. Loads the BLAS; Error(not_found) lists the files tried.
std::string blas_description();
// The same, plus a faster set of kernels that the processor supports, if one exists.
std::string blas_information();

// Loads OpenBLAS with a set of its kernels: a core's name in upper or lower case, or "best". Sets OPENBLAS_CORETYPE meanwhile, so
// no other thread may use the environment. Error(invalid_argument): an unknown name, or one that the processor does not support.
// Error(invalid_state): a BLAS is in use, a user-provided one was set, or the process has loaded that OpenBLAS before.
// Error(unsupported): not an x86-64 processor, or, after loading, OpenBLAS does not contain the set; it then stays in use with
// the kernels that it has chosen.
void set_blas_kernels(std::string_view name);

// Returns the description of the BLAS in use, "" if none is loaded; loads nothing and never waits.
std::string blas_in_use();

// Records the BLAS of the process that computed the state about to be continued: a warning is logged if a different BLAS is
// loaded later. state: its name in the message. The last call applies; ignored if a BLAS is in use already.
void expect_blas(const std::string& state, const std::string& description);

// C[m,n] = op(A)[m,k] op(B)[k,n] + beta C, row-major. Call only during a BlasSession.
void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
          const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);
void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
          const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc);

// While at least one session exists, the process's OpenBLAS runs single-threaded; the last one restores the previous setting.
class BlasSession {
 public:
  BlasSession();
  ~BlasSession();
  BlasSession(const BlasSession&) = delete;
  BlasSession& operator=(const BlasSession&) = delete;
};

}  // namespace ckpt::engine
