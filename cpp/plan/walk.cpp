// Design: see walk.h. The walk is a simulator: it keeps the state that an executor would: live items, slots, transfers, copies in
// progress, ambient state. It fails at the first action that this state does not allow. Buffers and items are separate because an
// item can end while a copy still reads its buffer, and several items can share a buffer in turn (in place). Kept inputs and
// outputs end as items while their bytes stay with the caller. The reported events are therefore about buffers, the rules about
// items.
//
// Checking a schedule as a whole would be simpler, but schedules may have billions of actions: every check here uses the live
// state only.

#include "plan/walk.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {
namespace {

std::string text_of(const ItemKey& key) { return item_text(key.item, key.index, key.option); }

ItemKey input_key(std::int64_t index, std::int32_t micro_batch) { return {Item::input, 0, micro_batch, index}; }
ItemKey grad_key(std::int64_t index, std::int32_t micro_batch) { return {Item::grad, 0, micro_batch, index}; }
ItemKey tape_key(std::int64_t layer, const Action& action) { return {Item::tape, action.option, action.micro_batch, layer}; }

// Returns the item that STORE_BEGIN, LOAD_BEGIN and DROP name.
ItemKey key_named_by(const Action& action) {
  return {action.item, action.item == Item::tape ? action.option : 0, action.micro_batch, action.first};
}

BufferRole role_of(Item item) {
  return item == Item::input ? BufferRole::input : item == Item::tape ? BufferRole::tape : BufferRole::grad;
}

}  // namespace

Walk::Walk(const ChainProfile& profile, WalkSink& sink, StageRole role) : profile_(profile), sink_(sink), role_(std::move(role)) {
  if (role_.is_stage()) return;
  add_item(input_key(0, 0), allocate({BufferRole::input, 0, 0, profile.bytes_of(0)}));
  if (profile.has(keeps_input)) kept_input_ = 0;
  if (profile.is_graph()) find_readers();
  micro_batches_[0].backward_ran = LayerSet(profile.layers());
}

void Walk::refuse(const Action& action, const std::string& reason) const {
  base::fail(base::Status::invalid_schedule, "action ", actions_, " (", kind_name(action.kind), "): ", reason);
}

void Walk::step(const Action& action) {
  if (ended_) refuse(action, "expected no action after END");
  if (action.micro_batch != 0 && !role_.is_stage())
    refuse(action, base::cat("micro_batch is ", action.micro_batch, "; expected 0: this step has one micro-batch"));
  switch (action.kind) {
    case Kind::forward:
    case Kind::forward_tape: forward(action); break;
    case Kind::record: record(action); break;
    case Kind::advance: advance(action); break;
    case Kind::backward: backward(action); break;
    case Kind::store_begin: store_begin(action); break;
    case Kind::load_begin: load_begin(action); break;
    case Kind::await: await(action); break;
    case Kind::drop: drop(action); break;
    case Kind::turn: turn(action); break;
    case Kind::end: end(action); break;
    case Kind::send: send(action); break;
    case Kind::receive: receive(action); break;
    default: refuse(action, base::cat("kind is ", static_cast<std::int32_t>(action.kind), "; expected a kind of action"));
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
  if (key.item == Item::tape) return profile_.layer(key.index).options[static_cast<std::size_t>(key.option)].tape_bytes;
  return profile_.bytes_of(key.index);
}

void Walk::require_absent(const Action& action, const ItemKey& key) const {
  if (items_.find(key) != nullptr) refuse(action, text_of(key) + " exists already");
}

void Walk::count_item(std::int32_t tier, Item item, std::int64_t by) {
  const auto at = static_cast<std::size_t>(tier);
  now_.items[at] += by;
  most_.items[at] = std::max(most_.items[at], now_.items[at]);
  if (item != Item::input) return;
  now_.inputs[at] += by;
  most_.inputs[at] = std::max(most_.inputs[at], now_.inputs[at]);
}

void Walk::add_item(const ItemKey& key, BufferId buffer) {
  items_.add(key, {buffer});
  count_item(0, key.item, 1);
}

void Walk::remove_item(const ItemKey& key) {
  items_.erase(key);
  count_item(0, key.item, -1);
}

BufferId Walk::make_item(const Action& action, const ItemKey& key) {
  require_absent(action, key);
  const BufferId buffer = allocate({role_of(key.item), 0, key.index, bytes_of(key)});
  add_item(key, buffer);
  return buffer;
}

BufferId Walk::need_item(const Action& action, const ItemKey& key) const {
  const LiveItem* const found = items_.find(key);
  if (found == nullptr) refuse(action, text_of(key) + " does not exist");
  if (found->loading) refuse(action, text_of(key) + " is being loaded: expected AWAIT first");
  return found->buffer;
}

BufferId Walk::consume_item(const Action& action, const ItemKey& key) {
  const BufferId buffer = need_item(action, key);
  if (!readings_.empty() && readings_.contains(buffer))
    refuse(action, text_of(key) + " would be overwritten during a copy: expected AWAIT first");
  remove_item(key);
  return buffer;
}

void Walk::end_item(const ItemKey& key) {
  const BufferId buffer = items_.find(key)->buffer;
  remove_item(key);
  if (is_kept(buffer)) return;
  if (!readings_.empty()) {
    if (const auto reading = readings_.find(buffer); reading != readings_.end()) {
      reading->second.item_ended = true;
      return;
    }
  }
  free_item(key, buffer, 0);
}

void Walk::free_item(const ItemKey& key, BufferId buffer, std::int32_t tier) {
  sink_.free(buffer, {role_of(key.item), tier, key.index, bytes_of(key)});
}

Walk::MicroBatch& Walk::micro_batch(const Action& action) {
  const auto found = micro_batches_.find(action.micro_batch);
  if (found == micro_batches_.end()) refuse(action, base::cat("micro-batch ", action.micro_batch, " was not received"));
  return found->second;
}

void Walk::check_layers(const Action& action) const {
  if (action.first < 0 || action.last <= action.first || action.last > profile_.layers()) {
    refuse(action,
           base::cat("layers [", action.first, ", ", action.last, "): expected a range within the chain's ", profile_.layers()));
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
  if (!known) refuse(action, base::cat("item is ", static_cast<std::int32_t>(action.item), "; expected INPUT, TAPE or GRAD"));
  const std::int64_t largest = action.item == Item::tape ? layers - 1 : layers;
  if (action.first < 0 || action.first > largest)
    refuse(action, base::cat("the item's index is ", action.first, "; expected 0 .. ", largest));
  if (action.item == Item::tape) {
    const auto options = static_cast<std::int64_t>(profile_.layer(action.first).options.size());
    if (action.option < 0 || action.option >= options) {
      refuse(action, base::cat("option is ", action.option, "; layer ", action.first, " has ", options));
    }
  }
}

void Walk::check_slot(const Action& action) const {
  if (action.slot < 0) refuse(action, base::cat("slot is ", action.slot, "; expected at least 0"));
}

// ---- Forward ----

void Walk::forward(const Action& action) {
  check_layers(action);
  if (action.kind == Kind::forward) check_slot(action);
  const bool record = action.kind == Kind::forward_tape;
  const std::int32_t micro = action.micro_batch;
  MicroBatch& batch = micro_batch(action);
  BufferId previous = profile_.is_graph() ? no_buffer : need_item(action, input_key(action.first, micro));
  for (std::int64_t layer = action.first; layer < action.last; ++layer) {
    const bool between = !record && layer > action.first;  // its input is not an item, and ends with it
    Operation operation{.layer = layer, .input = previous};
    if (profile_.is_graph()) {
      operation.reads = need_inputs(action, layer, between ? previous : no_buffer);
      operation.input = operation.reads.front().input;
    }
    const bool kept = record || layer + 1 == action.last;
    const ItemKey created = input_key(layer + 1, micro);
    if (between && profile_.layer(layer).has(in_place)) {
      if (kept) require_absent(action, created);
      run_in_place(action, batch, layer, previous);
      if (kept) add_item(created, previous);
      continue;
    }
    const BufferId output =
        kept ? make_item(action, created) : allocate({BufferRole::input, 0, layer + 1, profile_.bytes_of(layer + 1)});
    operation.output = output;
    if (record) operation.tape = make_item(action, tape_key(layer, action));
    const OptionProfile& option = profile_.layer(layer).options[static_cast<std::size_t>(action.option)];
    run_forward(action, batch, std::move(operation), option.forward_workspace_bytes);
    if (between) sink_.free(previous, {BufferRole::input, 0, layer, profile_.bytes_of(layer)});
    previous = output;
  }
}

void Walk::record(const Action& action) {
  check_layers(action);
  const std::int64_t layer = action.first;
  if (action.last != layer + 1) refuse(action, base::cat("layers [", layer, ", ", action.last, "): expected one layer"));
  MicroBatch& batch = micro_batch(action);
  const OptionProfile& option = profile_.layer(layer).options[static_cast<std::size_t>(action.option)];
  const bool makes_output = profile_.layer(layer).has(needs_output);
  const BufferInfo scratch{BufferRole::workspace, 0, layer, profile_.bytes_of(layer + 1)};
  const bool needs_scratch = !makes_output && !option.has_record;

  Operation operation{.kind = option.has_record ? Operation::Kind::record : Operation::Kind::forward, .layer = layer};
  if (profile_.is_graph()) {
    operation.reads = need_inputs(action, layer, no_buffer);
    operation.input = operation.reads.front().input;
  } else {
    operation.input = need_item(action, input_key(layer, action.micro_batch));
  }
  if (makes_output) operation.output = make_item(action, input_key(layer + 1, action.micro_batch));
  if (needs_scratch) operation.output = allocate(scratch);
  operation.tape = make_item(action, tape_key(layer, action));
  const BufferId output = operation.output;
  run_forward(action, batch, std::move(operation),
              option.has_record ? option.record_workspace_bytes : option.forward_workspace_bytes);
  if (needs_scratch) sink_.free(output, scratch);
}

void Walk::advance(const Action& action) {
  check_layers(action);
  check_slot(action);
  if (profile_.is_graph()) require_advance(action);
  const std::int32_t micro = action.micro_batch;
  MicroBatch& batch = micro_batch(action);
  BufferId buffer = consume_item(action, input_key(action.first, micro));
  require_absent(action, input_key(action.last, micro));
  std::int64_t layer = action.first;
  if (is_kept(buffer)) {  // the caller's buffer is never overwritten
    const BufferId input = std::exchange(buffer, allocate({BufferRole::input, 0, layer + 1, profile_.bytes_of(layer + 1)}));
    const OptionProfile& option = profile_.layer(layer).options[static_cast<std::size_t>(action.option)];
    run_forward(action, batch, {.layer = layer, .input = input, .output = buffer, .reads = reads_only(layer, input)},
                option.forward_workspace_bytes);
    ++layer;
  }
  for (; layer < action.last; ++layer) run_in_place(action, batch, layer, buffer);
  add_item(input_key(action.last, micro), buffer);
}

// The layer's output overwrites its input.
void Walk::run_in_place(const Action& action, MicroBatch& micro, std::int64_t layer, BufferId buffer) {
  const OptionProfile& option = profile_.layer(layer).options[static_cast<std::size_t>(action.option)];
  const BufferInfo before{BufferRole::input, 0, layer, profile_.bytes_of(layer)};
  const BufferInfo after{BufferRole::input, 0, layer + 1, profile_.bytes_of(layer + 1)};
  BufferInfo meanwhile = after;
  meanwhile.bytes = std::max(before.bytes, after.bytes);
  sink_.become(buffer, before, meanwhile);
  run_forward(action, micro, {.layer = layer, .input = buffer, .output = buffer, .reads = reads_only(layer, buffer)},
              option.forward_workspace_bytes);
  if (meanwhile.bytes != after.bytes) sink_.become(buffer, meanwhile, after);
}

// operation: contains the layer and the buffers of its items.
void Walk::run_forward(const Action& action, MicroBatch& micro, Operation operation, std::int64_t workspace_bytes) {
  const std::int64_t layer = operation.layer;
  const LayerProfile& profile = profile_.layer(layer);
  if (profile_.is_graph() && layer > micro.forwarded)
    refuse(action, base::cat("layer ", micro.forwarded, " has not run: expected layers in order when they run first"));
  const bool again = layer < micro.forwarded;
  if (again && !profile.has(deterministic)) {
    refuse(action, base::cat("layer ", layer, " (", profile.name, ") is not deterministic and would run again"));
  }
  if (!again) micro.forwarded = layer + 1;
  operation.recomputation = again;
  operation.micro_batch = action.micro_batch;
  operation.option = action.option;

  const BufferInfo ambient{BufferRole::ambient, 0, layer, profile.ambient_bytes};
  if (ambient.bytes > 0) {
    if (!again) micro.ambient[layer] = allocate(ambient);
    const auto saved = micro.ambient.find(layer);
    if (saved == micro.ambient.end()) {
      refuse(action, base::cat("layer ", layer, " (", profile.name, ") ran backward already, which ended its ambient state"));
    }
    operation.ambient = saved->second;
    if (again) operation.present_ambient = allocate(ambient);
  }
  const BufferInfo workspace{BufferRole::workspace, 0, layer, workspace_bytes};
  if (workspace_bytes > 0) operation.workspace = allocate(workspace);
  sink_.run(operation);
  if (operation.workspace != no_buffer) sink_.free(operation.workspace, workspace);
  if (operation.present_ambient != no_buffer) sink_.free(operation.present_ambient, ambient);
}

// ---- Turn ----

void Walk::turn(const Action& action) {
  MicroBatch& micro = micro_batch(action);
  if (micro.turned) refuse(action, "the step contains a second TURN");
  if (role_.is_stage() && !role_.last) refuse(action, "only the last stage may turn");
  Operation operation{.kind = Operation::Kind::turn, .micro_batch = action.micro_batch};
  for (const std::int64_t value : profile_.outputs()) {
    operation.output = need_item(action, input_key(value, action.micro_batch));
    operation.grad_output = make_item(action, grad_key(value, action.micro_batch));
    if (profile_.has(keeps_output) && !role_.is_stage()) kept_outputs_[operation.output] = value;
  }
  micro.turned = true;
  sink_.run(operation);
}

// ---- Neighbour stages ----

// Checks that this exchange is due, and records it. outermost: no neighbour exists on that side.
void Walk::exchange(const Action& action, std::int64_t chunk, bool outermost) {
  if (!role_.is_stage()) refuse(action, "only a pipeline's stage has neighbours");
  if (chunk < 0) refuse(action, item_text(action.item, action.first, 0) + " is not at a chunk boundary");
  if (outermost)
    refuse(action, item_text(action.item, action.first, 0) + " is at the end of the pipeline: no stage is adjacent there");
  if (!micro_batch(action).exchanged.insert({action.kind, action.item, action.first}).second)
    refuse(action, item_text(action.item, action.first, 0) + " was exchanged already");
}

void Walk::send(const Action& action) {
  const bool grad = action.item == Item::grad;
  const std::int64_t chunk = grad ? role_.chunk_beginning_at(action.first) : role_.chunk_ending_at(action.first);
  const bool outermost = grad ? role_.first && chunk == 0 : role_.last && chunk + 1 == std::ssize(role_.chunks);
  exchange(action, chunk, outermost);
  const ItemKey key = key_named_by(action);
  const BufferId source = need_item(action, key);
  sink_.run({.kind = Operation::Kind::send,
             .micro_batch = action.micro_batch,
             .item = action.item,
             .layer = action.first,
             .input = source,
             .bytes = bytes_of(key)});
}

void Walk::receive(const Action& action) {
  const bool grad = action.item == Item::grad;
  const std::int64_t chunk = grad ? role_.chunk_ending_at(action.first) : role_.chunk_beginning_at(action.first);
  if (role_.is_stage() && !grad && chunk == 0) {
    if (action.micro_batch < 0 || action.micro_batch >= role_.micro_batches)
      refuse(action, base::cat("micro_batch is ", action.micro_batch, "; expected less than ", role_.micro_batches));
    micro_batches_.try_emplace(action.micro_batch).first->second.backward_ran = LayerSet(profile_.layers());
  }
  exchange(action, chunk, grad && role_.last && chunk + 1 == std::ssize(role_.chunks));
  const ItemKey key = key_named_by(action);
  const BufferId place = make_item(action, key);
  sink_.run({.kind = Operation::Kind::receive,
             .micro_batch = action.micro_batch,
             .item = action.item,
             .layer = action.first,
             .output = place,
             .bytes = bytes_of(key)});
}

// ---- Backward ----

void Walk::backward(const Action& action) {
  check_layers(action);
  MicroBatch& batch = micro_batch(action);
  for (std::int64_t layer = action.last; layer-- > action.first;) backward_layer(action, batch, layer);
}

void Walk::backward_layer(const Action& action, MicroBatch& batch, std::int64_t layer) {
  const LayerProfile& profile = profile_.layer(layer);
  // The gradients of its parameters would be added twice.
  if (batch.backward_ran.contains(layer)) refuse(action, base::cat("layer ", layer, " (", profile.name, ") ran backward already"));
  batch.backward_ran.add(layer);
  const std::int32_t micro = action.micro_batch;
  const ItemKey grad_output = grad_key(layer + 1, micro);
  const ItemKey grad_input = grad_key(layer, micro);
  const ItemKey tape = tape_key(layer, action);
  Operation operation{.kind = Operation::Kind::backward, .micro_batch = micro, .option = action.option, .layer = layer};
  operation.grad_output = need_item(action, grad_output);
  operation.tape = need_item(action, tape);
  if (profile_.is_graph()) {
    operation.reads = need_gradients(action, batch, layer);
    operation.input = operation.reads.front().input;
  } else if (profile.has(needs_input)) {
    operation.input = need_item(action, input_key(layer, micro));
  }
  if (profile.has(needs_output)) operation.output = need_item(action, input_key(layer + 1, micro));
  const bool overwrites = profile.has(in_place) && !profile.has(no_input_gradient);
  const BufferInfo before{BufferRole::grad, 0, layer + 1, bytes_of(grad_output)};
  const BufferInfo after{BufferRole::grad, 0, layer, bytes_of(grad_input)};
  BufferInfo meanwhile = after;
  meanwhile.bytes = std::max(before.bytes, after.bytes);
  const OptionProfile& option = profile.options[static_cast<std::size_t>(action.option)];
  if (option.backward_peak_bytes > 0) {
    const std::int64_t output_bytes = profile.has(needs_output) ? profile.output_bytes : 0;
    sink_.backward_begins(option.tape_bytes + before.bytes + output_bytes, option.backward_peak_bytes);
  }
  if (overwrites) {
    require_absent(action, grad_input);
    operation.grad_input = consume_item(action, grad_output);
    sink_.become(operation.grad_input, before, meanwhile);
    add_item(grad_input, operation.grad_input);
    if (profile_.is_graph()) operation.reads.front().grad = operation.grad_input;
  } else if (profile_.is_graph()) {
    make_gradients(action, layer, operation.reads);
    operation.grad_input = operation.reads.front().target();
  } else if (!profile.has(no_input_gradient)) {
    operation.grad_input = make_item(action, grad_input);
  }
  const BufferInfo workspace{BufferRole::workspace, 0, layer, option.backward_workspace_bytes};
  if (workspace.bytes > 0) operation.workspace = allocate(workspace);
  sink_.run(operation);
  if (operation.workspace != no_buffer) sink_.free(operation.workspace, workspace);
  for (const ValueRead& read : operation.reads) {
    if (read.term != no_buffer) sink_.free(read.term, {BufferRole::grad, 0, read.value, profile_.bytes_of(read.value)});
  }
  end_item(tape);
  if (!overwrites) end_item(grad_output);
  if (overwrites && meanwhile.bytes != after.bytes) sink_.become(operation.grad_input, meanwhile, after);
  if (option.backward_peak_bytes > 0) sink_.backward_ends();
  if (batch.ambient.empty()) return;
  if (const auto ambient = batch.ambient.find(layer); ambient != batch.ambient.end()) {
    sink_.free(ambient->second, {BufferRole::ambient, 0, layer, profile.ambient_bytes});
    batch.ambient.erase(ambient);
  }
}

// ---- Transfers and slots ----

// Counts bytes in a tier with limited capacity.
void Walk::hold(const Action& action, std::int64_t bytes) {
  const std::int64_t capacity = profile_.tier(action.tier).capacity_bytes;
  if (capacity == 0) return;
  std::int64_t& held = tier_bytes_[static_cast<std::size_t>(action.tier)];
  if (bytes > capacity - held)
    refuse(action, base::cat("tier ", action.tier, " holds ", held, " of ", capacity, " bytes: no room for ", bytes));
  held += bytes;
}

void Walk::store_begin(const Action& action) {
  check_item(action);
  if (action.tier < 1 || action.tier >= tiers) refuse(action, base::cat("tier is ", action.tier, "; expected 1 .. ", tiers - 1));
  check_slot(action);
  const ItemKey key = key_named_by(action);
  const BufferId source = need_item(action, key);
  // A copy of a gradient that others still add to would be outdated.
  if (profile_.is_graph() && action.item == Item::grad) require_added(action, micro_batch(action), action.first, action.first - 1);
  const auto place = std::make_pair(action.tier, action.slot);
  if (slots_.contains(place)) refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is occupied"));
  if (transfers_.contains(action.transfer)) refuse(action, base::cat("transfer ", action.transfer, " is in progress already"));
  const std::int64_t bytes = bytes_of(key);
  hold(action, bytes);
  const BufferId copy = allocate({role_of(action.item), action.tier, action.first, bytes, action.slot});
  count_item(action.tier, action.item, 1);
  slots_[place] = {key, copy, false};
  transfers_[action.transfer] = {key, false, action.tier, action.slot, source};
  ++readings_[source].transfers;
  sink_.run({.kind = Operation::Kind::copy,
             .micro_batch = action.micro_batch,
             .item = action.item,
             .layer = action.first,
             .input = source,
             .output = copy,
             .bytes = bytes});
  sink_.transfer_begins({action.transfer, false, action.tier, bytes});
}

void Walk::load_begin(const Action& action) {
  check_item(action);
  const auto found = slots_.find({action.tier, action.slot});
  if (found == slots_.end()) refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is empty"));
  const ItemKey key = key_named_by(action);
  if (found->second.item != key)
    refuse(action, base::cat("slot ", action.slot, " holds ", text_of(found->second.item), ", not ", text_of(key)));
  if (!found->second.ready) refuse(action, base::cat("slot ", action.slot, " is being stored: expected AWAIT first"));
  if (transfers_.contains(action.transfer)) refuse(action, base::cat("transfer ", action.transfer, " is in progress already"));
  const BufferId copy = make_item(action, key);
  items_.find(key)->loading = true;
  transfers_[action.transfer] = {key, true, action.tier, action.slot, no_buffer};
  sink_.run({.kind = Operation::Kind::copy,
             .micro_batch = action.micro_batch,
             .layer = action.first,
             .input = found->second.buffer,
             .output = copy,
             .bytes = bytes_of(key)});
  sink_.transfer_begins({action.transfer, true, action.tier, bytes_of(key)});
}

void Walk::await(const Action& action) {
  const auto found = transfers_.find(action.transfer);
  if (found == transfers_.end()) refuse(action, base::cat("transfer ", action.transfer, " is not in progress"));
  const Transfer transfer = found->second;
  transfers_.erase(found);
  sink_.transfer_ends(action.transfer);
  if (transfer.load) {
    items_.find(transfer.item)->loading = false;
    return;
  }
  slots_.at({transfer.tier, transfer.slot}).ready = true;
  const auto reading = readings_.find(transfer.source);
  if (--reading->second.transfers > 0) return;
  if (reading->second.item_ended) free_item(transfer.item, transfer.source, 0);
  readings_.erase(reading);
}

void Walk::drop(const Action& action) {
  check_slot(action);
  if (action.tier != 0) {
    const auto found = slots_.find({action.tier, action.slot});
    if (found == slots_.end()) refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is empty"));
    for (const auto& [number, transfer] : transfers_) {
      if (transfer.tier == action.tier && transfer.slot == action.slot) {
        refuse(action, base::cat("slot ", action.slot, " of tier ", action.tier, " is in transfer ", number));
      }
    }
    const ItemKey& held = found->second.item;
    free_item(held, found->second.buffer, action.tier);
    if (profile_.tier(action.tier).capacity_bytes > 0) tier_bytes_[static_cast<std::size_t>(action.tier)] -= bytes_of(held);
    count_item(action.tier, held.item, -1);
    slots_.erase(found);
    return;
  }
  check_item(action);
  const ItemKey key = key_named_by(action);
  need_item(action, key);
  end_item(key);
}

void Walk::end(const Action& action) {
  if (role_.is_stage()) {
    const std::int64_t chunks = std::ssize(role_.chunks);
    const std::int64_t due = 4 * chunks - (role_.first ? 1 : 0) - (role_.last ? 2 : 0);
    if (std::ssize(micro_batches_) != role_.micro_batches)
      refuse(action, base::cat(micro_batches_.size(), " micro-batches were received; expected ", role_.micro_batches));
    for (const auto& [number, batch] : micro_batches_) {
      if (std::ssize(batch.exchanged) != due)
        refuse(action, base::cat("micro-batch ", number, " was exchanged ", batch.exchanged.size(), " times; expected ", due));
    }
  }
  for (const auto& [number, batch] : micro_batches_) {
    for (std::int64_t layer = profile_.is_graph() ? profile_.layers() - 1 : 0; layer >= 0; --layer) {
      if (batch.backward_ran.contains(layer)) continue;
      refuse(action, base::cat("micro-batch ", number, " has not run backward through layer ", layer));
    }
  }
  if (!transfers_.empty()) refuse(action, base::cat("transfer ", transfers_.begin()->first, " was not awaited"));
  if (!slots_.empty()) {
    refuse(action, base::cat("slot ", slots_.begin()->first.second, " of tier ", slots_.begin()->first.first, " still holds ",
                             text_of(slots_.begin()->second.item)));
  }
  items_.for_each([&](const ItemKey& key, const LiveItem& item) {
    if (key.item != Item::grad || key.index != 0) refuse(action, text_of(key) + " still exists at END");
    free_item(key, item.buffer, 0);
  });
  if (kept_input_ != no_buffer) sink_.free(kept_input_, {BufferRole::input, 0, 0, profile_.bytes_of(0)});
  for (const auto& [buffer, value] : kept_outputs_) sink_.free(buffer, {BufferRole::input, 0, value, profile_.bytes_of(value)});
  ended_ = true;
}

}  // namespace ckpt::plan
