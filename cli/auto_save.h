// `ckpt train --save-every auto`: a controller says when to save; its state travels in the checkpoints. SIGTERM and SIGUSR1 are
// notices that the process will be ended.
#pragma once

#include <ckpt/ckpt.hpp>

#include "saver.h"

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

  // After each step. After a notice it waits for the saves under way.
  enum class Answer { go_on, save, save_and_end, end };
  Answer after_step(double step_seconds, Saver& saver);

  // Puts what the controller knows into state and saves; the controller learns what that cost, in the background when it is known.
  void save(State& state, const SaveOptions& options, Saver& saver);
  // The run ends well: puts what the controller knows by then into state, for the last save.
  void end_run(State& state);

  const Controller& controller() const { return controller_; }

 private:
  double now();
  void put_work(State& state);

  Controller controller_;
  double notice_seconds_;
  double last_now_ = 0;
  double begin_ = 0;  // of this process's work
  void (*former_term_)(int);
  void (*former_usr1_)(int);
};

}  // namespace ckpt::cli
