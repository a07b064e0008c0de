#include "state/coordinator.h"

#include <algorithm>
#include <vector>

namespace ckpt::state {
namespace {

class SingleProcess final : public Coordinator {
 public:
  std::int64_t rank() const noexcept override { return 0; }
  std::int64_t world_size() const noexcept override { return 1; }
  void barrier(Timeout) override {}
  void broadcast(std::span<std::byte>, std::int64_t, Timeout) override {}
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout) override {
    std::ranges::copy(sent, received.begin());
  }
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t, Timeout) override {
    std::ranges::copy(sent, received.begin());
  }
};

}  // namespace

void Coordinator::gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) {
  if (rank() == root) return all_gather(sent, received, timeout);
  std::vector<std::byte> unused(sent.size() * static_cast<std::size_t>(world_size()));
  all_gather(sent, unused, timeout);
}

std::shared_ptr<Coordinator> make_single_process() { return std::make_shared<SingleProcess>(); }

}  // namespace ckpt::state
