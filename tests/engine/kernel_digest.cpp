// Prints one digest of the output of all kernels for each level of this processor: "LEVEL HEXADECIMAL". With the argument "each":
// one for each kernel and level, "KERNEL LEVEL HEXADECIMAL". Builds by any compiler must print the same.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>

#include "engine/kernel_levels.h"
#include "kernel_calls.h"

namespace {

using namespace ckpt::engine;

// FNV-1a.
constexpr std::uint64_t no_bytes = 0xCBF29CE484222325U;
void take_in(std::uint64_t& digest, const std::vector<unsigned char>& bytes) {
  for (const unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001B3U;
}

using Digests = std::map<std::string, std::uint64_t, std::less<>>;

template <class T>
void take_in_calls(Digests& digests) {
  for (const std::int64_t count : test::kernel_counts) {
    for (const test::Numbers numbers : {test::Numbers::mild, test::Numbers::wild}) {
      for (const test::KernelCall& call : test::kernel_calls<T>(count, numbers)) {
        take_in(digests.try_emplace(call.kernel, no_bytes).first->second, call.written);
        take_in(digests.try_emplace("", no_bytes).first->second, call.written);
      }
    }
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool each = argument_count == 2 && std::string_view(arguments[1]) == "each";
  const char* const names[] = {"baseline", "avx2", "avx512"};
  for (int level = 0; level <= static_cast<int>(widest_kernel_level()); ++level) {
    set_kernel_level(static_cast<KernelLevel>(level));
    Digests digests;
    take_in_calls<float>(digests);
    take_in_calls<double>(digests);
    for (const auto& [kernel, digest] : digests) {
      const auto number = static_cast<unsigned long long>(digest);
      if (each && !kernel.empty()) std::printf("%s %s %016llx\n", kernel.c_str(), names[level], number);
      if (!each && kernel.empty()) std::printf("%s %016llx\n", names[level], number);
    }
  }
  return 0;
}
