#include "report/train_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "model.h"
#include "report/markup.h"
#include "report/plan_sections.h"
#include "report/plot.h"
#include "report/replay.h"
#include "report/schedule_picture.h"
#include "report/timeline_picture.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

using nlohmann::json;

std::string place(const char* list, std::size_t index, const char* key) { return cat("/", list, "/", index, "/", key); }

// ---- Text ----

std::string budget_words(const Figures& figures, const TrainOptions& options) {
  std::string chosen;
  if (!options.strategy.empty())
    chosen = cat("The strategy ", escaped(printable(options.strategy)), " chose the kept activations.");
  if (!options.planner.empty()) chosen = cat("The planner ", escaped(printable(options.planner)), " chose the kept activations.");
  if (options.memory_budget.empty()) return chosen.empty() ? "No memory budget was set." : chosen;
  const bool percent = options.memory_budget.back() == '%';
  return cat(chosen, chosen.empty() ? "" : " ", "Activations had a budget of ", figures.bytes("/budget_bytes"),
             percent ? cat(", ", escaped(options.memory_budget), " of the memory for storing everything") : std::string(), ".");
}

std::string recomputed_words(const Figures& figures) {
  if (figures.value("/recomputed_forwards") == 0) return "All activations were kept; nothing was recomputed.";
  return cat("Dropped activations were recomputed: ", figures.number("/recomputed_forwards_per_step", 0),
             " layer forwards per step.");
}

std::string lede(const Figures& figures, const TrainOptions& options, const std::string& data_name) {
  const bool resumed = figures.value("/first_step") > 0;
  const std::string saves = figures.value("/checkpoints_written") > 0
                                ? cat(" ", figures.count("/checkpoints_written"), " durable checkpoints were written.")
                                : std::string();
  return cat("<p class=\"lede\">A byte-level model (", model_text(figures.all()), ") trained on ", escaped(data_name), " (",
             figures.bytes("/data_bytes"), "), ", figures.count("/batch"), " samples per step",
             resumed ? cat(", resumed from step ", figures.count("/first_step")) : std::string(), ". ",
             budget_words(figures, options), " ", recomputed_words(figures), saves,
             figures.at("/interrupted").get<bool>() ? " The run was interrupted." : "", "</p>\n");
}

std::string train_title(const json& result) {
  const auto done = result.at("steps").get<std::int64_t>();
  const std::string steps = count_text(done) + (done == 1 ? " step" : " steps");
  const std::string memory = bytes_text(result.at("reserved_bytes").get<std::int64_t>());
  if (result.at("final_loss").is_null()) return cat("No step to run: ", steps, " already completed");
  return cat("Loss ", fixed_text(result.at("final_loss").get<double>(), 4), " after ", steps, ", in ", memory, " of activations");
}

std::string train_facts(const Figures& figures) {
  const bool compared = figures.has("/store_all_bytes");
  const bool saved = figures.value("/checkpoints_written") > 0;
  return facts(
      {{"Final loss", figures.number("/final_loss", 4), cat("after ", figures.count("/steps"), " steps")},
       {"Memory for activations", figures.bytes("/reserved_bytes"),
        compared ? cat("storing everything: ", figures.bytes("/store_all_bytes"))
                 : cat("with queues; peak live: ", figures.bytes("/peak_live_bytes"))},
       {"Time per step", figures.duration("/seconds_per_step"), cat(figures.number("/tokens_per_second", 0), " bytes per second")},
       saved ? Fact{"Training stall per save", figures.duration("/stall_seconds_per_save"),
                    cat("durable after ", figures.duration("/durable_seconds_per_save"))}
             : Fact{"Recomputed forwards", figures.number("/recomputed_forwards_per_step", 0), "per step"}});
}

// ---- Curves ----

struct HistoryCurves {
  Curve loss;
  Curve arena;
};

HistoryCurves curves_of(const json& history) {
  HistoryCurves curves;
  const json& steps = history.at("step");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double step = steps.at(i).get<double>();
    const json& loss = history.at("loss").at(i);
    curves.loss.emplace_back(step, loss.is_null() ? std::numeric_limits<double>::quiet_NaN() : loss.get<double>());
    curves.arena.emplace_back(step, history.at("arena_bytes").at(i).get<double>());
  }
  return curves;
}

Scale step_scale(const Curve& curve) {
  Scale scale = Scale::linear(curve.front().first, std::max(curve.back().first, curve.front().first + 1), 0);
  return scale;
}

std::string loss_plot(const Curve& loss, std::int64_t steps_per_point) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& [step, value] : loss) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Plot plot("Loss over steps", cat("From ", fixed_text(loss.front().second, 4), " to ", fixed_text(loss.back().second, 4), "."),
            step_scale(loss), Scale::linear(std::min(low, high * 0.999), high), 240);
  plot.units("loss", "step").line(loss, "kept").group("steps");
  for (const auto& [step, value] : loss) {
    plot.value(step, value,
               cat(steps_per_point > 1 ? "to step " : "step ", count_text(static_cast<std::int64_t>(step)), ": ",
                   steps_per_point > 1 ? "mean loss " : "loss ", fixed_text(value, 4)));
  }
  return plot.html();
}

std::string arena_plot(const Curve& arena, const Figures& figures) {
  const double budget = figures.has("/budget_bytes") ? figures.value("/budget_bytes") : 0;
  const double everything = figures.has("/store_all_bytes") ? figures.value("/store_all_bytes") : 0;
  double max = std::max(budget, everything);
  for (const auto& [step, bytes] : arena) max = std::max(max, bytes);
  const auto text = [](double bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); };
  Scale y = Scale::bytes(max * 1.04);
  const std::string& unit = y.unit();
  Plot plot("Memory over steps",
            cat("Activations reserve ", text(arena.back().second), " at the end",
                budget > 0 ? cat("; the budget is ", text(budget)) : std::string(), "."),
            step_scale(arena), y, 240);
  Curve ground = arena;
  for (auto& [step, bytes] : ground) bytes = 0;
  plot.units(unit, "step").band(ground, arena, "soft kept").line(arena, "kept").group("steps");
  if (budget > 0) plot.level(budget, "budget", cat("budget ", text(budget)));
  if (everything > 0 && everything != budget) plot.level(everything, "aside", cat("storing everything ", text(everything)));
  for (const auto& [step, bytes] : arena)
    plot.value(step, bytes, cat("step ", count_text(static_cast<std::int64_t>(step)), ": ", text(bytes), " reserved"));
  return plot.html();
}

std::string history_table(const Figures& figures) {
  constexpr std::size_t max_rows = 24;
  const std::size_t points = figures.at("/history/step").size();
  const std::size_t every = (points + max_rows - 1) / max_rows;
  Table table("Loss and memory over steps", {"step", "loss", "reserved"});
  for (std::size_t i = 0; i < points; ++i) {
    if (i % every != 0 && i + 1 != points) continue;
    table.row({figures.count(cat("/history/step/", i)), figures.number(cat("/history/loss/", i), 4),
               figures.bytes(cat("/history/arena_bytes/", i))});
  }
  return table.html();
}

std::string over_steps(const Figures& figures, bool with_stages) {
  const HistoryCurves curves = curves_of(figures.at("/history"));
  if (curves.loss.empty()) return "";
  const auto per_point = figures.at("/history/steps_per_point").get<std::int64_t>();
  return cat("<div class=\"columns\"><section><h2>Loss</h2>\n", loss_plot(curves.loss, per_point),
             "</section>\n<section><h2>Memory</h2>\n", arena_plot(curves.arena, figures), "</section></div>\n",
             with_stages ? "<p class=\"note\">Memory of all stages, without the queues between them.</p>\n" : "",
             per_point > 1 ? cat("<p class=\"note\">Each point covers ", figures.count("/history/steps_per_point"), " steps.</p>\n")
                           : std::string(),
             details("Loss and memory as a table", history_table(figures)));
}

// ---- Stages ----

std::string stages_table(const Figures& figures) {
  Table table("Stages", {"stage", "layers", "in flight", "schedule", "kept", "recomputed", "peak live", "arena", "queues",
                         "busy in the last step"});
  for (std::size_t i = 0; i < figures.at("/stages").size(); ++i) {
    const auto plan = figures.at(place("plans", i, "plan")).get<std::string>();  // "stage 0 of 2, 4 micro-batches: periodic(3)"
    table.row({cat(i), figures.count(place("stages", i, "layers")), figures.count(place("stages", i, "in_flight")),
               escaped(plan.substr(plan.rfind(": ") == std::string::npos ? 0 : plan.rfind(": ") + 2)),
               figures.count(place("stages", i, "kept")), figures.count(place("stages", i, "recomputed")),
               figures.bytes(place("stages", i, "peak_live_bytes")), figures.bytes(place("stages", i, "reserved_bytes")),
               figures.bytes(place("stages", i, "queue_bytes")), figures.duration(place("stages", i, "busy_seconds"))});
  }
  return table.html();
}

std::string stages_memory(const Figures& figures, const std::vector<Plan>& plans) {
  const std::int64_t budget =
      figures.has("/budget_bytes") ? figures.at("/budget_bytes").get<std::int64_t>() / static_cast<std::int64_t>(plans.size()) : 0;
  std::string out = cat(memory_legend(budget > 0), "<div class=\"multiples\">\n");
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Replay step = replay(plans[i].schedule, *plans[i].profile, plans[i].stage);
    if (step.operations.size() > max_operations) continue;
    out += cat("<div><h3>Stage ", i, "</h3>\n", memory_plot(plans[i], step, cat("Memory of stage ", i), budget, 150, "").html(),
               "</div>\n");
  }
  return out + "</div>\n";
}

std::string stages(const Figures& figures, const std::vector<Plan>& plans, Pipeline& pipeline) {
  std::chrono::nanoseconds step_time{0};
  const std::vector<PipelineInterval> intervals = pipeline.timeline(&step_time);
  return cat("<section><h2>Timeline of the last step</h2>\n", timeline_picture(intervals, pipeline.stages(), step_time),
             "</section>\n<section><h2>Planned memory of each stage</h2>\n<p>In the order of the stage&#39;s schedule, without "
             "idle times.</p>\n",
             stages_memory(figures, plans), "</section>\n<section><h2>Stages</h2>\n", stages_table(figures),
             "<p class=\"note\">Kept and recomputed: number of micro-batches over all steps.</p></section>\n");
}

// ---- Run ----

std::string rate_words(const Figures& figures, const TrainOptions& options) {
  std::string words = figures.plain("/learning_rate");
  if (options.warm_up_steps > 0) words += cat(", after ", figures.count("/warm_up"), " warm-up steps");
  if (options.rate_kind != "constant")
    words += cat(", then decaying to ", figures.plain("/last_rate"), " (", options.rate_kind, ")");
  return words;
}

std::string held_out_words(const Figures& figures) {
  return cat(figures.number("/held_out_loss", 4),
             " nats per byte, on text excluded from training; unigram entropy: ", figures.number("/unigram_entropy", 4));
}

std::string configuration_section(const Figures& figures, const TrainOptions& options, const std::string& data_name) {
  Definitions all = {
      {"data", cat(escaped(data_name), ", ", figures.bytes("/data_bytes"))},
      {"model", model_text(figures.all())},
      {"steps", cat(figures.count("/steps"),
                    figures.value("/first_step") > 0 ? cat(", resumed from step ", figures.count("/first_step")) : std::string())},
      {"batch", cat(figures.count("/batch"), " samples",
                    options.micro_batches > 1 ? cat(" in ", figures.count("/micro_batches"), " micro-batches") : std::string())},
      {"seed", figures.plain("/seed")},
      {"learning rate", rate_words(figures, options)},
      {"threads", figures.count("/threads")},
      {"schedule", escaped(figures.at("/schedule").get<std::string>())}};
  if (figures.has("/held_out_loss")) all.emplace_back("held-out loss", held_out_words(figures));
  if (options.activations != "store-all") all.emplace_back("activations", escaped(printable(options.activations)));
  if (figures.value("/checkpoints_written") > 0) {
    all.emplace_back("checkpoints", cat(figures.count("/checkpoints_written"), ", saved ",
                                        options.async ? "in the background" : "in the foreground"));
  }
  all.emplace_back("BLAS", escaped(figures.at("/blas").get<std::string>()));
  return cat("<section><h2>Configuration</h2>\n", definitions(all),
             details("All figures (JSON)", cat("<pre tabindex=\"0\">", escaped(figures.all().dump(2)), "</pre>")), "</section>\n");
}

}  // namespace

std::string train_page(const json& result, const TrainOptions& options, const std::string& data_name,
                       const std::vector<Plan>& plans, Pipeline* pipeline) {
  const Figures figures(result);
  const std::string name = printable(data_name.substr(data_name.rfind('/') + 1));  // without this machine's folders
  std::string body = cat(lede(figures, options, name), train_facts(figures), over_steps(figures, pipeline != nullptr));
  const bool with_stages = pipeline != nullptr;
  body += with_stages ? stages(figures, plans, *pipeline) : step_section(figures, plans.front());
  body +=
      cat(layers_section(figures, options.micro_batches, with_stages, with_stages ? ", for one micro-batch" : ", for one batch"),
          configuration_section(figures, options, name));
  return page(train_title(result), pipeline != nullptr ? "ckpt train, in stages" : "ckpt train", body, result);
}

}  // namespace ckpt::cli::report
