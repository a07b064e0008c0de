// The sets of kernels of OpenBLAS ("cores") on x86-64, by what a processor must have to run them. Pure functions of CPUID, so a
// test can pass any processor. Synchronised.
//
// OpenBLAS chooses a set when it is loaded, by a list of processor models; 0.3.21 runs its oldest kernels (Prescott, SSE3) on an
// Intel model that it does not know. The rules here go by features, and use the model only for AMD's families 10h and 15h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/os/processor.h"

namespace ckpt::engine {

// A processor's features as far as the operating system saves their registers.
struct Processor {
  std::string vendor;  // "" on another architecture than x86-64
  int family = 0;      // with the extended family
  int model = 0;       // with the extended model
  bool sse3 = false;
  bool ssse3 = false;
  bool sse4_1 = false;
  bool sse4_2 = false;
  bool avx = false;
  bool fma = false;
  bool fma4 = false;
  bool avx2 = false;
  bool avx512 = false;  // F, CD, BW, DQ and VL, as the Skylake server has them
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_bf16 = false;
};

Processor processor_of(const base::Cpuid& cpuid);

// The core that an OpenBLAS's description (openblas_get_config) names: "Haswell"; "" when it names none.
std::string core_of(std::string_view description);

// OpenBLAS's spelling of a core's name, which may be in upper or lower case; "" for an unknown one.
std::string_view core_name(std::string_view name);

bool is_same_core(std::string_view a, std::string_view b);

// Cores that the processor runs; empty on another architecture than x86-64.
std::vector<std::string_view> cores_of(const Processor& processor);

// The core with the fastest products of floats and doubles among those that every OpenBLAS 0.3 built for many processors has;
// "" on another architecture than x86-64.
std::string_view best_core(const Processor& processor);

// Two sets of kernels, where the processor could run a wider one than that in use.
struct KernelAdvice {
  std::string_view in_use;
  std::string_view in_use_level;  // widest instructions: "SSE3"
  std::string_view better;
  std::string_view better_level;

  bool is_empty() const { return better.empty(); }
};

// Empty where the core in use is unknown or as wide as the best one.
KernelAdvice kernel_advice(std::string_view core_in_use, const Processor& processor);

}  // namespace ckpt::engine
