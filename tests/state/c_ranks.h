// The ranks of a run as threads that call the C API, and the coordinator that connects them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <ckpt/ckpt.h>

#include "../adaptive/events.h"

namespace ckpt_tests {

constexpr std::int64_t second = 1'000'000'000;
constexpr int ranks = 3;

// Matches the ranks' collective operations and carries them out. After a timeout every operation fails.
class Hub {
 public:
  enum class Kind { barrier, broadcast, all_gather, gather };
  struct Call {
    Kind kind = Kind::barrier;
    std::int64_t root = 0;
    const void* sent = nullptr;
    void* received = nullptr;
    std::int64_t bytes = 0;
  };

  std::int32_t run_collective(int rank, const Call& call, std::int64_t timeout_ns) {
    std::unique_lock lock(mutex_);
    if (is_broken_) return CKPT_E_TIMEOUT;
    calls_[static_cast<std::size_t>(rank)] = call;
    const std::int64_t mine = operations_;
    if (++present_ == ranks) {
      carry_out();
      present_ = 0;
      ++operations_;
      changed_.notify_all();
    } else {
      changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return operations_ > mine || is_broken_; });
      is_broken_ = is_broken_ || operations_ == mine;
      if (is_broken_) changed_.notify_all();
    }
    return is_broken_ ? CKPT_E_TIMEOUT : 0;
  }
  std::int64_t operations() {
    const std::lock_guard lock(mutex_);
    return operations_;
  }

 private:
  void carry_out() {
    const Call& first = calls_[0];
    for (const Call& call : calls_)
      is_broken_ = is_broken_ || call.kind != first.kind || call.root != first.root || call.bytes != first.bytes;
    EXPECT_FALSE(is_broken_) << "the ranks called different collectives";
    const auto bytes = static_cast<std::size_t>(first.bytes);
    if (is_broken_ || bytes == 0) return;
    for (int rank = 0; rank < ranks; ++rank) {
      const Call& call = calls_[static_cast<std::size_t>(rank)];
      if (first.kind == Kind::broadcast) {
        if (rank != call.root) std::memcpy(call.received, calls_[static_cast<std::size_t>(call.root)].sent, bytes);
      } else if (first.kind == Kind::all_gather || rank == call.root) {
        for (std::size_t i = 0; i < ranks; ++i) std::memcpy(static_cast<char*>(call.received) + i * bytes, calls_[i].sent, bytes);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Call, ranks> calls_;
  int present_ = 0;
  std::int64_t operations_ = 0;
  bool is_broken_ = false;
};

struct Seat {
  std::shared_ptr<Hub> hub;
  int rank = 0;
  std::int32_t run_collective(const Hub::Call& call, std::int64_t timeout_ns) const {
    return hub->run_collective(rank, call, timeout_ns);
  }
};

inline ckpt_coordinator* coordinator_of(const std::shared_ptr<Hub>& hub, int rank) {
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  callbacks.rank = rank;
  callbacks.world_size = ranks;
  callbacks.barrier = [](std::int64_t timeout_ns, void* seat) { return static_cast<Seat*>(seat)->run_collective({}, timeout_ns); };
  callbacks.broadcast = [](void* data, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns, void* seat) {
    return static_cast<Seat*>(seat)->run_collective({Hub::Kind::broadcast, root, data, data, bytes}, timeout_ns);
  };
  callbacks.all_gather = [](const void* sent, std::int64_t bytes, std::int64_t timeout_ns, void* received, void* seat) {
    return static_cast<Seat*>(seat)->run_collective({Hub::Kind::all_gather, 0, sent, received, bytes}, timeout_ns);
  };
  callbacks.gather = [](const void* sent, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns, void* received,
                        void* seat) {
    return static_cast<Seat*>(seat)->run_collective({Hub::Kind::gather, root, sent, received, bytes}, timeout_ns);
  };
  ckpt_coordinator* coordinator = nullptr;
  EXPECT_EQ(ckpt_coordinator_create_custom(
                &callbacks, new Seat{hub, rank}, [](void* seat) { delete static_cast<Seat*>(seat); }, &coordinator),
            CKPT_OK);
  return coordinator;
}

// Handles of one rank.
struct Rank {
  int rank = 0;
  ckpt_storage* storage = nullptr;
  ckpt_coordinator* coordinator = nullptr;
  ckpt_checkpoint_manager* manager = nullptr;
  ckpt_async_manager* async = nullptr;
  ckpt_controller* controller = nullptr;
  ckpt_state* state = nullptr;
  ckpt_state* other_state = nullptr;  // with another tensor
};

inline ckpt_state* state_of(int rank, const char* tensor_name) {
  ckpt_state* state = nullptr;
  ckpt_tensor* tensor = nullptr;
  const std::int64_t shape[] = {100};
  EXPECT_EQ(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, nullptr, &tensor), CKPT_OK) << ckpt_last_error();
  EXPECT_EQ(ckpt_state_create(&state), CKPT_OK);
  EXPECT_EQ(ckpt_state_add_tensor(state, "model", tensor_name, tensor), CKPT_OK) << ckpt_last_error();
  EXPECT_EQ(ckpt_state_set_json(state, "rank", std::to_string(rank).c_str()), CKPT_OK);
  ckpt_tensor_release(tensor);
  return state;
}

inline ckpt_checkpoint_manager_options options_of(const Rank& here, std::int64_t timeout_ns) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.coordinator = here.coordinator;
  options.timeout_ns = timeout_ns;
  return options;
}

inline ckpt_status save_step(const Rank& here, std::int64_t step) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  return ckpt_checkpoint_manager_save(here.manager, here.state, &options, nullptr);
}

// A run of several ranks, each on a separate thread.
class CRanks : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(ckpt_storage_create_memory(&storage_), CKPT_OK); }
  void TearDown() override { ckpt_storage_release(storage_); }

  void for_all_ranks(const std::function<void(Rank& here)>& body) {
    hub_ = std::make_shared<Hub>();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        Rank here;
        here.rank = rank;
        here.storage = storage_;
        here.coordinator = coordinator_of(hub_, rank);
        here.state = state_of(rank, "weight");
        here.other_state = state_of(rank, "bias");
        body(here);
        ckpt_async_manager_release(here.async);
        ckpt_checkpoint_manager_release(here.manager);
        ckpt_controller_release(here.controller);
        ckpt_state_release(here.state);
        ckpt_state_release(here.other_state);
        ckpt_coordinator_release(here.coordinator);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static void open(Rank& here, std::int64_t timeout_ns) {
    const ckpt_checkpoint_manager_options options = options_of(here, timeout_ns);
    ASSERT_EQ(ckpt_checkpoint_manager_create(here.storage, &options, &here.manager), CKPT_OK) << ckpt_last_error();
  }
  static void open_all(Rank& here, std::int64_t timeout_ns) {
    open(here, timeout_ns);
    ASSERT_EQ(ckpt_async_manager_create(here.manager, nullptr, &here.async), CKPT_OK) << ckpt_last_error();
    ASSERT_EQ(ckpt_controller_create(nullptr, &here.controller), CKPT_OK);
    ASSERT_EQ(record_begin_run(here.controller, 0), CKPT_OK);
    ASSERT_EQ(save_step(here, 1), CKPT_OK) << ckpt_last_error();
  }

  ckpt_storage* storage_ = nullptr;
  std::shared_ptr<Hub> hub_;
};

}  // namespace ckpt_tests
