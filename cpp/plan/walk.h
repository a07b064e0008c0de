// Simulates a schedule's actions on a chain's profile: checks every rule of include/ckpt/plan.h and reports each buffer's
// allocation and end and each operation to a sink. The verifier, the placement and the executor's program are all sinks of this
// one walk, so they cannot disagree.
//
// Streams: memory is proportional to the live items, not to the schedule's length.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "plan/action.h"
#include "plan/item_table.h"
#include "plan/layer_set.h"
#include "plan/profile.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// A buffer from its allocation to its end; ids are dense, in the order of allocation.
using BufferId = std::int64_t;
constexpr BufferId no_buffer = -1;

enum class BufferRole : std::uint8_t { input, tape, grad, workspace, ambient };

struct BufferInfo {
  BufferRole role = BufferRole::input;
  std::int32_t tier = 0;
  std::int64_t index = 0;  // i of INPUT(i) and GRAD(i), else the layer
  std::int64_t bytes = 0;  // may be 0
  std::int32_t slot = 0;   // of a tier above 0
};

// A value that a graph's layer reads.
struct ValueRead {
  std::int64_t value = 0;
  BufferId input = no_buffer;  // forward; backward when the layer needs it
  BufferId grad = no_buffer;   // backward: GRAD(value), unless the layer makes none
  // backward: the layer's part of GRAD(value), if it cannot add in place; the executor adds it afterwards
  BufferId term = no_buffer;
  bool creates_grad = false;  // backward: GRAD(value) is written, not added to

  // Returns the buffer that the layer's backward writes or adds to.
  BufferId target() const { return term == no_buffer ? grad : term; }
};

// An operation between two memory changes.
struct Operation {
  enum class Kind : std::uint8_t { forward, record, backward, turn, copy, send, receive } kind = Kind::forward;
  bool recomputation = false;  // forward and record: the layer ran before in this step
  std::int32_t micro_batch = 0;
  std::int32_t option = 0;
  Item item = Item::none;                // send and receive: INPUT or GRAD
  std::int64_t layer = 0;                // send and receive: the item's index
  BufferId input = no_buffer;            // forward; backward when the layer needs it; copy and send: the source
  BufferId output = no_buffer;           // forward; backward when the layer needs it; turn: INPUT(n); copy, receive: destination
  BufferId tape = no_buffer;             // forward when recording; record; backward
  BufferId workspace = no_buffer;        // when the layer needs one
  BufferId grad_output = no_buffer;      // backward; turn: GRAD(n)
  BufferId grad_input = no_buffer;       // backward, unless the layer makes none
  BufferId ambient = no_buffer;          // forward of a layer with ambient state: written the first time, read in a recomputation
  BufferId present_ambient = no_buffer;  // recomputation of such a layer: saves the current state meanwhile
  std::int64_t bytes = 0;                // copy, send and receive: bytes of the item
  std::vector<ValueRead> reads{};        // of a graph's layer, in its order; input and grad_input are those of the first
};

// A copy between memory and another tier, completed by its AWAIT.
struct TransferInfo {
  std::int64_t id = 0;
  bool load = false;  // otherwise a store
  std::int32_t tier = 0;
  std::int64_t bytes = 0;
};

class WalkSink {
 public:
  virtual ~WalkSink() = default;
  virtual void allocate(BufferId id, const BufferInfo& info) = 0;
  // A buffer is overwritten in place: it now holds another item, and may count more or fewer bytes.
  virtual void become(BufferId id, const BufferInfo& before, const BufferInfo& now) = 0;
  virtual void run(const Operation& operation) = 0;
  virtual void free(BufferId id, const BufferInfo& info) = 0;  // info: in its current state
  // A layer's backward runs until backward_ends: the allocations and frees meanwhile, and `replaced` existing bytes, together
  // take peak_bytes. Called only if the profile has these.
  virtual void backward_begins(std::int64_t /*replaced*/, std::int64_t /*peak_bytes*/) {}
  virtual void backward_ends() {}
  virtual void transfer_begins(const TransferInfo& /*transfer*/) {}
  virtual void transfer_ends(std::int64_t /*id*/) {}
};

class Walk {
 public:
  // profile and sink must outlive the walk; the profile is complete. role: of the schedule that provides the actions.
  Walk(const ChainProfile& profile, WalkSink& sink, StageRole role = {});

  // Fails with Error(invalid_schedule), the action's index and the reason if the action breaks a rule.
  void step(const Action& action);

  std::int64_t actions() const { return actions_; }
  bool ended() const { return ended_; }

  // The most items, and the most INPUTs among them, that existed at once, by tier.
  struct MostItems {
    std::array<std::int64_t, tiers> items{};
    std::array<std::int64_t, tiers> inputs{};
  };
  const MostItems& max_items() const { return most_; }

 private:
  struct LiveItem {
    BufferId buffer = no_buffer;
    bool loading = false;  // exists, but is filled only at its AWAIT
  };
  // The copies from a buffer in progress. A buffer with an ended item counts until the last copy is awaited.
  struct Reading {
    std::int32_t transfers = 0;
    bool item_ended = false;
  };
  struct Slot {
    ItemKey item;
    BufferId buffer = no_buffer;
    bool ready = false;
  };
  struct Transfer {
    ItemKey item;
    bool load = false;
    std::int32_t tier = 0;
    std::int32_t slot = 0;
    BufferId source = no_buffer;  // of a store
  };
  struct MicroBatch {
    std::int64_t forwarded = 0;  // all layers below ran at least once: they run in order
    bool turned = false;
    LayerSet backward_ran;
    std::set<std::tuple<Kind, Item, std::int64_t>> exchanged;  // items sent and received
    std::unordered_map<std::int64_t, BufferId> ambient;
  };

  [[noreturn]] void refuse(const Action& action, const std::string& reason) const;
  BufferId allocate(const BufferInfo& info);
  BufferId make_item(const Action& action, const ItemKey& key);
  BufferId need_item(const Action& action, const ItemKey& key) const;
  void require_absent(const Action& action, const ItemKey& key) const;
  void add_item(const ItemKey& key, BufferId buffer);
  void remove_item(const ItemKey& key);
  // Removes an item before its buffer is overwritten; fails if a copy still reads it.
  BufferId consume_item(const Action& action, const ItemKey& key);
  void count_item(std::int32_t tier, Item item, std::int64_t by);
  void end_item(const ItemKey& key);
  // The item ends, but its bytes stay with the caller until the end of the step.
  bool is_kept(BufferId buffer) const { return buffer == kept_input_ || kept_outputs_.contains(buffer); }
  void free_item(const ItemKey& key, BufferId buffer, std::int32_t tier);
  std::int64_t bytes_of(const ItemKey& key) const;
  void check_layers(const Action& action) const;
  void find_readers();

  // Rules of graphs (walk_graph.cpp). Fails unless the layer alone reads the value.
  void require_read_by(const Action& action, std::int64_t value, std::int64_t layer) const;
  // Returns what a layer's forward reads. before: the buffer of the layer before it, which is not an item, if the layer runs
  // directly after that one; else no_buffer.
  std::vector<ValueRead> need_inputs(const Action& action, std::int64_t layer, BufferId before) const;
  void require_advance(const Action& action) const;
  bool creates_grad(std::int64_t value, std::int64_t layer) const;
  // Fails unless all readers of the value after the layer ran backward.
  void require_added(const Action& action, const MicroBatch& batch, std::int64_t value, std::int64_t layer) const;
  // Returns what a layer's backward reads. The gradients that it creates have no buffer yet.
  std::vector<ValueRead> need_gradients(const Action& action, const MicroBatch& batch, std::int64_t layer) const;
  // Returns the reads of a graph's layer that reads only the value before it; those of a chain's layer are empty.
  std::vector<ValueRead> reads_only(std::int64_t layer, BufferId input) const;
  // Creates the missing buffers.
  void make_gradients(const Action& action, std::int64_t layer, std::vector<ValueRead>& reads);

  void check_item(const Action& action) const;
  void check_slot(const Action& action) const;
  MicroBatch& micro_batch(const Action& action);

  void forward(const Action& action);
  void record(const Action& action);
  void advance(const Action& action);
  void run_forward(const Action& action, MicroBatch& micro, Operation operation, std::int64_t workspace_bytes);
  void run_in_place(const Action& action, MicroBatch& micro, std::int64_t layer, BufferId buffer);
  void backward(const Action& action);
  void backward_layer(const Action& action, MicroBatch& batch, std::int64_t layer);
  void turn(const Action& action);
  void send(const Action& action);
  void receive(const Action& action);
  void exchange(const Action& action, std::int64_t chunk, bool outermost);
  void hold(const Action& action, std::int64_t bytes);
  void store_begin(const Action& action);
  void load_begin(const Action& action);
  void await(const Action& action);
  void drop(const Action& action);
  void end(const Action& action);

  // The layers of a graph that read a value and compute its gradient, ascending.
  struct Readers {
    std::vector<std::int64_t> layers;
    bool is_output = false;
  };

  const ChainProfile& profile_;
  WalkSink& sink_;
  StageRole role_;
  std::vector<Readers> readers_;  // by value; empty for a chain
  std::int64_t actions_ = 0;
  bool ended_ = false;
  BufferId next_buffer_ = 0;
  BufferId kept_input_ = no_buffer;
  std::map<BufferId, std::int64_t> kept_outputs_;  // with their values; from the TURN on, which hands them over
  ItemTable<LiveItem> items_;
  MostItems now_;
  MostItems most_;
  std::map<std::pair<std::int32_t, std::int32_t>, Slot> slots_;  // by tier and slot
  std::array<std::int64_t, tiers> tier_bytes_{};
  std::map<std::int64_t, Transfer> transfers_;
  std::map<BufferId, Reading> readings_;
  std::map<std::int32_t, MicroBatch> micro_batches_;
};

}  // namespace ckpt::plan
