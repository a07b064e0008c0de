#include "engine/blas.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "base/entered.h"
#include "base/error.h"
#include "base/fork_mutex.h"
#include "base/log.h"
#include "base/os/environment.h"
#include "base/os/forced_unwind.h"
#include "base/os/library.h"
#include "base/os/processor.h"
#include "base/os/signals.h"
#include "engine/blas_kernels.h"

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
  SetThreads set_threads = nullptr;  // nullptr for a user-provided BLAS
  GetThreads get_threads = nullptr;
  bool concurrent = true;
  std::string description;
  std::string file;     // "" for a user-provided BLAS
  std::string core;     // "" for a user-provided BLAS
  KernelAdvice advice;  // empty for a user-provided BLAS
};

struct Shared {
  base::ForkMutex mutex;  // guards loading and sessions
  std::atomic<const Blas*> blas{nullptr};
  HostBlas host;
  std::string expected;  // "": no expectation
  std::string expected_by;
  int sessions = 0;
  int threads_before = 1;
  base::ForkMutex serial;  // held during a call if the BLAS does not support concurrent ones
};

// Never destroyed: sessions may end during static destruction.
Shared& shared() {
  static auto* const the_shared = new Shared;
  return *the_shared;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const Shared& blas_initialized_at_load = shared();

constexpr const char* kernels_variable = "OPENBLAS_CORETYPE";

// Not cached: a lazily initialized object could be incomplete in a forked child.
Processor this_processor() { return processor_of(base::read_cpuid()); }

template <class Function>
Function function(const base::SharedLibrary& library, const char* name) {
  return reinterpret_cast<Function>(library.symbol(name));
}

// Returns nullptr if the library is not loaded or not an OpenBLAS.
std::unique_ptr<Blas> openblas_of(const base::SharedLibrary& library) {
  auto blas = std::make_unique<Blas>();
  blas->sgemm = function<SgemmFunction>(library, "cblas_sgemm");
  blas->dgemm = function<DgemmFunction>(library, "cblas_dgemm");
  blas->set_threads = function<SetThreads>(library, "openblas_set_num_threads");
  blas->get_threads = function<GetThreads>(library, "openblas_get_num_threads");
  const auto get_parallel = function<GetThreads>(library, "openblas_get_parallel");
  const auto get_config = function<GetText>(library, "openblas_get_config");
  if (blas->sgemm == nullptr || blas->dgemm == nullptr || blas->set_threads == nullptr || blas->get_threads == nullptr ||
      get_parallel == nullptr || get_config == nullptr) {
    return nullptr;
  }
  // A build without threads has no locks either: concurrent calls computed wrong products.
  blas->concurrent = get_parallel() != 0;
  blas->description = get_config();
  blas->file = library.file();
  blas->core = core_of(blas->description);
  blas->advice = kernel_advice(blas->core, this_processor());
  return blas;
}

// The kernels to load OpenBLAS with. Both "": OpenBLAS chooses.
struct Kernels {
  std::string_view core;
  std::string_view asked;  // as given by the caller
};

// OpenBLAS reads the variable once, when it is loaded. A library that is already loaded keeps its kernels.
std::string load_with_kernels(base::SharedLibrary& library, const std::string& name, const Kernels& kernels) {
  base::SharedLibrary before;
  if (before.find_loaded(name)) {
    const std::unique_ptr<Blas> blas = openblas_of(before);
    before.close();
    if (blas != nullptr) {
      base::fail(base::Status::invalid_state, "kernels ", base::quote(kernels.asked), ": this process has loaded ", blas->file,
                 " already, with its ", blas->core, " kernels");
    }
  }
  const base::ScopedVariable variable(kernels_variable, std::string(kernels.core));
  return library.load(name);
}

const Blas* load_openblas(const Kernels& kernels) {
  std::vector<std::string> names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only set_blas_kernels() changes it, under the same lock
  if (const char* const given = std::getenv("CKPT_OPENBLAS"); given != nullptr && *given != '\0') names.emplace_back(given);
  names.insert(names.end(), {"libopenblas.so.0", "libopenblas.so"});
  std::string tried;
  for (const std::string& name : names) {
    base::SharedLibrary library;
    const std::string reason = kernels.core.empty() ? library.load(name) : load_with_kernels(library, name, kernels);
    if (std::unique_ptr<Blas> blas = openblas_of(library)) return blas.release();
    tried += base::cat(tried.empty() ? "" : "; ", name, ": ", reason.empty() ? "not an OpenBLAS" : reason);
  }
  base::fail(base::Status::not_found, "OpenBLAS not found (", tried, "); install it, or set CKPT_OPENBLAS to its file");
}

const Blas* take_host(const HostBlas& host) {
  auto* const blas = new Blas;
  blas->sgemm = host.sgemm;
  blas->dgemm = host.dgemm;
  blas->concurrent = host.concurrent;
  blas->description = host.name.empty() ? "host's BLAS" : host.name;
  return blas;
}

std::string information_of(const Blas& blas) {
  const KernelAdvice& advice = blas.advice;
  if (advice.is_empty()) return blas.description;
  return base::cat(blas.description, "; its kernels are ", advice.in_use, " (", advice.in_use_level,
                   "), and this processor can run ", advice.better, " (", advice.better_level, ")");
}

void log_blas(const Blas& blas) {
  const std::string text = base::cat("BLAS: ", information_of(blas));
  if (blas.advice.is_empty()) return base::write_log(base::LogLevel::info, "engine", text);
  // A build for one processor contains no other kernels.
  const bool has_others = blas.description.find("DYNAMIC_ARCH") != std::string::npos;
  base::warn("engine", base::cat(text, ", which are faster: ",
                                 has_others ? base::cat("set ", kernels_variable, "=", blas.advice.better,
                                                        ", or call ckpt_blas_set_kernels before the first use")
                                            : std::string("install an OpenBLAS built with DYNAMIC_ARCH")));
}

// Call with shared().mutex held, and a HeldLog around that. blas is never destroyed.
const Blas& use_locked(const Blas* blas) {
  Shared& all = shared();
  all.blas.store(blas, std::memory_order_release);
  log_blas(*blas);
  if (!all.expected.empty() && all.expected != blas->description) {
    base::warn("engine", base::cat(all.expected_by, " was written with the BLAS ", all.expected, "; this process has ",
                                   blas->description, ": results may differ in their last bits"));
  }
  return *blas;
}

// As use_locked, with the default BLAS.
const Blas& loaded_locked() {
  Shared& all = shared();
  if (const Blas* const ready = all.blas.load(std::memory_order_acquire)) return *ready;
  return use_locked(all.host.sgemm != nullptr ? take_host(all.host) : load_openblas({}));
}

// Returns the core for a caller's name.
std::string_view asked_core(std::string_view name) {
  const Processor processor = this_processor();
  const std::vector<std::string_view> runnable = cores_of(processor);
  if (runnable.empty())
    base::fail(base::Status::unsupported, "kernels ", base::quote(name), ": OpenBLAS's kernels can be set on x86-64 only");
  if (is_same_core(name, "best")) return best_core(processor);
  std::string known;
  for (const std::string_view core : runnable) {
    if (is_same_core(core, name)) return core;
    known += base::cat(", ", core);
  }
  base::fail(base::Status::invalid_argument, "kernels ", base::quote(name), ": ",
             core_name(name).empty() ? "unknown" : "not supported by this processor", "; expected best", known);
}

int to_int(const char* name, std::int64_t value) {
  base::require(value >= 0 && value <= std::numeric_limits<int>::max(), name, " is ", value, "; expected 0 .. INT32_MAX");
  return static_cast<int>(value);
}

// A user-provided function may be C++ code that throws.
template <class Call>
void host_call(const char* function, Call&& call) {
  try {
    call();
  } catch (const base::ForcedUnwind&) {  // the thread is being cancelled
    throw;
  } catch (...) {
    base::fail(base::Status::callback, "blas ", function, " threw an exception: ", base::current_error().message);
  }
}

template <class T, class Function>
void call(const char* name, Function function, bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
          const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc, bool concurrent) {
  const auto run = [&, rows = to_int("m", m), columns = to_int("n", n), inner = to_int("k", k), stride_a = to_int("lda", lda),
                    stride_b = to_int("ldb", ldb), stride_c = to_int("ldc", ldc)] {
    host_call(name, [&] {
      function(row_major, trans_a ? transpose : no_transpose, trans_b ? transpose : no_transpose, rows, columns, inner, T{1}, a,
               stride_a, b, stride_b, beta, c, stride_c);
    });
  };
  if (concurrent) return run();
  base::Entered::refuse(&shared().serial, "blas");  // a user-provided product called a product
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
  base::require(blas.sgemm != nullptr && blas.dgemm != nullptr, "blas: expected both sgemm and dgemm");
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.blas.load(std::memory_order_acquire) != nullptr)
    base::fail(base::Status::invalid_state, "blas: another BLAS is in use already");
  all.host = blas;
}

// In a forked child, if a thread of the parent was loading the BLAS, none can be used: nothing to warn about.
void expect_blas(const std::string& state, const std::string& description) try {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.expected = description;
  all.expected_by = state;
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
  return information_of(loaded_locked());
}

void set_blas_kernels(std::string_view name) {
  const std::string_view core = asked_core(name);
  const base::HeldLog held;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.host.sgemm != nullptr) {
    base::fail(base::Status::invalid_state, "kernels ", base::quote(name), ": ckpt_blas_set has set another BLAS, ",
               base::quote(all.host.name), ", instead of OpenBLAS");
  }
  if (const Blas* const used = all.blas.load(std::memory_order_acquire)) {
    base::fail(base::Status::invalid_state, "kernels ", base::quote(name), ": ", used->file, " is in use already, with its ",
               used->core, " kernels");
  }
  const Blas& blas = use_locked(load_openblas({core, name}));
  if (is_same_core(name, "best") || is_same_core(blas.core, core)) return;
  base::fail(base::Status::unsupported, "kernels ", base::quote(name), ": ", blas.file, " does not contain them (",
             blas.description, "), and is in use with its ", blas.core, " kernels");
}

std::string blas_in_use() {
  const Blas* const blas = shared().blas.load(std::memory_order_acquire);
  return blas == nullptr ? std::string() : blas->description;
}

void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
          const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
  const Blas& blas = in_session();
  call("sgemm", blas.sgemm, trans_a, trans_b, m, n, k, a, lda, b, ldb, beta, c, ldc, blas.concurrent);
}

void gemm(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
          const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc) {
  const Blas& blas = in_session();
  call("dgemm", blas.dgemm, trans_a, trans_b, m, n, k, a, lda, b, ldb, beta, c, ldc, blas.concurrent);
}

BlasSession::BlasSession() {
  const base::HeldLog held;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const Blas& blas = loaded_locked();
  if (all.sessions++ > 0 || blas.set_threads == nullptr) return;
  all.threads_before = blas.get_threads();
  const base::SignalsBlocked blocked;  // in a forked child this starts OpenBLAS's threads again
  blas.set_threads(1);
}

// In a forked child, a session of the parent is left as it is if another thread held the lock at the fork.
BlasSession::~BlasSession() {
  Shared& all = shared();
  try {
    const std::lock_guard lock(all.mutex);
    const Blas& blas = *all.blas.load(std::memory_order_acquire);
    const base::SignalsBlocked blocked;
    if (--all.sessions == 0 && blas.set_threads != nullptr) blas.set_threads(all.threads_before);
  } catch (const base::Error&) {
  }
}

}  // namespace ckpt::engine
