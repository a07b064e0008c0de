// The results of CPUID, and the register state that the operating system saves.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::base {

// Registers as the instructions return them; 0 for a leaf that the processor does not support.
struct Cpuid {
  std::string vendor;           // "GenuineIntel"; "" on an architecture without CPUID
  std::uint32_t signature = 0;  // leaf 1, EAX: family, model, stepping
  std::uint32_t leaf_1_ecx = 0;
  std::uint32_t leaf_7_ebx = 0;
  std::uint32_t leaf_7_ecx = 0;
  std::uint32_t leaf_7_edx = 0;
  std::uint32_t leaf_7_1_eax = 0;      // leaf 7, subleaf 1
  std::uint32_t extended_1_ecx = 0;    // leaf 0x80000001
  std::uint64_t saved_components = 0;  // XCR0: parts of the register state that the system saves; 0 where XGETBV is off
};

Cpuid read_cpuid();

}  // namespace ckpt::base
