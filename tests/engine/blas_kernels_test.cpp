// The OpenBLAS kernel set that a processor runs, by a table of processors: signature (leaf 1, EAX), feature bits and XCR0 as
// returned by CPUID. Signatures are those of real processors, except for the last two rows.
#include "engine/blas_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ckpt::engine {
namespace {

constexpr std::uint32_t bit(int number) { return 1U << number; }

// Leaf 1, ECX.
constexpr std::uint32_t sse3 = bit(0);
constexpr std::uint32_t ssse3 = sse3 | bit(9);
constexpr std::uint32_t sse4_1 = ssse3 | bit(19);
constexpr std::uint32_t sse4_2 = sse4_1 | bit(20);
constexpr std::uint32_t avx = sse4_2 | bit(27) | bit(28);  // with OSXSAVE
constexpr std::uint32_t fma = bit(12);
// Leaf 7, EBX.
constexpr std::uint32_t avx2 = bit(5);
constexpr std::uint32_t avx512_f = bit(16);
constexpr std::uint32_t avx512_dq = bit(17);
constexpr std::uint32_t avx512_cd = bit(28);
constexpr std::uint32_t avx512_bw = bit(30);
constexpr std::uint32_t avx512_vl = bit(31);
constexpr std::uint32_t avx512 = avx2 | avx512_f | avx512_dq | avx512_cd | avx512_bw | avx512_vl;
constexpr std::uint32_t vnni = bit(11);            // leaf 7, ECX
constexpr std::uint32_t amx_bf16 = bit(22);        // leaf 7, EDX
constexpr std::uint32_t amx = amx_bf16 | bit(24);  // and tiles
constexpr std::uint32_t fp16 = bit(23);            // leaf 7, EDX
constexpr std::uint32_t bf16 = bit(5);             // leaf 7.1, EAX
constexpr std::uint32_t fma4 = bit(16);            // leaf 0x80000001, ECX
constexpr std::uint64_t no_state = 0;              // XCR0
constexpr std::uint64_t xmm = 0x3;
constexpr std::uint64_t ymm = 0x7;
constexpr std::uint64_t zmm = 0xe7;
constexpr std::uint64_t tiles = 0x602e7;  // with PKRU

constexpr const char* intel = "GenuineIntel";
constexpr const char* amd = "AuthenticAMD";

const std::set<std::string> to_nehalem = {"Nehalem", "Penryn", "Dunnington", "Core2", "Prescott"};

std::set<std::string> with(std::set<std::string> cores, const std::set<std::string>& more) {
  cores.insert(more.begin(), more.end());
  return cores;
}
const std::set<std::string> to_sandybridge = with(to_nehalem, {"Sandybridge"});
const std::set<std::string> to_haswell = with(to_sandybridge, {"Haswell"});
const std::set<std::string> to_zen = with(to_haswell, {"Zen"});
const std::set<std::string> to_skylake = with(to_haswell, {"SkylakeX"});
const std::set<std::string> to_cooper_lake = with(to_skylake, {"Cooperlake"});
const std::set<std::string> to_sapphire_rapids = with(to_cooper_lake, {"SapphireRapids"});

struct Row {
  const char* what;
  base::Cpuid cpuid;
  int family;
  int model;
  const char* best;
  std::set<std::string> cores;
};

// vendor, signature, leaf 1 ECX, leaf 7 EBX, ECX, EDX, leaf 7.1 EAX, leaf 0x80000001 ECX, XCR0
const Row rows[] = {
    {"Prescott", {intel, 0xF41, sse3, 0, 0, 0, 0, 0, no_state}, 15, 4, "Prescott", {"Prescott"}},
    {"Core 2, 65 nm", {intel, 0x6F6, ssse3, 0, 0, 0, 0, 0, no_state}, 6, 15, "Core2", {"Core2", "Prescott"}},
    {"Core 2, 45 nm",
     {intel, 0x10676, sse4_1, 0, 0, 0, 0, 0, no_state},
     6,
     23,
     "Penryn",
     {"Penryn", "Dunnington", "Core2", "Prescott"}},
    {"Nehalem", {intel, 0x106A5, sse4_2, 0, 0, 0, 0, 0, no_state}, 6, 26, "Nehalem", to_nehalem},
    {"Sandy Bridge", {intel, 0x206A7, avx, 0, 0, 0, 0, 0, ymm}, 6, 42, "Sandybridge", to_sandybridge},
    {"Sandy Bridge, a system without AVX state", {intel, 0x206A7, avx, 0, 0, 0, 0, 0, xmm}, 6, 42, "Nehalem", to_nehalem},
    {"Sandy Bridge, a system without XSAVE",
     {intel, 0x206A7, avx & ~bit(27), 0, 0, 0, 0, 0, no_state},
     6,
     42,
     "Nehalem",
     to_nehalem},
    {"Haswell", {intel, 0x306C3, avx | fma, avx2, 0, 0, 0, 0, ymm}, 6, 60, "Haswell", to_haswell},
    {"Haswell, a virtual machine without FMA", {intel, 0x306C3, avx, avx2, 0, 0, 0, 0, ymm}, 6, 60, "Sandybridge", to_sandybridge},
    {"Haswell, a virtual machine without AVX2",
     {intel, 0x306C3, avx | fma, 0, 0, 0, 0, 0, ymm},
     6,
     60,
     "Sandybridge",
     to_sandybridge},
    {"Knights Landing (AVX-512 without BW, DQ, VL)",
     {intel, 0x50671, avx | fma, avx2 | avx512_f | avx512_cd, 0, 0, 0, 0, zmm},
     6,
     87,
     "Haswell",
     to_haswell},
    {"Skylake server", {intel, 0x50654, avx | fma, avx512, 0, 0, 0, 0, zmm}, 6, 85, "SkylakeX", to_skylake},
    {"Skylake server, a virtual machine without AVX-512",
     {intel, 0x50654, avx | fma, avx2, 0, 0, 0, 0, zmm},
     6,
     85,
     "Haswell",
     to_haswell},
    {"Skylake server, a virtual machine without AVX-512 VL",
     {intel, 0x50654, avx | fma, avx512 & ~avx512_vl, 0, 0, 0, 0, zmm},
     6,
     85,
     "Haswell",
     to_haswell},
    {"Skylake server, a system without ZMM state",
     {intel, 0x50654, avx | fma, avx512, 0, 0, 0, 0, ymm},
     6,
     85,
     "Haswell",
     to_haswell},
    {"Cascade Lake", {intel, 0x50657, avx | fma, avx512, vnni, 0, 0, 0, zmm}, 6, 85, "SkylakeX", to_skylake},
    {"Cooper Lake", {intel, 0x5065B, avx | fma, avx512, vnni, 0, bf16, 0, zmm}, 6, 85, "SkylakeX", to_cooper_lake},
    {"Ice Lake server", {intel, 0x606A6, avx | fma, avx512, vnni, 0, 0, 0, zmm}, 6, 106, "SkylakeX", to_skylake},
    {"Alder Lake", {intel, 0x90672, avx | fma, avx2, 0, 0, 0, 0, ymm}, 6, 151, "Haswell", to_haswell},
    {"Sapphire Rapids",
     {intel, 0x806F8, avx | fma, avx512, vnni, amx | fp16, bf16, 0, tiles},
     6,
     143,
     "SkylakeX",
     to_sapphire_rapids},
    {"Sapphire Rapids, a virtual machine without AMX",
     {intel, 0x806F8, avx | fma, avx512, vnni, fp16, bf16, 0, zmm},
     6,
     143,
     "SkylakeX",
     to_cooper_lake},
    {"Emerald Rapids",
     {intel, 0xC06F2, avx | fma, avx512, vnni, amx | fp16, bf16, 0, tiles},
     6,
     207,
     "SkylakeX",
     to_sapphire_rapids},
    {"Granite Rapids",
     {intel, 0xA06D1, avx | fma, avx512, vnni, amx | fp16, bf16, 0, tiles},
     6,
     173,
     "SkylakeX",
     to_sapphire_rapids},
    {"Diamond Rapids (family 19)",
     {intel, 0x400F10, avx | fma, avx512, vnni, amx | fp16, bf16, 0, tiles},
     19,
     1,
     "SkylakeX",
     to_sapphire_rapids},
    {"K10", {amd, 0x100F42, sse3, 0, 0, 0, 0, 0, no_state}, 16, 4, "Barcelona", {"Barcelona", "Prescott"}},
    {"Bulldozer", {amd, 0x600F12, avx, 0, 0, 0, 0, fma4, ymm}, 21, 1, "Bulldozer", with(to_sandybridge, {"Bulldozer"})},
    {"Piledriver",
     {amd, 0x600F20, avx | fma, 0, 0, 0, 0, fma4, ymm},
     21,
     2,
     "Piledriver",
     with(to_sandybridge, {"Bulldozer", "Piledriver"})},
    {"Steamroller",
     {amd, 0x630F01, avx | fma, 0, 0, 0, 0, fma4, ymm},
     21,
     48,
     "Steamroller",
     with(to_sandybridge, {"Bulldozer", "Piledriver", "Steamroller"})},
    {"Excavator",
     {amd, 0x660F01, avx | fma, avx2, 0, 0, 0, fma4, ymm},
     21,
     96,
     "Excavator",
     with(to_haswell, {"Zen", "Bulldozer", "Piledriver", "Steamroller", "Excavator"})},
    {"Piledriver, a system without AVX state", {amd, 0x600F20, avx | fma, 0, 0, 0, 0, fma4, xmm}, 21, 2, "Nehalem", to_nehalem},
    {"Zen 1", {amd, 0x800F11, avx | fma, avx2, 0, 0, 0, 0, ymm}, 23, 1, "Zen", to_zen},
    {"Zen 2", {amd, 0x830F10, avx | fma, avx2, 0, 0, 0, 0, ymm}, 23, 49, "Zen", to_zen},
    {"Zen 3", {amd, 0xA20F10, avx | fma, avx2, 0, 0, 0, 0, ymm}, 25, 33, "Zen", to_zen},
    {"Zen 4", {amd, 0xA60F12, avx | fma, avx512, vnni, 0, bf16, 0, zmm}, 25, 97, "SkylakeX", with(to_cooper_lake, {"Zen"})},
    {"Zen 5", {amd, 0xB40F40, avx | fma, avx512, vnni, 0, bf16, 0, zmm}, 26, 68, "SkylakeX", with(to_cooper_lake, {"Zen"})},
    {"Zen 4, a virtual machine without AVX-512", {amd, 0xA60F12, avx | fma, avx2, 0, 0, 0, 0, ymm}, 25, 97, "Zen", to_zen},
    {"Hygon Dhyana", {"HygonGenuine", 0x900F02, avx | fma, avx2, 0, 0, 0, 0, ymm}, 24, 0, "Zen", to_zen},
    {"Zhaoxin with AVX2 and without FMA",
     {"  Shanghai  ", 0x307B1, avx, avx2, 0, 0, 0, 0, ymm},
     7,
     11,
     "Sandybridge",
     to_sandybridge},
    {"Centaur",
     {"CentaurHauls", 0x6FE, sse4_1, 0, 0, 0, 0, 0, no_state},
     6,
     15,
     "Penryn",
     {"Penryn", "Dunnington", "Core2", "Prescott"}},
    {"another vendor with AVX2", {"SomebodyElse", 0x6F1, avx | fma, avx2, 0, 0, 0, 0, ymm}, 6, 15, "Haswell", to_haswell},
    {"no x86-64", {"", 0, 0, 0, 0, 0, 0, 0, no_state}, 0, 0, "", {}},
};

std::set<std::string> cores_as_strings(const Processor& processor) {
  const auto cores = cores_of(processor);
  return {cores.begin(), cores.end()};
}

TEST(BlasKernels, ProcessorsRunTheirCores) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const Processor processor = processor_of(row.cpuid);
    EXPECT_EQ(processor.family, row.family);
    EXPECT_EQ(processor.model, row.model);
    EXPECT_EQ(best_core(processor), row.best);
    EXPECT_EQ(cores_as_strings(processor), row.cores);
  }
}

const Processor& processor_named(const std::string& what) {
  static Processor found;
  const auto* const row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return each.what == what; });
  if (row == std::end(rows)) throw std::runtime_error("no row " + what);
  found = processor_of(row->cpuid);
  return found;
}

std::string advice(const char* core_in_use, const char* what) {
  const KernelAdvice found = kernel_advice(core_in_use, processor_named(what));
  if (found.is_empty()) return "";
  return std::string(found.in_use) + " (" + std::string(found.in_use_level) + ") < " + std::string(found.better) + " (" +
         std::string(found.better_level) + ")";
}

TEST(BlasKernels, WiderKernelsAreNamed) {
  EXPECT_EQ(advice("Prescott", "Emerald Rapids"), "Prescott (SSE3) < SkylakeX (AVX-512)");
  EXPECT_EQ(advice("HASWELL", "Skylake server"), "Haswell (AVX2) < SkylakeX (AVX-512)");
  EXPECT_EQ(advice("Sandybridge", "Zen 2"), "Sandybridge (AVX) < Zen (AVX2)");
  EXPECT_EQ(advice("Sandybridge", "Piledriver"), "Sandybridge (AVX) < Piledriver (AVX with FMA)");
  EXPECT_EQ(advice("generic", "Nehalem"), "Generic (no SIMD instructions) < Nehalem (SSE4.2)");
  EXPECT_EQ(advice("Opteron", "Zen 3"), "Opteron (no SIMD instructions) < Zen (AVX2)");
}

TEST(BlasKernels, EquallyWideAndUnknownKernelsCauseNoWarning) {
  EXPECT_EQ(advice("Cooperlake", "Emerald Rapids"), "");
  EXPECT_EQ(advice("SapphireRapids", "Emerald Rapids"), "");
  EXPECT_EQ(advice("Haswell", "Zen 3"), "");
  EXPECT_EQ(advice("Haswell", "Skylake server, a system without ZMM state"), "");
  EXPECT_EQ(advice("ANewCore", "Emerald Rapids"), "");
  EXPECT_EQ(advice("neoversen1", "no x86-64"), "");
  EXPECT_EQ(advice("", "Emerald Rapids"), "");
}

// Each as openblas_get_config writes it.
TEST(BlasKernels, DescriptionsNameTheirCore) {
  EXPECT_EQ(core_of("OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64"), "Prescott");
  EXPECT_EQ(core_of("OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Cooperlake SINGLE_THREADED"), "Cooperlake");
  EXPECT_EQ(core_of("OpenBLAS 0.3.29  USE64BITINT DYNAMIC_ARCH NO_AFFINITY SapphireRapids MAX_THREADS=128"), "SapphireRapids");
  EXPECT_EQ(core_of("NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Haswell"), "Haswell");
  EXPECT_EQ(core_of("OpenBLAS 0.3.21 NO_AFFINITY ZEN MAX_THREADS=4"), "ZEN");
  EXPECT_EQ(core_of("OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY neoversen1 MAX_THREADS=4"), "neoversen1");
  EXPECT_EQ(core_of(""), "");
}

TEST(BlasKernels, NamesIgnoreCase) {
  EXPECT_EQ(core_name("skylakex"), "SkylakeX");
  EXPECT_EQ(core_name("SANDYBRIDGE"), "Sandybridge");
  EXPECT_EQ(core_name("Skylake"), "");
  EXPECT_EQ(core_name(""), "");
}

// The compiler's own detection of this machine agrees.
TEST(BlasKernels, ThisProcessorIsRead) {
#if defined(__x86_64__) && defined(__GNUC__)
  const Processor processor = processor_of(base::read_cpuid());
  EXPECT_EQ(processor.vendor.size(), 12U);
  EXPECT_GT(processor.family, 0);
  EXPECT_EQ(processor.sse3, __builtin_cpu_supports("sse3") != 0);
  EXPECT_EQ(processor.ssse3, __builtin_cpu_supports("ssse3") != 0);
  EXPECT_EQ(processor.sse4_1, __builtin_cpu_supports("sse4.1") != 0);
  EXPECT_EQ(processor.sse4_2, __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(processor.avx, __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(processor.fma, __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(processor.avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(processor.avx512, __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
                                  __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                                  __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(processor.avx512_vnni, __builtin_cpu_supports("avx512vnni") != 0);
#else
  EXPECT_TRUE(cores_of(processor_of(base::read_cpuid())).empty());
#endif
}

}  // namespace
}  // namespace ckpt::engine
