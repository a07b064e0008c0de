// Progress of long operations on standard error: one line that fits the terminal; plain lines if standard error is not a terminal.
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
  double share = 0;                  // fraction of the work that is done, 0..1
  std::vector<std::string> details;  // most important first: the last ones are omitted on a narrow terminal
};

// How a line is drawn.
struct ProgressLook {
  std::size_t columns = 0;  // of the terminal; 0: not a terminal: a line of any length, without a bar
  bool colour = false;
};

// Returns the line without a newline. seconds: time left or, with ended, the time taken; negative: not known.
std::string progress_line(const ProgressState& state, double seconds, bool ended, const ProgressLook& look);

class Progress {
 public:
  enum class Kind {
    silent,
    lasting,  // shown from the start; its last line stays
    passing,  // shown if the work takes long, and erased at its end
  };

  // state: called by this object's thread until destruction, and by the destructor.
  Progress(Kind kind, std::function<ProgressState()> state);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Erases the progress line while print writes lines to standard output.
  void aside(const std::function<void()>& print);

 private:
  void draw_until_stopped();
  void draw(bool ended);
  void erase_line();

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

// Progress of work that is counted in bytes; shown only if the work takes long.
class ByteProgress {
 public:
  // verb: "copied". total_bytes: 0 while unknown; then nothing is shown.
  ByteProgress(std::string verb, std::int64_t total_bytes);

  void add(std::int64_t bytes) { done_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // Sets both counts.
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
  Progress progress_;  // last member: its thread uses all others
};

}  // namespace ckpt::cli
