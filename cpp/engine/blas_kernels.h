// OpenBLAS's sets of kernels ("cores") on x86-64, by the processor features that they require. Pure functions of CPUID, so that
// tests can pass any processor. Thread-safe.
//
// OpenBLAS chooses a set at load, by a list of processor models; 0.3.21 runs its oldest kernels (Prescott, SSE3) on an unknown
// Intel model. The rules here use features, and the model only for AMD's families 10h and 15h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/os/processor.h"

namespace ckpt::engine {

// A processor's features, restricted to those with registers that the operating system saves.
struct Processor {
  std::string vendor;  // "" if not x86-64
  int family = 0;      // including the extended family
  int model = 0;       // including the extended model
  bool sse3 = false;
  bool ssse3 = false;
  bool sse4_1 = false;
  bool sse4_2 = false;
  bool avx = false;
  bool fma = false;
  bool fma4 = false;
  bool avx2 = false;
  bool avx512 = false;  // F, CD, BW, DQ and VL, as in Skylake servers
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_bf16 = false;
};

Processor processor_of(const base::Cpuid& cpuid);

// Returns the core named in OpenBLAS's description (openblas_get_config), such as "Haswell"; "" if it names none.
std::string core_of(std::string_view description);

// Returns OpenBLAS's spelling of a core's name, given in upper or lower case; "" for an unknown one.
std::string_view core_name(std::string_view name);

bool is_same_core(std::string_view a, std::string_view b);

// Returns the cores that the processor supports; empty if not x86-64.
std::vector<std::string_view> cores_of(const Processor& processor);

// Returns the core with the fastest products of floats and doubles among those that every OpenBLAS 0.3 built for many processors
// contains; "" if not x86-64.
std::string_view best_core(const Processor& processor);

// The kernels in use, and wider ones that the processor supports.
struct KernelAdvice {
  std::string_view in_use;
  std::string_view in_use_level;  // widest instructions: "SSE3"
  std::string_view better;
  std::string_view better_level;

  bool is_empty() const { return better.empty(); }
};

// Empty if the core in use is unknown or as wide as the best one.
KernelAdvice kernel_advice(std::string_view core_in_use, const Processor& processor);

}  // namespace ckpt::engine
