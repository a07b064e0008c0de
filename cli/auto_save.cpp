#include "auto_save.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ckpt::cli {
namespace {

constexpr const char* work_key = "work_seconds";  // of the process that saved, until it saved

volatile std::sig_atomic_t noticed = 0;

extern "C" void take_notice(int) { noticed = 1; }

ckpt_controller_options options_of(double first_seconds) {
  ckpt_controller_options options = CKPT_CONTROLLER_OPTIONS_INIT;
  options.first_seconds = first_seconds;
  return options;
}

}  // namespace

AutoSave::AutoSave(double first_seconds, double notice_seconds)
    : controller_(options_of(first_seconds)),
      notice_seconds_(notice_seconds),
      former_term_(std::signal(SIGTERM, take_notice)),
      former_usr1_(std::signal(SIGUSR1, take_notice)) {}

AutoSave::~AutoSave() {
  std::signal(SIGTERM, former_term_);
  std::signal(SIGUSR1, former_usr1_);
}

// The wall clock, which goes on while no process runs; held still where somebody turned it back.
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
  std::string text;
  try {
    text = loaded.json(CKPT_STATE_CONTROLLER);
  } catch (const Error& error) {
    if (error.status() != CKPT_E_NOT_FOUND) throw;
    begin_run();  // saved without a controller
    return;
  }
  controller_.from_json(text);
  const bool crashed = controller_.info().running != 0;
  begin_ = now();
  controller_.resume(begin_);
  if (!crashed) return;
  const double saved = nlohmann::json::parse(loaded.json(work_key)).get<double>();
  controller_.record_recovery(now(), saved, controller_.info().cost_seconds);
}

AutoSave::Answer AutoSave::after_step(double step_seconds) {
  controller_.observe_task("step", step_seconds);
  if (noticed != 0) controller_.preemption_notice(now(), notice_seconds_);
  const ckpt_decision decision = controller_.should_checkpoint(now());
  if (noticed != 0) return decision.checkpoint != 0 ? Answer::save_and_end : Answer::end;
  return decision.checkpoint != 0 ? Answer::save : Answer::go_on;
}

void AutoSave::put_into(State& state) {
  state.set_json(work_key, nlohmann::json(now() - begin_).dump());
  state.set_json(CKPT_STATE_CONTROLLER, controller_.json());
}

void AutoSave::save(State& state, const std::function<void()>& write) {
  const double begin = now();
  controller_.begin(begin);
  put_into(state);
  write();
  const double seconds = now() - begin;
  controller_.commit(now(), seconds, seconds);
}

void AutoSave::save_last(State& state, const std::function<void()>& write) {
  controller_.record_clean_exit(now());
  put_into(state);
  write();
}

}  // namespace ckpt::cli
