// A thread pool processes numbered parts; if parts fail, the failure of the lowest number is reported.
#include <ckpt/ckpt.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

int main() {
  ckpt::WorkerPool pool;  // as many threads as the process may use: affinity mask and cgroup quota
  std::vector<double> rows(1000);
  pool.run(1000, [&](std::int64_t part) { rows[static_cast<std::size_t>(part)] = 0.5 * static_cast<double>(part); });

  try {
    pool.run(1000, [&](std::int64_t part) {
      if (rows[static_cast<std::size_t>(part)] > 100) throw std::runtime_error("row " + std::to_string(part) + " is too large");
    });
  } catch (const ckpt::Error& error) {
    std::printf("%s: %s\n", std::string(error.status_name()).c_str(), error.what());
  }
}
