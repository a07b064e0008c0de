// The objects of one scenario, and common functions of its commands.
#ifndef CKPT_CONFORMANCE_COMMANDS_HPP
#define CKPT_CONFORMANCE_COMMANDS_HPP

#include "runner.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

namespace conformance {

std::string joined(const Words& words);
inline std::string number(std::int64_t value) { return std::to_string(value); }
inline std::string yes_no(bool yes) { return yes ? "yes" : "no"; }
// Returns the index of a word in a list, for enumerations of the library.
std::int32_t index_of(const Words& words, const std::string& word);

template <class Enum>
Enum value_of(const Words& words, const std::string& word) {
  return static_cast<Enum>(index_of(words, word));
}

inline const Words chosen_words = {"default", "recompute", "boundary"};
inline const Words task_words = {"queued", "running", "completed", "failed", "cancelled", "rejected"};

// Lines that callbacks add, on any thread.
struct EventLog {
  std::mutex guard;
  Words lines;
  void add(const std::string& line) {
    const std::lock_guard lock(guard);
    lines.push_back(line);
  }
  Words take() {
    const std::lock_guard lock(guard);
    return std::exchange(lines, {});
  }
};

struct Listener {
  std::shared_ptr<EventLog> events;
  ckpt::MemorySubscription subscription;
};

struct Background {
  std::string checkpoint;
  std::shared_ptr<EventLog> events;
  ckpt::AsyncManager manager;
};

// A pipeline with its chain and its batch.
struct Staged {
  ckpt::Chain chain;
  ckpt::Pipeline pipeline;
  ckpt::Tensor input;
  ckpt::Tensor targets;
  std::vector<double> losses;  // of the last step
};

struct Task {
  std::string manager;
  std::int64_t id;
};

// Objects of one type by name.
template <class T>
class Named {
 public:
  T& operator[](const std::string& name) {
    const auto found = all_.find(name);
    if (found == all_.end()) throw Misuse("unknown name " + name);
    return found->second;
  }
  T* find(const std::string& name) {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  template <class... Arguments>
  void make(const std::string& name, Arguments&&... arguments) {
    T created{std::forward<Arguments>(arguments)...};
    all_.erase(name);
    all_.emplace(name, std::move(created));
  }
  bool close(const std::string& name) { return all_.erase(name) != 0; }
  std::map<std::string, T> all_;
};

class Commands : public Scenario {
 public:
  explicit Commands(std::string directory) : directory_(std::move(directory)) {
    base();
    strategies();
    tracker();
    schedules();
    tensors();
    checkpoints();
    background();
    adaptive();
    activations();
    pipelines();
  }

  Words run(const Command& command) override {
    const auto found = table_.find(command.name());
    if (found == table_.end()) throw Misuse("unknown command " + command.name());
    return found->second(command);
  }

 private:
  using Run = std::function<Words(const Command&)>;
  static Words line(const Words& words) { return {joined(words)}; }
  void on(const std::string& name, Run run) { table_[name] = std::move(run); }

  void base();
  void strategies();
  void tracker();
  void schedules();
  void tensors();
  void checkpoints();
  void background();
  void adaptive();
  void activations();
  void pipelines();
  ckpt::ActivationPolicy policy_of(const Command& c, const std::string& kind);
  std::string shown(ckpt::ActivationManager& manager) const;
  void record(const Command& c);
  Words show(const std::string& name);
  ckpt::Strategy from_factory(const Command& c);
  std::string scope_line(const ckpt::MemoryScopeStats& stats) const;

  // If a command accepts several types of objects, it uses the first of these types that has the name.
  std::string directory_;
  std::map<std::string, Run> table_;
  Named<ckpt::Clock> clocks_;
  Named<std::unique_ptr<ckpt::StrategyKind>> kinds_;
  Named<ckpt::Strategy> strategies_;
  Named<ckpt::MemoryTracker> trackers_;
  Named<ckpt::AllocationId> allocations_;
  Named<std::unique_ptr<ckpt::MemoryScope>> scopes_;
  Named<Listener> listeners_;
  Named<ckpt::Profile> profiles_;
  Named<ckpt::Schedule> schedules_;
  Named<ckpt::Cursor> cursors_;
  Named<std::vector<std::byte>> places_;
  Named<ckpt::Tensor> tensors_;
  Named<ckpt::State> states_;
  Named<ckpt::CheckpointManager> checkpoints_;
  Named<ckpt::Threshold> thresholds_;
  Named<ckpt::Controller> controllers_;
  Named<ckpt::ActivationManager> activations_;
  Named<Staged> pipelines_;
  Named<Task> tasks_;
  Named<Background> managers_;  // destroyed first: its tasks may use everything above
};

}  // namespace conformance

#endif  // CKPT_CONFORMANCE_COMMANDS_HPP
