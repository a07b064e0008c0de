// `ckpt train --save-every auto`: a controller says when to save; its state travels in the checkpoints. SIGTERM and SIGUSR1 are
// notices that the process will be ended.
#pragma once

#include <ckpt/ckpt.hpp>

#include <functional>

namespace ckpt::cli {

class AutoSave {
 public:
  // Takes the two signals until it is destroyed. first_seconds: until the first save, which learns what one costs.
  // notice_seconds: from a signal until the process will be ended.
  AutoSave(double first_seconds, double notice_seconds);
  ~AutoSave();
  AutoSave(const AutoSave&) = delete;
  AutoSave& operator=(const AutoSave&) = delete;

  // The run begins: anew, or where a loaded state stands. A run that did not end well counts as a failure.
  void begin_run();
  void resume(const State& loaded);

  // After each step.
  enum class Answer { go_on, save, save_and_end, end };
  Answer after_step(double step_seconds);

  // Puts what the controller knows into state, runs write, and learns what that cost.
  void save(State& state, const std::function<void()>& write);
  // The same for the last save of a run that ends well.
  void save_last(State& state, const std::function<void()>& write);

  const Controller& controller() const { return controller_; }

 private:
  double now();
  void put_into(State& state);

  Controller controller_;
  double notice_seconds_;
  double last_now_ = 0;
  double begin_ = 0;  // of this process's work
  void (*former_term_)(int);
  void (*former_usr1_)(int);
};

}  // namespace ckpt::cli
