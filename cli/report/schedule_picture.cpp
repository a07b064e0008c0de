#include "report/schedule_picture.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "report/assets.h"
#include "report/markup.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

struct UseStyle {
  Use use;
  const char* role;
  const char* words;
};
// From the bottom of the chart to the top.
constexpr std::array<UseStyle, uses> use_styles = {{{Use::kept, "kept", "kept activations"},
                                                    {Use::recomputed, "recomputed", "recomputed"},
                                                    {Use::gradient, "gradient", "gradients"},
                                                    {Use::working, "working", "workspace"}}};

const char* words_of(Replay::Work work) {
  switch (work) {
    case Replay::Work::forward: return "forward";
    case Replay::Work::recompute: return "recompute";
    default: return "backward";
  }
}

const char* role_of(Replay::Work work) {
  switch (work) {
    case Replay::Work::forward: return "kept";
    case Replay::Work::recompute: return "recomputed";
    default: return "gradient";
  }
}

std::int64_t sum(const Bytes& bytes) { return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}); }

Scale time_scale(const Replay& step, int marks) {
  return step.timed ? Scale::seconds(step.seconds, marks) : Scale::linear(0, step.seconds, 0);
}

std::string time_unit(const Replay& step, const Scale& scale) {
  return step.timed ? scale.unit() + " from the start of the step" : std::string("layer runs of the step");
}

std::string step_length(const Replay& step) {
  return step.timed ? duration_text(step.seconds) : cat(step.operations.size(), " layer runs");
}

// Returns the values that a layer of a graph reads; nothing for a chain.
std::vector<std::int64_t> inputs_of(const Replay& step, std::int64_t layer) {
  return step.inputs.empty() ? std::vector<std::int64_t>() : step.inputs[static_cast<std::size_t>(layer)];
}

// Returns "3.20 ms: forward of block.1.gelu, 1.50 MiB live (kept ...)".
std::string operation_text(const Plan& plan, const Replay& step, const Replay::Operation& operation) {
  std::string text = cat(step.timed ? duration_text(operation.begin) : cat("run ", static_cast<std::int64_t>(operation.end)), ": ",
                         words_of(operation.work), " of ", plan.profile->layer_name(operation.layer),
                         plan.stage ? cat(", micro-batch ", operation.micro_batch) : std::string(), "; ",
                         bytes_text(sum(operation.bytes)), " live");
  const char* before = ": ";
  for (const UseStyle& style : use_styles) {
    const std::int64_t bytes = operation.bytes[static_cast<std::size_t>(style.use)];
    if (bytes == 0) continue;
    text += cat(before, bytes_text(bytes), " ", style.words);
    before = ", ";
  }
  before = "; reads ";
  for (const std::int64_t value : inputs_of(step, operation.layer)) {
    text += cat(before, value == 0 ? std::string("the input") : plan.profile->layer_name(value - 1));
    before = ", ";
  }
  return text;
}

// "block.12.linear" belongs to "block.12".
std::string block_of(const std::string& layer) { return layer.substr(0, layer.rfind('.')); }

std::string fitting(const std::string& name) {
  constexpr std::size_t longest = 9;
  return name.size() <= longest ? name : name.substr(0, longest - 1) + "\u2026";
}

// Draws a line from the first forward of a layer to that of each layer of a graph that reads its output, unless it is the next one.
void draw_edges(Plot& plot, const Replay& step) {
  if (step.inputs.empty()) return;
  std::vector<const Replay::Operation*> first(step.inputs.size());
  for (const Replay::Operation& each : step.operations) {
    if (each.work == Replay::Work::forward) first[static_cast<std::size_t>(each.layer)] = &each;
  }
  for (const Replay::Operation* const reader : first) {
    if (reader == nullptr) continue;
    for (const std::int64_t value : inputs_of(step, reader->layer)) {
      if (value == 0 || value == reader->layer) continue;
      const Replay::Operation& maker = *first[static_cast<std::size_t>(value - 1)];
      plot.line({{maker.end, static_cast<double>(maker.layer) + 0.5}, {reader->begin, static_cast<double>(reader->layer) + 0.5}},
                "aside");
    }
  }
}

}  // namespace

Plot memory_plot(const Plan& plan, const Replay& step, const std::string& name, std::int64_t budget_bytes, int height,
                 const std::string& group) {
  const auto top = static_cast<double>(std::max(step.peak_bytes, budget_bytes));
  Scale y = Scale::bytes(top * 1.04);
  Scale x = time_scale(step, height < 200 ? 4 : 8);  // low plots are also narrow
  const std::string& unit = y.unit();
  const std::string under = time_unit(step, x);
  Plot plot(name, cat("Peak of ", bytes_text(step.peak_bytes), " live, in a step of ", step_length(step), "."), x, y, height);
  plot.units(unit, under).group(group);
  Curve lower;
  for (const Replay::Operation& each : step.operations) {
    lower.emplace_back(each.begin, 0);
    lower.emplace_back(each.end, 0);
  }
  for (const UseStyle& style : use_styles) {
    Curve upper = lower;
    for (std::size_t i = 0; i < step.operations.size(); ++i) {
      const auto bytes = static_cast<double>(step.operations[i].bytes[static_cast<std::size_t>(style.use)]);
      upper[2 * i].second += bytes;
      upper[2 * i + 1].second += bytes;
    }
    if (upper != lower) plot.band(lower, upper, style.role);
    lower = std::move(upper);
  }
  if (budget_bytes > 0) plot.level(static_cast<double>(budget_bytes), "budget", cat("budget ", bytes_text(budget_bytes)));
  for (const Replay::Operation& each : step.operations)
    plot.value((each.begin + each.end) / 2, static_cast<double>(sum(each.bytes)), operation_text(plan, step, each));
  return plot;
}

Plot lanes_plot(const Plan& plan, const Replay& step, const std::string& group) {
  const std::int64_t layers = plan.profile->layer_count();
  const int lane_height = layers <= 24 ? 14 : layers <= 80 ? 6 : 3;
  Scale x = time_scale(step, 8);
  const std::string under = time_unit(step, x);
  Plot plot("Layers over time",
            cat(layers,
                " lanes, the first layer at the top: when each layer runs forward, recomputes and runs backward, and when its "
                "output is in memory."),
            x, Scale::lanes(static_cast<std::size_t>(layers)), lane_height * static_cast<int>(layers));
  plot.units("", under).group(group);
  const auto bar = [&](std::int64_t layer, double begin, double end, const std::string& role) {
    const auto lane = static_cast<double>(layer);
    plot.bar(begin, end, lane + 0.1, lane + 0.9, role);
  };
  for (const Replay::Life& life : step.lives)
    bar(life.layer, life.begin, life.end, life.use == Use::kept ? "soft kept" : "soft recomputed");
  draw_edges(plot, step);
  for (const Replay::Operation& each : step.operations) {
    bar(each.layer, each.begin, each.end, role_of(each.work));
    plot.value((each.begin + each.end) / 2, static_cast<double>(each.layer) + 0.5, operation_text(plan, step, each));
  }
  for (std::int64_t first = 0; first < layers;) {
    const std::string block = block_of(plan.profile->layer_name(first));
    std::int64_t last = first + 1;
    while (last < layers && block_of(plan.profile->layer_name(last)) == block) ++last;
    plot.lane_name(static_cast<double>(first + last) / 2, fitting(block));
    first = last;
  }
  return plot;
}

namespace {

std::vector<std::pair<std::string, std::string>> memory_roles(bool budget) {
  std::vector<std::pair<std::string, std::string>> roles;
  roles.reserve(std::size(use_styles) + 1);
  for (const UseStyle& style : use_styles) roles.emplace_back(cat("fill ", style.role), style.words);
  if (budget) roles.emplace_back("level budget", "budget");
  return roles;
}

std::vector<std::pair<std::string, std::string>> lane_roles(const Replay& step) {
  std::vector<std::pair<std::string, std::string>> roles = {{"fill kept", "forward"},
                                                            {"fill recomputed", "recompute"},
                                                            {"fill gradient", "backward"},
                                                            {"fill soft kept", "output in memory"},
                                                            {"fill soft recomputed", "recomputed output in memory"}};
  if (!step.inputs.empty()) roles.emplace_back("line aside", "read by a later layer");
  return roles;
}

std::string legend_row(const std::vector<std::pair<std::string, std::string>>& roles, int x, int y) {
  std::string out;
  for (const auto& [role, words] : roles) {
    out += role.rfind("level", 0) == 0 || role.rfind("line", 0) == 0
               ? cat("<path class=\"", role, "\" d=\"M", x, " ", y - 4, "h24\"/>")
               : cat("<rect class=\"", role, "\" x=\"", x, "\" y=\"", y - 10, "\" width=\"24\" height=\"12\"/>");
    out += cat("<text x=\"", x + 32, "\" y=\"", y, "\">", escaped(words), "</text>\n");
    x += 56 + static_cast<int>(words.size()) * 7;
  }
  return out;
}

}  // namespace

std::string memory_legend(bool budget) { return legend(memory_roles(budget)); }

std::string lanes_legend(const Replay& step) { return legend(lane_roles(step)); }

std::string step_picture(const Plan& plan, std::int64_t budget_bytes) {
  constexpr int width = 880;
  constexpr int left = 80;
  constexpr int right = 24;
  constexpr int row = 24;    // height of a legend row
  constexpr int above = 34;  // space above a plot
  constexpr int below = 60;
  const Replay step = replay(plan.schedule, *plan.profile, plan.stage);
  const Plot memory = memory_plot(plan, step, "Memory during a step", budget_bytes, 220, "");
  const Plot lanes = lanes_plot(plan, step, "");
  const int second = row + above + memory.height() + below;
  const int height = second + row + lanes.height() + below;
  return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"frame\" role=\"img\" viewBox=\"0 0 ", width, " ", height,
             "\" font-family=\"system-ui, sans-serif\">\n<title>One step under the schedule ", escaped(plan.schedule.name()),
             "</title>\n<desc>Peak of ", bytes_text(step.peak_bytes), " live, in a step of ", step_length(step),
             ".</desc>\n<style>\n", plot_style, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n",
             legend_row(memory_roles(budget_bytes > 0), left, row), memory.svg(left, row + above, width - left - right),
             legend_row(lane_roles(step), left, second), lanes.svg(left, second + row, width - left - right), "</svg>\n");
}

}  // namespace ckpt::cli::report
