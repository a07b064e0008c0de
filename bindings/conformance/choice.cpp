// Commands on strategies and schedules.
#include "commands.hpp"

namespace conformance {

// ---- Strategies ----

ckpt::Strategy Commands::from_factory(const Command& c) {
  const std::string& kind = c.text(2);
  std::vector<const ckpt::Strategy*> children;
  for (const auto& child : c.names("children")) children.push_back(&strategies_[child]);
  const Words excluded = c.names("excluded");
  if (kind == "interval") return ckpt::Strategy::interval(c.integer("interval", 2));
  if (kind == "selective") return ckpt::Strategy::selective(c.names("names"), excluded);
  if (kind == "size") return ckpt::Strategy::size_based(c.integer("threshold", std::int64_t{1} << 20), excluded);
  if (kind == "any") return ckpt::Strategy::any_of(children);
  if (kind == "all") return ckpt::Strategy::all_of(children);
  if (kind == "smart") {
    return ckpt::Strategy::smart(excluded, c.number("large", 1.5), c.integer("rare", 2), c.number("late", 0.7));
  }
  if (kind == "memory-aware") {
    const ckpt::MemoryTracker* const tracker = c.has("tracker") ? &trackers_[c.text("tracker")] : nullptr;
    const ckpt::Clock* const clock = c.has("clock") ? &clocks_[c.text("clock")] : nullptr;
    return ckpt::Strategy::memory_aware(c.number("share", 0.8), tracker, c.integer("total", 0), clock);
  }
  if (children.empty()) throw Misuse("strategy of kind " + kind + ": expected children");
  if (kind == "not") return ckpt::Strategy::not_of(*children.front());
  if (kind != "first") throw Misuse("strategy kind " + kind + ": unknown");
  std::vector<std::pair<std::string, const ckpt::Strategy*>> rules;
  for (const auto& rule : c.names("rules")) rules.emplace_back(rule, children.at(rules.size()));
  return ckpt::Strategy::first_of(rules, *children.back());
}

void Commands::strategies() {
  on("strategy", [this](const Command& c) {
    strategies_.make(c.text(1), ckpt::Strategy::create(c.text(2)));
    return Words();
  });
  on("config", [this](const Command& c) {
    ckpt::Strategy created = from_factory(c);
    if (c.has("chosen")) created.set_chosen(value_of<ckpt::StrategyChosen>(chosen_words, c.text("chosen")));
    strategies_.make(c.text(1), std::move(created));
    return Words();
  });
  on("custom", [this](const Command& c) {
    ckpt::CustomStrategy functions;
    const std::string how = c.text(2);
    index_of({"odd", "large", "throws"}, how);
    functions.decide = [how](const ckpt::StrategyQuestion& question) {
      if (how == "throws") throw std::runtime_error("no answer for " + std::string(question.layer_name));
      return how == "odd" ? question.layer_index % 2 == 1 : question.bytes >= 1000;
    };
    strategies_.make(c.text(1), ckpt::Strategy::custom(how, std::move(functions)));
    return Words();
  });
  on("register", [this](const Command& c) {
    const auto make = [](std::string_view arguments) { return ckpt::Strategy::interval(to_integer(std::string(arguments))); };
    kinds_.make(c.text(1), std::make_unique<ckpt::StrategyKind>(c.text(1), make));
    return Words();
  });
  on("ask", [this](const Command& c) {
    return Words{yes_no(
        strategies_[c.text(1)].should_checkpoint(c.text(2), ckpt::find_dtype(c.text(3)), to_shape(c.text(4)), c.integer(5)))};
  });
  on("layers", [this](const Command& c) {
    std::string answers;
    for (std::int64_t i = 0; i < c.integer(2); ++i) {
      answers += strategies_[c.text(1)].should_checkpoint("layer" + number(i), ckpt::find_dtype(c.text(3)), to_shape(c.text(4)), i)
                     ? 'y'
                     : 'n';
    }
    return Words{answers};
  });
  on("access", [this](const Command& c) {
    strategies_[c.text(1)].observe_access(c.text(2));
    return Words();
  });
}

// ---- Schedules ----

void Commands::schedules() {
  on("profile", [this](const Command& c) {
    profiles_.make(c.text(1), c.integer(2));
    return Words();
  });
  on("layer", [this](const Command& c) {
    ckpt::LayerProfile layer;
    ckpt::OptionProfile option;
    layer.output_bytes = c.integer(3);
    option.tape_bytes = c.integer(4);
    option.forward_seconds = c.number(5);
    option.backward_seconds = c.number(6);
    layer.flags = static_cast<ckpt::LayerFlag>(c.integer("flags", static_cast<std::int64_t>(layer.flags)));
    const std::int64_t count = c.integer("count", -1);
    for (std::int64_t i = 0; i < (count < 0 ? 1 : count); ++i) {
      profiles_[c.text(1)].add_layer(count < 0 ? c.text(2) : c.text(2) + number(i), layer).add_option(option);
    }
    return Words();
  });
  on("schedule", [this](const Command& c) {
    const std::string& kind = c.text(2);
    const std::string argument = c.size() > 3 ? c.text(4) : "";
    const auto make = [&]() -> ckpt::Schedule {
      if (kind == "open")
        return ckpt::Schedule::open_ended(to_integer(argument), ckpt::LayerFlag::needs_input | ckpt::LayerFlag::deterministic);
      const ckpt::Profile& profile = profiles_[c.text(3)];
      if (kind == "strategy") return ckpt::Schedule::from_strategy(profile, strategies_[argument]);
      if (kind != "segments") return ckpt::Schedule::create(profile, argument.empty() ? kind : kind + ":" + argument);
      std::vector<std::int64_t> begins;
      for (const auto& begin : split(argument, ',')) begins.push_back(to_integer(begin));
      return ckpt::Schedule::segments(profile, begins);
    };
    schedules_.make(c.text(1), make());
    return Words();
  });
  on("verify", [this](const Command& c) {
    const auto& profile = profiles_[c.text(2)];
    const auto n = schedules_[c.text(1)].verify(profile);
    return line({"actions", number(n.actions), "forwards", number(n.forwards), "recomputed", number(n.recomputed_forwards), "peak",
                 number(n.peak_bytes[0]), "at", number(n.peak_action), "seconds", exact(n.step_seconds), "again",
                 exact(n.recomputed_seconds), "reserved", number(schedules_[c.text(1)].reserved_bytes(profile))});
  });
  on("cursor", [this](const Command& c) {
    cursors_.make(c.text(1), schedules_[c.text(2)]);
    return Words();
  });
  on("next", [this](const Command& c) {
    Words lines;
    for (const auto& action : cursors_[c.text(1)].next_many(c.integer(2))) {
      lines.push_back(joined({std::string(ckpt::action_kind_name(action.kind)), number(action.first), number(action.last),
                              number(action.option), number(static_cast<std::int64_t>(action.item)), number(action.tier),
                              number(action.slot)}));
    }
    return lines;
  });
  on("finalize", [this](const Command& c) {
    cursors_[c.text(1)].finalize(c.integer(2));
    return Words();
  });
  on("mark", [this](const Command& c) {
    places_.make(c.text(2), cursors_[c.text(1)].save());
    return Words();
  });
  on("restore", [this](const Command& c) {
    cursors_[c.text(1)].restore(places_[c.text(2)]);
    return Words();
  });
}

}  // namespace conformance
