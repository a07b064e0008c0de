#include "scenario.h"

#include <algorithm>

#include "base/error.h"
#include "state/name.h"

namespace ckpt::tests {
namespace {

int attempts_in(const Image& image) {
  int count = 0;
  for (const auto& [path, bytes] : image) {
    const std::string name = path.starts_with(state::torn_prefix) ? path.substr(state::torn_prefix.size()) : path;
    count += state::step_of_attempt(name) ? 1 : 0;
  }
  return count;
}

// A save is acknowledged when the root's sync returns, before retention.
void mark_acknowledged(Log& log, std::size_t from, int save) {
  for (std::size_t i = from; i < log.size(); ++i) {
    if (log[i].kind != Kind::sync_directory || !log[i].path.empty()) continue;
    Operation mark;
    mark.kind = Kind::acknowledge;
    mark.save = save;
    log.insert(log.begin() + static_cast<std::ptrdiff_t>(i) + 1, mark);
    return;
  }
}

Scenario saves(const std::string& name, const std::vector<std::int64_t>& steps, std::int64_t keep_last, std::size_t watch_from,
               const Contents& contents = {}) {
  ScenarioRunner runner(name, contents);
  runner.open(keep_last);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == watch_from) runner.watch();
    runner.save(steps[i]);
  }
  return runner.finish();
}

// Pinned before two saves that would otherwise remove it.
Scenario pinned(const std::string& name, const Contents& contents = {}) {
  ScenarioRunner runner(name, contents);
  runner.open(1);
  runner.save(1);
  runner.watch();
  runner.pin(1);
  runner.save(2);
  runner.save(3);
  return runner.finish();
}

Scenario pruned(const std::string& name) {
  ScenarioRunner runner(name);
  runner.open();
  for (std::int64_t step = 1; step <= 4; ++step) runner.save(step);
  runner.watch();
  runner.prune("last:2");
  return runner.finish();
}

// Adds a scenario for every moment at which the process that saves step `killed` may die: another continues with step `next`.
void add_killed(std::vector<Scenario>& out, const std::string& name, const std::vector<std::int64_t>& before, std::int64_t killed,
                std::int64_t next, std::int64_t keep_last, const Contents& contents = {}) {
  for (std::int64_t operations = 1;; ++operations) {
    ScenarioRunner runner(base::cat(name, " killed after ", operations), contents);
    runner.open();
    for (const std::int64_t step : before) runner.save(step);
    const bool died = runner.killed_save(killed, operations);
    runner.watch();
    runner.open(keep_last);
    runner.save(next);
    out.push_back(runner.finish());
    out.back().weight = 1;
    if (!died) return;
  }
}

// Adds crashes during the recovery from a crash: some states that the second save may leave on the disk.
void add_recoveries(std::vector<Scenario>& out) {
  const Scenario second = saves("second save", {1, 2}, 1, 1);
  DiskModel model(second.base);
  std::int64_t moment = 0;
  bool watched = false;
  for (const Operation& operation : second.log) {
    watched = watched || operation.kind == Kind::watch;
    model.apply(operation);
    if (!watched) continue;
    std::vector<Image> images;
    model.crash(64, 7, [&](const Image& image) { images.push_back(image); });
    for (std::size_t i = images.size() / 2; i < images.size(); i += 1 + images.size() / 3) {
      ScenarioRunner runner(base::cat("recovery of moment ", moment, " crash ", i), second, images[i]);
      runner.open(1);
      runner.save(3);
      out.push_back(runner.finish());
      out.back().weight = 1;
    }
    ++moment;
  }
}

}  // namespace

NumberedState::NumberedState(const Contents& contents) : contents_(contents) {
  for (int group = 0; group < contents.groups; ++group) {
    for (const auto& [name, elements] : {std::pair{"weight", std::int64_t{500}}, {"bias", std::int64_t{60}}}) {
      tensors_.push_back(tensor::Tensor::create(tensor::Dtype::f32, {elements}));
      state.add_tensor(base::cat("group", group), name, tensors_.back());
    }
  }
  if (contents.incremental) state.set_rarely_changes("group0", true);
  fill(0);
}

float NumberedState::element(int save, std::size_t tensor, std::int64_t index) const {
  const bool first_group = tensor < tensors_.size() / static_cast<std::size_t>(contents_.groups);
  const int number = contents_.incremental && first_group ? save - save % 2 : save;
  return static_cast<float>(number) * 10000.0F + static_cast<float>(tensor) * 1000.0F + static_cast<float>(index);
}

void NumberedState::fill(int save) {
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    for (std::int64_t i = 0; i < tensors_[t]->shape().elements(); ++i) tensors_[t]->data_as<float>()[i] = element(save, t, i);
  }
  state.set_json("save", base::cat(save));
}

int NumberedState::save() const {
  const int save = static_cast<int>(tensors_.back()->data_as<float>()[0] / 10000.0F);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    for (std::int64_t i = 0; i < tensors_[t]->shape().elements(); ++i) {
      if (!(tensors_[t]->data_as<float>()[i] == element(save, t, i))) return -1;
    }
  }
  return state.json("save") == base::cat(save) ? save : -1;
}

ScenarioRunner::ScenarioRunner(std::string name, const Contents& contents) : disk_(disk_of({})) {
  scenario_.name = std::move(name);
  scenario_.contents = contents;
}

ScenarioRunner::ScenarioRunner(std::string name, const Scenario& before, const Image& left)
    : ScenarioRunner(std::move(name), before.contents) {
  scenario_.base = left;
  scenario_.steps = before.steps;
  scenario_.generations = before.generations;
  disk_ = disk_of(left);
  // Numbers already used are not reused, even if the crash lost their attempts.
  recorder_->skip_attempts(std::max(attempts_in(left), static_cast<int>(before.steps.size())));
}

void ScenarioRunner::open(std::int64_t keep_last) {
  checkpoint_.reset();
  recorder_->revive();
  state::CheckpointOptions options{false, keep_last};
  options.utc_ns = [] { return std::int64_t{1}; };  // so that a scenario has the same states each time
  checkpoint_ = std::make_shared<state::Checkpoint>(std::make_shared<RecordingStorage>(disk_, recorder_), options);
  NumberedState state(scenario_.contents);
  try {
    checkpoint_->load(state.state, {});
  } catch (const base::Error& error) {
    if (error.status() != base::Status::not_found) throw;
  }
}

void ScenarioRunner::save(std::int64_t step) {
  scenario_.steps.push_back(step);
  scenario_.generations.push_back(0);
  const int number = static_cast<int>(scenario_.steps.size());
  NumberedState state(scenario_.contents);
  state.fill(number);
  state::SaveOptions options;
  options.step = step;
  const std::size_t from = recorder_->log.size();
  scenario_.generations.back() =
      scenario_.contents.background ? save_in_background(state, options) : checkpoint_->save(state.state, options).generation;
  mark_acknowledged(recorder_->log, from, number);
}

void ScenarioRunner::prune(const std::string& rules) { checkpoint_->prune(rules, false, std::ssize(scenario_.steps)); }

void ScenarioRunner::pin(std::int64_t step) {
  checkpoint_->pin(step);
  Operation mark;
  mark.kind = Kind::pin;
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    if (scenario_.steps[i] == step) mark.save = static_cast<int>(i) + 1;
  }
  recorder_->log.push_back(mark);
}

// The training process continues while the save is written: its changes to the tensors must not appear in the save.
std::int64_t ScenarioRunner::save_in_background(NumberedState& state, const state::SaveOptions& options) {
  async::AsyncOptions small;
  small.staging_bytes = async::smallest_arena_bytes;
  const auto manager = std::make_shared<async::AsyncManager>(checkpoint_, small);
  const std::int64_t id = manager->save(state.state, options, {});
  state.fill(99);
  const async::TaskResult result = manager->wait(id, -1);
  if (result.state != async::TaskState::completed) base::fail(result.status, result.error);
  return result.generation;
}

bool ScenarioRunner::killed_save(std::int64_t step, std::int64_t operations) {
  recorder_->die_after(operations);
  try {
    save(step);
    return false;
  } catch (const base::Error&) {
    return true;
  }
}

void ScenarioRunner::watch() {
  Operation mark;
  mark.kind = Kind::watch;
  recorder_->log.push_back(mark);
}

Scenario ScenarioRunner::finish() {
  checkpoint_.reset();
  scenario_.log = recorder_->log;
  const auto is_watch = [](const Operation& operation) { return operation.kind == Kind::watch; };
  if (std::ranges::none_of(scenario_.log, is_watch)) {
    Operation mark;
    mark.kind = Kind::watch;
    scenario_.log.insert(scenario_.log.begin(), mark);
  }
  return std::move(scenario_);
}

std::vector<Scenario> short_scenarios() {
  return {saves("first save", {1}, 0, 0),
          saves("second save", {1, 2}, 0, 1),
          saves("re-saved step", {1, 2, 2}, 0, 2),
          saves("keep one", {1, 2, 3}, 1, 1),
          saves("keep two", {1, 2, 3, 4}, 2, 2),
          saves("linked", {1, 2, 3}, 1, 2, {2, true, false}),
          pinned("pinned"),
          pruned("pruned")};
}

std::vector<Scenario> background_scenarios() {
  const Contents plain{2, false, true};
  std::vector<Scenario> out = {saves("background, first save", {1}, 0, 0, plain),
                               saves("background, second save", {1, 2}, 0, 1, plain),
                               saves("background, re-saved step", {1, 2, 2}, 0, 2, plain),
                               saves("background, keep one", {1, 2, 3}, 1, 1, plain),
                               saves("background, keep two", {1, 2, 3, 4}, 2, 2, plain),
                               saves("background, linked", {1, 2, 3}, 1, 1, {2, true, true}),
                               pinned("background, pinned", plain),
                               saves("background, wide", {1, 2}, 1, 0, {4, false, true})};
  add_killed(out, "background, next step", {1}, 2, 3, 1, plain);
  add_killed(out, "background, lower step", {4}, 5, 3, 1, plain);
  return out;
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> out = short_scenarios();
  out.push_back(saves("wide", {1, 2}, 1, 0, {4, false, false}));
  out.push_back(saves("wide, keep two", {7, 8, 9, 10}, 2, 2, {5, false, false}));
  out.push_back(pinned("pinned, linked", {2, true, false}));
  out.push_back(saves("linked, keep all", {1, 2, 3, 3, 4, 5}, 0, 2, {2, true, false}));
  out.push_back(saves("linked, keep two", {1, 2, 3, 4, 5}, 2, 2, {3, true, false}));
  add_killed(out, "next step", {1}, 2, 3, 1);
  add_killed(out, "same step", {1}, 2, 2, 0);
  // A checkpoint that only a kill left as newest, and that no call acknowledged, supersedes nothing.
  add_killed(out, "lower step", {4}, 5, 3, 1);
  add_recoveries(out);
  return out;
}

}  // namespace ckpt::tests
