// The threads of one object: joined by whoever ends it, or left to end, and to free it, by themselves. Synchronised.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/os/thread.h"
#include "base/wait_point.h"

namespace ckpt::async {

class Crew {
 public:
  // Before any of the calls below, and by one thread. body: must not throw.
  void start(std::string name, std::function<void()> body);

  // True until one of the next two has decided what becomes of the threads.
  bool is_serving() const;
  // Returns when all bodies have returned. True for the one call that joined the threads.
  bool join();
  // False when that is decided. Else no thread joins the threads: the last one lets go of keep_alive.
  bool detach(std::shared_ptr<void> keep_alive);

 private:
  enum class Fate : std::uint8_t { serving, joined, detached };
  // True for the one who decides.
  bool decide(Fate fate, std::shared_ptr<void> keep_alive);
  void leave() noexcept;

  std::vector<std::unique_ptr<base::Thread>> threads_;
  mutable std::mutex mutex_;  // held for the next three alone
  Fate fate_ = Fate::serving;
  std::int64_t left_ = 0;  // threads whose body has not returned
  std::shared_ptr<void> keep_alive_;
  std::atomic<bool> all_left_{false};
  base::WaitPoint changed_;
};

}  // namespace ckpt::async
