// A scenario, and the commands on objects of any type: README.md, "Any object".
#include "commands.hpp"

#include <array>

namespace conformance {

std::string joined(const Words& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::int32_t index_of(const Words& words, const std::string& word) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return static_cast<std::int32_t>(i);
  }
  throw Misuse("unknown word " + word);
}

void Commands::base() {
  on("philox", [](const Command& c) {
    std::array<std::uint32_t, 6> words{};
    for (std::size_t i = 0; i < 6; ++i) words[i] = static_cast<std::uint32_t>(c.integer(i + 1));
    const auto out = ckpt::philox({words[0], words[1], words[2], words[3]}, {words[4], words[5]});
    return line({number(out[0]), number(out[1]), number(out[2]), number(out[3])});
  });
  on("clock", [this](const Command& c) {
    clocks_.make(c.text(1), ckpt::Clock::manual(std::chrono::nanoseconds(c.integer(2))));
    return Words();
  });
  on("advance", [this](const Command& c) {
    clocks_[c.text(1)].advance(std::chrono::nanoseconds(c.integer(2)));
    return Words();
  });
  on("show", [this](const Command& c) { return show(c.text(1)); });
  on("reset", [this](const Command& c) {
    if (auto* strategy = strategies_.find(c.text(1))) {
      strategy->reset();
    } else {
      trackers_[c.text(1)].reset_stats();
    }
    return Words();
  });
  on("same", [this](const Command& c) {
    if (auto* tensor = tensors_.find(c.text(1))) return Words{yes_no(tensor->bit_equal(tensors_[c.text(2)]))};
    return Words{yes_no(schedules_[c.text(1)].fingerprint() == schedules_[c.text(2)].fingerprint())};
  });
  on("close", [this](const Command& c) {
    const std::string& name = c.text(1);
    if (!clocks_.close(name) && !kinds_.close(name) && !strategies_.close(name) && !trackers_.close(name) &&
        !listeners_.close(name) && !profiles_.close(name) && !schedules_.close(name) && !cursors_.close(name) &&
        !tensors_.close(name) && !states_.close(name) && !checkpoints_.close(name) && !thresholds_.close(name) &&
        !controllers_.close(name) && !activations_.close(name) && !pipelines_.close(name) && !managers_.close(name)) {
      throw Misuse("unknown name " + name);
    }
    return Words();
  });
}

Words Commands::show(const std::string& name) {
  if (auto* clock = clocks_.find(name)) return {number(clock->now().count())};
  if (auto* strategy = strategies_.find(name)) {
    const auto n = strategy->counters();
    return line({strategy->name(), "asked", number(n.asked_layers), "chosen", number(n.chosen_layers), "bytes",
                 number(n.chosen_bytes), chosen_words[static_cast<std::size_t>(strategy->chosen())]});
  }
  if (auto* tracker = trackers_.find(name)) {
    const auto n = tracker->stats();
    return line({"current",     number(n.current_bytes),
                 "peak",        number(n.peak_bytes),
                 "allocated",   number(n.total_allocated_bytes),
                 "freed",       number(n.total_freed_bytes),
                 "live",        number(n.live_allocations),
                 "allocations", number(n.allocations),
                 "frees",       number(n.frees),
                 "average",     number(n.average_bytes),
                 "not_found",   number(n.not_found),
                 "refused",     number(n.refused),
                 "failures",    number(n.handler_failures)});
  }
  if (auto* scope = scopes_.find(name)) return {scope_line((*scope)->stats())};
  if (auto* profile = profiles_.find(name)) {
    return line({"layers", number(profile->layer_count()), "input", number(profile->input_bytes())});
  }
  if (auto* schedule = schedules_.find(name)) {
    const std::int64_t layers = schedule->layer_count();
    return line({std::string(schedule->name()), "layers", layers == 0 ? "open" : number(layers)});
  }
  if (auto* tensor = tensors_.find(name)) {
    std::string shape;
    for (const auto length : tensor->shape()) shape += (shape.empty() ? "" : "x") + number(length);
    std::int64_t checksum = 0;
    const auto* bytes = static_cast<const std::uint8_t*>(std::as_const(*tensor).data());
    for (std::int64_t i = 0; i < tensor->bytes(); ++i) checksum += (i + 1) * bytes[i];
    return line({std::string(ckpt::dtype_name(tensor->dtype())), shape.empty() ? "-" : shape, "elements",
                 number(tensor->element_count()), "bytes", number(tensor->bytes()), "checksum", number(checksum)});
  }
  if (auto* state = states_.find(name)) return line({"tensors", number(state->tensor_count())});
  if (auto* threshold = thresholds_.find(name)) {
    const auto n = threshold->info();
    return line({"threshold", thousandths(n.threshold), "longest", thousandths(n.longest_seconds), "used", number(n.used), "of",
                 number(n.budget), "tasks", number(n.tasks)});
  }
  if (auto* controller = controllers_.find(name)) {
    const auto n = controller->info();
    return line({"running", yes_no(n.running), "in_flight", yes_no(n.save_in_flight), "failures", number(n.failures), "saves",
                 number(n.saves), "cost", thousandths(n.cost_seconds), "last", thousandths(n.last_seen_seconds), "mtbf",
                 thousandths(n.mtbf_seconds), "tasks", number(n.tasks)});
  }
  if (auto* manager = activations_.find(name)) return {shown(*manager)};
  if (auto* task = tasks_.find(name)) {
    const auto n = managers_[task->manager].manager.task(task->id);
    return line({n.kind == ckpt::CheckpointTaskKind::save ? "save" : "load", task_words[static_cast<std::size_t>(n.state)], "step",
                 number(n.step)});
  }
  const auto n = managers_[name].manager.stats();
  return line({"live", number(n.live_tasks), "completed", number(n.completed_tasks), "failed", number(n.failed_tasks), "cancelled",
               number(n.cancelled_tasks), "rejected", number(n.rejected_tasks)});
}

std::unique_ptr<Scenario> make_scenario(const std::string& directory) { return std::make_unique<Commands>(directory); }

}  // namespace conformance
