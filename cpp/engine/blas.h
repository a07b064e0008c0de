// The matrix products that the engine needs, from OpenBLAS (loaded at the first use) or from the host program. Synchronised.
//
// Measured on OpenBLAS: the same bits for the same shapes and thread count, other bits for another count. So every call is
// single-threaded, and layers run several calls side by side on parts that their shapes fix.
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

// Error(invalid_state) once a BLAS is in use.
void set_host_blas(const HostBlas& blas);

// Name, version and core. Loads the BLAS; Error(not_found) lists what was tried.
std::string blas_description();
// The same, and a wider set of kernels that the processor can run, if there is one.
std::string blas_information();

// Loads OpenBLAS with a set of its kernels: a core's name in upper or lower case, or "best". Sets OPENBLAS_CORETYPE meanwhile, so
// no other thread may use the environment. Error(invalid_argument): an unknown name, or one that the processor cannot run;
// Error(invalid_state): a BLAS is in use, a host's was given, or the process has loaded that OpenBLAS before; Error(unsupported):
// not an x86-64 processor, or, after loading, that OpenBLAS lacks the set; then it stays in use with the kernels that it has
// chosen.
void set_blas_kernels(std::string_view name);

// The same of the one in use, "" while there is none; loads nothing and never waits.
std::string blas_in_use();

// What is about to go on was computed with another process's BLAS: warns when the one that is loaded later is another one. what:
// whose it was, for the message. The last call counts; nothing happens when one is in use already.
void expect_blas(const std::string& what, const std::string& description);

// C[m,n] = op(A)[m,k] op(B)[k,n] + beta C, row-major. Only while a BlasSession lives.
void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
          const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);
void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
          const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc);

// While at least one lives, the process's OpenBLAS runs single-threaded; the last one restores what was set before.
class BlasSession {
 public:
  BlasSession();
  ~BlasSession();
  BlasSession(const BlasSession&) = delete;
  BlasSession& operator=(const BlasSession&) = delete;
};

}  // namespace ckpt::engine
