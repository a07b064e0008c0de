// Commands on checkpoints, and on saves and loads in the background.
#include "commands.hpp"

#include <cstring>
#include <fstream>

namespace conformance {

namespace {

const Words mode_words = {"copy", "borrow", "deferred"};
const Words full_words = {"refuse", "wait", "drop_oldest"};

// Returns the name without the random digits at its end (README.md, "Output formats").
std::string printed_name(const std::string& name) { return name.empty() ? "-" : name.substr(0, name.rfind('-')); }
// Returns the name of the checkpoint that is printed so; the argument itself when there is none.
std::string full_name(const ckpt::CheckpointManager& checkpoint, const std::string& printed) {
  for (const auto& info : checkpoint.list()) {
    if (printed_name(info.name) == printed) return info.name;
  }
  return printed;
}

// Reads tensors instead of the library.
ckpt::CheckpointTaskSource source_of(const std::string& how) {
  const bool throws = index_of({"sevens", "throws"}, how) == 1;
  return [throws](std::string_view, std::string_view name, const void*, std::int64_t, ckpt::Span<std::byte> buffer) {
    if (throws) throw std::runtime_error("cannot read " + std::string(name));
    std::memset(buffer.data(), 7, buffer.size());
  };
}

}  // namespace

// ---- Checkpoints ----

void Commands::checkpoints() {
  on("state", [this](const Command& c) {
    states_.make(c.text(1));
    return Words();
  });
  on("add", [this](const Command& c) {
    states_[c.text(1)].add(c.text(2), c.text(3), tensors_[c.text(4)]);
    return Words();
  });
  on("sharded", [this](const Command& c) {
    states_[c.text(1)].add_sharded(c.text(2), c.text(3), ckpt::find_dtype(c.text(4)), to_shape(c.text(5)));
    return Words();
  });
  on("block", [this](const Command& c) {
    states_[c.text(1)].add_block(c.text(2), c.text(3), to_shape(c.text(4)), tensors_[c.text(5)]);
    return Words();
  });
  on("value", [this](const Command& c) {
    if (c.size() < 3) return Words{states_[c.text(1)].json(c.text(2))};
    states_[c.text(1)].set_json(c.text(2), c.text(3));
    return Words();
  });
  on("checkpoint", [this](const Command& c) {
    const std::string path = directory_ + "-" + c.text(2);
    ckpt::CheckpointManagerOptions options;
    options.keep_last = c.integer("keep_last", 0);
    options.keep_every = c.integer("keep_every", 0);
    options.keep_best = c.integer("keep_best", 0);
    options.best_metric = c.integer("larger", 0) != 0 ? ckpt::BestMetric::largest : ckpt::BestMetric::smallest;
    checkpoints_.make(c.text(1), c.integer("read_only", 0) != 0
                                     ? ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(path))
                                     : ckpt::CheckpointManager(ckpt::Storage::file_system(path), options));
    return Words();
  });
  on("save", [this](const Command& c) {
    ckpt::SaveOptions options;
    options.step = c.integer("step", 0);
    options.seed = static_cast<std::uint64_t>(c.integer("seed", 0));
    options.prefix = c.text("prefix");
    if (c.has("metric")) options.metric = c.number("metric", 0);
    const auto n = checkpoints_[c.text(1)].save(states_[c.text(2)], options);
    return line({printed_name(n.name), "step", number(n.step), "files", number(n.files)});
  });
  on("load", [this](const Command& c) {
    ckpt::LoadOptions options;
    if (c.has("name")) options.name = full_name(checkpoints_[c.text(1)], c.text("name"));
    options.partial = c.integer("partial", 0) != 0;
    ckpt::Rename rename;
    if (c.has("rename")) {
      rename = [given = c.text("rename"), at = c.text("rename").find(':')](const std::string&, const std::string& name) {
        return name == given.substr(0, at) ? given.substr(at + 1) : name;
      };
    }
    const auto n = checkpoints_[c.text(1)].load(states_[c.text(2)], options, rename);
    return line({printed_name(n.name), "step", number(n.step), "seed", number(static_cast<std::int64_t>(n.seed)), "skipped",
                 number(n.skipped), "missing", number(n.missing), "unexpected", number(n.unexpected)});
  });
  on("list", [this](const Command& c) {
    Words lines;
    for (const auto& n : checkpoints_[c.text(1)].list()) {
      lines.push_back(joined({printed_name(n.name), "step", number(n.step), std::string(status_name(n.status)), "metric",
                              n.metric ? exact(*n.metric) : "-"}));
    }
    return lines;
  });
  on("rank-values", [this](const Command& c) {
    auto& checkpoint = checkpoints_[c.text(1)];
    return Words{checkpoint.rank_values(full_name(checkpoint, c.text(2)), c.integer(3))};
  });
  on("check", [this](const Command& c) {
    auto& checkpoint = checkpoints_[c.text(1)];
    const auto n = checkpoint.verify(c.size() > 1 ? full_name(checkpoint, c.text(2)) : "");
    return line({printed_name(n.name), "files", number(n.files), "tensors", number(n.tensors)});
  });
  on("read", [this](const Command& c) {
    ckpt::Reader reader(checkpoints_[c.text(1)]);
    const std::int64_t index = reader.find(c.text(3), c.text(2));
    tensors_.make(c.text(4),
                  c.has("length") ? reader.read_slice(index, c.integer("begin", 0), c.integer("length", 0)) : reader.read(index));
    return Words();
  });
  on("damage", [this](const Command& c) {
    const std::string path = directory_ + "-" + c.text(1) + "/" + full_name(checkpoints_[c.text(2)], c.text(3)) + "/" + c.text(4);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(c.integer(5));
    const char flipped = static_cast<char>(file.get() ^ 1);
    file.seekp(c.integer(5));
    if (!file.put(flipped)) throw Misuse("cannot change " + path);
    return Words();
  });
}

// ---- Saves and loads in the background ----

void Commands::background() {
  on("async", [this](const Command& c) {
    ckpt::AsyncManagerOptions options;
    options.capacity = c.integer("capacity", options.capacity);
    options.history = c.integer("history", options.history);
    auto events = std::make_shared<EventLog>();
    ckpt::CheckpointTaskCallbacks callbacks;
    callbacks.ended = [events](const ckpt::CheckpointTaskResult& result) {
      events->add(joined({result.kind == ckpt::CheckpointTaskKind::save ? "save" : "load", "step", number(result.step),
                          task_words[static_cast<std::size_t>(result.state)]}));
    };
    managers_.make(c.text(1), c.text(2), events, ckpt::AsyncManager(checkpoints_[c.text(2)], options, std::move(callbacks)));
    return Words();
  });
  on("start", [this](const Command& c) {
    auto& background = managers_[c.text(2)];
    auto& manager = background.manager;
    ckpt::CheckpointTaskOptions task;
    if (c.has("gate")) task.gate_step = c.integer("gate", 0);
    task.priority = static_cast<ckpt::Priority>(c.integer("priority", 0));
    task.when_full = value_of<ckpt::WhenFull>(full_words, c.text("full", "refuse"));
    std::int64_t id = 0;
    if (c.text(3) == "load") {
      ckpt::LoadOptions options;
      if (c.has("name")) options.name = full_name(checkpoints_[background.checkpoint], c.text("name"));
      id = manager.load(states_[c.text(4)], options, task);
    } else {
      ckpt::CheckpointTaskFunctions functions;
      if (c.has("source")) functions.source = source_of(c.text("source"));
      task.mode = value_of<ckpt::StagingMode>(mode_words, c.text("mode", "copy"));
      ckpt::SaveOptions options;
      options.step = c.integer("step", 0);
      id = manager.save(states_[c.text(4)], options, task, std::move(functions));
    }
    tasks_.make(c.text(1), Task{c.text(2), id});
    return Words();
  });
  on("cancel", [this](const Command& c) {
    const Task& task = tasks_[c.text(1)];
    return Words{yes_no(managers_[task.manager].manager.cancel(task.id))};
  });
  on("wait", [this](const Command& c) {
    const Task& task = tasks_[c.text(1)];
    const auto n = managers_[task.manager].manager.wait(task.id);
    return line({task_words[static_cast<std::size_t>(n.state)], "step", number(n.step), std::string(status_name(n.status)),
                 printed_name(n.name)});
  });
  on("end-step", [this](const Command& c) {
    managers_[c.text(1)].manager.end_step(c.integer(2));
    return Words();
  });
  on("finish", [this](const Command& c) {
    managers_[c.text(1)].manager.close(value_of<ckpt::CloseMode>({"drain", "cancel"}, c.text(2)));
    return Words();
  });
}

}  // namespace conformance
