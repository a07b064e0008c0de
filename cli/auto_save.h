// `ckpt train --save-every auto`: a controller decides when to save, and its state is part of the checkpoints. SIGTERM and SIGUSR1
// are preemption notices.
#pragma once

#include <ckpt/ckpt.hpp>

#include "saver.h"

namespace ckpt::cli {

class AutoSave {
 public:
  // Handles the two signals until destruction. first_seconds: time of the first save, which measures the cost of a save.
  // notice_seconds: time from a signal to the termination of the process.
  AutoSave(double first_seconds, double notice_seconds);
  ~AutoSave();
  AutoSave(const AutoSave&) = delete;
  AutoSave& operator=(const AutoSave&) = delete;

  // Starts a run from the beginning, or from a loaded state. A run that did not end regularly counts as a failure.
  void begin_run();
  void resume(const State& loaded);

  // Call after each step. After a notice it waits for the saves in progress.
  enum class Answer { proceed, save, save_and_end, end };
  Answer after_step(double step_seconds, Saver& saver);

  // Puts the controller's state into state and saves. The controller learns the cost of the save; for a background save, when it
  // ends.
  void save(State& state, const SaveOptions& options, Saver& saver);
  // Ends the run regularly: puts the controller's state into state, for the last save.
  void end_run(State& state);

  const Controller& controller() const { return controller_; }

 private:
  double now();
  void put_work(State& state);

  Controller controller_;
  double notice_seconds_;
  double last_now_ = 0;
  double begin_ = 0;  // of this process's run
  void (*previous_term_)(int);
  void (*previous_usr1_)(int);
};

}  // namespace ckpt::cli
