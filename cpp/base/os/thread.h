// Library threads: named, with hooks, and safe to abandon in a forked child.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ckpt::base {

// Returns a counter that grows by one in every forked child. An object that owns threads stores the value of its construction.
std::uint64_t fork_generation() noexcept;

// Lowers the calling thread's priority: adds nice (0 .. 19) to its nice value. Does nothing where nice values are per process.
void lower_priority(std::int32_t nice) noexcept;

class Thread {
 public:
  // Starts body, which must not throw, on a new thread between the start and the stop hooks. name: the system shows at most 15
  // bytes.
  Thread(std::string name, std::function<void()> body);
  // Joins the thread. In a forked child, where the thread does not exist, only frees memory.
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  void join();
  // The thread will not be joined and runs to its end on its own.
  void detach();
  // Returns true on this thread itself.
  bool is_current() const noexcept;

 private:
  struct Native;
  std::unique_ptr<Native> native_;
  std::uint64_t generation_;
  bool joined_ = false;
};

}  // namespace ckpt::base
