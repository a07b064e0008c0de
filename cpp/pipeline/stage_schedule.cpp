#include "pipeline/stage_schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "plan/program.h"

namespace ckpt::pipeline {

using plan::Action;
using plan::Item;
using plan::Kind;

namespace {

// A chunk's plan, split at its TURN.
struct Parts {
  std::vector<Action> forward;
  std::vector<Action> after_turn;  // drops directly after the TURN
  std::vector<Action> backward;
};

bool is_drop_of_input(const Action& action, std::int64_t index) {
  return action.kind == Kind::drop && action.tier == 0 && action.item == Item::input && action.first == index;
}

Parts parts_of(const ChunkPlan& chunk) {
  Parts parts;
  plan::Cursor cursor = plan::cursor_for(*chunk.schedule, *chunk.profile);
  bool turned = false;
  for (Action action = cursor.next(); action.kind != Kind::end; action = cursor.next()) {
    if (action.kind == Kind::turn) {
      turned = true;
    } else if (!turned) {
      parts.forward.push_back(action);
    } else if (parts.backward.empty() && action.kind == Kind::drop && action.tier == 0) {
      parts.after_turn.push_back(action);
    } else {
      parts.backward.push_back(action);
    }
  }
  if (!turned) base::fail(base::Status::invalid_schedule, "schedule ", base::quote(chunk.schedule->name()), " has no TURN");
  return parts;
}

// Returns the actions that drop all items that exist after the given ones, except INPUT(0).
std::vector<Action> drops_after(const plan::ChainProfile& piece, const std::vector<Action>& forward,
                                const std::vector<Action>& after_turn) {
  std::set<std::tuple<Item, std::int64_t, std::int32_t>> items;
  std::set<std::pair<std::int32_t, std::int32_t>> slots;
  std::set<std::int64_t> transfers;
  const auto track = [&](const Action& action) {
    switch (action.kind) {
      case Kind::forward: items.insert({Item::input, action.last, 0}); break;
      case Kind::forward_tape:
        for (std::int64_t i = action.first; i < action.last; ++i) {
          items.insert({Item::input, i + 1, 0});
          items.insert({Item::tape, i, action.option});
        }
        break;
      case Kind::record:
        items.insert({Item::tape, action.first, action.option});
        if (piece.layer(action.first).has(plan::needs_output)) items.insert({Item::input, action.last, 0});
        break;
      case Kind::advance:
        items.erase({Item::input, action.first, 0});
        items.insert({Item::input, action.last, 0});
        break;
      case Kind::store_begin:
        slots.insert({action.tier, action.slot});
        transfers.insert(action.transfer);
        break;
      case Kind::load_begin:
        items.insert({action.item, action.first, action.option});
        transfers.insert(action.transfer);
        break;
      case Kind::await: transfers.erase(action.transfer); break;
      case Kind::drop:
        if (action.tier > 0) {
          slots.erase({action.tier, action.slot});
        } else {
          items.erase({action.item, action.first, action.option});
        }
        break;
      default: break;
    }
  };
  for (const Action& action : forward) track(action);
  for (const Action& action : after_turn) track(action);
  std::vector<Action> drops;
  drops.reserve(transfers.size() + slots.size() + items.size());
  for (const std::int64_t transfer : transfers) drops.push_back({.kind = Kind::await, .transfer = transfer});
  for (const auto& [tier, slot] : slots) drops.push_back({.kind = Kind::drop, .tier = tier, .slot = slot});
  for (const auto& [item, index, option] : items) {
    if (item != Item::input || index != 0) drops.push_back({.kind = Kind::drop, .first = index, .option = option, .item = item});
  }
  return drops;
}

class StageBuilder {
 public:
  StageBuilder(const Layout& layout, std::int32_t stage, const std::vector<ChunkPlan>& chunks,
               const std::vector<Decision>& decisions)
      : layout_(layout), stage_(stage), chunks_(chunks), decisions_(decisions) {
    std::int64_t begin = 0;
    for (const ChunkPlan& chunk : chunks) {
      parts_.push_back(parts_of(chunk));
      drops_.push_back(drops_after(*chunk.profile, parts_.back().forward, parts_.back().after_turn));
      const std::int64_t end = begin + chunk.profile->layers();
      role_.chunks.push_back({begin, end});
      begin = end + 1;
    }
    role_.micro_batches = layout.micro_batches;
    role_.first = stage == 0;
    role_.last = stage + 1 == layout.stages;
  }

  std::shared_ptr<const plan::Schedule> build(const std::vector<Task>& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const Task& task = tasks[i];
      if (!task.forward) {
        backward(task);
        continue;
      }
      if (task.chunk == 0) make_room(task.micro_batch);
      const bool turns_next = i + 1 < tasks.size() && tasks[i + 1] == Task{false, task.chunk, task.micro_batch};
      forward(task, turns_next);
    }
    actions_.push_back(plan::end());
    std::string name = base::cat("stage ", stage_, " of ", layout_.stages, ", ", layout_.micro_batches, " micro-batches: ");
    for (std::size_t c = 0; c < chunks_.size(); ++c) name += (c == 0 ? "" : " + ") + chunks_[c].schedule->name();
    return plan::make_stage_list(std::move(name), role_.chunks.back().end, actions_, role_);
  }

 private:
  // The state of a micro-batch between its forward and its backward.
  enum class Held { input, taped, evicted };

  bool is_last_piece(const Task& task) const { return role_.last && task.chunk + 1 == layout_.chunks; }
  std::int64_t begin_of(const Task& task) const { return role_.chunks[static_cast<std::size_t>(task.chunk)].begin; }
  std::int64_t end_of(const Task& task) const { return role_.chunks[static_cast<std::size_t>(task.chunk)].end; }
  const plan::ChainProfile& profile(const Task& task) const { return *chunks_[static_cast<std::size_t>(task.chunk)].profile; }
  const Parts& parts(const Task& task) const { return parts_[static_cast<std::size_t>(task.chunk)]; }
  Held& held(const Task& task) { return held_[{task.chunk, task.micro_batch}]; }

  void forward(const Task& task, bool turns_next) {
    exchange(task, Kind::receive, Item::input, begin_of(task));
    const bool kept = decisions_[static_cast<std::size_t>(task.micro_batch)].kept && !evicted_.contains(task.micro_batch);
    held(task) = kept ? Held::taped : Held::input;
    if (is_last_piece(task)) {
      // No stage waits for the output: a micro-batch that will not stay, or is needed at once, runs when its backward is due.
      if (turns_next || !kept) held(task) = Held::input;
      if (held(task) == Held::taped) add(task, parts(task).forward, true);
      return;
    }
    if (kept) {
      add(task, parts(task).forward, true);
      exchange(task, Kind::send, Item::input, end_of(task));
      add(task, parts(task).after_turn, true);
    } else {
      push(task, plan::forward(begin_of(task), end_of(task)));
      exchange(task, Kind::send, Item::input, end_of(task));
      push(task, plan::drop_input(end_of(task)));
    }
  }

  void backward(const Task& task) {
    const Parts& plan = parts(task);
    const bool taped = held(task) == Held::taped;
    if (!taped) add(task, plan.forward, false);
    if (is_last_piece(task)) {
      push(task, plan::turn());
      add(task, plan.after_turn, taped);
    } else {
      if (!taped) add(task, plan.after_turn, false);
      exchange(task, Kind::receive, Item::grad, end_of(task));
    }
    if (taped && drops_input(plan)) push(task, plan::drop_input(begin_of(task)));
    add(task, plan.backward, false);
    held_.erase({task.chunk, task.micro_batch});
    const auto& first_layer = chunks_[static_cast<std::size_t>(task.chunk)].profile->layer(0);
    if (first_layer.has(plan::no_input_gradient)) return;
    if (!(role_.first && task.chunk == 0)) exchange(task, Kind::send, Item::grad, begin_of(task));
    push(task, {.kind = Kind::drop, .first = begin_of(task), .item = Item::grad});
  }

  // Returns true if the plan drops its input before its backward part: the stage then keeps it while a micro-batch is in flight.
  static bool drops_input(const Parts& plan) {
    const auto drops = [](const Action& action) { return is_drop_of_input(action, 0); };
    return std::any_of(plan.forward.begin(), plan.forward.end(), drops) ||
           std::any_of(plan.after_turn.begin(), plan.after_turn.end(), drops);
  }

  void make_room(std::int32_t micro_batch) {
    for (const std::int64_t gone : decisions_[static_cast<std::size_t>(micro_batch)].dropped) {
      evicted_.insert(static_cast<std::int32_t>(gone));
      for (std::int32_t chunk = 0; chunk < layout_.chunks; ++chunk) {
        const Task task{true, chunk, static_cast<std::int32_t>(gone)};
        const auto found = held_.find({chunk, task.micro_batch});
        if (found == held_.end() || found->second != Held::taped) continue;
        // The last piece has not turned yet: its output exists in addition to the items after the turn.
        if (is_last_piece(task)) {
          add(task, drops_after(profile(task), parts(task).forward, {}), false);
        } else {
          add(task, drops_[static_cast<std::size_t>(chunk)], false);
        }
        found->second = Held::input;
      }
    }
  }

  void exchange(const Task& task, Kind kind, Item item, std::int64_t index) {
    push(task, {.kind = kind, .first = index, .item = item});
  }

  // Adds a plan's actions: layers and items are shifted by the chunk's first layer; slots and transfers get new numbers.
  void add(const Task& task, const std::vector<Action>& actions, bool keep_input) {
    const std::int64_t lanes = std::int64_t{layout_.micro_batches} * layout_.chunks;
    const std::int64_t lane = std::int64_t{task.micro_batch} * layout_.chunks + task.chunk;
    for (Action action : actions) {
      if (keep_input && is_drop_of_input(action, 0)) continue;
      const bool layers = plan::runs_layers(action.kind);
      if (layers) action.last += begin_of(task);
      if (layers || action.item != Item::none) action.first += begin_of(task);
      const bool transfers = action.kind == Kind::store_begin || action.kind == Kind::load_begin || action.kind == Kind::await;
      if (transfers) action.transfer = action.transfer * lanes + lane;
      if (action.tier > 0) action.slot = static_cast<std::int32_t>(action.slot * lanes + lane);
      push(task, action);
    }
  }

  void push(const Task& task, Action action) {
    action.micro_batch = task.micro_batch;
    actions_.push_back(action);
  }

  const Layout& layout_;
  std::int32_t stage_;
  const std::vector<ChunkPlan>& chunks_;
  const std::vector<Decision>& decisions_;
  plan::StageRole role_;
  std::vector<Parts> parts_;
  std::vector<std::vector<Action>> drops_;  // by chunk: the drops that evict a taped micro-batch
  std::map<std::pair<std::int32_t, std::int32_t>, Held> held_;
  std::set<std::int32_t> evicted_;
  std::vector<Action> actions_;
};

}  // namespace

plan::ChainProfile piece_profile(const plan::ChainProfile& whole, std::int64_t begin, std::int64_t end) {
  plan::ChainProfile piece(whole.bytes_of(begin));
  for (std::int64_t i = begin; i < end; ++i) piece.add_layer(whole.layer(i));
  piece.require_complete();
  return piece;
}

plan::ChainProfile joined_profile(const std::vector<ChunkPlan>& chunks) {
  plan::ChainProfile joined(chunks[0].profile->bytes_of(0));
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (c > 0) {
      plan::LayerProfile gap;
      gap.name = base::cat("chunk ", c);
      gap.output_bytes = chunks[c].profile->bytes_of(0);
      gap.output = strategy::Activation(gap.output_bytes);
      gap.options.emplace_back();
      joined.add_layer(std::move(gap));
    }
    for (std::int64_t i = 0; i < chunks[c].profile->layers(); ++i) joined.add_layer(chunks[c].profile->layer(i));
  }
  joined.require_complete();
  return joined;
}

std::int64_t held_bytes(const std::vector<ChunkPlan>& chunks) {
  std::int64_t bytes = 0;
  for (const ChunkPlan& chunk : chunks) {
    const Parts parts = parts_of(chunk);
    for (const Action& drop : drops_after(*chunk.profile, parts.forward, parts.after_turn)) {
      if (drop.item == Item::input) bytes += chunk.profile->bytes_of(drop.first);
      if (drop.item == Item::tape)
        bytes += chunk.profile->layer(drop.first).options[static_cast<std::size_t>(drop.option)].tape_bytes;
    }
  }
  return bytes;
}

std::vector<Decision> decide(const Layout& layout, std::int32_t stage, std::int64_t bytes, Ledger ledger,
                             const std::function<bool(std::int64_t)>& strategy_keeps) {
  std::vector<Decision> decisions(static_cast<std::size_t>(layout.micro_batches));
  for (const Task& task : tasks_of(layout, stage)) {
    if (task.chunk != 0) continue;
    if (!task.forward) {
      ledger.finish(task.micro_batch);
      continue;
    }
    Ledger::Outcome outcome = ledger.store(task.micro_batch, bytes, strategy_keeps(task.micro_batch));
    decisions[static_cast<std::size_t>(task.micro_batch)] = {outcome.kept, std::move(outcome.dropped)};
  }
  return decisions;
}

std::shared_ptr<const plan::Schedule> make_stage_schedule(const Layout& layout, std::int32_t stage,
                                                          const std::vector<ChunkPlan>& chunks,
                                                          const std::vector<Decision>& decisions) {
  return StageBuilder(layout, stage, chunks, decisions).build(tasks_of(layout, stage));
}

}  // namespace ckpt::pipeline
