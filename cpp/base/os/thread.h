// Threads of the library: named, with hooks, and safe to abandon in a forked child.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ckpt::base {

// Grows by one in every forked child: an object that owns threads remembers the value it was made under.
std::uint64_t fork_generation() noexcept;

// Makes the calling thread yield to others: adds nice (0 .. 19) to its nice value. Where threads have none of their own, nothing.
void be_nice(std::int32_t nice) noexcept;

class Thread {
 public:
  // Starts body, which must not throw, on a new thread between the start and the stop hooks. name: at most 15 bytes are shown by
  // the system.
  Thread(std::string name, std::function<void()> body);
  // Joins; in a forked child, where the thread does not exist, only frees.
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  void join();
  // No thread will join it: it ends by itself.
  void detach();
  // True on this very thread.
  bool is_current() const noexcept;

 private:
  struct Native;
  std::unique_ptr<Native> native_;
  std::uint64_t generation_;
  bool joined_ = false;
};

}  // namespace ckpt::base
