// What the command shows of long work while it runs, on standard error: one line that fits the terminal, plain lines elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ckpt::cli {

struct ProgressState {
  double share = 0;                  // of the work that is done, 0 .. 1
  std::vector<std::string> details;  // the most important first: the last ones are left out where the terminal is narrow
};

// How a line is drawn.
struct ProgressLook {
  std::size_t columns = 0;  // of the terminal; 0: there is none, so a line of any length, without a bar
  bool colour = false;
};

// The line without its end. seconds: those that are left, or, when the work has ended, those that it took; negative: not known.
std::string progress_line(const ProgressState& state, double seconds, bool ended, const ProgressLook& look);

class Progress {
 public:
  enum class Kind {
    silent,
    lasting,  // shown from the begin; its last line stays
    passing,  // shown when the work takes seconds, and taken off the terminal at its end
  };

  // state: called on a thread of this object until it is destroyed, and by the destructor.
  Progress(Kind kind, std::function<ProgressState()> state);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Lets print write lines to standard output where the terminal has none of this.
  void aside(const std::function<void()>& print);

 private:
  void draw_until_stopped();
  void draw(bool ended);
  void take_off();

  Kind kind_;
  std::function<ProgressState()> state_;
  bool terminal_;
  bool colour_;
  std::chrono::nanoseconds begin_;
  double first_share_;
  std::size_t drawn_ = 0;  // columns of the line on the terminal
  std::mutex mutex_;
  std::condition_variable stop_asked_;
  bool stop_ = false;
  std::thread drawer_;
};

// Of work that is counted in bytes, of which most commands show nothing unless it takes seconds.
class ByteProgress {
 public:
  // verb: "copied". total_bytes: 0 while they are not known; then nothing is shown.
  ByteProgress(std::string verb, std::int64_t total_bytes);

  void add(std::int64_t bytes) { done_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // So many are done, of so many.
  void reach(std::int64_t done_bytes, std::int64_t total_bytes) {
    total_bytes_.store(total_bytes, std::memory_order_relaxed);
    done_bytes_.store(done_bytes, std::memory_order_relaxed);
  }
  void aside(const std::function<void()>& print) { progress_.aside(print); }

 private:
  ProgressState state() const;

  std::string verb_;
  std::atomic<std::int64_t> total_bytes_;
  std::atomic<std::int64_t> done_bytes_{0};
  Progress progress_;  // the last: it asks for all others
};

}  // namespace ckpt::cli
