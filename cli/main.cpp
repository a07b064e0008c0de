// The ckpt command. Exit codes: 0 success, 1 failure (the reason is on standard error), 2 usage error, 3 ended by a
// preemption notice.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

#include <ckpt/ckpt.hpp>

#include "convert.h"
#include "copy.h"
#include "diff.h"
#include "kernels.h"
#include "manual.h"
#include "model_flags.h"
#include "number.h"
#include "output.h"
#include "place.h"
#include "plan.h"
#include "planner.h"
#include "prune.h"
#include "sample.h"
#include "show.h"
#include "simulate.h"
#include "text.h"
#include "train.h"
#include "unknown_command.h"

namespace {

constexpr int failed = 1;
constexpr int wrong_use = 2;
constexpr int preempted = 3;

using ckpt::cli::add_number;
constexpr std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();
constexpr ckpt::cli::Range<std::uint64_t> any_seed = {0, std::numeric_limits<std::uint64_t>::max()};
// Limits of durations, such as a checkpoint's cost.
constexpr double min_seconds = 1e-6;
constexpr double max_seconds = 1e12;
constexpr const char* prompt = "--prompt";  // any string, also one that looks like a path

void take_save_every(const std::string& text, ckpt::cli::TrainOptions& options) {
  options.save_automatically = text == "auto";
  options.save_every = 0;
  if (options.save_automatically) return;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.save_every);
  if (error != std::errc() || end != text.data() + text.size() || options.save_every < 0) {
    throw CLI::ValidationError("--save-every", "'" + ckpt::cli::printable(text) + "': expected a number of steps or auto");
  }
}

CLI::Option* add_threads(CLI::App& app, std::int32_t& threads) {
  return add_number(app, "--threads", threads, {0, 1024}, "Number of threads; 0: all that this process may use");
}

void add_train(CLI::App& app, ckpt::cli::TrainOptions& options) {
  CLI::App* const train = app.add_subcommand("train", "Train a byte-level model on a text file");
  train->add_option("--data", options.data, "Text file to train on; default: generated text")->type_name("FILE");
  train
      ->add_option(
          "--memory-budget", options.memory_budget,
          "Memory limit for activations: an amount (6000000, 64MiB), or a percentage of the memory for storing everything (40%)")
      ->type_name("BYTES|PERCENT");
  CLI::Option* const planner = train
                                   ->add_option("--planner", options.planner,
                                                "Planner that chooses the schedule: a name (chain, tapes, revolve), which uses the "
                                                "budget, or with a value (periodic:4)")
                                   ->type_name("TEXT")
                                   ->default_str(ckpt::cli::default_planner);
  train
      ->add_option(
          "--strategy", options.strategy,
          "Strategy that chooses the schedule instead of a planner: interval:4, size:1MiB, ...; fails if it exceeds the budget")
      ->type_name("TEXT")
      ->excludes(planner);
  add_number(*train, "--steps", options.steps, {0, max_integer}, "Total number of steps, including those before a resume");
  const ckpt::cli::ModelFlags model = add_model_flags(*train, options.model, "Model to train: transformer, or mlp, which is small");
  add_number(*train, "--seed", options.seed, any_seed, "Seed of initial values and dropout");
  add_number(*train, "--learning-rate", options.learning_rate, {1e-12, 1e6}, "Peak learning rate of AdamW");
  train->add_option("--rate-kind", options.rate_kind, "Learning-rate decay from the peak until --steps")
      ->check(CLI::IsMember({"constant", "linear", "cosine"}))
      ->capture_default_str();
  add_number(*train, "--warm-up", options.warm_up_steps, {0, max_integer}, "Warm-up steps: the learning rate grows to its peak");
  add_number(*train, "--last-rate", options.last_rate, {0, 1e6}, "Final learning rate, linear and cosine only");
  add_threads(*train, options.threads);
  train->add_option("--dir", options.directory, "Directory of checkpoints, or a URI; default: no checkpoints")->type_name("DIR");
  train
      ->add_option_function<std::string>(
          "--save-every", [&options](const std::string& text) { take_save_every(text, options); },
          "Steps between checkpoints; 0: only at the end; auto: chosen by a controller")
      ->type_name("N|auto")
      ->default_str("0");
  add_number(*train, "--first-save-seconds", options.first_save_seconds, {0, max_seconds},
             "With auto: latest time of the first save, which measures the cost of a save");
  add_number(*train, "--notice-seconds", options.notice_seconds, {0, max_seconds},
             "With auto: time from SIGTERM or SIGUSR1 to termination");
  train->add_flag("--async,!--no-async,!--sync", options.async,
                  "Save in the background (the default), or block training during each save");
  add_number(*train, "--keep", options.keep_last, {0, max_integer}, "Number of checkpoints to keep; 0: all");
  train
      ->add_option("--resume", options.resume,
                   "auto: resume from the newest valid checkpoint, if one exists; require: fail if none exists")
      ->check(CLI::IsMember({"auto", "never", "require"}))
      ->capture_default_str();
  train->add_option("--json", options.json_file, "Write the run's measurements to a file as JSON")->type_name("FILE");
  train
      ->add_option("--memory-report", options.memory_report_file,
                   "Write the layers with the most memory, and the memory timeline, to a file")
      ->type_name("FILE");
  add_number(*train, "--stages", options.stages, {1, 1024}, "Pipeline stages, each on its own thread");
  add_number(*train, "--micro-batches", options.micro_batches, {1, 65536}, "Micro-batches per batch");
  train->add_option("--schedule", options.schedule, "Pipeline schedule: order of the micro-batches' forward and backward passes")
      ->check(CLI::IsMember({"gpipe", "1f1b", "interleaved"}))
      ->capture_default_str();
  add_number(*train, "--chunks", options.chunks, {0, 1024}, "Model chunks per stage, interleaved only; 0: 2");
  train
      ->add_option(
          "--activations", options.activations,
          "Micro-batches that keep their activations: store-all, recompute-all, selective:N, memory:BYTES, automatic[:BYTES]")
      ->capture_default_str();
  train
      ->add_option("--memory-limit", options.memory_limit,
                   "Memory available to this process, for automatic; default: all it may use")
      ->type_name("BYTES");
  train->add_option("--timeline", options.timeline_file, "Write the timeline of the last step as Chrome trace JSON")
      ->type_name("FILE");
  train
      ->add_option("--report", options.report_file,
                   "Write an HTML page with the run's measurements and charts of its steps; .svg: only the chart of one step")
      ->type_name("FILE");
  train->add_flag("--quiet", options.quiet, "Print no progress");
  train->add_flag("--verbose", options.verbose, "Print the library's decisions and their reasons");
  train->callback([=, &options] { finish_model(model, options.model); });
}

void add_sample(CLI::App& app, ckpt::cli::SampleOptions& options) {
  CLI::App* const sample = app.add_subcommand("sample", "Generate text from a trained transformer");
  sample->add_option("--dir", options.directory, "Directory of checkpoints of ckpt train, or a URI")->type_name("DIR")->required();
  sample->add_option(prompt, options.prompt, "Start of the text")->type_name("TEXT")->required();
  add_number(*sample, "--length", options.length, {0, max_integer}, "Number of bytes to generate after the prompt");
  add_number(*sample, "--temperature", options.temperature, {0, 1e6},
             "Sampling temperature; 0: always the most probable byte; 1: the model's probabilities");
  add_number(*sample, "--seed", options.seed, any_seed, "Seed of the sampling");
  add_threads(*sample, options.threads);
}

void add_plan(CLI::App& app, ckpt::cli::PlanOptions& options) {
  CLI::App* const plan = app.add_subcommand("plan", "Compute the cost of a schedule for a memory budget, without running it");
  CLI::Option* const profile =
      plan->add_option("--profile", options.profile, "JSON profile of a chain: bytes and seconds of each layer")->type_name("FILE");
  const ckpt::cli::ModelFlags flags =
      add_model_flags(*plan, options.model, "Plan a model of ckpt train, measured on this machine: transformer or mlp");
  CLI::Option* const model = flags.model->excludes(profile);
  flags.batch->needs(model);
  for (CLI::Option* const size : flags.sizes) size->needs(model);
  add_threads(*plan, options.threads)->needs(model);
  CLI::Option* const budget = plan->add_option("--budget", options.budget,
                                               "Memory limit for activations: an amount (6000000, 64MiB), or a percentage of the "
                                               "memory for storing everything (40%)")
                                  ->type_name("BYTES|PERCENT");
  CLI::Option* const planner = plan->add_option("--planner", options.planner,
                                                "Planner that chooses the schedule: a name (chain, tapes, revolve), which uses the "
                                                "budget, or with a value (periodic:4)")
                                   ->type_name("TEXT")
                                   ->default_str(std::string(ckpt::cli::default_planner) + "; for the points of --frontier: chain");
  CLI::Option* const frontier = plan->add_flag("--frontier", options.frontier, "Print the cost of each budget with this planner");
  plan->add_flag("--json", options.as_json, "Print JSON");
  plan->add_option(
          "--report", options.report,
          "Write an HTML page with charts of the step and of every planner's cost at every budget; requires --budget or --planner")
      ->type_name("FILE");
  plan->callback([=, &options] {
    if (!*profile && !*model) throw CLI::RequiredError("--profile FILE or --model");
    if (!*budget && !*planner && !*frontier) throw CLI::RequiredError("--budget, --planner or --frontier");
    if (!*budget && !*planner && !options.report.empty())
      throw CLI::RequiredError("--budget or --planner (--report shows a schedule)");
    options.plans_model = !model->empty();
    finish_model(flags, options.model);
  });
}

void add_simulate(CLI::App& app, ckpt::cli::SimulateOptions& options) {
  CLI::App* const simulate = app.add_subcommand("simulate", "Compare checkpoint policies on a failure trace");
  simulate
      ->add_option("--trace", options.trace,
                   "File with the seconds between failures, one number per line; or exponential:MTBF or weibull:SHAPE:MTBF, in "
                   "seconds per node")
      ->type_name("FILE|LAW")
      ->required();
  add_number(*simulate, "--cost", options.cost, {min_seconds, max_seconds}, "Seconds per checkpoint");
  add_number(*simulate, "--restart", options.restart, {0, max_seconds}, "Seconds from a failure until work resumes");
  add_number(*simulate, "--poll", options.poll, {min_seconds, max_seconds}, "Seconds between queries of a policy");
  simulate->add_option("--policies", options.policies,
                       "Comma-separated: auto, threshold, expected-value, young, daly, bayes, bayes:KEEP, weibull, fixed:SECONDS");
  add_number(*simulate, "--nodes", options.nodes, {1, 1'000'000},
             "Number of nodes; each fails independently by the distribution of --trace");
  add_number(*simulate, "--failures", options.failures, {1, 1'000'000}, "Failures per simulated run");
  add_number(*simulate, "--replicas", options.replicas, {1, 100'000}, "Number of simulated runs");
  add_number(*simulate, "--seed", options.seed, any_seed, "Seed of the simulation");
  add_number(*simulate, "--remote-every", options.remote_every, {1, max_integer},
             "Every Nth checkpoint is remote, the others are local; 1: all are remote");
  add_number(*simulate, "--local-cost", options.local_cost, {0, max_seconds}, "Seconds per local checkpoint");
  add_number(*simulate, "--remote-share", options.remote_share, {0, 1}, "Fraction of failures that destroy local checkpoints");
  simulate->add_option("--json", options.json, "Write the results to a file as JSON")->type_name("FILE");
  simulate->add_option("--report", options.report, "Write an HTML page with charts to a file")->type_name("FILE");
}

// Returns why a string cannot be a path; "" if it can. A shell expands the tilde neither in --dir=~/run nor in quotes.
std::string path_problem(const std::string& text) {
  if (text.empty()) return "the value is empty";
  if (std::filesystem::exists(text)) return "";
  if (text == "~" || text.rfind("~/", 0) == 0)
    return "'" + ckpt::cli::printable(text) + "' begins with ~, which the shell has not expanded";
  if (text.find("://") != std::string::npos)
    return "'" + ckpt::cli::printable(text) + "' is a URI: expected a path of the file system";
  return "";
}

// The same for a location of checkpoints, which can be a URI. Replaces text by the resolved location.
std::string place_problem(std::string& text) {
  try {
    text = ckpt::cli::place_of(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return ckpt::cli::is_uri(text) ? "" : path_problem(text);
}

bool takes_place(const CLI::App& command, const CLI::Option& option) {
  static const std::set<std::string> names = {"path", "a", "b", "from", "dir", "--dir"};
  return names.count(option.get_name()) > 0 || (command.get_name() == "copy" && option.get_name() == "to");
}

// Rejects empty values of all options, and URIs where a path is expected. An empty path would otherwise mean the current directory.
void require_non_empty_values(CLI::App& app) {
  const CLI::Validator is_valid_place([](std::string& text) { return place_problem(text); }, "");
  const CLI::Validator has_bytes([](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); }, "");
  const CLI::Validator is_valid_path([](std::string& text) { return path_problem(text); }, "");
  for (CLI::App* const command : app.get_subcommands(nullptr)) {
    for (CLI::Option* const option : command->get_options()) {
      if (takes_place(*command, *option)) {
        option->transform(is_valid_place);
      } else {
        option->check(option->get_name() == prompt ? has_bytes : is_valid_path);
      }
    }
  }
}

void show_message(ckpt::LogLevel level, std::string_view component, std::string_view message) {
  const char* const name = level >= ckpt::LogLevel::error ? "error" : level >= ckpt::LogLevel::warning ? "warning" : "info";
  (void)std::fprintf(stderr, "ckpt: %s: %.*s: %.*s\n", name, static_cast<int>(component.size()), component.data(),
                     static_cast<int>(message.size()), message.data());
}

int run(int argc, char** argv) {
  CLI::App app("Checkpointing: train under a memory budget, save durably, inspect checkpoints", "ckpt");
  app.set_version_flag("--version", std::string(ckpt::version()) + " (" + std::string(ckpt::build_info()) + ")");
  app.require_subcommand(1);
  ckpt::cli::TrainOptions train_options;
  add_train(app, train_options);
  ckpt::cli::SampleOptions sample_options;
  add_sample(app, sample_options);
  ckpt::cli::PlanOptions plan_options;
  add_plan(app, plan_options);
  ckpt::cli::SimulateOptions simulate_options;
  add_simulate(app, simulate_options);
  std::string path;
  bool as_json = false;
  const auto add_json = [&as_json](CLI::App* command) { command->add_flag("--json", as_json, "Print JSON"); };
  CLI::App* const list = app.add_subcommand("list", "List the checkpoints in a directory, newest first");
  list->add_option("path", path, "Directory of checkpoints, or a URI")->required();
  CLI::App* const show = app.add_subcommand("show", "Show the contents of a checkpoint or a tensor file")->alias("inspect");
  show->add_option("path", path,
                   "Directory of checkpoints, one checkpoint, a safetensors, .npz or .pt file, a folder with an index, or a URI")
      ->required();
  bool reads_values = false;
  show->add_flag("--values", reads_values, "For a checkpoint: also show the values of trees, which are stored in its tensor files");
  CLI::App* const verify = app.add_subcommand("verify", "Verify every checksum of the checkpoints in a directory");
  verify->add_option("path", path, "Directory of checkpoints, one checkpoint, or a URI")->required();
  for (CLI::App* const command : {list, show, verify}) add_json(command);
  std::string other_path;
  CLI::App* const diff = app.add_subcommand("diff", "Compare two checkpoints or files, tensor by tensor");
  diff->add_option("a", path,
                   "Directory of checkpoints, one checkpoint, a safetensors, .npz or .pt file, a folder with an index, or a URI")
      ->required();
  diff->add_option("b", other_path, "Second checkpoint or file, as a")->required();
  add_json(diff);
  std::int64_t step = -1;
  bool all = false;
  CLI::App* const copy = app.add_subcommand("copy", "Copy a checkpoint to another directory, and verify the copy");
  copy->add_option("from", path, "Directory of checkpoints (copies its newest valid checkpoint), one checkpoint, or a URI")
      ->required();
  copy->add_option("to", other_path, "Directory of checkpoints, created if missing, or a URI")->required();
  CLI::Option* const copied_step = copy->add_option("--step", step, "Copy the checkpoint of this step")->type_name("N");
  copy->add_flag("--all", all, "Copy every valid checkpoint")->excludes(copied_step);
  add_json(copy);
  std::string rules;
  bool dry_run = false;
  CLI::App* const prune = app.add_subcommand("prune", "Remove old checkpoints, except those kept by rules and pinned ones");
  prune->add_option("dir", path, "Directory of checkpoints, or a URI")->required();
  CLI::Option* const keep =
      prune->add_option("--keep", rules, "Comma-separated rules, such as last:3,every:100,best:2:max,newer:24h")
          ->type_name("RULES");
  bool wants_abandoned = false;
  CLI::Option* const abandoned =
      prune->add_flag("--abandoned", wants_abandoned, "Remove only the checkpoints abandoned by a roll-back")->excludes(keep);
  bool wants_uploads = false;
  CLI::Option* const uploads =
      prune->add_flag("--uploads", wants_uploads, "Abort the unfinished S3 uploads of killed processes instead")
          ->excludes(keep)
          ->excludes(abandoned);
  std::int64_t older_than_seconds = 0;
  CLI::Option* const age = ckpt::cli::add_duration(*prune, "--older-than", older_than_seconds,
                                                   "Minimum age of the uploads: 90 (seconds), 15m, 24h, 7d, 2w; 0: all")
                               ->needs(uploads);
  uploads->needs(age);
  prune->callback([=] {
    if (!*keep && !*uploads && !*abandoned) throw CLI::RequiredError("--keep RULES, --abandoned or --uploads");
  });
  prune->add_flag("--dry-run", dry_run, "Print what would be removed, without removing it; allowed while a writer runs");
  add_json(prune);
  CLI::App* const pin = app.add_subcommand("pin", "Protect the checkpoints of a step from retention and prune");
  CLI::App* const unpin = app.add_subcommand("unpin", "Remove the protection of pin");
  for (CLI::App* const command : {pin, unpin}) {
    command->add_option("dir", path, "Directory of checkpoints, or a URI")->required();
    ckpt::cli::add_number(*command, "step", step, {0, std::numeric_limits<std::int64_t>::max()}, "Step of the checkpoint")
        ->required();
  }
  std::string group;
  CLI::App* const convert = app.add_subcommand(
      "convert", "Convert tensors to another file format: .npz, .safetensors, or a folder of safetensors files with an index");
  convert
      ->add_option(
          "from", path,
          "An .npz or .pt file, a directory of checkpoints, one checkpoint, a safetensors file, a directory with an index, or a "
          "URI")
      ->required();
  convert->add_option("to", other_path, "File to write or replace, ending in .npz or .safetensors; or a new folder, ending in /")
      ->required();
  std::string file_bytes = "5GB";
  convert->add_option("--file-bytes", file_bytes, "For a folder: maximum tensor bytes per file, such as 64KiB or 2GB")
      ->type_name("SIZE")
      ->capture_default_str();
  convert->add_option("--group", group, "For a checkpoint: only the tensors of this group")->type_name("NAME");
  add_json(convert);
  require_non_empty_values(app);
  if (argc == 2 && std::string(argv[1]) == "--manual") {  // the build generates ckpt.1 from it
    (void)std::fputs(ckpt::cli::manual_page(app, std::string(ckpt::version())).c_str(), stdout);
    return 0;
  }
  if (const std::string unknown = ckpt::cli::unknown_command(app, argc, argv); !unknown.empty()) {
    (void)std::fprintf(stderr, "ckpt: %s\n", unknown.c_str());
    return wrong_use;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : wrong_use;
  }
  ckpt::set_log(train_options.verbose ? ckpt::LogLevel::info : ckpt::LogLevel::warning, show_message);
  // Before any command starts a thread.
  if (app.got_subcommand("train")) ckpt::cli::choose_kernels(train_options.resume == "never" ? "" : train_options.directory);
  if (app.got_subcommand("sample")) ckpt::cli::choose_kernels(sample_options.directory);
  if (app.got_subcommand("plan") && plan_options.plans_model) ckpt::cli::choose_kernels("");
  if (app.got_subcommand("train")) return ckpt::cli::train(train_options) ? 0 : preempted;
  if (app.got_subcommand("sample")) ckpt::cli::sample(sample_options);
  if (app.got_subcommand("plan")) ckpt::cli::plan(plan_options);
  if (app.got_subcommand("simulate")) ckpt::cli::simulate(simulate_options);
  if (list->parsed()) ckpt::cli::list(path, as_json);
  if (show->parsed()) ckpt::cli::show(path, as_json, reads_values);
  if (verify->parsed()) ckpt::cli::verify(path, as_json);
  if (copy->parsed()) ckpt::cli::copy(path, other_path, *copied_step ? std::optional(step) : std::nullopt, all, as_json);
  if (wants_uploads) ckpt::cli::prune_uploads(path, older_than_seconds, dry_run, as_json);
  if (wants_abandoned) ckpt::cli::prune_abandoned(path, dry_run, as_json);
  if (prune->parsed() && !wants_uploads && !wants_abandoned) ckpt::cli::prune(path, rules, dry_run, as_json);
  if (pin->parsed() || unpin->parsed()) ckpt::cli::pin(path, step, pin->parsed());
  if (convert->parsed()) ckpt::cli::convert(path, other_path, {group, ckpt::cli::parse_bytes("--file-bytes", file_bytes), as_json});
  if (diff->parsed()) return ckpt::cli::diff(path, other_path, as_json) ? 0 : failed;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ckpt::cli::reserve_standard_streams();
    const int code = run(argc, argv);
    ckpt::cli::finish_standard_output();
    return code;
  } catch (const ckpt::Error& error) {
    (void)std::fprintf(stderr, "ckpt: %s (%s)\n", error.what(), std::string(error.status_name()).c_str());
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "ckpt: %s\n", error.what());
  }
  return failed;
}
