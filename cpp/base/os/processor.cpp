#include "base/os/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace ckpt::base {

#if defined(__x86_64__)

namespace {

struct Registers {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  Registers out;
  // Checks the largest leaf, and leaves the registers unchanged if this leaf is missing.
  (void)__get_cpuid_count(leaf, subleaf, &out.eax, &out.ebx, &out.ecx, &out.edx);
  return out;
}

std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

constexpr std::uint32_t osxsave = 1U << 27;  // leaf 1, ECX: the system has enabled XGETBV

}  // namespace

Cpuid read_cpuid() {
  Cpuid out;
  const Registers names = cpuid(0, 0);
  char vendor[12];
  std::memcpy(vendor, &names.ebx, 4);
  std::memcpy(vendor + 4, &names.edx, 4);
  std::memcpy(vendor + 8, &names.ecx, 4);
  out.vendor.assign(vendor, sizeof vendor);
  const Registers first = cpuid(1, 0);
  out.signature = first.eax;
  out.leaf_1_ecx = first.ecx;
  const Registers seventh = cpuid(7, 0);
  out.leaf_7_ebx = seventh.ebx;
  out.leaf_7_ecx = seventh.ecx;
  out.leaf_7_edx = seventh.edx;
  if (seventh.eax >= 1) out.leaf_7_1_eax = cpuid(7, 1).eax;  // EAX of subleaf 0: the largest subleaf
  out.extended_1_ecx = cpuid(0x80000001U, 0).ecx;
  if ((first.ecx & osxsave) != 0) out.saved_components = read_xcr0();
  return out;
}

#else

Cpuid read_cpuid() { return {}; }

#endif

}  // namespace ckpt::base
