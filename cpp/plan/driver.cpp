// Design: the schedule works with items (INPUT, TAPE, GRAD), the user's framework with opaque handles. The driver maps live items
// to handles, and checks every action against that table before it calls the user. So an invalid schedule fails before it has an
// effect. Ownership of a handle changes only at a callback: entries for results are prepared (and memory reserved) before the call,
// so nothing can fail between a callback's return and the moment its handles are recorded. After any failure, unwind() first waits
// for copies in progress and then drops every remaining handle, newest first, exactly once.

#include "plan/driver.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {

using base::cat;
using base::fail;
using base::require;
using base::Status;

namespace {

constexpr std::size_t read_ahead = 64;
constexpr Kind already_done = Kind{0};  // an action that an earlier one has already performed

ItemKey slot_key(std::int32_t tier, std::int32_t slot) { return {Item::input, tier, 0, slot}; }
ItemKey transfer_key(std::int64_t id) { return {Item::input, 0, 0, id}; }

ItemKey key_named_by(const Action& action) { return {action.item, action.item == Item::tape ? action.option : 0, 0, action.first}; }

std::string text_of(const ItemKey& key) { return item_text(key.item, key.index, key.option); }

constexpr std::uint32_t bit_of(Kind kind) { return 1U << static_cast<std::uint32_t>(kind); }

// Returns "FORWARD of layers [2, 5)", "DROP of TAPE(3, option 1)".
std::string text_of(const DriveCall& call) {
  if (call.kind == Kind::turn) return kind_name(call.kind);
  if (call.item != Item::none) return cat(kind_name(call.kind), " of ", item_text(call.item, call.first, call.option));
  if (call.last == call.first + 1) return cat(kind_name(call.kind), " of layer ", call.first);
  return cat(kind_name(call.kind), " of layers [", call.first, ", ", call.last, ")");
}

}  // namespace

Driver::Driver(std::shared_ptr<const Schedule> schedule, std::unique_ptr<DriveCallbacks> callbacks)
    : schedule_(std::move(schedule)), callbacks_(std::move(callbacks)) {
  require(!schedule_->role().is_stage(), "schedule is of a pipeline's stage: only the pipeline can run it");
  graph_ = schedule_->graph();
  if (graph_ != nullptr) begin_graph();
  for (const Kind kind :
       {Kind::forward, Kind::record, Kind::backward, Kind::turn, Kind::store_begin, Kind::load_begin, Kind::await})
    if (callbacks_->can(kind, graph_ != nullptr)) can_ |= bit_of(kind);
}

Driver::~Driver() {
  if (state_ == State::paused) unwind();
}

// ---- Steps ----

void Driver::refuse_during_step() const {
  fail(Status::invalid_state, "the driver is running a step: this call is not allowed within it");
}

void Driver::require_state(State state, const char* otherwise) const {
  const std::lock_guard lock(mutex_);
  if (state_ == state) return;
  if (state_ == State::running || state_ == State::ending) refuse_during_step();
  fail(Status::invalid_state, otherwise);
}

void Driver::change(State state) {
  const std::lock_guard lock(mutex_);
  if (state == State::running && state_ == State::idle) cancelled_ = false;
  if (state == State::paused && cancelled_) fail(Status::cancelled, "the step was cancelled");
  state_ = state;
}

// Runs body; any exception ends the step.
template <class Body>
auto Driver::within_step(Body&& body) {
  try {
    return body();
  } catch (...) {
    unwind();
    change(State::idle);
    throw;
  }
}

void* Driver::forward(void* x0) {
  require_state(State::idle, "a step is paused at its TURN: expected backward or cancel");
  require(x0 != nullptr, "x0 is NULL");
  change(State::running);
  return within_step([&] {
    begin(x0);
    run_to_turn();
    change(State::paused);
    return live_[find(input_key(layers_))].handle;
  });
}

void* Driver::backward(void* gn, bool wants_gradient) {
  require_state(State::paused, "no step is paused at its TURN: expected forward first");
  require(gn == nullptr || !handles_.contains(gn), "gn is the handle of another live item of the step");
  change(State::running);
  return within_step([&] {
    store_grad(gn);
    return run_to_end(wants_gradient);
  });
}

void* Driver::run(void* x0, bool wants_gradient) {
  require_state(State::idle, "a step is paused at its TURN: expected backward or cancel");
  require(x0 != nullptr, "x0 is NULL");
  change(State::running);
  return within_step([&] {
    begin(x0);
    run_to_turn();
    DriveCall call;
    call.kind = Kind::turn;
    call.action = action_;
    call.layers = layers_;
    require_can(call);
    void* grad = nullptr;
    check(call, callbacks_->turn(call, live_[find(input_key(layers_))].handle, &grad));
    if (grad != nullptr && handles_.contains(grad)) fail_contract(call, "returned a live handle as GRAD of the output");
    store_grad(grad);
    return run_to_end(wants_gradient);
  });
}

// Takes ownership of INPUT(0), even if it throws.
void Driver::begin(void* x0) {
  std::int32_t at = Row<Live>::none;
  try {
    failure_.reset();
    action_ = 0;
    forwarded_ = 0;
    turned_ = false;
    ran_backward_ = 0;
    for (std::size_t value = 0; value < readers_.size(); ++value) pending_[value] = std::ssize(readers_[value]);
    begin_ = end_ = 0;
    cursor_.emplace(schedule_);
    layers_ = std::max<std::int64_t>(schedule_->layers(), 0);
    if (const std::int64_t layers = std::exchange(next_layers_, 0); layers != 0) {
      cursor_->finalize(layers);
      layers_ = layers;
    }
    at = prepare({}, input_key(0));
  } catch (...) {
    DriveCall call;
    call.kind = Kind::drop;
    call.item = Item::input;
    callbacks_->drop(call, x0);
    throw;
  }
  live_[at].handle = x0;
  handles_.add(x0);
}

void Driver::run_to_turn() {
  while (true) {
    const Action action = take_action();
    if (action.kind == Kind::end) refuse(action, "the step ends without a TURN");
    if (action.kind != Kind::turn) {
      step(action);
      ++action_;
      continue;
    }
    need(action, input_key(layers_));
    turned_ = true;
    prepare(action, grad_key(layers_));  // reserves space for the gradient that the caller passes in
    return;
  }
}

void Driver::store_grad(void* grad) {
  if (grad != nullptr) {
    live_[find(grad_key(layers_))].handle = grad;
    handles_.add(grad);
  }
  ++action_;  // past TURN
}

void* Driver::run_to_end(bool wants_gradient) {
  while (true) {
    const Action action = take_action();
    if (action.kind == Kind::turn) refuse(action, "the step contains a second TURN");
    if (action.kind == Kind::end) {
      void* const grad = end(action, wants_gradient);
      change(State::idle);
      return grad;
    }
    step(action);
    ++action_;
  }
}

void Driver::finalize(std::int64_t layers) {
  State state = State::idle;
  {
    const std::lock_guard lock(mutex_);
    state = state_;
  }
  const bool within = state == State::running && layers_ == 0;
  const bool before = state == State::idle && schedule_->layers() < 0 && next_layers_ == 0;
  if (!within && !before) fail(Status::invalid_state, "layer_count is ", layers, "; the number of steps is already set");
  if (before) {
    require(layers >= 1, "layer_count is ", layers, "; expected at least 1");
    next_layers_ = layers;
    return;
  }
  cursor_->finalize(layers);
  layers_ = layers;
}

const std::optional<Driver::Failure>& Driver::failure() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::running || state_ == State::ending) refuse_during_step();
  return failure_;
}

void Driver::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::running) cancelled_ = true;
    if (state_ != State::paused) return;
    state_ = State::ending;
  }
  unwind();
  change(State::idle);
}

// Waits for every copy that was begun, then drops everything, newest first.
void Driver::unwind() noexcept {
  for (std::int32_t at = transfers_.newest(); at != Row<Transfer>::none; at = transfers_.newest()) {
    const Transfer& transfer = transfers_[at];
    if (!transfer.over) static_cast<void>(callbacks_->await(transfer.await));
    transfer_ids_.erase_if(transfer_key(transfer.await.transfer), at);
    transfers_.remove(at);
  }
  for (std::int32_t at = live_.newest(); at != Row<Live>::none; at = live_.newest()) drop_live(at);
}

// ---- Actions ----

Action Driver::take_action() {
  if (cancelled_.load(std::memory_order_relaxed)) fail(Status::cancelled, "the step was cancelled");
  while (true) {
    if (begin_ == end_) {
      begin_ = end_ = 0;
      // While the number of steps is unknown, every requested action counts as executed, so none is read ahead.
      if (!read_more(layers_ == 0 ? 1 : read_ahead)) return plan::end();
    }
    const Action action = ahead_[begin_++];
    if (action.kind != already_done) return action;
    ++action_;
  }
}

bool Driver::read_more(std::size_t max) {
  if (ahead_.size() < end_ + max) ahead_.resize(end_ + max);
  const std::int64_t read = cursor_->next_many(std::span(ahead_).subspan(end_, max));
  end_ += static_cast<std::size_t>(read);
  return read > 0;
}

// Returns an action after the current one; nullptr if it is not known yet or does not exist.
Action* Driver::peek(std::size_t ahead) {
  if (layers_ == 0) return nullptr;
  while (begin_ + ahead >= end_) {
    std::move(ahead_.begin() + static_cast<std::ptrdiff_t>(begin_), ahead_.begin() + static_cast<std::ptrdiff_t>(end_),
              ahead_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (!read_more(read_ahead)) return nullptr;
  }
  return &ahead_[begin_ + ahead];
}

// Returns true if the actions directly after this one drop INPUT(index), which is live_[at], and no copy reads it; marks that
// DROP as done.
bool Driver::is_last_use(const Action& action, std::int64_t index, std::int32_t at) {
  for (std::size_t ahead = 0;; ++ahead) {
    Action* const next = peek(ahead);
    if (next == nullptr || (next->kind != Kind::drop && next->kind != already_done) || next->tier != 0) return false;
    if (next->kind != Kind::drop || next->item != Item::input || next->first != index || next->micro_batch != 0) continue;
    if (at == Row<Live>::none) refuse(action, text_of(input_key(index)) + " does not exist, and the next actions drop it");
    if (!live_[at].ready || live_[at].readers > 0) return false;
    next->kind = already_done;
    return true;
  }
}

void Driver::step(const Action& action) {
  if (action.micro_batch != 0)
    refuse(action, cat("micro_batch is ", action.micro_batch, "; expected 0: this step has one micro-batch"));
  switch (action.kind) {
    case Kind::forward:
    case Kind::advance: forward(action); break;
    case Kind::forward_tape:
    case Kind::record: record(action); break;
    case Kind::backward: backward(action); break;
    case Kind::store_begin: store_begin(action); break;
    case Kind::load_begin: load_begin(action); break;
    case Kind::await: await(action); break;
    case Kind::drop: drop(action); break;
    case Kind::send:
    case Kind::receive: refuse(action, "only a pipeline's stage has neighbours"); break;
    default: refuse(action, cat("kind is ", static_cast<std::int32_t>(action.kind), "; expected a kind of action"));
  }
}

void Driver::check_layers(const Action& action) const {
  if (action.first < 0 || action.last <= action.first || (layers_ != 0 && action.last > layers_))
    refuse(action, cat("layers [", action.first, ", ", action.last, "): expected a range within the chain's ", layers_));
}

void Driver::forward(const Action& action) {
  check_layers(action);
  if (graph_ != nullptr) return forward_graph(action);
  const std::int32_t from = need(action, input_key(action.first));
  const bool overwrites = action.kind == Kind::advance;
  if (overwrites && live_[from].readers > 0)
    refuse(action, text_of(input_key(action.first)) + " would be overwritten during a copy: expected AWAIT first");
  const std::int32_t created = prepare(action, input_key(action.last));

  // Layers that ran before and layers that did not get separate calls.
  const std::int64_t middle = forwarded_ > action.first && forwarded_ < action.last ? forwarded_ : action.last;
  DriveCall call = call_of(action, Kind::forward, action.first, middle);
  require_can(call);
  const bool take = overwrites || is_last_use(action, action.first, from);
  if (take) call.flags |= drive_take_input;
  void* const input = take ? take_handle(from) : live_[from].handle;
  void* output = nullptr;
  check(call, callbacks_->forward(call, input, &output));
  if (middle < action.last) {
    if (output == nullptr || handles_.contains(output))
      fail_contract(call, cat("returned no new handle for ", text_of(input_key(middle))));
    call = call_of(action, Kind::forward, middle, action.last);
    call.flags |= drive_take_input;
    void* const rest = std::exchange(output, nullptr);
    check(call, callbacks_->forward(call, rest, &output));
  }
  if (!store_handle(created, output)) fail_returned_handle(call, created, output);
  forwarded_ = std::max(forwarded_, action.last);
}

void Driver::record(const Action& action) {
  check_layers(action);
  if (action.kind == Kind::record && action.last != action.first + 1)
    refuse(action, cat("layers [", action.first, ", ", action.last, "): expected one layer"));
  for (std::int64_t layer = action.first; layer < action.last; ++layer) record_layer(action, layer);
}

void Driver::record_layer(const Action& action, std::int64_t layer) {
  const bool asked = action.kind == Kind::forward_tape;
  const std::int32_t from = graph_ == nullptr ? need(action, input_key(layer)) : Row<Live>::none;
  if (graph_ != nullptr) find_inputs(action, layer, false);
  // Without a request for the output, an existing item keeps its entry.
  const std::int32_t there = asked ? Row<Live>::none : find(input_key(layer + 1));
  const bool has_place = there == Row<Live>::none || live_[there].unrequested;
  const std::int32_t created = has_place ? prepare(action, input_key(layer + 1)) : Row<Live>::none;
  const std::int32_t tape = prepare(action, tape_key(layer, action.option));

  DriveCall call = call_of(action, Kind::record, layer, layer + 1);
  require_can(call);
  if (!asked) call.flags |= drive_no_output;
  void* output = nullptr;
  void* recorded = nullptr;
  const bool may_take = layer + 1 == action.last;
  if (graph_ != nullptr) {
    mark_last_uses(action, may_take);
    check(call, callbacks_->record_n(call, take_inputs(), &output, &recorded));
  } else {
    const bool take = may_take && is_last_use(action, layer, from);
    if (take) call.flags |= drive_take_input;
    check(call, callbacks_->record(call, take ? take_handle(from) : live_[from].handle, &output, &recorded));
  }

  // Valid handles are recorded before an invalid one is reported, so that unwind() drops them.
  const bool tape_is_right = store_handle(tape, recorded);
  if (asked || (has_place && output != nullptr)) {
    live_[created].unrequested = !asked;
    if (!store_handle(created, output)) fail_returned_handle(call, created, output);
  } else if (has_place) {
    remove_entry(created);
  } else if (output != nullptr && !handles_.contains(output)) {
    callbacks_->drop(call_of_drop(input_key(layer + 1)), output);
  }
  if (!tape_is_right) fail_returned_handle(call, tape, recorded);
  forwarded_ = std::max(forwarded_, layer + 1);
}

void Driver::backward(const Action& action) {
  check_layers(action);
  for (std::int64_t layer = action.last - 1; layer >= action.first; --layer) {
    if (graph_ != nullptr) {
      backward_graph(action, layer);
    } else {
      backward_layer(action, layer);
    }
  }
}

Driver::BackwardCall Driver::begin_backward(const Action& action, std::int64_t layer) {
  const std::int32_t grad = need(action, grad_key(layer + 1));
  const std::int32_t tape = need(action, tape_key(layer, action.option));
  DriveCall call = call_of(action, Kind::backward, layer, layer + 1);
  call.flags = 0;
  require_can(call);
  wait_for_readers(grad);
  wait_for_readers(tape);
  return {call, grad, tape};
}

void Driver::backward_layer(const Action& action, std::int64_t layer) {
  auto [call, grad, tape] = begin_backward(action, layer);
  const std::int32_t created = prepare(action, grad_key(layer));

  // No handle is given away until every check has passed.
  const std::int32_t from = find(input_key(layer));
  const std::int32_t to = find(input_key(layer + 1));
  const bool takes_input = layer == action.first && is_last_use(action, layer, from);
  const bool takes_output = layer == action.first && is_last_use(action, layer + 1, to);
  if (takes_input) call.flags |= drive_take_input;
  if (takes_output) call.flags |= drive_take_output;

  void* const input = last_read(from, takes_input);
  void* const output = last_read(to, takes_output);
  void* const recorded = take_handle(tape);
  void* const grad_output = take_handle(grad);
  void* grad_input = nullptr;
  check(call, callbacks_->backward(call, input, output, recorded, grad_output, &grad_input));
  if (!store_handle(created, grad_input)) fail_returned_handle(call, created, grad_input);
}

// Returns the handle of an input for a backward, nullptr if it does not exist.
void* Driver::last_read(std::int32_t at, bool takes) {
  if (at == Row<Live>::none || !live_[at].ready) return nullptr;
  return takes ? take_handle(at) : live_[at].handle;
}

void Driver::drop(const Action& action) {
  if (action.tier != 0) {
    const std::int32_t at = need_slot(action);
    if (!live_[at].ready || live_[at].readers > 0)
      refuse(action, cat("slot ", action.slot, " of tier ", action.tier, " has a transfer in progress"));
    drop_live(at);
    return;
  }
  check_item(action);
  end_item(need(action, key_named_by(action)));
}

void* Driver::end(const Action& action, bool wants_gradient) {
  if (transfers_.newest() != Row<Transfer>::none)
    refuse(action, cat("transfer ", transfers_[transfers_.newest()].await.transfer, " was not awaited"));
  const std::int32_t grad = find(grad_key(0));
  if (graph_ != nullptr && ran_backward_ != layers_)
    refuse(action, cat(ran_backward_, " layers ran backward; expected all ", layers_));
  if (graph_ == nullptr && grad == Row<Live>::none) refuse(action, "layer 0 has not run backward");
  std::int32_t older = Row<Live>::none;
  for (std::int32_t at = live_.newest(); at != Row<Live>::none; at = older) {
    older = live_.older(at);
    if (at == grad) continue;
    const Live& live = live_[at];
    if (live.tier != 0) refuse(action, cat("slot ", live.slot, " of tier ", live.tier, " still holds ", text_of(live.key)));
    if (!live.unrequested) refuse(action, text_of(live.key) + " still exists at END");
    drop_live(at);
  }
  if (grad == Row<Live>::none) return nullptr;  // no layer reads the input
  if (wants_gradient) return take_handle(grad);
  drop_live(grad);
  return nullptr;
}

// ---- Transfers ----

void Driver::store_begin(const Action& action) {
  check_item(action);
  const ItemKey key = key_named_by(action);
  const std::int32_t source = need(action, key);
  check_tier(action);
  if (slots_.find(slot_key(action.tier, action.slot)) != nullptr)
    refuse(action, cat("slot ", action.slot, " of tier ", action.tier, " is occupied"));
  DriveCall call = call_of_item(action, key);
  require_can(call);

  // The slot's key is set only after the store has begun: an empty key means that nothing must be dropped.
  const std::int32_t slot = live_.add({.key = {}, .tier = action.tier, .slot = action.slot, .ready = false});
  slots_.add(slot_key(action.tier, action.slot), slot);
  const std::int32_t transfer = add_transfer(action, call, source, slot);
  const std::int32_t result = callbacks_->store(call, live_[source].handle);
  if (result != 0) remove_transfer(transfer);  // nothing began, so nothing must be awaited
  check(call, result);
  live_[slot].key = key;
  ++live_[source].readers;
}

void Driver::load_begin(const Action& action) {
  check_item(action);
  const ItemKey key = key_named_by(action);
  check_tier(action);
  const std::int32_t slot = need_slot(action);
  if (!(live_[slot].key == key))
    refuse(action, cat("slot ", action.slot, " of tier ", action.tier, " holds ", text_of(live_[slot].key)));
  if (!live_[slot].ready)
    refuse(action, cat("slot ", action.slot, " of tier ", action.tier, " is being stored: expected AWAIT first"));
  DriveCall call = call_of_item(action, key);
  require_can(call);

  const std::int32_t created = prepare(action, key);
  const std::int32_t transfer = add_transfer(action, call, slot, created);
  void* item = nullptr;
  const std::int32_t result = callbacks_->load(call, &item);
  if (result != 0) remove_transfer(transfer);
  check(call, result);
  ++live_[slot].readers;
  live_[created].ready = false;
  if (!store_handle(created, item)) fail_returned_handle(call, created, item);
}

void Driver::await(const Action& action) {
  const std::int32_t* const known = transfer_ids_.find(transfer_key(action.transfer));
  if (known == nullptr) refuse(action, cat("transfer ", action.transfer, " is not in progress"));
  const std::int32_t at = *known;
  finish(at);
  remove_transfer(at);
}

std::int32_t Driver::add_transfer(const Action& action, const DriveCall& begins, std::int32_t source, std::int32_t destination) {
  if (transfer_ids_.find(transfer_key(action.transfer)) != nullptr)
    refuse(action, cat("transfer ", action.transfer, " is in progress already"));
  Transfer transfer{.await = begins, .source = source, .destination = destination, .load = action.kind == Kind::load_begin};
  transfer.await.kind = Kind::await;
  if ((can_ & bit_of(Kind::await)) == 0) fail_contract(transfer.await, "the callback for it is missing");
  const std::int32_t at = transfers_.add(transfer);
  try {
    transfer_ids_.add(transfer_key(action.transfer), at);
  } catch (...) {
    transfers_.remove(at);
    throw;
  }
  return at;
}

void Driver::remove_transfer(std::int32_t at) {
  transfer_ids_.erase(transfer_key(transfers_[at].await.transfer));
  transfers_.remove(at);
}

// Awaits a transfer, only once.
void Driver::finish(std::int32_t at) {
  Transfer& transfer = transfers_[at];
  if (transfer.over) return;
  transfer.over = true;
  transfer.await.action = action_;
  check(transfer.await, callbacks_->await(transfer.await));
  live_[transfer.destination].ready = true;
  Live& source = live_[transfer.source];
  if (--source.readers == 0 && source.ended) drop_live(transfer.source);
}

// A callback is about to take ownership: it cannot be asked to wait for the copies.
void Driver::wait_for_readers(std::int32_t item) {
  if (live_[item].readers == 0) return;
  for (std::int32_t at = transfers_.newest(); at != Row<Transfer>::none; at = transfers_.older(at)) {
    if (!transfers_[at].load && transfers_[at].source == item) finish(at);
  }
}

// ---- Live items ----

std::int32_t Driver::find(const ItemKey& key) const {
  const std::int32_t* const found = items_.find(key);
  return found == nullptr ? Row<Live>::none : *found;
}

std::int32_t Driver::need(const Action& action, const ItemKey& key) {
  const std::int32_t at = find(key);
  if (at == Row<Live>::none) refuse(action, text_of(key) + " does not exist");
  if (!live_[at].ready) refuse(action, text_of(key) + " is being loaded: expected AWAIT first");
  return at;
}

std::int32_t Driver::need_slot(const Action& action) const {
  const std::int32_t* const found = slots_.find(slot_key(action.tier, action.slot));
  if (found == nullptr) refuse(action, cat("slot ", action.slot, " of tier ", action.tier, " is empty"));
  return *found;
}

void Driver::check_item(const Action& action) const {
  if (action.item != Item::input && action.item != Item::tape && action.item != Item::grad)
    refuse(action, cat("item is ", static_cast<std::int32_t>(action.item), "; expected INPUT, TAPE or GRAD"));
}

void Driver::check_tier(const Action& action) const {
  if (action.tier < 1 || action.tier >= tiers) refuse(action, cat("tier is ", action.tier, "; expected 1 .. ", tiers - 1));
  if (action.slot < 0) refuse(action, cat("slot is ", action.slot, "; expected at least 0"));
}

// Adds an entry for an item that a call is about to make, and reserves space for its handle.
std::int32_t Driver::prepare(const Action& action, const ItemKey& key) {
  handles_.reserve_entry();
  live_.reserve_entry();
  const auto [at, was_there] = items_.find_or_add(key, Row<Live>::none);
  if (was_there) {
    if (!live_[*at].unrequested) refuse(action, text_of(key) + " exists already");
    end_item(*at);  // this changes the table, so the lookup is repeated
    return prepare(action, key);
  }
  *at = live_.add({.key = key});
  return *at;
}

// Stores a handle. Returns false if it is invalid; the driver does not take ownership then.
bool Driver::store_handle(std::int32_t at, void* handle) {
  Live& live = live_[at];
  if (handle == nullptr) return live.key.item != Item::input;
  if (!handles_.add(handle)) return false;
  live.handle = handle;
  return true;
}

// Removes an entry and its handle from all tables.
void Driver::remove_entry(std::int32_t at) {
  const Live& live = live_[at];
  Numbers& table = live.tier == 0 ? items_ : slots_;
  table.erase_if(live.tier == 0 ? live.key : slot_key(live.tier, live.slot), at);
  if (live.handle != nullptr) handles_.erase(live.handle);
  live_.remove(at);
}

void* Driver::take_handle(std::int32_t at) {
  void* const handle = live_[at].handle;
  remove_entry(at);
  return handle;
}

void Driver::end_item(std::int32_t at) {
  if (live_[at].readers == 0) return drop_live(at);
  live_[at].ended = true;
  items_.erase(live_[at].key);
}

void Driver::drop_live(std::int32_t at) {
  const Live live = live_[at];
  remove_entry(at);
  if (live.handle == nullptr && (live.tier == 0 || live.key.item == Item::none)) return;
  DriveCall call = call_of_drop(live.key);
  call.tier = live.tier;
  call.slot = live.slot;
  callbacks_->drop(call, live.handle);
}

// ---- Calls ----

DriveCall Driver::call_of(const Action& action, Kind kind, std::int64_t first, std::int64_t last) const {
  DriveCall call;
  call.kind = kind;
  call.flags = last <= forwarded_ ? drive_again : 0;
  call.first = first;
  call.last = last;
  call.option = action.option;
  call.slot = kind == Kind::forward ? action.slot : 0;
  call.action = action_;
  call.layers = layers_;
  return call;
}

DriveCall Driver::call_of_item(const Action& action, const ItemKey& key) const {
  DriveCall call = call_of_drop(key);
  call.kind = action.kind;
  call.tier = action.tier;
  call.slot = action.slot;
  call.transfer = action.transfer;
  return call;
}

DriveCall Driver::call_of_drop(const ItemKey& key) const {
  DriveCall call;
  call.kind = Kind::drop;
  call.first = key.index;
  call.option = key.option;
  call.item = key.item;
  call.action = action_;
  call.layers = layers_;
  return call;
}

void Driver::require_can(const DriveCall& call) {
  if ((can_ & bit_of(call.kind)) == 0) fail_contract(call, "the callback for it is missing");
}

void Driver::check(const DriveCall& call, std::int32_t result) {
  if (result == 0) [[likely]]
    return;
  failure_ = Failure{call, result};
  base::fail_callback(cat("action ", call.action, " (", text_of(call), ")"), result);
}

void Driver::fail_returned_handle(const DriveCall& call, std::int32_t at, const void* handle) {
  const std::string item = text_of(live_[at].key);
  if (handle == nullptr) fail_contract(call, "returned no handle for " + item);
  std::int32_t other = live_.newest();
  while (live_[other].handle != handle) other = live_.older(other);
  fail_contract(call, cat("returned the handle of the live ", text_of(live_[other].key), " for ", item));
}

void Driver::fail_contract(const DriveCall& call, const std::string& how) {
  failure_ = Failure{call, 0};
  fail(Status::callback, "action ", call.action, " (", text_of(call), "): ", how);
}

void Driver::refuse(const Action& action, const std::string& reason) const {
  fail(Status::invalid_schedule, "action ", action_, " (", kind_name(action.kind), "): ", reason);
}

}  // namespace ckpt::plan
