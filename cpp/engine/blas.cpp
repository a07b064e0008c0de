#include "engine/blas.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/entered.h"
#include "base/error.h"
#include "base/fork_mutex.h"
#include "base/log.h"
#include "base/os/library.h"

namespace ckpt::engine {
namespace {

constexpr int row_major = 101;
constexpr int no_transpose = 111;
constexpr int transpose = 112;

extern "C" {
using SetThreads = void (*)(int);
using GetThreads = int (*)();
using GetText = char* (*)();
}

struct Blas {
  SgemmFunction sgemm = nullptr;
  DgemmFunction dgemm = nullptr;
  SetThreads set_threads = nullptr;  // nullptr for a host's BLAS
  GetThreads get_threads = nullptr;
  bool concurrent = true;
  std::string description;
  std::string advice;  // for people, behind the description: "" when there is none
};

struct Shared {
  base::ForkMutex mutex;  // of loading and of sessions
  std::atomic<const Blas*> blas{nullptr};
  HostBlas host;
  std::string expected;  // "": nothing is
  std::string expected_by;
  int sessions = 0;
  int threads_before = 1;
  base::ForkMutex serial;  // held for a call when the BLAS does not bear concurrent ones
};

// Never destroyed: sessions may end while static objects are torn down.
Shared& shared() {
  static auto* const the_shared = new Shared;
  return *the_shared;
}
// Before a first call: a child that was forked in the midst of that one would wait for it for ever.
[[maybe_unused]] const Shared& blas_made_at_load = shared();

// What the processor has beyond the kernels that OPENBLAS_CORETYPE asks for, as text behind a description; "" when nothing.
// The names are those of OpenBLAS's x86-64 cores by their instructions.
std::string better_kernels() {
#if defined(__x86_64__) && defined(__GNUC__)
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the library sets nothing in the environment
  const char* const asked = std::getenv("OPENBLAS_CORETYPE");
  if (asked == nullptr || *asked == '\0') return {};
  const auto is_one_of = [&](std::initializer_list<std::string_view> cores) {
    return std::any_of(cores.begin(), cores.end(), [&](std::string_view core) {
      return core.size() == std::strlen(asked) && std::equal(core.begin(), core.end(), asked, [](char a, char b) {
               return a == std::tolower(static_cast<unsigned char>(b));
             });
    });
  };
  const bool wide = is_one_of({"skylakex", "cooperlake", "sapphirerapids"});
  const bool middle = is_one_of({"haswell", "zen"});
  const char* has = nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    if (!wide) has = "AVX-512 (SkylakeX)";
  } else if (__builtin_cpu_supports("avx2") && !wide && !middle) {
    has = "AVX2 (Haswell)";
  }
  if (has == nullptr) return {};
  return base::cat("; OPENBLAS_CORETYPE asks for ", asked, ", the processor has ", has);
#else
  return {};
#endif
}

template <class Function>
Function function(const base::SharedLibrary& library, const char* name) {
  return reinterpret_cast<Function>(library.symbol(name));
}

const Blas* load_openblas() {
  std::vector<std::string> names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the library sets nothing in the environment
  if (const char* const given = std::getenv("CKPT_OPENBLAS"); given != nullptr && *given != '\0') names.emplace_back(given);
  names.insert(names.end(), {"libopenblas.so.0", "libopenblas.so"});
  std::string tried;
  for (const std::string& name : names) {
    base::SharedLibrary library;
    const std::string reason = library.load(name);
    auto blas = std::make_unique<Blas>();
    blas->sgemm = function<SgemmFunction>(library, "cblas_sgemm");
    blas->dgemm = function<DgemmFunction>(library, "cblas_dgemm");
    blas->set_threads = function<SetThreads>(library, "openblas_set_num_threads");
    blas->get_threads = function<GetThreads>(library, "openblas_get_num_threads");
    const auto get_parallel = function<GetThreads>(library, "openblas_get_parallel");
    const auto get_config = function<GetText>(library, "openblas_get_config");
    if (blas->sgemm != nullptr && blas->dgemm != nullptr && blas->set_threads != nullptr && blas->get_threads != nullptr &&
        get_parallel != nullptr && get_config != nullptr) {
      // A build without threads has no locks either: two concurrent calls made wrong products.
      blas->concurrent = get_parallel() != 0;
      blas->description = get_config();
      blas->advice = better_kernels();
      return blas.release();
    }
    tried += base::cat(tried.empty() ? "" : "; ", name, ": ", reason.empty() ? "is no OpenBLAS" : reason);
  }
  base::fail(base::Status::not_found, "no OpenBLAS was found (", tried, "); install it, or name its file in CKPT_OPENBLAS");
}

const Blas* take_host(const HostBlas& host) {
  auto* const blas = new Blas;
  blas->sgemm = host.sgemm;
  blas->dgemm = host.dgemm;
  blas->concurrent = host.concurrent;
  blas->description = host.name.empty() ? "host's BLAS" : host.name;
  return blas;
}

// With shared().mutex held, and a HeldLog around that. The table lives for ever once it is made.
const Blas& loaded_locked() {
  Shared& all = shared();
  if (const Blas* const ready = all.blas.load(std::memory_order_acquire)) return *ready;
  const Blas* const blas = all.host.sgemm != nullptr ? take_host(all.host) : load_openblas();
  all.blas.store(blas, std::memory_order_release);
  base::write_log(base::LogLevel::info, "engine", "BLAS: " + blas->description + blas->advice);
  if (!all.expected.empty() && all.expected != blas->description) {
    base::warn("engine", base::cat(all.expected_by, " was written with the BLAS ", all.expected, "; this process has ",
                                   blas->description, ": results may differ in their last bits"));
  }
  return *blas;
}

int to_int(const char* what, std::int64_t value) {
  base::require(value >= 0 && value <= std::numeric_limits<int>::max(), what, " is ", value, "; BLAS takes 0 .. INT32_MAX");
  return static_cast<int>(value);
}

template <class T, class Function>
void call(Function function, bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc, bool concurrent) {
  const auto run = [&] {
    function(row_major, trans_a ? transpose : no_transpose, trans_b ? transpose : no_transpose, to_int("m", m), to_int("n", n),
             to_int("k", k), T{1}, a, to_int("lda", lda), b, to_int("ldb", ldb), beta, c, to_int("ldc", ldc));
  };
  if (concurrent) return run();
  base::Entered::refuse(&shared().serial, "blas");  // the host's product called a product
  const std::lock_guard lock(shared().serial);
  const base::Entered entered(&shared().serial);
  run();
}

const Blas& in_session() {
  const Blas* const blas = shared().blas.load(std::memory_order_acquire);
  if (blas == nullptr) base::fail(base::Status::internal, "a matrix product outside a BLAS session");
  return *blas;
}

}  // namespace

void set_host_blas(const HostBlas& blas) {
  base::require(blas.sgemm != nullptr && blas.dgemm != nullptr, "blas: sgemm and dgemm must both be given");
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.blas.load(std::memory_order_acquire) != nullptr) base::fail(base::Status::invalid_state, "blas: one is in use already");
  all.host = blas;
}

// Where a thread that this process does not have was loading it, none can be used: there is nothing to warn of.
void expect_blas(const std::string& what, const std::string& description) try {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.expected = description;
  all.expected_by = what;
} catch (const base::Error& error) {
  if (error.status() != base::Status::forked) throw;
}

std::string blas_description() {
  const base::HeldLog held;
  const std::lock_guard lock(shared().mutex);
  return loaded_locked().description;
}

std::string blas_information() {
  const base::HeldLog held;
  const std::lock_guard lock(shared().mutex);
  const Blas& blas = loaded_locked();
  return blas.description + blas.advice;
}

std::string blas_in_use() {
  const Blas* const blas = shared().blas.load(std::memory_order_acquire);
  return blas == nullptr ? std::string() : blas->description;
}

void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
          const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
  const Blas& blas = in_session();
  call(blas.sgemm, trans_a, trans_b, m, n, k, a, lda, b, ldb, beta, c, ldc, blas.concurrent);
}

void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
          const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc) {
  const Blas& blas = in_session();
  call(blas.dgemm, trans_a, trans_b, m, n, k, a, lda, b, ldb, beta, c, ldc, blas.concurrent);
}

BlasSession::BlasSession() {
  const base::HeldLog held;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const Blas& blas = loaded_locked();
  if (all.sessions++ > 0 || blas.set_threads == nullptr) return;
  all.threads_before = blas.get_threads();
  blas.set_threads(1);
}

// Of a session of the parent's in a forked child nothing can be said where a thread was at work with the lock held.
BlasSession::~BlasSession() {
  Shared& all = shared();
  try {
    const std::lock_guard lock(all.mutex);
    const Blas& blas = *all.blas.load(std::memory_order_acquire);
    if (--all.sessions == 0 && blas.set_threads != nullptr) blas.set_threads(all.threads_before);
  } catch (const base::Error&) {
  }
}

}  // namespace ckpt::engine
