#include "train.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include <ckpt/ckpt.hpp>

#include "auto_save.h"
#include "data.h"
#include "held_out.h"
#include "history.h"
#include "identity.h"
#include "interrupt.h"
#include "kernels.h"
#include "learning_rate.h"
#include "memory_report.h"
#include "model.h"
#include "output.h"
#include "place.h"
#include "planner.h"
#include "plans.h"
#include "report/schedule_picture.h"
#include "report/train_page.h"
#include "runner.h"
#include "saver.h"
#include "stages.h"
#include "text.h"
#include "train_progress.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

constexpr double largest_gradient_norm = 1.0;

std::string environment() { return json{{"blas", blas_without_advice()}, {"library", version()}}.dump(); }

// The state that changes from step to step.
struct Training {
  Training(const TrainOptions& options_, const TextData& data_, const WorkerPool& pool)
      : options(options_),
        data(data_),
        chain(make_model(options_.model, options_.seed)),
        optimizer(make_optimizer(chain, options_)),
        rates(learning_rates(options_)),
        input(model_input(options_.model)),
        tokens(input.dtype, input.shape),
        targets(model_targets(options_.model).dtype, model_targets(options_.model).shape) {
    chain.set_worker_pool(pool);
    for (const Parameter& parameter : chain.parameters()) state.add("model", parameter.name, parameter.value);
    for (const auto& [name, tensor] : optimizer.tensors()) state.add("optimizer", name, tensor);
  }

  static Optimizer make_optimizer(const Chain& chain, const TrainOptions& options) {
    AdamWOptions adamw;
    adamw.learning_rate = options.learning_rate;
    adamw.decay_matrices_only = options.model.is_transformer();
    return Optimizer::adamw(chain, adamw);
  }

  const TrainOptions& options;
  const TextData& data;
  Chain chain;
  Optimizer optimizer;
  LearningRateSchedule rates;
  TensorSpec input;
  Tensor tokens;
  Tensor targets;
  State state;
  std::int64_t step = 0;      // completed steps
  std::int64_t position = 0;  // in the data
};

// ---- The schedule ----

// The limit of the memory for activations, and the memory for storing everything.
struct Limits {
  std::int64_t budget_bytes = 0;     // 0: no budget
  RequestedBudget budget;            // the same, for messages; not with stages
  std::int64_t store_all_bytes = 0;  // for storing everything; 0: not known
};

Limits limits_for(const TrainOptions& options, const Profile& profile) {
  Limits limits;
  const Schedule store_all = Schedule::create(profile, "store-all");
  limits.store_all_bytes = store_all.reserved_bytes(profile);
  if (options.memory_budget.empty()) return limits;
  const Budget given = parse_budget("--memory-budget", options.memory_budget);
  const std::int64_t whole_bytes = budgeted_bytes(store_all, profile);
  limits.budget_bytes = given.bytes_of(whole_bytes);
  limits.budget = {"--memory-budget", given, whole_bytes, limits.budget_bytes};
  return limits;
}

Schedule schedule_for(const TrainOptions& options, const Profile& profile, const Limits& limits) {
  const std::string usual = limits.budget_bytes > 0 ? default_planner : "store-all";
  const std::string planner =
      planner_within(options.planner.empty() ? usual : options.planner, profile, limits.budget_bytes, "--memory-budget");
  Schedule schedule = limits.budget.answer([&] { return Schedule::create(profile, planner); });
  require_fit(schedule, profile, limits.budget, "--planner " + printable(planner));
  return schedule;
}

Runner make_runner(Training& training, const WorkerPool& pool, const MemoryTracker& tracker, Limits& limits) {
  const TrainOptions& options = training.options;
  if (wants_stages(options)) {
    Pipeline pipeline = make_pipeline(training.chain, training.input, options, pool.thread_count(), tracker, &limits.budget_bytes);
    limits.budget_bytes *= options.stages;
    return Runner(training.chain, std::move(pipeline), tracker);
  }
  ScheduleExecutorOptions executor;
  executor.pool = pool;
  executor.tracker = tracker;
  Profile profile = profile_model(training.chain, options.model, pool);
  limits = limits_for(options, profile);
  if (options.strategy.empty()) {
    Schedule schedule = schedule_for(options, profile, limits);
    return Runner(training.chain, std::move(profile), std::move(schedule), training.input, executor);
  }
  Follower follower(profile, Strategy::create(options.strategy));
  return Runner(training.chain, std::move(profile), std::move(follower), training.input, executor, limits.budget);
}

// ---- Checkpoints ----

// Puts the values that accompany the tensors into the state; returns the options of the save.
SaveOptions prepare_save(Training& training) {
  training.state.set_json(State::data_position_key, json{{"position", training.position}}.dump());
  training.state.set("optimizer_steps", training.optimizer.step_count());
  training.state.set_json(identity_key, identity_of(training.options, training.data).dump());
  SaveOptions options;
  options.step = training.step;
  options.seed = training.options.seed;
  options.environment_json = environment();
  return options;
}

// Resumes from the newest valid checkpoint; returns false if there is none.
bool resume(CheckpointManager& checkpoint, Training& training) {
  const json identity = identity_of(training.options, training.data);
  // Before the load, which would report mismatched tensors for a different model.
  if (const json newest = newest_identity(checkpoint); !newest.is_null()) require_same_run(newest, identity);
  LoadOptions options;
  options.environment_json = environment();
  const std::optional<LoadResult> loaded = checkpoint.load_if_any(training.state, options);
  if (!loaded) return false;
  require_same_run(json::parse(training.state.json(identity_key)), identity);
  training.step = loaded->step;
  training.position = json::parse(training.state.json(State::data_position_key)).at("position").get<std::int64_t>();
  training.optimizer.set_step_count(training.state.get<std::int64_t>("optimizer_steps"));
  (void)std::fprintf(stderr, "resumed from %s at step %lld%s\n", loaded->name.c_str(), static_cast<long long>(loaded->step),
                     loaded->skipped > 0 ? " (damaged ones were skipped)" : "");
  return true;
}

std::optional<CheckpointManager> open_checkpoint(const TrainOptions& options, Training& training) {
  if (options.directory.empty()) {
    if (options.resume == "require") throw std::runtime_error("--resume require needs --dir");
    return std::nullopt;
  }
  CheckpointManagerOptions keep;
  keep.keep_last = options.keep_last;
  CheckpointManager checkpoint(make_place(options.directory), keep);
  if (options.resume == "never") {
    if (!checkpoint.list().empty()) {
      throw std::runtime_error(options.directory + " contains checkpoints; --resume never requires an empty directory");
    }
  } else if (!resume(checkpoint, training) && options.resume == "require") {
    throw std::runtime_error("no checkpoint to resume from in " + options.directory);
  }
  return checkpoint;
}

// Returns the checksum of the parameters' file from the newest checkpoint's manifest.
std::string model_checksum(const CheckpointManager& checkpoint) {
  const json manifest = json::parse(checkpoint.manifest(checkpoint.latest().value().name));
  for (const json& group : manifest.at("groups")) {
    if (group.at("name") == "model") return group.at("files").at(0).at("xxh3_128").get<std::string>();
  }
  throw std::runtime_error("the newest checkpoint has no group 'model'");
}

// ---- The run ----

double train_step(Training& training, Runner& runner) {
  training.data.batch(training.position, training.tokens.data_as<std::uint8_t>(), training.targets.data_as<std::uint8_t>());
  Step step;
  step.step = training.step;
  step.seed = training.options.seed;
  step.input = training.tokens;
  step.targets = training.targets;
  step.accumulate = true;  // gradients are 0, initially and after each update
  const double loss = runner.run(step);
  if (!std::isfinite(loss)) throw std::runtime_error("the loss is not finite at step " + std::to_string(training.step));
  training.optimizer.set_learning_rate(learning_rate_at(training.rates, training.step));
  training.optimizer.step_and_zero(largest_gradient_norm);
  ++training.step;
  training.position = training.data.next_position(training.position);
  return loss;
}

struct Outcome {
  std::int64_t first_step = 0;
  bool interrupted = false;
  Saver::Figures saves;
  History history;
  double loss = std::nan("");
  double seconds = 0;  // total of the steps, without saves
  bool preempted = false;
};

// Saves if the controller requests it; the last step always saves. Returns true if a preemption notice ends the run.
bool save_automatically(AutoSave& automatic, Saver& saver, Training& training, double step_seconds, bool last) {
  const AutoSave::Answer answer = automatic.after_step(step_seconds, saver);
  if (last || answer == AutoSave::Answer::save_and_end) {
    automatic.end_run(training.state);
    saver.save(training.state, prepare_save(training));
  } else if (answer == AutoSave::Answer::save) {
    automatic.save(training.state, prepare_save(training), saver);
  }
  if (last || answer == AutoSave::Answer::proceed || answer == AutoSave::Answer::save) return false;
  (void)std::fprintf(stderr, "ended by a preemption notice after step %lld%s\n", static_cast<long long>(training.step),
                     answer == AutoSave::Answer::save_and_end ? " (saved)" : " (not enough time to save)");
  return true;
}

// saver: nullptr saves nothing. Ends early, with a last save, on an interrupt or a preemption notice.
Outcome run_steps(Training& training, Runner& runner, Saver* saver, AutoSave* automatic, const MemoryTracker& tracker) {
  const TrainOptions& options = training.options;
  Outcome outcome;
  outcome.first_step = training.step;
  TrainProgress progress(training.step, options.steps, tokens_per_step(options.model), tracker, saver, options.quiet);
  watch_interrupts(automatic == nullptr);
  while (training.step < options.steps && !outcome.interrupted && !outcome.preempted) {
    const std::chrono::nanoseconds begin = Clock::monotonic();
    outcome.loss = train_step(training, runner);
    const double seconds = seconds_of(Clock::monotonic() - begin);
    outcome.seconds += seconds;
    progress.step_done(training.step, outcome.loss);
    outcome.history.add(training.step, outcome.loss, runner.arena_bytes());
    outcome.interrupted = interrupted();
    const bool last = training.step == options.steps || outcome.interrupted;
    const bool due = options.save_every > 0 && training.step % options.save_every == 0;
    if (automatic != nullptr) {
      outcome.preempted = save_automatically(*automatic, *saver, training, seconds, last);
    } else if (saver != nullptr && (due || last)) {
      saver->save(training.state, prepare_save(training));
    }
  }
  if (saver != nullptr) {
    saver->finish();
    outcome.saves = saver->figures();
  }
  return outcome;
}

// Returns a number of bytes, or null if it is not known.
json bytes_or_null(std::int64_t bytes) { return bytes > 0 ? json(bytes) : json(); }

json figures_of(const Training& training, const Runner& runner, const Limits& limits, const Outcome& outcome,
                std::int32_t threads) {
  const ScheduleExecutorStats stats = runner.stats();
  const auto per_step = [&](double total) { return stats.steps == 0 ? 0 : total / static_cast<double>(stats.steps); };
  const auto per_save = [&](double total) {
    return outcome.saves.saves == 0 ? 0 : total / static_cast<double>(outcome.saves.saves);
  };
  const TrainOptions& options = training.options;
  const std::vector<Plan> plans = runner.plans();
  json figures = {{"batch", options.model.batch},
                  {"micro_batches", options.micro_batches},
                  {"seed", options.seed},
                  {"threads", threads},
                  {"data_bytes", training.data.bytes()},
                  {"budget_bytes", bytes_or_null(limits.budget_bytes)},
                  {"store_all_bytes", bytes_or_null(limits.store_all_bytes)},
                  {"history", outcome.history.json()},
                  {"plans", plans_json(plans)},
                  {"layers", layers_json(plans)},
                  {"steps", training.step},
                  {"first_step", outcome.first_step},
                  {"schedule", runner.schedule_name()},
                  {"peak_live_bytes", stats.peak_live_bytes},
                  {"reserved_bytes", stats.reserved_bytes},
                  {"forwards", stats.forwards},
                  {"recomputed_forwards", stats.recomputed_forwards},
                  {"recomputed_forwards_per_step", per_step(static_cast<double>(stats.recomputed_forwards))},
                  {"seconds_per_step", per_step(outcome.seconds)},
                  {"tokens_per_second",
                   outcome.seconds > 0 ? static_cast<double>(stats.steps * tokens_per_step(options.model)) / outcome.seconds : 0},
                  {"final_loss", std::isnan(outcome.loss) ? json() : json(outcome.loss)},
                  {"interrupted", outcome.interrupted},
                  {"checkpoints_written", outcome.saves.saves},
                  {"async", training.options.async},
                  {"stall_seconds_per_save", per_save(outcome.saves.stall_seconds)},
                  {"durable_seconds_per_save", per_save(outcome.saves.durable_seconds)},
                  {"blas", blas_info()},
                  {"library", version()}};
  figures.update(model_json(options.model));
  figures.update(learning_rate_json(options));
  return figures;
}

// Returns each stage's statistics, and its policy in the last step.
json stages_report(Pipeline& pipeline) {
  json stages = json::array();
  for (std::int32_t stage = 0; stage < pipeline.stages(); ++stage) {
    const PipelineStats stats = pipeline.stats(stage);
    stages.push_back({{"activations", policy_text(pipeline.manager(stage).policy())},
                      {"kept", stats.kept_micro_batches},
                      {"recomputed", stats.recomputed_micro_batches},
                      {"recomputed_forwards", stats.recomputed_forwards},
                      {"reserved_bytes", stats.reserved_bytes},
                      {"layers", stats.layers},
                      {"in_flight", stats.in_flight},
                      {"peak_live_bytes", stats.peak_live_bytes},
                      {"queue_bytes", stats.queue_bytes},
                      {"busy_seconds", seconds_of(stats.busy)}});
  }
  return stages;
}

void write_json(const std::string& path, const json& value) { write_text(path, value.dump(2) + "\n"); }

bool is_picture(const std::string& report_file) {
  return report_file.size() > 4 && report_file.compare(report_file.size() - 4, 4, ".svg") == 0;
}

// Returns nullptr unless saves are automatic.
std::unique_ptr<AutoSave> begin_automatic_saves(const TrainOptions& options, const Training& training) {
  if (!options.save_automatically) return nullptr;
  auto automatic = std::make_unique<AutoSave>(options.first_save_seconds, options.notice_seconds);
  if (training.step > 0) {
    automatic->resume(training.state);
  } else {
    automatic->begin_run();
  }
  return automatic;
}

}  // namespace

bool train(const TrainOptions& options) {
  if (!options.memory_budget.empty())
    parse_budget("--memory-budget", options.memory_budget);  // rejects an invalid value before any work
  activation_policy(options);
  check_learning_rates(options);
  if (is_picture(options.report_file) && wants_stages(options)) {
    throw std::runtime_error("--report: '" + printable(options.report_file) +
                             "': a .svg chart shows one step without stages; use .html");
  }

  if (!options.planner.empty() && wants_stages(options)) {
    throw std::runtime_error("--planner: '" + printable(options.planner) +
                             "' applies to runs without stages; choose the stages' schedules with --memory-budget or --strategy");
  }
  if (options.save_automatically && options.directory.empty()) throw std::runtime_error("--save-every auto needs --dir");
  require_outputs({options.json_file, options.memory_report_file, options.timeline_file, options.report_file});
  const TextData data(options.data, reading_of(options.model));
  const WorkerPool pool(options.threads);
  const MemoryTracker tracker;
  Training training(options, data, pool);

  Limits limits;
  Runner runner = make_runner(training, pool, tracker, limits);
  std::optional<MemoryReport> memory_report;
  if (!options.memory_report_file.empty()) memory_report.emplace(tracker);

  std::optional<CheckpointManager> checkpoint = open_checkpoint(options, training);
  if (!options.quiet) {
    (void)std::fprintf(stderr, "%s, %lld bytes; schedule %s; activations reserve %s; %d threads\n", data.name().c_str(),
                       static_cast<long long>(data.bytes()), runner.schedule_name().c_str(),
                       bytes_text(runner.stats().reserved_bytes).c_str(), static_cast<int>(pool.thread_count()));
  }
  const std::unique_ptr<AutoSave> automatic = begin_automatic_saves(options, training);
  std::optional<Saver> saver;
  if (checkpoint) saver.emplace(*checkpoint, options.async);
  const Outcome outcome = run_steps(training, runner, saver ? &*saver : nullptr, automatic.get(), tracker);
  if (outcome.interrupted) {
    (void)std::fprintf(stderr, "interrupted at step %lld%s\n", static_cast<long long>(training.step),
                       saver ? "; it is saved, and the same command resumes from it" : "");
  }

  json result = figures_of(training, runner, limits, outcome, pool.thread_count());
  if (Pipeline* const pipeline = runner.pipeline()) result["stages"] = stages_report(*pipeline);
  // A preemption notice leaves no time for it.
  const std::optional<HeldOut> held_out =
      outcome.preempted ? std::nullopt : evaluate_held_out(data, runner, training.tokens, training.targets);
  if (held_out && held_out->batches > 0) result.update(held_out_json(*held_out));
  // A preemption notice may have arrived before the first save.
  if (checkpoint && training.step > 0 && checkpoint->latest()) result["model_checksum"] = model_checksum(*checkpoint);
  if (!options.json_file.empty()) write_json(options.json_file, result);
  if (Pipeline* const pipeline = runner.pipeline()) {
    if (!options.timeline_file.empty()) write_text(options.timeline_file, pipeline->trace_json());
  }
  if (is_picture(options.report_file)) {
    write_text(options.report_file, report::step_picture(runner.plans().front(), limits.budget_bytes));
  } else if (!options.report_file.empty()) {
    write_text(options.report_file, report::train_page(result, options, data.name(), runner.plans(), runner.pipeline()));
  }
  if (memory_report) write_json(options.memory_report_file, memory_report->finish());
  std::printf("%lld steps, loss %s, peak activations %s, reserved %s, %lld recomputed forwards, %s ms a step\n",
              static_cast<long long>(training.step), std::isnan(outcome.loss) ? "-" : fixed_text(outcome.loss, 6).c_str(),
              bytes_text(runner.stats().peak_live_bytes).c_str(), bytes_text(runner.stats().reserved_bytes).c_str(),
              static_cast<long long>(runner.stats().recomputed_forwards),
              fixed_text(result["seconds_per_step"].get<double>() * 1e3, 2).c_str());
  if (held_out) std::printf("%s\n", held_out_text(*held_out).c_str());
  return !outcome.preempted;
}

}  // namespace ckpt::cli
