#include "auto_save.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace ckpt::cli {
namespace {

constexpr const char* work_key = "work_seconds";  // work of the saving process up to the save

volatile std::sig_atomic_t noticed = 0;

extern "C" void take_notice(int) { noticed = 1; }

ControllerOptions options_of(double first_seconds) {
  ControllerOptions options;
  options.first_seconds = first_seconds;
  return options;
}

}  // namespace

AutoSave::AutoSave(double first_seconds, double notice_seconds)
    : controller_(options_of(first_seconds)),
      notice_seconds_(notice_seconds),
      previous_term_(std::signal(SIGTERM, take_notice)),
      previous_usr1_(std::signal(SIGUSR1, take_notice)) {}

AutoSave::~AutoSave() {
  (void)std::signal(SIGTERM, previous_term_);
  (void)std::signal(SIGUSR1, previous_usr1_);
}

// Returns the wall-clock time, which also advances while no process runs. Never returns less than the previous value, even if the
// clock was set back.
double AutoSave::now() {
  const std::chrono::duration<double> since_epoch = std::chrono::system_clock::now().time_since_epoch();
  last_now_ = std::max(last_now_, since_epoch.count());
  return last_now_;
}

void AutoSave::begin_run() {
  begin_ = now();
  controller_.begin_run(begin_);
}

void AutoSave::resume(const State& loaded) {
  if (!loaded.has(State::controller_key)) return begin_run();  // saved without a controller
  controller_.restore(loaded.json(State::controller_key));
  const bool crashed = controller_.info().running;
  begin_ = now();
  controller_.resume(begin_);
  if (!crashed) return;
  const double saved = nlohmann::json::parse(loaded.json(work_key)).get<double>();
  controller_.record_recovery(now(), saved, controller_.info().cost_seconds);
}

AutoSave::Answer AutoSave::after_step(double step_seconds, Saver& saver) {
  controller_.observe_task("step", step_seconds);
  const bool ends = noticed != 0;
  if (ends) {
    saver.wait();
    controller_.notify_preemption(now(), notice_seconds_);
  }
  const Decision decision = controller_.should_checkpoint(now());
  if (ends) return decision.checkpoint ? Answer::save_and_end : Answer::end;
  return decision.checkpoint ? Answer::save : Answer::proceed;
}

void AutoSave::put_work(State& state) { state.set_json(work_key, nlohmann::json(now() - begin_).dump()); }

void AutoSave::save(State& state, const SaveOptions& options, Saver& saver) {
  put_work(state);
  const double begin = now();
  if (AsyncManager* const background = saver.background()) {
    controller_.save_async(begin, *background, state, options, blocking_queue_options());
    return;
  }
  controller_.begin(begin);
  state.set_json(State::controller_key, controller_.json());
  saver.save(state, options);
  const double seconds = now() - begin;
  controller_.commit(now(), seconds, seconds);
}

void AutoSave::end_run(State& state) {
  put_work(state);
  controller_.record_clean_exit(now());
  state.set_json(State::controller_key, controller_.json());
}

}  // namespace ckpt::cli
