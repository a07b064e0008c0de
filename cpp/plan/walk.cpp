#include "plan/walk.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {
namespace {

std::string text_of(const std::tuple<Item, std::int64_t, std::int32_t, std::int32_t>& key) {
  return item_text(std::get<0>(key), std::get<1>(key), std::get<2>(key));
}

BufferRole role_of(Item item) {
  return item == Item::input ? BufferRole::input : item == Item::tape ? BufferRole::tape : BufferRole::grad;
}

}  // namespace

Walk::Walk(const ChainProfile& profile, WalkSink& sink, StageRole role) : profile_(profile), sink_(sink), role_(std::move(role)) {
  if (role_.is_stage()) return;
  const ItemKey input{Item::input, 0, 0, 0};
  items_[input] = {allocate({BufferRole::input, 0, 0, profile.bytes_of(0)})};
  micro_batches_[0];
}

void Walk::refuse(const Action& action, const std::string& reason) const {
  base::fail(base::Status::invalid_schedule, "action ", actions_, " (", kind_name(action.kind), "): ", reason);
}

void Walk::step(const Action& action) {
  if (ended_) refuse(action, "nothing may follow END");
  switch (action.kind) {
    case Kind::forward:
    case Kind::forward_tape: forward(action); break;
    case Kind::backward: backward(action); break;
    case Kind::store_begin: store_begin(action); break;
    case Kind::load_begin: load_begin(action); break;
    case Kind::await: await(action); break;
    case Kind::drop: drop(action); break;
    case Kind::turn: turn(action); break;
    case Kind::end: end(action); break;
    case Kind::send: send(action); break;
    case Kind::receive: receive(action); break;
    default: refuse(action, base::cat("kind ", static_cast<std::int32_t>(action.kind), " is no kind of action"));
  }
  ++actions_;
}

// ---- Items ----

BufferId Walk::allocate(const BufferInfo& info) {
  const BufferId id = next_buffer_++;
  sink_.allocate(id, info);
  return id;
}

std::int64_t Walk::bytes_of(const ItemKey& key) const {
  const auto [item, index, option, micro] = key;
  if (item == Item::tape) return profile_.layer(index).options[static_cast<std::size_t>(option)].tape_bytes;
  return profile_.bytes_of(index);
}

BufferId Walk::make_item(const Action& action, const ItemKey& key) {
  if (items_.contains(key)) refuse(action, text_of(key) + " is there already");
  const BufferId buffer = allocate({role_of(std::get<0>(key)), 0, std::get<1>(key), bytes_of(key)});
  items_[key] = {buffer};
  return buffer;
}

BufferId Walk::need_item(const Action& action, const ItemKey& key) const {
  const auto found = items_.find(key);
  if (found == items_.end()) refuse(action, text_of(key) + " is not there");
  if (found->second.loading) refuse(action, text_of(key) + " is being loaded: AWAIT comes first");
  return found->second.buffer;
}

void Walk::end_item(const ItemKey& key) {
  const auto found = items_.find(key);
  const BufferId buffer = found->second.buffer;
  items_.erase(found);
  const auto reading = readings_.find(buffer);
  if (reading == readings_.end()) {
    free_item(key, buffer, 0);
  } else {
    reading->second.item_ended = true;
  }
}

void Walk::free_item(const ItemKey& key, BufferId buffer, std::int32_t tier) {
  sink_.free(buffer, {role_of(std::get<0>(key)), tier, std::get<1>(key), bytes_of(key)});
}

Walk::MicroBatch& Walk::micro_batch(const Action& action) {
  const auto found = micro_batches_.find(action.micro_batch);
  if (found == micro_batches_.end()) {
    refuse(action, role_.is_stage() ? base::cat("micro-batch ", action.micro_batch, " was not received")
                                    : base::cat("micro_batch is ", action.micro_batch, "; this step has one, number 0"));
  }
  return found->second;
}

void Walk::check_layers(const Action& action) const {
  if (action.first < 0 || action.last <= action.first || action.last > profile_.layers()) {
    refuse(action, base::cat("layers [", action.first, ", ", action.last, ") are not within the chain's ", profile_.layers()));
  }
  if (role_.is_stage()) {
    const bool within = std::any_of(role_.chunks.begin(), role_.chunks.end(), [&](const StageRole::Chunk& chunk) {
      return action.first >= chunk.begin && action.last <= chunk.end;
    });
    if (!within) refuse(action, base::cat("layers [", action.first, ", ", action.last, ") are not within one chunk of the stage"));
  }
  for (std::int64_t i = action.first; i < action.last; ++i) {
    const auto options = static_cast<std::int64_t>(profile_.layer(i).options.size());
    if (action.option < 0 || action.option >= options) {
      refuse(action, base::cat("option is ", action.option, "; layer ", i, " has ", options));
    }
  }
}

void Walk::check_item(const Action& action) const {
  const std::int64_t layers = profile_.layers();
  const bool known = action.item == Item::input || action.item == Item::tape || action.item == Item::grad;
  if (!known) refuse(action, base::cat("item is ", static_cast<std::int32_t>(action.item), "; no such item"));
  const std::int64_t largest = action.item == Item::tape ? layers - 1 : layers;
  if (action.first < 0 || action.first > largest)
    refuse(action, base::cat("the item's index is ", action.first, "; 0 .. ", largest));
  if (action.item == Item::tape) {
    const auto options = static_cast<std::int64_t>(profile_.layer(action.first).options.size());
    if (action.option < 0 || action.option >= options) {
      refuse(action, base::cat("option is ", action.option, "; layer ", action.first, " has ", options));
    }
  }
}

// ---- Forward ----

void Walk::forward(const Action& action) {
  check_layers(action);
  const bool record = action.kind == Kind::forward_tape;
  const std::int32_t micro = action.micro_batch;
  MicroBatch& batch = micro_batch(action);
  BufferId input = need_item(action, {Item::input, action.first, 0, micro});
  for (std::int64_t layer = action.first; layer < action.last; ++layer) {
    const bool kept = record || layer + 1 == action.last;
    const BufferId output = kept ? make_item(action, {Item::input, layer + 1, 0, micro})
                                 : allocate({BufferRole::input, 0, layer + 1, profile_.bytes_of(layer + 1)});
    const BufferId tape = record ? make_item(action, {Item::tape, layer, action.option, micro}) : no_buffer;
    forward_layer(action, batch, layer, input, output, tape);
    if (!record && layer > action.first) sink_.free(input, {BufferRole::input, 0, layer, profile_.bytes_of(layer)});
    input = output;
  }
}

void Walk::forward_layer(const Action& action, MicroBatch& micro, std::int64_t layer, BufferId input, BufferId output,
                         BufferId tape) {
  const LayerProfile& profile = profile_.layer(layer);
  const bool again = layer < micro.forwarded;
  if (again && !profile.has(deterministic)) {
    refuse(action, base::cat("layer ", layer, " (", profile.name, ") is not deterministic and would run again"));
  }
  if (!again) micro.forwarded = layer + 1;

  Operation operation{.kind = Operation::Kind::forward,
                      .recomputation = again,
                      .micro_batch = action.micro_batch,
                      .option = action.option,
                      .layer = layer,
                      .input = input,
                      .output = output,
                      .tape = tape};
  const BufferInfo ambient{BufferRole::ambient, 0, layer, profile.ambient_bytes};
  if (ambient.bytes > 0) {
    if (!again) micro.ambient[layer] = allocate(ambient);
    const auto saved = micro.ambient.find(layer);
    if (saved == micro.ambient.end()) {
      refuse(action,
             base::cat("layer ", layer, " (", profile.name, ") ran backward already, and its ambient state went with that"));
    }
    operation.ambient = saved->second;
    if (again) operation.present_ambient = allocate(ambient);
  }
  const std::int64_t bytes = profile.options[static_cast<std::size_t>(action.option)].forward_workspace_bytes;
  const BufferInfo workspace{BufferRole::workspace, 0, layer, bytes};
  if (bytes > 0) operation.workspace = allocate(workspace);
  sink_.run(operation);
  if (operation.workspace != no_buffer) sink_.free(operation.workspace, workspace);
  if (operation.present_ambient != no_buffer) sink_.free(operation.present_ambient, ambient);
}

// ---- Turn ----

void Walk::turn(const Action& action) {
  MicroBatch& micro = micro_batch(action);
  if (micro.turned) refuse(action, "the step has turned already");
  if (role_.is_stage() && !role_.last) refuse(action, "the last stage turns, not this one");
  const std::int64_t layers = profile_.layers();
  const BufferId output = need_item(action, {Item::input, layers, 0, action.micro_batch});
  const BufferId grad = make_item(action, {Item::grad, layers, 0, action.micro_batch});
  micro.turned = true;
  sink_.run({.kind = Operation::Kind::turn, .micro_batch = action.micro_batch, .output = output, .grad_output = grad});
}

// ---- Neighbour stages ----

// Checks that this hand-over is due, and notes it. outermost: there is no neighbour on that side.
void Walk::exchange(const Action& action, std::int64_t chunk, bool outermost) {
  if (!role_.is_stage()) refuse(action, "a chain of its own has no neighbour stage");
  if (chunk < 0) refuse(action, item_text(action.item, action.first, 0) + " is not at the edge of a chunk");
  if (outermost) refuse(action, item_text(action.item, action.first, 0) + " is at the end of the pipeline: no stage is beyond");
  if (!micro_batch(action).exchanged.insert({action.kind, action.item, action.first}).second)
    refuse(action, item_text(action.item, action.first, 0) + " was handed over already");
}

void Walk::send(const Action& action) {
  const bool grad = action.item == Item::grad;
  const std::int64_t chunk = grad ? role_.chunk_beginning_at(action.first) : role_.chunk_ending_at(action.first);
  const bool outermost = grad ? role_.first && chunk == 0 : role_.last && chunk + 1 == std::ssize(role_.chunks);
  exchange(action, chunk, outermost);
  const BufferId source = need_item(action, {action.item, action.first, 0, action.micro_batch});
  sink_.run({.kind = Operation::Kind::send,
             .micro_batch = action.micro_batch,
             .item = action.item,
             .layer = action.first,
             .input = source});
}

void Walk::receive(const Action& action) {
  const bool grad = action.item == Item::grad;
  const std::int64_t chunk = grad ? role_.chunk_ending_at(action.first) : role_.chunk_beginning_at(action.first);
  if (role_.is_stage() && !grad && chunk == 0) {
    if (action.micro_batch < 0 || action.micro_batch >= role_.micro_batches)
      refuse(action, base::cat("micro_batch is ", action.micro_batch, "; the stage has ", role_.micro_batches));
    micro_batches_[action.micro_batch];
  }
  exchange(action, chunk, grad && role_.last && chunk + 1 == std::ssize(role_.chunks));
  const BufferId place = make_item(action, {action.item, action.first, 0, action.micro_batch});
  sink_.run({.kind = Operation::Kind::receive,
             .micro_batch = action.micro_batch,
             .item = action.item,
             .layer = action.first,
             .output = place});
}

// ---- Backward ----

void Walk::backward(const Action& action) {
  check_layers(action);
  MicroBatch& batch = micro_batch(action);
  if (batch.backward_ran.empty()) batch.backward_ran.resize(static_cast<std::size_t>(profile_.layers()));
  for (std::int64_t layer = action.last; layer-- > action.first;) backward_layer(action, batch, layer);
}

void Walk::backward_layer(const Action& action, MicroBatch& batch, std::int64_t layer) {
  const LayerProfile& profile = profile_.layer(layer);
  // Its parameters' gradients would count twice.
  if (batch.backward_ran[static_cast<std::size_t>(layer)])
    refuse(action, base::cat("layer ", layer, " (", profile.name, ") ran backward already"));
  batch.backward_ran[static_cast<std::size_t>(layer)] = true;
  const std::int32_t micro = action.micro_batch;
  const ItemKey grad_output{Item::grad, layer + 1, 0, micro};
  const ItemKey tape{Item::tape, layer, action.option, micro};
  Operation operation{.kind = Operation::Kind::backward, .micro_batch = micro, .option = action.option, .layer = layer};
  operation.grad_output = need_item(action, grad_output);
  operation.tape = need_item(action, tape);
  if (profile.has(needs_input)) operation.input = need_item(action, {Item::input, layer, 0, micro});
  if (profile.has(needs_output)) operation.output = need_item(action, {Item::input, layer + 1, 0, micro});
  if (!profile.has(no_input_gradient)) operation.grad_input = make_item(action, {Item::grad, layer, 0, micro});
  const std::int64_t bytes = profile.options[static_cast<std::size_t>(action.option)].backward_workspace_bytes;
  const BufferInfo workspace{BufferRole::workspace, 0, layer, bytes};
  if (bytes > 0) operation.workspace = allocate(workspace);
  sink_.run(operation);
  if (operation.workspace != no_buffer) sink_.free(operation.workspace, workspace);
  end_item(tape);
  end_item(grad_output);
  if (const auto ambient = batch.ambient.find(layer); ambient != batch.ambient.end()) {
    sink_.free(ambient->second, {BufferRole::ambient, 0, layer, profile.ambient_bytes});
    batch.ambient.erase(ambient);
  }
}

// ---- Transfers and slots ----

void Walk::store_begin(const Action& action) {
  check_item(action);
  if (action.tier < 1 || action.tier >= tiers) refuse(action, base::cat("tier is ", action.tier, "; 1 .. ", tiers - 1));
  if (action.slot < 0) refuse(action, base::cat("slot is ", action.slot, "; at least 0"));
  const ItemKey key{action.item, action.first, action.item == Item::tape ? action.option : 0, action.micro_batch};
  const BufferId source = need_item(action, key);
  const auto place = std::make_pair(action.tier, action.slot);
  if (slots_.contains(place)) refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is taken"));
  if (transfers_.contains(action.transfer)) refuse(action, base::cat("transfer ", action.transfer, " is under way already"));
  const BufferId copy = allocate({role_of(action.item), action.tier, action.first, bytes_of(key)});
  slots_[place] = {key, copy, false};
  transfers_[action.transfer] = {key, false, action.tier, action.slot, source};
  ++readings_[source].transfers;
  sink_.run(
      {.kind = Operation::Kind::copy, .micro_batch = action.micro_batch, .layer = action.first, .input = source, .output = copy});
}

void Walk::load_begin(const Action& action) {
  check_item(action);
  const auto found = slots_.find({action.tier, action.slot});
  if (found == slots_.end()) refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is empty"));
  const ItemKey key{action.item, action.first, action.item == Item::tape ? action.option : 0, action.micro_batch};
  if (found->second.item != key)
    refuse(action, base::cat("slot ", action.slot, " holds ", text_of(found->second.item), ", not ", text_of(key)));
  if (!found->second.ready) refuse(action, base::cat("slot ", action.slot, " is being stored: AWAIT comes first"));
  if (transfers_.contains(action.transfer)) refuse(action, base::cat("transfer ", action.transfer, " is under way already"));
  const BufferId copy = make_item(action, key);
  items_.at(key).loading = true;
  transfers_[action.transfer] = {key, true, action.tier, action.slot, no_buffer};
  sink_.run({.kind = Operation::Kind::copy,
             .micro_batch = action.micro_batch,
             .layer = action.first,
             .input = found->second.buffer,
             .output = copy});
}

void Walk::await(const Action& action) {
  const auto found = transfers_.find(action.transfer);
  if (found == transfers_.end()) refuse(action, base::cat("transfer ", action.transfer, " is not under way"));
  const Transfer transfer = found->second;
  transfers_.erase(found);
  if (transfer.load) {
    items_.at(transfer.item).loading = false;
    return;
  }
  slots_.at({transfer.tier, transfer.slot}).ready = true;
  const auto reading = readings_.find(transfer.source);
  if (--reading->second.transfers > 0) return;
  if (reading->second.item_ended) free_item(transfer.item, transfer.source, 0);
  readings_.erase(reading);
}

void Walk::drop(const Action& action) {
  if (action.tier != 0) {
    const auto found = slots_.find({action.tier, action.slot});
    if (found == slots_.end()) refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is empty"));
    for (const auto& [number, transfer] : transfers_) {
      if (transfer.tier == action.tier && transfer.slot == action.slot) {
        refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is in transfer ", number));
      }
    }
    free_item(found->second.item, found->second.buffer, action.tier);
    slots_.erase(found);
    return;
  }
  check_item(action);
  const ItemKey key{action.item, action.first, action.item == Item::tape ? action.option : 0, action.micro_batch};
  need_item(action, key);
  end_item(key);
}

void Walk::end(const Action& action) {
  if (role_.is_stage()) {
    const std::int64_t chunks = std::ssize(role_.chunks);
    const std::int64_t due = 4 * chunks - (role_.first ? 1 : 0) - (role_.last ? 2 : 0);
    if (std::ssize(micro_batches_) != role_.micro_batches)
      refuse(action, base::cat(micro_batches_.size(), " micro-batches were received; the stage has ", role_.micro_batches));
    for (const auto& [number, batch] : micro_batches_) {
      if (std::ssize(batch.exchanged) != due)
        refuse(action, base::cat("micro-batch ", number, " was handed over ", batch.exchanged.size(), " times, not ", due));
    }
  }
  for (const auto& [number, batch] : micro_batches_) {
    if (batch.backward_ran.empty() || !batch.backward_ran[0])
      refuse(action, base::cat("micro-batch ", number, " has not run backward through layer 0"));
  }
  if (!transfers_.empty()) refuse(action, base::cat("transfer ", transfers_.begin()->first, " was not awaited"));
  if (!slots_.empty()) {
    refuse(action, base::cat("slot ", slots_.begin()->first.second, " of tier ", slots_.begin()->first.first, " still holds ",
                             text_of(slots_.begin()->second.item)));
  }
  for (const auto& [key, item] : items_) {
    if (std::get<0>(key) != Item::grad || std::get<1>(key) != 0) refuse(action, text_of(key) + " is still there");
  }
  for (const auto& [key, item] : items_) free_item(key, item.buffer, 0);
  items_.clear();
  ended_ = true;
}

}  // namespace ckpt::plan
