#include <memory>

#include <ckpt/mpi.h>

#include "collectives.h"
#include "common/boundary.h"
#include "common/last_error.h"

namespace {

using ckpt::mpi::Collectives;
using ckpt::plugin::fail;
using ckpt::plugin::require;

Collectives& of(void* user_data) { return *static_cast<Collectives*>(user_data); }

// Runs inside a function of libckpt, which takes over the error message.
template <class Body>
std::int32_t run(Body&& body) noexcept {
  return ckpt::plugin::guard(
      [&] {
        body();
        return CKPT_OK;
      },
      ckpt_callback_error);
}

std::int32_t barrier(std::int64_t timeout_ns, void* user_data) {
  return run([&] { of(user_data).barrier(std::chrono::nanoseconds(timeout_ns)); });
}

std::int32_t broadcast(void* data, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns, void* user_data) {
  return run([&] {
    of(user_data).broadcast({static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)}, root,
                            std::chrono::nanoseconds(timeout_ns));
  });
}

std::int32_t all_gather(const void* sent, std::int64_t bytes, std::int64_t timeout_ns, void* received, void* user_data) {
  return run([&] {
    Collectives& all = of(user_data);
    const auto each = static_cast<std::size_t>(bytes);
    all.all_gather({static_cast<const std::byte*>(sent), each},
                   {static_cast<std::byte*>(received), each * static_cast<std::size_t>(all.world_size())},
                   std::chrono::nanoseconds(timeout_ns));
  });
}

std::int32_t gather(const void* sent, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns, void* received,
                    void* user_data) {
  return run([&] {
    Collectives& all = of(user_data);
    const auto each = static_cast<std::size_t>(bytes);
    all.gather({static_cast<const std::byte*>(sent), each},
               {static_cast<std::byte*>(received), all.rank() == root ? each * static_cast<std::size_t>(all.world_size()) : 0},
               root, std::chrono::nanoseconds(timeout_ns));
  });
}

void destroy(void* user_data) { delete &of(user_data); }

}  // namespace

ckpt_status ckpt_mpi_coordinator_create(MPI_Comm comm, int64_t timeout_ns, ckpt_coordinator** coordinator) {
  return ckpt::plugin::guard(
      [&] {
        require(coordinator != nullptr, "coordinator is NULL");
        *coordinator = nullptr;
        require(timeout_ns >= 0, "timeout_ns is ", timeout_ns, "; expected at least 0");
        auto all = std::make_unique<Collectives>(comm, std::chrono::nanoseconds(timeout_ns));
        ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
        callbacks.rank = all->rank();
        callbacks.world_size = all->world_size();
        callbacks.barrier = barrier;
        callbacks.broadcast = broadcast;
        callbacks.all_gather = all_gather;
        callbacks.gather = gather;
        const ckpt_status status = ckpt_coordinator_create_custom(&callbacks, all.get(), destroy, coordinator);
        if (status != CKPT_OK) fail(status, ckpt_last_error());
        all.release();  // NOLINT(bugprone-unused-return-value): owned by destroy
        return status;
      },
      ckpt::plugin::set_last_error);
}

const char* ckpt_mpi_last_error(void) { return ckpt::plugin::last_error(); }
