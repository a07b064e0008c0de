#include "engine/blas_kernels.h"

#include <algorithm>
#include <iterator>

namespace ckpt::engine {
namespace {

constexpr int bulldozer_family = 0x15;
constexpr int k10_family = 0x10;

bool is_amd(const Processor& processor) { return processor.vendor == "AuthenticAMD" || processor.vendor == "HygonGenuine"; }

bool never(const Processor&) { return false; }
bool has_sse3(const Processor& p) { return p.sse3; }
bool has_ssse3(const Processor& p) { return p.ssse3; }
bool has_sse4_1(const Processor& p) { return p.sse4_1; }
bool has_sse4_2(const Processor& p) { return p.sse4_2; }
bool has_avx(const Processor& p) { return p.avx; }
bool has_avx2(const Processor& p) { return p.avx && p.avx2 && p.fma; }  // some Zhaoxin processors lack FMA
bool has_avx512(const Processor& p) { return has_avx2(p) && p.avx512; }
bool is_cooper_lake(const Processor& p) { return has_avx512(p) && p.avx512_vnni && p.avx512_bf16; }
bool is_sapphire_rapids(const Processor& p) { return is_cooper_lake(p) && p.avx512_fp16 && p.amx_bf16; }
bool is_amd_avx2(const Processor& p) { return has_avx2(p) && is_amd(p); }
bool is_k10(const Processor& p) { return is_amd(p) && p.family == k10_family && p.sse3; }

// Only AMD's family 15h has FMA4, which the Bulldozer kernels use.
bool is_bulldozer(const Processor& p) { return is_amd(p) && p.family == bulldozer_family && p.avx && p.fma4; }
bool is_piledriver(const Processor& p) { return is_bulldozer(p) && p.fma; }
bool is_steamroller(const Processor& p) { return is_piledriver(p) && p.model >= 0x30; }
bool is_excavator(const Processor& p) { return is_steamroller(p) && p.model >= 0x60 && p.avx2; }

// Instruction levels, narrowest first. Kernels of one level are about equally fast for products of floats and doubles.
enum Level { none, sse3, ssse3, sse4_1, sse4_2, avx, avx_fma, avx2, avx512 };
constexpr std::string_view level_names[] = {"no SIMD instructions", "SSE3", "SSSE3",  "SSE4.1", "SSE4.2", "AVX",
                                            "AVX with FMA",         "AVX2", "AVX-512"};

struct Core {
  std::string_view name;
  bool (*runs)(const Processor&);
  Level level;
  bool is_candidate;  // for the best one
};

// In order of preference. Cooperlake and SapphireRapids add bfloat16 products to SkylakeX, which the engine does not use: in
// 0.3.21 and 0.3.29 products of floats and doubles are as fast with SkylakeX as with Cooperlake, and not every build contains the
// two. Cores without a condition are listed only to recognize them when in use: older processors, and builds for a single one.
constexpr Core cores[] = {
    {"SkylakeX", has_avx512, avx512, true},
    {"Cooperlake", is_cooper_lake, avx512, false},
    {"SapphireRapids", is_sapphire_rapids, avx512, false},
    {"Excavator", is_excavator, avx_fma, true},
    {"Steamroller", is_steamroller, avx_fma, true},
    {"Piledriver", is_piledriver, avx_fma, true},
    {"Bulldozer", is_bulldozer, avx_fma, true},
    {"Zen", is_amd_avx2, avx2, true},
    {"Haswell", has_avx2, avx2, true},
    {"Sandybridge", has_avx, avx, true},
    {"Nehalem", has_sse4_2, sse4_2, true},
    {"Penryn", has_sse4_1, sse4_1, true},
    {"Dunnington", has_sse4_1, sse4_1, false},
    {"Core2", has_ssse3, ssse3, true},
    {"Barcelona", is_k10, sse3, true},
    {"Prescott", has_sse3, sse3, true},
    {"Atom", never, ssse3, false},
    {"Nano", never, ssse3, false},
    {"Bobcat", never, ssse3, false},
    {"Opteron_SSE3", never, sse3, false},
    {"Opteron", never, none, false},
    {"Generic", never, none, false},
};

const Core* find_core(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(cores), std::end(cores), [&](const Core& core) { return is_same_core(core.name, name); });
  return found == std::end(cores) ? nullptr : found;
}

const Core* find_best(const Processor& processor) {
  const auto* const found =
      std::find_if(std::begin(cores), std::end(cores), [&](const Core& core) { return core.is_candidate && core.runs(processor); });
  return found == std::end(cores) ? nullptr : found;
}

}  // namespace

// Source: Intel, "64 and IA-32 architectures software developer's manual", volume 2A, CPUID; volume 1, chapter 13 (XCR0); AMD,
// "AMD64 architecture programmer's manual", volume 3, appendix E.
Processor processor_of(const base::Cpuid& cpuid) {
  const auto bit = [](std::uint32_t value, int number) { return ((value >> number) & 1U) != 0; };
  const auto field = [](std::uint32_t value, int first, std::uint32_t mask) { return static_cast<int>((value >> first) & mask); };
  constexpr std::uint64_t ymm_state = 0x6;   // XMM, YMM
  constexpr std::uint64_t zmm_state = 0xe6;  // and opmask, upper halves of ZMM0..15, ZMM16..31
  const bool saves_ymm = (cpuid.saved_components & ymm_state) == ymm_state;
  const bool saves_zmm = (cpuid.saved_components & zmm_state) == zmm_state;
  const std::uint32_t ebx7 = cpuid.leaf_7_ebx;
  Processor out;
  out.vendor = cpuid.vendor;
  const int family = field(cpuid.signature, 8, 0xf);
  const int model = field(cpuid.signature, 4, 0xf);
  out.family = family == 0xf ? family + field(cpuid.signature, 20, 0xff) : family;
  out.model = family == 0x6 || family == 0xf ? model + (field(cpuid.signature, 16, 0xf) << 4) : model;
  out.sse3 = bit(cpuid.leaf_1_ecx, 0);
  out.ssse3 = bit(cpuid.leaf_1_ecx, 9);
  out.sse4_1 = bit(cpuid.leaf_1_ecx, 19);
  out.sse4_2 = bit(cpuid.leaf_1_ecx, 20);
  out.avx = saves_ymm && bit(cpuid.leaf_1_ecx, 28);
  out.fma = saves_ymm && bit(cpuid.leaf_1_ecx, 12);
  out.fma4 = saves_ymm && bit(cpuid.extended_1_ecx, 16);
  out.avx2 = saves_ymm && bit(ebx7, 5);
  out.avx512 = saves_zmm && bit(ebx7, 16) && bit(ebx7, 17) && bit(ebx7, 28) && bit(ebx7, 30) && bit(ebx7, 31);
  out.avx512_vnni = saves_zmm && bit(cpuid.leaf_7_ecx, 11);
  out.avx512_bf16 = saves_zmm && bit(cpuid.leaf_7_1_eax, 5);
  out.avx512_fp16 = saves_zmm && bit(cpuid.leaf_7_edx, 23);
  out.amx_bf16 = bit(cpuid.leaf_7_edx, 22);
  return out;
}

// The core is the last word except the number of threads, which early versions do not write.
std::string core_of(std::string_view description) {
  std::string core;
  for (std::size_t begin = 0; begin < description.size();) {
    const std::size_t end = std::min(description.find(' ', begin), description.size());
    const std::string_view word = description.substr(begin, end - begin);
    if (word.substr(0, word.find('=')) == "MAX_THREADS" || word == "SINGLE_THREADED") break;
    if (!word.empty()) core = word;
    begin = end + 1;
  }
  return core;
}

std::string_view core_name(std::string_view name) {
  const Core* const core = find_core(name);
  return core == nullptr ? std::string_view() : core->name;
}

bool is_same_core(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string_view> cores_of(const Processor& processor) {
  std::vector<std::string_view> out;
  for (const Core& core : cores) {
    if (core.runs(processor)) out.push_back(core.name);
  }
  return out;
}

std::string_view best_core(const Processor& processor) {
  const Core* const core = find_best(processor);
  return core == nullptr ? std::string_view() : core->name;
}

KernelAdvice kernel_advice(std::string_view core_in_use, const Processor& processor) {
  const Core* const used = find_core(core_in_use);
  const Core* const best = find_best(processor);
  if (used == nullptr || best == nullptr || best->level <= used->level) return {};
  return {used->name, level_names[used->level], best->name, level_names[best->level]};
}

}  // namespace ckpt::engine
