// A minimal external C++ program. Optional argument: the version that must be loaded.
#include <atomic>
#include <cstdio>
#include <string_view>

#include <ckpt/ckpt.hpp>

int main(int count, char** arguments) {
  if (count > 1 && ckpt::version() != std::string_view(arguments[1])) return 1;

  std::atomic<std::int64_t> sum{0};
  ckpt::WorkerPool pool(2);
  pool.run(100, [&](std::int64_t part) { sum += part; });
  if (sum != 4950) return 2;

  try {
    pool.run(-1, [](std::int64_t) {});
    return 3;
  } catch (const ckpt::Error& error) {
    if (error.status() != ckpt::Status::invalid_argument) return 4;
    if (std::string_view(error.what()).find("part_count is -1") == std::string_view::npos) return 5;
  }
  return 0;
}
